"""Updates in, the value out: the way back from `fragments`.

An update says where its value belongs, so a rebuilder follows it with a *cursor*: the innermost
open container and those around it. In a stream as the accumulator writes it the next update is
always in, at or just behind the cursor, and nothing is looked up from the root. A batch of updates
is first checked against the cursor and turned into calls on the visitor that `values` uses, and
only then carried out: what is malformed leaves no trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from zlib import crc32

from . import _cython as cython
from ._accumulator import DEFAULT_LIMITS
from ._halves import join_halves
from ._update import JsonFragmentKind, JsonFragmentUpdate
from .errors import ErrorCode, JsonStreamError, ParserError
from .paths import format_path, root_of, segments_of, split_path
from .values import ValueVisitor
from .wire import read_wire

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .limits import Limits
    from .paths import PathPair, Segment, Segments

    Update = JsonFragmentUpdate | Mapping[str, Any]

__all__ = ["JsonFragmentRebuilder"]

_START_OBJECT = JsonFragmentKind.StartObject
_END_OBJECT = JsonFragmentKind.EndObject
_START_ARRAY = JsonFragmentKind.StartArray
_END_ARRAY = JsonFragmentKind.EndArray
_KEY = JsonFragmentKind.Key
_START_STRING = JsonFragmentKind.StartString
_PARTIAL_STRING = JsonFragmentKind.PartialString
_COMPLETE_STRING = JsonFragmentKind.CompleteString
_COMPLETE_NUMBER = JsonFragmentKind.CompleteNumber
_COMPLETE_BOOLEAN = JsonFragmentKind.CompleteBoolean
_JSON_COMPLETE = JsonFragmentKind.JsonComplete
_ERROR = JsonFragmentKind.Error

# the calls on the visitor that a checked batch comes to
_DO_OBJECT, _DO_ARRAY, _DO_END, _DO_KEY, _DO_STRING, _DO_NUMBER, _DO_LITERAL, _DO_DOCUMENT = range(8)


# The trashcan frees a chain of any length without recursion.
@cython.final
@cython.trashcan(True)
@cython.cclass
class Frame:
    """An open container, as it was after some update: never changed, so that one can go back to it.

    ``path`` and ``pair`` are the two ways in which updates name it, as far as they are known.
    """

    __slots__ = ("above", "count", "depth", "is_array", "is_explicit", "pair", "path", "segment")

    above: Frame | None
    segment: Segment | None
    is_array: bool
    is_explicit: bool
    count: int
    depth: int
    path: str | None
    pair: PathPair | None

    def grown(self) -> Frame:
        """Give the same container with one item more."""
        frame = _open_frame(self.above, self.segment, self.is_array, self.is_explicit)
        frame.count = self.count + 1
        frame.path = self.path
        frame.pair = self.pair
        return frame


def _open_frame(above: Frame | None, segment: Segment | None, is_array: bool, is_explicit: bool) -> Frame:
    """Make the frame of a container that is empty yet."""
    frame = Frame()
    frame.above = above
    frame.segment = segment
    frame.is_array = is_array
    frame.is_explicit = is_explicit
    frame.count = 0
    frame.depth = 1 if above is None else above.depth + 1
    frame.path = None
    frame.pair = None
    return frame


def _segments_of(frame: Frame | None) -> list[Segment]:
    """List the segments from the root down to an open container."""
    segments: list[Segment] = []
    while frame is not None and frame.segment is not None:
        segments.append(frame.segment)
        frame = frame.above
    segments.reverse()
    return segments


def _steps(path: str, base: str) -> Segments | None:
    """Give the segments that lead from the place ``base`` to ``path``, None if none do."""
    if not path.startswith(base):
        return None
    rest = path[len(base) :]
    if not base or not rest:
        return split_path(rest, "")[1]
    # below a named place comes a dot or a bracket; any name will do in front of it
    return split_path(f"-{rest}", "-")[1] if rest[0] in ".[" else None


@cython.cclass
class JsonFragmentRebuilder:
    """Put updates, or their wire form, together again to the value.

    Values are placed by their paths: Key and StartString updates may be absent, and containers only
    implied. ``value`` is a snapshot as `JsonValueAccumulator` gives it; JsonComplete locks it.
    Updates that can't be right (another kind or path than what came before allows, a part missing)
    raise `JsonStreamError` and change nothing, nor do those given in the same call.

    ``root`` is the name of the root in the paths, by default what the first update tells: "root",
    the name of the container that it starts, or none.

    >>> rebuilder = JsonFragmentRebuilder()
    >>> rebuilder.apply([{"path": "root.city", "kind": "PartialString", "textValue": "Par"}])
    True
    >>> rebuilder.value, rebuilder.is_complete
    ({'city': 'Par'}, False)
    """

    __slots__ = (
        "_calls",
        "_checksum",
        "_done",
        "_ended",
        "_error",
        "_frame",
        "_has_moved",
        "_held",
        "_in_string",
        "_is_busy",
        "_key",
        "_length",
        "_limits",
        "_name",
        "_root",
        "_seen",
        "_segment",
        "_visitor",
    )

    def __init__(self, root: str | None = None, limits: Limits = DEFAULT_LIMITS) -> None:
        limits.check()
        self._root = None if root is None else "".join(root)
        self._limits = limits
        self._is_busy = False
        self.reset()

    def reset(self) -> None:
        """Forget everything but the options."""
        if self._is_busy:
            raise RuntimeError("the rebuilder is in the midst of a call")
        self._visitor = ValueVisitor()
        self._calls: list[tuple[int, Any, bool, bool]] = []
        self._error: ParserError | None = None
        # the root's name once it is known, the open container, the key or index of its last value
        self._name: str | None = self._root
        self._frame: Frame | None = None
        self._segment: Segment | None = None
        # the key that is announced; whether the root value has ended, and JsonComplete come; and how
        # many updates there were
        self._key: str | None = None
        self._ended = False
        self._done = False
        self._seen = 0
        # the open string: the length and checksum of what is there (to know its CompleteString by,
        # and to go back without keeping texts), and half a surrogate pair that waits for the other
        self._in_string = False
        self._length = 0
        self._checksum = 0
        self._held = ""
        # whether the update under way was found only by its segments
        self._has_moved = False

    @property
    def value(self) -> Any:
        """A snapshot of the value so far, `UNDEFINED` before there is one."""
        return self._visitor.publish()

    @property
    def open_path(self) -> Segments | None:
        """The way to the innermost value that is still open, None if there is none.

        All values that it does not lead through are final.
        """
        return self._visitor.open_path()

    @property
    def is_complete(self) -> bool:
        """Whether JsonComplete has come."""
        return self._done

    @property
    def error(self) -> ParserError | None:
        """What the last Error update told."""
        return self._error

    def apply(self, updates: Iterable[Update] | Update) -> bool:
        """Take the next updates, all or none, and tell whether the value changed."""
        if self._is_busy:
            raise RuntimeError("the rebuilder is in the midst of a call")
        self._is_busy = True
        cursor = (
            self._name, self._frame, self._segment, self._key, self._ended, self._done,
            self._seen, self._in_string, self._length, self._checksum, self._held, self._error,
        )  # fmt: skip
        try:
            # one update alone is as good as a list of it
            for update in [updates] if isinstance(updates, (Mapping, JsonFragmentUpdate)) else updates:
                self._take(update)
                self._seen += 1
            return self._carry_out()
        except BaseException:
            (
                self._name, self._frame, self._segment, self._key, self._ended, self._done,
                self._seen, self._in_string, self._length, self._checksum, self._held, self._error,
            ) = cursor  # fmt: skip
            self._calls = []
            raise
        finally:
            self._is_busy = False

    def _carry_out(self) -> bool:
        visitor = self._visitor
        visitor.begin_call()
        for call, argument, starts, ends in self._calls:
            if call == _DO_STRING:
                visitor.string(argument, starts, ends)
            elif call == _DO_KEY:
                visitor.key(argument)
            elif call == _DO_OBJECT:
                visitor.begin_object()
            elif call == _DO_ARRAY:
                visitor.begin_array()
            elif call == _DO_END:
                visitor.end_object()
            elif call == _DO_NUMBER:
                visitor.number(argument, "", 0, 0)
            elif call == _DO_LITERAL:
                visitor.literal(argument)
            else:
                visitor.document()
        self._calls = []
        return visitor.changed

    def _take(self, update: Any) -> None:
        """Check an update against the cursor, note what it comes to, and move on."""
        pair: PathPair | None = None
        segment: Segment | None = None
        path: str | None = None
        text: str | None
        if isinstance(update, JsonFragmentUpdate):
            given = update
            kind, text, value = given._kind, given._text, given._value
            pair, segment = given._pair, given._segment
            if kind is not _ERROR and not _is_as_made(kind, text, value):
                # made by hand: whatever the wire form may leave out or get wrong, this may, too
                wire = {"path": given.path, "kind": kind.value, "textValue": text, "value": value}
                _, kind, text, value = read_wire(wire)
        else:
            path, kind, text, value = read_wire(update)
        if kind is _ERROR:
            self._take_error(path, value)
        elif self._done:
            raise self._refuse("the document is complete")
        else:
            self._take_part(kind, text, value, pair, segment, path)

    def _take_part(
        self,
        kind: JsonFragmentKind,
        text: str | None,
        value: Any,
        pair: PathPair | None,
        segment: Segment | None,
        path: str | None,
    ) -> None:
        """Take an update that is part of the document."""
        self._has_moved = False
        steps = self._steps_to(kind, pair, segment, path)
        if kind is _KEY:
            self._take_key(steps, pair, text)
        elif kind is _JSON_COMPLETE:
            self._take_end_of_document(steps)
        elif kind is _END_OBJECT or kind is _END_ARRAY:
            self._take_end(steps, kind is _END_ARRAY)
        elif kind is _PARTIAL_STRING or kind is _COMPLETE_STRING:
            if not self._in_string:
                self._begin(steps, kind is _PARTIAL_STRING)
                self._open_string()
            elif not self._is_last(steps):
                raise self._refuse("a string has not ended")
            self._take_text(text or "", kind is _COMPLETE_STRING, path is not None)
        else:
            if not steps and self._frame is not None and (kind is _START_OBJECT or kind is _START_ARRAY):
                raise self._refuse("a container is open at this place")
            self._begin(steps, False)
            if kind is _START_OBJECT or kind is _START_ARRAY:
                self._push(kind is _START_ARRAY, True, pair if segment is None else None, path)
            elif kind is _START_STRING:
                self._open_string()
            else:
                number = kind is _COMPLETE_NUMBER
                self._calls.append((_DO_NUMBER if number else _DO_LITERAL, value, True, True))
                self._end_value()
        if self._has_moved:
            if pair is not None:
                self._learn(kind, pair, segment)
            elif path is not None and kind is not _KEY:
                self._learn_path(path)

    # where an update is, seen from the cursor

    def _steps_to(
        self, kind: JsonFragmentKind, pair: PathPair | None, segment: Segment | None, path: str | None
    ) -> Segments:
        """Leave the implied containers that end here; give the steps from the one that stays open."""
        frame = self._frame
        if frame is not None:
            if pair is not None and frame.pair is not None:
                # updates of one accumulator share the pairs of their containers
                if pair is frame.pair:
                    return () if segment is None else (segment,)
                if pair[0] is frame.pair:
                    return (pair[1],) if segment is None else (pair[1], segment)
            elif path is not None and frame.path is not None:
                steps = _steps(path, frame.path)
                if steps is not None:
                    return steps
        segments = self._segments_to(kind, pair, segment, path)
        self._has_moved = True
        own = _segments_of(frame)
        for depth in range(len(own) - 1, -1, -1):
            if len(segments) <= depth or segments[depth] != own[depth]:
                self._leave_implied(len(own) - depth)
                own = own[:depth]
        return segments[len(own) :]

    def _segments_to(
        self, kind: JsonFragmentKind, pair: PathPair | None, segment: Segment | None, path: str | None
    ) -> Segments:
        """Give the way to a place from the root, whose name the first update tells."""
        if pair is not None:
            name, segments = root_of(pair), _segments(pair, segment)
            if name and self._name in (None, name):
                self._name = name
                return segments
            path = format_path(name, segments)
        assert path is not None
        if self._name is None:
            self._name = _root_name(kind, path)
        steps = _steps(path, self._name)
        if steps is None:
            raise self._refuse("the path of another root", path)
        return steps

    def _leave_implied(self, count: int) -> None:
        """Close containers that nothing but paths had opened."""
        for _ in range(count):
            if self._frame is None or self._frame.is_explicit:
                raise self._refuse("another place than that of an open value")
            self._pop()

    def _learn(self, kind: JsonFragmentKind, pair: PathPair, segment: Segment | None) -> None:
        """Keep the pairs by which an accumulator names the open containers."""
        place: Any = pair
        if kind is _END_OBJECT or kind is _END_ARRAY:
            place = pair[0]
        elif segment is not None and (kind is _START_OBJECT or kind is _START_ARRAY):
            place = (pair, segment)
        frame = self._frame
        while frame is not None and place is not None and frame.pair is not place:
            frame.pair = place
            frame = frame.above
            place = place[0]

    def _learn_path(self, path: str) -> None:
        """Keep the path of the open container as the sender writes it, where the value's shows it."""
        if self._frame is not None and self._frame.path is None and self._segment is not None:
            written = format_path("-", [self._segment])[1:]
            if path.endswith(written):
                self._frame.path = path[: len(path) - len(written)]

    def _is_last(self, steps: Segments) -> bool:
        """Tell whether the steps lead to the value that began last."""
        if self._frame is None:
            return not steps
        return len(steps) == 1 and steps[0] == self._segment

    def _begin(self, steps: Segments, unannounced: bool) -> None:
        """Move to where a value begins."""
        if self._in_string:
            raise self._refuse("a string has not ended")
        if self._ended:
            raise self._refuse("the root value has ended")
        frame = self._frame
        if frame is None and steps:
            self._push(isinstance(steps[0], int), False, None, None)
        elif frame is not None and not steps:
            # an open container's own place: once more a key whose container was only implied
            if frame.is_explicit or frame.segment is None:
                raise self._refuse("a container is open at this place")
            self._pop()
            steps = (frame.segment,)
        for depth in range(1, len(steps)):
            self._place(steps[depth - 1], False)
            self._push(isinstance(steps[depth], int), False, None, None)
        if steps:
            self._place(steps[len(steps) - 1], unannounced)

    def _place(self, segment: Segment, unannounced: bool) -> None:
        """Begin a member of the open container."""
        frame = self._frame
        assert frame is not None
        if frame.is_array:
            if segment != frame.count:
                raise self._refuse(
                    "an item out of order" if isinstance(segment, int) else "a key in an array"
                )
            self._frame = frame.grown()
        else:
            if not isinstance(segment, str):
                raise self._refuse("an index in an object")
            if self._key is not None and self._key != segment:
                raise self._refuse("another key than the one announced")
            if unannounced and self._key is None and self._segment == segment:
                raise self._refuse("a part of a string for a value that has ended")
            if self._limits.max_string is not None and len(segment) > self._limits.max_string:
                raise self._over(ErrorCode.STRING_LIMIT)
            self._calls.append((_DO_KEY, segment, True, True))
        self._segment = segment
        self._key = None

    def _push(self, is_array: bool, is_explicit: bool, pair: PathPair | None, path: str | None) -> None:
        """Open a container at the value that began last."""
        frame = _open_frame(self._frame, self._segment, is_array, is_explicit)
        if self._limits.max_depth is not None and frame.depth > self._limits.max_depth:
            raise self._over(ErrorCode.DEPTH_LIMIT)
        frame.pair = pair
        frame.path = path
        self._calls.append((_DO_ARRAY if is_array else _DO_OBJECT, None, True, True))
        self._frame = frame
        self._segment = None
        self._key = None

    def _pop(self) -> None:
        """Close the open container."""
        frame = self._frame
        assert frame is not None
        self._calls.append((_DO_END, None, True, True))
        self._frame = frame.above
        self._segment = frame.segment
        self._key = None
        self._end_value()

    def _end_value(self) -> None:
        self._ended = self._frame is None

    # what an update tells

    def _take_key(self, steps: Segments, pair: PathPair | None, text: str | None) -> None:
        if self._frame is None or steps:
            # the object is implied
            self._begin(steps, False)
            self._push(False, False, pair, None)
        assert self._frame is not None
        self._check_nothing_is_missing()
        if self._frame.is_array:
            raise self._refuse("a key in an array")
        if self._limits.max_string is not None and len(text or "") > self._limits.max_string:
            raise self._over(ErrorCode.STRING_LIMIT)
        self._key = text

    def _take_end(self, steps: Segments, is_array: bool) -> None:
        frame = self._frame
        if frame is None or steps or frame.is_array != is_array:
            raise self._refuse("the end of a container that is not open")
        self._check_nothing_is_missing()
        self._pop()

    def _check_nothing_is_missing(self) -> None:
        if self._in_string:
            raise self._refuse("a string has not ended")
        if self._key is not None:
            raise self._refuse("a key without a value")

    def _take_end_of_document(self, steps: Segments) -> None:
        frame = self._frame
        if frame is not None and frame.above is None and not frame.is_explicit and not self._in_string:
            self._pop()
        if steps or not self._ended:
            raise self._refuse("the root value has not ended")
        self._calls.append((_DO_DOCUMENT, None, True, True))
        self._done = True

    def _open_string(self) -> None:
        self._in_string = True
        self._length = 0
        self._checksum = 0
        self._held = ""
        self._calls.append((_DO_STRING, "", True, False))

    def _take_text(self, text: str, ends: bool, from_wire: bool) -> None:
        length = self._length
        if ends:
            if len(text) < length or _checksum(text[:length], 0) != self._checksum:
                raise self._refuse("a string that is not the sum of its parts")
            text = text[length:]
            self._in_string = False
        else:
            if from_wire and text:
                # a sender that counts UTF-16 units may cut a pair in two
                text = join_halves(self._held + text)
                self._held = text[len(text) - 1] if "\ud800" <= text[len(text) - 1] <= "\udbff" else ""
                text = text[: len(text) - len(self._held)]
            self._length = length + len(text)
            self._checksum = _checksum(text, self._checksum)
        if self._limits.max_string is not None and length + len(text) > self._limits.max_string:
            raise self._over(ErrorCode.STRING_LIMIT)
        if text or ends:
            self._calls.append((_DO_STRING, text, False, ends))
        if ends:
            self._end_value()

    def _take_error(self, path: str | None, error: ParserError | None) -> None:
        """Note an error; a string that it spoiled ends, and at the root another value may take its place."""
        if path is not None:
            split_path(path)
        self._error = ParserError.of(ErrorCode.UNKNOWN) if error is None else error
        is_cut = self._error.code == ErrorCode.TRUNCATED
        if self._in_string:
            self._calls.append((_DO_STRING, self._held, False, not is_cut))
            self._held = ""
            self._in_string = is_cut
        if not is_cut:
            self._key = None

    def _refuse(self, why: str, path: str | None = None) -> JsonStreamError:
        """Say why an update does not fit, and where the last one that did was."""
        error = ParserError.of(ErrorCode.MISPLACED_UPDATE, self._seen, why)
        if path is None:
            path = format_path(self._name or "", _segments_of(self._frame))
        return JsonStreamError(error, path)

    def _over(self, code: ErrorCode) -> JsonStreamError:
        return JsonStreamError(ParserError.of(code, self._seen))


def _checksum(text: str, start: int) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"), start)


def _segments(pair: PathPair, segment: Segment | None) -> Segments:
    segments = segments_of(pair)
    return segments if segment is None else (*segments, segment)


def _root_name(kind: JsonFragmentKind, path: str) -> str:
    """Tell the root's name from the path of the first update."""
    name, segments = split_path(path)
    # a stream that writes its containers begins with the one at the root
    if kind is _START_OBJECT or kind is _START_ARRAY:
        return path if len(segments) == 1 and segments[0] == path else name
    return name


def _is_as_made(kind: JsonFragmentKind, text: Any, value: Any) -> bool:
    """Tell whether an update has the text and value that an accumulator gives its kind."""
    if kind is _PARTIAL_STRING or kind is _COMPLETE_STRING or kind is _KEY:
        return type(text) is str
    if kind is _COMPLETE_NUMBER or kind is _COMPLETE_BOOLEAN:
        return value is not None
    return True

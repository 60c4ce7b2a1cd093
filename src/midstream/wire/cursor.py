"""Where a stream of updates stands, and whether the next one can go on from there.

An update says where its value belongs, so the cursor is the innermost open container and those
around it. In a stream as the accumulator writes it the next update is always in, at or just behind
the cursor, and nothing is looked up from the root. The cursor holds no values: what an update comes
to is noted as calls for the visitor of `values`, to be carried out when all of a batch are in order.
Whatever it changes in itself can be undone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

from ..accumulators.update import (
    COMPLETE_NUMBER,
    COMPLETE_STRING,
    END_ARRAY,
    END_OBJECT,
    JSON_COMPLETE,
    KEY,
    PARTIAL_STRING,
    START_ARRAY,
    START_OBJECT,
    START_STRING,
)
from ..core import cython_shim as cython
from ..core.surrogates import join_halves
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..paths import format_path, root_of, segments_of, split_path, steps_below
from .frames import Frame

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .frames import open_frame, way_to

if TYPE_CHECKING:
    from ..accumulators.update import JsonFragmentKind
    from ..limits import Limits
    from ..paths import PathPair, Segment, Segments

__all__ = ["Cursor"]

# the calls on the visitor that updates come to
DO_OBJECT, DO_ARRAY, DO_END, DO_KEY, DO_STRING, DO_NUMBER, DO_LITERAL, DO_DOCUMENT = range(8)


@cython.final
@cython.cclass
class Cursor:
    """Check updates against what is open, and note the calls that they come to.

    ``calls`` holds (which, its argument, starts, ends) of each, the last two for strings only.
    """

    __slots__ = (
        "_checksum",
        "_ended",
        "_frame",
        "_has_moved",
        "_held",
        "_in_string",
        "_key",
        "_length",
        "_limits",
        "_name",
        "_seen",
        "_segment",
        "_sender",
        "calls",
        "error",
        "is_done",
    )

    def __init__(self, name: str | None, limits: Limits) -> None:
        self._limits = limits
        self.calls: list[tuple[int, Any, bool, bool]] = []
        self.error: ParserError | None = None
        # the root's name once it is known, the open container, the key or index of its last value
        self._name = name
        self._frame: Frame | None = None
        self._segment: Segment | None = None
        # the key that is announced; whether the root value has ended, and JsonComplete come; and how
        # many updates there were
        self._key: str | None = None
        self._ended = False
        self.is_done = False
        self._seen = 0
        # the open string: the length and checksum of what is there (to know its CompleteString by,
        # and to go back without keeping texts), and half a surrogate pair that waits for the other
        self._in_string = False
        self._length = 0
        self._checksum = 0
        self._held = ""
        # the pair by which its last update named its place
        self._sender: PathPair | None = None
        # whether the update under way was found only by its segments
        self._has_moved = False

    def place(self) -> tuple[Any, ...]:
        """Give all that tells where the cursor is, for `go_back`."""
        return (
            self._name, self._frame, self._segment, self._key, self._ended, self.is_done,
            self._seen, self._in_string, self._length, self._checksum, self._held, self._sender, self.error,
        )  # fmt: skip

    def go_back(self, place: tuple[Any, ...]) -> None:
        """Undo everything since `place` was asked."""
        (
            self._name, self._frame, self._segment, self._key, self._ended, self.is_done,
            self._seen, self._in_string, self._length, self._checksum, self._held, self._sender, self.error,
        ) = place  # fmt: skip
        self.calls = []

    def take(
        self,
        kind: JsonFragmentKind,
        text: str | None,
        value: Any,
        pair: PathPair | None,
        segment: Segment | None,
        path: str | None,
    ) -> None:
        """Take an update of the document, whose place is a pair and a segment or, on the wire, a path."""
        if self.is_done:
            raise self._refuse("the document is complete")
        self._has_moved = False
        steps = self._steps_to(kind, pair, segment, path)
        if kind is KEY:
            self._take_key(steps, pair, text)
        elif kind is JSON_COMPLETE:
            self._take_end_of_document(steps)
        elif kind is END_OBJECT or kind is END_ARRAY:
            self._take_end(steps, kind is END_ARRAY)
        elif kind is PARTIAL_STRING or kind is COMPLETE_STRING:
            if not self._in_string:
                self._begin(steps, kind is PARTIAL_STRING)
                self._open_string(None)
            elif not self._is_last(steps):
                raise self._refuse("a string has not ended")
            self._take_text(text or "", kind is COMPLETE_STRING, pair)
        else:
            if not steps and self._frame is not None and (kind is START_OBJECT or kind is START_ARRAY):
                raise self._refuse("a container is open at this place")
            self._begin(steps, False)
            if kind is START_OBJECT or kind is START_ARRAY:
                self._push(kind is START_ARRAY, True, pair if segment is None else None, path)
            elif kind is START_STRING:
                self._open_string(pair)
            else:
                number = kind is COMPLETE_NUMBER
                self.calls.append((DO_NUMBER if number else DO_LITERAL, value, True, True))
                self._end_value()
        if self._has_moved:
            if pair is not None:
                self._learn(kind, pair, segment)
            elif path is not None and kind is not KEY:
                self._learn_path(path)
        self._seen += 1

    def take_error(self, path: str | None, error: ParserError | None) -> None:
        """Note an error; a string that it spoiled ends, and at the root another value may take its place."""
        if path is not None:
            split_path(path)
        self.error = ParserError.of(ErrorCode.UNKNOWN) if error is None else error
        is_cut = self.error.code == ErrorCode.TRUNCATED
        if self._in_string:
            # it stays open for who looks, until something else follows
            self.calls.append((DO_STRING, self._held, False, False))
            self._held = ""
            self._in_string = is_cut
        if not is_cut:
            self._key = None
        self._seen += 1

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
                steps = steps_below(frame.path, path)
                if steps is not None:
                    return steps
        segments = self._segments_to(kind, pair, segment, path)
        self._has_moved = True
        own = way_to(frame)
        common = 0
        while common < len(own) and common < len(segments) and segments[common] == own[common]:
            common += 1
        self._leave_implied(len(own) - common)
        return segments[common:]

    def _segments_to(
        self, kind: JsonFragmentKind, pair: PathPair | None, segment: Segment | None, path: str | None
    ) -> Segments:
        """Give the way to a place from the root, whose name the first update tells."""
        if pair is not None:
            name, segments = root_of(pair), segments_of(pair)
            if segment is not None:
                segments = (*segments, segment)
            if name and self._name in (None, name):
                self._name = name
                return segments
            path = format_path(name, segments)
        assert path is not None
        if self._name is None:
            self._name = _root_name(kind, path)
        steps = steps_below(self._name, path)
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
        if kind is END_OBJECT or kind is END_ARRAY:
            place = pair[0]
        elif segment is not None and (kind is START_OBJECT or kind is START_ARRAY):
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
            self.calls.append((DO_KEY, segment, True, True))
        self._segment = segment
        self._key = None

    def _push(self, is_array: bool, is_explicit: bool, pair: PathPair | None, path: str | None) -> None:
        """Open a container at the value that began last."""
        frame = open_frame(self._frame, self._segment, is_array, is_explicit)
        if self._limits.max_depth is not None and frame.depth > self._limits.max_depth:
            raise self._over(ErrorCode.DEPTH_LIMIT)
        frame.pair = pair
        frame.path = path
        self.calls.append((DO_ARRAY if is_array else DO_OBJECT, None, True, True))
        self._frame = frame
        self._segment = None
        self._key = None

    def _pop(self) -> None:
        """Close the open container."""
        frame = self._frame
        assert frame is not None
        self.calls.append((DO_END, None, True, True))
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
        self.calls.append((DO_DOCUMENT, None, True, True))
        self.is_done = True

    def _open_string(self, sender: PathPair | None) -> None:
        self._in_string = True
        self._length = 0
        self._checksum = 0
        self._held = ""
        self._sender = sender
        self.calls.append((DO_STRING, "", True, False))

    def _take_text(self, text: str, ends: bool, sender: PathPair | None) -> None:
        length = self._length
        if ends:
            if not self._begins_as_told(text):
                # halves that a sender cut apart may have been joined in the whole
                text = join_halves(text)
                if not self._begins_as_told(text):
                    raise self._refuse("a string that is not the sum of its parts")
            text = text[length:]
            self._in_string = False
        else:
            # an accumulator names the place by one pair all along, and means halves as it gives them;
            # others may have cut a pair in two, as who counts UTF-16 units does
            is_own = sender is not None and sender is self._sender
            if self._held:
                start = self._held + text[:1]
                text = (start if is_own else join_halves(start)) + text[1:]
                self._held = ""
            if not is_own and text and "\ud800" <= text[len(text) - 1] <= "\udbff":
                self._held = text[len(text) - 1]
                text = text[: len(text) - 1]
            self._sender = sender
            self._length = length + len(text)
            self._checksum = _checksum(text, self._checksum)
        if self._limits.max_string is not None and length + len(text) > self._limits.max_string:
            raise self._over(ErrorCode.STRING_LIMIT)
        if text or ends:
            self.calls.append((DO_STRING, text, False, ends))
        if ends:
            self._end_value()

    def _begins_as_told(self, text: str) -> bool:
        """Tell whether a whole string begins with the parts that came of it."""
        length = self._length
        return len(text) >= length and _checksum(text[:length], 0) == self._checksum

    def _refuse(self, why: str, path: str | None = None) -> JsonStreamError:
        """Say why an update does not fit, and where the last one that did was."""
        error = ParserError.of(ErrorCode.MISPLACED_UPDATE, self._seen, why)
        if path is None:
            path = format_path(self._name or "", way_to(self._frame))
        return JsonStreamError(error, path)

    def _over(self, code: ErrorCode) -> JsonStreamError:
        return JsonStreamError(ParserError.of(code, self._seen))


def _checksum(text: str, start: int) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"), start)


def _root_name(kind: JsonFragmentKind, path: str) -> str:
    """Tell the root's name from the path of the first update."""
    name, segments = split_path(path)
    # a stream that writes its containers begins with the one at the root
    if kind is START_OBJECT or kind is START_ARRAY:
        return path if len(segments) == 1 and segments[0] == path else name
    return name

"""Track the position in a stream of updates, and check that the next update can follow.

Each update has a path, so the cursor's position is the innermost open container and the containers around
it. In a stream that an accumulator wrote, the next update is always inside, at or directly after this
position, so nothing is searched from the root. The cursor holds no values. It lists the visitor calls that
the updates of a batch imply, and the rebuilder makes these calls once the complete batch is valid. Every
change of the cursor itself can be undone.
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
from ..core.surrogates import join_surrogates, settled_length
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..paths import format_path, root_of, segments_of, split_path, steps_below
from .frames import Frame

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .frames import open_frame, segments_to

if TYPE_CHECKING:
    from ..accumulators.update import JsonFragmentKind
    from ..limits import Limits
    from ..paths import PathPair, Segment, Segments

__all__ = ["Cursor"]

# the visitor calls that updates imply
DO_OBJECT, DO_ARRAY, DO_END, DO_KEY, DO_STRING, DO_NUMBER, DO_LITERAL, DO_DOCUMENT = range(8)


@cython.final
@cython.cclass
class Cursor:
    """Check updates against the open containers, and list the visitor calls that they imply.

    ``calls`` holds (call, argument, starts, ends) for each; the last two are for strings only.
    """

    __slots__ = (
        "_checksum",
        "_ended",
        "_found_by_segments",
        "_frame",
        "_high_surrogate",
        "_in_string",
        "_key",
        "_last_pair",
        "_length",
        "_limits",
        "_name",
        "_seen",
        "_segment",
        "calls",
        "error",
        "is_done",
    )

    def __init__(self, name: str | None, limits: Limits) -> None:
        self._limits = limits
        self.calls: list[tuple[int, Any, bool, bool]] = []
        self.error: ParserError | None = None
        # the root's name once it is known, the open container, and the key or index of its last value
        self._name = name
        self._frame: Frame | None = None
        self._segment: Segment | None = None
        # the key of the last Key update; whether the root value has ended, and JsonComplete has arrived;
        # and the number of updates so far
        self._key: str | None = None
        self._ended = False
        self.is_done = False
        self._seen = 0
        # the open string: the length and checksum of its parts (enough to check its CompleteString and to
        # restore an earlier state without keeping texts), and a high surrogate that waits for its pair
        self._in_string = False
        self._length = 0
        self._checksum = 0
        self._high_surrogate = ""
        # the path pair of the string's last update
        self._last_pair: PathPair | None = None
        # whether the current update had to be located by its segments
        self._found_by_segments = False

    def save(self) -> tuple[Any, ...]:
        """Return the state of the cursor, for `restore`."""
        return (
            self._name, self._frame, self._segment, self._key, self._ended, self.is_done,
            self._seen, self._in_string, self._length, self._checksum, self._high_surrogate,
            self._last_pair, self.error,
        )  # fmt: skip

    def restore(self, place: tuple[Any, ...]) -> None:
        """Return to a saved state."""
        (
            self._name, self._frame, self._segment, self._key, self._ended, self.is_done,
            self._seen, self._in_string, self._length, self._checksum, self._high_surrogate,
            self._last_pair, self.error,
        ) = place  # fmt: skip
        self.calls = []

    def accept(
        self,
        kind: JsonFragmentKind,
        text: str | None,
        value: Any,
        pair: PathPair | None,
        segment: Segment | None,
        path: str | None,
    ) -> None:
        """Accept an update, located by a pair and a segment or, in the wire form, by a path."""
        if self.is_done:
            raise self._misplaced("the document is already complete")
        self._found_by_segments = False
        steps = self._steps_to(kind, pair, segment, path)
        if kind is KEY:
            self._accept_key(steps, pair, text)
        elif kind is JSON_COMPLETE:
            self._accept_document_end(steps)
        elif kind is END_OBJECT or kind is END_ARRAY:
            self._accept_end(steps, kind is END_ARRAY)
        elif kind is PARTIAL_STRING or kind is COMPLETE_STRING:
            if not self._in_string:
                if text is None:
                    raise self._misplaced("a CompleteString without text, and none of its parts has arrived")
                self._begin(steps, kind is PARTIAL_STRING)
                self._open_string(None)
            elif not self._is_last(steps):
                raise self._misplaced("the open string has not ended")
            if text is None:
                self._end_text()
            else:
                self._accept_text(text, kind is COMPLETE_STRING, pair)
        else:
            if not steps and self._frame is not None and (kind is START_OBJECT or kind is START_ARRAY):
                raise self._misplaced("a container is already open at this path")
            self._begin(steps, False)
            if kind is START_OBJECT or kind is START_ARRAY:
                self._push(kind is START_ARRAY, True, pair if segment is None else None, path)
            elif kind is START_STRING:
                self._open_string(pair)
            else:
                number = kind is COMPLETE_NUMBER
                self.calls.append((DO_NUMBER if number else DO_LITERAL, value, True, True))
                self._end_value()
        if self._found_by_segments:
            if pair is not None:
                self._store_pairs(kind, pair, segment)
            elif path is not None and kind is not KEY:
                self._store_path(path)
        self._seen += 1

    def accept_error(self, path: str | None, error: ParserError | None) -> None:
        """Accept an Error update: it ends an open string, and another value may follow at the same place."""
        if path is not None:
            split_path(path)
        self.error = ParserError.of(ErrorCode.UNKNOWN) if error is None else error
        is_cut = self.error.code == ErrorCode.TRUNCATED
        if self._in_string:
            # a truncated string stays open for readers until something else follows
            self.calls.append((DO_STRING, self._high_surrogate, False, False))
            self._high_surrogate = ""
            self._in_string = is_cut
        if not is_cut:
            self._key = None
        self._seen += 1

    # locating an update relative to the cursor

    def _steps_to(
        self, kind: JsonFragmentKind, pair: PathPair | None, segment: Segment | None, path: str | None
    ) -> Segments:
        """Close the implied containers that end here; return the segments below the one that stays open."""
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
        self._found_by_segments = True
        own = segments_to(frame)
        common = 0
        while common < len(own) and common < len(segments) and segments[common] == own[common]:
            common += 1
        self._leave_implied(len(own) - common)
        return segments[common:]

    def _segments_to(
        self, kind: JsonFragmentKind, pair: PathPair | None, segment: Segment | None, path: str | None
    ) -> Segments:
        """Return the segments from the root, whose name is taken from the first update."""
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
            raise self._misplaced("the path belongs to another root", path)
        return steps

    def _leave_implied(self, count: int) -> None:
        """Close containers that were only implied by paths."""
        for _ in range(count):
            if self._frame is None or self._frame.is_explicit:
                raise self._misplaced("the path is outside of the open containers")
            self._pop()

    def _store_pairs(self, kind: JsonFragmentKind, pair: PathPair, segment: Segment | None) -> None:
        """Store the path pairs that the accumulator uses for the open containers."""
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

    def _store_path(self, path: str) -> None:
        """Store the open container's path as the sender writes it, if the value's path contains it."""
        if self._frame is not None and self._frame.path is None and self._segment is not None:
            written = format_path("-", [self._segment])[1:]
            if path.endswith(written):
                self._frame.path = path[: len(path) - len(written)]

    def _is_last(self, steps: Segments) -> bool:
        """Report whether the steps lead to the value that began last."""
        if self._frame is None:
            return not steps
        return len(steps) == 1 and steps[0] == self._segment

    def _begin(self, steps: Segments, is_piece: bool) -> None:
        """Move to where a value begins; ``is_piece`` if a PartialString is all that says so."""
        if self._in_string:
            raise self._misplaced("the open string has not ended")
        if self._ended:
            raise self._misplaced("the root value has already ended")
        frame = self._frame
        if frame is None and steps:
            self._push(isinstance(steps[0], int), False, None, None)
        elif frame is not None and not steps:
            # the path of an open, only implied container: its key appears again
            if frame.is_explicit or frame.segment is None:
                raise self._misplaced("a container is already open at this path")
            self._pop()
            steps = (frame.segment,)
        for depth in range(1, len(steps)):
            self._begin_member(steps[depth - 1], False)
            self._push(isinstance(steps[depth], int), False, None, None)
        if steps:
            self._begin_member(steps[len(steps) - 1], is_piece)

    def _begin_member(self, segment: Segment, is_piece: bool) -> None:
        """Begin a member of the open container."""
        frame = self._frame
        assert frame is not None
        if frame.is_array:
            if segment != frame.count:
                found = "" if isinstance(segment, int) else ", found a key"
                raise self._misplaced(f"expected index {frame.count} of the open array{found}")
            self._frame = frame.with_item()
        else:
            if not isinstance(segment, str):
                raise self._misplaced("expected a key of the open object, found an index")
            if self._key is not None and self._key != segment:
                raise self._misplaced("the path does not have the key of the last Key update")
            if is_piece and self._key is None and self._segment == segment:
                raise self._misplaced("a PartialString for a value that has already ended")
            if self._limits.max_string is not None and len(segment) > self._limits.max_string:
                raise self._over_limit(ErrorCode.STRING_LIMIT)
            self.calls.append((DO_KEY, segment, True, True))
        self._segment = segment
        self._key = None

    def _push(self, is_array: bool, is_explicit: bool, pair: PathPair | None, path: str | None) -> None:
        """Open a container at the value that began last."""
        frame = open_frame(self._frame, self._segment, is_array, is_explicit)
        if self._limits.max_depth is not None and frame.depth > self._limits.max_depth:
            raise self._over_limit(ErrorCode.DEPTH_LIMIT)
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

    # applying an update

    def _accept_key(self, steps: Segments, pair: PathPair | None, text: str | None) -> None:
        if self._frame is None or steps:
            # the object is implied
            self._begin(steps, False)
            self._push(False, False, pair, None)
        assert self._frame is not None
        self._check_nothing_open()
        if self._frame.is_array:
            raise self._misplaced("expected an item or the end of the open array, found a key")
        if self._limits.max_string is not None and len(text or "") > self._limits.max_string:
            raise self._over_limit(ErrorCode.STRING_LIMIT)
        self._key = text

    def _accept_end(self, steps: Segments, is_array: bool) -> None:
        frame = self._frame
        if frame is None or steps or frame.is_array != is_array:
            raise self._misplaced("the end of a container that is not open")
        self._check_nothing_open()
        self._pop()

    def _check_nothing_open(self) -> None:
        if self._in_string:
            raise self._misplaced("the open string has not ended")
        if self._key is not None:
            raise self._misplaced("a Key update without a value")

    def _accept_document_end(self, steps: Segments) -> None:
        frame = self._frame
        if frame is not None and frame.above is None and not frame.is_explicit and not self._in_string:
            self._pop()
        if steps or not self._ended:
            raise self._misplaced("JsonComplete before the root value has ended")
        self.calls.append((DO_DOCUMENT, None, True, True))
        self.is_done = True

    def _open_string(self, pair: PathPair | None) -> None:
        self._in_string = True
        self._length = 0
        self._checksum = 0
        self._high_surrogate = ""
        self._last_pair = pair
        self.calls.append((DO_STRING, "", True, False))

    def _accept_text(self, text: str, ends: bool, pair: PathPair | None) -> None:
        length = self._length
        if ends:
            if not self._starts_with_parts(text):
                # the sender may have joined surrogate pairs that its parts contain split
                text = join_surrogates(text)
                if not self._starts_with_parts(text):
                    raise self._misplaced("the CompleteString differs from its joined PartialStrings")
            text = text[length:]
            self._in_string = False
        else:
            # An accumulator uses one pair object for the complete string, and its surrogates are final.
            # Other senders may have split a surrogate pair, because they count UTF-16 code units.
            is_same_sender = pair is not None and pair is self._last_pair
            if self._high_surrogate:
                start = self._high_surrogate + text[:1]
                text = (start if is_same_sender else join_surrogates(start)) + text[1:]
                self._high_surrogate = ""
            if not is_same_sender:
                settled = settled_length(text)
                self._high_surrogate = text[settled:]
                text = text[:settled]
            self._last_pair = pair
            self._length = length + len(text)
            self._checksum = _checksum(text, self._checksum)
        if self._limits.max_string is not None and length + len(text) > self._limits.max_string:
            raise self._over_limit(ErrorCode.STRING_LIMIT)
        if text or ends:
            self.calls.append((DO_STRING, text, False, ends))
        if ends:
            self._end_value()

    def _end_text(self) -> None:
        """End the open string with the parts that have arrived: its CompleteString repeats none of them."""
        self._in_string = False
        self.calls.append((DO_STRING, self._high_surrogate, False, True))
        self._high_surrogate = ""
        self._end_value()

    def _starts_with_parts(self, text: str) -> bool:
        """Report whether a complete string begins with the parts that arrived."""
        length = self._length
        return len(text) >= length and _checksum(text[:length], 0) == self._checksum

    def _misplaced(self, why: str, path: str | None = None) -> JsonStreamError:
        """Return the error for an update that does not fit, with the path of the open container."""
        error = ParserError.of(ErrorCode.MISPLACED_UPDATE, self._seen, why)
        if path is None:
            path = format_path(self._name or "", segments_to(self._frame))
        return JsonStreamError(error, path)

    def _over_limit(self, code: ErrorCode) -> JsonStreamError:
        return JsonStreamError(ParserError.of(code, self._seen))


def _checksum(text: str, start: int) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"), start)


def _root_name(kind: JsonFragmentKind, path: str) -> str:
    """Return the root's name from the path of the first update."""
    name, segments = split_path(path)
    # a stream with explicit containers begins with the one at the root
    if kind is START_OBJECT or kind is START_ARRAY:
        return path if len(segments) == 1 and segments[0] == path else name
    return name

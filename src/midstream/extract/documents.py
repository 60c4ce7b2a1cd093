"""An accumulator that reads the documents in a text, and the parts of the text around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ..core.saved import checked_count
from ..core.surrogates import SurrogateJoiner
from ..core.text import load_text, save_text
from ..errors import ErrorCode, JsonStreamError, ParserError, Position
from .decoding import Utf8Decoder
from .scanner import REASONING, TEXT, Scanner

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from .._options import OnError, Pick, Thinking

__all__ = [
    "BEGIN",
    "END",
    "ERROR",
    "READ",
    "REASONING",
    "TEXT",
    "DocumentStream",
    "Part",
    "extraction",
]

# the kinds of parts besides TEXT and REASONING: a document begins (with its index and where it stands), the
# accumulator read some of it (what its method returned), it ends (its index); an error in prose
BEGIN, READ, END, ERROR = "begin", "read", "end", "error"

Part = tuple[str, Any]

# how much of a fragment is read at first for its second document and those after it; the text after a
# document is read again, so this bounds the cost of documents that are short
_WINDOW = 4096


def extraction(
    accumulator: Any, extract: bool, pick: Pick, thinking: Thinking, on_error: OnError, after_root: str
) -> DocumentStream | None:
    """Return the stream of documents for the options of the one-liners; None if nothing is extracted."""
    if not extract:
        if pick != "first" or thinking != "auto":
            raise ValueError("pick and thinking have no meaning without extract=True")
        return None
    if after_root != "error":
        raise ValueError("after_root has no meaning with extract=True, which skips the text around documents")
    return DocumentStream(accumulator, pick, thinking, on_error)


class Reader(Protocol):
    """An accumulator of any kind."""

    def add_fragment(self, fragment: str | bytes, /) -> Any: ...
    def finish(self) -> Any: ...
    @property
    def is_complete(self) -> bool: ...
    @property
    def position(self) -> Position: ...
    @property
    def error(self) -> ParserError | None: ...
    def _stop_at_end(self) -> None: ...
    def _begin_document(self, index: int, line: int, line_start: int, fence: int) -> None: ...


class DocumentStream:
    """Find the documents in fragments of a text, and let an accumulator read them.

    The accumulator's error policy is that of the stream: after an error that ends its text, everything that
    follows is ignored.
    """

    def __init__(
        self, reader: Any, pick: Pick = "first", thinking: Thinking = "auto", on_error: OnError = "raise"
    ) -> None:
        if pick not in ("first", "last", "all"):
            raise ValueError(f"pick must be one of 'first', 'last', 'all', not {pick!r}")
        if thinking not in ("auto", "open", None):
            raise ValueError(f"thinking must be one of 'auto', 'open', None, not {thinking!r}")
        self.reader: Reader = reader
        reader._stop_at_end()
        self._pick = pick
        self._on_error = on_error
        # whether an error ends the text without an exception
        self._ends_quietly = on_error == "event"
        self._scanner = Scanner(thinking)
        self._decoder = Utf8Decoder()
        self._joiner = SurrogateJoiner()
        # how many documents have begun, and whether the last of them is open
        self.count = 0
        self.is_open = False
        # whether an error has ended the text
        self.is_failed = False
        # the place up to which the text has been reported or read by the accumulator
        self._index = 0
        self._line = 1
        self._line_start = 0

    @property
    def is_done(self) -> bool:
        """Whether the first document is complete, if only that one is wanted."""
        return not self._scanner.wants_documents

    @property
    def is_complete(self) -> bool:
        """Whether a document has been read, and none is open."""
        return self.count > 0 and not self.is_open and not self.is_failed

    @property
    def position(self) -> Position:
        """How far the text has been reported, or read by the accumulator."""
        if self.is_open:
            return self.reader.position
        return Position(self._index, self._line, self._index - self._line_start + 1)

    def add_fragment(self, fragment: str | bytes) -> Iterable[Part]:
        """Yield the parts of a fragment; an error of the accumulator is raised after those before it."""
        if type(fragment) is str and fragment and (part := self._plain(fragment)) is not None:
            return (part,)
        if type(fragment) is str and not self._decoder.carry:
            return self._read(self._joiner.add_fragment(fragment), is_final=False)
        return self._read_pieces(self._pieces(fragment), is_final=False)

    def _plain(self, text: str) -> Part | None:
        """Return the part of a fragment that is nothing but prose or reasoning; None if it must be read."""
        if self.is_open or self.is_failed or not self._index or self._decoder.carry or not text.isascii():
            return None
        if self._joiner.waits or (kind := self._scanner.plain_kind(text)) is None:
            return None
        self._pass(text, 0, len(text))
        return kind, text

    def finish(self) -> Iterator[Part]:
        """Yield the parts that waited for more text; raise if there is no document, or it is cut off."""
        yield from self._read_pieces([*self._decoder.finish(), self._joiner.finish()], is_final=True)
        if self.is_failed:
            return
        if self.is_open:
            yield READ, self._step(self.reader.finish)
        elif self.count == 0:
            yield from self._fail(ErrorCode.NO_JSON)

    def _pieces(self, fragment: str | bytes) -> list[str | bytes]:
        """Return a fragment as text, and the bytes in it that are not UTF-8."""
        if isinstance(fragment, str):
            # a character that was begun in bytes cannot be continued in a str
            pieces = [*self._decoder.finish(), str.__str__(fragment)]
        elif isinstance(fragment, (bytes, bytearray, memoryview)):
            pieces = self._decoder.add(bytes(fragment))
        else:
            raise TypeError(f"a fragment is str or bytes, not {type(fragment).__name__}")
        return [self._joiner.add_fragment(piece) if isinstance(piece, str) else piece for piece in pieces]

    def _read_pieces(self, pieces: list[str | bytes], is_final: bool) -> Iterator[Part]:
        last = len(pieces) - 1
        for number, piece in enumerate(pieces):
            if self.is_failed:
                return
            if isinstance(piece, str):
                yield from self._read(piece, is_final and number == last)
            elif self.is_open:
                yield READ, self._step(self.reader.add_fragment, piece)
                self._index = self.reader.position.index
                self._has_failed()
            else:
                # what waits is decided before the error; in its place there is U+FFFD
                yield from self._read("", is_final=True)
                yield from self._fail(ErrorCode.INVALID_UTF8)
                if not self.is_failed:
                    yield from self._read("\ufffd" * len(piece), is_final=False)

    def _read(self, text: str, is_final: bool) -> Iterator[Part]:
        """Yield the parts of a text."""
        if self.is_failed:
            return
        i = 0
        scanner = self._scanner
        if self._index == 0 and text.startswith("\ufeff") and not scanner.held:
            # RFC 8259 section 8.1: a byte order mark may be ignored
            text = text[1:]
            self._index = 1
        if not self.is_open:
            text = scanner.add(text)
        elif text:
            i = yield from self._read_document(text, 0, len(text))
            if self._has_stopped():
                return
            # the document may have ended at a closing fence that began in an earlier fragment
            fence = "`" if scanner.fence > 0 else "~"
            text = scanner.add(fence * -i + text if i < 0 else text[i:])
            i = 0
        window = len(text)
        while True:
            parts: list[Part] = []
            begin = scanner.read(text, i, is_final, parts)
            yield from parts
            end = len(text) - len(scanner.held) if begin < 0 else begin
            self._pass(text, i, end)
            if begin < 0:
                return
            self.reader._begin_document(self._index, self._line, self._line_start, scanner.fence)
            self.is_open = True
            self.count += 1
            yield BEGIN, (self.count - 1, scanner.where())
            i = yield from self._read_document(text, begin, window)
            if self._has_stopped():
                return
            window = _WINDOW

    def _read_document(self, text: str, i: int, window: int) -> Generator[Part, None, int]:
        """Yield the parts of a document that continues at text[i]; return where it ends.

        The lenient dialect may hold back the begin of the fence that closes the document: then its end is
        before the text, and negative.
        """
        reader = self.reader
        n = len(text)
        while i < n:
            j = min(n, i + window)
            yield READ, self._step(reader.add_fragment, text if j - i == n else text[i:j])
            if reader.is_complete:
                end = reader.position
                i += end.index - self._index
                self._index, self._line = end.index, end.line
                self._line_start = end.index - end.column + 1
                self.is_open = False
                self._scanner.end_document(wants_more=self._pick != "first")
                yield END, self.count - 1
                break
            self._index += j - i
            i = j
            window *= 2
            if self._ends_quietly and self._has_failed():
                break
        return i

    def _has_stopped(self) -> bool:
        """Report whether the text so far has been read: the document is open, or an error has ended it."""
        return self.is_open or self.is_failed

    def _step(self, step: Any, *arguments: Any) -> Any:
        """Call a method of the accumulator; an error that it raises ends the text."""
        try:
            return step(*arguments)
        except BaseException:
            self.is_failed = True
            raise

    def _has_failed(self) -> bool:
        """Report and note whether an error that the accumulator has not raised ended the text."""
        if self._ends_quietly and self.reader.error is not None:
            self.is_failed = True
        return self.is_failed

    def _fail(self, code: ErrorCode) -> Iterator[Part]:
        """Report an error in prose as the error policy says."""
        error = ParserError.at(code, self._index, self._line, self._index - self._line_start + 1)
        if self._on_error != "recover" or code == ErrorCode.NO_JSON:
            self.is_failed = True
        if self._on_error == "raise":
            raise JsonStreamError(error)
        yield ERROR, error

    def state(self) -> dict[str, Any]:
        """Return the state, without that of the accumulator, as plain data."""
        return {
            "scanner": self._scanner.state(),
            "carry": list(self._decoder.carry),
            "pending": save_text(self._joiner.pending),
            "place": [self._index, self._line, self._line_start],
            "count": self.count,
            "open": self.is_open,
            "failed": self.is_failed,
        }

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state; raise ValueError, KeyError or TypeError if the data is not one."""
        self._scanner.load(state["scanner"])
        self._decoder.carry = bytes(state["carry"])
        self._joiner.pending = load_text(state["pending"])
        self._index, self._line, self._line_start = map(checked_count, state["place"])
        self.count = checked_count(state["count"])
        self.is_open, self.is_failed = bool(state["open"]), bool(state["failed"])

    def _pass(self, text: str, i: int, end: int) -> None:
        """Count the lines of text that the accumulator does not read."""
        lines = text.count("\n", i, end)
        if lines:
            self._line += lines
            self._line_start = self._index + text.rindex("\n", i, end) + 1 - i
        self._index += end - i

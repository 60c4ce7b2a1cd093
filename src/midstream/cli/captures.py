"""What is in a file or pipe: JSON text, or a provider's events in one of three framings."""

from __future__ import annotations

import errno
import json
import os
import select
import sys
import time
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import ErrorCode, JsonStreamError, ParserError
from ..providers import detect
from ..providers._reading import decoded
from ..sse import SseDecoder
from ..streams import text_deltas
from ..values import JsonValueAccumulator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..sse import SseEvent

__all__ = [
    "Opening",
    "events_in",
    "framing",
    "lines_in",
    "opened",
    "pieces",
    "size_of",
    "texts_in",
    "without_last_newline",
]

_PIECE = 1 << 16
# as much as is looked at to tell what is in a stream
_BEGINNING = 1 << 20
# seconds
_PAUSE = 0.1
_SSE_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_BOM = b"\xef\xbb\xbf"


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading; ``-`` is the standard input."""
    if path == "-":
        # closed, as by <&-, it is None
        stdin: Any = sys.stdin
        if stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), path)
        yield stdin.buffer
    else:
        # unbuffered: a pipe's piece is wanted when it comes, not when a buffer is full
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            yield file


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """Read what there is, as soon as it is there; give an empty piece when nothing comes for a while."""
    descriptor = file.fileno()
    is_blank = True
    while True:
        # where only sockets can be waited for, there are no pauses
        if os.name != "nt" and not select.select([descriptor], [], [], _PAUSE)[0]:
            yield b""
        try:
            piece = os.read(descriptor, _PIECE)
        except OSError as error:
            raise OSError(error.errno, error.strerror, file.name) from None
        if not piece:
            break
        is_blank = is_blank and not piece.strip()
        yield piece
    if is_blank:
        raise _nothing("nothing in it")


def size_of(file: BinaryIO) -> int | None:
    """Give the size of a file; of a pipe, None."""
    status = os.fstat(file.fileno())
    return status.st_size if status.st_size > 0 and not os.isatty(file.fileno()) else None


def framing(beginning: bytes, format: str | None = None) -> str | None:
    r"""Tell what is in a stream: "sse", "lines", "array", or "text" for plain JSON; None is not yet.

    >>> framing(b"event: message_start"), framing(b'{"city": "Paris"}\n')
    ('sse', 'text')
    >>> framing(b'{"type": "message_start", "message": {}}\n{"type"')
    'lines'
    >>> framing(b'{"type": "message_st'), framing(b'{"type": "message_st', "anthropic")
    (None, 'lines')
    """
    if format == "json":
        return "text"
    if _is_open(beginning):
        return None
    text = beginning.removeprefix(_BOM).lstrip()
    if text.startswith(_SSE_FIELDS):
        return "sse"
    is_list = text.startswith(b"[")
    if format is not None:
        return "array" if is_list else "lines"
    if not is_list:
        line, newline, _ = text.partition(b"\n")
        return _telling(_parsed(line), "lines", is_whole=bool(newline))
    reader = JsonValueAccumulator(on_error="event")
    reader.add_fragment(text)
    way = reader.open_path
    # nothing but the list itself open: all in it is whole
    has_item = bool(reader.value) and (not way or way[0] != 0)
    return _telling(reader.value[0] if has_item else None, "array", is_whole=has_item or way is None)


def _is_open(beginning: bytes) -> bool:
    """Tell whether a stream may still begin with the name of a field, as no JSON does."""
    text = beginning.removeprefix(_BOM).lstrip()
    return _BOM.startswith(beginning) or any(
        field.startswith(text) and text != field for field in _SSE_FIELDS
    )


def _telling(event: Any, kind: str, *, is_whole: bool) -> str | None:
    if isinstance(event, dict) and detect(event) is not None:
        return kind
    return "text" if is_whole else None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


class Opening:
    """A stream, and what its beginning told of it."""

    def __init__(self, chunks: Iterable[bytes], format: str | None) -> None:
        rest = iter(chunks)
        beginning = b""
        deadline = None
        found = None
        for piece in rest:
            beginning += piece
            found = framing(beginning, format)
            if found is not None:
                break
            if _is_open(beginning):
                continue
            # most likely JSON, which is not to be kept waiting
            deadline = deadline or time.monotonic() + _PAUSE
            if not piece or len(beginning) > _BEGINNING or time.monotonic() > deadline:
                break
        self.framing = found or ("text" if format is None else "lines")
        self.chunks = chain([beginning], rest)

    def events(self) -> Iterator[Any]:
        """Give the events one by one."""
        if self.framing == "sse":
            return _sse_events(self.chunks)
        return _listed_events(self.chunks) if self.framing == "array" else _line_events(self.chunks)


def _line_events(chunks: Iterable[bytes]) -> Iterator[Any]:
    for number, line in enumerate(lines_in(chunks), 1):
        yield from _event(line.removeprefix(_BOM), f"line {number}")


def _sse_events(chunks: Iterable[bytes]) -> Iterator[Any]:
    decoder = SseDecoder()
    # a file may well lack the blank line that ends its last event
    events = (event for chunk in chain(chunks, [b"\n\n"]) for event in decoder.add_bytes(chunk))
    for number, event in enumerate(events, 1):
        yield from _event(event, f"event {number}")


def _event(text: bytes | SseEvent, place: str) -> list[Any]:
    try:
        event = decoded(text)
    except JsonStreamError as error:
        message = f"an event that is not JSON ({place})"
        raise JsonStreamError(error.error._replace(message=message)) from None
    return [] if event is None else [event]


def _listed_events(chunks: Iterable[bytes]) -> Iterator[Any]:
    """Give the items of one JSON array, each when it has ended."""
    reader = JsonValueAccumulator(on_error="event")
    given = 0
    for chunk in chunks:
        reader.add_fragment(chunk)
        events: Any = reader.value
        whole = len(events) - 1 if reader.open_path else len(events)
        yield from events[given:whole]
        given = max(given, whole)
        if reader.error is not None:
            break
    reader.finish()
    if reader.error is not None:
        raise JsonStreamError(reader.error)


def texts_in(chunks: Iterable[bytes], format: str | None) -> Iterator[str | bytes]:
    """Give the JSON text of a stream in pieces: the stream itself, or the text of its message."""
    opening = Opening(chunks, format)
    if opening.framing == "text":
        yield from without_last_newline(opening.chunks)
        return
    is_empty = True
    for text in text_deltas(opening.events(), format):
        is_empty = False
        yield text
    if is_empty:
        raise _nothing("a stream whose message has no text")


def events_in(chunks: Iterable[bytes], format: str | None) -> Iterator[Any]:
    """Give the events of a stream, which tell the format by themselves if it is not given."""
    return Opening(chunks, format or "any").events()


def without_last_newline(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Leave out the newline that ends a file: of a text that is cut off in a string, it is no part."""
    held = b""
    for chunk in chunks:
        text = held + chunk
        rest = text.removesuffix(b"\n").removesuffix(b"\r")
        held = text[len(rest) :]
        yield rest


def lines_in(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Give the lines of a stream, as soon as they are whole."""
    rest = bytearray()
    for chunk in chunks:
        rest += chunk
        if b"\n" in chunk:
            *lines, last = bytes(rest).split(b"\n")
            yield from lines
            rest = bytearray(last)
    if rest:
        yield bytes(rest)


def _nothing(message: str) -> JsonStreamError:
    return JsonStreamError(ParserError(ErrorCode.TRUNCATED, message, 0, 1, 1))

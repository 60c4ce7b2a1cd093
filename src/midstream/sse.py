"""Server-Sent Events in both directions, without I/O: bytes to events, and events to bytes.

The sections named here are those of the WHATWG HTML standard: 9.2.5 (parsing) and 9.2.6 (interpretation).
A line ends with LF, CR or CR LF and is complete at the first of these bytes, so an event never waits for a
byte after its blank line. Lines are split as bytes, and only values are decoded: in UTF-8 a line end or a
colon cannot be part of another character, and an invalid character cannot consume one.
"""

from __future__ import annotations

import copy
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ._closing import Source
from ._signature import SourceSignature
from .core import cython_shim as cython
from .core.surrogates import encode_utf8
from .errors import ErrorCode, JsonStreamError, ParserError

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

__all__ = ["SseDecoder", "SseEvent", "adecode", "comment", "decode", "encode"]

# the byte order mark in UTF-8
BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile("\r\n?|\n")
_LINE_END_BYTES = re.compile(b"\r\n?|\n")
# Longer times (over thirty million years) are ignored: int() refuses thousands of digits.
_RETRY_DIGITS = 18
# what the constructor of a named tuple calls, without its keyword arguments
_new_tuple: Any = tuple.__new__


class SseEvent(NamedTuple):
    """An event: its type, its data, the last event id and, if one was sent, the reconnection time in ms.

    >>> SseEvent(data="hello")
    SseEvent(event='message', data='hello', id='', retry=None)
    """

    event: str = "message"
    data: str = ""
    id: str = ""
    retry: int | None = None


@cython.auto_pickle(True)
@cython.cclass
class SseDecoder:
    r"""Decode the bytes of an event stream, split at any place, into events.

    ``last_event_id`` is the id that a reconnecting client sends, ``retry`` the last reconnection time in ms.

    >>> decoder = SseDecoder()
    >>> decoder.add_bytes(b"id: 7\ndata: caf\xc3")
    []
    >>> decoder.add_bytes(b"\xa9\n\n")
    [SseEvent(event='message', data='café', id='7', retry=None)]
    >>> decoder.last_event_id
    '7'
    """

    __signature__ = SourceSignature()

    def __init__(self, *, max_event: int | None = None) -> None:
        r"""Limit the bytes of one event, without line ends and complete comments; None removes the limit.

        >>> SseDecoder(max_event=8).add_bytes(b"data: longer")
        Traceback (most recent call last):
            ...
        midstream.errors.JsonStreamError: event longer than max_event (line 1, column 1)
        """
        if max_event is not None and (type(max_event) is not int or max_event < 0):
            raise ValueError(f"max_event must be a non-negative int or None, not {max_event!r}")
        self.last_event_id = ""
        self.retry: int | None = None
        self._max_event = max_event
        self._failure: ParserError | None = None
        self._begin()

    def _begin(self) -> None:
        """Initialize the state of one stream."""
        self._head: bytes | None = b""  # the start of a possible BOM; None once it is decided
        self._line = bytearray()  # the line in progress
        self._start = 0  # where it starts in the stream
        self._ended = 0  # lines before it
        self._after_cr = False
        self._size = 0
        self._data: list[bytes] = []
        self._type = b""
        self._id = self.last_event_id
        self._event_retry: int | None = None

    def add_bytes(self, data: bytes | bytearray | memoryview) -> list[SseEvent]:
        r"""Process the bytes of one read and return the events that they complete.

        An event over the limit raises `JsonStreamError`. If the same read has complete events before it,
        those are returned first, and the next call raises. A decoder that has failed stays failed.

        >>> SseDecoder().add_bytes(b"event: add\ndata: 1\ndata: 2\n\n: a comment\ndata: un")
        [SseEvent(event='add', data='1\n2', id='', retry=None)]
        """
        self._raise_failure()
        with cython.critical_section(self):
            return self._add(_checked(data))

    def _add(self, new: bytes) -> list[SseEvent]:
        if self._head is not None:
            new = self._without_bom(new)
        if self._after_cr and new:
            self._after_cr = False
            if new.startswith(b"\n"):
                new = new[1:]
                self._start += 1
        if not new:
            return []
        text = new
        if b"\r" in new:
            self._after_cr = new.endswith(b"\r")
            text = new.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        begin = self._start + len(self._line)
        lines = text.split(b"\n")
        self._line += lines[0]
        if len(lines) > 1:
            lines[0] = bytes(self._line)
            self._line = bytearray(lines.pop())
        else:
            lines.clear()
        if self._max_event is not None:
            lines = self._bounded(lines, new, begin, self._max_event)
        if lines:
            self._start = begin + len(new) - len(self._line)
            self._ended += len(lines)
        events = self._interpret(lines)
        if not events:
            self._raise_failure()
        return events

    def finish(self) -> list[SseEvent]:
        r"""End the stream: discard an event without its blank line, and prepare for the next connection.

        ``last_event_id`` and ``retry`` are kept for that connection.

        >>> decoder = SseDecoder()
        >>> decoder.add_bytes(b"id: 7\n\nid: 8\ndata: lost"), decoder.finish(), decoder.last_event_id
        ([], [], '7')
        """
        self._raise_failure()
        self._begin()
        return []

    def __copy__(self) -> SseDecoder:
        return copy.deepcopy(self)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise JsonStreamError(self._failure)

    def _without_bom(self, data: bytes) -> bytes:
        """Remove one BOM at the start of the stream; hold the bytes back while they may still become one."""
        data = (self._head or b"") + data
        if BOM.startswith(data):
            self._head = data
            return b""
        self._head = None
        if data.startswith(BOM):
            self._start = len(BOM)
        return data.removeprefix(BOM)

    def _bounded(self, lines: list[bytes], data: bytes, begin: int, bound: int) -> list[bytes]:
        """Return the complete lines before an event is too long, and record the failure if one is."""
        size = self._size
        within = 0
        for line in lines:
            if size + len(line) > bound:
                break
            within += 1
            if not line:
                size = 0
            elif not line.startswith(b":"):
                size += len(line)
        else:
            if size + len(self._line) <= bound:
                self._size = size
                return lines
        start = self._start
        if within:
            start = begin + next(islice(_LINE_END_BYTES.finditer(data), within - 1, None)).end()
        # the position of the first byte over the limit, independent of how the reads are split
        self._failure = ParserError.at(
            ErrorCode.EVENT_LIMIT, start + bound - size, self._ended + within + 1, 1
        )
        self._line.clear()
        return lines[:within]

    def _interpret(self, lines: list[bytes]) -> list[SseEvent]:
        """Process complete lines; comments and unknown fields are ignored (9.2.6)."""
        events: list[SseEvent] = []
        for line in lines:
            if not line:
                event = self._dispatch()
                if event is not None:
                    events.append(event)
                continue
            if line.startswith(b"data: "):
                # a shortcut for most lines
                self._data.append(line[6:])
                continue
            name, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if name == b"data":
                self._data.append(value)
            elif name == b"event":
                self._type = value
            elif name == b"id":
                if b"\0" not in value:
                    self._id = value.decode("utf-8", "replace")
            elif name == b"retry" and value.isdigit():
                digits = value.lstrip(b"0") or b"0"
                if len(digits) <= _RETRY_DIGITS:
                    self.retry = self._event_retry = int(digits)
        return events

    def _dispatch(self) -> SseEvent | None:
        """Return the event that a blank line ends, if it has data (9.2.6, "dispatch the event")."""
        # also without data: a server may send an id alone
        self.last_event_id = self._id
        event: SseEvent | None = None
        # a data field with an empty value is data: the standard's buffer then holds a line feed
        if self._data:
            kind = self._type.decode("utf-8", "replace") or "message"
            data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
            text = data.decode("utf-8", "replace")
            event = _new_tuple(SseEvent, (kind, text, self._id, self._event_retry))
            self._data.clear()
            self._event_retry = None
        self._type = b""
        return event


def _checked(data: object) -> bytes:
    if isinstance(data, bytes):
        return data
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    hint = "; pass the response body without decoding it" if isinstance(data, str) else ""
    raise TypeError(f"expected bytes, not {type(data).__name__}{hint}")


def decode(chunks: Iterable[bytes], *, max_event: int | None = None) -> Iterator[SseEvent]:
    r"""Yield the events of one stream, whose bytes arrive in chunks.

    >>> [event.data for event in decode([b"data: 1\n\nda", b"ta: 2\n\n"])]
    ['1', '2']
    """
    return _events(SseDecoder(max_event=max_event), chunks)


def _events(decoder: SseDecoder, chunks: Iterable[bytes]) -> Iterator[SseEvent]:
    with Source(chunks) as source:
        for chunk in source:
            yield from decoder.add_bytes(chunk)
    yield from decoder.finish()


async def adecode(chunks: AsyncIterable[bytes], *, max_event: int | None = None) -> AsyncIterator[SseEvent]:
    r"""Yield the events of one stream, whose bytes arrive in asynchronous chunks.

    >>> import asyncio
    >>> async def response():
    ...     for chunk in [b"data: 1\n\nda", b"ta: 2\n\n"]:
    ...         yield chunk
    >>> async def main():
    ...     return [event.data async for event in adecode(response())]
    >>> asyncio.run(main())
    ['1', '2']
    """
    decoder = SseDecoder(max_event=max_event)
    async with Source(chunks) as source:
        async for chunk in source:
            for event in decoder.add_bytes(chunk):
                yield event
    for event in decoder.finish():
        yield event


def encode(event: SseEvent) -> bytes:
    r"""Write one event, with its blank line.

    The type "message", an empty id and a missing retry are not written. Line ends in the data are decoded
    as ``\n``, and a lone surrogate, which UTF-8 cannot encode, as U+FFFD.

    >>> encode(SseEvent("add", "two\nlines", id="7"))
    b'event: add\nid: 7\ndata: two\ndata: lines\n\n'
    """
    lines = []
    if event.event not in ("", "message"):
        lines.append(_field("event", event.event, "\r\n"))
    if event.id:
        lines.append(_field("id", event.id, "\r\n\0"))
    if event.retry is not None:
        if type(event.retry) is not int or not 0 <= event.retry < 10**_RETRY_DIGITS:
            raise ValueError(f"retry must be a number of milliseconds or None, not {event.retry!r}")
        lines.append(f"retry: {event.retry}\n")
    lines += [f"data: {line}\n" for line in _LINE_END.split(event.data)]
    return encode_utf8("".join(lines) + "\n")


def comment(text: str = "") -> bytes:
    r"""Write a comment, which decoders ignore; sent about every 15 seconds, it keeps a connection alive.

    >>> comment("still here"), comment()
    (b': still here\n\n', b':\n\n')
    """
    lines = [f": {line}\n" if line else ":\n" for line in _LINE_END.split(text)]
    return encode_utf8("".join(lines) + "\n")


def _field(name: str, value: str, forbidden: str) -> str:
    if any(character in value for character in forbidden):
        raise ValueError(f"{name} must not contain any of {forbidden!r}")
    return f"{name}: {value}\n"

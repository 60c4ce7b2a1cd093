"""Read the events of a provider from text or bytes in any framing, cut anywhere.

The framing is Server-Sent Events, lines of JSON, or one JSON array. Server-Sent Events may also come line by
line, as the iterators of HTTP clients yield them.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .accumulators.values import JsonValueAccumulator
from .errors import ErrorCode, JsonStreamError, ParserError
from .sse import SseDecoder, SseEvent

__all__ = [
    "FIELDS",
    "ProviderEventReader",
    "may_be_field",
    "not_an_event_stream",
    "strange_data",
    "strange_text",
]

FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
BOM = b"\xef\xbb\xbf"
# bytes that are enough to say what a text is
_ENOUGH = 64
_HEADER = re.compile(rb"(?i)(?:content-[a-z]+|cache-control|set-cookie|(?:x|access-control)-[a-z-]+):[ \t]")
_HEADERS = "it begins with HTTP headers: leave them out (curl without -i)"
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_NOTHING: Any = object()


def may_be_field(beginning: bytes) -> bool:
    """Report whether a stream may begin with an unfinished SSE field name, which no JSON text does.

    >>> may_be_field(b"dat"), may_be_field(b"data: 1"), may_be_field(b"{")
    (True, False, False)
    """
    text = beginning.removeprefix(BOM).lstrip()
    return BOM.startswith(beginning) or any(field.startswith(text) and text != field for field in FIELDS)


def strange_text(beginning: bytes) -> str | None:
    """Say what a text looks like that is neither events nor JSON; None if it may be JSON.

    >>> strange_text(b"<!DOCTYPE html><html>")
    'it looks like an HTML page: check the URL of the request'
    """
    text = beginning.removeprefix(BOM).lstrip()
    if (strange := strange_data(beginning)) is not None:
        return strange
    if text.startswith(b"<"):
        is_html = text[:200].lower().startswith((b"<!doctype html", b"<html", b"<head", b"<body"))
        what = "an HTML page" if is_html else "XML or HTML"
        return f"it looks like {what}: check the URL of the request"
    if _HEADER.match(text):
        return _HEADERS
    return None


def strange_data(beginning: bytes) -> str | None:
    """Say what data looks like that is not even the text of a model; None if it may be text.

    >>> strange_data(b"HTTP/1.1 200 OK")
    'it begins with HTTP headers: leave them out (curl without -i)'
    """
    text = beginning.removeprefix(BOM).lstrip()
    if text[:2] == b"\x1f\x8b":
        return "it is compressed (gzip): decompress it first"
    if text.startswith(b"HTTP/"):
        return _HEADERS
    if _CONTROL.search(text[:_ENOUGH]) or _is_binary(text[:_ENOUGH]):
        return "it looks like binary data"
    return None


def _is_binary(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        # a character may be cut at the end
        return error.start < len(text) - 3
    return False


def not_an_event_stream(why: str) -> JsonStreamError:
    """Make the error for a text that has no events."""
    return JsonStreamError(ParserError.of(ErrorCode.NOT_AN_EVENT_STREAM, 0, why))


class ProviderEventReader:
    r"""Turn text or bytes, cut anywhere, into events: parsed JSON values and `SseEvent`s.

    A text that should be an event but is not JSON is returned as bytes.

    >>> reader = ProviderEventReader()
    >>> reader.add(b'{"type": "pi'), reader.add(b'ng"}\n{"type": ')
    ([], [{'type': 'ping'}])
    """

    def __init__(self, max_event: int | None = None) -> None:
        self._max_event = max_event
        self._mode: str | None = None
        # until the framing is known
        self._held: list[bytes] = []
        self._decoder = SseDecoder(max_event=max_event)
        # lines: the unfinished line, and lines that may be a document together
        self._rest = bytearray()
        self._document = bytearray()
        # data lines of an event whose JSON is not complete
        self._data: list[bytes] = []
        self._array = JsonValueAccumulator(on_error="event")
        self._count = 0
        # None while there was no piece at all, not even an empty one
        self._has_text: bool | None = None
        self._has_event = False
        # whether the text ended inside an event, which is then left out
        self.is_cut = False

    def add(self, item: str | bytes | bytearray) -> list[Any]:
        """Return the events that a piece completes."""
        data = item.encode("utf-8", "surrogatepass") if isinstance(item, str) else bytes(item)
        events = self._add(data)
        self._has_event = self._has_event or bool(events)
        return events

    def finish(self) -> list[Any]:
        """Return the events that the end of the text completes; an event that is cut off is none."""
        events = []
        for event in self._finish():
            if _is_cut(event):
                self.is_cut = True
            else:
                events.append(event)
        if not events and not self._has_event and self._has_text is not None:
            held = b"".join(self._held)
            if self.is_cut:
                raise not_an_event_stream("it ends inside its first event")
            if not self._has_text:
                raise not_an_event_stream("it is empty")
            strange = strange_text(held)
            has_comments = self._mode is not None or held.startswith(FIELDS)
            raise not_an_event_stream(strange or ("no event in it" if has_comments else "it is blank"))
        return events

    def _add(self, data: bytes) -> list[Any]:
        self._has_text = bool(self._has_text or data)
        match self._mode:
            case None:
                return self._begin(data)
            case "sse":
                return list(self._decoder.add_bytes(data))
            case "sse lines":
                return self._add_sse_line(data)
            case "array":
                return self._add_items(data)
        return self._add_lines(data)

    def _begin(self, data: bytes) -> list[Any]:
        """Find out the framing from the first pieces."""
        held = self._held
        text = b"".join([*held, data]).removeprefix(BOM).lstrip()
        if not text or text == b"[DONE]":
            # HTTP clients yield blank lines; the marker alone is a stream without events
            self._has_event = self._has_event or bool(text)
            held[:] = [BOM] if data.startswith(BOM) else []
            return []
        if may_be_field(text):
            held.append(data)
            return []
        if text.startswith(FIELDS):
            return self._begin_sse(data, text)
        if text[:1] not in b"[{":
            held.append(data)
            if len(text) >= _ENOUGH:
                raise not_an_event_stream(strange_text(text) or "it looks like plain text")
            return []
        held.clear()
        self._mode = "array" if text.startswith(b"[") else "lines"
        return self._add(text)

    def _begin_sse(self, data: bytes, text: bytes) -> list[Any]:
        held = self._held
        is_cut = b"\n" in text or b"\r" in text
        if not is_cut and not held:
            # a line without its end, or a piece of bytes: the next piece decides
            held.append(data)
            return []
        before = b"".join(held).removeprefix(BOM).lstrip()
        is_line = not is_cut and _is_line(before) and (not data or data.startswith(FIELDS))
        held.clear()
        if not is_line:
            self._mode = "sse"
            return list(self._decoder.add_bytes(text))
        self._mode = "sse lines"
        return self._add_sse_line(before) + self._add_sse_line(data)

    def _add_sse_line(self, line: bytes) -> list[Any]:
        """Read a line without its end; providers send the data of an event in one line."""
        if line.startswith(b"data:"):
            self._data.append(line[5:].strip())
            value = _parsed(b"\n".join(self._data))
            if value is _NOTHING and self._data != [b"[DONE]"]:
                return []
            self._data.clear()
            self._has_event = True
            return [] if value is _NOTHING else [value]
        if not line.strip() and self._data:
            invalid = b"\n".join(self._data)
            self._data.clear()
            return [invalid]
        return []

    def _add_lines(self, data: bytes) -> list[Any]:
        if b"\n" in data:
            *lines, rest = (bytes(self._rest) + data).split(b"\n")
            self._rest = bytearray(rest)
            return [event for line in lines for event in self._line(line)]
        if not self._rest or data.lstrip().startswith(b"{"):
            # a line without its end, as HTTP clients yield it
            value = _parsed(data)
            if value is not _NOTHING:
                before = bytes(self._rest)
                self._rest.clear()
                return [*([before] if before.strip() else []), *self._event(value)]
        if data.strip() != b"[DONE]" or self._rest:
            self._rest += data
        return []

    def _line(self, line: bytes) -> list[Any]:
        line = line.strip()
        if not line or line == b"[DONE]":
            return []
        value = _parsed(line)
        if value is not _NOTHING and (isinstance(value, dict) or not self._document):
            return self._event(value)
        if not self._has_event and not self._count:
            # perhaps a document that is written over several lines
            self._document += line + b"\n"
            return []
        return [line]

    def _event(self, value: Any) -> list[Any]:
        document = bytes(self._document)
        self._document.clear()
        self._count += 1
        return [*([document] if document else []), value]

    def _add_items(self, data: bytes) -> list[Any]:
        """Return the items of the array that have ended."""
        self._array.add_fragment(data)
        items: Any = self._array.value
        complete = len(items) - 1 if self._array.open_path else len(items)
        events: list[Any] = items[self._count : complete]
        self._count = max(self._count, complete)
        if self._array.error is not None and not events:
            raise JsonStreamError(self._array.error)
        return events

    def _finish(self) -> list[Any]:
        match self._mode:
            case None:
                text = b"".join(self._held).removeprefix(BOM).lstrip()
                if text.startswith(FIELDS):
                    return list(self._decoder.add_bytes(text + b"\n\n"))
                if text and not may_be_field(text):
                    is_json = _parsed(text) is not _NOTHING
                    why = "it is a JSON value, not an event" if is_json else "it looks like plain text"
                    raise not_an_event_stream(strange_text(text) or why)
                return []
            case "sse":
                # a file may lack the blank line that ends its last event
                return list(self._decoder.add_bytes(b"\n\n"))
            case "sse lines":
                return self._add_sse_line(b"")
            case "array":
                self._array.finish()
                error = self._array.error
                if error is not None and (error.code != ErrorCode.TRUNCATED or not self._has_event):
                    raise JsonStreamError(error)
                self.is_cut = error is not None
                # an empty array is a recording of an empty stream
                self._has_event = True
                return []
        events = self._line(bytes(self._rest))
        self._rest.clear()
        document = bytes(self._document)
        self._document.clear()
        if document:
            value = _parsed(document)
            events.append(document if value is _NOTHING else value)
        return events


def _is_cut(event: Any) -> bool:
    """Report whether a text that should be an event is the beginning of one."""
    data = event.data if isinstance(event, SseEvent) else event
    text = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if not isinstance(text, bytes) or not text.strip():
        return False
    if b"[DONE]".startswith(text.strip()):
        return text.strip() != b"[DONE]"
    reader = JsonValueAccumulator(on_error="event")
    reader.add_fragment(text)
    is_begun = reader.error is None and not reader.is_complete
    return is_begun and text.lstrip()[:1] in b"{["


def _is_line(text: bytes) -> bool:
    """Report whether a text without a line end is a complete line of an event stream."""
    name, _, value = text.partition(b":")
    return name != b"data" or value.strip() == b"[DONE]" or _parsed(value) is not _NOTHING


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8", "surrogatepass").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return _NOTHING

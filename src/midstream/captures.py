"""Read captures: recorded streams that hold JSON text, or events in one of three framings.

The library, the command line and the server use this module. `ProviderEventReader` finds the events of a
text; this module distinguishes events from JSON text, detects the format, and reports where an event is not
JSON.
"""

from __future__ import annotations

import json
import time
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from .accumulators.values import JsonValueAccumulator
from .errors import ErrorCode, JsonStreamError, ParserError
from .provider_events import (
    BOM,
    FIELDS,
    ProviderEventReader,
    may_be_field,
    not_an_event_stream,
    strange_data,
    strange_text,
)
from .providers import FORMATS, detect
from .providers._formats import TEXT_FORMATS
from .providers._parts import error_in, is_complete_response
from .providers._reading import decoded
from .streams.provider import text_deltas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["events_of", "framing"]

# the number of bytes, and the seconds after them, within which a stream must show its framing
_MAX_OPENING = 1 << 20
_PAUSE = 0.1
# the number of events within which the format must be detected
_MAX_DETECTION = 20
_PIECE = 65_536


def framing(beginning: bytes, format: str | None = None) -> str | None:
    r"""Return the framing of a stream: "sse", "lines", "array", or "text" for JSON; None while uncertain.

    With a text format, "text" is the text of a model, and events are recognized by their content.

    >>> framing(b"event: message_start"), framing(b'{"city": "Paris"}\n')
    ('sse', 'text')
    >>> framing(b'{"type": "message_start", "message": {}}\n{"type"')
    'lines'
    >>> framing(b'{"type": "message_st'), framing(b'{"type": "message_st', "anthropic")
    (None, 'lines')
    """
    if format == "json":
        return "text"
    if format in TEXT_FORMATS:
        return _framing_of_model_text(beginning)
    kind = event_framing(beginning)
    if format is not None or kind is None or kind == "sse":
        return kind
    text = beginning.removeprefix(BOM).lstrip()
    if kind == "lines":
        line, newline, _ = text.partition(b"\n")
        return _kind_if_detected(_parsed(line), "lines", is_complete_text=bool(newline))
    reader = JsonValueAccumulator(on_error="event")
    reader.add_fragment(text)
    way = reader.open_path
    # only the array itself is open: all its items are complete
    has_item = bool(reader.value) and (not way or way[0] != 0)
    return _kind_if_detected(
        reader.value[0] if has_item else None, "array", is_complete_text=has_item or way is None
    )


def event_framing(beginning: bytes) -> str | None:
    """Return the framing of a stream that must hold events: "sse", "lines" or "array"; None while uncertain.

    >>> event_framing(b": hello"), event_framing(b" ["), event_framing(b"{"), event_framing(b"eve")
    ('sse', 'array', 'lines', None)
    """
    if may_be_field(beginning):
        return None
    text = beginning.removeprefix(BOM).lstrip()
    if text.startswith(FIELDS):
        return "sse"
    return "array" if text.startswith(b"[") else "lines"


def _framing_of_model_text(beginning: bytes) -> str | None:
    """Distinguish the text of a model from events that contain it."""
    text = beginning.removeprefix(BOM).lstrip()
    if not text or may_be_field(beginning):
        return None
    if text[:1] in b"[{":
        reader = JsonValueAccumulator(on_error="event")
        reader.add_fragment(text.partition(b"\n")[0])
        return "text" if reader.error is not None else framing(beginning)
    field = next((field for field in FIELDS if text.startswith(field)), None)
    if field is None:
        return "text"
    value = text.removeprefix(field)
    if not value.strip():
        return None
    # the data of an event is JSON, and a comment is set off
    is_event = value.strip()[:1] in b"{[" if field == b"data:" else field != b":" or value[:1].isspace()
    return "sse" if is_event else "text"


def _kind_if_detected(event: Any, kind: str, *, is_complete_text: bool) -> str | None:
    if isinstance(event, dict) and detect(event) is not None:
        return kind
    return "text" if is_complete_text else None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def events_of(chunks: Iterable[bytes], kind: str = "lines", max_event: int | None = None) -> Iterator[Any]:
    """Yield the events of a stream, each as soon as it is complete.

    The framing is detected. ``kind`` decides how an error refers to an event: as an event or as a line.

    >>> list(events_of([b'[{"type": "pi', b'ng"}]'], "array"))
    [{'type': 'ping'}]
    """
    reader = ProviderEventReader(max_event)
    number = 0
    for chunk in chunks:
        for item in reader.add(chunk) if chunk else ():
            number += 1
            yield from _event(item, kind, number)
    for item in reader.finish():
        number += 1
        yield from _event(item, kind, number)
    if reader.is_cut:
        why = f"the stream ends inside an event ({_place(kind, number + 1)})"
        raise JsonStreamError(ParserError(ErrorCode.TRUNCATED, why, 0, 1, 1))


def _place(kind: str, number: int) -> str:
    return f"{'line' if kind == 'lines' else 'event'} {number}"


def _event(item: Any, kind: str, number: int) -> list[Any]:
    try:
        event = decoded(item)
    except JsonStreamError as error:
        message = f"an event that is not JSON ({_place(kind, number)})"
        raise JsonStreamError(error.error._replace(message=message)) from None
    return [] if event is None else [event]


class Opening:
    """A stream with its framing, detected from its beginning.

    An empty chunk means that nothing more arrives for now. A text that is not certain to be events is then
    JSON, which should be shown without delay. With ``may_be_prose`` it may be the answer of a model, too.
    """

    def __init__(self, chunks: Iterable[bytes], format: str | None, may_be_prose: bool = False) -> None:
        rest = iter(chunks)
        beginning = b""
        deadline = None
        found = None
        for piece in rest:
            beginning += piece
            found = framing(beginning, format)
            if found is not None:
                break
            if may_be_field(beginning):
                continue
            deadline = deadline or time.monotonic() + _PAUSE
            if not piece or len(beginning) > _MAX_OPENING or time.monotonic() > deadline:
                break
        is_text = format is None or format in TEXT_FORMATS
        self.framing = found or ("text" if is_text else "lines")
        self.chunks = chain([beginning], rest)
        # what the text of a model looks like if it is not one
        self.strange: str | None = None
        if self.framing == "text" and format in TEXT_FORMATS:
            self._begin_model_text(beginning)
            return
        look = strange_data if may_be_prose and self.framing == "text" else strange_text
        strange = None if self.framing == "sse" else look(beginning)
        if strange is not None:
            raise not_an_event_stream(strange)

    def _begin_model_text(self, beginning: bytes) -> None:
        """Check the text of a model, in which anything may be written but the answer of a server."""
        strange = strange_data(beginning)
        if strange is not None:
            raise not_an_event_stream(strange)
        answer = _parsed(beginning)
        if error_in(answer) is not None or (isinstance(answer, dict) and is_complete_response(answer)):
            self.framing = "lines"
            return
        # its chunks are its events
        self.framing = "model text"
        self.strange = strange_text(beginning) if beginning.lstrip().startswith(b"<") else None

    def events(self) -> Iterator[Any]:
        """Yield the events one by one."""
        if self.framing == "model text":
            return without_last_newline(self.chunks)
        return events_of(self.chunks, self.framing)


class Texts:
    """The JSON text of a stream in pieces: the stream itself, or the text of its message.

    ``is_message`` is known when the first piece has arrived.
    """

    def __init__(self, chunks: Iterable[bytes], format: Any, may_be_prose: bool = False) -> None:
        self._chunks = chunks
        self._format = format
        self._may_be_prose = may_be_prose
        self.is_message = False

    def __iter__(self) -> Iterator[str | bytes]:
        opening = Opening(self._chunks, self._format, self._may_be_prose)
        if opening.framing == "text":
            yield from without_last_newline(opening.chunks)
            return
        self.is_message = True
        is_empty = True
        for text in text_deltas(opening.events(), self._format):
            is_empty = False
            yield text
        if is_empty:
            why = "the message in the stream has no text"
            raise JsonStreamError(ParserError(ErrorCode.TRUNCATED, why, 0, 1, 1))


def without_last_newline(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Drop the newline that ends a file: it is not part of a text that is truncated inside a string."""
    held = b""
    for chunk in chunks:
        text = held + chunk
        rest = text.removesuffix(b"\n").removesuffix(b"\r")
        held = text[len(rest) :]
        yield rest


def lines_in(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream, each as soon as it is complete."""
    rest = bytearray()
    for chunk in chunks:
        rest += chunk
        if b"\n" in chunk:
            *lines, last = bytes(rest).split(b"\n")
            yield from lines
            rest = bytearray(last)
    if rest:
        yield bytes(rest)


def body_events(body: bytes, max_event: int | None = None) -> Iterator[Any]:
    r"""Yield the events of a complete body.

    >>> list(body_events(b'{"type": "ping"}\n{"type": "message_stop"}\n'))
    [{'type': 'ping'}, {'type': 'message_stop'}]
    """
    chunks = (body[start : start + _PIECE] for start in range(0, len(body), _PIECE))
    return events_of(chunks, event_framing(body) or "lines", max_event)


def format_of(body: bytes, max_event: int | None = None) -> str:
    """Return the format of a complete body, detected from its first events.

    >>> format_of(b'[{"type": "ping"}, {"type": "message_start", "message": {}}]')
    'anthropic'
    """
    for event in islice(body_events(body, max_event), _MAX_DETECTION):
        format = detect(event)
        if format is not None:
            return format
    raise JsonStreamError(ParserError.of(ErrorCode.UNKNOWN_FORMAT))


def check_format(format: str) -> str:
    """Return a format; raise if it is unknown."""
    if format not in FORMATS:
        raise JsonStreamError(ParserError.of(ErrorCode.UNKNOWN_FORMAT))
    return format

"""Read captures: recorded streams that hold JSON text, or events in one of three framings."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any

from .accumulators.values import JsonValueAccumulator
from .errors import JsonStreamError
from .providers import detect
from .providers._reading import decoded
from .sse import SseDecoder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .sse import SseEvent

__all__ = ["event_framing", "events_of", "framing", "lines_in", "may_be_field"]

_SSE_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_BOM = b"\xef\xbb\xbf"


def framing(beginning: bytes, format: str | None = None) -> str | None:
    r"""Return the framing of a stream: "sse", "lines", "array", or "text" for JSON; None while uncertain.

    >>> framing(b"event: message_start"), framing(b'{"city": "Paris"}\n')
    ('sse', 'text')
    >>> framing(b'{"type": "message_start", "message": {}}\n{"type"')
    'lines'
    >>> framing(b'{"type": "message_st'), framing(b'{"type": "message_st', "anthropic")
    (None, 'lines')
    """
    if format == "json":
        return "text"
    kind = event_framing(beginning)
    if format is not None or kind is None or kind == "sse":
        return kind
    text = beginning.removeprefix(_BOM).lstrip()
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
    text = beginning.removeprefix(_BOM).lstrip()
    if text.startswith(_SSE_FIELDS):
        return "sse"
    return "array" if text.startswith(b"[") else "lines"


def may_be_field(beginning: bytes) -> bool:
    """Report whether a stream may begin with an unfinished SSE field name, which no JSON text does."""
    text = beginning.removeprefix(_BOM).lstrip()
    return _BOM.startswith(beginning) or any(
        field.startswith(text) and text != field for field in _SSE_FIELDS
    )


def _kind_if_detected(event: Any, kind: str, *, is_complete_text: bool) -> str | None:
    if isinstance(event, dict) and detect(event) is not None:
        return kind
    return "text" if is_complete_text else None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def events_of(chunks: Iterable[bytes], kind: str) -> Iterator[Any]:
    """Yield the events of a stream, each as soon as it is complete.

    >>> list(events_of([b'[{"type": "pi', b'ng"}]'], "array"))
    [{'type': 'ping'}]
    """
    if kind == "sse":
        return _sse_events(chunks)
    return _listed_events(chunks) if kind == "array" else _line_events(chunks)


def _line_events(chunks: Iterable[bytes]) -> Iterator[Any]:
    for number, line in enumerate(lines_in(chunks), 1):
        yield from _event(line.removeprefix(_BOM), f"line {number}")


def _sse_events(chunks: Iterable[bytes]) -> Iterator[Any]:
    decoder = SseDecoder()
    # a file may lack the blank line that ends its last event
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
    """Yield the items of one JSON array, each when it has ended."""
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

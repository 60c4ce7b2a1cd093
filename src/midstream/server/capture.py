"""The events of a capture: a complete body in any framing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..captures import event_framing
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..event_stream import EventCutter, Step
from ..providers import FORMATS, detect
from ..providers._reading import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_format", "format_of", "steps_in"]

_PIECE = 65_536
# the number of events within which the format must be detected
_MAX_DETECTION = 20


def steps_in(body: bytes, max_event: int) -> Iterator[Step]:
    r"""Return the steps of a capture, which is an event stream, lines of JSON, or a JSON array.

    >>> [step.event for step in steps_in(b'{"type": "ping"}\n{"type": "message_stop"}\n', 1000)]
    [{'type': 'ping'}, {'type': 'message_stop'}]
    """
    text = body.removeprefix(b"\xef\xbb\xbf").lstrip()
    framing = event_framing(text)
    if framing == "sse":
        return _sse_steps(body, max_event)
    if framing == "array":
        return map(_step, _items(text))
    return (_step(line) for line in text.splitlines() if line.strip())


def _sse_steps(body: bytes, max_event: int) -> Iterator[Step]:
    cutter = EventCutter(max_event, with_raw=False)
    for start in range(0, len(body), _PIECE):
        yield from cutter.add_bytes(body[start : start + _PIECE])
    # the blank line that ends the last event is often missing in a file
    yield from cutter.add_bytes(b"\n\n")


def _items(text: bytes) -> list[Any]:
    try:
        items: list[Any] = json.loads(text)
    except (ValueError, RecursionError):
        raise JsonStreamError(ParserError.of(ErrorCode.INVALID_EVENT, 0, "not a JSON array")) from None
    return items


def _step(event: Any) -> Step:
    return Step(b"", decoded(event))


def format_of(body: bytes, max_event: int) -> str:
    """Return the format of a capture, detected from its first events.

    >>> format_of(b'[{"type": "ping"}, {"type": "message_start", "message": {}}]', 1000)
    'anthropic'
    """
    for _, step in zip(range(_MAX_DETECTION), steps_in(body, max_event), strict=False):
        format = None if step.event is None else detect(step.event)
        if format is not None:
            return format
    raise JsonStreamError(ParserError.of(ErrorCode.UNKNOWN_FORMAT))


def check_format(format: str) -> str:
    """Return a format; raise if it is unknown."""
    if format not in FORMATS:
        raise JsonStreamError(ParserError.of(ErrorCode.UNKNOWN_FORMAT))
    return format

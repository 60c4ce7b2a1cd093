"""A provider's bytes in, raw events out."""

from __future__ import annotations

import re

from ...errors import ErrorCode, JsonStreamError, ParserError
from ...event_stream import MAX_BEGINNING, events_without_framing
from ...providers._parts import error_in
from ...streams.provider import reported_error

__all__ = ["Cutter"]

# WHATWG HTML, 9.2.5: a line ends with LF, CR or CR LF, and a blank line ends an event. The blank line is
# complete at the first of its bytes; a LF that follows its CR begins the next raw event.
_END = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\n|\r\n?)")
_COMMENT_OR_END = re.compile(rb"(?:^|(?<=[\r\n])):[^\r\n]*|[\r\n]+")
_DATA = re.compile(rb"(?:^|[\r\n])data:")
# the maximum of an event's raw bytes, as a multiple of max_event: they include line ends and comments
_MAX_RAW_FACTOR = 4


class Cutter:
    r"""Cut a provider's stream after each blank line; joined, the raw events are the stream.

    >>> cutter = Cutter()
    >>> cutter.add(b": hello\ndata: 1\r\n")
    []
    >>> cutter.add(b"\r\ndata: 2\n\ndata")
    [b': hello\ndata: 1\r\n\r\n', b'data: 2\n\n']
    >>> cutter.rest()
    b'data'
    """

    def __init__(self, max_event: int | None = None) -> None:
        self._max_event = max_event
        self._rest = bytearray()
        # where to continue the search, and how long the rest may get before its size is checked
        self._from = 0
        self._check_at = 0 if max_event is None else max_event + 1
        self._is_too_long = False
        # the beginning of the body, until it has an event
        self._beginning: bytearray | None = bytearray()

    def add(self, data: bytes) -> list[bytes]:
        """Return the raw events that the data completes.

        An event over the limit raises `JsonStreamError`. If there are complete events before it, these are
        returned first, and the next call raises.
        """
        self._raise_if_too_long()
        if self._beginning is not None and len(self._beginning) < MAX_BEGINNING:
            self._beginning += data
            if _DATA.search(self._beginning):
                self._beginning = None
        self._rest += data
        if b"\r" in self._rest:
            found = self._cut_at_any_end()
        else:
            *parts, last = bytes(self._rest).split(b"\n\n") if b"\n\n" in self._rest else [b""]
            found = [part + b"\n\n" for part in parts]
            if found:
                self._rest = bytearray(last)
        if self._max_event is not None:
            found = self._within_limit(found, self._max_event)
        return found

    def _cut_at_any_end(self) -> list[bytes]:
        found, start = [], 0
        for match in _END.finditer(self._rest, self._from):
            found.append(bytes(self._rest[start : match.end()]))
            start = match.end()
        del self._rest[:start]
        # three bytes may belong to a blank line that is not complete
        self._from = max(0, len(self._rest) - 3)
        return found

    def _within_limit(self, found: list[bytes], limit: int) -> list[bytes]:
        for at, event in enumerate(found):
            if len(event) > limit and _is_over(event, limit):
                self._is_too_long = True
                found = found[:at]
                break
        else:
            if found:
                self._check_at = limit + 1
            if len(self._rest) >= self._check_at:
                self._check_at = 2 * len(self._rest)
                self._is_too_long = _is_over(self._rest, limit)
        if not found:
            self._raise_if_too_long()
        return found

    def _raise_if_too_long(self) -> None:
        if self._is_too_long:
            raise JsonStreamError(ParserError.of(ErrorCode.EVENT_LIMIT))

    def rest(self) -> bytes:
        """Return what follows the last complete event; raise if it is too long."""
        self._raise_if_too_long()
        return bytes(self._rest)

    def finish(self) -> None:
        """Raise if the body was no event stream at all, such as an HTML page or the JSON of an error."""
        for event in events_without_framing(bytes(self._beginning or b"")):
            error = error_in(event)
            if error is not None:
                raise reported_error(error)
            raise JsonStreamError(ParserError.of(ErrorCode.NOT_AN_EVENT_STREAM, 0, "it is JSON"))


def _is_over(raw: bytes | bytearray, limit: int) -> bool:
    return len(raw) > _MAX_RAW_FACTOR * limit or len(_COMMENT_OR_END.sub(b"", raw)) > limit

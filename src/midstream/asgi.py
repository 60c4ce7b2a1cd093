"""ASGI middleware that converts an application's provider streams into midstream's events.

It is plain ASGI without dependencies and wraps an application of FastAPI, Starlette or any other framework.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from ._options import check_dialect
from .accumulators.base import DEFAULT_LIMITS
from .errors import JsonStreamError
from .event_stream import UNBUFFERED, EventCutter, EventStream, Kind
from .providers import FORMATS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, MutableMapping

    from ._options import Dialect
    from .events.writer import Form
    from .limits import Limits
    from .providers import Format

    Message = MutableMapping[str, Any]
    Scope = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Application = Callable[[Scope, Receive, Send], Awaitable[None]]

__all__ = ["MidstreamMiddleware"]

_REQUESTS = ("midstream", "both")
_UNBUFFERED = {key.encode(): value.encode() for key, value in UNBUFFERED.items()}
# headers that describe the application's original body
_OF_BODY = {b"content-length", b"etag"}
_WITHOUT_BODY = (204, 205, 304)


class MidstreamMiddleware:
    """Send midstream's events instead of a provider's to the clients that request them.

    A client requests them with ``?events=midstream``, or with ``?events=both`` to receive the provider's
    own events, unchanged, together with midstream's. The header ``midstream-events`` has the same effect.
    With ``form=compact`` beside it, the events are shorter (see `EventWriter`). With the option
    ``dialect="lenient"`` the arguments of calls are repaired, and the events say so. All other requests,
    responses other than ``text/event-stream``, and errors are not changed. A client that reads slowly delays
    the application, as it would without the middleware.

    >>> import asyncio
    >>> async def app(scope, receive, send):
    ...     headers = [(b"content-type", b"text/event-stream")]
    ...     await send({"type": "http.response.start", "status": 200, "headers": headers})
    ...     data = b'data: {"choices": [{"index": 0, "delta": {"content": "Hi"}}]}'
    ...     await send({"type": "http.response.body", "body": data + bytes([10, 10])})
    >>> async def send(message):
    ...     print(*message.get("body", b"").decode().splitlines()[:1])
    >>> scope = {"type": "http", "method": "GET", "query_string": b"events=midstream", "headers": []}
    >>> asyncio.run(MidstreamMiddleware(app)(scope, None, send))
    <BLANKLINE>
    event: stream_start
    event: text_delta
    event: stream_end
    <BLANKLINE>
    """

    def __init__(
        self,
        app: Application,
        *,
        format: Format | None = None,
        limits: Limits = DEFAULT_LIMITS,
        max_event: int | None = 4_000_000,
        dialect: Dialect = "strict",
    ) -> None:
        check_dialect(dialect)
        if format is not None and format not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
        limits.check()
        self._app = app
        self._format = format
        self._limits = limits
        self._max_event = max_event
        self._dialect: Dialect = dialect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        requested = _requested(scope)
        if requested is None:
            await self._app(scope, receive, send)
            return
        kind = Kind(None, self._format, requested == "both", _requested_form(scope), self._dialect)
        events = EventStream(secrets.token_hex(16), kind, is_numbered=False, limits=self._limits)
        response = _Response(send, events, EventCutter(self._max_event, kind.with_provider))
        await self._app(scope, receive, response.send)


def _requested(scope: Scope) -> str | None:
    if scope["type"] != "http" or scope["method"] == "HEAD":
        return None
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("events", [])
    asked += [value.decode("latin-1") for key, value in scope["headers"] if key == b"midstream-events"]
    return next((requested for requested in asked if requested in _REQUESTS), None)


def _requested_form(scope: Scope) -> Form:
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("form", [])
    return "compact" if "compact" in asked else "full"


class _Response:
    """The conversion of one response."""

    def __init__(self, send: Send, events: EventStream, cutter: EventCutter) -> None:
        self._send = send
        self._events = events
        self._cutter = cutter
        self._is_stream = False
        self._has_failed = False

    async def send(self, message: Message) -> None:
        """Process a message that the application sends."""
        if message["type"] == "http.response.start" and _is_event_stream(message):
            self._is_stream = True
            await self._send({**message, "headers": _headers_of(message)})
            await self._write([self._events.start()])
        elif message["type"] == "http.response.body" and self._is_stream:
            await self._add(message.get("body", b""), message.get("more_body", False))
        else:
            await self._send(message)

    async def _add(self, data: bytes, more: bool) -> None:
        if not self._has_failed:
            await self._enrich(data, more)
        if not more:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _enrich(self, data: bytes, more: bool) -> None:
        try:
            for step in self._cutter.add_bytes(data):
                await self._write(self._events.add_step(step))
            if not more:
                for step in self._cutter.finish():
                    await self._write(self._events.add_step(step))
                await self._write(self._events.finish())
                await self._write(self._events.close())
        except JsonStreamError as error:
            self._has_failed = True
            await self._write(self._events.close((error.code.value, error.error.message)))

    async def _write(self, entries: Iterable[bytes]) -> None:
        for entry in entries:
            await self._send({"type": "http.response.body", "body": entry, "more_body": True})


def _headers_of(message: Message) -> list[tuple[bytes, bytes]]:
    kept = [(key, value) for key, value in message["headers"] if key.lower() not in _OF_BODY]
    is_stored = not any(
        b"no-store" in value.lower() for key, value in kept if key.lower() == b"cache-control"
    )
    ours = {key: value for key, value in _UNBUFFERED.items() if is_stored or key != b"cache-control"}
    return [(key, value) for key, value in kept if key.lower() not in ours] + list(ours.items())


def _is_event_stream(message: Message) -> bool:
    status = message["status"]
    if status in _WITHOUT_BODY or not 200 <= status < 300:
        # some servers label the body of an error as an event stream; the client must see it unchanged
        return False
    headers = {key.lower(): value for key, value in message.get("headers", ())}
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    return kind == b"text/event-stream" and b"content-encoding" not in headers

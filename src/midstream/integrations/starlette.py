"""A response for Starlette and FastAPI that sends a provider's stream as midstream's events.

    @app.post("/ask")
    async def ask():
        stream = await client.chat.completions.create(..., stream=True)
        return EventsResponse(stream)

It needs Starlette (``pip install starlette``).
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anyio
from anyio.to_thread import run_sync
from starlette.responses import Response

from .._options import check_dialect
from ..accumulators.base import DEFAULT_LIMITS
from ..errors import ErrorCode, JsonStreamError
from ..event_stream import UNBUFFERED, EventStream, Kind, Step
from ..sse import comment
from ..streams.provider import source_of

if TYPE_CHECKING:
    from starlette.background import BackgroundTask
    from starlette.types import Receive, Scope, Send

    from .._closing import Source
    from .._options import Dialect
    from ..events.writer import Form
    from ..limits import Limits
    from ..providers import Format

__all__ = ["EventsResponse"]

_log = logging.getLogger("midstream")
# the maximum number of seconds for closing the provider's stream
_TIME_TO_CLOSE = 5
_END: Any = object()


class EventsResponse(Response):
    """Send a provider's stream as Server-Sent Events that ``midstream.js`` reads.

    ``stream`` is the stream of an SDK, or any iterable of a provider's events; an asynchronous one is better,
    because a blocking read can't be interrupted. When the client disconnects, the stream is closed (unless
    ``close`` is false), and with it the provider's request. While the provider is silent, a comment every
    ``heartbeat`` seconds keeps proxies from closing the connection. ``form`` is that of `EventWriter`. With
    ``dialect="lenient"`` the arguments of calls are repaired, and the events say so.

    >>> response = EventsResponse([])
    >>> response.headers["content-type"], response.headers["x-accel-buffering"]
    ('text/event-stream; charset=utf-8', 'no')
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        stream: AsyncIterable[Any] | Iterable[Any],
        format: Format | None = None,
        *,
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        background: BackgroundTask | None = None,
        heartbeat: float = 15,
        close: bool = True,
        limits: Limits = DEFAULT_LIMITS,
        form: Form = "full",
        dialect: Dialect = "strict",
    ) -> None:
        check_dialect(dialect)
        self.status_code = status_code
        self.background = background
        self.body = b""
        self.init_headers({**UNBUFFERED, **(headers or {})})
        del self.headers["content-length"]
        self._is_async = isinstance(stream, AsyncIterable)
        self._source = source_of(stream, close, is_async=self._is_async)
        self._events = EventStream(
            uuid4().hex, Kind(None, format, form=form, dialect=dialect), is_numbered=False, limits=limits
        )
        self._heartbeat = heartbeat
        self._lock = anyio.Lock()
        self._sent_at = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until the stream ends or the client disconnects."""
        del scope
        start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch, receive, group.cancel_scope)
            await send(start)
            self._sent_at = anyio.current_time()
            group.start_soon(self._beat, send)
            await self._send_all(send)
            group.cancel_scope.cancel()
        if self.background is not None:
            await self.background()

    async def _send_all(self, send: Send) -> None:
        await self._send(send, self._events.start())
        failure: tuple[str, str] | None = None
        try:
            async with _opened(self._source, self._is_async) as items:
                async for event in items:
                    for entry in self._events.add_step(Step(b"", event)):
                        await self._send(send, entry)
            for entry in self._events.finish():
                await self._send(send, entry)
        except JsonStreamError as error:
            failure = error.code.value, error.error.message
        except Exception as error:
            # the message of the exception may contain secrets, so it is written to the log only
            _log.exception("the provider's stream failed")
            failure = ErrorCode.PROVIDER_ERROR.value, f"the provider's stream failed: {type(error).__name__}"
        for entry in self._events.close(failure):
            await self._send(send, entry)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, send: Send, data: bytes) -> None:
        async with self._lock:
            await send({"type": "http.response.body", "body": data, "more_body": True})
            self._sent_at = anyio.current_time()

    async def _beat(self, send: Send) -> None:
        """Send a comment whenever nothing else was sent for a while."""
        while True:
            silence = anyio.current_time() - self._sent_at
            if silence >= self._heartbeat:
                await self._send(send, comment())
                silence = 0
            await anyio.sleep(self._heartbeat - silence)

    async def _watch(self, receive: Receive, scope: anyio.CancelScope) -> None:
        """Cancel the response when the client disconnects."""
        while (await receive())["type"] != "http.disconnect":
            pass
        scope.cancel()


@asynccontextmanager
async def _opened(source: Source, is_async: bool) -> AsyncIterator[AsyncIterator[Any]]:
    """Iterate over a source; close it if that ends early, even if it ends because of a cancellation."""
    try:
        yield aiter(source) if is_async else _in_threads(source)
    except BaseException:
        source.stop()
        raise
    finally:
        with anyio.move_on_after(_TIME_TO_CLOSE, shield=True):
            if is_async:
                await source.__aexit__(None, None, None)
            else:
                await run_sync(source.__exit__, None, None, None)


async def _in_threads(source: Source) -> AsyncIterator[Any]:
    items = iter(source)
    while (item := await run_sync(next, items, _END)) is not _END:
        yield item

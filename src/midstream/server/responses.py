"""Responses: midstream's events, a provider's bytes, and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from sse_starlette import EventSourceResponse
from sse_starlette.sse import SendTimeoutError
from starlette.responses import JSONResponse

from ..event_stream import UNBUFFERED
from .fill import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from starlette.types import Receive, Scope, Send

    from .settings import Settings

__all__ = ["EventsResponse", "PassedOnResponse", "problem", "until_gone"]


def problem(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an error response.

    >>> problem(404, "not_found", "no such recording").body
    b'{"code":"not_found","message":"no such recording"}'
    """
    return JSONResponse({"code": code, "message": message}, status, headers)


async def until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """Cancel a scope when the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


class EventsResponse(EventSourceResponse):
    """Send events that contain their own heartbeats, which the stream sends only while it is silent."""

    def __init__(self, entries: AsyncIterator[bytes], settings: Settings) -> None:
        super().__init__(entries, headers=UNBUFFERED, ping=0, send_timeout=settings.max_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response; after a timeout, close the connection without an end."""
        try:
            await super().__call__(scope, receive, send)
        except SendTimeoutError:
            return


class PassedOnResponse:
    """Pass a body on as it arrives; stop its source when the client is gone or a limit is reached."""

    def __init__(
        self,
        status: int,
        headers: Sequence[tuple[bytes, bytes]],
        chunks: AsyncGenerator[bytes],
        settings: Settings,
        close: Callable[[], Awaitable[None]],
    ) -> None:
        self._start = {"type": "http.response.start", "status": status, "headers": headers}
        self._chunks = chunks
        self._settings = settings
        self._close = close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response; an incomplete body gets no end, so that clients notice it."""
        del scope
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(until_gone, receive, group.cancel_scope)
                with anyio.move_on_after(self._settings.max_seconds):
                    await self._send(send)
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self._chunks.aclose()
                await self._close()

    async def _send(self, send: Send) -> None:
        await send(self._start)
        size = 0
        try:
            async for chunk in self._chunks:
                size += len(chunk)
                if size > self._settings.max_stream_bytes:
                    return
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except Failure:
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})

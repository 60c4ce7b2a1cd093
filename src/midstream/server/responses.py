"""Responses: streams, a provider's response as it is, and errors."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import anyio
from starlette.responses import JSONResponse, Response

from ..event_stream import UNBUFFERED
from ..sse import comment
from .failures import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence

    from starlette.types import Receive, Scope, Send

    from .settings import Settings
    from .streams.viewer import Viewer

__all__ = ["DIRECT", "EVENTS", "NOSNIFF", "PassedOnResponse", "StreamResponse", "problem", "until_gone"]

NOSNIFF = {"x-content-type-options": "nosniff"}
EVENTS = {"content-type": "text/event-stream; charset=utf-8", **UNBUFFERED, **NOSNIFF}
_SILENCE = comment()
# in the scope of a request: what sends its response without the layers in between, each of which takes time
# for each event
DIRECT = "midstream.send"

Headers = list[tuple[bytes, bytes]]


def problem(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an error response.

    >>> problem(404, "not_found", "no such recording").body
    b'{"code":"not_found","message":"no such recording"}'
    """
    return JSONResponse({"code": code, "message": message}, status, {**NOSNIFF, **(headers or {})})


async def until_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    """Cancel a scope when the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class StreamResponse(Response):
    """Send what a viewer receives, with a comment whenever there was nothing for a while."""

    def __init__(
        self, viewer: Viewer, location: str, status: int = 200, headers: Headers | None = None
    ) -> None:
        self._viewer = viewer
        self._is_raw = viewer.variant.is_raw
        self.status_code = status
        self.background = None
        id = viewer.channel.id
        ours = {**EVENTS, "midstream-stream": id, "content-location": location}
        given = {key.lower() for key, _ in headers or ()}
        self.raw_headers = [
            *(headers or ()),
            *((key.encode(), value.encode()) for key, value in ours.items() if key.encode() not in given),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response.

        If a stream is cut off, it has no event ``stream_end``, and the provider's bytes have no end, so that
        clients notice it.
        """
        viewer = self._viewer
        # what is around the application sees the start alone
        send_body: Send = scope.get(DIRECT, send)
        leaving = asyncio.create_task(_gone(receive))
        leaving.add_done_callback(lambda _: viewer.leave())

        async def write(data: bytes) -> None:
            await send_body({"type": "http.response.body", "body": data, "more_body": True})

        try:
            await send(
                {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            )
            await viewer.send(write, b"" if self._is_raw else _SILENCE)
            if not self._is_raw or self._is_complete():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except asyncio.CancelledError:
            if not viewer.is_stuck:
                raise
        finally:
            leaving.cancel()
            viewer.close()

    def _is_complete(self) -> bool:
        """Report whether everything was sent, and the provider had ended the stream properly."""
        end = self._viewer.channel.log.end
        return self._viewer.is_over and end is not None and not end.code


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

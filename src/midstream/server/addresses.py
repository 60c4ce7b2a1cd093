"""The addresses of streams: reading, resuming and cancelling what is in the store."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

from .requests import Refused, dialect_of, variant_of
from .responses import NOSNIFF, StreamResponse, problem
from .streams.cursor import Cursor, cursor_of, parse_id
from .streams.derivation import RAW, VERSION, Variant
from .streams.viewer import Viewer

if TYPE_CHECKING:
    from starlette.requests import Request

    from .access import Access
    from .store.base import Head
    from .streams.channel import Channel
    from .streams.hub import Hub

__all__ = ["Addresses", "status_of"]


def status_of(head: Head) -> str:
    """Return "open", "complete", or the code of what ended the stream."""
    return "open" if head.end is None else head.end.code or "complete"


def _unknown() -> Refused:
    why = "the stream is unknown or has expired; a new request without Last-Event-ID starts a new one"
    return Refused(problem(404, "unknown_stream", why))


def _is_foreign(channel: Channel, cursor: Cursor) -> bool:
    """Report whether a position counts the events that another version has derived, before the end."""
    return channel.meta.get("version") != VERSION and cursor.number <= channel.log.last


class Addresses:
    """Handle the requests for streams that are already there."""

    def __init__(self, hub: Hub, access: Access, prefix: str | None = None) -> None:
        self._hub = hub
        self._access = access
        # where the streams are; None for the two places in the gateway
        self._prefix = prefix

    async def read(self, request: Request) -> Response:
        """Send a stream from its start, or from a position on."""
        if request.method == "HEAD":
            return await self.head(request)
        return await self._read(request, variant_of(request, self._hub.settings.dialect))

    async def read_raw(self, request: Request) -> Response:
        """Send the provider's events of a stream."""
        if request.method == "HEAD":
            return await self.head(request)
        return await self._read(request, RAW)

    async def _read(self, request: Request, variant: Variant) -> Response:
        id = request.path_params["id"]
        channel = await self._find(request, id)
        wanted = request.query_params.get("from")
        if wanted not in (None, "snapshot"):
            raise Refused(problem(400, "invalid_from", "from must be snapshot"))
        return await self.view(
            request, channel, variant, self._position(request, id), with_snapshot=wanted is not None
        )

    def _position(self, request: Request, id: str) -> Cursor | None:
        """Return the position that a request names, in the header or the query."""
        text = request.headers.get("last-event-id") or request.query_params.get("after")
        if not text:
            return None
        cursor = cursor_of(text, id)
        if cursor is None:
            raise Refused(problem(400, "invalid_cursor", "the position is not an event of the stream"))
        return cursor

    async def _find(self, request: Request, id: str) -> Channel:
        await self._hub.start()
        channel = await self._hub.find(id, partial(self._access.allows, request))
        if channel is None:
            raise _unknown()
        return channel

    async def resumed(self, request: Request, variant: Variant) -> Response | None:
        """Resume the stream whose last event a client names; return None if it names none.

        A stream that is unknown is refused: to start it again would be a second, paid request.
        """
        last_event_id = request.headers.get("last-event-id", "")
        if not last_event_id:
            return None
        found = parse_id(last_event_id)
        if found is None:
            raise _unknown()
        channel = await self._find(request, found[0])
        return await self.view(request, channel, variant, found[1])

    async def view(
        self,
        request: Request,
        channel: Channel,
        variant: Variant,
        cursor: Cursor | None = None,
        with_snapshot: bool = False,
        status: int = 200,
        headers: list[tuple[bytes, bytes]] | None = None,
    ) -> Response:
        """Return the response that sends a stream from a position on."""
        if cursor is not None and variant.is_raw:
            cursor = Cursor(cursor.number, 0)
        if cursor is not None and cursor.number > channel.log.last + (channel.log.end is not None):
            why = "the position is after the last event of the stream"
            raise Refused(problem(409, "cursor_ahead", why))
        self._hub.make_room_for_viewer(channel)
        viewer = Viewer(channel, variant, cursor, request.headers.raw)
        try:
            if variant.is_raw or variant.with_provider:
                await viewer.prepare()
            elif cursor is None and with_snapshot:
                await viewer.begin_with_snapshot()
            elif cursor is not None and _is_foreign(channel, cursor):
                await viewer.begin_with_snapshot(with_start=False)
            else:
                await viewer.prepare()
        except BaseException:
            viewer.close()
            raise
        if cursor is not None and viewer.is_finished():
            viewer.close()
            # the only response that stops an EventSource from reconnecting
            end = channel.log.end
            standing = "open" if end is None else end.code or "complete"
            return Response(status_code=204, headers={**NOSNIFF, "midstream-status": standing})
        prefix = self._prefix or ("/provider/v1/streams" if variant.is_raw else "/v1/streams")
        return StreamResponse(viewer, f"{prefix}/{channel.id}", status, headers)

    async def head(self, request: Request) -> Response:
        """Describe a stream in headers."""
        head = await self._head(request)
        return Response(
            headers={
                **NOSNIFF,
                "cache-control": "no-cache",
                "midstream-stream": request.path_params["id"],
                "midstream-status": status_of(head),
                "midstream-next": str(head.next),
            }
        )

    async def state(self, request: Request) -> Response:
        """Return what a stream has said so far."""
        channel = await self._find(request, request.path_params["id"])
        end, following = channel.log.end, channel.log.last + 1
        dialect = dialect_of(request, self._hub.settings.dialect)
        feed = channel.new_feed(Variant(form="compact", dialect=dialect))
        feed.observe()
        while not feed.skip_all():
            await asyncio.sleep(0)
        status = "open" if end is None else end.code or "complete"
        said = {"stream": channel.id, "status": status, "next": following, "messages": feed.said().messages}
        return JSONResponse(said, headers={**NOSNIFF, "cache-control": "no-cache"})

    async def _head(self, request: Request) -> Head:
        await self._hub.start()
        head = await self._hub.store.head(request.path_params["id"])
        if head is None or not await self._access.allows(request, head.meta):
            raise _unknown()
        return head

    async def cancel(self, request: Request) -> Response:
        """Signal the producer of a stream to stop."""
        head = await self._head(request)
        id = request.path_params["id"]
        await self._hub.store.cancel(id)
        data = {"stream": id, "status": "cancelled" if head.end is None else status_of(head)}
        return JSONResponse(data, 202, NOSNIFF)

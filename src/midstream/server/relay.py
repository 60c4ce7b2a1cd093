"""The relay for applications that call the provider themselves."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from .._closing import Source
from .settings import DEFAULT, Settings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Receive, Scope, Send

    from ..providers import Format
    from .access import Authorize, Owner

__all__ = ["Relay"]

_LOGGER = logging.getLogger("midstream.server")


class Relay:
    """Keep the streams of an application in a store, from which every worker can continue them.

    ``respond`` answers a request with a new stream. The relay itself is an ASGI application to be mounted at
    ``path``, where each stream has an address, as in the gateway: ``GET`` reads it, from any event on,
    ``HEAD`` and ``/state`` say how it stands, ``DELETE`` cancels it. ``store`` is ``memory:``, or a store
    that several workers share: ``sqlite:////absolute/path.db`` or ``redis://host:port/db``.

    A stream belongs to the client that has started it: ``owner(request)`` names the client, by default by the
    credentials in its headers. ``authorize(request, meta)``, which may be asynchronous, decides instead who
    may read and cancel a stream; ``meta`` is what was given to ``respond``. Others are answered with 404.

    >>> relay = Relay(path="/answers")
    >>> relay.path
    '/answers'
    """

    def __init__(
        self,
        store: str = "memory:",
        settings: Settings = DEFAULT,
        *,
        path: str = "/streams",
        owner: Owner | None = None,
        authorize: Authorize | None = None,
    ) -> None:
        from starlette.applications import Starlette
        from starlette.routing import Route

        from .access import Access
        from .addresses import Addresses
        from .requests import HANDLERS
        from .store.urls import open_store
        from .streams.hub import Hub

        settings.check()
        self.path = "/" + path.strip("/")
        self._hub = Hub(open_store(store, settings.ttl, settings.lease), settings)
        self._access = Access(self._hub, owner, authorize)
        self._addresses = addresses = Addresses(self._hub, self._access, self.path)
        routes = [
            Route("/{id}", addresses.read),
            Route("/{id}", addresses.cancel, methods=["DELETE"]),
            Route("/{id}/state", addresses.state),
        ]
        self._app = Starlette(routes=routes, exception_handlers=HANDLERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a stream."""
        await self._app(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncIterator[None]:
        """Connect to the store while the application runs: ``FastAPI(lifespan=relay.lifespan)``.

        At the end, streams whose provider is still sending end for their clients with an error.
        """
        from .store.base import StoreError

        del app
        try:
            # a store that fails now may be there later: each request tries again
            with suppress(StoreError):
                await self._hub.start()
            yield
        finally:
            await self._hub.aclose()

    async def respond(
        self,
        request: Request,
        start: Callable[[], Awaitable[AsyncIterable[Any]]],
        *,
        format: Format | None = None,
        name: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Response:
        """Return the response to a request: a new stream, or the one that it continues.

        ``start`` asks the provider, and returns its stream: events as dicts or objects of an SDK, or the
        bytes of Server-Sent Events. It is not called for a client that comes back (``Last-Event-ID``), or
        that repeats a request (``Idempotency-Key``). The queries ``?form=compact``,
        ``?events=both`` and ``?dialect=lenient`` work as in the gateway. ``meta`` is stored with the stream
        for ``authorize``; it must be JSON.
        """
        from .failures import Busy
        from .idempotency import claim_of
        from .requests import Refused, refuse, variant_of
        from .store.base import StoreError

        try:
            variant = variant_of(request, self._hub.settings.dialect)
            if resumed := await self._addresses.resumed(request, variant):
                return resumed
            hub = self._hub
            await hub.start()
            owner = self._access.owner(request)
            claim = await claim_of(request, await request.body(), owner, hub)
            if claim.joined is not None:
                return await self._addresses.view(request, claim.joined, variant)
            try:
                with hub.reserved(owner):
                    source = _raw_events(await start(), hub.settings)
                channel = await hub.open(owner, name, format, source, claim.id, given=meta and dict(meta))
            except BaseException:
                if claim.name is not None:
                    # the key is free for another attempt
                    await hub.store.unbind(claim.name)
                raise
            return await self._addresses.view(request, channel, variant)
        except (Refused, Busy, StoreError) as error:
            return await refuse(request, error)

    def is_ready(self) -> bool:
        """Report whether the store is connected, and the process not about to stop."""
        return self._hub.is_ready


async def _raw_events(stream: AsyncIterable[Any], settings: Settings) -> AsyncGenerator[list[bytes]]:
    """Yield a provider's events as it sends them, from its bytes or from decoded events."""
    from ..errors import JsonStreamError
    from .failures import Failure
    from .streams.cutter import Cutter

    cutter = Cutter(settings.max_event)
    size = 0
    try:
        async with Source(stream) as source:
            async for item in source:
                events = cutter.add(item) if isinstance(item, bytes) else [_raw(item)]
                size += len(item) if isinstance(item, bytes) else len(events[0])
                if size > settings.max_stream_bytes:
                    raise Failure("stream_limit", "the stream is longer than max_stream_bytes")
                if events:
                    yield events
        if rest := cutter.rest():
            yield [rest]
        cutter.finish()
    except (Failure, JsonStreamError):
        raise
    except Exception as error:
        # the message of the exception may contain secrets, so it is written to the log only
        _LOGGER.exception("the provider's stream failed")
        why = f"the provider's stream failed: {type(error).__name__}"
        raise Failure("upstream_error", why) from None


def _raw(event: Any) -> bytes:
    """Write an event as its provider sends it."""
    from ..calls.plain import plain
    from ..sse import SseEvent
    from .replay import raw_event

    if isinstance(event, SseEvent):
        return raw_event(event)
    data = plain(event)
    if not isinstance(data, dict):
        raise TypeError(f"an event must be a dict, an object of an SDK or bytes, not {type(event).__name__}")
    return raw_event(data)

"""The gateway's routes."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import anyio
import httpx
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .. import recordings
from ..captures import body_events, check_format, format_of
from . import page
from .access import Access
from .addresses import Addresses
from .failures import Draining
from .guard import Guard, shared_with
from .idempotency import claim_of
from .metrics import PrometheusMetrics
from .replay import pace_of, paced, raw_event, recording_for
from .requests import CLIENT_GONE, HANDLERS, Refused, body_of, variant_of
from .responses import EVENTS, NOSNIFF, PassedOnResponse, StreamResponse, problem, until_gone
from .resumption import Resumption, how_to_resume
from .settings import DEFAULT, Settings
from .store.base import StoreError
from .store.memory import MemoryStore
from .streams.derivation import RAW
from .streams.hub import Hub
from .streams.prepared import blocks_of, recording_of
from .streams.producer import cut
from .upstream import (
    FORMATS_BY_PATH,
    Unreachable,
    Upstream,
    chunks_of,
    is_event_stream,
    is_readable,
    key_in,
    response_headers,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Collection

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from .access import Authorize
    from .store.base import Head, Store
    from .streams.channel import Channel
    from .streams.derivation import Variant

__all__ = ["Gateway", "build"]

_OUR_PARAMETERS = {"dialect", "events", "form", "format", "pace"}
_PATH_CHARACTERS = "/:@!$&'()*+,;=-._~"
_OTHER_METHODS = ["GET", "PUT", "PATCH", "DELETE"]


def build(
    upstream: str | None = None,
    settings: Settings = DEFAULT,
    *,
    hosts: Collection[str] | None = None,
    origins: Collection[str] = (),
    transport: httpx.AsyncBaseTransport | None = None,
    store: Store | None = None,
    worker: str | None = None,
    authorize: Authorize | None = None,
    upstream_key_env: str | None = None,
) -> Starlette:
    """Return the application."""
    settings.check()
    key = key_in(upstream_key_env)
    provider = None if upstream is None else Upstream(upstream, settings, transport, key)
    gateway = Gateway(
        provider, settings, MemoryStore(settings.ttl) if store is None else store, worker, authorize
    )
    addresses = gateway.addresses

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        try:
            # a store that fails now may be there later: each request tries again
            with suppress(StoreError):
                await gateway.hub.start()
            yield
        finally:
            await gateway.aclose()

    routes = [
        Route("/", gateway.page),
        Route("/web/{name}", gateway.page),
        Route("/web/{folder}/{name}", gateway.page),
        Route("/api/recordings", gateway.list_recordings),
        Route("/api/recordings/{name}/events", gateway.replay),
        Route("/healthz", gateway.health),
        Route("/readyz", gateway.ready),
        Route("/metrics", gateway.metrics),
        Route("/api/enrich", gateway.enrich, methods=["POST"]),
        Route("/v1/streams/{id}", addresses.read),
        Route("/v1/streams/{id}/state", addresses.state),
        Route("/v1/streams/{id}", addresses.cancel, methods=["DELETE"]),
        Route("/provider/v1/streams/{id}", addresses.read_raw),
        Route("/provider/v1/streams/{id}", addresses.cancel, methods=["DELETE"]),
        Route("/v1/{path:path}", gateway.relay, methods=["POST"]),
        Route("/provider/v1/{path:path}", gateway.relay_raw, methods=["POST"]),
        *(
            Route(f"{prefix}/{{path:path}}", gateway.pass_on, methods=_OTHER_METHODS)
            for prefix in ("/v1", "/provider/v1")
            if provider is not None
        ),
    ]
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Guard, hosts=hosts, origins=origins), *shared_with(origins)],
        exception_handlers=HANDLERS,
    )
    app.state.gateway = gateway
    return app


class Gateway:
    """Handle requests: send a recording, a capture, or the response of the upstream."""

    def __init__(
        self,
        upstream: Upstream | None,
        settings: Settings,
        store: Store,
        worker: str | None,
        authorize: Authorize | None,
    ) -> None:
        self._upstream = upstream
        self._settings = settings
        self.hub = Hub(store, settings, worker, PrometheusMetrics() if settings.metrics else None)
        self._access = Access(self.hub, authorize=authorize)
        self.addresses = Addresses(self.hub, self._access)
        self.hub.resume = self._resume

    async def aclose(self) -> None:
        """Stop all streams and close all connections."""
        await self.hub.aclose()
        if self._upstream is not None:
            await self._upstream.aclose()

    async def page(self, request: Request) -> Response:
        """Return a file of the page."""
        return page.file("/".join(request.path_params.values()) or "index.html")

    async def health(self, request: Request) -> Response:
        """Report that the process works."""
        del request
        return JSONResponse({"status": "ok"}, headers=NOSNIFF)

    async def ready(self, request: Request) -> Response:
        """Report whether new streams can be started here."""
        del request
        if self.hub.is_draining:
            raise Draining
        await self.hub.start()
        await self.hub.store.head("ready")
        return JSONResponse({"status": "ready", "streams": len(self.hub)}, headers=NOSNIFF)

    async def metrics(self, request: Request) -> Response:
        """Return the measurements of all workers of this machine."""
        del request
        text = self.hub.metrics.text()
        if text is None:
            return problem(404, "not_found", "nothing is measured; start the gateway with --metrics")
        return Response(text, headers={"content-type": "text/plain; version=0.0.4; charset=utf-8", **NOSNIFF})

    async def list_recordings(self, request: Request) -> Response:
        """Return the list of recordings."""
        del request
        known = map(recordings.load, recordings.NAMES)
        return JSONResponse(
            [{"name": item.name, "title": item.title, "format": item.format} for item in known],
            headers=NOSNIFF,
        )

    async def replay(self, request: Request) -> ASGIApp:
        """Send the events of a recording."""
        name = request.path_params["name"]
        if name not in recordings.NAMES:
            return problem(404, "not_found", "no such recording")
        if request.method == "HEAD":
            return Response(headers=EVENTS)
        variant = variant_of(request, self._settings.dialect)
        if resumed := await self.addresses.resumed(request, variant):
            return resumed
        recording = recording_of(name)
        source = paced(blocks_of(recording.name), self._pace(request))
        return await self._opened(request, variant, name, recording.format, source)

    async def enrich(self, request: Request) -> ASGIApp:
        """Send the events of a capture."""
        variant = variant_of(request, self._settings.dialect)
        if resumed := await self.addresses.resumed(request, variant):
            return resumed
        body = await body_of(request, self.hub, self._access.owner(request))
        limit = self._settings.max_event
        asked = request.query_params.get("format")
        found = format_of(body, limit) if asked is None else check_format(asked)
        source = paced(map(raw_event, body_events(body, limit)), self._pace(request, 0))
        return await self._opened(request, variant, None, found, source)

    async def relay(self, request: Request) -> ASGIApp:
        """Send midstream's events for a provider's response, together with its own if requested."""
        return await self._relay(request, variant_of(request, self._settings.dialect))

    async def relay_raw(self, request: Request) -> ASGIApp:
        """Send a provider's response as it is; a stream can be resumed."""
        return await self._relay(request, RAW)

    async def _relay(self, request: Request, variant: Variant) -> ASGIApp:
        if resumed := await self.addresses.resumed(request, variant):
            return resumed
        await self.hub.start()
        owner = self._access.owner(request)
        body = await body_of(request, self.hub, owner)
        claim = await claim_of(request, body, owner, self.hub)
        if claim.joined is not None:
            return await self.addresses.view(request, claim.joined, variant)
        is_started = False
        try:
            response = await self._run(request, variant, body, claim.id)
            is_started = isinstance(response, StreamResponse)
            return response
        finally:
            if claim.name is not None and not is_started:
                # the key is free for another attempt
                await self.hub.store.unbind(claim.name)

    async def _run(self, request: Request, variant: Variant, body: bytes, id: str | None) -> ASGIApp:
        """Send a request to the upstream, and the response, which starts a stream if it is one."""
        path = request.path_params["path"]
        if self._upstream is None:
            recording, source = self._recorded(request, path, body)
            return await self._opened(request, variant, recording.name, recording.format, source, id)
        asked = None if variant.is_raw else request.query_params.get("format")
        format = asked or FORMATS_BY_PATH.get(path)
        found = None if format is None else check_format(format)
        response = await self._ask(request, self._upstream, body, not variant.is_raw)
        if is_event_stream(response) and is_readable(response):
            headers = response_headers(response, is_decoded=True) if variant.is_raw else None
            how = how_to_resume(path, body, response)
            if how is not None and not self._upstream.has_credentials(request.headers.raw):
                how["credentials"] = "none"
            if how is None:
                source = cut(chunks_of(response, is_raw=False), self._settings)
            else:
                source = Resumption(self._upstream, self._settings, how, request.headers.raw, response)
            return await self._opened(
                request, variant, path, found, source, id, response.status_code, headers, how
            )
        return self._passed_on(response, self._access.owner(request))

    async def pass_on(self, request: Request) -> ASGIApp:
        """Send a provider's response to a request that starts no stream."""
        owner = self._access.owner(request)
        body = await body_of(request, self.hub, owner)
        assert self._upstream is not None, "only then there is a route"
        return self._passed_on(await self._ask(request, self._upstream, body, is_read=False), owner)

    # requests

    def _pace(self, request: Request, default: float | None = None) -> float:
        default = self._settings.pace if default is None else default
        try:
            return pace_of(request.query_params.get("pace"), default)
        except ValueError:
            raise Refused(
                problem(400, "invalid_pace", "pace must be a number of events per second")
            ) from None

    def _recorded(
        self, request: Request, path: str, body: bytes
    ) -> tuple[recordings.Recording, AsyncGenerator[list[bytes]]]:
        """Return the recording that replaces a provider, and its paced events."""
        recording = recording_for(path)
        if recording is None:
            raise Refused(problem(404, "not_found", "there is no upstream and no recording for this path"))
        if not _requests_stream(body):
            why = 'there is no upstream; to replay a recording, send "stream": true'
            raise Refused(problem(400, "not_a_stream", why))
        return recording, paced(blocks_of(recording.name), self._pace(request))

    # streams

    async def _opened(
        self,
        request: Request,
        variant: Variant,
        name: str | None,
        format: str | None,
        source: AsyncGenerator[list[bytes]],
        id: str | None = None,
        status: int = 200,
        headers: list[tuple[bytes, bytes]] | None = None,
        resume: dict[str, str] | None = None,
    ) -> ASGIApp:
        """Open a stream, and send it."""
        hub = self.hub
        try:
            await hub.start()
            owner = self._access.owner(request)
            hub.make_room(owner)
        except BaseException:
            await source.aclose()
            raise
        channel = await hub.open(owner, name, format, source, id, resume=resume)
        return await self.addresses.view(request, channel, variant, status=status, headers=headers)

    # the upstream

    def _resume(self, channel: Channel, head: Head) -> AsyncGenerator[list[bytes]] | None:
        """Return what continues the stream of a dead worker, with the credentials of a client."""
        how, upstream = head.meta.get("resume"), self._upstream
        if how is None or upstream is None:
            return None
        given = [viewer.headers for viewer in channel.viewers if upstream.has_credentials(viewer.headers)]
        if not given and not upstream.has_credentials(()) and how.get("credentials") != "none":
            return None
        return Resumption(upstream, self._settings, how, given[0] if given else ())

    async def _ask(self, request: Request, upstream: Upstream, body: bytes, is_read: bool) -> httpx.Response:
        """Pass a request on, unless its client disconnects before the response."""
        path: str = request.path_params["path"]
        not_found = problem(404, "not_found", "no such path")
        if {".", ".."} & set(path.split("/")):
            raise Refused(not_found)
        parts = [part for part in request.url.query.split("&") if part]
        if is_read:
            parts = [part for part in parts if part.partition("=")[0] not in _OUR_PARAMETERS]
        try:
            url = upstream.url_of(quote(path, safe=_PATH_CHARACTERS), "&".join(parts))
        except httpx.InvalidURL:
            raise Refused(not_found) from None
        response = None
        is_there = True
        with self.hub.reserved(self._access.owner(request)):
            async with anyio.create_task_group() as group:
                group.start_soon(until_gone, request.receive, group.cancel_scope)
                group.start_soon(_until_stopped, self.hub, group.cancel_scope)
                try:
                    response = await upstream.ask(request.method, url, request.headers.raw, body, is_read)
                except Unreachable:
                    is_there = False
                group.cancel_scope.cancel()
        if not is_there:
            raise Refused(problem(502, "upstream_error", "the upstream does not respond"))
        if response is None:
            raise Draining if self.hub.stopped.is_set() else Refused(CLIENT_GONE)
        return response

    def _passed_on(self, response: httpx.Response, owner: str) -> ASGIApp:
        """Pass a response on unchanged, and count it as a stream meanwhile."""

        async def close() -> None:
            self.hub.release(owner)
            await response.aclose()

        self.hub.reserve(owner)
        chunks, headers = chunks_of(response, is_raw=True), response_headers(response)
        return PassedOnResponse(response.status_code, headers, chunks, self._settings, close)


async def _until_stopped(hub: Hub, scope: anyio.CancelScope) -> None:
    """Cancel a scope when the process stops."""
    await hub.stopped.wait()
    scope.cancel()


def _requests_stream(body: bytes) -> bool:
    try:
        asked: Any = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(asked, dict) and asked.get("stream") is True

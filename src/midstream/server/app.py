"""The gateway's routes."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

import anyio
import httpx
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .. import recordings
from ..captures import body_events, check_format, format_of
from ..errors import JsonStreamError
from ..event_stream import UNBUFFERED, Kind, Step
from ..events.writer import FORMS
from . import page
from .fill import fill, steps_of
from .guard import Guard
from .relay import FORMATS_BY_PATH, Unreachable, Upstream, chunks_of, is_event_stream, response_headers
from .replay import pace_of, paced, recording_for
from .responses import EventsResponse, PassedOnResponse, problem, until_gone
from .resume import Busy, Streams
from .settings import DEFAULT, Settings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from ..events.writer import Form
    from .resume import Stream

__all__ = ["Gateway", "build"]

_OUR_PARAMETERS = {"events", "form", "format", "pace"}
# ASGI requires a response even if the client is gone
_CLIENT_GONE = Response(status_code=400)
_PATH_CHARACTERS = "/:@!$&'()*+,;=-._~"


def build(
    upstream: str | None = None,
    settings: Settings = DEFAULT,
    *,
    hosts: Collection[str] | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Starlette:
    """Return the application."""
    settings.check()
    provider = None if upstream is None else Upstream(upstream, settings, transport)
    gateway = Gateway(provider, settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        try:
            yield
        finally:
            await gateway.aclose()

    routes = [
        Route("/", gateway.page),
        Route("/web/{name}", gateway.page),
        Route("/web/{folder}/{name}", gateway.page),
        Route("/api/recordings", gateway.list_recordings),
        Route("/api/recordings/{name}/events", gateway.replay),
        Route("/api/enrich", gateway.enrich, methods=["POST"]),
        Route("/v1/{path:path}", gateway.relay, methods=["POST"]),
        Route("/provider/v1/{path:path}", gateway.pass_on, methods=["POST"]),
    ]
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers=dict.fromkeys((_Refused, JsonStreamError, Busy, HTTPException), _refuse),
    )
    app.state.gateway = gateway
    return app


class _Refused(Exception):  # noqa: N818  # it carries a response
    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


async def _refuse(request: Request, error: Exception) -> Response:
    """Return the response for an exception of a handler."""
    del request
    if isinstance(error, _Refused):
        return error.response
    if isinstance(error, JsonStreamError):
        return problem(400, error.code.value, error.error.message)
    if isinstance(error, HTTPException):
        code = {404: "not_found", 405: "not_allowed"}.get(error.status_code, "refused")
        return problem(error.status_code, code, error.detail, dict(error.headers or {}))
    return problem(503, "busy", "too many streams", {"retry-after": "1"})


class Gateway:
    """Handle requests: send a recording, a capture, or the response of the upstream."""

    def __init__(self, upstream: Upstream | None, settings: Settings) -> None:
        self._upstream = upstream
        self._settings = settings
        self.streams = Streams(settings)

    async def aclose(self) -> None:
        """Drop all streams and close all connections."""
        await self.streams.close()
        if self._upstream is not None:
            await self._upstream.aclose()

    async def page(self, request: Request) -> Response:
        """Return a file of the page."""
        return page.file("/".join(request.path_params.values()) or "index.html")

    async def list_recordings(self, request: Request) -> Response:
        """Return the list of recordings."""
        del request
        known = map(recordings.load, recordings.NAMES)
        return JSONResponse(
            [{"name": item.name, "title": item.title, "format": item.format} for item in known]
        )

    async def replay(self, request: Request) -> ASGIApp:
        """Send the events of a recording."""
        name = request.path_params["name"]
        if name not in recordings.NAMES:
            return problem(404, "not_found", "no such recording")
        if request.method == "HEAD":
            return Response(media_type="text/event-stream", headers=UNBUFFERED)
        recording = recordings.load(name)
        chunks = paced(recording.blocks(), self._pace(request))
        kind = Kind(name, recording.format, form=_form(request))
        return self._resumed(request) or self._streamed(request, kind, steps_of(chunks, kind, self._settings))

    async def enrich(self, request: Request) -> ASGIApp:
        """Send the events of a capture."""
        if resumed := self._resumed(request):
            return resumed
        body, limit = await self._body(request), self._settings.max_event
        asked = request.query_params.get("format")
        found = format_of(body, limit) if asked is None else check_format(asked)
        kind = Kind(None, found, form=_form(request))
        steps = (Step(b"", event) for event in body_events(body, limit))
        return self._streamed(request, kind, paced(steps, self._pace(request, 0)))

    async def relay(self, request: Request) -> ASGIApp:
        """Send midstream's events for a provider's response, together with its own if requested."""
        if resumed := self._resumed(request):
            return resumed
        body, path = await self._body(request), request.path_params["path"]
        with_provider = self._requests_both(request)
        if self._upstream is None:
            recording, chunks = self._recorded(request, path, body)
            kind = Kind(recording.name, recording.format, with_provider, _form(request))
            return self._streamed(request, kind, steps_of(chunks, kind, self._settings))
        format = request.query_params.get("format") or FORMATS_BY_PATH.get(path)
        found = None if format is None else check_format(format)
        kind = Kind(path, found, with_provider, _form(request))
        stream = self.streams.open(_owner(request))
        try:
            response = await self._ask(request, self._upstream, body, is_read=True)
        except BaseException:
            self.streams.drop(stream)
            raise
        if is_event_stream(response):
            chunks = chunks_of(response, is_raw=False)
            return self._filled(stream, kind, steps_of(chunks, kind, self._settings))
        self.streams.drop(stream)
        return self._passed_on(response)

    async def pass_on(self, request: Request) -> ASGIApp:
        """Send a provider's response unchanged."""
        body = await self._body(request)
        self.streams.make_room()
        if self._upstream is None:
            _, chunks = self._recorded(request, request.path_params["path"], body)
            self.streams.others += 1
            return PassedOnResponse(200, _RECORDED, chunks, self._settings, self._passed)
        self.streams.others += 1
        try:
            response = await self._ask(request, self._upstream, body, is_read=False)
        finally:
            self.streams.others -= 1
        return self._passed_on(response)

    # requests

    def _pace(self, request: Request, default: float | None = None) -> float:
        default = self._settings.pace if default is None else default
        try:
            return pace_of(request.query_params.get("pace"), default)
        except ValueError:
            raise _Refused(
                problem(400, "invalid_pace", "pace must be a number of events per second")
            ) from None

    def _requests_both(self, request: Request) -> bool:
        requested = request.query_params.get("events", "midstream")
        if requested not in ("midstream", "both"):
            why = "events must be midstream or both; for the provider's own events use /provider/v1/..."
            raise _Refused(problem(400, "invalid_events", why))
        return requested == "both"

    async def _body(self, request: Request) -> bytes:
        """Read a request's body within the limits; it counts as a stream until it has arrived."""
        self.streams.make_room()
        self.streams.others += 1
        body = bytearray()
        try:
            with anyio.fail_after(self._settings.body_seconds):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > self._settings.max_body:
                        raise _Refused(problem(413, "body_limit", "the body is longer than max_body"))
        except TimeoutError:
            why = "the body takes longer than body_seconds"
            raise _Refused(problem(408, "time_limit", why, {"connection": "close"})) from None
        except ClientDisconnect:
            raise _Refused(_CLIENT_GONE) from None
        finally:
            self.streams.others -= 1
        return bytes(body)

    def _recorded(
        self, request: Request, path: str, body: bytes
    ) -> tuple[recordings.Recording, AsyncGenerator[bytes]]:
        """Return the recording that replaces a provider, and its paced chunks."""
        recording = recording_for(path)
        if recording is None:
            raise _Refused(problem(404, "not_found", "there is no upstream and no recording for this path"))
        if not _requests_stream(body):
            raise _Refused(
                problem(
                    400, "not_a_stream", 'there is no upstream; to replay a recording, send "stream": true'
                )
            )
        return recording, paced(recording.blocks(), self._pace(request))

    # streams

    def _resumed(self, request: Request) -> ASGIApp | None:
        """Resume the stream whose last event the client names; return None if it names none.

        A stream that is unknown here is refused: to start it again would be a second, paid request.
        """
        last_event_id = request.headers.get("last-event-id", "")
        if not last_event_id:
            return None
        found = self.streams.find(last_event_id, _owner(request))
        if found is None:
            why = "the stream is unknown or has expired; a new request without Last-Event-ID starts a new one"
            raise _Refused(problem(404, "unknown_stream", why))
        stream, start = found
        if stream.is_fully_sent(start):
            # the only response that stops an EventSource from reconnecting
            return Response(status_code=204)
        return EventsResponse(stream.read(start), self._settings)

    def _streamed(self, request: Request, kind: Kind, steps: AsyncGenerator[Step]) -> ASGIApp:
        return self._filled(self.streams.open(_owner(request)), kind, steps)

    def _filled(self, stream: Stream, kind: Kind, steps: AsyncGenerator[Step]) -> ASGIApp:
        self.streams.fill(stream, fill(stream, kind, steps, self._settings))
        return EventsResponse(stream.read(), self._settings)

    # the upstream

    async def _ask(self, request: Request, upstream: Upstream, body: bytes, is_read: bool) -> httpx.Response:
        """Pass a request on, unless its client disconnects before the response."""
        path: str = request.path_params["path"]
        not_found = problem(404, "not_found", "no such path")
        if {".", ".."} & set(path.split("/")):
            raise _Refused(not_found)
        parts = [part for part in request.url.query.split("&") if part]
        if is_read:
            parts = [part for part in parts if part.partition("=")[0] not in _OUR_PARAMETERS]
        try:
            url = upstream.url_of(quote(path, safe=_PATH_CHARACTERS), "&".join(parts))
        except httpx.InvalidURL:
            raise _Refused(not_found) from None
        response = None
        is_there = True
        async with anyio.create_task_group() as group:
            group.start_soon(until_gone, request.receive, group.cancel_scope)
            try:
                response = await upstream.ask(request.method, url, request.headers.raw, body, is_read)
            except Unreachable:
                is_there = False
            group.cancel_scope.cancel()
        if not is_there:
            raise _Refused(problem(502, "upstream_error", "the upstream does not respond"))
        if response is None:
            raise _Refused(_CLIENT_GONE)
        return response

    def _passed_on(self, response: httpx.Response) -> ASGIApp:
        """Pass a response on unchanged, and count it as a stream meanwhile."""
        headers = response_headers(response)
        if is_event_stream(response):
            known = {key.lower() for key, _ in headers}
            headers += [(key, value) for key, value in _raw(UNBUFFERED) if key not in known]

        async def close() -> None:
            await self._passed()
            await response.aclose()

        self.streams.others += 1
        chunks = chunks_of(response, is_raw=True)
        return PassedOnResponse(response.status_code, headers, chunks, self._settings, close)

    async def _passed(self) -> None:
        self.streams.others -= 1


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(key.encode(), value.encode()) for key, value in headers.items()]


_RECORDED = _raw({"content-type": "text/event-stream; charset=utf-8", **UNBUFFERED})


def _requests_stream(body: bytes) -> bool:
    try:
        asked: Any = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(asked, dict) and asked.get("stream") is True


def _form(request: Request) -> Form:
    form = request.query_params.get("form", "full")
    if form not in FORMS:
        raise _Refused(problem(400, "invalid_form", "form must be full or compact"))
    return cast("Form", form)


def _owner(request: Request) -> bytes:
    """Identify the client, so that the id of a stream alone does not give others access."""
    secret = (request.headers.get(name, "") for name in ("authorization", "x-api-key"))
    return blake2b("\0".join((request.url.path, *secret)).encode()).digest()

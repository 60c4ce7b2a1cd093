"""The response for Starlette and FastAPI, under a real uvicorn, with a provider that never ends."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from endless_server import EndlessServer
from midstream.integrations.starlette import EventsResponse
from midstream.sse import decode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

EVENTS = [
    {"choices": [{"index": 0, "delta": {"content": '{"city": "Os'}}]},
    {"choices": [{"index": 0, "delta": {"content": 'lo"}'}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]


class Events:
    """Read a provider's stream as an SDK does."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for line in self.response.aiter_lines():
            if line.startswith("data:"):
                yield json.loads(line[5:])

    async def aclose(self) -> None:
        await self.response.aclose()


class BlockingEvents:
    def __init__(self, response: httpx.Response) -> None:
        self.response = response

    def __iter__(self) -> Iterator[Any]:
        for line in self.response.iter_lines():
            if line.startswith("data:"):
                yield json.loads(line[5:])

    def close(self) -> None:
        self.response.close()


def application(provider: str) -> FastAPI:
    app = FastAPI()
    client, blocking = httpx.AsyncClient(), httpx.Client()

    @app.post("/complete")
    async def complete() -> EventsResponse:
        return EventsResponse(EVENTS, headers={"x-own": "1"})

    @app.post("/endless")
    async def endless() -> EventsResponse:
        request = client.build_request("POST", f"{provider}/endless/chat/completions")
        return EventsResponse(Events(await client.send(request, stream=True)))

    @app.post("/blocking")
    def in_a_thread() -> EventsResponse:
        request = blocking.build_request("POST", f"{provider}/blocking/chat/completions")
        return EventsResponse(BlockingEvents(blocking.send(request, stream=True)))

    @app.post("/silent")
    async def silent() -> EventsResponse:
        async def model() -> AsyncIterator[Any]:
            yield EVENTS[0]
            await asyncio.sleep(0.5)
            yield EVENTS[1]

        return EventsResponse(model(), heartbeat=0.1)

    @app.post("/fails")
    async def fails() -> EventsResponse:
        async def model() -> AsyncIterator[Any]:
            yield EVENTS[0]
            raise OSError("a secret")

        return EventsResponse(model())

    @app.post("/unknown")
    async def unknown() -> EventsResponse:
        return EventsResponse([{"what": "is this"}])

    return app


@contextmanager
def serving(app: Any) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def urls() -> Iterator[tuple[str, str]]:
    with EndlessServer() as provider, serving(application(provider.url)) as url:
        yield url, provider.url


def events_of(body: bytes) -> list[tuple[str, Any]]:
    return [(event.event, json.loads(event.data)) for event in decode([body])]


def test_a_complete_stream(urls: tuple[str, str]) -> None:
    response = httpx.post(f"{urls[0]}/complete")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["x-accel-buffering"] == "no"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["x-own"] == "1"
    assert "content-length" not in response.headers
    events = events_of(response.content)
    assert [kind for kind, _ in events] == [
        "stream_start", "text_delta", "text_delta", "message_end", "stream_end",
    ]  # fmt: skip
    assert "".join(data["text"] for kind, data in events if kind == "text_delta") == '{"city": "Oslo"}'


@pytest.mark.parametrize("path", ["endless", "blocking"])
def test_a_client_that_leaves_closes_the_providers_connection(urls: tuple[str, str], path: str) -> None:
    url, provider = urls
    with httpx.stream("POST", f"{url}/{path}") as response:
        seen = b""
        for chunk in response.iter_raw():
            seen += chunk
            if seen.count(b"text_delta") > 3:
                break
    is_closed, written = httpx.get(f"{provider}/{path}/closed", timeout=10).json()
    assert is_closed
    assert written < 1000


def test_heartbeats(urls: tuple[str, str]) -> None:
    response = httpx.post(f"{urls[0]}/silent")
    assert 2 <= response.content.count(b":\n\n") <= 5
    kinds = [kind for kind, _ in events_of(response.content)]
    assert kinds.count("text_delta") == 2


def test_failures_are_reported_without_details(urls: tuple[str, str]) -> None:
    events = events_of(httpx.post(f"{urls[0]}/fails").content)
    assert [kind for kind, _ in events] == ["stream_start", "text_delta", "error", "stream_end"]
    assert events[2][1] == {"code": "provider_error", "message": "the provider's stream failed: OSError"}
    events = events_of(httpx.post(f"{urls[0]}/unknown").content)
    assert [kind for kind, _ in events] == ["stream_start", "error", "stream_end"]
    assert events[1][1]["code"] == "unknown_format"

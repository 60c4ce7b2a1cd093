"""Provider streams of an application, turned into midstream's events on the way out."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

from midstream import Limits, recordings, tool_calls
from midstream.asgi import MidstreamMiddleware
from midstream.calls.messages import TYPES
from midstream.sse import decode
from stage import serving
from test_server import calls_in, chat_event, running, same_calls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request

ROOT = Path(__file__).parent.parent
OURS = {"stream_start", "stream_end", "error", *TYPES}


# an application


async def pieces(body: bytes) -> AsyncIterator[bytes]:
    source = random.Random(len(body))
    while body:
        size = source.choice((1, 2, 30, 300, 3000))
        yield body[:size]
        body = body[size:]


async def chat(request: Request) -> StreamingResponse:
    body = recordings.load(request.path_params["name"]).body
    headers = {"content-length": str(len(body)), "x-mine": "1", "cache-control": "max-age=9"}
    return StreamingResponse(pieces(body), media_type="text/event-stream", headers=headers)


async def other(request: Request) -> JSONResponse:
    return JSONResponse({"choices": []})


async def bad(request: Request) -> StreamingResponse:
    body = chat_event("fine") + b"data: {no json\n\n" + chat_event("more")
    return StreamingResponse(pieces(body), media_type="text/event-stream")


ROUTES = [Route("/chat/{name}", chat, methods=["GET", "POST"]), Route("/other", other), Route("/bad", bad)]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    middleware = [Middleware(MidstreamMiddleware), Middleware(GZipMiddleware, minimum_size=1)]
    with running(Starlette(routes=ROUTES, middleware=middleware)) as url:
        yield url


# tests


@pytest.mark.parametrize("name", recordings.NAMES)
def test_who_asks_gets_midstreams_events(url: str, name: str) -> None:
    recording = recordings.load(name)
    asked = [
        httpx.get(f"{url}/chat/{name}?events=midstream"),
        httpx.post(f"{url}/chat/{name}?a=b&events=midstream"),
        httpx.get(f"{url}/chat/{name}", headers={"midstream-events": "midstream"}),
    ]
    for response in asked:
        assert response.headers["x-mine"] == "1"
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["x-accel-buffering"] == "no"
        assert "content-length" not in response.headers
        events = list(decode([response.content]))
        assert [event.event for event in (events[0], events[-1])] == ["stream_start", "stream_end"]
        assert {event.event for event in events} <= OURS
        assert not any(event.id for event in events)
        assert same_calls(calls_in(events[1:-1]), list(tool_calls(recording.events()))[-1])


@pytest.mark.parametrize("name", recordings.NAMES)
def test_who_wants_both_gets_the_providers_events_as_they_are(url: str, name: str) -> None:
    content = httpx.get(f"{url}/chat/{name}?events=both").content
    rest = content
    for block in recordings.load(name).blocks():
        before, found, rest = rest.partition(block)
        assert found
        assert {event.event for event in decode([before])} <= OURS
    assert len(content) > len(recordings.load(name).body)


def test_all_others_get_what_the_application_sends(url: str) -> None:
    body = recordings.load("trip").body
    for query in ("", "?events=", "?events=nope", "?midstream"):
        response = httpx.get(f"{url}/chat/trip{query}")
        assert response.content == body
        assert response.headers["cache-control"] == "max-age=9"
    assert httpx.get(f"{url}/other?events=both").json() == {"choices": []}
    assert httpx.get(f"{url}/nope?events=both").status_code == 404
    assert httpx.head(f"{url}/chat/trip?events=midstream").headers["content-length"] == str(len(body))


def test_what_we_cannot_read_is_an_error_and_the_providers_events_continue(url: str) -> None:
    names = [event.event for event in decode([httpx.get(f"{url}/bad?events=midstream").content])]
    assert names == ["stream_start", "text_delta", "error", "stream_end"]
    both = list(decode([httpx.get(f"{url}/bad?events=both").content]))
    assert [event.data for event in both if event.event == "message"][1] == "{no json"
    assert [event.event for event in both if event.event in OURS] == names


def sent_by(app: Any, query: bytes = b"events=midstream", **options: Any) -> list[Any]:
    """Call the middleware as a server does; give all messages."""
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "GET", "query_string": query, "headers": []}
    asyncio.run(MidstreamMiddleware(app, **options)(scope, receive, send))
    return messages


def app_of(*bodies: bytes, **headers: bytes) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        fields = [(b"Content-Type", b"text/event-stream"), *((k.encode(), v) for k, v in headers.items())]
        await send({"type": "http.response.start", "status": 200, "headers": fields})
        for body in bodies:
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body"})

    return app


def complete_body_of(body: bytes, status: int = 200, **headers: bytes) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        fields = [(b"content-type", b"text/event-stream"), *((k.encode(), v) for k, v in headers.items())]
        await send({"type": "http.response.start", "status": status, "headers": fields})
        await send({"type": "http.response.body", "body": body})

    return app


def events_in(messages: list[Any]) -> list[str]:
    assert [message["type"] for message in messages[1:]] == ["http.response.body"] * (len(messages) - 1)
    assert [message["more_body"] for message in messages[1:]] == [True] * (len(messages) - 2) + [False]
    return [event.event for event in decode([b"".join(message["body"] for message in messages[1:])])]


def test_an_empty_stream_begins_and_ends() -> None:
    assert events_in(sent_by(app_of())) == ["stream_start", "stream_end"]


def test_options_are_used_and_checked() -> None:
    with pytest.raises(ValueError, match=r"^format must be one of ag-ui, "):
        MidstreamMiddleware(app_of(), format="nope")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^max_depth "):
        MidstreamMiddleware(app_of(), limits=Limits(max_depth=-1))
    long = chat_event("x" * 100)
    assert events_in(sent_by(app_of(long, long), max_event=50)) == ["stream_start", "error", "stream_end"]
    assert events_in(sent_by(complete_body_of(chat_event("x") + long), max_event=100)) == [
        "stream_start", "text_delta", "error", "stream_end"
    ]  # fmt: skip
    sent = sent_by(app_of(long), format="openai-chat")
    assert json.loads(next(decode([sent[1]["body"]])).data)["format"] == "openai-chat"


def test_what_is_compressed_is_left_alone() -> None:
    messages = sent_by(app_of(b"\x1f\x8b", **{"content-encoding": b"gzip"}))
    assert messages[1] == {"type": "http.response.body", "body": b"\x1f\x8b", "more_body": True}


@pytest.mark.parametrize("status", [204, 205, 304])
def test_what_has_no_body_is_left_alone(status: int) -> None:
    """A server refuses to send one: 204 keeps an EventSource from reconnecting."""
    messages = sent_by(complete_body_of(b"", status))
    assert messages[1:] == [{"type": "http.response.body", "body": b""}]


def test_headers_describe_the_body_that_is_sent() -> None:
    headers = {"etag": b'"1"', "content-length": b"9", "cache-control": b"private, No-Store"}
    sent = dict(sent_by(app_of(chat_event("x"), **headers))[0]["headers"])
    assert not {b"etag", b"content-length"} & set(sent)
    # what nobody may keep stays so
    assert sent[b"cache-control"] == b"private, No-Store"


def test_what_is_not_http_is_left_alone() -> None:
    seen = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope, receive, send))

    asyncio.run(MidstreamMiddleware(app)({"type": "lifespan"}, app, app))  # type: ignore[arg-type]
    assert seen == [({"type": "lifespan"}, app, app)]


def test_a_slow_client_holds_up_the_application() -> None:
    """Nothing is buffered: when the application continues, all that it sent before has been sent on."""
    order: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for number in range(3):
            await send({"type": "http.response.body", "body": chat_event("x"), "more_body": True})
            order.append(f"app {number}")
        await send({"type": "http.response.body"})

    async def send(message: Any) -> None:
        await asyncio.sleep(0.01)
        order.append("sent")

    scope = {"type": "http", "method": "GET", "query_string": b"events=midstream", "headers": []}
    asyncio.run(MidstreamMiddleware(app)(scope, app, send))  # type: ignore[arg-type]
    assert order == ["sent", "sent", "sent", "app 0", "sent", "app 1", "sent", "app 2", "sent", "sent"]


def test_it_needs_nothing_but_the_standard_library() -> None:
    script = "import sys, midstream.asgi; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"starlette", "httpx", "anyio", "uvicorn", "sse_starlette"} & set(done.stdout.split())


def test_the_example_runs() -> None:
    with (ROOT / "examples" / "fastapi_app.py").open(encoding="utf-8") as file:
        assert len(file.readlines()) < 40
    with serving("fastapi_app") as (url, _):
        assert "EventSource" in httpx.get(url).text
        start = time.monotonic()
        with httpx.stream("GET", f"{url}/chat?events=midstream", timeout=20) as response:
            first, *chunks = response.iter_raw()
            assert time.monotonic() - start > 1
    events = list(decode([first, *chunks]))
    assert same_calls(calls_in(events[1:-1]), list(tool_calls(recordings.load("trip").events()))[-1])


@pytest.mark.parametrize("status", [401, 429, 500, 503])
@pytest.mark.parametrize("query", [b"events=midstream", b"events=both"])
def test_the_body_of_an_error_is_not_lost(status: int, query: bytes) -> None:
    """Some servers label their JSON error body as an event stream."""
    body = b'{"error": {"message": "Slow down", "type": "rate_limit_error"}}'
    start, *rest = sent_by(complete_body_of(body, status), query)
    assert start["status"] == status
    assert b"".join(message["body"] for message in rest) == body


@pytest.mark.parametrize("query", [b"events=midstream", b"events=both"])
@pytest.mark.parametrize(
    ("body", "kinds", "words"),
    [
        (
            b'{"error": {"message": "Slow down", "type": "rate_limit_error"}}',
            ["provider_error", "message_end"],
            b"Slow down",
        ),
        (b"<!DOCTYPE html>\n<html></html>", ["error"], b"it looks like an HTML page"),
        (b'{\n  "hello": 1\n}\n', ["error"], b"'hello'"),
        (b"upstream timed out", ["error"], b"plain text"),
        (b": a comment\n\n", [], b""),
        (b"data: [DONE]\n\n", [], b""),
    ],
)
def test_a_body_without_events_is_not_silence(
    body: bytes, kinds: list[str], words: bytes, query: bytes
) -> None:
    """Some servers answer with a status of 200 and label anything as an event stream."""
    messages = sent_by(complete_body_of(body, 200), query)
    events = [event for event in events_in(messages) if event != "message"]
    assert events == ["stream_start", *kinds, "stream_end"]
    assert words in b"".join(message["body"] for message in messages[1:])

"""The gateway, with a real uvicorn on both sides, real httpx and the providers' real SDKs as clients."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import os
import random
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import uvicorn

from midstream import JsonStreamError, ToolsAggregateMessageHandler, recordings, tool_calls
from midstream.calls.messages import TYPES
from midstream.event_stream import EventCutter
from midstream.server import Settings, create_app, serve
from midstream.server.streams.cursor import parse_id
from midstream.sse import SseDecoder, SseEvent, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
STREAM = {"stream": True, "model": "trip"}
# one for all: each would read all certificates again
CLIENT = httpx.Client(timeout=20)
SHORT = Settings(pace=0, grace=0.5, heartbeat=0.2, connect_seconds=2)


# servers


class _QuickServer(uvicorn.Server):
    """Checks more often whether it is to stop, and whether it has: hundreds of tests wait for that."""

    async def main_loop(self) -> None:
        for counter in itertools.count():
            if await self.on_tick(counter):
                return
            await asyncio.sleep(0.005)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        del sockets
        state, seconds = self.server_state, self.config.timeout_graceful_shutdown
        for server in self.servers:
            server.close()
        for connection in list(state.connections):
            connection.shutdown()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while state.connections or state.tasks:
                    await asyncio.sleep(0.005)
        for task in state.tasks:
            task.cancel()
        await self.lifespan.shutdown()


@contextmanager
def running(app: Any, host: str = "127.0.0.1") -> Iterator[str]:
    """Serve an application on loopback while the context lasts; give its URL."""
    config = uvicorn.Config(
        app, host=host, port=0, log_level="critical", ws="none", timeout_graceful_shutdown=1, lifespan="auto"
    )
    server = _QuickServer(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_for(lambda: server.started or not thread.is_alive())
        yield f"http://{host}:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def wait_for(condition: Callable[[], bool], seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


class Provider:
    """A provider on loopback; the request's model says how it behaves."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.sent: dict[str, int] = {}
        self.left: dict[str, float] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http", "lifespan is not for a provider"
        body = b""
        while (message := await receive()).get("more_body"):
            body += message["body"]
        asked = json.loads(body + message["body"])
        path = scope["path"] + "?" + scope["query_string"].decode()
        self.requests.append((path, {key.decode(): value.decode() for key, value in scope["headers"]}))
        name, _, key = asked["model"].partition(":")
        answering = asyncio.create_task(getattr(self, f"_{name}")(send, key))
        leaving = asyncio.create_task(receive())
        await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            self.left[key] = time.monotonic()
        answering.cancel()
        leaving.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)

    async def _start(self, send: Any, status: int = 200, kind: str = "text/event-stream") -> None:
        headers = [(b"content-type", kind.encode()), (b"x-request-id", b"req_1"), (b"retry-after", b"7")]
        await send({"type": "http.response.start", "status": status, "headers": headers})

    async def _body(self, send: Any, data: bytes, more: bool = True) -> None:
        await send({"type": "http.response.body", "body": data, "more_body": more})

    async def _recorded(self, send: Any, key: str) -> None:
        await self._start(send)
        body, source = recordings.load(key).body, random.Random(key)
        while body:
            size = source.choice((1, 3, 70, 500, 4000))
            await self._body(send, body[:size])
            body = body[size:]
        await self._body(send, b"", more=False)

    async def _paced(self, send: Any, key: str) -> None:
        """Answer when as many have asked as the key says, so that all of them stream at once."""
        self.sent[key] = self.sent.get(key, 0) + 1
        while self.sent[key] % int(key):
            await asyncio.sleep(0.01)
        await self._start(send)
        for block in recordings.load("search").blocks()[:50]:
            await self._body(send, block)
            await asyncio.sleep(0.02)
        await self._body(send, b"", more=False)

    async def _endless(self, send: Any, key: str) -> None:
        await self._start(send)
        for number in range(10_000):
            await self._body(send, chat_event(f"{number} "))
            self.sent[key] = number + 1
            await asyncio.sleep(0.01)

    async def _flood(self, send: Any, key: str) -> None:
        await self._start(send)
        event = chat_event("x" * 4000)
        for number in range(50_000):
            await self._body(send, event)
            self.sent[key] = (number + 1) * len(event)
            await asyncio.sleep(0)

    async def _silent(self, send: Any, key: str) -> None:
        await self._start(send)
        await self._body(send, chat_event(key))
        await asyncio.sleep(60)

    async def _mute(self, send: Any, key: str) -> None:
        self.sent[key] = 0
        await asyncio.sleep(60)

    async def _refuses(self, send: Any, key: str) -> None:
        await self._start(send, 429, "application/json")
        await self._body(send, b'{"error": {"type": "rate_limit_error", "message": "slower"}}', more=False)

    async def _complete(self, send: Any, key: str) -> None:
        await self._start(send, 200, "application/json")
        await self._body(send, b'{"object": "chat.completion", "id": "c"}', more=False)

    async def _breaks(self, send: Any, key: str) -> None:
        await self._start(send)
        await self._body(send, recordings.load("trip").body[:20_000])
        raise ConnectionError("on purpose")

    async def _fits_not(self, send: Any, key: str) -> None:
        await self._start(send)
        await self._body(send, chat_event("fine") + b"data: " + b"x" * 5000 + b"\n\n", more=False)

    async def _packed(self, send: Any, key: str) -> None:
        headers = [(b"content-type", b"text/event-stream"), (b"content-encoding", key.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._body(send, gzip.compress(chat_event("fine")), more=False)

    async def _babbles(self, send: Any, key: str) -> None:
        await self._start(send)
        await self._body(send, chat_event("fine") + b"data: {no json\n\n" + chat_event("more"), more=False)


def one_call(arguments: str) -> list[Any]:
    """Return a capture whose one event has all arguments."""
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": arguments}}
    delta = {"tool_calls": [call]}
    return [{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}]


def chat_event(text: str) -> bytes:
    event = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]}
    return f"data: {json.dumps(event)}\n\n".encode()


@pytest.fixture(scope="module", autouse=True)
def close_client() -> Iterator[None]:
    with CLIENT:
        yield


@pytest.fixture(scope="module")
def gateway() -> Iterator[str]:
    with running(create_app(settings=SHORT)) as url:
        yield url


@pytest.fixture(scope="module")
def provider() -> Provider:
    return Provider()


@pytest.fixture(scope="module")
def upstream(provider: Provider) -> Iterator[str]:
    with running(provider) as url:
        yield url


@pytest.fixture(scope="module")
def relay(upstream: str) -> Iterator[str]:
    with running(create_app(upstream, settings=SHORT)) as url:
        yield url


# clients


def events_of(response: httpx.Response) -> list[SseEvent]:
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    return list(decode([response.content]))


def get_events(url: str, **headers: str) -> list[SseEvent]:
    return events_of(CLIENT.get(url, headers=headers))


def ask(url: str, model: str, path: str = "/v1/chat/completions", **headers: str) -> httpx.Response:
    return CLIENT.post(url + path, json={"stream": True, "model": model}, headers=headers, timeout=20)


def calls_in(events: list[SseEvent]) -> list[Any]:
    """Collect the calls as a client does, from the plain form of midstream's events."""
    handler = ToolsAggregateMessageHandler()
    for event in events:
        handler.add_message(json.loads(event.data))
    return [call for id in handler.message_ids for call in handler.complete(id)]


def same_calls(one: list[Any], other: list[Any]) -> bool:
    def key(call: Any) -> Any:
        return call.name, call.args, call.raw_args, call.is_complete, call.finish_reason

    return list(map(key, one)) == list(map(key, other))


def exchange(url: str, sent: bytes) -> bytes:
    """Say what no well-behaved client says; give all that comes until the other side closes."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@contextmanager
def connected(
    method: str, url: str, wanted: int, headers: dict[str, str] | None = None, **arguments: Any
) -> Iterator[list[SseEvent]]:
    """Read at least so many events, and stay connected while the context lasts."""
    with CLIENT.stream(method, url, timeout=10, headers=headers, **arguments) as response:
        assert response.status_code == 200
        events: list[SseEvent] = []
        decoder, chunks = SseDecoder(), response.iter_raw()
        while len(events) < wanted:
            events += decoder.add_bytes(next(chunks))
        yield events


# recordings and captures


def test_recordings_are_listed(gateway: str) -> None:
    listed = CLIENT.get(f"{gateway}/api/recordings").json()
    assert [item["name"] for item in listed] == list(recordings.NAMES)
    assert all(set(item) == {"name", "title", "format"} for item in listed)


@pytest.mark.parametrize("name", recordings.NAMES)
def test_a_recording_is_replayed(gateway: str, name: str) -> None:
    events = get_events(f"{gateway}/api/recordings/{name}/events?pace=0")
    start = json.loads(events[0].data)
    assert events[0].event == "stream_start"
    assert start == {
        "version": 1, "form": "full", "message_id": start["message_id"],
        "format": recordings.load(name).format, "name": name,
    }  # fmt: skip
    assert (events[-1].event, events[-1].data) == ("stream_end", "{}")
    assert events[0].id == f"{start['message_id']}-0"
    positions = [parse_id(event.id) for event in events]
    assert positions == sorted(set(positions))  # type: ignore[type-var]
    assert {position and position[0] for position in positions} == {start["message_id"]}
    for event in events[1:-1]:
        data = json.loads(event.data)
        assert data["type"] == event.event
        assert data["message_id"] == start["message_id"]
        assert event.event != "tool_call_update"
    assert same_calls(calls_in(events[1:-1]), list(tool_calls(recordings.load(name).events()))[-1])


def test_text_and_results_are_there(gateway: str) -> None:
    events = get_events(f"{gateway}/api/recordings/search/events?pace=0")
    text = "".join(json.loads(event.data)["text"] for event in events if event.event == "text_delta")
    assert text.endswith("🌌.")
    (result,) = [json.loads(event.data) for event in events if event.event == "tool_result"]
    assert result["result"]["took_ms"] == 41


def test_the_answer_is_for_a_browser_and_no_proxy_keeps_it(gateway: str) -> None:
    for method in ("GET", "HEAD"):
        response = CLIENT.request(method, f"{gateway}/api/recordings/trip/events?pace=0")
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["x-accel-buffering"] == "no"


def test_a_pace_is_kept(gateway: str) -> None:
    start = time.monotonic()
    get_events(f"{gateway}/api/recordings/search/events?pace=200")
    assert 0.5 < time.monotonic() - start < 10


@pytest.mark.parametrize("pace", ["-1", "nan", "fast", "1e9"])
def test_what_is_no_pace_is_refused(gateway: str, pace: str) -> None:
    response = CLIENT.get(f"{gateway}/api/recordings/trip/events?pace={pace}")
    assert (response.status_code, response.json()["code"]) == (400, "invalid_pace")


def test_what_is_not_there_is_not_found(gateway: str) -> None:
    assert CLIENT.get(f"{gateway}/api/recordings/nope/events").status_code == 404
    assert CLIENT.get(f"{gateway}/api/nope").status_code == 404
    assert CLIENT.get(f"{gateway}/v1/messages").status_code == 405
    assert CLIENT.post(f"{gateway}/v1/nope", json=STREAM).status_code == 404


def test_a_capture_may_lack_the_blank_line_at_its_end(gateway: str) -> None:
    body = recordings.load("search").body.removesuffix(b"data: [DONE]\n\n").rstrip()
    answer = events_of(CLIENT.post(f"{gateway}/api/enrich", content=body))
    complete = events_of(CLIENT.post(f"{gateway}/api/enrich", content=body + b"\n\n"))
    assert [event.event for event in answer] == [event.event for event in complete]


@pytest.mark.parametrize("name", recordings.NAMES)
def test_captures_of_each_framing_are_enriched(gateway: str, name: str) -> None:
    recording = recordings.load(name)
    events = recording.events()
    bodies = [recording.body, "\n".join(map(json.dumps, events)).encode(), json.dumps(events).encode()]
    for body in bodies:
        answer = events_of(CLIENT.post(f"{gateway}/api/enrich", content=body))
        assert json.loads(answer[0].data)["format"] == recording.format
        assert same_calls(calls_in(answer[1:-1]), list(tool_calls(events))[-1])


@pytest.mark.parametrize(
    ("body", "query", "code"),
    [
        (b"hello", "", "not_an_event_stream"),
        (b"", "", "unknown_format"),
        (b'[{"a": 1}]', "", "unknown_format"),
        (b"[1, 2", "", "truncated"),
        (b"[" * 100_000, "", "depth_limit"),
        (b'{"type": "ping"}', "?format=nope", "unknown_format"),
        (b"data: {\n\n", "", "invalid_event"),
    ],
)
def test_a_bad_capture_is_one_clear_error(gateway: str, body: bytes, query: str, code: str) -> None:
    response = CLIENT.post(f"{gateway}/api/enrich{query}", content=body)
    assert (response.status_code, response.json()["code"]) == (400, code)


def test_what_goes_wrong_later_is_an_event_and_open_calls_are_cut_off(gateway: str) -> None:
    body = recordings.load("trip").body[:30_000].rpartition(b"data: ")[0] + b"data: {no\n\n"
    events = events_of(CLIENT.post(f"{gateway}/api/enrich", content=body))
    assert [event.event for event in events[-2:]] == ["error", "stream_end"]
    assert json.loads(events[-2].data)["code"] == "invalid_event"
    calls = calls_in(events[1:-2])
    assert calls
    assert all(call.error.code == "truncated" and not call.is_complete for call in calls)


def test_lone_surrogates_arrive_escaped_and_other_text_as_it_is(gateway: str) -> None:
    call = {"index": 0, "function": {"name": "f", "arguments": '["\\ud83d", "ü'}}
    capture = [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    ]
    response = CLIENT.post(f"{gateway}/api/enrich", json=capture)
    assert '"textValue":"\\ud83d"' in response.text
    assert '"textValue":"ü"' in response.text


def test_much_that_is_made_of_little_goes_out_in_many_short_events(gateway: str) -> None:
    """Deep paths are long, and each update has one."""
    events = events_of(CLIENT.post(f"{gateway}/api/enrich", json=one_call("[" * 300 + "1," * 2_000)))
    assert 1_000_000 < sum(len(event.data) for event in events) < 3_000_000
    assert max(len(event.data) for event in events) < 150_000
    (found,) = calls_in(events[1:-1])
    assert found.error.code == "truncated"
    assert found.raw_args.endswith("1,1,")


def test_more_than_that_is_too_much() -> None:
    with running(create_app(settings=SHORT._replace(max_stream_bytes=3_000_000))) as url:
        events = events_of(CLIENT.post(f"{url}/api/enrich", json=one_call("[" * 900 + "1," * 20_000)))
    assert json.loads(events[-2].data)["code"] == "stream_limit"
    assert sum(len(event.data) for event in events) < 3_100_000


def test_long_strings_arrive_completely(gateway: str) -> None:
    text = json.dumps({"text": "añ" * 50_000, "list": list(range(3000))})
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": text}}
    capture = [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    ]
    events = events_of(CLIENT.post(f"{gateway}/api/enrich", json=capture))
    (found,) = calls_in(events[1:-1])
    updates = [json.loads(event.data).get("tool_call_updates", []) for event in events]
    assert max(len(update.get("function_args", "")) for several in updates for update in several) < 20_000
    assert found.args == json.loads(text)
    assert found.raw_args == text
    assert found.is_complete


# the relay without an upstream

PATHS = {"chat/completions": "trip", "messages": "cut", "responses": "patch"}


@pytest.mark.parametrize(("path", "name"), PATHS.items())
def test_recordings_stand_in_for_a_provider(gateway: str, path: str, name: str) -> None:
    recording = recordings.load(name)
    assert ask(gateway, "m", f"/provider/v1/{path}").content == recording.body
    ours = events_of(ask(gateway, "m", f"/v1/{path}"))
    assert same_calls(calls_in(ours[1:-1]), list(tool_calls(recording.events()))[-1])
    both = events_of(ask(gateway, "m", f"/v1/{path}?events=both"))
    first = json.loads(both[0].data)["message_id"]
    # what is ours has a number of its own, or comes first
    named = {"stream_start", "stream_end", *TYPES}
    provider = [event for event in both if event.event not in named]
    assert [(event.event, event.data) for event in provider] == [
        (event.event, event.data) for event in decode([recording.body])
    ]
    mine = [(event.event, event.data.replace(first, "*")) for event in both if event.event in named]
    id = json.loads(ours[0].data)["message_id"]
    assert mine == [(event.event, event.data.replace(id, "*")) for event in ours]


@pytest.mark.parametrize("prefix", ["/v1", "/provider/v1"])
@pytest.mark.parametrize("body", [b'{"model": "m"}', b'{"stream": false}', b"", b"[", b"1"])
def test_without_an_upstream_there_are_only_streams(gateway: str, prefix: str, body: bytes) -> None:
    response = CLIENT.post(f"{gateway}{prefix}/messages", content=body)
    assert (response.status_code, response.json()["code"]) == (400, "not_a_stream")
    assert "no upstream" in response.json()["message"]


# the relay


@pytest.mark.parametrize("name", ["trip", "cut", "patch"])
def test_an_upstream_is_relayed(relay: str, name: str) -> None:
    (path,) = [path for path, other in PATHS.items() if other == name]
    recording = recordings.load(name)
    raw = ask(relay, f"recorded:{name}", f"/provider/v1/{path}")
    assert raw.content == recording.body
    assert raw.headers["x-request-id"] == "req_1"
    assert raw.headers["x-accel-buffering"] == "no"
    ours = events_of(ask(relay, f"recorded:{name}", f"/v1/{path}"))
    assert json.loads(ours[0].data)["format"] == recording.format
    assert same_calls(calls_in(ours[1:-1]), list(tool_calls(recording.events()))[-1])
    both = ask(relay, f"recorded:{name}", f"/v1/{path}?events=both").content
    assert all(block in both for block in recording.blocks())


def test_a_format_is_detected_or_given(relay: str) -> None:
    for query in ("", "?format=vercel-ui"):
        events = events_of(ask(relay, "recorded:search", f"/v1/chat{query}"))
        (found,) = calls_in(events[1:-1])
        assert found.is_complete
    assert ask(relay, "recorded:search", "/v1/chat?format=nope").status_code == 400


def test_what_the_client_says_is_passed_on_and_what_is_ours_is_not(relay: str, provider: Provider) -> None:
    headers = {
        "authorization": "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01", "cookie": "a=b",
        "connection": "x-hop", "x-hop": "1", "te": "trailers",
    }  # fmt: skip
    for path in ("/v1/messages?beta=true&events=both&pace=3", "/provider/v1/messages?beta=true"):
        ask(relay, "recorded:cut", path, **headers)
        seen, sent = provider.requests[-1]
        assert seen == "/v1/messages?beta=true"
        for name in ("authorization", "x-api-key", "anthropic-version"):
            assert sent[name] == headers[name]
        assert not {"cookie", "x-hop", "te", "transfer-encoding"} & set(sent)
        assert "127.0.0.1" in sent["host"]


def test_what_is_no_stream_is_passed_through(relay: str) -> None:
    for prefix in ("/v1", "/provider/v1"):
        refused = ask(relay, "refuses", f"{prefix}/chat/completions")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
        assert refused.json()["error"]["message"] == "slower"
        complete = ask(relay, "complete", f"{prefix}/chat/completions")
        assert (complete.status_code, complete.json()["id"]) == (200, "c")
        assert "\0" not in complete.text


def test_an_upstream_that_breaks_off_is_an_error(relay: str) -> None:
    events = events_of(ask(relay, "breaks"))
    assert [event.event for event in events[-2:]] == ["error", "stream_end"]
    assert json.loads(events[-2].data)["code"] == "upstream_error"
    assert not any(call.is_complete for call in calls_in(events[1:-2]))
    with pytest.raises(httpx.RemoteProtocolError):
        ask(relay, "breaks", "/provider/v1/chat/completions")


def test_what_we_cannot_read_the_client_may(relay: str) -> None:
    text = ask(relay, "babbles", "/v1/chat/completions?events=both").text
    names = re.findall(r"^event: (\w+)$", text, re.MULTILINE)
    assert names == ["stream_start", "text_delta", "error", "stream_end"]
    assert "data: {no json\n\n" in text
    assert '"more"' in text
    names = [event.event for event in events_of(ask(relay, "babbles"))]
    assert names == ["stream_start", "text_delta", "error", "stream_end"]


def test_an_event_too_long_is_an_error_and_what_came_before_it_in_the_same_read_is_not_lost(
    upstream: str,
) -> None:
    with running(create_app(upstream, settings=SHORT._replace(max_event=3000))) as url:
        for query in ("", "?events=both"):
            text = ask(url, "fits_not", f"/v1/chat/completions{query}").text
            names = re.findall(r"^event: (\w+)$", text, re.MULTILINE)
            assert names == ["stream_start", "text_delta", "error", "stream_end"]
            assert '"event_limit"' in text


def test_packed_events_are_unpacked_if_they_can_be(relay: str) -> None:
    for query in ("", "?events=both"):
        content = ask(relay, "packed:gzip", f"/v1/chat/completions{query}").content
        assert (chat_event("fine") in content) == bool(query)
        assert b"event: text_delta" in content
    raw = ask(relay, "packed:gzip", "/provider/v1/chat/completions")
    assert ("content-encoding" in raw.headers, raw.content) == (False, chat_event("fine"))
    refused = ask(relay, "packed:br")
    assert (refused.status_code, refused.json()["code"]) == (502, "upstream_error")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_cut_anywhere_a_providers_bytes_stay_what_they_are(end: str) -> None:
    lines = (": a", "", "data: ä", "", "id: 7", "event: x", ": b", "data: 2", "data:", "", "retry: 3", "")
    text = "".join(line + end for line in lines).encode()
    for size in range(1, len(text)):
        cutter = EventCutter(100)
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        steps = [step for piece in pieces for step in cutter.add_bytes(piece)]
        # a line feed after the last event's carriage return is all that may be left
        assert b"".join(step.raw for step in steps) in (text, text.removesuffix(b"\n"))
        assert [step.event.data for step in steps if step.event] == ["ä", "2\n"]


def test_a_byte_order_mark_is_not_in_the_middle_of_a_stream() -> None:
    cutter = EventCutter()
    raw = [step.raw for byte in b"\xef\xbb\xbfdata: 1\n\n\xef" for step in cutter.add_bytes(bytes([byte]))]
    assert raw == [b"data: 1\n\n"]


def test_comments_without_an_end_are_too_much() -> None:
    """They are no part of an event, but with it they are kept until it ends."""
    cutter = EventCutter(1000)
    with pytest.raises(JsonStreamError, match="max_event"):
        deque(map(cutter.add_bytes, [b": comment\n"] * 1000))


def test_an_upstream_that_is_not_there_is_reported() -> None:
    with running(create_app("http://127.0.0.1:9", settings=SHORT)) as url:
        for prefix in ("/v1", "/provider/v1"):
            response = ask(url, "m", f"{prefix}/messages")
            assert (response.status_code, response.json()["code"]) == (502, "upstream_error")


def test_a_status_that_http_does_not_have_is_reported() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(999, content=b"odd")

    with running(create_app("http://provider", settings=SHORT, transport=httpx.MockTransport(answer))) as url:
        for prefix in ("/v1", "/provider/v1"):
            response = ask(url, "m", f"{prefix}/messages")
            assert (response.status_code, response.json()["code"]) == (502, "upstream_error")


def test_a_path_too_long_to_be_passed_on_is_not_found(relay: str) -> None:
    for prefix in ("/v1", "/provider/v1"):
        path = f"{prefix}/" + '"' * 25_000
        sent = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{{}}"
        assert exchange(relay, sent.encode()).startswith(b"HTTP/1.1 404 ")


def test_nobody_climbs_out_of_the_upstreams_path(relay: str, provider: Provider) -> None:
    before = len(provider.requests)
    for path in ("/v1/%2e%2e/admin", "/provider/v1/a/%2e%2e/%2e%2e/admin"):
        assert ask(relay, "complete", path).status_code == 404
    assert len(provider.requests) == before
    ask(relay, "complete", "/v1/a%3Fb%23c")
    assert provider.requests[-1][0] == "/v1/a?b#c?"


@pytest.mark.parametrize("url", ["ftp://h", "h", "", "http://", "file:///etc"])
def test_what_is_no_upstream_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"^upstream must be an http or https URL$"):
        create_app(url)


def test_certificates_are_read_for_an_upstream_with_tls_only(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[ssl.SSLContext] = []
    make = ssl.create_default_context

    def noted(**options: Any) -> ssl.SSLContext:
        made.append(make(**options))
        return made[-1]

    monkeypatch.setattr(ssl, "create_default_context", noted)
    create_app("http://127.0.0.1:9")
    assert made == []
    create_app("https://127.0.0.1:9")
    assert [context.verify_mode for context in made] == [ssl.CERT_REQUIRED]


# coming back


def test_a_client_that_comes_back_gets_exactly_what_it_missed(gateway: str) -> None:
    url = f"{gateway}/api/recordings/trip/events?pace=400"
    complete = get_events(f"{gateway}/api/recordings/trip/events?pace=0")
    for wanted in (1, 7, 60):
        with connected("GET", url, wanted) as events:
            pass
        rest = get_events(url, **{"last-event-id": events[-1].id})
        id, other = events[0].id.rpartition("-")[0], complete[0].id.rpartition("-")[0]
        assert [event.id.replace(id, other) for event in events + rest] == [event.id for event in complete]
        assert [event.data.replace(id, other) for event in events + rest] == [
            event.data for event in complete
        ]


def test_a_request_that_is_posted_again_goes_on_without_a_second_one(relay: str, provider: Provider) -> None:
    with connected("POST", f"{relay}/v1/chat/completions", 5, json={"model": "endless:again"}) as events:
        pass
    before = len(provider.requests)
    headers = {"last-event-id": events[-1].id}
    again = connected("POST", f"{relay}/v1/chat/completions", 5, headers, json={"model": "endless:again"})
    with again as rest:
        numbers = [int(json.loads(event.data).get("text", -1)) for event in events[1:] + rest]
    assert numbers == list(range(len(numbers)))
    assert len(provider.requests) == before


def test_a_client_that_has_everything_is_sent_away(gateway: str) -> None:
    url = f"{gateway}/api/recordings/search/events?pace=0"
    events = get_events(url)
    assert CLIENT.get(url, headers={"last-event-id": events[-1].id}).status_code == 204
    assert get_events(url, **{"last-event-id": events[-2].id}) == events[-1:]


@pytest.mark.parametrize("id", ["nobody-3", "x", "-1", "{id}-", "{id}-x", "{id}-1.", "{id}--1"])
def test_an_unknown_id_is_refused(gateway: str, id: str) -> None:
    url = f"{gateway}/api/recordings/search/events?pace=0"
    known = get_events(url)[0].id.rpartition("-")[0]
    response = CLIENT.get(url, headers={"last-event-id": id.format(id=known)})
    assert (response.status_code, response.json()["code"]) == (404, "unknown_stream")


def test_an_expired_id_is_refused() -> None:
    with running(create_app(settings=SHORT._replace(ttl=0.3, grace=0.1))) as url:
        url += "/api/recordings/search/events?pace=0"
        events = get_events(url)
        assert get_events(url, **{"last-event-id": events[5].id}) == events[6:]
        time.sleep(1.5)
        assert CLIENT.get(url, headers={"last-event-id": events[5].id}).status_code == 404


@pytest.mark.parametrize("id", ["nobody-3", "{id}-3"])
def test_a_request_that_is_posted_again_never_starts_a_second_run(
    relay: str, provider: Provider, id: str
) -> None:
    url, body = f"{relay}/v1/messages", {"model": "recorded:cut"}
    mine = events_of(CLIENT.post(url, json=body, headers={"authorization": "Bearer me"}))
    known, before = mine[0].id.rpartition("-")[0], len(provider.requests)
    for owner in ({"authorization": "Bearer you"}, {}):
        headers = {**owner, "last-event-id": id.format(id=known)}
        assert CLIENT.post(url, json=body, headers=headers).status_code == 404
    assert len(provider.requests) == before


def test_what_is_no_longer_kept_is_derived_again() -> None:
    with running(create_app(settings=SHORT._replace(max_kept_events=20))) as url:
        url += "/api/recordings/trip/events?pace=0"
        events = get_events(url)
        for at in (-10, -40, 0):
            assert get_events(url, **{"last-event-id": events[at].id}) == events[at:][1:]


def test_clients_of_different_streams_do_not_reconnect_at_the_same_time(gateway: str) -> None:
    url = f"{gateway}/api/recordings/search/events?pace=0"
    waits = {get_events(url)[0].retry for _ in range(12)}
    assert len(waits) > 3
    assert all(wait is not None and 100 <= wait <= 300 for wait in waits)


def test_two_clients_read_one_stream(relay: str, provider: Provider) -> None:
    url, body = f"{relay}/v1/chat/completions", {"model": "endless:shared"}
    with CLIENT.stream("POST", url, json=body, timeout=10) as first:
        chunks = first.iter_raw(512)
        id = next(decode([next(chunks)])).id
        with connected("POST", url, 5, {"last-event-id": id}, json=body) as events:
            assert events[0].id.endswith("-1")
            assert len(next(chunks)) > 0
    wait_for(lambda: "shared" in provider.left)


# silence, slowness, absence


def test_silence_has_heartbeats(relay: str, provider: Provider) -> None:
    body = {"model": "silent:s"}
    with CLIENT.stream("POST", f"{relay}/v1/chat/completions", json=body, timeout=10) as response:
        seen = b""
        for chunk in response.iter_raw():
            seen += chunk
            if seen.count(b":\n\n") >= 3:
                break
    assert [event.event for event in decode([seen])] == ["stream_start", "text_delta"]
    wait_for(lambda: "s" in provider.left)


@pytest.mark.parametrize("prefix", ["/v1", "/provider/v1"])
def test_a_client_that_leaves_stops_its_upstream_after_the_grace_period(
    relay: str, provider: Provider, prefix: str
) -> None:
    name = f"gone {prefix}"
    with connected("POST", f"{relay}{prefix}/chat/completions", 3, json={"model": f"endless:{name}"}):
        left = time.monotonic()
    wait_for(lambda: name in provider.left)
    assert SHORT.grace - 0.1 < provider.left[name] - left < SHORT.grace + 2


def test_a_client_that_leaves_before_the_answer_stops_its_upstream_at_once(
    upstream: str, provider: Provider
) -> None:
    """It has no id to come back with."""
    with running(create_app(upstream, settings=SHORT._replace(grace=60))) as url:
        for prefix in ("/v1", "/provider/v1"):
            with pytest.raises(httpx.ReadTimeout):
                CLIENT.post(f"{url}{prefix}/messages", json={"model": f"mute:{prefix}"}, timeout=0.3)
            wait_for(lambda prefix=prefix: prefix in provider.left)  # type: ignore[misc]


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


@needs_proc
def test_slow_clients_slow_their_own_streams_only(provider: Provider, upstream: str) -> None:
    """What flows into the gateway stops, but for what sockets and bounded buffers take."""
    with process(upstream) as (url, server), ExitStack() as stack:
        ask(url, "recorded:trip")
        fresh = rss(server.pid)
        readers = []
        for number in range(4):
            body = {"model": f"flood:slow {number}"}
            slow = CLIENT.stream("POST", f"{url}/v1/chat/completions", json=body, timeout=20)
            readers.append(stack.enter_context(slow).iter_raw(4096))
        for _ in range(5):
            for reader in readers:
                next(reader)
            time.sleep(0.1)
        names = [f"slow {number}" for number in range(4)]
        sent: list[int] = []
        while sent != (now := [provider.sent[name] for name in names]):
            sent = now
            time.sleep(0.4)
        assert max(sent) < 25_000_000
        start = time.monotonic()
        for _ in range(5):
            assert events_of(ask(url, "recorded:trip"))[-1].event == "stream_end"
        assert time.monotonic() - start < 5
        assert [provider.sent[name] for name in names] == sent
        grown = rss(server.pid) - fresh
        print(f"slow clients: {sum(sent) // 4000} kB sent to each, the gateway has {grown // 4} kB for each")
        # what was read is kept for other clients
        assert grown < 4 * 3_000 + sum(sent) // 1000
        # and it continues where it stopped
        size = 0
        while size < sent[0]:
            size += len(next(readers[0]))
        wait_for(lambda: provider.sent["slow 0"] > sent[0])
    wait_for(lambda: set(names) <= set(provider.left))


# bounds


def test_too_much_is_refused() -> None:
    settings = SHORT._replace(max_body=1000, max_streams=2, max_seconds=1.2, max_event=3000)
    with running(create_app(settings=settings)) as url:
        response = CLIENT.post(f"{url}/v1/messages", json={"stream": True, "x": "x" * 1000})
        assert (response.status_code, response.json()["code"]) == (413, "body_limit")
        slow = f"{url}/api/recordings/trip/events?pace=10"
        with connected("GET", slow, 1), connected("GET", slow, 1) as events:
            busy = CLIENT.get(slow)
            assert (busy.status_code, busy.json()["code"]) == (503, "busy")
            assert "retry-after" in busy.headers
            assert ask(url, "m", "/provider/v1/messages").status_code == 503
            time.sleep(1.2)
            # what is over gives way
            late = get_events(slow, **{"last-event-id": events[0].id})
        assert [event.event for event in late[-2:]] == ["error", "stream_end"]
        assert json.loads(late[-2].data)["code"] == "time_limit"


def test_streams_are_bounded(upstream: str) -> None:
    settings = SHORT._replace(max_stream_bytes=100_000, max_event=10_000)
    with running(create_app(upstream, settings=settings)) as url:
        events = events_of(ask(url, "flood:bounded"))
        assert json.loads(events[-2].data)["code"] == "stream_limit"
        with pytest.raises(httpx.RemoteProtocolError):
            ask(url, "flood:bounded", "/provider/v1/messages")
    with running(create_app(upstream, settings=settings._replace(max_event=3000))) as url:
        events = events_of(ask(url, "flood:bounded"))
        assert json.loads(events[-2].data)["code"] == "event_limit"


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    """And while it is, it counts as a stream: bodies under way can't fill the memory either."""
    settings = SHORT._replace(max_streams=1, body_seconds=0.5)
    app = create_app(settings=settings)
    streams = app.state.gateway.hub
    with running(app) as url:
        sent = b"Host: x\r\nConnection: close\r\nContent-Length: 9\r\n\r\n{"
        for path in (b"/v1/messages", b"/provider/v1/messages", b"/api/enrich"):
            start = time.monotonic()
            with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=5) as stalled:
                stalled.sendall(b"POST %b HTTP/1.1\r\n" % path + sent)
                wait_for(lambda: streams._others.total() == 1)
                assert ask(url, "m").status_code == 503
                answer = b"".join(iter(lambda: stalled.recv(1000), b""))
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert b'"time_limit"' in answer
            assert 0.4 < time.monotonic() - start < 3
        assert (streams._others.total(), ask(url, "m").status_code) == (0, 200)


@pytest.mark.parametrize("wrong", [{"grace": -1}, {"max_streams": 0}, {"heartbeat": None}, {"pace": True}])
def test_settings_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must be a positive number"):
        create_app(settings=Settings()._replace(**wrong))


# who may ask


@pytest.fixture(scope="module")
def guarded() -> Iterator[str]:
    with running(create_app(settings=SHORT, hosts=("127.0.0.1", "localhost"))) as url:
        yield url


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "{url}"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "localhost"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": "["}, 421),
    ],
)
def test_pages_of_others_cannot_ask(guarded: str, headers: dict[str, str], status: int) -> None:
    sent = {name: value.format(url=guarded) for name, value in headers.items()}
    assert ask(guarded, "m", **sent).status_code == status


def test_the_page_is_served_under_a_strict_policy(
    gateway: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("midstream.server.page.folder", lambda: tmp_path)
    assert CLIENT.get(gateway).status_code == 404
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "lib").mkdir()
    (tmp_path / "other").mkdir()
    files = {
        "index.html": "text/html", "page.js": "text/javascript", "a.css": "text/css",
        "lib/b.js": "text/javascript",
    }  # fmt: skip
    for name, kind in files.items():
        (tmp_path / name).write_text("ü")
        response = CLIENT.get(gateway if name == "index.html" else f"{gateway}/web/{name}")
        assert response.text == "ü"
        assert response.headers["content-type"] == f"{kind}; charset=utf-8"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self'; "
        )
    (tmp_path / "secret.txt").write_text("x")
    (tmp_path / "lib" / "secret.txt").write_text("x")
    for hidden in (".env.js", "lib/.env.js", "lib/lib/c.js", "other/c.js"):
        (tmp_path / hidden).write_text("x")
    (tmp_path.parent / "above.js").write_text("x")
    names = [
        "secret.txt", "lib/secret.txt", ".env.js", "lib/.env.js", "lib/lib/c.js", "other/c.js", "nope.js",
        "lib/nope.js", "..%2f..%2fserver%2fapp.py", "..%2fabove.js", "lib/..%2f..%2fabove.js",
        "lib%2f..%2fpage.js", "page.js%00", ".", "lib", "a" * 300 + ".js",
    ]  # fmt: skip
    for name in names:
        assert CLIENT.get(f"{gateway}/web/{name}").status_code == 404


# in a process of its own

SERVE = """
import sys
from midstream.server import Settings, serve
pace, grace, max_seconds = map(float, sys.argv[2:5])
settings = Settings(pace=pace, grace=grace, max_seconds=max_seconds, drain=1)
def report(url): print(url, flush=True)
address, upstream, log_level = sys.argv[5], sys.argv[1] or None, sys.argv[6]
serve(host=address, port=0, upstream=upstream, settings=settings, on_ready=report, log_level=log_level)
"""


@contextmanager
def process(
    upstream: str = "",
    pace: float = 0,
    grace: float = 1,
    max_seconds: float = 600,
    host: str = "127.0.0.1",
    level: str = "info",
    script: str = SERVE,
) -> Iterator[tuple[str, Any]]:
    """Run `serve` in a process; give its URL, and itself."""
    settings = map(str, (pace, grace, max_seconds))
    command = [sys.executable, "-c", script, upstream, *settings, host, level]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, text=True, **pipes) as server:  # type: ignore[call-overload]
        try:
            lines: list[str] = []
            while not (line := server.stdout.readline()).startswith("http"):
                assert line, lines
                lines.append(line)
            yield line.strip(), server
        finally:
            server.terminate()


def test_secrets_are_in_no_log(upstream: str) -> None:
    # all that the other levels write, and more
    level = "trace"
    secret = "sk-5ecret"
    address = upstream.replace("http://", f"http://user:{secret}@") + f"?key={secret}"
    headers = {"authorization": f"Bearer {secret}", "x-api-key": secret}
    with process(address, level=level) as (url, server):
        for model in ("recorded:trip", "refuses", "breaks", "babbles", "complete"):
            for path in ("/v1/chat/completions", "/provider/v1/chat/completions"):
                try:
                    ask(url, model, f"{path}?token={secret}", **headers)
                except httpx.RemoteProtocolError:
                    assert model == "breaks"
        CLIENT.get(f"{url}/api/recordings?token={secret}", headers={"host": secret})
        server.terminate()
        log = server.stdout.read()
    with process(f"http://user:{secret}@127.0.0.1:9/{secret}?key={secret}", level=level) as (url, server):
        assert secret not in ask(url, "m", f"/v1/messages?token={secret}", **headers).text
        server.terminate()
        log += server.stdout.read()
    assert secret not in log
    assert '"POST /provider/v1/chat/completions HTTP/1.1" 429' in log
    assert server.returncode in (0, -15, None)


def test_credentials_in_the_upstreams_address_are_used(upstream: str, provider: Provider) -> None:
    address = upstream.replace("http://", "http://user:pass@") + "/v1?key=k"
    with running(create_app(address, settings=SHORT)) as url:
        ask(url, "complete", "/v1/messages?a=b")
        seen, sent = provider.requests[-1]
        assert seen == "/v1/messages?key=k&a=b"
        assert sent["authorization"] == "Basic dXNlcjpwYXNz"
        ask(url, "complete", authorization="Bearer mine")
        assert provider.requests[-1][1]["authorization"] == "Bearer mine"


def test_it_listens_where_only_this_machine_reaches_it() -> None:
    with process() as (url, _):
        assert url.startswith("http://127.0.0.1:")
        assert CLIENT.get(f"{url}/api/recordings", headers={"host": "evil.example"}).status_code == 421
    with process(host="127.0.0.2") as (url, _):
        assert url.startswith("http://127.0.0.2:")
        assert CLIENT.get(f"{url}/api/recordings").status_code == 200
        assert CLIENT.get(f"{url}/api/recordings", headers={"host": "evil.example"}).status_code == 421
    with pytest.raises(ValueError, match="upstream"):
        serve(upstream="nowhere")


def test_it_ends_when_asked_to_even_with_streams_under_way() -> None:
    with process(pace=10) as (url, server), connected("GET", f"{url}/api/recordings/trip/events", 2):
        start = time.monotonic()
        server.terminate()
        output = server.stdout.read()
        server.wait(5)
        assert time.monotonic() - start < 4
        assert "Traceback" not in output, output


@needs_proc
def test_a_client_that_never_reads_does_not_keep_its_connection() -> None:
    """Not even one whose answer is over for us, but not yet written to its socket."""
    script = "import midstream.server.process as run; run._FLUSH_SECONDS = 0.5\n" + SERVE
    with process(max_seconds=1, script=script) as (url, server):

        def files() -> int:
            return len(list(Path(f"/proc/{server.pid}/fd").iterdir()))

        before = files()
        arguments = "[" * 900 + "1," * 20_000
        with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as client:
            body = json.dumps(one_call(arguments)).encode()
            client.sendall(b"POST /api/enrich HTTP/1.1\r\nHost: localhost\r\n")
            client.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            wait_for(lambda: files() > before)
            wait_for(lambda: files() == before, 15)


def rss(pid: int) -> int:
    """Return the kilobytes that a process has in memory."""
    found = re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])


@contextmanager
def sampled(pid: int) -> Iterator[list[int]]:
    """Look at the memory of a process while the context lasts."""
    sizes, is_over = [rss(pid)], threading.Event()

    def look() -> None:
        while not is_over.wait(0.1):
            sizes.append(rss(pid))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield sizes
    finally:
        is_over.set()
        thread.join()


async def read_many(url: str, count: int) -> list[int]:
    """Read so many streams at once; give the number of events of each."""
    limits = httpx.Limits(max_connections=count)
    body = {"stream": True, "model": f"paced:{count}"}

    async with httpx.AsyncClient(limits=limits, timeout=60) as client:

        async def read() -> int:
            decoder, found = SseDecoder(), 0
            async with client.stream("POST", url, json=body) as response:
                assert response.status_code == 200
                async for chunk in response.aiter_raw():
                    found += len(decoder.add_bytes(chunk))
            return found

        return list(await asyncio.gather(*(read() for _ in range(count))))


@needs_proc
@pytest.mark.parametrize("count", [100, pytest.param(200, marks=pytest.mark.deep)])
def test_many_streams_at_once(upstream: str, count: int) -> None:
    """Through the gateway from a real upstream; memory is that of the gateway's own process."""
    with process(upstream, grace=0.5) as (url, server):
        url += "/v1/chat?format=vercel-ui"
        fresh = rss(server.pid)
        # what Python keeps for later it keeps from the first time on
        asyncio.run(read_many(url, count))
        time.sleep(0.6)
        before = rss(server.pid)
        start = time.monotonic()
        with sampled(server.pid) as sizes:
            counts = asyncio.run(read_many(url, count))
        seconds = time.monotonic() - start
        time.sleep(0.6)
        after = rss(server.pid)
    print(f"{count} streams: {seconds:.1f} s; kB {fresh}, before {before}, most {max(sizes)}, after {after}")
    assert len(set(counts)) == 1
    assert counts[0] > 40
    # 200 kB each, and none of it for good
    assert max(sizes) - fresh < 200 * count
    assert after - before < 10_000


def test_nothing_is_left_when_clients_are_gone(upstream: str) -> None:
    """Neither streams nor tasks, however clients left."""
    app = create_app(upstream, settings=SHORT._replace(grace=0.2))
    tasks: list[int] = []

    async def counting(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            tasks.append(len(asyncio.all_tasks()))
        await app(scope, receive, send)

    with running(counting) as url:
        CLIENT.get(f"{url}/api/recordings")
        for _ in range(5):
            ask(url, "recorded:trip")
            ask(url, "refuses")
            for path in ("/v1/chat/completions", "/provider/v1/chat/completions"):
                with connected("POST", url + path, 3, json={"model": "endless:x"}):
                    pass
        hub = app.state.gateway.hub
        wait_for(lambda: len(hub) == hub._others.total() == 0)
        time.sleep(0.1)
        CLIENT.get(f"{url}/api/recordings")
        # and one that watches for the end of the process, for all streams
        assert tasks[-1] <= tasks[0] + 1


# the providers' own SDKs

OPENAI = """
import json, openai, sys
def read(url):
    client = openai.OpenAI(api_key="none", base_url=url + "/v1", max_retries=0)
    messages = [{"role": "user", "content": "?"}]
    def chat(model):
        return client.chat.completions.create(model=model, messages=messages, stream=True)
    yield [chunk.to_dict() for chunk in chat("recorded:trip")]
    events = client.responses.create(model="recorded:patch", input="?", stream=True)
    yield [event.to_dict() for event in events]
    with client.chat.completions.stream(model="recorded:trip", messages=messages) as stream:
        yield stream.get_final_completion().to_dict()
    try:
        chat("refuses")
    except openai.RateLimitError as error:
        yield [error.status_code, error.body, error.request_id]
    yield client.chat.completions.create(model="complete", messages=messages).to_dict()
print(json.dumps([list(read(url)) for url in sys.argv[1:]]))
"""
ANTHROPIC = """
import anthropic, asyncio, json, sys
def read(url):
    client = anthropic.Anthropic(api_key="none", base_url=url, max_retries=0)
    asked = {"max_tokens": 9, "messages": [{"role": "user", "content": "?"}]}
    yield [event.to_dict() for event in client.messages.create(model="recorded:cut", stream=True, **asked)]
    with client.messages.stream(model="recorded:cut", **asked) as stream:
        yield [event.type for event in stream]
        yield stream.get_final_message().to_dict()
    try:
        client.messages.create(model="refuses", stream=True, **asked)
    except anthropic.RateLimitError as error:
        yield [error.status_code, error.body]
    async def other():
        client = anthropic.AsyncAnthropic(api_key="none", base_url=url, max_retries=0)
        async with client.messages.stream(model="recorded:cut", **asked) as stream:
            return [text async for text in stream.text_stream]
    yield asyncio.run(other())
print(json.dumps([list(read(url)) for url in sys.argv[1:]]))
"""


@pytest.mark.parametrize(("sdk", "script"), [("openai", OPENAI), ("anthropic", ANTHROPIC)])
def test_an_sdk_works_against_the_gateway_as_against_the_service(
    upstream: str, relay: str, sdk: str, script: str
) -> None:
    given = os.environ.get(f"MIDSTREAM_{sdk.upper()}_PYTHON")
    python = Path(given) if given else ROOT / f".venv-sdk-{sdk}" / "bin" / "python"
    if not python.exists():
        pytest.fail(f"no environment for the {sdk} SDK at {python}: run `make sdk-envs`", pytrace=False)
    command = [str(python), "-c", script, upstream, f"{relay}/provider"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    direct, through = json.loads(done.stdout)
    assert through == direct
    assert len(direct) == 5
    name = "trip" if sdk == "openai" else "cut"
    assert len(direct[0]) in (len(recordings.load(name).events()), len(recordings.load(name).events()) - 1)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/v1/chat/completions?events=provider", 400, "invalid_events"),
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/api/enrich", 405, "not_allowed"),
    ],
)
def test_every_refusal_is_json(method: str, path: str, status: int, code: str, gateway: str) -> None:
    answer = CLIENT.request(method, gateway + path, content=b'{"stream": true}')
    assert answer.status_code == status
    assert answer.json()["code"] == code

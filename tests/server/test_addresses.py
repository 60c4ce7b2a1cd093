"""The addresses of streams: reading, resuming, cancelling, for any number of clients."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from midstream import recordings
from midstream.calls.messages import TYPES
from midstream.server import Settings, create_app
from midstream.sse import SseDecoder, SseEvent, decode
from test_server import Provider, running, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT = Settings(pace=0, grace=0.5, heartbeat=0.2, connect_seconds=2)
ME, YOU = {"authorization": "Bearer me"}, {"authorization": "Bearer you"}
CHAT = "/v1/chat/completions"
CLIENT = httpx.Client(timeout=20)


@pytest.fixture(scope="module", autouse=True)
def close_client() -> Iterator[None]:
    with CLIENT:
        yield


@pytest.fixture(scope="module")
def provider() -> Provider:
    return Provider()


@pytest.fixture(scope="module")
def relay(provider: Provider) -> Iterator[str]:
    with running(provider) as upstream, running(create_app(upstream, settings=SHORT)) as url:
        yield url


def post(url: str, model: str, query: str = "", path: str = CHAT, **headers: str) -> httpx.Response:
    body = {"stream": True, "model": model}
    return CLIENT.post(url + path + query, json=body, headers={**ME, **headers})


def events_of(response: httpx.Response) -> list[SseEvent]:
    assert response.status_code == 200, response.text
    return list(decode([response.content]))


class Reader:
    """Read a stream event by event."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.events: list[SseEvent] = []
        self._decoder = SseDecoder()
        self._chunks = response.iter_raw()

    def read(self, count: int) -> list[SseEvent]:
        while len(self.events) < count:
            self.events += self._decoder.add_bytes(next(self._chunks))
        return self.events

    def read_all(self) -> list[SseEvent]:
        for chunk in self._chunks:
            self.events += self._decoder.add_bytes(chunk)
        return self.events


def test_an_answer_names_its_stream_which_can_be_read_again(relay: str) -> None:
    answer = post(relay, "recorded:trip")
    id = answer.headers["midstream-stream"]
    assert answer.headers["content-location"] == f"/v1/streams/{id}"
    address = f"{relay}/v1/streams/{id}"
    again = CLIENT.get(address, headers=ME)
    assert again.content == answer.content
    assert again.headers["midstream-stream"] == id
    raw = CLIENT.get(f"{relay}/provider/v1/streams/{id}", headers=ME)
    assert raw.content == recordings.load("trip").body
    assert raw.headers["content-location"] == f"/provider/v1/streams/{id}"
    compact = CLIENT.get(f"{address}?form=compact", headers=ME)
    assert len(compact.content) < len(answer.content) / 3
    both = CLIENT.get(f"{address}?events=both", headers=ME)
    assert all(block in both.content for block in recordings.load("trip").blocks())


@pytest.mark.parametrize("query", ["", "?form=compact", "?events=both"])
def test_a_stream_is_resumed_after_every_event(relay: str, query: str) -> None:
    answer = post(relay, "recorded:search", query)
    address = f"{relay}{answer.headers['content-location']}{query}"
    entire = events_of(answer)
    for at, event in enumerate(entire[:-1]):
        if query == "?events=both" and event.event not in {"stream_start", *TYPES}:
            # an event of the provider: its own id follows it
            continue
        rest = events_of(CLIENT.get(address, headers={**ME, "last-event-id": event.id}))
        assert [one[:2] for one in rest] == [one[:2] for one in entire[at + 1 :]]
    assert CLIENT.get(address, headers={**ME, "last-event-id": entire[-1].id}).status_code == 204


def test_a_position_may_be_in_the_query(relay: str) -> None:
    answer = post(relay, "recorded:trip")
    address = f"{relay}{answer.headers['content-location']}"
    entire = events_of(answer)
    event = entire[5]
    for after in (event.id, event.id.rpartition("-")[2]):
        assert events_of(CLIENT.get(address, params={"after": after}, headers=ME)) == entire[6:]
    # the header wins: it is what a client that reconnects has seen
    both = CLIENT.get(address, params={"after": entire[1].id}, headers={**ME, "last-event-id": event.id})
    assert events_of(both) == entire[6:]
    blocks = recordings.load("trip").blocks()
    for number in (0, 1, len(blocks) - 1):
        raw = CLIENT.get(address.replace("/v1/", "/provider/v1/"), params={"after": number}, headers=ME)
        assert raw.content == b"".join(blocks[number:])


@pytest.mark.parametrize(
    ("after", "status", "code"),
    [("99999", 409, "cursor_ahead"), ("x", 400, "invalid_cursor"), ("other-1", 400, "invalid_cursor")],
)
def test_a_position_that_is_none_is_refused(relay: str, after: str, status: int, code: str) -> None:
    id = post(relay, "recorded:search").headers["midstream-stream"]
    answer = CLIENT.get(f"{relay}/v1/streams/{id}?after={after}", headers=ME)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize("prefix", ["/v1", "/provider/v1"])
def test_a_foreign_owner_finds_nothing(relay: str, prefix: str) -> None:
    id = post(relay, "recorded:search").headers["midstream-stream"]
    for address, headers in ((id, YOU), (id, {}), ("0" * 32, ME)):
        for method in ("GET", "HEAD", "DELETE"):
            answer = CLIENT.request(method, f"{relay}{prefix}/streams/{address}", headers=headers)
            assert answer.status_code == 404
            assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_head_says_how_a_stream_stands(relay: str, provider: Provider) -> None:
    answer = post(relay, "recorded:search")
    address = f"{relay}{answer.headers['content-location']}"
    head = CLIENT.head(address, headers=ME)
    count = len(recordings.load("search").blocks())
    assert head.headers["midstream-status"] == "complete"
    assert head.headers["midstream-next"] == str(count + 1)
    with CLIENT.stream("POST", f"{relay}{CHAT}", json={"model": "endless:head"}, headers=ME) as response:
        Reader(response).read(3)
        address = f"{relay}{response.headers['content-location']}"
        assert CLIENT.head(address, headers=ME).headers["midstream-status"] == "open"
        CLIENT.delete(address, headers=ME)
        wait_for(lambda: "head" in provider.left)
    wait_for(lambda: CLIENT.head(address, headers=ME).headers["midstream-status"] == "cancelled")


def test_many_clients_read_one_stream_and_one_cancels_it(relay: str, provider: Provider) -> None:
    with CLIENT.stream("POST", f"{relay}{CHAT}", json={"model": "endless:many"}, headers=ME) as response:
        first = Reader(response)
        first.read(5)
        address = f"{relay}{response.headers['content-location']}"
        before = len(provider.requests)

        def read(number: int) -> list[SseEvent]:
            after = first.events[number % 5].id if number % 2 else ""
            headers = {**ME, "last-event-id": after} if after else ME
            with CLIENT.stream("GET", address, headers=headers) as response:
                events = Reader(response).read_all()
            at = number % 5 + 1 if after else 0
            return first.events[:at] + events

        with ThreadPoolExecutor(12) as pool:
            reading = [pool.submit(read, number) for number in range(12)]
            first.read(30)
            assert CLIENT.delete(address, headers=ME).status_code == 202
            entire = first.read_all()
            for one in reading:
                assert one.result() == entire
    assert [event.event for event in entire[-2:]] == ["error", "stream_end"]
    assert json.loads(entire[-2].data)["code"] == "cancelled"
    assert len(provider.requests) == before
    wait_for(lambda: "many" in provider.left)


def test_a_slow_client_slows_no_other(relay: str, provider: Provider) -> None:
    body = {"model": "flood:watched"}
    with CLIENT.stream("POST", f"{relay}{CHAT}", json=body, headers=ME) as slow:
        chunks = slow.iter_raw(4096)
        next(chunks)
        address = f"{relay}{slow.headers['content-location']}"
        with CLIENT.stream("GET", address, headers=ME) as response:
            fast = Reader(response)
            # more than all sockets and buffers on the way to the slow one hold
            events = fast.read(4_000)
        numbers = [event.id.rpartition("-")[2] for event in events]
        assert numbers == [str(number) for number in range(len(events))]
        assert CLIENT.delete(address, headers=ME).status_code == 202
        wait_for(lambda: "watched" in provider.left)


def test_other_requests_are_passed_on(upstream_of_any: tuple[str, list[Any]]) -> None:
    url, seen = upstream_of_any
    for method, path in (
        ("GET", "/v1/models"),
        ("GET", "/provider/v1/models?limit=3"),
        ("GET", "/v1/responses/r1"),
        ("DELETE", "/provider/v1/responses/r1"),
    ):
        answer = CLIENT.request(method, url + path, headers={**ME, "traceparent": "00-1-2-01"})
        assert answer.json() == {"ok": True}
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert seen[-1] == (method, path.replace("/provider", ""), "Bearer me", "00-1-2-01")


@pytest.fixture
def upstream_of_any() -> Iterator[tuple[str, list[Any]]]:
    seen: list[Any] = []

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        headers = {key.decode(): value.decode() for key, value in scope["headers"]}
        query = scope["query_string"].decode()
        path = scope["path"] + (f"?{query}" if query else "")
        seen.append((scope["method"], path, headers["authorization"], headers["traceparent"]))
        start = {"status": 200, "headers": [(b"content-type", b"application/json")]}
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": b'{"ok": true}'})

    with running(answer) as upstream, running(create_app(upstream, settings=SHORT)) as url:
        yield url, seen


def test_without_an_upstream_there_is_nothing_to_pass_on_to() -> None:
    with running(create_app(settings=SHORT)) as url:
        assert CLIENT.get(f"{url}/v1/models").status_code == 405


def test_a_silent_upstream_is_given_up(provider: Provider) -> None:
    with (
        running(provider) as upstream,
        running(create_app(upstream, settings=SHORT._replace(idle=0.5))) as url,
    ):
        events = events_of(post(url, "silent:idle"))
    assert [event.event for event in events[-3:]] == ["text_delta", "error", "stream_end"]
    assert json.loads(events[-2].data)["code"] == "upstream_error"
    wait_for(lambda: "idle" in provider.left)


def test_all_streams_together_are_bounded(provider: Provider) -> None:
    settings = SHORT._replace(max_log_bytes=100_000, heartbeat=0.05)
    with running(provider) as upstream, running(create_app(upstream, settings=settings)) as url:
        events = events_of(post(url, "flood:sum"))
    assert json.loads(events[-2].data)["code"] == "stream_limit"

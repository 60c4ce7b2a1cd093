"""Running a gateway: repeated requests, what is measured, readiness, bounds on connections, other origins."""

from __future__ import annotations

import json
import re
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from midstream import recordings
from midstream.server import Settings, create_app
from midstream.sse import decode
from relay_stage import CountingUpstream, workers
from test_server import running, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from relay_stage import Workers

SHORT = Settings(pace=0, grace=0.5, heartbeat=0.2)
CHAT = "/v1/chat/completions"
CLIENT = httpx.Client(timeout=20)


@pytest.fixture(scope="module", autouse=True)
def close_client() -> Iterator[None]:
    with CLIENT:
        yield


@pytest.fixture(scope="module")
def upstream() -> CountingUpstream:
    return CountingUpstream()


@pytest.fixture(scope="module")
def gateway(upstream: CountingUpstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    store = f"sqlite:///{tmp_path_factory.mktemp('store')}/store.db"
    settings: dict[str, Any] = {"metrics": True, "head_seconds": 1.0, "max_connections": 40}
    with running(upstream) as url, workers(url, store, 2, **settings) as gateway:
        yield gateway


def post(gateway: Workers, model: str, key: str, **headers: str) -> httpx.Response:
    body = {"stream": True, "model": model}
    # a connection of its own: any worker may answer
    headers = {"idempotency-key": key, "connection": "close", **headers}
    return CLIENT.post(gateway.url + CHAT, json=body, headers=headers)


def test_a_repeated_request_joins_its_stream(gateway: Workers, upstream: CountingUpstream) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: post(gateway, "again:40:0.01", "key 1"), range(8)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.headers["midstream-stream"] for answer in answers}) == 1
    assert len({answer.content for answer in answers}) == 1
    # also when it is over, and for each owner by itself
    assert post(gateway, "again:40:0.01", "key 1").content == answers[0].content
    assert upstream.requests.count("again") == 1
    other = post(gateway, "again:40:0.01", "key 1", authorization="Bearer you")
    assert other.headers["midstream-stream"] != answers[0].headers["midstream-stream"]
    assert upstream.requests.count("again") == 2


def test_a_key_belongs_to_one_request(gateway: Workers) -> None:
    assert post(gateway, "one:4:0", "key 2").status_code == 200
    answer = post(gateway, "two:4:0", "key 2")
    assert (answer.status_code, answer.json()["code"]) == (422, "key_reused")


def test_a_request_that_failed_can_be_repeated() -> None:
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if len(seen) == 1:
            raise httpx.ConnectError("not yet")
        return httpx.Response(
            200, content=recordings.load("trip").body, headers={"content-type": "text/event-stream"}
        )

    app = create_app("http://provider", settings=SHORT, transport=httpx.MockTransport(answer))
    with running(app) as url:
        statuses = [
            CLIENT.post(url + CHAT, json={"model": "m"}, headers={"idempotency-key": "k"}).status_code
            for _ in range(3)
        ]
    assert statuses == [502, 200, 200]
    assert len(seen) == 2


def test_what_is_measured_is_the_sum_of_all_workers(gateway: Workers) -> None:
    for number in range(6):
        assert post(gateway, "measured:30:0", f"measured {number}").status_code == 200

    def text() -> str:
        answer = CLIENT.get(f"{gateway.url}/metrics", headers={"connection": "close"})
        assert answer.headers["content-type"].startswith("text/plain; version=")
        return answer.text

    def value(name: str) -> float:
        found = re.search(rf"^{re.escape(name)} (\S+)$", text(), re.MULTILINE)
        return float(found[1]) if found else 0

    calls = 'midstream_tool_calls_total{format="openai-chat",outcome="complete",tool="count"}'
    wait_for(lambda: value(calls) >= 6)
    wait_for(lambda: value("midstream_streams_open") == 0)
    assert value('midstream_streams_total{end="complete"}') >= 6
    assert value("midstream_events_total") >= 6 * 30
    for kind in ("append", "first_event", "first_argument"):
        assert value(f"midstream_{kind}_seconds_count") >= 6
    assert value("midstream_viewers") == 0


def test_health_and_readiness(gateway: Workers) -> None:
    assert CLIENT.get(f"{gateway.url}/healthz").json() == {"status": "ok"}
    assert CLIENT.get(f"{gateway.url}/readyz").json()["status"] == "ready"
    with running(create_app(settings=SHORT, store="redis://127.0.0.1:1/0")) as url:
        assert CLIENT.get(f"{url}/healthz").status_code == 200
        for path in ("/readyz", "/api/recordings/trip/events"):
            answer = CLIENT.get(url + path)
            assert (answer.status_code, answer.json()["code"]) == (503, "store_lost")
        assert CLIENT.get(f"{url}/metrics").status_code == 404


def test_silent_connections_keep_nobody_out(gateway: Workers) -> None:
    address = ("127.0.0.1", gateway.port)
    silent = [socket.create_connection(address, timeout=10) for _ in range(150)]
    try:
        silent[0].sendall(b"GET /healthz HTTP/1.1\r\nHost: local")
        for _ in range(10):
            assert CLIENT.get(f"{gateway.url}/healthz", headers={"connection": "close"}).status_code == 200
        # all of them are closed soon, also the one that has begun
        for connection in silent:
            try:
                assert connection.recv(100) == b""
            except ConnectionError:
                continue
    finally:
        for connection in silent:
            connection.close()


def test_every_answer_has_nosniff(gateway: Workers) -> None:
    answer = post(gateway, "sniff:4:0", "sniff")
    id = answer.headers["midstream-stream"]
    asked = [
        ("GET", "/"), ("GET", "/api/recordings"), ("GET", "/nope"), ("PATCH", "/"), ("GET", "/metrics"),
        ("GET", "/readyz"), ("GET", f"/v1/streams/{id}"), ("GET", f"/provider/v1/streams/{id}"),
        ("HEAD", f"/v1/streams/{id}"),
        ("GET", f"/v1/streams/{id}/state"), ("DELETE", f"/v1/streams/{id}"), ("GET", "/v1/streams/x"),
        ("GET", "/api/recordings/trip/events?pace=0"), ("GET", "/web/page.js"),
    ]  # fmt: skip
    for method, path in asked:
        response = CLIENT.request(method, gateway.url + path)
        assert response.headers["x-content-type-options"] == "nosniff", path


def test_other_host_names_and_origins_are_accepted_if_they_are_named(tmp_path: Path) -> None:
    origin = {"origin": "https://app.example", "sec-fetch-site": "cross-site"}
    app = create_app(settings=SHORT, hosts=["gateway.example"], origins=["https://app.example"])
    with running(app) as url:
        assert CLIENT.get(f"{url}/healthz").status_code == 421
        host = {"host": "gateway.example"}
        answer = CLIENT.post(f"{url}{CHAT}", json={"stream": True}, headers={**host, **origin})
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "https://app.example"
        assert "midstream-stream" in answer.headers["access-control-expose-headers"]
        foreign = {**host, **origin, "origin": "https://other.example"}
        assert CLIENT.post(f"{url}{CHAT}", json={"stream": True}, headers=foreign).status_code == 403
        asked = {**host, **origin, "access-control-request-method": "DELETE"}
        assert CLIENT.options(f"{url}/v1/streams/x", headers=asked).status_code == 200


def test_a_process_that_stops_is_not_ready_and_ends_its_streams(upstream: CountingUpstream) -> None:
    with running(upstream) as url, workers(url, "memory:", 1, drain=1.5) as gateway:
        body = {"stream": True, "model": "stops:10000:0.01"}
        with CLIENT.stream("POST", gateway.url + CHAT, json=body) as response:
            chunks = response.iter_raw()
            received = next(chunks)
            # an open connection, as a load balancer has it
            with socket.create_connection(("127.0.0.1", gateway.port), timeout=10) as waiting:
                waiting.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert waiting.recv(1000).startswith(b"HTTP/1.1 200 ")
            started = time.monotonic()
            gateway.process.send_signal(signal.SIGTERM)
            received += b"".join(chunks)
        assert time.monotonic() - started > 1
        *_, error, end = decode([received])
        assert json.loads(error.data)["code"] == "producer_lost"
        assert end.event == "stream_end"
        assert gateway.process.wait(10) in (0, -signal.SIGTERM)


def test_a_line_for_each_stream(upstream: CountingUpstream) -> None:
    lines: list[str] = []
    with running(upstream) as url, workers(url, "memory:", 1, output=lines, log_streams=True) as gateway:
        body = {"stream": True, "model": "logged:10:0"}
        headers = {"authorization": "Bearer secret"}
        response = CLIENT.post(f"{gateway.url}{CHAT}", json=body, headers=headers)
    (line,) = [json.loads(line) for line in "".join(lines).splitlines() if line.startswith("{")]
    assert line.pop("seconds") >= 0
    assert line.pop("bytes") > 100
    assert line.pop("worker")
    assert line == {
        "stream": response.headers["midstream-stream"], "name": "chat/completions", "format": "openai-chat",
        "status": "complete", "events": 13,
    }  # fmt: skip
    assert "secret" not in "".join(lines)

"""The relay inside applications that call the provider themselves."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import FastAPI, Request

from midstream import recordings
from midstream.server import Relay, Settings
from midstream.sse import SseEvent, decode
from redis_server import running_redis
from relay_stage import Follower, Workers, arguments_of, chat_event
from test_server import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

ROOT = Path(__file__).parents[2]
QUICK = Settings(grace=1, heartbeat=0.2)
PATIENCE = 20.0


@contextmanager
def two_workers(url: str) -> Iterator[Workers]:
    """Run the example as its first line says, on a port of its own."""
    command = [sys.executable, "-m", "uvicorn", "examples.fastapi_relay:app", "--workers", "2", "--port", "0"]
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "REDIS_URL": url}, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as server:  # fmt: skip
        try:
            assert server.stderr is not None
            lines = iter(server.stderr.readline, "")
            address = next(line for line in lines if "running on" in line).partition("http://")[2].split()[0]
            for _ in range(2):
                next(line for line in lines if "startup complete" in line)
            yield Workers(server, f"http://{address}")
        finally:
            server.terminate()
            server.communicate()


async def begin(gateway: Workers) -> tuple[str, int]:
    """Start a stream; return its address, and the worker that fills it."""
    async with (
        httpx.AsyncClient(timeout=PATIENCE, base_url=gateway.url) as client,
        client.stream("POST", "/chat") as response,
    ):
        assert response.status_code == 200
        port = response.extensions["network_stream"].get_extra_info("client_addr")[1]
        worker = gateway.process_of(gateway.port, port)
        assert worker is not None
        return gateway.url + response.headers["content-location"], worker


@contextmanager
def stopped(worker: int) -> Iterator[None]:
    """Stop a worker while the context lasts, so that another one accepts connections."""
    os.kill(worker, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(worker, signal.SIGCONT)


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    with running_redis(tmp_path_factory.mktemp("redis")) as redis, two_workers(redis.url) as gateway:
        yield gateway


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it finds the worker in /proc")
@pytest.mark.parametrize("fills", [True, False], ids=["the one that fills it", "the other one"])
def test_an_application_with_two_workers_and_redis(application: Workers, fills: bool) -> None:
    """The worker of a client is killed, which fills the stream or not."""

    async def main(gateway: Workers) -> None:
        # the one that was killed in the other case is replaced
        while len(gateway.listening()) < 2:
            await asyncio.sleep(0.05)
        address, producer = await begin(gateway)
        other = next(pid for pid in gateway.listening() if pid != producer)
        follower = Follower(address)
        with stopped(other if fills else producer):
            follower.start()
            while not follower.statuses:
                await asyncio.sleep(0.01)
        while len(follower.events) < 30:
            await asyncio.sleep(0.01)
        worker = gateway.process_of(gateway.port, follower.port)
        assert worker == (producer if fills else other)
        os.kill(worker, signal.SIGKILL)
        await follower.finished()
        late = Follower(address)
        await late.run()
        assert late.events == follower.events
        assert follower.connections > 1
        names = [event.event for event in follower.events]
        codes = [json.loads(event.data)["code"] for event in follower.events if event.event == "error"]
        assert names.count("stream_end") == 1
        assert codes == (["producer_lost"] if fills else [])
        if not fills:
            assert arguments_of(follower.events) == ARGUMENTS

    asyncio.run(asyncio.wait_for(main(application), 60))


ARGUMENTS = "".join(
    call["function"]["arguments"]
    for block in recordings.load("trip").blocks()
    for event in decode([block])
    if event.data != "[DONE]"
    for choice in json.loads(event.data).get("choices", ())
    for call in choice["delta"].get("tool_calls", ())
)


def app_of(relay: Relay, events: list[Any], started: list[int], **options: Any) -> FastAPI:
    """Return an application that sends events, and notes how often it is asked to."""
    app = FastAPI(lifespan=relay.lifespan)
    app.mount(relay.path, relay)

    async def model() -> AsyncIterator[Any]:
        for event in events:
            if isinstance(event, Exception):
                raise event
            yield event

    async def chat(request: Request) -> Any:
        async def start() -> Any:
            started.append(len(started))
            return model()

        return await relay.respond(request, start, **options)

    # the annotations are names of this function
    chat.__annotations__["request"] = Request
    app.post("/chat", response_model=None)(chat)
    return app


def post(url: str, **headers: str) -> tuple[httpx.Response, list[SseEvent]]:
    response = httpx.post(f"{url}/chat", headers=headers, timeout=PATIENCE)
    return response, list(decode([response.content])) if response.status_code == 200 else []


DICTS = [json.loads(chat_event({"content": text})[6:]) for text in ("Hel", "lo")]


class Chunk:
    """An object of an SDK."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def model_dump(self, **options: Any) -> dict[str, Any]:
        return self._data


@pytest.mark.parametrize(
    "events",
    [DICTS, [Chunk(data) for data in DICTS], [SseEvent(data=json.dumps(data)) for data in DICTS],
     [chat_event({"content": "Hel"})[:9], chat_event({"content": "Hel"})[9:], chat_event({"content": "lo"})]],
    ids=["dicts", "objects", "events", "bytes"],
)  # fmt: skip
def test_what_a_provider_may_send(events: list[Any]) -> None:
    with running(app_of(Relay(settings=QUICK), events, [])) as url:
        response, found = post(url)
        assert [json.loads(event.data)["text"] for event in found if event.event == "text_delta"] == [
            "Hel",
            "lo",
        ]
        address = url + response.headers["content-location"]
        assert address.startswith(f"{url}/streams/")
        assert list(decode([httpx.get(address).content])) == found
        assert httpx.head(address).headers["midstream-status"] == "complete"
        assert httpx.get(f"{address}/state").json()["messages"][0]["text"] == "Hello"


@pytest.mark.parametrize(
    ("events", "code", "message"),
    [
        ([DICTS[0], ValueError("secret")], "upstream_error", "the provider's stream failed: ValueError"),
        ([DICTS[0], 7], "upstream_error", "the provider's stream failed: TypeError"),
    ],
)
def test_a_provider_that_fails(events: list[Any], code: str, message: str) -> None:
    with running(app_of(Relay(settings=QUICK), events, [])) as url:
        _, found = post(url)
    *_, error, end = found
    assert json.loads(error.data) | {"type": "error"} == {"type": "error", "code": code, "message": message}
    assert end.event == "stream_end"


def test_a_client_that_comes_back_starts_nothing() -> None:
    started: list[int] = []
    with running(app_of(Relay(settings=QUICK), DICTS, started)) as url:
        _, found = post(url, **{"idempotency-key": "k"})
        assert post(url, **{"idempotency-key": "k"})[1] == found
        assert post(url, **{"last-event-id": found[0].id})[1] == found[1:]
        assert post(url, **{"last-event-id": "unknown-1"})[0].status_code == 404
    assert started == [0]


def test_an_application_names_its_clients_and_decides_who_may_read() -> None:
    relay = Relay(settings=QUICK, path="/answers", owner=lambda request: request.headers.get("x-user", ""))
    with running(app_of(relay, DICTS, [])) as url:
        response, _ = post(url, **{"x-user": "ada"})
        address = url + response.headers["content-location"]
        assert address.startswith(f"{url}/answers/")
        for user, status in (("ada", 200), ("bob", 404)):
            headers = {"x-user": user}
            assert httpx.get(address, headers=headers).status_code == status
            assert httpx.head(address, headers=headers).status_code == status
            assert httpx.get(f"{address}/state", headers=headers).status_code == status
        assert httpx.delete(address, headers={"x-user": "bob"}).status_code == 404

    async def allows(request: Request, meta: Any) -> bool:
        return bool(request.headers.get("x-team") == meta["team"])

    relay = Relay(settings=QUICK, authorize=allows)
    with running(app_of(relay, DICTS, [], meta={"team": "red"})) as url:
        address = url + post(url)[0].headers["content-location"]
        assert httpx.get(address, headers={"x-team": "red"}).status_code == 200
        assert httpx.get(address, headers={"x-team": "blue"}).status_code == 404


def test_one_client_cannot_take_all_streams() -> None:
    async def forever() -> AsyncIterator[dict[str, Any]]:
        yield DICTS[0]
        await asyncio.sleep(60)

    settings = QUICK._replace(max_owner_streams=2, max_owner_viewers=3)
    relay = Relay(settings=settings)
    app = FastAPI(lifespan=relay.lifespan)
    app.mount(relay.path, relay)

    async def chat(request: Request) -> Any:
        async def start() -> Any:
            return forever()

        return await relay.respond(request, start)

    chat.__annotations__["request"] = Request
    app.post("/chat", response_model=None)(chat)

    def ask(client: httpx.Client, owner: str, method: str = "POST", path: str = "/chat") -> httpx.Response:
        request = client.build_request(method, path, headers={"authorization": owner})
        return client.send(request, stream=True)

    with running(app) as url, httpx.Client(base_url=url, timeout=PATIENCE) as client:
        first, second, third = (ask(client, "a") for _ in range(3))
        assert [first.status_code, second.status_code, third.status_code] == [200, 200, 429]
        assert json.loads(third.read())["code"] == "owner_limit"
        assert ask(client, "b").status_code == 200
        address = first.headers["content-location"]
        assert [ask(client, "a", "GET", address).status_code for _ in range(2)] == [200, 429]

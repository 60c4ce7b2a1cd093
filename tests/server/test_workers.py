"""Several workers that share a store: one of them is killed, and its clients continue on another one."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest
from redis import Redis

from midstream.server import serve
from midstream.server.store.base import StoreError
from redis_server import running_redis
from relay_stage import CountingUpstream, Follower, arguments_of, texts_of, workers
from test_server import running

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from relay_stage import Workers

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="several workers need Linux")

# what a busy machine may take; `make deep ONLY=chaos` measures the times
PATIENCE = 10.0


@pytest.fixture(scope="module")
def upstream() -> CountingUpstream:
    return CountingUpstream()


@pytest.fixture(scope="module", params=["sqlite", "redis"])
def gateway(
    request: pytest.FixtureRequest, upstream: CountingUpstream, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workers]:
    folder = tmp_path_factory.mktemp("store")
    with running(upstream) as url:
        if request.param == "sqlite":
            with workers(url, f"sqlite:///{folder}/store.db", 2, drain=5) as gateway:
                yield gateway
        else:
            with running_redis(folder) as redis, workers(url, redis.url, 2, drain=5) as gateway:
                yield gateway


def run(main: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(6 * PATIENCE):
            await main()

    asyncio.run(limited())


async def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        await asyncio.sleep(0.01)


@contextmanager
def held(upstream: CountingUpstream) -> Iterator[None]:
    """Let no stream end while its clients find their workers, which takes time on a busy machine."""
    upstream.may_end.clear()
    try:
        yield
    finally:
        upstream.may_end.set()


def begin(gateway: Workers, model: str) -> str:
    """Start a stream, and return its address without reading it."""
    url, body = f"{gateway.url}/v1/chat/completions", {"stream": True, "model": model}
    with httpx.Client(timeout=PATIENCE) as client, client.stream("POST", url, json=body) as response:
        assert response.status_code == 200
        return gateway.url + response.headers["content-location"]


def producer_of(gateway: Workers, upstream: CountingUpstream, name: str) -> int:
    """Return the process that reads the upstream."""
    pid = gateway.process_of(*upstream.ports[name])
    assert pid is not None
    return pid


async def follow(gateway: Workers, address: str, is_right: Callable[[int], bool]) -> Follower:
    """Follow a stream on one of certain workers; the kernel selects one, so try again."""
    while True:
        follower = Follower(address)
        follower.start()
        await until(lambda follower=follower: follower.events)  # type: ignore[misc]
        if is_right(gateway.process_of(gateway.port, follower.port) or 0):
            return follower
        await follower.stop()


async def kill(gateway: Workers, pid: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to a worker, and wait until another one replaces it."""
    os.kill(pid, number)
    await until(lambda: pid not in gateway.pids() and len(gateway.pids()) == 2)


def test_a_client_continues_when_its_worker_is_killed(gateway: Workers, upstream: CountingUpstream) -> None:
    name = f"viewer {gateway.port}"

    async def main() -> None:
        with held(upstream):
            address = begin(gateway, f"{name}:400:0.005")
            producer = producer_of(gateway, upstream, name)
            near = await follow(gateway, address, lambda pid: pid == producer)
            far = await follow(gateway, address, lambda pid: pid not in (producer, 0))
        killed = next(pid for pid in gateway.pids() if pid != producer)
        seen = len(far.events)
        await kill(gateway, killed)
        await until(lambda: len(far.events) > seen + 20)
        for follower in (near, far):
            await follower.finished()
            assert texts_of(follower.events) == list(range(200))
            assert json.loads(arguments_of(follower.events)) == list(range(200))
        assert far.connections == 2
        assert [event.id for event in near.events] == [event.id for event in far.events]
        assert upstream.requests.count(name) == 1

    run(main)


def test_a_stream_ends_honestly_when_its_producer_is_killed(
    gateway: Workers, upstream: CountingUpstream
) -> None:
    name = f"producer {gateway.port}"

    async def main() -> None:
        with held(upstream):
            address = begin(gateway, f"{name}:400:0.005")
            producer = producer_of(gateway, upstream, name)
            near = await follow(gateway, address, lambda pid: pid == producer)
            far = await follow(gateway, address, lambda pid: pid not in (producer, 0))
            # in the middle of the call
            await until(lambda: arguments_of(far.events).count(",") > 10)
            await kill(gateway, producer)
        late = Follower(address)
        late.start()
        for follower in (near, far, late):
            await follower.finished()
            *_, cut, error, end = follower.events
            assert cut.event == "tools_call_update"
            assert (error.event, json.loads(error.data)["code"]) == ("error", "producer_lost")
            assert end.event == "stream_end"
            assert texts_of(follower.events) == list(range(200))
            assert follower.events == far.events
        assert upstream.requests.count(name) == 1

    run(main)


def test_a_stream_is_cancelled_from_any_worker(gateway: Workers, upstream: CountingUpstream) -> None:
    async def main() -> None:
        for number in range(4):
            name = f"cancel {number} {gateway.port}"
            address = begin(gateway, f"{name}:4000:0.01")
            follower = Follower(address)
            follower.start()
            await until(lambda follower=follower: follower.events)  # type: ignore[misc]
            async with httpx.AsyncClient(timeout=PATIENCE) as client:
                assert (await client.delete(address)).status_code == 202
            await follower.finished()
            assert json.loads(follower.events[-2].data)["code"] == "cancelled"
            await until(lambda name=name: name in upstream.left)  # type: ignore[misc]

    run(main)


def test_a_worker_that_is_asked_to_stop_sends_its_clients_away(
    gateway: Workers, upstream: CountingUpstream
) -> None:
    name = f"drain {gateway.port}"

    async def main() -> None:
        with held(upstream):
            address = begin(gateway, f"{name}:100:0.005")
            producer = producer_of(gateway, upstream, name)
            far = await follow(gateway, address, lambda pid: pid not in (producer, 0))
            near = await follow(gateway, address, lambda pid: pid == producer)
        await kill(gateway, producer, signal.SIGTERM)
        for follower in (near, far):
            await follower.finished()
            # there was time enough to finish
            assert texts_of(follower.events) == list(range(50))
            assert follower.events[-1].event == "stream_end"
            assert [event.event for event in follower.events].count("error") == 0
        assert upstream.requests.count(name) == 1

    run(main)


@pytest.mark.parametrize("gateway", ["sqlite"], indirect=True)
def test_what_a_stopped_process_holds_is_not_taken_from_it(
    gateway: Workers, upstream: CountingUpstream
) -> None:
    """A pause, for example of a virtual machine, costs no living stream on one machine."""

    async def main() -> None:
        with held(upstream):
            address = begin(gateway, "pause:200:0.005")
            producer = producer_of(gateway, upstream, "pause")
            far = await follow(gateway, address, lambda pid: pid not in (producer, 0))
        os.kill(producer, signal.SIGSTOP)
        await asyncio.sleep(0.8)
        os.kill(producer, signal.SIGCONT)
        await far.finished()
        assert texts_of(far.events) == list(range(100))
        assert [event.event for event in far.events].count("error") == 0

    run(main)


def test_a_worker_that_does_not_stop_is_killed(tmp_path: Path) -> None:
    with workers("http://127.0.0.1:1", f"sqlite:///{tmp_path}/s.db", kill_seconds=0.3, drain=0.1) as gateway:
        stuck = gateway.pids()[0]
        os.kill(stuck, signal.SIGSTOP)
        gateway.process.terminate()
        # else it would wait for ever
        gateway.process.wait(PATIENCE)
    with pytest.raises(ProcessLookupError):
        os.kill(stuck, 0)


def test_a_lease_is_released_while_another_worker_waits_for_its_restart(tmp_path: Path) -> None:
    with (
        running_redis(tmp_path) as server,
        workers("http://127.0.0.1:1", server.url, lease=600, restart_seconds=60) as gateway,
        Redis(port=server.port) as client,
    ):

        async def main() -> None:
            for left, pid in zip((1, 0), gateway.pids(), strict=True):
                os.kill(pid, signal.SIGKILL)
                await until(lambda left=left: len(client.keys("midstream:lease:*")) == left)  # type: ignore[misc]

        run(main)
        assert gateway.pids() == [gateway.process.pid]
        gateway.process.terminate()
        # nor does a restart delay the end
        assert gateway.process.wait(PATIENCE) == 0


def test_a_producer_that_wakes_up_late_writes_nothing(tmp_path: Path) -> None:
    upstream = CountingUpstream()
    with (
        running_redis(tmp_path) as redis,
        running(upstream) as url,
        workers(url, redis.url, 2, lease=0.6) as gateway,
    ):

        async def main() -> None:
            address = begin(gateway, "late:2000:0.01")
            producer = producer_of(gateway, upstream, "late")
            far = await follow(gateway, address, lambda pid: pid not in (producer, 0))
            os.kill(producer, signal.SIGSTOP)
            await far.finished()
            os.kill(producer, signal.SIGCONT)
            assert json.loads(far.events[-2].data)["code"] == "producer_lost"
            # it notices, and closes its upstream
            await until(lambda: "late" in upstream.left)
            again = Follower(address)
            again.start()
            await again.finished()
            assert again.events == far.events

        run(main)


@pytest.mark.parametrize(
    ("store", "message"),
    [("memory:", "several workers need a store that they share"), ("sqlite:///x.db", "with four slashes")],
)
def test_several_workers_need_a_store_that_they_share(store: str, message: str) -> None:
    with pytest.raises((ValueError, StoreError), match=message):
        serve(port=0, workers=2, store=store)


def test_a_store_that_cannot_be_reached_is_reported_at_once() -> None:
    with pytest.raises(StoreError, match="the Redis store failed: ConnectionError"):
        serve(port=0, workers=2, store="redis://127.0.0.1:1/0", log_level="critical")

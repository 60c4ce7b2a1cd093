"""Upstreams that can be resumed: a stream continues although its connection, or its worker, is lost."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from background_provider import BackgroundProvider
from midstream.server import Settings, create_app
from midstream.sse import decode
from redis_server import running_redis
from relay_stage import Follower, arguments_of, texts_of, workers
from test_server import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from relay_stage import Workers

KEY = "Bearer key"
PATIENCE = 20.0
QUICK = Settings(grace=5, heartbeat=0.2)
needs_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="several workers need Linux")


def post(url: str, model: str, **more: Any) -> httpx.Response:
    body = {"stream": True, "background": True, "model": model, **more}
    return httpx.post(f"{url}/v1/responses", json=body, headers={"authorization": KEY}, timeout=PATIENCE)


def check_complete(events: list[Any], count: int) -> None:
    assert texts_of(events) == list(range(count // 2))
    assert json.loads(arguments_of(events)) == list(range(count - count // 2))
    names = [event.event for event in events]
    assert "error" not in names
    assert names[-1] == "stream_end"


@pytest.mark.parametrize("repeated", [0, 2])
def test_a_connection_that_breaks_is_resumed(repeated: int) -> None:
    provider = BackgroundProvider(KEY)
    provider.breaks_after, provider.repeated = 7, repeated
    with running(provider) as upstream, running(create_app(upstream, settings=QUICK)) as url:
        events = list(decode([post(url, "broken:20:0").content]))
    check_complete(events, 20)
    assert provider.requests == ["broken"]
    assert len(provider.resumed) >= 3


def test_what_is_not_kept_by_the_provider_is_not_resumed() -> None:
    provider = BackgroundProvider(KEY)
    provider.breaks_after = 7
    with running(provider) as upstream, running(create_app(upstream, settings=QUICK)) as url:
        for number, more in enumerate(({"background": False}, {"store": False})):
            *_, error, end = decode([post(url, f"plain {number}:20:0", **more).content])
            assert json.loads(error.data)["code"] == "upstream_error"
            assert end.event == "stream_end"
    assert provider.resumed == []


def test_a_provider_that_does_not_continue() -> None:
    provider = BackgroundProvider(KEY)
    # no event arrives in any connection after the first one
    provider.breaks_after = 0
    with running(provider) as upstream, running(create_app(upstream, settings=QUICK)) as url:
        *_, error, end = decode([post(url, "lost:20:0").content])
    assert json.loads(error.data)["code"] in ("upstream_error", "producer_lost")
    assert end.event == "stream_end"


def test_a_midstream_behind_a_midstream_is_resumed() -> None:
    """The inner one closes the connections of its clients again and again."""
    provider = BackgroundProvider(KEY)
    with running(provider) as upstream:
        app = create_app(upstream, settings=QUICK)
        with running(app) as first, running(create_app(f"{first}/provider", settings=QUICK)) as second:

            async def main() -> list[Any]:
                async with httpx.AsyncClient(timeout=PATIENCE, headers={"authorization": KEY}) as client:
                    body = {"stream": True, "background": True, "model": "chain:60:0.02"}
                    asking = asyncio.create_task(client.post(f"{second}/v1/responses", json=body))
                    hub = app.state.gateway.hub
                    cuts = 0
                    while not asking.done():
                        await asyncio.sleep(0.2)
                        for channel in list(hub._channels.values()):
                            for viewer in list(channel.viewers):
                                cuts += 1
                                viewer.leave()
                    assert cuts > 2
                    return list(decode([(await asking).content]))

            events = asyncio.run(main())
    check_complete(events, 60)
    assert provider.requests == ["chain"]


@pytest.fixture(scope="module")
def provider() -> BackgroundProvider:
    return BackgroundProvider(KEY)


@pytest.fixture(scope="module", params=["sqlite", "redis"])
def gateway(
    request: pytest.FixtureRequest, provider: BackgroundProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workers]:
    folder = tmp_path_factory.mktemp("store")
    with running(provider) as url:
        if request.param == "sqlite":
            with workers(url, f"sqlite:///{folder}/store.db", 2) as gateway:
                yield gateway
        else:
            with running_redis(folder) as redis, workers(url, redis.url, 2) as gateway:
                yield gateway


def begin(gateway: Workers, model: str) -> str:
    body = {"stream": True, "background": True, "model": model}
    url, headers = f"{gateway.url}/v1/responses", {"authorization": KEY}
    with httpx.stream("POST", url, json=body, headers=headers, timeout=PATIENCE) as response:
        assert response.status_code == 200
        return gateway.url + response.headers["content-location"]


async def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        await asyncio.sleep(0.01)


@needs_linux
@pytest.mark.parametrize(
    ("how", "places"), [(signal.SIGKILL, (40, 180)), (signal.SIGTERM, (40,))], ids=["killed twice", "drained"]
)
def test_a_stream_continues_when_its_producer_is_lost(
    how: signal.Signals, places: tuple[int, ...], gateway: Workers, provider: BackgroundProvider
) -> None:
    async def main() -> None:
        name = f"{how.name}-{gateway.port}"
        count = 300 if len(places) > 1 else 120
        address = begin(gateway, f"{name}:{count}:0.01")
        followers = [Follower(address, {"authorization": KEY}) for _ in range(4)]
        for follower in followers:
            follower.start()
        for at in places:
            await until(lambda at=at: all(len(follower.events) > at for follower in followers))  # type: ignore[misc]
            pid = gateway.process_of(*provider.ports[name])
            assert pid is not None
            os.kill(pid, how)
        for follower in followers:
            await asyncio.wait_for(follower.finished(), PATIENCE)
            check_complete(follower.events, count)
            assert [event.id for event in follower.events] == [event.id for event in followers[0].events]
        assert provider.requests.count(name) == 1
        # on a busy machine the stream may end before the second signal
        assert len([one for one, _ in provider.resumed if one == name]) in (1, 2)

    asyncio.run(main())


@needs_linux
def test_cancelling_cancels_what_runs_in_the_background(
    gateway: Workers, provider: BackgroundProvider
) -> None:
    name = f"cancel-{gateway.port}"
    address = begin(gateway, f"{name}:4000:0.01")
    assert httpx.delete(address, headers={"authorization": KEY}).status_code == 202
    asyncio.run(until(lambda: name in provider.cancelled))
    *_, error, _ = decode([httpx.get(address, headers={"authorization": KEY}, timeout=PATIENCE).content])
    assert json.loads(error.data)["code"] == "cancelled"


@needs_linux
def test_the_gateway_may_have_a_key_of_its_own(
    provider: BackgroundProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream that nobody reads is continued with it, too."""
    monkeypatch.setenv("TEST_KEY", "key")
    store = f"sqlite:///{tmp_path}/store.db"
    with running(provider) as upstream, workers(upstream, store, 2, upstream_key_env="TEST_KEY") as gateway:
        body = {"stream": True, "background": True, "model": "own:200:0.01"}
        with httpx.stream("POST", f"{gateway.url}/v1/responses", json=body) as response:
            address = gateway.url + response.headers["content-location"]
        pid = gateway.process_of(*provider.ports["own"])
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        asyncio.run(until(lambda: any(name == "own" for name, _ in provider.resumed)))
        check_complete(list(decode([httpx.get(address, timeout=PATIENCE).content])), 200)
        assert provider.requests.count("own") == 1


@needs_linux
def test_an_upstream_without_credentials_is_resumed_without(tmp_path: Path) -> None:
    provider = BackgroundProvider()
    store = f"sqlite:///{tmp_path}/store.db"
    with running(provider) as upstream, workers(upstream, store, 2) as gateway:
        body = {"stream": True, "background": True, "model": "open:100:0.01"}
        with httpx.stream("POST", f"{gateway.url}/v1/responses", json=body) as response:
            address = gateway.url + response.headers["content-location"]
        pid = gateway.process_of(*provider.ports["open"])
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        check_complete(list(decode([httpx.get(address, timeout=PATIENCE).content])), 100)
        assert provider.requests == ["open"]


def test_a_key_that_is_not_there_is_reported() -> None:
    with pytest.raises(ValueError, match="the environment variable NO_SUCH_KEY is not set"):
        create_app("http://127.0.0.1:1", upstream_key_env="NO_SUCH_KEY")

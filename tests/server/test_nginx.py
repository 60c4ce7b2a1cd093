"""The gateway behind nginx: with nothing but ``proxy_pass``, and as the documentation recommends."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from midstream.sse import SseDecoder
from nginx_server import running_nginx
from relay_stage import CountingUpstream, Follower, arguments_of, texts_of, workers
from test_server import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from relay_stage import Workers

PAGE = Path(__file__).parents[2] / "docs" / "deployment.md"
DEFAULT = "        location / {{ proxy_pass {url}; }}"
PATIENCE = 20.0


def documented(url: str) -> str:
    """Return the blocks of the documentation, with the address of the gateway."""
    text: str
    (text,) = re.findall(r"```nginx\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert "http://127.0.0.1:8377" in text
    return text.replace("http://127.0.0.1:8377", url)


@pytest.fixture(scope="module")
def upstream() -> CountingUpstream:
    return CountingUpstream()


@pytest.fixture(scope="module")
def gateway(upstream: CountingUpstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    store = f"sqlite:///{tmp_path_factory.mktemp('store')}/store.db"
    with (
        running(upstream) as url,
        workers(url, store, 2, hosts=["gateway.example"], origins=["https://gateway.example"], heartbeat=0.5)
        as gateway,
    ):  # fmt: skip
        yield gateway


@pytest.fixture(params=["default", "documented"])
def proxied(request: pytest.FixtureRequest, gateway: Workers, tmp_path: Path) -> Iterator[tuple[str, str]]:
    is_default = request.param == "default"
    locations = DEFAULT.format(url=gateway.url) if is_default else documented(gateway.url)
    with running_nginx(tmp_path, locations) as url:
        # the documented configuration passes the host name on
        yield url, "127.0.0.1" if is_default else "gateway.example"


def test_events_arrive_one_by_one_and_a_stream_is_resumed(
    proxied: tuple[str, str], upstream: CountingUpstream
) -> None:
    url, host = proxied
    name = f"nginx {httpx.URL(url).port}"
    headers = {"host": host}
    body = {"stream": True, "model": f"{name}:60:0.02"}
    times: list[float] = []
    with httpx.stream("POST", f"{url}/v1/chat/completions", json=body, headers=headers) as response:
        assert response.status_code == 200
        address = url + response.headers["content-location"]
        decoder = SseDecoder()
        for chunk in response.iter_raw():
            times += [time.monotonic() for _ in decoder.add_bytes(chunk)]
            if len(times) > 20:
                break
    # a proxy that collects the answer would deliver these events at once
    assert times[20] - times[0] > 0.2

    async def main() -> list[Follower]:
        followers = [Follower(address, headers) for _ in range(3)]
        await asyncio.gather(*(follower.run() for follower in followers))
        return followers

    for follower in asyncio.run(asyncio.wait_for(main(), PATIENCE)):
        assert texts_of(follower.events) == list(range(30))
        assert json.loads(arguments_of(follower.events)) == list(range(30))
    again = httpx.get(address, headers={**headers, "last-event-id": follower.events[-2].id})
    assert again.text.count("event: ") == 1
    assert upstream.requests.count(name) == 1


def test_a_stream_is_cancelled_through_the_proxy(
    proxied: tuple[str, str], upstream: CountingUpstream
) -> None:
    url, host = proxied
    name = f"cancel {httpx.URL(url).port}"
    body = {"stream": True, "model": f"{name}:4000:0.02"}
    with httpx.stream("POST", f"{url}/v1/chat/completions", json=body, headers={"host": host}) as response:
        address = url + response.headers["content-location"]
        assert httpx.delete(address, headers={"host": host}).status_code == 202
        assert '"cancelled"' in response.read().decode()
    end = time.monotonic() + PATIENCE
    while name not in upstream.left:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_other_host_names_are_refused(gateway: Workers, tmp_path: Path) -> None:
    with running_nginx(tmp_path, documented(gateway.url)) as url:
        assert httpx.get(f"{url}/healthz", headers={"host": "evil.example"}).status_code == 421
        assert httpx.get(f"{url}/healthz", headers={"host": "gateway.example"}).status_code == 200
        page = {
            "host": "gateway.example",
            "origin": "https://gateway.example",
            "sec-fetch-site": "same-origin",
        }
        assert httpx.post(f"{url}/v1/none", headers=page).status_code != 403

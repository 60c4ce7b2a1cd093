"""How many connections the Redis store opens, what it leaves behind, and how its readers are stopped."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from redis import Redis

from midstream.server.store.base import Appended, End, StoreError
from midstream.server.store.redis import RedisStore
from redis_server import running_redis
from tcp_proxy import Proxy

if TYPE_CHECKING:
    from pathlib import Path

READERS = 500


def test_five_hundred_readers_need_four_connections(tmp_path: Path) -> None:
    async def main(url: str, client: Redis) -> None:
        store = RedisStore(url, ttl=1, lease=1)
        await store.start("w")
        own = client.client_id()
        ids = [f"s{number}" for number in range(20)]
        for id in ids:
            await store.create(id, {})

        async def read(id: str) -> int:
            return sum([len(batch.events) async for batch in store.read(id)])

        readers = [asyncio.create_task(read(ids[n % len(ids)])) for n in range(READERS)]
        most = 0
        for number in range(1, 6):
            for id in ids:
                end = End() if number == 5 else None
                assert await store.append(id, 1, number, [b"data: 1\n\n"], end) is Appended.OK
            most = max(most, sum(int(one["id"]) != own for one in client.client_list()))
        assert await asyncio.gather(*readers) == [5] * READERS
        assert most <= 4
        await store.close()
        # streams expire after their time to live; the version of the store remains
        deadline = time.monotonic() + 20
        while len(client.keys()) > 1:
            assert time.monotonic() < deadline, client.keys()
            await asyncio.sleep(0.1)
        assert client.keys() == [b"midstream:version"]

    with running_redis(tmp_path) as server, Redis(port=server.port) as client:
        asyncio.run(asyncio.wait_for(main(server.url, client), 60))


def test_commands_take_turns(tmp_path: Path) -> None:
    """Else some streams wait for a connection until they fail, while others have it again and again."""
    writers, count = 16, 4_000

    async def main(url: str) -> None:
        store = RedisStore(url)
        await store.start("w")
        appended = [0] * writers

        async def write(number: int) -> None:
            await store.create(f"s{number}", {})
            while sum(appended) < count:
                appended[number] += 1
                answer = await store.append(f"s{number}", 1, appended[number], [b"data: 1\n\n"])
                assert answer is Appended.OK

        await asyncio.gather(*map(write, range(writers)))
        assert min(appended) > count / writers / 2
        await store.close()

    with running_redis(tmp_path) as server:
        asyncio.run(asyncio.wait_for(main(server.url), 60))


def test_readers_begin_while_connections_are_lost(tmp_path: Path) -> None:
    """A reader may fail then, in the way that its caller expects, and the next one reads everything."""

    async def main(port: int) -> None:
        async with Proxy(port) as proxy:
            store = RedisStore(f"redis://127.0.0.1:{proxy.port}/0")
            await store.start("w")

            async def read(id: str) -> int:
                return sum([len(batch.events) async for batch in store.read(id)])

            failures: list[BaseException] = []
            for number in range(100):
                readers = [asyncio.create_task(read(f"{number} {name}")) for name in "abc"]
                await asyncio.sleep(number / 10_000)
                proxy.cut()
                for name in "defghi":
                    readers.append(asyncio.create_task(read(f"{number} {name}")))
                    await asyncio.sleep(0.001)
                for reader in readers:
                    reader.cancel()
                done = await asyncio.gather(*readers, return_exceptions=True)
                failures += [one for one in done if isinstance(one, Exception)]
            assert [one for one in failures if not isinstance(one, StoreError)] == []
            while True:
                with suppress(StoreError):
                    await store.create("s", {})
                    break
            reader = asyncio.create_task(read("s"))
            await asyncio.sleep(0.2)
            assert await store.append("s", 1, 1, [b"data: 1\n\n"], End()) is Appended.OK
            assert await reader == 1
            await store.close()

    with running_redis(tmp_path) as server:
        asyncio.run(asyncio.wait_for(main(server.port), 60))


def test_no_cancellation_is_lost(tmp_path: Path) -> None:
    """Whatever a command waits for when its task is cancelled."""

    async def main(url: str) -> None:
        store = RedisStore(url)
        await store.start("w")

        async def work() -> None:
            while not (task := asyncio.current_task()) or not task.cancelling():
                await store.living(["v", "w"])

        for number in range(100):
            tasks = [asyncio.create_task(work()) for _ in range(4)]
            for _ in range(number % 20):
                await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            assert all(task.cancelled() for task in tasks), number
        await store.close()

    with running_redis(tmp_path) as server:
        asyncio.run(asyncio.wait_for(main(server.url), 60))

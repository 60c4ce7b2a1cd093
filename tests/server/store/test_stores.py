"""What every store promises, on each of them: one table of behaviour for memory, SQLite and a real Redis."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from typing import TYPE_CHECKING

import pytest
import redis as redis_client

from midstream.server.store.base import Appended, Batch, End, StoreError
from midstream.server.store.memory import MemoryStore
from midstream.server.store.redis import RedisStore
from midstream.server.store.sqlite import SqliteStore
from midstream.server.store.urls import open_store
from redis_server import running_redis

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    from midstream.server.store.base import Store
    from redis_server import RedisServer

OK, FENCED, GAP, OVER, GONE = Appended.OK, Appended.FENCED, Appended.GAP, Appended.OVER, Appended.GONE
A, B, C, D = b"data: a\n\n", b"data: \xff\x00\r\n\n", b"", b"data: " + b"d" * 70_000
NUMBERS = count()


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with running_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


class Kind:
    """A kind of store: opens the same store for one worker or several."""

    def __init__(self, name: str, folder: Path, redis: RedisServer) -> None:
        self.name = name
        self._path = folder / "store.db"
        self._redis = redis

    def make(self, ttl: float = 600) -> Store:
        if self.name == "memory":
            return MemoryStore(ttl)
        if self.name == "sqlite":
            return SqliteStore(self._path, ttl)
        return RedisStore(self._redis.url, ttl, lease=1)

    @asynccontextmanager
    async def opened(self, worker: str = "w1", ttl: float = 600) -> AsyncIterator[Store]:
        store = self.make(ttl)
        await store.start(worker)
        try:
            yield store
        finally:
            await store.close()


@pytest.fixture(params=["memory", "sqlite", "redis"])
def kind(request: pytest.FixtureRequest, tmp_path: Path, redis: RedisServer) -> Kind:
    with redis_client.Redis(port=redis.port) as client:
        client.flushall()
    return Kind(request.param, tmp_path, redis)


@pytest.fixture(params=["sqlite", "redis"])
def shared(request: pytest.FixtureRequest, tmp_path: Path, redis: RedisServer) -> Kind:
    with redis_client.Redis(port=redis.port) as client:
        client.flushall()
    return Kind(request.param, tmp_path, redis)


def run(main: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(60):
            await main()

    asyncio.run(limited())


async def read_all(store: Store, id: str, after: int = 0) -> tuple[list[bytes], End | None]:
    """Read a log to its end, and check that it has no gap."""
    events: list[bytes] = []
    end = None
    async for batch in store.read(id, after):
        assert batch.first == after + len(events) + 1
        assert end is None
        events += batch.events
        end = batch.end
    return events, end


def test_a_log_is_read_as_it_was_appended(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened() as store:
            await store.create("s", {"owner": "é", "n": [1, None]})
            assert await store.append("s", 1, 1, [A, B]) is OK
            assert await store.append("s", 1, 3, [C]) is OK
            assert await store.append("s", 1, 4, [D], End("cut", "the reason")) is OK
            for after in range(5):
                assert await read_all(store, "s", after) == ([A, B, C, D][after:], End("cut", "the reason"))
            head = await store.head("s")
            assert head == ({"owner": "é", "n": [1, None]}, 1, "w1", 5, End("cut", "the reason"), False)

    run(main)


def test_an_end_may_come_alone_and_an_empty_log_may_end(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened() as store:
            await store.create("s", {})
            await store.create("t", {})
            await store.append("s", 1, 1, [A])
            assert await store.append("s", 1, 2, [], End()) is OK
            assert await store.append("t", 1, 1, [], End()) is OK
            assert await read_all(store, "s") == ([A], End())
            assert await read_all(store, "s", 1) == ([], End())
            assert await read_all(store, "t") == ([], End())

    run(main)


@pytest.mark.parametrize(
    ("epoch", "at", "events", "end", "answer", "log"),
    [
        (1, 3, [C], None, OK, [A, B, C]),
        (1, 1, [A, B], None, OK, [A, B]),
        (1, 2, [B], None, OK, [A, B]),
        (1, 2, [B, C], None, OK, [A, B, C]),
        (1, 1, [A, B, C, D], None, OK, [A, B, C, D]),
        (1, 2, [B], End(), OK, [A, B]),
        (1, 3, [], None, OK, [A, B]),
        (1, 4, [C], None, GAP, [A, B]),
        (1, 4, [], End(), GAP, [A, B]),
        (2, 3, [C], None, FENCED, [A, B]),
        (0, 3, [C], None, FENCED, [A, B]),
    ],
)
def test_an_append_is_checked_and_idempotent(
    kind: Kind, epoch: int, at: int, events: list[bytes], end: End | None, answer: Appended, log: list[bytes]
) -> None:
    async def main() -> None:
        async with kind.opened() as store:
            await store.create("s", {})
            await store.append("s", 1, 1, [A, B])
            for _ in range(2):
                assert await store.append("s", epoch, at, events, end) is answer
            head = await store.head("s")
            assert head is not None
            assert (head.next, head.end) == (len(log) + 1, end if answer is OK else None)
            if head.end is None:
                await store.append("s", 1, head.next, [], End())
            assert (await read_all(store, "s"))[0] == log

    run(main)


def test_nothing_is_appended_after_the_end(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened() as store:
            await store.create("s", {})
            await store.append("s", 1, 1, [A, B], End())
            assert await store.append("s", 1, 3, [C]) is OVER
            assert await store.append("s", 1, 3, [], End("other")) is OVER
            assert await store.append("s", 1, 2, [B, C]) is OVER
            # a repeated call is answered as the first one
            assert await store.append("s", 1, 1, [A, B], End()) is OK
            assert await store.append("s", 1, 3, [], End()) is OK
            assert not await store.claim("s", 1, "w2")
            assert not await store.cancel("s")
            assert await read_all(store, "s") == ([A, B], End())

    run(main)


def test_what_is_not_there_is_gone(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened() as store:
            assert await store.append("no", 1, 1, [A]) is GONE
            assert await store.head("no") is None
            assert await read_all(store, "no") == ([], None)
            assert not await store.claim("no", 1, "w1")
            assert not await store.cancel("no")
            await store.cancelled("no")
            await store.drop("no")

    run(main)


def test_a_claim_fences_the_writer_before(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened() as store:
            await store.create("s", {})
            await store.append("s", 1, 1, [A])
            assert not await store.claim("s", 2, "w2")
            assert await store.claim("s", 1, "w2")
            assert not await store.claim("s", 1, "w3")
            assert await store.append("s", 1, 2, [B]) is FENCED
            assert await store.append("s", 2, 2, [C], End("producer_lost")) is OK
            head = await store.head("s")
            assert head is not None
            assert (head.epoch, head.worker) == (2, "w2")
            assert await read_all(store, "s") == ([A, C], End("producer_lost"))

    run(main)


def test_only_one_of_many_claims_succeeds(shared: Kind) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            stores = [await stack.enter_async_context(shared.opened(f"w{n}")) for n in range(4)]
            await stores[0].create("s", {})
            claims = [store.claim("s", 1, f"w{n}") for n, store in enumerate(stores) for _ in range(5)]
            assert (await asyncio.gather(*claims)).count(True) == 1

    run(main)


def test_readers_in_all_workers_receive_what_is_appended(shared: Kind) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            stores = [await stack.enter_async_context(shared.opened(f"w{n}")) for n in range(3)]
            await stores[0].create("s", {})
            await stores[0].append("s", 1, 1, [b"1"])
            tasks = [asyncio.create_task(read_all(store, "s")) for store in stores for _ in range(4)]
            for number in range(2, 300):
                await stores[0].append("s", 1, number, [b"%d" % number])
                if number % 50 == 0:
                    # readers that come late
                    tasks.append(asyncio.create_task(read_all(stores[number % 3], "s", 0)))
                    await asyncio.sleep(0.01)
            assert await stores[0].append("s", 1, 300, [], End()) is OK
            for events, end in await asyncio.gather(*tasks):
                assert events == [b"%d" % number for number in range(1, 300)]
                assert end == End()

    run(main)


def test_a_reader_waits_and_is_woken(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened() as store:
            await store.create("s", {})
            reader = store.read("s")
            waiting = asyncio.ensure_future(anext(reader))
            await asyncio.sleep(0.2)
            assert not waiting.done()
            await store.append("s", 1, 1, [A])
            assert await waiting == Batch(1, [A])
            waiting = asyncio.ensure_future(anext(reader))
            await asyncio.sleep(0.2)
            await store.drop("s")
            with pytest.raises(StopAsyncIteration):
                await waiting

    run(main)


def test_a_reader_can_be_left(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened() as store:
            await store.create("s", {})
            await store.append("s", 1, 1, [A])
            for _ in range(3):
                reader = store.read("s")
                assert (await anext(reader)).events == [A]
                waiting = asyncio.ensure_future(anext(reader))
                await asyncio.sleep(0.01)
                waiting.cancel()
                await asyncio.gather(waiting, return_exceptions=True)
                await reader.aclose()
            await store.append("s", 1, 2, [B], End())
            assert await read_all(store, "s") == ([A, B], End())

    run(main)


def test_a_signal_reaches_the_writer_in_another_worker(shared: Kind) -> None:
    async def main() -> None:
        async with shared.opened("w1") as writer, shared.opened("w2") as other:
            await writer.create("s", {})
            waiting = asyncio.create_task(writer.cancelled("s"))
            await asyncio.sleep(0.2)
            assert not waiting.done()
            assert await other.cancel("s")
            await waiting
            # also for a writer that asks later
            await writer.cancelled("s")
            head = await other.head("s")
            assert head is not None
            assert head.is_cancelled

    run(main)


def test_leases_name_the_living_workers(shared: Kind) -> None:
    async def main() -> None:
        async with shared.opened("w1") as store:
            async with shared.opened("w2"):
                await asyncio.sleep(1.5)
                assert set(await store.living(["w1", "w2", "w3"])) == {"w1", "w2"}
            assert set(await store.living(["w1", "w2"])) == {"w1"}
            await store.release("w2")
            assert set(await store.living(["w1", "w2"])) == {"w1"}
            assert set(await store.living([])) == set()
            assert store.is_trusted

    run(main)


def test_open_streams_are_listed_with_their_workers(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened() as store:
            for id in "abc":
                await store.create(id, {})
            await store.append("b", 1, 1, [], End())
            await store.claim("c", 1, "w2")
            assert await store.open_streams() == {"a": "w1", "c": "w2"}
            await store.drop("a")
            assert await store.open_streams() == {"c": "w2"}

    run(main)


def test_a_key_is_bound_once(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened(ttl=1) as store:
            assert await store.bind("k", "1", 1) == "1"
            assert await store.bind("k", "2", 1) == "1"
            assert await store.bind("j", "2", 60) == "2"
            await store.unbind("j")
            assert await store.bind("j", "3", 60) == "3"
            await asyncio.sleep(1.2)
            await store.expire()
            assert await store.bind("k", "3", 1) == "3"
            assert await store.bind("j", "4", 1) == "3"

    run(main)


def test_a_stream_expires_after_its_time_to_live(kind: Kind) -> None:
    async def main() -> None:
        async with kind.opened(ttl=1) as store:
            await store.create("ended", {})
            await store.create("open", {})
            await store.append("ended", 1, 1, [A], End())
            await store.expire()
            assert await store.head("ended") is not None
            await asyncio.sleep(1.2)
            await store.expire()
            assert await store.head("ended") is None
            assert await read_all(store, "ended") == ([], None)
            # its worker may be waiting for a slow provider
            assert await store.head("open") is not None

    run(main)


@pytest.mark.parametrize("seed", range(3))
def test_many_writers_and_readers_at_once(shared: Kind, seed: int) -> None:
    source = random.Random(seed)
    wanted = {
        f"s{n}": [source.randbytes(source.randrange(200)) for _ in range(source.randrange(60))]
        for n in range(20)
    }

    async def write(store: Store, id: str) -> None:
        at = 1
        while at <= len(wanted[id]):
            size = source.randrange(1, 9)
            # sometimes repeat what is there
            start = max(1, at - source.randrange(3))
            assert await store.append(id, 1, start, wanted[id][start - 1 : at - 1 + size]) is OK
            at += size
        assert await store.append(id, 1, len(wanted[id]) + 1, [], End()) is OK

    async def main() -> None:
        async with shared.opened("w1") as first, shared.opened("w2") as second:
            stores = [first, second]
            for id in wanted:
                await source.choice(stores).create(id, {})
            readers = {id: asyncio.create_task(read_all(source.choice(stores), id)) for id in wanted}
            await asyncio.gather(*(write(source.choice(stores), id) for id in wanted))
            for id, reader in readers.items():
                assert await reader == (wanted[id], End())

    run(main)


def test_an_unknown_version_of_the_store_is_refused(tmp_path: Path, redis: RedisServer) -> None:
    path = tmp_path / "store.db"

    async def main() -> None:
        async with Kind("sqlite", tmp_path, redis).opened():
            pass
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 7")
        with pytest.raises(StoreError, match="a store of version 7; this midstream uses version 1"):
            await SqliteStore(path).start("w1")
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA application_id = 7")
        with pytest.raises(StoreError, match="is not a store of midstream"):
            await SqliteStore(path).start("w1")
        with redis_client.Redis(port=redis.port) as client:
            client.flushall()
            client.set("midstream:version", "7")
        with pytest.raises(StoreError, match="the Redis store has version 7; this midstream uses version 1"):
            await RedisStore(redis.url).start("w1")

    run(main)


def test_a_store_that_cannot_be_reached_raises_its_own_error(tmp_path: Path) -> None:
    async def main() -> None:
        for store in (RedisStore("redis://127.0.0.1:1/0"), SqliteStore(tmp_path / "no" / "store.db")):
            with pytest.raises(StoreError):
                await store.start("w1")
            await store.close()

    run(main)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:///relative.db", "with four slashes"),
        ("sqlite://host/x.db", "with four slashes"),
        ("x", "a store is memory:"),
        ("", "a store is memory:"),
    ],
)
def test_an_address_that_names_no_store_is_refused(url: str, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        open_store(url)


def test_memory_drops_what_ended_first_when_it_is_full() -> None:
    async def main() -> None:
        store = MemoryStore(max_bytes=3 * 2_030)
        await store.start("w1")
        for number in range(5):
            await store.create(f"s{number}", {})
            await store.append(f"s{number}", 1, 1, [b"x" * 30], None if number == 0 else End())
        known = [number for number in range(5) if await store.head(f"s{number}") is not None]
        assert known == [0, 3, 4]

    run(main)

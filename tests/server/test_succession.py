"""What a worker shows of a stream that it takes over while the store fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from midstream.server import Settings
from midstream.server.failures import Failure
from midstream.server.store.base import Appended, Batch, End, StoreError
from midstream.server.store.memory import MemoryStore
from midstream.server.streams import producer
from midstream.server.streams.hub import Hub
from midstream.server.streams.producer import Producer
from relay_stage import chat_event

SETTINGS = Settings(grace=60)
META = {"owner": "", "name": None, "format": "openai-chat"}


class FailingStore(MemoryStore):
    """A store that refuses a number of appends, or answers late that the writer was replaced."""

    is_shared = True

    def __init__(self) -> None:
        super().__init__()
        self.failures = 0
        self.is_fenced = False

    async def append(self, *args: Any, **options: Any) -> Appended:
        if self.failures:
            self.failures -= 1
            raise StoreError("it does not answer")
        return Appended.FENCED if self.is_fenced else await super().append(*args, **options)


async def events_of(*events: bytes) -> Any:
    for event in events:
        yield [event]


async def none(end: End) -> Any:
    nothing: list[list[bytes]] = []
    for events in nothing:
        yield events
    raise Failure(*end)


def test_the_end_of_a_stream_that_was_taken_over_is_shown_only_when_it_is_stored() -> None:
    async def main() -> None:
        store = FailingStore()
        hub = Hub(store, SETTINGS, "b")
        await store.start("b")
        await store.create("s", META)
        await store.append("s", 1, 1, [chat_event({"content": "a"})])
        assert await store.claim("s", 1, "b")
        head = await store.head("s")
        assert head is not None
        channel = hub.followed_channel("s", head)
        await channel.reached(1)
        store.failures = 2
        hub.produce(Producer(channel, store, none(End("producer_lost", "")), head.epoch))
        while len(hub):
            await asyncio.sleep(0.01)
        ends = [channel.log.end]
        # another worker, whose viewers must see the same, ends it
        await store.append("s", head.epoch, 2, [], End())
        async with asyncio.timeout(5):
            while len(ends) < 2:
                await asyncio.sleep(0.01)
                ends += [channel.log.end] if channel.log.end else []
        assert ends == [None, End()]
        await hub.aclose()

    asyncio.run(main())


def test_a_writer_that_was_stopped_learns_that_it_was_replaced_before_it_shows_more() -> None:
    async def main() -> None:
        store = FailingStore()
        hub = Hub(store, SETTINGS, "a")
        await store.start("a")
        store.failures = 1
        store.is_fenced = True
        channel = await hub.open("", None, "openai-chat", events_of(chat_event({"content": "a"})))
        while len(hub):
            await asyncio.sleep(0.01)
        assert (channel.log.last, channel.log.end) == (0, None)
        await hub.aclose()

    asyncio.run(main())


def test_viewers_continue_when_the_store_fails() -> None:
    async def main() -> None:
        store = FailingStore()
        hub = Hub(store, SETTINGS, "a")
        await store.start("a")
        store.failures = 2
        channel = await hub.open("", None, "openai-chat", events_of(chat_event({"content": "a"})))
        while len(hub):
            await asyncio.sleep(0.01)
        assert (channel.log.last, channel.log.end) == (1, End())
        assert [batch async for batch in store.read(channel.id)] == [
            Batch(1, [chat_event({"content": "a"})], End())
        ]
        await hub.aclose()

    asyncio.run(main())


class SlowStore(FailingStore):
    """A store that answers an append, after those that fail, only when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def append(self, *args: Any, **options: Any) -> Appended:
        if not self.failures:
            self.is_asked.set()
            await self.may_answer.wait()
        return await super().append(*args, **options)


@pytest.mark.parametrize("count", [0, 1, 300])
def test_what_is_added_while_the_store_is_caught_up_is_stored(count: int) -> None:
    """The stream ends while an append of what came before is under way."""
    first, more = chat_event({"content": "a"}), chat_event({"content": "b"})

    async def main() -> None:
        store = SlowStore()
        hub = Hub(store, SETTINGS, "a")
        await store.start("a")
        store.failures = 2

        async def source() -> Any:
            yield [first]
            await store.is_asked.wait()
            yield [more] * count

        channel = await hub.open("", None, "openai-chat", source())
        while channel.log.end is None:
            await asyncio.sleep(0.01)
        store.may_answer.set()
        while len(hub):
            await asyncio.sleep(0.01)
        head = await store.head(channel.id)
        assert head is not None
        assert (head.next, head.end) == (count + 2, End())
        await hub.aclose()

    asyncio.run(asyncio.wait_for(main(), 30))


def test_an_end_that_could_not_be_stored_is_stored_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clients of other workers see the same end, after a long failure of the store."""
    monkeypatch.setattr(producer, "_PATIENCE_SECONDS", 0.1)

    async def main() -> None:
        store = FailingStore()
        hub = Hub(store, SETTINGS, "a")
        await hub.start()
        store.failures = 10**9
        events = [chat_event({"content": text}) for text in "abc"]
        channel = await hub.open("", None, "openai-chat", events_of(*events))
        while len(hub):
            await asyncio.sleep(0.01)
        assert channel.log.end == End()
        store.failures = 0
        while (head := await store.head(channel.id)) is None or head.end is None:
            await asyncio.sleep(0.01)
        assert (head.next, head.end) == (4, End())
        await hub.aclose()

    asyncio.run(asyncio.wait_for(main(), 30))

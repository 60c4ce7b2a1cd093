"""What a worker shows of a stream that it takes over while the store fails."""

from __future__ import annotations

import asyncio
from typing import Any

from midstream.server import Settings
from midstream.server.failures import Failure
from midstream.server.store.base import Appended, Batch, End, StoreError
from midstream.server.store.memory import MemoryStore
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

"""What becomes of the streams of workers that have died: another worker continues or ends them."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ..failures import Failure
from ..store.base import StoreError
from .producer import Producer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ..store.base import Head
    from .channel import Channel
    from .hub import Hub

__all__ = ["Succession", "lost"]

_LOGGER = logging.getLogger("midstream.server")
# how often the workers of silent streams are checked, and after which silence
_CHECK_SECONDS = 0.15
# how often all open streams are checked, with or without viewers
_SWEEP_SECONDS = 1.0
_AT_ONCE = 8
# how long a stream that can be resumed waits for a client whose credentials the upstream accepts
_CREDENTIALS_SECONDS = 3.0


def lost(head: Head) -> AsyncGenerator[list[bytes]]:
    """Return a source that ends a stream whose upstream cannot be resumed."""
    if head.is_cancelled:
        return _failing(Failure("cancelled", "the stream was cancelled"))
    why = "the worker that read the upstream has died, and the upstream cannot be resumed"
    return _failing(Failure("producer_lost", why))


async def _failing(failure: Failure) -> AsyncGenerator[list[bytes]]:
    nothing: list[list[bytes]] = []
    for events in nothing:
        yield events
    raise failure


class Succession:
    """Watch the workers whose streams are read here, and take over the streams of those that are dead."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._store = hub.store
        self._taking: dict[str, asyncio.Task[None]] = {}
        self._limit = asyncio.Semaphore(_AT_ONCE)
        self._task: asyncio.Task[None] | None = None
        # since when streams have had no worker
        self._orphaned: dict[str, float] = {}

    def start(self) -> None:
        """Begin to watch."""
        self._task = asyncio.create_task(self._watch())

    async def aclose(self) -> None:
        """Stop watching."""
        tasks = [*self._taking.values(), *([] if self._task is None else [self._task])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self) -> None:
        # workers that were started together do not sweep together
        swept_at = time.monotonic() - random.random() * _SWEEP_SECONDS
        while True:
            await asyncio.sleep(_CHECK_SECONDS)
            with suppress(StoreError):
                suspects = self._silent()
                if time.monotonic() - swept_at > _SWEEP_SECONDS:
                    swept_at = time.monotonic()
                    suspects |= await self._store.open_streams()
                await self._check(suspects)

    def _silent(self) -> dict[str, str]:
        """Return the streams that others fill and that have been silent, with their workers."""
        before = time.monotonic() - _CHECK_SECONDS
        followed = self._hub.followed()
        return {channel.id: channel.worker for channel in followed if channel.changed_at < before}

    async def _check(self, suspects: dict[str, str]) -> None:
        """Claim the streams whose workers are dead."""
        living = await self._store.living(sorted(set(suspects.values())))
        if self._hub.is_draining:
            return
        for id, worker in suspects.items():
            is_filled = self._hub.is_filled(id) if worker == self._hub.worker else worker in living
            if not is_filled and id not in self._taking and self._store.is_trusted:
                task = self._taking[id] = asyncio.create_task(self._take(id))
                task.add_done_callback(lambda task, id=id: self._taken(id, task))  # type: ignore[misc]

    def _taken(self, id: str, task: asyncio.Task[None]) -> None:
        del self._taking[id]
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOGGER.error("taking over a stream failed", exc_info=error)

    async def _take(self, id: str) -> None:
        async with self._limit:
            with suppress(StoreError):
                await self._take_over(id)

    async def _take_over(self, id: str) -> None:
        hub, store = self._hub, self._store
        head = await store.head(id)
        if head is None:
            # it has expired
            await store.drop(id)
            return
        if head.end is not None or hub.is_filled(id):
            return
        if head.worker != hub.worker and head.worker in await store.living([head.worker]):
            if (channel := hub.known(id)) is not None:
                channel.worker = head.worker
            return
        if not store.is_trusted or self._waits_for_credentials(id, head):
            return
        was_own = head.worker == hub.worker
        if not await store.claim(id, head.epoch, hub.worker):
            return
        # what the dead worker has appended until now
        head = await store.head(id)
        if head is None:
            return
        known = hub.known(id)
        if known is not None and known.log.end is not None:
            if was_own:
                # its clients here have seen the end while the store failed for a long time
                missing = known.log.events[head.next - 1 :]
                await store.append(id, head.epoch, head.next, missing, known.log.end)
                return
            # it ended here because the store could not be read
            hub.drop(known)
        channel = hub.followed_channel(id, head)
        await channel.reached(head.next - 1)
        if channel.log.end is None:
            self.succeed(channel, head)

    def _waits_for_credentials(self, id: str, head: Head) -> bool:
        """Report whether a worker with a client of the stream should continue it instead of this one."""
        if head.meta.get("resume") is None or head.is_cancelled:
            return False
        channel = self._hub.known(id)
        if channel is not None and self._hub.resume(channel, head) is not None:
            return False
        now = time.monotonic()
        self._orphaned = {one: since for one, since in self._orphaned.items() if now - since < 60}
        return now - self._orphaned.setdefault(id, now) < _CREDENTIALS_SECONDS

    def succeed(self, channel: Channel, head: Head) -> None:
        """Fill a stream that this worker has claimed."""
        channel.worker = self._hub.worker
        self._hub.metrics.count("claimed")
        source = None if head.is_cancelled else self._hub.resume(channel, head)
        self._hub.produce(Producer(channel, self._store, source or lost(head), head.epoch))

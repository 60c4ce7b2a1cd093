"""All streams of a worker."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ..failures import Busy, Draining, OwnerLimit
from ..metrics import Metrics
from ..store.base import End, StoreError
from .channel import Channel
from .derivation import VERSION
from .producer import Fenced, Producer
from .succession import Succession

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping

    from ..settings import Settings
    from ..store.base import Head, Store

__all__ = ["STREAMS_LOGGER", "Hub", "new_id"]

_LOGGER = logging.getLogger("midstream.server")
STREAMS_LOGGER = logging.getLogger("midstream.server.streams")
_RETRY_SECONDS = 0.2
# how long viewers wait for a store that fails
_PATIENCE_SECONDS = 30.0
_EXPIRE_SECONDS = 30.0
# as long as any stream may be kept
_KEY_SECONDS = 10 * 365 * 86_400.0


def new_id() -> str:
    """Return the id of a new stream: unguessable, because it gives read access to the stream."""
    return secrets.token_hex(16)


def _never(channel: Channel, head: Head) -> None:
    """Return None: the upstream cannot be resumed."""
    del channel, head


class Hub:
    """Open streams, find them by their ids, and drop them when nobody needs them here."""

    def __init__(
        self, store: Store, settings: Settings, worker: str | None = None, metrics: Metrics | None = None
    ) -> None:
        self.metrics = metrics or Metrics()
        self.store = store
        self.settings = settings
        self.worker = worker or secrets.token_hex(8)
        self._succession = Succession(self)
        # requests that are not streams yet, or are passed on unchanged, count, too; by owner
        self._others: Counter[str] = Counter()
        self._channels: dict[str, Channel] = {}
        self._producers: dict[str, tuple[Producer, asyncio.Task[None]]] = {}
        # streams that are being created
        self._opening: set[str] = set()
        self.is_draining = False
        # set when requests that are not streams yet have no time left
        self.stopped = asyncio.Event()
        # returns a source that continues the stream of a dead worker, or None
        self.resume: Callable[[Channel, Head], AsyncGenerator[list[bytes]] | None] = _never
        self._followers: dict[str, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._starting: asyncio.Task[None] | None = None
        self._expiring: asyncio.Task[None] | None = None
        self._expired_at = time.monotonic()
        self._key = ""

    # life

    async def start(self) -> None:
        """Connect to the store, if that has not been done."""
        if self._starting is None or (self._starting.done() and self._starting.exception()):
            self._starting = asyncio.create_task(self._start())
        if not self._starting.done() or self._starting.exception():
            await asyncio.shield(self._starting)

    async def _start(self) -> None:
        await self.store.start(self.worker)
        # what identifies owners is hashed with a key that all workers share
        self._key = await self.store.bind("key", secrets.token_hex(16), _KEY_SECONDS)
        self._tick()
        if self.store.is_shared:
            self._succession.start()

    async def aclose(self) -> None:
        """Stop all producers, and disconnect from the store."""
        if self._timer is not None:
            self._timer.cancel()
        await self._succession.aclose()
        tasks = [task for _, task in self._producers.values()] + list(self._followers.values())
        if self._expiring is not None:
            tasks.append(self._expiring)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._starting is not None:
            with suppress(StoreError):
                await self.store.close()

    async def drain(self) -> None:
        """Send clients to other workers, and end the streams of this one after a while."""
        self.is_draining = True
        if self.store.is_shared:
            await self._hand_over()
        for channel in self.followed():
            for viewer in list(channel.viewers):
                viewer.leave()
        tasks = [task for _, task in self._producers.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=self.settings.drain or 0.001)
        for producer, _ in self._producers.values():
            producer.stop(End("producer_lost", "the gateway was stopped"))
        self.stopped.set()

    async def _hand_over(self) -> None:
        """Leave the streams whose upstreams can be resumed to other workers."""
        for producer, _ in list(self._producers.values()):
            if producer.is_resumable:
                with suppress(StoreError):
                    await producer.hand_over()
                for viewer in list(producer.channel.viewers):
                    viewer.leave()

    @property
    def is_ready(self) -> bool:
        """Whether it is connected to the store, and not about to stop."""
        starting = self._starting
        is_started = starting is not None and starting.done() and starting.exception() is None
        return is_started and not self.is_draining

    @property
    def key(self) -> bytes:
        """The key for hashes that all workers share."""
        return self._key.encode()

    def __len__(self) -> int:
        """Return the number of streams that are being filled here."""
        return len(self._producers)

    def make_room(self, owner: str) -> None:
        """Raise `Busy` if the maximum number of streams is open."""
        if self.is_draining:
            raise Draining
        if len(self) + self._others.total() >= self.settings.max_streams:
            raise Busy
        own = sum(producer.channel.meta["owner"] == owner for producer, _ in self._producers.values())
        if own + self._others[owner] >= self.settings.max_owner_streams:
            raise OwnerLimit

    def make_room_for_viewer(self, channel: Channel) -> None:
        """Raise `Busy` if the maximum number of clients reads the streams of an owner."""
        owner, most = channel.meta["owner"], self.settings.max_owner_viewers
        if sum(len(one.viewers) for one in self._channels.values() if one.meta["owner"] == owner) >= most:
            raise OwnerLimit

    @contextmanager
    def reserved(self, owner: str) -> Iterator[None]:
        """Count a request as a stream while the context lasts."""
        self.make_room(owner)
        self._others[owner] += 1
        try:
            yield
        finally:
            self.release(owner)

    def reserve(self, owner: str) -> None:
        """Count a request as a stream until `release`."""
        self._others[owner] += 1

    def release(self, owner: str) -> None:
        """Count a request no longer."""
        self._others[owner] -= 1
        if not self._others[owner]:
            del self._others[owner]

    # streams

    async def open(
        self,
        owner: str,
        name: str | None,
        format: str | None,
        source: AsyncGenerator[list[bytes]],
        id: str | None = None,
        **more: Any,
    ) -> Channel:
        """Create a stream, and start to fill it."""
        id = id or new_id()
        meta = {"owner": owner, "name": name, "format": format, "version": VERSION, **more}
        self._opening.add(id)
        try:
            await self.store.create(id, meta)
        except BaseException:
            await source.aclose()
            raise
        finally:
            self._opening.discard(id)
        channel = self._channel(id, meta)
        self.produce(Producer(channel, self.store, source))
        return channel

    async def find(self, id: str, allows: Callable[[Mapping[str, Any]], Awaitable[bool]]) -> Channel | None:
        """Return a stream with everything that the store has of it; None if it must not be read."""
        channel = self._channels.get(id)
        if channel is not None and id in self._producers:
            return channel if await allows(channel.meta) else None
        head = await self.store.head(id)
        if head is None or not await allows(head.meta):
            return None
        channel = self.followed_channel(id, head)
        await channel.reached(head.next - 1)
        if head.end is not None:
            while channel.log.end is None:
                await channel.next_change()
        return channel

    def known(self, id: str) -> Channel | None:
        """Return a stream that is known here."""
        return self._channels.get(id)

    def is_filled(self, id: str) -> bool:
        """Report whether this worker fills a stream."""
        return id in self._producers or id in self._opening

    def followed_channel(self, id: str, head: Head) -> Channel:
        """Return a stream of the store, which is copied from there unless it is filled here."""
        channel = self._channels.get(id) or self._channel(id, head.meta)
        channel.worker = head.worker
        self._follow(channel)
        return channel

    def followed(self) -> list[Channel]:
        """Return the streams that are copied from the store."""
        return [self._channels[id] for id in self._followers if id in self._channels]

    async def forget(self, channel: Channel) -> None:
        """Remove a stream here and from the store."""
        if (producing := self._producers.get(channel.id)) is not None:
            producing[1].cancel()
            await asyncio.gather(producing[1], return_exceptions=True)
        self.drop(channel)
        for viewer in list(channel.viewers):
            viewer.leave()
        await self.store.drop(channel.id)

    def _channel(self, id: str, meta: dict[str, Any]) -> Channel:
        channel = self._channels[id] = Channel(id, meta, self.settings, self._left, self.metrics)
        self._expect_viewer(channel)
        return channel

    def _left(self, channel: Channel) -> None:
        """Drop a stream when its last viewer has left, or end it if none comes."""
        if not channel.viewers:
            self._expect_viewer(channel)

    def _expect_viewer(self, channel: Channel) -> None:
        channel.left_at = now = time.monotonic()
        asyncio.get_running_loop().call_later(self.settings.grace, self._drop_if_unseen, channel, now)

    def _drop_if_unseen(self, channel: Channel, since: float) -> None:
        if channel.viewers or channel.left_at != since:
            return
        if channel.id not in self._producers:
            self.drop(channel)
        elif not self.store.is_shared:
            self._producers[channel.id][0].stop(End("cancelled", "no client reads the stream"))

    def drop(self, channel: Channel) -> None:
        """Forget a worker's copy of a stream."""
        if self._channels.get(channel.id) is channel:
            del self._channels[channel.id]
        if (follower := self._followers.pop(channel.id, None)) is not None:
            follower.cancel()

    # producers

    def produce(self, producer: Producer) -> None:
        """Start to fill a stream."""
        if (follower := self._followers.pop(producer.channel.id, None)) is not None:
            follower.cancel()
        self.metrics.opened(producer.channel)
        task = asyncio.create_task(producer.run())
        self._producers[producer.channel.id] = producer, task
        task.add_done_callback(lambda task: self._produced(producer, task))

    def _produced(self, producer: Producer, task: asyncio.Task[None]) -> None:
        channel = producer.channel
        del self._producers[channel.id]
        self.metrics.ended(channel)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Fenced):
            self.metrics.count("fenced")
        if isinstance(error, Fenced) and producer.is_ahead:
            channel.add([], End("store_lost", "the store has lost a part of the stream"))
        elif error is not None and not isinstance(error, (Fenced, StoreError)):
            _LOGGER.error("a stream failed", exc_info=error)
            channel.add([], End("internal_error", "the stream failed"))
        if channel.log.end is None and not task.cancelled():
            self._follow(channel)
        if not channel.viewers:
            self._expect_viewer(channel)
        if self.settings.log_streams and channel.log.end is not None:
            self._log(producer)

    def _log(self, producer: Producer) -> None:
        """Write a line about a stream that has ended: nothing of its content, and no credentials."""
        channel = producer.channel
        seconds = round(time.monotonic() - producer.started_at, 3)
        end = channel.log.end
        about = {
            "stream": channel.id,
            "name": channel.meta["name"],
            "format": channel.meta["format"],
            "status": (end and end.code) or "complete",
            "events": channel.log.last,
            "bytes": channel.log.size,
            "seconds": seconds,
            "worker": self.worker,
        }
        STREAMS_LOGGER.info(json.dumps(about))

    # followers

    def _follow(self, channel: Channel) -> None:
        """Copy a stream that another worker fills."""
        id = channel.id
        if channel.log.end is None and id not in self._followers and id not in self._producers:
            task = self._followers[id] = asyncio.create_task(self._copy(channel))
            task.add_done_callback(lambda task: self._followed(channel, task))

    def _followed(self, channel: Channel, task: asyncio.Task[None]) -> None:
        if self._followers.get(channel.id) is task:
            del self._followers[channel.id]
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOGGER.error("reading a stream failed", exc_info=error)
            channel.add([], End("internal_error", "the stream failed"))

    async def _copy(self, channel: Channel) -> None:
        log, failing_since = channel.log, None
        while log.end is None:
            try:
                async for batch in self.store.read(channel.id, log.last):
                    channel.add_batch(batch)
                    failing_since = None
                if log.end is None:
                    channel.add([], End("history_lost", "the stream is no longer in the store"))
            except StoreError:
                failing_since = failing_since or time.monotonic()
                if time.monotonic() - failing_since > _PATIENCE_SECONDS:
                    channel.add([], End("store_lost", "the store cannot be reached"))
                await asyncio.sleep(_RETRY_SECONDS)

    # time

    def _tick(self) -> None:
        """Do what is to be done from time to time for all streams."""
        now, settings = time.monotonic(), self.settings
        for channel in self._channels.values():
            for viewer in channel.viewers:
                viewer.check(now, settings.heartbeat, settings.max_seconds)
        for producer, _ in self._producers.values():
            if now - producer.heard_at > settings.idle:
                producer.stop(End("upstream_error", "the upstream was silent for too long"))
        self._bound_memory()
        if now - self._expired_at > min(_EXPIRE_SECONDS, settings.ttl):
            self._expired_at = now
            self._expiring = asyncio.create_task(self._expire())
        seconds = min(1.0, settings.heartbeat / 2, settings.idle / 2, settings.max_seconds / 2)
        self._timer = asyncio.get_running_loop().call_later(seconds, self._tick)

    def _bound_memory(self) -> None:
        """End the longest streams when all logs together take too much memory."""
        sizes = {id: producer.channel.log.size for id, (producer, _) in self._producers.items()}
        over = sum(sizes.values()) - self.settings.max_log_bytes
        for id in sorted(sizes, key=sizes.__getitem__, reverse=True):
            if over <= 0:
                return
            over -= sizes[id]
            self._producers[id][0].stop(End("stream_limit", "all streams are longer than max_log_bytes"))

    async def _expire(self) -> None:
        with suppress(StoreError):
            await self.store.expire()

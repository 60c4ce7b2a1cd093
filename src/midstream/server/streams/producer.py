"""Producers fill streams: events go into the store first, and are shown to viewers then."""

from __future__ import annotations

import asyncio
import math
import time
from abc import abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from ...errors import JsonStreamError
from ..failures import Failure
from ..store.base import Appended, End, StoreError
from .cutter import Cutter

if TYPE_CHECKING:
    from ..settings import Settings
    from ..store.base import Store
    from .channel import Channel

__all__ = ["Fenced", "Producer", "Resumable", "cut"]

# while the store fails, it is tried again after this time
_RETRY_SECONDS = 0.25
# how long an append is repeated before viewers continue without the store
_AGAIN_SECONDS = 0.3
# how long the end of a stream is kept for a store that fails
_PATIENCE_SECONDS = 60.0
# how long a stream that is cancelled waits for its first event
_FIRST_SECONDS = 2.0
# how much is appended at once when events are missing in the store
_BATCH = 256


class Fenced(Exception):  # noqa: N818  # no error: another worker continues the stream
    """Another worker has taken over the stream."""


async def cut(
    chunks: AsyncGenerator[bytes], settings: Settings, with_rest: bool = True
) -> AsyncGenerator[list[bytes]]:
    """Cut a provider's bytes into raw events, within the limits; the rest may be an incomplete event."""
    cutter = Cutter(settings.max_event)
    size = 0
    async with aclosing(chunks):
        async for chunk in chunks:
            size += len(chunk)
            if size > settings.max_stream_bytes:
                raise Failure("stream_limit", "the stream is longer than max_stream_bytes")
            if events := cutter.add(chunk):
                yield events
    if (rest := cutter.rest()) and with_rest:
        yield [rest]
    if with_rest:
        cutter.finish()


class Resumable(AsyncGenerator[list[bytes], None]):
    """A source that another worker can continue, and that does not stop when it is closed."""

    @abstractmethod
    def attach(self, channel: Channel) -> None:
        """Continue the log of a channel."""

    @abstractmethod
    async def cancel(self) -> None:
        """Stop what the upstream does."""


class Producer:
    """Fill one stream from a source of raw events."""

    def __init__(
        self, channel: Channel, store: Store, source: AsyncGenerator[list[bytes]], epoch: int = 1
    ) -> None:
        self.channel = channel
        self._store = store
        self._source = source
        self._epoch = epoch
        # how many events the store is known to have
        self._stored = self._taken_at = channel.log.last
        self._failing_since: float | None = None
        self._healing: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop: End | None = None
        self._is_cancelled = False
        self.started_at = self.heard_at = time.monotonic()
        self.is_resumable = isinstance(source, Resumable)
        if isinstance(source, Resumable):
            source.attach(channel)

    async def run(self) -> None:
        """Fill the stream up to its end; raise `Fenced` if another worker does so."""
        self._task = asyncio.current_task()
        if self._stop is not None:
            await self._source.aclose()
            await self._put([], self._stop)
            return
        settings = self.channel.settings
        timer = asyncio.get_running_loop().call_later(
            settings.max_seconds, self.stop, End("time_limit", "the stream takes longer than max_seconds")
        )
        signalled = asyncio.create_task(self._stop_when_cancelled())
        try:
            end = await self._fill()
            # from here on nothing can stop it
            self._stop = end
            await self._put([], end)
            if self._is_cancelled and isinstance(self._source, Resumable):
                await self._source.cancel()
            if self._healing is not None:
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self._healing
        except TimeoutError:
            return
        finally:
            timer.cancel()
            signalled.cancel()
            if self._healing is not None:
                self._healing.cancel()

    @property
    def is_ahead(self) -> bool:
        """Whether events were shown that are not in the store."""
        return self._stored < self.channel.log.last

    async def hand_over(self) -> None:
        """Leave the stream to another worker, which continues it."""
        if self._stop is None and self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            # a worker that does not exist holds no lease
            await self._store.claim(self.channel.id, self._epoch, "")

    def stop(self, end: End) -> None:
        """End the stream now, in this way."""
        if self._stop is None:
            self._stop = end
            if self._task is not None:
                self._task.cancel()

    async def _stop_when_cancelled(self) -> None:
        while True:
            try:
                await self._store.cancelled(self.channel.id)
                break
            except StoreError:
                await asyncio.sleep(_RETRY_SECONDS)
        self._is_cancelled = True
        if self.is_resumable:
            # its first event says what is to be cancelled
            with suppress(TimeoutError):
                async with asyncio.timeout(_FIRST_SECONDS):
                    await self.channel.reached(1)
        self.stop(End("cancelled", "the stream was cancelled"))

    async def _fill(self) -> End:
        """Fill the stream, and return how it ends."""
        channel = self.channel
        try:
            async with aclosing(self._source) as source:
                async for events in source:
                    # the upstream is not silent while it has to wait
                    self.heard_at = math.inf
                    await self._put(events)
                    if not self._store.is_shared and channel.is_full():
                        await channel.room()
                    self.heard_at = time.monotonic()
        except JsonStreamError as error:
            return End(error.code.value, error.error.message)
        except Failure as failure:
            return End(failure.code, failure.message)
        except asyncio.CancelledError:
            if self._stop is None or self._task is None:
                raise
            self._task.uncancel()
            return self._stop
        return End()

    # the store

    async def _put(self, events: list[bytes], end: End | None = None) -> None:
        """Append events and an end to the store, and then show them."""
        log = self.channel.log
        if self._failing_since is None:
            started = time.monotonic()
            try:
                await self._append_soon(log.last + 1, events, end)
            except StoreError:
                if self._epoch > 1 and log.last == self._stored == self._taken_at:
                    # it has taken over the stream and added nothing yet: another worker may try
                    raise
                # the viewers of this worker continue from memory
                self._failing_since = time.monotonic()
                self._healing = asyncio.create_task(self._heal())
            else:
                self._stored = log.last + len(events)
                self.channel.metrics.appended(self.channel, len(events), time.monotonic() - started)
        elif self._healing is not None and self._healing.done():
            # it was fenced, or failed
            self._healing.result()
        self.channel.add(events, end)

    async def _append_soon(self, at: int, events: list[bytes], end: End | None) -> None:
        """Append; after a failure, try once more, for a short time.

        A process that was stopped finds its connection timed out, and learns then that it was replaced.
        """
        try:
            # at first without `_append`: a coroutine for each event costs time
            if await self._store.append(self.channel.id, self._epoch, at, events, end) is not Appended.OK:
                await self._append(at, events, end)
        except StoreError:
            try:
                async with asyncio.timeout(_AGAIN_SECONDS):
                    await self._append(at, events, end)
            except TimeoutError:
                raise StoreError("the store does not answer") from None

    async def _append(self, at: int, events: list[bytes], end: End | None) -> None:
        while True:
            answer = await self._store.append(self.channel.id, self._epoch, at, events, end)
            if answer is Appended.OK:
                return
            if answer not in (Appended.GAP, Appended.GONE):
                raise Fenced
            await self._fill_gap(answer, at - 1)

    async def _fill_gap(self, answer: Appended, last: int) -> None:
        """Append what the store has lost, up to a number."""
        id, log = self.channel.id, self.channel.log
        if answer is Appended.GONE:
            await self._store.create(id, self.channel.meta, self._epoch)
            self.channel.metrics.count("reseeded")
        head = await self._store.head(id)
        if head is None:
            raise StoreError("the store loses what is written")
        for start in range(head.next - 1, last, _BATCH):
            missing = log.events[start : min(start + _BATCH, last)]
            if await self._store.append(id, self._epoch, start + 1, missing) is not Appended.OK:
                raise Fenced

    async def _heal(self) -> None:
        """Append everything that the store has missed as soon as it can be reached again."""
        log = self.channel.log
        while self._failing_since is not None:
            await asyncio.sleep(_RETRY_SECONDS)
            with suppress(StoreError):
                while self._stored < log.last or log.end is not None:
                    missing = log.events[self._stored : self._stored + _BATCH]
                    # what is added to the log during the append is for the next one
                    end = log.end if self._stored + len(missing) == log.last else None
                    await self._append(self._stored + 1, missing, end)
                    self._stored += len(missing)
                    if end is not None:
                        break
                self._failing_since = None

"""A store in the memory of one process."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from .base import OPEN_SECONDS, Appended, Batch, End, Head

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence

__all__ = ["MemoryStore"]

# how much one batch holds at most, so that a long log is read in parts
_BATCH = 256
# about the bytes that a log takes apart from its events
_OVERHEAD = 2_000


class _Log:
    """The log of one stream."""

    def __init__(self, meta: Mapping[str, Any], worker: str, now: float, epoch: int) -> None:
        self.meta = dict(meta)
        self.worker = worker
        self.epoch = epoch
        self.events: list[bytes] = []
        self.end: End | None = None
        self.appended_at = now
        self.is_cancelled = asyncio.Event()
        self._waiting: list[asyncio.Future[None]] = []

    def notify(self) -> None:
        """Resume all readers."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def changed(self) -> None:
        """Wait for the next notification."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future


class MemoryStore:
    """Keep the logs in memory; over ``max_bytes``, drop the streams that ended first.

    >>> async def main():
    ...     store = MemoryStore()
    ...     await store.start("worker")
    ...     await store.create("s", {})
    ...     print(await store.append("s", 1, 1, [b"data: 1", b"data: 2"], End()))
    ...     return [batch async for batch in store.read("s", 1)]
    >>> asyncio.run(main())
    Appended.OK
    [Batch(first=2, events=[b'data: 2'], end=End(code='', message=''))]
    """

    is_shared = False

    def __init__(
        self,
        ttl: float = 600,
        max_bytes: int = 256_000_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ttl = ttl
        self._max_bytes = max_bytes
        self._clock = clock
        self._worker = ""
        self._living: set[str] = set()
        self._logs: dict[str, _Log] = {}
        self._bytes = 0
        self._bound: dict[str, tuple[str, float]] = {}

    async def start(self, worker: str) -> None:
        """Become the worker."""
        self._worker = worker
        self._living.add(worker)

    async def close(self) -> None:
        """Drop everything."""
        self._living.discard(self._worker)
        for id in list(self._logs):
            await self.drop(id)

    async def create(self, id: str, meta: Mapping[str, Any], epoch: int = 1) -> None:
        """Create the empty log of a stream."""
        if id not in self._logs:
            self._logs[id] = _Log(meta, self._worker, self._clock(), epoch)
            self._bytes += _OVERHEAD

    async def append(
        self, id: str, epoch: int, at: int, events: Sequence[bytes], end: End | None = None
    ) -> Appended:
        """Append events and an end."""
        log = self._logs.get(id)
        if log is None:
            return Appended.GONE
        if epoch != log.epoch:
            return Appended.FENCED
        known = len(log.events) + 1 - at
        if known < 0:
            return Appended.GAP
        if log.end is not None:
            return Appended.OK if known >= len(events) and end in (None, log.end) else Appended.OVER
        added = events[known:]
        log.events += added
        log.end = end
        log.appended_at = self._clock()
        log.notify()
        self._bytes += sum(map(len, added))
        if self._bytes > self._max_bytes:
            self._make_room()
        return Appended.OK

    def _make_room(self) -> None:
        ended = sorted((log.appended_at, id) for id, log in self._logs.items() if log.end is not None)
        for _, id in ended:
            if self._bytes <= self._max_bytes:
                return
            self._remove(id)

    async def read(self, id: str, after: int = 0) -> AsyncGenerator[Batch]:
        """Yield the events after a number, as they are appended."""
        log = self._logs.get(id)
        while log is not None and self._logs.get(id) is log:
            events = log.events[after : after + _BATCH]
            is_last = log.end is not None and after + len(events) == len(log.events)
            if events or is_last:
                yield Batch(after + 1, events, log.end if is_last else None)
                after += len(events)
                if is_last:
                    return
            else:
                await log.changed()

    async def head(self, id: str) -> Head | None:
        """Return what is known of a stream."""
        log = self._logs.get(id)
        if log is None:
            return None
        is_cancelled = log.is_cancelled.is_set()
        return Head(dict(log.meta), log.epoch, log.worker, len(log.events) + 1, log.end, is_cancelled)

    async def claim(self, id: str, epoch: int, worker: str) -> bool:
        """Make a worker the writer of an open stream."""
        log = self._logs.get(id)
        if log is None or log.epoch != epoch or log.end is not None:
            return False
        log.epoch += 1
        log.worker = worker
        return True

    async def cancel(self, id: str) -> bool:
        """Signal the writer of a stream to stop."""
        log = self._logs.get(id)
        if log is None or log.end is not None:
            return False
        log.is_cancelled.set()
        return True

    async def cancelled(self, id: str) -> None:
        """Return when the writer of a stream is to stop."""
        if (log := self._logs.get(id)) is not None:
            await log.is_cancelled.wait()

    async def living(self, workers: Collection[str]) -> set[str]:
        """Return those of the workers that hold a lease."""
        return self._living.intersection(workers)

    @property
    def is_trusted(self) -> bool:
        """Return True: memory does not fail."""
        return True

    async def release(self, worker: str) -> None:
        """Drop the lease of a worker."""
        self._living.discard(worker)

    async def open_streams(self) -> dict[str, str]:
        """Return the streams that have not ended, each with its worker."""
        return {id: log.worker for id, log in self._logs.items() if log.end is None}

    async def bind(self, key: str, value: str, seconds: float) -> str:
        """Return the value that a key is bound to; bind it for a time if there is none."""
        now = self._clock()
        known = self._bound.get(key)
        if known is not None and now < known[1]:
            return known[0]
        self._bound[key] = value, now + seconds
        return value

    async def unbind(self, key: str) -> None:
        """Forget what a key is bound to."""
        self._bound.pop(key, None)

    async def drop(self, id: str) -> None:
        """Remove a stream."""
        if id in self._logs:
            self._remove(id)

    async def expire(self) -> None:
        """Remove what is older than the time to live."""
        before = self._clock() - self._ttl
        for id, log in list(self._logs.items()):
            if log.appended_at < before - (OPEN_SECONDS if log.end is None else 0):
                self._remove(id)
        for key in [key for key, (_, until) in self._bound.items() if until < self._clock()]:
            del self._bound[key]

    def _remove(self, id: str) -> None:
        log = self._logs.pop(id)
        self._bytes -= sum(map(len, log.events)) + _OVERHEAD
        log.notify()
        # a signal cannot come any more
        log.is_cancelled.set()

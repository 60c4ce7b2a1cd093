"""Streams that outlive a connection: each is filled by its own task and read by the current connection.

The task runs ahead of the client by a limited amount and then waits, so a slow client slows its own stream,
down to the upstream's socket. Events that have been sent are kept, within limits, for a client that
reconnects with ``Last-Event-ID``. If no client reconnects within the grace period, the stream ends.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from ..sse import comment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
    from typing import Any

    from .settings import Settings

__all__ = ["Busy", "History", "Stream", "Streams"]

# the maximum number of bytes for one write
_WRITE = 65_536
# seconds within which the first connection must begin to read its stream
_FIRST_READ_SECONDS = 5.0


class Busy(Exception):  # noqa: N818  # it is converted into a response
    """The maximum number of streams is open."""


class History:
    """The last entries of a stream, numbered from 0; sans-IO.

    >>> history = History(max_events=2, max_bytes=100)
    >>> for entry in (b"a", b"b", b"c"): history.add(entry)
    >>> history.forget(before=3)
    >>> history.first, history.next, history.entries(2)
    (1, 3, [b'c'])
    """

    def __init__(self, max_events: int, max_bytes: int) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._entries: deque[bytes] = deque()
        self._bytes = 0
        self.first = 0

    @property
    def next(self) -> int:
        """The number of the next entry."""
        return self.first + len(self._entries)

    def add(self, entry: bytes) -> None:
        """Add an entry."""
        self._entries.append(entry)
        self._bytes += len(entry)

    def forget(self, before: int) -> None:
        """Drop entries over the limits, oldest first, but none that has not been sent."""
        while self.first < before and self._is_over_bounds():
            self._bytes -= len(self._entries.popleft())
            self.first += 1

    def _is_over_bounds(self) -> bool:
        return len(self._entries) > self._max_events or self._bytes > self._max_bytes

    def size(self, start: int) -> int:
        """Return the number of bytes from an entry on."""
        return sum(map(len, islice(self._entries, start - self.first, None)))

    def entries(self, start: int, max_bytes: int = _WRITE) -> list[bytes]:
        """Return entries from a number on: at least one if there is any, and at most one write."""
        size = 0
        found: list[bytes] = []
        # use an index: an iterator would step through all earlier entries
        for at in range(start - self.first, len(self._entries)):
            entry = self._entries[at]
            if found and size + len(entry) > max_bytes:
                break
            found.append(entry)
            size += len(entry)
        return found


class Stream:
    """One stream: its entries, the position of its client, and whether a client is connected."""

    def __init__(self, owner: bytes, settings: Settings, expire: Callable[[Stream], None]) -> None:
        # unguessable, because the id gives read access to the stream
        self.id = secrets.token_hex(16)
        self.owner = owner
        self.is_over = False
        self.has_reader = False
        self._history = History(settings.max_kept_events, settings.max_kept_bytes)
        self._settings = settings
        self._expire = expire
        self._expiry: asyncio.TimerHandle | None = None
        self._sent = 0
        self._ahead_bytes = 0
        # the number of the latest connection; only this one may read
        self._connection = 0
        self._new_entries = asyncio.Event()
        self._room = asyncio.Event()

    async def put(self, entry: bytes) -> None:
        """Add an entry as soon as the client is close enough."""
        while self._is_full():
            self._room.clear()
            await self._room.wait()
        self._add(entry)

    def close(self, entries: Iterable[bytes]) -> None:
        """Add the last entries without waiting for the client."""
        for entry in entries:
            self._add(entry)
        self.is_over = True
        self._new_entries.set()

    def _is_full(self) -> bool:
        ahead = self._history.next - self._sent
        settings = self._settings
        return ahead >= settings.max_ahead_events or self._ahead_bytes >= settings.max_ahead_bytes

    def _add(self, entry: bytes) -> None:
        self._history.add(entry)
        self._ahead_bytes += len(entry)
        self._history.forget(before=self._sent)
        self._new_entries.set()

    def can_resume(self, start: int) -> bool:
        """Report whether all entries from a number on are still available."""
        return self._history.first <= start <= self._history.next

    def is_fully_sent(self, start: int) -> bool:
        """Report whether the stream is over and has no entries from a number on."""
        return self.is_over and start == self._history.next

    async def read(self, start: int = 0) -> AsyncIterator[bytes]:
        """Yield the entries from a number on, with heartbeats in between, to one connection."""
        connection = self._begin_connection()
        self._rewind(start)
        try:
            while self._connection == connection:
                if entries := self._history.entries(self._sent):
                    yield b"".join(entries)
                    if self._connection == connection:
                        self._advance(entries)
                elif self.is_over:
                    return
                elif not await self._wait_for_entries():
                    yield comment()
        finally:
            if self._connection == connection:
                self.expect_reader(self._settings.grace)

    def _begin_connection(self) -> int:
        """Register a new connection as the reader; the connection that it replaces ends."""
        self._connection += 1
        self.has_reader = True
        self.stop_waiting()
        self._new_entries.set()
        return self._connection

    def expect_reader(self, seconds: float = _FIRST_READ_SECONDS) -> None:
        """Drop the stream unless a connection reads it within this time."""
        self.stop_waiting()
        self.has_reader = False
        self._expiry = asyncio.get_running_loop().call_later(seconds, self._expire, self)

    def stop_waiting(self) -> None:
        """Stop waiting for a reader."""
        if self._expiry is not None:
            self._expiry.cancel()

    def abandon(self) -> None:
        """End the current connection."""
        self._connection += 1
        self.stop_waiting()
        self._new_entries.set()

    async def _wait_for_entries(self) -> bool:
        self._new_entries.clear()
        try:
            async with asyncio.timeout(self._settings.heartbeat):
                await self._new_entries.wait()
        except TimeoutError:
            return False
        return True

    def _rewind(self, start: int) -> None:
        self._sent = start
        self._ahead_bytes = self._history.size(start)
        # entries that were in transit when the last connection broke may have arrived
        self._room.set()

    def _advance(self, entries: list[bytes]) -> None:
        self._sent += len(entries)
        self._ahead_bytes -= sum(map(len, entries))
        self._history.forget(before=self._sent)
        self._room.set()


class Streams:
    """All streams of a gateway, by id."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._streams: dict[str, Stream] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        # streams that are passed on unchanged count, too
        self.others = 0

    def __len__(self) -> int:
        return len(self._streams)

    def make_room(self) -> None:
        """Make room for one more stream: if needed, drop one that is over and has no reader."""
        if len(self) + self.others >= self._settings.max_streams:
            idle = (stream for stream in self._streams.values() if stream.is_over and not stream.has_reader)
            if (oldest := next(idle, None)) is None:
                raise Busy
            self.drop(oldest)

    def open(self, owner: bytes) -> Stream:
        """Open a new stream; raise `Busy` if there are too many."""
        self.make_room()
        stream = Stream(owner, self._settings, self.drop)
        self._streams[stream.id] = stream
        return stream

    def fill(self, stream: Stream, filling: Coroutine[Any, Any, None]) -> None:
        """Start the task that fills a stream, and wait for a connection to read it."""
        task = self._tasks[stream.id] = asyncio.create_task(filling)
        task.add_done_callback(lambda done: self._filled(stream, done))
        stream.expect_reader()

    def _filled(self, stream: Stream, task: asyncio.Task[None]) -> None:
        del self._tasks[stream.id]
        if not task.cancelled() and (error := task.exception()) is not None:
            logging.getLogger(__name__).error("a stream failed", exc_info=error)
            self.drop(stream)

    def find(self, last_event_id: str, owner: bytes) -> tuple[Stream, int] | None:
        """Return the stream of an event id and the number after that event, if nothing after it is lost."""
        id, _, number = last_event_id.rpartition("-")
        stream = self._streams.get(id)
        if stream is None or stream.owner != owner or not (number.isascii() and number.isdigit()):
            return None
        start = int(number[:18]) + 1
        if stream.can_resume(start):
            # the current reader continues until the new one begins
            if not stream.has_reader:
                stream.expect_reader()
            return stream, start
        return None

    def drop(self, stream: Stream) -> None:
        """Drop a stream, and cancel the task that fills it."""
        self._streams.pop(stream.id, None)
        stream.abandon()
        if stream.id in self._tasks:
            self._tasks[stream.id].cancel()

    async def close(self) -> None:
        """Drop all streams, and wait for their tasks."""
        for stream in list(self._streams.values()):
            self.drop(stream)
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

"""Streams that outlive a connection: filled by a task of their own, read by whoever is connected.

The task runs ahead of the client by a bounded window, then it waits: so a slow client slows its own
stream, down to the upstream's socket. What has been sent is kept, within bounds, for a client that
comes back with ``Last-Event-ID``; one that stays away longer than the grace period ends its stream.
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

# bytes that are given to the connection at once
_WRITE = 65_536
# seconds in which the connection that asked for a stream begins to read it
_ARRIVAL = 5.0


class Busy(Exception):  # noqa: N818  # an answer more than an error
    """There are as many streams as there may be."""


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
        """The number of the entry to come."""
        return self.first + len(self._entries)

    def add(self, entry: bytes) -> None:
        """Take an entry."""
        self._entries.append(entry)
        self._bytes += len(entry)

    def forget(self, before: int) -> None:
        """Drop entries that are too many, the oldest first, but none that is still to be sent."""
        while self.first < before and self._is_over_bounds():
            self._bytes -= len(self._entries.popleft())
            self.first += 1

    def _is_over_bounds(self) -> bool:
        return len(self._entries) > self._max_events or self._bytes > self._max_bytes

    def size(self, start: int) -> int:
        """Give the bytes from a number on."""
        return sum(map(len, islice(self._entries, start - self.first, None)))

    def entries(self, start: int, max_bytes: int = _WRITE) -> list[bytes]:
        """Give entries from a number on, at least one if there is one, and no more than fit a write."""
        size = 0
        found: list[bytes] = []
        # by index: an iterator would walk through all that was sent
        for at in range(start - self.first, len(self._entries)):
            entry = self._entries[at]
            if found and size + len(entry) > max_bytes:
                break
            found.append(entry)
            size += len(entry)
        return found


class Stream:
    """One stream: what it has to say, how far its client is, and whether one is there at all."""

    def __init__(self, owner: bytes, settings: Settings, expire: Callable[[Stream], None]) -> None:
        # who knows an id can read the stream, so it can't be guessed
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
        # counts connections: only the latest may read
        self._turn = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()

    async def put(self, entry: bytes) -> None:
        """Add an entry, as soon as the client is near enough."""
        while self._is_full():
            self._room.clear()
            await self._room.wait()
        self._add(entry)

    def close(self, entries: Iterable[bytes]) -> None:
        """Add the last entries, however far behind the client is."""
        for entry in entries:
            self._add(entry)
        self.is_over = True
        self._news.set()

    def _is_full(self) -> bool:
        ahead = self._history.next - self._sent
        settings = self._settings
        return ahead >= settings.max_ahead_events or self._ahead_bytes >= settings.max_ahead_bytes

    def _add(self, entry: bytes) -> None:
        self._history.add(entry)
        self._ahead_bytes += len(entry)
        self._history.forget(before=self._sent)
        self._news.set()

    def can_resume(self, start: int) -> bool:
        """Tell whether everything from a number on is still there."""
        return self._history.first <= start <= self._history.next

    def is_told(self, start: int) -> bool:
        """Tell whether there is nothing more to say from a number on."""
        return self.is_over and start == self._history.next

    async def read(self, start: int = 0) -> AsyncIterator[bytes]:
        """Give the entries from a number on, with heartbeats in between, to one connection."""
        turn = self._begin_turn()
        self._rewind(start)
        try:
            while self._turn == turn:
                if entries := self._history.entries(self._sent):
                    yield b"".join(entries)
                    if self._turn == turn:
                        self._advance(entries)
                elif self.is_over:
                    return
                elif not await self._has_news():
                    yield comment()
        finally:
            if self._turn == turn:
                self.expect_reader(self._settings.grace)

    def _begin_turn(self) -> int:
        """Be the one that reads; a connection that this one replaces ends."""
        self._turn += 1
        self.has_reader = True
        self.stop_waiting()
        self._news.set()
        return self._turn

    def expect_reader(self, seconds: float = _ARRIVAL) -> None:
        """Wait so long for somebody to read."""
        self.stop_waiting()
        self.has_reader = False
        self._expiry = asyncio.get_running_loop().call_later(seconds, self._expire, self)

    def stop_waiting(self) -> None:
        """Don't wait for a reader any more."""
        if self._expiry is not None:
            self._expiry.cancel()

    def abandon(self) -> None:
        """Let whoever reads go."""
        self._turn += 1
        self.stop_waiting()
        self._news.set()

    async def _has_news(self) -> bool:
        self._news.clear()
        try:
            async with asyncio.timeout(self._settings.heartbeat):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    def _rewind(self, start: int) -> None:
        self._sent = start
        self._ahead_bytes = self._history.size(start)
        # what was under way when the last connection broke off may have arrived
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
        # those that are passed on as they are count, too
        self.others = 0

    def __len__(self) -> int:
        return len(self._streams)

    def make_room(self) -> None:
        """See to it that there may be one more; streams that are over and unread give way."""
        if len(self) + self.others >= self._settings.max_streams:
            idle = (stream for stream in self._streams.values() if stream.is_over and not stream.has_reader)
            if (oldest := next(idle, None)) is None:
                raise Busy
            self.drop(oldest)

    def open(self, owner: bytes) -> Stream:
        """Make a stream, if there may be one more."""
        self.make_room()
        stream = Stream(owner, self._settings, self.drop)
        self._streams[stream.id] = stream
        return stream

    def fill(self, stream: Stream, filling: Coroutine[Any, Any, None]) -> None:
        """Begin to fill a stream; somebody must come to read it."""
        task = self._tasks[stream.id] = asyncio.create_task(filling)
        task.add_done_callback(lambda done: self._filled(stream, done))
        stream.expect_reader()

    def _filled(self, stream: Stream, task: asyncio.Task[None]) -> None:
        del self._tasks[stream.id]
        if not task.cancelled() and (error := task.exception()) is not None:
            logging.getLogger(__name__).error("a stream broke off", exc_info=error)
            self.drop(stream)

    def find(self, last_event_id: str, owner: bytes) -> tuple[Stream, int] | None:
        """Give the stream of an event's id, and the number behind it, if nothing of it is lost."""
        id, _, number = last_event_id.rpartition("-")
        stream = self._streams.get(id)
        if stream is None or stream.owner != owner or not (number.isascii() and number.isdigit()):
            return None
        start = int(number[:18]) + 1
        if stream.can_resume(start):
            # who reads now does so until the other one begins
            if not stream.has_reader:
                stream.expect_reader()
            return stream, start
        # its client has to begin anew, and won't come back to this one
        self.drop(stream)
        return None

    def drop(self, stream: Stream) -> None:
        """Forget a stream, and stop what fills it."""
        self._streams.pop(stream.id, None)
        stream.abandon()
        if stream.id in self._tasks:
            self._tasks[stream.id].cancel()

    async def close(self) -> None:
        """Stop everything."""
        for stream in list(self._streams.values()):
            self.drop(stream)
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

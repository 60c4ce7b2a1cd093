"""Viewers: each reads a stream at its own speed."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from .channel import Channel
    from .cursor import Position
    from .derivation import Variant
    from .feed import Feed

__all__ = ["Viewer"]


class Viewer:
    """Read one variant of a stream, from a position on.

    A viewer who follows the log shares the feed of the others. One who begins earlier, or who was too slow
    for that feed, derives the stream with a feed of its own until it has reached the end of the log.
    """

    def __init__(
        self,
        channel: Channel,
        variant: Variant,
        cursor: Position | None = None,
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        self.channel = channel
        # of its request; with its credentials an upstream can be resumed
        self.headers = headers
        self.variant = variant
        self.has_left = False
        self._cursor = cursor
        self._feed = self._shared_feed() or channel.new_feed(variant)
        self._index = self._feed.index_after(cursor)
        # what is sent before the entries of the feed
        self._prefix: list[bytes] = []
        self._waiting: asyncio.Future[bool] | None = None
        # since when it has been silent, and when the write in progress began
        self._silent_since = time.monotonic()
        self._writing_since: float | None = None
        self._task: asyncio.Task[object] | None = None
        self.is_stuck = False
        channel.enter(self)

    def _shared_feed(self) -> Feed | None:
        """Return the feed that others share, if it can continue here."""
        feed = self.channel.shared_feed(self.variant)
        if feed is not None and feed.can_continue(self._cursor) and feed.has_passed(self._cursor):
            return feed
        return None

    async def prepare(self) -> None:
        """Skip what comes before the position, without holding up the other streams."""
        cursor = self._cursor
        while cursor is not None and not self._feed.has_passed(cursor):
            if self._feed.skip(cursor):
                break
            await asyncio.sleep(0)
        self._index = self._feed.index_after(cursor)

    async def begin_with_snapshot(self, with_start: bool = True) -> None:
        """Replace everything up to now by one entry, after the entry that begins the stream."""
        self.channel.metrics.count("snapshot")
        feed = self.channel.new_feed(self.variant)
        feed.observe()
        start = feed.begin()
        while not feed.skip_all():
            await asyncio.sleep(0)
        self._prefix = [start, feed.snapshot()] if with_start else [feed.snapshot()]
        self._feed = feed
        self._index = feed.base
        self._cursor = feed.dropped

    def take(self) -> bytes:
        """Return the next bytes for one write; b"" if there are none yet, or no more."""
        if self._prefix:
            prefix, self._prefix = self._prefix, []
            return b"".join(prefix)
        if self._index < self._feed.base:
            return b""
        entries = self._feed.take(self._index)
        if not entries:
            self._follow()
            return b""
        self._index += len(entries)
        self._cursor = self._feed.position_before(self._index)
        return entries[0] if len(entries) == 1 else b"".join(entries)

    def _follow(self) -> None:
        """Share the feed of the others, or offer one's own, at the end of the log."""
        shared = self.channel.shared_feed(self.variant)
        if shared is self._feed or self._feed.is_over:
            return
        if self._shared_feed() is not None and shared is not None:
            self._feed = shared
            self._index = shared.index_after(self._cursor)
        else:
            self.channel.share(self.variant, self._feed)

    async def catch_up(self) -> None:
        """Begin again with a snapshot, or with a feed of one's own, after others have gone too far ahead."""
        if not self.variant.is_raw and not self.variant.with_provider:
            await self.begin_with_snapshot(with_start=False)
            return
        self._feed = self._shared_feed() or self.channel.new_feed(self.variant)
        await self.prepare()

    @property
    def is_behind(self) -> bool:
        """Whether the entries that come next are no longer kept."""
        return self._index < self._feed.base

    @property
    def is_over(self) -> bool:
        """Whether everything was taken, up to the end of the stream."""
        return self._feed.is_over and self._index == self._feed.next

    def is_finished(self) -> bool:
        """Report whether nothing follows any more."""
        return not self._feed.take(self._index) and self.is_over

    async def send(self, write: Callable[[bytes], Awaitable[None]], silence: bytes) -> None:
        """Write everything as it arrives; write ``silence`` when there was nothing for a while."""
        self._task = asyncio.current_task()
        channel = self.channel
        while not self.has_left:
            if data := self.take():
                self._writing_since = time.monotonic()
                await write(data)
                self._writing_since = None
                self._silent_since = time.monotonic()
                channel.received(self._feed.number)
            elif self.is_behind:
                await self.catch_up()
            elif self.is_over:
                return
            elif not self._has_news():
                self._waiting = channel.next_change()
                if await self._waiting:
                    continue
                channel.forget(self._waiting)
                self._silent_since = time.monotonic()
                if silence and not self.has_left:
                    await write(silence)

    def _has_news(self) -> bool:
        """Report whether the feed, which may have changed just now, has entries to take."""
        return self._index < self._feed.next

    def leave(self) -> None:
        """Stop sending."""
        self.has_left = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(False)

    def close(self) -> None:
        """Leave the stream."""
        self.has_left = True
        self.channel.leave(self)

    def check(self, now: float, heartbeat: float, max_seconds: float) -> None:
        """Break a silence, and give up a client that has read nothing for too long."""
        if self._writing_since is not None:
            if now - self._writing_since > max_seconds and self._task is not None and not self.is_stuck:
                self.is_stuck = True
                self._task.cancel()
        elif self._waiting is not None and not self._waiting.done() and now - self._silent_since > heartbeat:
            self._waiting.set_result(False)

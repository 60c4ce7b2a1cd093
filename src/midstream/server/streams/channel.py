"""A stream as a worker sees it: its log, its feeds and its viewers."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from .derivation import derivation_of
from .feed import Feed
from .log import Log
from .prepared import PreparedDerivation, is_prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..metrics import Metrics
    from ..settings import Settings
    from ..store.base import Batch, End
    from .derivation import Variant
    from .viewer import Viewer

__all__ = ["Channel"]


class Channel:
    """A worker's copy of a stream, and all who read it there."""

    def __init__(
        self,
        id: str,
        meta: Mapping[str, Any],
        settings: Settings,
        left: Callable[[Channel], None],
        metrics: Metrics,
    ) -> None:
        self.metrics = metrics
        self.id = id
        self.meta = meta
        self.settings = settings
        self.log = Log()
        self.viewers: set[Viewer] = set()
        # the feeds that are as far as the log, for viewers who follow it
        self._feeds: dict[Variant, Feed] = {}
        self._left = left
        # when the last viewer left, and when the log changed
        self.left_at = 0.0
        self.changed_at = time.monotonic()
        # the worker that is known to fill the stream
        self.worker = ""
        self._waiting: set[asyncio.Future[bool]] = set()
        # the last raw event that the fastest viewer has received, and the producer that waits for it
        self._received = 0
        self._room: asyncio.Future[None] | None = None

    # the log

    def add(self, events: list[bytes], end: End | None = None) -> None:
        """Add events and an end to the log, and wake the viewers."""
        self.log.add(events, end)
        self._notify()

    def add_batch(self, batch: Batch) -> None:
        """Add what is new in a batch of the store, and wake the viewers."""
        self.log.add_batch(batch)
        self._notify()

    def _notify(self) -> None:
        self.changed_at = time.monotonic()
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            if not future.done():
                future.set_result(True)

    def next_change(self) -> asyncio.Future[bool]:
        """Return a future that is done when the log has changed."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        return future

    def forget(self, future: asyncio.Future[bool]) -> None:
        """Forget a future that nobody waits for any more."""
        self._waiting.discard(future)

    async def reached(self, number: int) -> None:
        """Return when the log has the event of a number, or has ended."""
        while self.log.last < number and self.log.end is None:
            await self.next_change()

    # feeds

    def new_feed(self, variant: Variant) -> Feed:
        """Return a feed that begins at the start of the stream."""
        settings = self.settings
        new = PreparedDerivation if is_prepared(self.meta, variant) else derivation_of
        derivation = new(self.id, self.meta, variant, settings.max_stream_bytes)
        return Feed(self.log, derivation, settings.max_kept_events, settings.max_kept_bytes)

    def shared_feed(self, variant: Variant) -> Feed | None:
        """Return the feed of the viewers who follow the log."""
        return self._feeds.get(variant)

    def share(self, variant: Variant, feed: Feed) -> None:
        """Offer a feed to all who follow the log."""
        self._feeds[variant] = feed

    # viewers

    def enter(self, viewer: Viewer) -> None:
        """Add a viewer."""
        self.viewers.add(viewer)
        self.metrics.viewers(1)

    def leave(self, viewer: Viewer) -> None:
        """Remove a viewer."""
        if viewer not in self.viewers:
            return
        self.viewers.discard(viewer)
        self.metrics.viewers(-1)
        if not self.viewers:
            self._feeds.clear()
        self._left(self)

    def received(self, number: int) -> None:
        """Note that a viewer has received everything up to a raw event."""
        if number > self._received:
            self._received = min(number, self.log.last)
            if self._room is not None and not self._room.done() and not self.is_full():
                self._room.set_result(None)

    def is_full(self) -> bool:
        """Report whether the fastest viewer is far from the end of the log."""
        log, settings = self.log, self.settings
        return (
            log.last - self._received >= settings.max_ahead_events
            or log.size_between(self._received, log.last) >= settings.max_ahead_bytes
        )

    async def room(self) -> None:
        """Return when the fastest viewer is close to the end of the log."""
        while self.is_full():
            self._room = asyncio.get_running_loop().create_future()
            await self._room

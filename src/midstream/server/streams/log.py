"""A worker's copy of a stream's log."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..store.base import Batch, End

__all__ = ["Log"]


class Log:
    """Raw events, numbered from 1, and the end.

    >>> log = Log()
    >>> log.add([b"data: 1", b"data: 2"])
    >>> log.last, log.size_between(1, 2)
    (2, 7)
    """

    def __init__(self) -> None:
        self.events: list[bytes] = []
        # the number of the last event
        self.last = 0
        self.end: End | None = None
        # at n, the bytes of the first n events
        self._sizes = [0]

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self._sizes[-1]

    def add(self, events: list[bytes], end: End | None = None) -> None:
        """Add events, and an end after them."""
        for event in events:
            self._sizes.append(self._sizes[-1] + len(event))
        self.events += events
        self.last += len(events)
        self.end = end

    def add_batch(self, batch: Batch) -> None:
        """Add what is new in a batch of the store."""
        known = self.last + 1 - batch.first
        self.add(list(batch.events[known:]), batch.end)

    def size_between(self, first: int, last: int) -> int:
        """Return the bytes of the events after one number, up to another."""
        return self._sizes[last] - self._sizes[first]

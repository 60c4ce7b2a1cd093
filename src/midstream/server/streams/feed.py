"""The derived events of a log, for all viewers who want the same variant of them."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...calls.messages import StreamSnapshot
    from .cursor import Position
    from .derivation import Derivation
    from .log import Log

__all__ = ["Feed"]

# how many bytes are derived at once
_PULL = 65_536
_BEFORE_ALL: tuple[int, int] = (-1, 0)


class Feed:
    """Derive entries when a viewer asks for more of them, and keep the latest for the other viewers.

    Entries are counted from 0. Those before ``base`` are no longer kept.
    """

    def __init__(self, log: Log, derivation: Derivation, max_events: int, max_bytes: int) -> None:
        self._log = log
        self._derivation = derivation
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._entries: list[bytes] = []
        self._cursors: list[Position] = []
        self._size = 0
        self._entries_of_event = derivation.begin()
        # the number of the raw event that was derived last
        self.number = 0
        self._part = 0
        self._has_ended = False
        # how long the log was when nothing more could be derived
        self._drained_at = -1
        self._dropped = _BEFORE_ALL
        self.base = 0
        # the index of the entry that will be derived next
        self.next = 0
        self.is_over = False

    def can_continue(self, cursor: Position | None) -> bool:
        """Report whether all entries after a position are kept or not yet derived."""
        return self._dropped <= (_BEFORE_ALL if cursor is None else cursor)

    def has_passed(self, cursor: Position | None) -> bool:
        """Report whether all entries up to a position are derived."""
        return cursor is None or cursor <= self._last()

    def index_after(self, cursor: Position | None) -> int:
        """Return the index of the first entry after a position."""
        return self.base if cursor is None else self.base + bisect_right(self._cursors, cursor)

    @property
    def dropped(self) -> Position:
        """The position of the last entry that is no longer kept."""
        return self._dropped

    def position_before(self, index: int) -> Position:
        """Return the position of the entry before an index; it must be kept."""
        return self._cursors[index - self.base - 1]

    def take(self, index: int, max_bytes: int = _PULL) -> list[bytes]:
        """Return entries from an index on: at least one if there is any, and at most one write."""
        if index >= self.next:
            if self._drained_at == self._log.last and self._log.end is None:
                return []
            self._pull(index)
        at = index - self.base
        entries = self._entries
        if len(entries) - at <= 1:
            return entries[at:]
        size, end = 0, at
        while end < len(entries) and (end == at or size + len(entries[end]) <= max_bytes):
            size += len(entries[end])
            end += 1
        return entries[at:end]

    def begin(self) -> bytes:
        """Return the first entry of a new feed without keeping it."""
        entry = self._derive() or b""
        self._drop(len(self._entries))
        return entry

    def skip_all(self) -> bool:
        """Derive what the log has without keeping it, for a while; report whether that is done."""
        size, last = 0, self._log.last
        while size < _PULL:
            if self.number > last or self._derivation.is_over:
                return True
            entry = next(self._entries_of_event, None)
            if entry is None:
                if self.number == last or not self._advance():
                    return True
                continue
            self._dropped = self.number, self._part
            self._part += 1
            self.base += 1
            self.next += 1
            size += len(entry)
        return False

    def observe(self) -> None:
        """Collect what is said, for `snapshot`."""
        self._derivation.observe()

    @property
    def first_argument(self) -> int | None:
        """The number of the raw event that had the first argument of a call."""
        return self._derivation.first_argument

    def said(self) -> StreamSnapshot:
        """Return what was said so far."""
        return self._derivation.said()

    def snapshot(self) -> bytes:
        """Return an entry that stands for all entries so far, which were skipped; stop collecting."""
        entry = self._derivation.snapshot(*self._dropped)
        self._derivation.stop_observing()
        return entry

    def skip(self, cursor: Position) -> bool:
        """Derive entries up to a position without keeping them, for a while; report whether that is done."""
        size = 0
        while size < _PULL:
            if self._last() >= cursor or not (entry := self._derive()):
                return True
            size += len(entry)
            if self._cursors[-1] <= cursor:
                self._drop(len(self._entries))
        return False

    def _last(self) -> Position:
        return self._cursors[-1] if self._cursors else self._dropped

    def _pull(self, index: int) -> None:
        """Derive more entries, and drop old ones, but none from an index on."""
        size = 0
        while size < _PULL and (entry := self._derive()):
            size += len(entry)
        over = 0
        count, kept = len(self._entries), self._size
        while over < index - self.base and (count > self._max_events or kept > self._max_bytes):
            count -= 1
            kept -= len(self._entries[over])
            over += 1
        if over:
            self._drop(over)

    def _drop(self, count: int) -> None:
        if count:
            self._dropped = self._cursors[count - 1]
            self._size -= sum(map(len, self._entries[:count]))
            del self._entries[:count], self._cursors[:count]
            self.base += count

    def _derive(self) -> bytes | None:
        """Derive one entry; return None if the log has no more."""
        while True:
            entry = next(self._entries_of_event, None)
            if entry is not None:
                self._entries.append(entry)
                self.next += 1
                self._cursors.append((self.number, self._part))
                self._part += 1
                self._size += len(entry)
                return entry
            if not self._advance():
                return None

    def _advance(self) -> bool:
        """Begin with the next raw event, or the end; report whether there is one."""
        number, log = self.number + 1, self._log
        if self._has_ended or self._derivation.is_over:
            self.is_over = True
            return False
        if number <= log.last:
            self._entries_of_event = self._derivation.add(number, log.events[number - 1])
        elif log.end is not None:
            self._entries_of_event = self._derivation.finish(number, log.end)
            self._has_ended = True
        else:
            self._drained_at = log.last
            return False
        self.number = number
        self._part = 0
        return True

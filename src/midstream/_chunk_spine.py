"""The open containers of the spine, and what one step tells about the members of each.

The reasons for these rules are in the header of `midstream.chunker`. Here a container knows which of
its members are written and which one is open. It looks at its next state without changing anything
(a `Look`), and says from that look later what may be written now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._chunk_compare import Marks, deceives, first_difference, marks_of, present_length, same

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .paths import Segments

GROWABLE = (str, list, dict)


class Reading:
    """How snapshots are read: what counts as absent, what as complete, what as empty."""

    __slots__ = ("nulls", "numbers")

    def __init__(self, tentative_nulls: bool, tentative_numbers: bool) -> None:
        self.nulls = tentative_nulls
        self.numbers = tentative_numbers

    def absent(self, value: Any) -> bool:
        """Tell a null that only keeps the place of a value to come."""
        return value is None and self.nulls

    def candidate(self, value: Any) -> bool:
        """Tell whether a value that has just appeared may be unfinished."""
        kind = type(value)
        return kind in GROWABLE or (self.numbers and (kind is int or kind is float))

    def empty(self, value: Any) -> bool:
        """Tell a value that is empty, or made of empty values only."""
        if type(value) is str:
            return not value
        pending = [value]
        while pending:
            value = pending.pop()
            if type(value) not in GROWABLE:
                if not self.absent(value):
                    return False
            elif value:
                if type(value) is str:
                    return False
                pending.extend(value if type(value) is list else value.values())
        return True

    def length(self, items: list[Any], written: int) -> int:
        """Count the items of an array that are there: a null that is written is."""
        return present_length(items, written) if self.nulls else len(items)


class Look:
    """What a step shows in one container beside the open member, before anything is changed."""

    __slots__ = ("broken", "changed", "contradicted", "new")

    def __init__(
        self,
        new: Sequence[Any] = (),
        changed: Sequence[Any] = (),
        contradicted: Sequence[Any] = (),
        broken: Segments | None = None,
    ) -> None:
        # members that joined, and held members whose value changed
        self.new = new
        self.changed = changed
        # closed members that differ from their text, to be written again here,
        # and the place of a contradiction that only a container above can correct
        self.contradicted = contradicted
        self.broken = broken


class OpenObject:
    """An object whose ``{`` is written and whose ``}`` is not."""

    __slots__ = ("child", "closed", "marks", "stale", "value")
    kind: Any = dict
    opening, closing = "{", "}"

    def __init__(self) -> None:
        # its state in the last snapshot
        self.value: dict[str, Any] = {}
        # the member that is written in part, the members that are written whole,
        # and the keys whose text an override has taken back
        self.child: Any = None
        self.closed: dict[str, Any] = {}
        self.stale: set[str] = set()
        # where the closed ones need a second look
        self.marks: Marks = []

    @property
    def begun(self) -> bool:
        """Tell whether the next member needs a comma."""
        return bool(self.closed or self.stale or self.child is not None)

    def look(self, now: dict[str, Any], reading: Reading, known: Any = None) -> Look | None:
        """Compare with the next state of this object, of which one member may be known to differ."""
        closed, child = self.closed, self.child
        intact = self._is_intact(now)
        unseen = len(closed) if child is None else len(closed) + 1
        if intact and len(now) == unseen and (child is None or child in now) and not self.stale:
            return None
        before, nulls = self.value, reading.nulls
        new, changed, contradicted = [], [], []
        for key, value in now.items():
            if key == child:
                unseen -= 1
            elif key in closed:
                unseen -= 1
                if not intact and not same(closed[key], value):
                    contradicted.append(key)
            elif value is None and nulls:
                continue
            elif key not in before or (nulls and before[key] is None):
                new.append(key)
            elif key == known or not same(before[key], value, nulls):
                changed.append(key)
        if unseen or not now.keys() >= self.stale:
            written = {*closed, *self.stale, *([] if child is None else [child])}
            return Look(broken=(min(written - now.keys()),))
        return Look(new, changed, contradicted) if new or changed or contradicted else None

    def _is_intact(self, now: dict[str, Any]) -> bool:
        """Tell at one go that all closed members are as written; False: look closer."""
        try:
            if not self.closed.items() <= now.items():
                return False
        except RecursionError:
            return False
        return not self.marks or not deceives(self.marks, now)

    def final(self, seen: Look | None, reading: Reading, but: Collection[str] = ()) -> list[Any]:
        """Name what is to be written, and in which order, if all of this object is final but some."""
        closed, child = self.closed, self.child
        held = [
            key
            for key, value in self.value.items()
            if key not in closed and key != child and key not in but and not reading.empty(value)
        ]
        if len(held) > 1:
            # scalars first; then in the order of writing, as far as the step shows it
            changed, new = ({*seen.changed}, {*seen.new}) if seen else ((), ())
            held.sort(key=lambda key: (self._is_growable(key), key in changed, key in new))
        return held

    def certain(self, seen: Look, reading: Reading) -> tuple[list[Any], Any]:
        """Name the members that are final, in writing order, and the one that is the spine."""
        # what joined, or else what changed, is the spine or has it among them
        latest = seen.new or [*seen.changed, *seen.contradicted]
        candidates = {key for key in latest if reading.candidate(self.value[key])}
        final = self.final(seen, reading, but=candidates)
        follow = candidates.pop() if len(candidates) == 1 else None
        return final, follow if follow is not None and self._is_growable(follow) else None

    def _is_growable(self, key: str) -> bool:
        return type(self.value[key]) in GROWABLE

    def unwrite(self, keys: Sequence[Any]) -> None:
        """Take members back: their text stands, and a newer one has to follow."""
        self.stale.update(keys)
        for key in keys:
            self.closed.pop(key, None)
        self.marks = [mark for mark in self.marks if mark[0] in self.closed]

    def take(self, keys: list[Any]) -> dict[str, Any]:
        """Note that members are written whole, and return them."""
        members = {key: self.value[key] for key in keys}
        self.closed.update(members)
        self.marks += marks_of(members.items())
        return members

    def rest(self) -> list[Any]:
        """Name all that is not written, for the object to close: scalars first here, too."""
        return sorted((key for key in self.value if key not in self.closed), key=self._is_growable)

    def close_child(self, marks: Marks) -> None:
        """Note that the open member is written whole, and where it needs a second look."""
        self.closed[self.child] = self.value[self.child]
        if marks:
            self.marks.append((self.child, marks))
        self.child = None

    def place(self, key: Any, now: Any) -> Segments:
        """Find where exactly a member contradicts its text."""
        return (key, *(first_difference(self.value[key], now[key]) or ()))


class OpenArray:
    """An array whose ``[`` is written and whose ``]`` is not."""

    __slots__ = ("child", "count", "marks", "value")
    kind: Any = list
    opening, closing = "[", "]"

    def __init__(self) -> None:
        # its state in the last snapshot
        self.value: list[Any] = []
        # the item that is written in part, and the number of those before it that are written whole
        self.child: Any = None
        self.count = 0
        # where the latter need a second look
        self.marks: Marks = []

    @property
    def begun(self) -> bool:
        """Tell whether the next item needs a comma."""
        return self.count > 0

    @property
    def written(self) -> int:
        """Count the items that are written, whole or in part."""
        return self.count + (self.child is not None)

    def look(self, now: list[Any], reading: Reading, known: Any = None) -> Look | None:
        """Compare with the next state of this array, of which one item may be known to differ."""
        before, count = self.value, self.count
        written = count if self.child is None else count + 1
        length = reading.length(now, written) if reading.nulls else len(now)
        if length < written:
            return Look(broken=(length,))
        if count and not self._is_intact(now):
            return Look(broken=first_difference(before[:count], now[:count]))
        if length > written and (
            (known is not None and known < length)
            or not same(before[written:length], now[written:length], reading.nulls)
        ):
            return Look(new=range(written, length))
        return None

    def _is_intact(self, now: list[Any]) -> bool:
        """Tell that all closed items are as written."""
        before, count = self.value, self.count
        try:
            if before[:count] != now[:count]:
                return False
        except RecursionError:
            return same(before[:count], now[:count])
        return not self.marks or not deceives(self.marks, now)

    def final(self, _: Look | None, reading: Reading) -> list[Any]:
        """Name what is to be written if the whole array is final."""
        length = reading.length(self.value, self.written)
        if length > self.written and reading.empty(self.value[length - 1]):
            # the last item blocks nothing, so it may wait like any empty member
            length -= 1
        return [*range(self.written, length)]

    def certain(self, seen: Look, reading: Reading) -> tuple[list[Any], Any]:
        """Name the items that are final, and the one that is the spine: the last."""
        last = seen.new[-1]
        if not reading.candidate(self.value[last]):
            return [*range(self.written, last + 1)], None
        return [*range(self.written, last)], last if type(self.value[last]) in GROWABLE else None

    def take(self, indexes: list[Any]) -> list[Any]:
        """Note that items are written whole, and return them."""
        start, self.count = self.count, self.count + len(indexes)
        items = self.value[start : self.count]
        self.marks += marks_of(enumerate(items, start))
        return items

    def rest(self) -> list[Any]:
        """Name all that is not written, for the array to close."""
        return [*range(self.count, len(self.value))]

    def close_child(self, marks: Marks) -> None:
        """Note that the open item is written whole, and where it needs a second look."""
        if marks:
            self.marks.append((self.child, marks))
        self.count += 1
        self.child = None

    def place(self, index: Any, now: Any) -> Segments:
        """Find where exactly an item contradicts its text."""
        return (index, *(first_difference(self.value[index], now[index]) or ()))


class Step:
    """What one snapshot shows, along the spine."""

    __slots__ = ("looks", "string_grew", "values")

    def __init__(self) -> None:
        # the next state of every open container; what was seen in those where something moved,
        # by level; and whether the open string at the end goes on
        self.values: list[Any] = []
        self.looks: dict[int, Look] = {}
        self.string_grew = False

    def turn(self) -> int | None:
        """Find the highest container in which the source has left the open member behind.

        It has where a member joined; and where another member changed, unless the open one did, too.
        """
        for level, seen in self.looks.items():
            if seen.new:
                return level
        # the last is the deepest: nothing below it changed but, perhaps, the string
        return None if self.string_grew or not self.looks else level

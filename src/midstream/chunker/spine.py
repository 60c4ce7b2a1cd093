"""The open containers of the spine, and what one step tells about the members of each.

The reasons for these rules are in the header of `midstream.chunker`. Here a container knows which of
its members are written and which one is open. It looks at its next state without changing anything
(a `Look`), says from that look later what may be written now, and writes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .compare import Marks, deceives, first_difference, marks_of, present_length, same
from .text import quoted, whole_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..paths import Segments

GROWABLE = (str, list, dict)


class Reading:
    """How snapshots are read: what counts as absent, what as complete, what as empty."""

    __slots__ = ("nulls", "unfinished")

    def __init__(self, tentative_nulls: bool, tentative_numbers: bool) -> None:
        # whether a null only keeps the place of a value to come
        self.nulls = tentative_nulls
        # the kinds of which a value that has just appeared may be unfinished
        self.unfinished = (*GROWABLE, int, float) if tentative_numbers else GROWABLE

    def empty(self, value: Any) -> bool:
        """Tell a value that is empty, or made of empty values only."""
        if type(value) is str:
            return not value
        pending = [value]
        for value in pending:
            kind = type(value)
            if kind not in GROWABLE:
                if value is not None or not self.nulls:
                    return False
            elif value:
                if kind is str:
                    return False
                pending += value if kind is list else value.values()
        return True

    def length(self, items: list[Any], written: int) -> int:
        """Count the items of an array that are there: a null that is written is."""
        return present_length(items, written) if self.nulls else len(items)


class Look:
    """What a step shows in one container beside the open member, before anything is changed."""

    __slots__ = ("broken", "changed", "contradicted", "held", "new")

    def __init__(
        self,
        new: Sequence[Any] = (),
        changed: Sequence[Any] = (),
        held: Sequence[Any] = (),
        contradicted: Sequence[Any] = (),
        broken: Segments | None = None,
    ) -> None:
        # members that joined, held members whose value changed, and those that stood still
        self.new = new
        self.changed = changed
        self.held = held
        # closed members that differ from their text, to be written again here,
        # and the place of a contradiction that only a container above can correct
        self.contradicted = contradicted
        self.broken = broken


class OpenObject:
    """An object whose ``{`` is written and whose ``}`` is not."""

    __slots__ = ("child", "closed", "marks", "stale", "value")
    opening, closing = "{", "}"

    def __init__(self, value: dict[str, Any]) -> None:
        # its state in the last snapshot
        self.value = value
        # the member that is written in part, the members that are written whole,
        # and the keys whose text an override has taken back
        self.child: Any = None
        self.closed: dict[str, Any] = {}
        self.stale: frozenset[str] = frozenset()
        # where the closed ones need a second look
        self.marks: Marks = []

    def look(self, now: Any, reading: Reading, known: Any = None) -> Look | None:
        """Compare with the next state of this object, of which one member may be known to differ."""
        if type(now) is not dict:
            return Look(broken=())
        closed, child, stale = self.closed, self.child, self.stale
        try:
            # all closed members at one go, but for what Python takes for equal
            intact = closed.items() <= now.items() and not (self.marks and deceives(self.marks, now))
        except RecursionError:
            intact = False
        if not intact or stale or (child is not None and child not in now):
            kept = {*closed, *stale} if child is None else {*closed, *stale, child}
            if missing := kept - now.keys():
                return Look(broken=(min(missing),))
        elif len(now) == len(closed) + (child is not None):
            return None
        before, nulls = self.value, reading.nulls
        new, changed, held, contradicted = [], [], [], []
        for key, value in now.items():
            if key in closed:
                if not intact and not same(closed[key], value):
                    contradicted.append(key)
            elif key == child or (value is None and nulls):
                continue
            elif key not in before or (nulls and before[key] is None):
                new.append(key)
            elif key == known or not same(before[key], value, nulls):
                changed.append(key)
            else:
                held.append(key)
        return Look(new, changed, held, contradicted) if new or changed or contradicted else None

    def final(self, seen: Look | None, reading: Reading, but: Collection[str] = ()) -> list[Any]:
        """Name what is to be written, and in which order, if all of this object is final but some."""
        value, nulls = self.value, reading.nulls
        scalars, growable = [], []
        # in the order of writing, as far as the step shows it
        for key in [*seen.held, *seen.new, *seen.changed] if seen else self._unwritten():
            member = value[key]
            if key in but:
                continue
            if type(member) not in GROWABLE:
                if member is not None or not nulls:
                    scalars.append(key)
            elif not reading.empty(member):
                growable.append(key)
        return scalars + growable

    def certain(self, seen: Look | None, reading: Reading) -> tuple[Sequence[Any], Any]:
        """Name the members that are final, in writing order, and the one that is the spine.

        Without a look nothing was known of this object, so all of it is new.
        """
        value, nulls, unfinished = self.value, reading.nulls, reading.unfinished
        # what joined, or else what changed, is the spine or has it among them
        latest = value if seen is None else seen.new or [*seen.changed, *seen.contradicted]
        candidates, final = [], []
        for key in latest:
            member = value[key]
            if type(member) in unfinished:
                candidates.append(key)
            elif member is not None or not nulls:
                final.append(key)
        if seen is not None and (seen.held or seen.changed):
            # these are not all that is not written
            final = self.final(seen, reading, but={*candidates})
        if len(candidates) == 1 and type(value[candidates[0]]) in GROWABLE:
            return final, candidates[0]
        return final, None

    def unwrite(self, seen: Look) -> None:
        """Take contradicted members back: their text stands, and a newer one has to follow."""
        self.stale |= {*seen.contradicted}
        for key in seen.contradicted:
            self.closed.pop(key, None)
        if self.child in seen.contradicted:
            self.child = None
        self.marks = [mark for mark in self.marks if mark[0] in self.closed]
        moved = {*seen.new, *seen.changed}
        seen.held = [key for key in self._unwritten() if key not in moved]

    def write(self, keys: Sequence[Any], parts: list[str]) -> None:
        """Write members whole."""
        value, closed = self.value, self.closed
        comma = "," if closed or self.stale else ""
        for key in keys:
            member = closed[key] = value[key]
            kind = type(member)
            # most members need no mark, and the encoder would take longer to start than to write them
            if kind is str:
                text = quoted(member)
            elif kind is int and member > 1:
                text = repr(member)
            else:
                text = whole_text(member)
                self.marks += marks_of([(key, member)])
            parts.append(f"{comma}{quoted(key)}:{text}")
            comma = ","

    def lead(self, key: Any) -> str:
        """Give the text in front of a member."""
        return f",{quoted(key)}:" if self.closed or self.stale else f"{quoted(key)}:"

    def rest(self) -> Sequence[Any]:
        """Name all that is not written, for the object to close: scalars first here, too."""
        rest = self._unwritten()
        return sorted(rest, key=lambda key: type(self.value[key]) in GROWABLE) if rest else rest

    def _unwritten(self) -> list[Any]:
        closed, child = self.closed, self.child
        if len(self.value) == len(closed) + (child is not None):
            return []
        return [key for key in self.value if key not in closed and key != child]

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
    opening, closing = "[", "]"

    def __init__(self, value: list[Any]) -> None:
        # its state in the last snapshot
        self.value = value
        # the item that is written in part, and the number of those before it that are written whole
        self.child: Any = None
        self.count = 0
        # where the closed ones need a second look
        self.marks: Marks = []

    def look(self, now: Any, reading: Reading, known: Any = None) -> Look | None:
        """Compare with the next state of this array, of which one item may be known to differ."""
        if type(now) is not list:
            return Look(broken=())
        before, count, child = self.value, self.count, self.child
        if child == 0 and len(now) == 1:
            # the open item is all there is, as the root always is
            return None
        written = count if child is None else count + 1
        length = reading.length(now, written) if reading.nulls else len(now)
        if length < written:
            return Look(broken=(length,))
        if count:
            closed, closed_now = before[:count], now[:count]
            try:
                intact = closed == closed_now and not (self.marks and deceives(self.marks, now))
            except RecursionError:
                intact = same(closed, closed_now)
            if not intact:
                return Look(broken=first_difference(closed, closed_now))
        if length > written and (
            written >= len(before)
            or (known is not None and known < length)
            or not same(before[written:length], now[written:length], reading.nulls)
        ):
            return Look(range(written, length))
        return None

    def final(self, _: Look | None, reading: Reading) -> Sequence[Any]:
        """Name what is to be written if the whole array is final."""
        written = self.count if self.child is None else self.count + 1
        length = reading.length(self.value, written)
        if length > written and reading.empty(self.value[length - 1]):
            # the last item blocks nothing, so it may wait like any empty member
            length -= 1
        return range(written, length)

    def certain(self, seen: Look | None, reading: Reading) -> tuple[Sequence[Any], Any]:
        """Name the items that are final, and the one that is the spine: the last."""
        new = range(reading.length(self.value, 0)) if seen is None else seen.new
        if not new:
            return new, None
        kind = type(self.value[new[-1]])
        if kind not in reading.unfinished:
            return new, None
        return new[:-1], new[-1] if kind in GROWABLE else None

    def write(self, indexes: Sequence[Any], parts: list[str]) -> None:
        """Write items whole."""
        start, self.count = self.count, self.count + len(indexes)
        items = self.value[start : self.count]
        self.marks += marks_of(enumerate(items, start))
        parts += ("," if start else "", whole_text(items)[1:-1])

    def lead(self, index: Any) -> str:
        """Give the text in front of an item."""
        return "," if index else ""

    def rest(self) -> Sequence[Any]:
        """Name all that is not written, for the array to close."""
        return range(self.count, len(self.value))

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

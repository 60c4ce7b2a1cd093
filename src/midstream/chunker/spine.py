"""The open containers of the spine, and what one step shows about the members of each.

The reasons for these rules are in the header of ``chunker.py``. A container here records which of its
members are written and which one is open. It compares itself with its next state without changing anything
(the result is a `Diff`), derives from the diff what may be written now, and writes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .compare import (
    Marks,
    contradicts_marks,
    first_difference,
    kind_at,
    marks_of,
    present_length,
    same,
)
from .text import json_text, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..paths import Segments

GROWABLE = (str, list, dict)


class Options:
    """The options of a chunker: which values of a snapshot count as absent, as complete and as empty."""

    __slots__ = ("nulls", "numbers", "unfinished")

    def __init__(self, tentative_nulls: bool, tentative_numbers: bool) -> None:
        # whether a null may be a placeholder for a value that follows
        self.nulls = tentative_nulls
        self.numbers = tentative_numbers
        # the types whose values may still be unfinished when they first appear
        self.unfinished = (*GROWABLE, int, float) if tentative_numbers else GROWABLE

    def empty(self, value: Any) -> bool:
        """Report whether a value is empty, or consists of empty values only."""
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
        """Count the items of an array that are present; a null that is already written is present."""
        return present_length(items, written) if self.nulls else len(items)

    def explain_conflict(self, before: Any, now: Any, place: Segments) -> str:
        """Describe what changed at the place of a contradiction, and name the option that allows it."""
        old, new = kind_at(before, place), kind_at(now, place)
        if old is None:
            return f"{new} joined a container that was already closed"
        if new is None:
            return f"{old} is missing"
        if old == "null" and not self.nulls:
            hint = "; if your source sends null for unset fields, pass tentative_nulls=True"
        elif old == new == "a number" and not self.numbers:
            hint = "; if your source sends numbers before they are complete, pass tentative_numbers=True"
        else:
            hint = ""
        return f"{old} has changed{hint}" if old == new else f"{old} has become {new}{hint}"


class Diff:
    """What a step changes in one container, apart from its open member."""

    __slots__ = ("changed", "conflict_at", "contradicted", "held", "new")

    def __init__(
        self,
        new: Sequence[Any] = (),
        changed: Sequence[Any] = (),
        held: Sequence[Any] = (),
        contradicted: Sequence[Any] = (),
        conflict_at: Segments | None = None,
    ) -> None:
        # members that joined, held members whose value changed, and held members that did not change
        self.new = new
        self.changed = changed
        self.held = held
        # closed members that differ from what was written, to be written again in this container,
        # and the place of a contradiction that only a container above this one can correct
        self.contradicted = contradicted
        self.conflict_at = conflict_at


class OpenObject:
    """An object whose ``{`` is written and whose ``}`` is not."""

    __slots__ = ("child", "closed", "marks", "stale", "value")
    opening, closing = "{", "}"

    def __init__(self, value: dict[str, Any]) -> None:
        # its state in the last snapshot
        self.value = value
        # the member that is written in part, the members that are written completely,
        # and the keys whose written text an override has invalidated
        self.child: Any = None
        self.closed: dict[str, Any] = {}
        self.stale: frozenset[str] = frozenset()
        # where the closed ones hold booleans, zeros and ones
        self.marks: Marks = []

    def compare(self, now: Any, options: Options, known: Any = None) -> Diff | None:
        """Compare this object with its next state; the member ``known`` is known to differ."""
        if type(now) is not dict:
            return Diff(conflict_at=())
        closed, child, stale = self.closed, self.child, self.stale
        try:
            # compare all closed members in one operation, then check the booleans that Python confuses
            intact = closed.items() <= now.items() and not (self.marks and contradicts_marks(self.marks, now))
        except RecursionError:
            intact = False
        if not intact or stale or (child is not None and child not in now):
            kept = {*closed, *stale} if child is None else {*closed, *stale, child}
            if missing := kept - now.keys():
                return Diff(conflict_at=(min(missing),))
        elif len(now) == len(closed) + (child is not None):
            return None
        before, nulls = self.value, options.nulls
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
        return Diff(new, changed, held, contradicted) if new or changed or contradicted else None

    def final(self, diff: Diff | None, options: Options, but: Collection[str] = ()) -> list[Any]:
        """Return the members to write, in order, if the entire object is final except the keys ``but``."""
        value, nulls = self.value, options.nulls
        scalars, growable = [], []
        # in the order in which the source wrote them, as far as the step shows it
        for key in [*diff.held, *diff.new, *diff.changed] if diff else self._unwritten():
            member = value[key]
            if key in but:
                continue
            if type(member) not in GROWABLE:
                if member is not None or not nulls:
                    scalars.append(key)
            elif not options.empty(member):
                growable.append(key)
        return scalars + growable

    def certain(self, diff: Diff | None, options: Options) -> tuple[Sequence[Any], Any]:
        """Return the final members, in writing order, and the member on the spine.

        Without a diff nothing was known about this object, so all of it is new.
        """
        value, nulls, unfinished = self.value, options.nulls, options.unfinished
        # the spine continues in one of the members that joined or, if none did, that changed
        latest = value if diff is None else diff.new or [*diff.changed, *diff.contradicted]
        candidates, final = [], []
        for key in latest:
            member = value[key]
            if type(member) in unfinished:
                candidates.append(key)
            elif member is not None or not nulls:
                final.append(key)
        if diff is not None and (diff.held or diff.changed):
            # there are unwritten members besides the latest ones
            final = self.final(diff, options, but={*candidates})
        if len(candidates) == 1 and type(value[candidates[0]]) in GROWABLE:
            return final, candidates[0]
        return final, None

    def unwrite(self, diff: Diff) -> None:
        """Mark contradicted members as unwritten: their text remains, and a newer one has to follow."""
        self.stale |= {*diff.contradicted}
        for key in diff.contradicted:
            self.closed.pop(key, None)
        if self.child in diff.contradicted:
            self.child = None
        self.marks = [mark for mark in self.marks if mark[0] in self.closed]
        moved = {*diff.new, *diff.changed}
        diff.held = [key for key in self._unwritten() if key not in moved]

    def write(self, keys: Sequence[Any], parts: list[str]) -> None:
        """Write complete members."""
        value, closed = self.value, self.closed
        comma = "," if closed or self.stale else ""
        for key in keys:
            member = closed[key] = value[key]
            kind = type(member)
            # most members are short and need no mark: starting the encoder costs more than writing them
            if kind is str:
                text = quoted(member)
            elif kind is int and member > 1:
                text = repr(member)
            else:
                text = json_text(member)
                self.marks += marks_of([(key, member)])
            parts.append(f"{comma}{quoted(key)}:{text}")
            comma = ","

    def lead(self, key: Any) -> str:
        """Return the text that comes before a member's value."""
        return f",{quoted(key)}:" if self.closed or self.stale else f"{quoted(key)}:"

    def rest(self) -> Sequence[Any]:
        """Return all unwritten members, scalars first, to be written before the object closes."""
        rest = self._unwritten()
        return sorted(rest, key=lambda key: type(self.value[key]) in GROWABLE) if rest else rest

    def _unwritten(self) -> list[Any]:
        closed, child = self.closed, self.child
        if len(self.value) == len(closed) + (child is not None):
            return []
        return [key for key in self.value if key not in closed and key != child]

    def close_child(self, marks: Marks) -> None:
        """Record that the open member is completely written, with its marks."""
        self.closed[self.child] = self.value[self.child]
        if marks:
            self.marks.append((self.child, marks))
        self.child = None

    def place(self, key: Any, now: Any) -> Segments:
        """Return the exact place where a member contradicts its written text."""
        return (key, *(first_difference(self.value[key], now[key]) or ()))


class OpenArray:
    """An array whose ``[`` is written and whose ``]`` is not."""

    __slots__ = ("child", "count", "marks", "value")
    opening, closing = "[", "]"

    def __init__(self, value: list[Any]) -> None:
        # its state in the last snapshot
        self.value = value
        # the item that is written in part, and the number of complete items before it
        self.child: Any = None
        self.count = 0
        # where the closed ones hold booleans, zeros and ones
        self.marks: Marks = []

    def compare(self, now: Any, options: Options, known: Any = None) -> Diff | None:
        """Compare this array with its next state; the item ``known`` is known to differ."""
        if type(now) is not list:
            return Diff(conflict_at=())
        before, count, child = self.value, self.count, self.child
        if child == 0 and len(now) == 1:
            # there is only the open item; this is always so for the root
            return None
        written = count if child is None else count + 1
        length = options.length(now, written) if options.nulls else len(now)
        if length < written:
            return Diff(conflict_at=(length,))
        if count:
            closed, closed_now = before[:count], now[:count]
            try:
                intact = closed == closed_now and not (self.marks and contradicts_marks(self.marks, now))
            except RecursionError:
                intact = same(closed, closed_now)
            if not intact:
                return Diff(conflict_at=first_difference(closed, closed_now))
        if length > written and (
            written >= len(before)
            or (known is not None and known < length)
            or not same(before[written:length], now[written:length], options.nulls)
        ):
            return Diff(range(written, length))
        return None

    def final(self, _: Diff | None, options: Options) -> Sequence[Any]:
        """Return the items to write if the entire array is final."""
        written = self.count if self.child is None else self.count + 1
        length = options.length(self.value, written)
        if length > written and options.empty(self.value[length - 1]):
            # nothing waits for the last item, so it may wait like any empty member
            length -= 1
        return range(written, length)

    def certain(self, diff: Diff | None, options: Options) -> tuple[Sequence[Any], Any]:
        """Return the final items, and the item on the spine, which is the last one."""
        new = range(options.length(self.value, 0)) if diff is None else diff.new
        if not new:
            return new, None
        kind = type(self.value[new[-1]])
        if kind not in options.unfinished:
            return new, None
        return new[:-1], new[-1] if kind in GROWABLE else None

    def write(self, indexes: Sequence[Any], parts: list[str]) -> None:
        """Write complete items."""
        start, self.count = self.count, self.count + len(indexes)
        items = self.value[start : self.count]
        self.marks += marks_of(enumerate(items, start))
        parts += ("," if start else "", json_text(items)[1:-1])

    def lead(self, index: Any) -> str:
        """Return the text that comes before an item."""
        return "," if index else ""

    def rest(self) -> Sequence[Any]:
        """Return all unwritten items, to be written before the array closes."""
        return range(self.count, len(self.value))

    def close_child(self, marks: Marks) -> None:
        """Record that the open item is completely written, with its marks."""
        if marks:
            self.marks.append((self.child, marks))
        self.count += 1
        self.child = None

    def place(self, index: Any, now: Any) -> Segments:
        """Return the exact place where an item contradicts its written text."""
        return (index, *(first_difference(self.value[index], now[index]) or ()))


class Step:
    """What one snapshot shows along the spine."""

    __slots__ = ("diffs", "string_grew", "values")

    def __init__(self) -> None:
        # the next state of every open container; the diffs, by level, of those that changed;
        # and whether the open string at the end has grown
        self.values: list[Any] = []
        self.diffs: dict[int, Diff] = {}
        self.string_grew = False

    def highest_level(self) -> int | None:
        """Return the level of the highest container whose open member is finished, None if none is.

        The open member is finished if a member joined its container, or if another member of the container
        changed and the open one did not.
        """
        for level, diff in self.diffs.items():
            if diff.new:
                return level
        # the last level is the deepest: below it only the string may have changed
        return None if self.string_grew or not self.diffs else level

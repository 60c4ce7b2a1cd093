"""Lay out a value that still grows as lines that fit a window.

The *spine* consists of the open containers and, at its end, possibly an open string. It is drawn from the
outside in, and every container leaves the lines that its open member needs, so the place where the text
grows is always visible. If the spine is too long, its outer levels are folded.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..paths import format_path
from . import strings as _strings
from .layout import INDENT, Layout, begin_of
from .line import Line
from .marks import FOLD, PUNCTUATION
from .members import Members
from .safe import shown

if TYPE_CHECKING:
    from ..paths import Segments
    from .marks import Marks

__all__ = ["fit"]

# The smallest layout; a smaller window shows a part of it.
_LEAST_WIDTH, _LEAST_HEIGHT = 20, 5
# The maximum number of folded levels whose path is shown.
_MOST_NAMED = 6


def fit(value: Any, open_path: Segments | None, width: int, height: int, marks: Marks) -> list[Line]:
    """Return a value as at most ``height`` lines of at most ``width`` cells.

    >>> from midstream.render.marks import UNICODE
    >>> for line in fit({"city": "Zür"}, ("city",), 40, 12, UNICODE):
    ...     print(line)
    {
      "city": "Zür▌
      …
    """
    layout, lines_wanted = Layout(max(width, _LEAST_WIDTH), marks), max(height, _LEAST_HEIGHT)
    if value is UNDEFINED:
        lines = [Line().add(marks.fold, FOLD)]
    elif open_path is None:
        lines = layout.squeezed(None, value, 0, "", lines_wanted)[:height]
    else:
        spine = Spine(layout, value, open_path)
        lines = spine.lines(lines_wanted)[-height:]
        lines += spine.open_ends()[: max(height - len(lines), 0)]
    return [line.crop(width) for line in lines[: max(height, 0)]]


class Spine:
    """Lay out the open values, and the finished members around them."""

    def __init__(self, layout: Layout, value: Any, open_path: Segments) -> None:
        self.layout = layout
        self.marks = layout.marks
        self.path = open_path
        # the open values, from the root to the innermost, and the key of each
        self.things = [value]
        self.keys: list[str | None] = [None]
        self.members: list[Members] = []
        for segment in open_path:
            inner = _member(self.things[-1], segment)
            if not isinstance(inner, (str, dict, list)):
                break
            self.members.append(Members(self.things[-1], segment))
            self.things.append(inner)
            self.keys.append(segment if isinstance(segment, str) else None)
        if not isinstance(self.things[-1], str):
            self.members.append(Members(self.things[-1]))
        self.innermost = len(self.things) - 1
        self.folded = 0

    def lines(self, height: int) -> list[Line]:
        """Draw the spine on at most ``height`` lines."""
        heights = self._full_heights(height) if self.innermost <= self.layout.deepest else []
        needs = self._needs()
        if not heights or sum(heights) > height:
            self.folded = self._fold_outer_levels(needs, height)
            if self.folded or not heights:
                heights = self._full_heights(height)
        lines: list[Line] = []
        if self.folded:
            lines.append(self._outer_levels())
        for place in range(self.folded, self.innermost):
            lines.append(self._begin(place))
            members, left = self.members[place], height - len(lines)
            if members.count:
                inner = sum(heights[place - self.folded + 1 :])
                share = min(max(left // 3, left - inner), left - needs[place + 1])
                level = place - self.folded + 1
                lines += self.layout.squeezed_members(members, level, ",", max(share, 1))
        return lines + self._innermost(height - len(lines))

    def open_ends(self) -> list[Line]:
        """Return a fold mark for each container around the innermost open value, if all are shown."""
        if self.folded:
            return []
        levels = range(self.innermost, 0, -1)
        return [Line(level * INDENT).add(self.marks.fold, FOLD) for level in levels]

    def _outer_levels(self) -> Line:
        """Return the number of folded levels, with their path if they are few."""
        levels = f"{self.folded:,} level{'' if self.folded == 1 else 's'}"
        # the first visible level shows its own key
        path = self.path[: self.folded - (self.keys[self.folded] is not None)]
        if 0 < len(path) <= _MOST_NAMED:
            text = shown(format_path("", path), self.marks.encoding or "utf-8")
            line = self.layout.fold(f"{levels}: {text}", 0)
            if line.cells <= self.layout.width:
                return line
        return self.layout.fold(levels, 0)

    def _begin(self, place: int) -> Line:
        line = self.layout.lead(self.keys[place], place - self.folded)
        return line.add(begin_of(self.things[place]), PUNCTUATION)

    def _innermost(self, height: int) -> list[Line]:
        """Draw the innermost open value on at most ``height`` lines."""
        thing, level = self.things[-1], self.innermost - self.folded
        if isinstance(thing, str):
            line, indent = self.layout.lead(self.keys[-1], level), (level + 1) * INDENT
            writing, width = _strings.open_(self.marks), self.layout.width
            return _strings.squeezed(line, thing, writing, indent, width, self.marks, height)
        begin = self._begin(self.innermost)
        if not thing:
            return [begin.add(f" {self.marks.fold}", FOLD)]
        end = Line((level + 1) * INDENT).add(self.marks.fold, FOLD)
        members = self.layout.squeezed_members(
            self.members[-1], level + 1, "", max(height - 2, 1), is_growing=True
        )
        return [begin, *members, end]

    def _full_heights(self, height: int) -> list[int]:
        """Count the lines of each visible level, up to the height of the window."""
        heights = []
        for place in range(self.folded, self.innermost):
            level = place - self.folded + 1
            members = self.layout.full_members(self.members[place], level, ",")
            heights.append(1 + sum(1 for _ in islice(members, height)))
        return [*heights, len(self._innermost(height))]

    def _needs(self) -> list[int]:
        """Return for each level the minimum number of lines for it and its open member."""
        thing = self.things[-1]
        needs = [1 if isinstance(thing, str) or not thing else 2 + min(len(thing), 2)]
        for place in range(self.innermost - 1, -1, -1):
            needs.append(needs[-1] + 1 + (self.members[place].count > 0))
        return needs[::-1]

    def _fold_outer_levels(self, needs: list[int], height: int) -> int:
        """Return the number of levels to fold so that the others have room."""
        most = max(height * 2 // 3, height - 1 if height <= _LEAST_HEIGHT else 0)
        folded = max(self.innermost - self.layout.deepest, 0)
        while folded < self.innermost and needs[folded] > most:
            folded += 1
        return folded


def _member(thing: Any, segment: str | int) -> Any:
    """Return a member, None if there is none."""
    if isinstance(thing, dict):
        return thing.get(segment)
    if isinstance(thing, list) and isinstance(segment, int) and segment < len(thing):
        return thing[segment]
    return None

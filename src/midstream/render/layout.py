"""Lay out final values as lines that fit a window.

A final value is drawn in full if it fits its share of the lines, else squeezed: the middle of a long
container or string is folded, and an inner container gets one line. Open values are laid out in ``spine``.

Lines are generated lazily, and no caller requests more than the window shows, so the cost depends on what is
visible, not on the value. Recursion is limited to the depth that the window can indent.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from . import strings as _strings
from .glyphs import glyphs, is_plain
from .line import Line
from .marks import FOLD, KEY, LITERAL, NUMBER, PUNCTUATION, STRING
from .members import Members

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.style import Style

    from .marks import Marks

__all__ = ["INDENT", "Layout", "begin_of"]

INDENT = 2
# The maximum indentation, even in a wide window.
_DEEPEST = 32
# Cells of a key that are always shown.
_LEAST_KEY = 3
_LONGEST_ESCAPE = len("\\ud800\\udc00")
# The maximum depth of containers on one line.
_INLINE_DEPTH = 3
# A folded container with fewer lines than this is drawn on one line.
_LEAST_FOLDED = 5
# The minimum and maximum cells for a string in a container that is drawn on one line.
_SHORTEST_SAMPLE, _LONGEST_SAMPLE = 8, 32
# Longer integers are not written in decimal, because the conversion takes quadratic time.
_MOST_BITS = 14_000


class Layout:
    """Lay out final values in lines of a width."""

    def __init__(self, width: int, marks: Marks) -> None:
        self.width = width
        self.marks = marks
        # the cells that a key must leave: for punctuation, a fold mark, a wide character and the cursor
        self.least_after_key = len('": "') + len(marks.fold) + 2 + len(marks.cursor)
        after_key = width - len('"') - _LEAST_KEY - self.least_after_key
        # a further line of a string is indented once more, and holds the longest escape and the cursor
        of_a_string = width - INDENT - _LONGEST_ESCAPE - len(marks.cursor)
        self.deepest = min(width // 5, after_key // INDENT, of_a_string // INDENT, _DEEPEST)

    def lead(self, key: str | None, level: int) -> Line:
        """Return a line with the key, which leaves room for the value."""
        line = Line(level * INDENT)
        if key is not None:
            line.add('"', PUNCTUATION)
            room = self.width - line.cells
            cells = max(min(room // 2, room - self.least_after_key), _LEAST_KEY)
            _strings.fold_into(line, key, cells, KEY, self.marks, is_counted=False)
            line.add('": ', PUNCTUATION)
        return line

    def fold(self, what: str, level: int) -> Line:
        """Return a line that says what is not shown."""
        return Line(level * INDENT).add(f"{self.marks.fold} {what} {self.marks.fold}", FOLD)

    def full(self, key: str | None, value: Any, level: int, comma: str) -> Iterator[Line]:
        """Draw a value on as many lines as it needs."""
        line = self.lead(key, level)
        if isinstance(value, str):
            indent = (level + 1) * INDENT
            yield from _strings.full(line, value, _strings.closed(comma), indent, self.width, self.marks)
            return
        is_container = isinstance(value, (dict, list)) and len(value) > 0
        place = line.place
        # the root keeps the layout that it had while it was open
        if level or not is_container:
            if self._inline(line, value, self.width - len(comma)):
                yield line.add(comma, PUNCTUATION)
                return
            line.rewind(place)
        if not is_container or level >= self.deepest:
            yield self.one_line(line, value, comma)
            return
        yield line.add(begin_of(value), PUNCTUATION)
        yield from self.full_members(Members(value), level + 1, "")
        yield Line(level * INDENT).add(_end_of(value) + comma, PUNCTUATION)

    def full_members(self, members: Members, level: int, last_comma: str) -> Iterator[Line]:
        """Draw members on as many lines as they need."""
        for number, (key, value) in enumerate(members, 1):
            yield from self.full(key, value, level, "," if number < members.count else last_comma)

    def squeezed(self, key: str | None, value: Any, level: int, comma: str, height: int) -> list[Line]:
        """Draw a value on at most ``height`` lines."""
        line = self.lead(key, level)
        if isinstance(value, str):
            writing, indent = _strings.closed(comma), (level + 1) * INDENT
            return _strings.squeezed(line, value, writing, indent, self.width, self.marks, height)
        lines = list(islice(self.full(key, value, level, comma), height + 1))
        if len(lines) <= height:
            return lines
        if height < _LEAST_FOLDED:
            return [self.one_line(line, value, comma)]
        return [
            line.add(begin_of(value), PUNCTUATION),
            *self.squeezed_members(Members(value), level + 1, "", height - 2),
            Line(level * INDENT).add(_end_of(value) + comma, PUNCTUATION),
        ]

    def squeezed_members(
        self, members: Members, level: int, last_comma: str, height: int, *, is_growing: bool = False
    ) -> list[Line]:
        """Draw first and last members on at most ``height`` lines; more of the last ones if they grow."""
        lines = list(islice(self.full_members(members, level, last_comma), height + 1))
        if len(lines) <= height:
            return lines
        if members.count <= height:
            return self._sharing(members.last(members.count), level, last_comma, height)
        if height == 1:
            return [self.fold(members.counted(members.count, "more "), level)]
        [(key, value)] = members.last(1)
        # the latest member keeps the size that it had while it was open
        last = self.squeezed(key, value, level, last_comma, height // 2 if is_growing else 1)
        shown = height - len(last) - 1
        first_count = shown // (3 if is_growing or last_comma else 2)
        last_count = shown - first_count
        return [
            *self._sharing(members.first(first_count), level, ",", first_count),
            self.fold(members.counted(members.count - shown - 1, "more "), level),
            *self._sharing(members.last(last_count + 1)[:-1], level, ",", last_count),
            *last,
        ]

    def _sharing(
        self, members: list[tuple[str | None, Any]], level: int, last_comma: str, height: int
    ) -> list[Line]:
        """Draw members on one line each; large members share the remaining lines."""
        drawn = []
        spare = height - len(members)
        large = sum(self._is_large(value) for _, value in members)
        comma = last_comma
        for key, value in reversed(members):
            share = 1
            if self._is_large(value):
                share += spare // large
                large -= 1
            lines = self.squeezed(key, value, level, comma, share)
            spare -= len(lines) - 1
            drawn.append(lines)
            comma = ","
        return [line for lines in reversed(drawn) for line in lines]

    def _is_large(self, value: Any) -> bool:
        """Report whether a value may need more than one line."""
        return len(value) > self.width // 2 if isinstance(value, str) else isinstance(value, (dict, list))

    def one_line(self, line: Line, value: Any, comma: str) -> Line:
        """Complete a line with a shortened value: its head and tail, or a container's first members."""
        if isinstance(value, str):
            return _strings.squeezed(line, value, _strings.closed(comma), 0, self.width, self.marks, 1)[0]
        if not isinstance(value, (dict, list)):
            text, style = _scalar(value)
            cells = self.width - line.cells - len(comma)
            return _strings.fold_into(line, text, cells, style, self.marks).add(comma, PUNCTUATION)
        line.add(begin_of(value), PUNCTUATION)
        members = Members(value)
        count = f" {members.counted(members.count)}"
        end = self.width - len(f", {self.marks.fold}]{count}{comma}")
        separator = ""
        for key, member in members:
            place = line.place
            line.add(separator, PUNCTUATION)
            if not (self._inline_key(line, key, end) and self._sample(line, member, end)):
                line.rewind(place)
                line.add(separator, PUNCTUATION).add(self.marks.fold, FOLD)
                break
            separator = ", "
        return line.add(_end_of(value), PUNCTUATION).add(count, FOLD).add(comma, PUNCTUATION)

    def brief(self, line: Line, value: Any) -> Line:
        """Complete a line with a value, shortened if it does not fit."""
        place = line.place
        if not self._inline(line, value, self.width):
            line.rewind(place)
            self.one_line(line, value, "")
        return line

    def _sample(self, line: Line, value: Any, end: int) -> bool:
        """Append a value if it ends before a column; a string may be folded. Report success."""
        cells = min(end - line.cells - 2, _LONGEST_SAMPLE)
        if isinstance(value, str) and cells >= _SHORTEST_SAMPLE:
            line.add('"', PUNCTUATION)
            _strings.fold_into(line, value, cells, STRING, self.marks, is_counted=False)
            line.add('"', PUNCTUATION)
            return True
        return self._inline(line, value, end, 1)

    def _inline(self, line: Line, value: Any, end: int, depth: int = _INLINE_DEPTH) -> bool:
        """Append a value if it ends before a column; on failure the line must be rewound."""
        if isinstance(value, str):
            return self._quote(line, value, STRING, '"', end)
        elif isinstance(value, (dict, list)):
            line.add(begin_of(value), PUNCTUATION)
            for number, (key, member) in enumerate(Members(value)):
                if number:
                    line.add(", ", PUNCTUATION)
                if not (
                    depth and self._inline_key(line, key, end) and self._inline(line, member, end, depth - 1)
                ):
                    return False
            line.add(_end_of(value), PUNCTUATION)
        else:
            line.add(*_scalar(value))
        return line.cells <= end

    def _inline_key(self, line: Line, key: str | None, end: int) -> bool:
        return key is None or self._quote(line, key, KEY, '": ', end)

    def _quote(self, line: Line, text: str, style: Style, after: str, end: int) -> bool:
        """Append a quoted text with its suffix if it ends before a column. Report success."""
        if len(text) > 4 * (end - line.cells):
            return False
        line.add('"', PUNCTUATION)
        if is_plain(text):
            line.add(text, style)
        else:
            line.draw(glyphs(text, self.marks.quoted), style)
        return line.add(after, PUNCTUATION).cells <= end


def begin_of(container: dict[str, Any] | list[Any]) -> str:
    """Return the opening bracket of a container."""
    return "{" if isinstance(container, dict) else "["


def _end_of(container: dict[str, Any] | list[Any]) -> str:
    return "}" if isinstance(container, dict) else "]"


def _scalar(value: Any) -> tuple[str, Style]:
    """Return a scalar as text with its style; parse_int and parse_float may have returned any type."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value], LITERAL
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"(an integer of {value.bit_length():,} bits)", NUMBER
    text = str(value)
    if isinstance(value, float):
        # a number beyond the range of float
        text = text.replace("inf", "1e999")
    return text, NUMBER

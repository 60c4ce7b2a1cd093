"""A string on one or several lines, complete or with its middle folded."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from .glyphs import glyphs, head, is_plain, rows, tail, tail_rows
from .line import Line
from .marks import CURSOR, FOLD, PROSE, PUNCTUATION, RAW, STRING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.style import Style

    from .glyphs import Glyph
    from .marks import Marks
    from .safe import Spelling

__all__ = ["Writing", "closed", "fold_into", "full", "open_", "prose", "raw", "squeezed"]

# The minimum width for breaking a text into rows.
_LEAST_ROW = 12
# The minimum number of lines for a fold on a line of its own.
_LEAST_LINES = 3
# The distance of the tab stops of prose.
_TAB = 4


class Writing(NamedTuple):
    """How a text is drawn: closed by a quote, or growing with a cursor at its end."""

    style: Style
    before: str
    after: str
    after_style: Style
    is_quoted: bool
    # the head of a folded text gets 1/head_share of the cells; less where the tail matters more
    head_share: int


def closed(comma: str) -> Writing:
    """Return how to draw a final string."""
    return Writing(STRING, '"', f'"{comma}', PUNCTUATION, True, 2)


def open_(marks: Marks) -> Writing:
    """Return how to draw a growing string."""
    return Writing(STRING, '"', marks.cursor, CURSOR, True, 4)


def raw(cursor: str) -> Writing:
    """Return how to draw a text that is not JSON."""
    return Writing(RAW, "", cursor, CURSOR, False, 4)


def fold_into(
    line: Line,
    text: str,
    cells: int,
    style: Style,
    marks: Marks,
    *,
    head_share: int = 2,
    is_counted: bool = True,
    is_quoted: bool = True,
) -> Line:
    """Append a text to a line, or the head and tail of a long one."""
    spelling = marks.quoted if is_quoted else marks.bare
    if len(text) <= cells and is_plain(text):
        return line.add(text, style)
    if len(text) <= 4 * cells:
        all_of_it = glyphs(text, spelling)
        if sum(glyph.cells for glyph in all_of_it) <= cells:
            return line.draw(all_of_it, style)
    fold = _characters(len(text), marks)
    is_counted = is_counted and len(fold) + _LEAST_ROW <= cells
    room = cells - len(fold if is_counted else marks.fold)
    first = head(text, room // head_share, spelling)
    last = tail(text, room - sum(glyph.cells for glyph in first), spelling)
    hidden = len(text) - sum(glyph.size for glyph in (*first, *last))
    fold = _characters(hidden, marks) if is_counted else marks.fold
    return line.draw(first, style).add(fold, FOLD).draw(last, style)


def _characters(count: int, marks: Marks) -> str:
    return f"{marks.fold}({count:,} characters){marks.fold}"


def full(line: Line, text: str, writing: Writing, indent: int, width: int, marks: Marks) -> Iterator[Line]:
    """Append a text to a line; further lines are indented and generated lazily."""
    first, other = _rooms(line, writing, indent, width)
    return _drawn(line, rows(text, first, other, _spelling(writing, marks)), writing, indent)


def squeezed(
    line: Line, text: str, writing: Writing, indent: int, width: int, marks: Marks, height: int
) -> list[Line]:
    """Draw a text on at most ``height`` lines."""
    first, other = _rooms(line, writing, indent, width)
    found = list(islice(rows(text, first, other, _spelling(writing, marks)), height + 1))
    if len(found) <= height:
        return list(_drawn(line, found, writing, indent))
    if height < _LEAST_LINES or other < _LEAST_ROW:
        line.add(writing.before, PUNCTUATION)
        share, is_quoted = writing.head_share, writing.is_quoted
        fold_into(line, text, first, writing.style, marks, head_share=share, is_quoted=is_quoted)
        return [line.add(writing.after, writing.after_style)]
    found = found[: (height - 1) // writing.head_share or 1]
    floor = sum(glyph.size for row in found for glyph in row)
    last = tail_rows(text, floor, other, height - 1 - len(found), _spelling(writing, marks))
    hidden = len(text) - floor - sum(glyph.size for row in last for glyph in row)
    top = _drawn(line, found, writing._replace(after=""), indent)
    fold = Line(indent).add(_characters(hidden, marks), FOLD)
    return [*top, fold, *_drawn(Line(indent), last, writing._replace(before=""), indent)]


def prose(text: str, width: int, height: int, marks: Marks) -> list[Line]:
    """Draw the end of a prose text with its own line breaks on at most ``height`` lines."""
    if height < 1:
        return []
    screenful = width * height
    # compute breaks from a place that moves once per screenful, so that a growing text does not rewrap
    start = max(len(text) // screenful - 1, 0) * screenful
    lines: list[Line] = []
    for part in text[start:].rstrip("\n").replace("\r\n", "\n").split("\n"):
        found = rows(part.expandtabs(_TAB), width, width, marks.bare)
        lines += [Line().draw(row, PROSE) for row in found] or [Line()]
    if height > 1 and (start or len(lines) > height):
        lines[: -height + 1] = [Line().add(marks.fold, FOLD)]
    return [line.crop(width) for line in lines[-height:]]


def _spelling(writing: Writing, marks: Marks) -> Spelling:
    return marks.quoted if writing.is_quoted else marks.bare


def _rooms(line: Line, writing: Writing, indent: int, width: int) -> tuple[int, int]:
    """Return the width of the text on the first line and on others, with room for its end on each."""
    end = len(writing.after)
    return width - line.cells - len(writing.before) - end, width - indent - end


def _drawn(line: Line, rows: Iterable[list[Glyph]], writing: Writing, indent: int) -> Iterator[Line]:
    line.add(writing.before, PUNCTUATION)
    for number, row in enumerate(rows):
        if number:
            yield line
            line = Line(indent)
        line.draw(row, writing.style)
    yield line.add(writing.after, writing.after_style)

"""A string on one line or many: whole, or with its middle folded."""

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

__all__ = ["Writing", "closed", "fold_into", "open_", "prose", "raw", "squeezed", "whole"]

# Rows that are narrower are not worth breaking a text for.
_LEAST_ROW = 12
# With fewer lines there is none for the fold.
_LEAST_LINES = 3
# How far apart the tab stops of prose are.
_TAB = 4


class Writing(NamedTuple):
    """How a text is written: in quotes, or growing and with a cursor at its end."""

    style: Style
    before: str
    behind: str
    behind_style: Style
    is_quoted: bool
    # the head of a folded text gets a half of the cells, or less where the tail is what matters
    head_share: int


def closed(comma: str) -> Writing:
    """Write a string that is final."""
    return Writing(STRING, '"', f'"{comma}', PUNCTUATION, True, 2)


def open_(marks: Marks) -> Writing:
    """Write a string that goes on."""
    return Writing(STRING, '"', marks.cursor, CURSOR, True, 4)


def raw(cursor: str) -> Writing:
    """Write a text that is no JSON."""
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
    """Add a text to a line, or of a long one its head and tail."""
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


def whole(line: Line, text: str, writing: Writing, indent: int, width: int, marks: Marks) -> Iterator[Line]:
    """Write a text behind what a line has already; further lines are indented, and made when asked for."""
    first, other = _rooms(line, writing, indent, width)
    return _drawn(line, rows(text, first, other, _spelling(writing, marks)), writing, indent)


def squeezed(
    line: Line, text: str, writing: Writing, indent: int, width: int, marks: Marks, height: int
) -> list[Line]:
    """Write a text on at most so many lines."""
    first, other = _rooms(line, writing, indent, width)
    found = list(islice(rows(text, first, other, _spelling(writing, marks)), height + 1))
    if len(found) <= height:
        return list(_drawn(line, found, writing, indent))
    if height < _LEAST_LINES or other < _LEAST_ROW:
        line.add(writing.before, PUNCTUATION)
        share, is_quoted = writing.head_share, writing.is_quoted
        fold_into(line, text, first, writing.style, marks, head_share=share, is_quoted=is_quoted)
        return [line.add(writing.behind, writing.behind_style)]
    found = found[: (height - 1) // writing.head_share or 1]
    floor = sum(glyph.size for row in found for glyph in row)
    last = tail_rows(text, floor, other, height - 1 - len(found), _spelling(writing, marks))
    hidden = len(text) - floor - sum(glyph.size for row in last for glyph in row)
    top = _drawn(line, found, writing._replace(behind=""), indent)
    fold = Line(indent).add(_characters(hidden, marks), FOLD)
    return [*top, fold, *_drawn(Line(indent), last, writing._replace(before=""), indent)]


def prose(text: str, width: int, height: int, marks: Marks) -> list[Line]:
    """Write the end of a text for people, with its own line breaks, on at most so many lines."""
    if height < 1:
        return []
    screenful = width * height
    # breaks are counted from there for a screenful, so that a text that grows does not dance
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
    """Tell how wide the text can be on the first line and on others: wherever it ends, its end must fit."""
    end = len(writing.behind)
    return width - line.cells - len(writing.before) - end, width - indent - end


def _drawn(line: Line, rows: Iterable[list[Glyph]], writing: Writing, indent: int) -> Iterator[Line]:
    line.add(writing.before, PUNCTUATION)
    for number, row in enumerate(rows):
        if number:
            yield line
            line = Line(indent)
        line.draw(row, writing.style)
    yield line.add(writing.behind, writing.behind_style)

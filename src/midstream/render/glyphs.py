"""A text as what is drawn of it, glyph by glyph, in rows of cells; only what is drawn is looked at."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from .safe import TROUBLE, escape, is_encodable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .safe import Spelling

__all__ = ["Glyph", "glyphs", "head", "is_plain", "rows", "tail", "tail_rows"]

# How much of a text is looked at in one go.
_WINDOW = 1024
# What belongs together: pictographs with their modifiers, joined; two letters that are a flag.
_PICTURE = "[\u2190-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
_TOGETHER = re.compile(
    f"{_PICTURE}[\ufe0f\U0001f3fb-\U0001f3ff]*(?:\u200d{_PICTURE}[\ufe0f\U0001f3fb-\U0001f3ff]*)*"
    "|[\U0001f1e6-\U0001f1ff]{2}|.",
    re.DOTALL,
)
# Printable ASCII but for the quote and the backslash: every character is a glyph and takes a cell.
is_plain = re.compile(r"[ !#-\[\]-~]*").fullmatch
# How many glyphs are remembered.
_MOST_KNOWN = 8192
# A row may end a little earlier where there is a space.
_RAGGED = 16


class Glyph(NamedTuple):
    """What is drawn of ``size`` characters of the data; ``is_escape``: it stands for them."""

    text: str
    cells: int
    size: int
    is_escape: bool


class _Glyphs(dict[str, Glyph]):
    """Know the glyphs of a spelling, and find out about those that are new."""

    def __init__(self, spelling: Spelling) -> None:
        self.encoding, is_quoted = spelling
        self.escaped = '"\\' if is_quoted else ""

    def __missing__(self, text: str) -> Glyph:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        glyph = self[text] = self._find(text)
        return glyph

    def _find(self, text: str) -> Glyph:
        is_encoded = self.encoding is None or is_encodable(text, self.encoding)
        if is_encoded and text not in self.escaped and not TROUBLE.fullmatch(text):
            return Glyph(text, cell_len(text), len(text), False)
        escaped = "".join(map(escape, text))
        return Glyph(escaped, len(escaped), len(text), True)


_known = lru_cache(8)(_Glyphs)


@lru_cache(1024)
def _combining(char: str) -> Glyph:
    """Show a character that has nothing to combine with."""
    return Glyph(escape(char), len(escape(char)), 1, True)


def glyphs(text: str, spelling: Spelling) -> list[Glyph]:
    """Give the glyphs of a text, which should be no longer than what is drawn of it."""
    known = _known(spelling)
    if text.isascii():
        return [known[char] for char in text]
    found: list[Glyph] = []
    for cluster in _TOGETHER.findall(text):
        glyph = known[cluster]
        if glyph.cells == 0:
            before = found[-1] if found else None
            if before is None or before.is_escape:
                glyph = _combining(cluster)
            else:
                found[-1] = _joined(before, cluster)
                continue
        found.append(glyph)
    return found


def _joined(before: Glyph, mark: str) -> Glyph:
    text = before.text + mark
    return Glyph(text, cell_len(text), before.size + len(mark), False)


def _extends(char: str) -> bool:
    """Tell whether a character belongs to the one before it."""
    return char == "\u200d" or cell_len(char) == 0


def _cut_at(text: str, at: int) -> int:
    """Find the next place where a text can be cut without tearing what belongs together."""
    for place in range(max(at, 1), min(at + 16, len(text))):
        if not _extends(text[place]) and text[place - 1] != "\u200d":
            return place if at else 0
    return at


def head(text: str, cells: int, spelling: Spelling) -> list[Glyph]:
    """Give the first glyphs of a text, as many as fit."""
    return _fitting(glyphs(text[: _cut_at(text, max(cells, 0))], spelling), cells)


def tail(text: str, cells: int, spelling: Spelling) -> list[Glyph]:
    """Give the last glyphs of a text, as many as fit."""
    start = _cut_at(text, max(len(text) - max(cells, 0), 0))
    return _fitting(glyphs(text[start:], spelling)[::-1], cells)[::-1]


def _fitting(found: list[Glyph], cells: int) -> list[Glyph]:
    for count, glyph in enumerate(found):
        cells -= glyph.cells
        if cells < 0:
            return found[:count]
    return found


def rows(text: str, first: int, other: int, spelling: Spelling) -> Iterator[list[Glyph]]:
    """Break a text into rows so many cells wide, behind line feeds and if possible behind spaces.

    A text that fits the first row is not broken. Rows are made when they are asked for.
    """
    if len(text) <= 4 * first:
        row = glyphs(text, spelling)
        if sum(glyph.cells for glyph in row) <= first:
            yield row
            return
    row, left, at = [], first, 0
    while at < len(text):
        end = _cut_at(text, at + _WINDOW)
        for glyph in glyphs(text[at:end], spelling):
            if glyph.cells > left and (row or left < other):
                keep = _break(row)
                yield row[:keep]
                row = row[keep:]
                left = other - sum(kept.cells for kept in row)
            row.append(glyph)
            left -= glyph.cells
            if glyph.text == "\\n" and glyph.size == 1:
                yield row
                row, left = [], other
        at = end
    if row:
        yield row


def _break(row: list[Glyph]) -> int:
    """Find where a full row ends best."""
    for place in range(len(row), max(len(row) - _RAGGED, len(row) // 2), -1):
        if row[place - 1].text == " ":
            return place
    return len(row)


def tail_rows(text: str, floor: int, width: int, count: int, spelling: Spelling) -> list[list[Glyph]]:
    """Give the last rows of a long text, of what comes after its first ``floor`` characters.

    The breaks are counted from a place that moves once in a screenful: so the rows of a text that
    grows scroll, and don't dance.
    """
    screenful = width * count
    start = max(floor, (len(text) // screenful - 1) * screenful)
    return list(rows(text[_cut_at(text, start) :], width, width, spelling))[-count:]

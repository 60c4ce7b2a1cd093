"""A text as glyphs, and glyphs in rows of cells; only the visible part of a text is processed."""

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

# The number of characters that are processed at once.
_WINDOW = 1024
# Clusters: pictographs with modifiers and joiners, and the two letters of a flag.
_PICTURE = "[\u2190-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001faff]"
_TOGETHER = re.compile(
    f"{_PICTURE}[\ufe0f\U0001f3fb-\U0001f3ff]*(?:\u200d{_PICTURE}[\ufe0f\U0001f3fb-\U0001f3ff]*)*"
    "|[\U0001f1e6-\U0001f1ff]{2}|.",
    re.DOTALL,
)
# Printable ASCII except quotes and backslashes: every character is one glyph of one cell.
is_plain = re.compile(r"[ !#-\[\]-~]*").fullmatch
# The maximum number of cached glyphs.
_MOST_KNOWN = 8192
# The number of cells by which a row may end earlier, at a space.
_RAGGED = 16


class Glyph(NamedTuple):
    """The drawing of ``size`` characters of the data; ``is_escape`` if it is an escape sequence for them."""

    text: str
    cells: int
    size: int
    is_escape: bool


class _Glyphs(dict[str, Glyph]):
    """A cache of the glyphs of one spelling."""

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
    """Return the glyph of a combining character that has no base character."""
    return Glyph(escape(char), len(escape(char)), 1, True)


def glyphs(text: str, spelling: Spelling) -> list[Glyph]:
    """Return the glyphs of a text, which should not be longer than its visible part."""
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
    """Report whether a character combines with the one before it."""
    return char == "\u200d" or cell_len(char) == 0


def _cut_at(text: str, at: int) -> int:
    """Return the next place where a text can be split without splitting a cluster."""
    for place in range(max(at, 1), min(at + 16, len(text))):
        if not _extends(text[place]) and text[place - 1] != "\u200d":
            return place if at else 0
    return at


def head(text: str, cells: int, spelling: Spelling) -> list[Glyph]:
    """Return the first glyphs of a text, as many as fit."""
    return _fitting(glyphs(text[: _cut_at(text, max(cells, 0))], spelling), cells)


def tail(text: str, cells: int, spelling: Spelling) -> list[Glyph]:
    """Return the last glyphs of a text, as many as fit."""
    start = _cut_at(text, max(len(text) - max(cells, 0), 0))
    return _fitting(glyphs(text[start:], spelling)[::-1], cells)[::-1]


def _fitting(found: list[Glyph], cells: int) -> list[Glyph]:
    for count, glyph in enumerate(found):
        cells -= glyph.cells
        if cells < 0:
            return found[:count]
    return found


def rows(text: str, first: int, other: int, spelling: Spelling) -> Iterator[list[Glyph]]:
    """Break a text into rows of a width in cells, after line feeds and if possible after spaces.

    A text that fits into the first row is not broken. Rows are generated lazily.
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
    """Return the best place to end a full row."""
    for place in range(len(row), max(len(row) - _RAGGED, len(row) // 2), -1):
        if row[place - 1].text == " ":
            return place
    return len(row)


def tail_rows(text: str, floor: int, width: int, count: int, spelling: Spelling) -> list[list[Glyph]]:
    """Return the last rows of a long text, without its first ``floor`` characters.

    The breaks are computed from a place that moves once per screenful. The rows of a growing text therefore
    scroll, and do not change their breaks.
    """
    screenful = width * count
    start = max(floor, (len(text) // screenful - 1) * screenful)
    return list(rows(text[_cut_at(text, start) :], width, width, spelling))[-count:]

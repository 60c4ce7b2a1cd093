"""One line of a screen: pieces of text with styles, and their width in cells."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment

from .marks import ESCAPE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.style import Style

    from .glyphs import Glyph

__all__ = ["Line", "Screen"]


class Line:
    """Build a line from left to right."""

    __slots__ = ("cells", "pieces")

    def __init__(self, indent: int = 0) -> None:
        self.pieces: list[Segment] = [Segment(" " * indent)] if indent else []
        self.cells = indent

    def add(self, text: str, style: Style | None = None) -> Line:
        """Append a text."""
        self.pieces.append(Segment(text, style))
        self.cells += len(text) if text.isascii() else cell_len(text)
        return self

    def draw(self, glyphs: Iterable[Glyph], style: Style) -> Line:
        """Append glyphs; escapes have their own style."""
        for is_escape, group in groupby(glyphs, lambda glyph: glyph.is_escape):
            run = list(group)
            self.pieces.append(
                Segment("".join([glyph.text for glyph in run]), ESCAPE if is_escape else style)
            )
            self.cells += sum([glyph.cells for glyph in run])
        return self

    def join(self, other: Line) -> Line:
        """Append another line."""
        self.pieces += other.pieces
        self.cells += other.cells
        return self

    def pad(self, cells: int) -> Line:
        """Fill the line with spaces up to a width."""
        return self.add(" " * (cells - self.cells)) if self.cells < cells else self

    def crop(self, cells: int) -> Line:
        """Truncate the line to a width."""
        if self.cells > cells:
            self.pieces = Segment.adjust_line_length(self.pieces, cells, pad=False)
            self.cells = sum(piece.cell_length for piece in self.pieces)
        return self

    def rewind(self, place: tuple[int, int]) -> None:
        """Remove everything that was appended after `place` was read."""
        del self.pieces[place[0] :]
        self.cells = place[1]

    @property
    def place(self) -> tuple[int, int]:
        """The current end of the line, for `rewind`."""
        return len(self.pieces), self.cells

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces)


class Screen:
    """Lines that fit the window, as an object that rich can print."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines:
            yield from line.pieces
            yield Segment.line()

"""One line of a screen: pieces of text in their styles, and how many cells they take."""

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
    """Grow a line from left to right."""

    __slots__ = ("cells", "pieces")

    def __init__(self, indent: int = 0) -> None:
        self.pieces: list[Segment] = [Segment(" " * indent)] if indent else []
        self.cells = indent

    def add(self, text: str, style: Style | None = None) -> Line:
        """Put a text at the end."""
        self.pieces.append(Segment(text, style))
        self.cells += len(text) if text.isascii() else cell_len(text)
        return self

    def draw(self, glyphs: Iterable[Glyph], style: Style) -> Line:
        """Put glyphs at the end, escapes in a style of their own."""
        for is_escape, group in groupby(glyphs, lambda glyph: glyph.is_escape):
            run = list(group)
            self.pieces.append(
                Segment("".join([glyph.text for glyph in run]), ESCAPE if is_escape else style)
            )
            self.cells += sum([glyph.cells for glyph in run])
        return self

    def join(self, other: Line) -> Line:
        """Put another line at the end."""
        self.pieces += other.pieces
        self.cells += other.cells
        return self

    def pad(self, cells: int) -> Line:
        """Fill up with spaces."""
        return self.add(" " * (cells - self.cells)) if self.cells < cells else self

    def crop(self, cells: int) -> Line:
        """Cut off what is too much."""
        if self.cells > cells:
            self.pieces = Segment.adjust_line_length(self.pieces, cells, pad=False)
            self.cells = sum(piece.cell_length for piece in self.pieces)
        return self

    def rewind(self, place: tuple[int, int]) -> None:
        """Take back what was put at the end since `place` was asked for."""
        del self.pieces[place[0] :]
        self.cells = place[1]

    @property
    def place(self) -> tuple[int, int]:
        """Where the line ends now."""
        return len(self.pieces), self.cells

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces)


class Screen:
    """Hold lines that fit, for rich to print."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines:
            yield from line.pieces
            yield Segment.line()

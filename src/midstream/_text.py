"""A text that arrives in pieces and is wanted whole at the end, or now and then."""

from __future__ import annotations

__all__ = ["TextBuffer", "load_text"]

# Pieces are joined in batches: ten million one-character pieces cost no ten million list slots.
_BATCH = 1024


class TextBuffer:
    """Collect pieces in linear time, whatever their number and size.

    >>> buffer = TextBuffer()
    >>> buffer.append("mid"); buffer.append("stream")
    >>> buffer.read()
    'midstream'
    """

    __slots__ = ("batches", "pieces")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.batches: list[str] | None = None

    def append(self, piece: str) -> None:
        """Add a piece at the end."""
        self.pieces.append(piece)
        if len(self.pieces) >= _BATCH:
            if self.batches is None:
                self.batches = []
            self.batches.append("".join(self.pieces))
            self.pieces = []

    def read(self) -> str:
        """Give the whole text so far."""
        if self.batches is not None:
            self.pieces[:0] = self.batches
            self.batches = None
        if len(self.pieces) != 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0]

    def take(self) -> str:
        """Give the whole text and start afresh."""
        text = self.read()
        self.clear()
        return text

    def clear(self) -> None:
        """Start afresh."""
        if self.pieces:
            self.pieces = []
        self.batches = None


def load_text(buffer: TextBuffer, text: object) -> None:
    """Fill a buffer with a saved text."""
    if not isinstance(text, str):
        raise TypeError("not a text")
    if text:
        buffer.append(text)

"""A text that arrives in pieces and is wanted whole at the end, or now and then."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

__all__ = ["TextBuffer", "load_text", "save_text"]

# Pieces are joined in batches: ten million one-character pieces cost no ten million list slots.
BATCH = 1024
# Shorter texts are copied as quickly as let go of.
_LONG = 512


# Outside garbage collection: it holds nothing but strings, and lists of them.
@cython.final
@cython.no_gc
@cython.cclass
class TextBuffer:
    """Collect pieces in linear time, whatever their number and size.

    >>> buffer = TextBuffer()
    >>> buffer.append("mid"); buffer.append("stream")
    >>> buffer.read()
    'midstream'
    """

    __slots__ = ("batches", "jotted", "pieces", "tail", "whole")

    # compiled: how much is on the pad of ``_text.pxd``, behind the pieces
    jotted: int

    def __init__(self) -> None:
        # a text in one piece, and a second one: most are not cut more often; else batches, then pieces
        self.whole: str | None = None
        self.tail: str | None = None
        self.batches: list[str] | None = None
        self.pieces: list[str] | None = None

    def append(self, piece: str) -> None:
        """Add a piece at the end."""
        pieces = self.pieces
        if pieces is not None:
            if not cython.compiled or not self._jot_down(piece):
                pieces.append(piece)
            if len(pieces) >= BATCH:
                self._add_batch("".join(pieces))
                self.pieces = []
        elif self.whole is None:
            self.whole = piece
        elif self.tail is None:
            self.tail = piece
        elif cython.compiled:
            whole, tail = self.whole, self.tail
            self.clear()
            self.pieces = []
            self.append(whole)
            self.append(tail)
            self.append(piece)
        else:
            self.pieces = [self.whole, self.tail, piece]
            self.whole = None
            self.tail = None

    def _jot_down(self, piece: str) -> bool:
        """Compiled: copy a small piece of ASCII to the pad; of others, tell that they are not there."""
        if not is_on_pad(self, piece):  # type: ignore[name-defined]  # noqa: F821
            self._clear_pad()
            return bool(is_on_pad(self, piece))  # type: ignore[name-defined]  # noqa: F821
        return True

    def _clear_pad(self) -> None:
        """Compiled: make a piece of what is on the pad."""
        if self.jotted and self.pieces is not None:
            self.pieces.append(on_pad(self))  # type: ignore[name-defined]  # noqa: F821
            self.jotted = 0

    def _add_batch(self, batch: str) -> None:
        """Keep a batch, joined with those before it that are no longer: so they stay few, for who clones."""
        if self.batches is None:
            self.batches = []
        batches = self.batches
        first, length = len(batches), len(batch)
        while first > 0 and len(batches[first - 1]) <= length:
            first -= 1
            length += len(batches[first])
        batches[first:] = ["".join([*batches[first:], batch])]

    def read(self) -> str:
        """Give the whole text so far."""
        pieces = self.pieces
        if self.tail is not None and self.whole is not None:
            # read after every piece: if nobody kept the last text, it grows in place
            text = self.whole
            self.whole = None
            if cython.compiled and len(text) <= _LONG:
                text = joined(text, self.tail)  # type: ignore[name-defined]  # noqa: F821
            else:
                text += self.tail
            self.tail = None
            self.whole = text
        elif pieces is not None:
            if cython.compiled:
                self._clear_pad()
            self.pieces = None
            if self.batches is not None:
                pieces[:0] = self.batches
                self.batches = None
            self.whole = pieces[0] if len(pieces) == 1 else "".join(pieces)
        return "" if self.whole is None else self.whole

    def peek(self) -> str:
        """Give the whole text so far, and change nothing: the buffer of a state may be anybody's."""
        if self.pieces is not None:
            pieces = [*(self.batches or ()), *self.pieces]
            if cython.compiled:
                pieces.append(on_pad(self))  # type: ignore[name-defined]  # noqa: F821
            return "".join(pieces)
        return (self.whole or "") + (self.tail or "")

    def is_empty(self) -> bool:
        """Tell whether nothing has been added."""
        return self.whole is None and self.pieces is None

    def is_long(self) -> bool:
        """Tell whether the text that was read last is worth growing in place."""
        return self.tail is not None and self.whole is not None and len(self.whole) > _LONG

    def take(self, last: str) -> str:
        """Give the whole text with a last piece, and start afresh."""
        text = self.whole
        if text is not None:
            self.whole = None
            if self.tail is not None:
                text += self.tail
                self.tail = None
            return joined(text, last) if cython.compiled else text + last  # type: ignore[name-defined]  # noqa: F821
        if self.pieces is None:
            return last
        if last:
            self.append(last)
        text = self.read()
        self.clear()
        return text

    def load(self, data: object) -> None:
        """Fill the buffer with a saved text."""
        text = load_text(data)
        if text:
            self.append(text)

    def clone(self) -> TextBuffer:
        """Make another buffer with the same text."""
        other = TextBuffer()
        other.whole = self.whole
        other.tail = self.tail
        other.batches = None if self.batches is None else self.batches[:]
        if self.pieces is not None:
            other.pieces = self.pieces[:]
            if cython.compiled:
                copy_pad(self, other)  # type: ignore[name-defined]  # noqa: F821
        return other

    def clear(self) -> None:
        """Start afresh."""
        if self.whole is not None or self.pieces is not None:
            self.whole = None
            self.tail = None
            self.batches = None
            self.pieces = None
            if cython.compiled:
                self.jotted = 0


# Between two halves that stand as two characters: as escapes in JSON they would become one.
_SEAM = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")


def save_text(text: str) -> str | list[str]:
    """Write a text as plain data that json.dumps and json.loads keep as it is."""
    parts = [text] if text.isascii() else _SEAM.split(text)
    return text if len(parts) == 1 else parts


def load_text(data: object) -> str:
    """Read a saved text back."""
    if isinstance(data, str):
        return data
    if isinstance(data, list) and all(isinstance(part, str) for part in data):
        return "".join(data)
    raise TypeError("not a text")

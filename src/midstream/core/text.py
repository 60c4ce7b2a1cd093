"""A buffer for a text that arrives in pieces and is read as one str, usually once, at the end."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

__all__ = ["TextBuffer", "load_text", "save_text"]

# Pieces are joined in batches, so that ten million one-character pieces do not need ten million list slots.
BATCH = 1024
# Below this length, copying a text is as quick as growing it in place.
_LONG = 512


if not cython.compiled:
    # the plain twins of the functions in ``text.pxd``: uncompiled, there is no inline buffer

    def append_inline(buffer: TextBuffer, piece: str) -> bool:  # noqa: ARG001
        """Copy a small ASCII piece to the inline buffer; return False if it does not fit."""
        return False

    def inline_text(buffer: TextBuffer) -> str:  # noqa: ARG001
        """Return the content of the inline buffer."""
        return ""

    def copy_inline(buffer: TextBuffer, other: TextBuffer) -> None:
        """Copy the inline buffer to another one."""

    def concat(text: str, tail: str) -> str:
        """Return two texts as one."""
        return text + tail


# Excluded from garbage collection: it holds only strings and lists of strings.
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

    __slots__ = ("batches", "inline_length", "pieces", "tail", "text")

    # compiled only: how many characters are in the inline buffer (``text.pxd``), after the pieces
    inline_length: int

    def __init__(self) -> None:
        # most texts come in one or two pieces: those are held in ``text`` and ``tail``; from the third piece
        # on, ``batches`` and then ``pieces`` hold everything
        self.text: str | None = None
        self.tail: str | None = None
        self.batches: list[str] | None = None
        self.pieces: list[str] | None = None

    def append(self, piece: str) -> None:
        """Add a piece at the end."""
        pieces = self.pieces
        if pieces is not None:
            if not cython.compiled or not self._append_inline(piece):
                pieces.append(piece)
            if len(pieces) >= BATCH:
                self._add_batch("".join(pieces))
                self.pieces = []
        elif self.text is None:
            self.text = piece
        elif self.tail is None:
            self.tail = piece
        elif cython.compiled:
            text, tail = self.text, self.tail
            self.clear()
            self.pieces = []
            self.append(text)
            self.append(tail)
            self.append(piece)
        else:
            self.pieces = [self.text, self.tail, piece]
            self.text = None
            self.tail = None

    def _append_inline(self, piece: str) -> bool:
        """Copy a small ASCII piece to the inline buffer (compiled only); return False if it does not fit."""
        if not append_inline(self, piece):
            self._flush_inline()
            return bool(append_inline(self, piece))
        return True

    def _flush_inline(self) -> None:
        """Move the content of the inline buffer to the pieces (compiled only)."""
        if self.inline_length and self.pieces is not None:
            self.pieces.append(inline_text(self))
            self.inline_length = 0

    def _add_batch(self, batch: str) -> None:
        """Add a batch, joined with the preceding ones that are not longer.

        This keeps the number of batches logarithmic, and cloning cheap.
        """
        if self.batches is None:
            self.batches = []
        batches = self.batches
        first, length = len(batches), len(batch)
        while first > 0 and len(batches[first - 1]) <= length:
            first -= 1
            length += len(batches[first])
        batches[first:] = ["".join([*batches[first:], batch])]

    def read(self) -> str:
        """Return the complete text so far."""
        pieces = self.pieces
        if self.tail is not None and self.text is not None:
            # read after every piece: CPython extends a str in place if there is no other reference to it
            text = self.text
            self.text = None
            if cython.compiled and len(text) <= _LONG:
                text = concat(text, self.tail)
            else:
                text += self.tail
            self.tail = None
            self.text = text
        elif pieces is not None:
            if cython.compiled:
                self._flush_inline()
            self.pieces = None
            if self.batches is not None:
                pieces[:0] = self.batches
                self.batches = None
            self.text = pieces[0] if len(pieces) == 1 else "".join(pieces)
        return "" if self.text is None else self.text

    def peek(self) -> str:
        """Return the complete text so far without changing the buffer, which several states may share."""
        if self.pieces is not None:
            pieces = [*(self.batches or ()), *self.pieces]
            if cython.compiled:
                pieces.append(inline_text(self))
            return "".join(pieces)
        return (self.text or "") + (self.tail or "")

    def is_empty(self) -> bool:
        """Report whether nothing has been added."""
        return self.text is None and self.pieces is None

    def is_long(self) -> bool:
        """Report whether the text that was read last is long enough to be worth extending in place."""
        return self.tail is not None and self.text is not None and len(self.text) > _LONG

    def take(self, last: str) -> str:
        """Return the complete text with a last piece appended, and clear the buffer."""
        text = self.text
        if text is not None:
            self.text = None
            if self.tail is not None:
                text += self.tail
                self.tail = None
            return concat(text, last)
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
        """Return another buffer with the same text."""
        other = TextBuffer()
        other.text = self.text
        other.tail = self.tail
        other.batches = None if self.batches is None else self.batches[:]
        if self.pieces is not None:
            other.pieces = self.pieces[:]
            if cython.compiled:
                copy_inline(self, other)
        return other

    def clear(self) -> None:
        """Drop the text."""
        if self.text is not None or self.pieces is not None:
            self.text = None
            self.tail = None
            self.batches = None
            self.pieces = None
            if cython.compiled:
                self.inline_length = 0


# Between two lone surrogates that happen to form a pair: written as JSON escapes they would be read as one
# character.
_PAIR_BOUNDARY = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")


def save_text(text: str) -> str | list[str]:
    """Return a text as plain data that json.dumps and json.loads leave unchanged."""
    parts = [text] if text.isascii() else _PAIR_BOUNDARY.split(text)
    return text if len(parts) == 1 else parts


def load_text(data: object) -> str:
    """Return the text that `save_text` has saved."""
    if isinstance(data, str):
        return data
    if isinstance(data, list) and all(isinstance(part, str) for part in data):
        return "".join(data)
    raise TypeError("a text is saved as a str or a list of str")

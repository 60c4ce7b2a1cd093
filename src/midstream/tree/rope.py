"""A text that grows by pieces, in versions that share them."""

from __future__ import annotations

from typing import Any

__all__ = ["Rope", "grow", "rope_text"]

# A rope: one piece of text, or a pair of a rope and its last piece. A new piece is joined with all preceding
# pieces that are not longer, so each character is copied at most log2(length) times, and each version
# shares pieces with the previous version.
Rope = str | tuple[Any, str]


def grow(rope: Rope, piece: str) -> Rope:
    """Return a rope with a piece appended."""
    length = len(piece)
    if len(rope if isinstance(rope, str) else rope[1]) > length:
        return rope, piece
    pieces = [piece]
    while isinstance(rope, tuple) and len(rope[1]) <= length:
        rope, last = rope
        pieces.append(last)
        length += len(last)
    if isinstance(rope, str) and len(rope) <= length:
        pieces.append(rope)
        rope = ""
    pieces.reverse()
    return (rope, "".join(pieces)) if rope else "".join(pieces)


def rope_text(rope: Rope) -> str:
    """Return the text of a rope."""
    pieces = []
    while isinstance(rope, tuple):
        rope, piece = rope
        pieces.append(piece)
    pieces.append(rope)
    pieces.reverse()
    return "".join(pieces)

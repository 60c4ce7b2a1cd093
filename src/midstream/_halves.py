"""Surrogate pairs that a sender who counts UTF-16 units has cut in two."""

from __future__ import annotations

import re

__all__ = ["Halves", "join_halves"]

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]").search


def join_halves(text: str) -> str:
    r"""Make one character of two halves that stand side by side, as any JSON text of them does.

    >>> join_halves("\ud83c\udf27") == "\U0001f327"
    True
    """
    if text.isascii() or not _PAIR(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class Halves:
    r"""Join the halves of pairs over the pieces of a text: the first half waits for the other.

    >>> halves = Halves()
    >>> halves.add_fragment("rain \ud83c"), halves.add_fragment("\udf27!") == "\U0001f327!"
    ('rain ', True)
    """

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def add_fragment(self, piece: str) -> str:
        """Give what is certain of the text."""
        if not self._half and piece.isascii():
            return piece
        text = join_halves(self._half + piece)
        self._half = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        return text[:-1] if self._half else text

    def finish(self) -> str:
        """Give the half that waits in vain."""
        half, self._half = self._half, ""
        return half

"""Surrogate pairs that a sender who counts UTF-16 units has cut in two."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["Halves", "is_part", "join_halves"]

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]").search


def join_halves(text: str) -> str:
    r"""Make one character of two halves that stand side by side, as any JSON text of them does.

    >>> join_halves("\ud83c\udf27") == "\U0001f327"
    True
    """
    if text.isascii() or not _PAIR(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def is_part(shown: Any, whole: Any) -> bool:
    r"""Tell whether a value, however deep, may grow to another one; pairs may be cut in two.

    >>> is_part({"a": [1.0, "\ud83c\udf27"]}, {"a": [1, "\U0001f327!"], "b": 2}), is_part([1], [True])
    (True, False)
    """
    # no recursion: the list grows while it is gone through
    pairs = [(shown, whole)]
    for a, b in pairs:
        if isinstance(a, dict) and isinstance(b, dict):
            a, b = ({join_halves(key): value for key, value in each.items()} for each in (a, b))
            if not a.keys() <= b.keys():
                return False
            pairs += [(value, b[key]) for key, value in a.items()]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) > len(b):
                return False
            pairs += zip(a, b, strict=False)
        elif isinstance(a, str) and isinstance(b, str):
            if not join_halves(b).startswith(join_halves(a)):
                return False
        elif a != b or isinstance(a, bool) is not isinstance(b, bool):
            return False
    return True


class Halves:
    r"""Join the halves of pairs over the pieces of a text: the first half waits for the other.

    >>> halves = Halves()
    >>> halves.add_fragment("rain \ud83c"), halves.add_fragment("\udf27!") == "\U0001f327!"
    ('rain ', True)
    """

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    @property
    def waits(self) -> bool:
        """Whether there is a half that waits for the other."""
        return self._half != ""

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

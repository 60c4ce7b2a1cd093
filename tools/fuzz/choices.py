"""Read choices from bytes, front to back, so that a small change of the bytes is a small change of the case.

atheris has a reader like this, `FuzzedDataProvider`; this one reads the same without atheris, which the
kept inputs need. When the bytes run out, every choice is the first one: so that comes to an end.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Choices", "Dice"]

T = TypeVar("T")


class Choices:
    """What an input chooses."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_over(self) -> bool:
        return self._at >= len(self._data)

    def byte(self) -> int:
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1]

    def below(self, bound: int) -> int:
        """Return a number from 0 to below the bound; 0 when there is nothing to choose."""
        if bound <= 1:
            return 0
        number = self.byte()
        if bound > 256:
            number = number << 8 | self.byte()
        return number % bound

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def one_in(self, count: int) -> bool:
        """Say yes about once in so many times, and no when the bytes have run out."""
        return self.below(count) == count - 1

    def raw(self, most: int) -> bytes:
        """Return some of the bytes themselves."""
        size = self.below(most + 1)
        taken = self._data[self._at : self._at + size]
        self._at += len(taken)
        return taken


class Dice(random.Random):
    """The same choices for what was written for `random`.

    A sample is drawn until it has enough that differ; so when the bytes run out, this continues counting.
    """

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._count = 0
        super().__init__(0)

    def seed(self, *_: Any) -> None:
        pass

    def random(self) -> float:
        return self._choices.byte() / 256

    def getrandbits(self, k: int, /) -> int:
        if self._choices.is_over:
            self._count += 1
            return self._count & ((1 << k) - 1)
        bits = 0
        for _ in range(0, k, 8):
            bits = bits << 8 | self._choices.byte()
        return bits & ((1 << k) - 1)

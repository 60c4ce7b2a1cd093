"""The value before there is any value; None cannot be used, because it is JSON's null."""

from __future__ import annotations

from enum import Enum

__all__ = ["UNDEFINED", "Undefined"]


class Undefined(Enum):
    """The type of `UNDEFINED`."""

    UNDEFINED = "UNDEFINED"

    def __repr__(self) -> str:
        return "UNDEFINED"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return False


UNDEFINED = Undefined.UNDEFINED

"""The value before there is any value; None cannot be used, because it is JSON's null."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

__all__ = ["UNDEFINED", "Undefined"]


_HINT = "no value has arrived yet; check it first, as in `if call.args`, or write `call.args or {}`"


class Undefined(Enum):
    """The type of `UNDEFINED`."""

    UNDEFINED = "UNDEFINED"

    def __repr__(self) -> str:
        return "UNDEFINED"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return False

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError with what to do: `UNDEFINED` is in the place of a value."""
            raise AttributeError(f"UNDEFINED has no attribute {name!r}: {_HINT}")

        def __getitem__(self, key: object) -> Any:
            """Raise TypeError with what to do; this includes iteration."""
            raise TypeError(f"UNDEFINED has no items: {_HINT}")


UNDEFINED = Undefined.UNDEFINED

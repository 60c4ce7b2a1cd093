"""What never changes while a machine runs: its limits, and what it accepts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .modes import AFTER_ROOT, BETWEEN, STOPPED, TRAILING

if TYPE_CHECKING:
    from ..limits import Limits

__all__ = ["UNLIMITED", "Options", "limit_of"]

# half of the largest index, so that adding to it cannot overflow
UNLIMITED = sys.maxsize // 2
# the same as a Python object, for the comparison with an int of any size
_UNLIMITED = UNLIMITED

_AFTER_ROOT = {"error": AFTER_ROOT, "ignore": TRAILING, "next": BETWEEN, "stop": STOPPED}


@cython.final
@cython.cclass
class Options:
    """Hold what never changes while a machine runs; clones share it."""

    __slots__ = (
        "after_root",
        "lenient",
        "max_depth",
        "max_document",
        "max_repairs",
        "max_string",
        "recover",
        "string_limit",
    )

    def __init__(self, limits: Limits, after_root: str, recover: bool, lenient: bool) -> None:
        max_depth, max_string, _, max_document, max_repairs = limits
        self.max_depth = limit_of(max_depth)
        self.string_limit = limit_of(max_string)
        # no string is short enough for the short cuts of the strict grammar, which end it at its first quote
        self.max_string = -1 if lenient else self.string_limit
        self.max_repairs = limit_of(max_repairs)
        self.lenient = lenient
        self.max_document = limit_of(max_document)
        # the mode after a complete document
        self.after_root = _AFTER_ROOT[after_root]
        self.recover = recover


def limit_of(limit: int | None) -> int:
    """Return a limit as an index."""
    return UNLIMITED if limit is None or limit > _UNLIMITED else limit

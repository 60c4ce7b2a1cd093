"""How much one document may ask of its reader."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Limits"]


class Limits(NamedTuple):
    """Bound what a document may hold; None lifts a bound.

    Depth counts open containers, the others count characters: of a decoded string or key,
    of a number as written, of a document with the white space around it.

    >>> Limits(max_string=1_000_000)
    Limits(max_depth=1000, max_string=1000000, max_number=4300, max_document=None)
    """

    max_depth: int | None = 1000
    max_string: int | None = None
    # 4,300 digits is also where int() itself stops by default: conversion is quadratic
    max_number: int | None = 4300
    max_document: int | None = None

    def check(self) -> None:
        """Refuse what is no bound."""
        for name, limit in zip(self._fields, self, strict=True):
            if limit is not None and (type(limit) is not int or limit < 0):
                raise ValueError(f"{name} is a count or None, not {limit!r}")

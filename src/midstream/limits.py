"""Limits on the size and depth of a document."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Limits"]


class Limits(NamedTuple):
    """Limit what a document may contain; None removes a limit.

    ``max_depth`` counts open containers. The others count characters: of a decoded string or key, of a
    number as written, and of a document with the white space around it. ``max_repairs`` is how many
    repairs of the lenient dialect are recorded; further ones are only counted.

    >>> Limits(max_string=1_000_000)
    Limits(max_depth=1000, max_string=1000000, max_number=4300, max_document=None, max_repairs=1000)
    """

    max_depth: int | None = 1000
    max_string: int | None = None
    # int() also refuses more than 4,300 digits by default, because the conversion takes quadratic time
    max_number: int | None = 4300
    max_document: int | None = None
    max_repairs: int | None = 1000

    def check(self) -> None:
        """Raise ValueError if a limit is neither a count nor None."""
        for name, limit in zip(self._fields, self, strict=True):
            if limit is not None and (type(limit) is not int or limit < 0):
                raise ValueError(f"{name} must be a non-negative int or None, not {limit!r}")

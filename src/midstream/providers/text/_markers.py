"""Find markers in text that arrives in pieces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Markers", "skip_space"]

_SPACE = re.compile(r"[ \t\r\n]*")


def skip_space(text: str, i: int) -> int:
    """Return the index of the first character from i on that is not white space.

    >>> skip_space("a  b", 1)
    3
    """
    match = _SPACE.match(text, i)
    return i if match is None else match.end()


class Markers:
    """A set of markers to find, none of which is the beginning of another.

    >>> Markers(["<a>", "<b>"]).find("x <b> y", 0), Markers(["<a>"]).find("x <", 0)
    ((2, '<b>'), (2, ''))
    """

    __slots__ = ("_beginnings", "_longest", "_search")

    def __init__(self, markers: Iterable[str]) -> None:
        found = [*dict.fromkeys(markers)]
        # a pattern that never matches stands for an empty set
        self._search = re.compile("|".join(map(re.escape, found)) or r"(?!)").search
        self._beginnings = {marker[:length]: marker for marker in found for length in range(1, len(marker))}
        self._longest = max(map(len, found), default=1) - 1

    def find(self, text: str, i: int, most: int | None = None) -> tuple[int, str]:
        """Return where the next marker begins, and the marker.

        The marker is empty if there is none: everything before the index is free of markers, and what follows
        it may still become one. Only the first ``most`` characters are searched, if it is not None.
        """
        end = len(text) if most is None else min(len(text), i + most)
        match = self._search(text, i, end)
        if match is not None:
            return match.start(), match[0]
        if end < len(text):
            return end, ""
        for start in range(max(i, end - self._longest), end):
            if text[start:] in self._beginnings:
                return start, ""
        return end, ""

    def at(self, text: str, i: int) -> str | None:
        """Return the marker at i; an empty one while there may be one, None if there is none."""
        match = self._search(text, i, i + self._longest + 1)
        if match is not None and match.start() == i:
            return match[0]
        rest = text[i : i + self._longest + 1]
        return "" if not rest or (i + len(rest) == len(text) and rest in self._beginnings) else None

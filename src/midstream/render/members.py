"""The finished members of a container from either end; the cost depends on the number shown."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    # a key, or None in an array
    Member = tuple[str | None, Any]

__all__ = ["Members"]


class Members:
    """Read the members of a container except the open one.

    The open member is the one that arrived last, but in a dict it may stand earlier: a repeated key keeps its
    first position.

    >>> Members({"a": 1, "b": 2, "c": 3}, "c").last(1)
    [('b', 2)]
    """

    __slots__ = ("_array", "_object", "_open_key", "count")

    def __init__(self, container: dict[str, Any] | list[Any], open_member: str | int | None = None) -> None:
        self._array = container if isinstance(container, list) else []
        self._object = container if isinstance(container, dict) else None
        self._open_key = open_member
        self.count = len(container) - (open_member is not None)

    def __iter__(self) -> Iterator[Member]:
        if self._object is None:
            return ((None, item) for item in islice(self._array, self.count))
        return (member for member in self._object.items() if member[0] != self._open_key)

    def __reversed__(self) -> Iterator[Member]:
        if self._object is None:
            return ((None, self._array[place]) for place in range(self.count - 1, -1, -1))
        return (member for member in reversed(self._object.items()) if member[0] != self._open_key)

    def first(self, count: int) -> list[Member]:
        """Return the first members."""
        return list(islice(self, count))

    def last(self, count: int) -> list[Member]:
        """Return the last members, in their order."""
        return list(islice(reversed(self), count))[::-1]

    def counted(self, count: int, more: str = "") -> str:
        """Return a number of members in words."""
        noun = "item" if self._object is None else "key"
        return f"{count:,} {more}{noun}{'' if count == 1 else 's'}"

"""What `select` yields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from ..paths import format_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..errors import TypedError
    from ..paths import Segments

__all__ = ["Match"]

T = TypeVar("T")


class Match(NamedTuple, Generic[T]):
    """A value at a place that matches a path.

    ``segments`` and ``path`` are its place, ``pattern`` is the path that it matches, as it was passed to
    `select`. With ``partial=True``, ``is_final`` is false as long as the value may still grow. With
    ``on_invalid="match"``, a value that does not fit its type is `UNDEFINED`, and ``errors`` says why.

    >>> match = Match(("items", 0, "title"), "midstream", "items[*].title")
    >>> match.path, match.value
    ('root.items[0].title', 'midstream')
    """

    segments: Segments
    value: T
    pattern: Any = ""
    is_final: bool = True
    errors: Sequence[TypedError] = ()

    @property
    def path(self) -> str:
        """The place as a path: ``root.items[0].title``."""
        return format_path("root", self.segments)

    def __repr__(self) -> str:
        parts = [repr(self.path), repr(self.value)]
        if not self.is_final:
            parts.append("is_final=False")
        if self.errors:
            parts.append(f"errors={self.errors!r}")
        return f"Match({', '.join(parts)})"

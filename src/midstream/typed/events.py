"""What typed streams report: a value is complete, or it does not fit its type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ..paths import format_path, segments_of

if TYPE_CHECKING:
    from ..errors import TypedError
    from ..paths import PathPair, Segments

__all__ = ["TypedEvent"]


class TypedEvent:
    """A value that is complete and valid, or one that is invalid.

    ``kind`` is ``"complete"``, with the ``value``, or ``"invalid"``, with the ``errors``. ``segments`` and
    ``path`` lead to the value, by the keys of the JSON text.

    >>> from midstream.typed import JsonTypedAccumulator
    >>> for event in JsonTypedAccumulator(list[int]).add_fragment('[1, "two"]'): print(event)
    TypedEvent('complete', 'root[0]', 1)
    TypedEvent('invalid', 'root[1]', 'Input should be a valid integer, unable to parse string as an integer')
    """

    __slots__ = ("_pair", "errors", "kind", "value")

    kind: Literal["complete", "invalid"]
    value: Any
    errors: tuple[TypedError, ...]

    def __init__(
        self,
        kind: Literal["complete", "invalid"],
        pair: PathPair,
        value: Any,
        errors: tuple[TypedError, ...] = (),
    ) -> None:
        self.kind = kind
        # formatted on request: in a deep document each path costs as much as it is long
        self._pair = pair
        self.value = value
        self.errors = errors

    @property
    def segments(self) -> Segments:
        """The keys and indices from the root to the value."""
        return segments_of(self._pair)

    @property
    def path(self) -> str:
        """The path of the value, such as ``root.items[0].title``."""
        return format_path("root", self.segments)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TypedEvent):
            return NotImplemented
        return (self.kind, self.segments, self.value, self.errors) == (
            other.kind, other.segments, other.value, other.errors,
        )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]  # a value may be a list

    def __repr__(self) -> str:
        about = self.value if self.kind == "complete" else "; ".join(error.message for error in self.errors)
        return f"TypedEvent({self.kind!r}, {self.path!r}, {about!r})"

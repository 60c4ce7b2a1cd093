"""What the grammar says, and to whom.

Updates, values and nodes are three visitors of the one machine in `_grammar`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..paths import format_path, root_of, segments_of
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from ..errors import ParserError
    from ..paths import PathPair

__all__ = ["Visitor"]


@cython.cclass
class Visitor:
    """Receive what a text says, in order."""

    __slots__ = ("error_path", "error_place", "last_error")

    last_error: ParserError | None
    # where it was found, written out when somebody asks: who recovers may pass over many
    error_place: PathPair | None
    error_path: str

    def begin_object(self) -> None:
        """Enter an object."""

    def end_object(self) -> None:
        """Leave the innermost container, an object."""

    def begin_array(self) -> None:
        """Enter an array."""

    def end_array(self) -> None:
        """Leave the innermost container, an array."""

    def key(self, text: str) -> None:
        """Take the key of the next value."""

    def string(self, piece: str, starts: bool, ends: bool) -> None:
        """Take a piece of a string; only one that starts or ends it may be empty."""

    def more(self, piece: str) -> None:
        """Take a piece in the midst of a string, as most fragments are one."""
        self.string(piece, False, False)

    def number(self, value: Any, chars: str, start: int, end: int) -> None:
        """Take a number, written as chars[start:end]."""

    def literal(self, value: bool | None) -> None:
        """Take true, false or null."""

    def document(self) -> None:
        """Know that the root value is complete."""

    def error(self, error: ParserError, where: int) -> None:
        """Learn what is wrong with the text."""

    def written_error_path(self) -> str:
        """Write the path where the last error was found."""
        place = self.error_place
        if place is not None:
            self.error_path = format_path(root_of(place), segments_of(place))
            self.error_place = None
        return self.error_path

    def state(self) -> dict[str, Any]:
        """Save the visitor as plain data."""
        return {}

    def load(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""

"""The interface between the grammar and everything that is built from a text.

The state machine in ``grammar`` calls a visitor, and each kind of result has its own: `FragmentVisitor`
creates updates, `ValueVisitor` builds a value, `SelectionVisitor` finds the values at selected paths, and
`TreeVisitor` builds nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..paths import format_path, root_of, segments_of
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from ..errors import ParserError, Repair
    from ..paths import PathPair

__all__ = ["Visitor"]


@cython.cclass
class Visitor:
    """Receive the content of a text, in text order, as calls."""

    __slots__ = ("error_path", "error_place", "last_error")

    last_error: ParserError | None
    # the place of the last error, and its path as a str; the path is formatted only on request, because a
    # recovering stream may have many errors
    error_place: PathPair | None
    error_path: str

    def begin_object(self) -> None:
        """Open an object."""

    def end_object(self) -> None:
        """Close the innermost container, an object."""

    def begin_array(self) -> None:
        """Open an array."""

    def end_array(self) -> None:
        """Close the innermost container, an array."""

    def key(self, text: str) -> None:
        """Receive the key of the next value."""

    def string(self, piece: str, starts: bool, ends: bool) -> None:
        """Receive a piece of a string; only a piece that starts or ends it may be empty."""

    def more(self, piece: str) -> None:
        """Receive a piece that neither starts nor ends a string, which is what most fragments are."""
        self.string(piece, False, False)

    def number(self, value: Any, chars: str, start: int, end: int) -> None:
        """Receive a number, written as chars[start:end]."""

    def literal(self, value: bool | None) -> None:
        """Receive true, false or null."""

    def open_number(self, chars: str, start: int, end: int) -> None:
        """Receive chars[start:end], a piece of a number that continues after the fragment or is invalid."""

    def open_literal(self, value: bool | None) -> None:
        """Receive the value of a literal that begins, and continues after the fragment or is invalid."""

    def document(self) -> None:
        """Note that the root value is complete."""

    def error(self, error: ParserError, where: int) -> None:
        """Receive an error; ``where`` is one of the constants at the end of ``modes``."""

    def repair(self, repair: Repair, where: int) -> Repair:  # noqa: ARG002
        """Receive a repair of the lenient dialect, and return it with its path; ``where`` as in `error`."""
        return repair

    def written_error_path(self) -> str:
        """Return the path where the last error was found."""
        place = self.error_place
        if place is not None:
            self.error_path = format_path(root_of(place), segments_of(place))
            self.error_place = None
        return self.error_path

    def state(self) -> dict[str, Any]:
        """Return the visitor's state as plain data."""
        return {}

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state."""

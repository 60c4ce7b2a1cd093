"""Convert updates in either form into visitor calls, a batch at a time, all or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..accumulators.update import (
    COMPLETE_BOOLEAN,
    COMPLETE_NUMBER,
    COMPLETE_STRING,
    ERROR,
    KEY,
    PARTIAL_STRING,
    REPAIR,
    JsonFragmentUpdate,
)
from ..core import cython_shim as cython
from ..errors import Repair
from .cursor import Cursor
from .form import read_wire

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .cursor import DO_ARRAY, DO_DOCUMENT, DO_END, DO_KEY, DO_LITERAL, DO_NUMBER, DO_OBJECT, DO_STRING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..accumulators.update import JsonFragmentKind
    from ..errors import ParserError
    from ..limits import Limits
    from ..paths import PathPair, Segment

    Update = JsonFragmentUpdate | Mapping[str, Any]
    # which call, its argument, and for strings whether it starts and whether it ends
    VisitorCall = tuple[int, Any, bool, bool]

__all__ = ["CALLS", "UpdateReader"]

# the calls for modules that are not compiled, where the names are constants of C
CALLS: tuple[int, ...] = (
    DO_OBJECT,
    DO_ARRAY,
    DO_END,
    DO_KEY,
    DO_STRING,
    DO_NUMBER,
    DO_LITERAL,
    DO_DOCUMENT,
)


@cython.final
@cython.cclass
class UpdateReader:
    """Check batches of updates with a `Cursor`, and return the visitor calls that they imply."""

    __slots__ = ("_cursor", "_max_repairs", "_repairs")

    def __init__(self, root: str | None, limits: Limits) -> None:
        self._cursor = Cursor(root, limits)
        self._max_repairs = limits.max_repairs
        self._repairs: list[Repair] = []

    @property
    def is_done(self) -> bool:
        """Whether JsonComplete has arrived."""
        return self._cursor.is_done

    @property
    def error(self) -> ParserError | None:
        """The error of the last Error update."""
        return self._cursor.error

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The repairs so far, in text order."""
        return tuple(self._repairs)

    def read(self, updates: Iterable[Update] | Update) -> list[VisitorCall]:
        """Return the calls of the next updates; if one of them is invalid, raise and change nothing."""
        cursor = self._cursor
        place = cursor.save()
        repair_count = len(self._repairs)
        try:
            # accept a single update; when compiled, isinstance with a tuple of classes would hide an error
            if isinstance(updates, JsonFragmentUpdate) or isinstance(updates, Mapping):  # noqa: SIM101
                updates = [updates]
            for update in updates:
                self._accept(update)
        except BaseException:
            cursor.restore(place)
            del self._repairs[repair_count:]
            raise
        calls = cursor.calls
        cursor.calls = []
        return calls

    def _accept(self, update: Any) -> None:
        """Pass an update in either form to the cursor."""
        pair: PathPair | None = None
        segment: Segment | None = None
        path: str | None = None
        text: str | None
        if isinstance(update, JsonFragmentUpdate):
            given = update
            kind, text, value = given._kind, given._text, given._value
            pair, segment = given._pair, given._segment
            if kind is not ERROR and kind is not REPAIR and not _is_well_formed(kind, text, value):
                # constructed by a caller: check it like a wire form
                wire = {"path": given.path, "kind": kind.value, "textValue": text, "value": value}
                _, kind, text, value = read_wire(wire)
        else:
            path, kind, text, value = read_wire(update)
        if kind is ERROR:
            self._cursor.accept_error(path, value)
        elif kind is REPAIR:
            # it says how the text was read, and changes nothing
            if isinstance(value, Repair) and len(self._repairs) != self._max_repairs:
                self._repairs.append(value)
        elif kind is not None:
            # None is a kind that only newer versions know
            self._cursor.accept(kind, text, value, pair, segment, path)


def _is_well_formed(kind: JsonFragmentKind, text: Any, value: Any) -> bool:
    """Report whether an update has the text and value that an accumulator sets for its kind."""
    if kind is PARTIAL_STRING or kind is COMPLETE_STRING or kind is KEY:
        return type(text) is str
    if kind is COMPLETE_NUMBER or kind is COMPLETE_BOOLEAN:
        return value is not None
    return True

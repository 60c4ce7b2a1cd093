"""Updates in, the value out: the inverse of the fragment accumulator.

An `UpdateReader` first checks a batch of updates and converts it into calls on the visitor that the value
accumulator uses. The calls are made only if the complete batch is valid, so a malformed batch changes
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._repr import describe
from .._signature import SourceSignature
from ..accumulators.base import DEFAULT_LIMITS
from ..accumulators.reentrancy import ReentrancyGuard
from ..accumulators.value_visitor import ValueVisitor
from ..core import cython_shim as cython
from .reader import UpdateReader

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..accumulators.reentrancy import release
    from ..core.chars import chars_of
    from .cursor import DO_ARRAY, DO_END, DO_KEY, DO_LITERAL, DO_NUMBER, DO_OBJECT, DO_STRING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..errors import ParserError, Repair
    from ..limits import Limits
    from ..paths import Segments
    from .reader import Update, VisitorCall

__all__ = ["JsonFragmentRebuilder"]


@cython.cclass
class JsonFragmentRebuilder(ReentrancyGuard):
    """Rebuild the value from updates or their wire form.

    Values are placed by their paths: Key and StartString updates may be absent, and containers may only be
    implied. ``value`` is a snapshot like that of `JsonValueAccumulator`; JsonComplete locks it. An update
    that cannot follow the previous ones (because of its kind, its path or a missing part) raises
    `JsonStreamError`; then no update of the same call has any effect.

    ``root`` is the name of the root in the paths. By default it is taken from the first update: "root",
    the name of the container that it starts, or none.

    >>> rebuilder = JsonFragmentRebuilder()
    >>> rebuilder.apply([{"path": "root.city", "kind": "PartialString", "textValue": "Par"}])
    True
    >>> rebuilder.value, rebuilder.is_complete
    ({'city': 'Par'}, False)
    """

    __signature__ = SourceSignature()
    __slots__ = ("_limits", "_reader", "_root", "_visitor")

    def __init__(self, *, root: str | None = None, limits: Limits = DEFAULT_LIMITS) -> None:
        limits.check()
        name = None if root is None else "".join(root)
        self._begin_set_up()
        try:
            self._root = name
            self._limits = limits
            self._start()
        finally:
            release(self)

    def __repr__(self) -> str:
        return describe(self)

    def _word(self) -> str:
        return "rebuilder"

    def reset(self) -> None:
        """Discard all state; keep the options."""
        self._begin_call()
        try:
            self._start()
        finally:
            release(self)

    def _start(self) -> None:
        self._visitor = ValueVisitor()
        self._reader = UpdateReader(self._root, self._limits)

    @property
    def value(self) -> Any:
        """A snapshot of the value so far, `UNDEFINED` before there is one."""
        begun = self._begin_read()
        try:
            return self._visitor.publish()
        finally:
            if begun:
                release(self)

    @property
    def open_path(self) -> Segments | None:
        """The segments of the innermost value that is still open, None if there is none.

        Every value that is not on this path is complete and final, unless the same key appears again.
        """
        begun = self._begin_read()
        try:
            return self._visitor.open_path()
        finally:
            if begun:
                release(self)

    @property
    def is_complete(self) -> bool:
        """Whether JsonComplete has arrived."""
        begun = self._begin_read()
        try:
            return self._reader.is_done
        finally:
            if begun:
                release(self)

    @property
    def error(self) -> ParserError | None:
        """The error of the last Error update, None if there was none."""
        begun = self._begin_read()
        try:
            return self._reader.error
        finally:
            if begun:
                release(self)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What the lenient dialect repaired, in text order; at most ``max_repairs`` of the limits."""
        begun = self._begin_read()
        try:
            return self._reader.repairs
        finally:
            if begun:
                release(self)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a rebuilder cannot be copied or pickled; apply the same updates to a new one")

    def apply(self, updates: Iterable[Update] | Update) -> bool:
        """Apply the next updates, all or none, and return whether the value changed."""
        self._begin_call()
        try:
            return self._make_calls(self._reader.read(updates))
        finally:
            release(self)

    def _make_calls(self, calls: list[VisitorCall]) -> bool:
        """Make the visitor calls of a batch, and return whether the value changed."""
        visitor = self._visitor
        visitor.begin_call()
        for call, argument, starts, ends in calls:
            if call == DO_STRING:
                visitor.string(argument, starts, ends)
            elif call == DO_KEY:
                visitor.key(argument)
            elif call == DO_OBJECT:
                visitor.begin_object()
            elif call == DO_ARRAY:
                visitor.begin_array()
            elif call == DO_END:
                visitor.end_object()
            elif call == DO_NUMBER:
                visitor.number(argument, chars_of(""), 0, 0)
            elif call == DO_LITERAL:
                visitor.literal(argument)
            else:
                visitor.document()
        return visitor.changed

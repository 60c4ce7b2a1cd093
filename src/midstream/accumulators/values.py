"""Text fragments in, the value so far out.

The value is built by the visitor in ``value_visitor``.
"""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Any

from .._signature import SourceSignature
from .._undefined import UNDEFINED
from ..core import cython_shim as cython
from ..core.text import load_text
from ..limits import Limits
from .base import DEFAULT_LIMITS, Accumulator, restore
from .value_visitor import ValueVisitor

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.grammar import feed, finish
    from ..core.machine import new_machine
    from .reentrancy import IDLE, release
    from .value_visitor import NO_DOCUMENTS
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._options import AfterRoot, Dialect, OnError
    from ..core.visitor import Visitor
    from ..paths import Segments

__all__ = ["JsonValueAccumulator"]


@cython.cclass
class JsonValueAccumulator(Accumulator):
    """Convert text fragments to the value so far.

    The options are those of `JsonFragmentAccumulator` without ``root``. With ``"event"`` and
    ``"recover"`` the error is in ``error``. Snapshots share what did not change: treat them as
    read-only, and copy what you want to edit.

    >>> acc = JsonValueAccumulator()
    >>> acc.add_fragment('{"city": "Par')
    True
    >>> before = acc.value
    >>> acc.add_fragment('is", "days": 1')
    True
    >>> before, acc.value
    ({'city': 'Par'}, {'city': 'Paris'})
    """

    __signature__ = SourceSignature()
    __slots__ = ()

    _visitor: ValueVisitor

    def __init__(
        self,
        *,
        on_error: OnError = "raise",
        after_root: AfterRoot = "error",
        limits: Limits = DEFAULT_LIMITS,
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
        dialect: Dialect = "strict",
    ) -> None:
        self._check_options(on_error, after_root, limits, parse_int, parse_float, dialect)
        self._begin_set_up()
        try:
            self._set_up(on_error, after_root, limits, parse_int, parse_float, dialect)
        finally:
            release(self)

    def _new_visitor(self) -> Visitor:
        return ValueVisitor()

    def add_fragment(self, fragment: str | bytes) -> bool:
        """Read a fragment (bytes: UTF-8, cut anywhere) and return whether the value changed."""
        if cython.compiled:
            self._begin_call()
        else:
            # `_begin_call`, written inline; a thread switch between the comparison and the assignment would
            # break the guard, so there must not be a call between them
            own = get_ident()
            if self._phase != IDLE:
                self._refuse_call()
            self._phase = own
        visitor = self._visitor
        visitor.changed = visitor.touched = False
        if visitor.documents is not NO_DOCUMENTS:
            visitor.begin_call()
        try:
            feed(self._machine, fragment, visitor)
            if self._machine.error is not None:
                self._raise([])
            return visitor.changed
        finally:
            if cython.compiled:
                release(self)
            else:
                self._phase = IDLE

    def finish(self) -> bool:
        """End the text where the input ends, and return whether that changed the value.

        A truncated text is an error; a number at the root is complete only now.
        """
        self._begin_call()
        visitor = self._visitor
        visitor.begin_call()
        try:
            finish(self._machine, visitor)
            if self._machine.error is not None:
                self._raise([])
            return visitor.changed
        finally:
            release(self)

    @property
    def value(self) -> Any:
        """A snapshot of the value so far, `UNDEFINED` before there is one."""
        return self._publish()

    def _publish(self) -> Any:
        begun = self._begin_read()
        try:
            visitor = self._visitor
            return visitor.publish()
        finally:
            if begun:
                release(self)

    @property
    def open_path(self) -> Segments | None:
        """The path to the innermost value that is still open, None if nothing is.

        Every value that is not on this path is complete and final; only a duplicate key replaces it.
        After an error the path still leads to the value that was open then.

        >>> acc = JsonValueAccumulator()
        >>> _ = acc.add_fragment('{"done": "yes", "list": ["a", "b')
        >>> acc.open_path
        ('list', 1)
        """
        return self._open_path()

    def _open_path(self) -> Segments | None:
        begun = self._begin_read()
        try:
            visitor = self._visitor
            return visitor.open_path()
        finally:
            if begun:
                release(self)

    @property
    def documents(self) -> list[Any]:
        """The values that the last call completed: with ``after_root="next"`` there may be several."""
        begun = self._begin_read()
        try:
            visitor = self._visitor
            return [] if visitor.documents is NO_DOCUMENTS else visitor.documents
        finally:
            if begun:
                release(self)

    def _changed_values(self) -> list[Any]:
        """Return the documents that the last call completed and changed, then the open one if it changed."""
        begun = self._begin_read()
        try:
            visitor = self._visitor
            return [*visitor.changed_values, visitor.publish()] if visitor.touched else visitor.changed_values
        finally:
            if begun:
                release(self)

    def _load(self, grammar: dict[str, Any], visitor: dict[str, Any]) -> None:
        value: Any = UNDEFINED
        if visitor["value"] is not None:
            reader = ValueVisitor()
            machine = new_machine(_NO_LIMITS, "error", False, self._parse_int, self._parse_float)
            feed(machine, load_text(visitor["value"]), reader)
            finish(machine, reader)
            if not machine.is_complete():
                raise ValueError("the value is not a complete JSON text")
            value = reader.root
        super()._load(grammar, {**visitor, "value": value, "open": grammar["open"]})

    @classmethod
    def restore(
        cls,
        data: dict[str, Any],
        *,
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
    ) -> JsonValueAccumulator:
        """Continue from a checkpoint, in this process or another one.

        >>> acc = JsonValueAccumulator()
        >>> _ = acc.add_fragment('["mid')
        >>> other = JsonValueAccumulator.restore(acc.checkpoint())
        >>> _ = other.add_fragment('stream"]')
        >>> other.value
        ['midstream']
        """
        accumulator: JsonValueAccumulator = restore(cls, data, parse_int, parse_float)
        return accumulator


_NO_LIMITS = Limits(None, None, None, None, None)

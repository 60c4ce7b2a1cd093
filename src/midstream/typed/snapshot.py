"""A typed document at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._undefined import UNDEFINED
from ..errors import ErrorCode, JsonStreamError, ParserError, TypedError, TypedStreamError, invalid
from ..paths import segments_of
from ..patterns import ANY as WILDCARD
from ..patterns import parse_pattern
from .nodes import ABSENT, FINAL, INVALID, NO_PART, OPEN, REFUSED, SHOWN, State
from .views import node_of, view_of

if TYPE_CHECKING:
    from ..paths import Segment, Segments
    from .accumulator import JsonTypedAccumulator
    from .events import TypedEvent
    from .nodes import Node
    from .visitor import TypedVisitor

__all__ = ["TypedSnapshot"]

T = TypeVar("T")


class TypedSnapshot(Generic[T]):
    """A document as far as it had arrived; immutable.

    - ``partial``: a read-only view; ``raw``: the JSON value so far, as `values` would show it.
    - ``events``: the values that the last fragment completed or showed to be invalid; ``errors``: everything
      that is invalid so far.
    - ``is_complete`` and ``result``: the validated value, an instance of your type.
    - ``state(path)`` and ``open_path``: which values are final, and which one is being written.

    >>> from midstream.typed import typed_values
    >>> for snapshot in typed_values(['["Par', 'is", "Ly', 'on"]'], list[str]): print(snapshot.partial)
    <partial ['Par']>
    <partial ['Paris', 'Ly']>
    ['Paris', 'Lyon']
    """

    __slots__ = ("_accumulator", "_at", "_count", "_errors", "_result", "events", "is_complete")

    events: list[TypedEvent]
    is_complete: bool

    def __init__(
        self, events: list[TypedEvent], visitor: TypedVisitor, accumulator: JsonTypedAccumulator[T]
    ) -> None:
        self.events = events
        self.is_complete = visitor.is_complete
        self._at = visitor.capture()
        # a list that only grows, and its length at this moment
        self._errors = errors = visitor.errors
        self._count = len(errors)
        self._result = visitor.result
        self._accumulator = accumulator

    def _native(self) -> Any:
        """Return the library's own exception for everything that is invalid."""
        return self._accumulator._native_of(self)

    @property
    def errors(self) -> list[TypedError]:
        """Everything that was invalid so far, without the errors of values that a duplicate key replaced."""
        return self._errors[: self._count]

    @property
    def result(self) -> T:
        """The validated value.

        Raises `TypedStreamError` if anything is invalid, and `JsonStreamError` with the code ``truncated``
        while the document is not complete.
        """
        if self._count:
            raise TypedStreamError(self.errors, self._native)
        if not self.is_complete:
            raise JsonStreamError(ParserError.of(ErrorCode.TRUNCATED))
        return self._result  # type: ignore[no-any-return]

    @property
    def partial(self) -> Any:
        """The value as far as it has arrived, `UNDEFINED` before there is anything to show."""
        node, length, key, text, size, role = self._at
        value: Any = (text, size) if role == SHOWN else UNDEFINED
        while node.above is not None:
            value = view_of(node, length, key, value)
            key = node.key
            node, length = node.above
        if key is None:
            return node.child("root", length)
        return text.read(size) if type(value) is tuple else value

    @property
    def raw(self) -> Any:
        """The JSON value so far, `UNDEFINED` before there is one."""
        node, length, key, text, size, _ = self._at
        value: Any = UNDEFINED if key is None else text.read(size)
        while True:
            if node.above is None:
                return value if key is not None else node.latest_raw(length)
            container = node.raw(length)
            if key is not None:
                if node.is_object:
                    container[key] = value
                else:
                    container.append(value)
            value, key = container, node.key
            node, length = node.above

    @property
    def open_path(self) -> Segments | None:
        """The path to the innermost value that is still open, None if nothing is."""
        node, _, key, _, _, _ = self._at
        if key is not None:
            return segments_of((node.pair, key))
        return None if node.pair is None else segments_of(node.pair)

    def state(self, path: str | Segments = ()) -> State:
        """Return the state of the value at a path: ``"absent"``, ``"open"``, ``"final"`` or ``"invalid"``.

        The path is a string, or a tuple of keys and indices as in the JSON text. A value that is not part of
        the type is absent.
        """
        steps: list[Any] = ["root", *(parse_pattern(path) if isinstance(path, str) else path)]
        if WILDCARD in steps:
            raise invalid(ErrorCode.INVALID_PATH, "a wildcard stands for several values")
        chain = self._chain()
        for depth, (node, length, key) in enumerate(chain):
            if key is None or type(key) is not type(steps[depth]) or key != steps[depth]:
                return _state_below(node, length, steps[depth:])
            is_string = depth + 1 == len(chain)
            role = self._at[5] if is_string else chain[depth + 1][0].role
            if role == REFUSED and depth + 1 == len(steps):
                return INVALID
            if role == NO_PART or (is_string and depth + 1 < len(steps)):
                return ABSENT
            if depth + 1 == len(steps):
                return OPEN
        return ABSENT

    def _chain(self) -> list[tuple[Node, int, Segment | None]]:
        """Return the open containers from the root inwards, each with its length and its open key."""
        node, length, key, _, _, _ = self._at
        chain: list[tuple[Node, int, Segment | None]] = [(node, length, key)]
        while node.above is not None:
            key = node.key
            node, length = node.above
            chain.append((node, length, key))
        chain.reverse()
        return chain

    def __reduce__(self) -> Any:
        raise TypeError(
            "a snapshot cannot be pickled or copied; "
            "to_plain(snapshot.partial) and snapshot.raw are plain data"
        )

    def __repr__(self) -> str:
        return f"<TypedSnapshot {self.partial!r}>"


def _state_below(node: Node, length: int, steps: list[Segment]) -> State:
    """Return the state of a value that is not open, by the steps from a container to it."""
    for depth, step in enumerate(steps):
        position = node.position(step, length)
        if position is None:
            return ABSENT
        mark: State = node.marks.get(position, FINAL)
        if depth + 1 == len(steps) or mark == ABSENT:
            return mark
        if (inner := node_of(node.shown[position])) is None:
            # a validated value, which contains what the text contains
            return mark if _is_in(node.raws[position], steps[depth + 1 :]) else ABSENT
        node, length = inner, len(inner.raws)
    return ABSENT


def _is_in(value: Any, steps: list[Segment]) -> bool:
    for step in steps:
        is_index = type(step) is int and isinstance(value, list) and 0 <= step < len(value)
        if not is_index and not (isinstance(value, dict) and step in value):
            return False
        value = value[step]
    return True

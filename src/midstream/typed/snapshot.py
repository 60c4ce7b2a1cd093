"""A typed document at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._undefined import UNDEFINED
from ..errors import ErrorCode, JsonStreamError, ParserError, TypedError, TypedStreamError, invalid
from ..paths import segments_of
from ..patterns import ANY as WILDCARD
from ..patterns import parse_pattern
from .nodes import ABSENT, FINAL, HELD, INVALID, NO_PART, OPEN, REFUSED, SHOWN, State
from .places import IGNORED, Kind
from .views import node_of, view_of

if TYPE_CHECKING:
    from ..errors import Repair
    from ..paths import Segment, Segments
    from .accumulator import JsonTypedAccumulator
    from .events import TypedEvent
    from .nodes import Node
    from .places import Place
    from .visitor import TypedVisitor

    # an open container, its number of complete children, and the key of its open child
    _Link = tuple[Node, int, Segment | None]

__all__ = ["TypedSnapshot"]

T = TypeVar("T")


class TypedSnapshot(Generic[T]):
    """A document as far as it had arrived; immutable.

    - ``partial``: a read-only view; ``raw``: the JSON value so far, as `values` would show it.
    - ``events``: the values that the last fragment completed or showed to be invalid; ``errors``: everything
      that is invalid so far; ``repairs``: what the lenient dialect repaired.
    - ``is_complete`` and ``result``: the validated value, an instance of your type.
    - ``state(path)`` and ``open_path``: which values are final, and which one is being written.

    >>> from midstream.typed import typed_values
    >>> for snapshot in typed_values(['["Par', 'is", "Ly', 'on"]'], list[str]): print(snapshot.partial)
    <partial ['Par']>
    <partial ['Paris', 'Ly']>
    ['Paris', 'Lyon']
    """

    __slots__ = (
        "_accumulator", "_at", "_count", "_errors", "_length", "_result", "events", "is_complete", "repairs",
    )  # fmt: skip

    events: list[TypedEvent]
    is_complete: bool
    repairs: tuple[Repair, ...]

    def __init__(
        self, events: list[TypedEvent], visitor: TypedVisitor, accumulator: JsonTypedAccumulator[T]
    ) -> None:
        self.events = events
        self.is_complete = visitor.is_complete
        self.repairs = visitor.repairs
        self._at = visitor.capture()
        self._errors = errors = visitor.errors
        self._length = len(errors.entries)
        self._count = errors.count
        self._result = visitor.result
        self._accumulator = accumulator

    def _native(self) -> Any:
        """Return the library's own exception for everything that is invalid."""
        return self._accumulator._native_of(self)

    @property
    def errors(self) -> list[TypedError]:
        """Everything that was invalid so far, without the errors of values that a duplicate key replaced."""
        return self._errors.read(self._length)

    @property
    def result(self) -> T:
        """The validated value.

        Raises `TypedStreamError` if anything is invalid, and `JsonStreamError` with the code ``truncated``
        while the document is not complete.
        """
        if self._count:
            raise TypedStreamError(self.errors, self._native)
        if not self.is_complete:
            error = ParserError.of(ErrorCode.TRUNCATED)
            raise JsonStreamError(error._replace(message="the value is not complete: read partial"))
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
        role = SHOWN
        for depth, (node, length, key) in enumerate(chain):
            if depth and node.body is None:
                # what is not split is validated in one piece
                return _BY_ROLE[node.role] if _is_open_in(chain[depth:], steps[depth:]) else ABSENT
            if key is None or type(key) is not type(steps[depth]) or key != steps[depth]:
                return _state_below(node, length, steps[depth:], self._accumulator._plan.root)
            is_string = depth + 1 == len(chain)
            role = self._at[5] if is_string else chain[depth + 1][0].role
            if depth + 1 == len(steps):
                break
            if is_string:
                return ABSENT
        return _BY_ROLE[role]

    def _chain(self) -> list[_Link]:
        """Return the open containers from the root inwards, each with its length and its open key."""
        node, length, key, _, _, _ = self._at
        chain: list[_Link] = [(node, length, key)]
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


# the state of what is open
_BY_ROLE: dict[int, State] = {SHOWN: OPEN, HELD: OPEN, NO_PART: ABSENT, REFUSED: INVALID}


def _is_open_in(chain: list[_Link], steps: list[Segment]) -> bool:
    """Report whether an open value, given by its open containers, has a part at a path."""
    for depth, (node, length, key) in enumerate(chain):
        step = steps[depth]
        if key is None or type(key) is not type(step) or key != step:
            position = node.position(step, length)
            return position is not None and _is_in(node.raws[position], steps[depth + 1 :])
        if depth + 1 == len(steps):
            return True
    return False


def _state_below(node: Node, length: int, steps: list[Segment], root: Place) -> State:
    """Return the state of a value that is not open, by the steps from a container to it."""
    for depth, step in enumerate(steps):
        position = node.position(step, length)
        if position is None:
            return ABSENT
        mark: State = node.marks.get(position, FINAL)
        if depth + 1 == len(steps) or mark == ABSENT:
            return mark
        if (inner := node_of(node.shown[position])) is None:
            place = root if node.parent is None else None if node.body is None else node.body.place_of(step)
            return mark if _is_in(node.raws[position], steps[depth + 1 :], place) else ABSENT
        node, length = inner, len(inner.raws)
    return ABSENT


def _is_in(value: Any, steps: list[Segment], place: Place | None = None) -> bool:
    """Report whether a complete JSON value has a part at a path, and the type of its place, if known, too."""
    for step in steps:
        is_index = type(step) is int and isinstance(value, list) and 0 <= step < len(value)
        if not is_index and not (isinstance(value, dict) and step in value):
            return False
        body = None if place is None else (place.then or place).body
        if body is not None and body.kind is Kind.TAGGED:
            tag = value[body.tag] if isinstance(value, dict) and body.tag in value else None
            body = None if isinstance(tag, (dict, list)) else body.choices.get((type(tag), tag))
        # a list in the place of an object belongs to another member of a union
        is_split = body is not None and (body.kind is Kind.ANY or is_index == (body.kind is Kind.LIST))
        place = body.place_of(step) if is_split and body is not None else None
        if place is IGNORED or (place is not None and any(rival in value for rival in place.rivals)):
            return False
        value = value[step]
    return True

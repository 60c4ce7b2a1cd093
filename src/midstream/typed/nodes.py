"""Containers as far as they have arrived. They only grow, so a snapshot is a reference and a length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from .._undefined import UNDEFINED

if TYPE_CHECKING:
    from ..errors import TypedError
    from ..paths import PathPair, Segment
    from .places import Body, Place

__all__ = [
    "ABSENT",
    "FINAL",
    "HELD",
    "INVALID",
    "NO_PART",
    "OPEN",
    "REFUSED",
    "SHOWN",
    "Capture",
    "ErrorLog",
    "GrowingText",
    "Node",
    "State",
]  # fmt: skip

State = Literal["absent", "open", "final", "invalid"]
ABSENT: Final = "absent"
OPEN: Final = "open"
FINAL: Final = "final"
INVALID: Final = "invalid"

# the roles of an open value in a partial: shown as it grows, held back until it is complete, not part of the
# type, or refused
SHOWN = 0
HELD = 1
NO_PART = 2
REFUSED = 3


# what a snapshot stores: the innermost open container and its number of children; the key of the open string
# in it, the string's text, length and role
Capture = tuple[Any, int, Any, Any, int, int]


class GrowingText:
    """The text of an open string; any earlier state of it can be read by its length."""

    __slots__ = ("_joined", "_pieces", "length")

    def __init__(self) -> None:
        self.length = 0
        self._joined = ""
        self._pieces: list[str] = []

    def append(self, piece: str) -> None:
        """Add a piece at the end."""
        self.length += len(piece)
        self._pieces.append(piece)

    def read(self, length: int) -> str:
        """Return the first ``length`` characters."""
        joined = self._joined
        if len(joined) < length:
            # CPython extends a str in place if there is no other reference to it
            self._joined = ""
            joined += "".join(self._pieces)
            self._pieces.clear()
            self._joined = joined
        return joined if len(joined) == length else joined[:length]


class ErrorLog:
    """Everything that is invalid; any earlier state of it can be read by its length."""

    __slots__ = ("count", "entries")

    def __init__(self) -> None:
        # errors, and lists of errors that are dropped; it only grows
        self.entries: list[TypedError | list[TypedError]] = []
        # how many errors there are now
        self.count = 0

    def add(self, errors: list[TypedError]) -> None:
        """Add errors."""
        self.entries += errors
        self.count += len(errors)

    def drop(self, errors: list[TypedError]) -> None:
        """Drop errors that were added before."""
        self.entries.append(errors)
        self.count -= len(errors)

    def read(self, length: int) -> list[TypedError]:
        """Return the errors after the first ``length`` entries."""
        found: dict[int, TypedError] = {}
        for entry in self.entries[:length]:
            if isinstance(entry, list):
                for error in entry:
                    del found[id(error)]
            else:
                found[id(entry)] = entry
        return list(found.values())


class Node:
    """A container that is open, or was.

    Its complete children are appended to lists and never changed afterwards; its open child is another node.
    The state of a document at any time is therefore the chain of its open containers with the number of
    children of each, which one tuple can store.
    """

    __slots__ = (
        "above", "bad", "body", "given", "index", "is_object", "key", "keys", "late", "marks", "pair",
        "parent", "patterns", "place", "previous", "raws", "role", "shown",
    )  # fmt: skip

    def __init__(
        self, parent: Node | None, key: Segment, place: Place, body: Body | None, is_object: bool
    ) -> None:
        self.parent = parent
        self.key = key
        self.place = place
        self.body = body
        self.is_object = is_object
        # the container around this one, and its number of children when this one began
        self.above: tuple[Node, int] | None = None
        self.pair: PathPair | None = None
        if parent is not None:
            self.above = (parent, len(parent.raws))
            self.pair = (parent.pair, key)
        # for each child, its JSON value and the value that a view shows
        self.raws: list[Any] = []
        self.shown: list[Any] = []
        # the states of the children that are not final, by position
        self.marks: dict[int, State] = {}
        # for an object: the keys, the last position of each, and for a repeated key the position before
        self.keys: list[str] = []
        self.index: dict[str, int] = {}
        self.previous: dict[int, int] | None = None
        # the input for the validation of this container or of the one around it; None if none is needed
        self.given: Any = None
        # by key: the errors of invalid children, and the children that are final only when this container or
        # one around it is
        self.bad: dict[Segment, list[Any]] = {}
        self.late: dict[Segment, list[tuple[PathPair, tuple[Segment, ...]]]] = {}
        # the paths of values that are held back, from this container on
        self.patterns: tuple[tuple[Any, ...], ...] = ()
        self.role = SHOWN

    def put(self, key: Segment, raw: Any, shown: Any) -> int:
        """Add a child, and return its position."""
        position = len(self.raws)
        if self.is_object:
            last = self.index.get(key)  # type: ignore[arg-type]
            if last is not None:
                if self.previous is None:
                    self.previous = {}
                self.previous[position] = last
            self.index[key] = position  # type: ignore[index]
            self.keys.append(key)  # type: ignore[arg-type]
        self.raws.append(raw)
        self.shown.append(shown)
        return position

    def add_input(self, key: Segment, given: Any) -> None:
        """Store a child's input for the validation of this container or of the one around it."""
        if self.given is not None:
            if self.is_object:
                self.given[key] = given
            else:
                self.given.append(given)

    def inputs(self) -> Any:
        """Return the input for the validation of this container, with its keys in the order of the text."""
        if self.previous is None:
            return self.given
        # the first value of a repeated key may have been invalid, and so no input
        return {key: self.given[key] for key in self.index if key in self.given}

    def step(self, key: Segment) -> Segment:
        """Return the step from the validated container to a child: a name, a key or an index."""
        return key if self.body is None else self.body.names.get(key, key)

    def position(self, key: object, length: int) -> int | None:
        """Return the position of a child among the first ``length`` ones, None if it is not there."""
        if not self.is_object:
            return key if type(key) is int and 0 <= key < length else None
        position: int | None = self.index.get(key)  # type: ignore[call-overload]
        while position is not None and position >= length:
            position = None if self.previous is None else self.previous.get(position)
        return position

    def child(self, key: object, length: int) -> Any:
        """Return the shown value of a child, `UNDEFINED` if it is not among the first ``length`` ones."""
        position = self.position(key, length)
        return UNDEFINED if position is None else self.shown[position]

    def raw(self, length: int) -> Any:
        """Return the JSON value with the first ``length`` children."""
        if self.is_object:
            return dict(zip(self.keys[:length], self.raws, strict=False))
        return self.raws[:length]

    def latest_raw(self, length: int) -> Any:
        """Return the JSON value of the last of the first ``length`` children, `UNDEFINED` without any."""
        return self.raws[length - 1] if length else UNDEFINED

    def closed_raw(self) -> Any:
        """Return the JSON value of the closed container."""
        return dict(zip(self.keys, self.raws, strict=True)) if self.is_object else self.raws

    def settled(self, final: dict[Segment, Any]) -> Node:
        """Return a copy in which the children with these keys are final; older snapshots keep this node."""
        copy = Node(self.parent, self.key, self.place, self.body, self.is_object)
        copy.raws, copy.shown, copy.marks = self.raws, self.shown[:], self.marks.copy()
        copy.keys, copy.index, copy.previous, copy.role = self.keys, self.index, self.previous, self.role
        for key, value in final.items():
            position = self.position(key, len(self.raws))
            if position is not None:
                copy.shown[position] = value
                copy.marks.pop(position, None)
        return copy

    def forget(self, key: str) -> list[TypedError]:
        """Drop the findings about a key that is repeated, and return its errors."""
        self.late.pop(key, None)
        found: list[TypedError] = []
        waiting = self.bad.pop(key, [])
        while waiting:
            error = waiting.pop()
            if isinstance(error, list):
                waiting += error
            else:
                found.append(error)
        return found

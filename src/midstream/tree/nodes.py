"""The immutable nodes of a document that is still arriving.

A container keeps its closed children in a persistent vector, and its open child separately, so a new
version of a node shares everything except the path to what changed. Ids count up in opening order, which
is the pre-order of the tree. The tree is therefore its own index: `Nodes` finds a node by its id without
a table.

Nodes are data: callers read and compare them. A container resolves its value on the first read and
caches it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, overload

from .._undefined import UNDEFINED
from .views import ChildIds, Keys

__all__ = [
    "JsonArrayAstNode",
    "JsonAstNode",
    "JsonBooleanAstNode",
    "JsonNullAstNode",
    "JsonNumberAstNode",
    "JsonObjectAstNode",
    "JsonStringAstNode",
]

JsonAstType = Literal["null", "boolean", "number", "string", "array", "object"]

# A rope: one piece of text, or a pair of a rope and its last piece. A new piece is joined with all preceding
# pieces that are not longer, so each character is copied at most log2(length) times, and each version
# shares pieces with the previous version.
Rope = str | tuple[Any, str]


def grow(rope: Rope, piece: str) -> Rope:
    """Return a rope with a piece appended."""
    length = len(piece)
    if len(rope if isinstance(rope, str) else rope[1]) > length:
        return rope, piece
    pieces = [piece]
    while isinstance(rope, tuple) and len(rope[1]) <= length:
        rope, last = rope
        pieces.append(last)
        length += len(last)
    if isinstance(rope, str) and len(rope) <= length:
        return "".join([rope, *reversed(pieces)])
    return rope, "".join(reversed(pieces))


def rope_text(rope: Rope) -> str:
    """Return the text of a rope."""
    pieces = []
    while isinstance(rope, tuple):
        rope, piece = rope
        pieces.append(piece)
    pieces.append(rope)
    pieces.reverse()
    return "".join(pieces)


class JsonAstNode:
    """A node of the tree: one value of the document. This is the base class of the six kinds.

    >>> from midstream import create_parser_state, parse_chunk
    >>> node = parse_chunk(create_parser_state(), '["mid').nodes[1]
    >>> node
    JsonStringAstNode(id=1, parent_id=0, closed=False, buffer='mid')
    >>> node.type, node.resolved_value
    ('string', 'mid')
    """

    __slots__ = ("_closed", "_id", "_parent_id", "_value")

    type: ClassVar[JsonAstType]
    _field_names: ClassVar[tuple[str, ...]] = ("id", "parent_id", "closed")

    def __init__(self, id: int, parent_id: int | None, closed: bool, value: Any = UNDEFINED) -> None:
        self._id = id
        self._parent_id = parent_id
        self._closed = closed
        self._value = value

    @property
    def id(self) -> int:
        """The position in opening order, from 0."""
        return self._id

    @property
    def parent_id(self) -> int | None:
        """The id of the container, or None for the root."""
        return self._parent_id

    @property
    def closed(self) -> bool:
        """Whether the value is finished."""
        return self._closed

    @property
    def resolved_value(self) -> Any:
        """The value so far, resolved on the first read."""
        return self._value

    def _parts(self) -> list[Any]:
        return [getattr(self, name) for name in self._field_names]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, JsonAstNode):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((self.type, self._id, self._closed))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._field_names)
        return f"{type(self).__name__}({parts})"


class JsonNullAstNode(JsonAstNode):
    """A null.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '[null').nodes[1]
    JsonNullAstNode(id=1, parent_id=0, closed=True)
    """

    __slots__ = ()
    type = "null"


class JsonBooleanAstNode(JsonAstNode):
    """A boolean.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '[true').nodes[1]
    JsonBooleanAstNode(id=1, parent_id=0, closed=True, resolved_value=True)
    """

    __slots__ = ()
    type = "boolean"
    _field_names = ("id", "parent_id", "closed", "resolved_value")


class JsonNumberAstNode(JsonAstNode):
    """A number and its text.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '[1.50,').nodes[1]
    JsonNumberAstNode(id=1, parent_id=0, closed=True, buffer='1.50')
    """

    __slots__ = ("_buffer",)
    type = "number"
    _field_names = ("id", "parent_id", "closed", "buffer")

    def __init__(self, id: int, parent_id: int | None, value: Any, buffer: str) -> None:
        super().__init__(id, parent_id, True, value)
        self._buffer = buffer

    @property
    def buffer(self) -> str:
        """The text of the number, as written."""
        return self._buffer


class JsonStringAstNode(JsonAstNode):
    """A string, closed or still arriving.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '["mid').nodes[1]
    JsonStringAstNode(id=1, parent_id=0, closed=False, buffer='mid')
    """

    __slots__ = ("_rope",)
    type = "string"
    _field_names = ("id", "parent_id", "closed", "buffer")

    def __init__(self, id: int, parent_id: int | None, closed: bool, rope: Rope) -> None:
        super().__init__(id, parent_id, closed)
        self._rope = rope

    @property
    def buffer(self) -> str:
        """The decoded text so far."""
        if isinstance(self._rope, tuple):
            self._rope = rope_text(self._rope)
        return self._rope

    @property
    def resolved_value(self) -> str:
        """The decoded text so far."""
        return self.buffer


class _Container(JsonAstNode):
    __slots__ = ("_base", "_items", "_last")
    _keys: Sequence[str] = ()

    def __init__(
        self,
        id: int,
        parent_id: int | None,
        closed: bool,
        items: Sequence[JsonAstNode],
        last: JsonAstNode | None,
        base: tuple[Any, int] | None,
    ) -> None:
        super().__init__(id, parent_id, closed)
        self._items = items
        self._last = last
        # the resolved value of an earlier version, and how many of its children are the same in this one
        self._base = base

    @property
    def children(self) -> Sequence[int]:
        """The ids of the children."""
        return ChildIds(self)

    @property
    def resolved_value(self) -> Any:
        """The value so far, resolved on the first read."""
        if self._value is UNDEFINED:
            resolve(self)
        return self._value

    def child(self, index: int) -> JsonAstNode:
        """Return the child at an index."""
        if index == len(self._items) and self._last is not None:
            return self._last
        return self._items[index]

    def child_count(self) -> int:
        """Return the number of children."""
        return len(self._items) + (self._last is not None)

    def make_value(self) -> Any:
        """Build the value from the values of the children, which must be resolved."""
        return UNDEFINED

    def base(self) -> tuple[Any, int] | None:
        """Return the value that a later version can start from, and its number of children."""
        return self._base if self._value is UNDEFINED else (self._value, len(self._items))


class JsonArrayAstNode(_Container):
    """An array, closed or still arriving.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '[[1, 2, 3').nodes[1]
    JsonArrayAstNode(id=1, parent_id=0, closed=False, children=[2, 3])
    """

    __slots__ = ()
    type = "array"
    _field_names = ("id", "parent_id", "closed", "children")

    def make_value(self) -> list[Any]:
        """Build the value from the values of the children, which must be resolved."""
        value, common = self._base or ([], 0)
        value = value[:common]
        value.extend(self.child(i).resolved_value for i in range(common, self.child_count()))
        return value


class JsonObjectAstNode(_Container):
    """An object, closed or still arriving; a repeated key appears once for each member.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '[{"a": 1, "b": [').nodes[1]
    JsonObjectAstNode(id=1, parent_id=0, closed=False, keys=['a', 'b'], children=[2, 3])
    """

    __slots__ = ("_keys", "_last_key")
    type = "object"
    _field_names = ("id", "parent_id", "closed", "keys", "children")

    def __init__(
        self,
        id: int,
        parent_id: int | None,
        closed: bool,
        items: Sequence[JsonAstNode],
        last: JsonAstNode | None,
        base: tuple[Any, int] | None,
        keys: Sequence[str],
        last_key: str | None,
    ) -> None:
        super().__init__(id, parent_id, closed, items, last, base)
        self._keys = keys
        self._last_key = last_key

    @property
    def keys(self) -> Sequence[str]:
        """The keys of the children."""
        return Keys(self)

    def key(self, index: int) -> str:
        """Return the key of the child at an index."""
        if index == len(self._keys) and self._last_key is not None:
            return self._last_key
        return self._keys[index]

    def make_value(self) -> dict[str, Any]:
        """Build the value from the values of the children, which must exist; the last of equal keys wins."""
        value, common = self._base or ({}, 0)
        value = value.copy()
        for i in range(common, self.child_count()):
            value[self.key(i)] = self.child(i).resolved_value
        return value


class Nodes(Sequence[JsonAstNode]):
    """All nodes of a document by id; a lookup walks down the tree."""

    __slots__ = ("_count", "_root")

    def __init__(self, root: JsonAstNode | None, count: int) -> None:
        self._root = root
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> JsonAstNode: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[JsonAstNode, ...]: ...
    def __getitem__(self, index: int | slice) -> JsonAstNode | tuple[JsonAstNode, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(self._count)))
        wanted = range(self._count)[index]
        node = self._root
        while isinstance(node, _Container) and node.id != wanted:
            # the subtree that contains the id belongs to the last child whose id is not greater
            node = node.child(bisect_right(ChildIds(node), wanted) - 1)
        assert node is not None
        return node

    def __iter__(self) -> Iterator[JsonAstNode]:
        waiting = [] if self._root is None else [iter([self._root])]
        while waiting:
            node = next(waiting[-1], None)
            if node is None:
                waiting.pop()
                continue
            yield node
            if isinstance(node, _Container):
                waiting.append(map(node.child, range(node.child_count())))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nodes):
            return NotImplemented
        return self._count == other._count and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((self._root, self._count))

    def __repr__(self) -> str:
        return f"<{self._count} nodes>"


def resolve(top: _Container) -> None:
    """Resolve the value of a container and of all its unresolved descendants, without recursion."""
    waiting = [top]
    while waiting:
        node = waiting[-1]
        # another thread may be resolving the same node, and clear its base
        base = node._base
        common = base[1] if base else 0
        unresolved = [
            child
            for child in (node.child(i) for i in range(common, node.child_count()))
            if isinstance(child, _Container) and child._value is UNDEFINED
        ]
        if unresolved:
            waiting.extend(unresolved)
            continue
        waiting.pop()
        if node._value is UNDEFINED:
            value = node.make_value()
            if node._value is UNDEFINED:
                node._value = value
            node._base = None

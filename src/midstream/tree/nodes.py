"""The immutable nodes of a document that is still arriving.

A container keeps its closed children in a persistent vector, and its open child separately, so a new
version of a node shares everything except the path to what changed. Ids count up in opening order, which
is the pre-order of the tree. The tree is therefore its own index (`index.Nodes`).

Nodes are data: callers read and compare them. A container resolves its value on the first read and
caches it. Nodes are excluded from garbage collection: a node refers to its children and not to its parent, so
nodes never form a cycle, and the collector never has to visit the nodes of a long document. (A value that
parse_int or parse_float returned would leak if it referred to the state that contains the number.)
"""

from __future__ import annotations

from reprlib import Repr
from typing import TYPE_CHECKING, Any, Literal

from .._signature import SourceSignature
from .._undefined import UNDEFINED
from ..core import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that Cython recognizes


if not cython.compiled:
    from .rope import rope_text

if TYPE_CHECKING:
    from .rope import Rope

__all__ = [
    "JsonAstNode",
    "JsonBooleanAstNode",
    "JsonNullAstNode",
    "JsonNumberAstNode",
    "JsonStringAstNode",
]

JsonAstType = Literal["null", "boolean", "number", "string", "array", "object"]

_repr = Repr()
_repr.maxstring = _repr.maxother = 60


@cython.no_gc
@cython.cclass
class JsonAstNode:
    """A node of the tree: one value of the document. This is the base class of the six kinds.

    >>> from midstream import create_parser_state, parse_chunk
    >>> node = parse_chunk(create_parser_state(), '["mid').nodes[1]
    >>> node
    JsonStringAstNode(id=1, parent_id=0, closed=False, buffer='mid')
    >>> node.type, node.resolved_value
    ('string', 'mid')
    """

    __signature__ = SourceSignature()
    __slots__ = ("_closed", "_id", "_key", "_parent_id")

    type: JsonAstType = "null"
    _field_names: tuple[str, ...] = ("id", "parent_id", "closed")

    _id: int
    # -1: the root has no parent
    _parent_id: int
    # the key of a member of an object, else None
    _key: str | None
    _closed: bool

    def __init__(self) -> None:
        raise TypeError(f"{type(self).__name__} can't be instantiated: parse_chunk creates the nodes")

    @property
    def id(self) -> int:
        """The position in opening order, from 0."""
        return self._id

    @property
    def parent_id(self) -> int | None:
        """The id of the container, or None for the root."""
        return self._parent_id if self._parent_id >= 0 else None

    @property
    def closed(self) -> bool:
        """Whether the value is finished."""
        return self._closed

    @property
    def resolved_value(self) -> Any:
        """The value so far, resolved on the first read; `UNDEFINED` for an open number or literal."""
        return self._get_value()

    def _has_value(self) -> bool:
        """Report whether the parent's value includes this node: an open number or literal has no value."""
        return self._closed

    def _get_value(self) -> Any:
        return UNDEFINED

    def _parts(self) -> list[Any]:
        return [getattr(self, name) for name in self._field_names]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, JsonAstNode):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((self.type, self._id, self._closed))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={_repr.repr(getattr(self, name))}" for name in self._field_names)
        return f"{type(self).__name__}({parts})"

    def __reduce__(self) -> tuple[object, ...]:
        from .index import rows_of
        from .visitor import load_node

        return load_node, (rows_of(self, True), self._id, self._parent_id, self._key)


@cython.final
@cython.no_gc
@cython.cclass
class JsonNullAstNode(JsonAstNode):
    """A null, complete or still arriving.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '[null').nodes[1]
    JsonNullAstNode(id=1, parent_id=0, closed=True)
    """

    __slots__ = ()
    type = "null"

    def _get_value(self) -> Any:
        return None if self._closed else UNDEFINED


@cython.final
@cython.no_gc
@cython.cclass
class JsonBooleanAstNode(JsonAstNode):
    """A boolean, complete or still arriving.

    >>> from midstream import create_parser_state, parse_chunk
    >>> state = parse_chunk(create_parser_state(), '[tr')
    >>> state.nodes[1]
    JsonBooleanAstNode(id=1, parent_id=0, closed=False, resolved_value=UNDEFINED)
    >>> parse_chunk(state, 'ue').nodes[1]
    JsonBooleanAstNode(id=1, parent_id=0, closed=True, resolved_value=True)
    """

    __slots__ = ("_value",)
    type = "boolean"
    _field_names = ("id", "parent_id", "closed", "resolved_value")

    _value: Any

    def _get_value(self) -> Any:
        return self._value


@cython.no_gc
@cython.cclass
class TextNode(JsonAstNode):
    """A number or string."""

    __slots__ = ("_rope",)

    _rope: Rope

    @property
    def buffer(self) -> str:
        """The text so far: of a number as written, of a string decoded."""
        return self._read_text()

    def _read_text(self) -> str:
        """Return the text, and keep it instead of the rope."""
        with cython.critical_section(self):
            if isinstance(self._rope, tuple):
                self._rope = rope_text(self._rope)
            text: str = self._rope
            return text

    def _read_rope(self) -> Rope:
        with cython.critical_section(self):
            return self._rope


@cython.final
@cython.no_gc
@cython.cclass
class JsonNumberAstNode(TextNode):
    """A number and its text, complete or still arriving.

    >>> from midstream import create_parser_state, parse_chunk
    >>> state = parse_chunk(create_parser_state(), '[1.5')
    >>> state.nodes[1], state.nodes[1].resolved_value
    (JsonNumberAstNode(id=1, parent_id=0, closed=False, buffer='1.5'), UNDEFINED)
    >>> state = parse_chunk(state, '0]')
    >>> state.nodes[1], state.nodes[1].resolved_value
    (JsonNumberAstNode(id=1, parent_id=0, closed=True, buffer='1.50'), 1.5)
    """

    __slots__ = ("_value",)
    type = "number"
    _field_names = ("id", "parent_id", "closed", "buffer")

    _value: Any

    def _get_value(self) -> Any:
        return self._value


@cython.final
@cython.no_gc
@cython.cclass
class JsonStringAstNode(TextNode):
    """A string, closed or still arriving.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '["mid').nodes[1]
    JsonStringAstNode(id=1, parent_id=0, closed=False, buffer='mid')
    """

    __slots__ = ()
    type = "string"
    _field_names = ("id", "parent_id", "closed", "buffer")

    def _has_value(self) -> bool:
        return True

    def _get_value(self) -> Any:
        return self._read_text()


# The functions below create nodes without calling __init__: compiled, that call would take longer than
# everything else.


def set_place(node: JsonAstNode, id: int, parent_id: int, key: str | None, closed: bool) -> None:
    """Set the fields that all nodes have."""
    node._id = id
    node._parent_id = parent_id
    node._key = key
    node._closed = closed


def new_string(id: int, parent_id: int, key: str | None, closed: bool, rope: Rope) -> JsonStringAstNode:
    """Return a new node of a string."""
    node: JsonStringAstNode = JsonStringAstNode.__new__(JsonStringAstNode)
    set_place(node, id, parent_id, key, closed)
    node._rope = rope
    return node


def new_number(
    id: int, parent_id: int, key: str | None, closed: bool, rope: Rope, value: Any
) -> JsonNumberAstNode:
    """Return a new node of a number."""
    node: JsonNumberAstNode = JsonNumberAstNode.__new__(JsonNumberAstNode)
    set_place(node, id, parent_id, key, closed)
    node._rope = rope
    node._value = value
    return node


def new_literal(id: int, parent_id: int, key: str | None, closed: bool, value: bool | None) -> JsonAstNode:
    """Return a new node of true, false or null."""
    if value is None:
        null: JsonNullAstNode = JsonNullAstNode.__new__(JsonNullAstNode)
        set_place(null, id, parent_id, key, closed)
        return null
    boolean: JsonBooleanAstNode = JsonBooleanAstNode.__new__(JsonBooleanAstNode)
    set_place(boolean, id, parent_id, key, closed)
    boolean._value = value if closed else UNDEFINED
    return boolean

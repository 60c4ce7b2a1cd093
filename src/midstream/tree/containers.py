"""The nodes of arrays and objects, and how their values are resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import cython_shim as cython
from .nodes import JsonAstNode
from .views import ChildIds, Keys

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that Cython recognizes

if not cython.compiled:
    from .nodes import set_place

    def has_one_owner(node: JsonAstNode) -> bool:  # noqa: ARG001
        """Report whether a node is about to be freed; uncompiled never: Python frees chains itself."""
        return False


if TYPE_CHECKING:
    from collections.abc import Sequence

    from .vector import Vector

__all__ = ["Container", "JsonArrayAstNode", "JsonObjectAstNode"]


@cython.no_gc
@cython.cclass
class Container(JsonAstNode):
    """An array or object."""

    __slots__ = ("_base", "_items", "_last", "_value")

    # the closed children, and the open child
    _items: Vector
    _last: JsonAstNode | None
    # the resolved value, None until the first read
    _value: Any
    # the resolved value of an earlier version, and how many of its children are the same in this one
    _base: tuple[Any, int] | None

    def __dealloc__(self) -> None:
        if self._last is not None:
            free_chain(self)

    @property
    def children(self) -> Sequence[int]:
        """The ids of the children."""
        return ChildIds(self)

    def _has_value(self) -> bool:
        return True

    def _get_value(self) -> Any:
        if self._value is None:
            resolve(self)
        return self._value

    def _child(self, index: int) -> JsonAstNode:
        """Return the child at an index from 0, which must exist."""
        last = self._last
        if last is not None and index == self._items.count:
            return last
        child: JsonAstNode = self._items.item(index)
        return child

    def _child_count(self) -> int:
        """Return the number of children."""
        return self._items.count + (self._last is not None)

    def _open_child(self) -> JsonAstNode | None:
        """Return the child that is open, if one is."""
        return self._last

    def _subtree_with(self, wanted: int) -> JsonAstNode:
        """Return the child whose subtree has the node with an id: the last child whose id is not greater."""
        low, high = 0, self._child_count()
        while high - low > 1:
            middle = (low + high) >> 1
            child = self._child(middle)
            if child._id <= wanted:
                low = middle
            else:
                high = middle
        return self._child(low)

    def _reusable_value(self) -> tuple[Any, int] | None:
        """Return the value that the next version can start from, and its number of closed children."""
        with cython.critical_section(self):
            return self._base if self._value is None else (self._value, self._items.count)

    def _make_value(self, base: tuple[Any, int] | None) -> Any:
        """Build the value from the values of the children, which must be resolved."""
        raise NotImplementedError

    def _set_value(self, value: Any) -> None:
        """Publish the value, unless another thread was faster: every reader gets the same object."""
        with cython.critical_section(self):
            if self._value is None:
                self._value = value
            self._base = None


@cython.final
@cython.no_gc
@cython.cclass
class JsonArrayAstNode(Container):
    """An array, closed or still arriving.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '[[1, 2, 3').nodes[1]
    JsonArrayAstNode(id=1, parent_id=0, closed=False, children=[2, 3, 4])
    """

    __slots__ = ()
    type = "array"
    _field_names = ("id", "parent_id", "closed", "children")

    def _make_value(self, base: tuple[Any, int] | None) -> list[Any]:
        value: list[Any] = []
        common = 0
        if base is not None:
            value, common = base
            value = value[:common]
        items = self._items
        for i in range(common, items.count):
            child: JsonAstNode = items.item(i)
            value.append(child._get_value())
        if self._last is not None and self._last._has_value():
            value.append(self._last._get_value())
        return value


@cython.final
@cython.no_gc
@cython.cclass
class JsonObjectAstNode(Container):
    """An object, closed or still arriving; a repeated key appears once for each member.

    >>> from midstream import create_parser_state, parse_chunk
    >>> parse_chunk(create_parser_state(), '[{"a": 1, "b": [').nodes[1]
    JsonObjectAstNode(id=1, parent_id=0, closed=False, keys=['a', 'b'], children=[2, 3])
    """

    __slots__ = ()
    type = "object"
    _field_names = ("id", "parent_id", "closed", "keys", "children")

    @property
    def keys(self) -> Sequence[str]:
        """The keys of the children."""
        return Keys(self)

    def _make_value(self, base: tuple[Any, int] | None) -> dict[str, Any]:
        value: dict[str, Any] = {}
        common = 0
        if base is not None:
            value, common = base
            value = value.copy()
        items = self._items
        for i in range(common, items.count):
            child: JsonAstNode = items.item(i)
            # of equal keys the last wins
            value[child._key] = child._get_value()  # type: ignore[index]
        if self._last is not None and self._last._has_value():
            value[self._last._key] = self._last._get_value()  # type: ignore[index]
        return value


def new_container(
    is_array: bool,
    id: int,
    parent_id: int,
    key: str | None,
    closed: bool,
    items: Vector,
    last: JsonAstNode | None,
    base: tuple[Any, int] | None,
) -> Container:
    """Return a new node of an array or object."""
    node: Container
    if is_array:
        node = JsonArrayAstNode.__new__(JsonArrayAstNode)
    else:
        node = JsonObjectAstNode.__new__(JsonObjectAstNode)
    set_place(node, id, parent_id, key, closed)
    node._items = items
    node._last = last
    node._value = None
    node._base = base
    return node


def renewed(old: Container, last: JsonAstNode) -> Container:
    """Return a new version of an open container in which only the open child is different."""
    return new_container(
        isinstance(old, JsonArrayAstNode),
        old._id,
        old._parent_id,
        old._key,
        False,
        old._items,
        last,
        old._reusable_value(),
    )


def free_chain(top: Container) -> None:
    """Free a chain of open containers in a loop, because recursion would overflow the stack.

    The interpreter's trashcan limits such a recursion, but only for objects that take part in garbage
    collection. Nodes do not. The tuples that hold the closed children do, so they need no loop.
    """
    node, top._last = top._last, None
    while node is not None and isinstance(node, Container) and has_one_owner(node):
        container: Container = node
        below, container._last = container._last, None
        container = None  # type: ignore[assignment]
        node, below = below, None


def resolve(top: Container) -> None:
    """Resolve the value of a container and of all its unresolved descendants, without recursion."""
    waiting = [top]
    while waiting:
        node: Container = waiting[len(waiting) - 1]
        is_resolved = True
        base = node._reusable_value()
        common = 0 if base is None else base[1]
        if node._value is None:
            for i in range(common, node._child_count()):
                child = node._child(i)
                if isinstance(child, Container):
                    inner: Container = child
                    if inner._value is None:
                        waiting.append(inner)
                        is_resolved = False
        if is_resolved:
            waiting.pop()
            if node._value is None:
                node._set_value(node._make_value(base))

"""The visitor that builds the tree of the pure parser.

A copy of the state's machine reads the chunk and calls a `TreeVisitor`. The visitor collects the changes
until the chunk is read; then it creates new nodes for the open containers, from the innermost to the root,
and reuses all nodes that did not change. The old state is not modified, so it can be continued again,
with other text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..accumulators.value_text import is_number
from ..core import cython_shim as cython
from ..core.text import load_text
from ..core.visitor import Visitor
from .nodes import (
    JsonArrayAstNode,
    JsonAstNode,
    JsonBooleanAstNode,
    JsonNullAstNode,
    JsonNumberAstNode,
    JsonObjectAstNode,
    JsonStringAstNode,
    grow,
)
from .vector import EMPTY

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that Cython recognizes

if not cython.compiled:
    from ..core.chars import ascii_slice, chars_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .nodes import Rope

__all__ = ["TreeVisitor"]


@cython.final
@cython.cclass
class OpenContainer:
    """A container while a chunk is read: its previous version, and its new children."""

    __slots__ = ("before", "id", "is_array", "items", "keys", "last_key", "parent_id")

    def __init__(self, id: int, parent_id: int | None, is_array: bool, before: Any) -> None:
        self.id = id
        self.parent_id = parent_id
        self.is_array = is_array
        self.before = before
        self.items: list[JsonAstNode] = []
        self.keys: list[str] = []
        self.last_key: str | None = None

    def add(self, node: JsonAstNode) -> None:
        """Append a closed child."""
        self.items.append(node)
        if not self.is_array:
            self.keys.append(self.last_key or "")

    def freeze(self, closed: bool, last: JsonAstNode | None) -> JsonAstNode:
        """Return the node of the new version; last is the child that is still open."""
        before = self.before
        items: Any
        keys: Any
        if before is None and closed:
            # opened and closed by one chunk: it will never grow, so tuples are enough
            items, keys, base = tuple(self.items), tuple(self.keys), None
        else:
            items, keys, base = EMPTY, EMPTY, None
            if before is not None:
                items, keys, base = before._items, before._keys, before.base()
            if self.items:
                items = items.extend(self.items)
            if self.keys:
                keys = keys.extend(self.keys)
        if self.is_array:
            return JsonArrayAstNode(self.id, self.parent_id, closed, items, last, base)
        last_key = None if last is None else self.last_key
        return JsonObjectAstNode(self.id, self.parent_id, closed, items, last, base, keys, last_key)


@cython.final
@cython.cclass
class TreeVisitor(Visitor):
    """Add the values of one chunk to the tree."""

    __slots__ = ("next_id", "pending_key", "root", "rope", "spine", "string_id", "thawed", "top")

    def __init__(self, root: JsonAstNode | None, next_id: int, pending_key: str | None) -> None:
        self.last_error = None
        self.error_place = None
        self.error_path = ""
        self.root = root
        self.next_id = next_id
        self.pending_key = pending_key
        self.spine: list[OpenContainer] = []
        self.top: OpenContainer | None = None
        self.string_id = -1
        self.rope: Rope = ""
        self.thawed = False

    def _thaw(self) -> None:
        """Make the open nodes mutable, because they are about to change."""
        self.thawed = True
        node: Any = self.root
        while node is not None and not node._closed:
            if isinstance(node, JsonStringAstNode):
                self.string_id = node._id
                self.rope = node._rope
                break
            container = OpenContainer(node._id, node._parent_id, isinstance(node, JsonArrayAstNode), node)
            if not container.is_array:
                container.last_key = node._last_key
            self.spine.append(container)
            self.top = container
            node = node._last

    def freeze(self) -> JsonAstNode | None:
        """Create the nodes of the open containers and return the root."""
        if self.thawed:
            node: JsonAstNode | None = None
            if self.string_id >= 0:
                node = JsonStringAstNode(self.string_id, self._parent_id(), False, self.rope)
            depth = len(self.spine)
            while depth:
                depth -= 1
                container = self.spine[depth]
                node = container.freeze(False, node)
            if node is not None:
                self.root = node
        return self.root

    def stack(self) -> tuple[int, ...]:
        """Return the ids of the open containers."""
        ids = []
        for container in self.spine:
            ids.append(container.id)  # noqa: PERF401  # a typed loop when compiled
        return tuple(ids)

    def _parent_id(self) -> int | None:
        return None if self.top is None else self.top.id

    def _new_id(self) -> int:
        """Assign the next id to a new value, and the pending key to the innermost object."""
        if not self.thawed:
            self._thaw()
        if self.top is not None:
            self.top.last_key = self.pending_key
        self.next_id += 1
        return self.next_id - 1

    def _add(self, node: JsonAstNode) -> None:
        """Append a closed value to the innermost open container."""
        if self.top is not None:
            self.top.add(node)
        else:
            self.root = node

    def _enter(self, is_array: bool) -> None:
        id_ = self._new_id()
        self.top = OpenContainer(id_, self._parent_id(), is_array, None)
        self.spine.append(self.top)

    def _leave(self) -> None:
        if not self.thawed:
            self._thaw()
        container = self.spine.pop()
        self.top = self.spine[len(self.spine) - 1] if self.spine else None
        self._add(container.freeze(True, None))

    def begin_object(self) -> None:
        self._enter(False)

    def end_object(self) -> None:
        self._leave()

    def begin_array(self) -> None:
        self._enter(True)

    def end_array(self) -> None:
        self._leave()

    def key(self, text: str) -> None:
        self.pending_key = text

    def string(self, piece: str, starts: bool, ends: bool) -> None:
        if starts:
            self.string_id = self._new_id()
            self.rope = piece
        elif not self.thawed:
            self._thaw()
        if not starts and piece:
            self.rope = grow(self.rope, piece)
        if ends:
            self._add(JsonStringAstNode(self.string_id, self._parent_id(), True, self.rope))
            self.string_id = -1

    def number(self, value: Any, chars: str, start: int, end: int) -> None:
        id_ = self._new_id()
        written = ascii_slice(chars, start, end)
        self._add(JsonNumberAstNode(id_, self._parent_id(), value, written))

    def literal(self, value: bool | None) -> None:
        id_ = self._new_id()
        if value is None:
            self._add(JsonNullAstNode(id_, self._parent_id(), True, None))
        else:
            self._add(JsonBooleanAstNode(id_, self._parent_id(), True, value))

    # saved states

    def replay(
        self,
        rows: list[list[Any]],
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
    ) -> None:
        """Rebuild the tree from saved rows, one for each node, ordered by id."""
        for id_, (kind, parent_id, key, *content) in enumerate(rows):
            if id_ > 0:
                self._close_until(parent_id)
                if self.top is None:
                    raise ValueError("there is a second root")
            if self.top is not None and not self.top.is_array:
                self.key(load_text(key))
            if kind == "object":
                self.begin_object()
            elif kind == "array":
                self.begin_array()
            elif kind == "string":
                text, closed = content
                if not closed and id_ < len(rows) - 1:
                    raise ValueError("a node follows an open string")
                self.string(load_text(text), True, bool(closed))
            elif kind == "number":
                (text,) = content
                if not is_number(text):
                    raise ValueError("a number has an invalid text")
                is_float = "." in text or "e" in text or "E" in text
                value = (parse_float if is_float else parse_int)(text)
                self.number(value, chars_of(text), 0, len(text))
            elif kind == "boolean":
                (value,) = content
                if type(value) is not bool:
                    raise TypeError("the value of a boolean is neither true nor false")
                self.literal(value)
            elif kind == "null":
                self.literal(None)
            else:
                raise ValueError("unknown node type")

    def close_to(self, stack: list[int]) -> None:
        """Close the containers that are not on the stack."""
        self._close_until(stack[len(stack) - 1] if stack else None)
        if stack != list(self.stack()):
            raise ValueError("the stack contradicts the nodes")

    def _close_until(self, id_: int | None) -> None:
        while self._parent_id() != id_:
            self._leave()

    def has_open_string(self) -> bool:
        """Report whether a string is open."""
        return self.string_id >= 0

    def brackets(self) -> str:
        """Return the opening brackets of the open containers."""
        kinds = []
        for container in self.spine:
            kinds.append("[" if container.is_array else "{")  # noqa: PERF401  # a typed loop when compiled
        return "".join(kinds)

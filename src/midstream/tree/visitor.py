"""The visitor that builds the tree of the pure parser.

A copy of the state's machine reads the chunk and calls a `TreeVisitor`. The visitor collects the changes
until the chunk is read; then it creates new nodes for the open containers, from the innermost to the root,
and reuses all nodes that did not change. The old state is not modified, so it can be continued again,
with other text.

The open containers are in two lists. ``spine`` has the nodes, from the root on, in which the chunk changed
nothing: their new versions only get a new open child. ``opened`` has the containers below them, in which
the chunk closed a child, or which it opened. Most chunks touch none or one of many levels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..accumulators.value_text import is_number
from ..core import cython_shim as cython
from ..core.text import load_text
from ..core.visitor import Visitor
from ..paths import format_path
from .containers import Container, JsonArrayAstNode
from .nodes import JsonAstNode, JsonNumberAstNode, TextNode
from .vector import EMPTY

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that Cython recognizes

if not cython.compiled:
    from ..core.chars import ascii_slice, chars_of
    from ..core.modes import IN_CONTAINER
    from .containers import new_container, renewed
    from .nodes import new_literal, new_number, new_string
    from .rope import grow

    # the kinds of the open leaf
    NOTHING = 0
    STRING = 1
    NUMBER = 2
    LITERAL = 3

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors import Repair
    from ..paths import Segment

__all__ = ["TreeVisitor", "load_node", "new_visitor", "spine_of"]


@cython.final
@cython.no_gc
@cython.cclass
class OpenContainer:
    """A container while a chunk is read: its previous version, and its new children."""

    __slots__ = ("before", "id", "is_array", "items", "key", "parent_id")

    id: int
    parent_id: int
    is_array: bool
    key: str | None
    before: Container | None
    items: list[JsonAstNode]

    def count(self) -> int:
        """Return the number of closed children."""
        return len(self.items) + (0 if self.before is None else self.before._items.count)

    def freeze(self, closed: bool, last: JsonAstNode | None) -> Container:
        """Return the node of the new version; last is the child that is still open."""
        before = self.before
        items = EMPTY
        base = None
        if before is not None:
            items = before._items
            base = before._reusable_value()
        if self.items:
            items = items.extend(self.items)
        return new_container(self.is_array, self.id, self.parent_id, self.key, closed, items, last, base)


def reopened(node: Container) -> OpenContainer:
    """Return an open container that starts from a node."""
    container: OpenContainer = OpenContainer.__new__(OpenContainer)
    container.id = node._id
    container.parent_id = node._parent_id
    container.is_array = isinstance(node, JsonArrayAstNode)
    container.key = node._key
    container.before = node
    container.items = []
    return container


@cython.final
@cython.cclass
class TreeVisitor(Visitor):
    """Add the values of one chunk to the tree."""

    __slots__ = (
        "leaf",
        "leaf_id",
        "leaf_key",
        "next_id",
        "opened",
        "pending_key",
        "root",
        "root_key",
        "root_parent_id",
        "rope",
        "spine",
        "thawed",
        "top",
    )

    root: JsonAstNode | None
    next_id: int
    pending_key: str | None
    # whether the open nodes of the old state have been read: not if the chunk has changed nothing so far
    thawed: bool
    spine: list[Container]
    opened: list[OpenContainer]
    # the last item of `opened`
    top: OpenContainer | None
    # the open string, number or literal, and its text (or the value of a literal)
    leaf: int
    leaf_id: int
    leaf_key: str | None
    rope: Any
    # the place of the root, which is the root of a subtree when a single node is loaded
    root_parent_id: int
    root_key: str | None

    def _thaw(self) -> None:
        """Read the open nodes of the old state, because they are about to change."""
        self.thawed = True
        node = self.root
        while node is not None and not node._closed:
            if isinstance(node, Container):
                container: Container = node
                self.spine.append(container)
                node = container._last
                continue
            self.leaf_id = node._id
            self.leaf_key = node._key
            if isinstance(node, TextNode):
                text_node: TextNode = node
                self.leaf = NUMBER if isinstance(node, JsonNumberAstNode) else STRING
                self.rope = text_node._read_rope()
            else:
                # the chunk completes it: otherwise the chunk would have changed nothing
                self.leaf = LITERAL
            break

    def freeze(self) -> JsonAstNode | None:
        """Create the nodes of the open values and return the root."""
        if not self.thawed:
            return self.root
        node: JsonAstNode | None = None
        if self.leaf == STRING:
            node = new_string(self.leaf_id, self._parent_id(), self.leaf_key, False, self.rope)
        elif self.leaf == NUMBER:
            node = new_number(self.leaf_id, self._parent_id(), self.leaf_key, False, self.rope, UNDEFINED)
        elif self.leaf == LITERAL:
            node = new_literal(self.leaf_id, self._parent_id(), self.leaf_key, False, self.rope)
        depth = len(self.opened)
        while depth:
            depth -= 1
            container = self.opened[depth]
            node = container.freeze(False, node)
        depth = len(self.spine)
        while depth:
            depth -= 1
            old = self.spine[depth]
            # the open child of an untouched container is new: otherwise the chunk would have touched it
            assert node is not None
            node = renewed(old, node)
        if node is not None:
            self.root = node
        return self.root

    def _parent_id(self) -> int:
        """Return the id of the innermost open container."""
        if self.top is not None:
            return self.top.id
        depth = len(self.spine)
        if depth:
            node: Container = self.spine[depth - 1]
            return node._id
        return self.root_parent_id

    def _is_in_object(self) -> bool:
        """Report whether the innermost open container is an object."""
        if self.top is not None:
            return not self.top.is_array
        depth = len(self.spine)
        return depth > 0 and not isinstance(self.spine[depth - 1], JsonArrayAstNode)

    def _next_key(self) -> str | None:
        """Return the key of a value that opens now."""
        if self.top is None and not self.spine:
            return self.root_key
        return self.pending_key if self._is_in_object() else None

    def _touch(self) -> None:
        """Move the innermost open container to `opened`, because its children are about to change."""
        if self.top is None and self.spine:
            self.top = reopened(self.spine.pop())
            self.opened.append(self.top)

    def _open_leaf(self, leaf: int) -> None:
        """Assign the next id to a new string, number or literal."""
        if not self.thawed:
            self._thaw()
        self.leaf = leaf
        self.leaf_id = self.next_id
        self.leaf_key = self._next_key()
        self.next_id += 1

    def _add(self, node: JsonAstNode) -> None:
        """Append a closed value to the innermost open container."""
        self.leaf = NOTHING
        self._touch()
        if self.top is not None:
            self.top.items.append(node)
        else:
            self.root = node

    def _enter(self, is_array: bool) -> None:
        if not self.thawed:
            self._thaw()
        container: OpenContainer = OpenContainer.__new__(OpenContainer)
        container.id = self.next_id
        container.parent_id = self._parent_id()
        container.is_array = is_array
        container.key = self._next_key()
        container.before = None
        container.items = []
        self.next_id += 1
        self.opened.append(container)
        self.top = container

    def _leave(self) -> None:
        if not self.thawed:
            self._thaw()
        self._touch()
        container = self.opened.pop()
        depth = len(self.opened)
        self.top = self.opened[depth - 1] if depth else None
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
            self._open_leaf(STRING)
            self.rope = piece
        else:
            if not self.thawed:
                self._thaw()
            if piece:
                self.rope = grow(self.rope, piece)
        if ends:
            self._add(new_string(self.leaf_id, self._parent_id(), self.leaf_key, True, self.rope))

    def number(self, value: Any, chars: str, start: int, end: int) -> None:
        if not self.thawed:
            self._thaw()
        if self.leaf == NOTHING:
            self._open_leaf(NUMBER)
        text = ascii_slice(chars, start, end)
        self._add(new_number(self.leaf_id, self._parent_id(), self.leaf_key, True, text, value))

    def open_number(self, chars: str, start: int, end: int) -> None:
        if not self.thawed:
            self._thaw()
        piece = ascii_slice(chars, start, end)
        if self.leaf == NOTHING:
            self._open_leaf(NUMBER)
            self.rope = piece
        else:
            self.rope = grow(self.rope, piece)

    def literal(self, value: bool | None) -> None:
        if not self.thawed:
            self._thaw()
        if self.leaf == NOTHING:
            self._open_leaf(LITERAL)
        self._add(new_literal(self.leaf_id, self._parent_id(), self.leaf_key, True, value))

    def open_literal(self, value: bool | None) -> None:
        self._open_leaf(LITERAL)
        self.rope = value

    def repair(self, repair: Repair, where: int) -> Repair:
        return repair._replace(path=format_path("root", self._path_at(where)))

    def _path_at(self, where: int) -> list[Segment]:
        """Return the path of a place: where a repair is."""
        path: list[Segment] = []
        # the number of closed children, -1 at the root
        count, is_array = -1, False
        # what does not change must not be thawed
        for node in self.spine if self.thawed else spine_of(self.root):
            if count >= 0:
                path.append(count if is_array else str(node._key))
            count = node._items.count
            is_array = isinstance(node, JsonArrayAstNode)
        for container in self.opened:
            if count >= 0:
                path.append(count if is_array else str(container.key))
            count = container.count()
            is_array = container.is_array
        if where != IN_CONTAINER and count >= 0:
            path.append(count if is_array else str(self.pending_key))
        return path

    # saved states

    def replay(
        self,
        rows: list[list[Any]],
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
    ) -> None:
        """Rebuild a tree from the rows of `rows_of`."""
        first = self.next_id
        still_open = []
        for kind, parent_id, key, closed, *content in rows:
            if self.leaf != NOTHING:
                raise ValueError("a node follows an open string, number or literal")
            if self.next_id > first:
                self._close_until(-1 if parent_id is None else parent_id)
                if self.top is None:
                    raise ValueError("there is a second root")
                if self._is_in_object():
                    self.key(load_text(key))
            if kind == "object" or kind == "array":
                if not closed:
                    still_open.append(self.next_id)
                self._enter(kind == "array")
            else:
                self._replay_leaf(kind, bool(closed), content, parse_int, parse_float)
        self._close_until(still_open[len(still_open) - 1] if still_open else self.root_parent_id)
        if still_open != [container.id for container in self.opened]:
            raise ValueError("a container that has ended is marked as open")

    def _replay_leaf(
        self,
        kind: str,
        closed: bool,
        content: list[Any],
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
    ) -> None:
        """Rebuild a string, number or literal."""
        if kind == "string":
            (text,) = content
            self.string(load_text(text), True, closed)
        elif kind == "number":
            text, *values = content
            if not (is_number(text) if closed else is_part_of_number(text)):
                raise ValueError("a number has an invalid text")
            if not closed:
                self.open_number(chars_of(text), 0, len(text))
            elif values:
                self.number(values[0], chars_of(text), 0, len(text))
            else:
                is_float = "." in text or "e" in text or "E" in text
                self.number((parse_float if is_float else parse_int)(text), chars_of(text), 0, len(text))
        elif kind not in ("boolean", "null"):
            raise ValueError("unknown node type")
        elif not closed:
            self.open_literal(None if kind == "null" else True)
        elif kind == "null":
            self.literal(None)
        else:
            (value,) = content
            if type(value) is not bool:
                raise TypeError("the value of a boolean is neither true nor false")
            self.literal(value)

    def _close_until(self, id: int) -> None:
        """Close containers until the innermost open container has the given id."""
        if self.leaf != NOTHING and self._parent_id() != id:
            raise ValueError("a container ends in an open string, number or literal")
        while self._parent_id() != id:
            self._leave()

    def brackets(self) -> str:
        """Return the opening brackets of the open containers."""
        return "".join(["[" if container.is_array else "{" for container in self.opened])


def new_visitor(root: JsonAstNode | None, next_id: int, pending_key: str | None) -> TreeVisitor:
    """Return a visitor that adds to a tree."""
    visitor: TreeVisitor = TreeVisitor.__new__(TreeVisitor)
    visitor.last_error = None
    visitor.error_place = None
    visitor.error_path = ""
    visitor.root = root
    visitor.next_id = next_id
    visitor.pending_key = pending_key
    visitor.thawed = False
    visitor.spine = []
    visitor.opened = []
    visitor.top = None
    visitor.leaf = NOTHING
    visitor.root_parent_id = -1
    visitor.root_key = None
    return visitor


def spine_of(root: JsonAstNode | None) -> list[Container]:
    """Return the open containers, from the root to the innermost."""
    spine = []
    node = root
    while isinstance(node, Container) and not node._closed:
        container: Container = node
        spine.append(container)
        node = container._last
    return spine


def is_part_of_number(text: str) -> bool:
    """Report whether a text is one or more characters of numbers."""
    return text.isascii() and len(text) > 0 and not text.strip("0123456789+-.eE")


def load_node(rows: list[list[Any]], id: int, parent_id: int, key: str | None) -> JsonAstNode | None:
    """Return a node that was pickled."""
    visitor = new_visitor(None, id, None)
    visitor.root_parent_id = parent_id
    visitor.root_key = key
    visitor.replay(rows, int, float)
    return visitor.freeze()

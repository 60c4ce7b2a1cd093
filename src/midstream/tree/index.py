"""All nodes of a document by id; the tree is ordered by id, so it needs no table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from ..core.text import save_text
from .containers import Container
from .nodes import JsonAstNode, JsonBooleanAstNode, JsonNumberAstNode, TextNode

__all__ = ["Nodes", "rows_of", "walk"]


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
        while isinstance(node, Container) and node.id != wanted:
            node = node._subtree_with(wanted)
        assert node is not None
        return node

    def __iter__(self) -> Iterator[JsonAstNode]:
        return iter(()) if self._root is None else walk(self._root)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nodes):
            return NotImplemented
        return self._count == other._count and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((self._root, self._count))

    def __repr__(self) -> str:
        return f"<{self._count} nodes>"


def walk(top: JsonAstNode) -> Iterator[JsonAstNode]:
    """Yield a node and all its descendants, ordered by id."""
    waiting = [iter([top])]
    while waiting:
        node = next(waiting[len(waiting) - 1], None)
        if node is None:
            waiting.pop()
            continue
        yield node
        if isinstance(node, Container):
            waiting.append(map(node._child, range(node._child_count())))


def rows_of(top: JsonAstNode, with_values: bool) -> list[list[Any]]:
    """Return a node and its descendants as rows, which `TreeVisitor.replay` reads, ordered by id.

    A row starts with the type, the id of the parent, the key, and whether the node is closed.
    """
    rows = []
    for node in walk(top):
        key = node._key
        row: list[Any] = [node.type, node.parent_id, None if key is None else save_text(key), node.closed]
        if isinstance(node, TextNode):
            row.append(save_text(node.buffer))
        elif isinstance(node, JsonBooleanAstNode) and node.closed:
            row.append(node.resolved_value)
        if isinstance(node, JsonNumberAstNode) and node.closed and with_values:
            # parse_int or parse_float may have returned it, and a pickle cannot call them again
            row.append(node.resolved_value)
        rows.append(row)
    return rows

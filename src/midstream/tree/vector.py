"""A persistent vector: appending returns a new vector that shares almost all of its structure with the old.

A tree of 32-tuples with a short tail, like Clojure's vectors, for appending only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that Cython recognizes

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EMPTY", "Vector"]

if not cython.compiled:
    # the bits of an index that select a branch of the tree
    _BITS = 5
    _WIDTH = 32
    _MASK = 31


# Excluded from garbage collection: it contains nodes, which are never part of a cycle.
@cython.final
@cython.no_gc
@cython.cclass
class Vector:
    """An immutable sequence with cheap appending.

    >>> short = EMPTY.extend([*range(40)])
    >>> long = short.extend([40])
    >>> len(short), len(long), long[40], [*long][:3]
    (40, 41, 40, [0, 1, 2])
    """

    __slots__ = ("count", "root", "shift", "tail")

    count: int
    # the height of the tree, in bits of an index
    shift: int
    root: tuple[Any, ...]
    tail: tuple[Any, ...]

    def extend(self, items: list[Any]) -> Vector:
        """Return a vector with more items appended."""
        if not items:
            return self
        # Cython compiles `(*self.tail, *items)` to a list and then a tuple, which is slower
        tail = self.tail + tuple(items)
        root, shift = self.root, self.shift
        full = self.count - len(self.tail)
        count = full + len(tail)
        cut = 0
        while len(tail) - cut > _WIDTH:
            if full >> _BITS >= 1 << shift:
                # the tree is full: it becomes the first branch of a new root
                root, shift = (root,), shift + _BITS
            root = _with_leaf(root, shift, full, tail[cut : cut + _WIDTH])
            full += _WIDTH
            cut += _WIDTH
        return _new_vector(count, shift, root, tail[cut:] if cut else tail)

    def item(self, index: int) -> Any:
        """Return the item at an index from 0, which must exist."""
        in_tail = index - (self.count - len(self.tail))
        if in_tail >= 0:
            return self.tail[in_tail]
        branch: Any = self.root
        shift = self.shift
        while shift >= 0:
            level: tuple[Any, ...] = branch
            branch = level[(index >> shift) & _MASK]
            shift -= _BITS
        return branch

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < self.count:
            raise IndexError("index out of range")
        return self.item(index)

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(self.count))

    def __repr__(self) -> str:
        return f"Vector({[*self]!r})"


def _new_vector(count: int, shift: int, root: tuple[Any, ...], tail: tuple[Any, ...]) -> Vector:
    vector: Vector = Vector.__new__(Vector)
    vector.count = count
    vector.shift = shift
    vector.root = root
    vector.tail = tail
    return vector


def _with_leaf(root: tuple[Any, ...], shift: int, at: int, leaf: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the tree with a new leaf, whose first item has the index `at`; copy only its path."""
    if shift == _BITS:
        return (*root, leaf)
    index = (at >> shift) & _MASK
    below: tuple[Any, ...] = root[index] if index < len(root) else ()
    return (*root[:index], _with_leaf(below, shift - _BITS, at, leaf))


EMPTY = _new_vector(0, _BITS, (), ())

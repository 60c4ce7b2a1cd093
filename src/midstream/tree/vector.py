"""A persistent vector: appending returns a new vector that shares almost all of its structure with the old.

A tree of 32-tuples with a short tail, like Clojure's vectors, for appending only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

__all__ = ["EMPTY", "Vector"]

T = TypeVar("T")

_BITS = 5
_WIDTH = 1 << _BITS
_MASK = _WIDTH - 1


class Vector(Sequence[T], Generic[T]):
    """An immutable sequence with cheap appending.

    >>> short = EMPTY.extend(range(40))
    >>> long = short.extend([40])
    >>> len(short), len(long), long[40], list(long[:3])
    (40, 41, 40, [0, 1, 2])
    """

    __slots__ = ("_count", "_root", "_shift", "_tail")

    def __init__(self, count: int, shift: int, root: tuple[Any, ...], tail: tuple[T, ...]) -> None:
        self._count = count
        self._shift = shift
        self._root = root
        self._tail = tail

    def extend(self, items: Iterable[T]) -> Vector[T]:
        """Return a vector with more items appended."""
        tail = (*self._tail, *items)
        count = self._count - len(self._tail) + len(tail)
        if len(tail) <= _WIDTH:
            return Vector(count, self._shift, self._root, tail) if count > self._count else self
        root, shift = self._root, self._shift
        full = count - len(tail)
        cut = 0
        while len(tail) - cut > _WIDTH:
            leaf = tail[cut : cut + _WIDTH]
            if full >> _BITS >= 1 << shift:
                # the tree is full: it becomes the first branch of a new root
                root, shift = (root,), shift + _BITS
            root = _with_leaf(root, shift, full, leaf)
            full += _WIDTH
            cut += _WIDTH
        return Vector(count, shift, root, tail[cut:])

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(self._count)))
        if index < 0:
            index += self._count
        if not 0 <= index < self._count:
            raise IndexError("index out of range")
        in_tail = index - (self._count - len(self._tail))
        if in_tail >= 0:
            return self._tail[in_tail]
        branch: Any = self._root
        for shift in range(self._shift, -1, -_BITS):
            branch = branch[(index >> shift) & _MASK]
        item: T = branch
        return item

    def __iter__(self) -> Iterator[T]:
        for start in range(0, self._count - len(self._tail), _WIDTH):
            branch: Any = self._root
            for shift in range(self._shift, 0, -_BITS):
                branch = branch[(start >> shift) & _MASK]
            yield from branch
        yield from self._tail

    def __repr__(self) -> str:
        return f"Vector({list(self)!r})"


def _with_leaf(root: tuple[Any, ...], shift: int, at: int, leaf: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the tree with a new leaf, whose first item has the index `at`; copy only its path."""
    if shift == _BITS:
        return (*root, leaf)
    index = (at >> shift) & _MASK
    below = root[index] if index < len(root) else ()
    return (*root[:index], _with_leaf(below, shift - _BITS, at, leaf))


EMPTY: Vector[Any] = Vector(0, _BITS, (), ())

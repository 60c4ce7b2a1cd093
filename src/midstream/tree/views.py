"""The children of a container node as sequences, without copying."""

from __future__ import annotations

import reprlib
from abc import abstractmethod
from collections.abc import Sequence
from itertools import islice
from typing import Any, TypeVar, overload

__all__ = ["ChildIds", "Keys"]

T = TypeVar("T")


class _View(Sequence[T]):
    """A read-only sequence over the children of a container; equal to any sequence of the same items."""

    __slots__ = ("_container",)

    def __init__(self, container: Any) -> None:
        self._container = container

    @abstractmethod
    def _at(self, index: int) -> T:
        """Return the item for the child at an index."""

    def __len__(self) -> int:
        count: int = self._container._child_count()
        return count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(map(self._at, range(*index.indices(len(self)))))
        return self._at(range(len(self))[index])

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        # the first few only
        return reprlib.repr(list(islice(self, 7)))


class ChildIds(_View[int]):
    """The ids of the children of a container."""

    __slots__ = ()

    def _at(self, index: int) -> int:
        child_id: int = self._container._child(index).id
        return child_id


class Keys(_View[str]):
    """The keys of the children of an object."""

    __slots__ = ()

    def _at(self, index: int) -> str:
        key: str = self._container._child(index)._key
        return key

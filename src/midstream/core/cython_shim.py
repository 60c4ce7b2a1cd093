"""Stand in for the ``cython`` module where nothing is compiled.

The compiled modules are ordinary Python; the few decorators that only the compiler understands do
nothing here. Importing this module instead of the real one keeps Cython a build requirement.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

T = TypeVar("T")

compiled = False

_UNLOCKED = nullcontext()


def cclass(cls: T) -> T:
    """Compile the class to an extension type."""
    return cls


def final(cls: T) -> T:
    """Allow direct calls of the methods, because nothing derives from the class."""
    return cls


def no_gc(cls: T) -> T:
    """Exclude the class from garbage collection, because its instances cannot be part of a cycle."""
    return cls


def freelist(size: int) -> Callable[[T], T]:
    """Keep that many freed instances for reuse."""
    return cclass


def auto_pickle(wanted: bool) -> Callable[[T], T]:
    """Make an extension type copyable, as Python's own classes are."""
    return cclass


def critical_section(_: object) -> AbstractContextManager[None]:
    """Lock an object where there is no global lock; the interpreter locks every single step itself."""
    return _UNLOCKED


def trashcan(wanted: bool) -> Callable[[T], T]:
    """Free chains of instances without recursion, as Python does anyway."""
    return cclass

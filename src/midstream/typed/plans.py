"""The plan of a type: its places, and the validators for them; created once and cached."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .._libraries import LIBRARIES, import_library, library_of

if TYPE_CHECKING:
    from typing import Protocol

    from ..errors import TypedError
    from .places import Finding, InvalidValueError, Place

    class Plan(Protocol):
        """A validation library's view of a type."""

        root: Place

        def finish(self, given: Any, context: Any) -> Any:
            """Validate the root, parts of which become final only now."""

        def forbidden(self, key: str, code: str) -> Finding:
            """Return the finding for a key that the type forbids, with the code of the body around it."""

        def unreadable(self, text: str) -> InvalidValueError:
            """Return the error for a string with a lone surrogate."""

        def native(self, raw: Any, context: Any) -> Any:
            """Return the library's own exception for a complete JSON value, None if it is valid."""

        def native_of(self, errors: list[TypedError]) -> Any:
            """Return the library's exception for the errors so far."""

        def json_schema(self) -> dict[str, Any] | None:
            """Return the JSON Schema of the type, None if it has none."""


__all__ = ["plan_of"]

# what is passed by mistake: the fragments, or a JSON Schema
_NOT_TYPES = (str, bytes, list, tuple, dict, Iterator, AsyncIterator)


def plan_of(type: Any, library: str | None = None) -> Plan:
    """Return the plan of a type, for the library that it belongs to."""
    if library is None:
        library = library_of(type)
    elif library not in LIBRARIES:
        raise ValueError(f"library is 'pydantic' or 'msgspec', not {library!r}")
    if isinstance(type, _NOT_TYPES) or hasattr(type.__class__, "model_dump"):
        what = type.__class__.__name__
        raise TypeError(f"expected a type, such as a model class or list[Item], not an object of type {what}")
    try:
        hash(type)
    except TypeError:
        # for example an Annotated whose metadata is not hashable
        return _make(type, library)
    return _cached(type, library, repr(type))


def _make(type: Any, library: str) -> Plan:
    import_library(library)
    reader = import_module(f".{library}_plan", __package__)
    plan: Plan = reader.make_plan(type)
    return plan


@lru_cache(maxsize=256)
def _cached(type: Any, library: str, _written: str) -> Plan:
    """Cache the plan of a type. ``list[int | str]`` equals ``list[str | int]``, but means something else.

    A WeakKeyDictionary could not hold types such as ``list[Item]``.
    """
    return _make(type, library)

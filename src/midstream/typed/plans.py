"""The plan of a type: its places, and the validators for them; created once and cached."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args, get_type_hints, is_typeddict

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

_LIBRARIES = ("pydantic", "msgspec")


def plan_of(type: Any, library: str | None = None) -> Plan:
    """Return the plan of a type, for the library that it belongs to."""
    if library is None:
        library = library_of(type)
    elif library not in _LIBRARIES:
        raise ValueError(f"library is 'pydantic' or 'msgspec', not {library!r}")
    try:
        hash(type)
    except TypeError:
        # for example an Annotated whose metadata is not hashable
        return _make(type, library)
    return _cached(type, library, repr(type))


def _make(type: Any, library: str) -> Plan:
    try:
        import_module(library)
    except ImportError as error:
        raise ImportError(
            f"{library} is not installed: pip install 'midstream[{library}]'", name=library
        ) from error
    reader = import_module(f".{library}_plan", __package__)
    plan: Plan = reader.make_plan(type)
    return plan


@lru_cache(maxsize=256)
def _cached(type: Any, library: str, _written: str) -> Plan:
    """Cache the plan of a type. ``list[int | str]`` equals ``list[str | int]``, but means something else.

    A WeakKeyDictionary could not hold types such as ``list[Item]``.
    """
    return _make(type, library)


def library_of(type: Any) -> str:
    """Return the library that a type belongs to, or else the first one that is installed."""
    if (found := _owner(type, set())) is not None:
        return found
    for library in _LIBRARIES:
        try:
            import_module(library)
        except ImportError:
            continue
        return library
    return "pydantic"


def _owner(type: Any, seen: set[int]) -> str | None:
    """Return the library of the first class in a type that belongs to one, None if there is none."""
    if id(type) in seen:
        return None
    seen.add(id(type))
    # compare names of modules: neither library has to be installed
    for base in getattr(type, "__mro__", ()):
        if base.__module__ == "pydantic.main" and base.__name__ == "BaseModel":
            return "pydantic"
        if base.__name__ == "Struct" and base.__module__.partition(".")[0] == "msgspec":
            return "msgspec"
    name = _module(type)
    if name in _LIBRARIES:
        return name
    if hasattr(type, "__pydantic_core_schema__") or hasattr(type, "__pydantic_validator__"):
        return "pydantic"
    below = [
        *get_args(type),
        *([origin] if (origin := getattr(type, "__origin__", None)) is not None else []),
    ]
    if is_typeddict(type) or (dataclasses.is_dataclass(type) and isinstance(type, _Type)):
        # the library may know the names that are unknown here
        with suppress(NameError, TypeError):
            below += get_type_hints(type, include_extras=True).values()
    elif (value := getattr(type, "__value__", None)) is not None:
        # a type alias
        below.append(value)
    for part in below:
        if (found := _owner(part, seen)) is not None:
            return found
    return None


_Type: Any = type(int)


def _module(thing: Any) -> str:
    """Return the package of an object such as msgspec's `Meta`, the metadata of an annotation."""
    return (getattr(type(thing), "__module__", "") or "").partition(".")[0]

"""Find the validation library that a type belongs to: pydantic or msgspec, imported when it is needed."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from importlib import import_module
from typing import Any, get_args, get_type_hints, is_typeddict

__all__ = ["LIBRARIES", "import_library", "library_of"]

LIBRARIES = ("pydantic", "msgspec")


def import_library(name: str) -> Any:
    """Import a library, and name the extra that installs it if it is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            # a module that the library itself needs
            raise
        raise ModuleNotFoundError(
            f"{name} is not installed: pip install 'midstream[{name}]'", name=name
        ) from error


def library_of(type: Any) -> str:
    """Return the library that a type belongs to, or else the first one that is installed."""
    if (found := _owner(type, set())) is not None:
        return found
    for library in LIBRARIES:
        with suppress(ModuleNotFoundError):
            import_library(library)
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
    if name in LIBRARIES:
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

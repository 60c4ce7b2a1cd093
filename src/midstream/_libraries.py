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
    """Return the library that a type belongs to, or else the first one that is installed.

    A type belongs to the library of the first class or metadata in it that comes from one.

    >>> from msgspec import Struct
    >>> class Item(Struct):
    ...     title: str
    >>> library_of(dict[str, list[Item]])
    'msgspec'
    """
    # the parts are kept alive, so that no other object gets the id of one
    seen: dict[int, Any] = {}
    waiting = [type]
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen[id(part)] = part
            if (library := _library_of_class(part)) is not None:
                return library
            waiting += reversed(_parts(part))
    for library in LIBRARIES:
        with suppress(ModuleNotFoundError):
            import_library(library)
            return library
    return "pydantic"


def _library_of_class(part: Any) -> str | None:
    """Return the library of a class, or of metadata such as msgspec's `Meta`, None if it is of neither."""
    # compare names of modules: neither library has to be installed
    for base in getattr(part, "__mro__", ()):
        if base.__module__ == "pydantic.main" and base.__name__ == "BaseModel":
            return "pydantic"
        if base.__name__ == "Struct" and _package(base) == "msgspec":
            return "msgspec"
    if (name := _package(type(part))) in LIBRARIES:
        return name
    is_pydantic = hasattr(part, "__pydantic_core_schema__") or hasattr(part, "__pydantic_validator__")
    return "pydantic" if is_pydantic else None


def _package(cls: type) -> str:
    """Return the package of a class."""
    return (cls.__module__ or "").partition(".")[0]


def _parts(part: Any) -> list[Any]:
    """Return what a type is made of: its arguments, its fields, or what it is an alias for."""
    aliased = [getattr(part, "__origin__", None), getattr(part, "__value__", None)]
    parts = [*get_args(part), *(target for target in aliased if target is not None)]
    if is_typeddict(part) or (isinstance(part, type) and dataclasses.is_dataclass(part)):
        # the library may know the names that are unknown here
        with suppress(NameError, TypeError):
            parts += get_type_hints(part, include_extras=True).values()
    return parts

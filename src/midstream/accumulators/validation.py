"""Complete values into typed ones, by pydantic or msgspec, whichever the type needs and the program has."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, get_args

from ..errors import JsonStreamError, TypedError
from ..paths import format_path
from ..patterns import parse_pattern
from .value_text import value_text

if TYPE_CHECKING:
    from ..paths import Segments

    # a value and its place in; the typed value, what is wrong with it, and the library's exception out
    Validator = Callable[[Any, Segments], tuple[Any, list[TypedError], Any]]

__all__ = ["validator_of"]

_MISSING = (
    "a type needs pydantic or msgspec: pip install 'midstream[pydantic]' or pip install 'midstream[msgspec]'"
)


def validator_of(type: Any) -> Validator:
    """Return a function that converts a complete value to a type.

    Types that mention a `msgspec.Struct` are msgspec's. All others are pydantic's, or msgspec's where
    pydantic is not installed or does not know the type.
    """
    is_struct = any(_is_struct(part) for part in _parts(type))
    if not is_struct:
        try:
            from pydantic import PydanticSchemaGenerationError, TypeAdapter
        except ModuleNotFoundError as error:
            _refuse_unless_missing(error, "pydantic")
        else:
            try:
                return _pydantic_validator(TypeAdapter(type))
            except PydanticSchemaGenerationError:
                if "msgspec" not in sys.modules:
                    raise
    try:
        import msgspec
    except ModuleNotFoundError as error:
        _refuse_unless_missing(error, "msgspec")
        raise ModuleNotFoundError(_MISSING, name="pydantic") from None
    return _msgspec_validator(msgspec, type)


def _refuse_unless_missing(error: ModuleNotFoundError, name: str) -> None:
    """Raise an error again that is not about the library itself."""
    if error.name != name:
        raise error


def _parts(type: Any) -> Iterator[Any]:
    """Yield a type and those that it mentions."""
    yield type
    for part in get_args(type):
        yield from _parts(part)


def _is_struct(part: Any) -> bool:
    # without an import: who has such a class has loaded the library
    msgspec = sys.modules.get("msgspec")
    return msgspec is not None and isinstance(part, type) and issubclass(part, msgspec.Struct)


# pydantic


def _pydantic_validator(adapter: Any) -> Validator:
    from pydantic import ValidationError

    reads_json = _differs_for_json(adapter.core_schema)

    def validate(value: Any, segments: Segments) -> tuple[Any, list[TypedError], Any]:
        try:
            if reads_json and (text := _json_of(value)) is not None:
                return adapter.validate_json(text), [], None
            return adapter.validate_python(value), [], None
        except ValidationError as error:
            return None, [_pydantic_error(detail, value, segments) for detail in error.errors()], error

    return validate


def _pydantic_error(detail: Any, value: Any, segments: Segments) -> TypedError:
    """Read the place from the location, which also names the members of unions and functions."""
    found = [*segments]
    parts: list[Any] = [*detail["loc"]]
    last = None
    if detail["type"] == "missing":
        last = parts.pop()
    for part in parts:
        is_key = isinstance(value, dict) and part in value
        if is_key or (isinstance(value, list) and isinstance(part, int) and part < len(value)):
            found.append(part)
            value = value[part]
    if last is not None:
        found.append(last)
    place = tuple(found)
    return TypedError(place, format_path("root", place), detail["type"], detail["msg"], detail)


def _differs_for_json(schema: Any) -> bool:
    """Report whether pydantic may treat a value from JSON in another way than the same Python object.

    Strict mode does, which allows a date as text only in JSON, and so does a type that has a schema for each.
    """
    rest: list[Any] = [schema]
    while rest:
        part = rest.pop()
        if isinstance(part, Mapping):
            if part.get("strict") is True or part.get("type") == "json-or-python":
                return True
            rest += [inner for name, inner in part.items() if name not in ("metadata", "default", "cls")]
        elif isinstance(part, (list, tuple)):
            rest += part
    return False


def _json_of(value: Any) -> str | None:
    """Write a value as JSON; None if it can't be: a lone surrogate, or what a hook made of a number."""
    try:
        text = value_text(value)
        text.encode()
    except (TypeError, UnicodeEncodeError):
        return None
    return text


# msgspec

_PLACE = re.compile(r" - at `(?:key` in `)?([^`]*)`\Z").search


def _msgspec_validator(msgspec: Any, type: Any) -> Validator:
    # a type that msgspec does not know is refused now
    msgspec.json.Decoder(type)

    def validate(value: Any, segments: Segments) -> tuple[Any, list[TypedError], Any]:
        try:
            return msgspec.convert(value, type, str_keys=True), [], None
        except msgspec.ValidationError as error:
            return None, [_msgspec_error(error, segments)], error

    return validate


def _msgspec_error(error: Exception, segments: Segments) -> TypedError:
    """Read the place from the end of the message, which is where msgspec has it."""
    message = str(error)
    place: tuple[Any, ...] = segments
    if found := _PLACE(message):
        # "[...]" stands for any member of a dict
        path = found[1].partition("[...]")[0]
        message = message[: found.start()]
        try:
            place = (*segments, *parse_pattern(path))
        except JsonStreamError:
            place = segments
    return TypedError(place, format_path("root", place), "validation_error", message, error)

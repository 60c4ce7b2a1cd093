"""Convert complete values to typed ones, with pydantic or msgspec."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any, get_args

from ..errors import TypedError
from ..paths import format_path
from .value_text import value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..paths import Segment, Segments

    # accepts a value and its place; returns the typed value, what is wrong, and the library's exception
    Validator = Callable[[Any, Segments], tuple[Any, list[TypedError], Any]]

__all__ = ["located", "split_message", "validator_of"]

_encode = json.JSONEncoder().encode

_MISSING = (
    "a type needs pydantic or msgspec: pip install 'midstream[pydantic]' or pip install 'midstream[msgspec]'"
)


def validator_of(type: Any) -> Validator:
    """Return a function that converts a complete value to a type.

    msgspec converts to the types that contain a `msgspec.Struct`. pydantic converts to all others; if it is
    not installed or does not know the type, msgspec does.
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
    """Raise the error again unless it says that the library itself is not installed."""
    if error.name != name:
        raise error


def _parts(type: Any) -> Iterator[Any]:
    """Yield a type and all type arguments in it."""
    yield type
    for part in get_args(type):
        yield from _parts(part)


def _is_struct(part: Any) -> bool:
    # no import is needed: a program that has such a class has already imported msgspec
    msgspec = sys.modules.get("msgspec")
    return msgspec is not None and isinstance(part, type) and issubclass(part, msgspec.Struct)


# pydantic


def _pydantic_validator(adapter: Any) -> Validator:
    from pydantic import ValidationError

    def validate(value: Any, segments: Segments) -> tuple[Any, list[TypedError], Any]:
        try:
            if (text := _json_of(value)) is None:
                return adapter.validate_python(value), [], None
            return adapter.validate_json(text), [], None
        except ValidationError as error:
            return None, [_pydantic_error(detail, value, segments) for detail in error.errors()], error

    return validate


def _pydantic_error(detail: Any, value: Any, segments: Segments) -> TypedError:
    place = (*segments, *located(detail, value)[0])
    return TypedError(place, format_path("root", place), detail["type"], detail["msg"], detail)


def located(detail: Any, value: Any) -> tuple[Segments, Any]:
    """Return the place of an error of pydantic below a JSON value, and what is there.

    A location also names members of unions, functions and ``[key]``, which are no places in the text.
    """
    loc = detail["loc"]
    missing = None
    if detail["type"] == "missing":
        *loc, missing = loc
    place: list[Segment] = []
    for part in loc:
        is_key = isinstance(value, dict) and part in value
        if is_key or (isinstance(value, list) and type(part) is int and 0 <= part < len(value)):
            place.append(part)
            value = value[part]
    if isinstance(missing, str) and isinstance(value, dict):
        place.append(missing)
    return tuple(place), value


def _json_of(value: Any) -> str | bytes | None:
    """Return a value as JSON text, None if it has a number that no JSON text stands for.

    A type may accept other values in JSON than as Python objects: a date as text, for example. A lone
    surrogate is written so that the library refuses it.
    """
    try:
        text = _encode(value)
    except (TypeError, RecursionError):
        # a number of parse_int or parse_float, or a deep document
        text = ""
    if text and "Infinity" not in text:
        return text
    try:
        return value_text(value).encode(errors="surrogatepass")
    except TypeError:
        return None


# msgspec

_PLACE = re.compile(r" - at `(?:key` in `)?\$([^`]*)`\Z").search
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]").match


def _msgspec_validator(msgspec: Any, type: Any) -> Validator:
    # a type that msgspec does not know is refused now
    decoder = msgspec.json.Decoder(type)

    def validate(value: Any, segments: Segments) -> tuple[Any, list[TypedError], Any]:
        try:
            if (text := _json_of(value)) is None:
                return msgspec.convert(value, type, str_keys=True), [], None
            return decoder.decode(text), [], None
        except (msgspec.DecodeError, RecursionError) as error:
            return None, [_msgspec_error(error, segments)], error

    return validate


def _msgspec_error(error: Exception, segments: Segments) -> TypedError:
    message, below = split_message(str(error))
    place = (*segments, *below)
    return TypedError(place, format_path("root", place), "validation_error", message, error)


def split_message(text: str) -> tuple[str, Segments]:
    """Split a message of msgspec into what is wrong, and the place, which msgspec writes at the end.

    The place ends at the first key of a dict: msgspec writes ``[...]`` for it.

    >>> split_message("Expected `int`, got `str` - at `$.items[0].count`")
    ('Expected `int`, got `str`', ('items', 0, 'count'))
    """
    found = _PLACE(text)
    if found is None:
        return text, ()
    place: list[Segment] = []
    path, at = found[1], 0
    while step := _STEP(path, at):
        place.append(step[1] if step[2] is None else int(step[2]))
        at = step.end()
    return text[: found.start()], tuple(place)

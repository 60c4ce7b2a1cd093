"""Convert complete values to typed ones, with pydantic or msgspec."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .._libraries import import_library, library_of
from ..errors import TypedError
from ..paths import format_path
from .value_text import value_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..paths import Segment, Segments

    # accepts a value and its place; returns the typed value, what is wrong, and the library's exception
    Validator = Callable[[Any, Segments], tuple[Any, list[TypedError], Any]]

__all__ = ["located", "split_message", "validator_of"]

_encode = json.JSONEncoder().encode


def validator_of(type: Any) -> Validator:
    """Return a function that converts a complete value to a type, with the library of that type."""
    library = library_of(type)
    make = _pydantic_validator if library == "pydantic" else _msgspec_validator
    return make(import_library(library), type)


# pydantic


def _pydantic_validator(pydantic: Any, type: Any) -> Validator:
    adapter = pydantic.TypeAdapter(type)

    def validate(value: Any, segments: Segments) -> tuple[Any, list[TypedError], Any]:
        try:
            if (text := _json_of(value)) is None:
                return adapter.validate_python(value), [], None
            return adapter.validate_json(text), [], None
        except pydantic.ValidationError as error:
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

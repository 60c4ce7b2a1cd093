"""Read the fields of an event, which is a dict or an object of an SDK."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Any

from ..errors import ErrorCode, invalid
from ..sse import SseEvent

__all__ = [
    "arguments_text", "as_index", "as_items", "as_word", "decoded", "fields", "get", "index", "items",
    "member", "text", "word",
]  # fmt: skip

_CAPITAL = re.compile("(?<!^)([A-Z])")


def get(event: Any, name: str) -> Any:
    """Return a field; None if it is missing, or if the event itself is None.

    A name that is camelCase on the wire may be snake_case in an object, or in a dict made from one.

    >>> get(get({"delta": {"text": "Hi"}}, "delta"), "text")
    'Hi'
    >>> get(get({"delta": None}, "delta"), "text") is None
    True
    """
    if type(event) is dict:
        # compiled, a variable of this type is read without a call
        members: dict[str, Any] = event
        value = members.get(name)
    elif event is None:
        return None
    elif _is_mapping(event.__class__):
        value = event.get(name)
    else:
        value = getattr(event, name, None)
    if value is None and (other := _snake_case(name)) is not None:
        return get(event, other)
    return value


def member(event: Any, name: str) -> Any:
    """Return a field whose name is the same in snake_case and camelCase; None as `get` does.

    In a dict this is one lookup, which saves time for fields that most events lack.
    """
    if type(event) is dict:
        members: dict[str, Any] = event
        return members.get(name)
    return get(event, name)


# by name: what `_snake_case` returns
_SNAKE_CASE: dict[str, str | None] = {}


def _snake_case(name: str) -> str | None:
    """Return a name in snake_case, None if it is in snake_case already."""
    # quicker than `lru_cache`, and bounded without it: the names are those in the adapters
    other = _SNAKE_CASE.get(name, "")
    if other == "":
        other = _SNAKE_CASE[name] = None if name.islower() else _CAPITAL.sub(r"_\1", name).lower()
    return other


@lru_cache(maxsize=256)
def _is_mapping(cls: type) -> bool:
    return issubclass(cls, Mapping)


def fields(event: Any) -> Any:
    """Return a plain pydantic model as the dict of its fields, and anything else unchanged.

    This only saves time for callers that read several fields: looking up a field that a model lacks
    takes microseconds.
    """
    cls: Any = type(event)
    if cls is dict or not _is_plain_model(cls):
        return event
    extra = getattr(event, "__pydantic_extra__", None)
    return {**extra, **event.__dict__} if extra else event.__dict__


@lru_cache(maxsize=256)
def _is_plain_model(cls: Any) -> bool:
    """Report whether a class is a pydantic 2 model that adds nothing but fields and methods."""
    base: Any = next((base for base in cls.__mro__ if base.__module__ == "pydantic.main"), None)
    if not hasattr(base, "model_fields") or cls.__getattr__ is not base.__getattr__:
        return False
    added = {name for name in dir(cls) if not name.startswith("_")}.difference(dir(base), cls.model_fields)
    return all(callable(getattr(cls, name)) for name in added)


def items(event: Any, name: str) -> list[Any]:
    """Return the list in a field, empty if there is none."""
    return as_items(get(event, name))


def as_items(value: Any) -> list[Any]:
    """Return a value if it is a list, a tuple as a list, and anything else as an empty list."""
    if type(value) is list:
        return value
    return list(value) if isinstance(value, (list, tuple)) else []


def text(event: Any, name: str) -> str:
    """Return the string in a field, empty if there is none."""
    value = get(event, name)
    return value if isinstance(value, str) else ""


def word(event: Any, name: str) -> str | None:
    """Return the id, name or type in a field; None if it is missing or empty."""
    return as_word(get(event, name))


def as_word(value: Any) -> str | None:
    """Return a value if it is an id, name or type, else None."""
    if value is None or type(value) is str:
        return value or None
    if isinstance(value, Enum):
        value = value.value
    return value if isinstance(value, str) and value else None


def index(event: Any, name: str) -> int | None:
    """Return the integer in a field; None if there is none."""
    return as_index(get(event, name))


def as_index(value: Any) -> int | None:
    """Return a value if it is an integer, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def arguments_text(arguments: Any) -> str:
    """Return arguments as JSON text, as other providers stream them; a string is that text already."""
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        return arguments
    try:
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise invalid(ErrorCode.INVALID_EVENT, "its arguments are not a JSON value") from None


def decoded(event: Any) -> Any:
    """Decode an event that is still text: a string, bytes, or an `SseEvent`.

    Return None for ``[DONE]`` and for empty data, which are not events.

    >>> decoded('{"type": "ping"}')
    {'type': 'ping'}
    >>> decoded(SseEvent(data="[DONE]")) is None
    True
    """
    if type(event) is dict:
        return event
    if isinstance(event, SseEvent):
        event = event.data
    if not isinstance(event, (str, bytes)):
        return event
    try:
        stripped = event.strip()
        return None if stripped in ("", "[DONE]", b"", b"[DONE]") else json.loads(stripped)
    except (ValueError, RecursionError):
        raise invalid(ErrorCode.INVALID_EVENT, "it is not JSON") from None

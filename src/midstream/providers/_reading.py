"""Read an event field by field, be it a dict or an SDK's object."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache, partial
from typing import Any

from ..errors import ErrorCode, JsonStreamError, ParserError
from ..sse import SseEvent

__all__ = ["arguments_text", "decoded", "get", "index", "items", "text", "word"]

_CAPITAL = re.compile("(?<!^)([A-Z])")


@lru_cache(maxsize=256)
def _snake_case(name: str) -> str:
    return _CAPITAL.sub(r"_\1", name).lower()


def get(event: Any, *path: str) -> Any:
    """Give the field at the end of a path of names; None if there is none.

    What is camelCase on the wire may be snake_case in an object, or in a dict made of one.

    >>> get({"delta": {"text": "Hi"}}, "delta", "text")
    'Hi'
    >>> get({"delta": None}, "delta", "text") is None
    True
    """
    for name in path:
        if event is None:
            return None
        read = event.get if isinstance(event, Mapping) else partial(getattr, event)
        value = read(name, None)
        event = read(_snake_case(name), None) if value is None else value
    return event


def items(event: Any, *path: str) -> list[Any]:
    """Give the list at the end of a path of names, empty if there is none."""
    value = get(event, *path)
    return list(value) if isinstance(value, (list, tuple)) else []


def text(event: Any, *path: str) -> str:
    """Give the string at the end of a path of names, empty if there is none."""
    value = get(event, *path)
    return value if isinstance(value, str) else ""


def word(event: Any, *path: str) -> str | None:
    """Give the id, name or type at the end of a path of names; None if there is none, or an empty one."""
    value = get(event, *path)
    if isinstance(value, Enum):
        value = value.value
    return value if isinstance(value, str) and value else None


def index(event: Any, *path: str) -> int | None:
    """Give the integer at the end of a path of names; None if there is none."""
    value = get(event, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def arguments_text(arguments: Any) -> str:
    """Write arguments that come as a value as the text that others stream; a text is one already."""
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        return arguments
    try:
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        raise _invalid("arguments that are no JSON value") from None


def decoded(event: Any) -> Any:
    """Decode an event that still is the text of one: a string, bytes, or an `SseEvent`.

    Of an SSE stream ``[DONE]`` and empty data are no events: None.

    >>> decoded('{"type": "ping"}')
    {'type': 'ping'}
    >>> decoded(SseEvent(data="[DONE]")) is None
    True
    """
    if isinstance(event, SseEvent):
        event = event.data
    if not isinstance(event, (str, bytes)):
        return event
    try:
        stripped = event.strip()
        return None if stripped in ("", "[DONE]", b"", b"[DONE]") else json.loads(stripped)
    except (ValueError, RecursionError):
        raise _invalid("not JSON") from None


def _invalid(why: str) -> JsonStreamError:
    return JsonStreamError(ParserError.of(ErrorCode.INVALID_EVENT, 0, why))

"""A value as JSON text, from which the same options read the same value."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_number", "value_text"]

# RFC 8259 section 6, the complete number
is_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").fullmatch


def value_text(value: Any) -> str:
    """Return a value as JSON text without recursion, with numbers as ``str`` writes them."""
    parts: list[str] = []
    unwritten: list[tuple[Iterator[tuple[str, Any]], str]] = [(iter([("", value)]), "")]
    while unwritten:
        members, end = unwritten[-1]
        for lead, member in members:
            parts.append(lead)
            if isinstance(member, dict):
                parts.append("{")
                unwritten.append((_leads_of_members(member), "}"))
                break
            if isinstance(member, list):
                parts.append("[")
                unwritten.append((_leads_of_items(member), "]"))
                break
            parts.append(_scalar_text(member))
        else:
            unwritten.pop()
            parts.append(end)
    return "".join(parts)


def _leads_of_members(members: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    comma = ""
    for key, value in members.items():
        yield f"{comma}{json.dumps(key, ensure_ascii=False)}:", value
        comma = ","


def _leads_of_items(items: list[Any]) -> Iterator[tuple[str, Any]]:
    comma = ""
    for item in items:
        yield comma, item
        comma = ","


def _scalar_text(value: Any) -> str:
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    text = str(value)
    if text in ("inf", "-inf"):
        # a number beyond the range of floats was read as an infinity, and will be again
        return text.replace("inf", "1e999")
    if not is_number(text):
        raise TypeError(
            f"str() of a {type(value).__name__} that parse_int or parse_float returned is not a JSON number"
        )
    return text

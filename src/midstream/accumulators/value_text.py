"""Write a value as JSON text; an accumulator with the same options reads the same value from it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_number", "value_parts", "value_text"]

# RFC 8259 section 6, the complete number
is_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").fullmatch


def value_text(value: Any) -> str:
    """Return a value of any depth as compact JSON text, with numbers as ``str`` writes them.

    >>> value_text({"a": [1, "ü", None], "b": {}})
    '{"a":[1,"ü",null],"b":{}}'
    """
    return "".join(value_parts(value))


def value_parts(value: Any, comma: str = ",", colon: str = ":", indent: int | None = None) -> Iterator[str]:
    r"""Yield a value of any depth as pieces of JSON text; with ``indent``, each member is on its own line.

    >>> "".join(value_parts({"a": [1]}, colon=": ", indent=2))
    '{\n  "a": [\n    1\n  ]\n}'
    """
    # no recursion: each entry has the members that are not yet written, and the text that closes them
    open_containers: list[tuple[Iterator[tuple[str, Any]], str]] = [(iter([("", value)]), "")]
    while open_containers:
        members, closing = open_containers[-1]
        for lead, member in members:
            yield lead
            if member and isinstance(member, (dict, list)):
                first, last = _line_breaks(indent, len(open_containers))
                if isinstance(member, dict):
                    yield "{"
                    open_containers.append((_members(member, first, comma + first, colon), last + "}"))
                else:
                    yield "["
                    open_containers.append((_items(member, first, comma + first), last + "]"))
                break
            yield _scalar_text(member)
        else:
            open_containers.pop()
            yield closing


def _line_breaks(indent: int | None, depth: int) -> tuple[str, str]:
    """Return the text before each member of a container, and before its closing bracket."""
    if indent is None:
        return "", ""
    return "\n" + " " * (indent * depth), "\n" + " " * (indent * (depth - 1))


def _members(members: dict[str, Any], lead: str, next_lead: str, colon: str) -> Iterator[tuple[str, Any]]:
    for key, value in members.items():
        yield f"{lead}{json.dumps(key, ensure_ascii=False)}{colon}", value
        lead = next_lead


def _items(items: list[Any], lead: str, next_lead: str) -> Iterator[tuple[str, Any]]:
    for item in items:
        yield lead, item
        lead = next_lead


def _scalar_text(value: Any) -> str:
    if value is None or isinstance(value, (bool, str, dict, list)):
        # the containers are empty
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

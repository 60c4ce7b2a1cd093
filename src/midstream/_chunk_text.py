"""Values into JSON text, as the chunker writes it.

RFC 8259 section 7 asks for escapes in front of quotes, backslashes and control characters only;
everything else stays as it is. A lone surrogate is the exception: it is no character, no UTF-8
holds it, so it is written as its escape.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# whoever calls has refused cycles and infinities already: see _chunk_snapshot
_encode = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
).encode
_LITERALS = {True: "true", False: "false", None: "null"}
# so many members are written faster one by one than by the encoder, which takes its time to start
_FEW = 8
_escape_string = json.encoder.encode_basestring
_SURROGATE = re.compile("[\ud800-\udfff]")


def whole_text(value: Any) -> str:
    """Write a complete value.

    >>> whole_text({"a": [1, "ü"]})
    '{"a":[1,"ü"]}'
    """
    # scalars right here: the encoder takes longer to start than most of them take to write
    kind = type(value)
    if kind is str:
        return f'"{string_text(value)}"'
    if kind is int or kind is float:
        return repr(value)
    if kind is bool or value is None:
        return _LITERALS[value]
    try:
        text = _encode(value)
    except RecursionError:
        text = _deep_text(value)
    return text if text.isascii() else _SURROGATE.sub(_escape, text)


def members_text(members: dict[str, Any] | list[Any]) -> str:
    """Write members as they stand inside their container: with commas, without its brackets.

    >>> members_text({"a": 1, "b": "c"})
    '"a":1,"b":"c"'
    """
    if len(members) > _FEW:
        return whole_text(members)[1:-1]
    if isinstance(members, list):
        return ",".join(map(whole_text, members))
    return ",".join(f'"{string_text(key)}":{whole_text(value)}' for key, value in members.items())


def string_text(text: str) -> str:
    r"""Write a piece of a string, without the quotes.

    >>> print(string_text('say "A"'))
    say \"A\"
    """
    escaped = _escape_string(text)[1:-1]
    return escaped if escaped.isascii() else _SURROGATE.sub(_escape, escaped)


def settled_length(text: str) -> int:
    """Count the characters that no later text can turn into others.

    A high surrogate at the end is half a character: the other half may be on its way.
    """
    return len(text) - (text[-1:] >= "\ud800" and text[-1:] <= "\udbff")


def _escape(surrogate: re.Match[str]) -> str:
    return f"\\u{ord(surrogate[0]):04x}"


def _deep_text(value: Any) -> str:
    """Write what is nested too deep for the standard library's encoder, which recurses."""
    parts: list[str] = []
    unwritten: list[tuple[Iterator[tuple[str, Any]], str]] = [(iter([("", value)]), "")]
    while unwritten:
        members, closing = unwritten[-1]
        for lead, member in members:
            parts.append(lead)
            if member and isinstance(member, dict):
                parts.append("{")
                leads = (_encode(key) + ":" for key in member)
                unwritten.append((_separated(leads, member.values()), "}"))
                break
            if member and isinstance(member, list):
                parts.append("[")
                unwritten.append((_separated(("" for _ in member), member), "]"))
                break
            parts.append(_encode(member))
        else:
            parts.append(closing)
            unwritten.pop()
    return "".join(parts)


def _separated(leads: Iterable[str], members: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """Pair every member with the text in front of it."""
    comma = ""
    for lead, member in zip(leads, members, strict=True):
        yield comma + lead, member
        comma = ","

"""Values into JSON text, as the chunker writes it.

RFC 8259 section 7 asks for escapes in front of quotes, backslashes and control characters only;
everything else stays as it is. A lone surrogate is the exception: it is no character, no UTF-8
holds it, so it is written as its escape.
"""

from __future__ import annotations

import json
import re
from codecs import utf_16_le_encode
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# a string with its quotes; a surrogate in it is left for `joined`
quoted: Callable[[str], str] = json.encoder.encode_basestring
# whoever calls has refused cycles and infinities already: see _chunk_snapshot
_encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"))
# What the standard library makes anew for every text, which takes longer than writing most of them, is
# made once; an interpreter that does not have it has the other, which is called alike.
_make: Any = getattr(json.encoder, "c_make_encoder", None)
_pieces: Callable[..., Iterable[str]] = (
    _make(None, _encoder.default, quoted, None, ":", ",", False, False, False)
    if _make
    else _encoder.iterencode
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def whole_text(value: Any) -> str:
    """Write a complete value; a surrogate in it is left for `joined`.

    >>> whole_text({"a": [1, "ü"]})
    '{"a":[1,"ü"]}'
    """
    try:
        return "".join(_pieces(value, 0))
    except RecursionError:
        return _deep_text(value)


def joined(parts: list[str]) -> str:
    r"""Join what was written, with an escape for everything that is no character.

    >>> print(joined(['"ü', '\ud83d"']))
    "ü\ud83d"
    """
    text = "".join(parts)
    if not text.isascii():
        try:
            # a surrogate fails here, many times faster than a search for it
            utf_16_le_encode(text)
        except UnicodeEncodeError:
            return _SURROGATE.sub(_escape, text)
    return text


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
                leads = (_encoder.encode(key) + ":" for key in member)
                unwritten.append((_separated(leads, member.values()), "}"))
                break
            if member and isinstance(member, list):
                parts.append("[")
                unwritten.append((_separated(("" for _ in member), member), "]"))
                break
            parts.append(_encoder.encode(member))
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

"""Texts, damage, cuts and values of a harness's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from model import NaiveLimits, characters, pieces

if TYPE_CHECKING:
    from model import Fragments, Text

    from .choices import Choices

__all__ = [
    "altered", "anything", "cut", "damaged", "document", "has_surrogates", "limits_for", "options", "value",
]  # fmt: skip

WHITE = ("", "", "", " ", "\n", "\t", "\r\n", "  ")
LITERALS = ("null", "true", "false")
NUMBERS = (
    "0", "-0", "7", "-12", "1.5", "-0.0", "1e5", "2E-3", "1e999", "123456789012345678901", "0.1", "10",
    "1E+2",
)  # fmt: skip
KEYS = ('"a"', '"b"', '"c"', '""', '"\\u0061"', '"a.b"', '"0"', '"x[0]"', '"\\ud83d"', '"é"', '"root"')
PARTS = (
    "a", "xyz", " ", "0", ".", "[", "]", "{", "}", ":", ",", "'", "/", "é", "€", "\U0001f600", "\u2028",
    "\x7f", '\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u0000", "\\u00e9", "\\ud83d",
    "\\ude00", "\\uD83D\\uDE00", "\\ud83d\\ud83d\\ude00", "\\u0022", "long enough to be taken in one go",
)  # fmt: skip
SURROGATES = ("\ud83d", "\ude00", "\ud83d\ude00", "\udbff")
SUSPECTS = '{}[]",:\\/ubtfnrelsa0129+-.eE \t\n\r\x00\x1f\ufeff\u00e9\U0001f600dD'
WORDS = (
    "", "a", "b", "root", "call_1", "0", "f", "stop", "tool_calls", "{", "}", '{"x":1}', "[1,", "é\ud83d",
)  # fmt: skip
DEPTH = 6


def document(choices: Choices, surrogates: bool = False) -> str:
    """Write a JSON text; ``surrogates``: also with what only a str can hold."""
    return _white(choices) + _value_text(choices, DEPTH, surrogates) + _white(choices)


def _white(choices: Choices) -> str:
    return choices.pick(WHITE)


def _value_text(choices: Choices, depth: int, surrogates: bool) -> str:
    kind = choices.below(8)
    if kind == 0 or (depth == 0 and kind > 4):
        return choices.pick(LITERALS)
    if kind == 1:
        return choices.pick(NUMBERS)
    if kind in (2, 3):
        return _string_text(choices, surrogates)
    if kind == 4:
        return str(choices.below(65536) - 20)
    parts = []
    for _ in range(choices.below(6)):
        if choices.is_over:
            break
        member = _white(choices) + _value_text(choices, depth - 1, surrogates) + _white(choices)
        if kind > 5:
            key = _string_text(choices, surrogates) if choices.one_in(4) else choices.pick(KEYS)
            member = f"{_white(choices)}{key}{_white(choices)}:{member}"
        parts.append(member)
    inside = ",".join(parts) or _white(choices)
    return f"{{{inside}}}" if kind > 5 else f"[{inside}]"


def _string_text(choices: Choices, surrogates: bool) -> str:
    options = PARTS + SURROGATES if surrogates else PARTS
    return '"' + "".join(choices.pick(options) for _ in range(choices.below(7))) + '"'


def damaged(choices: Choices, text: str) -> str:
    """Delete, insert or replace a few characters, or cut the end off."""
    for _ in range(1 + choices.below(3)):
        at = choices.below(len(text) + 1)
        act = choices.below(5)
        char = choices.pick(SUSPECTS)
        if act == 0:
            text = text[:at]
        elif act == 1:
            text = text[:at] + text[at + 1 :]
        elif act == 2:
            text = text[:at] + char + text[at:]
        elif act == 3:
            text = text[:at] + char + text[at + 1 :]
        else:
            text = text[:at] + text[at + choices.below(8) :] + text[:at]
    return text


def anything(choices: Choices) -> Text:
    """Return a text: well-formed, damaged, several, or what the bytes say themselves."""
    kind = choices.below(8)
    if kind == 0:
        return document(choices)
    if kind == 1:
        return document(choices, surrogates=True)
    if kind in (2, 3):
        return damaged(choices, document(choices))
    if kind == 4:
        count = choices.below(4)
        return "".join(document(choices) + choices.pick(("\n", " ", "", ",")) for _ in range(count))
    if kind == 5:
        return choices.raw(60).decode("latin-1")
    if kind == 6:
        return choices.raw(60)
    data = document(choices).encode()
    at = choices.below(len(data) + 1)
    return data[:at] + choices.raw(3) + data[at + choices.below(3) :]


def cut(choices: Choices, text: Text) -> Fragments:
    """Cut a text: not at all, everywhere or in some places."""
    kind = choices.below(6)
    if kind == 0:
        return [text]
    if kind == 1:
        return characters(text)
    return pieces(text, [choices.below(len(text) + 1) for _ in range(kind)])


def options(choices: Choices) -> dict[str, Any]:
    """Choose what follows the root, and the limits, as the model takes them."""
    after_root = choices.pick(("error", "error", "ignore", "next"))
    limits = NaiveLimits()
    if choices.one_in(3):
        limits = NaiveLimits(
            choices.pick((1000, None, 0, 1, 3)),
            choices.pick((None, 0, 1, 2, 5)),
            choices.pick((4300, None, 0, 1, 2, 4)),
            choices.pick((None, None, 0, 5, 20)),
        )
    return {"after_root": after_root, "limits": limits}


def limits_for(build: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return the same options as an instance of the class of a build."""
    return given | {"limits": build.Limits(*given["limits"])}


def has_surrogates(text: Text) -> bool:
    return isinstance(text, str) and any("\ud800" <= char <= "\udfff" for char in text)


def value(choices: Choices, depth: int = 3) -> Any:
    """Make a plain value: what may stand anywhere in data from outside."""
    kind = choices.below(9)
    if kind == 0:
        return None
    if kind == 1:
        return choices.pick((True, False))
    if kind == 2:
        return choices.pick((0, 1, -1, 2, 7, 10**30, 1.0, -0.5, float("inf"), float("nan")))
    if kind in (3, 4, 5) or depth == 0:
        return choices.pick(WORDS)
    if kind == 6:
        return document(choices)
    if kind == 7:
        return [value(choices, depth - 1) for _ in range(choices.below(4))]
    return {choices.pick(WORDS): value(choices, depth - 1) for _ in range(choices.below(4))}


def altered(choices: Choices, data: Any) -> Any:
    """Copy plain data with one place in it changed: replaced, removed, doubled or exchanged."""
    way: list[Any] = []
    inner = data
    while isinstance(inner, (dict, list)) and inner and (not way or not choices.one_in(5)):
        way.append(choices.pick([*inner]) if isinstance(inner, dict) else choices.below(len(inner)))
        inner = inner[way[-1]]
    return _changed(choices, data, way)


def _changed(choices: Choices, data: Any, way: list[Any]) -> Any:
    if not way:
        if isinstance(data, str) and choices.one_in(2):
            return damaged(choices, data)
        return value(choices)
    key, *rest = way
    copy = data.copy()
    act = choices.below(6) if not rest else 0
    if act == 4:
        del copy[key]
    elif act == 5 and isinstance(copy, list):
        copy.insert(key, copy[choices.below(len(copy))])
    elif act == 5:
        copy[key] = copy[choices.pick([*copy])]
    else:
        copy[key] = _changed(choices, copy[key], rest)
    return copy

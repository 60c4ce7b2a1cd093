"""What a character of prose begins: a document, a code fence, or nothing.

Every function looks at a bounded number of characters after a place in the text, and answers `YES`, `NO`, or
`MORE` if only later text can decide. With ``is_final`` there is no later text, and the answer is not `MORE`.

    document  = "{" ws ( quote / "}" / comment / name ws ":" )
              / "[" ws ( what an object begins with )
              / "[" ws ( quote / number / "[" / "(" quote / "]" / comment / literal )
                                                                         at a line start or in a fence
    quote     = the quotes of all dialects, each perhaps escaped: JSON as the content of a string

White space includes the spaces of other scripts and those without width, and its escaped form before an
escaped quote.

An array of at most one number or literal, such as ``[1]`` or ``[ ]``, with more text on its line is the
number of a source or a check box: at the start of a line after prose it begins no document.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = [
    "ARRAY",
    "ARRAY_IN_FENCE",
    "FENCES",
    "MAX_FENCE",
    "MAX_HELD",
    "MORE",
    "NO",
    "OBJECT",
    "YES",
    "Fence",
    "begins_document",
    "fence_at",
]

NO, YES, MORE = 0, 1, 2

# the most white space, the longest name or number, and the longest fence that are looked through
MAX_SPACE = 256
MAX_NAME = 64
MAX_FENCE = 1000
_MAX_INFO = 32
# a fence with its word and the white space after it, then two brackets, a word or escaped white space, and
# white space around them
MAX_HELD = MAX_FENCE + _MAX_INFO + 4 * MAX_SPACE + 5 * MAX_NAME + 32

# the words after an opening fence of which the content is searched; "" is a fence without one
FENCES = frozenset({"", "json", "json5", "jsonc", "jsonl", "js", "tool_call"})

_QUOTES = "\"'“”„‘’«"
_LITERALS = frozenset(
    (
        "true",
        "false",
        "null",
        "True",
        "False",
        "None",
        "TRUE",
        "FALSE",
        "NULL",
        "undefined",
        "NaN",
        "Infinity",
    )
)
# what a number of any dialect or a literal begins with
_FIRST = "+-." + "".join(sorted({word[0] for word in _LITERALS}))
_BLANKS = "\u00a0\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff"
_SPACE = rf"[ \t\r\n{_BLANKS}]{{0,{MAX_SPACE}}}+"
_ITEM = rf"{_SPACE}(?:[{_QUOTES}\[\](\\/#\d{re.escape(_FIRST)}]|\Z)"
# the next bracket that is not clearly part of the prose
OBJECT = re.compile(
    rf"\{{(?={_SPACE}(?:[{_QUOTES}\}}\\/#]|(?:[^\W\d]|\$)[\w$-]{{0,{MAX_NAME}}}+{_SPACE}(?::|\Z)|\Z))"
).search
ARRAY_IN_FENCE = re.compile(rf"\[(?=(?:{_SPACE}\{{|{_ITEM}))").search
# outside a fence most arrays begin a line: before the bracket stands no word, nor a word and one space;
# a tag, which may end reasoning, is no word
ARRAY = re.compile(rf"\[(?={_SPACE}(?:\{{|\Z)|(?<![^\s>]\[)(?<![^\s>][ \t]\[){_ITEM})").search

_skip_space = re.compile(rf"[ \t\r\n{_BLANKS}]{{0,{MAX_SPACE}}}").match
# the escaped white space after a bracket, and what follows it
_escaped_space = re.compile(rf"(?:\\[nrt][ \t\r\n]{{0,{MAX_NAME}}}){{1,4}}").match
_name = re.compile(rf"[^\W\d][\w$-]{{0,{MAX_NAME}}}|\$[\w$-]{{0,{MAX_NAME}}}").match
_scalar = re.compile(rf"[-+\w.:]{{0,{MAX_NAME}}}").match
_blank = re.compile(rf"[ \t]{{0,{MAX_SPACE}}}").match
_fence = re.compile(rf"(?:`{{3,{MAX_FENCE}}}|~{{3,{MAX_FENCE}}})").match
_info = re.compile(rf"[ \t]{{0,8}}([^\s`~{{\[\"']{{0,{_MAX_INFO + 1}}})").match


def begins_document(text: str, i: int, is_final: bool, is_free: bool, is_certain: bool) -> int:
    """Decide whether the bracket text[i] begins a document.

    ``is_free`` if any array may begin there, at the start of a line or in a fence; ``is_certain`` if an array
    of one number is not the number of a source.

    >>> begins_document('{"a": 1}', 0, False, False, False), begins_document("{name}", 0, False, False, False)
    (1, 0)
    """
    if text[i] == "{":
        return _begins_object(text, i + 1, is_final)
    return _begins_array(text, i + 1, is_final, is_free, is_certain)


def _begins_object(text: str, i: int, is_final: bool) -> int:
    """Decide whether a document continues at i, after a brace."""
    j = _after(_skip_space, text, i)
    if j == len(text):
        return NO if is_final else MORE
    c = text[j]
    if c == "}" or c in _QUOTES:
        return YES
    if c == "\\" or c == "/" or c == "#":
        return _begins_quote_or_comment(text, j, is_final)
    name = _name(text, j)
    if name is None or name.end() - j > MAX_NAME:
        return NO
    k = _after(_skip_space, text, name.end())
    if k == len(text):
        return NO if is_final else MORE
    return YES if text[k] == ":" else NO


def _begins_quote_or_comment(text: str, j: int, is_final: bool) -> int:
    """Decide whether text[j:] is an escaped quote or a comment; ``#`` needs a space, unlike in a heading."""
    if j + 1 == len(text):
        return NO if is_final else MORE
    c, following = text[j], text[j + 1]
    if c == "\\" and following in "nrt":
        return _begins_escaped(text, j, is_final)
    return YES if following in ('"' if c == "\\" else "/*" if c == "/" else " \t\n!#") else NO


def _begins_escaped(text: str, j: int, is_final: bool) -> int:
    r"""Decide whether text[j:] is escaped white space and a quote, unlike a word such as ``\normal``."""
    k = _after(_escaped_space, text, j)
    if text.startswith(('"', '\\"'), k):
        return YES
    return MORE if text[k:] in ("", "\\") and not is_final else NO


def _begins_array(text: str, i: int, is_final: bool, is_free: bool, is_certain: bool) -> int:
    """Decide whether a document continues at i, after a square bracket."""
    j = _after(_skip_space, text, i)
    if j == len(text):
        return NO if is_final else MORE
    c = text[j]
    if c == "{":
        return _begins_object(text, j + 1, is_final)
    if not is_free:
        return NO
    if c in _QUOTES:
        return YES
    if c == "/" or c == "#" or c == "\\":
        return _begins_quote_or_comment(text, j, is_final)
    if c == "[" or c == "(":
        return _begins_inner_array(text, j + 1, is_final, is_certain or c == "[")
    if c == "]":
        return YES if is_certain else _ends_line(text, j + 1, is_final)
    if not (c.isdecimal() or c in _FIRST):
        return NO
    scalar = _scalar(text, j)
    assert scalar is not None
    end = scalar.end()
    if is_certain and (c in "0123456789" or (c in "-+." and text[j + 1 : j + 2].isdigit())):
        return YES
    if end == len(text):
        return NO if is_final else MORE
    return _begins_items(text, j, end, is_final, is_certain)


def _begins_items(text: str, j: int, end: int, is_final: bool, is_certain: bool) -> int:
    """Decide whether text[j:end] is the first item of an array."""
    word = text[j:end]
    if not word.lstrip("+-.")[:1].isdigit() and word not in _LITERALS:
        return NO
    k = _after(_skip_space, text, end)
    if k == len(text):
        return NO if is_final else MORE
    if text[k] == "]":
        return YES if is_certain else _ends_line(text, k + 1, is_final)
    return YES if text[k] in ",/#" else NO


def _begins_inner_array(text: str, i: int, is_final: bool, is_certain: bool) -> int:
    """Decide whether a document continues at i, after two brackets; ``[[word`` is a link of a wiki."""
    j = _after(_skip_space, text, i)
    if j == len(text):
        return NO if is_final else MORE
    c = text[j]
    if c in _QUOTES or (is_certain and c in "[]{0123456789-+."):
        return YES
    if not is_certain:
        return NO
    if c == "/" or c == "#" or c == "\\":
        return _begins_quote_or_comment(text, j, is_final)
    word = _scalar(text, j)
    assert word is not None
    if word.end() == len(text) and not is_final:
        return MORE
    return YES if word[0] in _LITERALS else NO


def _ends_line(text: str, i: int, is_final: bool) -> int:
    """Decide whether nothing but white space is left on the line at i."""
    j = _after(_blank, text, i)
    if j == len(text):
        return YES if is_final else MORE
    return YES if text[j] in "\r\n" else NO


def _after(match: object, text: str, i: int) -> int:
    """Return the end of a match that may be empty."""
    return match(text, i).end()  # type: ignore[operator, no-any-return]


class Fence(NamedTuple):
    """A run of backticks or tildes: its length, where it and its word end, and whether the word is known."""

    length: int
    end: int
    info: str
    info_end: int


def fence_at(text: str, i: int, is_final: bool) -> Fence | int:
    r"""Read the fence at i, with the word after it: return it, `NO` if it is none, or `MORE`.

    >>> fence_at("```json\n", 0, False)
    Fence(length=3, end=3, info='json', info_end=7)
    """
    run = _fence(text, i)
    if run is None:
        # fewer than three characters: later text may continue them
        return MORE if i + 2 >= len(text) and not is_final and _is_run(text, i) else NO
    end = run.end()
    if end - i == MAX_FENCE:
        return NO
    info = _info(text, end)
    assert info is not None
    if info.end() == len(text):
        if not is_final:
            return MORE
    elif text[info.end()] == text[i]:
        # code within a line, such as ```code```
        return NO
    return Fence(end - i, end, info[1].lower(), info.end())


def _is_run(text: str, i: int) -> bool:
    return all(c == text[i] for c in text[i:])

"""Path patterns: places in a document, with a wildcard for any member or item.

The syntax is a subset of JSONPath (RFC 9535) that contains the paths of `parse_path`:

    $  root                the root, at the beginning; it may be left out
    .name  ["a key"]       a member of an object (also with single quotes)
    [3]                    an item of an array
    .*  [*]                every member and every item

The rest of JSONPath is refused: negative indices and filters, which cannot be decided before the end of a
container, and slices, unions and descendants (``..``). Pass a list of paths instead of a union.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any, Final

from .errors import ErrorCode, JsonStreamError, ParserError
from .paths import _DIGITS, _SPECIAL

__all__ = ["ANY", "parse_pattern"]


class Wildcard(Enum):
    """The type of `ANY`."""

    ANY = "ANY"

    def __repr__(self) -> str:
        return "ANY"

    __str__ = __repr__


ANY: Final = Wildcard.ANY

Step = str | int | Wildcard
Pattern = tuple[Step, ...]

_HEAD = re.compile(r"(?:\$|root)(?=[.\[]|\Z)").match
_NAME = re.compile(f"[^{_SPECIAL}]+").match
_INDEX = re.compile(rf"\[({_DIGITS})\]").match
_JSON_STRING = json.JSONDecoder().raw_decode
# RFC 9535 section 2.3.1.1: single-quoted
_SINGLE = re.compile(r"""'((?:[^'\\\x00-\x1f]|\\(?:['\\/bfnrt]|u[0-9a-fA-F]{4}))*)'""").match
_TO_DOUBLE = re.compile(r"""\\'|\\.|\"""").sub

_IN_BRACKETS = "expected an index, a quoted key or '*' between '[' and ']'"
# the brackets of JSONPath that are refused, and why
_REFUSED = (
    (
        re.compile(r"\[-\d+\]").match,
        "a negative index counts from the end of an array, which is unknown",
    ),
    (re.compile(r"\[-?\d*:").match, "slices are not supported"),
    (re.compile(r"\[\?").match, "filters are not supported"),
    (re.compile(r"\[(?:-?\d+|\*)\s*,").match, "a union is written as a list of paths"),
)


def parse_pattern(path: object) -> Pattern:
    """Parse a path pattern, a string or a tuple of its steps.

    >>> parse_pattern("items[*].title"), parse_pattern(("items", ANY, "title"))
    (('items', ANY, 'title'), ('items', ANY, 'title'))
    >>> parse_pattern("$"), parse_pattern("$.users[2]['e.mail']")
    ((), ('users', 2, 'e.mail'))
    """
    if isinstance(path, tuple):
        return tuple(_checked(step) for step in path)
    if not isinstance(path, str):
        raise TypeError(f"a path is a string or a tuple of keys, indices and ANY, not {type(path).__name__}")
    if path.startswith("/"):
        raise _invalid(0, "a JSON Pointer is not supported: write items[0] instead of /items/0")
    head = _HEAD(path)
    at = 0 if head is None else head.end()
    steps: list[Step] = []
    while at < len(path):
        if path[at] == "[":
            step, at = _bracket(path, at)
        elif at == 0 and path[0] == "." and _NAME(path, 1):
            raise _invalid(0, "a path has no dot at its beginning: write items.title or $.items.title")
        elif path.startswith("..", at):
            raise _invalid(at, "'..' is not supported: name each step, or use '*'")
        else:
            # only the first name of a path without a root has no dot before it
            name = _NAME(path, at + (at > 0))
            if name is None or (at > 0 and path[at] != "."):
                raise _invalid(at, "expected a name, or '[' with an index or a quoted key")
            step, at = ANY if name[0] == "*" else name[0], name.end()
        steps.append(step)
    return tuple(steps)


def _bracket(path: str, at: int) -> tuple[Step, int]:
    """Parse a step in brackets; return it and where the next one begins."""
    if index := _INDEX(path, at):
        return int(index[1]), index.end()
    if path.startswith("[*]", at):
        return ANY, at + 3
    key: str | None = None
    end = at + 1
    if path.startswith('"', end):
        try:
            key, end = _JSON_STRING(path, end)
        except (ValueError, StopIteration):
            raise _invalid(at, _IN_BRACKETS) from None
    elif single := _SINGLE(path, end):
        key, end = json.loads(f'"{_TO_DOUBLE(_requoted, single[1])}"'), single.end()
    if key is not None and path.startswith("]", end):
        return key, end + 1
    if key is not None and path[end:].lstrip().startswith(","):
        raise _invalid(at, _REFUSED[-1][1])
    raise _invalid(at, next((why for is_refused, why in _REFUSED if is_refused(path, at)), _IN_BRACKETS))


def _requoted(match: re.Match[str]) -> str:
    """Return a character or escape of a single-quoted string as a double-quoted string writes it."""
    return {"\\'": "'", '"': '\\"'}.get(match[0], match[0])


def _checked(step: Any) -> Step:
    if isinstance(step, Wildcard) or type(step) is str:
        return step
    if type(step) is int:
        if step < 0:
            raise _invalid(0, _REFUSED[0][1])
        return step
    if isinstance(step, str):
        return str.__str__(step)
    raise TypeError(f"a step of a path is a key, an index or ANY, not {type(step).__name__}")


def _invalid(at: int, why: str) -> JsonStreamError:
    error = ParserError.at(ErrorCode.INVALID_PATH, at, 1, at + 1)
    message = error.message.replace("invalid path", f"invalid path: {why}", 1)
    return JsonStreamError(error._replace(message=message))

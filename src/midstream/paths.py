"""Paths inside a document: segments, and three notations for them.

Internally a path is a chain of pairs ``(parent, segment)`` that ends in ``(None, root_name)``. Each
container creates one pair, which all of its members share, so an update costs no path string unless the
caller asks for one. Pairs are plain tuples: they are cheap to create, and freed without recursion at any
depth.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .errors import ErrorCode, invalid

if TYPE_CHECKING:
    from collections.abc import Iterable

    Segment = str | int
    Segments = tuple[Segment, ...]
    # actually recursive: (PathPair | None, segment)
    PathPair = tuple[Any, Segment]

__all__ = ["parse_path"]

_SPECIAL = r"""\s.\[\]"'\\\x00-\x1f\x7f-\x9f"""
_DIGITS = "0|[1-9][0-9]{0,17}"
_NEEDS_QUOTES = re.compile(f"[{_SPECIAL}]").search
_NAME = re.compile(f"[^{_SPECIAL}]+").match
_INDEX = re.compile(rf"\[({_DIGITS})\]").match
# exactly one segment, the most common distance from the surrounding container
_STEP = re.compile(rf"""\.([^{_SPECIAL}]++)\Z|\[({_DIGITS})\]\Z""").match
_STRING = json.JSONDecoder().raw_decode


def segments_of(pair: PathPair) -> Segments:
    """Return the segments from the root to a place."""
    segments: list[Segment] = []
    parent, segment = pair
    while parent is not None:
        segments.append(segment)
        parent, segment = parent
    segments.reverse()
    return tuple(segments)


def root_of(pair: PathPair) -> str:
    """Return the name of the root above a place."""
    while pair[0] is not None:
        pair = pair[0]
    return str(pair[1])


def pair_of(root: str, segments: Iterable[Segment]) -> PathPair:
    """Return the chain of pairs for the segments below a root."""
    pair: PathPair = (None, root)
    for segment in segments:
        pair = (pair, segment)
    return pair


def format_path(root: str, segments: Iterable[Segment]) -> str:
    """Return a path string such as ``root.users[2]["e.mail"]``."""
    parts = [root]
    for segment in segments:
        if isinstance(segment, int):
            parts.append(f"[{segment}]")
        elif not segment or _NEEDS_QUOTES(segment):
            parts.append(f"[{json.dumps(segment, ensure_ascii=False)}]")
        elif len(parts) == 1 and not root:
            parts.append(segment)
        else:
            parts.append(f".{segment}")
    return "".join(parts)


def escape_token(token: str) -> str:
    """Escape one token of a JSON Pointer (RFC 6901 section 3).

    >>> escape_token("a/b~c")
    'a~1b~0c'
    """
    return token.replace("~", "~0").replace("/", "~1")


def format_pointer(segments: Iterable[Segment]) -> str:
    """Return a JSON Pointer (RFC 6901 section 3)."""
    return "".join(
        f"/{segment}" if isinstance(segment, int) else f"/{escape_token(segment)}" for segment in segments
    )


# the escapes of a normalized path (RFC 9535 section 2.7)
_JSONPATH_ESCAPES = {code: f"\\u{code:04x}" for code in range(0x20)} | {
    ord("'"): "\\'",
    ord("\\"): "\\\\",
    ord("\b"): "\\b",
    ord("\t"): "\\t",
    ord("\n"): "\\n",
    ord("\f"): "\\f",
    ord("\r"): "\\r",
}


def format_jsonpath(segments: Iterable[Segment]) -> str:
    """Return a normalized path (RFC 9535 section 2.7)."""
    return "$" + "".join(
        f"[{segment}]" if isinstance(segment, int) else f"['{segment.translate(_JSONPATH_ESCAPES)}']"
        for segment in segments
    )


def parse_path(path: str, root: str = "root") -> Segments:
    """Parse a path string into its segments.

    A path that does not begin with the root's name is parsed as if it were written with ``root=""``.

    >>> parse_path('root.users[2]["e.mail"]')
    ('users', 2, 'e.mail')
    >>> parse_path("users[2]")
    ('users', 2)
    """
    return split_path(path, root)[1]


def split_path(path: str, root: str = "root") -> tuple[str, Segments]:
    """Parse a path string into the root's name (empty if it has none) and its segments."""
    end = len(path)
    rooted = bool(root) and path.startswith(root) and (len(root) == end or path[len(root)] in ".[")
    at = len(root) if rooted else 0
    segments: list[Segment] = []
    while at < end:
        if path[at] == "[":
            index = _INDEX(path, at)
            if index:
                segments.append(int(index[1]))
                at = index.end()
                continue
            key, at = _quoted_key(path, at + 1)
        else:
            # the first name of a path without a root has no dot before it
            name = _NAME(path, at + (path[at] == "." and (rooted or at > 0)))
            if not name or (path[at] != "." and at > 0):
                raise invalid(ErrorCode.INVALID_PATH, position=(at, 1, at + 1))
            key, at = name[0], name.end()
        segments.append(key)
    return root if rooted else "", tuple(segments)


def steps_below(base: str, path: str) -> Segments | None:
    """Return the segments from one path to a path below it, None if it is not below.

    >>> steps_below("root.users", "root.users[2].name"), steps_below("root.users", "root.usage")
    ((2, 'name'), None)
    """
    if not base:
        return split_path(path, "")[1]
    if not path.startswith(base):
        return None
    end = len(base)
    if len(path) == end:
        return ()
    if step := _STEP(path, end):
        return (step[1] or int(step[2]),)
    # a dot or a bracket must follow; the rest is parsed like a path with the root name "-"
    return split_path(f"-{path[end:]}", "-")[1] if path[end] in ".[" else None


def _quoted_key(path: str, at: int) -> tuple[str, int]:
    """Parse ``"key"]``, the inside of a bracket."""
    if not path.startswith('"', at):
        raise invalid(ErrorCode.INVALID_PATH, position=(at, 1, at + 1))
    try:
        key, at = _STRING(path, at)
    except (ValueError, StopIteration):
        raise invalid(ErrorCode.INVALID_PATH, position=(at, 1, at + 1)) from None
    if not path.startswith("]", at):
        raise invalid(ErrorCode.INVALID_PATH, position=(at, 1, at + 1))
    return key, at + 1

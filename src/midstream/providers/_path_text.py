"""Convert values with paths to the JSON text that other providers stream.

Vertex streams arguments as leaves: a path such as ``$.stops[0].city`` and a piece of its value. They
arrive in the order in which the model wrote them, so the text can be written at once: a container opens
when a path first enters it and closes when a path leaves it.

Three cases cannot be written that way. A path back into a closed container would repeat a key, and
readers keep only the last of two equal keys. A skipped index means that items were lost or were empty
containers, which have no leaf; null would be wrong for both. An invalid path has no place at all. In
these cases, and for everything after them, the text continues with ``!``, the path and the value: every
parser stops there, so the call is reported as invalid instead of having wrong arguments, and the raw
text shows what arrived.

The end of the call does not close a string that was to continue. Only its last piece or another path
does; without them the string was cut off.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

__all__ = ["NO_VALUE", "PathText", "segments_of"]

Segments = tuple[str | int, ...]

# marks a piece with a path but no value
NO_VALUE: Any = object()

_SEGMENT = re.compile(
    r"""
    \. (?P<name> [^.\[\]]+ )
    | \[ (?P<index> 0 | [1-9][0-9]{0,17} ) \]
    | \[ (?P<quoted> ' (?: [^'\\] | \\. )* ' | " (?: [^"\\] | \\. )* " ) \]
    """,
    re.VERBOSE | re.DOTALL,
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_IN_SINGLE_QUOTES = re.compile(r"""\\'|\\.|\"""", re.DOTALL)


@lru_cache(maxsize=256)
def segments_of(path: str) -> Segments | None:
    """Parse a path in RFC 9535 notation, dots or brackets; None unless it identifies a single place.

    >>> segments_of("$.stops[0]['a.b']")
    ('stops', 0, 'a.b')
    """
    if not path.startswith("$"):
        return None
    segments: list[str | int] = []
    at = 1
    while at < len(path):
        match = _SEGMENT.match(path, at)
        if match is None:
            return None
        at = match.end()
        name, index, quoted = match.group("name", "index", "quoted")
        if quoted is not None:
            name = _unquoted(quoted)
            if name is None:
                return None
        if name == "*" and quoted is None:
            return None
        segments.append(int(index) if name is None else name)
    return tuple(segments)


def _unquoted(quoted: str) -> str | None:
    """Decode a quoted name: replace single quotes by double quotes and parse it as JSON."""
    if quoted[0] == "'":
        inside = _IN_SINGLE_QUOTES.sub(
            lambda match: {"\\'": "'", '"': '\\"'}.get(match[0], match[0]), quoted[1:-1]
        )
        quoted = f'"{inside}"'
    try:
        name: str = json.loads(quoted, strict=False)
    except ValueError:
        return None
    return name


class PathText:
    """The text of one document, written piece by piece.

    >>> text = PathText()
    >>> text.add_piece("$.city", "Pa", will_continue=True)
    '{"city":"Pa'
    >>> text.add_piece("$.city", "ris") + text.add_piece("$.days", 3.0) + text.finish()
    'ris","days":3}'
    """

    __slots__ = ("_has_root", "_is_broken", "_open", "_string")

    def __init__(self) -> None:
        # the open containers from the root inwards
        self._open: list[_Container] = []
        self._has_root = False
        self._string: Segments | None = None
        self._is_broken = False

    def add_piece(self, path: str, value: Any, will_continue: bool = False) -> str:
        """Return the text of a piece: part of a string, or a value; `NO_VALUE` ends or announces one."""
        segments = segments_of(path)
        if segments is None:
            return self._break(path, value)
        return self._add(segments, path, value, will_continue)

    def add_member(self, key: str, value: Any) -> str:
        """Return the text of a complete member of the root."""
        return self._add((key,), key, value, False)

    def _add(self, segments: Segments, path: str, value: Any, will_continue: bool) -> str:
        if self._is_broken:
            return self._break(path, value)
        before = ""
        if self._string is not None:
            if segments == self._string and (value is None or value is NO_VALUE or isinstance(value, str)):
                piece = _content(value) if isinstance(value, str) else ""
                return piece if will_continue else piece + self._end_string()
            before = self._end_string()
        if value is NO_VALUE and will_continue:
            return before
        way = None if value is NO_VALUE else self._reach(segments)
        if way is None:
            return before + self._break(path, value)
        if isinstance(value, str):
            self._string = segments
            return f'{before}{way}"{_content(value)}' + ("" if will_continue else self._end_string())
        return before + way + _json_text(value)

    def finish(self) -> str:
        """Return the tokens that close all containers; nothing if a string was to continue."""
        if self._is_broken or self._string is not None:
            return ""
        return self._leave(0)

    def _reach(self, segments: Segments) -> str | None:
        """Return the text before a value at a path; None, with no change, if it cannot be written there."""
        if not self._has_root:
            if any(segment for segment in segments if isinstance(segment, int)):
                return None
            self._has_root = True
            return self._enter(segments)
        depth = 0
        while (
            depth < len(segments) - 1
            and depth < len(self._open) - 1
            and self._open[depth].is_in(segments[depth])
        ):
            depth += 1
        if depth >= len(self._open) or depth >= len(segments):
            return None
        beyond = segments[depth + 1 :]
        if not self._open[depth].accepts(segments[depth]) or any(
            segment for segment in beyond if isinstance(segment, int)
        ):
            return None
        return self._leave(depth + 1) + self._open[depth].add(segments[depth]) + self._enter(beyond)

    def _enter(self, segments: Segments) -> str:
        text = ""
        for segment in segments:
            container = _Container(isinstance(segment, int))
            self._open.append(container)
            text += ("[" if container.is_array else "{") + container.add(segment)
        return text

    def _leave(self, depth: int) -> str:
        text = "".join("]" if container.is_array else "}" for container in reversed(self._open[depth:]))
        del self._open[depth:]
        return text

    def _end_string(self) -> str:
        self._string = None
        return '"'

    def _break(self, path: str, value: Any) -> str:
        before = "" if self._string is None else self._end_string()
        self._is_broken = True
        return f"{before}!{path}" + ("" if value is NO_VALUE else f"={_json_text(value)}")


class _Container:
    """An open container, and which of its members have been written."""

    __slots__ = ("_count", "_keys", "_last", "is_array")

    def __init__(self, is_array: bool) -> None:
        self.is_array = is_array
        self._count = 0
        self._keys: set[str | int] = set()
        self._last: str | int | None = None

    def is_in(self, segment: str | int) -> bool:
        """Report whether a segment is that of the last member written."""
        return segment == self._last

    def accepts(self, segment: str | int) -> bool:
        """Report whether a member with this segment can be written now."""
        if isinstance(segment, int):
            return self.is_array and segment == self._count
        return not self.is_array and segment not in self._keys

    def add(self, segment: str | int) -> str:
        """Return the text before the value of a new member."""
        comma = "," if self._count else ""
        self._count += 1
        self._last = segment
        if self.is_array:
            return comma
        self._keys.add(segment)
        return f'{comma}"{_content(str(segment))}":'


def _content(text: str) -> str:
    """Return a string as JSON, without its quotes."""
    return _to_json(text)[1:-1]


def _json_text(value: Any) -> str:
    """Return a complete value as JSON; for any other object a text that every parser refuses."""
    if isinstance(value, str):
        return f'"{_content(value)}"'
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        # all numbers arrive as doubles; those without a fraction are written as JavaScript does
        return str(int(value))
    try:
        return _to_json(value)
    except (TypeError, ValueError, RecursionError):
        return "!"


def _to_json(value: Any) -> str:
    """Return a value as JSON with surrogates escaped one by one, so that the reader can join split pairs."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)

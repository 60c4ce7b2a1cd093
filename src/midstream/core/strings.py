# cython: boundscheck=False
"""Strings, RFC 8259 section 7.

    string = quotation-mark *char quotation-mark
    char   = unescaped / escape ( %x22 / %x5C / %x2F / %x62 / %x66 / %x6E / %x72 / %x74 / %x75 4HEXDIG )

Everything up to the next quote, backslash or control character is copied unchanged: a fragment that is
nothing but content becomes the piece itself. After a backslash a small automaton reads one character at a
time, so an escape may be cut anywhere. At most it holds back an unfinished escape and a high surrogate
whose low surrogate may follow as the next escape.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ..errors import ErrorCode
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

__all__ = ["StringReader", "new_string_reader"]


if not cython.compiled:
    from .chars import content_end, slice_of

    # the position in an escape: the number of its characters read so far
    _NOWHERE = 0
    _BACKSLASH = 1
    _FIRST_DIGIT = 2
    _COMPLETE = 6
    # keys up to this length are cached
    _LONG = 64
    # uncompiled, all readers share one cache; sys.intern() would keep the keys for ever in some versions of
    # Python
    _interned = lru_cache(1024)(str)

    def cached_key(reader: StringReader, text: str, chars: str, i: int, j: int) -> str:  # noqa: ARG001
        """Return the key text[i:j], as the same object as the last time if it is in the cache.

        Keys repeat. The same object again costs no memory, and its hash is already computed.
        """
        return _interned(text[i:j]) if j - i <= _LONG else text[i:j]

    def share_cache(reader: StringReader, other: StringReader) -> None:
        """Share the key cache with a clone; uncompiled, all readers share one."""


def _simple(c: str) -> str | None:
    """Return the character that a backslash and ``c`` stand for, or None if that is not an escape."""
    if c == "n":
        return "\n"
    if c == '"':
        return '"'
    if c == "\\":
        return "\\"
    if c == "t":
        return "\t"
    if c == "/":
        return "/"
    if c == "r":
        return "\r"
    if c == "b":
        return "\b"
    if c == "f":
        return "\f"
    return None


def _hex_digit(c: str) -> int:
    """Return the value of a hexadecimal digit, or -1."""
    if "0" <= c <= "9":
        return ord(c) - 48
    if "a" <= c <= "f":
        return ord(c) - 87
    if "A" <= c <= "F":
        return ord(c) - 55
    return -1


# Excluded from garbage collection: it holds only strings and lists of strings.
@cython.final
@cython.no_gc
@cython.cclass
class StringReader:
    """Read one string after the other, each cut anywhere.

    After ``read``, ``piece`` is the text that became certain, ``closed`` is true if the closing quote was
    read, and ``failure`` says what is wrong with the character where reading stopped.
    """

    __slots__ = ("closed", "code", "failure", "high", "piece", "place", "room")

    # how many characters the string may still have
    room: int
    # the position in an escape, the code unit that its digits make so far, and a high surrogate whose low
    # surrogate may follow, or 0
    place: int
    code: int
    high: int
    piece: str
    closed: bool
    failure: ErrorCode | None

    def begin(self) -> None:
        """Reset the escape state, which an error in the previous string may have left."""
        self.place = _NOWHERE
        self.high = 0

    def read(self, text: str, chars: str, i: int, j: int, n: int) -> int:
        """Continue at text[i], with plain content up to j; stop at n at the latest, and return where."""
        parts: list[str] = []
        self.closed = False
        while True:
            if self.place == _NOWHERE:
                if j > i:
                    self._release(parts)
                    if j - i > self.room:
                        j = i + self.room
                        self.failure = ErrorCode.STRING_LIMIT
                    parts.append(slice_of(text, chars, i, j))
                    self.room -= j - i
                    if self.failure is not None:
                        break
                if j == n:
                    break
                c = chars[j]
                if c == '"':
                    self._release(parts)
                    self.closed = True
                    j += 1
                    break
                if c != "\\":
                    self.failure = ErrorCode.CONTROL_CHARACTER
                    break
                self.place = _BACKSLASH
                j += 1
            elif j == n:
                break
            elif self._read_escape(chars[j], parts):
                j += 1
                i = j
                if self.place == _NOWHERE:
                    j = content_end(chars, i, n)
            else:
                break
        if self.failure is not None:
            self._release(parts)
        self.piece = parts[0] if len(parts) == 1 else "".join(parts)
        return j

    def _read_escape(self, c: str, parts: list[str]) -> bool:
        """Read one character of an escape, after the backslash; return False if it is invalid there."""
        if self.place == _BACKSLASH:
            if c == "u":
                self.place = _FIRST_DIGIT
                self.code = 0
                return True
            simple = _simple(c)
            if simple is None:
                self.failure = ErrorCode.INVALID_ESCAPE
                return False
            self._release(parts)
            if not self._make_room():
                return False
            parts.append(simple)
        else:
            digit = _hex_digit(c)
            if digit < 0:
                self.failure = ErrorCode.INVALID_ESCAPE
                return False
            self.code = self.code * 16 + digit
            self.place += 1
            if self.place < _COMPLETE:
                return True
            code = self.code
            if self.high and 0xDC00 <= code < 0xE000:
                # section 7: a character outside the BMP is written as a surrogate pair
                parts.append(chr(0x10000 + ((self.high - 0xD800) << 10) + (code - 0xDC00)))
                self.high = 0
            else:
                self._release(parts)
                if not self._make_room():
                    return False
                if 0xD800 <= code < 0xDC00:
                    self.high = code
                else:
                    parts.append(chr(code))
        self.place = _NOWHERE
        return True

    def _release(self, parts: list[str]) -> None:
        """Append a high surrogate that no low surrogate followed; section 8.2 permits lone surrogates."""
        if self.high:
            parts.append(chr(self.high))
            self.high = 0

    def _make_room(self) -> bool:
        """Count one more decoded character; return False if the string is too long."""
        if self.room == 0:
            self.failure = ErrorCode.STRING_LIMIT
            return False
        self.room -= 1
        return True

    def finish(self) -> str:
        """Return the text that was held back, when nothing more will follow."""
        parts: list[str] = []
        self._release(parts)
        return "".join(parts)

    def load(self, place: int, code: int, high: int) -> None:
        """Restore a saved state."""
        self.place = place
        self.code = code
        self.high = high

    def clone(self) -> StringReader:
        """Return another reader in the same state."""
        other = new_string_reader()
        other.place = self.place
        other.code = self.code
        other.high = self.high
        share_cache(self, other)
        return other


def new_string_reader() -> StringReader:
    """Return a reader that is ready for the first string."""
    reader = StringReader.__new__(StringReader)
    reader.room = 0
    reader.place = _NOWHERE
    reader.code = 0
    reader.high = 0
    reader.piece = ""
    reader.closed = False
    reader.failure = None
    return reader

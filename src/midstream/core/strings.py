# cython: boundscheck=False
"""Strings, RFC 8259 section 7.

    string = quotation-mark *char quotation-mark
    char   = unescaped / escape ( %x22 / %x5C / %x2F / %x62 / %x66 / %x6E / %x72 / %x74 / %x75 4HEXDIG )

Everything up to the next quote, backslash or control character is copied as it is: a fragment
that is nothing but content becomes the piece itself. Behind a backslash a small automaton reads
one character at a time, so an escape may be cut anywhere. What it holds back is never more than
an unfinished escape, and a high surrogate whose low half may follow as the next escape.
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

    # where in an escape the text stands: the number of its characters read so far
    _NOWHERE = 0
    _BACKSLASH = 1
    _FIRST_DIGIT = 2
    _COMPLETE = 6
    # keys up to this length are remembered
    _LONG = 64
    # plain, all readers share theirs; not by sys.intern(), which in some versions keeps them for good
    _known = lru_cache(1024)(str)

    def recall_key(reader: StringReader, text: str, chars: str, i: int, j: int) -> str:  # noqa: ARG001
        """Give the key text[i:j], as the same object as the last time if it is remembered.

        Keys repeat. The same object again costs no memory, and its hash is known already.
        """
        return _known(text[i:j]) if j - i <= _LONG else text[i:j]


def _simple(c: str) -> str | None:
    """Give what one character stands for behind a backslash, if it does."""
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
    """Give the value of a hexadecimal digit, or -1."""
    if "0" <= c <= "9":
        return ord(c) - 48
    if "a" <= c <= "f":
        return ord(c) - 87
    if "A" <= c <= "F":
        return ord(c) - 55
    return -1


# Outside garbage collection: it holds nothing but strings, and lists of them.
@cython.final
@cython.no_gc
@cython.cclass
class StringReader:
    """Read one string after the other, each cut anywhere.

    After ``read``, ``piece`` is the text that became certain, ``closed`` tells whether the closing
    quote was read, and ``failure`` what is wrong with the character where reading stopped.
    """

    __slots__ = ("closed", "code", "failure", "high", "piece", "place", "room")

    # how many characters the string may still have
    room: int
    place: int
    code: int
    high: int
    piece: str
    closed: bool
    failure: ErrorCode | None

    def begin(self) -> None:
        """Get ready for what follows an opening quote, if the string before was broken off."""
        self.place = _NOWHERE
        self.high = 0

    def read(self, text: str, chars: str, i: int, j: int, n: int) -> int:
        """Read on at text[i], with content up to j, not past n; give the index where reading stopped."""
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
        """Take one character behind a backslash; tell whether it may stand there."""
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
        """Let a high surrogate go whose low half did not come; section 8.2 allows it alone."""
        if self.high:
            parts.append(chr(self.high))
            self.high = 0

    def _make_room(self) -> bool:
        """Count one more decoded character."""
        if self.room == 0:
            self.failure = ErrorCode.STRING_LIMIT
            return False
        self.room -= 1
        return True

    def finish(self) -> str:
        """Give what was held back, when nothing more will come."""
        parts: list[str] = []
        self._release(parts)
        return "".join(parts)

    def load(self, place: int, code: int, high: int) -> None:
        """Go on from a saved state."""
        self.place = place
        self.code = code
        self.high = high

    def clone(self) -> StringReader:
        """Make another reader in the same state."""
        other = new_string_reader()
        other.place = self.place
        other.code = self.code
        other.high = self.high
        if cython.compiled:
            share_memory(self, other)  # type: ignore[name-defined]  # noqa: F821
        return other


def new_string_reader() -> StringReader:
    """Make a reader that stands before the first string."""
    reader = StringReader.__new__(StringReader)
    reader.room = 0
    reader.place = _NOWHERE
    reader.code = 0
    reader.high = 0
    reader.piece = ""
    reader.closed = False
    reader.failure = None
    return reader

"""The state of the grammar between two characters, and how it is cloned, saved and loaded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..errors import ErrorCode, ParserError, Position
from . import cython_shim as cython
from .text import TextBuffer, load_text, save_text

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .modes import (
        AFTER_ITEM,
        AFTER_MEMBER,
        AFTER_ROOT,
        BETWEEN,
        DISCARD,
        FAILED,
        FIRST_ITEM,
        FIRST_KEY,
        KEY,
        LITERAL,
        NUMBER,
        SKIP,
        START,
        STRING,
        TRAILING,
    )
    from .numbers import new_number_reader
    from .strings import new_string_reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..limits import Limits
    from .visitor import Visitor

__all__ = ["Machine"]

# half of the largest index, so that adding to it cannot overflow
UNLIMITED = sys.maxsize // 2
# the same as a Python object, for the comparison with an int of any size
_UNLIMITED = UNLIMITED
# the largest index
MAX_INDEX = sys.maxsize

_AFTER_ROOT = {"error": AFTER_ROOT, "ignore": TRAILING, "next": BETWEEN}


@cython.cclass
class Machine:
    """Hold the state of the grammar."""

    __slots__ = (
        "after",
        "after_root",
        "base",
        "carry",
        "clear_until",
        "decoded",
        "document_end",
        "document_start",
        "error",
        "finished",
        "line",
        "line_start",
        "literal_at",
        "literal_word",
        "max_depth",
        "max_document",
        "max_string",
        "mode",
        "numbers",
        "objects",
        "recover",
        "skip_begins",
        "skip_depth",
        "skip_from",
        "skip_quote",
        "stack",
        "starts",
        "string_end",
        "strings",
        "token",
        "trailing",
    )

    def _set_up(
        self,
        limits: Limits,
        after_root: str,
        recover: bool,
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
    ) -> None:
        """Set the state before the first character."""
        max_depth, max_string, max_number, max_document = limits
        self.max_depth = _limit(max_depth)
        self.max_string = _limit(max_string)
        self.max_document = _limit(max_document)
        self.after_root = _AFTER_ROOT[after_root]
        self.recover = recover
        self.strings = new_string_reader()
        # the text so far of a key or number that is cut; only one of them can be open
        self.token = TextBuffer()
        self.numbers = new_number_reader(_limit(max_number), parse_int, parse_float, self.token)
        self.mode = START
        self.after = AFTER_ROOT
        self.stack: list[int] = []
        self.objects = 0
        self.base = 0
        self.line = 1
        self.line_start = 0
        # where the document begins, and where it must have ended
        self._begin_document(0)
        self.starts = False
        # the last index that the open string or key may reach; and the last index up to which a fragment of
        # plain content is a piece of it without any further check: 0 if no string or key is open, or if it is
        # inside an escape, after a high surrogate or inside a character that is cut between bytes
        self.string_end = 0
        self.clear_until = 0
        self.literal_word = ""
        self.literal_at = 0
        self.skip_from = START
        self.skip_begins = False
        self.skip_depth = 0
        self.skip_quote = 0
        self.trailing: TextBuffer | None = None
        self.carry = b""
        self.decoded = 0
        self.finished = False
        self.error: ParserError | None = None

    def position(self) -> Position:
        """Return how far the text has been read."""
        return Position(self.base, self.line, self.base - self.line_start + 1)

    def current_mode(self) -> int:
        """Return what may follow: one of the constants in ``modes``."""
        return self.mode

    def current_error(self) -> ParserError | None:
        """Return the error that ended the text."""
        return self.error

    def is_complete(self) -> bool:
        """Report whether a complete document has been read and nothing is pending."""
        return self._is_after_root() and not self.carry

    def _is_after_root(self) -> bool:
        mode = self.mode
        return mode == AFTER_ROOT or mode == BETWEEN or mode == TRAILING or mode == DISCARD

    def _open(self, c: str, visitor: Visitor) -> None:
        """Open the container of the bracket c."""
        self.stack.append(self.after)
        if c == "{":
            self.mode = FIRST_KEY
            self.after = AFTER_MEMBER
            self.objects += 1
            visitor.begin_object()
        else:
            self.mode = FIRST_ITEM
            self.after = AFTER_ITEM
            visitor.begin_array()

    def _close(self, i: int, visitor: Visitor) -> None:
        """Close the innermost container, whose last character stands before i."""
        if self.after == AFTER_MEMBER:
            self.objects -= 1
            visitor.end_object()
        else:
            visitor.end_array()
        self.mode = self.after = self.stack.pop()
        if self.mode == AFTER_ROOT:
            self._end_root(i, visitor)

    def _end_root(self, i: int, visitor: Visitor) -> None:
        """Continue after a complete document, whose last character stands before i."""
        self.mode = self.after_root
        if self.mode == BETWEEN:
            self._begin_document(self.base + i)
        visitor.document()

    def _begin_document(self, start: int) -> None:
        """Begin a document at an index, and compute where it must have ended."""
        self.document_start = start
        self.document_end = start + self.max_document if self.max_document < MAX_INDEX - start else MAX_INDEX

    def _copy_from(self, other: Machine) -> None:
        """Copy the complete state of another machine."""
        self.max_depth = other.max_depth
        self.max_document = other.max_document
        self.max_string = other.max_string
        self.after_root = other.after_root
        self.recover = other.recover
        self.strings = other.strings.clone()
        self.token = other.token.clone()
        self.numbers = other.numbers.clone(self.token)
        self.mode = other.mode
        self.after = other.after
        self.stack = other.stack[:]
        self.objects = other.objects
        self.base = other.base
        self.line = other.line
        self.line_start = other.line_start
        self.document_start = other.document_start
        self.document_end = other.document_end
        self.starts = other.starts
        self.string_end = other.string_end
        self.clear_until = other.clear_until
        self.literal_word = other.literal_word
        self.literal_at = other.literal_at
        self.skip_from = other.skip_from
        self.skip_begins = other.skip_begins
        self.skip_depth = other.skip_depth
        self.skip_quote = other.skip_quote
        self.trailing = None if other.trailing is None else other.trailing.clone()
        self.carry = other.carry
        self.finished = other.finished
        self.error = other.error

    def state(self) -> dict[str, Any]:
        """Return everything but the options as plain data."""
        afters = [*self.stack[1:], self.after] if self.stack else []
        strings, numbers, error = self.strings, self.numbers, self.error
        token: list[Any] = []
        if self.mode == STRING or self.mode == KEY:
            # save the length so far, which does not depend on the limit as ``string_end`` does
            token = [self.max_string - (self.string_end - self.base), strings.place, strings.high]
            # right after the backslash, the code is still that of the previous escape
            token += [strings.code if strings.place > 1 else 0, save_text(self.token.peek())]
        elif self.mode == NUMBER:
            token = [numbers.state, self.token.peek()]
        elif self.mode == LITERAL:
            token = [self.literal_word, self.literal_at]
        elif self.mode == SKIP:
            token = [self.skip_from, self.skip_depth, self.skip_quote]
        return {
            "mode": self.mode,
            "open": "".join("{" if after == AFTER_MEMBER else "[" for after in afters),
            "position": [self.base, self.line, self.line_start, self.document_start],
            "token": token,
            "trailing": "" if self.trailing is None else save_text(self.trailing.peek()),
            "carry": list(self.carry),
            "finished": self.finished,
            "error": None if error is None else [error.code, error.index, error.line, error.column],
        }

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state; raise ValueError, KeyError or TypeError if the data is not one."""
        self.mode = _checked_count(state["mode"], FAILED)
        for bracket in state["open"]:
            if bracket not in ("{", "["):
                raise ValueError("an open container is saved as { or [")
            self.stack.append(self.after)
            self.after = AFTER_MEMBER if bracket == "{" else AFTER_ITEM
            self.objects += bracket == "{"
        self.base, self.line, self.line_start, document_start = map(_checked_count, state["position"])
        self._begin_document(document_start)
        if self.base > self.document_end:
            raise ValueError("the position exceeds max_document")
        token = state["token"]
        if self.mode == STRING or self.mode == KEY:
            used, place, high, code, key = token
            self.string_end = self.base + max(0, self.max_string - _checked_count(used))
            # after the backslash and the u, each character is a digit of the code
            code = _checked_count(code, 16 ** max(0, _checked_count(place, 5) - 2) - 1)
            if _checked_count(high, 0xDBFF) and high < 0xD800:
                raise ValueError("the pending code unit is not a high surrogate")
            self.strings.load(place, code, high)
            self.token.load(key)
        elif self.mode == NUMBER:
            number_state, text = token
            self.numbers.load(_checked_count(number_state, 8), load_text(text))
        elif self.mode == LITERAL:
            self.literal_word, literal_at = token
            if self.literal_word not in ("true", "false", "null"):
                raise ValueError("a literal is true, false or null")
            self.literal_at = _checked_count(literal_at, len(self.literal_word) - 1)
        elif self.mode == SKIP:
            skip_from, skip_depth, skip_quote = token
            self.skip_from = _checked_count(skip_from, FAILED)
            self.skip_depth = _checked_count(skip_depth)
            self.skip_quote = _checked_count(skip_quote, 2)
        if state["trailing"]:
            self.trailing = TextBuffer()
            self.trailing.load(state["trailing"])
        self.carry = bytes(state["carry"])
        self.finished = bool(state["finished"])
        if state["error"] is not None:
            code, *place = state["error"]
            self.error = ParserError.at(ErrorCode(code), *map(_checked_count, place))
        if (self.mode == FAILED) != (self.error is not None):
            raise ValueError("an error is saved if and only if the mode is FAILED")


def _limit(limit: int | None) -> int:
    return UNLIMITED if limit is None or limit > _UNLIMITED else limit


def _checked_count(number: object, most: int = UNLIMITED) -> int:
    """Return a loaded number if it is a count of at most ``most``; raise ValueError otherwise."""
    if type(number) is not int or not 0 <= number <= most:
        raise ValueError("a count is out of range")
    return number

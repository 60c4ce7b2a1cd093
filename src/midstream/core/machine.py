"""What the grammar must know between two characters, and how that is saved and loaded."""

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
        FAILED,
        FIRST_ITEM,
        FIRST_KEY,
        KEY,
        LITERAL,
        NUMBER,
        SKIP,
        SPENT,
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

# half of what an index can be: room to add to it
UNLIMITED = sys.maxsize // 2
# the same as an object, to be compared with any int
_MOST = UNLIMITED
# what an index can be
FURTHEST = sys.maxsize

_AFTER_ROOT = {"error": AFTER_ROOT, "ignore": TRAILING, "next": BETWEEN}


@cython.cclass
class Machine:
    """The memory of the grammar."""

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
        """Get ready for the first character."""
        max_depth, max_string, max_number, max_document = limits
        self.max_depth = _limit(max_depth)
        self.max_string = _limit(max_string)
        self.max_document = _limit(max_document)
        self.after_root = _AFTER_ROOT[after_root]
        self.recover = recover
        self.strings = new_string_reader()
        # the text of a key or number that is cut: only one of them can be open
        self.token = TextBuffer()
        self.numbers = new_number_reader(_limit(max_number), parse_int, parse_float, self.token)
        self.mode = START
        self.after = AFTER_ROOT
        self.stack: list[int] = []
        self.objects = 0
        self.base = 0
        self.line = 1
        self.line_start = 0
        # where the document begins, and the furthest that it may go
        self._begin_document(0)
        self.starts = False
        # how far the open string or key may go, and how far plain content is a piece of it without a second
        # look: nowhere (0) if none is open, or an escape, half a pair or a character in bytes is under way
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
        """Tell how far the text has been read."""
        return Position(self.base, self.line, self.base - self.line_start + 1)

    def current_mode(self) -> int:
        """Tell what may follow: one of `_modes`."""
        return self.mode

    def current_error(self) -> ParserError | None:
        """Give the error that ended the text."""
        return self.error

    def is_complete(self) -> bool:
        """Tell whether a whole document has been read and nothing is in flight."""
        return self._is_behind_root() and not self.carry

    def _is_behind_root(self) -> bool:
        mode = self.mode
        return mode == AFTER_ROOT or mode == BETWEEN or mode == TRAILING or mode == SPENT

    def _open(self, c: str, visitor: Visitor) -> None:
        """Enter the container that the bracket c opens."""
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
        """Leave the innermost container, whose last character stands before i."""
        if self.after == AFTER_MEMBER:
            self.objects -= 1
            visitor.end_object()
        else:
            visitor.end_array()
        self.mode = self.after = self.stack.pop()
        if self.mode == AFTER_ROOT:
            self._end_root(i, visitor)

    def _end_root(self, i: int, visitor: Visitor) -> None:
        """Go on behind a complete document, whose last character stands before i."""
        self.mode = self.after_root
        if self.mode == BETWEEN:
            self._begin_document(self.base + i)
        visitor.document()

    def _begin_document(self, start: int) -> None:
        """Let a document begin there, and have the room that it may take."""
        self.document_start = start
        self.document_end = start + self.max_document if self.max_document < FURTHEST - start else FURTHEST

    def _become(self, other: Machine) -> None:
        """Take over everything that another machine knows."""
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
        """Save everything but the options, as plain data."""
        afters = [*self.stack[1:], self.after] if self.stack else []
        strings, numbers, error = self.strings, self.numbers, self.error
        token: list[Any] = []
        if self.mode == STRING or self.mode == KEY:
            # the end is counted from the limit; what is saved must not depend on how
            token = [self.max_string - (self.string_end - self.base), strings.place, strings.high]
            # behind the backslash alone, the code is still that of the escape before
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
        """Go on from a saved state; ValueError, KeyError or TypeError if it is none."""
        self.mode = _whole(state["mode"], FAILED)
        for bracket in state["open"]:
            if bracket not in ("{", "["):
                raise ValueError("no such bracket")
            self.stack.append(self.after)
            self.after = AFTER_MEMBER if bracket == "{" else AFTER_ITEM
            self.objects += bracket == "{"
        self.base, self.line, self.line_start, document_start = map(_whole, state["position"])
        self._begin_document(document_start)
        if self.base > self.document_end:
            raise ValueError("further than the document may go")
        token = state["token"]
        if self.mode == STRING or self.mode == KEY:
            used, place, high, code, key = token
            self.string_end = self.base + max(0, self.max_string - _whole(used))
            # behind the backslash and the u, each character is a digit of the code
            code = _whole(code, 16 ** max(0, _whole(place, 5) - 2) - 1)
            if _whole(high, 0xDBFF) and high < 0xD800:
                raise ValueError("no high half of a pair")
            self.strings.load(place, code, high)
            self.token.load(key)
        elif self.mode == NUMBER:
            number_state, text = token
            self.numbers.load(_whole(number_state, 8), load_text(text))
        elif self.mode == LITERAL:
            self.literal_word, literal_at = token
            if self.literal_word not in ("true", "false", "null"):
                raise ValueError("no such literal")
            self.literal_at = _whole(literal_at, len(self.literal_word) - 1)
        elif self.mode == SKIP:
            skip_from, skip_depth, skip_quote = token
            self.skip_from = _whole(skip_from, FAILED)
            self.skip_depth = _whole(skip_depth)
            self.skip_quote = _whole(skip_quote, 2)
        if state["trailing"]:
            self.trailing = TextBuffer()
            self.trailing.load(state["trailing"])
        self.carry = bytes(state["carry"])
        self.finished = bool(state["finished"])
        if state["error"] is not None:
            code, *place = state["error"]
            self.error = ParserError.at(ErrorCode(code), *map(_whole, place))
        if (self.mode == FAILED) != (self.error is not None):
            raise ValueError("failed without an error")


def _limit(limit: int | None) -> int:
    return UNLIMITED if limit is None or limit > _MOST else limit


def _whole(number: object, most: int = UNLIMITED) -> int:
    """Check that a loaded number is a count of that size at the most."""
    if type(number) is not int or not 0 <= number <= most:
        raise ValueError("no such number")
    return number

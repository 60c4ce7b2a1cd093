# cython: boundscheck=False
"""Error handling of the state machine: stop, or skip to a place where the structure can be resumed.

Every error is reported to the visitor once. A machine that must not recover is FAILED from then on and
accepts nothing more. A machine that may recover skips the invalid span; what was reported before remains
valid, and no value is made up from the invalid span.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ErrorCode, ParserError
from . import cython_shim as cython
from .machine import Machine
from .text import TextBuffer

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .modes import (
        AFTER_ITEM,
        AFTER_MEMBER,
        AFTER_ROOT,
        BETWEEN,
        COLON,
        DISCARD,
        FAILED,
        IN_CONTAINER,
        IN_NEXT_VALUE,
        IN_STRING,
        KEY,
        LITERAL,
        NEXT_ITEM,
        NEXT_KEY,
        NUMBER,
        SKIP,
        START,
        STRING,
        TRAILING,
        VALUE,
    )

if TYPE_CHECKING:
    from .visitor import Visitor

__all__ = ["Recovery"]


@cython.cclass
class Recovery(Machine):
    """Add the reactions to errors."""

    __slots__ = ()

    def _fail_finally(self, code: ErrorCode, i: int, visitor: Visitor) -> None:
        """Report an error after which recovery is impossible."""
        self.recover = False
        self._fail(code, i, visitor)

    def _fail(self, code: ErrorCode, i: int, visitor: Visitor) -> int:
        """Report an error at i, and return the index at which to continue."""
        index = self.base + i
        error = ParserError.at(code, index, self.line, index - self.line_start + 1)
        mode = self.mode
        if mode == STRING:
            where = IN_STRING
            pending = self.strings.finish()
            if pending:
                visitor.string(pending, False, False)
        elif mode <= NEXT_ITEM or mode == NUMBER or mode == LITERAL:
            where = IN_NEXT_VALUE
        else:
            where = IN_CONTAINER
        visitor.error(error, where)
        self.token.clear()
        self.strings.begin()
        self.numbers.begin()
        self.clear_until = 0
        if not self.recover:
            self.error = error
            self.mode = FAILED
            self.base = index
            self.carry = b""
        elif mode == AFTER_ROOT:
            self.mode = DISCARD
        elif mode != TRAILING and mode != DISCARD:
            self.mode = SKIP
            # a container that is nested too deeply is skipped: its bracket must not be read again
            self.skip_from = SKIP if code == ErrorCode.DEPTH_LIMIT else mode
            self.skip_begins = True
            self.skip_depth = 0
            self.skip_quote = 1 if mode == STRING or mode == KEY else 0
        return i

    def _skip(self, text: str, i: int, n: int, visitor: Visitor) -> int:
        """Skip an invalid span up to the next token at which the structure can be resumed.

        That is the comma after it or a bracket that closes a container around it; at the root, the next
        container that opens. Strings and containers inside the span are skipped completely. Where only a
        comma or a colon is missing, reading resumes at the offending token itself.
        """
        c = text[i]
        if self.skip_begins:
            self.skip_begins = False
            if c == '"' or c == "{" or c == "[":
                self.mode = self._mode_for_missing_separator(c)
                if self.mode != SKIP:
                    return i
        while i < n:
            c = text[i]
            i += 1
            if c == "\n":
                self._count_lines(text, i - 1, i)
                if not self.stack and self.after_root == BETWEEN:
                    # each document of a sequence stands on a line of its own
                    self.mode = BETWEEN
                    return i
            elif self.skip_quote:
                # 1: inside a string; 2: after a backslash in it
                if self.skip_quote == 2 or c == '"':
                    self.skip_quote -= 1
                elif c == "\\":
                    self.skip_quote = 2
            elif c == '"':
                self.skip_quote = 1
            elif c == "{" or c == "[":
                if not self.stack and self.skip_from != SKIP:
                    self.mode = START
                    return i - 1
                self.skip_depth += 1
            elif c == "}" or c == "]":
                if self.skip_depth:
                    self.skip_depth -= 1
                elif self._is_open(c):
                    self._close_to(c, i, visitor)
                    return i
            elif self.skip_depth == 0:
                if c == "," and self.stack:
                    self.mode = NEXT_KEY if self.after == AFTER_MEMBER else NEXT_ITEM
                    return i
                if c == ":" and self.skip_from == COLON:
                    self.mode = VALUE
                    return i
        return i

    def _mode_for_missing_separator(self, c: str) -> int:
        """Return the mode in which a token that begins with c is valid, if only a separator is missing."""
        if self.skip_from == AFTER_ITEM:
            return NEXT_ITEM
        if self.skip_from == COLON:
            return VALUE
        if self.skip_from == AFTER_MEMBER and c == '"':
            return NEXT_KEY
        return SKIP

    def _is_open(self, c: str) -> bool:
        """Report whether an open container matches a closing bracket."""
        return self.objects > 0 if c == "}" else len(self.stack) > self.objects

    def _close_to(self, c: str, i: int, visitor: Visitor) -> None:
        """Close the container that the bracket before i is meant for.

        If the bracket does not match the innermost container, the brackets up to the next container that it
        matches are missing. But if it matches only the root, closing the root would lose all that follows:
        then it is taken for a mistyped bracket of the innermost container.
        """
        fits = AFTER_MEMBER if c == "}" else AFTER_ITEM
        count = self.objects if c == "}" else len(self.stack) - self.objects
        root = self.stack[1] if len(self.stack) > 1 else self.after
        if count > 1 or root != fits:
            while self.after != fits:
                self._close(i, visitor)
        self._close(i, visitor)

    def _read_after_root(self, text: str, i: int, n: int) -> int:
        """Read text after the root: keep it or discard it."""
        self._count_lines(text, i, n)
        if self.mode == TRAILING:
            if self.trailing is None:
                self.trailing = TextBuffer()
            self.trailing.append(text[i:n])
        return n

    def _count_lines(self, text: str, i: int, n: int) -> None:
        lines = text.count("\n", i, n)
        if lines:
            self.line += lines
            self.line_start = self.base + text.rindex("\n", i, n) + 1

# cython: boundscheck=False
"""What the machine does about an error: stop for good, or find where the structure goes on.

Every error is announced to the visitor once. Then a machine that may not recover is FAILED and
takes nothing more. One that may recover passes over the damaged span; what was announced before
stays as it was, and no value is made up from the damage.
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
        SPENT,
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
    """The machine's answers to errors."""

    __slots__ = ()

    def _fail_for_good(self, code: ErrorCode, i: int, visitor: Visitor) -> None:
        """Report an error behind which there is nothing to go on with."""
        self.recover = False
        self._fail(code, i, visitor)

    def _fail(self, code: ErrorCode, i: int, visitor: Visitor) -> int:
        """Report an error at i; give where to go on."""
        index = self.base + i
        error = ParserError.at(code, index, self.line, index - self.line_start + 1)
        mode = self.mode
        if mode == STRING:
            where = IN_STRING
            held = self.strings.finish()
            if held:
                visitor.string(held, False, False)
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
            self.mode = SPENT
        elif mode != TRAILING and mode != SPENT:
            self.mode = SKIP
            # a container that is too deep is damage: its bracket must not be read again
            self.skip_from = SKIP if code == ErrorCode.DEPTH_LIMIT else mode
            self.skip_begins = True
            self.skip_depth = 0
            self.skip_quote = 1 if mode == STRING or mode == KEY else 0
        return i

    def _skip(self, text: str, i: int, n: int, visitor: Visitor) -> int:
        """Pass over a damaged span to the next token with which the structure can go on.

        That is the comma behind it or a bracket that closes a container around it; at the root,
        the next container that opens. Strings and containers inside the span are passed over
        whole. Where only a comma or a colon is missing, the offending token itself will do.
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
                    # documents that follow each other stand on lines of their own
                    self.mode = BETWEEN
                    return i
            elif self.skip_quote:
                # 1: inside a string; 2: behind a backslash in it
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
        """Find the mode in which the token that begins with c is what was to come next."""
        if self.skip_from == AFTER_ITEM:
            return NEXT_ITEM
        if self.skip_from == COLON:
            return VALUE
        if self.skip_from == AFTER_MEMBER and c == '"':
            return NEXT_KEY
        return SKIP

    def _is_open(self, c: str) -> bool:
        """Tell whether there is a container for a closing bracket to close."""
        return self.objects > 0 if c == "}" else len(self.stack) > self.objects

    def _close_to(self, c: str, i: int, visitor: Visitor) -> None:
        """Close what the bracket before i must mean, if it does not fit the innermost container.

        Brackets are missing, then, up to the next container that it fits. But if only the root
        fits, all that follows would be lost: then it is taken for a slip of the right one.
        """
        fits = AFTER_MEMBER if c == "}" else AFTER_ITEM
        count = self.objects if c == "}" else len(self.stack) - self.objects
        root = self.stack[1] if len(self.stack) > 1 else self.after
        if count > 1 or root != fits:
            while self.after != fits:
                self._close(i, visitor)
        self._close(i, visitor)

    def _pass_over(self, text: str, i: int, n: int) -> int:
        """Take text behind the root: keep it or not."""
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

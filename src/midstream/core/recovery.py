# cython: boundscheck=False
"""Error handling of the state machine: stop, or skip to a place where the structure can be resumed.

Every error is reported to the visitor once. A machine that must not recover is FAILED from then on and
accepts nothing more. A machine that may recover skips the invalid span; what was reported before remains
valid, and the invalid span adds no value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ErrorCode, ParserError
from . import cython_shim as cython
from .text import TextBuffer

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .machine import disable_fast_path
    from .modes import (
        AFTER_ITEM,
        AFTER_MEMBER,
        AFTER_ROOT,
        BARE_STRING,
        BEGUN,
        BETWEEN,
        COLON,
        DISCARD,
        FAILED,
        IN_CONTAINER,
        IN_NEXT_VALUE,
        IN_STRING,
        KEY,
        LENIENT_KEY,
        LENIENT_STRING,
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
    from .structure import close_container

if TYPE_CHECKING:
    from .machine import Machine
    from .visitor import Visitor

__all__ = ["close_to", "count_lines", "fail", "fail_finally", "is_open", "read_after_root", "skip"]


def fail(machine: Machine, code: ErrorCode, i: int, visitor: Visitor) -> int:
    """Report an error at i and stop, or begin to skip; return the index at which to continue."""
    mode = machine.mode
    if not machine.options.recover:
        fail_finally(machine, code, i, visitor)
        return i
    _report(machine, code, i, visitor)
    if mode == AFTER_ROOT:
        machine.mode = DISCARD
    elif mode != TRAILING and mode != DISCARD:
        machine.mode = SKIP
        # a container that is nested too deeply is skipped: its bracket must not be read again
        machine.skip_from = SKIP if code == ErrorCode.DEPTH_LIMIT else mode
        machine.skip_starts = True
        machine.skip_depth = 0
        machine.skip_quote = (
            1 if mode == STRING or mode == KEY or mode == LENIENT_STRING or mode == LENIENT_KEY else 0
        )
    return i


def fail_finally(machine: Machine, code: ErrorCode, i: int, visitor: Visitor) -> None:
    """Report an error at i and stop, even if the machine may recover from other errors."""
    machine.error = _report(machine, code, i, visitor)
    machine.mode = FAILED
    machine.base += i
    machine.carry = b""


def _report(machine: Machine, code: ErrorCode, i: int, visitor: Visitor) -> ParserError:
    """Report an error to the visitor, and drop the open token."""
    index = machine.base + i
    error = ParserError.at(code, index, machine.line, index - machine.line_start + 1)
    mode = machine.mode
    if mode == STRING:
        where = IN_STRING
        pending = machine.strings.finish()
        if pending:
            visitor.string(pending, False, False)
    elif (mode == LENIENT_STRING and machine.flags & BEGUN) or mode == BARE_STRING:
        where = IN_STRING
    elif mode <= NEXT_ITEM or mode == LENIENT_STRING or mode == NUMBER or mode == LITERAL:
        where = IN_NEXT_VALUE
    else:
        where = IN_CONTAINER
    visitor.error(error, where)
    machine.token.clear()
    machine.strings.begin()
    machine.numbers.begin()
    disable_fast_path(machine)
    return error


def skip(machine: Machine, text: str, i: int, n: int, visitor: Visitor) -> int:
    """Skip an invalid span up to the next token at which the structure can be resumed.

    That is the comma after the span or a bracket that closes a container around it; at the root, the next
    bracket that opens a container. Strings and containers inside the span are skipped completely. If only
    a comma or a colon is missing, reading resumes at the offending token itself.
    """
    c = text[i]
    if machine.skip_starts:
        machine.skip_starts = False
        if c == '"' or c == "{" or c == "[":
            machine.mode = _mode_for_missing_separator(machine, c)
            if machine.mode != SKIP:
                return i
    while i < n:
        c = text[i]
        i += 1
        if c == "\n":
            count_lines(machine, text, i - 1, i)
            if not machine.stack and machine.options.after_root == BETWEEN:
                # each document of a sequence stands on a line of its own
                machine.mode = BETWEEN
                return i
        elif machine.skip_quote:
            # 1: inside a string; 2: after a backslash in it
            if machine.skip_quote == 2 or c == '"':
                machine.skip_quote -= 1
            elif c == "\\":
                machine.skip_quote = 2
        elif c == '"':
            machine.skip_quote = 1
        elif c == "{" or c == "[":
            if not machine.stack and machine.skip_from != SKIP:
                machine.mode = START
                return i - 1
            machine.skip_depth += 1
        elif c == "}" or c == "]":
            if machine.skip_depth:
                machine.skip_depth -= 1
            elif is_open(machine, c):
                close_to(machine, c, i, visitor)
                return i
        elif machine.skip_depth == 0:
            if c == "," and machine.stack:
                machine.mode = NEXT_KEY if machine.after == AFTER_MEMBER else NEXT_ITEM
                return i
            if c == ":" and machine.skip_from == COLON:
                machine.mode = VALUE
                return i
    return i


def _mode_for_missing_separator(machine: Machine, c: str) -> int:
    """Return the mode in which a token that begins with c is valid, if only a separator is missing."""
    if machine.skip_from == AFTER_ITEM:
        return NEXT_ITEM
    if machine.skip_from == COLON:
        return VALUE
    if machine.skip_from == AFTER_MEMBER and c == '"':
        return NEXT_KEY
    return SKIP


def is_open(machine: Machine, c: str) -> bool:
    """Report whether an open container matches a closing bracket."""
    return machine.objects > 0 if c == "}" else len(machine.stack) > machine.objects


def close_to(machine: Machine, c: str, i: int, visitor: Visitor) -> None:
    """Close the container that the bracket before i is meant for.

    If the bracket does not match the innermost container, the brackets up to the next container that it
    matches are missing. But if it matches only the root, closing the root would lose all that follows. It is
    then treated as a mistyped bracket of the innermost container.
    """
    fits = AFTER_MEMBER if c == "}" else AFTER_ITEM
    count = machine.objects if c == "}" else len(machine.stack) - machine.objects
    root = machine.stack[1] if len(machine.stack) > 1 else machine.after
    if count > 1 or root != fits:
        while machine.after != fits:
            close_container(machine, i, visitor)
    close_container(machine, i, visitor)


def read_after_root(machine: Machine, text: str, i: int, n: int) -> int:
    """Read text after the root: keep it or discard it."""
    count_lines(machine, text, i, n)
    if machine.mode == TRAILING:
        if machine.trailing is None:
            machine.trailing = TextBuffer()
        machine.trailing.append(text[i:n])
    return n


def count_lines(machine: Machine, text: str, i: int, n: int) -> None:
    """Count the lines that end in text[i:n]."""
    lines = text.count("\n", i, n)
    if lines:
        machine.line += lines
        machine.line_start = machine.base + text.rindex("\n", i, n) + 1

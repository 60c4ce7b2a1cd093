# cython: boundscheck=False
"""The lenient dialect: structure that breaks a rule of RFC 8259 (rules P1 to P11 and the root).

The strict grammar calls `repair` with a character at which it would report an error. It decides what the
character was meant for, reports the repair, and returns the index at which to continue, usually with the
character itself in another mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ErrorCode, RepairCode
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .bare_tokens import begin_bare, begin_bare_string, read_bare_key, read_bare_string
    from .lenient_strings import begin_odd_string
    from .look_ahead import comment_at, ellipsis_at, is_name_start, is_odd_space, is_quote, names_member
    from .modes import (
        AFTER_ITEM,
        AFTER_ROOT,
        BARE_KEY,
        BARE_STRING,
        BETWEEN,
        COLON,
        FIRST_ITEM,
        FIRST_KEY,
        MORE,
        NEXT_ITEM,
        NEXT_KEY,
        NO,
        OPEN,
        SKIP,
        START,
        VALUE,
        YES,
    )
    from .recovery import close_to, fail, is_open
    from .repairs import begin_comment, forget_closed, hold, is_wrapped, read_comment, report, wrap
    from .structure import close_container, end_value, open_container

if TYPE_CHECKING:
    from .machine import Machine
    from .visitor import Visitor

__all__ = ["continue_lenient", "repair"]


def continue_lenient(machine: Machine, text: str, i: int, n: int, final: int, visitor: Visitor) -> int:
    """Continue in a token without quotes, or in a comment; return where reading stopped."""
    mode = machine.mode
    if mode == BARE_STRING:
        return read_bare_string(machine, text, i, n, final, visitor)
    if mode == BARE_KEY:
        return read_bare_key(machine, text, i, n, final, visitor)
    return read_comment(machine, text, i, n, final)


def repair(
    machine: Machine,
    code: ErrorCode,
    text: str,
    chars: str,
    i: int,
    n: int,
    final: int,
    visitor: Visitor,
) -> int:
    """React to text[i], which breaks a rule of the structure; return the index at which to continue.

    The order of the questions is the order of precedence, so they are in one function.
    """
    c = text[i]
    mode = machine.mode
    is_final = final != OPEN
    if c == "/" or c == "#":
        verdict = comment_at(text, i, n, True, is_final)
        if verdict == MORE:
            return hold(machine, text, i, n)
        if verdict == YES:
            return begin_comment(machine, text, i, c == "/" and text[i + 1] == "*", visitor)
    elif is_odd_space(c):
        if machine.odd_end != machine.base + i or i + machine.base == 0:
            # a run of them is one repair, wherever it is cut
            report(machine, RepairCode.ODD_SPACE, text, i, i, visitor)
        machine.odd_end = machine.base + i + 1
        return i + 1
    if mode <= BETWEEN or mode == AFTER_ROOT:
        return _repair_root(machine, code, text, chars, i, n, final, visitor)
    if c == "\\":
        if i + 1 == n and not is_final:
            return hold(machine, text, i, n)
        if i + 1 < n and text[i + 1] in "nrt":
            report(machine, RepairCode.ESCAPED_SPACE, text, i, i, visitor)
            return i + 2
    elif c == "." or c == "…":
        verdict = ellipsis_at(text, i, n, is_final)
        if verdict == MORE:
            return hold(machine, text, i, n)
        if verdict == YES:
            report(machine, RepairCode.ELLIPSIS, text, i, i, visitor)
            if mode == FIRST_ITEM or mode == NEXT_ITEM or mode == FIRST_KEY or mode == NEXT_KEY:
                # as after a value, so that neither the comma before it nor the one after it is too many
                machine.mode = machine.after
            return i + (1 if c == "…" else 3)
    elif (c == "`" or c == "~") and machine.fence and _is_line_start(machine, text, i):
        verdict = _closing_fence(machine, text, i, n, is_final)
        if verdict == MORE:
            return hold(machine, text, i, n)
        if verdict == YES:
            _complete_member(machine, text, i, visitor)
            report(machine, RepairCode.UNCLOSED, text, i, i, visitor)
            while machine.stack:
                close_container(machine, i, visitor)
            return i
    elif c == ")" and _close_parenthesis(machine, text, i, visitor):
        return i + 1
    if mode == VALUE:
        return _repair_value(machine, text, chars, i, n, final, visitor)
    if mode <= NEXT_ITEM:
        return _repair_item(machine, text, chars, i, n, final, visitor)
    if mode <= NEXT_KEY:
        return _repair_key(machine, text, chars, i, n, final, visitor)
    if mode == COLON:
        return _repair_colon(machine, text, i, n, final, visitor)
    return _repair_separator(machine, text, i, n, final, visitor)


def _repair_root(
    machine: Machine,
    code: ErrorCode,
    text: str,
    chars: str,
    i: int,
    n: int,
    final: int,
    visitor: Visitor,
) -> int:
    """Repair what stands before or after the root, if the dialect knows it."""
    c = text[i]
    if (c == "}" or c == "]" or c == ")") and machine.mode != START:
        if c == ")" and is_wrapped(machine):
            machine.wrappers.pop()
        else:
            report(machine, RepairCode.EXTRA_CLOSER, text, i, i, visitor)
        return i + 1
    if machine.mode != AFTER_ROOT:
        if c == "(":
            return _open_tuple(machine, text, i, visitor)
        if is_quote(c) and c != "`":
            return begin_odd_string(machine, text, chars, i, n, final, visitor)
        if c == "+" or c == "." or is_name_start(c):
            return begin_bare(machine, text, chars, i, n, final, visitor)
    return fail(machine, code, i, visitor)


def _open_tuple(machine: Machine, text: str, i: int, visitor: Visitor) -> int:
    """Open the array of the parenthesis at text[i]."""
    if len(machine.stack) >= machine.options.max_depth:
        return fail(machine, ErrorCode.DEPTH_LIMIT, i, visitor)
    report(machine, RepairCode.TUPLE, text, i, i, visitor)
    forget_closed(machine)
    open_container(machine, "[", visitor)
    wrap(machine, False)
    return i + 1


def _close_parenthesis(machine: Machine, text: str, i: int, visitor: Visitor) -> bool:
    """Close the innermost open parenthesis, and all containers in it; return False if there is none."""
    forget_closed(machine)
    wrappers = machine.wrappers
    depth = len(machine.stack)
    if not wrappers:
        return False
    innermost = wrappers.pop()
    if innermost >> 1 < depth:
        _complete_member(machine, text, i, visitor)
        report(machine, RepairCode.WRONG_CLOSER, text, i, i, visitor)
        while len(machine.stack) > innermost >> 1:
            close_container(machine, i, visitor)
    elif innermost & 1:
        if machine.mode == NEXT_KEY:
            report(machine, RepairCode.TRAILING_COMMA, text, i, i, visitor)
            machine.mode = machine.after
        elif machine.mode != machine.after:
            # a call without an argument
            _add_null(machine, text, i, visitor)
    elif machine.mode == NEXT_ITEM:
        report(machine, RepairCode.TRAILING_COMMA, text, i, i, visitor)
    if not innermost & 1:
        close_container(machine, i + 1, visitor)
    return True


def _add_null(machine: Machine, text: str, i: int, visitor: Visitor) -> None:
    """Report a value that is missing before text[i], and that it is null."""
    report(machine, RepairCode.MISSING_VALUE, text, i, i, visitor)
    visitor.literal(None)
    end_value(machine, i, visitor)


def _complete_member(machine: Machine, text: str, i: int, visitor: Visitor) -> None:
    """Complete a member of which only the key has been written, before its object is closed."""
    if machine.mode == COLON or machine.mode == VALUE:
        machine.mode = VALUE
        _add_null(machine, text, i, visitor)


def _skip(machine: Machine, text: str, i: int, visitor: Visitor) -> int:
    """Skip text up to the next place where the structure can be resumed."""
    report(machine, RepairCode.JUNK, text, i, i, visitor)
    machine.skip_from = machine.mode
    machine.skip_starts = False
    machine.skip_depth = 0
    machine.skip_quote = 0
    machine.mode = SKIP
    return i


def _drop(machine: Machine, code: RepairCode, text: str, i: int, visitor: Visitor) -> int:
    """Skip one character."""
    report(machine, code, text, i, i, visitor)
    return i + 1


def _close_other(machine: Machine, text: str, i: int, visitor: Visitor) -> int:
    """Close the container that the bracket at text[i] is meant for, or skip the bracket if there is none."""
    c = text[i]
    if not is_open(machine, c):
        return _drop(machine, RepairCode.EXTRA_CLOSER, text, i, visitor)
    report(machine, RepairCode.WRONG_CLOSER, text, i, i, visitor)
    close_to(machine, c, i + 1, visitor)
    return i + 1


def _repair_value(
    machine: Machine, text: str, chars: str, i: int, n: int, final: int, visitor: Visitor
) -> int:
    """Repair what stands after a colon."""
    c = text[i]
    if c == "," or c == "}" or c == ";" or (c == "]" and is_open(machine, c)):
        _add_null(machine, text, i, visitor)
        return i
    if c == ":" or c == "=" or c == ">" or c == ")" or c == "]":
        return _drop(machine, RepairCode.JUNK, text, i, visitor)
    return _begin_value(machine, text, chars, i, n, final, visitor)


def _repair_item(
    machine: Machine, text: str, chars: str, i: int, n: int, final: int, visitor: Visitor
) -> int:
    """Repair what stands in an array where an item may begin."""
    c = text[i]
    if c == "]":
        report(machine, RepairCode.TRAILING_COMMA, text, i, i, visitor)
        close_container(machine, i + 1, visitor)
        return i + 1
    if c == "}":
        return _close_other(machine, text, i, visitor)
    if c == ",":
        return _drop(machine, RepairCode.EXTRA_COMMA, text, i, visitor)
    if c == ";":
        return _drop(machine, RepairCode.SEMICOLON, text, i, visitor)
    if c == ":" or c == "=" or c == ")":
        return _drop(machine, RepairCode.JUNK, text, i, visitor)
    return _begin_value(machine, text, chars, i, n, final, visitor)


def _begin_value(
    machine: Machine, text: str, chars: str, i: int, n: int, final: int, visitor: Visitor
) -> int:
    """Read a value that begins at text[i] with a character with which none begins in JSON."""
    c = text[i]
    if is_quote(c):
        return begin_odd_string(machine, text, chars, i, n, final, visitor)
    if c == "\\" and i + 1 < n and text[i + 1] == '"':
        return begin_odd_string(machine, text, chars, i, n, final, visitor)
    if c == "(":
        return _open_tuple(machine, text, i, visitor)
    if c == "+" or c == "." or is_name_start(c):
        return begin_bare(machine, text, chars, i, n, final, visitor)
    if c < " " or c == "\x7f":
        return _drop(machine, RepairCode.JUNK, text, i, visitor)
    return begin_bare_string(machine, text, i, i, n, final, visitor)


def _repair_key(machine: Machine, text: str, chars: str, i: int, n: int, final: int, visitor: Visitor) -> int:
    """Repair what stands in an object where a key may begin."""
    c = text[i]
    if c == "}":
        report(machine, RepairCode.TRAILING_COMMA, text, i, i, visitor)
        close_container(machine, i + 1, visitor)
        return i + 1
    if c == ",":
        return _drop(machine, RepairCode.EXTRA_COMMA, text, i, visitor)
    if c == ";":
        return _drop(machine, RepairCode.SEMICOLON, text, i, visitor)
    if c == "{":
        return _drop(machine, RepairCode.EXTRA_BRACE, text, i, visitor)
    if c == "]":
        return _close_other(machine, text, i, visitor)
    if is_quote(c):
        return begin_odd_string(machine, text, chars, i, n, final, visitor)
    if c == "\\" and i + 1 < n and text[i + 1] == '"':
        return begin_odd_string(machine, text, chars, i, n, final, visitor)
    if c == ":" or c == "[" or c == "(" or c == ")" or c == "\\" or c == "=" or c < " ":
        return _skip(machine, text, i, visitor)
    return read_bare_key(machine, text, i, n, final, visitor)


def _repair_colon(machine: Machine, text: str, i: int, n: int, final: int, visitor: Visitor) -> int:
    """Repair what stands between a key and its value."""
    c = text[i]
    if c == "=":
        if i + 1 == n and final == OPEN:
            return hold(machine, text, i, n)
        report(machine, RepairCode.EQUALS, text, i, i, visitor)
        machine.mode = VALUE
        return i + 2 if i + 1 < n and text[i + 1] == ">" else i + 1
    if c == "," or c == "}" or c == ";" or c == "]":
        machine.mode = VALUE
        _add_null(machine, text, i, visitor)
        return i
    if c == ")" or c < " ":
        return _drop(machine, RepairCode.JUNK, text, i, visitor)
    report(machine, RepairCode.MISSING_COLON, text, i, i, visitor)
    machine.mode = VALUE
    return i


def _repair_separator(machine: Machine, text: str, i: int, n: int, final: int, visitor: Visitor) -> int:
    """Repair what stands after a member or an item."""
    c = text[i]
    is_item = machine.mode == AFTER_ITEM
    next_mode = NEXT_ITEM if is_item else NEXT_KEY
    if c == "}" or c == "]":
        return _close_other(machine, text, i, visitor)
    if c == ";":
        machine.mode = next_mode
        return _drop(machine, RepairCode.SEMICOLON, text, i, visitor)
    is_missing = is_quote(c)
    if c == "\\":
        is_missing = i + 1 < n and text[i + 1] == '"'
    elif is_item:
        if c == ":":
            report(machine, RepairCode.MISSING_COMMA, text, i, i, visitor)
            machine.mode = next_mode
            return i + 1
        if c == "{" or c == "[" or c == "(" or c == "-" or "0" <= c <= "9" or is_name_start(c):
            is_missing = True
    elif is_name_start(c):
        verdict = names_member(text, i, n, final != OPEN)
        if verdict == MORE:
            return hold(machine, text, i, n)
        is_missing = verdict == YES
    if not is_missing:
        return _skip(machine, text, i, visitor)
    report(machine, RepairCode.MISSING_COMMA, text, i, i, visitor)
    machine.mode = next_mode
    return i


def _is_line_start(machine: Machine, text: str, i: int) -> bool:
    """Report whether only spaces precede text[i] on its line."""
    j = i - 1
    while j >= 0 and (text[j] == " " or text[j] == "\t" or text[j] == "\r"):
        j -= 1
    return bool(machine.line_is_blank) if j < 0 else text[j] == "\n"


def _closing_fence(machine: Machine, text: str, i: int, n: int, is_final: bool) -> int:
    """Report whether the code fence around the document is closed at text[i]."""
    length = abs(machine.fence)
    if text[i] != ("`" if machine.fence > 0 else "~"):
        return NO
    j = i
    while j < n and j < i + length and text[j] == text[i]:
        j += 1
    if j == i + length:
        return YES
    return MORE if j == n and not is_final else NO

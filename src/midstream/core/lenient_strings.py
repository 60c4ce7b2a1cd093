# cython: boundscheck=False
"""The lenient dialect: strings and keys between quotes of any kind, cut anywhere (rules S1 to S8).

A quote closes the string only if what follows it can follow a string (``look_ahead``); otherwise it is
content. Everything else is reported to the visitor at once, except for an escape that is cut, and for a
comma with its white space at the end of a fragment: the closing quote may be missing before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ErrorCode, RepairCode
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .chars import comma_before, content_end, slice_of
    from .lenient_escapes import read_escape
    from .look_ahead import CLOSERS, names_quoted_member, quote_verdict, skip_space
    from .machine import disable_fast_path, enable_fast_path
    from .modes import (
        AFTER_ITEM,
        AFTER_MEMBER,
        AFTER_ROOT,
        BEGUN,
        COLON,
        ESCAPED,
        FRESH,
        JOIN,
        LENIENT_KEY,
        LENIENT_STRING,
        MORE,
        NEXT_ITEM,
        NO,
        OPEN,
        RAW,
        TRIPLE,
        YES,
    )
    from .recovery import count_lines, fail
    from .repairs import hold, report
    from .strings import _hex_digit, _simple, cached_key
    from .structure import end_root

if TYPE_CHECKING:
    from .machine import Machine
    from .visitor import Visitor

__all__ = ["begin_odd_string", "begin_string", "read_lenient_string"]


def begin_string(
    machine: Machine, text: str, chars: str, i: int, j: int, n: int, final: int, visitor: Visitor
) -> int:
    """Read a string or key after its quote, right before i, with plain content up to j."""
    is_key = machine.mode > NEXT_ITEM
    is_complete = j + 2 < n and chars[j] == '"' and j - i <= machine.options.string_limit
    if is_complete and _is_usual_end(machine, chars, j, n, is_key):
        if is_key:
            machine.mode = COLON
            visitor.key(cached_key(machine.strings, text, chars, i, j))
        else:
            machine.mode = machine.after
            visitor.string(slice_of(text, chars, i, j), True, True)
        return j + 1
    _open(machine, is_key, '"', FRESH)
    may_end = not is_key and machine.after == AFTER_MEMBER
    if j == n and j - i <= machine.room and final == OPEN and not (may_end and comma_before(text, i, j) >= 0):
        # nothing but plain content up to the end of the fragment
        machine.room -= j - i
        if j > i:
            machine.flags = 0
            enable_fast_path(machine, machine.room, j)
        if not is_key:
            machine.flags |= BEGUN
            visitor.string(slice_of(text, chars, i, j), True, False)
        elif j > i:
            machine.token.append(slice_of(text, chars, i, j))
        return j
    return read_lenient_string(machine, text, chars, i, n, final, visitor)


def _is_usual_end(machine: Machine, chars: str, j: int, n: int, is_key: bool) -> bool:
    """Report whether the double quote chars[j] is followed by what follows most strings of JSON."""
    if j + 1 >= n:
        return False
    c = chars[j + 1]
    if is_key:
        return c == ":"
    if c == ",":
        if j + 2 >= n or machine.after == AFTER_ROOT:
            return False
        c = chars[j + 2]
        return c == '"' or c == "\n" or (c == " " and j + 3 < n and chars[j + 3] == '"')
    return (c == "}" and machine.after == AFTER_MEMBER) or (c == "]" and machine.after == AFTER_ITEM)


def begin_odd_string(
    machine: Machine, text: str, chars: str, i: int, n: int, final: int, visitor: Visitor
) -> int:
    """Read a string or key that begins at text[i] with another quote, or with an escaped one."""
    c = text[i]
    is_key = machine.mode > NEXT_ITEM
    if c == "\\":
        report(machine, RepairCode.ESCAPED_QUOTE, text, i, i, visitor)
        _open(machine, is_key, '"', ESCAPED)
        return read_lenient_string(machine, text, chars, i + 2, n, final, visitor)
    flags = 0
    end = i + 1
    if c == "'" or c == "`":
        while end < n and end < i + 3 and text[end] == c:
            end += 1
        if end == n and end < i + 3 and final == OPEN:
            return hold(machine, text, i, n)
        flags = TRIPLE if end == i + 3 else 0
        if not flags:
            end = i + 1
    report(
        machine,
        RepairCode.TRIPLE_QUOTES
        if flags
        else RepairCode.SINGLE_QUOTES
        if c == "'"
        else RepairCode.ODD_QUOTES,
        text,
        i,
        i,
        visitor,
    )
    _open(machine, is_key, CLOSERS[c], flags)
    return read_lenient_string(machine, text, chars, end, n, final, visitor)


def _open(machine: Machine, is_key: bool, quotes: str, flags: int) -> None:
    machine.mode = LENIENT_KEY if is_key else LENIENT_STRING
    machine.quotes = quotes
    machine.flags = flags
    machine.room = machine.options.string_limit


def read_lenient_string(
    machine: Machine, text: str, chars: str, i: int, n: int, final: int, visitor: Visitor
) -> int:
    """Continue in the open string or key; return where reading stopped.

    text[start:j] is content that has not been reported yet. A comma before j may have to wait: it belongs to
    the string unless a quoted name and a colon follow. The function is long because each kind of character
    continues with the same state: what is pending, and since where.
    """
    quotes = machine.quotes
    is_final = final != OPEN
    disable_fast_path(machine)
    # whether the closing quote may be missing (rule S6)
    may_end = machine.mode == LENIENT_STRING and machine.after == AFTER_MEMBER
    may_end = may_end and not machine.flags & (TRIPLE | ESCAPED)
    start = j = i
    while True:
        if quotes == '"':
            j = content_end(chars, j, n)
        else:
            while j < n:
                c = text[j]
                if c < " " or c == "\\" or c in quotes:
                    break
                j += 1
        if j == n:
            comma = comma_before(text, start, j) if may_end and not is_final else -1
            if comma < 0:
                _add(machine, text, chars, start, j, visitor)
                if machine.room < 0:
                    return _too_long(machine, j, visitor)
                flags = machine.flags & (BEGUN | FRESH | TRIPLE | ESCAPED)
                if quotes == '"' and flags == (BEGUN if machine.mode == LENIENT_STRING else 0):
                    enable_fast_path(machine, machine.room, j)
                return j
            _add(machine, text, chars, start, comma, visitor)
            return hold(machine, text, comma, n) if machine.room >= 0 else _too_long(machine, comma, visitor)
        c = text[j]
        if c == "\\":
            simple = None
            end = j + 2
            if end <= n and not machine.flags & ESCAPED:
                c = chars[j + 1]
                simple = _simple(c)
                if c == "u" and j + 6 <= n:
                    simple = _code_unit(chars, end)
                    end = j + 6
            if simple is not None and j - start < machine.room:
                # an escape of JSON: its character is reported with what follows it
                machine.room -= j - start + 1
                machine.flags &= ~FRESH
                if j > start:
                    machine.token.append(slice_of(text, chars, start, j))
                machine.token.append(simple)
                start = j = end
                continue
            # the content before the escape
            _add(machine, text, chars, start, j, visitor)
            if machine.room < 0:
                return _too_long(machine, j, visitor)
            start = j
            if machine.flags & ESCAPED and j + 1 < n and text[j + 1] == '"':
                return _end(machine, text, chars, j, j, j + 2, visitor)
            j = read_escape(machine, text, j, n, is_final, visitor)
            if j < 0:
                if is_final:
                    # the rest of an escape that is cut off
                    return n
                return hold(machine, text, start, n)
            if machine.mode != LENIENT_STRING and machine.mode != LENIENT_KEY:
                return j
            machine.flags &= ~FRESH
            start = machine.seen
            continue
        if c < " ":
            if may_end and (j == start or not text[j - 1] < " "):
                comma = comma_before(text, start, j)
                if comma >= 0:
                    k = skip_space(text, j, n)
                    verdict = NO
                    if k == n:
                        verdict = NO if is_final else MORE
                    elif text[k] in quotes:
                        verdict = names_quoted_member(text, k + 1, n, quotes, is_final)
                    if verdict == MORE:
                        _add(machine, text, chars, start, comma, visitor)
                        if machine.room < 0:
                            return _too_long(machine, comma, visitor)
                        return hold(machine, text, comma, n)
                    if verdict == YES:
                        return _end_without_quote(machine, text, chars, start, comma, k, visitor)
            if not machine.flags & RAW:
                _add(machine, text, chars, start, j, visitor)
                if machine.room < 0:
                    return _too_long(machine, j, visitor)
                start = j
                report(machine, RepairCode.RAW_CONTROL, text, j, j, visitor)
                machine.flags |= RAW
            j += 1
            if c == "\n":
                if j - start > machine.room:
                    # before the line ends, in which the error is
                    _add(machine, text, chars, start, j, visitor)
                    return _too_long(machine, j, visitor)
                machine.line += 1
                machine.line_start = machine.base + j
            continue
        # a quote
        is_usual = quotes == '"' and not machine.flags & (TRIPLE | ESCAPED)
        if is_usual and _is_usual_end(machine, chars, j, n, machine.mode == LENIENT_KEY):
            return _end(machine, text, chars, start, j, j + 1, visitor)
        if machine.flags & TRIPLE:
            end = j + 1
            while end < n and end < j + 6 and text[end] == c:
                end += 1
            if end == n and end < j + 6 and not is_final:
                _add(machine, text, chars, start, j, visitor)
                return hold(machine, text, j, n) if machine.room >= 0 else _too_long(machine, j, visitor)
            if end < j + 3:
                j = end
                continue
            if end == j + 6:
                end = j + 3
            return _end(machine, text, chars, start, end - 3, end, visitor)
        if machine.flags & FRESH and j == i and c == '"':
            if j + 1 == n and not is_final:
                return hold(machine, text, j, n)
            if j + 1 < n and text[j + 1] == '"':
                _add(machine, text, chars, j, j, visitor)
                report(machine, RepairCode.TRIPLE_QUOTES, text, j, j + 1, visitor)
                machine.flags |= TRIPLE
                start = j = j + 2
                may_end = False
                continue
        comma = comma_before(text, start, j) if may_end else -1
        verdict = NO
        if comma >= 0 and j + 1 < n:
            verdict = names_quoted_member(text, j + 1, n, quotes, is_final)
            if verdict == YES:
                return _end_without_quote(machine, text, chars, start, comma, j, visitor)
        elif comma >= 0 and not is_final:
            verdict = MORE
        if verdict == NO:
            comma = j
            verdict = quote_verdict(machine, text, j, n, is_final)
        if verdict == YES:
            return _end(machine, text, chars, start, j, j + 1, visitor)
        _add(machine, text, chars, start, comma, visitor)
        if machine.room < 0:
            return _too_long(machine, comma, visitor)
        if verdict == MORE:
            return hold(machine, text, comma, n)
        if verdict == JOIN:
            report(machine, RepairCode.CONCATENATION, text, j, machine.seen, visitor)
            k = machine.seen_quote
            count_lines(machine, text, j, k)
            quotes = machine.quotes = CLOSERS[text[k]]
            machine.flags &= ~FRESH
            start = j = k + 1
        else:
            report(machine, RepairCode.INNER_QUOTE, text, j, machine.seen, visitor)
            start = j
            j += 1


def _code_unit(chars: str, i: int) -> str | None:
    """Return the character of the four hexadecimal digits at chars[i], None if it is not a character."""
    code = 0
    for k in range(i, i + 4):
        digit = _hex_digit(chars[k])
        if digit < 0:
            return None
        code = code * 16 + digit
    return None if 0xD800 <= code < 0xE000 else chr(code)


def _add(machine: Machine, text: str, chars: str, start: int, end: int, visitor: Visitor) -> None:
    """Report content; ``machine.room`` becomes negative if there is more than the limit allows."""
    room = machine.room
    machine.room = room - (end - start)
    if machine.room < 0:
        end = start + room
    has_escapes = machine.mode == LENIENT_STRING and not machine.token.is_empty()
    if end > start:
        machine.flags &= ~FRESH
    elif (machine.flags & BEGUN and not has_escapes) or machine.mode == LENIENT_KEY:
        start = -1
    if start >= 0:
        piece = text if end - start == len(text) else slice_of(text, chars, start, end)
        if has_escapes:
            piece = machine.token.take(piece)
        if machine.mode == LENIENT_KEY:
            machine.token.append(piece)
        elif machine.flags & BEGUN:
            visitor.more(piece)
        else:
            machine.flags |= BEGUN
            visitor.string(piece, True, False)


def _too_long(machine: Machine, i: int, visitor: Visitor) -> int:
    """Report that the string exceeds its limit, where text[:i] is too long by ``-machine.room``."""
    return fail(machine, ErrorCode.STRING_LIMIT, i + machine.room, visitor)


def _end(machine: Machine, text: str, chars: str, start: int, j: int, end: int, visitor: Visitor) -> int:
    """End the string or key with the content text[start:j]; return where reading continues."""
    if j - start > machine.room:
        _add(machine, text, chars, start, j, visitor)
        return _too_long(machine, j, visitor)
    if machine.mode == LENIENT_KEY:
        if machine.token.is_empty() and machine.quotes == '"':
            key = cached_key(machine.strings, text, chars, start, j)
        else:
            key = machine.token.take(text[start:j])
        machine.mode = COLON
        visitor.key(key)
        return end
    piece = slice_of(text, chars, start, j)
    if not machine.token.is_empty():
        piece = machine.token.take(piece)
    visitor.string(piece, not machine.flags & BEGUN, True)
    machine.mode = machine.after
    if machine.mode == AFTER_ROOT:
        end_root(machine, end, visitor)
    return end


def _end_without_quote(
    machine: Machine, text: str, chars: str, start: int, comma: int, quote: int, visitor: Visitor
) -> int:
    """End the string before a comma, after which a member begins at a quote."""
    _add(machine, text, chars, start, comma, visitor)
    if machine.room < 0:
        return _too_long(machine, comma, visitor)
    # where strict parsing reports a raw newline, or what follows the quote
    stop = comma + 1
    while stop < quote and text[stop] >= " ":
        stop += 1
    report(machine, RepairCode.MISSING_QUOTE, text, comma, stop if stop < quote else quote + 1, visitor)
    return _end(machine, text, chars, comma, comma, comma, visitor)

# cython: boundscheck=False
r"""The lenient dialect: escapes in strings (rule S5), and in strings whose quotes are escaped (S8).

An escape of RFC 8259 is read as there. Of another one the backslash is content, because it belongs to a path,
a pattern or a formula; except before quotes and underscores, and for characters by number: ``\x41``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ErrorCode, RepairCode
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .look_ahead import is_quote
    from .modes import ESCAPED, FRESH, LENIENT_KEY, RAW
    from .recovery import fail
    from .repairs import report
    from .strings import _hex_digit, _simple

if TYPE_CHECKING:
    from .machine import Machine
    from .visitor import Visitor

__all__ = ["read_escape"]


def read_escape(machine: Machine, text: str, i: int, n: int, is_final: bool, visitor: Visitor) -> int:
    """Read the escape at text[i]; return where it ends, -1 if it is cut.

    ``machine.seen`` is where the content continues that has not been reported: before the end if the
    backslash was only a character.
    """
    j = i + 1
    if j == n:
        return -1
    c = text[j]
    simple = _simple(c)
    if machine.flags & ESCAPED:
        return _read_twice_escaped(machine, text, i, n, visitor)
    if simple is not None:
        return _accept(machine, simple, j + 1, visitor)
    if c == "u" or c == "x" or c == "U":
        return _read_code(machine, text, i, n, is_final, visitor)
    report(machine, RepairCode.INVALID_ESCAPE, text, i, j, visitor)
    if c == "'" or c == "`" or c == "_" or (c >= "\x80" and is_quote(c)):
        return _accept(machine, c, j + 1, visitor)
    # the backslash is content, and so is what follows it
    machine.seen = i
    machine.flags &= ~FRESH
    return j


def _accept(machine: Machine, c: str, end: int, visitor: Visitor) -> int:
    """Report the character of an escape; return where it ends."""
    machine.seen = end
    _add_character(machine, c, visitor)
    if machine.room < 0:
        return fail(machine, ErrorCode.STRING_LIMIT, end - 1, visitor)
    return end


def _read_code(machine: Machine, text: str, i: int, n: int, is_final: bool, visitor: Visitor) -> int:
    r"""Read an escape with hexadecimal digits: \uXXXX, \u{…}, \xXX or \UXXXXXXXX."""
    kind = text[i + 1]
    j = i + 2
    is_braced = kind == "u" and j < n and text[j] == "{"
    if is_braced:
        j += 1
    first = j
    most = 6 if is_braced else 4 if kind == "u" else 2 if kind == "x" else 8
    code = 0
    while j < n and j < first + most:
        digit = _hex_digit(text[j])
        if digit < 0:
            break
        code = code * 16 + digit
        j += 1
    if j == n and (j < first + most or is_braced):
        return -1
    if is_braced:
        is_valid = j > first and text[j] == "}"
    else:
        is_valid = j == first + most
    if kind == "u" and not is_braced:
        if is_valid:
            return _read_unit(machine, text, j, n, code, is_final, visitor)
        report(machine, RepairCode.INVALID_ESCAPE, text, i, j, visitor)
    else:
        report(machine, RepairCode.INVALID_ESCAPE, text, i, i + 2 if is_braced else i + 1, visitor)
        if is_valid and code <= 0x10FFFF:
            return _accept(machine, chr(code), j + 1 if is_braced else j, visitor)
    machine.seen = i
    machine.flags &= ~FRESH
    return i + 1


def _read_unit(
    machine: Machine, text: str, j: int, n: int, code: int, is_final: bool, visitor: Visitor
) -> int:
    """Accept a code unit of UTF-16, and with a high surrogate the low one that follows it before text[j]."""
    if not 0xD800 <= code < 0xDC00:
        return _accept(machine, chr(code), j, visitor)
    k = j
    low = 0
    while k < n and k < j + 6:
        c = text[k]
        digit = _hex_digit(c)
        if k == j:
            if c != "\\":
                break
        elif k == j + 1:
            if c != "u":
                break
        elif digit < 0:
            break
        else:
            low = low * 16 + digit
        k += 1
    if k == n and k < j + 6 and not is_final:
        return -1
    if k == j + 6 and 0xDC00 <= low < 0xE000:
        return _accept(machine, chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), k, visitor)
    return _accept(machine, chr(code), j, visitor)


def _read_twice_escaped(machine: Machine, text: str, i: int, n: int, visitor: Visitor) -> int:
    r"""Read an escape in a string whose quotes are escaped, other than \", which closes it."""
    c = text[i + 1]
    if c != "\\":
        simple = _simple(c)
        if simple is not None:
            if simple == "\n":
                machine.flags |= RAW
            return _accept(machine, simple, i + 2, visitor)
        machine.seen = i
        return i + 1
    # an escaped backslash, and the character after it, which may be escaped itself
    j = i + 2
    if j < n and text[j] == "\\":
        j += 1
    if j >= n:
        return -1
    c = text[j]
    simple = _simple(c)
    if simple is not None and (j > i + 2 or c != '"'):
        return _accept(machine, simple, j + 1, visitor)
    machine.seen = i + 1
    return i + 2


def _add_character(machine: Machine, c: str, visitor: Visitor) -> None:
    """Report a character that was written as an escape."""
    machine.room -= 1
    machine.flags &= ~FRESH
    if machine.room >= 0:
        if machine.mode == LENIENT_KEY:
            machine.token.append(c)
        else:
            visitor.more(c)

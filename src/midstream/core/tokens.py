# cython: boundscheck=False
"""The rules for tokens: strings and keys, numbers, literals (RFC 8259 sections 3, 6, 7), cut anywhere.

The readers in ``strings`` and ``numbers`` read the inside of a token. The functions here continue the open
token of a machine with a fragment, report to the visitor what became known, and end the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ErrorCode
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .chars import chars_of, is_at, slice_of
    from .machine import disable_fast_path, enable_fast_path
    from .modes import AFTER_ROOT, COLON, KEY, STRING
    from .recovery import fail, fail_finally
    from .strings import cached_key
    from .structure import end_root, end_value

if TYPE_CHECKING:
    from .machine import Machine
    from .visitor import Visitor

__all__ = ["finish_number", "read_literal", "read_number", "read_string"]


def read_string(
    machine: Machine,
    text: str,
    chars: str,
    i: int,
    j: int,
    n: int,
    starts: bool,
    cut: bool,
    visitor: Visitor,
) -> int:
    """Continue in the open string or key, with plain content in text[i:j]; return where reading stopped.

    ``starts`` if the opening quote is right before i, ``cut`` if an error follows at n.
    """
    failure = None
    if machine.base + j > machine.clear_until or (j < n and chars[j] != '"'):
        # escapes, control characters and limits
        strings = machine.strings
        strings.room = machine.string_end - machine.base - i
        i = strings.read(text, chars, i, j, n)
        piece = strings.piece
        strings.piece = ""
        closed = strings.closed
        if cut and not closed and i == n:
            piece += strings.finish()
        failure = strings.failure
        strings.failure = None
        enable_fast_path(machine, strings.room, i)
        if strings.place or strings.high:
            disable_fast_path(machine)
    elif j == n:
        closed = False
        piece = text if n - i == len(text) else slice_of(text, chars, i, n)
        i = n
    else:
        closed = True
        if machine.mode == KEY and machine.token.is_empty():
            piece = cached_key(machine.strings, text, chars, i, j)
        else:
            piece = slice_of(text, chars, i, j)
        i = j + 1
    if machine.mode == STRING:
        if closed or piece or starts:
            visitor.string(piece, starts, closed)
        if closed:
            disable_fast_path(machine)
            # `end_value`, written inline
            machine.mode = machine.after
            if machine.mode == AFTER_ROOT:
                end_root(machine, i, visitor)
    elif closed:
        disable_fast_path(machine)
        machine.mode = COLON
        visitor.key(machine.token.take(piece))
    elif piece:
        machine.token.append(piece)
    if failure is not None:
        return fail(machine, failure, i, visitor)
    return i


def read_number(machine: Machine, text: str, chars: str, i: int, n: int, visitor: Visitor) -> int:
    """Continue in the open number; return where reading stopped."""
    numbers = machine.numbers
    j = numbers.read(text, chars, i, n)
    failure = numbers.failure
    if failure is not None:
        numbers.failure = None
        if j > i:
            visitor.open_number(chars, i, j)
        return fail(machine, failure, j, visitor)
    if not numbers.done:
        visitor.open_number(chars, i, j)
    else:
        if numbers.text is None:
            visitor.number(numbers.value, chars, i, j)
        else:
            visitor.number(numbers.value, chars_of(numbers.text), 0, len(numbers.text))
        end_value(machine, j, visitor)
    return j


def finish_number(machine: Machine, visitor: Visitor) -> None:
    """End the number at the root where the text ends."""
    numbers = machine.numbers
    numbers.finish()
    failure = numbers.failure
    if failure is not None:
        fail_finally(machine, failure, 0, visitor)
    else:
        text = numbers.text or ""
        visitor.number(numbers.value, chars_of(text), 0, len(text))
        machine.mode = AFTER_ROOT
        end_root(machine, 0, visitor)


def read_literal(machine: Machine, chars: str, i: int, n: int, visitor: Visitor) -> int:
    """Continue in the open literal; return where reading stopped."""
    word = machine.literal_word
    at = machine.literal_at
    begins = at == 0
    end = i + len(word) - at
    if at == 0 and end <= n and is_at(word, chars, i, end):
        i = end
        at = len(word)
    while i < n and at < len(word):
        c = chars[i]
        if c != word[at]:
            if begins:
                visitor.open_literal(_literal_value(word))
            return fail(machine, ErrorCode.INVALID_LITERAL, i, visitor)
        i += 1
        at += 1
    machine.literal_at = at
    if at == len(word):
        visitor.literal(_literal_value(word))
        end_value(machine, i, visitor)
    elif begins:
        visitor.open_literal(_literal_value(word))
    return i


def _literal_value(word: str) -> bool | None:
    """Return the value of a literal."""
    return True if word[0] == "t" else False if word[0] == "f" else None

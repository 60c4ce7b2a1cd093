"""RFC 8259 as one state machine: fragments in, calls on a visitor out.

Theory of operation
-------------------
A JSON text is read once, from left to right. Between two characters the machine is in one *mode*: what the
grammar allows next. Structure (sections 2, 4 and 5) is decided here and in ``structure``, one character at
a time; strings, numbers and literals (sections 3, 6 and 7) are read by ``tokens``, which can stop and resume
anywhere. There is no recursion, and nothing grows but the stack of open containers.

Values are reported to a visitor as soon as the text determines them, and no sooner. The visitor is an
argument of `feed`: the machine keeps no reference to it, so that its state can be saved, loaded and continued
with another visitor.

    begin_object end_object begin_array end_array    a container; the calls nest
    key(text)                                         the name of the next value
    string(piece, starts, ends)                       a string, in one or more pieces
    more(piece)                                       a piece that neither starts nor ends a string
    number(value, chars, start, end)                  a number, written as chars[start:end]
    literal(value)                                    true, false or null
    open_number(chars, start, end)                    a piece of a number that is not complete yet, or invalid
    open_literal(value)                               the beginning of a literal, likewise
    document()                                        the root value is complete
    error(error, where)                               what is wrong, and where it was found
    repair(repair, where)                             what the lenient dialect read differently, likewise

Every character that breaks a rule of the structure is passed to `_unexpected`. After an error the machine is
in mode FAILED and accepts nothing more. If it may recover, it skips to a place where the structure can be
resumed instead (``recovery``).
"""

from __future__ import annotations

import re
from codecs import utf_8_decode as _utf_8_decode
from typing import TYPE_CHECKING, Any

from ..errors import ErrorCode
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .bare_tokens import begin_bare, read_bare_string
    from .chars import chars_of, comma_before, content_end, is_content, narrowed, slice_of
    from .lenient_strings import begin_string, read_lenient_string
    from .lenient_structure import continue_lenient, repair
    from .machine import disable_fast_path, enable_fast_path
    from .modes import (
        AFTER_ITEM,
        AFTER_MEMBER,
        AFTER_ROOT,
        BARE_STRING,
        BETWEEN,
        COLON,
        CUT,
        END,
        FAILED,
        FIRST_ITEM,
        KEY,
        LENIENT_KEY,
        LENIENT_STRING,
        LITERAL,
        NEXT_ITEM,
        NEXT_KEY,
        NUMBER,
        OPEN,
        SKIP,
        START,
        STOPPED,
        STRING,
        TRAILING,
        VALUE,
    )
    from .numbers import is_part
    from .recovery import fail, fail_finally, read_after_root, skip
    from .repairs import forget_closed, note_line, resumed, take_back
    from .strings import cached_key
    from .structure import close_container, end_root, open_container
    from .tokens import finish_number, read_literal, read_number, read_string

if TYPE_CHECKING:
    from .machine import Machine
    from .visitor import Visitor

__all__ = ["COMPILED", "feed", "finish"]

COMPILED = bool(cython.compiled)

_INVALID_BYTES = re.compile(r"[\udc80-\udcff]+").finditer


if not cython.compiled:

    def _decode(machine: Machine, data: bytes) -> str:
        """Decode the complete characters of data, and note how many bytes they took."""
        text, machine.decoded = _utf_8_decode(data, "strict", False)
        return text


def feed(machine: Machine, fragment: str | bytes, visitor: Visitor) -> None:
    """Read a fragment: str, or bytes in UTF-8."""
    if type(fragment) is str:
        text = fragment
        base = machine.base + len(text)
        if (
            base <= machine.clear_until
            and text
            # uncompiled, the body of `is_content` without the call
            and (
                is_content(text)
                if cython.compiled
                else '"' not in text and "\\" not in text and text.isprintable()
            )
        ):
            # the fast path, see ``machine``: a piece of the open string or key, and nothing else
            if machine.mode == STRING:
                machine.base = base
                visitor.more(text)
            elif machine.mode == KEY or machine.mode == LENIENT_KEY:
                machine.base = base
                machine.room -= len(text)  # counts only in the lenient dialect
                machine.token.append(text)
            elif machine.after == AFTER_MEMBER and comma_before(text, 0, len(text)) >= 0:  # may end there
                _feed_text(machine, text, OPEN, visitor)
            else:
                machine.base = base
                machine.room -= len(text)
                visitor.more(text)
        elif machine.finished:
            _reject(machine, len(text), visitor)
        elif machine.carry and text:
            # a character that was begun in bytes cannot be continued in a str
            machine.carry = b""
            _fail_encoding(machine, "\ufffd", visitor)
            _feed_text(machine, text, OPEN, visitor)
        else:
            _feed_text(machine, text, OPEN, visitor)
    elif isinstance(fragment, str):
        # a subclass of str may override what the grammar calls: use its plain text
        feed(machine, str.__str__(fragment), visitor)
    elif isinstance(fragment, (bytes, bytearray, memoryview)):
        if machine.finished or machine.mode == FAILED:
            _reject(machine, len(fragment), visitor)
        elif machine.mode != STOPPED:
            _feed_bytes(machine, fragment if type(fragment) is bytes else bytes(fragment), visitor)
    else:
        raise TypeError(_not_a_fragment(fragment))


def _not_a_fragment(value: Any) -> str:
    is_event = hasattr(value, "keys") or hasattr(value, "model_dump") or value is None  # of an empty delta
    hint = ": for a provider's events, pass text_deltas(events)" if is_event else ""
    return f"a fragment is str or bytes, not {type(value).__name__}{hint}"


def finish(machine: Machine, visitor: Visitor) -> None:
    """End the text where the input ends."""
    if machine.options.lenient and machine.mode < FAILED and not machine.finished:
        _feed_text(machine, "", CUT if machine.carry else END, visitor)
        if machine.mode == BARE_STRING and machine.after == AFTER_ROOT and not machine.carry:
            read_bare_string(machine, "", 0, 0, END, visitor)
    if machine.mode == NUMBER and machine.after == AFTER_ROOT and not machine.carry:
        # section 6: nothing but the end of the text ends a number at the root
        finish_number(machine, visitor)
    if machine.mode == FAILED or machine.finished:
        pass
    elif not machine.is_after_root() and not (
        machine.mode == START and machine.options.after_root == BETWEEN
    ):
        fail_finally(machine, ErrorCode.TRUNCATED, 0, visitor)
    elif machine.carry:
        fail_finally(machine, ErrorCode.INVALID_UTF8, 0, visitor)
    machine.finished = True


def _reject(machine: Machine, length: int, visitor: Visitor) -> None:
    """Refuse a fragment after the end or after an error; after the end that is an error of its own."""
    if length and machine.mode != FAILED:
        fail_finally(machine, ErrorCode.AFTER_FINISH, 0, visitor)


# Bytes (section 8.1: UTF-8)


def _feed_bytes(machine: Machine, data: bytes, visitor: Visitor) -> None:
    """Decode complete characters, and keep at most three bytes for the next call."""
    if machine.carry:
        data = machine.carry + data
    try:
        text = _decode(machine, data)
        used = machine.decoded
        is_invalid = False
    except UnicodeDecodeError:
        # invalid bytes are decoded as lone surrogates, which valid UTF-8 cannot contain
        text, used = _utf_8_decode(data, "surrogateescape", False)
        is_invalid = True
    if used < len(data) and data[used] == 0xED and data[used + 1 :] >= b"\xa0":
        # the start of an encoded surrogate: the decoder would wait for the rest, but it cannot become valid
        text, used = _utf_8_decode(data, "surrogateescape", True)
        is_invalid = True
    machine.carry = data[used:] if used < len(data) else b""
    if is_invalid:
        _feed_invalid(machine, text, visitor)
    else:
        _feed_text(machine, text, OPEN, visitor)
    if machine.carry:
        disable_fast_path(machine)


def _feed_invalid(machine: Machine, text: str, visitor: Visitor) -> None:
    """Read a text in which lone surrogates stand for bytes that are not UTF-8."""
    i = 0
    for match in _INVALID_BYTES(text):
        _feed_text(machine, text[i : match.start()], CUT, visitor)
        _fail_encoding(machine, "\ufffd" * (match.end() - match.start()), visitor)
        i = match.end()
        if machine.mode == FAILED:
            break
    else:
        _feed_text(machine, text[i:], OPEN, visitor)


def _fail_encoding(machine: Machine, replacement: str, visitor: Visitor) -> None:
    """Report bytes that are not UTF-8; a recovering machine continues after them."""
    if machine.held_length:
        _feed_text(machine, "", CUT, visitor)
    if machine.mode < SKIP or (machine.mode == TRAILING and not machine.options.recover):
        fail(machine, ErrorCode.INVALID_UTF8, 0, visitor)
    _feed_text(machine, replacement, OPEN, visitor)


# Text


def _feed_text(machine: Machine, text: str, final: int, visitor: Visitor) -> None:
    """Read a text; ``final`` says what follows it: OPEN, CUT or END of ``modes``.

    Each iteration of the loop reads one token, as far as it has arrived, or one character of structure. The
    modes are numbered so that one comparison selects a group:

        mode >= STRING      inside a token, or in text without a grammar: `read_string` and `_continue`
        mode <= NEXT_ITEM   a value may begin: `_begin_value`
        mode <= NEXT_KEY    a key may begin: here
        otherwise           only a colon, a comma or a closing bracket may follow, or nothing: here

    Keys and structure are read here because a call for each of them takes 3 % more instructions.
    """
    if machine.held_length:
        # the lenient dialect holds undecided text back
        if not take_back(machine, text, final != OPEN):
            text = ""
        else:
            text = resumed(machine, text)
    length = n = len(text)
    cut = final
    if machine.base + n > machine.document_end:
        n = _readable(machine, length)
        cut = CUT
    narrow = narrowed(text)
    chars = chars_of(narrow)
    i = 0
    while i < n or (n < length and _ends_root_number(machine, text, chars, i, visitor)):
        mode = machine.mode
        if i == n:
            # max_document is reached, and the loop condition has just ended a number at the root
            pass
        elif mode >= STRING:
            if mode >= FAILED:
                break
            if mode <= KEY:
                j = i
                if not machine.strings.place:
                    j = content_end(chars, i, n)
                i = read_string(machine, text, chars, i, j, n, False, cut != OPEN, visitor)
            else:
                i = _continue(machine, text, chars, i, n, cut, visitor)
        else:
            c = chars[i]
            # section 2: ws = *( %x20 / %x09 / %x0A / %x0D )
            if c in " \n\r\t":
                i += 1
                if c == "\n":
                    machine.line += 1
                    machine.line_start = machine.base + i
                continue
            if mode <= NEXT_ITEM:
                i = _begin_value(machine, text, chars, i, n, cut, visitor)
            elif mode <= NEXT_KEY:
                # section 4: object = begin-object [ member *( value-separator member ) ] end-object
                if c == '"':
                    i += 1
                    j = content_end(chars, i, n)
                    if j < n and chars[j] == '"' and j - i <= machine.options.max_string:
                        # complete, and without escapes
                        visitor.key(cached_key(machine.strings, text, chars, i, j))
                        i = j + 1
                        machine.mode = COLON
                        if i < n and chars[i] == ":":
                            # saves two iterations of the loop for the usual colon and space
                            i += 1
                            machine.mode = VALUE
                            if i < n and chars[i] == " ":
                                i += 1
                    elif machine.options.lenient:
                        i = begin_string(machine, text, chars, i, j, n, cut, visitor)
                    else:
                        machine.mode = KEY
                        enable_fast_path(machine, machine.options.max_string, i)
                        i = read_string(machine, text, chars, i, j, n, True, cut != OPEN, visitor)
                elif c != "}":
                    i = _unexpected(machine, ErrorCode.EXPECTED_KEY, text, chars, i, n, cut, visitor)
                elif mode == NEXT_KEY:
                    i = _unexpected(machine, ErrorCode.TRAILING_COMMA, text, chars, i, n, cut, visitor)
                else:
                    i += 1
                    close_container(machine, i, visitor)
            elif mode == COLON:
                # section 4: member = string name-separator value
                if c != ":":
                    i = _unexpected(machine, ErrorCode.EXPECTED_COLON, text, chars, i, n, cut, visitor)
                else:
                    machine.mode = VALUE
                    i += 1
            elif mode == AFTER_ROOT:
                i = _unexpected(machine, ErrorCode.TRAILING_TEXT, text, chars, i, n, cut, visitor)
            elif c == ",":
                machine.mode = NEXT_KEY if mode == AFTER_MEMBER else NEXT_ITEM
                i += 1
                if i < n and chars[i] == " ":
                    # saves one iteration of the loop for the usual space
                    i += 1
            elif (c == "}" and mode == AFTER_MEMBER) or (c == "]" and mode == AFTER_ITEM):
                i += 1
                close_container(machine, i, visitor)
            else:
                i = _unexpected(machine, ErrorCode.EXPECTED_COMMA, text, chars, i, n, cut, visitor)
        if n < length:
            # another document may have begun
            n = _readable(machine, length)
            cut = CUT if n < length else final
    if machine.mode < FAILED:
        if n < length:
            fail_finally(machine, ErrorCode.DOCUMENT_LIMIT, n, visitor)
        else:
            machine.base += length
        if machine.fence:
            note_line(machine, text)
    elif machine.mode == STOPPED:
        machine.base += i
        machine.carry = b""


def _continue(machine: Machine, text: str, chars: str, i: int, n: int, cut: int, visitor: Visitor) -> int:
    """Continue in a number or literal, or with text that the grammar does not read."""
    mode = machine.mode
    if mode == LENIENT_STRING or mode == LENIENT_KEY:
        return read_lenient_string(machine, text, chars, i, n, cut, visitor)
    if mode == NUMBER:
        return read_number(machine, text, chars, i, n, visitor)
    if mode == LITERAL:
        return read_literal(machine, chars, i, n, visitor)
    if mode < SKIP:
        return continue_lenient(machine, text, i, n, cut, visitor)
    if mode == SKIP:
        return skip(machine, text, i, n, visitor)
    return read_after_root(machine, text, i, n)


def _begin_value(machine: Machine, text: str, chars: str, i: int, n: int, cut: int, visitor: Visitor) -> int:
    """Read text[i], where a value may begin (section 3), and the value as far as it has arrived.

    value = false / null / true / object / array / number / string
    """
    c = chars[i]
    if c == '"':
        i += 1
        j = content_end(chars, i, n)
        if j < n and chars[j] == '"' and j - i <= machine.options.max_string:
            # complete, and without escapes
            visitor.string(slice_of(text, chars, i, j), True, True)
            # `end_value`, written inline
            machine.mode = machine.after
            if machine.mode == AFTER_ROOT:
                end_root(machine, j + 1, visitor)
            return j + 1
        if machine.options.lenient:
            return begin_string(machine, text, chars, i, j, n, cut, visitor)
        machine.mode = STRING
        enable_fast_path(machine, machine.options.max_string, i)
        return read_string(machine, text, chars, i, j, n, True, cut != OPEN, visitor)
    if c == "{" or c == "[":
        if len(machine.stack) >= machine.depth_limit:
            if len(machine.stack) >= machine.options.max_depth:
                # section 9: a parser may limit the depth of nesting
                return fail(machine, ErrorCode.DEPTH_LIMIT, i, visitor)
            forget_closed(machine)
        open_container(machine, c, visitor)
        return i + 1
    if c in "-0123456789":
        if machine.options.lenient:
            return begin_bare(machine, text, chars, i, n, cut, visitor)
        machine.mode = NUMBER
        return read_number(machine, text, chars, i, n, visitor)
    if c == "t" or c == "f" or c == "n":
        if machine.options.lenient:
            return begin_bare(machine, text, chars, i, n, cut, visitor)
        machine.mode = LITERAL
        machine.literal_word = "true" if c == "t" else "false" if c == "f" else "null"
        machine.literal_at = 0
        return read_literal(machine, chars, i, n, visitor)
    mode = machine.mode
    if c == "]" and mode == FIRST_ITEM:
        close_container(machine, i + 1, visitor)
        return i + 1
    if mode == START and machine.base + i == 0 and text[0] == "\ufeff":
        # section 8.1: a byte order mark may be ignored
        return i + 1
    if c == "]" and mode == NEXT_ITEM:
        return _unexpected(machine, ErrorCode.TRAILING_COMMA, text, chars, i, n, cut, visitor)
    return _unexpected(machine, ErrorCode.EXPECTED_VALUE, text, chars, i, n, cut, visitor)


def _unexpected(
    machine: Machine, code: ErrorCode, text: str, chars: str, i: int, n: int, cut: int, visitor: Visitor
) -> int:
    """React to a character that breaks a rule of the structure; return the index at which to continue.

    The lenient dialect begins here, and where a string, a number or a literal does.
    """
    if machine.options.lenient:
        return repair(machine, code, text, chars, i, n, cut, visitor)
    return fail(machine, code, i, visitor)


def _readable(machine: Machine, length: int) -> int:
    """Return how many characters of a fragment of a length may be read without exceeding max_document."""
    return min(length, machine.document_end - machine.base)


def _ends_root_number(machine: Machine, text: str, chars: str, i: int, visitor: Visitor) -> bool:
    """End a root number where max_document is reached, if text[i] ends it; return whether it did."""
    if machine.mode != NUMBER or machine.after != AFTER_ROOT:
        return False
    if machine.options.after_root != BETWEEN and machine.options.after_root != STOPPED:
        return False
    if is_part(chars[i]) or not machine.numbers.may_end():
        return False
    read_number(machine, text, chars, i, i + 1, visitor)
    return True

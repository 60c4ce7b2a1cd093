# cython: boundscheck=False
"""The lenient dialect: values and keys without quotes, words and numbers (rules B1 to B6).

A token is undecided until the character after it is known: ``12`` may continue as ``12 apples``. Undecided
tokens are held back (``repairs``); as soon as one turns out to be a string without quotes, its pieces are
reported at once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import ErrorCode, RepairCode
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .chars import chars_of
    from .look_ahead import (
        NAME,
        WORDS,
        begins_word,
        comment_at,
        is_name_char,
        is_name_start,
        is_odd_space,
        is_quote,
        names_member,
        names_quoted_member,
        separates_members,
        skip_space,
        strict_stop,
    )
    from .modes import (
        AFTER_ITEM,
        AFTER_MEMBER,
        AFTER_ROOT,
        BARE_KEY,
        BARE_STRING,
        COLON,
        CUT,
        END,
        MORE,
        NO,
        OPEN,
        YES,
    )
    from .numbers import _INT, _step
    from .recovery import fail
    from .repairs import hold, is_wrapped, report, wrap
    from .structure import end_root, end_value

if TYPE_CHECKING:
    from .machine import Machine
    from .visitor import Visitor

__all__ = ["begin_bare", "begin_bare_string", "read_bare_key", "read_bare_string"]

# what a number of any language may look like so far; and which of those texts are numbers
_match_number = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]*|(?:[0-9][0-9_]*)?(?:\.[0-9]*)?(?:(?<=[0-9.])[eE][-+]?[0-9]*)?)", re.ASCII
).match
_is_number = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]+"
    r"|(?:(?:0|[1-9][0-9]*(?:_[0-9]+)*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
).fullmatch
_is_json_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?").fullmatch
# thousands with commas: 1,234,567
_match_thousands = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])").match
_may_be_thousands = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})*(?:,[0-9]{0,2})?").fullmatch


def begin_bare(machine: Machine, text: str, chars: str, i: int, n: int, final: int, visitor: Visitor) -> int:
    """Read a value that begins at text[i] with a digit, a sign, a dot or a letter."""
    c = chars[i]
    after = machine.after
    if "0" <= c <= "9" or c == "-":
        # the usual case: a number as in JSON, and what usually follows one
        state = 0
        j = i
        while j < n:
            step = _step(state, chars[j])
            if step < 0:
                break
            state = step
            j += 1
        if j == n and final == OPEN and j - i <= machine.numbers.limit:
            return hold(machine, text, i, n)
        if j < n and state >= 5 and after != AFTER_ROOT:
            c = chars[j]
            if (
                c == "}"
                or c == "]"
                or c == "\n"
                or (c == "," and (after == AFTER_ITEM or (j + 1 < n and not "0" <= chars[j + 1] <= "9")))
            ):
                return _read_number(machine, text, chars, i, n, visitor)
            if c == "," and j + 1 == n and final == OPEN:
                # a member, which ends there unless thousands follow: 1,234
                if state != _INT or j - i > (4 if chars[i] == "-" else 3):
                    return _read_number(machine, text, chars, i, n, visitor)
                return hold(machine, text, i, n)
        c = chars[i]
    elif c == "t" or c == "f" or c == "n":
        # the usual case: a literal as in JSON, and what usually follows one
        word = "true" if c == "t" else "false" if c == "f" else "null"
        length = len(word)
        j = 1
        while j < length and i + j < n and chars[i + j] == word[j]:
            j += 1
        if i + j == n and final == OPEN:
            return hold(machine, text, i, n)
        if j == length and i + j < n and after != AFTER_ROOT:
            c = chars[i + j]
            if c == "," or c == "}" or c == "]" or c == "\n":
                visitor.literal(WORDS[word])
                machine.mode = after
                return i + j
        c = chars[i]
    if c > "\x7f":
        c = text[i]
    if is_name_start(c) or ((c == "-" or c == "+") and i + 1 < n and is_name_start(text[i + 1])):
        return _begin_name(machine, text, i, n, final, visitor)
    return _begin_number(machine, text, i, n, final, visitor)


def _read_number(machine: Machine, text: str, chars: str, i: int, n: int, visitor: Visitor) -> int:
    """Read the number as in JSON at text[i], which is complete."""
    numbers = machine.numbers
    j = numbers.read(text, chars, i, n)
    failure = numbers.failure
    if failure is not None:
        numbers.failure = None
        return fail(machine, failure, j, visitor)
    visitor.number(numbers.value, chars, i, j)
    end_value(machine, j, visitor)
    return j


def _begin_number(machine: Machine, text: str, i: int, n: int, final: int, visitor: Visitor) -> int:
    """Read what looks like a number, of JSON or of another language."""
    found = _match_number(text, i, n)
    # it always matches, if only the empty string
    j = i if found is None else found.end()
    limit = machine.numbers.limit
    token = text[i:j]
    odd = _odd_place(token)
    # a number of another language is as long as a name at most: of a longer one, no end has to be awaited
    is_long = odd >= 0 and j - i > NAME
    if j - i > limit and (j < n or final != END) and not (is_long and odd < limit and limit > NAME):
        return fail(machine, ErrorCode.NUMBER_LIMIT, i + limit, visitor)
    if j == n and final == OPEN and not is_long:
        return hold(machine, text, i, n)
    if j == n and (final == CUT or machine.after != AFTER_ROOT) and not is_long:
        # a number that is cut off may have had more digits
        return n
    stop = strict_stop(text, i, n)
    if j == n == stop and not _is_json_number(token):
        return n
    is_number = not is_long and _is_number(token) is not None
    if is_number and j < n and text[j] == "," and machine.after == AFTER_MEMBER and _may_be_thousands(token):
        if j + 1 == n and final == OPEN:
            return hold(machine, text, i, n)
        if j + 1 < n and "0" <= text[j + 1] <= "9":
            # digits right after the comma: thousands, or an object without a key
            if final == OPEN and n - i <= NAME + 4 and _may_be_thousands(text, i, n):
                return hold(machine, text, i, n)
            found = _match_thousands(text, i, min(n, i + NAME + 5))
            if found is not None and found.end() - i <= NAME:
                if found.end() == n and final == OPEN:
                    return hold(machine, text, i, n)
                if stop == j:
                    stop = j + 1
                j = found.end()
                token = text[i:j]
    verdict = NO if is_long else _follows(machine, text, j, n, final != OPEN)
    if verdict == MORE:
        return hold(machine, text, i, n)
    if verdict == NO or not is_number:
        if machine.after == AFTER_ROOT and not "0" <= text[i] <= "9":
            return fail(machine, ErrorCode.EXPECTED_VALUE, i, visitor)
        return begin_bare_string(machine, text, i, stop, n, final, visitor)
    if j - i > limit:
        return fail(machine, ErrorCode.NUMBER_LIMIT, i + limit, visitor)
    if not _is_json_number(token):
        report(machine, RepairCode.NUMBER, text, i, stop, visitor)
        token = _plain_number(token)
    return _emit_number(machine, token, j, visitor)


def _odd_place(token: str) -> int:
    """Return the index of the first character that no number of JSON has, or -1."""
    j = 0
    while j < len(token) and token[j] not in "_xX":
        j += 1
    return j if j < len(token) else -1


def _plain_number(token: str) -> str:
    """Return a number of another language as JSON writes it."""
    token = token.replace("_", "").replace(",", "").removeprefix("+")
    sign = "-" if token.startswith("-") else ""
    token = token[len(sign) :]
    if token[:2] in ("0x", "0X"):
        return f"{sign}{int(token, 16)}"
    if token.startswith("."):
        token = f"0{token}"
    point = token.find(".") + 1
    if point and not token[point : point + 1].isdigit():
        token = f"{token[:point]}0{token[point:]}"
    return sign + token


def _emit_number(machine: Machine, token: str, j: int, visitor: Visitor) -> int:
    """Convert and report a complete number, which ends at j; return where reading continues."""
    numbers = machine.numbers
    numbers.read(token, chars_of(token), 0, len(token))
    if numbers.failure is None:
        numbers.finish()
    failure = numbers.failure
    if failure is not None:
        numbers.failure = None
        return fail(machine, failure, j, visitor)
    written = numbers.text or ""
    visitor.number(numbers.value, chars_of(written), 0, len(written))
    end_value(machine, j, visitor)
    return j


def _begin_name(machine: Machine, text: str, i: int, n: int, final: int, visitor: Visitor) -> int:
    """Read a literal, a word for one, a call, or a string without quotes."""
    j = first = i + 1 if text[i] == "-" or text[i] == "+" else i
    while j < n and j - first <= NAME and is_name_char(text[j]):
        j += 1
    is_short = j - first <= NAME
    if j == n and is_short and final == OPEN:
        return hold(machine, text, i, n)
    word = text[first:j]
    is_word = word in WORDS and (first == i or word in ("Infinity", "NaN", "inf", "nan"))
    if j == n and is_short and not is_word and begins_word(word):
        # a literal that is cut off
        return n
    if j < n and is_short and text[j] == "(" and first == i:
        report(machine, RepairCode.CALL, text, i, strict_stop(text, i, n), visitor)
        wrap(machine, True)
        return j + 1
    if is_word:
        verdict = _follows(machine, text, j, n, final != OPEN)
        if verdict == MORE:
            return hold(machine, text, i, n)
        if verdict == YES:
            if word != "true" and word != "false" and word != "null":
                report(machine, RepairCode.WORD, text, i, strict_stop(text, i, n), visitor)
            visitor.literal(WORDS[word])
            end_value(machine, j, visitor)
            return j
    if machine.after == AFTER_ROOT:
        return fail(machine, ErrorCode.EXPECTED_VALUE, i, visitor)
    return begin_bare_string(machine, text, i, strict_stop(text, i, n), n, final, visitor)


def _follows(machine: Machine, text: str, j: int, n: int, is_final: bool) -> int:
    """Report whether the token before text[j] is complete, by what follows it."""
    k = j
    while k < n and (text[k] == " " or text[k] == "\t" or text[k] == "\r" or is_odd_space(text[k])):
        k += 1
    if k == n:
        return YES if is_final else MORE
    c = text[k]
    if c == ":" and k == j:
        # a time or a ratio, as in 16:9
        if k + 1 == n:
            return YES if is_final else MORE
        return NO if "0" <= text[k + 1] <= "9" else YES
    if c in "\n,}];{[:)":
        return YES
    if machine.after == AFTER_ROOT and k > j:
        return YES
    if c == "/" or c == "#":
        return comment_at(text, k, n, k > j, is_final)
    if c == "\\":
        if k + 1 == n:
            return NO if is_final else MORE
        return YES if text[k + 1] in 'ntr"' else NO
    if c == '"':
        if k > j or machine.after == AFTER_ITEM:
            return YES
        return names_quoted_member(text, k + 1, n, '"', is_final)
    if k == j:
        return NO
    if is_quote(c) or c == "…" or c in "@!?^|":
        return YES
    if "0" <= c <= "9" or c == "-" or c == "+":
        return YES if machine.after == AFTER_ITEM else NO
    if is_name_start(c):
        if machine.after == AFTER_MEMBER:
            return names_member(text, k, n, is_final)
        e = k
        while e < n and e - k <= NAME and is_name_char(text[e]):
            e += 1
        if e - k > NAME:
            return NO
        if e == n and not is_final:
            return MORE
        return YES if text[k:e] in WORDS else NO
    return NO


# Strings without quotes


def begin_bare_string(
    machine: Machine, text: str, i: int, stop: int, n: int, final: int, visitor: Visitor
) -> int:
    """Begin a string without quotes at text[i], for which strict parsing reports an error at text[stop]."""
    report(machine, RepairCode.UNQUOTED_VALUE, text, i, stop, visitor)
    machine.mode = BARE_STRING
    machine.room = machine.options.string_limit
    visitor.string("", True, False)
    return read_bare_string(machine, text, i, n, final, visitor)


def read_bare_string(machine: Machine, text: str, i: int, n: int, final: int, visitor: Visitor) -> int:
    """Continue in a string without quotes; return where reading stopped.

    text[i:last] is its content so far; white space after it waits for more content.
    """
    is_final = final != OPEN
    last = j = i
    after = machine.after
    verdict = NO
    while j < n:
        c = text[j]
        if c == " " or c == "\t" or c == "\r":
            j += 1
            continue
        if c == "\n":
            verdict = YES
        elif after == AFTER_ROOT:
            verdict = NO
        elif c == ",":
            verdict = YES if after == AFTER_ITEM else separates_members(text, j, n, is_final)
        elif c == ";":
            verdict = separates_members(text, j, n, is_final)
        elif c == "}":
            verdict = YES if machine.objects > 0 else NO
        elif c == "]":
            verdict = YES if after == AFTER_ITEM else NO
        elif c == ")":
            verdict = YES if is_wrapped(machine) else NO
        elif (c == "/" or c == "#") and last < j:
            verdict = comment_at(text, j, n, True, is_final)
        else:
            verdict = NO
        if verdict != NO:
            break
        j += 1
        last = j
    if last - i > machine.room:
        last = i + machine.room
        verdict = NO
        j = -1
    if last > i:
        machine.room -= last - i
        visitor.more(text[i:last])
    if j < 0:
        return fail(machine, ErrorCode.STRING_LIMIT, last, visitor)
    if verdict == YES or (j == n and final == END and after == AFTER_ROOT):
        visitor.string("", False, True)
        machine.mode = after
        if after == AFTER_ROOT:
            end_root(machine, last, visitor)
        return last
    if last < n and not is_final:
        return hold(machine, text, last, n)
    return n


# Keys without quotes


def read_bare_key(machine: Machine, text: str, i: int, n: int, final: int, visitor: Visitor) -> int:
    """Begin or continue a key without quotes at text[i]; return where reading stopped.

    A name of usual length is held back until its end shows whether only its first quote is missing.
    """
    begins = machine.mode != BARE_KEY
    is_final = final != OPEN
    last = j = i
    verdict = NO
    while j < n:
        c = text[j]
        if c == " " or c == "\t" or c == "\r":
            j += 1
            continue
        if c in ":=,}{[]\n;":
            verdict = YES
        elif c == '"' or c == "'":
            k = skip_space(text, j + 1, n)
            if k == n:
                verdict = NO if is_final else MORE
            else:
                verdict = YES if last < j or text[k] == ":" or text[k] == "=" else NO
        elif (c == "/" or c == "#") and (last < j or c == "/"):
            verdict = comment_at(text, j, n, last < j, is_final)
        else:
            verdict = NO
        if verdict != NO:
            break
        j += 1
        last = j
    is_short = j - i <= NAME
    if verdict != YES and not is_final and begins and is_short:
        return hold(machine, text, i, n)
    # a quote right after the name, before a colon
    is_half_quoted = verdict == YES and (text[j] == '"' or text[j] == "'") and last == j
    if begins:
        if verdict != YES and is_final:
            # a key that is cut off
            return n
        code = RepairCode.MISSING_QUOTE if is_half_quoted and is_short else RepairCode.UNQUOTED_KEY
        report(machine, code, text, i, i, visitor)
        machine.mode = BARE_KEY
        machine.room = machine.options.string_limit
    if last - i > machine.room:
        return fail(machine, ErrorCode.STRING_LIMIT, i + machine.room, visitor)
    machine.room -= last - i
    if verdict == YES:
        machine.mode = COLON
        visitor.key(machine.token.take(text[i:last]))
        return j + 1 if is_half_quoted else j
    if last > i:
        machine.token.append(text[i:last])
    if last < n and not is_final:
        return hold(machine, text, last, n)
    return n

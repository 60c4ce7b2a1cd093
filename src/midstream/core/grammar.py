# cython: boundscheck=False
"""RFC 8259 as one state machine: fragments in, calls on a visitor out.

Theory of operation
-------------------
A JSON text is read once, from left to right. Between two characters the machine is in one *mode*:
what the grammar allows next. Structure (sections 2, 4 and 5) is decided here, one character at a
time; the inside of a string (section 7) and of a number (section 6) is read by a reader that can
stop and resume anywhere; the literals (section 3) are short enough to be compared here.

``after`` is the mode that follows a complete value, so it also says whether the innermost open container is
an object or an array; the stack keeps the ``after`` of the containers around it. The structure needs no other
memory: there is no recursion, and only the stack grows.

Values are reported to a visitor as soon as the text determines them, and no sooner. The visitor
is an argument of ``feed``: the machine keeps no reference to it, so that its state can be saved
(`state`), loaded (`load`) and continued with another visitor.

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

After an error the machine is in mode FAILED and accepts nothing more, or, if it is to recover, it
skips to a place where the structure can be resumed (`_skip`).
"""

from __future__ import annotations

import re
from codecs import utf_8_decode as _utf_8_decode
from typing import TYPE_CHECKING, Any

from ..errors import ErrorCode
from . import cython_shim as cython
from .recovery import Recovery

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .chars import chars_of, content_end, is_at, match_content, slice_of
    from .machine import MAX_INDEX
    from .modes import (
        AFTER_ITEM,
        AFTER_MEMBER,
        AFTER_ROOT,
        BETWEEN,
        COLON,
        FAILED,
        FIRST_ITEM,
        FIRST_KEY,
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
    from .numbers import is_part
    from .strings import cached_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..limits import Limits
    from .visitor import Visitor

__all__ = ["COMPILED", "Grammar", "new_grammar"]

COMPILED = bool(cython.compiled)

_INVALID_BYTES = re.compile(r"[\udc80-\udcff]+").finditer


if not cython.compiled:

    def _decode(grammar: Grammar, data: bytes) -> str:
        """Decode the complete characters of data, and note how many bytes they took."""
        text, grammar.decoded = _utf_8_decode(data, "strict", False)
        return text


@cython.final
@cython.cclass
class Grammar(Recovery):
    """Apply the rules: text in, calls on a visitor out."""

    __slots__ = ()

    def clone(self) -> Grammar:
        """Return another machine in the same state."""
        other: Grammar = Grammar.__new__(Grammar)
        other._copy_from(self)
        return other

    def feed(self, fragment: str | bytes, visitor: Visitor) -> None:
        """Read a fragment: str, or bytes in UTF-8."""
        if type(fragment) is str:
            text = fragment
            base = self.base + len(text)
            if (
                base <= self.clear_until
                and text
                and (
                    # uncompiled, isprintable() is the quickest test; it sends some valid content to the slow
                    # path
                    is_content(text)  # type: ignore[name-defined]  # noqa: F821
                    if cython.compiled
                    else '"' not in text and "\\" not in text and text.isprintable()
                )
            ):
                # fast path: most fragments are a piece of the open string or key, and nothing else
                self.base = base
                if self.mode == STRING:
                    visitor.more(text)
                else:
                    self.token.append(text)
            elif self.finished:
                self._refuse(len(text), visitor)
            elif self.carry and text:
                # a character that was begun in bytes cannot be continued in a str
                self.carry = b""
                self._fail_encoding("\ufffd", visitor)
                self._feed_text(text, False, visitor)
            else:
                self._feed_text(text, False, visitor)
        elif isinstance(fragment, str):
            # a subclass of str may override what the grammar calls: use its plain text
            self.feed(str.__str__(fragment), visitor)
        elif isinstance(fragment, (bytes, bytearray, memoryview)):
            if self.finished or self.mode == FAILED:
                self._refuse(len(fragment), visitor)
            else:
                self._feed_bytes(fragment if type(fragment) is bytes else bytes(fragment), visitor)
        else:
            raise TypeError(f"a fragment is str or bytes, not {type(fragment).__name__}")

    def _refuse(self, length: int, visitor: Visitor) -> None:
        """Accept nothing more; text after the end is an error of its own."""
        if length and self.mode != FAILED:
            self._fail_finally(ErrorCode.AFTER_FINISH, 0, visitor)

    def _feed_bytes(self, data: bytes, visitor: Visitor) -> None:
        """Decode complete characters (section 8.1: UTF-8), and keep at most three bytes for the next call."""
        if self.carry:
            data = self.carry + data
        try:
            text = _decode(self, data)
            used = self.decoded
            is_invalid = False
        except UnicodeDecodeError:
            # invalid bytes are decoded as lone surrogates, which valid UTF-8 cannot contain
            text, used = _utf_8_decode(data, "surrogateescape", False)
            is_invalid = True
        if used < len(data) and data[used] == 0xED and data[used + 1 :] >= b"\xa0":
            # the start of an encoded surrogate: the decoder would wait for the rest, but it cannot become
            # valid
            text, used = _utf_8_decode(data, "surrogateescape", True)
            is_invalid = True
        self.carry = data[used:] if used < len(data) else b""
        if is_invalid:
            self._feed_invalid(text, visitor)
        else:
            self._feed_text(text, False, visitor)
        if self.carry:
            self.clear_until = 0

    def _feed_invalid(self, text: str, visitor: Visitor) -> None:
        """Read a text in which lone surrogates stand for bytes that are not UTF-8."""
        i = 0
        for match in _INVALID_BYTES(text):
            self._feed_text(text[i : match.start()], True, visitor)
            self._fail_encoding("\ufffd" * (match.end() - match.start()), visitor)
            i = match.end()
            if self.mode == FAILED:
                break
        else:
            self._feed_text(text[i:], False, visitor)

    def _fail_encoding(self, replacement: str, visitor: Visitor) -> None:
        """Report bytes that are not UTF-8; a recovering machine continues after them."""
        if self.mode < SKIP or (self.mode == TRAILING and not self.recover):
            self._fail(ErrorCode.INVALID_UTF8, 0, visitor)
        self._feed_text(replacement, False, visitor)

    def _feed_text(self, text: str, error_follows: bool, visitor: Visitor) -> None:
        """Read a text; ``error_follows`` if an error will be reported right after it."""
        length = len(text)
        n = length
        cut = error_follows
        if self.base + n > self.document_end:
            n = self.document_end - self.base
            cut = True
        if cython.compiled:
            narrow = narrowed(text)  # type: ignore[name-defined]  # noqa: F821
            chars = chars_of(narrow)
        else:
            chars = text
        i = 0
        mode = self.mode
        while i < n or (n < length and self._ends_root_number(text, chars, i, visitor)):
            if mode >= STRING:
                if i == n:
                    pass
                elif mode == STRING or mode == KEY:
                    j = i
                    if not self.strings.place:
                        j = content_end(chars, i, n) if cython.compiled else match_content(text, i, n).end()
                    i = self._string(text, chars, i, j, n, cut, visitor)
                elif mode == NUMBER:
                    i = self._number(text, chars, i, n, visitor)
                elif mode == LITERAL:
                    i = self._literal(chars, i, n, visitor)
                elif mode == SKIP:
                    i = self._skip(text, i, n, visitor)
                elif mode == FAILED:
                    break
                else:
                    i = self._read_after_root(text, i, n)
                if n < length:
                    n = self._bound(length)
                    cut = error_follows or n < length
                mode = self.mode
                continue
            c = chars[i]
            # section 2: ws = *( %x20 / %x09 / %x0A / %x0D )
            if c in " \n\r\t":
                i += 1
                if c == "\n":
                    self.line += 1
                    self.line_start = self.base + i
                continue
            if mode <= NEXT_ITEM:
                # section 3: value = false / null / true / object / array / number / string
                if c == '"':
                    i += 1
                    j = content_end(chars, i, n) if cython.compiled else match_content(text, i, n).end()
                    if j < n:
                        c = chars[j]
                    if j < n and c == '"' and j - i <= self.max_string:
                        # complete, and without escapes
                        piece = slice_of(text, chars, i, j) if cython.compiled else text[i:j]
                        visitor.string(piece, True, True)
                        i = j + 1
                        self.mode = mode = self.after
                        if mode != AFTER_ROOT:
                            continue
                        self._end_root(i, visitor)
                    else:
                        self.mode = STRING
                        self.starts = True
                        self._allow(self.max_string, i)
                        i = self._string(text, chars, i, j, n, cut, visitor)
                elif c == "{" or c == "[":
                    if len(self.stack) < self.max_depth:
                        self._open(c, visitor)
                        i += 1
                    else:
                        # section 9: a parser may limit the depth of nesting
                        i = self._fail(ErrorCode.DEPTH_LIMIT, i, visitor)
                elif c in "-0123456789":
                    self.mode = NUMBER
                    i = self._number(text, chars, i, n, visitor)
                elif c == "t" or c == "f" or c == "n":
                    self.mode = LITERAL
                    self.literal_word = "true" if c == "t" else "false" if c == "f" else "null"
                    self.literal_at = 0
                    i = self._literal(chars, i, n, visitor)
                elif c == "]" and mode == FIRST_ITEM:
                    # section 5: array = begin-array [ value *( value-separator value ) ] end-array
                    i += 1
                    self._close(i, visitor)
                elif mode == START and self.base + i == 0 and text[0] == "\ufeff":
                    # section 8.1: a byte order mark may be ignored
                    i += 1
                elif c == "]" and mode == NEXT_ITEM:
                    i = self._fail(ErrorCode.TRAILING_COMMA, i, visitor)
                else:
                    i = self._fail(ErrorCode.EXPECTED_VALUE, i, visitor)
            elif mode == AFTER_MEMBER:
                # section 4: object = begin-object [ member *( value-separator member ) ] end-object
                if c == ",":
                    self.mode = mode = NEXT_KEY
                    i += 1
                    if cython.compiled and i < n and chars[i] == " ":
                        i += 1
                    continue
                if c == "}":
                    i += 1
                    self._close(i, visitor)
                else:
                    i = self._fail(ErrorCode.EXPECTED_COMMA, i, visitor)
            elif mode == COLON:
                # section 4: member = string name-separator value
                if c == ":":
                    self.mode = mode = VALUE
                    i += 1
                    continue
                i = self._fail(ErrorCode.EXPECTED_COLON, i, visitor)
            elif mode <= NEXT_KEY:
                if c == '"':
                    i += 1
                    j = content_end(chars, i, n) if cython.compiled else match_content(text, i, n).end()
                    if j < n:
                        c = chars[j]
                    if j < n and c == '"' and j - i <= self.max_string:
                        visitor.key(cached_key(self.strings, text, chars, i, j))
                        i = j + 1
                        self.mode = mode = COLON
                        if i < n:
                            c = chars[i]
                            if c == ":":
                                # the colon usually follows the key at once, and a space follows the colon
                                i += 1
                                self.mode = mode = VALUE
                                if cython.compiled and i < n and chars[i] == " ":
                                    i += 1
                        continue
                    self.mode = KEY
                    self._allow(self.max_string, i)
                    i = self._string(text, chars, i, j, n, cut, visitor)
                elif c != "}":
                    i = self._fail(ErrorCode.EXPECTED_KEY, i, visitor)
                elif mode == FIRST_KEY:
                    i += 1
                    self._close(i, visitor)
                else:
                    i = self._fail(ErrorCode.TRAILING_COMMA, i, visitor)
            elif mode == AFTER_ITEM:
                if c == ",":
                    self.mode = mode = NEXT_ITEM
                    i += 1
                    continue
                if c == "]":
                    i += 1
                    self._close(i, visitor)
                else:
                    i = self._fail(ErrorCode.EXPECTED_COMMA, i, visitor)
            else:
                # section 2: JSON-text = ws value ws
                i = self._fail(ErrorCode.TRAILING_TEXT, i, visitor)
            if n < length:
                # another document may have begun
                n = self._bound(length)
                cut = error_follows or n < length
            mode = self.mode
        if mode != FAILED:
            if n < length:
                self._fail_finally(ErrorCode.DOCUMENT_LIMIT, n, visitor)
            else:
                self.base += length

    def _bound(self, length: int) -> int:
        """Return how far a fragment of that length may be read without exceeding max_document."""
        return min(length, self.document_end - self.base)

    def _ends_root_number(self, text: str, chars: str, i: int, visitor: Visitor) -> bool:
        """End a root number at the limit of its document, if text[i] ends it; return whether it did."""
        if self.mode != NUMBER or self.after != AFTER_ROOT or self.after_root != BETWEEN:
            return False
        if is_part(chars[i]) or not self.numbers.may_end():
            return False
        self._number(text, chars, i, i + 1, visitor)
        return True

    # Values

    def _allow(self, room: int, i: int) -> None:
        """Allow the open string that many characters from i on."""
        end = self.base + i
        end = end + room if room < MAX_INDEX - end else MAX_INDEX
        self.string_end = end
        self.clear_until = end
        if end > self.document_end:
            self.clear_until = self.document_end

    def _string(self, text: str, chars: str, i: int, j: int, n: int, cut: bool, visitor: Visitor) -> int:
        """Continue in the open string or key, with plain content in text[i:j]."""
        failure = None
        if self.base + j > self.clear_until or (j < n and chars[j] != '"'):
            strings = self.strings
            strings.room = self.string_end - self.base - i
            i = strings.read(text, chars, i, j, n)
            piece = strings.piece
            strings.piece = ""
            closed = strings.closed
            if cut and not closed and i == n:
                piece += strings.finish()
            failure = strings.failure
            strings.failure = None
            self._allow(strings.room, i)
            if strings.place or strings.high:
                self.clear_until = 0
        elif j == n:
            closed = False
            if cython.compiled:
                piece = text if n - i == len(text) else slice_of(text, chars, i, n)
            else:
                piece = text[i:n]
            i = n
        else:
            closed = True
            if self.mode == KEY and self.token.is_empty():
                piece = cached_key(self.strings, text, chars, i, j)
            else:
                piece = slice_of(text, chars, i, j) if cython.compiled else text[i:j]
            i = j + 1
        if self.mode == STRING:
            if closed or piece or self.starts:
                visitor.string(piece, self.starts, closed)
                self.starts = False
            if closed:
                self.clear_until = 0
                self.mode = self.after
                if self.mode == AFTER_ROOT:
                    self._end_root(i, visitor)
        elif closed:
            self.clear_until = 0
            self.mode = COLON
            visitor.key(self.token.take(piece))
        elif piece:
            self.token.append(piece)
        if failure is not None:
            return self._fail(failure, i, visitor)
        return i

    def _number(self, text: str, chars: str, i: int, n: int, visitor: Visitor) -> int:
        numbers = self.numbers
        j = numbers.read(text, chars, i, n)
        failure = numbers.failure
        if failure is not None:
            numbers.failure = None
            if j > i:
                visitor.open_number(chars, i, j)
            return self._fail(failure, j, visitor)
        if not numbers.done:
            visitor.open_number(chars, i, j)
        else:
            if numbers.text is None:
                visitor.number(numbers.value, chars, i, j)
            else:
                visitor.number(numbers.value, chars_of(numbers.text), 0, len(numbers.text))
            self.mode = self.after
            if self.mode == AFTER_ROOT:
                self._end_root(j, visitor)
        return j

    def _literal(self, chars: str, i: int, n: int, visitor: Visitor) -> int:
        word = self.literal_word
        at = self.literal_at
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
                return self._fail(ErrorCode.INVALID_LITERAL, i, visitor)
            i += 1
            at += 1
        self.literal_at = at
        if at == len(word):
            visitor.literal(_literal_value(word))
            self.mode = self.after
            if self.mode == AFTER_ROOT:
                self._end_root(i, visitor)
        elif begins:
            visitor.open_literal(_literal_value(word))
        return i

    def finish(self, visitor: Visitor) -> None:
        """End the text where the input ends."""
        if self.mode == NUMBER and self.after == AFTER_ROOT and not self.carry:
            # section 6: nothing but the end of the text ends a number at the root
            self.numbers.finish()
            failure = self.numbers.failure
            if failure is not None:
                self._fail_finally(failure, 0, visitor)
            else:
                text = self.numbers.text or ""
                visitor.number(self.numbers.value, chars_of(text), 0, len(text))
                self.mode = AFTER_ROOT
                self._end_root(0, visitor)
        if self.mode == FAILED or self.finished:
            pass
        elif not self._is_after_root() and not (self.mode == START and self.after_root == BETWEEN):
            self._fail_finally(ErrorCode.TRUNCATED, 0, visitor)
        elif self.carry:
            self._fail_finally(ErrorCode.INVALID_UTF8, 0, visitor)
        self.finished = True


def _literal_value(word: str) -> bool | None:
    """Return the value of a literal."""
    return True if word[0] == "t" else False if word[0] == "f" else None


def new_grammar(
    limits: Limits,
    after_root: str,
    recover: bool,
    parse_int: Callable[[str], Any],
    parse_float: Callable[[str], Any],
) -> Grammar:
    """Return a machine that is ready for the first character."""
    grammar: Grammar = Grammar.__new__(Grammar)
    grammar._set_up(limits, after_root, recover, parse_int, parse_float)
    return grammar

# cython: boundscheck=False
"""Numbers, RFC 8259 section 6.

    number = [ "-" ] int [ frac ] [ exp ]
    int    = "0" / ( digit1-9 *DIGIT )
    frac   = "." 1*DIGIT
    exp    = ( "e" / "E" ) [ "-" / "+" ] 1*DIGIT

Each state of the automaton is named after the character that has just been read, so that the state and the
text so far are all that a cut number has to remember. A number ends at the first character that cannot occur
in any number. A character that can occur in numbers but not at this place makes the number invalid: ``01`` is
not the number 0 followed by a 1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..errors import ErrorCode
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .chars import chars_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .text import TextBuffer

__all__ = ["NumberReader", "new_number_reader"]

if not cython.compiled:  # ``numbers.pxd`` has the same names as constants for the compiler
    _START = 0
    _MINUS = 1
    _POINT = 2
    _E = 3
    _SIGN = 4
    # the states in which the number may end
    _ZERO = 5
    _INT = 6
    _FRACTION = 7
    _EXPONENT = 8
    # not a state: the character cannot continue the number
    _NO_STEP = -1


def _step(state: int, c: str) -> int:
    """Return the state after one more character, or _NO_STEP."""
    if "0" <= c <= "9":
        if state >= _INT:
            return state
        if state <= _MINUS:
            return _ZERO if c == "0" else _INT
        if state == _POINT:
            return _FRACTION
        return _NO_STEP if state == _ZERO else _EXPONENT
    if c == ".":
        return _POINT if state == _ZERO or state == _INT else _NO_STEP
    if c == "e" or c == "E":
        return _E if _ZERO <= state <= _FRACTION else _NO_STEP
    if c == "-":
        return _MINUS if state == _START else _SIGN if state == _E else _NO_STEP
    if c == "+":
        return _SIGN if state == _E else _NO_STEP
    return _NO_STEP


def is_part(c: str) -> bool:
    """Report whether a character can occur in a number."""
    return "0" <= c <= "9" or c == "." or c == "-" or c == "+" or c == "e" or c == "E"


if not cython.compiled:
    _PARTS = "0123456789.-+eE"
    # A call for each character would be slow: in a short text a table is used instead, and in a longer one a
    # regular expression matches the complete number at once.
    _SHORT_TEXT = 8
    _MATCH_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![-+.eE0-9])").match
    _STEPS = [
        {c: _step(state, c) for c in _PARTS if _step(state, c) != _NO_STEP} for state in range(_EXPONENT + 1)
    ]

    def _scaled(digits: int, scale: int) -> float:
        """Return digits * 10**scale, rounded once; compiled, -1.0 if that takes more than machine words."""
        return float(f"{digits}e{scale}")


@cython.final
@cython.cclass
class NumberReader:
    """Read one number after the other, each cut anywhere.

    After ``read``, ``failure`` says what is wrong with the character where reading stopped. Otherwise, if
    ``done``, ``value`` is the number, and ``text`` its text if it began in an earlier fragment.
    """

    __slots__ = (
        "cause",
        "convert_exactly",
        "count",
        "digits",
        "done",
        "failure",
        "limit",
        "parse_float",
        "parse_int",
        "pieces",
        "room",
        "scale",
        "state",
        "text",
        "value",
    )

    limit: int
    parse_int: Callable[[str], Any]
    parse_float: Callable[[str], Any]
    convert_exactly: bool
    pieces: TextBuffer
    state: int
    room: int
    # the result of the last scan: the digits as one integer, their count, and the power of ten to multiply
    # with
    digits: int
    count: int
    scale: int
    done: bool
    value: Any
    text: str | None
    failure: ErrorCode | None
    # the exception with which parse_int or parse_float refused the last number
    cause: Exception | None

    def begin(self) -> None:
        """Prepare for the first character of another number."""
        self.state = _START
        self.room = self.limit

    def read(self, text: str, chars: str, i: int, n: int) -> int:
        """Continue at text[i]; stop at n at the latest, and return the index where reading stopped."""
        begins = self.state == _START
        if not cython.compiled and begins and n - i > _SHORT_TEXT:
            match = _MATCH_NUMBER(text, i)
            if match and (j := match.end()) < n and j - i <= self.room:
                self._convert(text, chars, i, j, j == match.end(1))
                return j
        j = self._scan(chars, i, n)
        if j - i > self.room:
            return self._fail(ErrorCode.NUMBER_LIMIT, i + self.room)
        if j == n:
            self.pieces.append(text[i:j])
            self.room -= j - i
            self.done = False
        elif self.state < _ZERO or is_part(chars[j]):
            return self._fail(ErrorCode.INVALID_NUMBER, j)
        elif begins:
            self._convert(text, chars, i, j, self.state <= _INT)
        else:
            self._convert_pieces(text[i:j])
        return j

    def _scan(self, chars: str, i: int, n: int) -> int:
        """Run the automaton as far as it goes, and accumulate the digits on the way."""
        state = self.state
        if not cython.compiled:
            # uncompiled, int() and float() are the quickest way to convert: they only need to know where the
            # number ends
            while i < n and chars[i] in _STEPS[state]:
                state = _STEPS[state][chars[i]]
                i += 1
            self.state = state
            return i
        digits = count = before_point = exponent = 0
        is_shrinking = False
        while i < n:
            c = chars[i]
            if state < _INT or c < "0" or c > "9":
                step = _step(state, c)
                if step == _NO_STEP:
                    break
                state = step
            i += 1
            if state == _INT or state == _FRACTION or state == _ZERO:
                # too many digits overflow ``digits``, but ``count`` shows it
                start = i
                digits = digits * 10 + (ord(c) - 48)
                while i < n and state != _ZERO:
                    c = chars[i]
                    if c < "0" or c > "9":
                        break
                    digits = digits * 10 + (ord(c) - 48)
                    i += 1
                count += i - start + 1
            elif state == _EXPONENT:
                if exponent < 1000:
                    exponent = exponent * 10 + (ord(c) - 48)
            elif state == _POINT:
                before_point = count
            else:
                is_shrinking = state == _SIGN and c == "-"
        self.state = state
        self.digits = digits
        self.count = count
        self.scale = (-exponent if is_shrinking else exponent) - (count - before_point if before_point else 0)
        return i

    def may_end(self) -> bool:
        """Report whether the text so far is a complete number."""
        return self.state >= _ZERO

    def finish(self) -> None:
        """End the number where the text ends."""
        if self.may_end():
            self._convert_pieces("")
        else:
            self._fail(ErrorCode.TRUNCATED, 0)

    def _convert_pieces(self, last: str) -> None:
        text = self.pieces.take(last)
        if cython.compiled:
            chars = chars_of(text)
            self.state = _START
            self._scan(chars, 0, len(text))
        else:
            chars = text
        self._convert(text, chars, 0, len(text), self.state <= _INT)
        self.text = text

    def _convert(self, text: str, chars: str, start: int, end: int, integral: bool) -> None:
        self.text = None
        self.done = True
        self.state = _START
        self.room = self.limit
        self.value = self._exact(chars, start, integral) if self.convert_exactly else None
        if self.value is None:
            try:
                self.value = (self.parse_int if integral else self.parse_float)(text[start:end])
            except BaseException as cause:
                self._fail(ErrorCode.NUMBER_REFUSED, 0)
                if isinstance(cause, MemoryError) or not isinstance(cause, Exception):
                    # the number did not cause it, so the exception propagates; the stream has failed anyway
                    raise
                self.cause = cause

    def _exact(self, chars: str, start: int, integral: bool) -> Any:
        """Convert the last scan with machine arithmetic; return None if that cannot give the exact result."""
        c = chars[start]
        digits = self.digits
        if integral:
            if self.count > 18:
                return None
            return -digits if c == "-" else digits
        real = -1.0 if self.count > 19 else _scaled(digits, self.scale)
        if real < 0.0:
            return None
        return -real if c == "-" else real

    def _fail(self, failure: ErrorCode, at: int) -> int:
        self.done = False
        self.failure = failure
        self.pieces.clear()
        return at

    def load(self, state: int, text: str) -> None:
        """Restore a saved state from the text of the number so far; raise ValueError if they do not match."""
        self.state = _START
        end = self._scan(chars_of(text), 0, len(text)) if text.isascii() else -1
        if end < len(text) or self.state != state or state == _START:
            raise ValueError("the text of the open number and its state do not match")
        self.room = max(0, self.limit - len(text))
        self.pieces.load(text)

    def clone(self, pieces: TextBuffer) -> NumberReader:
        """Return another reader in the same state, which uses the given pieces."""
        other = new_number_reader(self.limit, self.parse_int, self.parse_float, pieces)
        other.state = self.state
        other.room = self.room
        return other


def new_number_reader(
    limit: int, parse_int: Callable[[str], Any], parse_float: Callable[[str], Any], pieces: TextBuffer
) -> NumberReader:
    """Return a reader for numbers of at most ``limit`` characters, with a buffer for those that are cut."""
    reader = NumberReader.__new__(NumberReader)
    reader.limit = limit
    reader.parse_int = parse_int
    reader.parse_float = parse_float
    reader.convert_exactly = cython.compiled and parse_int is int and parse_float is float
    reader.pieces = pieces
    reader.state = _START
    reader.room = limit
    reader.digits = 0
    reader.count = 0
    reader.scale = 0
    reader.done = False
    reader.value = None
    reader.text = None
    reader.failure = None
    reader.cause = None
    return reader

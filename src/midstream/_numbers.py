# cython: boundscheck=False
"""Numbers, RFC 8259 section 6.

    number = [ "-" ] int [ frac ] [ exp ]
    int    = "0" / ( digit1-9 *DIGIT )
    frac   = "." 1*DIGIT
    exp    = ( "e" / "E" ) [ "-" / "+" ] 1*DIGIT

Each state of the automaton is named after what has just been read, so the state and the text so
far are all that a cut number has to remember. A number ends at the first character that numbers
are not made of. One that they are made of but that can't go on here spoils the number: ``01``
and ``1.2.3`` are no 0 and no 1.2 with something behind.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import _cython as cython
from .errors import ErrorCode

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._text import TextBuffer

__all__ = ["NumberReader"]

_START = 0
_MINUS = 1
_POINT = 2
_E = 3
_SIGN = 4
# from here on the number may end
_ZERO = 5
_INT = 6
_FRACTION = 7
_EXPONENT = 8
# no state: the number can't go on with that character
_STUCK = -1

_POWERS = [float(f"1e{k}") for k in range(23)]
_WHOLE = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![-+.eE0-9])").match


def _step(state: int, c: str) -> int:
    """Give the state after one more character."""
    if "0" <= c <= "9":
        if state >= _INT:
            return state
        if state <= _MINUS:
            return _ZERO if c == "0" else _INT
        if state == _POINT:
            return _FRACTION
        return _STUCK if state == _ZERO else _EXPONENT
    if c == ".":
        return _POINT if state == _ZERO or state == _INT else _STUCK
    if c == "e" or c == "E":
        return _E if _ZERO <= state <= _FRACTION else _STUCK
    if c == "-":
        return _MINUS if state == _START else _SIGN if state == _E else _STUCK
    if c == "+":
        return _SIGN if state == _E else _STUCK
    return _STUCK


def is_part(c: str) -> bool:
    """Tell whether numbers are made of such characters."""
    return "0" <= c <= "9" or c == "." or c == "-" or c == "+" or c == "e" or c == "E"


def _exact(text: str, start: int, end: int) -> Any:
    """Convert up to 18 digits in machine arithmetic; give None for what that can't do.

    Such an integer fits 64 bits. A float is exact if its digits stay below 2**53 and its power of
    ten within 10**22: both are floats then, and one product or division rounds once.
    """
    i = start
    mantissa = 0
    digits = 0
    fraction = 0
    exponent = 0
    negative = text[i] == "-"
    shrinks = False
    integral = True
    if negative:
        i += 1
    while i < end:
        c = text[i]
        i += 1
        if "0" <= c <= "9":
            if digits == 18:
                return None
            mantissa = mantissa * 10 + (ord(c) - 48)
            digits += 1
            if not integral:
                fraction += 1
        elif c == ".":
            integral = False
        else:
            integral = False
            if text[i] == "-" or text[i] == "+":
                shrinks = text[i] == "-"
                i += 1
            while i < end:
                if exponent > 99:
                    return None
                exponent = exponent * 10 + (ord(text[i]) - 48)
                i += 1
    if integral:
        return -mantissa if negative else mantissa
    exponent = (-exponent if shrinks else exponent) - fraction
    if mantissa > 9007199254740992 or exponent < -22 or exponent > 22:
        return None
    real = float(mantissa)
    real = real / _POWERS[-exponent] if exponent < 0 else real * _POWERS[exponent]
    return -real if negative else real


@cython.final
@cython.cclass
class NumberReader:
    """Read one number after the other, each cut anywhere.

    After ``read``, ``failure`` is what is wrong with the character where reading stopped. Else, if
    ``done``, ``value`` is the number, and ``whole`` its text if it began in an earlier fragment.
    """

    __slots__ = (
        "cause",
        "convert_exactly",
        "done",
        "failure",
        "limit",
        "parse_float",
        "parse_int",
        "pieces",
        "room",
        "state",
        "value",
        "whole",
    )

    def __init__(
        self,
        limit: int,
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
        pieces: TextBuffer,
    ) -> None:
        self.limit = limit
        self.parse_int = parse_int
        self.parse_float = parse_float
        self.convert_exactly = cython.compiled and parse_int is int and parse_float is float
        self.pieces = pieces
        self.state = _START
        self.room = limit
        self.done = False
        self.value: Any = None
        self.whole: str | None = None
        self.failure: ErrorCode | None = None
        # why a hook refused the last number
        self.cause: Exception | None = None

    def begin(self) -> None:
        """Get ready for the first character of a number."""
        self.state = _START
        self.room = self.limit

    def read(self, text: str, i: int, n: int) -> int:
        """Read on at text[i], not past n; give the index where reading stopped."""
        state = self.state
        if not cython.compiled and state == _START:
            match = _WHOLE(text, i)
            if match and (j := match.end()) < n and j - i <= self.room:
                self._convert(text, i, j, j == match.end(1))
                return j
        j = i
        while j < n:
            step = _step(state, text[j])
            if step == _STUCK:
                break
            state = step
            j += 1
        if j - i > self.room:
            return self._fail(ErrorCode.NUMBER_LIMIT, i + self.room)
        if j == n:
            self.pieces.append(text[i:j])
            self.state = state
            self.room -= j - i
            self.done = False
        elif state < _ZERO or is_part(text[j]):
            return self._fail(ErrorCode.INVALID_NUMBER, j)
        elif self.state == _START:
            self._convert(text, i, j, state <= _INT)
        else:
            self.pieces.append(text[i:j])
            self.state = state
            self._convert_pieces()
        return j

    def finish(self) -> None:
        """Take the end of the text as the end of the number."""
        if self.state < _ZERO:
            self._fail(ErrorCode.TRUNCATED, 0)
        else:
            self._convert_pieces()

    def _convert_pieces(self) -> None:
        whole = self.pieces.take()
        self._convert(whole, 0, len(whole), self.state <= _INT)
        self.whole = whole

    def _convert(self, text: str, start: int, end: int, integral: bool) -> None:
        self.whole = None
        self.done = True
        self.value = _exact(text, start, end) if self.convert_exactly else None
        if self.value is None:
            try:
                self.value = (self.parse_int if integral else self.parse_float)(text[start:end])
            except Exception as cause:
                self._fail(ErrorCode.NUMBER_REFUSED, 0)
                self.cause = cause
            except BaseException:
                # the program is being stopped: nothing of this text is trusted any further
                self._fail(ErrorCode.NUMBER_REFUSED, 0)
                raise

    def _fail(self, failure: ErrorCode, at: int) -> int:
        self.done = False
        self.failure = failure
        self.pieces.clear()
        return at

    def load(self, state: int, text: str) -> None:
        """Go on from a saved state, behind the text of a number so far."""
        self.state = state
        self.room = max(0, self.limit - len(text))
        self.pieces.load(text)

    def clone(self, pieces: TextBuffer) -> NumberReader:
        """Make another reader in the same state, with the same pieces."""
        other = NumberReader(self.limit, self.parse_int, self.parse_float, pieces)
        other.state = self.state
        other.room = self.room
        return other

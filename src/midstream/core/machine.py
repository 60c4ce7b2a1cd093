"""The state of the grammar between two characters: plain data, and how it is cloned, saved and loaded.

The rules are functions over a `Machine`: ``structure`` (containers and the root), ``tokens`` (strings,
numbers and literals), ``recovery`` (errors) and ``grammar`` (the loop over the characters).

The fast path
-------------
Most fragments are plain content of the open string or key, and nothing else. ``feed`` may accept such a
fragment without any further check if it ends at or before the index ``clear_until``; 0 disables this.

The invariant: ``clear_until`` is 0 unless a string or key is open, and 0 while reading has stopped inside an
escape, after a high surrogate, or inside a character of which only some bytes have arrived. It never exceeds
``string_end``, where ``max_string`` is reached, nor ``document_end``, where ``max_document`` is reached. Only
`enable_fast_path` and `disable_fast_path` write ``string_end`` and ``clear_until``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..errors import ErrorCode, ParserError, Position
from . import cython_shim as cython
from .saved import checked_count, load_repairs, save_repairs
from .text import TextBuffer, load_text, save_text

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .modes import (
        AFTER_ITEM,
        AFTER_MEMBER,
        AFTER_ROOT,
        BARE_KEY,
        BETWEEN,
        BLOCK_COMMENT,
        DISCARD,
        FAILED,
        KEY,
        LENIENT_STRING,
        LINE_COMMENT,
        LITERAL,
        NUMBER,
        SKIP,
        START,
        STOPPED,
        STRING,
        TRAILING,
    )
    from .numbers import new_number_reader
    from .options import Options, limit_of
    from .strings import new_string_reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors import Repair
    from ..limits import Limits
    from .numbers import NumberReader
    from .strings import StringReader

__all__ = [
    "MAX_FENCE",
    "MAX_INDEX",
    "Machine",
    "begin_document",
    "disable_fast_path",
    "enable_fast_path",
    "new_machine",
]

# the largest index
MAX_INDEX = sys.maxsize
# the longest code fence
MAX_FENCE = 1000

# what only the lenient dialect has, in a strict machine
_ABSENT: Any = None

if not cython.compiled:
    # the plain twins of the functions in ``machine.pxd``

    def blank_machine() -> Machine:
        """Return a machine whose counters and flags are all 0."""
        machine = Machine.__new__(Machine)
        for name in _COUNTERS:
            setattr(machine, name, 0)
        return machine

    def copy_counters(machine: Machine, other: Machine) -> None:
        """Copy all counters and flags of a machine to another one."""
        for name in _COUNTERS:
            setattr(other, name, getattr(machine, name))


@cython.final
@cython.cclass
class Machine:
    """Hold the state of the grammar."""

    # The counters and flags: 0 in a new machine, copied all at once. ``machine.pxd`` gives their C types.
    # how many characters have been read before the fragment; the number of the line, and where it begins
    base: int
    line: int
    line_start: int
    # where the document begins, and where it reaches max_document
    document_start: int
    document_end: int
    # where the open string reaches max_string, and the end of the fast path: see above
    string_end: int
    clear_until: int
    # how many of the open containers are objects, and how many containers may be open: max_depth, or 0 while
    # the lenient dialect has to know of each that opens
    objects: int
    depth_limit: int
    # how many characters of the literal have been read
    literal_at: int
    # the mode, and the mode after the next complete value, which also says what the innermost container is
    mode: int
    after: int
    # in mode SKIP: whether no character has been skipped yet, the mode in which the error was found, how many
    # brackets of the span are open, and whether reading is inside a string (1) or after a backslash in it (2)
    skip_starts: bool
    skip_from: int
    skip_depth: int
    skip_quote: int
    # the length of the code fence around the document: of backticks, or negative of tildes; 0 without one
    fence: int
    # whether `finish` has been called
    finished: bool
    # The lenient dialect. How much undecided text is held back, and how much it was when it was read last
    held_length: int
    held_tried: int
    # the flags of the open string, and how many characters it may still have
    flags: int
    room: int
    # the mode after the comment
    resume: int
    # where the last odd white space ends
    odd_end: int
    # the position of the last repair, and the number of repairs
    last_index: int
    last_line: int
    last_column: int
    repair_count: int
    # the places that the last look-ahead found
    seen: int
    seen_quote: int
    # whether the line has been blank so far, which is known only within a code fence
    line_is_blank: bool
    # how many bytes the decoder used in its last call
    decoded: int

    options: Options
    strings: StringReader
    numbers: NumberReader
    # the text so far of a key or number that is cut; only one of them can be open
    token: TextBuffer
    # the value of ``after`` for every container around the innermost one
    stack: list[int]
    # the literal of mode LITERAL
    literal_word: str
    # the text after the root, if it is kept
    trailing: TextBuffer | None
    # the bytes of a character that is cut
    carry: bytes
    # the error of mode FAILED
    error: ParserError | None
    # The lenient dialect: the text that is held back; the closing quotes of the open string; the depths of
    # the open parentheses, twice, plus 1 for a call; the repairs. Only a lenient machine has them.
    held: TextBuffer
    quotes: str
    wrappers: list[int]
    repairs: list[Repair]

    if not cython.compiled:
        __slots__ = tuple(__annotations__)

    def position(self) -> Position:
        """Return how far the text has been read."""
        line, line_start = self.line, self.line_start
        if self.held_length:
            held = self.held.peek()
            line += held.count("\n")
            if line > self.line:
                line_start = self.base - self.held_length + held.rindex("\n") + 1
        return Position(self.base, line, self.base - line_start + 1)

    def current_mode(self) -> int:
        """Return what may follow: one of the constants in ``modes``.

        In a comment, and in text that is skipped, it is what was expected before.
        """
        mode = self.mode
        if mode == LINE_COMMENT or mode == BLOCK_COMMENT:
            return self.resume
        return self.skip_from if mode == SKIP else mode

    def current_error(self) -> ParserError | None:
        """Return the error that ended the text."""
        return self.error

    def is_complete(self) -> bool:
        """Report whether a complete document has been read and nothing is pending."""
        return self.is_after_root() and not self.carry

    def is_after_root(self) -> bool:
        """Report whether the last document is complete."""
        mode = self.mode
        if (mode == LINE_COMMENT or mode == BLOCK_COMMENT) and not self.stack:
            mode = self.resume
        return mode == AFTER_ROOT or mode == BETWEEN or mode == TRAILING or mode == DISCARD or mode == STOPPED

    def begin_at(self, index: int, line: int, line_start: int, fence: int) -> None:
        """Begin a document at a place of the text, after text that the grammar has not read."""
        if self.mode != START and self.mode != STOPPED:
            raise ValueError("the last document is still open")
        self.mode = START
        self.base = index
        self.line = line
        self.line_start = line_start
        self.fence = fence
        begin_document(self, index)

    def clone(self) -> Machine:
        """Return another machine in the same state."""
        other = blank_machine()
        copy_counters(self, other)
        other.options = self.options
        other.strings = self.strings.clone()
        other.token = self.token.clone()
        other.numbers = self.numbers.clone(other.token)
        other.stack = self.stack[:]
        other.literal_word = self.literal_word
        other.trailing = None if self.trailing is None else self.trailing.clone()
        other.carry = self.carry
        other.error = self.error
        other.quotes = self.quotes
        is_lenient = self.options.lenient
        other.held = self.held.clone() if is_lenient else _ABSENT
        other.wrappers = self.wrappers[:] if is_lenient else _ABSENT
        other.repairs = self.repairs[:] if is_lenient else _ABSENT
        return other

    def state(self) -> dict[str, Any]:
        """Return everything but the options as plain data."""
        afters = [*self.stack[1:], self.after] if self.stack else []
        strings, numbers, error = self.strings, self.numbers, self.error
        token: list[Any] = []
        if self.mode == STRING or self.mode == KEY:
            # save the length so far, which does not depend on the limit as ``string_end`` does
            token = [self.options.max_string - (self.string_end - self.base), strings.place, strings.high]
            # right after the backslash, the code is still that of the previous escape
            token += [strings.code if strings.place > 1 else 0, save_text(self.token.peek())]
        elif self.mode == NUMBER:
            token = [numbers.state, self.token.peek()]
        elif self.mode == LITERAL:
            token = [self.literal_word, self.literal_at]
        elif self.mode == SKIP:
            token = [self.skip_from, self.skip_depth, self.skip_quote]
        elif LENIENT_STRING <= self.mode <= BARE_KEY:
            used = self.options.string_limit - self.room
            token = [used, self.flags, self.quotes, save_text(self.token.peek())]
        elif self.mode == LINE_COMMENT or self.mode == BLOCK_COMMENT:
            token = [self.resume]
        state = {
            "mode": self.mode,
            "open": "".join("{" if after == AFTER_MEMBER else "[" for after in afters),
            "position": [self.base, self.line, self.line_start, self.document_start],
            "token": token,
            "trailing": "" if self.trailing is None else save_text(self.trailing.peek()),
            "carry": list(self.carry),
            "fence": self.fence,
            "finished": bool(self.finished),
            "error": None if error is None else [error.code, error.index, error.line, error.column],
        }
        if self.options.lenient:
            state["lenient"] = self._lenient_state()
        return state

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state; raise ValueError, KeyError or TypeError if the data is not one."""
        self.mode = checked_count(state["mode"], STOPPED)
        for bracket in state["open"]:
            if bracket not in ("{", "["):
                raise ValueError("an open container is saved as { or [")
            self.stack.append(self.after)
            self.after = AFTER_MEMBER if bracket == "{" else AFTER_ITEM
            self.objects += bracket == "{"
        self.base, self.line, self.line_start, document_start = map(checked_count, state["position"])
        begin_document(self, document_start)
        if self.base > self.document_end:
            raise ValueError("the position exceeds max_document")
        self._load_token(state["token"])
        if state["trailing"]:
            self.trailing = TextBuffer()
            self.trailing.load(state["trailing"])
        self.carry = bytes(state["carry"])
        # absent from a checkpoint of an earlier version
        fence = state.get("fence", 0)
        self.fence = checked_count(abs(fence), MAX_FENCE) * (-1 if fence < 0 else 1)
        self.finished = bool(state["finished"])
        if state["error"] is not None:
            code, *place = state["error"]
            self.error = ParserError.at(ErrorCode(code), *map(checked_count, place))
        if (self.mode == FAILED) != (self.error is not None):
            raise ValueError("an error is saved if and only if the mode is FAILED")
        if self.options.lenient:
            self._load_lenient(state["lenient"])
        elif LENIENT_STRING <= self.mode <= BLOCK_COMMENT:
            raise ValueError("a mode of the lenient dialect")

    def _lenient_state(self) -> dict[str, Any]:
        """Return what only the lenient dialect has."""
        return {
            "held": save_text(self.held.peek()),
            "wrappers": self.wrappers[:],
            "odd_end": self.odd_end,
            "is_blank": bool(self.line_is_blank),
            "count": self.repair_count,
            "last": [self.last_index, self.last_line, self.last_column],
            "repairs": save_repairs(self.repairs),
        }

    def _load_lenient(self, state: dict[str, Any]) -> None:
        """Restore what only the lenient dialect has."""
        held = load_text(state["held"])
        if len(held) > self.base - self.document_start:
            raise ValueError("more text is held back than has been read")
        if held:
            self.held.append(held)
        self.held_length = self.held_tried = len(held)
        self.wrappers += map(checked_count, state["wrappers"])
        if self.wrappers:
            self.depth_limit = 0
        self.odd_end = checked_count(state["odd_end"])
        self.line_is_blank = bool(state["is_blank"])
        self.repair_count = checked_count(state["count"])
        self.last_index, self.last_line, self.last_column = map(checked_count, state["last"])
        self.repairs += load_repairs(state["repairs"])

    def _load_token(self, token: list[Any]) -> None:
        """Restore the open token."""
        if self.mode == STRING or self.mode == KEY:
            used, place, high, code, key = token
            enable_fast_path(self, max(0, self.options.max_string - checked_count(used)), 0)
            # the first piece enables the fast path again, where the state permits it
            disable_fast_path(self)
            # after the backslash and the u, each character is a digit of the code
            code = checked_count(code, 16 ** max(0, checked_count(place, 5) - 2) - 1)
            if checked_count(high, 0xDBFF) and high < 0xD800:
                raise ValueError("the pending code unit is not a high surrogate")
            self.strings.load(place, code, high)
            self.token.load(key)
        elif self.mode == NUMBER:
            number_state, text = token
            self.numbers.load(checked_count(number_state, 8), load_text(text))
        elif self.mode == LITERAL:
            self.literal_word, literal_at = token
            if self.literal_word not in ("true", "false", "null"):
                raise ValueError("a literal is true, false or null")
            self.literal_at = checked_count(literal_at, len(self.literal_word) - 1)
        elif self.mode == SKIP:
            skip_from, skip_depth, skip_quote = token
            self.skip_from = checked_count(skip_from, FAILED)
            self.skip_depth = checked_count(skip_depth)
            self.skip_quote = checked_count(skip_quote, 2)
        elif LENIENT_STRING <= self.mode <= BARE_KEY:
            used, flags, quotes, key = token
            self.room = max(0, self.options.string_limit - checked_count(used))
            self.flags = checked_count(flags, 31)
            if not isinstance(quotes, str):
                raise TypeError("the quotes are a str")
            self.quotes = quotes
            self.token.load(key)
        elif self.mode == LINE_COMMENT or self.mode == BLOCK_COMMENT:
            self.resume = checked_count(token[0], AFTER_ROOT)


if not cython.compiled:
    _COUNTERS = [name for name, kind in Machine.__annotations__.items() if kind in ("int", "bool")]


def new_machine(
    limits: Limits,
    after_root: str,
    recover: bool,
    parse_int: Callable[[str], Any],
    parse_float: Callable[[str], Any],
    lenient: bool = False,
) -> Machine:
    """Return a machine that is ready for the first character."""
    machine = blank_machine()
    machine.options = Options(limits, after_root, recover, lenient)
    machine.strings = new_string_reader()
    machine.token = TextBuffer()
    machine.numbers = new_number_reader(limit_of(limits.max_number), parse_int, parse_float, machine.token)
    machine.stack = []
    machine.literal_word = ""
    machine.trailing = None
    machine.carry = b""
    machine.error = None
    machine.quotes = ""
    machine.held = TextBuffer() if lenient else _ABSENT
    machine.wrappers = [] if lenient else _ABSENT
    machine.repairs = [] if lenient else _ABSENT
    machine.depth_limit = machine.options.max_depth
    # all other counters are 0; mode 0 is START
    machine.after = AFTER_ROOT
    machine.line = 1
    begin_document(machine, 0)
    return machine


def begin_document(machine: Machine, start: int) -> None:
    """Begin a document at an index, and compute where it reaches max_document."""
    room = machine.options.max_document
    machine.document_start = start
    machine.document_end = start + room if room < MAX_INDEX - start else MAX_INDEX


def enable_fast_path(machine: Machine, room: int, i: int) -> None:
    """Allow ``room`` more characters from i on in the open string or key, and the fast path for them."""
    end = machine.base + i
    end = end + room if room < MAX_INDEX - end else MAX_INDEX
    machine.string_end = end
    machine.clear_until = end
    if end > machine.document_end:
        machine.clear_until = machine.document_end


def disable_fast_path(machine: Machine) -> None:
    """Disable the fast path: the string has ended, or its next character needs the slow path."""
    machine.clear_until = 0

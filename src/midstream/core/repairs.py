# cython: boundscheck=False
"""The lenient dialect: reports of its repairs, text that is held back, and comments.

Where strict parsing would report an error, the rules of the dialect (``lenient_structure``,
``lenient_strings`` and ``bare_tokens``) report a repair and continue. A rule that needs to see more text
holds back what is undecided: with the next fragment the machine reads it again, from the place where the
decision began. What is held is bounded: white space, two punctuation characters and one name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import Repair, RepairCode
from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .modes import (
        BARE_STRING,
        BEGUN,
        BLOCK_COMMENT,
        IN_CONTAINER,
        IN_NEXT_VALUE,
        IN_STRING,
        LENIENT_STRING,
        LINE_COMMENT,
        LITERAL,
        NEXT_ITEM,
        NUMBER,
        OPEN,
    )

if TYPE_CHECKING:
    from .machine import Machine
    from .visitor import Visitor

__all__ = [
    "begin_comment",
    "forget_closed",
    "hold",
    "is_wrapped",
    "note_line",
    "read_comment",
    "report",
    "resumed",
    "take_back",
    "wrap",
]

# text that is held back and longer than this has much white space: it is not read again with every space
_LONG = 256


def report(machine: Machine, code: RepairCode, text: str, at: int, i: int, visitor: Visitor) -> None:
    """Report a repair at text[i], where the lines up to text[at] have been counted."""
    machine.repair_count += 1
    if machine.repair_count <= machine.options.max_repairs:
        _record(machine, code, text, at, i, visitor)


def _record(machine: Machine, code: RepairCode, text: str, at: int, i: int, visitor: Visitor) -> None:
    """Record a repair, and pass it to the visitor."""
    index = machine.base + i
    line = machine.line
    line_start = machine.line_start
    if i > at:
        lines = text.count("\n", at, i)
        if lines:
            line += lines
            line_start = machine.base + text.rindex("\n", at, i) + 1
    column = index - line_start + 1
    if index < machine.last_index:
        # it was found after a repair further on, which a look-ahead has seen
        index = machine.last_index
        line = machine.last_line
        column = machine.last_column
    machine.last_index = index
    machine.last_line = line
    machine.last_column = column
    mode = machine.mode
    if (mode == LENIENT_STRING and machine.flags & BEGUN) or mode == BARE_STRING:
        where = IN_STRING
    elif mode <= NEXT_ITEM or mode == LENIENT_STRING or mode == NUMBER or mode == LITERAL:
        where = IN_NEXT_VALUE
    else:
        where = IN_CONTAINER
    machine.repairs.append(visitor.repair(Repair.at(code, index, line, column, ""), where))


def hold(machine: Machine, text: str, i: int, n: int) -> int:
    """Hold text[i:n] back until more text arrives; return n."""
    machine.held.append(text[i:n])
    machine.held_length = machine.held_tried = n - i
    return n


def take_back(machine: Machine, text: str, is_final: bool) -> bool:
    """Report whether it is time to read the text that is held back again, with a fragment; or hold it, too.

    White space alone decides little: if much of it has been held back, it is read again only when there is
    twice as much, so that reading takes linear time.
    """
    length = machine.held_length + len(text)
    if (
        machine.held_length > _LONG
        and length < 2 * machine.held_tried
        and not is_final
        and machine.base + len(text) <= machine.document_end
        and (text.isspace() or text.isdigit())
    ):
        machine.held.append(text)
        machine.held_length = length
        machine.base += len(text)
        return False
    machine.base -= machine.held_length
    machine.held_length = 0
    return True


def resumed(machine: Machine, text: str) -> str:
    """Return the text that was held back, and a fragment after it, to be read again."""
    return machine.held.take(text)


def wrap(machine: Machine, is_call: bool) -> None:
    """Note that a parenthesis has been opened: of a call, or of the innermost container, a tuple."""
    machine.wrappers.append(2 * len(machine.stack) + is_call)
    # each container that opens calls `forget_closed`
    machine.depth_limit = 0


def forget_closed(machine: Machine) -> None:
    """Forget the parentheses whose container another bracket has closed, before another one opens there."""
    wrappers = machine.wrappers
    depth = len(machine.stack)
    while wrappers and wrappers[len(wrappers) - 1] >> 1 > depth:
        wrappers.pop()
    if not wrappers:
        machine.depth_limit = machine.options.max_depth


def is_wrapped(machine: Machine) -> bool:
    """Report whether a parenthesis was opened right around the innermost value."""
    forget_closed(machine)
    wrappers = machine.wrappers
    return len(wrappers) > 0 and wrappers[len(wrappers) - 1] >> 1 == len(machine.stack)


def note_line(machine: Machine, text: str) -> None:
    """Note whether the last line of a text is blank, without what is held back of it."""
    end = len(text) - machine.held_length
    begin = text.rfind("\n", 0, end) + 1
    if begin or machine.line_is_blank:
        machine.line_is_blank = not text[begin:end].strip(" \t\r")


def begin_comment(machine: Machine, text: str, i: int, is_block: bool, visitor: Visitor) -> int:
    """Begin the comment at text[i]; return where its content begins."""
    report(machine, RepairCode.COMMENT, text, i, i, visitor)
    machine.resume = machine.mode
    machine.mode = BLOCK_COMMENT if is_block else LINE_COMMENT
    return i + 2 if is_block else i + 1


def read_comment(machine: Machine, text: str, i: int, n: int, final: int) -> int:
    """Continue in a comment; return where reading stopped."""
    if machine.mode == LINE_COMMENT:
        end = text.find("\n", i, n)
        if end < 0:
            return n
        machine.mode = machine.resume
        return end
    end = text.find("*/", i, n)
    j = n if end < 0 else end + 2
    lines = text.count("\n", i, j)
    if lines:
        machine.line += lines
        machine.line_start = machine.base + text.rindex("\n", i, j) + 1
    if end >= 0:
        machine.mode = machine.resume
    elif final == OPEN and text[n - 1] == "*":
        return hold(machine, text, n - 1, n)
    return j

"""One tool call in a frame: its name and state on top, its arguments inside, its finish reason below."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from .._undefined import UNDEFINED
from . import strings as _strings
from .glyphs import rows
from .layout import Layout
from .line import Line
from .marks import ERROR, FOLD, FRAME, STATES, TITLE
from .spine import fit

if TYPE_CHECKING:
    from .calls import Call
    from .marks import Marks

__all__ = ["Panel", "state_of"]

# The minimum width of a panel with a frame.
_LEAST_FRAME = 24
# The maximum number of lines for an error message.
_MESSAGE = 2
# The maximum cells for the name of a call on one line.
_LONGEST_NAME = 32


def state_of(call: Call) -> str:
    """Return the state of a call in one word."""
    if call.is_complete:
        return "complete"
    if call.error is None:
        return "streaming"
    return "truncated" if call.error.code == "truncated" else "invalid"


class Panel:
    """Draw a call on a given number of lines."""

    def __init__(self, call: Call, number: int | None, marks: Marks) -> None:
        self.call = call
        self.number = number
        self.marks = marks
        self.state = state_of(call)

    def wish(self, width: int, height: int) -> int:
        """Return the number of lines that the call can use, up to the height of the window."""
        return min(len(self._body(self._inside(width), height)) + 2, height)

    def brief(self, width: int) -> Line:
        """Draw the call on one line."""
        line = self._add_state(Line())
        self._add_title(line.add(" "), min(_LONGEST_NAME, width // 2))
        if width - line.cells < _LEAST_FRAME:
            return line.crop(width)
        line.add("  ")
        if self.call.args is not UNDEFINED:
            return Layout(width, self.marks).brief(line, self.call.args)
        return _strings.squeezed(line, self.call.raw_args, _strings.raw(""), 0, width, self.marks, 1)[0]

    def lines(self, width: int, height: int) -> list[Line]:
        """Draw the call on exactly ``height`` lines, two or more."""
        body = self._body(self._inside(width), height - 2)
        body += [Line() for _ in range(height - 2 - len(body))]
        if width < _LEAST_FRAME:
            return [
                self._add_title(self._add_state(Line()).add(" "), width),
                *body,
                self._add_end(Line(), width),
            ]
        side = self.marks.side
        framed = [
            Line().add(f"{side} ", FRAME).join(line).pad(width - 2).add(f" {side}", FRAME) for line in body
        ]
        return [self._top(width), *framed, self._bottom(width)]

    def _inside(self, width: int) -> int:
        return width if width < _LEAST_FRAME else width - 4

    def _body(self, width: int, height: int) -> list[Line]:
        message: list[Line] = []
        if self.call.error is not None:
            parts = rows(self.call.error.message, width, width, self.marks.bare)
            message = [Line().draw(row, ERROR) for row in islice(parts, min(_MESSAGE, max(height - 1, 0)))]
        return [*self._args(width, height - len(message)), *message]

    def _args(self, width: int, height: int) -> list[Line]:
        args, text = self.call.args, self.call.raw_args
        if args is UNDEFINED and text.strip():
            writing = _strings.raw(self.marks.cursor if self.state == "streaming" else "")
            return _strings.squeezed(Line(), text, writing, 0, width, self.marks, max(height, 1))
        return fit(args, self.call.open_path, width, height, self.marks)

    def _top(self, width: int) -> Line:
        line = Line().add(f"{self.marks.corners[0]}{self.marks.line} ", FRAME)
        state = self._add_state(Line())
        self._add_title(line, width - state.cells - 8).add(" ")
        line.add(self.marks.line * (width - line.cells - state.cells - 4), FRAME).add(" ").join(state)
        return line.add(f" {self.marks.line}{self.marks.corners[1]}", FRAME)

    def _bottom(self, width: int) -> Line:
        line = Line().add(self.marks.corners[2], FRAME)
        if self.call.finish_reason:
            line.add(f"{self.marks.line} ", FRAME)
            self._add_end(line, width - 6).add(" ")
        line.add(self.marks.line * (width - line.cells - 1), FRAME)
        return line.add(self.marks.corners[3], FRAME)

    def _add_state(self, line: Line) -> Line:
        return line.add(f"{self.marks.of_state(self.state)} {self.state}", STATES[self.state])

    def _add_title(self, line: Line, cells: int) -> Line:
        # the number is the call's place among the calls: a provider's index may count text blocks as well
        number = f" #{self.number}" if self.number is not None and self.call.name else ""
        name = self.call.name or f"call {self.number or ''}".strip()
        _strings.fold_into(
            line, name, cells - len(number), TITLE, self.marks, is_counted=False, is_quoted=False
        )
        return line.add(number, FOLD)

    def _add_end(self, line: Line, cells: int) -> Line:
        reason = f"finish_reason: {self.call.finish_reason}" if self.call.finish_reason else ""
        return _strings.fold_into(line, reason, cells, FOLD, self.marks, is_counted=False, is_quoted=False)

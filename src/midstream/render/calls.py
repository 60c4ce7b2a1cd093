"""Several tool calls in one window: panels in columns and rows, some calls on one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from .line import Line
from .marks import FOLD
from .panel import Panel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..paths import Segments
    from .marks import Marks

__all__ = ["Call", "fit_calls"]

_MOST_COLUMNS, _LEAST_COLUMN = 3, 45
# The minimum number of lines of a panel.
_LEAST_PANEL = 5
# The order in which calls lose their panels if there is no room for all.
_SHRINKING_ORDER = ["complete", "invalid", "truncated", "streaming"]


class CallError(Protocol):
    """An error in the arguments of a call."""

    @property
    def code(self) -> str:
        """The error code; ``"truncated"`` is one of them."""

    @property
    def message(self) -> str:
        """The error message."""


class Call(Protocol):
    """The attributes of a tool call that are shown; `midstream.ToolCall` has them."""

    @property
    def name(self) -> str | None:
        """The tool's name, as soon as it is known."""

    @property
    def index(self) -> Any:
        """The index of the call."""

    @property
    def args(self) -> Any:
        """The arguments so far, or UNDEFINED."""

    @property
    def raw_args(self) -> str:
        """The text of the arguments so far."""

    @property
    def open_path(self) -> Segments | None:
        """The path of the innermost open value in the arguments."""

    @property
    def is_complete(self) -> bool:
        """Whether the arguments are complete."""

    @property
    def error(self) -> CallError | None:
        """The error in the arguments."""

    @property
    def finish_reason(self) -> str | None:
        """Why the model stopped."""


def fit_calls(calls: Sequence[Call], width: int, height: int, marks: Marks) -> list[Line]:
    """Return calls as at most ``height`` lines of at most ``width`` cells."""
    is_numbered = len(calls) > 1
    panels = [Panel(call, number if is_numbered else None, marks) for number, call in enumerate(calls, 1)]
    columns = max(min(_MOST_COLUMNS, width // _LEAST_COLUMN, len(panels)), 1)
    brief, large = _choose(panels, columns, height)
    grid = [large[at : at + columns] for at in range(0, len(large), columns)]
    column = (width - columns + 1) // columns
    briefs = max(min(len(brief), height - len(grid) * _LEAST_PANEL), 0)
    heights = _share(grid, column, height - briefs)
    lines = _briefly(brief, briefs, width, marks)
    for row, row_height in zip(grid, heights, strict=True):
        lines += _side_by_side(row, column, row_height)
    return [line.crop(width) for line in lines[:height]]


def _choose(panels: list[Panel], columns: int, height: int) -> tuple[list[Panel], list[Panel]]:
    """Return the calls that get one line, and those that get a panel."""
    if height < _LEAST_PANEL:
        return panels, []
    places = range(len(panels))
    brief: set[int] = set()
    for place in sorted(places, key=lambda place: _SHRINKING_ORDER.index(panels[place].state))[:-1]:
        grid_rows = -(-(len(panels) - len(brief)) // columns)
        # not all calls on one line have to be visible
        if grid_rows * _LEAST_PANEL + min(len(brief), max(height // 3, 1)) <= height:
            break
        brief.add(place)
    return [panels[at] for at in places if at in brief], [panels[at] for at in places if at not in brief]


def _share(grid: list[list[Panel]], column: int, height: int) -> list[int]:
    """Share the lines among the rows, none more than it needs; streaming calls come first."""
    wishes = [max(panel.wish(column, height) for panel in row) for row in grid]
    heights = [min(wish, _LEAST_PANEL) for wish in wishes]
    spare = height - sum(heights)
    for state in ("streaming", ""):
        growing = [at for at, row in enumerate(grid) if any(state in panel.state for panel in row)]
        while spare > 0 and growing:
            growing = [at for at in growing if heights[at] < wishes[at]]
            for at in growing[::-1][:spare]:
                heights[at] += 1
                spare -= 1
    return heights


def _briefly(panels: list[Panel], count: int, width: int, marks: Marks) -> list[Line]:
    """Draw the last calls on one line each, with the number of calls before them."""
    if count == len(panels):
        return [panel.brief(width) for panel in panels]
    if count < 1:
        return []
    more = f"{len(panels) - count + 1:,} more calls"
    shown = panels[len(panels) - count + 1 :]
    return [Line().add(f"{marks.fold} {more} {marks.fold}", FOLD), *(panel.brief(width) for panel in shown)]


def _side_by_side(panels: list[Panel], column: int, height: int) -> list[Line]:
    """Draw the panels of a row, all with the height of the highest."""
    height = min(height, max(panel.wish(column, height) for panel in panels))
    lines = [Line() for _ in range(height)]
    for number, panel in enumerate(panels):
        for line, part in zip(lines, panel.lines(column, height), strict=True):
            line.pad((column + 1) * number).join(part)
    return lines

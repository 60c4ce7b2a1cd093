"""The line below a live view: the amount received, the speed, the time, and the part still to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .line import Line
from .marks import FRAME, STATES

if TYPE_CHECKING:
    from .marks import Marks

__all__ = ["progress_line"]

_LEAST_BAR, _LONGEST_BAR = 8, 40


def progress_line(received: int, total: int | None, seconds: float, width: int, marks: Marks) -> Line:
    """Return a line that shows the progress of a stream.

    >>> from midstream.render.marks import ASCII
    >>> print(progress_line(12_300_000, None, 61.4, 80, ASCII))
    12.3 MB  200.3 kB/s  1:01
    >>> print(progress_line(50, 200, 0.5, 40, ASCII))
    50 B  100 B/s  0:00  ===-----------  25%
    """
    speed = received / seconds if seconds > 0 else 0.0
    minutes, rest = divmod(int(seconds), 60)
    line = Line().add(f"{_amount(received)}  {_amount(speed)}/s  {minutes}:{rest:02}", FRAME)
    if total is None or total <= 0:
        return line.crop(width)
    part = min(received / total, 1.0)
    percent = f"{part:4.0%}"
    bar = min(width - line.cells - len(percent) - 3, _LONGEST_BAR)
    if bar >= _LEAST_BAR:
        done = int(bar * part)
        line.add("  ").add(marks.done * done, STATES["complete"]).add(marks.to_do * (bar - done), FRAME)
    return line.add(f" {percent}", FRAME).crop(width)


def _amount(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"

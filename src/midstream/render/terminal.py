"""Growing JSON in a terminal: views of a value, of tool calls and of a message, and a live view.

A view is laid out for a window of any size; rich can also print it. `LiveView` follows a stream.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console
from rich.live import Live

from . import strings as _strings
from .calls import Call, fit_calls
from .line import Line, Screen
from .marks import marks_for
from .progress import progress_line
from .spine import fit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from rich.console import ConsoleOptions, RenderResult

    from ..paths import Segments
    from .marks import Marks

__all__ = ["Call", "CallsView", "LiveView", "MessageView", "ValueView", "View"]

# The maximum share of the time that is spent drawing, even on a slow terminal.
_LARGEST_PART = 0.1
_LONGEST_PAUSE = 1.0


class View(Protocol):
    """Something that can be laid out in a window."""

    def lines(self, width: int, height: int, marks: Marks) -> list[Line]:
        """Return at most ``height`` lines of at most ``width`` cells."""


class ValueView:
    """Show a value that may still grow.

    ``open_path`` is the path of the innermost open value, None if everything is final.

    >>> from rich.console import Console
    >>> Console(width=40).print(ValueView({"city": "Zürich", "days": ["Mon"]}, ("days", 0)))
    {
      "city": "Zürich",
      "days": [
        "Mon▌
        …
      …
    """

    def __init__(self, value: Any, open_path: Segments | None = None) -> None:
        self.value = value
        self.open_path = open_path

    def lines(self, width: int, height: int, marks: Marks) -> list[Line]:
        """Return at most ``height`` lines of at most ``width`` cells."""
        return fit(self.value, self.open_path, width, height, marks)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _screen(self, options)


class CallsView:
    """Show tool calls, each with its name, its state and its arguments.

    >>> from types import SimpleNamespace
    >>> from rich.console import Console
    >>> call = SimpleNamespace(
    ...     name="forecast", index=0, args={"city": "Zür"}, raw_args='{"city": "Zür', open_path=("city",),
    ...     is_complete=False, error=None, finish_reason=None,
    ... )
    >>> Console(width=40).print(CallsView([call]))
    ╭─ forecast ───────────── ● streaming ─╮
    │ {                                    │
    │   "city": "Zür▌                      │
    │   …                                  │
    ╰──────────────────────────────────────╯
    """

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls = calls

    def lines(self, width: int, height: int, marks: Marks) -> list[Line]:
        """Return at most ``height`` lines of at most ``width`` cells."""
        return fit_calls(self.calls, width, height, marks)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _screen(self, options)


class MessageView:
    r"""Show a model's message: its text, or a view of its structured output, and its tool calls below.

    >>> from rich.console import Console
    >>> Console(width=40).print(MessageView("One moment, I look out of the window.\nHm.", []))
    One moment, I look out of the window.
    Hm.
    """

    def __init__(self, content: str | View, calls: Sequence[Call]) -> None:
        self.content = content
        self.calls = calls

    def lines(self, width: int, height: int, marks: Marks) -> list[Line]:
        """Return at most ``height`` lines of at most ``width`` cells."""
        wanted = self._content(width, height, marks)
        if not self.calls:
            return wanted
        calls = fit_calls(self.calls, width, height - min(len(wanted), height // 3), marks)
        return [*self._content(width, height - len(calls), marks), *calls]

    def _content(self, width: int, height: int, marks: Marks) -> list[Line]:
        if not isinstance(self.content, str):
            return self.content.lines(width, height, marks) if height > 0 else []
        return _strings.prose(self.content, width, height, marks) if self.content else []

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield _screen(self, options)


def _screen(view: View, options: ConsoleOptions) -> Screen:
    height = options.height or options.size.height
    return Screen(view.lines(options.max_width, height, marks_for(options.encoding)))


class LiveView:
    """Follow a stream in the terminal, redrawn a few times per second at any speed of the stream.

    Call `update` after each fragment with a function that returns the current view. The function is called
    when the next drawing is due, and at the end, so the last state is always drawn, even after an error.
    If the output is not a terminal, nothing is drawn and ``is_live`` is False: print the result instead.

    >>> from rich.console import Console
    >>> with LiveView(Console(), total=12) as view:
    ...     for fragment in ['["Zür', 'ich"]']:
    ...         view.update(lambda: ValueView(["Zürich"]), received=len(fragment))
    >>> view.received, view.is_live
    (10, False)
    """

    def __init__(
        self,
        console: Console | None = None,
        *,
        total: int | None = None,
        per_second: float = 20,
        has_progress: bool = True,
        transient: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.console = console or Console()
        self.total = total
        self.received = 0
        self.is_live = self.console.is_terminal and not self.console.is_dumb_terminal
        self._pause = 1 / per_second
        self._has_progress = has_progress
        self._clock = clock
        self._live = Live(
            console=self.console, auto_refresh=False, transient=transient, vertical_overflow="crop"
        )
        self._view: Callable[[], View] | None = None
        self._is_stale = False
        self._due = self._started = 0.0

    def update(self, view: Callable[[], View], received: int = 0) -> None:
        """Set the current view, add to the received bytes, and draw if the next drawing is due."""
        self._view = view
        self._is_stale = True
        self.received += received
        if self.is_live and self._clock() >= self._due:
            self._draw(view)

    def refresh(self) -> None:
        """Draw the current view if it has not been drawn; call this when a stream pauses."""
        if self.is_live and self._is_stale and self._view is not None:
            self._draw(self._view)

    def close(self) -> None:
        """Draw the last state and release the terminal before the ``with`` block ends."""
        view, self._view = self._view, None
        try:
            if self._live.is_started and view is not None:
                self._draw(view)
        finally:
            self._live.stop()

    def __enter__(self) -> LiveView:
        self._started = self._due = self._clock()
        if self.is_live:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _draw(self, view: Callable[[], View]) -> None:
        start = self._clock()
        self._is_stale = False
        self._live.update(Screen(self._lines(view)), refresh=True)
        end = self._clock()
        rest = (end - start) * (1 / _LARGEST_PART - 1)
        self._due = max(start + self._pause, end + min(rest, _LONGEST_PAUSE))

    def _lines(self, view: Callable[[], View]) -> list[Line]:
        width, height = self.console.size
        marks = marks_for(self.console.encoding)
        # leave the last line free for the shell prompt
        height = max(height - 1, 1)
        below = []
        if self._has_progress and height > 1:
            seconds = self._clock() - self._started
            below.append(progress_line(self.received, self.total, seconds, width, marks))
        # keep the lines and not the value: while something holds a value, its next change has to copy it
        return [*view().lines(width, height - len(below), marks), *below]

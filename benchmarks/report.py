"""Write what was measured as Markdown."""

from __future__ import annotations

import platform
import statistics
import sys
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING

import midstream

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from timing import Timing


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; all columns but the first are numbers."""
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """Write a number as exactly as it deserves."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2f}"


def setting(peers: Iterable[str]) -> str:
    """Name all versions that were measured."""
    build = "compiled and plain" if midstream.COMPILED else "plain only"
    found = [f"midstream {midstream.__version__} ({build})", *(f"{name} {version(name)}" for name in peers)]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, {sys.platform}; {', '.join(found)}"


def rates(first: str, timings: Mapping[str, Timing], size: int) -> str:
    """Write a table of megabytes per second."""
    rows = [[name, number(size / timing.median / 1e6)] for name, timing in timings.items()]
    return table([first, "MB/s"], rows)


@dataclass
class PerFragment:
    """A table of nanoseconds per fragment: contestants by workloads."""

    columns: list[str] = field(default_factory=list)
    cells: dict[str, dict[str, str]] = field(default_factory=dict)
    spreads: list[float] = field(default_factory=list)

    def add(self, column: str, timings: Mapping[str, Timing], count: int) -> None:
        """Add a workload of that many fragments."""
        self.columns.append(column)
        for name, timing in timings.items():
            self.cells.setdefault(name, {})[column] = number(timing.median / count * 1e9)
            self.spreads.append(timing.spread)

    def text(self, first: str) -> str:
        """Write the table; what was not measured is "-"."""
        rows = [
            [name, *(cells.get(column, "-") for column in self.columns)] for name, cells in self.cells.items()
        ]
        spread = f"within {statistics.median(self.spreads):.0%} (the worst: {max(self.spreads):.0%})"
        return (
            f"{table([first, *self.columns], rows)}\n\nMedians; the middle half of the rounds lies {spread}."
        )


@dataclass
class Targets:
    """A table of what we want, what was measured, and whether that is enough."""

    rows: list[list[str]] = field(default_factory=list)
    missed: int = 0

    def at_most(self, what: str, measured: float, bound: float, unit: str = "×") -> None:
        """Add a number that should be small."""
        self._add(what, measured, f"≤ {bound:g} {unit}", measured <= bound, unit)

    def at_least(self, what: str, measured: float, bound: float, unit: str = "×") -> None:
        """Add a number that should be large."""
        self._add(what, measured, f"≥ {bound:g} {unit}", measured >= bound, unit)

    def _add(self, what: str, measured: float, bound: str, met: bool, unit: str) -> None:
        self.missed += not met
        self.rows.append([what, f"{number(measured)} {unit}", bound, "yes" if met else "**no**"])

    def text(self) -> str:
        """Write the table."""
        return table(["target", "measured", "wanted", "met"], self.rows)

"""Format measurements as Markdown."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import midstream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from timing import Timing


# what stands around the measurements in a page
START, END = "<!-- bench -->", "<!-- end of bench -->"


def put(path: Path, text: str) -> bool:
    """Replace the text between the marks of a file, if it has any."""
    before, start, rest = path.read_text("utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not end:
        return False
    path.write_text(f"{before}{start}\n{text}\n{end}{after}", "utf-8")
    return True


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table; all columns except the first are numbers."""
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """Format a number: with two decimals below 10, else without."""
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2f}"


def times(ratio: float) -> str:
    """Format a ratio."""
    return f"{number(ratio)} ×" if ratio < 10 else f"{ratio:,.0f} ×"


def processor() -> str:
    """Return the name of the processor, if the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def setting(versions: Mapping[str, str | None]) -> str:
    """Return the machine, the builds and all versions."""
    build = "compiled and plain" if midstream.COMPILED else "plain only"
    found = [f"{name} {version or '(missing)'}" for name, version in sorted(versions.items())]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    machine = f"{sys.platform} {platform.machine()}, {processor()}, {os.cpu_count()} cores"
    return f"midstream {midstream.__version__} ({build}); {python}; {machine}; {', '.join(found)}."


def rates(first: str, timings: Mapping[str, Timing], size: int, reference: str) -> str:
    """Format a table of megabytes per second, with ratios to one of the rows."""
    rows = [
        [
            name,
            number(size / timing.median / 1e6),
            times(timing.over(timings[reference])),
            f"{timing.spread:.0%}",
        ]
        for name, timing in timings.items()
    ]
    return table([first, "MB/s", "time, ratio", "spread"], rows)


@dataclass
class PerFragment:
    """A table of nanoseconds per fragment: contestants by workloads, each with its ratio to a reference."""

    reference: str
    columns: list[str] = field(default_factory=list)
    cells: dict[str, dict[str, str]] = field(default_factory=dict)
    spreads: dict[str, list[float]] = field(default_factory=dict)

    def add(self, column: str, timings: Mapping[str, Timing], count: int) -> None:
        """Add a workload with its number of fragments."""
        self.columns.append(column)
        for name, timing in timings.items():
            cell = number(timing.median / count * 1e9)
            if name != self.reference:
                cell += f" ({times(timing.over(timings[self.reference]))})"
            self.cells.setdefault(name, {})[column] = cell
            self.spreads.setdefault(name, []).append(timing.spread)

    def text(self, first: str) -> str:
        """Format the table; a cell that was not measured is "-"."""
        rows = [
            [
                name,
                *(cells.get(column, "-") for column in self.columns),
                f"{statistics.median(self.spreads[name]):.0%}",
            ]
            for name, cells in self.cells.items()
        ]
        return (
            f"{table([first, *self.columns, 'spread'], rows)}\n\n"
            f"Medians, and in brackets how many times as long as *{self.reference}* it took. The spread is "
            "the middle half of the rounds as a part of their median, for the column in the middle."
        )


@dataclass
class Targets:
    """A table of the targets, the measured values, and whether they meet the targets."""

    rows: list[list[str]] = field(default_factory=list)

    def at_most(self, what: str, measured: float, bound: float, unit: str = "×") -> None:
        """Add a number that should be small."""
        self._add(what, measured, f"≤ {bound:g} {unit}", measured <= bound, unit)

    def at_least(self, what: str, measured: float, bound: float, unit: str = "×") -> None:
        """Add a number that should be large."""
        self._add(what, measured, f"≥ {bound:g} {unit}", measured >= bound, unit)

    def ahead(self, what: str, ratios: Mapping[str, float], bound: float) -> None:
        """Add the smallest of several ratios, if there are any, with its name."""
        if ratios:
            least = min(ratios, key=ratios.__getitem__)
            self.at_least(f"{what}, at the least ({least})", ratios[least], bound)

    def _add(self, what: str, measured: float, bound: str, met: bool, unit: str) -> None:
        self.rows.append([what, f"{number(measured)} {unit}", bound, "yes" if met else "**no**"])

    def text(self) -> str:
        """Format the table."""
        return table(["target", "measured", "wanted", "met"], self.rows)


@dataclass
class Report:
    """The answer to one question: tables, and their results for the targets."""

    title: str
    parts: list[str] = field(default_factory=list)
    targets: Targets = field(default_factory=Targets)
    # cells by row and column, for the short table
    short: dict[str, dict[str, str]] = field(default_factory=dict)

    def text(self) -> str:
        """Format the report, without the targets."""
        return "\n\n".join([f"## {self.title}", *self.parts])


def read(data: str) -> Report:
    """Read a report that another process has written."""
    fields = json.loads(data)
    return Report(**{**fields, "targets": Targets(**fields["targets"])})


def main(question: Callable[[bool], Report]) -> None:
    """Answer one question: for a reader, or with `--json` for `run.py`."""
    report = question("--quick" in sys.argv)
    if "--json" in sys.argv:
        json.dump(asdict(report), sys.stdout)
    elif report.targets.rows:
        print(f"{report.text()}\n\n### Targets\n\n{report.targets.text()}")
    else:
        print(report.text())

"""Measure how time grows with size, depth, width, the length of a string, and the size of the fragments.

    python benchmarks/growth.py [--quick] [--picture growth.svg]

The slope is that of a straight line through the points on logarithmic axes: 1 is linear, 2 quadratic.
"""

from __future__ import annotations

import math
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from event_peers import EVENT_PEERS, PREFIX
from ours import CORE, KEPT, LIVE, PLAIN, PURE, SNAPSHOT, UPDATES, named
from peers import JITER, PEERS, SJP_NATIVE, installed, our_peer
from plot import Panel, draw
from report import Report, Targets, main, table
from timing import race
from workloads import document, file_write, fragments, nested, pieces, wide

if TYPE_CHECKING:
    from collections.abc import Callable

    Cut = Callable[[int], list[str]]

# the peers in the tables; the growth of every other peer is like that of one of them
NAMES = [JITER, SJP_NATIVE, "jsonmend, live", "partial-json-parser", PREFIX]
USES = [(CORE, SNAPSHOT), (CORE, KEPT), (CORE, LIVE), (CORE, UPDATES), (CORE, PURE), (PLAIN, SNAPSHOT)]
# seconds; a run that takes longer is the last point of its line
LONGEST = 1.0
LONGEST_QUICK = 0.05
DOCUMENT = 60_000
NOTE = (
    "The time for all the text over what grows: 1 is linear, 2 quadratic; in brackets, the last point that "
    "was reached in reasonable time. Over the size of the fragments, time falls as long as calls are what "
    "costs: 0 means that the cut does not matter, -1 that a fragment costs the same whatever its size."
)


@dataclass(frozen=True)
class Axis:
    """Something that grows: its name, its unit, its points, and what the texts look like."""

    name: str
    unit: str
    points: list[int]
    cut: Cut
    # the slope of a linear time
    linear: float = 1


def points(first: int, last: int) -> list[int]:
    """Return sizes from the first to the last, in steps of about 4."""
    steps = max(1, round(math.log(last / first, 4)))
    return [round(first * (last / first) ** (step / steps)) for step in range(steps + 1)]


def axes(quick: bool) -> list[Axis]:
    """Return the workloads."""
    part = 16 if quick else 1
    return [
        Axis("size", "characters", points(1_000, 1_000_000 // part), lambda n: fragments(document(n))),
        Axis("depth", "levels", points(12, 96 if quick else 768), lambda n: fragments(nested(n))),
        Axis("width", "keys", points(100, 50_000 // part), lambda n: fragments(wide(n))),
        Axis(
            "the length of a string", "characters", points(1_000, 500_000 // part),
            lambda n: fragments(file_write(n)),
        ),
        Axis(
            "the size of fragments", "characters", points(1, 16_384 // part),
            lambda n: pieces(document(DOCUMENT // part), n), linear=-1,
        ),
    ]  # fmt: skip


def contestants() -> dict[str, Callable[[list[str]], Callable[[], object]]]:
    """Return all peers by name, each as a function that makes a run of fragments."""
    ours = [our_peer(core, name) for core, name in dict.fromkeys(USES)]
    others = [peer for peer in installed([*PEERS, *EVENT_PEERS]) if peer.name in NAMES]
    return {peer.name: peer.run for peer in [*ours, *others]}


def line(axis: Axis, make: Callable[[list[str]], Callable[[], object]], quick: bool) -> dict[int, float]:
    """Measure one contestant, until it takes too long."""
    seconds, longest = (0.005, LONGEST_QUICK) if quick else (0.3, LONGEST)
    found: dict[int, float] = {}
    # assume quadratic growth until two points are known
    factor = 16.0
    last = 0.0
    for at in axis.points if axis.linear > 0 else reversed(axis.points):
        if last * factor > longest:
            break
        try:
            took = race({"": make(axis.cut(at))}, seconds)[""].median
        except (RecursionError, ValueError):
            break
        factor = took / last if last else factor
        found[at] = last = took
    return found


def slope(found: dict[int, float]) -> float:
    """Return the slope of a line."""
    if len(found) < 2:
        return math.nan
    logs = [(math.log(at), math.log(max(took, 1e-9))) for at, took in found.items()]
    return statistics.linear_regression(*zip(*logs, strict=True)).slope


def measure(quick: bool) -> Report:
    """Measure, and return the tables."""
    lines: dict[str, dict[str, dict[int, float]]] = {}
    runs = contestants()
    measured = axes(quick)
    for axis in measured:
        lines[axis.name] = {name: line(axis, make, quick) for name, make in runs.items()}
    rows = [[name, *(text_of(lines[axis.name][name]) for axis in measured)] for name in runs]
    head = [
        "slope",
        *(f"{axis.name}, {axis.points[0]:,} to {axis.points[-1]:,} {axis.unit}" for axis in measured),
    ]
    targets = Targets()
    for axis in measured:
        for name in (SNAPSHOT, KEPT, LIVE, UPDATES):
            if axis.linear > 0:
                steep = slope(lines[axis.name][named(CORE, name)])
                targets.at_most(f"{name}, slope with {axis.name}", steep, 1.15, "")
    if "--picture" in sys.argv:
        panels = [Panel(axis.name, axis.unit, lines[axis.name]) for axis in measured]
        Path(sys.argv[sys.argv.index("--picture") + 1]).write_text(draw(panels), "utf-8")
    return Report("4. How time grows", [f"{table(head, rows)}\n\n{NOTE}"], targets)


def text_of(found: dict[int, float]) -> str:
    """Format a slope, and the last point that was measured."""
    return "-" if len(found) < 2 else f"{slope(found):.2f} ({list(found)[-1]:,})"


if __name__ == "__main__":
    main(measure)

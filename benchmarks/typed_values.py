"""Measure the cost of a validated fragment: `typed_values`, and peers that validate all of the text again.

python benchmarks/typed_values.py [--quick]
"""

from __future__ import annotations

import math
import statistics
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from midstream.typed import typed_values
from peers import drain, version_of
from report import Report, Targets, main, number, table, times
from sdks import SDKS
from timing import race
from typed_peers import Document, langchain, partial_typed_dict, sampled, typed_document, typed_fragments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SIZES = {"0.5 KB": 500, "5 KB": 5_000, "50 KB": 50_000, "500 KB": 500_000}
MIDDLE = "50 KB"
SAMPLES = 12
INSTRUCTOR = Path(__file__).parent.parent / ".venv-bench-instructor" / "bin" / "python"
OURS, READ = "midstream, typed_values", "midstream, typed_values, every partial read"
TYPED_DICT, INSTRUCTOR_NAME = "pydantic, partial TypedDict", "instructor, Partial"
NOTE = (
    "Microseconds per fragment of 1 to 8 characters. Peers that validate again are asked at some fragments; "
    "instructor {version} is measured in an environment of its own, with the same processor and the same "
    "Python."
)


def snapshots(fragments: Iterable[str]) -> Iterator[object]:
    """Yield the snapshots that a user gets."""
    return typed_values(fragments, Document)


def partials(fragments: Iterable[str]) -> Iterator[object]:
    """Read every partial."""
    for snapshot in typed_values(fragments, Document):
        yield snapshot.partial


def instructor_seconds(size: int) -> tuple[float, str]:
    """Measure instructor in its environment, and return its version; nan if there is none."""
    if not INSTRUCTOR.exists():
        return math.nan, "(missing)"
    script = str(Path(__file__).with_name("typed_peers.py"))
    command = [str(INSTRUCTOR), script, str(size), str(SAMPLES)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return math.nan, "(failed)"
    seconds, version = done.stdout.split()
    return float(seconds), version


def measure(quick: bool) -> Report:
    """Measure, and return the table."""
    cells: dict[str, dict[str, float]] = {}
    version = "(missing)"
    again: dict[str, Callable[[], Callable[[str], object]]] = {TYPED_DICT: partial_typed_dict}
    if version_of("langchain-core") is not None:
        again["langchain-core, JsonOutputParser"] = langchain
    for column, size in SIZES.items():
        if quick and size > SIZES[MIDDLE]:
            continue
        parts = typed_fragments(typed_document(size))
        contestants = {OURS: drain(snapshots, parts), READ: drain(partials, parts)}
        races = [contestants]
        sdk = SDKS[0]
        if not sdk.missing and sdk.reaches(size):
            # in rounds of its own: a run of a few milliseconds would pay for the caches that it empties
            races.append({sdk.name: sdk.run(parts)})
        for racing in races:
            for name, timing in race(racing, 0.3 if quick else 3).items():
                cells.setdefault(name, {})[column] = timing.median / len(parts)
        if size <= SIZES[MIDDLE]:
            for name, make in again.items():
                cells.setdefault(name, {})[column] = sampled(make(), size, SAMPLES)
            cells.setdefault(INSTRUCTOR_NAME, {})[column], version = instructor_seconds(size)
    columns = [column for column in SIZES if column in cells[OURS]]
    rows = [
        [name, *(cell(found, column, cells[OURS]) for column in columns)] for name, found in cells.items()
    ]
    targets = Targets()
    for column in columns:
        targets.at_most(f"{OURS}, a fragment of {column}", cells[OURS][column] * 1e6, 2.5, "µs")
    logs = [(math.log(SIZES[column]), math.log(cells[OURS][column] * SIZES[column])) for column in columns]
    targets.at_most(f"{OURS}, slope", statistics.linear_regression(*zip(*logs, strict=True)).slope, 1.05, "")
    for name, least in ((TYPED_DICT, 40), (INSTRUCTOR_NAME, 500)):
        ratio = cells[name][MIDDLE] / cells[OURS][MIDDLE]
        if not math.isnan(ratio):
            targets.at_least(f"{MIDDLE}, {name} to {OURS}", ratio, least, "×")
    return Report(
        "12. Typed values",
        [f"{table(['µs per fragment', *columns], rows)}\n\n{NOTE.format(version=version)}"],
        targets,
    )


def cell(found: dict[str, float], column: str, ours: dict[str, float]) -> str:
    """Format a cost, and its ratio to ours."""
    seconds = found.get(column, math.nan)
    if math.isnan(seconds):
        return "-"
    ratio = "" if found is ours else f" ({times(seconds / ours[column])})"
    return f"{number(seconds * 1e6)}{ratio}"


if __name__ == "__main__":
    main(measure)

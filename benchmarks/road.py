"""Measure the road from a provider's event to a client's `ToolCall`: the stages, and their targets.

    python benchmarks/road.py [--quick] [--before SRC]

SRC is the folder ``src`` of another version, built in place: it is measured in turns with this one. The
stages are in stages.py, run in a process for each version. Ratios are to `json.loads` of the provider's
event, in the same process and round. The instructions are counted by valgrind, where it is installed, and
are the same in every run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from report import Report, main, number, table

STAGES = Path(__file__).with_name("stages.py")
LOADS = "json.loads"
# fragments of one stream in a second
RATE = 100
NOW, BEFORE = "now", "before"
# how often a stage runs in one round: at least this many seconds
TURN = 0.02
# the rows of the first table, and the stages that the columns of a version and a form have there
ROWS = ["adapter", "registry", "middleware", "writing", "reading", "handler"]
NOT_IN_COMPACT = "middleware"


class Version:
    """A process that runs the stages of one version."""

    def __init__(self, source: str | None) -> None:
        self.environment = os.environ | {"PYTHONHASHSEED": "0"}
        if source is not None:
            self.environment["PYTHONPATH"] = source
        command = [sys.executable, str(STAGES), "--serve"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment
        )
        described = json.loads(self._read())
        self.stages: list[str] = described["stages"]
        self.events: int = described["events"]
        self.bytes: dict[str, float] = described["bytes"]
        self.rounds: dict[str, list[float]] = {name: [] for name in self.stages}

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit("the process that runs the stages has ended")
        return line

    def ask(self, stage: str, repeats: int) -> float:
        """Return the seconds that a stage takes for one event."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([stage, repeats]) + "\n")
        self._process.stdin.flush()
        return float(self._read()) / repeats / self.events

    def microseconds(self, stage: str) -> float:
        """Return the median time of a stage for one event."""
        return statistics.median(self.rounds[stage]) * 1e6

    def ratio(self, stage: str) -> float:
        """Return how many times as long as `json.loads` of the provider's event a stage takes."""
        pairs = zip(self.rounds[stage], self.rounds[LOADS], strict=True)
        return statistics.median(mine / base for mine, base in pairs)

    def count(self) -> dict[str, float]:
        """Count the instructions of each stage for one event, in one process of valgrind."""
        with TemporaryDirectory() as folder:
            # counts are written to the next file, and begin again, when the process asks for its parent
            command = ["valgrind", "--tool=callgrind", "--dump-before=os_getppid"]
            command += [f"--callgrind-out-file={folder}/out", sys.executable, str(STAGES), "--count"]
            done = subprocess.run(command, capture_output=True, text=True, env=self.environment)
            if done.returncode:
                sys.exit(f"the stages could not be counted: {done.stderr.strip()[-500:]}")
            totals = []
            for number in range(1, 2 * len(self.stages) + 1):
                found = re.search(
                    r"^totals: (\d+)", Path(folder, f"out.{number}").read_text("utf-8"), re.MULTILINE
                )
                totals.append(int(found[1]) if found else 0)
        return {stage: total / self.events for stage, total in zip(self.stages, totals[1::2], strict=True)}

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def run_rounds(versions: dict[str, Version], rounds: int) -> None:
    """Time all stages of all versions, in turns."""
    repeats = {
        (name, stage): max(1, round(TURN / max(version.ask(stage, 1) * version.events, 1e-9)))
        for name, version in versions.items()
        for stage in version.stages
    }
    for turn in range(rounds):
        names = list(versions) if turn % 2 else [*reversed(versions)]
        for stage in versions[NOW].stages:
            for name in names:
                if (name, stage) in repeats:
                    versions[name].rounds[stage].append(versions[name].ask(stage, repeats[name, stage]))


def instructions(versions: dict[str, Version]) -> dict[tuple[str, str], float]:
    """Count the instructions of each stage for one event."""
    if shutil.which("valgrind") is None:
        return {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = pool.map(Version.count, versions.values())
        return {
            (name, stage): count
            for name, found in zip(versions, counts, strict=True)
            for stage, count in found.items()
        }


def columns_of(versions: dict[str, Version]) -> list[tuple[str, str]]:
    """Return the columns of the first table: a version and a form."""
    return [
        (name, form)
        for name, version in versions.items()
        for form in ("full", "compact")
        if f"writing, {form}" in version.stages
    ]


def stage_table(versions: dict[str, Version], counts: dict[tuple[str, str], float]) -> str:
    """Format the first table: for each stage time, its part of the road, and instructions."""
    columns = columns_of(versions)
    rows = []
    for row in [*ROWS, "server", "client"]:
        cells = []
        for name, form in columns:
            stage = row if row in versions[name].stages else f"{row}, {form}"
            if row == NOT_IN_COMPACT and form == "compact":
                cells += ["-"] * (3 if counts else 2)
                continue
            complete = sum(versions[name].microseconds(f"{side}, {form}") for side in ("server", "client"))
            spent = versions[name].microseconds(stage)
            cells += [number(spent), f"{spent / complete:.0%}"]
            if counts:
                cells.append(f"{counts[name, stage]:,.0f}")
        title = {"server": "**server**", "client": "**client**"}.get(row, row)
        rows.append([title, *cells])
    head = ["for one event"]
    for name, form in columns:
        head += [f"{name}, {form}: µs", "part", *(["instructions"] if counts else [])]
    return table(head, rows)


def target_table(versions: dict[str, Version], report: Report) -> str:
    """Format the table of targets, and add them to the report."""
    now, before = versions[NOW], versions.get(BEFORE)
    rows = []

    def add(
        what: str, measured: float, bound: float, old: float | None, unit: str, most: bool = True
    ) -> None:
        target = report.targets.at_most if most else report.targets.at_least
        target(what, measured, bound, unit)
        shown = "-" if old is None else f"{number(old)} {unit}"
        rows.append([what, *([shown] if before else []), *report.targets.rows[-1][1:]])

    def ratio(what: str, stage: str, old_stage: str, bound: float) -> None:
        add(f"{what}, against `json.loads` of the provider's event", now.ratio(stage), bound,
            before.ratio(old_stage) if before else None, "×")  # fmt: skip

    def streams(version: Version, stage: str) -> float:
        return 1e6 / RATE / version.microseconds(stage)

    ratio("server, compact", "server, compact", "server, full", 1.2)
    what = f"streams of {RATE} fragments a second for one core, server, compact"
    old = streams(before, "server, full") if before else None
    add(what, streams(now, "server, compact"), 4_000, old, "", most=False)
    ratio("client, compact", "client, compact", "client, full", 1.4)
    ratio("`tool_calls` on dicts", "tool_calls", "tool_calls", 1.6)
    for sdk in ("openai", "anthropic"):
        if (stage := f"tool_calls, {sdk}") in now.stages:
            add(f"`tool_calls` on objects of the SDK of {sdk}", now.microseconds(stage), 4,
                before.microseconds(stage) if before else None, "µs")  # fmt: skip
    for name, size in (("average", "data"), ("longest", "longest data")):
        add(f"bytes of the {name} `data:` line of a fragment, compact", now.bytes[f"{size}, compact"], 40,
            before.bytes[f"{size}, full"] if before else None, "")  # fmt: skip
    return table(["target", *([BEFORE] if before else []), NOW, "wanted", "met"], rows)


def size_text(versions: dict[str, Version]) -> str:
    """Say how many bytes an event takes."""
    parts = [f"{versions[NOW].bytes['provider']:.0f} as the provider sends it"]
    parts += [
        f"{versions[name].bytes[f'event, {form}']:.0f} {name}, {form}" for name, form in columns_of(versions)
    ]
    return f"Bytes of an event, on average: {', '.join(parts)}."


def measure(quick: bool) -> Report:
    """Measure, and return the tables."""
    source = sys.argv[sys.argv.index("--before") + 1] if "--before" in sys.argv else None
    versions = {BEFORE: Version(source)} if source else {}
    versions[NOW] = Version(None)
    run_rounds(versions, 3 if quick else 25)
    counts = {} if quick else instructions(versions)
    base = versions[NOW].microseconds(LOADS)
    text = f"`json.loads` of the provider's event took {number(base)} µs"
    text += f" and {counts[NOW, LOADS]:,.0f} instructions." if counts else "."
    report = Report("7b. From a provider's event to a client's call")
    report.parts += [
        stage_table(versions, counts),
        "The middleware contains its registry, and so do the writer of events and the handler. "
        f"{text} {size_text(versions)}",
        target_table(versions, report),
    ]
    for version in versions.values():
        version.close()
    return report


if __name__ == "__main__":
    main(measure)

"""Compare values after every fragment: midstream, peers that parse again, and incremental peers.

python benchmarks/values.py [--quick]
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ours import COMPILED, CORE, CORES, IS_COMPILED, KEPT, LIVE, PLAIN, PURE, SNAPSHOT, named, use
from peers import GROWS, JITER, PEERS, SJP_NATIVE, Peer, absent, drain, installed
from report import PerFragment, Report, Targets, main, number, table, times
from sdks import OURS_ON_SDKS, SDKS
from timing import Timing, race
from workloads import arguments, fragments, question, small

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPES: dict[str, Callable[[int], str]] = {"many members": arguments, "one string": question}
VALUES = (SNAPSHOT, KEPT, LIVE, PURE)
SCAN = [20, 30, 50, 75, 100, 150, 200, 300, 500, 1000]
# the factor by which the texts of slow peers are shorter in a quick run
QUICK_PART = 0.1
AGAINST_JITER = {"0.5 KB": 3, "5 KB": 20, "50 KB": 150, "one 50 KB string": 8}
# microseconds per fragment
PURE_WITHIN = {"0.5 KB": 1.2, "5 KB": 1.2, "50 KB": 1.2, "150 deep": 12}
AGAINST_NATIVE = ("0.5 KB", "5 KB", "50 KB", "1 MB")


def contestants(column: str, text: str, peers: list[Peer], part: float) -> dict[str, Callable[[], object]]:
    """Return all peers that can read the text in small fragments."""
    parts = fragments(text)
    found = {named(core, name): drain(use(core, name), parts) for core in CORES for name in VALUES}
    is_string = column.startswith("one ")
    for peer in peers:
        if peer.reaches(len(text), is_string, 1 if peer.name == JITER else part):
            found[peer.name] = peer.run(parts)
    return found


def overtaking(shape: str, jiter: Peer, seconds: float) -> tuple[list[list[str]], float]:
    """Measure short texts; return the rows, and the size from which on midstream is faster for all."""
    ahead_from = float("inf")
    rows: list[list[str]] = []
    for size in SCAN:
        parts = fragments(SHAPES[shape](size))
        found = race({"ours": drain(use(CORE, SNAPSHOT), parts), JITER: jiter.run(parts)}, seconds)
        ratio = found[JITER].over(found["ours"])
        length = len("".join(parts).encode())
        per_fragment = [number(timing.median / len(parts) * 1e9) for timing in found.values()]
        rows.append([f"{shape}, {length} bytes", *per_fragment, times(ratio)])
        if ratio < 1:
            ahead_from = float("inf")
        elif ahead_from == float("inf"):
            ahead_from = length
    return rows, ahead_from


def judge(found: dict[str, dict[str, Timing]], ahead_from: dict[str, float]) -> Targets:
    """Compare with the targets."""
    targets = Targets()
    if IS_COMPILED:
        ours = {name: named(COMPILED, name) for name in VALUES}
        for name in (SNAPSHOT, KEPT):
            for column, bound in AGAINST_JITER.items():
                if JITER in found[column]:
                    ahead = found[column][JITER].over(found[column][ours[name]])
                    targets.at_least(f"{name}, {column}, against {JITER}", ahead, bound)
        column = "one 50 KB string"
        if JITER in found[column]:
            ahead = found[column][JITER].over(found[column][ours[LIVE]])
            targets.at_least(f"live value, {column}, against {JITER}", ahead, 100)
        for shape, size in ahead_from.items():
            targets.at_most(f"snapshot every time, {shape}, ahead of {JITER} from", size, 100, "bytes")
        for column in AGAINST_NATIVE:
            if SJP_NATIVE in found.get(column, {}):
                ahead = found[column][SJP_NATIVE].over(found[column][ours[LIVE]])
                targets.at_least(f"live value, {column}, against {SJP_NATIVE}", ahead, 2)
    judge_plain(found, targets)
    return targets


def judge_pure(found: dict[str, dict[str, Timing]], counts: dict[str, int], targets: Targets) -> None:
    """Compare the time of the pure parser for a fragment with the target."""
    for column, bound in PURE_WITHIN.items():
        if IS_COMPILED and column in found:
            spent = found[column][named(COMPILED, PURE)].median / counts[column] * 1e6
            targets.at_most(f"{PURE}, {column}, per fragment", spent, bound, "µs")


def judge_plain(found: dict[str, dict[str, Timing]], targets: Targets) -> None:
    """Compare the plain core with every plain peer: live with live, snapshots with the rest."""
    for peer in PEERS:
        ours = named(PLAIN, LIVE if peer.kind == GROWS else SNAPSHOT)
        ahead = {
            column: timings[peer.name].over(timings[ours])
            for column, timings in found.items()
            if peer.name in timings
        }
        if peer.is_python:
            targets.ahead(f"plain core against {peer.name}", ahead, 1)


def sdk_table(ours: Peer, theirs: Peer, quick: bool, seconds: float) -> str:
    """Measure an SDK's own accumulator, and midstream on the same events."""
    found = PerFragment(ours.name)
    for column in ("0.5 KB", "5 KB", "50 KB")[: 1 if quick else 3]:
        parts = fragments(small(quick)[column])
        found.add(column, race({peer.name: peer.run(parts) for peer in (ours, theirs)}, seconds), len(parts))
    return (
        f"### In the SDK of {theirs.packages[0]}: nanoseconds per event, of one tool call\n\n"
        + found.text("accumulators")
    )


def beyond(found: dict[str, dict[str, Timing]]) -> str:
    """Return an estimate of the cost of parsing again, from its growth, if it was not measured."""
    sizes = {column: len(small(quick=True)[column]) for column in ("5 KB", "50 KB")}
    spent = [
        found[column][JITER].median / size if JITER in found[column] else 0 for column, size in sizes.items()
    ]
    if not all(spent):
        return ""
    power = math.log(spent[1] / spent[0]) / math.log(sizes["50 KB"] / sizes["5 KB"])
    count = len(fragments(small(quick=True)["50 KB"])) / sizes["50 KB"]
    there = spent[1] * (1_000_000 / sizes["50 KB"]) ** power / count
    return f" Not measured, but to be expected: {JITER}, would take {there * 1e3:,.1f} ms a fragment at 1 MB."


def measure(quick: bool) -> Report:
    """Measure, and return the tables."""
    seconds = 0.2 if quick else 8
    per_fragment = PerFragment(named(CORE, SNAPSHOT))
    found: dict[str, dict[str, Timing]] = {}
    counts = {column: len(fragments(text)) for column, text in small(quick).items()}
    peers = installed(PEERS)
    for column, text in small(quick).items():
        part = QUICK_PART if quick else 1
        found[column] = race(contestants(column, text, peers, part), seconds)
        per_fragment.add(column, found[column], counts[column])
    scan: list[list[str]] = []
    ahead_from: dict[str, float] = {}
    for jiter in [peer for peer in peers if peer.name == JITER]:
        for shape in SHAPES:
            rows, ahead_from[shape] = overtaking(shape, jiter, 0.01 if quick else 0.5)
            scan += rows
    ahead = "; ".join(f"{shape} from {size:g} bytes on" for shape, size in ahead_from.items())
    report = Report(
        "1. A usable value after every fragment",
        [
            "### Nanoseconds per fragment, fragments of 1 to 8 characters\n\n"
            + per_fragment.text("values")
            + beyond(found)
            + absent(PEERS),
        ],
        judge(found, ahead_from),
        per_fragment.cells,
    )
    judge_pure(found, counts, report.targets)
    if scan:
        head = ["nanoseconds per fragment", "snapshot every time", JITER, "ahead"]
        report.parts.append(f"### Ahead of jiter: {ahead}\n\n" + table(head, scan))
    for ours, theirs in zip(OURS_ON_SDKS, SDKS, strict=True):
        if not theirs.missing:
            report.parts.append(sdk_table(ours, theirs, quick, seconds))
    report.parts[-1] += absent(SDKS)
    return report


if __name__ == "__main__":
    main(measure)

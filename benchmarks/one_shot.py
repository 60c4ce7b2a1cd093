"""Compare parsers of a complete text with midstream's values of the same text in pieces of 64 KB.

python benchmarks/one_shot.py [--quick]
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from event_peers import LOADS, one_shot
from ours import COMPILED, CORES, IS_COMPILED, LIVE, PLAIN, PURE, SNAPSHOT, named, use
from peers import GROWS, PEERS, drain, installed
from report import PerFragment, Report, Targets, main, rates
from timing import Timing, race
from workloads import FULL_SIZE, QUICK_SIZE, document, library, pieces, tool_call

if TYPE_CHECKING:
    from collections.abc import Callable

# for the peers that are too slow for the large text
SLOW_SIZE = 1_000_000
GOALS = {LOADS: (0.9, 1.0), "jiter": (1.0,), "orjson": (1.0,)}


def in_pieces(text: str, core: str, names: tuple[str, ...]) -> dict[str, Callable[[], object]]:
    """Return a core that reads the text in pieces."""
    return {named(core, name): drain(use(core, name), pieces(text)) for name in names}


def judge(large: dict[str, Timing], small: dict[str, Timing]) -> Targets:
    """Compare with the targets; all except the first are long-term ones."""
    targets = Targets()
    if IS_COMPILED:
        for peer, bounds in GOALS.items():
            for bound in bounds if peer in large else ():
                ahead = large[peer].over(large[named(COMPILED, LIVE)])
                targets.at_least(f"live value in pieces of 64 KB, against {peer} in one go", ahead, bound)
    python = {peer.name for peer in PEERS if peer.is_python}
    ratios = {
        name: timing.over(small[named(PLAIN, LIVE)]) for name, timing in small.items() if name in python
    }
    targets.ahead("plain core, live value in pieces of 64 KB, against pure-Python peers", ratios, 1)
    return targets


def measure(quick: bool) -> Report:
    """Measure, and return the tables."""
    seconds = 0.5 if quick else 15
    text = library(QUICK_SIZE if quick else FULL_SIZE)
    sample = library(SLOW_SIZE)
    large = in_pieces(text, COMPILED, (LIVE, SNAPSHOT)) if IS_COMPILED else {}
    found = race(large | one_shot(text), seconds)
    slow: dict[str, Callable[[], object]] = {
        name: run for core in CORES for name, run in in_pieces(sample, core, (LIVE, PURE)).items()
    }
    peers = [peer for peer in installed(PEERS) if peer.kind == GROWS]
    slow |= {peer.name: peer.run(pieces(sample)) for peer in peers}
    apart = race(slow | {LOADS: one_shot(sample)[LOADS]}, seconds / 2)
    short = PerFragment(LOADS)
    for column, complete in {
        "0.5 KB": tool_call(500),
        "5 KB": document(5_000),
        "50 KB": document(50_000),
    }.items():
        ours = {named(core, "parse_partial"): partial(CORES[core].parse_partial, complete) for core in CORES}
        short.add(column, race(ours | one_shot(complete), seconds / 5), 1)
    sizes = [len(one.encode()) for one in (text, sample)]
    return Report(
        "3. The complete text at once",
        [
            f"### {sizes[0] / 1e6:.0f} MB: midstream in pieces of 64 KB, the others in one go\n\n"
            + rates("values", found, sizes[0], LOADS),
            f"### {sizes[1] / 1e6:.0f} MB: everybody but json.loads in pieces of 64 KB\n\n"
            + rates("values", apart, sizes[1], LOADS),
            "### Nanoseconds for a short text, everybody in one go\n\n" + short.text("values"),
        ],
        judge(found, apart),
    )


if __name__ == "__main__":
    main(measure)

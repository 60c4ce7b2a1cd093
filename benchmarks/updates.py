"""Compare midstream's updates with the events of other libraries, and with a method that does nothing.

python benchmarks/updates.py [--quick]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from event_peers import BASIC, EVENT_PEERS, IJP, PREFIX
from floor import load_floor
from ours import COMPILED, CORE, CORES, IS_COMPILED, PLAIN, PURE, UPDATES, named, use
from peers import Peer, absent, drain, installed
from report import PerFragment, Report, Targets, main, rates
from timing import Timing, race
from workloads import FULL_SIZE, QUICK_SIZE, fragments, library, pieces, records, small

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FLOOR = "the floor"
BYTES = "midstream, compiled, updates from bytes"
# for the peers that are too slow for the large text
SLOW_SIZE = 600_000
SIZES = ("0.5 KB", "5 KB", "50 KB", "1 MB")


def ours(parts: Sequence[str]) -> dict[str, Callable[[], object]]:
    """Return every core."""
    found = {named(core, UPDATES): drain(use(core, UPDATES), parts) for core in CORES}
    if IS_COMPILED:
        found[BYTES] = drain(use(COMPILED, UPDATES), [part.encode() for part in parts])
    return found


def calls(make: Callable[[], Any], parts: Sequence[str]) -> Callable[[], None]:
    """Return a run of the calls alone, to compare with the floor."""

    def run() -> None:
        add_fragment = make().add_fragment
        for part in parts:
            add_fragment(part)

    return run


def against_floor(quick: bool, seconds: float) -> tuple[PerFragment, dict[str, dict[str, Timing]]]:
    """Measure the bare calls."""
    make_floor = load_floor()
    reference = CORE if make_floor is None else FLOOR
    per_fragment, found = PerFragment(reference), {}
    for column, text in small(quick).items():
        parts = fragments(text)
        runs = {core: calls(CORES[core].JsonFragmentAccumulator, parts) for core in CORES}
        if make_floor is not None:
            runs[FLOOR] = calls(make_floor, parts)
        found[column] = race(runs, seconds)
        per_fragment.add(column, found[column], len(parts))
    return per_fragment, found


def growth(adapter: Callable[..., Any], count: int, seconds: float) -> float:
    """Return the cost of a fragment in an array of this many records, relative to one of 100."""
    few, many = fragments(records(100)), fragments(records(count))
    found = race({"few": drain(adapter, few), "many": drain(adapter, many)}, seconds)
    return found["many"].over(found["few"]) * len(few) / len(many)


def judge(bare: dict[str, dict[str, Timing]], large: dict[str, Timing], quick: bool) -> Targets:
    """Compare with the targets."""
    count, seconds = (1_000, 0.1) if quick else (10_000, 4)
    targets = Targets()
    if IS_COMPILED:
        for peer, bound in ((PREFIX, 2), (PREFIX, 4), (BASIC, 1)):
            if peer in large:
                ahead = large[peer].over(large[named(COMPILED, UPDATES)])
                targets.at_least(f"updates in pieces of 64 KB, against {peer}", ahead, bound)
        for column in SIZES:
            runs = bare.get(column, {})
            if FLOOR in runs:
                over = runs[COMPILED].over(runs[FLOOR])
                for most in (3.5, 2.5):
                    targets.at_most(f"updates, small fragments, {column}, against the floor", over, most)
            if runs:
                over = runs[PLAIN].over(runs[COMPILED])
                targets.at_most(f"updates, small fragments, {column}, plain against compiled", over, 9)
    for core in CORES:
        for name in (UPDATES, PURE):
            grown = growth(use(core, name), count, seconds)
            targets.at_most(f"{core}, {name}: {count:,} records against 100, per fragment", grown, 1.3)
    return targets


def judge_plain(found: dict[str, dict[str, Timing]], targets: Targets) -> None:
    """Compare the plain core with the peer that is plain as well."""
    ahead = {
        column: timings[IJP].over(timings[named(PLAIN, UPDATES)])
        for column, timings in found.items()
        if IJP in timings
    }
    targets.ahead(f"plain core, updates, against {IJP}", ahead, 1)


def measure(quick: bool) -> Report:
    """Measure, and return the tables."""
    seconds = 0.2 if quick else 5
    per_fragment = PerFragment(named(CORE, UPDATES))
    found: dict[str, dict[str, Timing]] = {}
    peers = installed(EVENT_PEERS)
    part = 0.1 if quick else 1
    for column, text in small(quick).items():
        parts = fragments(text)
        reaching = [peer for peer in peers if peer.reaches(len(text), column.startswith("one "), part)]
        found[column] = race(ours(parts) | {peer.name: peer.run(parts) for peer in reaching}, seconds)
        per_fragment.add(column, found[column], len(parts))
    floor, bare = against_floor(quick, seconds / 2)
    text = library(QUICK_SIZE if quick else FULL_SIZE)
    size = len(text.encode())
    runs = ours(pieces(text)) | runs_of(peers, text, is_python=False)
    if IS_COMPILED:
        del runs[named(PLAIN, UPDATES)]
    large = race(runs, seconds * 3)
    sample = library(SLOW_SIZE)
    apart = race(ours(pieces(sample)) | runs_of(peers, sample, is_python=True), seconds)
    targets = judge(bare, large, quick)
    judge_plain(found | {"pieces of 64 KB": apart}, targets)
    reference = named(CORE, UPDATES)
    return Report(
        "2. What is new in every fragment",
        [
            "### Nanoseconds per fragment, fragments of 1 to 8 characters\n\n"
            + per_fragment.text("updates")
            + " ijson shows a string when it closes, ijp a number when the next fragment comes; json-stream"
            " visits complete strings, and yields once, in the end." + absent(EVENT_PEERS),
            "### Nothing but the call\n\n" + floor.text("calls"),
            f"### {size / 1e6:.0f} MB in pieces of 64 KB\n\n" + rates("updates", large, size, reference),
            f"### {len(sample) / 1e6:.1f} MB in pieces of 64 KB\n\n"
            + rates("updates", apart, len(sample.encode()), reference),
        ],
        targets,
        per_fragment.cells,
    )


def runs_of(peers: list[Peer], text: str, is_python: bool) -> dict[str, Callable[[], object]]:
    """Return the peers written in Python, or the others."""
    return {peer.name: peer.run(pieces(text)) for peer in peers if peer.is_python == is_python}


if __name__ == "__main__":
    main(measure)

"""Measure the worst latency of one fragment in a stream of an hour with 100 fragments a second.

python benchmarks/latency.py [--quick]
"""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING, Any

from event_peers import EVENT_PEERS, PREFIX
from ours import CORE, CORES, KEPT, LIVE, PURE, UPDATES, named, use
from peers import AGAIN, GROWS, JITER, PEERS, Peer, absent, installed
from report import Report, Targets, main, number, table
from workloads import document, fragments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ours import Adapter

FULL_COUNT, QUICK_COUNT = 360_000, 20_000
# peers that parse again are sampled, once in so many fragments; their only state is the text
EVERY = 3_000


def hour(count: int) -> list[str]:
    """Cut a document into about the given number of fragments."""
    return fragments(document(round(count * 4.5)))


def latencies(
    adapter: Adapter, parts: list[Any], clock: Callable[[], int] = time.perf_counter_ns
) -> list[int]:
    """Time every fragment by itself, in nanoseconds."""
    found: list[int] = []
    stream = adapter(parts)
    gc.collect()
    gc.freeze()
    start = clock()
    for _ in stream:
        end = clock()
        found.append(end - start)
        start = clock()
    return found


def sampled(adapter: Adapter, parts: list[str]) -> list[int]:
    """Time only some fragments, for a peer that parses all of the text again."""
    found = []
    for at in range(EVERY, len(parts), EVERY):
        text = "".join(parts[:at]).encode()
        found += [min(latencies(adapter, [text])[0] for _ in range(2))]
    return found


def microseconds(runs: list[list[int]], share: float) -> float:
    """Return the value that a share of the fragments does not exceed."""
    return statistics.median(sorted(run)[min(len(run) - 1, int(len(run) * share))] for run in runs) / 1000


def row(name: str, runs: list[list[int]], note: str = "") -> list[str]:
    """Format one line: each figure is the median of the runs."""
    return [name + note, *(number(microseconds(runs, share)) for share in (0.5, 0.99, 0.9999, 1.0))]


def measure(quick: bool) -> Report:
    """Measure, and return the table."""
    parts = hour(QUICK_COUNT if quick else FULL_COUNT)
    runs = 1 if quick else 3
    rows, targets = [], Targets()
    for core in CORES:
        for name in (UPDATES, LIVE, KEPT, PURE):
            found = [latencies(use(core, name), parts) for _ in range(runs)]
            rows.append(row(named(core, name), found))
            if core == CORE:
                worst = microseconds(found, 0.99)
                targets.at_most(f"{name}, 99 of 100 fragments of an hour within", worst, 10, "µs")
    # processor time, because the machine's other work is not a pause of the parser
    pauses = [latencies(use(CORE, PURE), parts, time.thread_time_ns) for _ in range(runs)]
    longest = microseconds(pauses, 1.0) / 1000
    targets.at_most(f"{PURE}, longest pause of an hour, in processor time", longest, 5, "ms")
    for peer in others(quick):
        prepared = [peer.prepare(part) for part in parts]
        if peer.kind == AGAIN:
            rows.append(row(peer.name, [sampled(peer.adapter, parts)], " (sampled)"))
        else:
            rows.append(row(peer.name, [latencies(peer.adapter, prepared) for _ in range(runs)]))
    size = sum(map(len, parts)) / 1e6
    head = ["microseconds for one fragment", "p50", "p99", "p99.99", "max"]
    note = (
        f"{len(parts):,} fragments of 1 to 8 characters, one document of {size:.1f} MB, garbage collection "
        f"on; the medians of {runs} runs. Time on the clock, so what else the machine does shows in the last "
        f"columns. Sampled: asked at every {EVERY:,}th fragment only, as each costs a parse of all."
    )
    return Report(
        "8. The latency of one fragment", [f"{table(head, rows)}\n\n{note}{absent(PEERS)}"], targets
    )


def others(quick: bool) -> Iterator[Peer]:
    """Return the incremental peers, the best of those that parse again, and ijson."""
    for peer in installed(PEERS):
        continues = peer.kind == GROWS and not (quick and peer.is_python)
        if continues or peer.name == JITER:
            yield peer
    yield from (peer for peer in installed(EVENT_PEERS) if peer.name == PREFIX)


if __name__ == "__main__":
    main(measure)

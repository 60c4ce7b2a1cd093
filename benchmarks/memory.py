"""Measure the memory of an open stream that waits, and the peak while a large document is processed.

    python benchmarks/memory.py [--quick]

Each contestant is measured in a separate process; the result is the growth that the system reports.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from event_peers import BASIC, EVENT_PEERS, IJP, LOADS, PREFIX, PULLED
from ours import CORE, CORES, KEPT, LIVE, PLAIN, PURE, UPDATES, named
from peers import JITER, PEERS, SJP_NATIVE, Peer, absent, installed, our_peer
from report import Report, Targets, main, number, table
from workloads import fragments, tool_call, volumes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FULL_SIZE, QUICK_SIZE = 100_000_000, 4_000_000
STREAMS, QUICK_STREAMS = 5_000, 1_000
# megabytes that a peer can process in reasonable time
SLOW_SIZE = 2_000_000
NOTHING = "nothing: the fragments alone"
PEAKS = (
    named(CORE, UPDATES), named(PLAIN, UPDATES), BASIC, PREFIX, PULLED, IJP, named(CORE, LIVE), LOADS,
)  # fmt: skip
QUICK_NAMES = (*(named(CORE, name) for name in (UPDATES, LIVE, PURE)), JITER, SJP_NATIVE, PREFIX, LOADS)


def nothing(fragments: Iterable[Any]) -> Iterator[Any]:
    """Pass the fragments on."""
    yield from fragments


def loads(fragments: Iterable[Any]) -> Iterator[Any]:
    """Collect the complete text, as a parser without state requires."""
    yield json.loads("".join(fragments))


def everybody() -> dict[str, Peer]:
    """Return all peers by name."""
    ours = [our_peer(core, name) for core in CORES for name in (UPDATES, LIVE, KEPT, PURE)]
    others = [Peer(NOTHING, (), "", lambda: nothing), Peer(LOADS, (), "", lambda: loads)]
    return {peer.name: peer for peer in [*others, *ours, *installed([*PEERS, *EVENT_PEERS])]}


def resident(field: str) -> int:
    """Return the memory of this process in bytes, or its peak."""
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise OSError(field)


def idle(peer: Peer, count: int) -> float:
    """Open many streams, feed each up to the middle of a call's arguments, and return the memory of one."""
    parts = [peer.prepare(fragment) for fragment in fragments(tool_call(500))]
    half = len(parts) // 2
    waiting = []

    def open_one() -> None:
        stream = peer.adapter(iter(parts))
        *_, value = islice(stream, half)
        waiting.append((stream, value))

    for _ in range(50):
        open_one()
    before = resident("VmRSS")
    for _ in range(count):
        open_one()
    return (resident("VmRSS") - before) / count


def peak(peer: Peer, size: int) -> float:
    """Process a large document, and return the growth of the process."""
    for _ in peer.adapter(map(peer.prepare, volumes(200_000))):
        pass
    list(volumes(1_000_000))  # the volumes are written once and kept
    before = resident("VmRSS")
    for _ in peer.adapter(map(peer.prepare, volumes(size))):
        pass
    return max(0, resident("VmHWM") - before)


def ask(what: str, name: str, size: int) -> float:
    """Measure one contestant in a separate process."""
    command = [sys.executable, __file__, f"--{what}", name, str(size)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def measure(quick: bool) -> Report:
    """Measure, and return the tables."""
    streams, size = (QUICK_STREAMS, QUICK_SIZE) if quick else (STREAMS, FULL_SIZE)
    known = everybody()
    waiting = [name for name in known if name not in (NOTHING, LOADS, PULLED)]
    if quick:
        waiting = [name for name in waiting if name in QUICK_NAMES]
    alone = ask("idle", NOTHING, streams)
    idle_rows = [[name, number(max(0, ask("idle", name, streams) - alone))] for name in waiting]
    rows, targets = [], Targets()
    for name in dict.fromkeys(PEAKS):
        if name in known and (name in QUICK_NAMES or not quick):
            read = SLOW_SIZE if known[name].is_python else size
            grown = ask("peak", name, read) / 1e6
            rows.append([name, f"{read / 1e6:.0f} MB", f"{grown:,.1f} MB"])
            if name == named(CORE, UPDATES):
                targets.at_most(f"updates, peak over {read / 1e6:.0f} MB", grown, 2, "MB")
    return Report(
        "5. Memory",
        [
            "### Bytes per open stream that waits in the middle of a call of 0.5 KB\n\n"
            + table(["stream", "bytes"], idle_rows)
            + f"\n\nOf {streams:,} streams. What an iterator over the same fragments holds is taken off. "
            "Those that parse again hold the text and the last value." + absent([*PEERS, *EVENT_PEERS]),
            "### The most that a process grows by while a document goes through, in pieces of 64 KB\n\n"
            + table(["updates, or a value", "document", "grown by"], rows),
        ],
        targets,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--idle"]:
        print(idle(everybody()[sys.argv[2]], int(sys.argv[3])))
    elif sys.argv[1:2] == ["--peak"]:
        print(peak(everybody()[sys.argv[2]], int(sys.argv[3])))
    else:
        main(measure)

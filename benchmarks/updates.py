"""Text to updates: midstream against ijson's fastest backend, and against the floor.

    python benchmarks/updates.py [--quick]

ijson takes bytes and gets them ready encoded; its events are taken from a list after every fragment,
numbers as int and float. The floor is a compiled call that returns a list with one object.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from importlib import import_module
from statistics import median
from typing import TYPE_CHECKING, Any

from cores import COMPILED, CORES, PLAIN
from floor import load_floor
from report import PerFragment, Targets, rates, setting
from timing import Timing, growth, race
from workloads import FULL_SIZE, QUICK_SIZE, fragments, library, pieces, small

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ijson: Any = import_module("ijson")
yajl: Any = import_module("ijson.backends.yajl2_c")

BASIC = "ijson, basic"
PREFIX = "ijson, with prefix"
FLOOR = "floor"


def feed(make: Callable[[], Any], parts: Sequence[str | bytes]) -> Callable[[], None]:
    """Give a run of an accumulator over a text."""

    def run() -> None:
        add_fragment = make().add_fragment
        for part in parts:
            add_fragment(part)

    return run


def push(coroutine: Callable[..., Any], parts: Sequence[bytes]) -> Callable[[], None]:
    """Give a run of one of ijson's coroutines over a text."""

    def run() -> None:
        events = ijson.sendable_list()
        target = coroutine(events, use_float=True)
        for part in parts:
            target.send(part)
            del events[:]
        target.close()

    return run


def contestants(parts: Sequence[str], make_floor: Callable[[], Any] | None) -> dict[str, Callable[[], None]]:
    """Give everybody who reads a text in these parts."""
    encoded = [part.encode() for part in parts]
    found = {name: feed(core.JsonFragmentAccumulator, parts) for name, core in CORES.items()}
    if COMPILED in CORES:
        found[f"{COMPILED}, bytes"] = feed(CORES[COMPILED].JsonFragmentAccumulator, encoded)
    found[BASIC] = push(yajl.basic_parse_coro, encoded)
    found[PREFIX] = push(yajl.parse_coro, encoded)
    if make_floor is not None:
        found[FLOOR] = feed(make_floor, parts)
    return found


def import_seconds(module: str, rounds: int) -> list[float]:
    """Time an import in new processes."""
    program = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    command = [sys.executable, "-c", program]
    return [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(rounds)
    ]


def judge(found: dict[str, dict[str, Timing]], large: dict[str, Timing], seconds: float) -> Targets:
    """Compare with what we want."""
    targets = Targets()
    imports = [median(import_seconds(module, 9)) * 1e3 for module in ("json", "midstream")]
    if COMPILED in CORES:
        for peer, bound in ((PREFIX, 2), (BASIC, 1)):
            ahead = large[peer].over(large[COMPILED])
            targets.at_least(f"pieces of 64 KB, against {peer}", ahead, bound)
        for column in ("0.5 KB", "5 KB", "50 KB", "1 MB"):
            if column not in found:
                continue
            runs = found[column]
            if FLOOR in runs:
                over = runs[COMPILED].over(runs[FLOOR])
                targets.at_most(f"small fragments, {column}, against the floor", over, 3.5)
            over = runs[PLAIN].over(runs[COMPILED])
            targets.at_most(f"small fragments, {column}, plain against compiled", over, 9)
    for name in CORES:
        grown = growth(partial(feed, CORES[name].JsonFragmentAccumulator), seconds)
        targets.at_most(f"{name}: 10,000 records against 100, per fragment", grown, 1.3)
    targets.at_most("`import midstream` more than `import json`", imports[1] - imports[0], 40, "ms")
    return targets


def tables(quick: bool) -> list[str]:
    """Measure, and give the tables."""
    make_floor = load_floor()
    seconds = 0.5 if quick else 8
    per_fragment = PerFragment()
    found: dict[str, dict[str, Timing]] = {}
    for column, text in small(quick).items():
        found[column] = race(contestants(fragments(text), make_floor), seconds)
        per_fragment.add(column, found[column], len(fragments(text)))
    text = library(QUICK_SIZE if quick else FULL_SIZE)
    size = len(text.encode())
    runs = contestants(pieces(text), None)
    slow = {PLAIN: runs.pop(PLAIN)}  # apart, so that the others get more rounds
    large = race(runs, seconds) | race(slow, seconds)
    return [
        "## Text to updates\n\n" + setting(["ijson"]),
        "### Nanoseconds per fragment, fragments of 1 to 8 characters\n\n" + per_fragment.text("updates"),
        f"### {size / 1e6:.0f} MB in pieces of 64 KB\n\n" + rates("updates", large, size),
        "### Targets\n\n" + judge(found, large, seconds).text(),
    ]


def main() -> None:
    """Print the tables."""
    print("\n\n".join(tables(quick="--quick" in sys.argv)))


if __name__ == "__main__":
    main()

"""Text to values: midstream against those who parse the text again, and those who need all of it.

    python benchmarks/values.py [--quick]

"re-parse" keeps the text so far and parses all of it after every fragment, as SDKs do; jiter gets
bytes. That is quadratic, so it is measured only where it ends in reasonable time; "-" elsewhere.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cores import COMPILED, CORES, PLAIN
from report import PerFragment, Targets, number, rates, setting, table
from timing import Timing, growth, race
from workloads import (
    FULL_SIZE,
    QUICK_SIZE,
    arguments,
    fragments,
    library,
    pieces,
    question,
    small,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

jiter: Any = import_module("jiter")
orjson: Any = import_module("orjson")
partial_json_parser: Any = import_module("partial_json_parser")

JITER = "jiter, re-parse"
PARTIAL = "partial-json-parser, re-parse"
LOADS = "json.loads, one shot"
JITER_REACH = 60_000
PARTIAL_REACH = 6_000
SHAPES: dict[str, Callable[[int], str]] = {"many members": arguments, "one string": question}
SCAN = [20, 30, 50, 75, 100, 150, 200, 300, 500, 1000]


def live(core: ModuleType, parts: Sequence[str]) -> Callable[[], None]:
    """Give a run in which nobody reads the value."""

    def run() -> None:
        add_fragment = core.JsonValueAccumulator().add_fragment
        for part in parts:
            add_fragment(part)

    return run


def snapshots(core: ModuleType, parts: Sequence[str]) -> Callable[[], None]:
    """Give a run in which the value is read after every fragment."""

    def run() -> None:
        accumulator = core.JsonValueAccumulator()
        for part in parts:
            accumulator.add_fragment(part)
            accumulator.value  # noqa: B018

    return run


def pure(core: ModuleType, parts: Sequence[str]) -> Callable[[], None]:
    """Give a run of the pure parser, no value read."""

    def run() -> None:
        parse_chunk = core.parse_chunk
        state = core.create_parser_state()
        for part in parts:
            state = parse_chunk(state, part)

    return run


OURS = {"live value": live, "snapshot every time": snapshots, "parse_chunk": pure}


def jiter_again(parts: Sequence[str]) -> Callable[[], None]:
    """Give a run that parses the text so far with jiter after every fragment."""
    encoded = [part.encode() for part in parts]

    def run() -> None:
        text = b""
        for part in encoded:
            text += part
            jiter.from_json(text, partial_mode="trailing-strings")

    return run


def partial_again(parts: Sequence[str]) -> Callable[[], None]:
    """Give a run that parses the text so far with partial-json-parser after every fragment."""

    def run() -> None:
        text = ""
        for part in parts:
            text += part
            partial_json_parser.loads(text)

    return run


def ours(parts: Sequence[str]) -> dict[str, Callable[[], None]]:
    """Give every core in every use."""
    return {f"{name}, {use}": make(core, parts) for name, core in CORES.items() for use, make in OURS.items()}


def contestants(text: str) -> dict[str, Callable[[], None]]:
    """Give everybody who can read the text in small fragments."""
    parts = fragments(text)
    found = ours(parts)
    if len(text) < JITER_REACH:
        found[JITER] = jiter_again(parts)
    if len(text) < PARTIAL_REACH:
        found[PARTIAL] = partial_again(parts)
    return found


def one_shot(text: str) -> dict[str, Callable[[], object]]:
    """Give those who take the whole text at once."""
    encoded = text.encode()
    return {
        LOADS: lambda: json.loads(text),
        "orjson, one shot": lambda: orjson.loads(encoded),
        "jiter, one shot": lambda: jiter.from_json(encoded),
    }


def overtaking(shape: str, seconds: float) -> tuple[list[list[str]], float]:
    """Measure short texts; give the rows, and the size from which on every one is faster with us."""
    ahead_from = float("inf")
    rows: list[list[str]] = []
    core = next(iter(CORES.values()))
    for size in SCAN:
        parts = fragments(SHAPES[shape](size))
        found = race({"ours": snapshots(core, parts), JITER: jiter_again(parts)}, seconds)
        ratio = found[JITER].over(found["ours"])
        per_fragment = [number(timing.median / len(parts) * 1e9) for timing in found.values()]
        length = len("".join(parts).encode())
        rows.append([f"{shape}, {length} bytes", *per_fragment, f"{ratio:.2f} ×"])
        if ratio < 1:
            ahead_from = float("inf")
        elif ahead_from == float("inf"):
            ahead_from = length
    return rows, ahead_from


def judge(
    found: dict[str, dict[str, Timing]],
    large: dict[str, Timing],
    ahead_from: dict[str, float],
    seconds: float,
) -> Targets:
    """Compare with what we want."""
    targets = Targets()
    if COMPILED in CORES:
        for column, bound in (("0.5 KB", 3), ("5 KB", 20), ("50 KB", 150), ("one 50 KB string", 8)):
            ahead = found[column][JITER].over(found[column][f"{COMPILED}, snapshot every time"])
            targets.at_least(f"snapshot every time, {column}, against {JITER}", ahead, bound)
        column = "one 50 KB string"
        ahead = found[column][JITER].over(found[column][f"{COMPILED}, live value"])
        targets.at_least(f"live value, {column}, against {JITER}", ahead, 100)
        for shape, size in ahead_from.items():
            targets.at_most(f"snapshot every time, {shape}, ahead of {JITER} from", size, 100, "bytes")
        ahead = large[LOADS].over(large[f"{COMPILED}, live value"])
        targets.at_least(f"live value in pieces of 64 KB, against {LOADS}", ahead, 0.9)
    for name in CORES:
        grown = growth(partial(pure, CORES[name]), seconds)
        targets.at_most(f"{name}, parse_chunk: 10,000 records against 100, per fragment", grown, 1.3)
    for column in ("0.5 KB", "5 KB"):
        ahead = found[column][PARTIAL].over(found[column][f"{PLAIN}, snapshot every time"])
        targets.at_least(f"plain, snapshot every time, {column}, against {PARTIAL}", ahead, 1)
    return targets


def tables(quick: bool) -> list[str]:
    """Measure, and give the tables."""
    seconds = 0.5 if quick else 8
    per_fragment = PerFragment()
    found: dict[str, dict[str, Timing]] = {}
    for column, text in small(quick).items():
        found[column] = race(contestants(text), seconds)
        per_fragment.add(column, found[column], len(fragments(text)))
    scan: list[list[str]] = []
    ahead_from: dict[str, float] = {}
    for shape in SHAPES:
        rows, ahead_from[shape] = overtaking(shape, seconds / 10)
        scan += rows
    text = library(QUICK_SIZE if quick else FULL_SIZE)
    size = len(text.encode())
    runs = ours(pieces(text))
    slow = {name: runs.pop(name) for name in list(runs) if PLAIN in name or "parse_chunk" in name}
    # apart, so that the others get more rounds
    large = race(runs | one_shot(text), seconds) | race(slow, seconds)
    ahead = "; ".join(f"{shape} from {size:g} bytes on" for shape, size in ahead_from.items())
    peers = ["jiter", "partial-json-parser", "orjson"]
    return [
        "## Text to values\n\n" + setting(peers),
        "### Nanoseconds per fragment, fragments of 1 to 8 characters\n\n" + per_fragment.text("values"),
        f"### Ahead of jiter: {ahead}\n\n"
        + table(["ns per fragment", "snapshot every time", JITER, "ahead"], scan),
        f"### {size / 1e6:.0f} MB in pieces of 64 KB\n\n" + rates("values", large, size),
        "### Targets\n\n" + judge(found, large, ahead_from, seconds).text(),
    ]


def main() -> None:
    """Print the tables."""
    print("\n\n".join(tables(quick="--quick" in sys.argv)))


if __name__ == "__main__":
    main()

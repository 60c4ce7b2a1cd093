"""Time the chunker per snapshot, against `json.loads` of the same snapshot.

    python benchmarks/chunker.py [more-snapshots.jsonl ...]

Streams: those under tests/streams, larger ones made here, and any files given. "text" feeds the snapshots
as text, "values" as parsed values (which are copied). The bar is 4 times `json.loads` for snapshots given as
text, of 1,000 characters or more on average: on smaller ones what a step costs at least, some 5 us, shows.
"""

from __future__ import annotations

import json
import random
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from midstream.chunker import JsonStreamChunker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BAR = 4.0
BAR_FROM = 1000
STREAMS = Path(__file__).parent.parent / "tests" / "streams"
WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "while",
    "nobody",
    "in",
    "the",
    "whole",
    "valley",
    "looks",
]


def records(rng: random.Random, count: int) -> Iterator[Any]:
    """Show an array of records that grows by one record in two steps."""
    rows: list[dict[str, Any]] = []
    for index in range(count):
        name = " ".join(rng.choices(WORDS, k=6))
        rows.append({"id": index, "ok": rng.random() < 0.5, "name": name[:9]})
        yield {"rows": rows}
        rows[-1] = {**rows[-1], "name": name, "score": rng.random(), "tags": ["a", "b"]}
        yield {"rows": rows}


def numbers(rng: random.Random, count: int) -> Iterator[Any]:
    """Show rows of numbers."""
    rows: list[list[int]] = []
    for _ in range(count):
        rows.append([rng.randrange(10**6) for _ in range(8)])
        yield rows


def prose(rng: random.Random, count: int) -> Iterator[Any]:
    """Show one long string that grows by a few words."""
    text = "é"
    for _ in range(count):
        text += " ".join(rng.choices(WORDS, k=4)) + "\n"
        yield {"title": "One long text", "body": text}


def fields(rng: random.Random, count: int) -> Iterator[Any]:
    """Show one wide object whose keys come in a different order every time."""
    members: list[tuple[str, Any]] = []
    for index in range(count):
        members.append((f"key {index}", " ".join(rng.choices(WORDS, k=3))))
        yield dict(rng.sample(members, len(members)))


def nested(_: random.Random, count: int) -> Iterator[Any]:
    """Show objects inside objects, as deep as the standard library goes."""
    for depth in range(1, count):
        value: Any = {}
        for level in reversed(range(depth)):
            value = {"level": level, "inner": value}
        yield value


def best(runs: list[Callable[[], None]], times: int) -> list[float]:
    """Time several runs in turn, so that a busy machine hits all of them; the fastest of each counts."""
    shortest = [float("inf")] * len(runs)
    for _ in range(times):
        for index, run in enumerate(runs):
            start = time.perf_counter()
            run()
            shortest[index] = min(shortest[index], time.perf_counter() - start)
    return shortest


def parse(texts: list[str]) -> None:
    """Parse a whole stream."""
    for text in texts:
        json.loads(text)


def feed(snapshots: list[Any], unset: bool) -> None:
    """Chunk a whole stream."""
    chunker = JsonStreamChunker("raise", tentative_nulls=unset, tentative_numbers=unset)
    for snapshot in snapshots:
        chunker.process(snapshot)
    chunker.flush()


def main() -> int:
    """Print a line per stream; fail if one is over the bar."""
    streams: dict[str, list[str]] = {}
    for path in [*sorted(STREAMS.glob("*.jsonl")), *map(Path, sys.argv[1:])]:
        streams[path.stem] = path.read_text("utf-8").splitlines()
    for make, count in ((records, 300), (numbers, 500), (prose, 1500), (fields, 500), (nested, 150)):
        made = make(random.Random(11), count)
        streams[f"{make.__name__} (made)"] = [json.dumps(value, ensure_ascii=False) for value in made]
    print(f"{'stream':28} {'snapshots':>9} {'of':>8} {'loads':>9} {'text':>14} {'values':>14}")
    over = False
    for name, texts in streams.items():
        values = [json.loads(text) for text in texts]
        size = sum(map(len, texts)) / len(texts)
        times = 15 if size * len(texts) < 1e6 else 4
        unset = "unset" in name
        runs: list[Callable[[], None]] = [
            partial(parse, texts),
            partial(feed, texts, unset),
            partial(feed, values, unset),
        ]
        loads, text, value = (spent / len(texts) * 1e6 for spent in best(runs, times))
        line = f"{name:28} {len(texts):9,} {size:7,.0f}c {loads:7.1f}us"
        line += f" {text:7.1f}us {text / loads:3.1f}x {value:7.1f}us {value / loads:3.1f}x"
        over |= size >= BAR_FROM and text / loads > BAR
        print(line)
    return int(over)


if __name__ == "__main__":
    sys.exit(main())

"""Measure the chunker, which turns snapshots into text, against `json.loads` of the same snapshots.

    python benchmarks/chunker.py [--quick] [more-snapshots.jsonl ...]

Streams: those under tests/chunker/streams, larger ones made here, and any files given. "text" feeds the
snapshots as text, "values" as parsed values (which are copied). The target is 4 times `json.loads` for
snapshots given as text, of 1,000 characters or more on average. For smaller ones the fixed cost of a step,
about 5 µs, dominates.
"""

from __future__ import annotations

import json
import random
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from midstream.chunker.chunker import JsonStreamChunker
from report import Report, Targets, main, number, table, times
from timing import race
from workloads import VOCABULARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BAR = 4.0
BAR_FROM = 1000
STREAMS = Path(__file__).parent.parent / "tests" / "chunker" / "streams"
LOADS, TEXT, VALUES = "json.loads", "text", "values"


def records(rng: random.Random, count: int) -> Iterator[Any]:
    """Yield an array of records that grows by one record in two steps."""
    rows: list[dict[str, Any]] = []
    for index in range(count):
        name = " ".join(rng.choices(VOCABULARY, k=6))
        rows.append({"id": index, "ok": rng.random() < 0.5, "name": name[:9]})
        yield {"rows": rows}
        rows[-1] = {**rows[-1], "name": name, "score": rng.random(), "tags": ["a", "b"]}
        yield {"rows": rows}


def numbers(rng: random.Random, count: int) -> Iterator[Any]:
    """Yield rows of numbers."""
    rows: list[list[int]] = []
    for _ in range(count):
        rows.append([rng.randrange(10**6) for _ in range(8)])
        yield rows


def prose(rng: random.Random, count: int) -> Iterator[Any]:
    """Yield one long string that grows by a few words."""
    text = "é"
    for _ in range(count):
        text += " ".join(rng.choices(VOCABULARY, k=4)) + "\n"
        yield {"title": "One long text", "body": text}


def fields(rng: random.Random, count: int) -> Iterator[Any]:
    """Yield one wide object whose keys come in a different order every time."""
    members: list[tuple[str, Any]] = []
    for index in range(count):
        members.append((f"key {index}", " ".join(rng.choices(VOCABULARY, k=3))))
        yield dict(rng.sample(members, len(members)))


def nested(_: random.Random, count: int) -> Iterator[Any]:
    """Yield nested objects, as deep as the standard library allows."""
    for depth in range(1, count):
        value: Any = {}
        for level in reversed(range(depth)):
            value = {"level": level, "inner": value}
        yield value


MADE = {records: 300, numbers: 500, prose: 1500, fields: 500, nested: 150}


def parse(texts: list[str]) -> None:
    """Parse a complete stream."""
    for text in texts:
        json.loads(text)


def feed(snapshots: list[Any], unset: bool) -> str:
    """Chunk a complete stream."""
    chunker = JsonStreamChunker(on_conflict="raise", tentative_nulls=unset, tentative_numbers=unset)
    return "".join([*map(chunker.process, snapshots), chunker.flush()])


def streams(quick: bool, paths: list[Path]) -> dict[str, list[str]]:
    """Return all streams, as text."""
    found = {
        path.stem: path.read_text("utf-8").splitlines() for path in [*sorted(STREAMS.glob("*.jsonl")), *paths]
    }
    for make, count in MADE.items():
        made = make(random.Random(11), count // 5 if quick else count)
        found[f"{make.__name__} (made)"] = [json.dumps(value, ensure_ascii=False) for value in made]
    return found


def measure(quick: bool) -> Report:
    """Measure, and return the table."""
    rows: list[list[str]] = []
    targets = Targets()
    worst: dict[str, dict[str, float]] = {"recorded": {}, "of 1,000 characters and more": {}}
    for name, texts in streams(
        quick, [Path(path) for path in sys.argv[1:] if path.endswith(".jsonl")]
    ).items():
        values = [json.loads(text) for text in texts]
        unset = "unset" in name
        runs: dict[str, Callable[[], object]] = {
            LOADS: partial(parse, texts),
            TEXT: partial(feed, texts, unset),
            VALUES: partial(feed, values, unset),
        }
        found = race(runs, 0.05 if quick else 2)
        size = sum(map(len, texts)) / len(texts)
        spent = [number(found[use].median / len(texts) * 1e6) for use in (LOADS, TEXT, VALUES)]
        row = [name, f"{len(texts):,}", f"{size:,.0f}", *spent]
        ratios = {use: found[use].over(found[LOADS]) for use in (TEXT, VALUES)}
        rows.append([*row, *map(times, ratios.values()), f"{found[TEXT].spread:.0%}"])
        if size >= BAR_FROM:
            worst["of 1,000 characters and more"][name] = ratios[TEXT]
        if "(made)" not in name:
            worst["recorded"][name] = ratios[TEXT]
    for which, found_ratios in worst.items():
        slowest = max(found_ratios, key=found_ratios.__getitem__)
        what = f"chunker, snapshots {which}, against json.loads, at the worst ({slowest})"
        targets.at_most(what, found_ratios[slowest], BAR)
    head = [
        "stream",
        "snapshots",
        "characters",
        "json.loads, µs",
        "text, µs",
        "values, µs",
        "text",
        "values",
        "spread",
    ]
    note = "Microseconds per snapshot, and how many times as long as `json.loads` of the same snapshots took."
    return Report("6. The chunker", [f"{table(head, rows)}\n\n{note}"], targets)


if __name__ == "__main__":
    main(measure)

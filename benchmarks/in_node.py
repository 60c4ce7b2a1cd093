"""Measure the cost of a value after every fragment in Node, for reference.

python benchmarks/in_node.py [--quick]
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from ours import CORE, LIVE, PURE, SNAPSHOT, named, use
from peers import drain
from report import Report, main, number, table
from timing import race
from workloads import fragments, small

SCRIPT = Path(__file__).parent / "node" / "measure.mjs"


def ask(columns: dict[str, list[str]], seconds: float) -> dict[str, dict[str, dict[str, float]]] | str:
    """Measure in Node; if that is not possible, return the reason."""
    node = shutil.which("node")
    if node is None:
        return "node is not installed"
    if not SCRIPT.with_name("node_modules").exists():
        return "its packages are not installed (`npm install` in benchmarks/node)"
    given = json.dumps({"columns": columns, "seconds": seconds})
    done = subprocess.run([node, SCRIPT], input=given, capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()[-300:]
    found: dict[str, dict[str, dict[str, float]]] = json.loads(done.stdout)
    return found


def measure(quick: bool) -> Report:
    """Measure, and return the table."""
    columns = {column: fragments(text) for column, text in small(quick).items()}
    seconds = 0.1 if quick else 2
    rows: list[list[str]] = []
    for name in (SNAPSHOT, LIVE, PURE):
        row = [named(CORE, name)]
        for parts in columns.values():
            found = race({name: drain(use(CORE, name), parts)}, seconds)
            row.append(number(found[name].median / len(parts) * 1e9))
        rows.append(row)
    answer = ask(columns, seconds)
    title = "1b. The same in Node, for reference"
    if isinstance(answer, str):
        return Report(title, [f"Not measured: {answer}."])
    rows += [[name, *map(number, cells.values())] for name, cells in answer["figures"].items()]
    versions = ", ".join(f"{name} {version}" for name, version in answer["versions"].items())
    return Report(
        title,
        [
            f"{table(['nanoseconds per fragment', *columns], rows)}\n\n"
            f"Node {answer['node']}, {versions}, in a process of its own; midstream in Python. Times of two "
            "languages are not a race: see them as the order of magnitude. "
            "The pure parser returns a new immutable state for every fragment. "
            "`JSON.parse, once` is one parse in the end, divided by the fragments."
        ],
    )


if __name__ == "__main__":
    main(measure)

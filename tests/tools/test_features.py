"""The comparison is complete: every library, every row, every "partly" explained.

What is in the cells benchmarks/features.py finds out, which needs the libraries, and minutes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "comparison.md").read_text("utf-8")
TABLES = re.findall(r"(?:^\|.*\|\n)+", PAGE, re.MULTILINE)
PEERS = [
    "jiter", "partial-json-parser", "json_repair", "ijson", "json-stream", "jsonriver (npm)",
    "@streamparser/json", "LangChain", "OpenAI SDK", "Anthropic SDK",
]  # fmt: skip


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_a_table_is_complete(table: str) -> None:
    head, _, *rows = map(cells, table.splitlines())
    assert head[:2] == ["", "midstream"]
    for row in rows:
        assert len(row) == len(head)
        assert set(row[1:]) <= {"yes", "no", "partly", "–"}
    notes = PAGE.partition(table)[2].partition("\n## ")[0].splitlines()
    for name, *answers in rows:
        explained = "".join(line for line in notes if line.startswith(f"- *{name}*"))
        for peer, answer in zip(head[1:], answers, strict=True):
            assert answer != "partly" or peer in explained


def test_every_peer_is_compared() -> None:
    compared = {peer for table in TABLES for peer in cells(table.splitlines()[0])[2:]}
    assert set(PEERS) <= compared
    assert len({tuple(cells(line)[0] for line in table.splitlines()) for table in TABLES}) == 1


def test_the_rows_are_those_of_the_script() -> None:
    script = (ROOT / "benchmarks" / "features.py").read_text("utf-8")
    names = re.findall(r'^    Feature\("\w+", "(.+)", \w+\),$', script, re.MULTILINE)
    assert [cells(line)[0] for line in TABLES[0].splitlines()[2:]] == names


def test_the_script_says_what_is_missing_and_writes_nothing(tmp_path: Path) -> None:
    script = ROOT / "benchmarks" / "features.py"
    done = subprocess.run(
        [sys.executable, script, "--write", "--only", "jsonriver (npm)"],
        capture_output=True, encoding="utf-8", env=os.environ | {"MIDSTREAM_NODE_PEERS": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 1
    assert "Not installed, and so not asked: jsonriver (npm)" in done.stderr
    assert (ROOT / "docs" / "comparison.md").read_text("utf-8") == PAGE

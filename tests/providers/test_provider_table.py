"""The table in docs/providers.md, format by fault, is what the tests cover."""

from __future__ import annotations

from pathlib import Path

from provider_streams import FAULT_NAMES, FORMATS, streams
from provider_streams.parts import PART_NAMES, PARTS

PAGE = Path(__file__).parents[2] / "docs" / "providers.md"
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def table() -> str:
    """Write the table: a mark where a stream with that fault is tested, a dash where there can't be one."""
    lines = [f"| fault | {' | '.join(FORMATS)} |", f"| --- |{' :-: |' * len(FORMATS)}"]
    for fault in FAULT_NAMES:
        marks = ["✓" if fault in streams(format).FAULTS else "–" for format in FORMATS]
        lines.append(f"| {fault} | {' | '.join(marks)} |")
    for part in PART_NAMES:
        marks = ["✓" if part in PARTS[format] else "–" for format in FORMATS]
        lines.append(f"| {part} | {' | '.join(marks)} |")
    everywhere = ("a character cut between reads", "a line cut anywhere; CR, LF, CRLF")
    lines += [f"| {fault} |{' ✓ |' * len(FORMATS)}" for fault in everywhere]
    return "\n".join(lines) + "\n"


def test_table_is_true() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.split(BEGIN)[1].split(END)[0] == table()


if __name__ == "__main__":
    before, after = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + after.split(END)[1], encoding="utf-8")

"""What each import of the npm package costs: bundled, minified and compressed as an application ships it.

    python tools/js_apps/sizes.py [FOLDER] [--docs]

With --docs the table is written to docs/reference/javascript.md. The package and esbuild must be installed in
FOLDER (default: build/js_apps), as tools/js_apps/apps.py does it.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "javascript.md"
ENTRY = ROOT / "src" / "midstream" / "render" / "web" / "midstream.js"
BEGIN, END = "<!-- begin sizes -->", "<!-- end sizes -->"

VALUES = (
    "JsonValueAccumulator", "JsonFieldAccumulator", "JsonFragmentAccumulator", "JsonSelectAccumulator",
    "select", "ANY", "JsonFragmentRebuilder", "applyPatch", "parsePath", "JsonStreamError",
)  # fmt: skip
# without updates and what is rebuilt from them
OF_TEXT = (*VALUES[:2], *VALUES[3:6], *VALUES[7:])


class Group(NamedTuple):
    """Some names that are imported together, and how many bytes they may take."""

    label: str
    names: tuple[str, ...]
    budget: int


GROUPS = (
    Group("`JsonValueAccumulator`: the value so far", VALUES[:1], 3_800),
    Group("`JsonFieldAccumulator`: listeners for fields", VALUES[1:2], 5_300),
    Group("`JsonSelectAccumulator`, `select`, `ANY`: selections", VALUES[3:6], 5_500),
    Group("`JsonFragmentAccumulator`: updates of a text", VALUES[2:3], 3_750),
    Group("`JsonFragmentRebuilder`: a value from updates", VALUES[6:7], 4_900),
    Group("`applyPatch`", VALUES[7:8], 2_000),
    Group("`SseDecoder`", ("SseDecoder",), 512),
    Group("`events`: a request that resumes", ("events", "ConnectionLost", "ResponseError"), 1_700),
    Group("`messages`, `EventReader`: both forms of the events", ("messages", "EventReader"), 4_600),
    Group("`ToolsAggregateMessageHandler`: tool calls", ("ToolsAggregateMessageHandler", "ToolCall"), 10_700),
    Group("`createStore`, `field`: for user interfaces", ("createStore", "field"), 13_400),
)
TOGETHER = (
    Group("values, fields, selections, updates and patches", VALUES, 10_000),
    Group("the same with `events`", (*VALUES, "events"), 11_264),
    Group("values, fields, selections and patches with `messages`", (*OF_TEXT, "messages"), 10_500),
    Group("tool calls with `messages`", ("ToolsAggregateMessageHandler", "messages"), 13_700),
    Group("`createStore` with `messages`", ("createStore", "messages"), 14_600),
    Group("everything", (), 17_600),
)  # fmt: skip


def exported() -> list[str]:
    """List the names that the entry file exports."""
    found = re.findall(r"^export \{ ([^}]*) \} from", ENTRY.read_text(), re.MULTILINE)
    return [name for group in found for name in group.split(", ")]


def size_of(folder: Path, names: tuple[str, ...] | list[str]) -> int:
    """Return the size of a bundle that exports these names, minified and compressed with gzip -9."""
    esbuild = folder / "node_modules" / ".bin" / "esbuild"
    command = [str(esbuild), "--bundle", "--minify", "--format=esm", "--legal-comments=none"]
    source = f"export {{ {', '.join(names)} }} from 'midstream-json'"
    done = subprocess.run(command, input=source, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return len(gzip.compress(done.stdout.encode(), 9))


def rows(folder: Path) -> tuple[list[str], list[str]]:
    """Measure; return the rows of the table, and the groups that are too large."""
    lines, over = [], []
    above: list[str] = []
    before = 0
    for group in (*GROUPS, *TOGETHER):
        size = size_of(folder, group.names or exported())
        cells = [group.label, f"{size / 1000:.1f}", ""]
        if group in GROUPS:
            above += group.names
            after = size_of(folder, above)
            cells[2] = f"{(after - before) / 1000:.1f}"
            before = after
        lines.append(f"| {' | '.join(cells)} |")
        if size > group.budget:
            over.append(f"{group.label}: {size:,} bytes, at most {group.budget:,}")
    return lines, over


def main(folder: Path, docs: bool) -> None:
    """Print the table; write it if asked to, and stop if a group is too large."""
    lines, over = rows(folder)
    table = "\n".join(
        ["| imported | KB, alone | KB, added to the rows above |", "| --- | ---: | ---: |", *lines]
    )
    print(table)
    if docs:
        text = PAGE.read_text()
        before, rest = text.split(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}")
    if over:
        sys.exit("too large:\n" + "\n".join(over))


if __name__ == "__main__":
    arguments = [each for each in sys.argv[1:] if each != "--docs"]
    main(Path(arguments[0] if arguments else ROOT / "build" / "js_apps").resolve(), "--docs" in sys.argv)

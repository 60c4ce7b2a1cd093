"""Measure everything: one command, one report in Markdown.

    python benchmarks/run.py [--quick] [--docs] [question ...]

Each question is answered in a separate process, so that no measurement affects another.
With `--docs` the tables are written into docs/benchmarks.md, the picture beside it, and six rows of them into
README.md. If questions are named, only their sections and targets are written anew.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

from event_peers import EVENT_PEERS
from ours import COMPILED, CORES, KEPT, LIVE, UPDATES, named
from peers import JITER, PEERS, SJP_NATIVE, version_of
from report import END, START, Report, Targets, put, read, setting, table
from sdks import SDKS

QUESTIONS = [
    "values", "in_node", "updates", "one_shot", "growth", "memory", "chunker", "many_streams", "latency",
    "footprint", "wrong_values", "selections", "typed_values", "lenient", "road", "relay",
]  # fmt: skip
ROOT = Path(__file__).parent.parent
# the questions whose answers have another page
PAGES = {
    "lenient": ROOT / "docs" / "lenient.md",
    "road": ROOT / "docs" / "how-it-works.md",
    "relay": ROOT / "docs" / "deployment.md",
}
DOCUMENT = ROOT / "docs" / "benchmarks.md"
PICTURE = ROOT / "docs" / "pictures" / "growth.svg"
SHORT_COLUMNS = ("0.1 KB", "0.5 KB", "5 KB", "50 KB", "one 50 KB string")
SHORT_ROWS = [
    *(named(COMPILED, use) for use in (KEPT, LIVE, UPDATES)),
    JITER, SJP_NATIVE, "partial-json-parser",
]  # fmt: skip


def ask(question: str, options: list[str]) -> Report | None:
    """Answer one question."""
    script = str(Path(__file__).with_name(f"{question}.py"))
    command = [sys.executable, script, "--json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    return None if done.returncode else read(done.stdout)


def short(reports: dict[str, Report]) -> str:
    """Format the short table: a few rows of costs per fragment, without the ratios."""
    cells: dict[str, dict[str, str]] = {}
    for report in reports.values():
        cells |= report.short
    rows = [
        [name, *(cells[name].get(column, "-").partition(" ")[0] for column in SHORT_COLUMNS)]
        for name in SHORT_ROWS
        if name in cells
    ]
    return table(["nanoseconds per fragment", *SHORT_COLUMNS], rows)


def renewed(document: str, sections: dict[str, str], targets: Targets) -> str:
    """Replace the sections with these titles, and the targets in them; new ones follow the old ones."""
    head, *old = re.split("^(?=## )", document, flags=re.MULTILINE)
    by_title = {section.partition("\n")[0]: section.strip() for section in old}
    judgement = by_title.pop("## Targets")
    found = [line.strip("| ").split(" | ") for line in judgement.splitlines() if line.startswith("| ")]
    # a target is known by what it is about, and what is wanted
    rows = {(row[0], row[2]): row for row in [*found[2:], *targets.rows]}
    took = judgement.rpartition("\n\n")[2]
    return "\n\n".join(
        [head.strip(), *(by_title | sections).values(), judged(Targets([*rows.values()])), took]
    )


def judged(targets: Targets) -> str:
    """Format the section about the targets."""
    met = sum(row[-1] == "yes" for row in targets.rows)
    return f"## Targets\n\n{targets.text()}\n\n{met} of {len(targets.rows)} met."


def versions() -> dict[str, str | None]:
    """Return the versions of all peers."""
    packages = {package for peer in [*PEERS, *EVENT_PEERS, *SDKS] for package in peer.packages} | {
        "orjson",
        "Cython",
    }
    return {package: version_of(package) for package in packages}


def main() -> int:
    """Answer all questions, or the named ones; fail if one cannot be answered."""
    start = time.monotonic()
    asked = [name for name in QUESTIONS if name in sys.argv] or QUESTIONS
    options = ["--quick"] if "--quick" in sys.argv else []
    head = f"{setting(versions())}\n\nProcessor time; lower is better unless it says MB/s."
    print(f"# What was measured\n\n{head}", flush=True)
    reports: dict[str, Report] = {}
    texts: list[str] = []
    for name in asked:
        with_picture = ["--picture", str(PICTURE)] if name == "growth" and "--docs" in sys.argv else []
        report = ask(name, options + with_picture)
        text = f"**{name} failed**"
        if report is not None:
            reports[name] = report
            title, _, rest = report.text().partition("\n")
            text = f"{title}\n\n`python benchmarks/{name}.py`\n{rest}"
        print(f"\n{text}", flush=True)
        if name not in PAGES:
            texts.append(text)
    targets = Targets([row for report in reports.values() for row in report.targets.rows])
    took = f"Measured in {time.monotonic() - start:.0f} s, with {' and '.join(CORES)}."
    table_for_readme = short(reports)
    print(f"\n{judged(targets)}\n\n## In short\n\n{table_for_readme}\n\n{took}")
    if "--docs" in sys.argv:
        for name in PAGES.keys() & reports.keys():
            put(PAGES[name], "\n\n".join(reports[name].parts))
    if "--docs" in sys.argv and asked is QUESTIONS:
        put(DOCUMENT, "\n\n".join([head, *texts, judged(targets), took]))
        put(ROOT / "README.md", table_for_readme)
    elif "--docs" in sys.argv:
        before = DOCUMENT.read_text("utf-8").partition(START)[2].partition(END)[0]
        sections = {
            text.partition("\n")[0]: f"{text}\n\nMeasured in a run of its own: {setting(versions())}"
            for text in texts
            if text.startswith("## ")
        }
        put(DOCUMENT, renewed(before, sections, targets))
    return int(len(reports) < len(asked))


if __name__ == "__main__":
    sys.exit(main())

"""Change the plain core in small ways, and see that the tests notice.

    python tools/mutation/run.py [GROUP…] [--sample N] [--again] [--patience SECONDS]

`mutants.GROUPS` has the groups; without one it is all of them. ``--sample`` takes so many mutants of each,
always the same. ``--again`` continues from the last run: it tries what is missing there, and what
survived. ``--patience`` is the processor time that a mutant is worth, 30 seconds by default: what does not
fit is left out. All is done in a copy of the tree, and there in memory; what came of each mutant is kept in
``build/mutants``. Survivors that ``survivors.md`` does not explain are printed, and make the status 1.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "build" / "mutants"
EXPLAINED = Path(__file__).with_name("survivors.md")
sys.path[0:1] = [str(ROOT / "tools")]

from mutation.kill import SURVIVED, Nursery, collect_and_run, in_a_fork
from mutation.mutants import GROUPS, Mutant, changes_of, mutant_of, path_of
from mutation.swap import import_instead, swap, swappable, targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType


class Round:
    """One group's mutants, from the choice to the report."""

    def __init__(self, group: str, folder: Path, sample: int | None, again: bool, patience: float) -> None:
        self.group = group
        self.patience = patience
        self.folder = folder
        self.package = folder / "src" / "midstream"
        self.times = RESULTS / f"{group}-times.json"
        self.results = RESULTS / f"{group}.jsonl"
        self.changes = [change for module in GROUPS[group] for change in changes_of(self.package, module)]
        self.total = len(self.changes)
        # shuffled by what they are, so that a change somewhere else in the tree chooses the same
        self.changes = sorted(self.changes, key=lambda change: sha256(change.name.encode()).digest())[:sample]
        self.rows: dict[str, Any] = {}
        if again and self.results.exists():
            names = {change.name for change in self.changes}
            rows = map(json.loads, self.results.read_text("utf-8").splitlines())
            known = explained()
            settled = (row for row in rows if row["killer"] != SURVIVED or row["change"] in known)
            self.rows = {row["name"]: row for row in settled if row["name"] in names}

    def run(self) -> None:
        if self.collected(Nursery.measure) != "0":
            sys.exit(f"{self.group}: without a mutant the tests fail, see {self.folder / 'log'}")
        with self.results.open("w", encoding="utf-8") as file:
            for row in self.rows.values():
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        functions = []
        for mutant in self.mutants():
            source = path_of(self.package, mutant.change.module).read_text("utf-8")
            codes = swappable(source, mutant.source)
            if codes is None:
                # it changes what a module does when it is imported
                killer = self.collected(self.try_one, mutant)
                self.note(mutant, killer)
            else:
                functions.append((mutant, codes))
        if self.collected(lambda nursery: self.try_all(nursery, functions)) != "0":
            sys.exit(f"{self.group}: the mutants did not come to their end, see {self.folder / 'log'}")

    def mutants(self) -> Iterator[Mutant]:
        seen = set()
        for change in self.changes:
            if change.name not in self.rows:
                mutant = mutant_of(self.package, change)
                if mutant is not None and mutant.source not in seen:
                    seen.add(mutant.source)
                    yield mutant

    def collected(self, keeper: Callable[[Nursery], str | None], mutant: Mutant | None = None) -> str:
        """Collect the tests in a new process, perhaps with a mutant, and hand them over to a keeper."""

        def task() -> str:
            log = os.open(self.folder / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.chdir(self.folder)
            sys.path[0:0] = [str(self.folder / folder) for folder in ("tools", "tests/support", "src")]
            if mutant is not None:
                import_instead(self.package, mutant.change.module, mutant.source)
            said: list[str | None] = []
            nursery = Nursery(
                self.group, self.times, self.patience, lambda nursery: said.append(keeper(nursery))
            )
            status = collect_and_run(nursery)
            return (said[0] if said else "import") or str(status)

        return in_a_fork(task)

    def try_one(self, nursery: Nursery) -> str:
        nursery.choose()
        return nursery.go_through()

    def try_all(self, nursery: Nursery, mutants: list[tuple[Mutant, dict[str, CodeType]]]) -> None:
        nursery.choose()
        for mutant, codes in mutants:
            killer = nursery.try_in_a_fork(partial(swap, targets(mutant.change.module, codes)))
            self.note(mutant, killer)

    def note(self, mutant: Mutant, killer: str) -> None:
        row = {"name": mutant.change.name, "line": mutant.change.line, "killer": killer}
        row["change"] = f"{mutant.change.module}: {mutant.before} → {mutant.after}"
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def report(self) -> bool:
        """Print the figures and the survivors without an explanation; return whether there are none."""
        rows = [json.loads(line) for line in self.results.read_text("utf-8").splitlines()]
        survivors = [row for row in rows if row["killer"] == SURVIVED]
        known = explained()
        others = [row for row in survivors if row["change"] not in known]
        killed = len(rows) - len(survivors)
        print(f"{self.group}: {killed} of {len(rows)} mutants killed ({killed / len(rows):.1%}),", end=" ")
        print(f"{len(survivors) - len(others)} survivors explained, {len(others)} not;", end=" ")
        print(f"taken from {self.total} changes", flush=True)
        for row in others:
            print(f"  {row['change']}  (line {row['line']})")
        return not others


def explained() -> set[str]:
    """Read the changes that ``survivors.md`` gives a reason for."""
    lines = EXPLAINED.read_text("utf-8").splitlines()
    return {line.removeprefix("- `").removesuffix("`") for line in lines if line.startswith("- `")}


def copy_of_the_tree(folder: Path) -> None:
    """Copy what the tests need, without anything compiled."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("src", "tests", "tools", "docs", "examples", "benchmarks"):
        ignored = shutil.ignore_patterns("*.so", "__pycache__", "findings", "node_modules", ".hypothesis")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copyfile(ROOT / name, folder / name)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("groups", nargs="*")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--patience", type=float, default=30.0)
    given = parser.parse_args()
    folder = RESULTS / "tree"
    copy_of_the_tree(folder)
    all_explained = True
    for group in given.groups or GROUPS:
        group_round = Round(group, folder, given.sample, given.again, given.patience)
        group_round.run()
        all_explained &= group_round.report()
    return int(not all_explained)


if __name__ == "__main__":
    sys.exit(main())

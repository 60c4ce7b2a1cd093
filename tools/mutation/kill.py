"""What a mutant has to live through.

`battery` asks the oracles directly: the table at every cut, the kept inputs of the fuzz harnesses, and inputs
made from a fixed seed. Then come the tests of the files that matter, one by one. They are collected once;
every mutant is a fork that takes the changed code in and goes through the steps until one fails, those first
that kill most in their time. A step may take ten times the processor time that it takes without a mutant;
then the fork is ended by a signal, and that is a kill, too.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import random
import resource
import signal
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, Phase, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["SURVIVED", "Nursery", "collect_and_run", "in_a_fork"]

HARNESSES = {
    "grammar": ("grammar", "policies", "utf8", "checkpoints", "branching"),
    "values": ("grammar", "policies", "checkpoints", "rebuilding"),
    "tree": ("branching", "checkpoints"),
    "chunker": ("chunker",),
    "lenient": ("repairing",),
    "select": ("selecting",),
    "extract": ("extracting",),
    "patches": ("patching",),
    "wire": ("events", "wire", "rebuilding"),
    "text": ("texts",),
    "typed": ("typed",),
}
SUITES = {
    "grammar": "grammar_edges numbers recover chars nasty misuse invariants values",
    "values": "values_edges values value_invariants nasty misuse rebuild",
    "tree": "tree_edges tree value_invariants nasty misuse",
    "chunker": "chunker_edges chunker chunker_recorded chunker_parser chunker_properties",
    "lenient": "lenient_table lenient_recorded lenient_invariants dialect lenient_tree lenient_extraction",
    "select": "select",
    "extract": "openings decoding extractor extracted lenient_extraction lenient_corpus",
    "patches": "patches",
    "wire": "events templates rebuild",
    "text": "text_cases text_formats text_repairs text_within lenient_bodies known_failures",
    "typed": "typed typed_kinds typed_models typed_schemas typed_invariants",
}
# the groups that every text of the table concerns; the dialect has a table of its own
TABLE = ("grammar", "values", "tree")
LENIENT_TABLE = {
    "REPAIRED": ("test_repaired", "test_repaired_at_every_cut"),
    "CUT": ("test_cut_off",),
    "REFUSED": ("test_refused",),
    "VALID": ("test_valid",),
}
UNFIT = ("assert_level", "assert_linear", "run_python", "subprocess", "tracemalloc")
# so many pieces of the table and of the made inputs, so many inputs in each, and their length
BATCH, MADE, LONGEST = 20, 8, 60
EXAMPLES = "20"
# the least time that a step is given, and how much longer than usual it may take
LEAST, LONGER = 2.0, 10
MOST_MEMORY = 2 << 30
SURVIVED = "survived"
NOT_BEGUN = "not begun"


@dataclass
class Step:
    """Something that raises, or not; the seconds it takes when all is well, and the mutants it has killed."""

    name: str
    run: Callable[[], None]
    seconds: float | None = None
    kills: int = 0
    is_test: bool = False

    @property
    def usual(self) -> float:
        return self.seconds or 0.0


def battery(group: str) -> Iterator[Step]:
    """List the direct questions to the oracles, in pieces small enough to be put in order."""
    if group == "chunker":
        chunker: Any = importlib.import_module("test_chunker")
        for stream in chunker.streams("walkthroughs.txt") + chunker.streams("rules.txt"):
            yield Step(f"stream {stream.name}", partial(chunker.test_chunk_by_chunk, stream, str))
        for stream in chunker.streams("overrides.txt"):
            yield Step(f"stream {stream.name}", partial(chunker.test_override_chunk_by_chunk, stream))
    elif group == "lenient":
        lenient: Any = importlib.import_module("test_lenient_table")
        for name, tests in LENIENT_TABLE.items():
            for start in range(BATCH):
                some = getattr(lenient, name)[start::BATCH]
                for test in tests:
                    run = partial(check_lenient_table, getattr(lenient, test).__wrapped__, some)
                    yield Step(f"{test} {start}", run)
    elif group in TABLE:
        cases: Any = importlib.import_module("cases")
        for start in range(BATCH):
            some = [*cases.ACCEPTED[start::BATCH], *cases.REJECTED[start::BATCH]]
            yield Step(f"table {start}", partial(check_table, some))
    fuzz: Any = importlib.import_module("fuzz")
    for name in HARNESSES[group]:
        check = fuzz.harness(name)
        for path in sorted((fuzz.CORPUS / name).iterdir()):
            yield Step(f"{name} {path.name}", partial(check, path.read_bytes()))
        for start in range(BATCH):
            yield Step(f"{name} made {start}", partial(check_made, check, random.Random(f"{name} {start}")))


def check_table(some: list[Any]) -> None:
    table: Any = importlib.import_module("test_table")
    for build in importlib.import_module("builds").BUILDS.values():
        for case in some:
            if hasattr(case, "value"):
                table.test_accepted.__wrapped__(case, build)
            else:
                table.test_rejected.__wrapped__(case, "event", build)


def check_lenient_table(test: Callable[[Any, Any], None], some: list[Any]) -> None:
    for build in importlib.import_module("builds").BUILDS.values():
        for case in some:
            test(case, build)


def check_made(check: Callable[[bytes], None], dice: random.Random) -> None:
    for _ in range(MADE):
        check(dice.randbytes(dice.randint(1, LONGEST)))


def step_of(item: pytest.Item) -> Step:
    def run() -> None:
        for report in runtestprotocol(item, log=False, nextitem=None):
            assert not report.failed, report.longreprtext

    return Step(item.nodeid, run, is_test=True)


def is_unfit(item: pytest.Item) -> bool:
    """Report whether a test can not judge mutants: it measures growth, or runs another process."""
    code = getattr(inspect.unwrap(getattr(item, "obj", None)), "__code__", None)  # type: ignore[arg-type]
    names = () if code is None else code.co_names
    return any(name in UNFIT for name in names)


class Nursery:
    """A plugin of pytest that, in place of running the tests once, gives them to its keeper."""

    def __init__(self, group: str, times: Path, patience: float, keeper: Callable[[Nursery], object]) -> None:
        self.group = group
        self.times = times
        self.patience = patience
        self.keeper = keeper
        self.steps: list[Step] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        fit = [item for item in session.items if not is_unfit(item)]
        self.steps = [*battery(self.group), *map(step_of, fit)]
        known = json.loads(self.times.read_text("utf-8")) if self.times.exists() else {}
        for step in self.steps:
            step.seconds = known.get(step.name)
        self.keeper(self)
        return True

    def measure(self) -> None:
        """Run every step of unknown time without a mutant: it has to pass."""
        for step in self.steps:
            if step.seconds is None:
                start = time.process_time()
                step.run()
                step.seconds = time.process_time() - start
        self.times.write_text(json.dumps({step.name: step.seconds for step in self.steps}), "utf-8")

    def choose(self) -> None:
        """Put one variant of every test first, and the quick before the slow; end where patience does."""
        variants: Counter[str] = Counter()
        order = {}
        for step in self.steps:
            if step.is_test:
                function = step.name.partition("[")[0]
                variants[function] += 1
                order[step.name] = (variants[function], step.usual)
        self.steps.sort(key=lambda step: order.get(step.name, (0, step.usual)))
        chosen: list[Step] = []
        left = self.patience
        for step in self.steps:
            if step.usual <= left or not step.is_test:
                chosen.append(step)
                left -= step.usual
        self.steps = chosen

    def go_through(self) -> str:
        """Return the name of the first step that fails."""
        for step in self.steps:
            signal.setitimer(signal.ITIMER_VIRTUAL, max(LEAST, LONGER * step.usual))
            try:
                step.run()
            except BaseException:
                return step.name
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return SURVIVED

    def try_in_a_fork(self, become: Callable[[], None]) -> str:
        """Return what ends a mutant, if anything does."""
        killer = in_a_fork(lambda: self.attempt(become))
        assert killer != NOT_BEGUN
        for step in self.steps:
            if step.name == killer:
                if not step.kills:
                    self.confirm(step)
                step.kills += 1
        self.steps.sort(key=lambda step: -step.kills / (step.usual + 0.01))
        return killer

    def confirm(self, step: Step) -> None:
        """See that a step passes alone and without a mutant: else it would kill whatever it is shown."""
        alone = Nursery(self.group, self.times, self.patience, self.keeper)
        alone.steps = [step]
        assert in_a_fork(alone.go_through) == SURVIVED, f"{step.name} fails without a mutant"

    def attempt(self, become: Callable[[], None]) -> str:
        become()
        return self.go_through()


def in_a_fork(task: Callable[[], str]) -> str:
    """Run a task in a process of its own and give what it says; one that ends in silence hung, or worse."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        words = NOT_BEGUN
        try:
            words = task()
        finally:
            os.write(sender, words.encode())
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, encoding="utf-8") as file:
        said = file.read()
    os.waitpid(child, 0)
    return said or "timeout"


def collect_and_run(nursery: Nursery) -> int:
    """Collect the tests of a group and leave them to a nursery; give pytest's status."""
    # the same examples every time; and one that fails need not be a small one
    settings.register_profile(
        "mutants",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        max_examples=int(EXAMPLES),
    )
    os.environ["MIDSTREAM_FUZZ_EXAMPLES"] = EXAMPLES
    files = [next(Path("tests").rglob(f"test_{name}.py")) for name in SUITES[nursery.group].split()]
    options = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly"]
    options += ["--hypothesis-profile=mutants", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*options, *map(str, files)], plugins=[nursery]))

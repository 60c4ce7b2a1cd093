"""Count instructions on fixed workloads, and compare with the committed reference.

    python benchmarks/instructions.py            fail if a workload needs more than before
    python benchmarks/instructions.py --write    write a new reference
    python benchmarks/instructions.py [--write] NAME…    the same for some workloads

Times vary on a busy machine; the instructions that valgrind's callgrind counts are the same in every run.
Each workload runs once and three times, in separate processes. The result is one half of the difference,
which excludes what comes before. The processes are forked from one that has imported everything, because
under valgrind an import takes longer than most workloads. The counts depend on Python, the machine and the
compiler. If these differ from the reference, the program compares the ratio to `json.loads` of the same text
in the same interpreter, with a larger tolerance.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import midstream
import stages
from ours import COMPILED, LIVE, PLAIN, PURE, SNAPSHOT, UPDATES, USES, use
from report import table
from workloads import document, dump, fragments, pieces, tool_call

if TYPE_CHECKING:
    from collections.abc import Callable

REFERENCE = Path(__file__).with_name("instructions.json")
# the cost of a harmless change: every line may change the compiler's decisions
TOLERANCE = 0.02
TOLERANCE_ELSEWHERE = 0.15
LOADS = "json.loads"
SMALL, LARGE = 20_000, 300_000


def feed(core: str, use_: str, cut: Callable[[str], list[Any]], size: int) -> Callable[[], None]:
    """Return a run of a core in one of its uses over a text."""
    parts = cut(document(size))
    adapter = use(core, use_)

    def run() -> None:
        for _ in adapter(parts):
            pass

    return run


class Lenient:
    """The accumulators with the lenient dialect, for the same loops as without it."""

    JsonFragmentAccumulator = partial(midstream.JsonFragmentAccumulator, dialect="lenient")
    JsonValueAccumulator = partial(midstream.JsonValueAccumulator, dialect="lenient")


def read_leniently(use_: str, cut: Callable[[str], list[Any]], size: int) -> Callable[[], None]:
    """Return a run that reads valid JSON with the lenient dialect."""
    parts = cut(document(size))
    adapter: Any = USES[use_]

    def run() -> None:
        for _ in adapter(Lenient, parts):
            pass

    return run


def repair() -> Callable[[], None]:
    """Return a run that reads text with the mistakes that models make most."""
    text = (
        document(SMALL)
        .replace("{", "{ // an entry\n")
        .replace("}", ",}")
        .replace('":', "':")
        .replace('"', "'", 1)
    )
    parts = fragments(text)

    def run() -> None:
        add_fragment = midstream.JsonValueAccumulator(on_error="event", dialect="lenient").add_fragment
        for part in parts:
            add_fragment(part)

    return run


def encoded(text: str) -> list[bytes]:
    """Cut a text into large pieces of UTF-8."""
    return [piece.encode() for piece in pieces(text)]


def road(form: str) -> Callable[[], None]:
    """Return a run of a call from a provider's events to a client: the server's part, then the client's."""
    serve, receive = stages.serve(form), stages.receive(form)

    def run() -> None:
        serve()
        receive()

    return run


def iterate() -> Callable[[], None]:
    """Return a run of `tool_calls` on decoded events."""
    calls = stages.iterate(stages.FORMAT, stages.events())

    def run() -> None:
        calls()

    return run


def select() -> Callable[[], None]:
    """Return a run that selects every entry of a list."""
    parts = fragments(document(SMALL))

    def run() -> None:
        for _ in midstream.select(parts, "entries[*]"):
            pass

    return run


def typed() -> Callable[[], None]:
    """Return a run that validates a document while it arrives."""
    # they import pydantic, which takes long under valgrind
    from typed_peers import typed_document, typed_fragments
    from typed_values import snapshots

    parts = typed_fragments(typed_document(SMALL // 4))

    def run() -> None:
        for _ in snapshots(parts):
            pass

    return run


def patch() -> Callable[[], None]:
    """Return a run that writes JSON Patches."""
    parts = fragments(document(SMALL // 4))

    def run() -> None:
        for _ in midstream.patches(parts):
            pass

    return run


def extract() -> Callable[[], None]:
    """Return a run that finds documents in a model's answer."""
    block = f"Here is the list:\n```json\n{document(SMALL // 4)}\n```\nIs there anything else?\n"
    parts = fragments(block * 4)

    def run() -> None:
        add_fragment = midstream.JsonExtractor().add_fragment
        for part in parts:
            add_fragment(part)

    return run


def rebuild() -> Callable[[], None]:
    """Return a run that writes updates in their wire form and applies them to another value."""
    parts = fragments(document(SMALL // 4))

    def run() -> None:
        add_fragment = midstream.JsonFragmentAccumulator().add_fragment
        apply = midstream.JsonFragmentRebuilder().apply
        for part in parts:
            apply([midstream.to_wire(update) for update in add_fragment(part)])

    return run


def chunk() -> Callable[[], None]:
    """Return a run that writes snapshots as one text."""
    text = midstream.JsonValueAccumulator()
    snapshots = [text.value for part in fragments(document(SMALL // 10)) if text.add_fragment(part)]

    def run() -> None:
        process = midstream.JsonStreamChunker().process
        for snapshot in snapshots:
            process(snapshot)

    return run


def read_calls_in_text() -> Callable[[], None]:
    """Return a run that reads tool calls which a model writes as text."""
    call = dump({"name": "write", "arguments": json.loads(tool_call(SMALL // 10))})
    parts = fragments(f"Let me do that.\n<tool_call>\n{call}\n</tool_call>" * 2)

    def run() -> None:
        for _ in midstream.tool_calls(parts, format="text-hermes"):
            pass

    return run


def parse_at_once() -> Callable[[], None]:
    """Return a run of `json.loads`, for scale."""
    text = document(LARGE)

    def run() -> None:
        json.loads(text)

    return run


WORKLOADS: dict[str, Callable[[], Callable[[], None]]] = {
    LOADS: parse_at_once,
    "updates, small fragments": partial(feed, COMPILED, UPDATES, fragments, SMALL),
    "updates, 64 KB": partial(feed, COMPILED, UPDATES, pieces, LARGE),
    "updates, 64 KB of bytes": partial(feed, COMPILED, UPDATES, encoded, LARGE),
    "live value, small fragments": partial(feed, COMPILED, LIVE, fragments, SMALL),
    "live value, 64 KB": partial(feed, COMPILED, LIVE, pieces, LARGE),
    "snapshots, small fragments": partial(feed, COMPILED, SNAPSHOT, fragments, SMALL),
    "pure parser, small fragments": partial(feed, COMPILED, PURE, fragments, SMALL),
    "events of a provider to calls, full": partial(road, "full"),
    "plain core, updates, small fragments": partial(feed, PLAIN, UPDATES, fragments, SMALL),
    "select entries[*], small fragments": select,
    "typed, small fragments": typed,
    "patches, small fragments": patch,
    "wire forms, small fragments": rebuild,
    "extractor, small fragments": extract,
    "chunker, snapshots": chunk,
    "tool calls in text, small fragments": read_calls_in_text,
    "events of a provider to calls, compact": partial(road, "compact"),
    "tool_calls, small fragments": iterate,
    "lenient, updates, small fragments": partial(read_leniently, UPDATES, fragments, SMALL),
    "lenient, updates, 64 KB": partial(read_leniently, UPDATES, pieces, LARGE),
    "lenient, live value, small fragments": partial(read_leniently, LIVE, fragments, SMALL),
    "lenient, live value, 64 KB": partial(read_leniently, LIVE, pieces, LARGE),
    "lenient, text with mistakes": repair,
}
# the lenient dialect on valid JSON, as a multiple of what strict parsing of the same text takes
LENIENT = "lenient, "
MOST_LENIENT = 1.3


def setting() -> dict[str, str]:
    """Return the versions and the machine that the counts depend on."""
    compiler = shlex.split(os.environ.get("CC", "cc"))  # it may have a wrapper: CC="ccache gcc"
    found = subprocess.run([*compiler, "-dumpfullversion"], capture_output=True, text=True)
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "compiler": found.stdout.strip(),
    }


def counted(names: list[str]) -> dict[str, int]:
    """Count the instructions of one run of each workload, in processes that fork from one under valgrind."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command += [sys.executable, __file__, "--run", *names]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONHASHSEED": "0"})
    found = {pid: int(number) for pid, number in re.findall(r"==(\d+)== Collected : (\d+)", done.stderr)}
    if done.returncode:
        sys.exit(f"{', '.join(names)} could not be counted: {done.stderr.strip()[-500:]}")
    pids = iter(done.stdout.split())
    return {name: -(found[next(pids)] - found[next(pids)]) // 2 for name in names}


def run_forked(names: list[str]) -> None:
    """Run each workload once and three times in processes of their own, and print their ids."""
    for name in names:
        run = WORKLOADS[name]()
        for times in (1, 3):
            pid = os.fork()
            if pid == 0:
                for _ in range(times):
                    run()
                os._exit(0)
            print(pid)
            if os.waitpid(pid, 0)[1]:
                sys.exit(f"{name} failed")


def count(names: list[str]) -> dict[str, int]:
    """Count workloads, as many at a time as there are processors."""
    jobs = os.cpu_count() or 1
    groups = [names[i::jobs] for i in range(jobs)]
    with ThreadPoolExecutor() as pool:
        found = {
            name: number
            for group in pool.map(counted, filter(None, groups))
            for name, number in group.items()
        }
    return {name: found[name] for name in names}


def judge(now: dict[str, int], reference: dict[str, Any]) -> tuple[str, list[str]]:
    """Compare with the reference; return the table, and the workloads above the tolerance or not in it."""
    before: dict[str, int] = reference["instructions"]
    same = reference["setting"] == setting()
    tolerance = TOLERANCE if same else TOLERANCE_ELSEWHERE
    rows: list[list[str]] = []
    worse: list[str] = []
    for name, instructions in now.items():
        if name not in before:
            rows.append([name, "none", f"{instructions:,}", ""])
            worse.append(name)
            continue
        change = instructions / before[name]
        if not same:
            change /= now[LOADS] / before[LOADS]
        rows.append([name, f"{before[name]:,}", f"{instructions:,}", f"{change - 1:+.1%}"])
        if change > 1 + tolerance and name != LOADS:
            worse.append(name)
    head = "the same setting" if same else f"another setting ({setting()}): as ratios to {LOADS}"
    text = table(["instructions", "reference", "now", "change"], rows)
    return f"Compared with the reference in {head}, {tolerance:.0%} are allowed.\n\n{text}", worse


def leniency(now: dict[str, int]) -> tuple[str, list[str]]:
    """Compare the lenient dialect with strict parsing; return the table, and what takes too much."""
    rows: list[list[str]] = []
    worse: list[str] = []
    for name, instructions in now.items():
        strict = now.get(name.removeprefix(LENIENT))
        if name.startswith(LENIENT) and strict is not None:
            rows.append([name, f"{strict:,}", f"{instructions:,}", f"{instructions / strict:.2f}"])
            if instructions > MOST_LENIENT * strict:
                worse.append(name)
    if not rows:
        return "", []
    text = table(["valid JSON", "strict", "lenient", "ratio"], rows)
    return f"\nThe lenient dialect may take {MOST_LENIENT} times the instructions.\n\n{text}", worse


def main() -> int:
    """Count, then compare or write."""
    if sys.argv[1:2] == ["--run"]:
        run_forked(sys.argv[2:])
        return 0
    if shutil.which("valgrind") is None:
        print("valgrind is not installed; most systems have a package of that name", file=sys.stderr)
        return 2
    names = [name for name in sys.argv[1:] if name != "--write"]
    unknown = {*names} - {*WORKLOADS}
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    # the scale belongs to every comparison with another setting
    now = count([name for name in WORKLOADS if not names or name in names or name == LOADS])
    reference = json.loads(REFERENCE.read_text("utf-8"))
    if "--write" in sys.argv:
        before = reference["instructions"] if names else {}
        counts = {name: now.get(name, before.get(name)) for name in WORKLOADS if {name} & {*now, *before}}
        text = json.dumps({"setting": setting(), "instructions": counts}, indent=2)
        REFERENCE.write_text(text + "\n", "utf-8")
        return 0
    text, worse = judge(now, reference)
    print(text)
    text, expensive = leniency(now)
    print(text)
    if expensive:
        print(f"\nAbove {MOST_LENIENT} times strict parsing: {', '.join(expensive)}.")
    if worse:
        print(f"\nAbove the reference, or not in it: {', '.join(worse)}.")
        print("If the change is worth it, run this with --write.")
    return int(bool(worse or expensive))


if __name__ == "__main__":
    sys.exit(main())

"""Compare the lenient dialect with the libraries that repair JSON: right values, retractions, time, growth.

    python benchmarks/lenient.py [--quick] [--write] [--wrong]

Prints the tables; with --write they are written to docs/lenient.md, as `make bench DOCS=1 ONLY=lenient` does,
with --wrong the cases of the corpus that midstream reads otherwise than meant are listed. All libraries run
on the same texts in one run. If a library is missing, it has no column, and nothing is written.
"""

from __future__ import annotations

import contextlib
import json
import math
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import midstream
from corpus import Case, read
from peers import version_of
from report import Report, main, number, put, setting, table
from wrong_values import is_beginning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PAGE = Path(__file__).parent.parent / "docs" / "lenient.md"
TITLE = "13. Broken JSON"
SCRIPT = Path(__file__).parent / "node" / "repair.mjs"
FRAGMENT = 8
SIZES = {"5 KB": 5_000, "50 KB": 50_000}
# the number of prefixes for the time of a library that parses the text so far again
SAMPLES = 25
# a run that takes longer is not repeated, and larger texts are not measured
PATIENCE = 4.0
# what grows: a shape, repeated
SHAPES = {
    'open brackets with quotes, `["["`': '["',
    'inner quotes in an open string, `"a"b`': '"a"b ',
    "comments that never close, `/*`": "/* ",
    "open braces, `{{`": "{",
    "commas and names in an open string": ', "a" b',
}
SHAPE_STARTS = {
    'inner quotes in an open string, `"a"b`': '{"x": "',
    "commas and names in an open string": '{"x": "',
}
# what an extractor skips, in pieces of 64 KB: usual prose, and prose full of what may begin a document
PROSE = 'He said "yes", and (then) left:\n10% of them, on average. '
BRACKETS = "See [the text](url) and [1], {name}. "
PIECE = 65_536
NOTHING = object()


@dataclass(frozen=True)
class Repairer:
    """A library: how it reads a complete text, and what it shows while a text arrives."""

    name: str
    package: str
    complete: Callable[[str], Any]
    shown: Callable[[Iterable[str]], Iterator[Any]]
    parses_again: bool = False


def ours() -> Repairer:
    """Return midstream with the lenient dialect and extraction."""
    options: dict[str, Any] = {
        "dialect": "lenient", "extract": True, "limits": midstream.Limits(max_depth=None),
    }  # fmt: skip

    def complete(text: str) -> Any:
        return midstream.parse_partial(text, **options)

    def shown(fragments: Iterable[str]) -> Iterator[Any]:
        return midstream.values(fragments, on_error="event", **options)

    return Repairer("midstream", "midstream", complete, shown)


def json_repair() -> Repairer:
    """Return json_repair, which parses the text so far again."""
    loads = import_module("json_repair").loads

    def shown(fragments: Iterable[str]) -> Iterator[Any]:
        text = ""
        for fragment in fragments:
            text += fragment
            yield loads(text, stream_stable=True)

    return Repairer("json_repair", "json-repair", loads, shown, parses_again=True)


def jsonmend() -> Repairer:
    """Return jsonmend, whose live value is copied when the value is kept."""
    module = import_module("jsonmend")

    def shown(fragments: Iterable[str]) -> Iterator[Any]:
        mender = module.Mender()
        for fragment in fragments:
            yield mender.feed(fragment)
        yield mender.close()

    return Repairer("jsonmend", "jsonmend", module.loads, shown)


def attempt(work: Callable[[], Any]) -> Any:
    """Return a result; nothing if the library raises."""
    try:
        return work()
    except Exception:
        return NOTHING


def same(mine: Any, meant: Any) -> bool:
    """Report whether two values are the same, with booleans unlike numbers."""
    return json.dumps(mine, sort_keys=True) == json.dumps(meant, sort_keys=True)


def is_right(repairer: Repairer, case: Case) -> bool:
    """Report whether a library reads the value that was meant."""
    value = attempt(lambda: repairer.complete(case.text))
    return value is not NOTHING and bool(attempt(lambda: same(value, case.value)) is True)


def is_shown(value: Any) -> bool:
    """Report whether a library shows anything: an empty string or None at the root stands for nothing."""
    return value is not NOTHING and value is not midstream.UNDEFINED and value is not None and value != ""


def takes_back(repairer: Repairer, case: Case) -> bool:
    """Report whether a value that was shown, character by character, contradicts the next one."""
    last: Any = NOTHING
    with contextlib.suppress(Exception):
        for value in repairer.shown(case.text):
            if is_shown(last) and (not is_shown(value) or not is_beginning(last, value)):
                return True
            # a copy: the live value changes
            last = json.loads(json.dumps(value)) if is_shown(value) else NOTHING
    return False


def is_early(repairer: Repairer, case: Case) -> bool:
    """Report whether anything is shown before half of the text has arrived."""
    half = case.text[: len(case.text) // 2]
    with contextlib.suppress(Exception):
        return any(map(is_shown, repairer.shown(half)))
    return False


# Time


def broken(size: int) -> str:
    """Write a document with the usual mistakes."""
    lines = ["// the catalogue", "{'items': ["]
    written = sum(map(len, lines))
    for index in range(size):
        line = (
            f'  {{id: {index}, \'name\': \'Item {index}\', "note": "the so-called "best" one", new: True,'
            f" size: {index % 9}cm, // measured\n   \"path\": \"C:\\data\\{index}\", 'tags': ['a', 'b',],}},"
        )
        lines.append(line)
        written += len(line) + 1
        if written >= size:
            break
    return "\n".join([*lines, "],}"])


def pieces(text: str) -> list[str]:
    """Cut a text into fragments."""
    return [text[at : at + FRAGMENT] for at in range(0, len(text), FRAGMENT)]


def best(run: Callable[[], object], seconds: float) -> float:
    """Return the least processor time of several runs, in milliseconds."""
    least, spent = math.inf, 0.0
    while True:
        start = time.process_time()
        run()
        took = time.process_time() - start
        least = min(least, took)
        spent += max(took, 1e-6)
        if took > PATIENCE or spent >= seconds:
            return least * 1000


def drain(values: Iterator[Any]) -> None:
    """Read all values and keep none."""
    for _ in values:
        pass


def in_pieces(repairer: Repairer, text: str, seconds: float) -> float:
    """Return the milliseconds for a text in fragments, with a value after each."""
    if not repairer.parses_again:
        return best(lambda: drain(repairer.shown(pieces(text))), seconds)
    # one parse for each fragment: estimated from some of them
    count = len(pieces(text))
    found = []
    for sample in range(SAMPLES):
        begun = text[: round((sample + 0.5) / SAMPLES * len(text))]
        found.append(best(partial(lambda begun: drain(repairer.shown([begun])), begun), 0))
    return sum(found) / SAMPLES * count


def grown(repairer: Repairer, start: str, shape: str, sizes: Sequence[int]) -> str:
    """Return the exponent with which time grows over the length of a text of one shape."""
    found = []
    for size in sizes:
        text = start + shape * (size // len(shape))
        try:
            found.append(best(partial(repairer.complete, text), 0.2))
        except Exception as error:
            return type(error).__name__
        if found[-1] > PATIENCE * 1000:
            break
    if len(found) < 2:
        return f"{found[0] / 1000:.0f} s"
    return f"{slope(found[0], found[-1], sizes[len(found) - 1] / sizes[0]):.1f}"


def slope(first: float, last: float, ratio: float) -> float:
    """Return the exponent between two times, at sizes with this ratio."""
    return math.log(last / first) / math.log(ratio)


# Node


def ask_node(texts: list[str], timed: dict[str, str], seconds: float) -> dict[str, Any] | str:
    """Run jsonrepair in Node; if that is not possible, return the reason."""
    node = shutil.which("node")
    if node is None:
        return "node is not installed"
    given = json.dumps({"texts": texts, "timed": timed, "fragment": FRAGMENT, "seconds": seconds})
    done = subprocess.run([node, SCRIPT], input=given, capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()[-300:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# The tables


def counted(repairers: Sequence[Repairer], node: dict[str, Any] | None, cases: list[Case]) -> str:
    """Format the table of right values, by kind of text."""
    kinds = list(dict.fromkeys(case.kind for case in cases))
    right = {repairer.name: [is_right(repairer, case) for case in cases] for repairer in repairers}
    if node is not None:
        right["jsonrepair"] = [
            found is not None and same(found["value"], case.value)
            for found, case in zip(node["values"], cases, strict=True)
        ]
    rows = []
    for kind in kinds:
        places = [place for place, case in enumerate(cases) if case.kind == kind]
        cells = [f"{sum(found[place] for place in places)}" for found in right.values()]
        rows.append([f"{kind} ({len(places)})", *cells])
    rows.append(["**right values**", *(f"**{sum(found)} of {len(cases)}**" for found in right.values())])
    back = [f"{sum(takes_back(repairer, case) for case in cases)}" for repairer in repairers]
    early = [f"{sum(is_early(repairer, case) for case in cases)}" for repairer in repairers]
    if node is not None:
        back.append("0")
        early.append(f"{node['shown']}")
    rows.append(["texts of which something shown was taken back", *back])
    rows.append(["texts of which something was shown before the second half arrived", *early])
    return table(["texts of this kind", *right], rows)


def timed(repairers: Sequence[Repairer], node: dict[str, Any] | None, seconds: float) -> str:
    """Format the table of times."""
    rows = []
    for repairer in repairers:
        complete = [best(partial(repairer.complete, broken(size)), seconds) for size in SIZES.values()]
        streamed = [in_pieces(repairer, broken(size), seconds) for size in SIZES.values()]
        rows.append([repairer.name, *times(complete, streamed)])
    if node is not None:
        found = [node["times"][name] for name in SIZES]
        rows.append(
            ["jsonrepair", *times([item["complete"] for item in found], [item["pieces"] for item in found])]
        )
    heads = [f"{how}, {name}" for how in ("at once", "in pieces") for name in SIZES]
    return table(["milliseconds", *heads, "growth"], rows)


def times(complete: Sequence[float | None], streamed: Sequence[float | None]) -> list[str]:
    """Format the cells of a row, with the exponent of the time in pieces."""
    cells = ["error" if found is None else number(found) for found in (*complete, *streamed)]
    first, last = streamed
    return [*cells, "–" if first is None or last is None else f"{slope(first, last, 10):.1f}"]


def hostile(repairers: Sequence[Repairer], quick: bool) -> str:
    """Format the table of growth on hostile shapes."""
    sizes = [500, 2_000] if quick else [4_000, 16_000, 64_000]
    rows = []
    for name, shape in SHAPES.items():
        start = SHAPE_STARTS.get(name, "")
        rows.append([name, *(grown(repairer, start, shape, sizes) for repairer in repairers)])
    return table(["growth on hostile texts", *(repairer.name for repairer in repairers)], rows)


def skipped(text: str, seconds: float) -> str:
    """Return how many megabytes of a text an extractor skips in a second, as a text."""
    piece = (text * (PIECE // len(text) + 1))[:PIECE]
    extractor = midstream.JsonExtractor()
    extractor.add_fragment("The answer: ")

    def run() -> None:
        for _ in range(100):
            extractor.add_fragment(piece)

    return f"{100 * PIECE / best(run, seconds) / 1000:,.0f}"


NOTE = (
    "*Right values*: the corpus has {count} texts as models write them, with the values that a reader takes "
    "them for; truncated texts mean what is written of them. *Taken back*: read character by character, a "
    "value was shown that cannot grow into a later one. jsonrepair streams text, and keeps 64 KB of it back: "
    "it shows nothing of a shorter text before its end. *In pieces*: fragments of {fragment} characters, and "
    "a value after each; the time of json_repair, which parses the text so far again, is estimated from "
    "{samples} of the calls. *Growth* is the exponent of the time over the length: 1 is linear, 2 quadratic. "
    "midstream records the first thousand repairs and counts the others, so its time grows less. Least times "
    "of several runs in one process (jsonrepair: in Node). Prose without JSON is skipped at {prose} MB a "
    "second in pieces of 64 KB, and at {brackets} if it is full of links and brackets."
)


def compare(quick: bool) -> tuple[list[str], list[str]]:
    """Return the tables, and what is missing."""
    cases = read()[:: 8 if quick else 1]
    seconds = 0.02 if quick else 1.0
    repairers, missing = [ours()], []
    for make, package in ((json_repair, "json-repair"), (jsonmend, "jsonmend")):
        if version_of(package) is None:
            missing.append(package)
        else:
            repairers.append(make())
    documents = {name: broken(size) for name, size in SIZES.items()}
    node = ask_node([case.text for case in cases], documents, seconds)
    versions = {repairer.package: version_of(repairer.package) for repairer in repairers[1:]}
    if isinstance(node, str):
        missing.append(f"jsonrepair ({node})")
        answered = None
    else:
        answered = node
        versions["jsonrepair"] = node["version"]
    note = NOTE.format(
        count=len(cases),
        fragment=FRAGMENT,
        samples=SAMPLES,
        prose=skipped(PROSE, seconds),
        brackets=skipped(BRACKETS, seconds),
    )
    tables = [
        counted(repairers, answered, cases),
        timed(repairers, answered, seconds),
        hostile(repairers, quick),
    ]
    return [*tables, note, setting(versions)], missing


def measure(quick: bool) -> Report:
    """Compare, and return the tables."""
    parts, missing = compare(quick)
    return Report(TITLE, [*parts, *(f"Missing: {name}." for name in missing)])


def list_wrong() -> None:
    """List the cases that midstream reads otherwise than meant."""
    repairer = ours()
    for case in read():
        if not is_right(repairer, case) or takes_back(repairer, case):
            value = attempt(lambda case=case: repairer.complete(case.text))  # type: ignore[misc]
            print(f"{case.kind}: {case.name}\n{case.text}\n  meant {case.value!r}\n  found {value!r}\n")


def write() -> int:
    """Print the tables, and write them to the page."""
    parts, missing = compare(quick=False)
    text = "\n\n".join(parts)
    print(text)
    for name in missing:
        print(f"missing: {name}", file=sys.stderr)
    if missing:
        return 1
    if not put(PAGE, text):
        print(f"{PAGE.name} has no place for the tables", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if "--wrong" in sys.argv:
        list_wrong()
    elif "--write" in sys.argv:
        sys.exit(write())
    else:
        main(measure)

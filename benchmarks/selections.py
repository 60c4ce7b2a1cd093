"""Compare selected elements of a list while it arrives with the complete value, and with parsing it again.

python benchmarks/selections.py [--quick]
"""

from __future__ import annotations

from collections import deque
from functools import cache, partial
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from ours import COMPILED, CORE, CORES, IS_COMPILED, LIVE, SNAPSHOT, named, use
from peers import drain
from report import PerFragment, Report, Targets, main
from timing import race
from workloads import dump, fragments, prose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    from timing import Timing

SIZES = {"0.5 KB": 500, "5 KB": 5_000, "50 KB": 50_000, "500 KB": 500_000}
SELECTIONS = {
    "select items[*]": ("items[*]", {}),
    "select items[*].title": ("items[*].title", {}),
    "select items[*], partial": ("items[*]", {"partial": True}),
    "select what comes last": ("last", {}),
}
# microseconds per fragment
WITHIN = 0.6
# characters: a slow peer parses the text again, so it gets no longer text than this
LONGEST = {
    "pydantic, allow_partial": 50_000,
    "LangChain's JsonOutputParser": 5_000,
}


def document(size: int) -> str:
    """Write an object with a list of items, and something after it."""
    rng = Random(size)
    items: list[dict[str, Any]] = []
    length = 0
    while length < size or not items:
        item = {"title": prose(rng, 24), "score": rng.randrange(1000) / 8, "tags": ["a", "b"], "open": True}
        items.append(item)
        length += len(dump(item)) + 2
    return dump({"items": items, "last": "…"})


def selected(core: ModuleType, path: str, options: dict[str, Any], parts: Iterable[str]) -> Iterator[Any]:
    """Select from the fragments."""
    yield from core.select(parts, path, **options)


class Item(TypedDict, total=False):
    title: str
    score: float
    tags: list[str]
    open: bool


class Document(TypedDict, total=False):
    items: list[Item]
    last: str


@cache
def adapter() -> TypeAdapter[Any]:
    """Return pydantic's validator, built once."""
    return TypeAdapter(Document)


def pydantic_partial(parts: Iterable[str]) -> Iterator[Any]:
    """Validate the text so far after every fragment."""
    validate = adapter().validate_json
    text = ""
    for part in parts:
        text += part
        yield validate(text, experimental_allow_partial="trailing-strings")


def langchain_parser(parts: Iterable[str]) -> Iterator[Any]:
    """Run LangChain's output parser as a chain does."""
    from langchain_core.output_parsers import JsonOutputParser

    yield from JsonOutputParser().transform(iter(parts))


OTHERS: dict[str, tuple[str, Callable[[Iterable[str]], Iterator[Any]]]] = {
    "pydantic, allow_partial": ("pydantic", pydantic_partial),
    "LangChain's JsonOutputParser": ("langchain_core", langchain_parser),
}


def contestants(text: str, parts: list[str], quick: bool) -> dict[str, Callable[[], object]]:
    """Return all contestants that can read the text in small fragments."""
    found: dict[str, Callable[[], object]] = {}
    for core, module in CORES.items():
        for name, (path, options) in SELECTIONS.items():
            found[named(core, name)] = drain(partial(selected, module, path, options), parts)
        for name in (SNAPSHOT, LIVE):
            found[named(core, name)] = drain(use(core, name), parts)
    for name, (package, run) in OTHERS.items():
        if find_spec(package) is not None and len(text) <= LONGEST[name] * (0.2 if quick else 1.2):
            found[name] = partial(lambda run: deque(run(parts), maxlen=0), run)
            # what is imported and built once is not timed
            deque(run(parts[:9]), maxlen=0)
    return found


def measure(quick: bool) -> Report:
    """Measure, and return the table."""
    reference = named(CORE, "select items[*]")
    per_fragment = PerFragment(reference)
    found: dict[str, dict[str, Timing]] = {}
    counts: dict[str, int] = {}
    for column, size in list(SIZES.items())[: 2 if quick else None]:
        text = document(size)
        parts = fragments(text)
        counts[column] = len(parts)
        found[column] = race(contestants(text, parts, quick), 0.2 if quick else 8)
        per_fragment.add(column, found[column], len(parts))
    targets = Targets()
    if IS_COMPILED:
        name = named(COMPILED, "select items[*]")
        spent = {column: timings[name].median / counts[column] * 1e6 for column, timings in found.items()}
        for column, cost in spent.items():
            targets.at_most(f"select items[*], {column}, per fragment", cost, WITHIN, "µs")
        costs = list(spent.values())
        targets.at_most("select items[*], the largest text against the smallest", costs[-1] / costs[0], 1.5)
    missing = [name for name, (package, _) in OTHERS.items() if find_spec(package) is None]
    note = f"\n\nNot installed here: {', '.join(missing)}." if missing else ""
    return Report(
        "11. The elements of a list while it arrives",
        [
            "### Nanoseconds per fragment, fragments of 1 to 8 characters\n\n"
            + per_fragment.text("selections")
            + note
        ],
        targets,
    )


if __name__ == "__main__":
    main(measure)

"""Run midstream in each of its uses, on the compiled and the plain core in one process.

Each use is a generator, like the adapters of the peers: it reads fragments, and yields after each of them.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from builds import BUILDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    Adapter = Callable[[Iterable[Any]], Iterator[Any]]

# the compiled one first, if it was built
CORES: dict[str, ModuleType] = {f"midstream, {name}": BUILDS[name] for name in sorted(BUILDS)}
COMPILED = "midstream, compiled"
PLAIN = "midstream, plain"
IS_COMPILED = COMPILED in CORES
# the core that users import
CORE = next(iter(CORES))


def snapshots(core: ModuleType, fragments: Iterable[Any]) -> Iterator[Any]:
    """Read a snapshot after every fragment, and release it before the next one."""
    accumulator = core.JsonValueAccumulator()
    add_fragment = accumulator.add_fragment
    for fragment in fragments:
        add_fragment(fragment)
        yield accumulator.value


def kept(core: ModuleType, fragments: Iterable[Any]) -> Iterator[Any]:
    """Read a snapshot after every fragment, and hold it until the next one."""
    accumulator = core.JsonValueAccumulator()
    add_fragment = accumulator.add_fragment
    for fragment in fragments:
        add_fragment(fragment)
        value = accumulator.value
        yield value


def live(core: ModuleType, fragments: Iterable[Any]) -> Iterator[Any]:
    """Keep the value up to date; the user decides when to read it."""
    accumulator = core.JsonValueAccumulator()
    add_fragment = accumulator.add_fragment
    for fragment in fragments:
        add_fragment(fragment)
        yield accumulator


def pure(core: ModuleType, fragments: Iterable[Any]) -> Iterator[Any]:
    """Make a new state for every fragment."""
    parse_chunk = core.parse_chunk
    state = core.create_parser_state()
    for fragment in fragments:
        state = parse_chunk(state, fragment)
        yield state


def updates(core: ModuleType, fragments: Iterable[Any]) -> Iterator[Any]:
    """Return the updates of every fragment."""
    add_fragment = core.JsonFragmentAccumulator().add_fragment
    for fragment in fragments:
        yield add_fragment(fragment)


SNAPSHOT, KEPT = "snapshot every time", "snapshot every time, the last one kept"
LIVE, PURE, UPDATES = "live value", "pure parser", "updates"
USES: dict[str, Callable[[ModuleType, Iterable[Any]], Iterator[Any]]] = {
    SNAPSHOT: snapshots,
    KEPT: kept,
    LIVE: live,
    PURE: pure,
    UPDATES: updates,
}


def named(core: str, use: str) -> str:
    """Return the name of a core in one of its uses, as in the tables."""
    return f"{core}, {use}"


def use(core: str, use: str) -> Adapter:
    """Return a core in one of its uses."""
    return partial(USES[use], CORES[core])

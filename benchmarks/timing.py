"""Time contestants against each other, fairly on a machine that does other things too.

All run in one process, in turns: what disturbs one round disturbs all of them. A ratio is the median
of the rounds' ratios, so it is steadier than the times it is made of. Garbage collection is on, as it
is for users.
"""

from __future__ import annotations

import gc
import statistics
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from workloads import fragments, records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


TURN = 0.005
FEWEST_ROUNDS = 3
MOST_ROUNDS = 25


@dataclass(frozen=True)
class Timing:
    """The seconds that one contestant took, round by round."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """How far the middle half reaches, as a part of the median."""
        low, _, high = statistics.quantiles(self.rounds, n=4)
        return (high - low) / self.median

    def over(self, other: Timing) -> float:
        """Tell how many times as long as the other this one took."""
        return statistics.median(mine / its for mine, its in zip(self.rounds, other.rounds, strict=True))


def once(run: Callable[[], object]) -> float:
    """Time one run; only what it leaves behind itself is garbage that it has to collect."""
    gc.collect()
    gc.freeze()
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def race(contestants: Mapping[str, Callable[[], object]], seconds: float) -> dict[str, Timing]:
    """Run the contestants in turns for about that long; a short one is repeated within its turn."""
    repeats: dict[str, int] = {}
    cost = 0.0
    for name, run in contestants.items():
        took = once(run)
        if took < TURN:
            took = once(run)  # the first one warms up
        repeats[name] = max(1, round(TURN / took))
        cost += took * repeats[name]
    rounds = min(MOST_ROUNDS, max(FEWEST_ROUNDS, round(seconds / cost)))
    found: dict[str, list[float]] = {name: [] for name in contestants}
    names = list(contestants)
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            found[name].append(once(partial(repeat, contestants[name], repeats[name])) / repeats[name])
    return {name: Timing(tuple(times)) for name, times in found.items()}


def growth(make: Callable[[list[str]], Callable[[], object]], seconds: float) -> float:
    """Tell how much more a fragment costs in an array of 10,000 records than in one of 100."""
    few, many = fragments(records(100)), fragments(records(10_000))
    found = race({"few": make(few), "many": make(many)}, seconds)
    return found["many"].over(found["few"]) * len(few) / len(many)


def repeat(run: Callable[[], object], times: int) -> None:
    """Run something several times."""
    for _ in range(times):
        run()

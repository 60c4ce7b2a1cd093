"""Time contestants against each other, fairly even on a busy machine.

All run in one process, one after the other in every round, so a disturbance affects all of them. A ratio is
the median of the rounds' ratios, so it is more stable than the times. A slow contestant runs only in the
first rounds. The times are processor time; garbage collection is on, as it is for users.
"""

from __future__ import annotations

import gc
import statistics
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


TURN = 0.005
# seconds; a longer run needs no warm-up
LONG = 0.1
FEWEST_ROUNDS = 3
MOST_ROUNDS = 25


@dataclass(frozen=True)
class Timing:
    """The seconds of one contestant in each round."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """The interquartile range as a part of the median."""
        low, _, high = statistics.quantiles(self.rounds, n=4)
        return (high - low) / self.median

    def over(self, other: Timing) -> float:
        """Return the ratio of two times, over the rounds that measured both."""
        return statistics.median(mine / its for mine, its in zip(self.rounds, other.rounds, strict=False))


def once(run: Callable[[], object]) -> float:
    """Time one run; earlier garbage is collected first, so that the run collects only its own."""
    gc.collect()
    gc.freeze()
    start = time.process_time()
    run()
    return time.process_time() - start


def race(contestants: Mapping[str, Callable[[], object]], seconds: float) -> dict[str, Timing]:
    """Run the contestants in rounds for about the given time; a short one is repeated within a round."""
    found: dict[str, list[float]] = {name: [] for name in contestants}
    repeats: dict[str, int] = {}
    rounds: dict[str, int] = {}
    for name, run in contestants.items():
        took = once(run)
        if took >= LONG:
            found[name].append(took)
        elif took < TURN:
            took = once(run)  # the first run is the warm-up
        repeats[name] = max(1, round(TURN / max(took, 1e-9)))
        share = seconds / len(contestants) / (took * repeats[name])
        rounds[name] = min(MOST_ROUNDS, max(FEWEST_ROUNDS, round(share)))
    for turn in range(max(rounds.values(), default=0)):
        names = [name for name in contestants if len(found[name]) < rounds[name]]
        first = turn % len(names) if names else 0
        for name in names[first:] + names[:first]:
            found[name].append(once(partial(repeat, contestants[name], repeats[name])) / repeats[name])
    return {name: Timing(tuple(times)) for name, times in found.items()}


def repeat(run: Callable[[], object], times: int) -> None:
    """Repeat a run several times."""
    for _ in range(times):
        run()

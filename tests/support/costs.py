"""How the cost of work grows with its size, so measured that a loaded machine does not matter.

What counts is the processor's time of this thread, with the garbage collector at rest (how long it takes
depends on all that the process has, not on the work), and of several runs the least: neighbours can only add
to it. A bound is missed only if it is missed by the best of all tries, which work that grows faster always
does and other work on a busy machine hardly ever.
"""

import gc
import time
from collections.abc import Callable

TRIES = 12

#: Makes work ready: the call that is returned is what is measured.
Prepared = Callable[[], Callable[[], object]]
PreparedBySize = Callable[[int], Callable[[], object]]


def cost(run: Callable[[], object]) -> float:
    """Return the seconds of processor time that one run takes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.thread_time()
        run()
        return time.thread_time() - start
    finally:
        if was_enabled:
            gc.enable()


def ratio(run: Prepared, base: Prepared, bound: float) -> float:
    """Compare the least costs of two pieces of work, made anew for each try, until they are in bounds."""
    least = least_base = float("inf")
    for _ in range(TRIES):
        least = min(least, cost(run()))
        least_base = min(least_base, cost(base()))
        if least <= bound * least_base:
            break
    return least / least_base


def assert_linear(prepare: PreparedBySize, size: int, times: int = 8) -> None:
    """Assert that so many times the size costs about so many times as much.

    The bound lies half-way (of the exponents) between linear and quadratic.
    """
    bound = times**1.5
    grown = ratio(lambda: prepare(size * times), lambda: prepare(size), bound)
    assert grown <= bound, f"{times} times the size takes {grown:.1f} times as long"


def assert_level(prepare: PreparedBySize, small: int, large: int, bound: float) -> None:
    """Assert that work costs about the same whatever the size of what it is done to."""
    grown = ratio(lambda: prepare(large), lambda: prepare(small), bound)
    assert grown <= bound, f"{large // small} times the size takes {grown:.1f} times as long"

"""Cause faults in a gateway of several workers, and report what its clients have missed.

``python tools/relay_chaos.py [--seeds 5] [--rounds 12] [--stores sqlite redis] [--faults kill cut]`` prints a
line for each seed and store: faults, kills, clients, events, gaps, duplicates, the longest silence after it
for the clients that it affects (p50 / p99 / max, in seconds), and the most runs of one POST. It fails if a
client has missed something, has received something twice, or has waited for too long.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / folder) for folder in ("tests/support", "tests", "tests/server")]

from chaos_stage import run_chaos

# the promise: an event or an honest end within these seconds after a kill
P99, MOST = 1.0, 2.0


def main() -> int:
    """Run all seeds, and return whether something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=None, help="default: each fault once")
    parser.add_argument("--stores", nargs="+", default=["sqlite", "redis"])
    parser.add_argument("--faults", nargs="+", default=None)
    parser.add_argument("--any-time", action="store_true", help="do not judge times: the machine is busy")
    given = parser.parse_args()
    is_bad = False
    for store in given.stores:
        print(f"\n{store}\n")
        print("| seed | faults | kills | clients | events | gaps | duplicates | p50 / p99 / max | runs |")
        print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |", flush=True)
        for seed in range(given.first, given.first + given.seeds):
            with TemporaryDirectory() as folder:
                report = run_chaos(store, Path(folder), seed, given.faults, given.rounds)
            print(report.line(), flush=True)
            for one in report.violations:
                print(f"  {one[:300]}")
            is_slow = report.quantile(0.99) > P99 or report.quantile(1) > MOST
            if is_slow and not given.any_time:
                print(f"  slower than {P99} s (p99) or {MOST} s (max)")
            is_bad |= bool(report.violations) or (is_slow and not given.any_time)
    return is_bad


if __name__ == "__main__":
    sys.exit(main())

"""Try the invariants on fresh random examples until the time is used up.

    python tools/fuzz/properties.py [seconds]

A run tries every property with a seed of its own. The first that fails is printed completely and ends the
search with status 1; its seed is printed, and hypothesis keeps the example for the next test run.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = (
    "test_*invariants.py", "test_providers.py", "test_path_text.py", "test_select.py", "test_extractor.py",
    "test_decoding.py", "test_openings.py", "test_patches.py", "test_rebuild.py", "test_state.py",
    "test_snapshots.py", "test_events.py", "test_chunker_*.py",
)  # fmt: skip
FIRST_EXAMPLES = 50
RUN_SECONDS = 60.0  # a run aims at this, so that many seeds are tried and starting costs little
GRACE = 20.0  # what a run may take over the end before it is stopped


def run(seed: int, examples: int, seconds: float) -> subprocess.CompletedProcess[str] | None:
    """Run every property once; None if it did not end in time."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "hypothesis", "--hypothesis-show-statistics"]
    command += [
        f"--hypothesis-seed={seed}",
        *(str(path) for name in FILES for path in (ROOT / "tests").rglob(name)),
    ]
    environment = os.environ | {"MIDSTREAM_FUZZ_EXAMPLES": str(examples)}
    try:
        return subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            timeout=seconds,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except subprocess.TimeoutExpired:
        return None


def main() -> int:
    """Search for the seconds given, five minutes if none are."""
    end = time.monotonic() + (float(sys.argv[1]) if len(sys.argv) > 1 else 300.0)
    runs = tried = 0
    examples = FIRST_EXAMPLES
    while (remaining := end - time.monotonic()) > 0:
        seed = secrets.randbits(32)
        start = time.monotonic()
        result = run(seed, examples, remaining + GRACE)
        if result is None:
            print(f"seed {seed}: stopped at the end of the time, unfinished", flush=True)
            break
        if result.returncode:
            print(result.stdout)
            print(f"FAILED with --hypothesis-seed={seed}, after {runs} runs without a failure")
            return 1
        took = time.monotonic() - start
        passed = sum(map(int, re.findall(r"(\d+) passing\b", result.stdout)))
        runs += 1
        tried += passed
        print(f"seed {seed}: {passed:,} examples in {took:.0f} s", flush=True)
        goal = min(RUN_SECONDS, end - time.monotonic())
        examples = max(10, min(10_000, int(examples * goal / took)))
    print(f"no counterexample in {runs} runs, {tried:,} examples")
    return int(tried == 0)  # a search that finished nothing has shown nothing: it may hang


if __name__ == "__main__":
    sys.exit(main())

"""Measure everything: one command, one report in Markdown.

    python benchmarks/run.py [--quick]

Each benchmark runs in a process of its own, so that none pays for what another has left behind.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

BENCHMARKS = {"updates.py": sys.argv[1:], "values.py": sys.argv[1:], "chunker.py": []}


def main() -> int:
    """Run them one after the other; fail if one fails."""
    start = time.monotonic()
    failed = 0
    for name, arguments in BENCHMARKS.items():
        script = Path(__file__).with_name(name)
        failed += subprocess.run([sys.executable, script, *arguments]).returncode != 0
        print(flush=True)
    print(f"Measured in {time.monotonic() - start:.0f} s.")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

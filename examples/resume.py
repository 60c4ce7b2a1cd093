"""Resume a stream in another process, from a checkpoint.

    python examples/resume.py

The first process reads the first part of a stream, writes a checkpoint to a file and ends. A second one reads
the file and the second part. They share nothing else.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from midstream import JsonValueAccumulator

FRAGMENTS = [
    '{"title": "Two days in Zür',
    'ich", "stops": ["Lake", "Uetliberg", "Caf\\u',
    "00e9 Bo",
    'den"], "days": 2}',
]
FIRST = 2


def begin(file: Path) -> None:
    """Read the first part, and save the state."""
    accumulator = JsonValueAccumulator()
    for fragment in FRAGMENTS[:FIRST]:
        accumulator.add_fragment(fragment)
    print("first: ", accumulator.value)
    file.write_text(json.dumps({"read": FIRST, "state": accumulator.checkpoint()}), encoding="utf-8")


def resume(file: Path) -> None:
    """Read the second part."""
    kept = json.loads(file.read_text(encoding="utf-8"))
    accumulator = JsonValueAccumulator.restore(kept["state"])
    print("second:", accumulator.value)
    for fragment in FRAGMENTS[kept["read"] :]:
        accumulator.add_fragment(fragment)
        print("second:", accumulator.value)
    accumulator.finish()
    print("second:", "complete" if accumulator.is_complete else "not complete")


def main() -> None:
    """Run both parts, each in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        for part in ("begin", "resume"):
            subprocess.run([sys.executable, __file__, part, Path(folder, "checkpoint.json")], check=True)


if __name__ == "__main__":
    if sys.argv[1:]:
        {"begin": begin, "resume": resume}[sys.argv[1]](Path(sys.argv[2]))
    else:
        main()

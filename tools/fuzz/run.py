"""Search for inputs that break an invariant, guided by coverage.

    python tools/fuzz/run.py SECONDS [NAME…] [--keep]

The seconds are shared by the harnesses named, or by all. Each one's executions, coverage (edges of the plain
build) and findings are printed. An input that breaks something is saved in ``findings/`` and ends that
harness; the status is then 1. Try it again with ``python tools/fuzz/run.py 0 path/to/the/input``. With
``--keep`` the corpus in the repository becomes the smallest set of inputs that covers what was covered.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[0:1] = [str(ROOT / folder) for folder in ("tools", "tests/support", "src")]

from fuzz import CORPUS, HARNESSES, harness

FINDINGS = HERE / "findings"
# inputs longer than this say nothing that shorter ones do not
LONGEST = 400
# no input may take longer than this
TIMEOUT = 60


class Result(NamedTuple):
    """What a search came to."""

    executions: int
    edges: int
    inputs: int
    found: Path | None
    has_ended: bool
    output: str


def search(name: str, seconds: float, found_here: Path) -> Result:
    """Search with one harness, from the corpus on."""
    findings = FINDINGS / name
    findings.mkdir(parents=True, exist_ok=True)
    before = {*findings.iterdir()}
    arguments = [str(found_here)]
    if (CORPUS / name).is_dir():
        arguments.append(str(CORPUS / name))
    arguments += [
        f"-max_total_time={max(1, round(seconds))}",
        f"-max_len={LONGEST}",
        # a case takes some bytes to say: don't begin with the shortest
        "-len_control=0",
        f"-timeout={TIMEOUT}",
        # short of that, slow by the clock says more of the machine than of the input
        f"-report_slow_units={TIMEOUT}",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
        "-verbosity=1",
        f"-artifact_prefix={findings}/",
    ]
    has_ended, output = work(name, arguments, seconds + 120)
    new = sorted({*findings.iterdir()} - before)
    if not any(findings.iterdir()):
        findings.rmdir()
    return Result(
        number(r"number_of_executed_units: (\d+)", output),
        number(r"cov: (\d+)", output),
        len([*found_here.iterdir()]),
        new[0] if new else None,
        has_ended,
        output,
    )


def work(name: str, arguments: list[str], seconds: float) -> tuple[bool, str]:
    """Run libFuzzer; return whether it finished, and its output."""
    command = [sys.executable, str(HERE / "worker.py"), name, *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=HERE,
            env=os.environ | {"PYTHONHASHSEED": "0"},
            timeout=seconds,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except subprocess.TimeoutExpired as expired:
        return False, (expired.stdout or b"").decode("utf-8", "replace")
    return done.returncode == 0, done.stdout.decode("utf-8", "replace")


def number(pattern: str, text: str) -> int:
    """Return the last number that a pattern finds."""
    return int([0, *re.findall(pattern, text)][-1])


def keep(name: str, found_here: Path) -> None:
    """Make the corpus a small set of inputs that reach the same edges."""
    kept = CORPUS / name
    with tempfile.TemporaryDirectory() as folder:
        merged = Path(folder) / "merged"
        merged.mkdir()
        sources = [str(found_here), *([str(kept)] if kept.is_dir() else [])]
        arguments = ["-set_cover_merge=1", "-use_counters=0", f"-max_len={LONGEST}", str(merged), *sources]
        _, output = work(name, arguments, 600)
        inputs = sorted(merged.iterdir(), key=lambda path: (path.stat().st_size, path.name))
        if not inputs:
            print(output[-2000:])
            return
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for path in inputs:
            shutil.copyfile(path, kept / path.name[:12])


def try_again(path: Path) -> int:
    """Run one saved input, whose folder is named after its harness."""
    try:
        harness(path.absolute().parent.name)(path.read_bytes())
    except Exception:
        traceback.print_exc()
        return 1
    print(f"{path}: nothing is wrong with it")
    return 0


def main() -> int:
    """Run the harnesses one after the other."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--keep"]
    if not arguments:
        print(__doc__)
        return 2
    seconds = float(arguments[0])
    if len(arguments) == 2 and Path(arguments[1]).is_file():
        return try_again(Path(arguments[1]))
    names = arguments[1:] or [*HARNESSES]
    for name in names:
        harness(name)
    status = 0
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            result = search(name, seconds / len(names), Path(folder))
            is_broken = result.found is not None or not result.has_ended or result.executions == 0
            print(
                f"{name:12} {result.executions:9,} executions  {result.edges:5} edges  "
                f"{result.inputs:4} new inputs  "
                f"{f'FOUND {result.found}' if is_broken else 'nothing found'}",
                flush=True,
            )
            if is_broken:
                print(result.output[-6000:])
                status = 1
            elif "--keep" in sys.argv:
                keep(name, Path(folder))
    return status


if __name__ == "__main__":
    sys.exit(main())

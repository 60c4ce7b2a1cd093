"""Run the programs that take too long for every commit.

    make deep                              all of them, one after the other: several hours
    make deep ONLY=list                    what there is
    make deep ONLY="fuzz memcheck"         those that are named
    make deep ONLY=mutants ARGS="tree"     with arguments for the program, see the top of its file

SECONDS says how long a search takes (fuzz, properties: 300). The exit status is 1 if a program fails, or
was named and can not run here.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PYTHON = ".venv/bin/python"
TESTS = (PYTHON, "-m", "pytest", "-m", "deep")
FREE_THREADED = ("python3.14t", "python3.13t")


class Program(NamedTuple):
    """What to run: what it does, its commands, the make targets it needs, and the executables."""

    about: str
    commands: tuple[tuple[str, ...], ...]
    needs: tuple[str, ...] = ()
    executables: tuple[str, ...] = ()


def programs(seconds: str) -> dict[str, Program]:
    """Return the programs by name, those first that are quick to fail."""
    sanitize = (PYTHON, "tools/sanitize/sanitize.py")
    free_threaded = os.environ.get("FREE_THREADED") or next(filter(shutil.which, FREE_THREADED), "")
    return {
        "tests": Program(
            "the tests marked `deep`, too long for the suite", (TESTS,), ("sdk-envs", ".venv/programs")
        ),
        "dist": Program(
            "build sdist and wheels in every way the switch allows, and try them",
            ((PYTHON, "tools/try_dist.py"),),
        ),
        "typed-versions": Program(
            "typed streams with each supported version of pydantic and msgspec, in environments of their own",
            ((PYTHON, "tools/typed_versions.py"),),
        ),
        "sdks": Program(
            "the streams of LiteLLM and LangGraph, from the packages themselves",
            ((".venv-sdk-frameworks/bin/python", "tools/frameworks.py"),),
            (".venv-sdk-frameworks/ready",),
        ),
        "properties": Program(
            "the numbered invariants on fresh random examples, for SECONDS",
            ((PYTHON, "tools/fuzz/properties.py", seconds),),
        ),
        "fuzz": Program(
            "search for inputs that break an invariant, guided by coverage, for SECONDS",
            ((".venv-fuzz/bin/python", "tools/fuzz/run.py", seconds),),
            (".venv-fuzz/ready",),
        ),
        "web-cases": Program(
            "random cases in Python and in JavaScript, which must agree",
            ((PYTHON, "tools/web_cases/web_case_fuzz.py", "20000"),),
            executables=("node",),
        ),
        "patches": Program(
            "random JSON patches, applied by jsonpatch, fast-json-patch and midstream, which must agree",
            ((PYTHON, "tools/json_patches/check.py"),),
            executables=("node", "npm"),
        ),
        "apps": Program(
            "the npm package in Vite, Svelte and React applications; the page, checked with axe-core",
            ((PYTHON, "tools/js_apps/apps.py"),),
            (".venv/programs",),
            executables=("node", "npm"),
        ),
        "sanitize": Program(
            "the compiled core under AddressSanitizer and UBSan", ((*sanitize, "asan"),), executables=("gcc",)
        ),
        "memcheck": Program(
            "the compiled core under valgrind",
            ((*sanitize, "memcheck"),),
            executables=("gcc", "valgrind"),
        ),
        "leaks": Program(
            "reference counts and memory of the compiled core, round after round", ((*sanitize, "leaks"),)
        ),
        "bounds": Program("adversarial shapes at full size: time and memory", ((PYTHON, "tools/bounds.py"),)),
        "soak": Program(
            "100,000 streams, sync, async and through the gateway: what is left of them",
            ((PYTHON, "tools/soak.py"), (PYTHON, "tools/soak.py", "--plain", "--only", "process")),
        ),
        "chaos": Program(
            "kill, stop, cut off and drain a gateway and its Redis: what clients miss, and for how long",
            ((PYTHON, "tools/relay_chaos.py"), (*TESTS, "tests/server/test_chaos.py")),
            (".venv/programs",),
        ),
        "free-threaded": Program(
            f"the tests of the core in a Python without the global lock ({', '.join(FREE_THREADED)}, or the "
            "one that FREE_THREADED names)",
            ((PYTHON, "tools/free_threaded.py", free_threaded),),
            executables=(free_threaded or FREE_THREADED[0],),
        ),
        "mutants": Program(
            "change the core in small ways, and see that the tests notice",
            ((".venv-mutants/bin/python", "tools/mutation/run.py"),),
            (".venv-mutants/ready",),
        ),
    }


def run(program: Program, arguments: list[str]) -> bool:
    """Run a program, only its first command if there are arguments; return whether it passed."""
    make = ["make", "--no-print-directory", *program.needs]
    if program.needs and subprocess.run(make, cwd=ROOT).returncode:
        return False
    commands = program.commands[:1] if arguments else program.commands
    return all(subprocess.run([*command, *arguments], cwd=ROOT).returncode == 0 for command in commands)


def main() -> int:
    """Run the programs that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", default="300")
    parser.add_argument("--args", type=shlex.split, default=[])
    given = parser.parse_args()
    known = programs(given.seconds)
    unknown = {*given.names} - {*known}
    if unknown or not given.names:
        for name, program in known.items():
            print(f"{name:14} {program.about}")
    if given.names == ["list"]:
        return 0
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}")
        return 2
    if given.args and len(given.names) != 1:
        print("ARGS needs one program in ONLY")
        return 2
    results = []
    is_bad = False
    for name in given.names or known:
        missing = [what for what in known[name].executables if shutil.which(what) is None]
        start = time.monotonic()
        if missing:
            result = f"not run, {', '.join(missing)} is missing"
            is_bad |= name in given.names
        else:
            print(f"\n=== {name}", flush=True)
            is_well = run(known[name], given.args)
            is_bad |= not is_well
            result = f"{'passed' if is_well else 'FAILED'} in {time.monotonic() - start:.0f} s"
        results.append(f"{name:14} {result}")
    print("\n===", *results, sep="\n")
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())

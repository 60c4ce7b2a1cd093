"""The list of the long-running programs is true: what is named is there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import deep

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "tools" / "deep.py", *arguments], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("name", deep.programs("1"))
def test_what_a_program_needs_is_there(name: str) -> None:
    program = deep.programs("1")[name]
    for _, *arguments in program.commands:
        assert arguments[0] == "-m" or (ROOT / arguments[0]).is_file()
    makefile = (ROOT / "Makefile").read_text("utf-8").replace("$(VENV)", ".venv").replace("%", "fuzz")
    for target in program.needs:
        assert f"\n{re.sub('mutants|sdk-frameworks', 'fuzz', target)}:" in makefile


def test_the_list_names_every_program() -> None:
    done = run("list")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(deep.programs("1"))


def test_an_unknown_name_is_refused() -> None:
    done = run("fuzz", "nonsense")
    assert done.returncode == 2
    assert done.stdout.endswith("unknown: nonsense\n")


def test_a_program_that_is_named_but_can_not_run_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FREE_THREADED", "no-such-python")
    done = run("free-threaded")
    assert done.returncode == 1
    assert "free-threaded  not run, no-such-python is missing" in done.stdout

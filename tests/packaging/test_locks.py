"""What the project's own checks run with is pinned, by version and hash."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
LOCKS = sorted(path.stem for path in (ROOT / "requirements").glob("*.txt"))


def requirements(group: str) -> list[Requirement]:
    """Return what a group asks for, with the groups it includes."""
    found = []
    for entry in PROJECT["dependency-groups"][group]:
        if isinstance(entry, str):
            found.append(Requirement(entry))
        else:
            found += requirements(entry["include-group"])
    return found


def pins(group: str) -> dict[str, tuple[Version, int]]:
    """Return the version of each pinned distribution, and how many hashes it has."""
    text = (ROOT / "requirements" / f"{group}.txt").read_text(encoding="utf-8")
    found: dict[str, tuple[Version, int]] = {}
    for entry in re.split(r"(?<!\\)\n", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)):
        if entry:
            pin = re.match(r"([\w.-]+)==([\w.]+)[ ;]", entry)
            assert pin is not None, entry
            hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry)
            found[canonicalize_name(pin[1])] = (Version(pin[2]), len(hashes))
    return found


def test_the_core_needs_the_standard_library_only() -> None:
    assert PROJECT["project"]["dependencies"] == []


def test_each_environment_has_a_lock() -> None:
    listed = re.search(r"^LOCKS := (.*)$", MAKEFILE, re.MULTILINE)
    assert listed is not None
    assert sorted(listed[1].split()) == LOCKS


@pytest.mark.parametrize("group", LOCKS)
def test_a_lock_has_what_its_group_asks_for(group: str) -> None:
    pinned = pins(group)
    for requirement in requirements(group):
        version, _ = pinned[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), (
            f"{requirement}: {version} is pinned, run `make locks`"
        )


@pytest.mark.parametrize("group", LOCKS)
def test_everything_in_a_lock_has_its_hashes(group: str) -> None:
    assert [name for name, (_, hashes) in pins(group).items() if hashes == 0] == []


def test_nothing_else_is_installed() -> None:
    """But for the package itself and the peers of the benchmarks, which are no part of the checks."""
    installs = [line.strip() for line in MAKEFILE.splitlines() if "pip install" in line]
    others = [line for line in installs if not line.startswith(("PINNED", "$(BENCH)"))]
    assert others == ["$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable ."]
    assert "--require-hashes" in installs[0]

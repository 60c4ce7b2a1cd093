"""What a release consists of: one version everywhere, and workflows whose files and commands exist."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import versions

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def commands(path: Path) -> list[str]:
    """Return the one-line commands that a workflow runs."""
    return re.findall(r"run: (.+)", path.read_text("utf-8"))


def test_everything_names_the_same_version() -> None:
    assert len(set(versions.named().values())) == 1


def test_a_tag_needs_its_heading_in_the_changelog() -> None:
    named = versions.named("v9.9.9")
    assert named["the tag"] == "9.9.9"
    assert set(named) == {"_version.py", "js/package.json", "CHANGELOG.md", "the tag"}
    done = subprocess.run([sys.executable, ROOT / "tools" / "versions.py", "v9.9.9"], capture_output=True)
    assert done.returncode == 1


def test_there_are_workflows() -> None:
    assert [path.stem for path in WORKFLOWS] == ["check", "release"]


@each_workflow
def test_what_a_workflow_runs_exists(path: Path) -> None:
    for command in commands(path):
        for target in re.findall(r"\bmake ([\w-]+)", command):
            assert f"\n{target}:" in MAKEFILE, command
        for file in re.findall(r"(?<![\w/])((?:tools|requirements|tests|\.ci)/[\w./-]+)", command):
            assert (ROOT / file).exists(), command


@each_workflow
def test_a_workflow_may_read_only_except_to_publish(path: Path) -> None:
    text = path.read_text("utf-8")
    assert "secrets." not in text
    assert re.search(r"^permissions:\n  contents: read$", text, re.MULTILINE)
    jobs = re.split(r"^  (?=\w+:$)", text.partition("\njobs:\n")[2], flags=re.MULTILINE)
    allowed = {job.partition(":")[0] for job in jobs if "id-token: write" in job}
    assert allowed == ({"pypi", "npm"} if path.stem == "release" else set())
    assert all("if: github.ref_type == 'tag'" in job for job in jobs if "id-token: write" in job)


def test_the_wheels_are_those_that_the_metadata_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    classifiers = " ".join(project["project"]["classifiers"])
    built = project["tool"]["cibuildwheel"]["build"]
    named = {f"cp{major}{minor}-*" for major, minor in re.findall(r":: (3)\.(\d+)\b", classifiers)}
    assert named == {wheel for wheel in built if "t-" not in wheel}
    assert any("t-" in wheel for wheel in built)
    assert "Free Threading" in classifiers

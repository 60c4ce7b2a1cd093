"""The objects of the real SDKs are read as their dicts are."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sdk_objects import BUILDERS, cases, found

ROOT = Path(__file__).parents[2]
PYTHON = Path(os.environ.get("MIDSTREAM_OBJECTS_PYTHON") or ROOT / ".venv-sdk-objects" / "bin" / "python")
NAMES = {name: (format, events) for format in BUILDERS for name, events in cases(format).items()}
# faults that the classes themselves rule out: a call has an id there, and its arguments are a dict
REFUSED = {
    "pydantic-ai: no id",
    "ollama: empty arguments",
    "ollama: complete arguments",
    "ollama: invalid JSON",
    "ollama: merged calls",
    "ollama: split surrogates",
    "ollama: just stops",
}
# what the classes take away, or fill in
CHANGED = {"ollama": "id", "mistral": "index"}


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    if not PYTHON.exists():
        pytest.fail(
            f"there is no {PYTHON}: `make sdk-envs` makes the environment with the SDKs", pytrace=False
        )
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests" / "support")])
    run = subprocess.run(
        [PYTHON, ROOT / "tests" / "support" / "sdk_objects.py"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    made: dict[str, Any] = json.loads(run.stdout)
    return made


def test_all_streams_were_read(report: dict[str, Any]) -> None:
    assert set(report) == set(NAMES)
    assert {name for name, read in report.items() if "refused" in read} == REFUSED


@pytest.mark.parametrize("name", [name for name in NAMES if name not in REFUSED])
def test_objects(report: dict[str, Any], name: str) -> None:
    format, events = NAMES[name]
    read = report[name]
    assert "refused" not in read
    assert (read["events"], read["format"]) == (len(events), format)
    expected = json.loads(json.dumps(found(events, format)))
    for calls in (expected, read["calls"]):
        for call in calls:
            call.pop(CHANGED.get(format), None)
    assert read["calls"] == expected

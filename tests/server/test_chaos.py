"""Chaos, in a short version: order and counts. ``make deep ONLY=chaos`` is the long one, and judges times."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chaos import FULL, Size
from chaos_stage import run_chaos

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="several workers need Linux")

BROKEN = Path(__file__).parents[1] / "support" / "broken"


@pytest.mark.parametrize(
    ("store", "faults"),
    [
        ("sqlite", ["kill", "cut"]),
        ("redis", ["kill", "redis cut", "redis restarts"]),
    ],
)
@pytest.mark.parametrize(
    "size", [Size(2, 1, 60), pytest.param(FULL, marks=pytest.mark.deep)], ids=["small", "full"]
)
def test_clients_miss_nothing(store: str, faults: list[str], size: Size, tmp_path: Path) -> None:
    report = run_chaos(store, tmp_path, 1, faults, pace=0.01, size=size)
    assert report.violations == []
    assert set(report.runs) == {1}
    assert report.times


@pytest.mark.deep
@pytest.mark.parametrize(
    ("broken", "faults", "message"),
    [
        ("no fencing", ["stop long"], "open after|gap|duplicate|written after fencing"),
        ("pub/sub only", ["redis cut"], "open after|gap"),
        ("no lease", ["kill"], "open after"),
        ("second POST", ["cut"], "runs for one POST"),
    ],
)
def test_chaos_notices_what_is_broken(
    broken: str, faults: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(BROKEN))
    monkeypatch.setenv("MIDSTREAM_BROKEN", broken)
    violations = "\n".join(run_chaos("redis", tmp_path, 1, faults, patience=8).violations)
    assert any(part in violations for part in message.split("|")), violations

"""The inputs that fuzzing has kept: each harness takes its own, without atheris and on both builds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fuzz import CORPUS, HARNESSES, harness

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 200_000


def inputs(name: str) -> list[Path]:
    return sorted((CORPUS / name).iterdir())


@pytest.mark.parametrize("name", HARNESSES)
def test_corpus(name: str) -> None:
    check = harness(name)
    for path in inputs(name):
        try:
            check(path.read_bytes())
        except Exception as error:
            raise AssertionError(f"python tools/fuzz/run.py 0 {path}") from error


@pytest.mark.parametrize("name", HARNESSES)
def test_any_bytes_are_an_input(name: str) -> None:
    check = harness(name)
    check(b"")
    for byte in range(0, 256, 3):
        check(bytes([byte]))
        check(bytes([byte, 255 - byte, byte] * 4))


def test_the_corpus_is_small_and_every_harness_has_one() -> None:
    assert {path.name for path in CORPUS.iterdir()} == {*HARNESSES}
    assert all(map(inputs, HARNESSES))
    assert sum(path.stat().st_size for name in HARNESSES for path in inputs(name)) < MOST_BYTES

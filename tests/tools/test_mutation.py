"""The groups of the mutation tests are true: their modules, harnesses and tests are there."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from fuzz import HARNESSES
from mutation import kill, swap
from mutation.mutants import GROUPS, path_of

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "midstream"


def test_every_group_has_harnesses_and_tests() -> None:
    assert GROUPS.keys() == kill.HARNESSES.keys() == kill.SUITES.keys()
    assert {*kill.TABLE} < GROUPS.keys()


@pytest.mark.parametrize("group", GROUPS)
def test_what_a_group_names_is_there(group: str) -> None:
    for module in GROUPS[group]:
        assert path_of(PACKAGE, module).is_file()
    assert {*kill.HARNESSES[group]} <= {*HARNESSES}
    for name in kill.SUITES[group].split():
        assert [*ROOT.joinpath("tests").rglob(f"test_{name}.py")], name


def test_no_module_is_in_two_groups() -> None:
    modules = [module for group in GROUPS.values() for module in group]
    assert len(modules) == len({*modules})


def test_functions_are_swapped_and_what_is_done_on_import_is_not() -> None:
    source = "A = {a: 1 for a in ()}\nB = {b: 2 for b in ()}\n\ndef f():\n    return 3\n"
    swapped = swap.swappable(source, source.replace("3", "4"))
    assert swapped is not None
    assert [*swapped] == ["f"]
    # one of two comprehensions, which have the same name
    for old, new in (("1", "5"), ("2", "5"), ("def f():", "def f(a=5):")):
        assert swap.swappable(source, source.replace(old, new)) is None


def test_a_module_that_is_not_loaded_yet_is_changed_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = "def f():\n    return 3\n"
    (tmp_path / "some_package").mkdir()
    (tmp_path / "some_package" / "late.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(swap, "PACKAGES", ("some_package", "another_package"))
    package = import_module("some_package")
    codes = swap.swappable(source, source.replace("3", "4"))
    assert codes is not None
    swap.swap(swap.targets("late", codes))
    assert package.late.f() == 4
    del sys.modules["some_package.late"], sys.modules["some_package"]

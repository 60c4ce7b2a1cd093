"""Every entry of the table, on both builds, as characters and as bytes, at every cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from builds import BUILDS
from cases import ACCEPTED, REJECTED, Accepted, Rejected
from model import Item, NaiveLimits, cuttings, exactly, fold, join_partials, naive, run
from tables import each_case

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_accepted = each_case("case", {case.name: case for case in ACCEPTED})
each_rejected = each_case("case", {case.name: case for case in REJECTED})


def forms(text: str | bytes) -> list[str | bytes]:
    """Return a text as characters and as bytes, as far as it can be written so."""
    try:
        return [text, text.encode() if isinstance(text, str) else text.decode()]
    except UnicodeError:
        return [text]


def limits_of(midstream: Any, case: Accepted | Rejected) -> Any:
    return midstream.Limits(**case.limits)


def model_of(case: Accepted | Rejected) -> list[Item]:
    return join_partials(naive([case.text], limits=NaiveLimits(**case.limits)))


def error_of(case: Rejected) -> tuple[str, tuple[int, int, int]]:
    return case.code, (case.index, case.line, case.column)


def test_names_are_unique() -> None:
    names = [case.name for case in ACCEPTED] + [case.name for case in REJECTED]
    assert len(names) == len(set(names))
    assert len(names) >= 400


@each_accepted
def test_json_loads_reads_the_same_value(case: Accepted) -> None:
    # json.loads takes a byte order mark from bytes, but not from a str
    text = case.text.removeprefix("\ufeff") if isinstance(case.text, str) else case.text
    assert exactly(json.loads(text)) == exactly(case.value)


@each_rejected
def test_json_loads_rejects_it_too(case: Rejected) -> None:
    if case.stdlib_accepts:
        return
    with pytest.raises((json.JSONDecodeError, UnicodeDecodeError)):
        json.loads(case.text)


@each_accepted
def test_model_accepts(case: Accepted) -> None:
    items = model_of(case)
    assert exactly(fold(items)) == exactly(case.value)
    assert [item.kind for item in items].index("JsonComplete") == len(items) - 1


@each_rejected
def test_model_rejects(case: Rejected) -> None:
    last = model_of(case)[-1]
    assert last.kind == "Error"
    assert (last.text_value, last.value) == error_of(case)


@each_build
@each_accepted
def test_accepted(case: Accepted, midstream: Any) -> None:
    expected = model_of(case)
    for text in forms(case.text):
        for fragments in cuttings(text):
            items = run(midstream, fragments, limits=limits_of(midstream, case))
            assert exactly(join_partials(items)) == exactly(expected), fragments
            assert exactly(fold(items)) == exactly(case.value), fragments
            assert [item.kind for item in items].index("JsonComplete") == len(items) - 1


@each_build
@pytest.mark.parametrize("on_error", ["raise", "event"])
@each_rejected
def test_rejected(case: Rejected, on_error: str, midstream: Any) -> None:
    expected = model_of(case)
    for text in forms(case.text):
        for fragments in cuttings(text):
            items = run(midstream, fragments, on_error=on_error, limits=limits_of(midstream, case))
            last = items[-1]
            assert last.kind == "Error", fragments
            assert (last.text_value, last.value) == error_of(case), fragments
            assert exactly(join_partials(items)) == exactly(expected), fragments

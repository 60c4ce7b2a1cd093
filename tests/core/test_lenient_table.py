"""Every rule of the lenient dialect on both builds, as str and as bytes, in one piece and at every cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from builds import BUILDS
from lenient_cases import CUT, REFUSED, REPAIRED, VALID, Cut, Refused, Repaired
from lenient_texts import read
from model import cuttings, exactly
from tables import each_case

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_repaired = each_case("case", {case.name: case for case in REPAIRED})
each_cut = each_case("case", {case.name: case for case in CUT})
each_refused = each_case("case", {case.name: case for case in REFUSED})
each_valid = each_case("text", {text: text for text in VALID})


def value_of(midstream: Any, fragments: Any) -> tuple[Any, Any]:
    """Return the value of a text, None if there is none, and the accumulator."""
    accumulator = midstream.JsonValueAccumulator(on_error="event", dialect="lenient")
    for fragment in fragments:
        accumulator.add_fragment(fragment)
    accumulator.finish()
    return None if accumulator.value is midstream.UNDEFINED else accumulator.value, accumulator


def codes(accumulator: Any) -> tuple[str, ...]:
    return tuple(str(repair.code) for repair in accumulator.repairs)


def check_cuts(midstream: Any, text: str) -> None:
    """Check that a text gives the same updates, repairs and positions however it is cut."""
    expected, _ = read(midstream, [text])
    for form in (text, text.encode()):
        for fragments in cuttings(form):
            assert read(midstream, fragments)[0] == expected, fragments


def test_every_rule_and_code_has_a_case() -> None:
    import midstream

    rules = {case.rule for case in REPAIRED}
    # P9 needs the code fence in which the extractor has found the document
    assert rules == {
        *(f"S{number}" for number in range(1, 9)),
        *(f"B{number}" for number in range(1, 7)),
        *(f"P{number}" for number in range(1, 12) if number != 9),
    }
    found = {code for case in REPAIRED for code in case.codes}
    assert found == {str(code) for code in midstream.RepairCode} - {"unclosed"}


@each_build
@each_repaired
def test_repaired(case: Repaired, midstream: Any) -> None:
    value, accumulator = value_of(midstream, [case.text])
    assert exactly(value) == exactly(case.value)
    assert codes(accumulator) == case.codes
    assert accumulator.error is None
    assert accumulator.is_complete


@each_build
@each_repaired
def test_repaired_at_every_cut(case: Repaired, midstream: Any) -> None:
    check_cuts(midstream, case.text)
    _, accumulator = read(midstream, [case.text])
    assert codes(accumulator) == case.codes


@each_repaired
def test_first_repair_is_where_strict_parsing_stops(case: Repaired) -> None:
    import midstream

    strict = midstream.JsonValueAccumulator(on_error="event")
    strict.add_fragment(case.text)
    strict.finish()
    _, accumulator = value_of(midstream, [case.text])
    first = accumulator.repairs[0]
    assert strict.error is not None
    assert (first.index, first.line, first.column) == (
        strict.error.index,
        strict.error.line,
        strict.error.column,
    )


@each_build
@each_valid
def test_valid(text: str, midstream: Any) -> None:
    value, accumulator = value_of(midstream, [text])
    assert exactly(value) == exactly(json.loads(text.removeprefix("\ufeff")))
    assert accumulator.repairs == ()
    assert read(midstream, [text])[0] == read(midstream, [text], "strict")[0]
    check_cuts(midstream, text)


@each_build
@each_cut
def test_cut_off(case: Cut, midstream: Any) -> None:
    value, accumulator = value_of(midstream, [case.text])
    assert exactly(value) == exactly(case.value)
    assert codes(accumulator) == case.codes
    assert accumulator.error.code == "truncated"
    check_cuts(midstream, case.text)


@each_build
@each_refused
def test_refused(case: Refused, midstream: Any) -> None:
    _, accumulator = value_of(midstream, [case.text])
    assert (accumulator.error.code, accumulator.error.index) == (case.code, case.index)
    check_cuts(midstream, case.text)

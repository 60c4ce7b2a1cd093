"""Every rule of the lenient dialect on both builds, as str and as bytes, in one piece and at every cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from builds import BUILDS
from lenient_cases import REPAIRED, Repaired
from lenient_edges import CUT, REFUSED, UNTOUCHED, VALID, Cut, Refused
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
    # P9 needs the code fence in which the extractor has found the document (`test_lenient_extraction`)
    assert rules == UNTOUCHED.keys()
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


@each_build
@each_repaired
def test_repaired_far_into_a_fragment(case: Repaired, midstream: Any) -> None:
    before = " " * 300
    for at in range(len(case.text) + 1):
        accumulator = midstream.JsonValueAccumulator(on_error="event", dialect="lenient")
        accumulator.add_fragment(before + case.text[:at])
        accumulator.add_fragment(case.text[at:])
        accumulator.finish()
        assert (exactly(accumulator.value), codes(accumulator)) == (exactly(case.value), case.codes), at


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
def test_a_character_is_shown_with_the_fragment_that_completes_it(midstream: Any) -> None:
    accumulator = midstream.JsonValueAccumulator(dialect="lenient")
    shown = []
    for fragment in ['["a', r"\ud83d", r"\ude0", "0", r"\u00", "e9", r"\x4", "1", r"\u{41", "}"]:
        accumulator.add_fragment(fragment)
        shown.append(accumulator.value[0])
    a, b, c = "a", "a\U0001f600", "a\U0001f600é"
    assert shown == [a, a, a, b, b, c, c, f"{c}A", f"{c}A", f"{c}AA"]


@each_build
@each_valid
def test_valid_is_reported_in_the_same_pieces(text: str, midstream: Any) -> None:
    found = []
    for dialect in ("strict", "lenient"):
        accumulator = midstream.JsonFragmentAccumulator(dialect=dialect)
        updates = [*accumulator.add_fragment(text), *accumulator.finish()]
        found.append([(update.kind, update.path, update.text_value) for update in updates])
    assert found[0] == found[1]


@each_build
@pytest.mark.parametrize("rule", UNTOUCHED)
def test_where_a_rule_does_not_apply(rule: str, midstream: Any) -> None:
    code, texts = UNTOUCHED[rule]
    assert any(code in case.codes for case in REPAIRED if case.rule == rule)
    for text in texts:
        _, accumulator = value_of(midstream, [text])
        assert code not in codes(accumulator), text
        check_cuts(midstream, text)


@each_build
def test_what_follows_the_root(midstream: Any) -> None:
    text = "{a: 1}} [2,] 'c' "
    for pieces in ([text], [*text]):
        accumulator = midstream.JsonValueAccumulator(dialect="lenient", after_root="next")
        found: list[Any] = []
        for piece in pieces:
            accumulator.add_fragment(piece)
            found += accumulator.documents
        accumulator.finish()
        assert [*found, *accumulator.documents] == [{"a": 1}, [2], "c"]
        expected = ("unquoted_key", "extra_closer", "trailing_comma", "single_quotes")
        assert codes(accumulator) == expected
        accumulator = midstream.JsonValueAccumulator(dialect="lenient", after_root="ignore")
        for piece in pieces:
            accumulator.add_fragment(piece)
        assert (accumulator.value, accumulator.trailing) == ({"a": 1}, "} [2,] 'c' ")


@each_build
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[2,]", [2]),
        ("[22,]", [22]),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": 11,}', {"a": 11}),
        ("(1, 2)", [1, 2]),
        ("(1, 2,)", [1, 2]),
        ("[{1: 2]]", [{"1": 2}]),
        ("{1: [2}}", {"1": [2]}),
        ("'c'", "c"),
        ("True", True),
        ("+1", 1),
        (".5", 0.5),
    ],
)
def test_where_a_repaired_root_ends(text: str, value: Any, midstream: Any) -> None:
    for fragments in cuttings(f"{text} x"):
        accumulator = midstream.JsonValueAccumulator(dialect="lenient", after_root="ignore")
        for fragment in fragments:
            accumulator.add_fragment(fragment)
        accumulator.finish()
        assert (accumulator.value, accumulator.trailing) == (value, " x"), fragments


@each_build
@pytest.mark.parametrize(
    "text",
    ["[2,]", "[22,]", '{"a": 1,}', '{"a": 11,}', "(1, 2)", "(11, 2)", "[{1: 2]]", "{1: [2}}", "'c'", "'cc'"],
)
def test_the_limit_of_the_next_document_counts_from_the_end_of_a_repaired_root(
    text: str, midstream: Any
) -> None:
    following = f"[{'1, ' * len(text)}2]"
    for missing in (0, 1):
        limits = midstream.Limits(max_document=len(following) - missing)
        for fragments in cuttings(text + following):
            accumulator = midstream.JsonValueAccumulator(
                on_error="event", dialect="lenient", after_root="next", limits=limits
            )
            for fragment in fragments:
                accumulator.add_fragment(fragment)
            accumulator.finish()
            assert (accumulator.error is not None) == bool(missing), fragments


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

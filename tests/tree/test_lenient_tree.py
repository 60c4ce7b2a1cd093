"""The pure parser in the lenient dialect: the values, repairs and errors of the accumulators, in states."""

from __future__ import annotations

import copy
import json
import pickle
from functools import reduce
from typing import Any

import pytest

from builds import BUILDS
from lenient_cases import REPAIRED
from lenient_edges import CUT, REFUSED, VALID
from lenient_texts import broken
from model import cuttings, exactly
from tables import each_case

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_repaired = each_case("case", {case.name: case for case in REPAIRED})
TEXTS = [*(case.text for case in REPAIRED), *(case.text for case in CUT), *(case.text for case in REFUSED)]


def lenient(midstream: Any, fragments: Any, **options: Any) -> Any:
    return reduce(
        midstream.parse_chunk, fragments, midstream.create_parser_state(dialect="lenient", **options)
    )


def read(midstream: Any, text: str) -> Any:
    """Return an accumulator that has read a text to its end."""
    accumulator = midstream.JsonValueAccumulator(on_error="event", dialect="lenient")
    accumulator.add_fragment(text)
    accumulator.finish()
    return accumulator


@each_build
@each_repaired
def test_repaired_at_every_cut(case: Any, midstream: Any) -> None:
    whole = midstream.finalize(lenient(midstream, [case.text]))
    assert exactly(midstream.get_resolved_value(whole)) == exactly(case.value)
    assert whole.repairs == read(midstream, case.text).repairs
    assert (whole.repair_count, whole.error) == (len(case.codes), None)
    for form in (case.text, case.text.encode()):
        for fragments in cuttings(form):
            state = midstream.finalize(lenient(midstream, fragments))
            assert state == whole, fragments
            assert state.repairs == whole.repairs, fragments


@each_build
def test_other_texts_end_as_in_the_accumulator(midstream: Any) -> None:
    for text in [*TEXTS, *map(broken, range(60))]:
        accumulator = read(midstream, text)
        for fragments in ([text], [*text]):
            state = midstream.finalize(lenient(midstream, fragments))
            assert state.error == accumulator.error, text
            assert state.repairs == accumulator.repairs, text
            shown = midstream.UNDEFINED if state.root is None else state.root.resolved_value
            assert exactly(shown) == exactly(accumulator.value), text


@each_build
def test_each_chunk_shows_what_the_accumulator_shows(midstream: Any) -> None:
    for text in TEXTS[::2]:
        accumulator = midstream.JsonValueAccumulator(on_error="event", dialect="lenient")
        state = midstream.create_parser_state(dialect="lenient")
        for character in text:
            accumulator.add_fragment(character)
            before, state = state, midstream.parse_chunk(state, character)
            shown = midstream.UNDEFINED if state.root is None else state.root.resolved_value
            assert exactly(shown) == exactly(accumulator.value), text
            assert state.repairs == accumulator.repairs, text
            assert state.repairs[: len(before.repairs)] == before.repairs
            assert (state.index, state.line, state.column) == tuple(accumulator.position), text


@each_build
def test_valid_texts_have_the_states_of_the_strict_dialect(midstream: Any) -> None:
    for text in VALID:
        state = midstream.finalize(lenient(midstream, [*text]))
        strict = midstream.finalize(reduce(midstream.parse_chunk, [*text], midstream.create_parser_state()))
        assert (state.mode, state.index, state.error, state.repairs) == (strict.mode, strict.index, None, ())
        assert list(state.nodes) == list(strict.nodes), text


@each_build
def test_a_state_is_saved_between_any_two_characters(midstream: Any) -> None:
    for text in TEXTS[::3]:
        expected = midstream.finalize(lenient(midstream, [text]))
        state = midstream.create_parser_state(dialect="lenient")
        for character in text:
            state = midstream.parse_chunk(state, character)
            data = json.loads(json.dumps(midstream.dump_state(state)))
            for copied in (
                midstream.load_state(data), pickle.loads(pickle.dumps(state)), copy.deepcopy(state)
            ):  # fmt: skip
                assert copied == state, text
                assert copied.repairs == state.repairs
            state = copied
        assert midstream.finalize(state) == expected, text


@each_build
def test_states_branch_without_disturbing_each_other(midstream: Any) -> None:
    base = lenient(midstream, ["{'a': 'x"])
    assert [str(repair.code) for repair in base.repairs] == ["single_quotes", "single_quotes"]
    one, other = midstream.parse_chunk(base, "', }"), midstream.parse_chunk(base, "y'}")
    assert [str(repair.code) for repair in one.repairs[2:]] == ["trailing_comma"]
    assert (base.repair_count, one.repair_count, other.repair_count) == (2, 3, 2)
    assert midstream.get_resolved_value(one) == {"a": "x"}
    assert midstream.get_resolved_value(other) == {"a": "xy"}


@each_build
@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("{'a", "Key"), ("{a", "Object"), ("{'a'", "Key"), ("{'a':", "Value"), ("{'a': 'b", "String"),
        ("{'a': b c d", "String"), ("['a' // why", "Comma"), ("[ /* why", "Array"),
        ("[1 @ why", "Comma"), ("[1] // done", "Done"),
        ("[1,, 'x']", "Done"),
    ],
)  # fmt: skip
def test_mode_says_what_the_parser_expects(midstream: Any, text: str, mode: str) -> None:
    assert lenient(midstream, [text]).mode == mode


@each_build
def test_paths_of_repairs_lead_to_their_places(midstream: Any) -> None:
    text = "{'a': [1, {'b': ['x', y,, 2], }, ['it's'],], c: 'd',}"
    state = lenient(midstream, [*text])
    assert [(str(repair.code), repair.path) for repair in state.repairs] == [
        (str(repair.code), repair.path) for repair in read(midstream, text).repairs
    ]
    assert {"root", "root.c", "root.a[1]", "root.a[1].b[0]"} == {repair.path for repair in state.repairs}


@each_build
def test_further_repairs_are_only_counted(midstream: Any) -> None:
    state = lenient(midstream, ["[1,,,,2]"], limits=midstream.Limits(max_repairs=2))
    assert (len(state.repairs), state.repair_count) == (2, 3)
    assert midstream.load_state(midstream.dump_state(state)).repair_count == 3


@each_build
def test_a_state_of_an_earlier_version_is_strict(midstream: Any) -> None:
    data = midstream.dump_state(midstream.parse_chunk(midstream.create_parser_state(), '["a"'))
    del data["dialect"]
    assert midstream.parse_chunk(midstream.load_state(data), ",]").error.code == "trailing_comma"


@each_build
@pytest.mark.parametrize("damage", [{"dialect": "loose"}, {"dialect": "strict"}, {"nodes": []}])
def test_a_damaged_state_is_refused(midstream: Any, damage: dict[str, Any]) -> None:
    data = {**midstream.dump_state(lenient(midstream, ["['a"])), **damage}
    with pytest.raises(midstream.JsonStreamError, match="not a saved parser state"):
        midstream.load_state(data)

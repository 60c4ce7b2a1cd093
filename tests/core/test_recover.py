"""What on_error="recover" promises: the damage is reported, and costs nothing but itself."""

import json
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builds import BUILDS
from model import Item, fold, join_partials

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=BUILDS)


def recover(midstream: ModuleType, fragments: list[Any], **options: Any) -> tuple[Any, list[Item], bool]:
    accumulator = midstream.JsonFragmentAccumulator(on_error="recover", **options)
    updates = [update for fragment in fragments for update in accumulator.add_fragment(fragment)]
    updates += accumulator.finish()
    items = join_partials(
        [Item(str(u.kind), u.segments, u.text_value, tuple(u.error) if u.error else u.value) for u in updates]
    )
    value = fold([item for item in items if item.kind != "Error"])
    return value, items, accumulator.is_complete


def cuts(text: Any) -> list[list[Any]]:
    return [
        [text],
        [text[i : i + 1] for i in range(len(text))],
        *([text[:i], text[i:]] for i in range(1, len(text))),
    ]


# text, the value that is left, the codes of the errors, whether a document is complete
DAMAGED: list[tuple[str, Any, list[str], bool]] = [
    # a trailing comma costs nothing
    ("[1, 2,]", [1, 2], ["trailing_comma"], True),
    ('{"a": 1,}', {"a": 1}, ["trailing_comma"], True),
    ('{"a": [1,], "b": {"c": 2,},}', {"a": [1], "b": {"c": 2}}, ["trailing_comma"] * 3, True),
    # a missing comma or colon before a token that is complete costs nothing either
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, ["expected_comma"], True),
    ('["a" "b"]', ["a", "b"], ["expected_comma"], True),
    ('[{"a": 1} {"b": 2}]', [{"a": 1}, {"b": 2}], ["expected_comma"], True),
    ('{"a" {"b": 1}, "c": 2}', {"a": {"b": 1}, "c": 2}, ["expected_colon"], True),
    ('{"a" "b", "c": 2}', {"a": "b", "c": 2}, ["expected_colon"], True),
    ('{"a"x: 1}', {"a": 1}, ["expected_colon"], True),
    # else the damaged member goes, to the next comma or bracket
    ("[1 2, 3]", [1, 3], ["expected_comma"], True),
    ('{"a": tru, "b": 2}', {"b": 2}, ["invalid_literal"], True),
    ('{"a": 1, "b": 01, "c": 3}', {"a": 1, "c": 3}, ["invalid_number"], True),
    ('{"a": 1.2.3}', {}, ["invalid_number"], True),
    ("[1, nope, 3]", [1, 3], ["invalid_literal"], True),
    ('{"a": }', {}, ["expected_value"], True),
    ('{"a": , "b": 1}', {"b": 1}, ["expected_value"], True),
    ('{, "a": 1}', {"a": 1}, ["expected_key"], True),
    ("[, 1]", [1], ["expected_value"], True),
    ('{"a" 1, "b": 2}', {"b": 2}, ["expected_colon"], True),
    ("{'a': 1, \"b\": 2}", {"b": 2}, ["expected_key"], True),
    ('{a: {"b": 1, "c": [2, 3]}, "d": 4}', {"d": 4}, ["expected_key"], True),
    ('{"a": <"x, }", [1, {"y": 2}]>, "b": 2}', {"b": 2}, ["expected_value", "expected_key"], True),
    ('{"a": {"b": 1, "c": nope}, "d": [tru]}', {"a": {"b": 1}, "d": []}, ["invalid_literal"] * 2, True),
    ('{"a": 1: 2, "b": 3}', {"a": 1, "b": 3}, ["expected_comma"], True),
    # of a damaged string, what came before is kept; a damaged key takes its value along
    ('{"a": "x\\qy", "b": 2}', {"a": "x", "b": 2}, ["invalid_escape"], True),
    ('{"a": "x\ny", "b": 2}', {"a": "x", "b": 2}, ["control_character"], True),
    ('["x\\u12G4, ]", 2]', ["x", 2], ["invalid_escape"], True),
    ('{"a\\q": [1, 2], "b": 2}', {"b": 2}, ["invalid_escape"], True),
    # brackets: missing ones are supplied, wrong ones count as the right ones, others are skipped
    ('{"x": {"a": [1, 2}, "b": 3}', {"x": {"a": [1, 2]}, "b": 3}, ["expected_comma"], True),
    ('{"a": [1, 2}, "b": 3}', {"a": [1, 2], "b": 3}, ["expected_comma"], True),
    ("[1, 2}]", [1, 2], ["expected_comma"], True),
    ('{"a": [1, {"b": 2]}', {"a": [1, {"b": 2}]}, ["expected_comma"], True),
    # at the root: what stands around the document
    ('Sure! {"a": 1}', {"a": 1}, ["expected_value"], True),
    ('```json\n{"a": 1}\n```', {"a": 1}, ["expected_value", "trailing_text"], True),
    ('{"a": 1}}', {"a": 1}, ["trailing_text"], True),
    # what is cut off stays cut off
    ('{"a": [1, nope', {"a": [1]}, ["invalid_literal", "truncated"], False),
    ('{"a": "x\\q', {"a": "x"}, ["invalid_escape", "truncated"], False),
]


@each_build
@pytest.mark.parametrize(("text", "value", "codes", "complete"), DAMAGED, ids=[case[0] for case in DAMAGED])
def test_damage_costs_itself(
    text: str, value: Any, codes: list[str], complete: bool, midstream: ModuleType
) -> None:
    entire = recover(midstream, [text])
    assert entire[0] == value
    assert [item.value[0] for item in entire[1] if item.kind == "Error"] == codes
    assert entire[2] is complete
    for fragments in cuts(text):
        assert recover(midstream, fragments) == entire
    for fragments in cuts(text.encode()):
        assert recover(midstream, fragments) == entire


@each_build
def test_limits_are_damage(midstream: ModuleType) -> None:
    limits = midstream.Limits(max_depth=2, max_string=3, max_number=3)
    text = '{"a": [[1, {"b": 2}], 3], "c": "long, isn\'t it?", "d": "ok", "e": 12345, "f": 123}'
    value, items, complete = recover(midstream, [text], limits=limits)
    assert value == {"a": [3], "c": "lon", "d": "ok", "f": 123}
    assert [item.value[0] for item in items if item.kind == "Error"] == [
        "depth_limit",
        "string_limit",
        "number_limit",
    ]
    assert complete


@each_build
def test_bytes_that_are_no_utf8_are_damage(midstream: ModuleType) -> None:
    text = b'{"a": "x\xffy", "b": 1, "c": \xfe\xfe 2, "d\xc3": 3, "e": 4}'
    for fragments in cuts(text):
        value, items, complete = recover(midstream, fragments)
        assert value == {"a": "x", "b": 1, "e": 4}
        assert [item.value[0] for item in items if item.kind == "Error"] == ["invalid_utf8"] * 3
        assert complete


@each_build
def test_a_bad_line_costs_that_line(midstream: ModuleType) -> None:
    text = '{"a": 1}\nnope "{\n5\n{"b": 2}\n'
    accumulator = midstream.JsonFragmentAccumulator(on_error="recover", after_root="next")
    updates = accumulator.add_fragment(text) + accumulator.finish()
    assert [u.value for u in updates if u.kind == "CompleteNumber"] == [1, 5, 2]
    assert [str(u.kind) for u in updates].count("JsonComplete") == 3


@each_build
def test_nothing_more_after_the_end(midstream: ModuleType) -> None:
    accumulator = midstream.JsonFragmentAccumulator(on_error="recover")
    accumulator.add_fragment("[1")
    assert [u.error.code for u in accumulator.finish()] == ["truncated"]
    assert accumulator.add_fragment("]") == []
    assert accumulator.finish() == []
    accumulator.reset()
    assert accumulator.add_fragment("[1]")[-1].kind == "JsonComplete"


values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
garbage = st.sampled_from(
    ["nope", "tru", "01", "-", "1e", "@", "'x'", "?!", "nul", "undefined", "1.2.3", "<b>"]
)


@each_build
@given(members=st.dictionaries(st.text(max_size=4), values, min_size=1, max_size=5), data=st.data())
def test_invariant_7_other_members_survive(
    midstream: ModuleType, members: dict[str, Any], data: st.DataObject
) -> None:
    """Damage one member of an object: all the others are there, at any cut, and so is every item."""
    lost = data.draw(st.sampled_from(sorted(members)))
    damage = data.draw(garbage)
    parts = [f"{json.dumps(k)}: {damage if k == lost else json.dumps(v)}" for k, v in members.items()]
    text = "{" + ", ".join(parts) + "}"
    cut = data.draw(st.integers(0, len(text)))
    value, items, complete = recover(midstream, [text[:cut], text[cut:]])
    assert value == {key: value for key, value in members.items() if key != lost}
    assert [item.kind for item in items].count("Error") == 1
    assert complete


@given(text=st.text(alphabet='{}[]:,"\\ux0123.-etrufalsn \n\ud83d', max_size=30), data=st.data())
def test_invariants_1_and_12_while_recovering(text: str, data: st.DataObject) -> None:
    """Whatever the damage: the same at any cut, on both builds, and no other exception."""
    after_root = data.draw(st.sampled_from(["error", "ignore", "next"]))
    expected = _kinds_and_errors(BUILDS["plain"], [text], after_root)
    pieces = [text[i : i + 1] for i in range(len(text))]
    for midstream in BUILDS.values():
        assert _kinds_and_errors(midstream, [text], after_root) == expected
        assert _kinds_and_errors(midstream, pieces, after_root) == expected


def _kinds_and_errors(midstream: ModuleType, fragments: list[str], after_root: str) -> list[Item]:
    accumulator = midstream.JsonFragmentAccumulator(on_error="recover", after_root=after_root)
    updates = [update for fragment in fragments for update in accumulator.add_fragment(fragment)]
    updates += accumulator.finish()
    return join_partials(
        [Item(str(u.kind), u.segments, u.text_value, tuple(u.error) if u.error else u.value) for u in updates]
    )

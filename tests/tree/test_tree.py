"""The pure parser: the table, the nodes, states saved and continued elsewhere, what a chunk costs."""

from __future__ import annotations

import base64
import copy
import importlib
import json
import os
import pickle
import subprocess
import sys
import tracemalloc
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ast_model import mode_of, node_as_data, nodes_of
from builds import BUILDS
from cases import ACCEPTED, REJECTED, Accepted, Rejected
from model import Item, NaiveLimits, NaiveParser, characters, cuttings, exactly, fold, naive, two_way_cuts
from tables import each_case
from test_table import error_of, forms, limits_of
from test_values import RICH, damaged, seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_accepted = each_case("case", {case.name: case for case in ACCEPTED})
each_rejected = each_case("case", {case.name: case for case in REJECTED})

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support"
EXAMPLE = ROOT / "examples" / "render_unchanged.py"

STATE = {
    "next_id",
    "mode",
    "stack",
    "nodes",
    "root_id",
    "root",
    "error",
    "is_complete",
    "index",
    "line",
    "column",
}
NODE = {"id", "type", "parent_id", "closed", "resolved_value"}


def parse(midstream: Any, fragments: Iterable[str | bytes], **options: Any) -> Any:
    """Return the state after some fragments."""
    return reduce(midstream.parse_chunk, fragments, midstream.create_parser_state(**options))


def parse_all(midstream: Any, fragments: Iterable[str | bytes], **options: Any) -> Any:
    """Return the state at the end of a text."""
    return midstream.finalize(parse(midstream, fragments, **options))


def check(midstream: Any, state: Any, model: NaiveParser, items: list[Item]) -> None:
    """Compare all of a state with the model."""
    nodes = nodes_of(model, items)
    assert exactly([node_as_data(node) for node in state.nodes]) == exactly(nodes)
    assert [state.nodes[id_] for id_ in range(len(nodes))] == list(state.nodes)
    assert state.next_id == len(state.nodes) == len(nodes)
    containers = [node["id"] for node in nodes if not node["closed"] and "children" in node]
    assert state.stack == tuple(containers)
    assert state.mode == mode_of(model)
    assert state.is_complete == model.is_complete
    assert (state.index, state.line, state.column) == model.position
    assert (state.error is not None) == model.dead
    if nodes:
        assert state.root_id == 0
        assert state.root is state.nodes[0]
        assert exactly(state.root.resolved_value) == exactly(nodes[0]["value"])
    else:
        assert (state.root_id, state.root) == (None, None)
    value = midstream.get_resolved_value(state)
    if state.is_complete and state.error is None:
        assert value is state.root.resolved_value
    else:
        assert value is midstream.UNDEFINED


# --- the table


@each_build
@each_accepted
def test_accepted(midstream: Any, case: Accepted) -> None:
    limits = limits_of(midstream, case)
    complete = parse_all(midstream, [case.text], limits=limits)
    for text in forms(case.text):
        for fragments in cuttings(text):
            state = parse_all(midstream, fragments, limits=limits)
            assert state.is_complete
            assert state.error is None
            assert exactly(midstream.get_resolved_value(state)) == exactly(case.value), fragments
            assert state == complete, fragments
            assert hash(state) == hash(complete)


@each_build
@each_rejected
def test_rejected(midstream: Any, case: Rejected) -> None:
    limits = limits_of(midstream, case)
    model = NaiveParser(limits=NaiveLimits(**case.limits))
    nodes = nodes_of(model, [*model.add(case.text), *model.finish()])
    acc = midstream.JsonValueAccumulator(on_error="event", limits=limits)
    acc.add_fragment(case.text)
    acc.finish()
    complete = parse_all(midstream, [case.text], limits=limits)
    for text in forms(case.text):
        for fragments in cuttings(text):
            state = parse_all(midstream, fragments, limits=limits)
            error = state.error
            assert (str(error.code), (error.index, error.line, error.column)) == error_of(case), fragments
            assert error == acc.error
            assert state.mode == "Error"
            assert (state.index, state.line, state.column) == acc.position
            assert not state.is_complete
            assert midstream.get_resolved_value(state) is midstream.UNDEFINED
            assert exactly([node_as_data(node) for node in state.nodes]) == exactly(nodes)
            # sticky, and the very same object
            for more in ("", "]", b"\xff", '"}'):
                assert midstream.parse_chunk(state, more) is state
            assert midstream.finalize(state) is state
            assert state == complete, fragments
            assert hash(state) == hash(complete)


@each_build
@each_case("case", {case.name: case for cases in (ACCEPTED, REJECTED) for case in cases})
def test_each_character_gives_the_state_that_the_model_is_in(
    midstream: Any, case: Accepted | Rejected
) -> None:
    for text in forms(case.text):
        state = midstream.create_parser_state(limits=limits_of(midstream, case))
        model = NaiveParser(limits=NaiveLimits(**case.limits))
        items: list[Item] = []
        check(midstream, state, model, items)
        for char in characters(text):
            state = midstream.parse_chunk(state, char)
            items += model.add(char)
            check(midstream, state, model, items)
        state = midstream.finalize(state)
        items += model.finish()
        check(midstream, state, model, items)


# --- states


@each_build
def test_an_empty_chunk_gives_the_same_state(midstream: Any) -> None:
    state = midstream.create_parser_state()
    for char in RICH:
        for nothing in ("", b"", bytearray(), memoryview(b"")):
            assert midstream.parse_chunk(state, nothing) is state
        state = midstream.parse_chunk(state, char)


@each_build
def test_what_is_no_text_is_a_type_error(midstream: Any) -> None:
    state = midstream.create_parser_state()
    others: list[Any] = [None, 1, ["[]"], {}]
    for chunk in others:
        with pytest.raises(TypeError):
            midstream.parse_chunk(state, chunk)
    assert midstream.get_resolved_value(midstream.parse_chunk(state, memoryview(b"[1]"))) == [1]


@each_build
@pytest.mark.parametrize("text", ["{}", "[1]", '"x"', "true", "null", "false", '{"a":[{}]}'])
def test_completion_is_inferred(midstream: Any, text: str) -> None:
    before = parse(midstream, [text[:-1]])
    assert not before.is_complete
    assert midstream.get_resolved_value(before) is midstream.UNDEFINED
    state = midstream.parse_chunk(before, text[-1])
    assert state.is_complete
    assert state.mode == "Done"
    assert state.root.closed
    assert midstream.get_resolved_value(state) == json.loads(text)
    # nothing is left for finalize to do
    assert midstream.finalize(state) is state


@each_build
def test_finalize_ends_a_number_at_the_root(midstream: Any) -> None:
    before = parse(midstream, ["-1", "2.5"])
    assert (before.root.buffer, before.is_complete, before.mode) == ("-12.5", False, "Number")
    assert before.root.resolved_value is midstream.UNDEFINED
    state = midstream.finalize(before)
    assert (midstream.get_resolved_value(state), state.root.buffer, state.is_complete) == (
        -12.5,
        "-12.5",
        True,
    )
    assert midstream.finalize(state) is state
    # the state before it can still be continued
    assert midstream.get_resolved_value(parse_all(midstream, [])) is midstream.UNDEFINED
    assert midstream.get_resolved_value(midstream.finalize(midstream.parse_chunk(before, "e1"))) == -125.0


@each_build
@pytest.mark.parametrize("text", ["", " ", "[", '{"a": [1, 2', '"x', "tru", "-", "1e", '"\\ud83d', '{"a'])
def test_finalize_turns_truncation_into_an_error(midstream: Any, text: str) -> None:
    before = parse(midstream, [text])
    state = midstream.finalize(before)
    assert before.error is None
    assert (state.error.code, state.error.index) == (midstream.ErrorCode.TRUNCATED, len(text))
    assert state.error == midstream.ParserError.at(state.error.code, len(text), 1, len(text) + 1)
    assert state.mode == midstream.ParserMode.ERROR
    # the text may not have ended after all, for a caller who kept the state before
    assert midstream.parse_chunk(before, "\x00").error.code != midstream.ErrorCode.TRUNCATED


@each_build
def test_an_error_keeps_what_came_before(midstream: Any) -> None:
    before = parse(midstream, ['{"a": [1, "x'])
    state = midstream.parse_chunk(before, 'y", 2 3]}')
    assert before.error is None
    assert state.error.code == "expected_comma"
    assert state.root.resolved_value == {"a": [1, "xy", 2]}
    assert midstream.get_resolved_value(state) is midstream.UNDEFINED
    # text after a complete document is an error too: the document is no value then
    state = midstream.parse_chunk(parse(midstream, ["[1]"]), " x")
    assert (state.error.code, state.root.resolved_value) == ("trailing_text", [1])
    assert midstream.get_resolved_value(state) is midstream.UNDEFINED


@each_build
def test_after_root_ignore(midstream: Any) -> None:
    for fragments in cuttings('{"a": 1} and [2'):
        state = parse_all(midstream, fragments, after_root="ignore")
        assert (state.error, state.is_complete, state.mode) == (None, True, "Done")
        assert midstream.get_resolved_value(state) == {"a": 1}
        assert state.index == 15
        assert state == parse_all(midstream, ['{"a": 1} and [2'], after_root="ignore")
    assert parse_all(midstream, ["[1"], after_root="ignore").error.code == "truncated"


@each_build
@pytest.mark.parametrize("options", [{"after_root": "next"}, {"after_root": "panic"}, {"on_error": "raise"}])
def test_options_it_does_not_have(midstream: Any, options: dict[str, str]) -> None:
    with pytest.raises((ValueError, TypeError)):
        midstream.create_parser_state(**options)


@each_build
def test_hooks(midstream: Any) -> None:
    state = parse(midstream, ["[1, 2.5", "0, 1E400]"], parse_int=str, parse_float=Decimal)
    assert midstream.get_resolved_value(state) == ["1", Decimal("2.50"), Decimal("1E400")]
    assert [node.buffer for node in state.nodes[1:]] == ["1", "2.50", "1E400"]

    def refuse(text: str) -> int:
        raise ValueError(text)

    state = parse(midstream, ["[1.5, 2]"], parse_int=refuse)
    assert (state.error.code, state.root.resolved_value) == ("number_refused", [1.5])


@each_build
def test_states_and_nodes_are_frozen(midstream: Any) -> None:
    state = parse(midstream, ['{"a": [1, true, null, "x"], "b": "op'])
    things = [state, *state.nodes]
    assert {node.type for node in state.nodes} == {"object", "array", "number", "boolean", "null", "string"}
    for thing in things:
        fields = {name for name in dir(thing) if not name.startswith("_")}
        assert fields >= (STATE if thing is state else NODE)
        for name in fields | {"surprise"}:
            with pytest.raises(AttributeError):
                setattr(thing, name, 1)
            with pytest.raises(AttributeError):
                delattr(thing, name)
    for sequence in (state.nodes, state.root.children, state.root.keys, state.stack):
        with pytest.raises(TypeError):
            sequence[0] = 1


@each_build
def test_states_differ_where_they_should(midstream: Any) -> None:
    states = [
        parse(midstream, [text]) for text in ("", " ", "[", "[1", "[1,", "[2,", "{", '{"a', '{"b', '"', '"a')
    ]
    states += [
        parse(midstream, [text]) for text in ('{"a":', '{"b":', '{"a":1}', '{"b":1}', "[1]", "[1] ", "[x")
    ]
    for i, state in enumerate(states):
        for j, other in enumerate(states):
            assert (state == other) == (i == j)
    assert states[0] != "state"
    # but where the white space stood is forgotten
    assert parse(midstream, ["[1 ,"]) == parse(midstream, ["[1, "])


# --- nodes


@each_build
def test_ids_count_up_in_the_order_of_opening(midstream: Any) -> None:
    state = parse(midstream, ['{"a": [1, {"b": "x"}], "c": {"d": []}, "e": tru'])
    assert [node.type for node in state.nodes] == [
        "object",
        "array",
        "number",
        "object",
        "string",
        "object",
        "array",
        "boolean",
    ]
    assert [node.id for node in state.nodes] == list(range(8))
    assert [node.parent_id for node in state.nodes] == [None, 0, 1, 1, 3, 0, 5, 0]
    assert [node.closed for node in state.nodes] == [False] + [True] * 6 + [False]
    assert (state.next_id, state.stack) == (8, (0,))


@each_build
def test_a_repeated_key_appears_twice_and_the_last_wins(midstream: Any) -> None:
    text = '{"a": 1, "b": 0, "a": {"a": [], "a": "x"}, "a": "y"}'
    for fragments in cuttings(text):
        state = parse(midstream, fragments)
        assert list(state.root.keys) == ["a", "b", "a", "a"]
        assert list(state.root.children) == [1, 2, 3, 6]
        assert list(state.nodes[3].keys) == ["a", "a"]
        assert exactly(state.root.resolved_value) == exactly({"a": "y", "b": 0})
        assert state.nodes[3].resolved_value == {"a": "x"}
    # also when values are read on the way
    state = midstream.create_parser_state()
    for number, char in enumerate(text, 1):
        state = midstream.parse_chunk(state, char)
        model = NaiveParser()
        assert exactly(state.root.resolved_value) == exactly(
            nodes_of(model, model.add(text[:number]))[0]["value"]
        )


def check_sequence(sequence: Sequence[Any], expected: list[Any]) -> None:
    """Compare a sequence with a list, in all the ways a list can be read."""
    assert len(sequence) == len(expected)
    assert list(sequence) == list(iter(sequence)) == expected
    assert list(reversed(sequence)) == expected[::-1]
    for at in {0, 1, len(expected) // 2, len(expected) - 1} - {-1, len(expected)}:
        if at < len(expected):
            assert sequence[at] == expected[at]
            assert sequence[at - len(expected)] == expected[at]
            assert expected[at] in sequence
            assert sequence.index(expected[at]) == expected.index(expected[at])
    for at in (len(expected), -len(expected) - 1):
        with pytest.raises(IndexError):
            sequence[at]
    for cut in (
        slice(None),
        slice(1, None),
        slice(None, -1),
        slice(-3, None),
        slice(None, None, -2),
        slice(5, 2),
    ):
        assert list(sequence[cut]) == expected[cut]
    assert "nowhere" not in sequence


@each_build
@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 64, 100, 1025])
@pytest.mark.parametrize("closed", [False, True])
def test_children_and_keys_are_sequences(midstream: Any, count: int, closed: bool) -> None:
    array = parse(midstream, ["[" + ",".join("0" for _ in range(count)) + ("]" if closed else " ")])
    check_sequence(array.root.children, list(range(1, count + 1)))
    check_sequence(array.nodes, list(array.nodes))
    members = ",".join(f'"{number}":0' for number in range(count))
    state = parse(midstream, ["{" + members + ("}" if closed else " ")])
    check_sequence(state.root.children, list(range(1, count + 1)))
    check_sequence(state.root.keys, [str(number) for number in range(count)])
    # with a child that is still open
    if not closed:
        array = midstream.parse_chunk(array, ',"' if count else '"')
        check_sequence(array.root.children, list(range(1, count + 2)))
        state = midstream.parse_chunk(state, ',"last":[' if count else '"last":[')
        check_sequence(state.root.children, list(range(1, count + 2)))
        check_sequence(state.root.keys, [*map(str, range(count)), "last"])


@each_build
def test_sequences_of_children_compare_by_what_they_hold(midstream: Any) -> None:
    one, other = parse(midstream, ['{"a": 1, "b": [2]}']), parse(midstream, list('{"a": 1, "b": [2]}'))
    assert one.root.children == other.root.children == [1, 2]
    assert one.root.keys == other.root.keys
    assert hash(one.root.children) == hash(other.root.children)
    assert one.nodes == other.nodes
    assert hash(one.nodes) == hash(other.nodes)
    assert list(one.nodes) == list(other.nodes)
    assert one.root == other.root
    assert hash(one.root) == hash(other.root)
    assert one.root != one.nodes[1]
    assert one.root != "node"
    assert repr(one.nodes[1]) == "JsonNumberAstNode(id=1, parent_id=0, closed=True, buffer='1')"
    assert "children=[1, 2]" in repr(one.root)


@each_build
def test_every_id_is_found_in_a_wide_document(midstream: Any) -> None:
    items = ",".join(f'{{"n":{number}}}' for number in range(5000))
    for text in (f"[{items}]", f'{{"a":[{items}],"b":[{items[:50]}'):
        state = parse(midstream, [text])
        walked = list(state.nodes)
        assert len(walked) == state.next_id > 10_000
        assert [node.id for node in walked] == list(range(state.next_id))
        assert all(state.nodes[id_] is node for id_, node in enumerate(walked))


DEEP = 2000


@each_build
@pytest.mark.parametrize("opener", ["[1,", '{"a":1,"k":'], ids=["arrays", "objects"])
@pytest.mark.parametrize("closes", [0, DEEP // 2, DEEP])
def test_ids_are_found_in_a_deep_document(midstream: Any, opener: str, closes: int) -> None:
    limits = midstream.Limits(max_depth=None)
    closer = "]" if opener == "[1," else "}"
    state = parse(midstream, [opener * DEEP, "2", closer * closes], limits=limits)
    walked = list(state.nodes)
    assert len(walked) == state.next_id == 2 * DEEP + 1
    # a look-up walks down from the root: all of them would take a while
    for id_ in [*range(0, len(walked), 97), *range(-5, 0)]:
        assert state.nodes[id_] is walked[id_]
    assert len(state.stack) == DEEP - closes
    assert [state.nodes[id_].closed for id_ in state.stack[::97]] == [False] * len(state.stack[::97])
    assert state == pickle.loads(pickle.dumps(state))


@each_build
def test_values_are_made_when_read_and_kept(midstream: Any) -> None:
    state = parse(midstream, ['{"a": [1, {"b": "x"}], "c": "op'])
    for node in state.nodes:
        assert node.resolved_value is node.resolved_value
    value = state.root.resolved_value
    assert value["a"] is state.nodes[1].resolved_value
    after = midstream.parse_chunk(state, 'en"}')
    assert value == {"a": [1, {"b": "x"}], "c": "op"}
    assert after.root.resolved_value == {"a": [1, {"b": "x"}], "c": "open"}
    assert after.root.resolved_value["a"] is value["a"]


@each_build
def test_a_chunk_that_says_nothing_new_keeps_the_root(midstream: Any) -> None:
    state = parse(midstream, ['{"a": [1'])
    for chunk in (" ", "\n", "  "):
        after = midstream.parse_chunk(state, chunk)
        assert after.root is not state.root
        again = midstream.parse_chunk(after, chunk)
        assert again.root is after.root
        assert again is not after
    state = parse(midstream, ['{"a": ["x", 1 '])
    for chunks in (
        [","],
        [",", " ", "\n"],
        [",t", "r", "u"],
        ["]", ',"key', '"', ":"],
        [', "', "\\", "u00"],
    ):
        after = midstream.parse_chunk(state, chunks[0])
        for chunk in chunks[1:]:
            after, before = midstream.parse_chunk(after, chunk), after
            assert after.root is before.root


# --- saved states


def moved(midstream: Any, state: Any, **hooks: Any) -> Any:
    """Move a state to another process: dumped, written as JSON and read again."""
    return midstream.load_state(json.loads(json.dumps(midstream.dump_state(state))), **hooks)


def check_saved(midstream: Any, state: Any, **hooks: Any) -> list[Any]:
    """Save a state in all ways: what comes back is equal, and dumps to the same data."""
    saved = [moved(midstream, state, **hooks), pickle.loads(pickle.dumps(state)), copy.deepcopy(state)]
    dump = midstream.dump_state(state)
    for other in saved:
        assert other == state
        assert midstream.dump_state(other) == dump
        assert (other.mode, other.stack, other.next_id) == (state.mode, state.stack, state.next_id)
        assert (other.error, other.is_complete, other.index) == (state.error, state.is_complete, state.index)
        assert exactly(list(map(node_as_data, other.nodes))) == exactly(list(map(node_as_data, state.nodes)))
    return saved


SAVED = [
    RICH,
    '{"a": {"x": {"y": 1}}, "b": 0, "a": {"x": {"z": "open"}}}',
    '["\ud83d\ude00", "\\ud83d", {"\ud83d\ude00": "\\ude00\ud83d"}]',
    " -12.5e+3",
    '"a\\n\\u00e9\\ud83d\\ude00\\ud83dz"',
    "[[], {}, [[]], {}, true, false, null, 1E400, -0.0, -0]",
    '{"a": [1, 2,, 3]}',
    '["\\ud83d\\x"]',
    '{"a": tru}',
    "",
]


@each_build
@pytest.mark.parametrize("text", SAVED, ids=range(len(SAVED)))
def test_a_state_saved_at_every_cut_continues(midstream: Any, text: str) -> None:
    for form in forms(text):
        complete = parse_all(midstream, [form])
        for at in range(len(form) + 1):
            for state in check_saved(midstream, parse(midstream, [form[:at]])):
                after = midstream.finalize(midstream.parse_chunk(state, form[at:]))
                assert after == complete, form[:at]
                assert exactly(list(map(node_as_data, after.nodes))) == exactly(
                    list(map(node_as_data, complete.nodes))
                )
        check_saved(midstream, complete)


@each_build
@each_rejected
def test_a_state_with_an_error_can_be_saved(midstream: Any, case: Rejected) -> None:
    for fragments in ([case.text], characters(case.text)):
        state = parse_all(midstream, fragments, limits=limits_of(midstream, case))
        for other in check_saved(midstream, state):
            assert midstream.parse_chunk(other, "x") is other
            assert midstream.finalize(other) is other


@each_build
def test_a_state_with_hooks_is_saved(midstream: Any) -> None:
    text = '{"a": 1, "b": [-2.50, 1E400, 0.0000001, -0], "c": {"d": 30}}'
    given: dict[str, Any] = {"parse_int": str, "parse_float": Decimal}
    complete = parse(midstream, [text], **given)
    for first, second in two_way_cuts(text):
        state = parse(midstream, [first], **given)
        for other in check_saved(midstream, state, **given):
            after = midstream.parse_chunk(other, second)
            assert exactly(midstream.get_resolved_value(after)) == exactly(
                midstream.get_resolved_value(complete)
            )
        with pytest.raises(midstream.JsonStreamError) as info:
            moved(midstream, state)
        assert info.value.code == midstream.ErrorCode.INVALID_CHECKPOINT


@each_build
def test_a_saved_state_keeps_the_options(midstream: Any) -> None:
    state = parse(midstream, ["[1"], after_root="ignore", limits=midstream.Limits(2, 3, 4, 50))
    (other, *_) = check_saved(midstream, state)
    for more, code in (
        (",[[", "depth_limit"),
        (',"abcd', "string_limit"),
        ("2345", "number_limit"),
        (" " * 60, "document_limit"),
    ):
        assert midstream.parse_chunk(other, more).error.code == code
    assert midstream.parse_chunk(other, "] and so on").error is None


CONTINUE = """
import base64, json, pickle, sys
from builds import BUILDS
midstream = BUILDS[sys.argv[1]]
answers = []
for way, saved, rest in json.load(sys.stdin):
    if way == "value":
        acc = midstream.JsonValueAccumulator.restore(saved)
        acc.add_fragment(bytes(rest))
        acc.finish()
        answers.append([repr(acc.value), repr(acc.error)])
        continue
    state = midstream.load_state(saved) if way == "dump" else pickle.loads(base64.b64decode(saved))
    state = midstream.finalize(midstream.parse_chunk(state, bytes(rest)))
    answer = [repr(midstream.get_resolved_value(state)), repr(state.error)]
    answers.append([*answer, midstream.dump_state(state)])
json.dump(answers, sys.stdout)
"""


def run_python(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a script in a new process that finds the tests, and the package where it is here."""
    paths = [str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, input=text, env=environment, capture_output=True, text=True, timeout=120, encoding="utf-8"
    )


@pytest.mark.parametrize("build", BUILDS)
def test_a_state_that_was_saved_between_two_escapes_equals_the_other(build: str) -> None:
    library = BUILDS[build]
    state = library.parse_chunk(library.create_parser_state(), r'["\u00e9')
    saved = library.load_state(library.dump_state(state))
    assert library.parse_chunk(saved, "\\") == library.parse_chunk(state, "\\")


@pytest.mark.parametrize("build", BUILDS)
def test_states_and_checkpoints_continue_in_a_new_process(build: str) -> None:
    midstream: Any = BUILDS[build]
    tasks: list[Any] = []
    expected: list[Any] = []
    for text in (RICH.encode(), b'{"a": [1, "\xe2\x82\xac", {"b": tru}]}', b"12", b'"\\ud83d\\ude00'):
        complete = parse_all(midstream, [text])
        answer = [repr(midstream.get_resolved_value(complete)), repr(complete.error)]
        for at in range(len(text) + 1):
            state = parse(midstream, [text[:at]])
            pickled = base64.b64encode(pickle.dumps(state)).decode()
            for way, saved in (("dump", midstream.dump_state(state)), ("pickle", pickled)):
                tasks.append([way, saved, list(text[at:])])
                expected.append([*answer, json.loads(json.dumps(midstream.dump_state(complete)))])
            if complete.error is None:
                acc = midstream.JsonValueAccumulator()
                acc.add_fragment(text[:at])
                tasks.append(["value", acc.checkpoint(), list(text[at:])])
                expected.append(answer)
    done = run_python("-c", CONTINUE, build, text=json.dumps(tasks))
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == expected


@each_build
@pytest.mark.parametrize("data", [None, 1, "x", [], {}, {"midstream": 999}, [1, 2, 3], "[]", True], ids=repr)
def test_what_is_no_state(midstream: Any, data: Any) -> None:
    with pytest.raises(midstream.JsonStreamError) as info:
        midstream.load_state(data)
    assert info.value.code == midstream.ErrorCode.INVALID_CHECKPOINT


@each_build
def test_a_state_of_another_kind(midstream: Any) -> None:
    good = midstream.dump_state(midstream.create_parser_state())
    for data in (
        good | {"midstream": 2},
        good | {"type": "JsonValueAccumulator"},
        midstream.JsonValueAccumulator().checkpoint(),
        good | {"after_root": "next"},
    ):
        with pytest.raises(midstream.JsonStreamError):
            midstream.load_state(data)


@each_build
def test_a_state_has_one_root(midstream: Any) -> None:
    data = midstream.dump_state(parse(midstream, ["[null]"]))
    data["nodes"][1][1] = None
    with pytest.raises(midstream.JsonStreamError) as info:
        midstream.load_state(data)
    assert info.value.code == midstream.ErrorCode.INVALID_CHECKPOINT


def loaded(midstream: Any, data: Any) -> Any:
    """Load from doubtful data; None if it is refused, as it must be: with one error and no other."""
    try:
        return midstream.load_state(data)
    except midstream.JsonStreamError as error:
        refused = error.code
    assert refused == midstream.ErrorCode.INVALID_CHECKPOINT
    return None


@each_build
@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, true, "te',
        '{"a": {"b": [',
        '[[null], {"a": tr',
        '{"a": 1, "b',
        "[12",
        "[1 x",
        '{"a": [2.5], "b":',
    ],
)
def test_a_damaged_state_is_an_error_or_harmless(midstream: Any, text: str) -> None:
    good = json.loads(json.dumps(midstream.dump_state(parse(midstream, [text]))))
    for data in damaged(good):
        state = loaded(midstream, data)
        if state is None:
            continue
        for chunk in ('xt"', "]", "ue", '": [', "1}", '], "b": {"c": 2}}', "]"):
            state = midstream.parse_chunk(state, chunk)
            list(map(node_as_data, state.nodes))
        state = midstream.finalize(state)
        json.dumps(midstream.dump_state(state))


def flip(data: dict[str, Any], row: int) -> None:
    data["nodes"][row][3] = not data["nodes"][row][3]


CONTRADICTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no such type": lambda data: data["nodes"][2].__setitem__(0, "date"),
    "a number that is none": lambda data: data["nodes"][2].__setitem__(4, "1x"),
    "a number that only int() reads": lambda data: data["nodes"][2].__setitem__(4, "1_0"),
    "a number without its text": lambda data: data["nodes"][2].pop(),
    "a string without its text": lambda data: data["nodes"][4].pop(),
    "a boolean that is none": lambda data: data["nodes"][3].__setitem__(4, "no"),
    "a member without a key": lambda data: data["nodes"][1].__setitem__(2, None),
    "a child of a number": lambda data: data["nodes"][3].__setitem__(1, 2),
    "a child of nothing": lambda data: data["nodes"][3].__setitem__(1, 17),
    "a second root": lambda data: data["nodes"][3].__setitem__(1, None),
    "an open string that is not there": lambda data: data["nodes"].pop(),
    "no nodes at all": lambda data: data["nodes"].clear(),
    "a container that is closed too early": lambda data: flip(data, 0),
    "an open container that is closed": lambda data: flip(data, 1),
    "an open number before its sibling": lambda data: flip(data, 2),
    "an open literal before its sibling": lambda data: flip(data, 3),
    "a string that is closed too early": lambda data: flip(data, 4),
    "other brackets": lambda data: data["grammar"].__setitem__("open", "[["),
    "fewer brackets": lambda data: data["grammar"].__setitem__("open", "{"),
    "no such mode": lambda data: data["grammar"].__setitem__("mode", 99),
    "an error without a place": lambda data: data["grammar"].__setitem__("error", ["truncated"]),
    "an error in the midst of a string": lambda data: data["grammar"].__setitem__(
        "error", ["truncated", 1, 1, 2]
    ),
}


@each_build
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_state_that_contradicts_itself_is_refused(midstream: Any, name: str) -> None:
    good = json.loads(json.dumps(midstream.dump_state(parse(midstream, ['{"a": [1, true, "te']))))
    assert loaded(midstream, copy.deepcopy(good)) is not None
    CONTRADICTIONS[name](good)
    assert loaded(midstream, good) is None


# --- what a chunk costs


def peak_of(midstream: Any, state: Any, chunk: str) -> int:
    """Measure the memory that one chunk takes at its height."""
    midstream.parse_chunk(state, chunk)
    tracemalloc.start()
    try:
        kept = midstream.parse_chunk(state, chunk)
        assert kept.error is None
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@each_build
@pytest.mark.parametrize(
    ("opener", "member", "more"),
    [
        ("[", "1,", "2,"),
        ('{"k":[', '"x",', '"y'),
        ("{", '"k":1,', '"k":2,'),
        ('[{"o":{', '"k":{},', '"k":['),
        ("[", "[[],[]],", "[[],"),
    ],
    ids=["array", "string in array", "object", "nested object", "arrays"],
)
def test_the_memory_of_a_chunk_does_not_grow_with_the_width(
    midstream: Any, opener: str, member: str, more: str
) -> None:
    peaks = [
        peak_of(midstream, parse(midstream, [opener + member * width]), more) for width in (1000, 40_000)
    ]
    # a copy of 40,000 references would take 320,000 bytes
    assert peaks[1] < peaks[0] + 2000, peaks


@each_build
def test_ten_thousand_states_of_a_growing_array_share_it(midstream: Any) -> None:
    states = [parse(midstream, ["[" + "1," * 10_000])]
    tracemalloc.start()
    try:
        for _ in range(1000):
            states.append(midstream.parse_chunk(states[-1], "1,"))
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    # each a few hundred references, not 10,000
    assert kept / 1000 < 5000
    assert [len(state.root.children) for state in states[::250]] == [10_000, 10_250, 10_500, 10_750, 11_000]
    assert states[0].root.resolved_value == [1] * 10_000


@each_build
def test_a_long_string_in_many_chunks_shares_its_text(midstream: Any) -> None:
    states = [parse(midstream, ['["' + "x" * 100_000])]
    tracemalloc.start()
    try:
        for _ in range(1000):
            states.append(midstream.parse_chunk(states[-1], "y"))
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept / 1000 < 5000
    assert states[-1].nodes[1].buffer == "x" * 100_000 + "y" * 1000
    assert states[500].nodes[1].buffer == "x" * 100_000 + "y" * 500


# --- garbage

DROP = """
import gc, sys
from builds import BUILDS, depth_for
midstream = BUILDS[sys.argv[1]]
limits = midstream.Limits(max_depth=None)
LEVELS = depth_for(midstream)
OPEN, CLOSE = '[{"a":' * (LEVELS // 2), "}]" * (LEVELS // 2)


def updates():
    acc = midstream.JsonFragmentAccumulator(limits=limits)
    kept = acc.add_fragment(OPEN) + acc.add_fragment("1" + CLOSE)
    assert acc.is_complete
    (deepest,) = [update for update in kept if update.kind == "CompleteNumber"]
    del kept, acc
    assert len(deepest.segments) == LEVELS


def values():
    acc = midstream.JsonValueAccumulator(limits=limits)
    acc.add_fragment(OPEN)
    first = acc.value
    acc = midstream.JsonValueAccumulator.restore(acc.checkpoint())
    del first
    second = acc.value
    acc.add_fragment("1" + CLOSE)
    assert acc.is_complete
    third = acc.value
    del acc
    del second
    del third
    acc = midstream.JsonValueAccumulator(limits=limits)
    acc.add_fragment(OPEN)
    acc.reset()


def tree():
    state = midstream.create_parser_state(limits=limits)
    opened = midstream.parse_chunk(state, OPEN)
    more = midstream.parse_chunk(opened, "[[")
    del opened
    value = more.root.resolved_value
    closed = midstream.parse_chunk(more, "]]" + CLOSE)
    del more
    del value
    assert closed.is_complete
    again = midstream.load_state(midstream.dump_state(closed))
    value = again.root.resolved_value
    node = closed.nodes[5]
    del closed
    del node
    del again
    del value


for use in (updates, values, tree):
    use()
    gc.collect()
    print("freed", use.__name__, flush=True)
"""


@pytest.mark.parametrize("build", BUILDS)
def test_garbage_of_deep_structures_is_freed(build: str) -> None:
    """In a process of its own: what overflows the stack takes the process with it."""
    done = run_python("-c", DROP, build)
    freed = "freed updates\nfreed values\nfreed tree\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, freed, "")


# --- the persistent vector


def vector_of(midstream: Any) -> Any:
    return importlib.import_module(f"{midstream.__name__}.tree.vector").EMPTY


@each_build
def test_a_vector_is_a_sequence_at_any_size(midstream: Any) -> None:
    empty = vector_of(midstream)
    for size in [*range(70), 1023, 1024, 1025, 1055, 1056, 1057, 2049, 32_767, 32_800, 33_000, 33_825]:
        vector = empty.extend([*range(size)])
        assert len(vector) == size
        assert [*vector] == [*range(size)]
        assert [*reversed(vector)] == [*reversed(range(size))]
        assert "nowhere" not in vector
        for index in (size, -1):
            with pytest.raises(IndexError):
                vector[index]


@each_build
def test_a_vector_finds_every_item(midstream: Any) -> None:
    vector = vector_of(midstream).extend([*range(40_000)])
    assert [vector[index] for index in range(40_000)] == list(range(40_000))
    assert list(vector) == list(range(40_000))


@each_build
@pytest.mark.parametrize("step", [1, 2, 31, 32, 33, 100, 1000])
def test_a_vector_grows_by_any_step_and_keeps_its_past(midstream: Any, step: int) -> None:
    versions = [vector_of(midstream)]
    for start in range(0, 40 * step, step):
        versions.append(versions[-1].extend([*range(start, start + step)]))
    for number, version in enumerate(versions):
        assert list(version) == list(range(number * step))
        # another future for the same past
        assert list(version.extend([*"ab"])) == [*range(number * step), "a", "b"]
        assert list(version) == list(range(number * step))
    assert versions[-1].extend([]) is versions[-1]


@each_build
def test_a_vector_shares_what_it_has_in_common(midstream: Any) -> None:
    def tuples(branch: Any) -> dict[int, int]:
        """Map the identity of every tuple in a vector's tree to its length."""
        found = {id(branch): len(branch)}
        for inner in branch:
            if isinstance(inner, tuple):
                found |= tuples(inner)
        return found

    vector = vector_of(midstream).extend([*range(40_000)])
    for _ in range(100):
        after = vector.extend([0])
        before = tuples(vector.root)
        new = [length for each, length in tuples(after.root).items() if each not in before]
        assert sum(new) <= 5 * 32
        assert len(after.tail) <= 32
        vector = after


# --- the example


def test_the_example_renders_only_what_changed() -> None:
    done = run_python(str(EXAMPLE))
    assert (done.returncode, done.stderr) == (0, "")
    head, _, html = done.stdout.partition("\n\n")
    title, *rows = head.splitlines()
    assert title.split() == ["chunk", "nodes", "touched"]
    counts = [tuple(map(int, row.split()[-2:])) for row in rows]
    assert counts[0] == (2, 2)
    # the brace that closes the document touches the root alone
    assert counts[-1] == (22, 1)
    assert sum(touched for _, touched in counts) < sum(nodes for nodes, _ in counts) / 3
    assert "<li>title: Three days in Zürich</li>" in html
    assert html.count("<li>day: ") == 3


# --- both builds


@pytest.mark.skipif(len(BUILDS) < 2, reason="only one build here")
def test_a_state_of_one_build_continues_in_the_other() -> None:
    plain, compiled = BUILDS["plain"], BUILDS["compiled"]
    for first, second in two_way_cuts(RICH):
        for here, there in ((plain, compiled), (compiled, plain)):
            dump = json.loads(json.dumps(here.dump_state(parse(here, [first]))))
            assert there.dump_state(there.load_state(dump)) == dump
            state = there.parse_chunk(there.load_state(dump), second)
            assert exactly(there.get_resolved_value(state)) == exactly(fold(naive([RICH])))
            assert seen(there, there.get_resolved_value(state)) is state.root.resolved_value

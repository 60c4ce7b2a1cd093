"""Numbers and literals that are still arriving: each has a node from its first character on, and no value."""

from __future__ import annotations

import base64
import gc
import json
import os
import pickle
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ast_model import node_as_data, nodes_of
from builds import BUILDS
from model import NaiveParser, cuttings, exactly
from test_tree import parse, parse_all

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
SUPPORT = Path(__file__).parents[1] / "support"


class Open(NamedTuple):
    """A text that ends inside a number or literal: the node, the keys of its parent, and the value so far."""

    text: str
    type: str
    buffer: str | None
    keys: list[str] | None
    value: Any
    mode: str


UNSET = object()
CASES = [
    Open("1", "number", "1", None, UNSET, "Number"),
    Open("-", "number", "-", None, UNSET, "Number"),
    Open(" -12.5e+3", "number", "-12.5e+3", None, UNSET, "Number"),
    Open("[12", "number", "12", None, [], "Number"),
    Open("[1, 2.", "number", "2.", None, [1], "Number"),
    Open('{"a": 1, "b": -0.5E', "number", "-0.5E", ["a", "b"], {"a": 1}, "Number"),
    Open('{"a": 1, "a": 2', "number", "2", ["a", "a"], {"a": 1}, "Number"),
    Open("[tr", "boolean", None, None, [], "Literal"),
    Open("[null, fals", "boolean", None, None, [None], "Literal"),
    Open('{"a": n', "null", None, ["a"], {}, "Literal"),
    Open('{"a": [{}], "b": t', "boolean", None, ["a", "b"], {"a": [{}]}, "Literal"),
    Open("nul", "null", None, None, UNSET, "Literal"),
]
# the text, where the error is, and the node that is left open: its type and its buffer
INVALID = [
    ("[01]", 2, "number", "0"),
    ("[1.2.3]", 4, "number", "1.2"),
    ("[-]", 2, "number", "-"),
    ('{"a": 1e+}', 9, "number", "1e+"),
    ("[1.x", 3, "number", "1."),
    ("[12, 3-", 6, "number", "3"),
    ("-a", 1, "number", "-"),
    ("[trve]", 3, "boolean", None),
    ("[fa1se]", 3, "boolean", None),
    ('{"a": nil}', 7, "null", None),
    ("tRUE", 1, "boolean", None),
    ("[1" + "0" * 4300, 4301, "number", "1" + "0" * 4299),
]


def leaf_of(state: Any) -> Any:
    return state.nodes[-1]


@each_build
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text)
def test_invariant_4_an_open_number_or_literal_is_a_node_without_a_value(midstream: Any, case: Open) -> None:
    for text in (case.text, case.text.encode()):
        for fragments in cuttings(text):
            state = parse(midstream, fragments)
            node = leaf_of(state)
            assert (node.type, node.closed, node.id) == (case.type, False, state.next_id - 1)
            assert node.resolved_value is midstream.UNDEFINED
            assert getattr(node, "buffer", None) == case.buffer
            assert state.mode == case.mode
            assert node.id not in state.stack
            if node.parent_id is None:
                assert (state.root, state.stack) == (node, ())
            else:
                parent = state.nodes[node.parent_id]
                assert parent.children[-1] == node.id
                assert list(getattr(parent, "keys", [])) == (case.keys or [])
            value = midstream.UNDEFINED if case.value is UNSET else case.value
            assert exactly(state.root.resolved_value) == exactly(value)
            assert midstream.get_resolved_value(state) is midstream.UNDEFINED


@each_build
@pytest.mark.parametrize(("text", "index", "type_", "buffer"), INVALID, ids=range(len(INVALID)))
def test_after_an_error_the_open_node_keeps_its_buffer(
    midstream: Any, text: str, index: int, type_: str, buffer: str | None
) -> None:
    long = len(text) > 100
    for form in (text, text.encode()):
        for fragments in [[form], [form[:2], form[2:]], [form[:-1], form[-1:]]] if long else cuttings(form):
            state = parse_all(midstream, fragments)
            node = leaf_of(state)
            assert (state.mode, state.error.index) == ("Error", index)
            assert (node.type, node.closed, getattr(node, "buffer", None)) == (type_, False, buffer)
            assert node.resolved_value is midstream.UNDEFINED
            (other,) = [midstream.load_state(json.loads(json.dumps(midstream.dump_state(state))))]
            assert other == state


@each_build
def test_a_refused_number_stays_open(midstream: Any) -> None:
    def refuse(text: str) -> int:
        raise ValueError(text)

    for fragments in cuttings("[1.5, 23 ]"):
        state = parse(midstream, fragments, parse_int=refuse)
        assert state.error.code == "number_refused"
        assert [(node.buffer, node.closed) for node in state.nodes[1:]] == [("1.5", True), ("23", False)]
        assert state.root.resolved_value == [1.5]
    state = parse_all(midstream, ["2", "3"], parse_int=refuse)
    assert (state.error.code, state.root.buffer, state.root.closed) == ("number_refused", "23", False)


@each_build
@pytest.mark.parametrize(
    ("limit", "text", "code", "buffer"),
    [
        ({"max_number": 3}, "[12345", "number_limit", "123"),
        ({"max_document": 3}, "[12345", "document_limit", "12"),
        ({"max_document": 4}, "[tru", None, None),
        ({"max_document": 3}, "[tru", "document_limit", None),
    ],
)
def test_limits_inside_a_token(
    midstream: Any, limit: dict[str, int], text: str, code: str | None, buffer: str | None
) -> None:
    for fragments in cuttings(text):
        state = parse(midstream, fragments, limits=midstream.Limits(**limit))
        assert (None if state.error is None else state.error.code) == code
        assert len(state.nodes) == 2
        assert (leaf_of(state).closed, getattr(leaf_of(state), "buffer", None)) == (False, buffer)


@each_build
def test_a_number_of_no_characters_has_no_node(midstream: Any) -> None:
    state = parse(midstream, ["[1"], limits=midstream.Limits(max_number=0))
    assert (state.error.code, state.next_id) == ("number_limit", 1)


@each_build
def test_bytes_that_are_no_utf8_end_a_token(midstream: Any) -> None:
    for text, buffer in ((b"[12\xff", "12"), (b"[12\xc3(", "12"), (b"[tr\xff", None)):
        for fragments in cuttings(text):
            state = parse(midstream, fragments)
            assert state.error.code == "invalid_utf8"
            assert (leaf_of(state).closed, getattr(leaf_of(state), "buffer", None)) == (False, buffer)


@each_build
def test_a_literal_keeps_its_node_until_it_is_complete(midstream: Any) -> None:
    states = [parse(midstream, ["[[], f"])]
    for chunk in ("a", "ls"):
        states.append(midstream.parse_chunk(states[-1], chunk))
    assert states[0].root is states[1].root is states[2].root
    after = midstream.parse_chunk(states[-1], "e")
    assert leaf_of(after) is not leaf_of(states[0])
    assert (leaf_of(after).id, leaf_of(after).closed, leaf_of(after).resolved_value) == (2, True, False)
    # only the path to the root is new
    assert after.nodes[1] is states[0].nodes[1]
    assert after.root is not states[0].root


@each_build
def test_a_number_has_a_new_node_for_each_piece(midstream: Any) -> None:
    before = parse(midstream, ['{"a": [7], "n": 1'])
    after = midstream.parse_chunk(before, "2")
    assert (leaf_of(before).buffer, leaf_of(after).buffer) == ("1", "12")
    assert leaf_of(before).id == leaf_of(after).id == 3
    assert after.nodes[1] is before.nodes[1]
    assert after.root is not before.root
    assert before.root.resolved_value == after.root.resolved_value == {"a": [7]}
    # white space ends it, and the node closes
    closed = midstream.parse_chunk(after, " ")
    assert (leaf_of(closed).closed, leaf_of(closed).resolved_value, closed.next_id) == (True, 12, 4)


@each_build
def test_branches_inside_a_token(midstream: Any) -> None:
    state = parse(midstream, ['{"n": 1'])
    ends = {"}": 1, "2}": 12, ".5}": 1.5, "e2 }": 100.0, "0" * 30 + "}": 10**30}
    for end, value in ends.items():
        branch = midstream.parse_chunk(state, end)
        assert exactly(midstream.get_resolved_value(branch)) == exactly({"n": value})
        assert branch.nodes[1].buffer == "1" + end.rstrip("} ")
        assert (leaf_of(state).buffer, leaf_of(state).closed) == ("1", False)
    for end in ("1.}", "x", "-", "1 1"):
        assert midstream.parse_chunk(state, end).error is not None
    assert exactly(midstream.get_resolved_value(midstream.parse_chunk(state, "}"))) == exactly({"n": 1})
    state = parse(midstream, ["[fal"])
    assert midstream.get_resolved_value(midstream.parse_chunk(state, "se]")) == [False]
    assert midstream.parse_chunk(state, "l").error.code == "invalid_literal"
    assert midstream.get_resolved_value(midstream.parse_chunk(state, "se]")) == [False]


@each_build
def test_nodes_of_one_value_differ_while_it_arrives(midstream: Any) -> None:
    nodes = [
        leaf_of(parse(midstream, [text]))
        for text in ("[1", "[12", "[12 ", "[t", "[true", "[f", "[n", "[null")
    ]
    for i, node in enumerate(nodes):
        for j, other in enumerate(nodes):
            # which literal it will be, its node does not say
            assert (node == other) == (i == j or {i, j} == {3, 5})
    assert nodes[1] == leaf_of(parse(midstream, list("[12")))
    assert hash(nodes[1]) == hash(leaf_of(parse(midstream, list("[12"))))


@each_build
def test_open_nodes_match_patterns(midstream: Any) -> None:
    def describe(node: Any) -> str:
        match node:
            case midstream.JsonNumberAstNode(closed=False, buffer=text):
                return f"a number that begins with {text}"
            case midstream.JsonNumberAstNode(resolved_value=value):
                return f"the number {value}"
            case midstream.JsonBooleanAstNode(resolved_value=midstream.UNDEFINED):
                return "a boolean"
            case midstream.JsonNullAstNode(closed=closed):
                return "null" if closed else "a null"
        return "something else"

    found = [
        describe(leaf_of(parse(midstream, [text]))) for text in ("[1.", "[1.5,", "[t", "[n", "[null", '["')
    ]
    assert found == [
        "a number that begins with 1.",
        "the number 1.5",
        "a boolean",
        "a null",
        "null",
        "something else",
    ]


# --- saved inside a token

CONTINUE = """
import base64, json, pickle, sys
from ast_model import node_as_data
from builds import BUILDS
midstream = BUILDS[sys.argv[1]]
answers = []
for dump, pickled, node, rest in json.load(sys.stdin):
    for state in (midstream.load_state(dump), pickle.loads(base64.b64decode(pickled))):
        after = midstream.finalize(midstream.parse_chunk(state, rest))
        nodes = [[node_as_data(node) for node in each.nodes] for each in (state, after)]
        answers.append([repr(nodes), repr(after.error)])
    answers.append([repr(node_as_data(pickle.loads(base64.b64decode(node)))), ""])
json.dump(answers, sys.stdout)
"""


@pytest.mark.parametrize("build", BUILDS)
def test_states_saved_inside_a_token_continue_in_a_new_process(build: str) -> None:
    midstream: Any = BUILDS[build]
    tasks = []
    expected = []
    for text in ('{"a": -12.5e3, "b": [true, null]}', "[falsy]", "[1.2.3]", "-70"):
        for at in range(1, len(text)):
            state = parse(midstream, [text[:at]])
            node = leaf_of(state) if state.next_id else None
            saved = [base64.b64encode(pickle.dumps(each)).decode() for each in (state, node)]
            if node is None:
                continue
            tasks.append([midstream.dump_state(state), *saved, text[at:]])
            after = midstream.finalize(midstream.parse_chunk(state, text[at:]))
            nodes = [[node_as_data(node) for node in each.nodes] for each in (state, after)]
            expected += [[repr(nodes), repr(after.error)]] * 2 + [[repr(node_as_data(node)), ""]]
    paths = [str(SUPPORT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(
        [sys.executable, "-c", CONTINUE, build],
        input=json.dumps(tasks), env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == expected


def damaged_tokens(midstream: Any) -> dict[str, Any]:
    """Saved states whose nodes contradict what the grammar is reading, by name."""
    number = midstream.dump_state(parse(midstream, ["[1, 23"]))
    literal = midstream.dump_state(parse(midstream, ["[1, tr"]))
    string = midstream.dump_state(parse(midstream, ['[1, "x']))
    done = midstream.dump_state(parse(midstream, ["[1, 2 "]))
    null = ["null", 0, None, False]
    closed = number["nodes"][:-1]
    return {
        "another text": number | {"nodes": [*closed, ["number", 0, None, False, "24"]]},
        "a number that has ended": number | {"nodes": done["nodes"]},
        "no number": number | {"nodes": number["nodes"][:-1]},
        "a literal for a number": number | {"nodes": literal["nodes"]},
        "a string for a number": number | {"nodes": string["nodes"]},
        "another literal": literal | {"nodes": [*literal["nodes"][:-1], null]},
        "a number for a literal": literal | {"nodes": number["nodes"]},
        "an open number after the end": done | {"nodes": number["nodes"]},
        "an open number of letters": number | {"nodes": [*closed, ["number", 0, None, False, "é"]]},
        "an open number of nothing": number | {"nodes": [*closed, ["number", 0, None, False, ""]]},
        "an open number without text": number | {"nodes": [*closed, ["number", 0, None, False]]},
        "a node after an open one": number | {"nodes": [*number["nodes"], null]},
    }


@each_build
@pytest.mark.parametrize("name", damaged_tokens(BUILDS["plain"]))
def test_a_saved_token_agrees_with_its_node(midstream: Any, name: str) -> None:
    with pytest.raises(midstream.JsonStreamError) as info:
        midstream.load_state(damaged_tokens(midstream)[name])
    assert info.value.code == "invalid_checkpoint"


# --- nodes by themselves


@each_build
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_nodes_are_pickled_with_their_values(midstream: Any, protocol: int) -> None:
    state = parse(midstream, ['{"a": [1, {"b": 2.50}], "c": {"d": [true, null, "x'], parse_float=str)
    for node in state.nodes:
        other = pickle.loads(pickle.dumps(node, protocol))
        assert (other, hash(other), repr(other)) == (node, hash(node), repr(node))
        assert node_as_data(other) == node_as_data(node)
        assert other.parent_id == node.parent_id
    # and once more, what came from a pickle
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(state.nodes[1]))))
    assert exactly(node_as_data(again)) == exactly(node_as_data(state.nodes[1]))


@each_build
def test_a_deep_node_is_pickled_without_recursion(midstream: Any) -> None:
    depth = 5_000
    for end in ("", "]" * depth):
        state = parse(midstream, ["[" * depth, "1", end], limits=midstream.Limits(max_depth=None))
        other = pickle.loads(pickle.dumps(state.root))
        assert other == state.root
        assert len(pickle.dumps(other)) == len(pickle.dumps(state.root))


@each_build
def test_nodes_and_states_can_not_be_made_by_hand(midstream: Any) -> None:
    kinds = [value for name, value in vars(midstream).items() if name.endswith("AstNode")]
    assert len(kinds) == 7
    for kind in [*kinds, midstream.ParserState]:
        with pytest.raises(TypeError):
            kind()


@pytest.mark.skipif("compiled" not in BUILDS, reason="only the compiled core has such nodes")
def test_the_garbage_collector_does_not_visit_nodes() -> None:
    midstream = BUILDS["compiled"]
    state = parse(midstream, ['{"a": [1, 2.5, true, null, "x"], "b": ["', "open"])
    assert not any(map(gc.is_tracked, state.nodes))
    # what is tracked does not grow with the document
    gc.collect()
    before = len(gc.get_objects())
    states = [parse(midstream, ["[" + '{"a": [1, "x"]}, ' * 5_000])]
    gc.collect()
    assert len(gc.get_objects()) - before < 1_000
    assert len(states[0].nodes) == 1 + 4 * 5_000


@each_build
def test_a_hook_may_refer_to_the_state(midstream: Any) -> None:
    class Reader:
        def __init__(self) -> None:
            self.state = parse(midstream, ["[1, 2"], parse_int=self.read)

        def read(self, text: str) -> int:
            return int(text)

    reader = weakref.ref(Reader())
    gc.collect()
    assert reader() is None


@each_build
def test_reprs_are_short(midstream: Any) -> None:
    array = parse(midstream, ["[" + "1," * 1000])
    text = parse(midstream, ['["' + "x" * 1000])
    wide = parse(midstream, ["{" + ",".join(f'"{i}":[]' for i in range(1000))])
    deep = parse(midstream, ["[" * 500])
    assert (
        repr(array.root)
        == "JsonArrayAstNode(id=0, parent_id=None, closed=False, children=[1, 2, 3, 4, 5, 6, ...])"
    )
    assert repr(array.root.children) == "[1, 2, 3, 4, 5, 6, ...]"
    assert repr(deep) == "ParserState(mode=Array, index=500, stack=(0, 1, 2, 3, 4, 5, ...), next_id=500)"
    for thing in (array, text, wide, deep, array.root, wide.root, wide.root.keys, text.nodes[1], text.nodes):
        assert len(repr(thing)) < 200
    assert "buffer='xxx" in repr(text.nodes[1])


@each_build
def test_the_model_agrees_about_a_stream_with_everything(midstream: Any) -> None:
    text = '{"a": [1, -2.5e3, true], "b": {"c": null, "d": "x\\n", "e": false}, "f": 10}'
    for cut in range(len(text)):
        model = NaiveParser()
        nodes = nodes_of(model, model.add(text[:cut]))
        state = parse(midstream, [text[:cut]])
        assert exactly([node_as_data(node) for node in state.nodes]) == exactly(nodes)

"""JSON Patch: what the writer sends, applied step by step, is the snapshot at every step."""

from __future__ import annotations

import asyncio
import copy
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builds import BUILDS
from midstream import ErrorCode, JsonStreamError, apply_patch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

Ops = list[dict[str, Any]]

# the options, the fragments, and the patch of each fragment
WRITTEN: list[tuple[dict[str, Any], list[str], list[Ops]]] = [
    ({}, ["1", " "], [[{"op": "add", "path": "", "value": 1}]]),
    ({}, ['"a', "b", '"'], [
        [{"op": "add", "path": "", "value": "a"}], [{"op": "replace", "path": "", "value": "ab"}],
    ]),
    ({"append": True}, ['"a', "b", 'c"'], [
        [{"op": "add", "path": "", "value": "a"}], [{"op": "append", "path": "", "value": "b"}],
        [{"op": "append", "path": "", "value": "c"}],
    ]),
    ({"base": "/state/x~1y"}, ["[", "true", "]"], [
        [{"op": "add", "path": "/state/x~1y", "value": []}],
        [{"op": "add", "path": "/state/x~1y/0", "value": True}],
    ]),
    # what is new in one call is sent complete
    ({}, ['{"a": [1, {"b": "x"}], "c": "y', '"}'], [
        [{"op": "add", "path": "", "value": {"a": [1, {"b": "x"}], "c": "y"}}],
    ]),
    ({}, ["{", '"a/b~c.d": 1, "": [2', ", 3]}"], [
        [{"op": "add", "path": "", "value": {}}],
        [{"op": "add", "path": "/a~1b~0c.d", "value": 1}, {"op": "add", "path": "/", "value": []}],
        [{"op": "add", "path": "//0", "value": 2}, {"op": "add", "path": "//1", "value": 3}],
    ]),
    # a repeated key: the later value replaces what the client has
    ({}, ['{"a": 1,', '"a": {"b": 2}', ', "a": "x"}'], [
        [{"op": "add", "path": "", "value": {"a": 1}}],
        [{"op": "replace", "path": "/a", "value": {"b": 2}}],
        [{"op": "replace", "path": "/a", "value": "x"}],
    ]),
    ({}, ['{"a": "x", "a": 1, "a": "y", "a": "', 'z"}'], [
        [{"op": "add", "path": "", "value": {"a": ""}}], [{"op": "replace", "path": "/a", "value": "z"}],
    ]),
    ({"append": True}, ['{"a": "x', 'y", "a": "', 'z"}'], [
        [{"op": "add", "path": "", "value": {"a": "x"}}],
        [{"op": "append", "path": "/a", "value": "y"}, {"op": "replace", "path": "/a", "value": ""}],
        [{"op": "append", "path": "/a", "value": "z"}],
    ]),
]  # fmt: skip


@pytest.fixture(params=sorted(BUILDS))
def midstream(request: pytest.FixtureRequest) -> Any:
    return BUILDS[request.param]


@pytest.mark.parametrize(("options", "fragments", "written"), WRITTEN)
def test_what_is_written(
    midstream: Any, options: dict[str, Any], fragments: list[str], written: list[Ops]
) -> None:
    assert list(midstream.patches(fragments, **options)) == written

    async def arriving() -> AsyncIterator[str]:
        for fragment in fragments:
            yield fragment

    async def collected() -> list[Ops]:
        return [patch async for patch in midstream.aio.patches(arriving(), **options)]

    assert asyncio.run(collected()) == written


keys = st.sampled_from(["", "a", "b", "a/b", "~", "~0", "~1", "a.b", "0", "-", "é", "\U0001f327"])
documents = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab~/\U0001f327", max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.lists(st.tuples(keys, inner), max_size=4).map(tuple),
    max_leaves=12,
)


def text_of(document: Any) -> str:
    """Write a document; a tuple is an object, in which a key may come twice."""
    if isinstance(document, tuple):
        members = (f"{json.dumps(key)}: {text_of(value)}" for key, value in document)
        return "{" + ", ".join(members) + "}"
    if isinstance(document, list):
        return f"[{', '.join(map(text_of, document))}]"
    return json.dumps(document)


def cuts(text: str, at: list[int]) -> Iterator[str]:
    places = sorted({0, len(text), *(place % (len(text) + 1) for place in at)})
    yield from (text[start:end] for start, end in pairwise(places))


@pytest.mark.parametrize("build", sorted(BUILDS))
@pytest.mark.parametrize("append", [False, True])
@given(document=documents, at=st.lists(st.integers(0, 400), max_size=12), base=st.sampled_from(["", "/a~1b"]))
def test_1_patches_applied_are_the_snapshot(
    build: str, append: bool, document: Any, at: list[int], base: str
) -> None:
    midstream, text = BUILDS[build], text_of(document)
    values = midstream.JsonValueAccumulator()
    updates = midstream.JsonFragmentAccumulator()
    writer = midstream.JsonPatchWriter(base=base, append=append)
    shown: Any = {} if base else None
    theirs: Any = {} if base else None
    last = copy.deepcopy(shown)
    for fragment in [*cuts(text, at), None]:
        if fragment is None:
            found = updates.finish()
            values.finish()
        else:
            found = updates.add_fragment(fragment)
            values.add_fragment(fragment)
        # the wire form says the same
        ops = writer.add_updates(found if len(text) % 2 else [midstream.to_wire(one) for one in found])
        written = json.dumps(ops)
        assert append or all(op["op"] in ("add", "replace") for op in ops)
        now = midstream.apply_patch(shown, ops)
        # 2: applying changes neither the value nor the patch
        assert (shown, json.dumps(ops)) == (last, written)
        shown, last = now, copy.deepcopy(now)
        if values.value is not midstream.UNDEFINED:
            assert shown == ({"a/b": values.value} if base else values.value)
        if not append:
            # 3: other implementations read it
            theirs = jsonpatch.apply_patch(theirs, ops)
            assert theirs == shown
    expected = json.loads(text)
    assert shown == ({"a/b": expected} if base else expected)


def test_options_are_named_and_strings_are_replaced_unless_asked_otherwise(midstream: Any) -> None:
    for function in (midstream.JsonPatchWriter, midstream.patches, midstream.aio.patches):
        with pytest.raises(TypeError, match="positional"):
            function(*([["1"], "/a"] if function is not midstream.JsonPatchWriter else ["/a"]))
    updates = [{"path": "root", "kind": "PartialString", "textValue": text} for text in ("a", "b")]
    for writer, op in (
        (midstream.JsonPatchWriter(), {"op": "replace", "path": "", "value": "ab"}),
        (midstream.JsonPatchWriter(append=True), {"op": "append", "path": "", "value": "b"}),
    ):
        writer.add_updates(updates[0])
        assert writer.add_updates(updates[1]) == [op]


def test_an_invalid_batch_changes_nothing(midstream: Any) -> None:
    writer = midstream.JsonPatchWriter()
    start = {"path": "root", "kind": "StartObject"}
    number = {"path": "root.a", "kind": "CompleteNumber", "value": 1}
    with pytest.raises(midstream.JsonStreamError):
        writer.add_updates([start, number, {"path": "root", "kind": "EndArray"}])
    assert writer.add_updates([start, number]) == [{"op": "add", "path": "", "value": {"a": 1}}]


def test_what_came_before_an_error_is_sent(midstream: Any) -> None:
    found = []
    with pytest.raises(midstream.JsonStreamError):
        found += [*midstream.patches(['{"a": 1, "b"', " 2"])]
    stream = midstream.patches(['{"a": 1, "b": x'])
    assert next(stream) == [{"op": "add", "path": "", "value": {"a": 1}}]
    with pytest.raises(midstream.JsonStreamError):
        next(stream)
    recovered = [*midstream.patches(['{"a": "x\n", "b": 2}'], on_error="recover")]
    value = None
    for patch in recovered:
        value = midstream.apply_patch(value, patch)
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(midstream.updates(['{"a": "x\n", "b": 2}'], on_error="recover"))
    assert value == rebuilder.value


def test_what_the_end_decides_is_sent_before_its_error(midstream: Any) -> None:
    stream = midstream.patches(["[1, None"], dialect="lenient")
    assert midstream.apply_patch(None, [*next(stream), *next(stream)]) == [1, None]
    with pytest.raises(midstream.JsonStreamError):
        next(stream)


def test_leaving_early_closes_what_is_read(midstream: Any) -> None:
    closed = []

    def source() -> Iterator[str]:
        try:
            yield from "[1, 2]"
        finally:
            closed.append("source")

    async def arriving() -> AsyncIterator[str]:
        try:
            for fragment in "[1, 2]":
                yield fragment
        finally:
            closed.append("async source")

    async def leave(**options: Any) -> None:
        pieces = arriving()
        stream = midstream.aio.patches(pieces, **options)
        await anext(stream)
        await stream.aclose()
        closed.append("left")
        await pieces.aclose()  # type: ignore[attr-defined]

    for options in ({}, {"close": True}, {"close": False}):
        closed.clear()
        pieces = source()
        stream = midstream.patches(pieces, **options)
        next(stream)
        stream.close()
        assert closed == (["source"] if options.get("close", True) else [])
        pieces.close()  # type: ignore[attr-defined]
        closed.clear()
        asyncio.run(leave(**options))
        expected = ["async source", "left"]
        assert closed == (expected if options.get("close", True) else expected[::-1])


def test_many_parts_in_one_call_are_joined_once(midstream: Any) -> None:
    accumulator = midstream.JsonFragmentAccumulator()
    found = [update for piece in ['"', *["ab"] * 20_000] for update in accumulator.add_fragment(piece)]
    [op] = midstream.JsonPatchWriter().add_updates(found)
    assert op["value"] == "ab" * 20_000


@pytest.mark.parametrize("base", ["a", "/~", "/a~2", 1, None])
def test_a_base_is_a_pointer(midstream: Any, base: Any) -> None:
    with pytest.raises(midstream.JsonStreamError, match="expected a JSON Pointer"):
        midstream.JsonPatchWriter(base=base)


def test_one_document_only(midstream: Any) -> None:
    with pytest.raises(ValueError, match="one document"):
        midstream.patches(["1 2"], after_root="next")


# a value, a patch (RFC 6902, appendix A, among others), and the value after it
APPLIED: list[tuple[Any, Ops, Any]] = [
    ({"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux"}], {"baz": "qux", "foo": "bar"}),
    ({"foo": ["bar", "baz"]}, [{"op": "add", "path": "/foo/1", "value": "qux"}],
     {"foo": ["bar", "qux", "baz"]}),
    ({"baz": "qux", "foo": "bar"}, [{"op": "remove", "path": "/baz"}], {"foo": "bar"}),
    ({"foo": ["bar", "qux", "baz"]}, [{"op": "remove", "path": "/foo/1"}], {"foo": ["bar", "baz"]}),
    ({"baz": "qux"}, [{"op": "replace", "path": "/baz", "value": "boo"}], {"baz": "boo"}),
    (
        {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
        [{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}],
        {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
    ),
    ({"foo": ["all", "grass", "cows"]}, [{"op": "move", "from": "/foo/1", "path": "/foo/2"}],
     {"foo": ["all", "cows", "grass"]}),
    ({"baz": "qux", "foo": ["a", 2]}, [{"op": "test", "path": "/foo/1", "value": 2.0}],
     {"baz": "qux", "foo": ["a", 2]}),
    ({"/": 9, "~1": 10}, [{"op": "test", "path": "/~01", "value": 10}], {"/": 9, "~1": 10}),
    ({"foo": ["bar"]}, [{"op": "add", "path": "/foo/-", "value": ["x"]}], {"foo": ["bar", ["x"]]}),
    ({"a": {"b": [1]}}, [
        {"op": "copy", "from": "/a", "path": "/c"}, {"op": "add", "path": "/c/b/0", "value": 0},
        {"op": "add", "path": "/a/b/-", "value": 2},
    ], {"a": {"b": [1, 2]}, "c": {"b": [0, 1]}}),
    ({"a": {"a": 1}}, [{"op": "replace", "path": "/a/a", "value": 2}], {"a": {"a": 2}}),
    ({"a": 1}, [{"op": "move", "from": "/a", "path": "/a"}], {"a": 1}),
    ({"b": 1}, [{"op": "move", "from": "/b", "path": "/a"}], {"a": 1}),
    ({"a": 1, "b": {}}, [{"op": "move", "from": "/a", "path": "/b/c"}], {"b": {"c": 1}}),
    ({"a": {}, "b": 1}, [{"op": "move", "from": "/b", "path": "/a/c"}], {"a": {"c": 1}}),
    ({"a": {"b": 1}}, [{"op": "move", "from": "/a/b", "path": "/a"}], {"a": 1}),
    ({"a": 1}, [{"op": "replace", "path": "", "value": [1]}, {"op": "add", "path": "/1", "value": 2}],
     [1, 2]),
    ("a", [{"op": "append", "path": "", "value": "b"}], "ab"),
    ({"a": ["x"]}, [{"op": "append", "path": "/a/0", "value": "y"}], {"a": ["xy"]}),
]  # fmt: skip


@pytest.mark.parametrize(("value", "ops", "after"), APPLIED)
def test_what_a_patch_does(value: Any, ops: Ops, after: Any) -> None:
    before = copy.deepcopy((value, ops))
    assert apply_patch(value, ops) == after
    assert (value, ops) == before
    if not any(op["op"] == "append" for op in ops):
        assert jsonpatch.apply_patch(value, ops) == after


# a patch that does not apply to {"a": [1], "s": "x"}, and the reason
REFUSED: list[tuple[Any, str]] = [
    ({"op": "replace", "path": "/b", "value": 1}, "operation 0 (replace /b): there is no member 'b'"),
    ({"op": "remove", "path": "/a/1"}, "operation 0 (remove /a/1): there is no item '1' in an array of 1"),
    ({"op": "remove", "path": "/a/7"}, "operation 0 (remove /a/7): there is no item '7' in an array of 1"),
    ({"op": "remove", "path": "/a/01"}, "operation 0 (remove /a/01): there is no item '01' in an array of 1"),
    ({"op": "remove", "path": "/a/-"}, "operation 0 (remove /a/-): there is no item '-' in an array of 1"),
    (
        {"op": "add", "path": "/a/2", "value": 1},
        "operation 0 (add /a/2): there is no place '2' in an array of 1",
    ),
    ({"op": "add", "path": "/s/x", "value": 1}, "operation 0 (add /s/x): there is no container around 'x'"),
    ({"op": "add", "path": "/b/c", "value": 1}, "operation 0 (add /b/c): there is no member 'b'"),
    ({"op": "add", "path": "/b"}, "operation 0 (add /b): the value is missing"),
    ({"op": "add", "path": "b", "value": 1}, "operation 0 (add b): path is not a JSON Pointer"),
    ({"op": "add", "value": 1}, "operation 0 (add): path is not a JSON Pointer"),
    ({"op": "remove", "path": ""}, "operation 0 (remove ): the root cannot be removed"),
    ({"op": "test", "path": "/a/0", "value": True}, "operation 0 (test /a/0): the value differs"),
    (
        {"op": "move", "from": "/a", "path": "/a/b"},
        "operation 0 (move /a/b): a value cannot move into itself",
    ),
    ({"op": "move", "path": "/b"}, "operation 0 (move /b): from is not a JSON Pointer"),
    ({"op": "append", "path": "/a", "value": "x"}, "operation 0 (append /a): expected a string to continue"),
    ({"op": "append", "path": "/s", "value": 1}, "operation 0 (append /s): expected a string to continue"),
    ({"op": "grow", "path": "/s"}, "operation 0 (grow /s): expected op to be add, remove"),
    ({"path": "/s"}, "operation 0 (unknown operation): expected op"),
    ("add", "operation 0 (unknown operation): expected op"),
]


@pytest.mark.parametrize(("op", "why"), REFUSED)
def test_a_patch_that_does_not_apply(op: Any, why: str) -> None:
    value = {"a": [1], "s": "x"}
    with pytest.raises(JsonStreamError) as raised:
        apply_patch(value, [op])
    assert raised.value.code == ErrorCode.INVALID_PATCH
    assert str(raised.value).startswith(f"the patch cannot be applied: {why}")
    assert value == {"a": [1], "s": "x"}


def test_what_did_not_change_is_shared() -> None:
    value = {"a": {"b": [1, 2]}, "c": {"d": ["x"]}}
    ops = [{"op": "append", "path": "/c/d/0", "value": "y"}, {"op": "add", "path": "/c/d/-", "value": "z"}]
    now = apply_patch(value, ops)
    assert now == {"a": {"b": [1, 2]}, "c": {"d": ["xy", "z"]}}
    assert now["a"] is value["a"]
    assert value["c"] == {"d": ["x"]}


def test_the_values_of_a_patch_are_not_changed_by_the_next() -> None:
    ops = [{"op": "add", "path": "/a", "value": {"b": []}}]
    one = apply_patch({}, ops)
    two = apply_patch(one, [{"op": "add", "path": "/a/b/-", "value": 1}])
    assert (one, two, ops[0]["value"]) == ({"a": {"b": []}}, {"a": {"b": [1]}}, {"b": []})


def test_deep_values_need_no_recursion(midstream: Any) -> None:
    depth = 5_000
    limits = midstream.Limits(max_depth=None)
    value: Any = None
    for patch in midstream.patches(["[" * depth, "1", "]" * depth], limits=limits):
        value = midstream.apply_patch(value, patch)
    place = "/0" * 1_000
    assert midstream.apply_patch(value, [{"op": "move", "from": place, "path": place}]) is value
    for _ in range(depth):
        [value] = value
    assert value == 1

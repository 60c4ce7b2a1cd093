"""Updates and their wire form, back into the value: what is refused, and the invariants of what is taken."""

from __future__ import annotations

import copy
import json
import random
import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builds import BUILDS
from costs import assert_level, assert_linear
from midstream import JsonFragmentKind
from model import NaiveParser, characters, exactly, fold, pieces
from test_invariants import (
    EXAMPLES,
    anything,
    cuts,
    damaged,
    documents,
    each_build,
    examples,
    examples_as_found,
)
from test_value_invariants import parts_in
from test_values import RICH, has_repeated_keys, is_contained, seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


# each example goes through several forms
fewer = settings(examples, max_examples=max(1, EXAMPLES // 5))
fewer_as_found = settings(examples_as_found, max_examples=max(1, EXAMPLES // 5))


Wire = dict[str, Any]


def wire(path: str, kind: str, text: Any = None, **more: Any) -> Wire:
    """Write an update as another sender would."""
    return {"path": path, "kind": kind, **({} if text is None else {"textValue": text}), **more}


def number(path: str, value: float) -> Wire:
    return wire(path, "CompleteNumber", str(value), value=value)


# --- what is refused


class Context(NamedTuple):
    """A stream under way: what has arrived, what follows, and the final value."""

    before: list[Wire]
    then: list[Wire]
    value: Any


OPEN, CLOSE = wire("root", "StartObject"), wire("root", "EndObject")
OPEN_LIST, CLOSE_LIST = wire("root", "StartArray"), wire("root", "EndArray")
DONE = wire("root", "JsonComplete")

CONTEXTS = {
    "nothing": Context([], [OPEN, number("root.a", 1), CLOSE, DONE], {"a": 1}),
    "object": Context(
        [OPEN, wire("root", "Key", "a"), number("root.a", 1)],
        [wire("root", "Key", "b"), number("root.b", 2), CLOSE, DONE],
        {"a": 1, "b": 2},
    ),
    "key": Context([OPEN, wire("root", "Key", "a")], [number("root.a", 1), CLOSE, DONE], {"a": 1}),
    "array": Context([OPEN_LIST, number("root[0]", 1)], [number("root[1]", 2), CLOSE_LIST, DONE], [1, 2]),
    "string": Context(
        [
            OPEN,
            wire("root", "Key", "a"),
            wire("root.a", "StartString"),
            wire("root.a", "PartialString", "Pa"),
        ],
        [
            wire("root.a", "PartialString", "ris"),
            wire("root.a", "CompleteString", "Paris"),
            CLOSE,
            DONE,
        ],
        {"a": "Paris"},
    ),
    "string in array": Context(
        [OPEN_LIST, wire("root[0]", "PartialString", "é")],
        [wire("root[0]", "CompleteString", "é\U0001f600"), CLOSE_LIST, DONE],
        ["é\U0001f600"],
    ),
    "a lone surrogate": Context(
        [OPEN_LIST, wire("root[0]", "PartialString", "é\ud83d")],
        [
            wire("root[0]", "PartialString", "\ude00"),
            wire("root[0]", "CompleteString", "é\U0001f600"),
            CLOSE_LIST,
        ],
        ["é\U0001f600"],
    ),
    "string that ends without its text": Context(
        [OPEN_LIST, wire("root[0]", "StartString"), wire("root[0]", "PartialString", "é\ud83d")],
        [
            wire("root[0]", "CompleteString"),
            wire("root[1]", "PartialString", "x"),
            wire("root[1]", "CompleteString"),
            wire("root[2]", "StartString"),
            wire("root[2]", "CompleteString"),
            CLOSE_LIST,
        ],
        ["é\ud83d", "x", ""],
    ),
    "root string": Context(
        [wire("root", "StartString"), wire("root", "PartialString", "x")],
        [wire("root", "CompleteString", "xy"), DONE],
        "xy",
    ),
    "nested": Context(
        [OPEN, wire("root", "Key", "a"), wire("root.a", "StartArray"), wire("root.a[0]", "StartObject")],
        [wire("root.a[0]", "EndObject"), wire("root.a", "EndArray"), CLOSE, DONE],
        {"a": [{}]},
    ),
    "implied": Context([number("root.a.b", 1)], [number("root.a.c", 2), DONE], {"a": {"b": 1, "c": 2}}),
    "implied list": Context([number("root[0][0]", 1)], [number("root[0][1]", 2), DONE], [[1, 2]]),
    "implied string": Context(
        [wire("root.a.b", "PartialString", "x")],
        [wire("root.a.b", "CompleteString", "x"), number("root.a.c", 1), number("root.d", 2), DONE],
        {"a": {"b": "x", "c": 1}, "d": 2},
    ),
    "nasty key": Context(
        [OPEN, wire('root["a.b"]', "StartObject")],
        [number('root["a.b"][""]', 1), wire('root["a.b"]', "EndObject"), CLOSE, DONE],
        {"a.b": {"": 1}},
    ),
    "root number": Context([number("root", 5)], [DONE], 5),
    "root closed": Context([OPEN_LIST, CLOSE_LIST], [DONE], []),
    "complete": Context([OPEN, number("root.a", 1), CLOSE, DONE], [], {"a": 1}),
    "unnamed root": Context(
        [wire("", "StartObject"), number("a", 1)],
        [number("b", 2), wire("", "EndObject"), wire("", "JsonComplete")],
        {"a": 1, "b": 2},
    ),
    "named root": Context(
        [wire("args", "StartObject"), number("args.a", 1)],
        [number("args.b", 2), wire("args", "EndObject"), wire("args", "JsonComplete")],
        {"a": 1, "b": 2},
    ),
}

MISPLACED, INVALID, PATH = "misplaced_update", "invalid_update", "invalid_path"

MALFORMED: list[Any] = [
    # another kind than what came before allows
    ("nothing", "an end without a start", CLOSE, MISPLACED),
    ("nothing", "the end of an array without a start", CLOSE_LIST, MISPLACED),
    ("nothing", "the end of nothing", DONE, MISPLACED),
    ("object", "the root ends as an array", CLOSE_LIST, MISPLACED),
    ("object", "the root starts again", OPEN, MISPLACED),
    ("object", "the root starts as an array", OPEN_LIST, MISPLACED),
    ("object", "the document ends in an open object", DONE, MISPLACED),
    ("object", "an index in an object", number("root[0]", 1), MISPLACED),
    ("object", "an end of what is not open", wire("root.a", "EndObject"), MISPLACED),
    ("object", "a part of a string for a number", wire("root.a", "PartialString", "x"), MISPLACED),
    ("object", "a string at an open object", wire("root", "CompleteString", "x"), MISPLACED),
    ("object", "a part of a string at an open object", wire("root", "PartialString", "x"), MISPLACED),
    ("array", "an item left out", number("root[2]", 1), MISPLACED),
    ("array", "an item again", number("root[0]", 1), MISPLACED),
    ("array", "a far item", number("root[99999999999999999]", 1), MISPLACED),
    ("array", "a key in an array", number("root.a", 1), MISPLACED),
    ("array", "a key announced in an array", wire("root", "Key", "a"), MISPLACED),
    ("array", "the root ends as an object", CLOSE, MISPLACED),
    ("array", "a part of a string for a number", wire("root[0]", "PartialString", "x"), MISPLACED),
    ("array", "something in an item that is a number", number("root[0].a", 1), MISPLACED),
    ("array", "an implied container after a gap", number("root[2][0]", 1), MISPLACED),
    ("array", "an implied array that begins with its second item", number("root[1][1]", 1), MISPLACED),
    ("key", "another key than the one announced", number("root.b", 1), MISPLACED),
    ("key", "an implied container under another key", number("root.b.c", 1), MISPLACED),
    ("string", "a number while a string is open", number("root.b", 1), MISPLACED),
    ("string", "a key while a string is open", wire("root", "Key", "b"), MISPLACED),
    ("string", "an end while a string is open", CLOSE, MISPLACED),
    ("string", "the string starts again", wire("root.a", "StartString"), MISPLACED),
    ("string", "a number in the place of an open string", number("root.a", 1), MISPLACED),
    ("string", "null in the place of an open string", wire("root.a", "CompleteNull"), MISPLACED),
    ("string", "something inside a string", number("root.a.b", 1), MISPLACED),
    ("string", "a part of another string", wire("root.b", "PartialString", "x"), MISPLACED),
    ("string", "a string that is shorter than its parts", wire("root.a", "CompleteString", "P"), MISPLACED),
    ("string", "a string of other parts", wire("root.a", "CompleteString", "Londres"), MISPLACED),
    ("string", "no text of a string", wire("root.a", "CompleteString", ""), MISPLACED),
    ("string in array", "the next item", wire("root[1]", "PartialString", "x"), MISPLACED),
    ("string in array", "another text of the same length", wire("root[0]", "CompleteString", "è"), MISPLACED),
    ("a lone surrogate", "the next item", wire("root[1]", "PartialString", "x"), MISPLACED),
    ("a lone surrogate", "no first surrogate", wire("root[0]", "CompleteString", "\ude00"), MISPLACED),
    ("root string", "a part of what is below a string", wire("root.a", "PartialString", "x"), MISPLACED),
    ("root string", "the end in an open string", DONE, MISPLACED),
    ("root string", "an object in the place of an open string", OPEN, MISPLACED),
    ("nested", "the end of the one around", wire("root.a", "EndArray"), MISPLACED),
    ("nested", "the end of the root", CLOSE, MISPLACED),
    ("nested", "a value beside an open container", number("root.a[1]", 1), MISPLACED),
    ("nested", "a value above an open container", number("root.b", 1), MISPLACED),
    ("nested", "an end of the wrong kind", wire("root.a[0]", "EndArray"), MISPLACED),
    ("nested", "a name that only begins the same", number("root.a[0]b", 1), "invalid_path"),
    ("implied", "a part of a string for an object", wire("root.a", "PartialString", "x"), MISPLACED),
    ("implied", "the end of an implied container of another kind", wire("root.a", "EndArray"), MISPLACED),
    ("implied", "an index in an implied object", number("root.a[0]", 1), MISPLACED),
    ("implied list", "a key in an implied array", number("root[0].a", 1), MISPLACED),
    ("implied list", "an item again that was implied", number("root[0]", 1), MISPLACED),
    ("implied list", "an item left out", number("root[2]", 1), MISPLACED),
    ("implied string", "the end while a string is open", DONE, MISPLACED),
    ("implied string", "a part of another string", wire("root.b", "PartialString", "x"), MISPLACED),
    ("implied string", "its container as a string", wire("root.a", "CompleteString", "x"), MISPLACED),
    ("nasty key", "the same key as two", number("root.a.b", 1), MISPLACED),
    ("root number", "a second root", number("root", 6), MISPLACED),
    ("root number", "a member of a number", number("root.a", 6), MISPLACED),
    ("root number", "a key of a number", wire("root", "Key", "a"), MISPLACED),
    ("root number", "an end of a number", CLOSE, MISPLACED),
    ("root number", "a part of a string for a number", wire("root", "PartialString", "x"), MISPLACED),
    ("root closed", "a second end", CLOSE_LIST, MISPLACED),
    ("root closed", "an item of an array that has ended", number("root[0]", 1), MISPLACED),
    ("complete", "a value after the end", number("root.b", 1), MISPLACED),
    ("complete", "a second end", DONE, MISPLACED),
    ("complete", "a second document", OPEN, MISPLACED),
    # another path
    ("object", "another root", number("toor.b", 1), MISPLACED),
    ("object", "a longer name of the root", number("rooted", 1), MISPLACED),
    ("object", "no root", number("b", 1), MISPLACED),
    ("named root", "another root", number("root.b", 1), MISPLACED),
    ("named root", "no root", number("b", 1), MISPLACED),
    ("unnamed root", "a path that begins with a dot", number(".b", 1), PATH),
    ("object", "an empty name", number("root..b", 1), PATH),
    ("object", "an open bracket", number("root[", 1), PATH),
    ("object", "a key without its end", number('root["b', 1), PATH),
    ("object", "an index with a leading zero", number("root[01]", 1), PATH),
    ("object", "a negative index", number("root[-1]", 1), PATH),
    ("object", "a dot at the end", number("root.", 1), PATH),
    ("object", "white space", number("root. b", 1), PATH),
    ("nothing", "a path that is none", number("]", 1), PATH),
    # no update at all
    ("object", "no path", {"kind": "CompleteNull"}, INVALID),
    ("object", "a path that is no text", {"path": ["root"], "kind": "CompleteNull"}, INVALID),
    ("object", "no kind", {"path": "root.b"}, INVALID),
    ("object", "a kind that is no text", {"path": "root.b", "kind": 7}, INVALID),
    ("object", "a kind that can't be looked up", {"path": "root.b", "kind": []}, INVALID),
    ("object", "nothing in it", {}, INVALID),
    ("object", "a text", "root.b", INVALID),
    ("object", "nothing", None, INVALID),
    ("object", "a list", [], INVALID),
    ("object", "a part without text", wire("root.b", "PartialString"), INVALID),
    ("object", "a string without text or parts", wire("root.b", "CompleteString"), MISPLACED),
    ("object", "a key without text", wire("root", "Key"), INVALID),
    ("object", "a part whose text is a number", wire("root.b", "PartialString", 5), INVALID),
    ("object", "a string whose value is a number", wire("root.b", "CompleteString", value=5), INVALID),
    ("object", "a number that is a text", wire("root.b", "CompleteNumber", value="5"), INVALID),
    ("object", "a number that is a boolean", wire("root.b", "CompleteNumber", value=True), INVALID),
    ("object", "a number that is a list", wire("root.b", "CompleteNumber", value=[1]), INVALID),
    ("object", "a number without value and text", wire("root.b", "CompleteNumber"), INVALID),
    ("object", "a number that JSON has not", wire("root.b", "CompleteNumber", "NaN"), INVALID),
    ("object", "a number with a leading zero", wire("root.b", "CompleteNumber", "01"), INVALID),
    ("object", "a number of too many digits", wire("root.b", "CompleteNumber", "1" * 5000), INVALID),
    ("object", "a boolean that is a number", wire("root.b", "CompleteBoolean", value=1), INVALID),
    ("object", "a boolean that is neither", wire("root.b", "CompleteBoolean", "True"), INVALID),
    ("object", "a boolean without a word", wire("root.b", "CompleteBoolean"), INVALID),
    ("object", "an error without a place", wire("root", "Error", "x", error={"code": "truncated"}), INVALID),
    ("object", "an error that is a text", wire("root", "Error", "x", error="truncated"), INVALID),
    (
        "object",
        "an error at infinity",
        wire("root", "Error", "x", error={"code": "x", "index": float("inf"), "line": 1, "column": 1}),
        INVALID,
    ),
    # gaps that can be recognised from what came before
    pytest.param(
        "key", "the end before the value that was announced", CLOSE, MISPLACED,
    ),
    pytest.param(
        "key", "a key before the value of the one announced", wire("root", "Key", "b"), MISPLACED,
    ),
    pytest.param(
        "implied", "a start of what has begun", wire("root.a", "StartObject"), MISPLACED,
    ),
    # values that contradict themselves
    pytest.param(
        "object", "a string of two texts", wire("root.b", "CompleteString", "x", value="y"), INVALID,
    ),
    pytest.param(
        "object", "null with a value", wire("root.b", "CompleteNull", "null", value=5), INVALID,
    ),
    pytest.param(
        "object", "a number of another text", wire("root.b", "CompleteNumber", "abc", value=5), INVALID,
    ),
    pytest.param(
        "object", "a number that is none", wire("root.b", "CompleteNumber", value=float("nan")), INVALID,
    ),
]  # fmt: skip


def state_of(rebuilder: Any) -> tuple[Any, ...]:
    return rebuilder.value, rebuilder.is_complete, rebuilder.open_path, rebuilder.error


def assert_as_before(rebuilder: Any, before: tuple[Any, ...]) -> None:
    value, *others = state_of(rebuilder)
    assert value is before[0]
    assert tuple(others) == before[1:]


@each_build
@pytest.mark.parametrize(("context", "name", "bad", "code"), MALFORMED)
def test_malformed(midstream: Any, context: str, name: str, bad: Any, code: str) -> None:
    check_alone(midstream, CONTEXTS[context], bad, code)
    check_at_the_end_of_a_batch(midstream, CONTEXTS[context], bad, code)
    if context != "a lone surrogate":
        # that is for the reader of the wire form
        check_as_objects(midstream, CONTEXTS[context], bad, code)


@each_build
@pytest.mark.parametrize(
    ("updates", "path"),
    [
        ([OPEN, CLOSE_LIST], "root"),
        ([OPEN, wire("root.a", "StartArray"), CLOSE], "root.a"),
        ([OPEN, wire("root.a", "StartArray"), number("root.a[1]", 1)], "root.a"),
        ([wire("args", "StartObject"), number("args.a[0].b", 1), wire("args.a[0]", "EndArray")], "args.a[0]"),
        ([wire("", "StartObject"), wire("a", "StartArray"), wire("a", "EndObject")], "a"),
    ],
)
def test_a_misplaced_update_is_reported_with_the_open_container(
    midstream: Any, updates: list[Wire], path: str
) -> None:
    with pytest.raises(midstream.JsonStreamError) as caught:
        midstream.JsonFragmentRebuilder().apply(updates)
    assert (caught.value.code, caught.value.path) == (MISPLACED, path)


@each_build
def test_updates_and_their_wire_forms_may_alternate(midstream: Any) -> None:
    updates = midstream.JsonFragmentAccumulator().add_fragment('{"a": [{"b": 1}, "x')
    for pattern in range(1 << len(updates)):
        rebuilder = midstream.JsonFragmentRebuilder()
        for place, update in enumerate(updates):
            rebuilder.apply(midstream.to_wire(update) if pattern >> place & 1 else update)
        assert rebuilder.value == {"a": [{"b": 1}, "x"]}


@each_build
def test_members_of_a_root_without_a_name_imply_it(midstream: Any) -> None:
    for first in (number("a", 1), wire("a", "CompleteBoolean", value=True), wire("a", "PartialString", "x")):
        rebuilder = midstream.JsonFragmentRebuilder()
        rebuilder.apply([first])
        assert [*rebuilder.value] == ["a"]


@each_build
def test_kinds_may_be_written_in_camel_case(midstream: Any) -> None:
    for update in midstream.updates(['{"a": "b', 'c", "d": [1, true, null]}']):
        data = midstream.to_wire(update)
        kind = data["kind"]
        assert midstream.from_wire(data | {"kind": kind[0].lower() + kind[1:]}) == update


@each_build
@pytest.mark.parametrize("kind", ["Repair", "Complete", "COMPLETENULL", ""])
@pytest.mark.parametrize("context", CONTEXTS.values(), ids=list(CONTEXTS))
def test_unknown_kinds_are_ignored(midstream: Any, context: Context, kind: str) -> None:
    """A newer sender may use kinds that this version does not know; `from_wire` refuses them."""
    unknown = {"path": "root.new[1]", "kind": kind, "textValue": "x", "value": {"a": 1}}
    plain, other = midstream.JsonFragmentRebuilder(), midstream.JsonFragmentRebuilder()
    for update in [*context.before, *context.then]:
        plain.apply(update)
        assert other.apply(unknown) is False
        other.apply([unknown, update, unknown])
        assert state_of(other) == state_of(plain)
    with pytest.raises(midstream.JsonStreamError):
        midstream.from_wire(unknown)


def check_alone(midstream: Any, context: Context, bad: Any, code: str) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(context.before)
    state, kept = state_of(rebuilder), copy.deepcopy(rebuilder.value)
    for _ in range(2):
        with pytest.raises(midstream.JsonStreamError) as caught:
            rebuilder.apply([bad])
        assert caught.value.code == code
        assert str(caught.value)
        assert_as_before(rebuilder, state)
    # what is right still continues, alone as well as in a list
    for update in context.then:
        rebuilder.apply(update)
        with pytest.raises(midstream.JsonStreamError):
            rebuilder.apply({"path": 5})
    assert exactly(rebuilder.value) == exactly(context.value)
    assert exactly(state[0]) == exactly(kept)


def check_at_the_end_of_a_batch(midstream: Any, context: Context, bad: Any, code: str) -> None:
    before, then, value = context
    for split in range(len(before) + 1):
        rebuilder = midstream.JsonFragmentRebuilder()
        rebuilder.apply(before[:split])
        state = state_of(rebuilder)
        with pytest.raises(midstream.JsonStreamError) as caught:
            rebuilder.apply(iter([*before[split:], bad]))
        assert caught.value.code == code
        assert_as_before(rebuilder, state)
        rebuilder.apply([*before[split:], *then])
        assert exactly(rebuilder.value) == exactly(value)


def check_as_objects(midstream: Any, context: Context, bad: Any, code: str) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply([midstream.from_wire(update) for update in context.before])
    state = state_of(rebuilder)
    with pytest.raises(midstream.JsonStreamError) as caught:
        rebuilder.apply([midstream.from_wire(bad)])
    # an update can't be made of a path that is none, wherever it is
    assert caught.value.code in (code, PATH)
    assert_as_before(rebuilder, state)
    rebuilder.apply([midstream.from_wire(update) for update in context.then])
    assert exactly(rebuilder.value) == exactly(context.value)


@each_build
@pytest.mark.parametrize("context", CONTEXTS)
def test_contexts_are_well_formed(midstream: Any, context: str) -> None:
    before, then, value = CONTEXTS[context]
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(before)
    rebuilder.apply(then)
    assert exactly(rebuilder.value) == exactly(value)
    rebuilder.reset()
    assert state_of(rebuilder) == (midstream.UNDEFINED, False, None, None)
    rebuilder.apply([*before, *then])
    assert exactly(rebuilder.value) == exactly(value)


@each_build
def test_malformed_beyond_the_limits(midstream: Any) -> None:
    deep = midstream.JsonFragmentRebuilder(limits=midstream.Limits(max_depth=2))
    deep.apply([OPEN_LIST, wire("root[0]", "StartArray")])
    for bad in (wire("root[0][0]", "StartObject"), number("root[0][0].a", 1), number("root[0][0][0]", 1)):
        with pytest.raises(midstream.JsonStreamError) as caught:
            deep.apply([bad])
        assert caught.value.code == "depth_limit"
        assert deep.value == [[]]
    long = midstream.JsonFragmentRebuilder(limits=midstream.Limits(max_string=3))
    long.apply(wire("root", "PartialString", "ab"))
    for bad in (wire("root", "PartialString", "cd"), wire("root", "CompleteString", "abcd")):
        with pytest.raises(midstream.JsonStreamError) as caught:
            long.apply([bad])
        assert caught.value.code == "string_limit"
        assert long.value == "ab"
    long.apply(wire("root", "CompleteString", "abc"))
    assert long.value == "abc"


@each_build
def test_malformed_key_beyond_the_limit(midstream: Any) -> None:
    rebuilder = midstream.JsonFragmentRebuilder(limits=midstream.Limits(max_string=3))
    with pytest.raises(midstream.JsonStreamError):
        rebuilder.apply(number("root.abcd", 1))


@each_build
def test_malformed_iterators_undo_the_batch_too(midstream: Any) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(OPEN)

    def broken() -> Iterator[Wire]:
        yield number("root.a", 1)
        raise OSError("the line is dead")

    with pytest.raises(OSError, match="the line is dead"):
        rebuilder.apply(broken())
    assert rebuilder.value == {}
    rebuilder.apply([number("root.b", 1), CLOSE, DONE])
    assert rebuilder.value == {"b": 1}


@each_build
def test_malformed_calls_from_inside_a_call(midstream: Any) -> None:
    """The accumulators refuse it; here what the outer call has noted is carried out, and not undone."""
    rebuilder = midstream.JsonFragmentRebuilder()

    def source() -> Iterator[Wire]:
        yield OPEN
        rebuilder.apply(number("root.a", 1))
        yield number("root[7]", 1)

    with pytest.raises((midstream.JsonStreamError, RuntimeError)):
        rebuilder.apply(source())
    assert rebuilder.value is midstream.UNDEFINED


@each_build
def test_malformed_path_of_an_error(midstream: Any) -> None:
    with pytest.raises(midstream.JsonStreamError):
        midstream.JsonFragmentRebuilder().apply(wire("root..", "Error", "x"))


class Word(str):
    """Text of a class of its own, as some libraries hand it out."""

    __slots__ = ()


@pytest.mark.parametrize(
    "build",
    [pytest.param(name) if name == "compiled" else name for name in BUILDS],
)
def test_subclasses_of_str_are_text(build: str) -> None:
    midstream: Any = BUILDS[build]
    rebuilder = midstream.JsonFragmentRebuilder(root=Word("root"))
    key, path = wire(Word("root"), Word("Key"), Word("a")), Word("root.a")
    rebuilder.apply(
        [OPEN, key, wire(path, "PartialString", Word("x")), wire(path, "CompleteString", Word("xy"))]
    )
    assert rebuilder.value == {"a": "xy"}


@each_build
def test_any_mapping_is_a_wire_form(midstream: Any) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply([MappingProxyType(OPEN), MappingProxyType(number("root.a", 1))])
    assert rebuilder.value == {"a": 1}


@each_build
def test_any_mapping_is_a_wire_form_alone_too(midstream: Any) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(MappingProxyType(OPEN))
    assert rebuilder.value == {}


@each_build
@pytest.mark.parametrize(
    ("update", "value"),
    [
        pytest.param(("CompleteNumber", "12"), 12),
        pytest.param(("CompleteBoolean", "true"), True),
        pytest.param(("CompleteString", None, "x"), "x"),
        (("CompleteNull",), None),
        (("CompleteString", "x"), "x"),
    ],
)
def test_an_update_made_by_hand_is_what_its_wire_form_is(midstream: Any, update: Any, value: Any) -> None:
    made = midstream.JsonFragmentUpdate("root", *update)
    for form in (midstream.to_wire(made), made):
        rebuilder = midstream.JsonFragmentRebuilder()
        rebuilder.apply(form)
        assert exactly(rebuilder.value) == exactly(value)


@each_build
@pytest.mark.parametrize(
    "update",
    [
        pytest.param(("PartialString", 5)),
        pytest.param(("CompleteString", 5)),
        pytest.param(("Key", None)),
        pytest.param(("PartialString", None)),
    ],
)
def test_malformed_updates_made_by_hand(midstream: Any, update: Any) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    with pytest.raises(midstream.JsonStreamError):
        rebuilder.apply(midstream.JsonFragmentUpdate("root", *update))


@each_build
@pytest.mark.parametrize(
    "paths",
    [
        ("root.city.x", "root.city.y"),
        pytest.param(
            ('root["city"].x', 'root["city"].y'),
        ),
        ('root["city"].x', "root.city.y"),
    ],
)
def test_a_path_may_be_spelled_in_more_than_one_way(midstream: Any, paths: tuple[str, str]) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply([number(path, 1) for path in paths])
    assert rebuilder.value == {"city": {"x": 1, "y": 1}}


# --- 6: same value


def camel(update: Wire) -> Wire:
    kind = update["kind"]
    return {**update, "kind": kind[0].lower() + kind[1:]}


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data))


FORMS: dict[str, Callable[[Any, list[Any]], list[Any]]] = {
    "updates": lambda midstream, updates: updates,
    "wire": lambda midstream, updates: [midstream.to_wire(update) for update in updates],
    "JSON": lambda midstream, updates: [through_json(midstream.to_wire(update)) for update in updates],
    "camelCase": lambda midstream, updates: [camel(midstream.to_wire(update)) for update in updates],
    "read back": lambda midstream, updates: [
        midstream.from_wire(through_json(midstream.to_wire(update))) for update in updates
    ],
    "copies": lambda midstream, updates: copy.deepcopy(updates),
}


def batches(midstream: Any, fragments: Iterable[Any], **options: Any) -> Iterator[tuple[list[Any], Any, Any]]:
    """Yield the updates of every fragment, and beside them what an accumulator of values shows."""
    updates = midstream.JsonFragmentAccumulator(**options)
    options = {name: value for name, value in options.items() if name != "root"}
    values = midstream.JsonValueAccumulator(**options)
    for fragment in fragments:
        values.add_fragment(fragment)
        yield updates.add_fragment(fragment), values.value, values.open_path
    values.finish()
    yield updates.finish(), values.value, values.open_path


def without_lone_surrogates(value: Any) -> str:
    """Write a value without the lone surrogates that a string ends in: on the wire the last one waits."""
    return re.sub(r"(?:\\ud[89ab][0-9a-f]{2})+(?=['\"])", "", exactly(value))


def check_every_batch(
    midstream: Any, fragments: list[Any], forms: Iterable[str], given_root: Any, **options: Any
) -> None:
    rebuilders = {form: midstream.JsonFragmentRebuilder(root=given_root) for form in forms}
    for updates, value, open_path in batches(midstream, fragments, **options):
        for form, rebuilder in rebuilders.items():
            before = rebuilder.value
            changed = rebuilder.apply(FORMS[form](midstream, updates))
            assert without_lone_surrogates(rebuilder.value) == without_lone_surrogates(value), form
            assert rebuilder.open_path == open_path, form
            assert changed is (rebuilder.value is not before) or exactly(before) == exactly(
                rebuilder.value
            ), form
    for rebuilder in rebuilders.values():
        assert exactly(rebuilder.value) == exactly(value)


@each_build
@given(
    text=documents,
    at=cuts,
    root=st.sampled_from(["root", "", "args", "a.b", "root.x"]),
    is_given=st.booleans(),
)
@fewer
def test_invariant_6_every_batch_rebuilds_what_the_value_is_then(
    midstream: Any, text: str, at: list[int], root: str, is_given: bool
) -> None:
    # of these, a root that is no container has a name only if it is given, or if it is the usual one
    is_given = is_given or root in ("a.b", "root.x") or (root == "args" and text.strip()[0] not in "{[")
    check_every_batch(midstream, pieces(text, at), FORMS, root if is_given else None, root=root)
    rebuilder = midstream.JsonFragmentRebuilder(root=root)
    rebuilder.apply(midstream.updates(text, root=root))
    assert rebuilder.is_complete
    assert exactly(rebuilder.value) == exactly(json.loads(text))


@each_build
@pytest.mark.parametrize("cut", [[RICH], characters(RICH), pieces(RICH, range(0, 400, 7))], ids=len)
def test_invariant_6_a_rich_document(midstream: Any, cut: list[Any]) -> None:
    check_every_batch(midstream, cut, FORMS, None)


@each_build
@pytest.mark.parametrize(
    "text", ["1", "-0", "1e999", '""', '"é"', "true", "null", "[]", "{}", '{"root": 1}', "[[]]"]
)
@pytest.mark.parametrize("root", ["root", ""])
def test_invariant_6_small_roots(midstream: Any, text: str, root: str) -> None:
    check_every_batch(midstream, characters(text), FORMS, None, root=root)


@each_build
@pytest.mark.parametrize("member", ['{"k":', "[", '{"a.b":[0,'])
def test_invariant_6_deep(midstream: Any, member: str) -> None:
    closers = {"[": "]", "{": "}"}
    opened = member * (500 // (1 + member.count("[0")))
    text = opened + '"x"' + "".join(closers[char] for char in reversed(opened) if char in closers)
    value = json.loads(text)
    for form in ("updates", "wire"):
        rebuilder = midstream.JsonFragmentRebuilder()
        for updates, _, _ in batches(midstream, pieces(text, range(0, len(text), 97))):
            rebuilder.apply(FORMS[form](midstream, updates))
        assert rebuilder.value == value
        assert rebuilder.is_complete


@each_build
@given(text=anything, at=cuts, on_error=st.sampled_from(["event", "recover"]))
@fewer_as_found
def test_invariant_6_damage_rebuilds_the_same(
    midstream: Any, text: Any, at: list[int], on_error: str
) -> None:
    forms = ["updates", "wire", "JSON", "read back", "copies"]
    if isinstance(text, str) and any("\ud800" <= char <= "\udfff" for char in text):
        # surrogates that are characters of their own become one in JSON
        forms = ["updates", "copies"]
    # a damaged root has no container that contains its name
    check_every_batch(midstream, pieces(text, at), forms, "root", on_error=on_error, after_root="ignore")


@each_build
def test_invariant_6_lone_surrogates(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    rebuilder, over_there = midstream.JsonFragmentRebuilder(), midstream.JsonFragmentRebuilder()
    updates = acc.add_fragment('["a\\ud800\\ud800')
    rebuilder.apply(updates)
    over_there.apply([midstream.to_wire(update) for update in updates])
    assert exactly(rebuilder.value) == exactly(["a\ud800"])
    # on the wire it may be the high surrogate of a pair that the sender has split
    assert exactly(over_there.value) == exactly(["a"])
    updates = acc.add_fragment('"]')
    rebuilder.apply(updates)
    over_there.apply([midstream.to_wire(update) for update in updates])
    assert exactly(over_there.value) == exactly(rebuilder.value) == exactly(["a\ud800\ud800"])


@each_build
@pytest.mark.parametrize("left_out", [(), ("StartString",)])
@pytest.mark.parametrize("text", ['"x😀y"', '["x😀y", {"k": "😀😀"}]'])
def test_invariant_6_pairs_that_a_sender_cut_in_two(midstream: Any, text: str, left_out: Any) -> None:
    """Updates read with `from_wire` give the same value as their wire form, one surrogate at a time."""
    units = [*text.encode("utf-16-le", "surrogatepass")]
    surrogates = "".join(
        map(chr, (low + 256 * high for low, high in zip(units[::2], units[1::2], strict=True)))
    )
    accumulator = midstream.JsonFragmentAccumulator()
    plain, read = midstream.JsonFragmentRebuilder(), midstream.JsonFragmentRebuilder()
    own = midstream.JsonFragmentRebuilder()
    for unit in surrogates:
        updates = [update for update in accumulator.add_fragment(unit) if update.kind not in left_out]
        own.apply(updates)
        for update in updates:
            wire = through_json(midstream.to_wire(update))
            plain.apply(wire)
            read.apply(midstream.from_wire(wire))
            assert exactly(read.value) == exactly(plain.value)
            assert read.open_path == plain.open_path
    assert exactly(read.value) == exactly(json.loads(text))
    assert read.is_complete
    # as the accumulator gives them they are what the text says: lone surrogates
    assert exactly(own.value) == exactly(json.loads(surrogates))


@each_build
def test_invariant_6_surrogates_after_a_checkpoint(midstream: Any) -> None:
    """Another accumulator that continues the string is no other sender."""
    first = midstream.JsonFragmentAccumulator()
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(first.add_fragment('["\ud83d\ude00\ud83d'))
    second = midstream.JsonFragmentAccumulator.restore(first.checkpoint())
    rebuilder.apply(second.add_fragment('"]'))
    assert exactly(rebuilder.value) == exactly(["\ud83d\ude00\ud83d"])


@each_build
def test_invariant_6_keys_with_lone_surrogates(midstream: Any) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply([midstream.to_wire(update) for update in midstream.updates('{"\ud83d\ude00": 1}')])
    assert list(rebuilder.value.values()) == [1]


@each_build
@given(text=documents, at=cuts)
@fewer
def test_invariant_6_without_keys_and_starts_of_strings(midstream: Any, text: str, at: list[int]) -> None:
    if has_repeated_keys(text):
        return
    for left_out in (
        {"Key"},
        {"StartString"},
        {"Key", "StartString"},
        {"Key", "StartString", "PartialString"},
    ):
        for form in ("updates", "JSON"):
            rebuilder = midstream.JsonFragmentRebuilder()
            for updates, value, _ in batches(midstream, pieces(text, at)):
                kept = [update for update in updates if update.kind not in left_out]
                rebuilder.apply(FORMS[form](midstream, kept))
                assert rebuilder.value is midstream.UNDEFINED or is_contained(rebuilder.value, value)
            assert exactly(rebuilder.value) == exactly(json.loads(text))
            assert rebuilder.is_complete


@each_build
@given(text=documents, at=cuts, data=st.data())
@fewer
def test_invariant_6_with_containers_only_implied(
    midstream: Any, text: str, at: list[int], data: st.DataObject
) -> None:
    document = json.loads(text)
    if has_repeated_keys(text):
        return
    full = [path for path, part in parts_in(document).items() if part and isinstance(part, (dict, list))]
    implied = set(data.draw(st.sets(st.sampled_from(full)))) if full else set()
    if data.draw(st.booleans()):
        implied = set(full)
    left_out = data.draw(st.sampled_from([set(), {"Key"}, {"Key", "StartString"}]))
    for form in ("updates", "JSON"):
        rebuilder = midstream.JsonFragmentRebuilder()
        for updates, value, _ in batches(midstream, pieces(text, at)):
            kept = [
                update
                for update in updates
                if update.kind not in left_out
                and not (update.segments in implied and update.kind[-6:] in ("Object", "tArray", "dArray"))
            ]
            rebuilder.apply(FORMS[form](midstream, kept))
            assert rebuilder.value is midstream.UNDEFINED or is_contained(rebuilder.value, value)
        assert exactly(rebuilder.value) == exactly(document)
        assert rebuilder.is_complete
        assert rebuilder.open_path is None


REPEATED = [
    '{"a":"x","a":"y"}',
    '{"a":1,"a":"y"}',
    '{"a":"x","a":2}',
    '{"a":{"b":1},"a":{"c":2}}',
    '{"a":"","a":""}',
]


@each_build
@pytest.mark.parametrize(
    ("left_out", "text"),
    [
        (left_out, text)
        for left_out in ({"Key"}, {"StartString"}, {"Key", "StartString"})
        for text in REPEATED
    ],
)
def test_invariant_6_repeated_keys_without_keys_and_starts(
    midstream: Any, text: str, left_out: set[str]
) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    kept = [update for update in midstream.updates(text) if update.kind not in left_out]
    if left_out == {"Key", "StartString"} and text in REPEATED[:2]:
        # nothing distinguishes this from a part of a string for a value that has ended
        with pytest.raises(midstream.JsonStreamError):
            rebuilder.apply(kept)
    else:
        rebuilder.apply(kept)
        assert exactly(rebuilder.value) == exactly(json.loads(text))


@each_build
@given(text=st.one_of(documents, damaged()), at=cuts)
@fewer
def test_invariant_6_it_agrees_with_the_model(midstream: Any, text: str, at: list[int]) -> None:
    model = NaiveParser()
    acc = midstream.JsonFragmentAccumulator(on_error="event")
    rebuilder = midstream.JsonFragmentRebuilder()
    items = []
    for fragment in pieces(text, at):
        items += model.add(fragment)
        rebuilder.apply(acc.add_fragment(fragment))
        assert exactly(seen(midstream, rebuilder.value)) == exactly(fold(items))
        assert rebuilder.is_complete is model.is_complete or model.dead


@each_build
def test_json_complete_locks_and_an_error_after_it_does_not_unlock(midstream: Any) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(midstream.updates("[1]x", on_error="event"))
    value = rebuilder.value
    assert rebuilder.is_complete
    assert rebuilder.error.code == "trailing_text"
    with pytest.raises(midstream.JsonStreamError):
        rebuilder.apply(number("root[1]", 2))
    assert rebuilder.value is value


@each_build
def test_the_root_is_named_by_the_updates_or_given(midstream: Any) -> None:
    for root in ("root", "", "args", "a.b"):
        updates = list(midstream.updates('["x", {"root": 1}]', root=root))
        rebuilder = midstream.JsonFragmentRebuilder()
        rebuilder.apply(updates)
        assert rebuilder.value == ["x", {"root": 1}]
        other = midstream.JsonFragmentRebuilder(root="other")
        with pytest.raises(midstream.JsonStreamError):
            other.apply(updates)
    scalar = midstream.JsonFragmentRebuilder(root="args")
    scalar.apply([midstream.to_wire(update) for update in midstream.updates('"x"', root="args")])
    assert scalar.value == "x"
    scalar.reset()
    scalar.apply([midstream.to_wire(update) for update in midstream.updates("1", root="args")])
    assert scalar.value == 1


# --- 9 and 10: identity and purity


@each_build
@given(text=st.one_of(documents, damaged()), at=cuts, form=st.sampled_from(["updates", "wire", "read back"]))
@fewer
def test_invariant_9_snapshots_share_all_that_is_equal(
    midstream: Any, text: str, at: list[int], form: str
) -> None:
    try:
        repeats = has_repeated_keys(text)
    except ValueError:
        repeats = True
    rebuilder = midstream.JsonFragmentRebuilder(root="root")
    before = rebuilder.value
    for updates, _, _ in batches(midstream, pieces(text, at), on_error="event"):
        changed = rebuilder.apply(FORMS[form](midstream, updates))
        after = rebuilder.value
        assert rebuilder.value is after
        assert (after is before) is not changed or (repeats and isinstance(after, (str, int, float)))
        old, new = parts_in(before), parts_in(after)
        for path in old.keys() & new.keys():
            if exactly(old[path]) == exactly(new[path]):
                assert new[path] is old[path] or repeats
        before = after


@each_build
@given(
    text=anything, at=cuts, bad=st.sampled_from([{"path": 1}, number("root[9]", 1), wire("x", "EndArray")])
)
@fewer_as_found
def test_invariant_10_a_snapshot_stays_as_it_was_read(
    midstream: Any, text: Any, at: list[int], bad: Wire
) -> None:
    rebuilder = midstream.JsonFragmentRebuilder(root="root")
    read: list[tuple[Any, Any]] = []
    for updates, _, _ in batches(midstream, pieces(text, at), on_error="recover", after_root="ignore"):
        rebuilder.apply(updates)
        read.append((rebuilder.value, copy.deepcopy(rebuilder.value)))
        with pytest.raises(midstream.JsonStreamError):
            rebuilder.apply([*updates, bad])
    rebuilder.reset()
    rebuilder.apply([OPEN, number("root.a", 1)])
    for value, as_read in read:
        if value is not midstream.UNDEFINED:
            assert exactly(value) == exactly(as_read)


# --- 8: linear


def rebuild_one_by_one(midstream: Any, updates: list[Any]) -> Any:
    rebuilder = midstream.JsonFragmentRebuilder()
    for update in updates:
        rebuilder.apply((update,))
    return rebuilder


SHAPES: dict[str, Callable[[int], list[str]]] = {
    "deep, a long array at the bottom": lambda n: ['{"k":' * 300 + "[" + "1," * n],
    "deep, many objects at the bottom": lambda n: ['{"k":' * 300 + "[" + '{"a":{}},' * (n // 8)],
    "wide array": lambda n: ["[" + "1," * n],
    "wide object": lambda n: ["{" + ",".join(f'"{i}":1' for i in range(n)) + "}"],
    "a long string in tiny pieces": lambda n: ['["', *["é"] * n, '"]'],
    "many strings": lambda n: ["[" + '"x",' * n],
}


@each_build
@pytest.mark.parametrize("form", ["updates", "wire"])
@pytest.mark.parametrize("shape", SHAPES)
def test_invariant_8_the_time_is_linear_in_the_updates(midstream: Any, shape: str, form: str) -> None:
    def prepare(size: int) -> Callable[[], Any]:
        acc = midstream.JsonFragmentAccumulator()
        updates = [update for piece in SHAPES[shape](size) for update in acc.add_fragment(piece)]
        updates = FORMS[form](midstream, updates)
        return lambda: rebuild_one_by_one(midstream, updates)

    assert_linear(prepare, 300 if shape.startswith("deep") else 1500, times=4)


@each_build
@pytest.mark.parametrize(
    "source",
    [
        "updates",
        "wire",
        "implied wire",
        pytest.param("implied"),
        pytest.param("restored"),
    ],
)
def test_invariant_8_the_depth_costs_nothing_per_update(midstream: Any, source: str) -> None:
    def updates(depth: int) -> list[Any]:
        acc = midstream.JsonFragmentAccumulator()
        made = acc.add_fragment('{"k":' * depth + "[")
        if source == "restored":
            acc = midstream.JsonFragmentAccumulator.restore(acc.checkpoint())
        made += acc.add_fragment("1," * 1000)
        if source.startswith("implied"):
            made = [update for update in made if update.kind == "CompleteNumber"]
        return FORMS["wire"](midstream, made) if source.endswith("wire") else made

    def prepare(depth: int) -> Callable[[], Any]:
        made = updates(depth)
        rebuilder = midstream.JsonFragmentRebuilder()
        rebuilder.apply(made[:-900])
        return lambda: rebuilder.apply(made[-900:])

    assert_level(prepare, 10, 500, 3)


@each_build
def test_invariant_8_a_refused_update_costs_no_more_than_the_document(midstream: Any) -> None:
    import tracemalloc

    text = ('{"' + "k" * 100 + '":') * 800
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(midstream.JsonFragmentAccumulator().add_fragment(text))
    tracemalloc.start()
    try:
        with pytest.raises(midstream.JsonStreamError):
            rebuilder.apply(wire("x", "EndArray"))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 10 * len(text)


@pytest.mark.skipif("compiled" not in BUILDS, reason="only the compiled build could")
def test_invariant_8_no_depth_crashes() -> None:
    code = (
        "import midstream\n"
        "limits = midstream.Limits(max_depth=None)\n"
        "acc = midstream.JsonFragmentAccumulator(limits=limits)\n"
        "rebuilder = midstream.JsonFragmentRebuilder(limits=limits)\n"
        "rebuilder.apply(acc.add_fragment('[' * 150_000))\n"
        "del rebuilder\n"
    )
    # a small stack shows with little memory what a large one shows with much
    done = subprocess.run(
        ["sh", "-c", 'ulimit -s 1024 && exec "$0" -c "$1"', sys.executable, code],
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done


# --- the wire form


KINDS = [
    ("root", "StartObject"),
    ("root", "EndObject"),
    ("root.a", "StartArray"),
    ('root["a.b"]', "EndArray"),
    ("root", "Key", "a", "a"),
    ("root", "Key", "", ""),
    ("root[0]", "StartString"),
    ("root[0]", "PartialString", "é\U0001f600"),
    ("root[0]", "PartialString", "\ud83d"),
    ("root[0]", "CompleteString", "\ude00\ud83d", "\ude00\ud83d"),
    ("root[0]", "CompleteString", "", ""),
    ("root", "CompleteNumber", "12", 12),
    ("root", "CompleteNumber", "-0", 0),
    ("root", "CompleteNumber", "-0.0", -0.0),
    ("root", "CompleteNumber", "1e999", float("inf")),
    ("root", "CompleteNumber", "-1E+999", float("-inf")),
    ("root", "CompleteNumber", "9" * 4300, int("9" * 4300)),
    ("root", "CompleteNumber", "1.0", 1.0),
    ("root", "CompleteBoolean", "true", True),
    ("root", "CompleteBoolean", "false", False),
    ("root", "CompleteNull", "null"),
    ("root", "JsonComplete"),
    ("root.a", "Error", "what a pity"),
    ('root["\ud83d"].a', "StartObject"),
    ("", "StartObject"),
    ("args.x", "CompleteNull", "null"),
]


@each_build
@pytest.mark.parametrize("parts", KINDS, ids=lambda parts: f"{parts[1]} {ascii(parts[2:])[:20]}")
def test_wire_and_back(midstream: Any, parts: Any) -> None:
    update = midstream.JsonFragmentUpdate(*parts)
    plain = midstream.to_wire(update)
    assert None not in plain.values()
    for data in (plain, through_json(plain), camel(plain), through_json(plain) | {"seq": 7}):
        back = midstream.from_wire(data)
        assert back == update
        assert exactly(back.value) == exactly(update.value)
    # the writer of the text escapes what UTF-8 cannot represent
    json.dumps(plain).encode()


@each_build
@given(text=anything, at=cuts, on_error=st.sampled_from(["event", "recover"]))
@fewer_as_found
def test_wire_and_back_of_complete_streams(midstream: Any, text: Any, at: list[int], on_error: str) -> None:
    raw_surrogates = isinstance(text, str) and any("\ud800" <= char <= "\udfff" for char in text)
    for updates, _, _ in batches(midstream, pieces(text, at), on_error=on_error):
        for update in updates:
            plain = midstream.to_wire(update)
            assert set(plain) <= {"path", "kind", "textValue", "value", "error"}
            assert None not in plain.values()
            if not raw_surrogates:
                for back in (midstream.from_wire(plain), midstream.from_wire(through_json(plain))):
                    assert back == update
                    assert back.error == update.error
                    assert back.segments == update.segments
                    assert exactly(back.value) == exactly(update.value)


HOOKS: dict[str, Any] = {
    "Decimal": (int, Decimal),
    "Fraction": (Fraction, Fraction),
    "float": (float, float),
    "str": (str, str),
    "bool": (bool, float),
}


@each_build
@pytest.mark.parametrize(
    "hooks",
    [pytest.param(name) if name in ("str", "bool") else name for name in HOOKS],
)
def test_wire_of_numbers_that_hooks_made(midstream: Any, hooks: str) -> None:
    parse_int, parse_float = HOOKS[hooks]
    updates = list(midstream.updates("[1, -2.5, 1e999, 0.1]", parse_int=parse_int, parse_float=parse_float))
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(updates)
    numbers = ["1", "-2.5", "1e999", "0.1"]
    assert rebuilder.value == [parse_int("1"), *map(parse_float, numbers[1:])]
    # on the wire there is only JSON
    over_there = midstream.JsonFragmentRebuilder()
    over_there.apply([through_json(midstream.to_wire(update)) for update in updates])
    assert over_there.value == [1, -2.5, float("inf"), 0.1]


@each_build
def test_wire_of_a_number_that_another_language_rounded(midstream: Any) -> None:
    sent = wire("root", "CompleteNumber", "12345678901234567891", value=12345678901234567000)
    assert midstream.from_wire(sent).value == 12345678901234567891


@each_build
def test_wire_of_errors(midstream: Any) -> None:
    (*_, update) = midstream.updates('{"a": tru}', on_error="event")
    plain = through_json(midstream.to_wire(update))
    assert plain["error"] == {"code": "invalid_literal", "index": 9, "line": 1, "column": 10}
    assert midstream.from_wire(plain).error == update.error
    assert midstream.from_wire({**plain, "error": {**plain["error"], "code": "new"}}).error.code == "unknown"
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply([OPEN, wire("root", "Error", "without a place")])
    assert rebuilder.error.code == "unknown"
    assert rebuilder.value == {}


# --- 12: one source


PATHS = [
    "root", "root.a", "root.b", "root.a.b", "root.a.a", "root[0]", "root[1]", "root[0].a", "root.a[0]",
    "root.a[1]", "root[0][0]", "root[0][1]", "", "a", "[0]", 'root["a.b"]', 'root[""]', "x", "root..",
    "root[", "root.a.b.a", "args", "args.a", 'root["a"]', 'root["a"].b',
]  # fmt: skip
TEXTS = [
    "",
    "x",
    "xy",
    "a",
    "b",
    "1",
    "-0",
    "1e999",
    "true",
    "null",
    "\ud83d",
    "\ude00",
    "\U0001f600",
    "q\ud83d",
    5,
]
ALL_KINDS = [*(kind.value for kind in JsonFragmentKind), "partialString", "none", None]


def random_update(rng: random.Random) -> Wire:
    update: Wire = {"path": rng.choice(PATHS), "kind": rng.choice(ALL_KINDS)}
    if rng.random() < 0.75:
        update["textValue"] = rng.choice(TEXTS)
    if rng.random() < 0.4:
        update["value"] = rng.choice([1, 1.5, True, False, None, "x", "a", {}, [], float("inf")])
    if update["kind"] == "Error" and rng.random() < 0.5:
        update["error"] = rng.choice([{"code": "truncated", "index": 1, "line": 1, "column": 2}, {}, 5])
    return update


def outcome_of(midstream: Any, rebuilder: Any, batch: Any) -> tuple[Any, ...]:
    before = (exactly(rebuilder.value), rebuilder.is_complete, rebuilder.open_path, exactly(rebuilder.error))
    result: Any
    try:
        result = rebuilder.apply(batch)
    except midstream.JsonStreamError as error:
        result = (str(error), str(error.code), error.index, error.path)
    after = (exactly(rebuilder.value), rebuilder.is_complete, rebuilder.open_path, exactly(rebuilder.error))
    if isinstance(result, tuple):
        assert after == before
    elif not result:
        assert after[0] == before[0]
    return (result, *after)


@pytest.mark.skipif(len(BUILDS) < 2, reason="only one build here")
@given(seed=st.integers(0, 2**64))
@fewer
def test_invariant_12_one_source_whatever_the_updates(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(10):
        root = rng.choice([None, None, "root", "", "args"])
        limits: dict[str, Any] = rng.choice([{}, {}, {"max_depth": 2}, {"max_string": 2}])
        calls = [
            [random_update(rng) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
            for _ in range(rng.randint(1, 14))
        ]
        transcripts = []
        for midstream in BUILDS.values():
            build: Any = midstream
            rebuilder = build.JsonFragmentRebuilder(root=root, limits=build.Limits(**limits))
            transcripts.append([outcome_of(build, rebuilder, call) for call in calls])
        for other in transcripts[1:]:
            assert other == transcripts[0]


@pytest.mark.skipif(len(BUILDS) < 2, reason="only one build here")
@given(text=documents, at=cuts, seed=st.integers(0, 2**64))
@fewer
def test_invariant_12_one_source_for_damaged_streams(text: str, at: list[int], seed: int) -> None:
    transcripts = []
    for midstream in BUILDS.values():
        build: Any = midstream
        rng = random.Random(seed)
        calls = [
            FORMS[rng.choice(["updates", "wire", "read back"])](midstream, updates)
            for updates, _, _ in batches(midstream, pieces(text, at))
        ]
        for call in calls:
            if call and rng.random() < 0.5:
                act, at_ = rng.choice(["drop", "repeat", "swap"]), rng.randrange(len(call))
                if act == "drop":
                    del call[at_]
                elif act == "repeat":
                    call.insert(at_, call[at_])
                else:
                    call[at_ - 1], call[at_] = call[at_], call[at_ - 1]
        rebuilder = build.JsonFragmentRebuilder()
        transcripts.append([outcome_of(build, rebuilder, call) for call in calls])
    for other in transcripts[1:]:
        assert other == transcripts[0]


# --- repairs


@each_build
def test_repairs_change_nothing_and_are_kept(midstream: Any) -> None:
    accumulator = midstream.JsonFragmentAccumulator(dialect="lenient")
    found = accumulator.add_fragment("{a: 'x', /* c */ b: 1,}") + accumulator.finish()
    by_wire, by_object = midstream.JsonFragmentRebuilder(), midstream.JsonFragmentRebuilder()
    for update in found:
        sent = json.loads(json.dumps(midstream.to_wire(update)))
        assert midstream.from_wire(sent) == update
        by_wire.apply(sent)
        by_object.apply(update)
    for rebuilder in (by_wire, by_object):
        assert rebuilder.value == {"a": "x", "b": 1}
        assert rebuilder.is_complete
        assert rebuilder.repairs == accumulator.repairs
    assert [repair.code for repair in by_wire.repairs] == [
        "unquoted_key", "single_quotes", "comment", "unquoted_key", "trailing_comma",
    ]  # fmt: skip
    # one may follow the end of the document, and the number that is kept is limited
    limited = midstream.JsonFragmentRebuilder(limits=midstream.Limits(max_repairs=2))
    repairs = [update for update in found if update.repair]
    limited.apply([{"path": "root", "kind": "CompleteNull"}, {"path": "root", "kind": "JsonComplete"}])
    assert limited.apply(repairs) is False
    assert limited.repairs == accumulator.repairs[:2]


@each_build
def test_the_repairs_of_a_refused_batch_are_forgotten(midstream: Any) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    place = {"index": 4, "line": 1, "column": 5}
    repair = wire("root.a", "Repair", "a comment was skipped", repair={"code": "of tomorrow", **place})
    with pytest.raises(midstream.JsonStreamError):
        rebuilder.apply([repair, CLOSE])
    assert rebuilder.repairs == ()
    rebuilder.apply({**repair, "kind": "repair"})
    assert rebuilder.repairs == (("of tomorrow", "a comment was skipped", 4, 1, 5, "root.a"),)
    for bad in (
        {},
        {"repair": None},
        {"repair": {"code": 1, **place}},
        {"repair": {"code": "x", "index": "y"}},
    ):
        rebuilder.apply(wire("root", "Repair", "x", **bad))
        with pytest.raises(midstream.JsonStreamError):
            midstream.from_wire(wire("root", "Repair", "x", **bad))
    assert len(rebuilder.repairs) == 1

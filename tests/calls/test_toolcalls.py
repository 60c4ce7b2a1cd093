"""Tool calls: which call a piece belongs to, when a call is complete, and what is kept of it for how long."""

from __future__ import annotations

import asyncio
import copy
import gc
import importlib
import json
import pickle
import random
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import pydantic
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from builds import BUILDS, depth_for
from costs import assert_level
from midstream.calls import messages as public
from midstream.calls.messages import (
    MessageEnd,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
    ToolResult,
)
from model import exactly, pieces
from test_invariants import EXAMPLES, cuts, damaged, documents, each_build, examples
from test_rebuild import without_halves

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

half = settings(examples, max_examples=max(1, EXAMPLES // 3))
fewer = settings(examples, max_examples=max(1, EXAMPLES // 5))


# of any types, as what is written with it may be wrong
U: Any = ToolCallUpdate


def messages_of(midstream: Any) -> Any:
    return importlib.import_module(f"{midstream.__name__}.calls.messages")


def for_build(midstream: Any, message: Any) -> Any:
    """Make a message that a build knows of one of the compiled package."""
    classes = messages_of(midstream)
    if isinstance(message, ToolCallsUpdate):
        updates = [for_build(midstream, update) for update in message.tool_call_updates]
        return classes.ToolCallsUpdate(updates, message.message_id)
    cls = getattr(classes, type(message).__name__, None)
    return message if cls is None else cls(*message)


def sent(midstream: Any, way: str, stream: Iterable[Any]) -> list[Any]:
    """Give what arrives at a client: the raw messages, or enriched, as objects, as dicts or through JSON."""
    stream = [for_build(midstream, message) for message in stream]
    if way == "raw":
        return stream
    if way == "events":
        return [messages_of(midstream).to_event(message) for message in stream]
    enriched = midstream.JsonFragmentUpdateMiddleware()(stream)
    if way == "enriched":
        return list(enriched)
    return [json.loads(json.dumps(messages_of(midstream).to_event(message))) for message in enriched]


WAYS = ["raw", "events", "enriched", "JSON"]
# the two that differ most, for the tables; the properties take all
TWO_WAYS = ["raw", "JSON"]


def collect(midstream: Any, arrived: Iterable[Any], message_id: str | None = None) -> list[Any]:
    handler = midstream.ToolsAggregateMessageHandler()
    for message in arrived:
        handler.add_message(message)
    calls: list[Any] = handler.complete(message_id)
    return calls


# --- which call a piece belongs to


class Case(NamedTuple):
    """Pieces, and the calls that they are: id, name, text."""

    name: str
    stream: list[Any]
    calls: Sequence[tuple[str | None, str | None, str]]


A, B = '{"a":1}', '{"b":"é"}'
TWO = [("a", "f", A), ("b", "g", B)]
UNNAMED = [(None, "f", A), (None, "g", B)]

IDENTIFIED = [
    Case(
        "id and name first, the index on all, interleaved",
        [
            *(U("a", 0, "f", ""), U("b", 1, "g", ""), U(None, 0, None, A[:3]), U(None, 1, None, B[:2])),
            *(U(None, 1, None, B[2:]), U(None, 0, None, A[3:])),
        ],
        TWO,
    ),
    Case(
        "id and name on every piece",
        [U("a", 0, "f", A[:3]), U("b", 1, "g", B[:3]), U("a", 0, "f", A[3:]), U("b", 1, "g", B[3:])],
        TWO,
    ),
    Case(
        "id and name on every piece, the last one empty",
        [U("a", 0, "f", A), U("a", 0, "f", ""), U("b", 1, "g", B), U("b", 1, "g", "")],
        TWO,
    ),
    Case(
        "the id changes after the first piece",
        [U("a", 0, "f", A[:3]), U("x", 0, None, A[3:5]), U("y", 0, None, A[5:]), U("b", 1, "g", B)],
        TWO,
    ),
    Case(
        "the id changes and comes back",
        [
            *(U("a", 0, "f", A[:3]), U("b", 1, "g", B[:3]), U("x", 0, None, A[3:5])),
            *(U("b", None, None, B[3:]), U("a", None, None, A[5:])),
        ],
        TWO,
    ),
    Case(
        "index 0 for all, other ids, pieces by index",
        [U("a", 0, "f", A[:3]), U(None, 0, None, A[3:]), U("b", 0, "g", B[:3]), U(None, 0, None, B[3:])],
        TWO,
    ),
    Case(
        "index 0 for all, other ids, pieces by id, interleaved",
        [U("a", 0, "f", A[:3]), U("b", 0, "g", B[:3]), U("a", 0, None, A[3:]), U("b", 0, None, B[3:])],
        TWO,
    ),
    Case(
        "index 0 for all, other ids, the same tool, arguments whole",
        [U("a", 0, "f", A), U("b", 0, "f", A)],
        [("a", "f", A), ("b", "f", A)],
    ),
    Case(
        "index 0 for all, other ids, the name only, then pieces",
        [U("a", 0, "f"), U(None, 0, None, A), U("b", 0, "g"), U(None, 0, None, B)],
        TWO,
    ),
    Case(
        "no index, ids on all, interleaved",
        [
            U("a", None, "f", A[:3]),
            U("b", None, "g", B[:3]),
            U("a", None, None, A[3:]),
            U("b", None, None, B[3:]),
        ],
        TWO,
    ),
    Case(
        "no index, the id first",
        [U("a", None, "f", A[:3]), U(None, None, None, A[3:]), U("b", None, "g"), U(None, None, None, B)],
        TWO,
    ),
    Case(
        "no id, the index on all, interleaved",
        [U(None, 0, "f", A[:3]), U(None, 1, "g", B[:3]), U(None, 0, None, A[3:]), U(None, 1, None, B[3:])],
        UNNAMED,
    ),
    Case(
        "no id, the index and the name on all, interleaved",
        [U(None, 0, "f", A[:3]), U(None, 1, "g", B[:3]), U(None, 0, "f", A[3:]), U(None, 1, "g", B[3:])],
        UNNAMED,
    ),
    Case(
        "neither id nor index, the name first",
        [U(None, None, "f", A[:3]), U(None, None, None, A[3:]), U(None, None, "g", B)],
        UNNAMED,
    ),
    Case(
        "neither id nor index, the name on all",
        [
            U(None, None, "f", A[:3]),
            U(None, None, "f", A[3:]),
            U(None, None, "g", B[:1]),
            U(None, None, "g", B[1:]),
        ],
        UNNAMED,
    ),
    Case(
        "neither id nor index, the same tool twice, arguments whole",
        [U(None, None, "f", A), U(None, None, "f", A)],
        [(None, "f", A), (None, "f", A)],
    ),
    Case(
        "index 0 for all, no id, the same tool twice, arguments whole",
        [U(None, 0, "f", A), U(None, 0, "f", A)],
        [(None, "f", A), (None, "f", A)],
    ),
    Case("nothing but text", [U(function_args=A[:3]), U(function_args=A[3:])], [(None, None, A)]),
    Case(
        "the id comes late",
        [U(None, 0, None, A[:3]), U("a", 0, None, A[3:5]), U("a", None, "f", A[5:])],
        [("a", "f", A)],
    ),
    Case(
        "the index comes late",
        [U("a", None, "f", A[:3]), U(None, 4, None, A[3:5]), U(None, 4, None, A[5:])],
        [("a", "f", A)],
    ),
    Case(
        "the name comes late",
        [U("a", 0, None, A[:3]), U(None, 0, "f", A[3:]), U("b", 1, None, B), U("b", 1, "g")],
        TWO,
    ),
    Case(
        "a known id at the index of another: the index decides",
        [U("a", 0, "f", A), U("b", 1, "g", B[:3]), U("a", 1, None, B[3:])],
        TWO,
    ),
    Case(
        "parallel calls with one id, as OpenRouter sends them",
        [U("x", 0, "f", A[:3]), U("x", 1, "g", B[:2]), U(None, 0, None, A[3:]), U(None, 1, None, B[2:])],
        [("x", "f", A), ("x", "g", B)],
    ),
    Case(
        "parallel calls with one id, on every piece, the same tool",
        [U("x", 0, "f", A[:3]), U("x", 1, "f", B[:2]), U("x", 0, "f", A[3:]), U("x", 1, "f", B[2:])],
        [("x", "f", A), ("x", "f", B)],
    ),
    Case(
        "two choices of one response with one id, as OpenAI sends them",
        [
            *(U("x", 0, "f", "", choice=0), U("x", 0, "f", "", choice=1), U(None, 0, None, A[:3], choice=0)),
            *(U(None, 0, None, B[:4], choice=1), U(None, 0, None, A[3:]), U(None, 0, None, B[4:], choice=1)),
        ],
        [("x", "f", A), ("x", "f", B)],
    ),
    Case(
        "two choices with one id and no index",
        [
            *(U("x", None, "f", A[:3]), U("x", None, "f", B[:3], choice=1)),
            *(U("x", None, None, A[3:]), U("x", None, None, B[3:], choice=1)),
        ],
        [("x", "f", A), ("x", "f", B)],
    ),
    Case(
        "an end by index where calls share an id",
        [U("x", 0, "f", A), U("x", 1, "g", B[:3]), ToolCallEnd("x", 0), U("x", 1, None, B[3:])],
        [("x", "f", A), ("x", "g", B)],
    ),
    Case(
        "an unknown id at a new index",
        [U("a", 0, None, A), U("b", 1, None, B)],
        [("a", None, A), ("b", None, B)],
    ),
    Case(
        "an index that is a text",
        [U("a", "i1", "f", A[:2]), U("b", "i2", "g", B), U(None, "i1", None, A[2:])],
        TWO,
    ),
    Case(
        "empty ids and names are none", [U("a", 0, "f", A[:2]), U("", 0, "", A[2:]), U("b", 1, "g", B)], TWO
    ),
    Case(
        "block indices that also count text",
        [
            TextDelta("hm"),
            U("a", 1, "f"),
            U(None, 1, None, A),
            ToolCallEnd(index=1),
            U("b", 3, "g", B),
            ToolCallEnd(),
        ],
        TWO,
    ),
    Case(
        "two calls merged by the server: the text survives",
        [U("a", 0, "f", A + B)],
        [("a", "f", A + B)],
    ),
    Case(
        "the same name again behind damage: nothing tells that another call begins",
        [U(None, None, "f", A + "}"), U(None, None, "f", B)],
        [(None, "f", A + "}" + B)],
    ),
    Case(
        "the same name again behind half a pair",
        [U(None, None, "f", A), U(None, None, None, "\ud83d"), U(None, None, "f", B)],
        [(None, "f", A + "\ud83d" + B)],
    ),
    Case(
        "an unnamed piece behind the end of another call than its own",
        [
            U(None, 0, "f", A + "}"),
            U(None, None, "g", B[:4]),
            ToolCallEnd(index=0),
            U(None, None, None, B[4:]),
        ],
        [(None, "f", A + "}"), (None, "g", B)],
    ),
    Case(
        "an unnamed piece behind the result of another call than its own",
        [U("a", 0, "f", "12"), U(None, None, "g", B[:4]), ToolResult("a", 1), U(None, None, None, B[4:])],
        [("a", "f", "12"), (None, "g", B)],
    ),
    Case(
        "an end by an id that is known in another choice",
        [U("a", 0, "f", A, choice=1), U("b", 0, "g", B[:4]), ToolCallEnd("a", 0), U("b", 0, None, B[4:])],
        TWO,
    ),
    Case(
        "an index that is used again after the end of its call",
        [U("a", 0, "f", A), ToolCallEnd(index=0), U("b", 0, "g", B[:2]), U(None, 0, None, B[2:])],
        TWO,
    ),
    Case(
        "a piece by id behind the end of its call is no part of it",
        [U("a", 0, "f", A), ToolCallEnd("a"), U("a", None, None, "x"), U("b", 1, "g", B)],
        TWO,
    ),
    Case(
        "an empty piece by index behind the end",
        [U("a", 0, "f", A), ToolCallEnd("a"), U(None, 0, None, "")],
        [("a", "f", A)],
    ),
    Case(
        "ids alone, without names",
        [U("a", function_args=A), U("b", function_args=B)],
        [("a", None, A), ("b", None, B)],
    ),
    Case(
        "ids alone, interleaved",
        [
            U("a", function_args=A[:2]),
            U("b", function_args=B[:2]),
            U("a", function_args=A[2:]),
            U("b", function_args=B[2:]),
        ],
        [("a", None, A), ("b", None, B)],
    ),
    Case(
        "no id, the name on all, an empty piece at the end",
        [U(None, 0, "f", A), U(None, 0, "f", "")],
        [(None, "f", A)],
    ),
    Case(
        "no id, the name on all, white space at the end",
        [U(None, None, "f", A), U(None, None, "f", "\n")],
        [(None, "f", A + "\n")],
    ),
    Case(
        "id and name on all, one more behind the end",
        [U("a", 0, "f", A), ToolCallEnd("a"), U("a", 0, "f", "")],
        [("a", "f", A)],
    ),
    Case(
        "id and name on all, one more behind the result",
        [U("a", 0, "f", A), ToolResult("a", 1), U("a", 0, "f", "")],
        [("a", "f", A)],
    ),
    Case(
        "a late piece of an ended call does not hide the one that is open",
        [
            U("a", None, "f", A),
            ToolCallEnd("a"),
            U("b", None, "g", B[:3]),
            U("a"),
            U(None, None, None, B[3:]),
        ],
        TWO,
    ),
]


def check_identified(midstream: Any, case: Case, way: str) -> None:
    calls = collect(midstream, sent(midstream, way, [*case.stream, MessageEnd("stop")]))
    assert [(call.id, call.name, call.raw_args) for call in calls] == case.calls
    for call in calls:
        try:
            value = json.loads(call.raw_args)
        except ValueError:
            assert not call.is_complete
            assert call.error.code == "trailing_text"
        else:
            assert call.is_complete
            assert call.error is None
            assert exactly(call.args) == exactly(value)


@each_build
@pytest.mark.parametrize("way", TWO_WAYS)
@pytest.mark.parametrize("case", IDENTIFIED, ids=lambda case: case.name)
def test_identified(midstream: Any, case: Case, way: str) -> None:
    check_identified(midstream, case, way)


@each_build
@pytest.mark.parametrize("way", WAYS)
def test_identified_within_message_and_choice(midstream: Any, way: str) -> None:
    stream = [U(f"{m}{c}", 0, "f", None, None, m, c) for m in ("m", "n") for c in (0, 1)] + [
        U(None, 0, None, f'["{m}{c}"]', None, m, c) for c in (1, 0) for m in ("n", "m")
    ]
    handler = midstream.ToolsAggregateMessageHandler()
    for message in sent(midstream, way, stream):
        handler.add_message(message)
    assert handler.message_ids == ["m", "n"]
    for message_id in ("n", "m"):
        calls = handler.complete(message_id)
        assert [(call.id, call.args) for call in calls] == [
            (f"{message_id}{c}", [f"{message_id}{c}"]) for c in (0, 1)
        ]
    assert handler.message_ids == []


# --- when a call is complete


TOLD, CUT = MessageEnd("stop"), MessageEnd("length", is_truncated=True)
TRUNCATED, UNDEFINED = "truncated", object()
Outcome = tuple[bool, str | None, Any]
WHOLE: Outcome = (True, None, {"a": 1})

LIVES: dict[str, tuple[list[Any], list[Outcome]]] = {
    "whole, told": ([U("a", 0, "f", A), TOLD], [WHOLE]),
    "whole, not told": ([U("a", 0, "f", A)], [WHOLE]),
    "whole, its end told": ([U("a", 0, "f", A), ToolCallEnd("a")], [WHOLE]),
    "whole, its end told, then cut": ([U("a", 0, "f", A), ToolCallEnd("a"), CUT], [WHOLE]),
    "whole, cut": ([U("a", 0, "f", A), CUT], [(False, TRUNCATED, {"a": 1})]),
    "whole, cut behind another": (
        [U("a", 0, "f", A), U("b", 1, "g", A), CUT],
        [WHOLE, (False, TRUNCATED, {"a": 1})],
    ),
    "whole, cut behind text": ([U("a", 0, "f", A), TextDelta("so"), CUT], [WHOLE]),
    "whole, cut in another choice": (
        [U("a", 0, "f", A), U("b", 0, "f", A, choice=1), MessageEnd("length", True, choice=1), TOLD],
        [WHOLE, (False, TRUNCATED, {"a": 1})],
    ),
    "in pieces, told": ([U("a", 0, "f", A[:2]), U(None, 0, None, A[2:]), TOLD], [WHOLE]),
    "cut off, told": ([U("a", 0, "f", '{"a":1,"b":"x'), TOLD], [(False, TRUNCATED, {"a": 1, "b": "x"})]),
    "cut off, not told": ([U("a", 0, "f", '{"a":1,"b":"x')], [(False, TRUNCATED, {"a": 1, "b": "x"})]),
    "cut off, its end told": ([U("a", 0, "f", '{"a":1'), ToolCallEnd("a")], [(False, TRUNCATED, {})]),
    "cut off, cut": ([U("a", 0, "f", '{"a":"x'), CUT], [(False, TRUNCATED, {"a": "x"})]),
    "cut off, its result there": (
        [U("a", 0, "f", '{"a":"x'), ToolResult("a", 1)],
        [(False, TRUNCATED, {"a": "x"})],
    ),
    "cut off inside an escape": (
        [U("a", 0, "f", '{"a":"x\\ud83d'), CUT],
        [(False, TRUNCATED, {"a": "x\ud83d"})],
    ),
    "cut off before the first value": ([U("a", 0, "f", " "), CUT], [(False, TRUNCATED, UNDEFINED)]),
    "split escapes": (
        [U("a", 0, "f", '{"a":"\\ud8'), U(None, 0, None, "3d\\u"), U(None, 0, None, 'de00"}'), TOLD],
        [(True, None, {"a": "\U0001f600"})],
    ),
    "no arguments, told": ([U("a", 0, "f"), TOLD], [(True, None, {})]),
    "empty arguments, told": ([U("a", 0, "f", ""), U("a", 0, None, ""), TOLD], [(True, None, {})]),
    "white space, told": ([U("a", 0, "f", " \n"), TOLD], [(True, None, {})]),
    "no arguments, not told": ([U("a", 0, "f")], [(False, TRUNCATED, UNDEFINED)]),
    "no arguments, cut": ([U("a", 0, "f"), CUT], [(False, TRUNCATED, UNDEFINED)]),
    "no arguments, its end told": ([U("a", 0, "f"), ToolCallEnd("a")], [(True, None, {})]),
    "no arguments, its end told, then told": ([U("a", 0, "f"), ToolCallEnd("a"), TOLD], [(True, None, {})]),
    "no arguments, its end told, then cut": (
        [U("a", 0, "f"), ToolCallEnd("a"), CUT],
        [(False, TRUNCATED, UNDEFINED)],
    ),
    "no arguments, its end told, cut in the next": (
        [U("a", 0, "f"), ToolCallEnd("a"), U("b", 1, "g", A), CUT],
        [(True, None, {}), (False, TRUNCATED, {"a": 1})],
    ),
    "no arguments, its end told, cut in text": (
        [U("a", 0, "f"), ToolCallEnd("a"), TextDelta("x"), CUT],
        [(True, None, {})],
    ),
    "no arguments, its result there": ([U("a", 0, "f"), ToolResult("a", 1)], [(True, None, {})]),
    "given up": (
        [U("a", 0, "f", A), ToolCallEnd("a", failed=True), TOLD],
        [(False, "provider_error", {"a": 1})],
    ),
    "given up under way": ([U("a", 0, "f", '{"a'), ToolCallEnd("a", failed=True)], [(False, TRUNCATED, {})]),
    "given up without arguments": (
        [U("a", 0, "f"), ToolCallEnd("a", failed=True)],
        [(False, "provider_error", UNDEFINED)],
    ),
    "its result there": ([U("a", 0, "f", A), ToolResult("a", 1), CUT], [WHOLE]),
    "invalid": ([U("a", 0, "f", '{"a":1,b}'), TOLD], [(False, "expected_key", {"a": 1})]),
    "two in one": ([U("a", 0, "f", "{}{}"), TOLD], [(False, "trailing_text", {})]),
    "more behind a whole document": (
        [U("a", 0, "f", A), U(None, 0, None, " x"), TOLD],
        [(False, "trailing_text", {"a": 1})],
    ),
    "white space behind a whole document": ([U("a", 0, "f", A), U(None, 0, None, " \n"), TOLD], [WHOLE]),
    "a list": ([U("a", 0, "f", "[1]"), TOLD], [(True, None, [1])]),
    "a text": ([U("a", 0, "f", '"x"'), TOLD], [(True, None, "x")]),
    "null": ([U("a", 0, "f", "null"), TOLD], [(True, None, None)]),
    "a number, told": ([U("a", 0, "f", "12"), TOLD], [(True, None, 12)]),
    "a number, cut": ([U("a", 0, "f", "12"), CUT], [(False, TRUNCATED, 12)]),
    "a number, not told": ([U("a", 0, "f", "12")], [(False, TRUNCATED, 12)]),
    "free text, told": ([U("a", 0, "f", "SELECT 1", is_free_text=True), TOLD], [(True, None, UNDEFINED)]),
    "free text, its end told": (
        [U("a", 0, "f", "x", is_free_text=True), ToolCallEnd("a")],
        [(True, None, UNDEFINED)],
    ),
    "free text, not told": ([U("a", 0, "f", "x", is_free_text=True)], [(False, TRUNCATED, UNDEFINED)]),
    "free text, cut": ([U("a", 0, "f", "{}", is_free_text=True), CUT], [(False, TRUNCATED, UNDEFINED)]),
    "free text, its end told, then cut": (
        [U("a", 0, "f", "{}", is_free_text=True), ToolCallEnd("a"), CUT],
        [(False, TRUNCATED, UNDEFINED)],
    ),
    "free text, told with the first piece only": (
        [U("a", 0, "f", "SELECT", is_free_text=True), U("a", 0, None, " 1"), TOLD],
        [(True, None, UNDEFINED)],
    ),
    "free text, told before the first piece": (
        [U("a", 0, "f", is_free_text=True), U(None, 0, None, "SELECT"), U(None, 0, None, " 1"), TOLD],
        [(True, None, UNDEFINED)],
    ),
    "free text that nothing names, behind another": (
        [U("a", 0, "f", A), U(None, None, "g", "SEL", is_free_text=True), U(None, None, None, "ECT"), TOLD],
        [WHOLE, (True, None, UNDEFINED)],
    ),
    # what the server tells of one call at its end is not taken for what it tells of another
    "a number at an index, then one that nothing names, cut off": (
        [U(None, 0, "f", "12"), U(None, None, "g", '{"b":'), TOLD],
        [(True, None, 12), (False, TRUNCATED, {})],
    ),
    "cut off at an index, then a number that nothing names": (
        [U(None, 0, "f", '{"b":'), U(None, None, "g", "12"), TOLD],
        [(False, TRUNCATED, {}), (True, None, 12)],
    ),
    "half a pair behind a whole document": (
        [U("a", 0, "f", A), U("a", 0, None, "\ud83d"), TOLD],
        [(False, "trailing_text", {"a": 1})],
    ),
    "half a pair behind the whole document of one that nothing names": (
        [U(None, None, "f", A), U(None, None, None, "\ud83d"), U(None, None, "g", A), TOLD],
        [(False, "trailing_text", {"a": 1}), WHOLE],
    ),
    # what is cut is what got the last content
    "an earlier one cut off, the last one whole, cut": (
        [U("a", 0, "f", '{"a":'), U("b", 1, "g", A), CUT],
        [(False, TRUNCATED, {}), (False, TRUNCATED, {"a": 1})],
    ),
    "an earlier number, the last one whole, cut": (
        [U("a", 0, "f", "12"), U("b", 1, "g", A), CUT],
        [(True, None, 12), (False, TRUNCATED, {"a": 1})],
    ),
    "an earlier one cut off, the last one without arguments, its end told, cut": (
        [U("a", 0, "f", '{"a":'), U("b", 1, "g"), ToolCallEnd("b"), CUT],
        [(False, TRUNCATED, {}), (False, TRUNCATED, UNDEFINED)],
    ),
    "two without ids, the first one cut off": (
        [U(None, None, "f", '{"a":'), U(None, None, "g", A), TOLD],
        [(False, TRUNCATED, {}), WHOLE],
    ),
    "two at one index, the first one cut off": (
        [U(None, 0, "f", '{"a":'), U(None, 0, "g", A), TOLD],
        [(False, TRUNCATED, {}), WHOLE],
    ),
    "two without ids, the first one a number": (
        [U(None, None, "f", "12"), U(None, None, "g", A), TOLD],
        [(True, None, 12), WHOLE],
    ),
    "an empty piece of another before the cut": (
        [U("a", 0, "f", A), U("b", 1, "g", A), U(None, 0, None, ""), CUT],
        [WHOLE, (False, TRUNCATED, {"a": 1})],
    ),
    "a late piece of an ended one before the cut": (
        [U("a", 0, "f", A), ToolCallEnd("a"), U("b", 1, "g", A), U("a", None, None, ""), CUT],
        [WHOLE, (False, TRUNCATED, {"a": 1})],
    ),
    "white space, its end told, then cut": (
        [U("a", 0, "f", " "), ToolCallEnd("a"), CUT],
        [(False, TRUNCATED, UNDEFINED)],
    ),
    "a number, its end told, then cut": (
        [U("a", 0, "f", "12"), ToolCallEnd("a"), CUT],
        [(False, TRUNCATED, 12)],
    ),
    "its end told, then given up": (
        [U("a", 0, "f", A), ToolCallEnd("a"), ToolCallEnd("a", failed=True), MessageEnd("stop")],
        [WHOLE],
    ),
}


def outcome(midstream: Any, call: Any) -> Outcome:
    args = UNDEFINED if call.args is midstream.UNDEFINED else call.args
    return call.is_complete, None if call.error is None else str(call.error.code), args


@each_build
@pytest.mark.parametrize("way", TWO_WAYS)
@pytest.mark.parametrize("life", LIVES)
def test_life(midstream: Any, life: str, way: str) -> None:
    stream, expected = LIVES[life]
    handler = midstream.ToolsAggregateMessageHandler()
    text: dict[int, str] = {}
    for message in sent(midstream, way, stream):
        for number, call in enumerate(handler.add_message(message)):
            # nothing goes back: the text grows, a call that is complete stays so
            assert call.raw_args.startswith(text.get(number, ""))
            text[number] = call.raw_args
    calls = handler.complete()
    assert [outcome(midstream, call) for call in calls] == expected
    assert "".join(call.raw_args for call in calls) == "".join(
        message.function_args or "" for message in stream if isinstance(message, ToolCallUpdate)
    )
    reasons = [message.reason for message in stream if isinstance(message, MessageEnd)]
    if reasons and not any(message.choice for message in stream if isinstance(message, MessageEnd)):
        assert {call.finish_reason for call in calls} == set(reasons)


@each_build
@given(text=documents, at=cuts, way=st.sampled_from(WAYS))
@fewer
def test_life_never_complete_because_the_text_parses(
    midstream: Any, text: str, at: list[int], way: str
) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    stream = [U("a", 0, "f", piece) for piece in pieces(text, at)]
    arrived = sent(midstream, "raw" if way == "enriched" else way, stream)
    if way in ("enriched", "JSON"):
        middleware = midstream.JsonFragmentUpdateMiddleware()
        arrived = [enriched for message in arrived for enriched in middleware.add_message(message)]
    for message in arrived:
        (call,) = handler.add_message(message)
        assert not call.is_complete
        assert call.error is None
    handler.add_message(for_build(midstream, ToolCallEnd("a")))
    (call,) = handler.complete()
    if way in ("raw", "events"):
        assert call.is_complete
        assert exactly(call.args) == exactly(json.loads(text))


# --- end to end


containers = documents.filter(lambda text: text.strip()[0] in "{[")
STYLES = ["id", "index", "both", "id first", "index 0", "all"]


def interleaved(
    rng: random.Random, texts: list[str], style: str, message_id: str | None = None, choice: int = 0
) -> list[list[Any]]:
    """Cut texts into the updates of calls: per call a list, named in a way that a provider might choose."""
    calls = []
    for number, text in enumerate(texts):
        cut = sorted(rng.randint(0, len(text)) for _ in range(rng.randint(0, 5)))
        id, name = f"{message_id}-{choice}-{number}", f"tool{number}"
        updates = []
        for place, piece in enumerate(pieces(text, cut)):
            first = place == 0
            index = 0 if style == "index 0" else number
            updates.append(
                U(
                    id if style in ("id", "both", "all", "index 0") or first else None,
                    index if style != "id" else None,
                    name if style == "all" or first else None,
                    piece or rng.choice([None, ""]),
                    message_id=message_id,
                    choice=choice,
                )
            )
        calls.append(updates)
    return calls


def shuffled(rng: random.Random, lists: list[list[Any]]) -> list[Any]:
    """Mix lists, each in its own order; the first of each come in order, as calls begin."""
    merged = [items.pop(0) for items in lists if items]
    while any(lists):
        merged.append(rng.choice([items for items in lists if items]).pop(0))
    return merged


@each_build
@given(
    texts=st.lists(documents, min_size=1, max_size=4),
    seed=st.integers(0, 2**64),
    style=st.sampled_from(STYLES),
    way=st.sampled_from(WAYS),
)
@half
def test_end_to_end_equals_json_loads(
    midstream: Any, texts: list[str], seed: int, style: str, way: str
) -> None:
    rng = random.Random(seed)
    places = [(message_id, choice) for message_id in ("m", None) for choice in (0, 1)]
    places = places[: rng.randint(1, 4)]
    calls = [call for place in places for call in interleaved(rng, texts, style, *place)]
    stream = shuffled(rng, calls)
    stream += [MessageEnd("stop", message_id=message_id) for message_id, choice in places if choice == 0]
    handler = midstream.ToolsAggregateMessageHandler()
    for message in sent(midstream, way, stream):
        handler.add_message(message)
    for message_id in {message_id for message_id, _ in places}:
        choices = sum(place[0] == message_id for place in places)
        ended = handler.complete(message_id)
        assert [call.raw_args for call in ended] == texts * choices
        for call, text in zip(ended, texts * choices, strict=True):
            assert call.is_complete
            assert call.error is None
            assert exactly(call.args) == exactly(json.loads(text))
            assert call.open_path is None
            assert call.finish_reason == "stop"
    assert handler.message_ids == []


@each_build
@given(
    texts=st.lists(containers, min_size=1, max_size=4),
    seed=st.integers(0, 2**64),
    style=st.sampled_from(STYLES),
    way=st.sampled_from(WAYS),
    end=st.sampled_from([None, TOLD]),
)
@half
def test_end_to_end_cut_anywhere_is_never_complete(
    midstream: Any, texts: list[str], seed: int, style: str, way: str, end: Any
) -> None:
    rng = random.Random(seed)
    stream = shuffled(rng, interleaved(rng, [text.strip() for text in texts], style))
    cut = rng.randint(len(texts), len(stream))
    stream = stream[:cut]
    if stream[-1].function_args and rng.random() < 0.5:
        # inside a piece too
        stream[-1] = stream[-1]._replace(function_args=stream[-1].function_args[: rng.randint(0, 9)])
    # a call without any arguments may be one that needs none, if the end is told
    for call in collect(midstream, sent(midstream, way, [*stream, *([] if end is None else [end])])):
        whole = texts[int(call.name.removeprefix("tool"))].strip()
        assert whole.startswith(call.raw_args)
        assert call.is_complete is (call.raw_args == whole or (call.raw_args == "" and end is not None))
        assert (call.error is None) is call.is_complete
        if not call.is_complete:
            assert call.error.code == "truncated"


@each_build
@given(
    texts=st.lists(documents, min_size=1, max_size=3),
    seed=st.integers(0, 2**64),
    style=st.sampled_from(STYLES),
)
@fewer
def test_end_to_end_cut_by_the_provider(midstream: Any, texts: list[str], seed: int, style: str) -> None:
    """Whatever the last content belonged to is cut, however whole it looks."""
    rng = random.Random(seed)
    stream = shuffled(rng, interleaved(rng, texts, style))
    stream = [update for update in stream if update.function_args or update.function_name]
    stream = stream[: rng.randint(1, len(stream))]
    handler = midstream.ToolsAggregateMessageHandler()
    for message in sent(midstream, "raw", stream[:-1]):
        handler.add_message(message)
    before = [*handler.calls(), None]
    handler.add_message(for_build(midstream, stream[-1]))
    changed = [new.id for new, old in zip(handler.calls(), before, strict=False) if new is not old]
    assume(changed)
    (last,) = changed
    for call in handler.add_message(for_build(midstream, CUT)):
        if call.id == last:
            assert not call.is_complete
            assert call.error.code == "truncated"
        elif call.raw_args:
            whole = texts[int(call.name.removeprefix("tool"))]
            assert call.is_complete or whole != call.raw_args


# --- the middleware


class Tuple(NamedTuple):
    """A message of somebody's own."""

    function_args: str
    tool_call_id: str | None = None
    index: Any = None
    json_update_fragments: Any = None
    other: str = "kept"


@dataclass(frozen=True)
class Frozen:
    """A message of somebody's own."""

    function_args: str | None
    tool_call_id: str | None = None
    index: int | None = None
    function_name: str | None = None
    json_update_fragments: Any = None
    choice: int = 0
    is_free_text: bool = False
    other: str = "kept"


class Model(pydantic.BaseModel):
    """A message of somebody's own."""

    model_config = pydantic.ConfigDict(frozen=True, arbitrary_types_allowed=True)

    function_args: str
    tool_call_id: str | None = None
    index: int | None = None
    json_update_fragments: list[Any] | None = None
    other: str = "kept"


class Plain:
    """A message of somebody's own."""

    def __init__(self, function_args: str, tool_call_id: str | None = None) -> None:
        self.function_args = function_args
        self.tool_call_id = tool_call_id
        self.json_update_fragments: Any = None
        self.other = "kept"


@dataclass
class Several:
    """Several of them."""

    tool_call_updates: Any
    message_id: str | None = None
    other: str = "kept"


def rebuilt(midstream: Any, fragments: Iterable[Any]) -> Any:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(fragments)
    return rebuilder.value if rebuilder.is_complete else ("open", rebuilder.value)


@each_build
@pytest.mark.parametrize(
    "make", [Tuple, Frozen, Plain, lambda *parts: Model(function_args=parts[0], tool_call_id=parts[1])]
)
def test_middleware_takes_messages_of_any_class(midstream: Any, make: Any) -> None:
    stream = [make(A[:3], "a"), make(B[:3], "b"), make(A[3:], "a"), make(B[3:], "b")]
    if make in (Tuple, Frozen):
        stream[1:2] = [make(B[:3], "b", 1)]
    middleware = midstream.JsonFragmentUpdateMiddleware()
    for plural in (False, True):
        if make is Plain or make not in (Tuple, Frozen):
            # without index and name the second id would be taken for another one of the first call
            stream = [message for message in stream if message.tool_call_id == "a"]
        given_stream = [Several([message]) for message in stream] if plural else stream
        out = list(middleware(given_stream))
        if plural:
            assert all(message.other == "kept" for message in out)
            out = [update for message in out for update in message.tool_call_updates]
        assert [type(message) for message in out] == [type(message) for message in stream]
        assert all(message.other == "kept" for message in out)
        assert all(message.json_update_fragments is None for message in stream)
        for id, text in (("a", A), ("b", B)):
            mine = [message for message in out if message.tool_call_id == id]
            if mine:
                assert "".join(message.function_args for message in mine) == text
                fragments = [update for message in mine for update in message.json_update_fragments]
                assert rebuilt(midstream, fragments) == json.loads(text)


@each_build
def test_middleware_takes_dicts_and_lists(midstream: Any) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    wired = [{"path": "root", "kind": "StartArray"}]
    plain = {"tool_call_id": "a", "function_args": "[", "mine": 1}
    (out,) = middleware.add_message(plain)
    assert out == {**plain, "json_update_fragments": wired, "args_offset": 0}
    assert "json_update_fragments" not in plain
    several = {"type": "tools_call_update", "message_id": "m", "tool_call_updates": [plain], "mine": 2}
    (out,) = middleware.add_message(several)
    enriched = {**plain, "json_update_fragments": wired, "args_offset": 0}
    assert out == {**several, "tool_call_updates": [enriched]}
    update = messages_of(midstream).ToolCallUpdate("b", function_args="[", message_id="l")
    for listed in ([update], (update,)):
        middleware = midstream.JsonFragmentUpdateMiddleware()
        (out,) = middleware.add_message(listed)
        assert type(out) is type(listed)
        assert [fragment.kind for fragment in out[0].json_update_fragments] == ["StartArray"]


@each_build
@pytest.mark.parametrize(
    "message",
    [
        pytest.param([{"index": 0, "function_args": "{}"}]),
        pytest.param(
            Several([{"index": 0, "function_args": "{}"}]),
        ),
    ],
)
def test_middleware_enriches_dicts_wherever_they_are(midstream: Any, message: Any) -> None:
    (out,) = midstream.JsonFragmentUpdateMiddleware()([message])
    (update,) = out if isinstance(out, list) else out.tool_call_updates
    assert len(update["json_update_fragments"]) == 3


class Wrapper(NamedTuple):
    """A tuple with names, whose members happen to be updates."""

    first: ToolCallUpdate
    second: ToolCallUpdate


OTHERS: list[Any] = [
    "text",
    b"bytes",
    5,
    None,
    [],
    (),
    {},
    {"type": "ping"},
    {"delta": "x"},
    object(),
    [1, "x"],
    Several([]),
    TextDelta("x"),
    MessageEnd(),
    ToolCallEnd("z"),
    ToolResult("z"),
    {"type": "message_end"},
    ["a", U("a")],
    U("a", function_args="{", json_update_fragments=()),
    {"function_args": "{", "json_update_fragments": []},
]


@each_build
def test_middleware_passes_on_others_as_they_are(midstream: Any) -> None:
    others = [for_build(midstream, message) for message in OTHERS]
    out = list(midstream.JsonFragmentUpdateMiddleware()(iter(others)))
    assert len(out) == len(others)
    assert all(given_ is got for given_, got in zip(others, out, strict=True))

    async def source() -> AsyncIterator[Any]:
        for message in others:
            yield message

    async def run() -> list[Any]:
        return [message async for message in midstream.JsonFragmentUpdateMiddleware()(source())]

    assert all(given_ is got for given_, got in zip(others, asyncio.run(run()), strict=True))


@each_build
@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"type": "text_delta", "delta": "x"}),
        pytest.param({"type": "message_end", "reason": {}}),
        pytest.param({"function_args": {"a": 1}}),
        pytest.param(
            Wrapper(U("a", 0, None, "{}"), U("a", 0, None, "")),
        ),
    ],
    ids=lambda message: type(message).__name__,
)
def test_middleware_passes_on_what_only_looks_alike(midstream: Any, message: Any) -> None:
    (out,) = midstream.JsonFragmentUpdateMiddleware()([message])
    assert out is message


@each_build
@pytest.mark.parametrize(
    ("stream", "values"),
    [
        pytest.param(
            [
                Frozen("[1", "a", 0, choice=0),
                Frozen("[2", "b", 0, choice=1),
                Frozen("]", "a"),
                Frozen("]", "b"),
            ],
            {"a": [1], "b": [2]},
        ),
        pytest.param(
            [
                Frozen(None, "a", 0, "f"),
                Frozen("[1]", None, 0),
                Frozen(None, "b", 0, "g"),
                Frozen("[2]", None, 0),
            ],
            {None: [1]},
        ),
        pytest.param(
            [
                {"tool_call_id": "a", "index": 0, "function_name": "f"},
                {"index": 0, "function_args": "[1]"},
                {"tool_call_id": "b", "index": 0, "function_name": "g"},
                {"index": 0, "function_args": "[2]"},
            ],
            {None: [1]},
        ),
        pytest.param(
            [Frozen("SELECT", "a", 0, is_free_text=True)],
            {},
        ),
    ],
)
def test_middleware_sees_all_that_a_message_tells(midstream: Any, stream: list[Any], values: Any) -> None:
    for message in midstream.JsonFragmentUpdateMiddleware()(stream):
        fields = message if isinstance(message, dict) else vars(message)
        for fragment in fields.get("json_update_fragments") or ():
            kind = fragment["kind"] if isinstance(fragment, dict) else fragment.kind
            assert kind != "Error"


@each_build
def test_middleware_runs_are_apart_and_async_is_the_same(midstream: Any) -> None:
    stream = [
        for_build(midstream, message)
        for message in [U("a", 0, "f", A[:3]), U(None, 0, None, A[3:]), "x", TOLD]
    ]
    middleware = midstream.JsonFragmentUpdateMiddleware()

    async def source() -> AsyncIterator[Any]:
        for message in stream:
            yield message

    async def run() -> list[Any]:
        one, two = middleware(source()), middleware(source())
        mixed = []
        async for message in one:
            mixed.append(message)
            assert await anext(two) == message
        return mixed

    expected = list(middleware(stream))
    assert asyncio.run(run()) == expected
    first, second = middleware(stream), middleware(stream)
    assert [message for pair in zip(first, second, strict=True) for message in pair] == [
        message for message in expected for _ in range(2)
    ]
    assert rebuilt(midstream, [*expected[0].json_update_fragments, *expected[1].json_update_fragments]) == {
        "a": 1
    }


@each_build
def test_middleware_options(midstream: Any) -> None:
    update = for_build(midstream, U("a", function_args='{"a":["b"]}'))
    (out,) = midstream.JsonFragmentUpdateMiddleware(root="args").add_message(update)
    assert out.json_update_fragments[2].path == "args.a"
    limited = midstream.JsonFragmentUpdateMiddleware(limits=midstream.Limits(max_depth=1))
    assert limited.add_message(update)[0].json_update_fragments[-1].error.code == "depth_limit"
    with pytest.raises(ValueError, match="max_depth"):
        midstream.JsonFragmentUpdateMiddleware(limits=midstream.Limits(max_depth=-1))


@each_build
def test_middleware_counts_free_text(midstream: Any) -> None:
    """It has no fragments, but what is lost of it is missed, too."""
    stream = [U("a", 0, "f", piece, is_free_text=True) for piece in ("SELECT ", "a FROM ", "b")]
    events = sent(midstream, "JSON", [*stream, TOLD])
    assert [event.get("args_offset") for event in events] == [0, 7, 14, None]
    assert not any("json_update_fragments" in event for event in events)
    (call,) = collect(midstream, [events[0], *events[2:]])
    assert (call.is_complete, call.error.code) == (False, "misplaced_update")
    assert collect(midstream, events)[0].raw_args == "SELECT a FROM b"


@each_build
def test_middleware_tells_of_half_a_pair_behind_a_document_at_once(midstream: Any) -> None:
    """So it is told of a call that can't be named any more, and to clients that get no text."""
    stream = [U(None, None, "f", A), U(None, None, None, "\ud83d"), U(None, None, "g", A), TOLD]
    events = sent(midstream, "JSON", stream)
    assert [fragment["kind"] for fragment in events[1]["json_update_fragments"]] == ["Error"]
    for event in events:
        event.pop("function_args", None)
    damaged, whole = collect(midstream, events)
    assert (damaged.is_complete, damaged.error.code) == (False, "trailing_text")
    assert whole.is_complete


@each_build
@pytest.mark.parametrize("way", WAYS)
def test_middleware_knows_free_text_as_a_call(midstream: Any, way: str) -> None:
    """An end without a name is that of the free text, not of the call before it."""
    free = U(None, 1, "g", "SELECT", is_free_text=True)
    stream = [U("a", 0, "f", '{"a":'), free, ToolCallEnd(), U("a", 0, None, "1}"), TOLD]
    calls = collect(midstream, sent(midstream, way, stream))
    assert [outcome(midstream, call) for call in calls] == [WHOLE, (True, None, UNDEFINED)]


@each_build
def test_middleware_counts_a_pair_as_it_arrives(midstream: Any) -> None:
    """Two halves in one piece are one character once they have been JSON."""
    stream = [U("a", 0, "f", '["\ud83d\ude00'), U("a", 0, None, '"]'), TOLD]
    for way in WAYS:
        (call,) = collect(midstream, sent(midstream, way, stream))
        assert call.is_complete, way


def kept_by(middleware: Any) -> int:
    registry = middleware._registry
    tables = [table for id in registry.message_ids for table in registry.tables(id)]
    return len(registry.message_ids) + sum(1 + len(table) for table in tables) + len(registry._places)


@each_build
def test_a_handler_forgets_where_the_calls_of_a_message_were(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for number in range(20):
        for id in ("same", f"id{number}"):
            update = U(id, None, "f", "{", None, f"m{number}", number)
            handler.add_message(for_build(midstream, update))
    for number in range(20):
        (_, call) = handler.add_message(for_build(midstream, ToolResult(f"id{number}", 1)))
        assert (call.id, call.error.code) == (f"id{number}", "truncated")
        handler.complete(f"m{number}")
    assert not handler._registry._places
    assert handler.add_message(for_build(midstream, ToolResult("same", 1))) == []


ENDINGS: dict[str, Any] = {
    "its end": lambda n: [ToolCallEnd(f"id{n}")],
    "its end by index": lambda n: [ToolCallEnd(index=n)],
    "its end without a name": lambda n: [ToolCallEnd()],
    "its result": lambda n: [ToolResult(f"id{n}", 1)],
    "the end of the message": lambda n: [MessageEnd("stop")],
}


@each_build
@pytest.mark.parametrize("ending", ENDINGS)
def test_middleware_drops_a_call_that_has_ended(midstream: Any, ending: str) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    for number in range(500):
        for message in [U(f"id{number}", number, "f", '{"a":'), *ENDINGS[ending](number)]:
            middleware.add_message(for_build(midstream, message))
        assert kept_by(middleware) == 0
    assert middleware.finish() == []


@each_build
def test_middleware_does_not_grow_over_many_calls(midstream: Any) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    handler = midstream.ToolsAggregateMessageHandler()
    sizes = []
    for number in range(4_000):
        message_id, id = f"m{number}", f"id{number}"
        for message in (
            U(id, 0, "f", '{"a":1}', message_id=message_id),
            MessageEnd("stop", message_id=message_id),
        ):
            for enriched in middleware.add_message(for_build(midstream, message)):
                handler.add_message(enriched)
        assert handler.complete(message_id)[0].is_complete
        if number % 1999 == 0:
            gc.collect()
            sizes.append(len(gc.get_objects()))
    assert kept_by(middleware) == 0
    assert handler.message_ids == []
    assert sizes[-1] - sizes[1] < 500


@each_build
@pytest.mark.parametrize(
    "end",
    [
        MessageEnd("stop", message_id="m"),
        pytest.param(MessageEnd("stop")),
        pytest.param(ToolCallEnd("a")),
    ],
)
def test_middleware_ends_without_a_message_id_end_the_call(midstream: Any, end: Any) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    for message in (U("a", 0, "f", "{}", message_id="m"), end):
        middleware.add_message(for_build(midstream, message))
    assert kept_by(middleware) == 0


@each_build
def test_middleware_knows_the_message_of_plain_updates(midstream: Any) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    update = {"message_id": None, "index": 0, "function_args": "{}"}
    middleware.add_message({"message_id": "m", "tool_call_updates": [update]})
    middleware.add_message({"type": "message_end", "message_id": "m"})
    assert kept_by(middleware) == 0


@each_build
@given(text=st.one_of(documents, damaged()), at=cuts)
@fewer
def test_middleware_gives_the_updates_of_the_text(midstream: Any, text: str, at: list[int]) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="event")
    middleware = midstream.JsonFragmentUpdateMiddleware()
    for piece in pieces(text, at):
        update = for_build(midstream, U("a", 0, None, piece))
        (out,) = middleware.add_message(update)
        offset = acc.position.index if acc.error is None else out.args_offset
        assert out == update._replace(
            json_update_fragments=tuple(acc.add_fragment(piece)), args_offset=offset
        )
    was_complete = acc.is_complete
    rest = acc.finish() if text.strip() else []
    if acc.is_complete and not was_complete:
        # a number at the root, which may have been cut off
        rest = []
    assert [fragment for out in middleware.finish() for fragment in out.json_update_fragments] == rest
    assert kept_by(middleware) == 0


# --- the handler


@each_build
@given(text=containers, seed=st.integers(0, 2**64))
@fewer
def test_handler_takes_fragments_on_any_of_the_pieces(midstream: Any, text: str, seed: int) -> None:
    rng = random.Random(seed)
    parts = pieces(text, sorted(rng.randint(0, len(text)) for _ in range(3)))
    for pattern in product([True, False], repeat=len(parts)):
        acc = midstream.JsonFragmentAccumulator()
        values = midstream.JsonValueAccumulator()
        handler = midstream.ToolsAggregateMessageHandler()
        for piece, has_fragments in zip(parts, pattern, strict=True):
            values.add_fragment(piece)
            fragments = [midstream.to_wire(update) for update in acc.add_fragment(piece)]
            update = for_build(midstream, U("a", 0, "f", piece, fragments if has_fragments else None))
            (call,) = handler.add_message(update)
            assert without_halves(call.args) == without_halves(values.value)
            assert call.open_path == values.open_path
            assert call.error is None
        (call,) = handler.add_message(for_build(midstream, TOLD))
        assert call.is_complete
        assert call.raw_args == text
        assert exactly(call.args) == exactly(json.loads(text))


@each_build
def test_handler_takes_fragments_without_text(midstream: Any) -> None:
    text = '{"a": [1, "xyz"], "b": null}'
    acc = midstream.JsonFragmentAccumulator()
    handler = midstream.ToolsAggregateMessageHandler()
    kept = []
    for piece in text:
        (call,) = handler.add_message(for_build(midstream, U("a", 0, "f", None, acc.add_fragment(piece))))
        kept.append((call, copy.deepcopy(call.args)))
    (call,) = handler.complete()
    assert (call.args, call.raw_args, call.is_complete) == (json.loads(text), "", True)
    assert all(call.args == args or call.args is midstream.UNDEFINED for call, args in kept)


BAD_FRAGMENTS: list[Any] = [
    [{"path": "root[7]", "kind": "CompleteNull"}],
    [{}],
    [None],
    [5],
    ["root"],
    [{"path": "root..", "kind": "CompleteNull"}],
    [{"path": "elsewhere", "kind": "EndArray"}],
    [{"path": "root", "kind": "JsonComplete"}],
]


@each_build
def test_handler_ignores_updates_of_kinds_that_it_does_not_know(midstream: Any) -> None:
    """A newer sender may have more kinds; what it says besides is used."""
    acc, handler = midstream.JsonFragmentAccumulator(), midstream.ToolsAggregateMessageHandler()
    newer = {"path": "root", "kind": "SomethingNew"}
    text = '{"a": ["x", {"b": 1}], "c": "d"}'
    for piece in pieces(text, [4, 9, 15, 22]):
        updates = acc.add_fragment(piece)
        fragments = [newer, *map(midstream.to_wire, updates), newer]
        (call,) = handler.add_message(midstream.ToolCallUpdate(index=0, json_update_fragments=fragments))
        assert call.error is None
    (call,) = handler.complete()
    assert call.is_complete
    assert call.args == {"a": ["x", {"b": 1}], "c": "d"}


@each_build
@pytest.mark.parametrize("bad", BAD_FRAGMENTS, ids=repr)
def test_handler_falls_back_to_the_text(midstream: Any, bad: Any) -> None:
    text = '{"a": ["x", {"b": 1}], "c": "d"}'
    parts = pieces(text, [4, 9, 15, 22])
    for spoiled in range(len(parts)):
        acc = midstream.JsonFragmentAccumulator()
        values = midstream.JsonValueAccumulator()
        handler = midstream.ToolsAggregateMessageHandler()
        for number, piece in enumerate(parts):
            fragments = [midstream.to_wire(update) for update in acc.add_fragment(piece)]
            event = {"function_args": piece, "json_update_fragments": bad if number == spoiled else fragments}
            values.add_fragment(piece)
            (call,) = handler.add_message(event)
            assert exactly(call.args) == exactly(values.value)
            assert call.error is None
        (call,) = handler.complete()
        assert call.is_complete
        assert call.args == json.loads(text)


@each_build
def test_handler_remembers_a_gap_that_it_can_not_mend(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    first, last = {"path": "root", "kind": "StartObject"}, {"path": "root", "kind": "EndObject"}
    lost = {"path": "root.a", "kind": "CompleteNumber", "value": 1}
    for fragments in (
        [first],
        [lost, {"path": "root[4]", "kind": "CompleteNull"}],
        [last, {**last, "kind": "JsonComplete"}],
    ):
        handler.add_message(for_build(midstream, U("a", 0, "f", None, fragments)))
    (call,) = handler.add_message(for_build(midstream, TOLD))
    assert not call.is_complete
    assert call.error.code == "misplaced_update"


@each_build
@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(
            [
                U("a", 0, "f", '{"a":1'),
                U("a", 0, None, None, [{"path": "root.b", "kind": "CompleteNull"}]),
                U("a", 0, None, "}"),
            ],
        ),
        pytest.param(
            [U("a", 0, "f", None, [{"path": "root.b", "kind": "CompleteNull"}]), U("a", 0, None, '{"a":1}')],
        ),
    ],
)
def test_handler_does_not_complete_what_has_a_gap(midstream: Any, stream: list[Any]) -> None:
    (call,) = collect(midstream, sent(midstream, "raw", [*stream, TOLD]))
    assert not call.is_complete


W = [
    {"path": "root", "kind": "StartObject"},
    {"path": "root.a", "kind": "CompleteNumber", "textValue": "3", "value": 3},
    {"path": "root", "kind": "EndObject"},
    {"path": "root", "kind": "JsonComplete"},
]


@each_build
@pytest.mark.parametrize("end", [TOLD, ToolCallEnd("a"), ToolResult("a", 1), None], ids=repr)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (": 3}", "expected_value"),
        ('{"a": 3', "truncated"),
        ('{"a": 3}}', "trailing_text"),
        ('{"a": 3}\ud83d', "trailing_text"),
        ("\n", "truncated"),
        ('{"a": 4}', "misplaced_update"),
        ('{"a": true}', "misplaced_update"),
        ('{"a": [3]}', "misplaced_update"),
        ('{"b": 3}', "misplaced_update"),
        ('{"a": 3, "b": 4}', "misplaced_update"),
        ("[3]", "misplaced_update"),
        ("{}", "misplaced_update"),
        ("3", "misplaced_update"),
        ('{"a": 3.0}', None),
        (' {"a": 1, "a": 3} ', None),
    ],
)
def test_handler_completes_only_what_the_text_says_too(
    midstream: Any, text: str, code: str | None, end: Any
) -> None:
    """What the fragments showed stays, but a text that says something else is no whole call."""
    for offset in (None, 0):
        handler = midstream.ToolsAggregateMessageHandler()
        handler.add_message(for_build(midstream, U("a", 0, "f", text, W, args_offset=offset)))
        (shown,) = handler.calls()
        before = shown.args
        if end is not None:
            handler.add_message(for_build(midstream, end))
        (call,) = handler.complete()
        assert call.is_complete is (code is None)
        assert (call.error and call.error.code) == code
        assert call.args is before
        assert call.raw_args == text


@each_build
@pytest.mark.parametrize(
    ("fragments", "text", "code"),
    [
        (W[:2], '{"a": 3, "b": 4}', None),
        (W[:3], '{"a": 3}', None),
        ([], '{"a": 3}', None),
        ([{"path": "root.a", "kind": "PartialString", "textValue": "x"}], '{"a": "xy"}', None),
        ([{"path": "root.a", "kind": "PartialString", "textValue": "y"}], '{"a": "xy"}', "misplaced_update"),
        ([{"path": "root[0]", "kind": "CompleteNull"}], "[null, 1]", None),
        ([{"path": "root[0]", "kind": "CompleteNull"}], "[]", "misplaced_update"),
        (W[:2], '{"a": 4}', "misplaced_update"),
        (W[:2], '{"b": 3}', "misplaced_update"),
        (W[:2], "3", "misplaced_update"),
        (W[:2], '{"a": 3', "truncated"),
        (W[:2], '{"a": 3, x', "expected_key"),
        ([], "[1] x", "trailing_text"),
    ],
)
def test_handler_goes_on_with_a_text_that_tells_more(
    midstream: Any, fragments: list[Any], text: str, code: str | None
) -> None:
    """Fragments may stop early; what they showed by then is part of what the text says, or it is no call."""
    handler = midstream.ToolsAggregateMessageHandler()
    (shown,) = handler.add_message(for_build(midstream, U("a", 0, "f", text, fragments)))
    before = shown.args
    (call,) = handler.add_message(for_build(midstream, TOLD))
    assert call.is_complete is (code is None)
    assert (call.error and call.error.code) == code
    if code is None:
        assert call.args == json.loads(text)
    elif fragments:
        assert call.args is before
    else:
        assert call.args == [1]


@each_build
def test_handler_compares_text_and_fragments_however_deep(midstream: Any) -> None:
    deep = depth_for(midstream) // 2
    limits = midstream.Limits(max_depth=None)
    text = '[{"a":' * deep + "1" + "}]" * deep
    middleware = midstream.JsonFragmentUpdateMiddleware(limits=limits)
    handler = midstream.ToolsAggregateMessageHandler(limits)
    for message in (U("a", 0, "f", text), TOLD):
        for enriched in middleware.add_message(for_build(midstream, message)):
            (call,) = handler.add_message(enriched)
    assert call.is_complete


@each_build
def test_handler_takes_no_halves_for_a_contradiction(midstream: Any) -> None:
    """An escaped half beside one that stands for itself is one character on the wire, in keys as in texts."""
    stream = [U("a", 0, "f", '{"\\ud83d\ude00": "\\ud83d\ude00"}'), TOLD]
    for way in WAYS:
        (call,) = collect(midstream, sent(midstream, way, stream))
        assert call.is_complete, way


@each_build
def test_handler_gives_the_same_object_while_nothing_changes(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message(for_build(midstream, U("a", 0, "f", '{"a": [1')))
    (first,) = handler.calls()
    first_again, second = handler.add_message(for_build(midstream, U("b", 1, "g", "{")))
    assert first_again is first
    assert handler.calls()[1] is second
    handler.add_message(for_build(midstream, TextDelta("x")))
    assert handler.calls() == [first, second]
    assert all(map(lambda one, two: one is two, handler.calls(), [first, second]))
    inner = first.args["a"]
    (changed, _) = handler.add_message(for_build(midstream, U("a", 0, None, '], "b":')))
    assert changed is not first
    assert changed.args["a"] == [1]
    assert inner == []
    (changed_again, _) = handler.add_message(for_build(midstream, U("a", 0, None, "2")))
    assert changed_again.args["a"] is changed.args["a"]


@each_build
@pytest.mark.parametrize(
    "message",
    [
        pytest.param(U("a")),
        pytest.param(U(None, 0, "f", "")),
        pytest.param(U("ended")),
        TextDelta("x"),
        ToolCallEnd("ended"),
        ToolResult("ended"),
        ToolResult("nobody"),
    ],
)
def test_handler_gives_the_same_object_after_what_tells_nothing(midstream: Any, message: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for made in (U("ended", 1, "g", "{}"), ToolCallEnd("ended"), U("a", 0, "f", '{"a":')):
        handler.add_message(for_build(midstream, made))
    before = handler.calls()
    handler.add_message(for_build(midstream, message))
    assert all(map(lambda one, two: one is two, handler.calls(), before))


def facts(call: Any) -> tuple[Any, ...]:
    error = None if call.error is None else tuple(call.error)
    parts = (
        call.id,
        call.index,
        call.name,
        without_halves(call.args),
        call.raw_args,
        call.is_complete,
        error,
    )
    return (*parts, call.finish_reason, call.open_path)


@each_build
@given(text=st.one_of(documents, damaged()), at=cuts, seed=st.integers(0, 2**64), way=st.sampled_from(WAYS))
@fewer
def test_handler_snapshots_read_late_are_as_if_read_at_once(
    midstream: Any, text: str, at: list[int], seed: int, way: str
) -> None:
    rng = random.Random(seed)
    stream = sent(midstream, way, [U("a", 0, "f", piece) for piece in pieces(text, at)])
    lazy, eager = midstream.ToolsAggregateMessageHandler(), midstream.ToolsAggregateMessageHandler()
    kept = []
    for message in stream:
        late, expected = lazy.add_message(message), [facts(call) for call in eager.add_message(message)]
        kept.append((late, expected))
        if rng.random() < 0.3:
            shown, as_it_was = kept[rng.randrange(len(kept))]
            assert [facts(call) for call in shown] == as_it_was
    for shown, as_it_was in kept:
        assert [facts(call) for call in shown] == as_it_was


@each_build
@pytest.mark.parametrize("text", ['{"a": "x', '{"a": "x\\ud83d', '"'])
def test_handler_snapshots_read_after_the_end(midstream: Any, text: str) -> None:
    lazy, eager = midstream.ToolsAggregateMessageHandler(), midstream.ToolsAggregateMessageHandler()
    message = for_build(midstream, U("a", 0, "f", text))
    (late,), (call,) = lazy.add_message(message), eager.add_message(message)
    expected = facts(call)
    lazy.complete()
    assert facts(late) == expected


@each_build
def test_handler_snapshots_of_a_server_that_recovers(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="recover")
    handler = midstream.ToolsAggregateMessageHandler()
    text = '{"a": 1, oops, "b": 2'
    (late,) = handler.add_message(
        for_build(midstream, U("a", 0, "f", text + ",", acc.add_fragment(text + ",")))
    )
    handler.add_message(for_build(midstream, U("a", 0, "f", '"c":3}', acc.add_fragment('"c":3}'))))
    assert late.args == {"a": 1, "b": 2}


@each_build
def test_handler_results_lock(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for message in (U("a", 0, "f", '{"a": 1}'), U("b", 1, "g", '{"b')):
        handler.add_message(for_build(midstream, message))
    (locked, _) = handler.add_message(for_build(midstream, ToolResult("a", "fine")))
    assert locked.is_complete
    for message in (U("a", None, None, "more"), U("a", 0), ToolCallEnd("a"), ToolResult("a"), CUT):
        (after, _) = handler.add_message(for_build(midstream, message))
        assert facts(after)[:7] == facts(locked)[:7]
    assert handler.add_message(for_build(midstream, ToolResult(None, 1))) == []
    assert handler.add_message(for_build(midstream, ToolResult("unknown", 1))) == []


@each_build
def test_handler_results_lock_the_index_too(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for message in (U("a", None, "f", "{}"), ToolResult("a", 1), U("a", 5, None, "x")):
        calls = handler.add_message(for_build(midstream, message))
    assert calls[0].index is None


@each_build
def test_handler_results_find_their_call_in_any_message(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for id in ("m", "n"):
        handler.add_message(for_build(midstream, U(f"call-{id}", 0, "f", "{}", message_id=id)))
    (call,) = handler.add_message(for_build(midstream, ToolResult("call-n", 1)))
    assert (call.id, call.is_complete) == ("call-n", True)
    assert not handler.calls("m")[0].is_complete


@each_build
def test_handler_results_may_be_messages_of_their_own(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message(for_build(midstream, U("a", 0, "f", "{}", message_id="m")))
    handler.add_message(for_build(midstream, ToolResult("a", 1, message_id="result-1")))
    assert handler.calls("m")[0].is_complete


def living(midstream: Any) -> int:
    names = {f"{midstream.__name__}.{name}" for name in ("calls.call.CallState", "calls.registry._Message")}
    gc.collect()
    return sum(f"{type(thing).__module__}.{type(thing).__name__}" in names for thing in gc.get_objects())


@each_build
def test_handler_complete_frees_the_message(midstream: Any) -> None:
    before = living(midstream)
    handler = midstream.ToolsAggregateMessageHandler()
    for number in range(20):
        handler.add_message(for_build(midstream, U(f"c{number}", number, "f", '{"a": 1}', message_id="m")))
    assert living(midstream) == before + 21
    calls = handler.complete("m")
    assert all(call.is_complete for call in calls)
    assert handler.calls("m") == []
    assert handler.complete("m") == []
    assert handler.message_ids == []
    del calls
    assert living(midstream) == before


@each_build
def test_handler_snapshots_that_were_read_hold_nothing_else(midstream: Any) -> None:
    before = living(midstream)
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message(for_build(midstream, U("a", 0, "f", '{"a": 1}')))
    (call,) = handler.complete()
    assert (call.args, call.raw_args, call.open_path) == ({"a": 1}, '{"a": 1}', None)
    assert living(midstream) == before


@each_build
def test_handler_shows_the_calls_of_the_message_concerned(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    assert handler.calls() == handler.complete() == handler.message_ids == []
    others: list[Any] = ["x", None, 5, {}, {"type": "ping"}, [], TextDelta("x"), TOLD, ToolCallEnd("a")]
    for message in others:
        assert handler.add_message(for_build(midstream, message)) == []
    assert handler.message_ids == []
    plural = ToolCallsUpdate([U("a", 0, "f", "{}"), U("b", 1, "g", "[]")], "m")
    assert [call.id for call in handler.add_message(for_build(midstream, plural))] == ["a", "b"]
    assert handler.message_ids == ["m"]


MALFORMED_EVENTS: list[Any] = [
    {"type": "tool_call_update", "index": 1.5},
    {"type": "tool_call_update", "index": True},
    {"type": "tool_call_update", "tool_call_id": 5},
    {"type": "tool_call_update", "function_name": []},
    {"function_args": 5},
    {"function_args": {"a": 1}},
    {"function_args": "", "json_update_fragments": {}},
    {"function_args": "", "json_update_fragments": "x"},
    {"function_args": "", "choice": "0"},
    {"function_args": "", "message_id": 7},
    {"tool_call_updates": None},
    {"tool_call_updates": {}},
    {"tool_call_updates": "ab"},
    {"tool_call_updates": [5]},
    {"tool_call_updates": [None]},
    {"tool_call_updates": [{"index": []}]},
    {"type": "tools_call_update", "tool_call_updates": None},
    {"tool_call_updates": [{"tool_call_updates": []}]},
    {"type": "text_delta"},
    {"type": "text_delta", "text": 5},
    {"type": "message_end", "reason": 5},
    {"type": "message_end", "is_truncated": "yes"},
    {"type": "tool_call_end", "failed": 1},
    pytest.param(
        {"tool_call_updates": [{"type": "function"}]},
    ),
    pytest.param(
        {"tool_call_updates": [{"type": "text_delta", "text": "x"}]},
    ),
]


@each_build
@pytest.mark.parametrize("event", MALFORMED_EVENTS, ids=repr)
def test_handler_refuses_malformed_dicts_and_stays_as_it_was(midstream: Any, event: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message({"tool_call_id": "a", "function_args": '{"a":'})
    before = handler.calls()
    with pytest.raises(midstream.JsonStreamError) as caught:
        handler.add_message(event)
    assert caught.value.code == "invalid_event"
    assert handler.calls()[0] is before[0]
    assert handler.message_ids == [None]


def random_message(rng: random.Random, midstream: Any) -> Any:
    """Make any message: sense is no condition."""
    texts = [
        None,
        "",
        "{",
        "}",
        "{}",
        '{"a":',
        "1",
        '"x',
        '"',
        ',"b":2',
        "[1,",
        "2]",
        " ",
        "tr",
        "ue",
        "\\ud83d",
        A,
        "x",
    ]
    id, index = rng.choice([None, None, "a", "b", ""]), rng.choice([None, None, 0, 1, "0"])
    message_id, choice = rng.choice([None, None, None, "m"]), rng.choice([0, 0, 0, 1])
    fragments: Any = None
    if rng.random() < 0.4:
        acc = midstream.JsonFragmentAccumulator(on_error="event")
        fragments = [midstream.to_wire(update) for update in acc.add_fragment(rng.choice(texts[2:]))]
        fragments = rng.choice([fragments, fragments, [], *BAD_FRAGMENTS])
    match rng.choice(["update"] * 12 + ["plural", "end", "end", "text", "result", "message end", "other"]):
        case "update":
            name = rng.choice([None, None, "f", "g", ""])
            return U(id, index, name, rng.choice(texts), fragments, message_id, choice, rng.random() < 0.05)
        case "plural":
            return ToolCallsUpdate([U(id, index, None, rng.choice(texts)), U(index=1)], message_id)
        case "end":
            return ToolCallEnd(id, index, rng.random() < 0.2, message_id, choice)
        case "text":
            return TextDelta("x", message_id, choice)
        case "result":
            return ToolResult(id, 1, message_id)
        case "message end":
            return MessageEnd(
                rng.choice([None, "stop"]), rng.random() < 0.5, message_id, rng.choice([None, 0, 1])
            )
    return rng.choice([5, None, "x", [], object(), {}, {"type": "ping"}, {"type": "text_delta", "text": "x"}])


@given(seed=st.integers(0, 2**64))
@half
def test_handler_takes_any_messages_and_both_builds_agree(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(5):
        stream = [random_message(rng, next(iter(BUILDS.values()))) for _ in range(rng.randint(1, 12))]
        transcripts = []
        for midstream in BUILDS.values():
            build: Any = midstream
            handler = build.ToolsAggregateMessageHandler()
            transcript = []
            for message in stream:
                for call in handler.add_message(for_build(build, message)):
                    assert not (call.is_complete and call.error is not None and not call.raw_args)
                    transcript.append(facts(call))
            for message_id in handler.message_ids:
                for call in handler.complete(message_id):
                    assert call.is_complete or call.error is not None
                    transcript.append(facts(call))
            transcripts.append(transcript)
        for other in transcripts[1:]:
            assert other == transcripts[0]


@given(seed=st.integers(0, 2**64))
@fewer
def test_middleware_takes_any_messages(seed: int) -> None:
    rng = random.Random(seed)
    midstream: Any = BUILDS[rng.choice(list(BUILDS))]
    stream = [for_build(midstream, random_message(rng, midstream)) for _ in range(20)]
    out = list(midstream.JsonFragmentUpdateMiddleware()(stream))
    known = tuple(getattr(messages_of(midstream), name) for name in ("ToolCallUpdate", "ToolCallsUpdate"))
    assert [message for message in out if not isinstance(message, known)] == [
        message for message in stream if not isinstance(message, known)
    ]


@pytest.mark.parametrize(
    "build",
    [pytest.param(name) if name == "plain" else name for name in BUILDS],
)
def test_handler_costs_nothing_for_snapshots_that_nobody_reads(build: str) -> None:
    midstream: Any = BUILDS[build]

    def prepare(size: int) -> Callable[[], None]:
        handler = midstream.ToolsAggregateMessageHandler()
        handler.add_message(for_build(midstream, U("a", 0, "f", "[" + "[]," * size)))
        update = for_build(midstream, U("a", 0, None, "[],[],"))

        def run() -> None:
            for _ in range(20):
                handler.add_message(update)

        return run

    assert_level(prepare, 10, 100_000, 3)


# --- ToolCall and the messages as values


@each_build
def test_tool_call_is_a_value(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    (call,) = handler.add_message(for_build(midstream, U("a", 0, "f", '{"a": [1, "x')))
    other = midstream.ToolCall("a", 0, "f", {"a": [1, "x"]}, '{"a": [1, "x', open_path=("a", 1))
    assert call == other
    assert call != midstream.ToolCall("b", 0, "f", {"a": [1, "x"]}, '{"a": [1, "x', open_path=("a", 1))
    assert call != "f"
    assert pickle.loads(pickle.dumps(call)) == copy.deepcopy(call) == copy.copy(call) == call
    empty = midstream.ToolCall()
    assert pickle.loads(pickle.dumps(empty)).args is midstream.UNDEFINED
    assert repr(empty) == "ToolCall(name=None, args=UNDEFINED, is_complete=False)"
    with pytest.raises(TypeError):
        hash(call)
    match call:
        case midstream.ToolCall(name, {"a": [1, text]}, False, None):
            assert (name, text) == ("f", "x")
        case _:
            pytest.fail("no match")
    for name in ("id", "args", "raw_args", "is_complete", "error", "something"):
        with pytest.raises(AttributeError):
            setattr(call, name, 1)
    unread = handler.calls()[0]
    saved = pickle.dumps(unread)
    (ended,) = handler.complete()
    assert pickle.loads(saved) == unread
    assert pickle.loads(pickle.dumps(ended)) == ended
    assert ended.error.code == "truncated"


@each_build
def test_tool_call_can_not_be_undone(midstream: Any) -> None:
    call = midstream.ToolCall(name="f")
    with pytest.raises(AttributeError):
        del call.name


@pytest.mark.parametrize(
    "message",
    [
        U(),
        U("a", 0, "f", "{", (), "m", 1, True),
        U(index="i"),
        U("a", function_args=""),
        TextDelta(""),
        TextDelta("x", "m", 2),
        ToolCallsUpdate([], None),
        ToolCallsUpdate([U("a"), U("b", 1, message_id="n")], "m"),
        ToolCallEnd(),
        ToolCallEnd("a", 0, True, "m", 1),
        ToolResult(),
        ToolResult("a", {"x": [1]}, "m"),
        MessageEnd(),
        MessageEnd("x", True, "m", 0),
    ],
    ids=repr,
)
def test_messages_as_events_and_back(message: Any) -> None:
    event = json.loads(json.dumps(public.to_event(message)))
    back: Any = public.from_event(event)
    assert type(back) is type(message)
    if isinstance(message, ToolCallsUpdate):
        # each update then also has the id of its message
        updates = [
            update._replace(message_id=update.message_id or message.message_id)
            for update in message.tool_call_updates
        ]
        message = message._replace(tool_call_updates=updates)
    elif isinstance(message, ToolCallUpdate) and message.json_update_fragments is not None:
        message = message._replace(json_update_fragments=[])
    assert back == message
    assert public.to_event(back) == public.to_event(message)


@each_build
@given(text=containers, at=cuts, data=st.data())
@fewer
def test_what_is_lost_on_the_way_is_missed(
    midstream: Any, text: str, at: list[int], data: st.DataObject
) -> None:
    """Without one of the pieces, a call is never complete; with one of them twice, it is the same."""
    text = text.strip()
    stream = [U("a", 0, "f", piece) for piece in pieces(text, at) if piece]
    events = sent(midstream, "JSON", [*stream, MessageEnd("stop")])
    number = data.draw(st.integers(0, len(stream) - 1))
    once_more, without = midstream.ToolsAggregateMessageHandler(), midstream.ToolsAggregateMessageHandler()
    for place, event in enumerate(events):
        once_more.add_message(event)
        if place == number:
            once_more.add_message(event)
        else:
            without.add_message(event)
    (whole,) = once_more.complete()
    assert whole.is_complete
    assert exactly(whole.args) == exactly(json.loads(text))
    for call in without.complete():
        # a call of which nothing came is none
        assert not call.is_complete or len(stream) == 1


@each_build
def test_the_end_of_another_call_is_no_content(midstream: Any) -> None:
    """What the middleware tells at the end of one call does not hide that another one was cut off."""
    stream = [U("a", 0, "f", '{"x": '), U("b", 1, "g", '{"y":1}'), MessageEnd("length", is_truncated=True)]
    handler = midstream.ToolsAggregateMessageHandler()
    for event in sent(midstream, "JSON", stream):
        plain = {name: value for name, value in event.items() if name != "function_args"}
        handler.add_message(plain)
    for call in handler.complete():
        assert not call.is_complete
        assert call.error.code == "truncated"


@each_build
def test_free_text_is_told_before_the_text(midstream: Any) -> None:
    """Told later, it does not make broken arguments complete."""
    handler = midstream.ToolsAggregateMessageHandler()
    for message in (U("a", 0, "f", "{"), U("a", 0, is_free_text=True), MessageEnd("stop")):
        handler.add_message(for_build(midstream, message))
    (call,) = handler.complete()
    assert not call.is_complete


# --- the table of states


@each_build
def test_the_table_of_states_is_complete(midstream: Any) -> None:
    state = importlib.import_module(f"{midstream.__name__}.calls.state")
    assert set(state.TRANSITIONS) == set(state.State)
    assert {event for events in state.TRANSITIONS.values() for event in events} == set(state.Event)
    assert set(state.State) - {state.State.OPEN, state.State.WAITING} == state.ENDED


@each_build
def test_every_transition_of_the_table_happens(midstream: Any) -> None:
    """Each event in each state leads where the table says; a final state is never left."""
    state, call = (
        importlib.import_module(f"{midstream.__name__}.calls.{name}") for name in ("state", "call")
    )
    texts = {"": "TRUNCATED", "12": "TRUNCATED", A: "COMPLETE", A[:3]: "TRUNCATED", "{x": "INVALID"}
    judged = {"CUT": "TRUNCATED", "FROM_TEXT": None, "SIGNALLED": None}
    for text, from_text in texts.items():
        for first in (None, *state.Event):
            for event in state.Event:
                now = call.CallState(midstream.Limits())
                now.add_update(for_build(midstream, U(function_args=text)))
                if first is not None:
                    now.signal(first)
                before = now.state
                now.signal(event)
                step = state.TRANSITIONS[before].get(event)
                if step is None:
                    assert now.state is before
                elif isinstance(step, state.State):
                    assert now.state is step
                elif step.name == "IF_CERTAIN":
                    signalled = "WAITING" if text in ("", "12") else from_text
                    assert now.state.name == signalled
                elif step.name in judged:
                    expected = judged[step.name] or from_text
                    if step.name == "SIGNALLED" and text in ("", "12"):
                        expected = "COMPLETE"
                    assert now.state.name == ("INVALID" if from_text == "INVALID" else expected)


@each_build
def test_a_call_as_plain_data(midstream: Any) -> None:
    (call,) = collect(midstream, sent(midstream, "raw", [U("a", 0, "f", '{"x": [1, "é'), CUT]))
    assert json.loads(json.dumps(call.to_dict())) == {
        "id": "a", "index": 0, "name": "f", "args": {"x": [1, "é"]}, "raw_args": '{"x": [1, "é',
        "is_complete": False, "error": {"code": "truncated", "message": call.error.message},
        "finish_reason": "length",
    }  # fmt: skip
    (call,) = collect(midstream, sent(midstream, "raw", [U(None, None, "f", "")]))
    assert "args" not in call.to_dict()


@each_build
@pytest.mark.parametrize("name", ["tool_call_update", "tools_call_update", None])
def test_the_fields_of_an_event_show_how_many_updates_it_holds(midstream: Any, name: str | None) -> None:
    public = messages_of(midstream)
    one = public.ToolCallUpdate("a", 0, "f", "{}", message_id="m")
    fields = {key: value for key, value in public.to_event(one).items() if key != "type"}
    named = {} if name is None else {"type": name}
    assert public.from_event({**named, **fields}) == one
    several = public.ToolCallsUpdate([one], "m")
    assert (
        public.from_event({**named, "tool_call_updates": [{**named, **fields}], "message_id": "m"}) == several
    )
    assert public.to_event(one)["type"] == public.to_event(several)["type"] == "tools_call_update"
    # a page listens for this name only: what it shows is the same from either
    for message in (one, several, public.ToolCallUpdate()):
        assert public.from_event(public.to_event(message)) == message

"""When a call is complete: the life of a call, and the table of its states."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from call_messages import (
    COMPLETE,
    CUT,
    SIGNALLED,
    TRUNCATED,
    TWO_WAYS,
    UNDEFINED,
    WAYS,
    A,
    Outcome,
    U,
    collect,
    fewer,
    for_build,
    messages_of,
    outcome,
    sent,
)
from midstream.calls.messages import (
    MessageEnd,
    TextDelta,
    ToolCallEnd,
    ToolCallUpdate,
    ToolResult,
)
from model import exactly, pieces
from test_invariants import cuts, documents, each_build

LIVES: dict[str, tuple[list[Any], list[Outcome]]] = {
    "complete, signalled": ([U("a", 0, "f", A), SIGNALLED], [COMPLETE]),
    "complete, not signalled": ([U("a", 0, "f", A)], [COMPLETE]),
    "complete, its end signalled": ([U("a", 0, "f", A), ToolCallEnd("a")], [COMPLETE]),
    "complete, its end signalled, then cut": ([U("a", 0, "f", A), ToolCallEnd("a"), CUT], [COMPLETE]),
    "complete, cut": ([U("a", 0, "f", A), CUT], [(False, TRUNCATED, {"a": 1})]),
    "complete, cut after another": (
        [U("a", 0, "f", A), U("b", 1, "g", A), CUT],
        [COMPLETE, (False, TRUNCATED, {"a": 1})],
    ),
    "complete, cut after text": ([U("a", 0, "f", A), TextDelta("so"), CUT], [COMPLETE]),
    "complete, cut in another choice": (
        [U("a", 0, "f", A), U("b", 0, "f", A, choice=1), MessageEnd("length", True, choice=1), SIGNALLED],
        [COMPLETE, (False, TRUNCATED, {"a": 1})],
    ),
    "in pieces, signalled": ([U("a", 0, "f", A[:2]), U(None, 0, None, A[2:]), SIGNALLED], [COMPLETE]),
    "cut off, signalled": (
        [U("a", 0, "f", '{"a":1,"b":"x'), SIGNALLED],
        [(False, TRUNCATED, {"a": 1, "b": "x"})],
    ),
    "cut off, not signalled": ([U("a", 0, "f", '{"a":1,"b":"x')], [(False, TRUNCATED, {"a": 1, "b": "x"})]),
    "cut off, its end signalled": ([U("a", 0, "f", '{"a":1'), ToolCallEnd("a")], [(False, TRUNCATED, {})]),
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
        [U("a", 0, "f", '{"a":"\\ud8'), U(None, 0, None, "3d\\u"), U(None, 0, None, 'de00"}'), SIGNALLED],
        [(True, None, {"a": "\U0001f600"})],
    ),
    "no arguments, signalled": ([U("a", 0, "f"), SIGNALLED], [(True, None, {})]),
    "empty arguments, signalled": ([U("a", 0, "f", ""), U("a", 0, None, ""), SIGNALLED], [(True, None, {})]),
    "white space, signalled": ([U("a", 0, "f", " \n"), SIGNALLED], [(True, None, {})]),
    "no arguments, not signalled": ([U("a", 0, "f")], [(False, TRUNCATED, UNDEFINED)]),
    "no arguments, cut": ([U("a", 0, "f"), CUT], [(False, TRUNCATED, UNDEFINED)]),
    "no arguments, its end signalled": ([U("a", 0, "f"), ToolCallEnd("a")], [(True, None, {})]),
    "no arguments, its end signalled, then signalled": (
        [U("a", 0, "f"), ToolCallEnd("a"), SIGNALLED],
        [(True, None, {})],
    ),
    "no arguments, its end signalled, then cut": (
        [U("a", 0, "f"), ToolCallEnd("a"), CUT],
        [(False, TRUNCATED, UNDEFINED)],
    ),
    "no arguments, its end signalled, cut in the next": (
        [U("a", 0, "f"), ToolCallEnd("a"), U("b", 1, "g", A), CUT],
        [(True, None, {}), (False, TRUNCATED, {"a": 1})],
    ),
    "no arguments, its end signalled, cut in text": (
        [U("a", 0, "f"), ToolCallEnd("a"), TextDelta("x"), CUT],
        [(True, None, {})],
    ),
    "no arguments, its result there": ([U("a", 0, "f"), ToolResult("a", 1)], [(True, None, {})]),
    "given up": (
        [U("a", 0, "f", A), ToolCallEnd("a", failed=True), SIGNALLED],
        [(False, "provider_error", {"a": 1})],
    ),
    "given up under way": ([U("a", 0, "f", '{"a'), ToolCallEnd("a", failed=True)], [(False, TRUNCATED, {})]),
    "given up without arguments": (
        [U("a", 0, "f"), ToolCallEnd("a", failed=True)],
        [(False, "provider_error", UNDEFINED)],
    ),
    "its result there": ([U("a", 0, "f", A), ToolResult("a", 1), CUT], [COMPLETE]),
    "invalid": ([U("a", 0, "f", '{"a":1,b}'), SIGNALLED], [(False, "expected_key", {"a": 1})]),
    "two in one": ([U("a", 0, "f", "{}{}"), SIGNALLED], [(False, "trailing_text", {})]),
    "more after a complete document": (
        [U("a", 0, "f", A), U(None, 0, None, " x"), SIGNALLED],
        [(False, "trailing_text", {"a": 1})],
    ),
    "white space after a complete document": (
        [U("a", 0, "f", A), U(None, 0, None, " \n"), SIGNALLED],
        [COMPLETE],
    ),
    "a list": ([U("a", 0, "f", "[1]"), SIGNALLED], [(True, None, [1])]),
    "a text": ([U("a", 0, "f", '"x"'), SIGNALLED], [(True, None, "x")]),
    "null": ([U("a", 0, "f", "null"), SIGNALLED], [(True, None, None)]),
    "a number, signalled": ([U("a", 0, "f", "12"), SIGNALLED], [(True, None, 12)]),
    "a number, cut": ([U("a", 0, "f", "12"), CUT], [(False, TRUNCATED, 12)]),
    "a number, not signalled": ([U("a", 0, "f", "12")], [(False, TRUNCATED, 12)]),
    "free text, signalled": (
        [U("a", 0, "f", "SELECT 1", is_free_text=True), SIGNALLED],
        [(True, None, UNDEFINED)],
    ),
    "free text, its end signalled": (
        [U("a", 0, "f", "x", is_free_text=True), ToolCallEnd("a")],
        [(True, None, UNDEFINED)],
    ),
    "free text, not signalled": ([U("a", 0, "f", "x", is_free_text=True)], [(False, TRUNCATED, UNDEFINED)]),
    "free text, cut": ([U("a", 0, "f", "{}", is_free_text=True), CUT], [(False, TRUNCATED, UNDEFINED)]),
    "free text, its end signalled, then cut": (
        [U("a", 0, "f", "{}", is_free_text=True), ToolCallEnd("a"), CUT],
        [(False, TRUNCATED, UNDEFINED)],
    ),
    "free text, signalled with the first piece only": (
        [U("a", 0, "f", "SELECT", is_free_text=True), U("a", 0, None, " 1"), SIGNALLED],
        [(True, None, UNDEFINED)],
    ),
    "free text, signalled before the first piece": (
        [U("a", 0, "f", is_free_text=True), U(None, 0, None, "SELECT"), U(None, 0, None, " 1"), SIGNALLED],
        [(True, None, UNDEFINED)],
    ),
    "free text that nothing names, after another": (
        [
            U("a", 0, "f", A),
            U(None, None, "g", "SEL", is_free_text=True),
            U(None, None, None, "ECT"),
            SIGNALLED,
        ],
        [COMPLETE, (True, None, UNDEFINED)],
    ),
    # what the server reports about one call at its end is not mistaken for what it reports about another
    "a number at an index, then one that nothing names, cut off": (
        [U(None, 0, "f", "12"), U(None, None, "g", '{"b":'), SIGNALLED],
        [(True, None, 12), (False, TRUNCATED, {})],
    ),
    "cut off at an index, then a number that nothing names": (
        [U(None, 0, "f", '{"b":'), U(None, None, "g", "12"), SIGNALLED],
        [(False, TRUNCATED, {}), (True, None, 12)],
    ),
    "a lone surrogate after a complete document": (
        [U("a", 0, "f", A), U("a", 0, None, "\ud83d"), SIGNALLED],
        [(False, "trailing_text", {"a": 1})],
    ),
    "a lone surrogate after the complete document of one that nothing names": (
        [U(None, None, "f", A), U(None, None, None, "\ud83d"), U(None, None, "g", A), SIGNALLED],
        [(False, "trailing_text", {"a": 1}), COMPLETE],
    ),
    # what is cut is what got the last content
    "an earlier one cut off, the last one complete, cut": (
        [U("a", 0, "f", '{"a":'), U("b", 1, "g", A), CUT],
        [(False, TRUNCATED, {}), (False, TRUNCATED, {"a": 1})],
    ),
    "an earlier number, the last one complete, cut": (
        [U("a", 0, "f", "12"), U("b", 1, "g", A), CUT],
        [(True, None, 12), (False, TRUNCATED, {"a": 1})],
    ),
    "an earlier one cut off, the last one without arguments, its end signalled, cut": (
        [U("a", 0, "f", '{"a":'), U("b", 1, "g"), ToolCallEnd("b"), CUT],
        [(False, TRUNCATED, {}), (False, TRUNCATED, UNDEFINED)],
    ),
    "two without ids, the first one cut off": (
        [U(None, None, "f", '{"a":'), U(None, None, "g", A), SIGNALLED],
        [(False, TRUNCATED, {}), COMPLETE],
    ),
    "two at one index, the first one cut off": (
        [U(None, 0, "f", '{"a":'), U(None, 0, "g", A), SIGNALLED],
        [(False, TRUNCATED, {}), COMPLETE],
    ),
    "two without ids, the first one a number": (
        [U(None, None, "f", "12"), U(None, None, "g", A), SIGNALLED],
        [(True, None, 12), COMPLETE],
    ),
    "an empty piece of another before the cut": (
        [U("a", 0, "f", A), U("b", 1, "g", A), U(None, 0, None, ""), CUT],
        [COMPLETE, (False, TRUNCATED, {"a": 1})],
    ),
    "a late piece of an ended one before the cut": (
        [U("a", 0, "f", A), ToolCallEnd("a"), U("b", 1, "g", A), U("a", None, None, ""), CUT],
        [COMPLETE, (False, TRUNCATED, {"a": 1})],
    ),
    "white space, its end signalled, then cut": (
        [U("a", 0, "f", " "), ToolCallEnd("a"), CUT],
        [(False, TRUNCATED, UNDEFINED)],
    ),
    "a number, its end signalled, then cut": (
        [U("a", 0, "f", "12"), ToolCallEnd("a"), CUT],
        [(False, TRUNCATED, 12)],
    ),
    "its end signalled, then given up": (
        [U("a", 0, "f", A), ToolCallEnd("a"), ToolCallEnd("a", failed=True), MessageEnd("stop")],
        [COMPLETE],
    ),
}


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

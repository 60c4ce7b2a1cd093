"""The formats of frameworks: what only one of them has. `test_providers` has what all share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from midstream import text_deltas, tool_calls
from midstream.calls.messages import (
    MessageEnd,
    Other,
    ReasoningDelta,
    ServerToolUpdate,
    TextDelta,
    ToolCallEnd,
    ToolCallUpdate,
    ToolResult,
    to_event,
)
from midstream.providers import adapter, detect
from provider_streams import ag_ui as ag
from provider_streams import call, final, pydantic_ai
from provider_streams import langchain as lc
from provider_streams import vercel_ui as ui

if TYPE_CHECKING:
    from provider_streams import Event


def messages_of(format: str, *events: Any) -> list[Any]:
    reader = adapter(format)
    return [message for event in events for message in reader.add_event(event)] + reader.finish()


@pytest.mark.parametrize(
    ("format", "event"),
    [
        ("vercel-ui", {"type": "error", "errorText": "overloaded"}),
        ("ag-ui", {"type": "RUN_ERROR", "message": "overloaded"}),
        ("midstream", {"type": "tool_call_update", "function_args": 1}),
    ],
)
def test_an_error_cuts_the_last_call(format: str, event: Event) -> None:
    begun = {
        "vercel-ui": [ui.start(), ui.delta('{"a": 1}')],
        "ag-ui": [ag.chunk('{"a": 1}', "call_1", "f")],
        "midstream": [to_event(ToolCallUpdate("call_1", function_name="f", function_args='{"a": 1}'))],
    }
    assert messages_of(format, event)[-1] == MessageEnd("error", is_truncated=True)
    expected = call(
        "call_1", None, "f", {"a": 1}, '{"a": 1}', complete=False, error="truncated", reason="error"
    )
    assert final([*begun[format], event], format) == [expected]


# LangChain


def test_langchain_wrappings() -> None:
    """However the chunks are wrapped, the calls are the same."""
    metadata = {"langgraph_node": "agent", "langgraph_checkpoint_ns": "agent:1"}
    wrapped: dict[str, list[Any]] = {
        "messages": [(event, metadata) for event in lc.STREAM],
        "the server's messages": [[event, metadata] for event in lc.STREAM],
        "several modes": [("messages", (event, metadata)) for event in lc.STREAM],
        "subgraphs": [(("a", "b"), (event, metadata)) for event in lc.STREAM],
        "subgraphs and several modes": [((), "messages", (event, metadata)) for event in lc.STREAM],
        "stream parts": [{"type": "messages", "ns": (), "data": (event, metadata)} for event in lc.STREAM],
        "events": [
            {"event": "on_chat_model_start", "run_id": "r1", "data": {"input": {}}},
            *(
                {"event": "on_chat_model_stream", "run_id": "r1", "data": {"chunk": event}}
                for event in lc.STREAM
            ),
            # the complete message again, and the same again from the chain around the model
            {
                "event": "on_chat_model_end",
                "run_id": "r1",
                "data": {"output": lc.FAULTS["complete arguments"][0][0]},
            },
            *({"event": "on_chain_stream", "run_id": "r0", "data": {"chunk": event}} for event in lc.STREAM),
        ],
        "serialized": [
            {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessageChunk"], "kwargs": event}
            for event in lc.STREAM
        ],
    }
    for way, events in wrapped.items():
        assert final(events, "langchain") == lc.CALLS, way
        assert "".join(text_deltas(events, "langchain")) == lc.TEXT, way
        if "modes" not in way:
            assert detect(events[0]) == "langchain", way


def test_langchain_events_of_a_model_that_does_not_stream() -> None:
    events, expected = lc.FAULTS["complete arguments"]
    end = {"event": "on_chat_model_end", "run_id": "r1", "data": {"output": events[0]}}
    assert final([end], "langchain") == expected


def test_langchain_models_that_run_side_by_side() -> None:
    """Two nodes of a graph stream at once: their calls don't mix, and each has its own reason."""
    ways = ({"langgraph_checkpoint_ns": "a:1"}, {"langgraph_checkpoint_ns": "b:2"})
    pairs = [
        (lc.chunk(lc.piece('{"a"', "call_1", "f", 0)), lc.chunk(lc.piece('{"b"', "call_2", "g", 0))),
        (lc.chunk(lc.piece(": 1", index=0)), lc.chunk(lc.piece(": 2}", index=0))),
        (lc.last("length"), lc.last("stop")),
    ]
    events = [event for pair in pairs for event in zip(pair, ways, strict=True)]
    cut = call("call_1", 0, "f", {}, '{"a": 1', complete=False, error="truncated", reason="length")
    assert final(events) == [cut, call("call_2", 0, "g", {"b": 2}, '{"b": 2}', reason="stop")]


def test_langchain_turns_of_an_agent() -> None:
    """Messages one after the other: indices start again, and all their text is text."""
    first = [lc.chunk(lc.piece('{"a": 1}', "call_1", "f", 0), content="One "), lc.last("tool_calls")]
    result = {"type": "tool", "tool_call_id": "call_1", "content": "done"}
    second = [lc.chunk(lc.piece('{"b": 2}', "call_2", "f", 0), content="two"), lc.last("stop")]
    turns = [
        (event, {"langgraph_checkpoint_ns": f"agent:{turn}"})
        for turn, part in ((1, first), (2, second))
        for event in part
    ]
    turns.insert(2, (result, {"langgraph_checkpoint_ns": "tools:1"}))
    assert [one.id for one in list(tool_calls(turns))[-1]] == ["call_1", "call_2"]
    assert "".join(text_deltas(turns)) == "One two"
    assert ToolResult("call_1", "done") in messages_of("langchain", *turns)


@pytest.mark.parametrize(
    ("metadata", "reason", "is_cut"),
    [
        ({"finish_reason": "stop"}, "stop", False),
        ({"finish_reason": "MAX_TOKENS"}, "MAX_TOKENS", True),
        ({"stop_reason": "max_tokens"}, "max_tokens", True),
        ({"stopReason": "tool_use"}, "tool_use", False),
        ({"done_reason": "length"}, "length", True),
        ({"status": "completed", "incomplete_details": None}, "completed", False),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "max_output_tokens",
            True,
        ),
    ],
)
def test_langchain_reasons(metadata: Event, reason: str, is_cut: bool) -> None:
    """The reason ends a message, and nothing that follows ends it again."""
    end = lc.chunk(response_metadata=metadata)
    messages = messages_of("langchain", lc.chunk(content="Hi"), end, end, lc.chunk(), lc.last())
    assert messages == [TextDelta("Hi"), MessageEnd(reason, is_truncated=is_cut, choice=0)]


def test_langchain_last_chunk_without_a_reason() -> None:
    assert messages_of("langchain", lc.chunk(), lc.last(), lc.last()) == [MessageEnd(None, choice=0)]


def test_langchain_keeps_an_index_that_is_a_string() -> None:
    events = [
        lc.chunk(lc.piece("{", "call_1", "f", "lc_tu_0")),
        lc.chunk(lc.piece("}", index="lc_tu_0")),
        *lc.END,
    ]
    assert final(events) == [call("call_1", "lc_tu_0", "f", {}, "{}", reason="tool_calls")]


# pydantic-ai


def test_pydantic_ai_results() -> None:
    """A result was called ``result`` before it was called ``part``; one of an output tool is one, too."""
    part = {"tool_call_id": "call_1", "content": "rain", "part_kind": "tool-return"}
    for kind in ("function_tool_result", "output_tool_result"):
        for name in ("part", "result"):
            assert messages_of("pydantic-ai", {"event_kind": kind, name: part}) == [
                ToolResult("call_1", "rain")
            ]


def test_pydantic_ai_keeps_apart_what_the_provider_calls() -> None:
    part = {
        "tool_name": "web_search",
        "args": None,
        "tool_call_id": "call_1",
        "part_kind": "builtin-tool-call",
    }
    start = {"index": 0, "part": part, "event_kind": "part_start"}
    assert messages_of("pydantic-ai", start, pydantic_ai.delta(0, '{"q": 1}')) == [
        ServerToolUpdate("call_1", "web_search", "", 0),
        ServerToolUpdate("call_1", None, '{"q": 1}', 0),
    ]


def test_pydantic_ai_response_after_response_without_ends() -> None:
    """Before there was a `PartEndEvent`, a running tool was the sign that a response was over."""
    events = [
        pydantic_ai.start(0, '{"a": 1}', "call_1"),
        pydantic_ai.calling('{"a": 1}', "call_1"),
        pydantic_ai.returned("call_1", "one"),
        pydantic_ai.start(0, '{"b": 2}', "call_2"),
        pydantic_ai.start(1, '{"c"', "call_3"),
    ]
    states = [[(one.id, one.is_complete) for one in calls] for calls in tool_calls(events)]
    assert states == [
        [("call_1", False)],
        [("call_1", True)],
        [("call_1", True)],
        [("call_1", True), ("call_2", False)],
        [("call_1", True), ("call_2", False), ("call_3", False)],
        [("call_1", True), ("call_2", True), ("call_3", False)],
    ]


def test_pydantic_ai_call_that_nothing_ended_before_the_run_was_cut() -> None:
    for args in ('{"a": 1}', {"a": 1}, None):
        events = [pydantic_ai.start(0, args), pydantic_ai.result("", "length")]
        assert [(one.complete, one.error) for one in final(events)] == [(False, "truncated")]


def test_pydantic_ai_result_without_a_response() -> None:
    class Result:
        @property
        def response(self) -> Any:
            raise ValueError("No response found in the message history")

    class Event:
        event_kind = "agent_run_result"
        result = Result()

    assert messages_of("pydantic-ai", Event()) == [MessageEnd(None)]


# Vercel


def test_vercel_results() -> None:
    events = [
        {
            "type": "tool-output-available",
            "toolCallId": "call_1",
            "output": {"sky": "rain"},
            "preliminary": True,
        },
        {"type": "tool-output-error", "toolCallId": "call_2", "errorText": "no network"},
    ]
    expected = [ToolResult("call_1", {"sky": "rain"}), ToolResult("call_2", "no network")]
    assert messages_of("vercel-ui", *events) == expected


@pytest.mark.parametrize("text", ["", '{"a": 1}'])
def test_vercel_call_that_is_open_at_a_finish_without_a_reason(text: str) -> None:
    """Version 5 has no word for what was cut: a call that never was available was."""
    events = [ui.start(), ui.delta(text), *ui.finish(None)]
    assert [one.complete for one in final(events)] == [False]
    assert messages_of("vercel-ui", *ui.finish(None)) == [MessageEnd(None)]


def test_vercel_abort() -> None:
    event = {"type": "abort", "reason": "the user left"}
    assert messages_of("vercel-ui", event) == [MessageEnd("abort", is_truncated=True)]


def test_vercel_free_text() -> None:
    events = [ui.start(inputEncoding="text"), ui.delta("SELECT 1"), ui.available("SELECT 1"), *ui.finish()]
    assert final(events) == [call("call_1", None, "f", raw="SELECT 1", reason="tool-calls")]


def test_vercel_id_of_a_step_before() -> None:
    """An id is taken in its step only."""
    step = [{"type": "start-step"}, ui.available({"a": 1})]
    assert [one.args for one in final([*step, *step])] == [{"a": 1}, {"a": 1}]


# AG-UI


def test_ag_ui_chunks_are_ended_by_what_is_said_next() -> None:
    said = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "delta": "Hi"}
    for event, more in (
        (said, [TextDelta("Hi")]),
        (ag.start("call_2"), [ToolCallUpdate("call_2", function_name="f", function_args="")]),
        ({"type": "REASONING_MESSAGE_CONTENT", "messageId": "m0", "delta": "Hm"}, [ReasoningDelta("Hm")]),
        ({"type": "TOOL_CALL_RESULT", "toolCallId": "call_0", "content": "x"}, [ToolResult("call_0", "x")]),
    ):
        messages = messages_of("ag-ui", ag.chunk("{}", "call_1", "f"), event)
        assert messages[1:] == [ToolCallEnd("call_1"), *more]
    for kind in ("RAW", "ACTIVITY_DELTA", "STATE_DELTA", "REASONING_ENCRYPTED_VALUE"):
        rest = messages_of("ag-ui", ag.chunk("{}", "call_1", "f"), {"type": kind})[1:]
        assert all(isinstance(message, (Other, ReasoningDelta)) for message in rest)


def test_ag_ui_chunk_with_another_name_is_another_call() -> None:
    events = [ag.chunk('{"a": 1}', "call_1", "f"), ag.chunk('{"b": 2}', None, "g"), ag.END]
    assert [(one.id, one.name, one.args) for one in final(events)] == [
        ("call_1", "f", {"a": 1}),
        (None, "g", {"b": 2}),
    ]


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (ag.END, MessageEnd("success")),
        ({**ag.END, "outcome": {"type": "interrupt", "interrupts": []}}, MessageEnd("interrupt")),
        ({**ag.END, "outcome": {"type": "cancelled"}}, MessageEnd("cancelled", is_truncated=True)),
        (
            {"type": "RUN_ERROR", "message": "?", "code": "overloaded"},
            MessageEnd("overloaded", is_truncated=True),
        ),
    ],
)
def test_ag_ui_ends(event: Event, expected: MessageEnd) -> None:
    assert messages_of("ag-ui", event)[-1] == expected


def test_ag_ui_cancelled_run_leaves_no_complete_call() -> None:
    end = {**ag.END, "outcome": {"type": "cancelled"}}
    assert [one.complete for one in final([ag.chunk('{"a": 1}', "call_1", "f"), end])] == [False]


# our own


def test_own_messages_pass_as_they_are() -> None:
    messages: list[Any] = [
        ToolCallUpdate("call_1", 0, "f", '{"a": 1}', message_id="m1"),
        ToolCallEnd("call_1", message_id="m1"),
        MessageEnd("stop", message_id="m1"),
    ]
    assert detect(messages[0]) == "midstream"
    passed = messages_of("midstream", *messages)
    assert all(one is other for one, other in zip(passed, messages, strict=True))
    assert messages_of("midstream", *map(to_event, messages)) == messages

"""Events of an AG-UI run, as its encoder writes them."""

from __future__ import annotations

from typing import Any

from . import Event, Faults, call

RAIN = '{"city": "Z\\u00fcrich \\ud83c\\udf26", "days": 3}'
RAIN_ARGS = {"city": "Zürich 🌦", "days": 3}
RUN = {"threadId": "t1", "runId": "r1"}
START: Event = {"type": "RUN_STARTED", **RUN}
END: Event = {"type": "RUN_FINISHED", **RUN}


def start(id: str = "call_1", name: str = "f") -> Event:
    return {"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name, "parentMessageId": "m1"}


def args(delta: str, id: str = "call_1") -> Event:
    return {"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": delta}


def end(id: str = "call_1") -> Event:
    return {"type": "TOOL_CALL_END", "toolCallId": id}


def chunk(delta: str | None = None, id: str | None = None, name: str | None = None, **more: Any) -> Event:
    said = {"toolCallId": id, "toolCallName": name, "delta": delta, **more}
    return {"type": "TOOL_CALL_CHUNK", **{key: value for key, value in said.items() if value is not None}}


STREAM: list[Event] = [
    START,
    {"type": "STEP_STARTED", "stepName": "look"},
    {"type": "REASONING_START", "messageId": "m0"},
    {"type": "REASONING_MESSAGE_START", "messageId": "m0", "role": "reasoning"},
    {"type": "REASONING_MESSAGE_CONTENT", "messageId": "m0", "delta": "What a question!"},
    {"type": "REASONING_MESSAGE_END", "messageId": "m0"},
    {"type": "REASONING_END", "messageId": "m0"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "I'll "},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "look."},
    {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
    start("call_1", "weather"),
    args('{"city": "Z\\u00fcrich \\ud83c', "call_1"),
    start("call_2", "search"),
    args('{"q": ', "call_2"),
    args('\\udf26", "days"', "call_1"),
    args("[1, ", "call_2"),
    args(": 3}", "call_1"),
    end("call_1"),
    args("2]}", "call_2"),
    end("call_2"),
    {
        "type": "TOOL_CALL_RESULT",
        "messageId": "m2",
        "toolCallId": "call_1",
        "content": "rain",
        "role": "tool",
    },
    chunk(None, "call_3", "search", parentMessageId="m1"),
    chunk('{"more"'),
    {"type": "RAW", "event": {"a": 1}},
    chunk(": true}"),
    chunk("{", "call_4", "note"),
    chunk('"a": "b"}', "call_4"),
    {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m3", "role": "assistant", "delta": " Ra"},
    {"type": "TEXT_MESSAGE_CHUNK", "delta": "in."},
    {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/a", "value": 1}]},
    {"type": "STEP_FINISHED", "stepName": "look"},
    END,
]
CALLS = [
    call("call_1", None, "weather", RAIN_ARGS, RAIN, reason="success"),
    call("call_2", None, "search", {"q": [1, 2]}, '{"q": [1, 2]}', reason="success"),
    call("call_3", None, "search", {"more": True}, '{"more": true}', reason="success"),
    call("call_4", None, "note", {"a": "b"}, '{"a": "b"}', reason="success"),
]
TEXT = "I'll look. Rain."

FAULTS: Faults = {
    "interleaved": (
        [
            start("call_1"),
            start("call_2"),
            args('{"a"', "call_1"),
            args('{"b"', "call_2"),
            args(": 1}", "call_1"),
            args(": 2}", "call_2"),
            end("call_2"),
            end("call_1"),
            # two subagents, each with a call in chunks
            chunk('{"c"', "call_3", "g", subagentRunId="s1"),
            chunk('{"d"', "call_4", "g", subagentRunId="s2"),
            chunk(": 3}", subagentRunId="s1"),
            chunk(": 4}", subagentRunId="s2"),
            END,
        ],
        [
            call("call_1", None, "f", {"a": 1}, '{"a": 1}', reason="success"),
            call("call_2", None, "f", {"b": 2}, '{"b": 2}', reason="success"),
            call("call_3", None, "g", {"c": 3}, '{"c": 3}', reason="success"),
            call("call_4", None, "g", {"d": 4}, '{"d": 4}', reason="success"),
        ],
    ),
    "repeated id and name": (
        [chunk(delta, "call_1", "f") for delta in ('{"a"', ": 1}", " ")] + [chunk("{}", "call_2", "f"), END],
        [
            call("call_1", None, "f", {"a": 1}, '{"a": 1} ', reason="success"),
            call("call_2", None, "f", {}, "{}", reason="success"),
        ],
    ),
    "no id": (
        [
            chunk('{"a"', None, "f"),
            chunk(": 1", None, "f"),
            chunk("}", None, "f"),
            chunk('{"b"', None, "f"),
            chunk(": 2}"),
            chunk('{"c": 3}', None, "g"),
            END,
        ],
        [
            call(None, None, "f", {"a": 1}, '{"a": 1}', reason="success"),
            call(None, None, "f", {"b": 2}, '{"b": 2}', reason="success"),
            call(None, None, "g", {"c": 3}, '{"c": 3}', reason="success"),
        ],
    ),
    "empty arguments": (
        [start(), end(), start("call_2"), args("", "call_2"), end("call_2"), END],
        [
            call("call_1", None, "f", {}, "", reason="success"),
            call("call_2", None, "f", {}, "", reason="success"),
        ],
    ),
    "complete arguments": (
        [start(), args('{"a": 1}'), end(), chunk('{"b": 2}', "call_2", "g"), END],
        [
            call("call_1", None, "f", {"a": 1}, '{"a": 1}', reason="success"),
            call("call_2", None, "g", {"b": 2}, '{"b": 2}', reason="success"),
        ],
    ),
    # the protocol has no word for it: the call ends, and so does the run
    "cut by length": (
        [start(), args('{"city": "Par'), end(), END],
        [
            call(
                "call_1",
                None,
                "f",
                {"city": "Par"},
                '{"city": "Par',
                complete=False,
                error="truncated",
                reason="success",
            )
        ],
    ),
    "invalid JSON": (
        [start(), args('{"a": nope, '), args('"b": 1}'), end(), END],
        [
            call(
                "call_1",
                None,
                "f",
                {},
                '{"a": nope, "b": 1}',
                complete=False,
                error="invalid_literal",
                reason="success",
            )
        ],
    ),
    "merged calls": (
        [start(), args('{"a": 1}{"b"'), args(": 2}"), end(), END],
        [
            call(
                "call_1",
                None,
                "f",
                {"a": 1},
                '{"a": 1}{"b": 2}',
                complete=False,
                error="trailing_text",
                reason="success",
            )
        ],
    ),
    "prefix not the end": (
        [start(), args('{"a": 1}'), args(' ,"b": 2}'), end(), END],
        [
            call(
                "call_1",
                None,
                "f",
                {"a": 1},
                '{"a": 1} ,"b": 2}',
                complete=False,
                error="trailing_text",
                reason="success",
            )
        ],
    ),
    "split surrogates": (
        [chunk('{"a": "\\ud8', "call_1", "f"), chunk("3c"), chunk("\\"), chunk('udf26"}'), END],
        [call("call_1", None, "f", {"a": "🌦"}, '{"a": "\\ud83c\\udf26"}', reason="success")],
    ),
    "just stops": (
        [start(), args('{"a": 1}'), chunk('{"b": "tw', "call_2", "g")],
        [
            call("call_1", None, "f", {"a": 1}, '{"a": 1}'),
            call("call_2", None, "g", {"b": "tw"}, '{"b": "tw', complete=False, error="truncated"),
        ],
    ),
}

"""Chunks of the AI SDK's UI message stream, as ``toUIMessageStreamResponse`` sends them."""

from __future__ import annotations

from typing import Any

from . import Event, Faults, call

RAIN = '{"city": "Z\\u00fcrich \\ud83c\\udf26", "days": 3}'
RAIN_ARGS = {"city": "Zürich 🌦", "days": 3}


def start(id: str | None = "call_1", name: str = "f", **more: Any) -> Event:
    return {
        "type": "tool-input-start",
        **({} if id is None else {"toolCallId": id}),
        "toolName": name,
        **more,
    }


def delta(text: str, id: str | None = "call_1") -> Event:
    return {"type": "tool-input-delta", **({} if id is None else {"toolCallId": id}), "inputTextDelta": text}


def available(value: Any, id: str | None = "call_1", name: str = "f", **more: Any) -> Event:
    start = {"type": "tool-input-available", **({} if id is None else {"toolCallId": id}), "toolName": name}
    return {**start, "input": value, **more}


def finish(reason: str | None = "tool-calls") -> list[Event]:
    return [
        {"type": "finish-step"},
        {"type": "finish", **({} if reason is None else {"finishReason": reason})},
    ]


STREAM: list[Event] = [
    {"type": "start", "messageId": "m1"},
    {"type": "start-step"},
    {"type": "reasoning-start", "id": "0"},
    {"type": "reasoning-delta", "id": "0", "delta": "What a question!"},
    {"type": "reasoning-end", "id": "0"},
    {"type": "text-start", "id": "1"},
    {"type": "text-delta", "id": "1", "delta": "I'll "},
    {"type": "text-delta", "id": "1", "delta": "look."},
    {"type": "text-end", "id": "1"},
    start("call_1", "weather"),
    delta('{"city": "Z\\u00fcrich \\ud83c', "call_1"),
    start("call_2", "search", dynamic=True),
    delta('{"q": ', "call_2"),
    delta('\\udf26", "days"', "call_1"),
    delta("[1, ", "call_2"),
    delta(": 3}", "call_1"),
    available(RAIN_ARGS, "call_1", "weather"),
    delta("2]}", "call_2"),
    available({"q": [1, 2]}, "call_2", "search", dynamic=True),
    {"type": "tool-output-available", "toolCallId": "call_1", "output": {"sky": "rain"}},
    {"type": "tool-output-error", "toolCallId": "call_2", "errorText": "no network", "dynamic": True},
    {"type": "finish-step"},
    {"type": "start-step"},
    {"type": "data-note", "data": {"a": 1}},
    {"type": "text-start", "id": "2"},
    {"type": "text-delta", "id": "2", "delta": " Rain."},
    {"type": "text-end", "id": "2"},
    {"type": "finish-step"},
    {"type": "finish", "finishReason": "stop"},
]
CALLS = [
    call("call_1", None, "weather", RAIN_ARGS, RAIN, reason="stop"),
    call("call_2", None, "search", {"q": [1, 2]}, '{"q": [1, 2]}', reason="stop"),
]
TEXT = "I'll look. Rain."

FAULTS: Faults = {
    "interleaved": (
        [
            start("call_1"),
            start("call_2"),
            delta('{"a"', "call_1"),
            delta('{"b"', "call_2"),
            delta(": 1}", "call_1"),
            delta(": 2}", "call_2"),
            available({"a": 1}, "call_1"),
            available({"b": 2}, "call_2"),
            *finish(),
        ],
        [
            call("call_1", None, "f", {"a": 1}, '{"a": 1}', reason="tool-calls"),
            call("call_2", None, "f", {"b": 2}, '{"b": 2}', reason="tool-calls"),
        ],
    ),
    # started, and said to be there, twice
    "repeated id and name": (
        [start(), start(), delta('{"a": 1}'), available({"a": 1}), available({"a": 1}), *finish()],
        [call("call_1", None, "f", {"a": 1}, '{"a": 1}', reason="tool-calls")],
    ),
    "no id": (
        [
            start(None),
            delta('{"a"', None),
            delta(": 1}", None),
            available({"a": 1}, None),
            start(None, "g"),
            delta("{}", None),
            available({}, None, "g"),
            *finish(),
        ],
        [
            call(None, None, "f", {"a": 1}, '{"a": 1}', reason="tool-calls"),
            call(None, None, "g", {}, "{}", reason="tool-calls"),
        ],
    ),
    "empty arguments": (
        [start(), available({}), start("call_2"), delta("", "call_2"), available(None, "call_2"), *finish()],
        [
            call("call_1", None, "f", {}, "{}", reason="tool-calls"),
            call("call_2", None, "f", {}, "", reason="tool-calls"),
        ],
    ),
    "complete arguments": (
        [available({"a": "ü"}), start("call_2"), available("a string", "call_2"), *finish()],
        [
            call("call_1", None, "f", {"a": "ü"}, '{"a":"ü"}', reason="tool-calls"),
            call("call_2", None, "f", "a string", '"a string"', reason="tool-calls"),
        ],
    ),
    "cut by length": (
        [
            start(),
            delta('{"a": 1}'),
            available({"a": 1}),
            start("call_2"),
            delta('{"b": "tw', "call_2"),
            *finish("length"),
        ],
        [
            call("call_1", None, "f", {"a": 1}, '{"a": 1}', reason="length"),
            call(
                "call_2",
                None,
                "f",
                {"b": "tw"},
                '{"b": "tw',
                complete=False,
                error="truncated",
                reason="length",
            ),
        ],
    ),
    "invalid JSON": (
        [
            start(),
            delta('{"a": nope, '),
            delta('"b": 1}'),
            {
                "type": "tool-input-error",
                "toolCallId": "call_1",
                "toolName": "f",
                "input": '{"a": nope, "b": 1}',
                "errorText": "not JSON",
            },
            {"type": "tool-output-error", "toolCallId": "call_1", "errorText": "not JSON"},
            {
                "type": "tool-input-error",
                "toolCallId": "call_2",
                "toolName": "g",
                "input": {"b": 2},
                "errorText": "no such tool",
            },
            *finish(),
        ],
        [
            call(
                "call_1",
                None,
                "f",
                {},
                '{"a": nope, "b": 1}',
                complete=False,
                error="invalid_literal",
                reason="tool-calls",
            ),
            call(
                "call_2",
                None,
                "g",
                {"b": 2},
                '{"b":2}',
                complete=False,
                error="provider_error",
                reason="tool-calls",
            ),
        ],
    ),
    "merged calls": (
        [start(), delta('{"a": 1}{"b"'), delta(": 2}"), available({"a": 1}), *finish()],
        [
            call(
                "call_1",
                None,
                "f",
                {"a": 1},
                '{"a": 1}{"b": 2}',
                complete=False,
                error="trailing_text",
                reason="tool-calls",
            )
        ],
    ),
    "prefix not the end": (
        [start(), delta('{"a": 1}'), delta(' ,"b": 2}'), available({"a": 1}), *finish()],
        [
            call(
                "call_1",
                None,
                "f",
                {"a": 1},
                '{"a": 1} ,"b": 2}',
                complete=False,
                error="trailing_text",
                reason="tool-calls",
            )
        ],
    ),
    "split surrogates": (
        [
            start(),
            delta('{"a": "\\ud8'),
            delta("3c"),
            delta("\\"),
            delta('udf26"}'),
            available({"a": "🌦"}),
            *finish(),
        ],
        [call("call_1", None, "f", {"a": "🌦"}, '{"a": "\\ud83c\\udf26"}', reason="tool-calls")],
    ),
    "just stops": (
        [start(), delta('{"a": 1}'), start("call_2"), delta('{"b": "tw', "call_2")],
        [
            call("call_1", None, "f", {"a": 1}, '{"a": 1}'),
            call("call_2", None, "f", {"b": "tw"}, '{"b": "tw', complete=False, error="truncated"),
        ],
    ),
}

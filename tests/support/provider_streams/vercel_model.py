"""The stream parts of a Vercel AI SDK language model."""

from __future__ import annotations

from typing import Any

from midstream import UNDEFINED

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]

BEGIN: Event = {"type": "stream-start", "warnings": []}
RESPONSE: Event = {"type": "response-metadata", "id": "r1", "modelId": "m"}


def start(id: str, name: str) -> Event:
    """Begin the input of a call."""
    return {"type": "tool-input-start", "id": id, "toolName": name}


def piece(id: str, delta: str) -> Event:
    """Make a piece of the input of a call."""
    return {"type": "tool-input-delta", "id": id, "delta": delta}


def stop(id: str, name: str | None = None, given: str | None = None) -> list[Event]:
    """End the input of a call, and make the complete call."""
    parts: list[Event] = [{"type": "tool-input-end", "id": id}]
    if name is not None:
        parts.append({"type": "tool-call", "toolCallId": id, "toolName": name, "input": given})
    return parts


def end(reason: str = "tool-calls", **more: Any) -> Event:
    """End the message."""
    usage = {"inputTokens": 10, "outputTokens": 20, "totalTokens": 30}
    return {"type": "finish", "finishReason": reason, "usage": usage, **more}


STREAM = [
    BEGIN,
    RESPONSE,
    {"type": "text-start", "id": "0"},
    {"type": "text-delta", "id": "0", "delta": "I'll look "},
    {"type": "text-delta", "id": "0", "delta": "that up."},
    {"type": "text-end", "id": "0"},
    *(start("a", "weather"), piece("a", '{"city": "Z'), piece("a", 'ürich"}')),
    *stop("a", "weather", '{"city": "Zürich"}'),
    *(start("b", "book"), piece("b", '{"to": "東京"}'), *stop("b", "book", '{"to": "東京"}')),
    end(),
]
TEXT = "I'll look that up."
CALLS = [
    call("a", None, "weather", {"city": "Zürich"}, '{"city": "Zürich"}', reason="tool-calls"),
    call("b", None, "book", {"to": "東京"}, '{"to": "東京"}', reason="tool-calls"),
]
_A = call("a", None, "f", {"x": 1}, '{"x":1}', reason="tool-calls")
_B = call("b", None, "g", {"y": 2}, '{"y":2}', reason="tool-calls")

FAULTS: Faults = {
    "interleaved": (
        [
            *(BEGIN, start("a", "f"), start("b", "g"), piece("a", '{"x"'), piece("b", '{"y"')),
            *(piece("a", ":1}"), piece("b", ":2}"), *stop("a"), *stop("b"), end()),
        ],
        [_A, _B],
    ),
    "empty arguments": (
        [BEGIN, start("a", "now"), *stop("a", "now", ""), end()],
        [call("a", None, "now", {}, reason="tool-calls")],
    ),
    "complete arguments": (
        [BEGIN, {"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": '{"x":1}'}, end()],
        [_A],
    ),
    "cut by length": (
        [
            *(BEGIN, start("a", "f"), piece("a", '{"x":1}'), *stop("a")),
            *(start("b", "g"), piece("b", '{"y":"so'), end("length")),
        ],
        [
            _A._replace(reason="length"),
            call("b", None, "g", {"y": "so"}, '{"y":"so', False, "truncated", "length"),
        ],
    ),
    "invalid JSON": (
        [BEGIN, start("a", "f"), piece("a", '{"x": 1, y: 2}'), *stop("a"), end()],
        [call("a", None, "f", {"x": 1}, '{"x": 1, y: 2}', False, "expected_key", "tool-calls")],
    ),
    "merged calls": (
        [BEGIN, start("a", "f"), piece("a", '{"x":1}{"y"'), piece("a", ":2}"), *stop("a"), end()],
        [call("a", None, "f", {"x": 1}, '{"x":1}{"y":2}', False, "trailing_text", "tool-calls")],
    ),
    "prefix not the end": (
        [BEGIN, start("a", "f"), piece("a", '{"x":1}'), piece("a", ',"y":2}'), *stop("a"), end()],
        [call("a", None, "f", {"x": 1}, '{"x":1},"y":2}', False, "trailing_text", "tool-calls")],
    ),
    "split surrogates": (
        [BEGIN, start("a", "f"), piece("a", '{"x":"\\ud83c'), piece("a", '\\udf27"}'), *stop("a"), end()],
        [call("a", None, "f", {"x": "🌧"}, '{"x":"\\ud83c\\udf27"}', reason="tool-calls")],
    ),
    "just stops": (
        [
            *(BEGIN, start("a", "f"), piece("a", '{"x":1}'), *stop("a")),
            *(start("b", "g"), piece("b", '{"y":"so'), start("c", "now")),
        ],
        [
            _A._replace(reason=None),
            call("b", None, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
            call("c", None, "now", UNDEFINED, "", False, "truncated"),
        ],
    ),
}

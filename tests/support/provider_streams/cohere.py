"""Cohere's chat, version 2."""

from __future__ import annotations

from typing import Any

from midstream import UNDEFINED

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def content(text: str) -> Event:
    """Make a piece of text."""
    return {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}}


def start(index: int, id: str | None, name: str, arguments: str = "") -> Event:
    """Begin a call."""
    calls = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"type": "tool-call-start", "index": index, "delta": {"message": {"tool_calls": calls}}}


def piece(index: int, arguments: str) -> Event:
    """Make a piece of a call's arguments."""
    calls = {"function": {"arguments": arguments}}
    return {"type": "tool-call-delta", "index": index, "delta": {"message": {"tool_calls": calls}}}


def stop(index: int) -> Event:
    """End a call."""
    return {"type": "tool-call-end", "index": index}


def end(reason: str = "TOOL_CALL", **delta: Any) -> Event:
    """End the message."""
    tokens = {"input_tokens": 10, "output_tokens": 20}
    return {
        "type": "message-end",
        "delta": {"finish_reason": reason, "usage": {"billed_units": {}, "tokens": tokens}, **delta},
    }


BEGIN = {"type": "message-start", "id": "m1", "delta": {"message": {"role": "assistant", "tool_calls": []}}}
STREAM = [
    BEGIN,
    {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
    content("I'll look "),
    content("that up."),
    {"type": "content-end", "index": 0},
    start(0, "a", "weather"),
    piece(0, '{"city": "Z'),
    piece(0, 'ürich"}'),
    stop(0),
    start(1, "b", "book"),
    piece(1, '{"to": "東京"}'),
    stop(1),
    end(),
]
TEXT = "I'll look that up."
CALLS = [
    call("a", 0, "weather", {"city": "Zürich"}, '{"city": "Zürich"}', reason="TOOL_CALL"),
    call("b", 1, "book", {"to": "東京"}, '{"to": "東京"}', reason="TOOL_CALL"),
]
_A = call("a", 0, "f", {"x": 1}, '{"x":1}', reason="TOOL_CALL")
_B = call("b", 1, "g", {"y": 2}, '{"y":2}', reason="TOOL_CALL")

FAULTS: Faults = {
    "interleaved": (
        [
            *(start(0, "a", "f"), start(1, "b", "g"), piece(0, '{"x"'), piece(1, '{"y"'), piece(0, ":1}")),
            *(piece(1, ":2}"), stop(0), stop(1), end()),
        ],
        [_A, _B],
    ),
    "no id": (
        [start(0, None, "f"), piece(0, '{"x":1}'), stop(0), start(1, None, "g"), piece(1, '{"y":2}'), end()],
        [_A._replace(id=None), _B._replace(id=None)],
    ),
    "index 0 for all": (
        [start(0, "a", "f"), piece(0, '{"x":1}'), stop(0), start(0, "b", "g"), piece(0, '{"y":2}'), end()],
        [_A, _B._replace(index=0)],
    ),
    "empty arguments": (
        [start(0, "a", "now"), stop(0), end()],
        [call("a", 0, "now", {}, reason="TOOL_CALL")],
    ),
    "complete arguments": ([start(0, "a", "f"), piece(0, '{"x":1}'), stop(0), end()], [_A]),
    "arguments at the start": ([start(0, "a", "f", '{"x":1}'), stop(0), end()], [_A]),
    "cut by length": (
        [
            *(start(0, "a", "f", '{"x":1}'), stop(0), start(1, "b", "g", '{"y":"so')),
            end("MAX_TOKENS"),
        ],
        [
            _A._replace(reason="MAX_TOKENS"),
            call("b", 1, "g", {"y": "so"}, '{"y":"so', False, "truncated", "MAX_TOKENS"),
        ],
    ),
    "invalid JSON": (
        [start(0, "a", "f"), piece(0, '{"x": 1, y: 2}'), stop(0), end()],
        [call("a", 0, "f", {"x": 1}, '{"x": 1, y: 2}', False, "expected_key", "TOOL_CALL")],
    ),
    "merged calls": (
        [start(0, "a", "f"), piece(0, '{"x":1}{"y"'), piece(0, ":2}"), stop(0), end()],
        [call("a", 0, "f", {"x": 1}, '{"x":1}{"y":2}', False, "trailing_text", "TOOL_CALL")],
    ),
    "prefix not the end": (
        [start(0, "a", "f"), piece(0, '{"x":1}'), piece(0, ',"y":2}'), stop(0), end()],
        [call("a", 0, "f", {"x": 1}, '{"x":1},"y":2}', False, "trailing_text", "TOOL_CALL")],
    ),
    "split surrogates": (
        [start(0, "a", "f"), piece(0, '{"x":"\\ud83c'), piece(0, '\\udf27"}'), stop(0), end()],
        [call("a", 0, "f", {"x": "🌧"}, '{"x":"\\ud83c\\udf27"}', reason="TOOL_CALL")],
    ),
    "just stops": (
        [start(0, "a", "f", '{"x":1}'), stop(0), start(1, "b", "g", '{"y":"so'), start(2, "c", "now")],
        [
            _A._replace(reason=None),
            call("b", 1, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
            call("c", 2, "now", UNDEFINED, "", False, "truncated"),
        ],
    ),
}

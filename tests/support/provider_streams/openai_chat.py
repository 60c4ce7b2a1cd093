"""OpenAI chat completions, and what servers that speak the same make of it."""

from __future__ import annotations

from typing import Any

from midstream import UNDEFINED

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def chunk(delta: Event | None = None, finish_reason: str | None = None) -> Event:
    """Make a chunk with one choice."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish_reason, "logprobs": None}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "gpt-5", "choices": [choice]}


def piece(index: int | None, arguments: Any = "", *, id: str | None = None, name: str | None = None) -> Event:
    """Make an entry of ``tool_calls``; what is None is absent."""
    function = {"name": name, "arguments": arguments}
    entry: Event = {"index": index, "id": id, "type": None if id is None else "function"}
    entry["function"] = {key: value for key, value in function.items() if value is not None}
    return {key: value for key, value in entry.items() if value is not None}


def pieces(*entries: Event) -> list[Event]:
    """Make a chunk of each entry."""
    return [chunk({"tool_calls": [entry]}) for entry in entries]


STREAM = [
    chunk({"role": "assistant", "content": "", "refusal": None}),
    chunk({"content": "I'll look "}),
    chunk({"content": "that up."}),
    *pieces(
        piece(0, "", id="call_a", name="weather"),
        piece(0, '{"city": "Z'),
        piece(0, "ürich \\ud83c"),
        piece(0, '\\udf27"}'),
        piece(1, "", id="call_b", name="book"),
        piece(1, '{"to": "東'),
        piece(1, '京", "days": 3}'),
    ),
    chunk({}, "tool_calls"),
    {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 9}},
]
TEXT = "I'll look that up."
CALLS = [
    call(
        "call_a", 0, "weather", {"city": "Zürich 🌧"}, '{"city": "Zürich \\ud83c\\udf27"}', reason="tool_calls"
    ),
    call("call_b", 1, "book", {"to": "東京", "days": 3}, '{"to": "東京", "days": 3}', reason="tool_calls"),
]

_END = chunk({}, "tool_calls")
_A = call("a", 0, "f", {"x": 1}, '{"x":1}', reason="tool_calls")

FAULTS: Faults = {
    "interleaved": (
        [
            *pieces(piece(0, "", id="a", name="f"), piece(1, '{"y"', id="b", name="g")),
            chunk({"tool_calls": [piece(0, '{"x":'), piece(1, ':"ü')]}),
            *pieces(piece(0, "1}"), piece(1, '"}')),
            _END,
        ],
        [_A, call("b", 1, "g", {"y": "ü"}, '{"y":"ü"}', reason="tool_calls")],
    ),
    "repeated id and name": (
        [
            *pieces(
                piece(0, '{"x"', id="a", name="f"),
                piece(0, ":", id="a", name="f"),
                piece(0, "1}", id="a", name="f"),
                piece(1, '{"y"', id="b", name="f"),
                piece(1, ":2}", id="b", name="f"),
            ),
            _END,
        ],
        [_A, call("b", 1, "f", {"y": 2}, '{"y":2}', reason="tool_calls")],
    ),
    "changing id": (
        [
            *pieces(piece(0, "", id="a", name="f"), piece(0, '{"x":', id="a2"), piece(0, "1}", id="a3")),
            _END,
        ],
        [_A],
    ),
    "index 0 for all": (
        [
            *pieces(
                piece(0, '{"x":1}', id="a", name="f"), piece(0, '{"y"', id="b", name="f"), piece(0, ":2}")
            ),
            _END,
        ],
        [_A, call("b", 0, "f", {"y": 2}, '{"y":2}', reason="tool_calls")],
    ),
    "no index": (
        [
            *pieces(
                piece(None, '{"x"', id="a", name="f"),
                piece(None, ":1}"),
                piece(None, "", id="b", name="g"),
                piece(None, '{"y":2}'),
            ),
            _END,
        ],
        [
            call("a", None, "f", {"x": 1}, '{"x":1}', reason="tool_calls"),
            call("b", None, "g", {"y": 2}, '{"y":2}', reason="tool_calls"),
        ],
    ),
    "no id": (
        [
            *pieces(piece(0, '{"x":', name="f"), piece(1, '{"y":', name="g"), piece(0, "1}"), piece(1, "2}")),
            _END,
        ],
        [
            call(None, 0, "f", {"x": 1}, '{"x":1}', reason="tool_calls"),
            call(None, 1, "g", {"y": 2}, '{"y":2}', reason="tool_calls"),
        ],
    ),
    "empty arguments": (
        [*pieces(piece(0, "", id="a", name="now"), piece(1, None, id="b", name="now")), _END],
        [call("a", 0, "now", {}, "", reason="tool_calls"), call("b", 1, "now", {}, "", reason="tool_calls")],
    ),
    "complete arguments": (
        [
            chunk(
                {"tool_calls": [piece(0, '{"x":1}', id="a", name="f"), piece(1, '{"y":2}', id="b", name="f")]}
            ),
            _END,
        ],
        [_A, call("b", 1, "f", {"y": 2}, '{"y":2}', reason="tool_calls")],
    ),
    "arguments at the start": (
        [*pieces(piece(0, '{"x', id="a", name="f"), piece(0, '":1}')), _END],
        [_A],
    ),
    "cut by length": (
        [
            *pieces(piece(0, '{"x":1}', id="a", name="f"), piece(1, '{"y":"so far', id="b", name="g")),
            chunk({}, "length"),
        ],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}', reason="length"),
            call("b", 1, "g", {"y": "so far"}, '{"y":"so far', False, "truncated", "length"),
        ],
    ),
    "invalid JSON": (
        [*pieces(piece(0, '{"x": 1, ', id="a", name="f"), piece(0, "y: 2}")), _END],
        [call("a", 0, "f", {"x": 1}, '{"x": 1, y: 2}', False, "expected_key", "tool_calls")],
    ),
    "merged calls": (
        [*pieces(piece(0, '{"x":1}{"y"', id="a", name="f"), piece(0, ":2}")), _END],
        [call("a", 0, "f", {"x": 1}, '{"x":1}{"y":2}', False, "trailing_text", "tool_calls")],
    ),
    "prefix not the end": (
        [*pieces(piece(0, '{"x":1}', id="a", name="f"), piece(0, ',"y":2}')), _END],
        [call("a", 0, "f", {"x": 1}, '{"x":1},"y":2}', False, "trailing_text", "tool_calls")],
    ),
    "split surrogates": (
        [
            *pieces(
                piece(0, '{"x":"\\u', id="a", name="f"),
                piece(0, "d83c\\"),
                piece(0, "udf27 \\ud83c"),
                piece(0, ' ü"}'),
            ),
            _END,
        ],
        [call("a", 0, "f", {"x": "🌧 \ud83c ü"}, '{"x":"\\ud83c\\udf27 \\ud83c ü"}', reason="tool_calls")],
    ),
    "just stops": (
        pieces(
            piece(0, '{"x":1}', id="a", name="f"),
            piece(1, '{"y":"so', id="b", name="g"),
            piece(2, "", id="c", name="now"),
        ),
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}'),
            call("b", 1, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
            call("c", 2, "now", UNDEFINED, "", False, "truncated"),
        ],
    ),
}

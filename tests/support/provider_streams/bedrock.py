"""Bedrock ConverseStream."""

from __future__ import annotations

from midstream import UNDEFINED

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def start(index: int | None, id: str | None, name: str) -> Event:
    """Begin a block with a tool."""
    return _at("contentBlockStart", index, {"start": {"toolUse": {"toolUseId": id, "name": name}}})


def delta(index: int | None, text: str) -> Event:
    """Continue a block."""
    return _at("contentBlockDelta", index, {"delta": {"toolUse": {"input": text}}})


def stop(index: int | None) -> Event:
    """End a block."""
    return _at("contentBlockStop", index, {})


def block(index: int | None, id: str | None, name: str, *texts: str) -> list[Event]:
    """Make all events of a block."""
    return [start(index, id, name), *(delta(index, text) for text in texts), stop(index)]


def _at(name: str, index: int | None, event: Event) -> Event:
    return {name: event if index is None else {**event, "contentBlockIndex": index}}


def end(reason: str = "tool_use") -> list[Event]:
    """End the message."""
    return [{"messageStop": {"stopReason": reason}}, {"metadata": {"usage": {"outputTokens": 9}}}]


_BEGIN = {"messageStart": {"role": "assistant"}}

STREAM = [
    _BEGIN,
    {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "Hm."}}}},
    {"contentBlockStop": {"contentBlockIndex": 0}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "I'll look "}}},
    {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": "that up."}}},
    {"contentBlockStop": {"contentBlockIndex": 1}},
    *block(2, "tooluse_a", "weather", '{"city": "Z', "ürich \\ud83c", '\\udf27"}'),
    *block(3, "tooluse_b", "book", '{"to": "東', '京", "days": 3}'),
    *end(),
]
TEXT = "I'll look that up."
CALLS = [
    call(
        "tooluse_a",
        2,
        "weather",
        {"city": "Zürich 🌧"},
        '{"city": "Zürich \\ud83c\\udf27"}',
        reason="tool_use",
    ),
    call("tooluse_b", 3, "book", {"to": "東京", "days": 3}, '{"to": "東京", "days": 3}', reason="tool_use"),
]

_A = call("a", 0, "f", {"x": 1}, '{"x":1}', reason="tool_use")

FAULTS: Faults = {
    "interleaved": (
        [
            _BEGIN,
            start(0, "a", "f"),
            start(1, "b", "g"),
            delta(0, '{"x":'),
            delta(1, '{"y":"ü'),
            delta(0, "1}"),
            stop(0),
            delta(1, '"}'),
            stop(1),
            *end(),
        ],
        [_A, call("b", 1, "g", {"y": "ü"}, '{"y":"ü"}', reason="tool_use")],
    ),
    "index 0 for all": (
        [*block(0, "a", "f", '{"x":', "1}"), *block(0, "b", "f", '{"y":2}'), *end()],
        [_A, call("b", 0, "f", {"y": 2}, '{"y":2}', reason="tool_use")],
    ),
    "no index": (
        [*block(None, "a", "f", '{"x":', "1}"), *block(None, "b", "f", '{"y":2}'), *end()],
        [
            call("a", None, "f", {"x": 1}, '{"x":1}', reason="tool_use"),
            call("b", None, "f", {"y": 2}, '{"y":2}', reason="tool_use"),
        ],
    ),
    "no id": (
        # nor a name, as the start was lost
        [delta(0, '{"x":'), delta(0, "1}"), stop(0), *block(1, None, "f", '{"y":2}'), *end()],
        [
            call(None, 0, None, {"x": 1}, '{"x":1}', reason="tool_use"),
            call(None, 1, "f", {"y": 2}, '{"y":2}', reason="tool_use"),
        ],
    ),
    "empty arguments": (
        [*block(0, "a", "now", ""), *block(1, "b", "now"), *end()],
        [call("a", 0, "now", {}, "", reason="tool_use"), call("b", 1, "now", {}, "", reason="tool_use")],
    ),
    "complete arguments": ([*block(0, "a", "f", '{"x":1}'), *end()], [_A]),
    "cut by length": (
        [*block(0, "a", "f", '{"x":1}'), *block(1, "b", "g", '{"y":"so far'), *end("max_tokens")],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}', reason="max_tokens"),
            call("b", 1, "g", {"y": "so far"}, '{"y":"so far', False, "truncated", "max_tokens"),
        ],
    ),
    "invalid JSON": (
        [*block(0, "a", "f", '{"x": 1, ', "y: 2}"), *end()],
        [call("a", 0, "f", {"x": 1}, '{"x": 1, y: 2}', False, "expected_key", "tool_use")],
    ),
    "merged calls": (
        [*block(0, "a", "f", '{"x":1}{"y"', ":2}"), *end()],
        [call("a", 0, "f", {"x": 1}, '{"x":1}{"y":2}', False, "trailing_text", "tool_use")],
    ),
    "prefix not the end": (
        [*block(0, "a", "f", '{"x":1}', ',"y":2}'), *end()],
        [call("a", 0, "f", {"x": 1}, '{"x":1},"y":2}', False, "trailing_text", "tool_use")],
    ),
    "split surrogates": (
        [*block(0, "a", "f", '{"x":"\\u', "d83c\\", "udf27 \\ud83c", ' ü"}'), *end()],
        [call("a", 0, "f", {"x": "🌧 \ud83c ü"}, '{"x":"\\ud83c\\udf27 \\ud83c ü"}', reason="tool_use")],
    ),
    "just stops": (
        [
            *block(0, "a", "f", '{"x":1}'),
            start(1, "b", "g"),
            delta(1, '{"y":"so'),
            start(2, "c", "now"),
        ],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}'),
            call("b", 1, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
            call("c", 2, "now", UNDEFINED, "", False, "truncated"),
        ],
    ),
}

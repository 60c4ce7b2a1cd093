"""Anthropic Messages."""

from __future__ import annotations

from typing import Any

from midstream import UNDEFINED

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def start(index: int | None, id: str | None, name: str, given: Any = None) -> Event:
    """Begin a ``tool_use`` block."""
    block = {"type": "tool_use", "id": id, "name": name, "input": given or {}}
    return _at(index, {"type": "content_block_start", "content_block": block})


def delta(index: int | None, text: str) -> Event:
    """Continue a block."""
    piece = {"type": "input_json_delta", "partial_json": text}
    return _at(index, {"type": "content_block_delta", "delta": piece})


def stop(index: int | None) -> Event:
    """End a block."""
    return _at(index, {"type": "content_block_stop"})


def block(index: int | None, id: str | None, name: str, *texts: str) -> list[Event]:
    """Make all events of a block."""
    return [start(index, id, name), *(delta(index, text) for text in texts), stop(index)]


def _at(index: int | None, event: Event) -> Event:
    return event if index is None else {**event, "index": index}


def end(reason: str = "tool_use") -> list[Event]:
    """End the message."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]


_BEGIN = {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": []}}


def _text(index: int, *texts: str) -> list[Event]:
    return [
        {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}
            for text in texts
        ),
        {"type": "content_block_stop", "index": index},
    ]


STREAM = [
    _BEGIN,
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_stop", "index": 0},
    *_text(1, "I'll look ", "that up."),
    *block(2, "toolu_a", "weather", "", '{"city": "Z', "ürich \\ud83c", '\\udf27"}'),
    *block(3, "toolu_b", "book", '{"to": "東', '京", "days": 3}'),
    *end(),
]
TEXT = "I'll look that up."
CALLS = [
    call(
        "toolu_a", 2, "weather", {"city": "Zürich 🌧"}, '{"city": "Zürich \\ud83c\\udf27"}', reason="tool_use"
    ),
    call("toolu_b", 3, "book", {"to": "東京", "days": 3}, '{"to": "東京", "days": 3}', reason="tool_use"),
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
        [*block(0, None, "f", '{"x":', "1}"), *block(1, None, "f", '{"y":2}'), *end()],
        [
            call(None, 0, "f", {"x": 1}, '{"x":1}', reason="tool_use"),
            call(None, 1, "f", {"y": 2}, '{"y":2}', reason="tool_use"),
        ],
    ),
    "empty arguments": (
        [*block(0, "a", "now", ""), *block(1, "b", "now"), *end()],
        [call("a", 0, "now", {}, "", reason="tool_use"), call("b", 1, "now", {}, "", reason="tool_use")],
    ),
    "complete arguments": ([*block(0, "a", "f", '{"x":1}'), *end()], [_A]),
    "arguments at the start": (
        [
            start(0, "a", "f", {"x": 1}),
            stop(0),
            start(1, "b", "f", {"y": 2}),
            delta(1, '{"y":'),
            delta(1, "2}"),
            stop(1),
            start(2, "c", "f", {"z": "ü"}),
            *end(),
        ],
        [
            _A,
            call("b", 1, "f", {"y": 2}, '{"y":2}', reason="tool_use"),
            call("c", 2, "f", {"z": "ü"}, '{"z":"ü"}', reason="tool_use"),
        ],
    ),
    "cut by length": (
        # the block is stopped as if nothing were missing
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
            *block(1, "b", "now"),
            start(2, "c", "g"),
            delta(2, '{"y":"so'),
            start(3, "d", "now"),
        ],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}'),
            call("b", 1, "now", {}, ""),
            call("c", 2, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
            call("d", 3, "now", UNDEFINED, "", False, "truncated"),
        ],
    ),
}

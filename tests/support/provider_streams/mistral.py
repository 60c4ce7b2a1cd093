"""Mistral chat: chunks as they are on the wire, and as the SDK completes them."""

from __future__ import annotations

from typing import Any

from midstream import UNDEFINED

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def chunk(delta: Event | None = None, finish_reason: str | None = None) -> Event:
    """Make a chunk with one choice."""
    choice = {"index": 0, "delta": delta or {"content": ""}, "finish_reason": finish_reason}
    return {
        "id": "b399",
        "object": "chat.completion.chunk",
        "model": "mistral-small-latest",
        "choices": [choice],
    }


def event(*entries: Event) -> Event:
    """Make an event of the SDK from calls."""
    return {"data": chunk({"content": None, "tool_calls": list(entries)})}


def piece(arguments: Any, id: str | None = "null", name: str = "", index: int | None = 0) -> Event:
    """Make an entry of ``tool_calls``."""
    entry = {"id": id, "index": index, "function": {"name": name, "arguments": arguments}}
    return {key: value for key, value in entry.items() if value is not None}


END = {"data": chunk(finish_reason="tool_calls")}

STREAM = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]}),
    chunk({"content": [{"type": "text", "text": "I'll look "}]}),
    chunk({"content": "that up."}),
    chunk({"tool_calls": [piece("", "gSIMJiOkT", "weather", None)]}),
    chunk({"tool_calls": [piece('{"city": "Z', None, "", None)]}),
    chunk({"tool_calls": [piece("ürich \\ud83c", None, "", None)]}),
    chunk({"tool_calls": [piece('\\udf27"}', None, "", None)]}),
    chunk({"tool_calls": [piece('{"to": "東京", "days": 3}', "gSIMJiOkU", "book", None)]}, "tool_calls"),
]
TEXT = "I'll look that up."
CALLS = [
    call(
        "gSIMJiOkT",
        None,
        "weather",
        {"city": "Zürich 🌧"},
        '{"city": "Zürich \\ud83c\\udf27"}',
        reason="tool_calls",
    ),
    call(
        "gSIMJiOkU", None, "book", {"to": "東京", "days": 3}, '{"to": "東京", "days": 3}', reason="tool_calls"
    ),
]

_A = call("a", 0, "f", {"x": 1}, '{"x":1}', reason="tool_calls")
_B = call("b", 0, "f", {"y": 2}, '{"y":2}', reason="tool_calls")

FAULTS: Faults = {
    "interleaved": (
        [
            event(piece('{"x":', "a", "f", 0), piece('{"y":', "b", "f", 1)),
            event(piece("1}", "null", "", 0), piece("2}", "null", "", 1)),
            END,
        ],
        [_A, call("b", 1, "f", {"y": 2}, '{"y":2}', reason="tool_calls")],
    ),
    "repeated id and name": (
        [
            event(piece('{"x":', "a", "f")),
            event(piece("1}", "a", "f")),
            event(piece('{"y":', "b", "f")),
            event(piece("2}", "b", "f")),
            END,
        ],
        [_A, _B],
    ),
    "changing id": ([event(piece('{"x":', "a", "f")), event(piece("1}", "a2")), END], [_A]),
    "index 0 for all": ([event(piece('{"x":1}', "a", "f"), piece('{"y":2}', "b", "f")), END], [_A, _B]),
    "no index": (
        [event(piece('{"x":1}', "a", "f", None), piece('{"y":2}', "b", "f", None)), END],
        [
            call("a", None, "f", {"x": 1}, '{"x":1}', reason="tool_calls"),
            call("b", None, "f", {"y": 2}, '{"y":2}', reason="tool_calls"),
        ],
    ),
    "no id": (
        # the same tool three times, the first without arguments
        [
            event(piece("", name="f"), piece('{"x":1}', name="f"), piece('{"y":', name="f")),
            event(piece("2}")),
            END,
        ],
        [
            call(None, 0, "f", {}, "", reason="tool_calls"),
            call(None, 0, "f", {"x": 1}, '{"x":1}', reason="tool_calls"),
            call(None, 0, "f", {"y": 2}, '{"y":2}', reason="tool_calls"),
        ],
    ),
    "empty arguments": (
        [event(piece("", "a", "now"), piece({}, "b", "now")), END],
        [
            call("a", 0, "now", {}, "", reason="tool_calls"),
            call("b", 0, "now", {}, "{}", reason="tool_calls"),
        ],
    ),
    "complete arguments": (
        [event(piece({"x": 1}, "a", "f"), piece({"y": "ü🌧"}, "b", "f")), END],
        [_A, call("b", 0, "f", {"y": "ü🌧"}, '{"y":"ü🌧"}', reason="tool_calls")],
    ),
    "arguments at the start": ([event(piece('{"x', "a", "f")), event(piece('":1}')), END], [_A]),
    "cut by length": (
        [
            event(piece('{"x":1}', "a", "f"), piece('{"y":"so far', "b", "g")),
            {"data": chunk(finish_reason="model_length")},
        ],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}', reason="model_length"),
            call("b", 0, "g", {"y": "so far"}, '{"y":"so far', False, "truncated", "model_length"),
        ],
    ),
    "invalid JSON": (
        [event(piece('{"x": 1, y: 2}', "a", "f")), END],
        [call("a", 0, "f", {"x": 1}, '{"x": 1, y: 2}', False, "expected_key", "tool_calls")],
    ),
    "merged calls": (
        [event(piece('{"x":1}{"y":2}', "a", "f")), END],
        [call("a", 0, "f", {"x": 1}, '{"x":1}{"y":2}', False, "trailing_text", "tool_calls")],
    ),
    "prefix not the end": (
        [event(piece('{"x":1}', "a", "f")), event(piece(',"y":2}')), END],
        [call("a", 0, "f", {"x": 1}, '{"x":1},"y":2}', False, "trailing_text", "tool_calls")],
    ),
    "split surrogates": (
        [event(piece('{"x":"\\ud83c\\', "a", "f")), event(piece('udf27"}')), END],
        [call("a", 0, "f", {"x": "🌧"}, '{"x":"\\ud83c\\udf27"}', reason="tool_calls")],
    ),
    "just stops": (
        [event(piece('{"x":1}', "a", "f")), event(piece('{"y":"so', "b", "g")), event(piece("", "c", "now"))],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}'),
            call("b", 0, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
            call("c", 0, "now", UNDEFINED, "", False, "truncated"),
        ],
    ),
}

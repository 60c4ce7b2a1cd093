"""Ollama's ``/api/chat``: calls arrive complete, so little can go wrong but who they are and how they end."""

from __future__ import annotations

from typing import Any

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def line(content: str = "", *calls: Event, reason: str | None = None) -> Event:
    """Make a line; with a reason it is the last."""
    message: Event = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = list(calls)
    event = {
        "model": "qwen3",
        "created_at": "2026-11-16T06:00:00Z",
        "message": message,
        "done": reason is not None,
    }
    return event if reason is None else {**event, "done_reason": reason, "eval_count": 9}


def entry(name: str, arguments: Any, **more: Any) -> Event:
    """Make an entry of ``tool_calls``."""
    index = {"index": more.pop("index")} if "index" in more else {}
    return {**more, "function": {**index, "name": name, "arguments": arguments}}


STREAM = [
    {**line(), "message": {"role": "assistant", "content": "", "thinking": "Hm."}},
    line("I'll look "),
    line("that up."),
    line("", entry("weather", {"city": "Zürich 🌧"}, id="call_a", index=0)),
    line("", entry("book", {"to": "東京", "days": 3}, id="call_b", index=1)),
    line("", reason="stop"),
]
TEXT = "I'll look that up."
CALLS = [
    call("call_a", 0, "weather", {"city": "Zürich 🌧"}, '{"city":"Zürich 🌧"}', reason="stop"),
    call("call_b", 1, "book", {"to": "東京", "days": 3}, '{"to":"東京","days":3}', reason="stop"),
]

_END = line("", reason="stop")
_A = call(None, 0, "f", {"x": 1}, '{"x":1}', reason="stop")
_B = call(None, 1, "f", {"y": 2}, '{"y":2}', reason="stop")

FAULTS: Faults = {
    "index 0 for all": (
        [line("", entry("f", {"x": 1}, index=0)), line("", entry("f", {"y": 2}, index=0)), _END],
        [_A, _B],
    ),
    "no index": (
        [line("", entry("f", {"x": 1}, id="a"), entry("f", {"y": 2}, id="b")), _END],
        [_A._replace(id="a"), _B._replace(id="b")],
    ),
    "no id": ([line("", entry("f", {"x": 1}), entry("f", {"y": 2})), _END], [_A, _B]),
    "empty arguments": (
        [line("", entry("now", {})), line("", entry("now", "")), line("", entry("now", None)), _END],
        [
            call(None, 0, "now", {}, "{}", reason="stop"),
            call(None, 1, "now", {}, "", reason="stop"),
            call(None, 2, "now", {}, "", reason="stop"),
        ],
    ),
    "complete arguments": (
        # as a text, and with the last line
        [line("", entry("f", '{"x":1}')), line("", entry("f", {"y": 2}), reason="stop")],
        [_A, _B],
    ),
    "cut by length": (
        [line("", entry("f", {"x": 1})), line("", entry("g", {"y": "so far"}), reason="length")],
        [
            call(None, 0, "f", {"x": 1}, '{"x":1}', reason="length"),
            call(None, 1, "g", {"y": "so far"}, '{"y":"so far"}', False, "truncated", "length"),
        ],
    ),
    "invalid JSON": (
        [line("", entry("f", '{"x": 1, y: 2}')), _END],
        [call(None, 0, "f", {"x": 1}, '{"x": 1, y: 2}', False, "expected_key", "stop")],
    ),
    "merged calls": (
        [line("", entry("f", '{"x":1}{"y":2}')), _END],
        [call(None, 0, "f", {"x": 1}, '{"x":1}{"y":2}', False, "trailing_text", "stop")],
    ),
    "split surrogates": (
        [line("", entry("f", {"x": "🌧 \ud83c"})), line("", entry("f", '{"x":"\\ud83c\\udf27"}')), _END],
        [
            call(None, 0, "f", {"x": "🌧 \ud83c"}, '{"x":"🌧 \ud83c"}', reason="stop"),
            call(None, 1, "f", {"x": "🌧"}, '{"x":"\\ud83c\\udf27"}', reason="stop"),
        ],
    ),
    "just stops": (
        [line("", entry("f", {"x": 1})), line("", entry("g", '{"y":"so')), line("so")],
        [
            call(None, 0, "f", {"x": 1}, '{"x":1}'),
            call(None, 1, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
        ],
    ),
}

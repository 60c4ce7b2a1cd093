"""Gemini Interactions."""

from __future__ import annotations

from typing import Any

from midstream import UNDEFINED

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def start(index: int | None, id: str | None, name: str, given: Any = None) -> Event:
    """Begin a step that is a call."""
    step = {"type": "function_call", "id": id, "name": name, "arguments": given or {}}
    return _at(index, {"step": step, "event_type": "step.start"})


def delta(index: int | None, text: str) -> Event:
    """Continue a step."""
    piece = {"type": "arguments_delta", "arguments": text}
    return _at(index, {"delta": piece, "event_type": "step.delta"})


def stop(index: int | None) -> Event:
    """End a step."""
    return _at(index, {"event_type": "step.stop"})


def step(index: int | None, id: str | None, name: str, *texts: str) -> list[Event]:
    """Make all events of a step."""
    return [start(index, id, name), *(delta(index, text) for text in texts), stop(index)]


def _at(index: int | None, event: Event) -> Event:
    return event if index is None else {"index": index, **event}


def _text(index: int, text: str) -> Event:
    return {"index": index, "delta": {"type": "text", "text": text}, "event_type": "step.delta"}


def end(status: str = "requires_action") -> Event:
    """End the interaction."""
    return {"interaction": {"id": "v1_1", "status": status}, "event_type": "interaction.completed"}


_BEGIN = {"interaction": {"id": "v1_1", "status": "in_progress"}, "event_type": "interaction.created"}

STREAM = [
    _BEGIN,
    {"interaction_id": "v1_1", "status": "in_progress", "event_type": "interaction.status_update"},
    {"index": 0, "step": {"type": "thought"}, "event_type": "step.start"},
    {"index": 0, "delta": {"type": "thought_signature", "signature": "s"}, "event_type": "step.delta"},
    {
        "index": 0,
        "delta": {"type": "thought_summary", "content": {"type": "text", "text": "Hm."}},
        "event_type": "step.delta",
    },
    {"index": 0, "event_type": "step.stop"},
    {
        "index": 1,
        "step": {"type": "model_output", "content": [{"type": "text", "text": "I'll "}]},
        "event_type": "step.start",
    },
    _text(1, "look "),
    _text(1, "that up."),
    {"index": 1, "event_type": "step.stop"},
    *step(2, "un6k8t18", "weather", '{"city": "Z', "ürich \\ud83c", '\\udf27"}'),
    *step(3, "un6k8t19", "book", '{"to": "東', '京", "days": 3}'),
    {"interaction_id": "v1_1", "status": "requires_action", "event_type": "interaction.status_update"},
    end(),
]
TEXT = "I'll look that up."
CALLS = [
    call(
        "un6k8t18",
        2,
        "weather",
        {"city": "Zürich 🌧"},
        '{"city": "Zürich \\ud83c\\udf27"}',
        reason="requires_action",
    ),
    call(
        "un6k8t19",
        3,
        "book",
        {"to": "東京", "days": 3},
        '{"to": "東京", "days": 3}',
        reason="requires_action",
    ),
]

_A = call("a", 0, "f", {"x": 1}, '{"x":1}', reason="requires_action")

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
            end(),
        ],
        [_A, call("b", 1, "g", {"y": "ü"}, '{"y":"ü"}', reason="requires_action")],
    ),
    "index 0 for all": (
        [*step(0, "a", "f", '{"x":', "1}"), *step(0, "b", "f", '{"y":2}'), end()],
        [_A, call("b", 0, "f", {"y": 2}, '{"y":2}', reason="requires_action")],
    ),
    "no index": (
        [*step(None, "a", "f", '{"x":', "1}"), *step(None, "b", "f", '{"y":2}'), end()],
        [
            call("a", None, "f", {"x": 1}, '{"x":1}', reason="requires_action"),
            call("b", None, "f", {"y": 2}, '{"y":2}', reason="requires_action"),
        ],
    ),
    "no id": (
        # nor a name, as the start was lost
        [delta(0, '{"x":'), delta(0, "1}"), stop(0), *step(1, None, "f", '{"y":2}'), end()],
        [
            call(None, 0, None, {"x": 1}, '{"x":1}', reason="requires_action"),
            call(None, 1, "f", {"y": 2}, '{"y":2}', reason="requires_action"),
        ],
    ),
    "empty arguments": (
        [*step(0, "a", "now", ""), *step(1, "b", "now"), end()],
        [
            call("a", 0, "now", {}, "", reason="requires_action"),
            call("b", 1, "now", {}, "", reason="requires_action"),
        ],
    ),
    "complete arguments": (
        # the second as earlier revisions of the API have it
        [
            *step(0, "a", "f", '{"x":1}'),
            {"index": 1, "content": {"type": "function_call"}, "event_type": "content.start"},
            {
                "index": 1,
                "delta": {"type": "function_call", "id": "b", "name": "f", "arguments": {"y": "ü"}},
                "event_type": "content.delta",
            },
            {"index": 1, "event_type": "content.stop"},
            {"interaction": {"status": "requires_action"}, "event_type": "interaction.complete"},
        ],
        [_A, call("b", 1, "f", {"y": "ü"}, '{"y":"ü"}', reason="requires_action")],
    ),
    "arguments at the start": (
        [
            start(0, "a", "f", {"x": 1}),
            stop(0),
            start(1, "b", "f", {"y": 2}),
            delta(1, '{"y":'),
            delta(1, "2}"),
            stop(1),
            start(2, "c", "f", {"z": "ü"}),
            end(),
        ],
        [
            _A,
            call("b", 1, "f", {"y": 2}, '{"y":2}', reason="requires_action"),
            call("c", 2, "f", {"z": "ü"}, '{"z":"ü"}', reason="requires_action"),
        ],
    ),
    "cut by length": (
        [*step(0, "a", "f", '{"x":1}'), start(1, "b", "g"), delta(1, '{"y":"so far'), end("incomplete")],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}', reason="incomplete"),
            call("b", 1, "g", {"y": "so far"}, '{"y":"so far', False, "truncated", "incomplete"),
        ],
    ),
    "invalid JSON": (
        [*step(0, "a", "f", '{"x": 1, ', "y: 2}"), end()],
        [call("a", 0, "f", {"x": 1}, '{"x": 1, y: 2}', False, "expected_key", "requires_action")],
    ),
    "merged calls": (
        [*step(0, "a", "f", '{"x":1}{"y"', ":2}"), end()],
        [call("a", 0, "f", {"x": 1}, '{"x":1}{"y":2}', False, "trailing_text", "requires_action")],
    ),
    "prefix not the end": (
        [*step(0, "a", "f", '{"x":1}', ',"y":2}'), end()],
        [call("a", 0, "f", {"x": 1}, '{"x":1},"y":2}', False, "trailing_text", "requires_action")],
    ),
    "split surrogates": (
        [*step(0, "a", "f", '{"x":"\\u', "d83c\\", "udf27 \\ud83c", ' ü"}'), end()],
        [
            call(
                "a", 0, "f", {"x": "🌧 \ud83c ü"}, '{"x":"\\ud83c\\udf27 \\ud83c ü"}', reason="requires_action"
            )
        ],
    ),
    "just stops": (
        [*step(0, "a", "f", '{"x":1}'), start(1, "b", "g"), delta(1, '{"y":"so'), start(2, "c", "now")],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}'),
            call("b", 1, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
            call("c", 2, "now", UNDEFINED, "", False, "truncated"),
        ],
    ),
}

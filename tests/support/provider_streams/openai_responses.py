"""OpenAI Responses."""

from __future__ import annotations

from midstream import UNDEFINED

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def item(
    id: str | None, call_id: str | None, name: str, arguments: str = "", status: str = "in_progress"
) -> Event:
    """Make an output item that is a call."""
    return {
        "type": "function_call",
        "id": id,
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
        "status": status,
    }


def added(index: int | None, item: Event) -> Event:
    """Begin an item."""
    return _at(index, {"type": "response.output_item.added", "item": item})


def delta(index: int | None, id: str | None, text: str) -> Event:
    """Continue an item."""
    return _at(index, {"type": "response.function_call_arguments.delta", "item_id": id, "delta": text})


def done(index: int | None, item: Event) -> list[Event]:
    """End an item: its arguments first, and then itself."""
    fields = {"item_id": item["id"], "arguments": item["arguments"]}
    return [
        _at(index, {"type": "response.function_call_arguments.done", **fields}),
        _at(index, {"type": "response.output_item.done", "item": {"status": "completed", **item}}),
    ]


def complete(index: int | None, id: str | None, call_id: str | None, name: str, *texts: str) -> list[Event]:
    """Make all events of an item."""
    return [
        added(index, item(id, call_id, name)),
        *(delta(index, id, text) for text in texts),
        *done(index, item(id, call_id, name, "".join(texts), "completed")),
    ]


def _at(index: int | None, event: Event) -> Event:
    return event if index is None else {**event, "output_index": index}


def end() -> Event:
    """End the response."""
    return {"type": "response.completed", "response": {"id": "resp_1", "status": "completed"}}


_BEGIN = {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}

STREAM = [
    _BEGIN,
    {"type": "response.in_progress", "response": {"id": "resp_1"}},
    {"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1"}},
    {"type": "response.reasoning_text.delta", "item_id": "rs_1", "output_index": 0, "delta": "Hm."},
    {"type": "response.output_item.done", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1"}},
    {"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "id": "msg_1"}},
    {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 1, "delta": "I'll look "},
    {"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 1, "delta": "that up."},
    {
        "type": "response.output_text.done",
        "item_id": "msg_1",
        "output_index": 1,
        "text": "I'll look that up.",
    },
    {"type": "response.output_item.done", "output_index": 1, "item": {"type": "message", "id": "msg_1"}},
    *complete(2, "fc_a", "call_a", "weather", '{"city": "Z', "ürich \\ud83c", '\\udf27"}'),
    *complete(3, "fc_b", "call_b", "book", '{"to": "東', '京", "days": 3}'),
    end(),
]
TEXT = "I'll look that up."
CALLS = [
    call(
        "call_a", 2, "weather", {"city": "Zürich 🌧"}, '{"city": "Zürich \\ud83c\\udf27"}', reason="completed"
    ),
    call("call_b", 3, "book", {"to": "東京", "days": 3}, '{"to": "東京", "days": 3}', reason="completed"),
]

_A = call("a", 0, "f", {"x": 1}, '{"x":1}', reason="completed")
_B = call("b", 1, "f", {"y": 2}, '{"y":2}', reason="completed")
_ITEM_A = item("fc_a", "a", "f", '{"x":1}', "completed")

FAULTS: Faults = {
    "interleaved": (
        [
            added(0, item("fc_a", "a", "f")),
            added(1, item("fc_b", "b", "f")),
            delta(0, "fc_a", '{"x":'),
            delta(1, "fc_b", '{"y":'),
            delta(0, "fc_a", "1}"),
            *done(0, _ITEM_A),
            delta(1, "fc_b", "2}"),
            *done(1, item("fc_b", "b", "f", '{"y":2}')),
            end(),
        ],
        [_A, _B],
    ),
    "repeated id and name": (
        [
            added(0, item("fc_a", "a", "f")),
            delta(0, "fc_a", '{"x":'),
            added(0, item("fc_a", "a", "f")),
            delta(0, "fc_a", "1}"),
            added(0, item("fc_a", "a", "f")),
            *done(0, _ITEM_A),
            *done(0, _ITEM_A),
            end(),
        ],
        [_A],
    ),
    "changing id": (
        [
            added(0, item("fc_1", "a", "f")),
            delta(0, "fc_2", '{"x":'),
            delta(0, "fc_3", "1}"),
            *done(0, item("fc_4", "a", "f", '{"x":1}', "completed")),
            end(),
        ],
        [_A],
    ),
    "index 0 for all": (
        [
            added(0, item("fc_a", "a", "f")),
            added(0, item("fc_b", "b", "f")),
            delta(0, "fc_a", '{"x":'),
            delta(0, "fc_b", '{"y":'),
            delta(0, "fc_a", "1}"),
            delta(0, "fc_b", "2}"),
            *done(0, _ITEM_A),
            *done(0, item("fc_b", "b", "f", '{"y":2}', "completed")),
            end(),
        ],
        [_A, call("b", 0, "f", {"y": 2}, '{"y":2}', reason="completed")],
    ),
    "no index": (
        [
            *complete(None, "fc_a", "a", "f", '{"x":', "1}"),
            *complete(None, "fc_b", "b", "f", '{"y":2}'),
            end(),
        ],
        [
            call("a", "fc_a", "f", {"x": 1}, '{"x":1}', reason="completed"),
            call("b", "fc_b", "f", {"y": 2}, '{"y":2}', reason="completed"),
        ],
    ),
    "no id": (
        # of the first the start was lost: what it is called comes late
        [
            delta(0, "fc_a", '{"x":'),
            delta(0, "fc_a", "1}"),
            *done(0, _ITEM_A),
            *complete(1, None, None, "f", '{"y":', "2}"),
            end(),
        ],
        [_A, call(None, 1, "f", {"y": 2}, '{"y":2}', reason="completed")],
    ),
    "empty arguments": (
        [*complete(0, "fc_a", "a", "now", ""), *complete(1, "fc_b", "b", "now"), end()],
        [call("a", 0, "now", {}, "", reason="completed"), call("b", 1, "now", {}, "", reason="completed")],
    ),
    "complete arguments": (
        # sent when they end, or only with the item
        [
            added(0, item("fc_a", "a", "f")),
            *done(0, _ITEM_A),
            added(1, item("fc_b", "b", "f")),
            done(1, item("fc_b", "b", "f", '{"y":2}', "completed"))[1],
            end(),
        ],
        [_A, _B],
    ),
    "arguments at the start": (
        [
            added(0, _ITEM_A),
            *done(0, _ITEM_A),
            added(1, item("fc_b", "b", "f", '{"y":2}')),
            delta(1, "fc_b", '{"y":'),
            delta(1, "fc_b", "2}"),
            *done(1, item("fc_b", "b", "f", '{"y":2}', "completed")),
            added(2, item("fc_c", "c", "f", '{"z":"ü"}')),
            end(),
        ],
        [_A, _B, call("c", 2, "f", {"z": "ü"}, '{"z":"ü"}', reason="completed")],
    ),
    "cut by length": (
        [
            *complete(0, "fc_a", "a", "f", '{"x":1}'),
            added(1, item("fc_b", "b", "g")),
            delta(1, "fc_b", '{"y":"so far'),
            *done(1, item("fc_b", "b", "g", '{"y":"so far', "incomplete")),
            {
                "type": "response.incomplete",
                "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            },
        ],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}', reason="max_output_tokens"),
            call("b", 1, "g", {"y": "so far"}, '{"y":"so far', False, "truncated", "max_output_tokens"),
        ],
    ),
    "invalid JSON": (
        [*complete(0, "fc_a", "a", "f", '{"x": 1, ', "y: 2}"), end()],
        [call("a", 0, "f", {"x": 1}, '{"x": 1, y: 2}', False, "expected_key", "completed")],
    ),
    "merged calls": (
        [*complete(0, "fc_a", "a", "f", '{"x":1}{"y"', ":2}"), end()],
        [call("a", 0, "f", {"x": 1}, '{"x":1}{"y":2}', False, "trailing_text", "completed")],
    ),
    "prefix not the end": (
        [*complete(0, "fc_a", "a", "f", '{"x":1}', ',"y":2}'), end()],
        [call("a", 0, "f", {"x": 1}, '{"x":1},"y":2}', False, "trailing_text", "completed")],
    ),
    "split surrogates": (
        [*complete(0, "fc_a", "a", "f", '{"x":"\\u', "d83c\\", "udf27 \\ud83c", ' ü"}'), end()],
        [call("a", 0, "f", {"x": "🌧 \ud83c ü"}, '{"x":"\\ud83c\\udf27 \\ud83c ü"}', reason="completed")],
    ),
    "just stops": (
        [
            *complete(0, "fc_a", "a", "f", '{"x":1}'),
            added(1, item("fc_b", "b", "g")),
            delta(1, "fc_b", '{"y":"so'),
            added(2, item("fc_c", "c", "now")),
        ],
        [
            call("a", 0, "f", {"x": 1}, '{"x":1}'),
            call("b", 1, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
            call("c", 2, "now", UNDEFINED, "", False, "truncated"),
        ],
    ),
}

"""Events of this project, as ``to_event`` writes them: with fragments from the server, and without."""

from __future__ import annotations

from typing import Any

from midstream import JsonFragmentAccumulator
from midstream.wire.form import to_wire

from . import Event, Faults, call

RAIN = '{"city": "Z\\u00fcrich \\ud83c\\udf26", "days": 3}'
RAIN_ARGS = {"city": "Zürich 🌦", "days": 3}
END: Event = {"type": "message_end", "reason": "stop"}


def update(args: str | None = None, id: str | None = None, index: int | None = None, **more: Any) -> Event:
    said = {"tool_call_id": id, "index": index, "function_args": args, **more}
    return {"type": "tool_call_update", **{key: value for key, value in said.items() if value is not None}}


def enriched(*events: Event) -> list[Event]:
    """Add to the updates of one call the fragments that the server's middleware attaches."""
    accumulator = JsonFragmentAccumulator()
    return [
        {
            **event,
            "json_update_fragments": [
                to_wire(item) for item in accumulator.add_fragment(event["function_args"])
            ],
        }
        for event in events
    ]


_WEATHER = enriched(
    update('{"city": "Z\\u00fcrich \\ud83c', "call_1", 0, function_name="weather", message_id="m1"),
    update('\\udf26", "days"', "call_1", 0, message_id="m1"),
    update(": 3}", "call_1", 0, message_id="m1"),
)

STREAM: list[Event] = [
    {"type": "text_delta", "text": "I'll ", "message_id": "m1"},
    {"type": "text_delta", "text": "look.", "message_id": "m1"},
    _WEATHER[0],
    # several updates in one event; what is theirs alone has no type
    {
        "type": "tools_call_update",
        "message_id": "m1",
        "tool_call_updates": [
            {"tool_call_id": "call_2", "index": 1, "function_name": "search", "function_args": '{"q": '},
            {key: value for key, value in _WEATHER[1].items() if key not in ("type", "message_id")},
        ],
    },
    {"message_id": "m1", "tool_call_updates": [{"index": 1, "function_args": "[1, 2]}"}]},
    _WEATHER[2],
    {"type": "tool_call_end", "tool_call_id": "call_1", "message_id": "m1"},
    {"type": "tool_result", "tool_call_id": "call_1", "result": {"sky": "rain"}},
    {"type": "message_end", "reason": "stop", "message_id": "m1"},
]
CALLS = [
    call("call_1", 0, "weather", RAIN_ARGS, RAIN, reason="stop"),
    call("call_2", 1, "search", {"q": [1, 2]}, '{"q": [1, 2]}', reason="stop"),
]
TEXT = "I'll look."

FAULTS: Faults = {
    "interleaved": (
        [
            update('{"a"', "call_1", 0, function_name="f"),
            update('{"b"', "call_2", 1, function_name="f"),
            update(": 1}", index=0),
            update(": 2}", index=1),
            END,
        ],
        [
            call("call_1", 0, "f", {"a": 1}, '{"a": 1}', reason="stop"),
            call("call_2", 1, "f", {"b": 2}, '{"b": 2}', reason="stop"),
        ],
    ),
    "repeated id and name": (
        [*(update(text, "call_1", 0, function_name="f") for text in ('{"a"', ": ", "1}")), END],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}', reason="stop")],
    ),
    "changing id": (
        [update('{"a"', "call_1", 0, function_name="f"), update(": 1}", "call_x", 0), END],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}', reason="stop")],
    ),
    "index 0 for all": (
        [
            update('{"a": 1}', "call_1", 0, function_name="f"),
            update('{"b"', "call_2", 0, function_name="f"),
            update(": 2}", "call_2", 0),
            END,
        ],
        [
            call("call_1", 0, "f", {"a": 1}, '{"a": 1}', reason="stop"),
            call("call_2", 0, "f", {"b": 2}, '{"b": 2}', reason="stop"),
        ],
    ),
    "no index": (
        [
            update('{"a": 1}', "call_1", function_name="f"),
            update('{"b"', "call_2", function_name="f"),
            update(": 2}"),
            END,
        ],
        [
            call("call_1", None, "f", {"a": 1}, '{"a": 1}', reason="stop"),
            call("call_2", None, "f", {"b": 2}, '{"b": 2}', reason="stop"),
        ],
    ),
    "no id": (
        [
            update('{"a"', index=0, function_name="f"),
            update(": 1}", index=0),
            update('{"b": 2}', index=1, function_name="f"),
            END,
        ],
        [
            call(None, 0, "f", {"a": 1}, '{"a": 1}', reason="stop"),
            call(None, 1, "f", {"b": 2}, '{"b": 2}', reason="stop"),
        ],
    ),
    "empty arguments": (
        [update("", "call_1", 0, function_name="now"), {"type": "tool_call_end", "index": 0}, END],
        [call("call_1", 0, "now", {}, "", reason="stop")],
    ),
    "complete arguments": (
        [*enriched(update('{"a": 1}', "call_1", 0, function_name="f")), END],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}', reason="stop")],
    ),
    "cut by length": (
        [
            *enriched(update('{"city": "Par', "call_1", 0, function_name="f")),
            {"type": "message_end", "reason": "length", "is_truncated": True},
        ],
        [
            call(
                "call_1",
                0,
                "f",
                {"city": "Par"},
                '{"city": "Par',
                complete=False,
                error="truncated",
                reason="length",
            )
        ],
    ),
    "invalid JSON": (
        [update('{"a": nope, ', "call_1", 0, function_name="f"), update('"b": 1}', index=0), END],
        [
            call(
                "call_1",
                0,
                "f",
                {},
                '{"a": nope, "b": 1}',
                complete=False,
                error="invalid_literal",
                reason="stop",
            )
        ],
    ),
    "merged calls": (
        [update('{"a": 1}{"b"', "call_1", 0, function_name="f"), update(": 2}", index=0), END],
        [
            call(
                "call_1",
                0,
                "f",
                {"a": 1},
                '{"a": 1}{"b": 2}',
                complete=False,
                error="trailing_text",
                reason="stop",
            )
        ],
    ),
    "prefix not the end": (
        [update('{"a": 1}', "call_1", 0, function_name="f"), update(' ,"b": 2}', index=0), END],
        [
            call(
                "call_1",
                0,
                "f",
                {"a": 1},
                '{"a": 1} ,"b": 2}',
                complete=False,
                error="trailing_text",
                reason="stop",
            )
        ],
    ),
    "split surrogates": (
        [
            *enriched(
                update('{"a": "\\ud8', "call_1", 0, function_name="f"),
                update("3c", index=0),
                update("\\", index=0),
                update('udf26"}', index=0),
            ),
            END,
        ],
        [call("call_1", 0, "f", {"a": "🌦"}, '{"a": "\\ud83c\\udf26"}', reason="stop")],
    ),
    "just stops": (
        [
            *enriched(update('{"a": 1}', "call_1", 0, function_name="f")),
            *enriched(update('{"b": "tw', "call_2", 1, function_name="f")),
        ],
        [
            call("call_1", 0, "f", {"a": 1}, '{"a": 1}'),
            call("call_2", 1, "f", {"b": "tw"}, '{"b": "tw', complete=False, error="truncated"),
        ],
    ),
}

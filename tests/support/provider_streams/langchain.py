"""Message chunks, as ``model.stream`` gives them and ``model_dump`` writes them."""

from __future__ import annotations

from typing import Any

from . import Event, Faults, call

RAIN = '{"city": "Z\\u00fcrich \\ud83c\\udf26", "days": 3}'
RAIN_ARGS = {"city": "Zürich 🌦", "days": 3}


def piece(args: Any = None, id: Any = None, name: Any = None, index: Any = None) -> Event:
    return {"name": name, "args": args, "id": id, "index": index, "type": "tool_call_chunk"}


def chunk(*pieces: Event, content: Any = "", reason: str | None = None, **more: Any) -> Event:
    metadata = {} if reason is None else {"finish_reason": reason, "model_name": "model-1"}
    return {
        "content": content,
        "additional_kwargs": {},
        "response_metadata": metadata,
        "type": "AIMessageChunk",
        "name": None,
        "id": "lc_run--1",
        "tool_calls": [],
        "invalid_tool_calls": [],
        "usage_metadata": None,
        "tool_call_chunks": list(pieces),
        "chunk_position": None,
        **more,
    }


def last(reason: str | None = None) -> Event:
    return chunk(reason=reason, chunk_position="last")


END = [chunk(reason="tool_calls"), chunk(usage_metadata=None), last()]

STREAM: list[Event] = [
    chunk(),
    chunk(content="I'll "),
    chunk(content=[{"type": "text", "text": "look.", "index": 0}]),
    chunk(piece("", "call_1", "weather", 1)),
    # the provider's own form of the same call is no second one
    chunk(
        piece('{"city": "Z\\u00fcrich \\ud83c', index=1),
        content=[{"type": "input_json_delta", "partial_json": '{"city": "Z\\u00fcrich \\ud83c', "index": 1}],
    ),
    chunk(piece('{"q": ', "call_2", "search", 2)),
    chunk(piece('\\udf26", "days"', index=1), piece("[1, ", index=2)),
    chunk(piece(": 3}", index=1)),
    chunk(piece("2]}", index=2)),
    *END,
]
CALLS = [
    call("call_1", 1, "weather", RAIN_ARGS, RAIN, reason="tool_calls"),
    call("call_2", 2, "search", {"q": [1, 2]}, '{"q": [1, 2]}', reason="tool_calls"),
]
TEXT = "I'll look."

FAULTS: Faults = {
    "interleaved": (
        [
            chunk(piece('{"a"', "call_1", "f", 0), piece('{"b"', "call_2", "f", 1)),
            chunk(piece(": 1}", index=0), piece(": 2}", index=1)),
            *END,
        ],
        [
            call("call_1", 0, "f", {"a": 1}, '{"a": 1}', reason="tool_calls"),
            call("call_2", 1, "f", {"b": 2}, '{"b": 2}', reason="tool_calls"),
        ],
    ),
    "repeated id and name": (
        [chunk(piece(text, "call_1", "f", 0)) for text in ('{"a"', ": ", "1}")] + END,
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}', reason="tool_calls")],
    ),
    "changing id": (
        [chunk(piece('{"a"', "call_1", "f", 0)), chunk(piece(": 1}", "call_x", None, 0)), *END],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}', reason="tool_calls")],
    ),
    "index 0 for all": (
        [
            chunk(piece('{"a": 1}', "call_1", "f", 0)),
            chunk(piece('{"b"', "call_2", "f", 0)),
            chunk(piece(": 2}", "call_2", None, 0)),
            *END,
        ],
        [
            call("call_1", 0, "f", {"a": 1}, '{"a": 1}', reason="tool_calls"),
            call("call_2", 0, "f", {"b": 2}, '{"b": 2}', reason="tool_calls"),
        ],
    ),
    # as chunks are that were made from complete calls
    "no index": (
        [chunk(piece('{"a": 1}', "call_1", "f"), piece('{"b": 2}', "call_2", "f")), *END],
        [
            call("call_1", None, "f", {"a": 1}, '{"a": 1}', reason="tool_calls"),
            call("call_2", None, "f", {"b": 2}, '{"b": 2}', reason="tool_calls"),
        ],
    ),
    "no id": (
        [
            chunk(piece('{"a"', None, "f", 0)),
            chunk(piece(": 1}", index=0)),
            chunk(piece('{"b": 2}', None, "f", 1)),
            *END,
        ],
        [
            call(None, 0, "f", {"a": 1}, '{"a": 1}', reason="tool_calls"),
            call(None, 1, "f", {"b": 2}, '{"b": 2}', reason="tool_calls"),
        ],
    ),
    "empty arguments": (
        [chunk(piece("", "call_1", "now", 0)), *END],
        [call("call_1", 0, "now", {}, "", reason="tool_calls")],
    ),
    # a message that was not streamed
    "complete arguments": (
        [
            {
                "type": "ai",
                "content": "Let me see.",
                "tool_calls": [
                    {"name": "f", "args": {"a": "ü"}, "id": "call_1", "type": "tool_call"},
                    {"name": "now", "args": {}, "id": "call_2", "type": "tool_call"},
                ],
                "invalid_tool_calls": [
                    {
                        "name": "f",
                        "args": '{"a": ',
                        "id": "call_3",
                        "error": "not JSON",
                        "type": "invalid_tool_call",
                    }
                ],
                "response_metadata": {"stop_reason": "tool_use"},
            }
        ],
        [
            call("call_1", None, "f", {"a": "ü"}, '{"a":"ü"}', reason="tool_use"),
            call("call_2", None, "now", {}, "{}", reason="tool_use"),
            call("call_3", None, "f", {}, '{"a": ', complete=False, error="truncated", reason="tool_use"),
        ],
    ),
    "cut by length": (
        [chunk(piece('{"city": "Par', "call_1", "weather", 0)), chunk(reason="length"), last()],
        [
            call(
                "call_1",
                0,
                "weather",
                {"city": "Par"},
                '{"city": "Par',
                complete=False,
                error="truncated",
                reason="length",
            )
        ],
    ),
    "invalid JSON": (
        [chunk(piece('{"a": nope, ', "call_1", "f", 0)), chunk(piece('"b": 1}', index=0)), *END],
        [
            call(
                "call_1",
                0,
                "f",
                {},
                '{"a": nope, "b": 1}',
                complete=False,
                error="invalid_literal",
                reason="tool_calls",
            )
        ],
    ),
    "merged calls": (
        [chunk(piece('{"a": 1}{"b"', "call_1", "f", 0)), chunk(piece(": 2}", index=0)), *END],
        [
            call(
                "call_1",
                0,
                "f",
                {"a": 1},
                '{"a": 1}{"b": 2}',
                complete=False,
                error="trailing_text",
                reason="tool_calls",
            )
        ],
    ),
    "prefix not the end": (
        [chunk(piece('{"a": 1}', "call_1", "f", 0)), chunk(piece(' ,"b": 2}', index=0)), *END],
        [
            call(
                "call_1",
                0,
                "f",
                {"a": 1},
                '{"a": 1} ,"b": 2}',
                complete=False,
                error="trailing_text",
                reason="tool_calls",
            )
        ],
    ),
    "split surrogates": (
        [
            chunk(piece('{"a": "\\ud8', "call_1", "f", 0)),
            chunk(piece("3c", index=0)),
            chunk(piece("\\", index=0)),
            chunk(piece('udf26"}', index=0)),
            *END,
        ],
        [call("call_1", 0, "f", {"a": "🌦"}, '{"a": "\\ud83c\\udf26"}', reason="tool_calls")],
    ),
    "just stops": (
        [chunk(piece('{"a": 1}', "call_1", "f", 0)), chunk(piece('{"b": 2', "call_2", "f", 1))],
        [
            call("call_1", 0, "f", {"a": 1}, '{"a": 1}'),
            call("call_2", 1, "f", {}, '{"b": 2', complete=False, error="truncated"),
        ],
    ),
}

"""Events of an agent's run, as ``dataclasses.asdict`` writes them (without what is of no interest)."""

from __future__ import annotations

from typing import Any

from . import Event, Faults, call

RAIN = '{"city": "Z\\u00fcrich \\ud83c\\udf26", "days": 3}'
RAIN_ARGS = {"city": "Zürich 🌦", "days": 3}


def start(index: int, args: Any, id: str | None = "call_1", name: str = "f") -> Event:
    return {
        "index": index,
        "part": made(args, id, name),
        "previous_part_kind": None,
        "event_kind": "part_start",
    }


def made(args: Any, id: str | None, name: str) -> Event:
    return {"tool_name": name, "args": args, "tool_call_id": id, "part_kind": "tool-call"}


def delta(index: int, args: Any = None, name: str | None = None, id: str | None = None) -> Event:
    said = {"tool_name_delta": name, "args_delta": args, "tool_call_id": id, "part_delta_kind": "tool_call"}
    return {"index": index, "delta": said, "event_kind": "part_delta"}


def end(index: int, args: Any, id: str | None = "call_1", name: str = "f", then: str | None = None) -> Event:
    return {"index": index, "part": made(args, id, name), "next_part_kind": then, "event_kind": "part_end"}


def calling(args: Any, id: str, name: str = "f") -> Event:
    return {"part": made(args, id, name), "args_valid": True, "event_kind": "function_tool_call"}


def returned(id: str, content: Any, name: str = "f") -> Event:
    part = {"tool_name": name, "content": content, "tool_call_id": id, "part_kind": "tool-return"}
    return {"part": part, "content": None, "event_kind": "function_tool_result"}


def text_start(index: int, content: str) -> Event:
    part = {"content": content, "part_kind": "text"}
    return {"index": index, "part": part, "previous_part_kind": None, "event_kind": "part_start"}


def text_delta(index: int, content: str) -> Event:
    said = {"content_delta": content, "part_delta_kind": "text"}
    return {"index": index, "delta": said, "event_kind": "part_delta"}


def text_end(index: int, content: str, then: str | None = None) -> Event:
    part = {"content": content, "part_kind": "text"}
    return {"index": index, "part": part, "next_part_kind": then, "event_kind": "part_end"}


def result(output: str, reason: str | None = "stop") -> Event:
    request: Event = {"parts": [], "kind": "request"}
    response: Event = {"parts": [], "finish_reason": reason, "kind": "response"}
    done = {"output": output, "messages": [request, response, request]}
    return {"result": done, "event_kind": "agent_run_result"}


# as pydantic-ai gives them when a model interleaves its calls: the part that "ends" continues
STREAM: list[Event] = [
    text_start(0, "I'll "),
    {"tool_name": None, "tool_call_id": None, "event_kind": "final_result"},
    text_delta(0, "look."),
    text_end(0, "I'll look.", "tool-call"),
    start(1, "", "call_1", "weather"),
    delta(1, '{"city": "Z\\u00fcrich \\ud83c', id="call_1"),
    end(1, '{"city": "Z\\u00fcrich \\ud83c', "call_1", "weather", "tool-call"),
    start(2, '{"q": ', "call_2", "search"),
    delta(1, '\\udf26", "days"', id="call_1"),
    delta(2, "[1, ", id="call_2"),
    delta(1, ": 3}", id="call_1"),
    delta(2, "2]}", id="call_2"),
    end(2, '{"q": [1, 2]}', "call_2", "search"),
    calling(RAIN, "call_1", "weather"),
    calling('{"q": [1, 2]}', "call_2", "search"),
    returned("call_1", "rain", "weather"),
    returned("call_2", ["a", "b"], "search"),
    start(0, '{"more"', "call_3", "search"),
    delta(0, ": true}", id="call_3"),
    end(0, '{"more": true}', "call_3", "search"),
    calling('{"more": true}', "call_3", "search"),
    returned("call_3", "none", "search"),
    text_start(0, " Rain."),
    text_end(0, " Rain."),
    result("Rain."),
]
CALLS = [
    call("call_1", 1, "weather", RAIN_ARGS, RAIN, reason="stop"),
    call("call_2", 2, "search", {"q": [1, 2]}, '{"q": [1, 2]}', reason="stop"),
    call("call_3", 0, "search", {"more": True}, '{"more": true}', reason="stop"),
]
TEXT = "I'll look. Rain."

FAULTS: Faults = {
    "interleaved": (
        [
            start(0, '{"a"', "call_1"),
            end(0, '{"a"', "call_1", then="tool-call"),
            start(1, '{"b"', "call_2"),
            delta(0, ": 1}", id="call_1"),
            delta(1, ": 2}", id="call_2"),
            end(1, '{"b": 2}', "call_2"),
        ],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}'), call("call_2", 1, "f", {"b": 2}, '{"b": 2}')],
    ),
    # the id comes with every delta, and the name bit by bit
    "repeated id and name": (
        [
            start(0, None, name="we"),
            delta(0, '{"a"', "ath", "call_1"),
            delta(0, ": 1}", "er", "call_1"),
            end(0, ""),
        ],
        [call("call_1", 0, "weather", {"a": 1}, '{"a": 1}')],
    ),
    "changing id": (
        [start(0, '{"a"'), delta(0, ": 1}", id="call_x"), end(0, '{"a": 1}', "call_x")],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}')],
    ),
    # a part that takes the place of another: none of the calls is lost
    "index 0 for all": (
        [
            start(0, '{"a": 1}'),
            end(0, "", then="tool-call"),
            start(0, '{"b": 2}', "call_2"),
            end(0, "", "call_2"),
        ],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}'), call("call_2", 0, "f", {"b": 2}, '{"b": 2}')],
    ),
    "no id": (
        [
            start(0, '{"a"', None),
            delta(0, ": 1}"),
            end(0, '{"a": 1}', None, then="tool-call"),
            start(1, '{"b": 2}', None),
            end(1, '{"b": 2}', None),
        ],
        [call(None, 0, "f", {"a": 1}, '{"a": 1}'), call(None, 1, "f", {"b": 2}, '{"b": 2}')],
    ),
    "empty arguments": (
        [
            start(0, None, "call_1", "now"),
            end(0, None, "call_1", "now", "tool-call"),
            start(1, "", "call_2", "now"),
            end(1, "", "call_2", "now"),
            calling(None, "call_1", "now"),
            calling("", "call_2", "now"),
        ],
        [call("call_1", 0, "now", {}), call("call_2", 1, "now", {})],
    ),
    # dicts, of which deltas are merged and a second start takes the place of the first
    "complete arguments": (
        [
            start(0, {"a": 1}, "call_1"),
            delta(0, {"b": "ü"}),
            end(0, {"a": 1, "b": "ü"}, "call_1", then="tool-call"),
            start(1, {"c": "o"}, "call_2"),
            end(1, {"c": "o"}, "call_2", then="tool-call"),
            start(1, {"c": "one"}, "call_x"),
            end(1, {"c": "one"}, "call_x"),
        ],
        [
            call("call_1", 0, "f", {"a": 1, "b": "ü"}, '{"a":1,"b":"ü"}'),
            call("call_2", 1, "f", {"c": "one"}, '{"c":"one"}'),
        ],
    ),
    "arguments at the start": (
        [
            start(0, '{"a": 1}'),
            end(0, '{"a": 1}'),
            calling('{"a": 1}', "call_1"),
            calling({"z": 0}, "call_9", "g"),
        ],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}'), call("call_9", None, "g", {"z": 0}, '{"z":0}')],
    ),
    "cut by length": (
        [start(0, '{"city": "Par'), end(0, '{"city": "Par'), result("", "length")],
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
        [start(0, '{"a": nope, '), delta(0, '"b": 1}'), end(0, '{"a": nope, "b": 1}')],
        [call("call_1", 0, "f", {}, '{"a": nope, "b": 1}', complete=False, error="invalid_literal")],
    ),
    "merged calls": (
        [start(0, '{"a": 1}{"b"'), delta(0, ": 2}"), end(0, '{"a": 1}{"b": 2}')],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1}{"b": 2}', complete=False, error="trailing_text")],
    ),
    "prefix not the end": (
        [start(0, '{"a": 1}'), delta(0, ' ,"b": 2}'), end(0, '{"a": 1} ,"b": 2}')],
        [call("call_1", 0, "f", {"a": 1}, '{"a": 1} ,"b": 2}', complete=False, error="trailing_text")],
    ),
    "split surrogates": (
        [start(0, '{"a": "\\ud8'), delta(0, "3c"), delta(0, "\\"), delta(0, 'udf26"}'), end(0, "")],
        [call("call_1", 0, "f", {"a": "🌦"}, '{"a": "\\ud83c\\udf26"}')],
    ),
    "just stops": (
        [
            start(0, '{"a": 1}'),
            end(0, '{"a": 1}', then="tool-call"),
            start(1, {"c": 3}, "call_2"),
            end(1, {"c": 3}, "call_2", then="tool-call"),
            start(2, '{"b": "tw', "call_3"),
        ],
        [
            call("call_1", 0, "f", {"a": 1}, '{"a": 1}'),
            call("call_2", 1, "f", {"c": 3}, '{"c":3}'),
            call("call_3", 2, "f", {"b": "tw"}, '{"b": "tw', complete=False, error="truncated"),
        ],
    ),
}

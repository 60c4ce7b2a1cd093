"""The model providers' formats: ordinary streams, the faults seen in the wild, and paths as text."""

from __future__ import annotations

import copy
import json
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from midstream import (
    UNDEFINED,
    JsonStreamError,
    ToolCallUpdate,
    parse_partial,
    text_deltas,
    tool_calls,
)
from midstream.messages import MessageEnd, TextDelta, ToolCallEnd
from midstream.providers import FORMATS, adapter, detect
from midstream.providers._path_text import NO_VALUE, PathText, segments_of
from provider_streams import FAULT_NAMES, Event, Expected, as_objects, seen

MODELS = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "gemini-interactions": "gemini_interactions",
    "bedrock": "bedrock",
    "mistral": "mistral",
    "ollama": "ollama",
}


def streams(format: str) -> Any:
    return import_module(f"provider_streams.{MODELS[format]}")


CASES = [
    pytest.param(format, fault, id=f"{format}: {fault or 'ordinary'}")
    for format in MODELS
    for fault in ("", *streams(format).FAULTS)
]


def case(format: str, fault: str) -> tuple[list[Event], list[Expected]]:
    module = streams(format)
    return module.FAULTS[fault] if fault else (module.STREAM, module.CALLS)


def final(events: list[Any], format: str | None) -> list[Expected]:
    calls = []
    for calls in tool_calls(events, format=format):
        for call in calls:
            assert not (call.is_complete and call.error)
    assert all(call.is_complete or call.error for call in calls)
    return seen(calls)


@pytest.mark.parametrize(("format", "fault"), CASES)
def test_stream(format: str, fault: str) -> None:
    events, expected = case(format, fault)
    before = copy.deepcopy(events)
    assert final(events, format) == expected
    assert final(events, None) == expected
    assert events == before


@pytest.mark.parametrize(("format", "fault"), CASES)
def test_objects(format: str, fault: str) -> None:
    events, expected = case(format, fault)
    assert final(as_objects(events), format) == expected
    assert final(as_objects(events), None) == expected


@pytest.mark.parametrize("format", MODELS)
def test_text_of_events(format: str) -> None:
    texts = [json.dumps(event) for event in streams(format).STREAM]
    assert final([*texts, "", "[DONE]"], None) == streams(format).CALLS


@pytest.mark.parametrize("format", MODELS)
def test_text(format: str) -> None:
    assert "".join(text_deltas(streams(format).STREAM, format=format)) == "I'll look that up."


def test_names_of_faults() -> None:
    for format in MODELS:
        assert set(streams(format).FAULTS) <= set(FAULT_NAMES)


@pytest.mark.parametrize(("format", "fault"), CASES)
def test_calls_are_told_as_they_come(format: str, fault: str) -> None:
    """Nothing of a call is ever taken back: its text grows, and its end is final."""
    events, _ = case(format, fault)
    last: list[Expected] = []
    for calls in tool_calls(events, format=format):
        now = seen(calls)
        assert len(now) >= len(last)
        for before, after in zip(last, now, strict=False):
            assert after.raw.startswith(before.raw)
            assert before.complete <= after.complete
            if before.complete:
                assert after._replace(reason=before.reason) == before
        last = now


@pytest.mark.parametrize("format", MODELS)
@pytest.mark.parametrize("other", MODELS)
def test_formats_are_not_confused(format: str, other: str) -> None:
    if format != other and (format, other) != ("mistral", "openai-chat"):
        told = [event for event in streams(format).STREAM if detect(event) == other]
        assert not told


ODD: list[Any] = [
    None, {}, [], "", 0, True, 1.5, object(), {"type": None}, {"type": 1}, {"type": "response.unheard_of"},
    {"error": "x"}, {"error": {}}, {"error": {"type": 3}}, {"choices": None}, {"choices": [None, 1, "x", {}]},
    {"choices": [{"delta": {"tool_calls": [None, 1, {"function": None}, {"function": {"arguments": 3}}]}}]},
    {"choices": [{"delta": {"content": 3, "function_call": {}}, "finish_reason": 3, "index": "x"}]},
    {"data": {"choices": [{"delta": {"content": [None, 3, {"type": "text"}]}}]}},
    {"type": "content_block_start"}, {"type": "content_block_start", "content_block": {"type": "tool_use"}},
    {"type": "content_block_delta", "index": 0}, {"type": "content_block_stop"}, {"type": "message_delta"},
    {"type": "error"}, {"type": "error", "error": "x"},
    {"type": "response.output_item.added"},
    {"type": "response.output_item.added", "item": {"type": "function_call"}},
    {"type": "response.function_call_arguments.delta"}, {"type": "response.function_call_arguments.done"},
    {"type": "response.output_item.done", "item": {"type": "function_call"}},
    {"type": "response.custom_tool_call_input.delta", "delta": 3}, {"type": "response.completed"},
    {"type": "response.incomplete", "response": None}, {"type": "response.failed", "response": {"error": 3}},
    {"candidates": None}, {"candidates": [None, 3, {}]},
    {"candidates": [{"content": {"parts": [None, {}, 3]}}]},
    {"candidates": [{"content": {"parts": [{"functionCall": 3}, {"functionCall": {"args": "x"}}]}}]},
    {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "partialArgs": [None, 3, {}]}}]}}]},
    {"candidates": [{"content": {"parts": [{"functionCall": {"partialArgs": [{"jsonPath": 3}]}}]}}]},
    {"candidates": [{"finishReason": 3}]}, {"promptFeedback": {"blockReason": 3}},
    {"event_type": "step.start"}, {"event_type": "step.delta"}, {"event_type": "step.stop"},
    {"event_type": "step.delta", "delta": {"type": "arguments_delta"}}, {"event_type": "error"},
    {"event_type": "step.start", "step": {"type": "function_call", "arguments": 3}},
    {"event_type": "interaction.completed"}, {"event_type": "interaction.status_update"},
    {"contentBlockStart": {}}, {"contentBlockDelta": {}}, {"contentBlockStop": {}}, {"messageStop": {}},
    {"contentBlockDelta": {"delta": {"toolUse": {"input": None}}}}, {"contentBlockStart": 3},
    {"message": {"role": "assistant", "tool_calls": [None, {}]}, "done": False},
    {"message": None, "done": True}, {"done": True}, {"done": 1}, {"response": 3, "done": False},
]  # fmt: skip


@pytest.mark.parametrize("format", MODELS)
def test_odd_events(format: str) -> None:
    """No event, however odd, stops a stream, and the calls after it are read as ever."""
    for event in ODD:
        reader = adapter(format)
        assert isinstance(reader.add_event(event), list)
        assert isinstance(reader.finish(), list)
        detect(event)
    together = adapter(format)
    for event in ODD:
        together.add_event(event)
    together.finish()
    with pytest.raises(JsonStreamError):
        adapter(format).add_event("{")


def last_of_message(format: str, arguments: str, is_cut: bool) -> list[Event]:
    """Make a stream of one call, the last thing in a message that was, or was not, cut off."""
    m = streams(format)
    match format:
        case "openai-chat":
            calls = m.pieces(m.piece(0, arguments, id="a", name="now"))
            return [*calls, m.chunk({}, "length" if is_cut else "tool_calls")]
        case "openai-responses":
            item = m.item("fc_a", "a", "now", arguments, "incomplete" if is_cut else "completed")
            details = {"incomplete_details": {"reason": "max_output_tokens"}}
            end = {"type": "response.incomplete", "response": details} if is_cut else m.end()
            return [m.added(0, item), *m.done(0, item), end]
        case "anthropic":
            return [*m.block(0, "a", "now", arguments), *m.end("max_tokens" if is_cut else "tool_use")]
        case "gemini":
            given = {"args": json.loads(arguments)} if arguments else {}
            return [m.chunk(m.whole("now", **given), reason="MAX_TOKENS" if is_cut else "STOP")]
        case "gemini-interactions":
            return [*m.step(0, "a", "now", arguments), m.end("incomplete" if is_cut else "requires_action")]
        case "bedrock":
            return [*m.block(0, "a", "now", arguments), *m.end("max_tokens" if is_cut else "tool_use")]
        case "mistral":
            end = m.chunk(finish_reason="length" if is_cut else "tool_calls")
            return [m.event(m.piece(arguments, "a", "now")), {"data": end}]
        case _:
            return [m.line("", m.entry("now", arguments), reason="length" if is_cut else "stop")]


@pytest.mark.parametrize("format", MODELS)
def test_without_arguments_at_the_end(format: str) -> None:
    """A call without arguments is complete, or was cut off before they came: the message's end tells."""
    [fine] = final(last_of_message(format, "", is_cut=False), format)
    assert (fine.complete, fine.args, fine.raw) == (True, {}, "")
    [cut] = final(last_of_message(format, "", is_cut=True), format)
    assert (cut.complete, cut.args, cut.error) == (False, UNDEFINED, "truncated")


@pytest.mark.parametrize("format", MODELS)
def test_whole_arguments_at_the_end(format: str) -> None:
    """Whole arguments don't make the last call of a cut message complete, unless its own end came."""
    [fine] = final(last_of_message(format, '{"x":1}', is_cut=False), format)
    assert (fine.complete, fine.args) == (True, {"x": 1})
    [cut] = final(last_of_message(format, '{"x":1}', is_cut=True), format)
    assert cut.complete == (format in ("anthropic", "bedrock", "gemini-interactions"))
    assert cut.args == {"x": 1}


ERRORS: list[tuple[str, Event, str]] = [
    ("openai-chat", {"error": {"message": "m", "type": "server_error", "code": None}}, "server_error"),
    ("openai-chat", {"error": {"message": "m", "code": 502}}, "error"),
    ("openai-responses", {"type": "error", "code": "server_error", "message": "m"}, "server_error"),
    (
        "openai-responses",
        {"type": "response.failed", "response": {"error": {"code": "rate_limit"}}},
        "rate_limit",
    ),
    ("openai-responses", {"type": "response.cancelled", "response": {"status": "cancelled"}}, "cancelled"),
    ("openai-responses", {"type": "response.completed", "response": {"status": "incomplete"}}, "incomplete"),
    (
        "anthropic",
        {"type": "error", "error": {"type": "overloaded_error", "message": "m"}},
        "overloaded_error",
    ),
    ("gemini", {"error": {"code": 500, "message": "m", "status": "INTERNAL"}}, "INTERNAL"),
    ("gemini", {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, "PROHIBITED_CONTENT"),
    ("gemini", {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, "MALFORMED_FUNCTION_CALL"),
    ("gemini-interactions", {"error": {"code": "gateway_timeout"}, "event_type": "error"}, "gateway_timeout"),
    ("gemini-interactions", {"status": "failed", "event_type": "interaction.status_update"}, "failed"),
    ("gemini-interactions", {"interaction": {}, "event_type": "interaction.failed"}, "failed"),
    ("bedrock", {"throttlingException": {"message": "m"}}, "throttlingException"),
    ("bedrock", {"messageStop": {"stopReason": "malformed_tool_use"}}, "malformed_tool_use"),
    ("mistral", {"data": {"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}}, "error"),
    ("ollama", {"error": "an error was encountered while running the model"}, "error"),
]


@pytest.mark.parametrize(("format", "event", "reason"), ERRORS)
def test_errors_under_way(format: str, event: Event, reason: str) -> None:
    """What goes wrong under way cuts the last call off, and leaves those that had ended."""
    events = case(format, "just stops")[0]
    calls = final([*events, event], format)
    assert [call.reason for call in calls] == [reason] * len(calls)
    assert [call.complete for call in calls] == [call.complete for call in case(format, "just stops")[1]]
    end = adapter(format).add_event(event)[-1]
    assert isinstance(end, MessageEnd)
    assert (end.reason, end.is_truncated) == (reason, True)


def test_choices() -> None:
    """Several choices have calls of their own, under the same indices."""

    def chunk(number: int, arguments: str, name: str | None = None, reason: str | None = None) -> Event:
        call = {"index": 0, "function": {"name": name, "arguments": arguments}}
        return {"choices": [{"index": number, "delta": {"tool_calls": [call]}, "finish_reason": reason}]}

    events = [
        chunk(0, '{"x"', "f"),
        chunk(1, '{"y"', "g"),
        chunk(0, ":1}", reason="stop"),
        chunk(1, ":", reason="length"),
    ]
    assert [(call.name, call.args, call.complete, call.reason) for call in final(events, None)] == [
        ("f", {"x": 1}, True, "stop"),
        ("g", {}, False, "length"),
    ]

    def candidates(*parts: Event) -> Event:
        return {"candidates": [{"index": at, "content": {"parts": [part]}} for at, part in enumerate(parts)]}

    gemini = adapter("gemini")
    assert gemini.add_event(candidates({"text": "a"}, {"text": "b"})) == [
        TextDelta("a"),
        TextDelta("b", choice=1),
    ]
    call = {"functionCall": {"name": "f", "args": {}}}
    assert gemini.add_event(candidates({"text": ""}, call)) == [
        ToolCallUpdate(None, 0, "f", "{}", choice=1),
        ToolCallEnd(index=0, choice=1),
    ]


def test_free_text() -> None:
    """A custom tool is given text: it is complete when it has ended, and never read as JSON."""
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "run", "input": ""}

    def piece(text: str) -> Event:
        return {
            "type": "response.custom_tool_call_input.delta",
            "item_id": "ctc_1",
            "output_index": 0,
            "delta": text,
        }

    begin = {"type": "response.output_item.added", "output_index": 0, "item": item}
    told = {
        "type": "response.custom_tool_call_input.done",
        "item_id": "ctc_1",
        "output_index": 0,
        "input": "1 {\nü",
    }
    done = {"type": "response.output_item.done", "output_index": 0, "item": {**item, "input": "1 {\nü"}}
    for events in ([begin, piece("1 {"), piece("\nü"), told, done], [begin, told, done], [begin, done]):
        [call] = final([*events, streams("openai-responses").end()], None)
        assert call == Expected("c", 0, "run", UNDEFINED, "1 {\nü", True, None, "completed")
    [call] = final([begin, piece("1 {")], None)
    assert (call.raw, call.complete, call.error) == ("1 {", False, "truncated")


def test_function_call_of_old() -> None:
    def chunk(**function: str) -> Event:
        return {"choices": [{"index": 0, "delta": {"function_call": function}, "finish_reason": None}]}

    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "function_call"}]}
    [call] = final(
        [chunk(name="f", arguments=""), chunk(arguments='{"x":'), chunk(arguments="1}"), end], None
    )
    assert call == Expected(None, 0, "f", {"x": 1}, '{"x":1}', True, None, "function_call")


def test_generate() -> None:
    lines = [{"model": "m", "response": text, "done": False} for text in ('{"ci', 'ty":1}')]
    last = {"model": "m", "response": "", "done": True, "done_reason": "stop"}
    assert list(text_deltas([*lines, last])) == ['{"ci', 'ty":1}']


def test_server_tools_are_no_calls() -> None:
    """What the provider runs itself is none of the caller's tools."""
    block = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": "{}"}
    events = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
    ]
    assert final(events, None) == []
    step = {"type": "google_search_call", "id": "s", "arguments": {"queries": ["x"]}}
    assert final([{"event_type": "step.start", "index": 0, "step": step}], None) == []
    item = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    assert final([{"type": "response.output_item.done", "output_index": 0, "item": item}], None) == []


def test_text_at_the_start() -> None:
    """Some have a first piece of text in the beginning of its block."""
    block = {"type": "text", "text": "Hi"}
    begin = {"type": "content_block_start", "index": 0, "content_block": block}
    assert list(text_deltas([begin])) == ["Hi"]
    assert list(text_deltas([{"event_type": "content.start", "index": 0, "content": block}])) == ["Hi"]


def test_gemini_without_a_last_part() -> None:
    """The end of the message ends a call that was to go on, unless one of its strings was."""
    m = streams("gemini")
    begin = [m.chunk(m.start("f")), m.chunk(m.args(m.arg("$.x", 1)))]
    end = m.chunk(reason="STOP")
    [call] = final([*begin, end], None)
    assert (call.args, call.complete) == ({"x": 1}, True)
    [call] = final([*begin, m.chunk(m.args(m.arg("$.y", "so", goes_on=True))), end], None)
    assert (call.args, call.error) == ({"x": 1, "y": "so"}, "truncated")
    [call] = final(begin, None)
    assert (call.args, call.error) == ({}, "truncated")
    unsaid = m.chunk(reason="FINISH_REASON_UNSPECIFIED")
    [call] = final([*begin, unsaid, m.chunk(m.args(m.arg("$.y", 2))), m.chunk(m.OVER), end], None)
    assert (call.args, call.complete) == ({"x": 1, "y": 2}, True)


def test_gemini_arguments_of_both_kinds() -> None:
    m = streams("gemini")
    more = m.chunk(m.args({"jsonPath": "$.z", "numberValue": "2"}))
    [call] = final([m.chunk(m.start("f", args={"x": 1, "y": ["ü"]})), more, m.chunk(m.OVER)], "gemini")
    assert (call.raw, call.complete) == ('{"x":1,"y":["ü"],"z":2}', True)
    bad = m.chunk(m.args({"jsonPath": "$.z", "numberValue": "many"}))
    [call] = final([m.chunk(m.start("f")), bad, m.chunk(m.OVER)], "gemini")
    assert (call.raw, call.error) == ("!$.z", "expected_value")


def test_gemini_blocked() -> None:
    assert detect({"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}}) == "gemini"


@pytest.mark.parametrize("format", ["openai-responses", "anthropic", "gemini-interactions"])
def test_arguments_at_the_start_of_a_call_cut_off(format: str) -> None:
    """They are told before the end of the message, though it will not let the call be complete."""
    events, [*_, expected] = case(format, "arguments at the start")
    error = {"type": "error", "event_type": "error", "error": {"type": "oh", "code": "oh"}}
    cut = [event for event in events if event.get("type") not in ("message_delta", "message_stop")]
    cut = [event for event in cut if "completed" not in str(event.get("type") or event.get("event_type"))]
    assert final([*cut, error], format)[-1] == expected._replace(
        complete=False, error="truncated", reason="oh"
    )
    assert final(cut, format)[-1] == expected._replace(reason=None)


@pytest.mark.parametrize("format", ["openai-responses", "gemini-interactions", "bedrock"])
def test_a_call_without_its_start_still_ends(format: str) -> None:
    events = case(format, "no id")[0]
    reader = adapter(format)
    messages = [message for event in events for message in reader.add_event(event)]
    assert [message.index for message in messages if isinstance(message, ToolCallEnd)] == [0, 1]


def test_responses_without_any_name_for_an_item() -> None:
    m = streams("openai-responses")
    events = m.whole(None, None, "a", "f", '{"x":', "1}")
    [call] = final([*events, m.end()], None)
    assert call == Expected("a", None, "f", {"x": 1}, '{"x":1}', True, None, "completed")


def test_interactions_tell_a_call_more_than_once() -> None:
    m = streams("gemini-interactions")
    again = {"type": "function_call", "id": "a", "name": "f", "arguments": {}}
    events = [
        m.start(0, "a", "f", {"x": 1}),
        {"index": 0, "delta": again, "event_type": "content.delta"},
        m.stop(0),
        # a piece without a start, and with nothing in it
        m.delta(1, ""),
        m.stop(1),
        m.end(),
    ]
    first, second = final(events, None)
    assert (first.args, first.raw) == ({"x": 1}, '{"x":1}')
    assert (second.args, second.complete) == ({}, True)
    reader = adapter("gemini-interactions")
    assert [reader.add_event(event) for event in events][4] == [ToolCallEnd(index=1)]


PATHS: list[tuple[str, tuple[str | int, ...] | None]] = [
    ("$", ()),
    ("$.a.b[0].c", ("a", "b", 0, "c")),
    ("""$['a']["b"]""", ("a", "b")),
    ("$.items[0][12]", ("items", 0, 12)),
    ("$['a.b']['it\\'s']['\"']['\\u00fc\\n']['']", ("a.b", "it's", '"', "ü\n", "")),
    ("$.größe.snake_case.with-dash.7", ("größe", "snake_case", "with-dash", "7")),
    ("", None),
    ("a.b", None),
    ("$a", None),
    ("$.", None),
    ("$..a", None),
    ("$.*", None),
    ("$[*]", None),
    ("$[-1]", None),
    ("$[01]", None),
    ("$[0:2]", None),
    ("$[?@.a]", None),
    ("$['a", None),
    ("$['\\x']", None),
    ("$[" + "9" * 5000 + "]", None),
]


@pytest.mark.parametrize(("path", "segments"), PATHS)
def test_paths(path: str, segments: tuple[str | int, ...] | None) -> None:
    assert segments_of(path) == segments


def written(*pieces: tuple[Any, ...]) -> str:
    text = PathText()
    return "".join([text.add(*piece) for piece in pieces] + [text.close()])


TEXTS: list[tuple[list[tuple[Any, ...]], str]] = [
    ([], ""),
    ([("$.a", "x")], '{"a":"x"}'),
    ([("$.a", "x", True), ("$.a", "y", True), ("$.a", "")], '{"a":"xy"}'),
    ([("$.a", "x", True), ("$.a", NO_VALUE)], '{"a":"x"}'),
    ([("$.a", "x", True), ("$.a", None)], '{"a":"x"}'),
    ([("$.a", NO_VALUE, True), ("$.a", "x")], '{"a":"x"}'),
    ([("$.a", "x", True), ("$.b", 1)], '{"a":"x","b":1}'),
    # a string that was to go on and did not is not whole
    ([("$.a", "x", True)], '{"a":"x'),
    ([("$.a", 3.0), ("$.b", -0.5), ("$.c", 1e300)], '{"a":3,"b":-0.5,"c":1e+300}'),
    ([("$.a", 2.0**60)], '{"a":1152921504606846976}'),
    ([("$.a", True), ("$.b", None), ("$.c", {"x": [1, "ü"]})], '{"a":true,"b":null,"c":{"x":[1,"ü"]}}'),
    ([("$.a.b.c", 1), ("$.a.b.d", 2), ("$.a.e", 3), ("$.f", 4)], '{"a":{"b":{"c":1,"d":2},"e":3},"f":4}'),
    ([("$.a[0][0]", 1), ("$.a[0][1]", 2), ("$.a[1][0].b", 3), ("$.a[2]", 4)], '{"a":[[1,2],[{"b":3}],4]}'),
    ([("$[0]", 1), ("$[1]", "x")], '[1,"x"]'),
    ([("$", "x", True), ("$", "y")], '"xy"'),
    ([("$", 1)], "1"),
    ([("$['a\"b']", 'c"\\\n\x00')], '{"a\\"b":"c\\"\\\\\\n\\u0000"}'),
    ([("$['\\ud83c']", "\udf27")], '{"\\ud83c":"\\udf27"}'),
]  # fmt: skip


@pytest.mark.parametrize(("pieces", "text"), TEXTS)
def test_path_text(pieces: list[tuple[Any, ...]], text: str) -> None:
    assert written(*pieces) == text


BROKEN: list[tuple[list[tuple[Any, ...]], str]] = [
    # back to what is closed, or was written as something else
    ([("$.a.b", 1), ("$.c", 2), ("$.a.d", 3)], '{"a":{"b":1},"c":2!$.a.d=3'),
    ([("$.a", "x"), ("$.a", "y")], '{"a":"x"!$.a="y"'),
    ([("$.a", "x", True), ("$.b", 1), ("$.a", "y")], '{"a":"x","b":1!$.a="y"'),
    ([("$.a", "x", True), ("$.a", 1)], '{"a":"x"!$.a=1'),
    ([("$.a[0]", 1), ("$.a.b", 2)], '{"a":[1!$.a.b=2'),
    ([("$.a.b", 1), ("$.a[0]", 2)], '{"a":{"b":1!$.a[0]=2'),
    ([("$.a.b", 1), ("$.a", 2)], '{"a":{"b":1!$.a=2'),
    ([("$.a", 1), ("$", 2)], '{"a":1!$=2'),
    ([("$", 1), ("$.a", 2)], "1!$.a=2"),
    # what was skipped
    ([("$.a[1]", 1)], "!$.a[1]=1"),
    ([("$.a[0]", 1), ("$.a[2]", 1)], '{"a":[1!$.a[2]=1'),
    ([("$.a[0]", 1), ("$.a[0]", 1)], '{"a":[1!$.a[0]=1'),
    ([("$.a", 1), ("$.b[0][1]", 1)], '{"a":1!$.b[0][1]=1'),
    # what leads nowhere, or brings nothing
    ([("$.a", 1), ("b", "ü"), ("$.c", 3)], '{"a":1!b="ü"!$.c=3'),
    ([("$.a", "x", True), ("", NO_VALUE)], '{"a":"x"!'),
    ([("$.a", NO_VALUE)], "!$.a"),
    ([("$.a", float("nan"))], '{"a":NaN}'),
    ([("$.a", object())], '{"a":!}'),
]


@pytest.mark.parametrize(("pieces", "text"), BROKEN)
def test_path_text_that_can_not_be(pieces: list[tuple[Any, ...]], text: str) -> None:
    """What can't be written in order is reported by every parser, and is there to be read."""
    assert written(*pieces) == text
    with pytest.raises(ValueError, match=r"."):
        json.loads(text, parse_constant=_refuse)
    with pytest.raises(JsonStreamError):
        parse_partial(text)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=6),
)
KEYS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4), st.dictionaries(KEYS, inner, min_size=1, max_size=4)
    ),
    max_leaves=12,
)


def leaves(value: Any, path: str = "$") -> list[tuple[str, Any]]:
    """Give the leaves of a value with their paths, as RFC 9535 normalizes them."""
    if isinstance(value, dict):
        quoted = {key: json.dumps(key)[1:-1].replace('\\"', '"').replace("'", "\\'") for key in value}
        return [leaf for key in value for leaf in leaves(value[key], f"{path}['{quoted[key]}']")]
    if isinstance(value, list):
        return [leaf for at, item in enumerate(value) for leaf in leaves(item, f"{path}[{at}]")]
    return [(path, value)]


@given(VALUES, st.integers(1, 3))
def test_path_text_gives_the_value(value: Any, size: int) -> None:
    """Whatever has leaves comes out again, however its strings are cut."""
    pieces: list[tuple[Any, ...]] = []
    for path, leaf in leaves(value):
        if isinstance(leaf, str):
            pieces += [(path, leaf[at : at + size], True) for at in range(0, len(leaf), size)]
            pieces.append((path, "", False))
        else:
            pieces.append((path, float(leaf) if type(leaf) is int else leaf, False))
    assert json.loads(written(*pieces)) == value


SOME_PATHS = [
    "$",
    "$.a",
    "$.b",
    "$.a.b",
    "$.a.c",
    "$.a[0]",
    "$.a[1]",
    "$.b[0].a",
    "$.b[0].b",
    "$.b[1].a",
    "b",
]


@given(st.lists(st.tuples(st.sampled_from(SOME_PATHS), SCALARS, st.booleans()), max_size=8))
def test_path_text_is_never_wrong(pieces: list[tuple[str, Any, bool]]) -> None:
    """Whatever comes, in whatever order: a text that is valid holds all of it."""
    text = written(*pieces)
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse)
    except ValueError:
        return
    expected: dict[tuple[str | int, ...], Any] = {}
    for path, piece, _ in pieces:
        segments = segments_of(path)
        assert segments is not None
        before = expected.get(segments)
        expected[segments] = (
            before + piece
            if isinstance(piece, str) and isinstance(before, str)
            else (before if piece is None and isinstance(before, str) else piece)
        )
    for segments, leaf in expected.items():
        at = value
        for segment in segments:
            at = at[segment]
        assert at == leaf


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    assert len(made) == len(pairs)
    return made


def test_all_formats_of_this_kind() -> None:
    assert set(MODELS) <= set(FORMATS)

"""The formats of model providers: what only some of them have. `test_providers` has what all share."""

from __future__ import annotations

import json

import pytest

from midstream import UNDEFINED, ToolCallUpdate, text_deltas
from midstream.calls.messages import MessageEnd, TextDelta, ToolCallEnd
from midstream.providers import adapter, detect
from provider_streams import Event, Expected, final, streams

MODELS = (
    "openai-chat", "openai-responses", "anthropic", "gemini", "gemini-interactions", "bedrock", "mistral",
    "ollama",
)  # fmt: skip


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
            return [m.chunk(m.complete("now", **given), reason="MAX_TOKENS" if is_cut else "STOP")]
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
    """A call without arguments is complete, or was cut off before they came: the message's end decides."""
    [fine] = final(last_of_message(format, "", is_cut=False), format)
    assert (fine.complete, fine.args, fine.raw) == (True, {}, "")
    [cut] = final(last_of_message(format, "", is_cut=True), format)
    assert (cut.complete, cut.args, cut.error) == (False, UNDEFINED, "truncated")


@pytest.mark.parametrize("format", MODELS)
def test_complete_arguments_at_the_end(format: str) -> None:
    """Complete arguments don't make the last call of a cut message complete, unless its own end came."""
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
    events, expected = streams(format).FAULTS["just stops"]
    calls = final([*events, event], format)
    assert [call.reason for call in calls] == [reason] * len(calls)
    assert [call.complete for call in calls] == [call.complete for call in expected]
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
    item_done = {
        "type": "response.custom_tool_call_input.done",
        "item_id": "ctc_1",
        "output_index": 0,
        "input": "1 {\nü",
    }
    done = {"type": "response.output_item.done", "output_index": 0, "item": {**item, "input": "1 {\nü"}}
    for events in (
        [begin, piece("1 {"), piece("\nü"), item_done, done],
        [begin, item_done, done],
        [begin, done],
    ):
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
    """The end of the message ends a call that was to continue, unless one of its strings was to continue."""
    m = streams("gemini")
    begin = [m.chunk(m.start("f")), m.chunk(m.args(m.arg("$.x", 1)))]
    end = m.chunk(reason="STOP")
    [call] = final([*begin, end], None)
    assert (call.args, call.complete) == ({"x": 1}, True)
    [call] = final([*begin, m.chunk(m.args(m.arg("$.y", "so", continues=True))), end], None)
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
    """They are reported before the end of the message, although the call does not become complete."""
    events, [*_, expected] = streams(format).FAULTS["arguments at the start"]
    error = {"type": "error", "event_type": "error", "error": {"type": "oh", "code": "oh"}}
    cut = [event for event in events if event.get("type") not in ("message_delta", "message_stop")]
    cut = [event for event in cut if "completed" not in str(event.get("type") or event.get("event_type"))]
    assert final([*cut, error], format)[-1] == expected._replace(
        complete=False, error="truncated", reason="oh"
    )
    assert final(cut, format)[-1] == expected._replace(reason=None)


@pytest.mark.parametrize("format", ["openai-responses", "gemini-interactions", "bedrock"])
def test_a_call_without_its_start_still_ends(format: str) -> None:
    events = streams(format).FAULTS["no id"][0]
    reader = adapter(format)
    messages = [message for event in events for message in reader.add_event(event)]
    assert [message.index for message in messages if isinstance(message, ToolCallEnd)] == [0, 1]


def test_responses_without_any_name_for_an_item() -> None:
    m = streams("openai-responses")
    events = m.complete(None, None, "a", "f", '{"x":', "1}")
    [call] = final([*events, m.end()], None)
    assert call == Expected("a", None, "f", {"x": 1}, '{"x":1}', True, None, "completed")


def test_interactions_report_a_call_more_than_once() -> None:
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

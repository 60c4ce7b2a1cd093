"""Everything that a provider says: the parts besides text and calls, errors, inputs without any events."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

import midstream
from midstream import (
    ErrorCode,
    JsonStreamError,
    MessageEnd,
    Other,
    ProviderError,
    ReasoningDelta,
    RefusalDelta,
    ServerToolResult,
    ServerToolUpdate,
    TextDelta,
    ToolCallUpdate,
    ToolResult,
    Usage,
    aio,
    argument_deltas,
    from_event,
    messages,
    text_deltas,
    to_event,
    tool_calls,
)
from midstream.providers import adapter, detect
from midstream.sse import SseEvent, encode
from provider_streams import FORMATS, Event, as_objects, seen, streams
from provider_streams.openai_chat import chunk
from provider_streams.parts import PART_NAMES, PARTS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CASES = [
    pytest.param(format, events, expected, id=f"{format}: {name}")
    for format, parts in PARTS.items()
    for name, (events, expected) in parts.items()
]
each_part = pytest.mark.parametrize(("format", "events", "expected"), CASES)


class Part(BaseModel):
    n: int
    label: str | None = None


class Model(BaseModel):
    """An event, as an SDK's object."""

    type: str
    index: int | None = None
    part: Part | None = None
    delta: Model | None = None


def plain(message: Any) -> Any:
    """Leave out the provider's own form of the usage."""
    if isinstance(message, Usage):
        return message._replace(raw=None)
    if isinstance(message, MessageEnd) and message.usage is not None:
        return message._replace(usage=message.usage._replace(raw=None))
    return message


def read(stream: Any, format: Any = None, **options: Any) -> list[Any]:
    return [plain(message) for message in messages(stream, format, **options)]


def test_every_format_has_its_parts() -> None:
    assert set(PARTS) == set(FORMATS)
    assert all(set(parts) <= set(PART_NAMES) for parts in PARTS.values())


@each_part
def test_parts(format: Any, events: list[Event], expected: list[Any]) -> None:
    assert read(events, format) == expected
    found = read(events)
    assert found == expected or detect(events[0]) is None


@each_part
def test_parts_of_objects(format: Any, events: list[Event], expected: list[Any]) -> None:
    # no SDK makes an object of a body
    is_body = isinstance(events[0].get("message"), str)
    if format != "midstream" and not is_body:
        keep = ("usage_metadata", "providerMetadata", "usage", "details", "error")
        assert read(as_objects(events, keep), format) == expected


NEWS: list[tuple[Any, Event, str]] = [
    ("anthropic", {"type": "news", "part": {"n": 1}}, "news"),
    ("anthropic", {"type": "content_block_delta", "index": 0, "delta": {"type": "news"}}, "news"),
    ("openai-responses", {"type": "response.news", "part": {"n": 1}}, "response.news"),
]


@pytest.mark.parametrize(("format", "event", "kind"), NEWS)
def test_other_holds_the_object_itself(format: Any, event: Event, kind: str) -> None:
    """Written as an event, it has what the provider sent, and no field that only the SDK knows."""
    model = Model.model_validate(event)
    [other] = adapter(format).add_event(model)
    sent = event.get("delta", event)
    assert other == Other(kind, model.delta or model)
    assert json.loads(json.dumps(to_event(other))) == {"type": "other", "part_type": kind, "data": sent}


@each_part
def test_parts_as_bytes_and_async(format: Any, events: list[Event], expected: list[Any]) -> None:
    body = b"".join(encode(SseEvent(data=json.dumps(event))) for event in events)
    lines = "\n".join(map(json.dumps, events)) + "\n"
    for size in (1, 7, len(body)):
        assert read([body[at : at + size] for at in range(0, len(body), size)], format) == expected
        assert read([lines[at : at + size] for at in range(0, len(lines), size)], format) == expected
    assert read([json.dumps(events).encode()], format) == expected
    assert read([line for event in events for line in (f"data: {json.dumps(event)}", "")], format) == expected

    async def source() -> AsyncIterator[Any]:
        for event in events:
            yield event

    async def run() -> list[Any]:
        return [plain(message) async for message in aio.messages(source(), format)]

    assert asyncio.run(run()) == expected


@each_part
def test_messages_survive_the_plain_form(format: Any, events: list[Event], expected: list[Any]) -> None:
    for message in expected:
        assert from_event(json.loads(json.dumps(to_event(message)))) == message


@pytest.mark.parametrize("format", FORMATS)
def test_messages_agree_with_the_views(format: Any) -> None:
    """What `tool_calls` and `text_deltas` show is in `messages`, too."""
    module = streams(format)
    found = read(module.STREAM, format)
    assert "".join(message.text for message in found if isinstance(message, TextDelta)) == module.TEXT
    handler = midstream.ToolsAggregateMessageHandler()
    for message in found:
        handler.add_message(message)
    calls = [call for id in handler.message_ids for call in handler.complete(id)]
    assert seen(calls) == module.CALLS


# --- errors and refusals in the views


@each_part
def test_errors_and_refusals_in_the_views(format: Any, events: list[Event], expected: list[Any]) -> None:
    errors = [message for message in expected if isinstance(message, ProviderError)]
    refusal = "".join(message.text for message in expected if isinstance(message, RefusalDelta))
    if errors:
        for view in (tool_calls, text_deltas):
            with pytest.raises(JsonStreamError) as caught:
                list(view(events, format))
            assert caught.value.code == "provider_error"
            assert errors[0].message in str(caught.value)
            assert errors[0].type in str(caught.value)
    elif refusal:
        assert list(tool_calls(events, format))[-1] == []
        with pytest.raises(JsonStreamError) as caught:
            list(text_deltas(events, format))
        assert caught.value.code == "refused"
        assert refusal in str(caught.value)
    else:
        list(tool_calls(events, format))
        list(text_deltas(events, format))


def test_an_error_in_mid_stream_loses_no_call() -> None:
    function = {"name": "f", "arguments": '{"x": 1'}
    begun = chunk({"tool_calls": [{"index": 0, "id": "a", "function": function}]})
    states = tool_calls([begun, {"error": {"type": "server_error", "message": "Oh"}}])
    assert [call.is_complete for call in next(states)] == [False]
    [last] = next(states)
    assert (last.raw_args, last.error and last.error.code) == ('{"x": 1', "truncated")
    with pytest.raises(JsonStreamError, match="server_error: Oh"):
        next(states)


# --- defects that recorded streams have shown


def piece(choice: int, **call: Any) -> Event:
    return {"choices": [{"index": choice, "delta": {"tool_calls": [{"index": 0, **call}]}}]}


def test_choices_that_share_an_id() -> None:
    events = [
        piece(0, id="x", type="function", function={"name": "f", "arguments": ""}),
        piece(1, id="x", type="function", function={"name": "f", "arguments": ""}),
        piece(0, function={"arguments": '{"a":'}),
        piece(1, function={"arguments": '{"b":'}),
        piece(0, function={"arguments": "1}"}),
        piece(1, function={"arguments": "2}"}),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
        {"choices": [{"index": 1, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    *_, calls = tool_calls(events)
    assert [(call.id, call.name, call.args, call.is_complete) for call in calls] == [
        ("x", "f", {"a": 1}, True),
        ("x", "f", {"b": 2}, True),
    ]


@pytest.mark.parametrize("echo", [None, {}, {"name": "", "input": ""}, {"name": None, "input": None}])
def test_custom_tools_of_chat_completions(echo: Any) -> None:
    custom = [
        piece(0, id="c", type="custom", custom={"name": "sql", "input": ""}),
        piece(0, custom={"input": "SELECT "}),
        piece(0, custom={"input": "1"}),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    *_, [call] = tool_calls(custom)
    assert (call.id, call.name, call.raw_args, call.is_complete) == ("c", "sql", "SELECT 1", True)
    assert call.args is midstream.UNDEFINED
    function = [
        piece(0, id="f", type="function", function={"name": "f", "arguments": ""}, custom=echo),
        piece(0, function={"arguments": '{"a":1}'}, custom=echo),
        custom[-1],
    ]
    *_, [call] = tool_calls(function)
    assert (call.name, call.args, call.is_complete) == ("f", {"a": 1}, True)


@pytest.mark.parametrize(
    ("status", "complete"), [("completed", True), ("cancelled", False), ("incomplete", False)]
)
def test_realtime_calls(status: str, complete: bool) -> None:
    item = {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": ""}
    events: list[Event] = [
        {"type": "session.created", "session": {}},
        {"type": "response.created", "response": {"id": "r", "object": "realtime.response"}},
        {"type": "response.output_item.added", "response_id": "r", "output_index": 0, "item": item},
    ]
    events += [
        {
            "type": "response.function_call_arguments.delta",
            "response_id": "r",
            "item_id": "i",
            "output_index": 0,
            "call_id": "c",
            "delta": delta,
        }
        for delta in ('{"a"', ":1}")
    ]
    if status != "cancelled":
        done = {**item, "arguments": '{"a":1}', "status": status}
        events.append(
            {"type": "response.output_item.done", "response_id": "r", "output_index": 0, "item": done}
        )
    events.append({"type": "response.done", "response": {"id": "r", "status": status}})
    *_, [call] = tool_calls(events)
    assert (call.id, call.name, call.args, call.is_complete) == ("c", "f", {"a": 1}, complete)
    assert call.finish_reason == status


def test_realtime_responses_stay_apart() -> None:
    events = [
        {
            "type": "response.function_call_arguments.done",
            "response_id": response,
            "item_id": f"i{response}",
            "output_index": 0,
            "call_id": f"c{response}",
            "arguments": f'{{"r": "{response}"}}',
        }
        for response in "12"
    ]
    events += [
        {"type": "response.done", "response": {"id": response, "status": "completed"}} for response in "12"
    ]
    *_, calls = tool_calls(events)
    assert [(call.id, call.args, call.is_complete) for call in calls] == [
        ("c1", {"r": "1"}, True),
        ("c2", {"r": "2"}, True),
    ]


AZURE_FIRST: Event = {
    "choices": [],
    "created": 0,
    "id": "",
    "model": "",
    "object": "",
    "prompt_filter_results": [],
}


def test_the_first_chunk_of_azure() -> None:
    assert detect(AZURE_FIRST) == "openai-chat"
    lines = [json.dumps(event) + "\n" for event in (AZURE_FIRST, chunk({"content": "{}"}))]
    assert list(text_deltas(lines)) == ["{}"]


CLIENT_ITEMS: list[tuple[Event, Any]] = [
    ({"type": "shell_call", "id": "i", "call_id": "c", "action": {"commands": ["ls"]}}, {"commands": ["ls"]}),
    (
        {"type": "local_shell_call", "id": "i", "call_id": "c", "action": {"command": ["ls"]}},
        {"command": ["ls"]},
    ),
    ({"type": "apply_patch_call", "id": "i", "call_id": "c", "operation": {"path": "a"}}, {"path": "a"}),
    ({"type": "computer_call", "id": "i", "call_id": "c", "action": {"type": "wait"}}, {"type": "wait"}),
    ({"type": "tool_search_call", "id": "i", "call_id": "c", "arguments": {"query": "x"}}, {"query": "x"}),
    (
        {"type": "mcp_approval_request", "id": "c", "server_label": "s", "name": "f", "arguments": "{}"},
        {"server_label": "s", "name": "f", "arguments": "{}"},
    ),
]


@pytest.mark.parametrize(("item", "args"), CLIENT_ITEMS, ids=lambda value: str(value.get("type", "")))
def test_calls_of_built_in_tools(item: Event, args: Any) -> None:
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": {**item, "status": "completed"}},
        {"type": "response.completed", "response": {"status": "completed"}},
    ]
    *_, [call] = tool_calls(events)
    assert (call.id, call.name, call.args, call.is_complete) == ("c", item["type"], args, True)
    cut = [events[0], {"type": "response.incomplete", "response": {"status": "incomplete"}}]
    *_, [call] = tool_calls(cut)
    assert not call.is_complete


def test_a_line_that_is_not_json() -> None:
    good = [
        piece(0, id="a", function={"name": "f", "arguments": '{"a"'}),
        piece(0, function={"arguments": ":1}"}),
    ]
    body = b"".join(
        b"data: " + data + b"\n\n"
        for data in (json.dumps(good[0]).encode(), b"<oops>", json.dumps(good[1]).encode())
    )
    with pytest.raises(JsonStreamError) as caught:
        list(tool_calls([body]))
    assert caught.value.code == "invalid_event"
    *_, [call] = tool_calls([body], on_error="event")
    assert (call.args, call.is_complete) == ({"a": 1}, True)
    found = read([body], on_error="event")
    assert [type(message) for message in found] == [ToolCallUpdate, ProviderError, ToolCallUpdate]
    assert found[1].type == "invalid_event"
    with pytest.raises(ValueError, match="on_error"):
        list(messages([], on_error="ignore"))  # type: ignore[arg-type]


# --- wrappers, server tools and other parts


def test_events_of_the_agents_sdk() -> None:
    module = streams("openai-responses")
    events: list[Any] = [{"type": "raw_response_event", "data": event} for event in module.STREAM]
    events.insert(0, {"type": "agent_updated_stream_event", "new_agent": "a"})
    output = {"type": "tool_call_output_item", "raw_item": {"call_id": "call_a"}, "output": "22"}
    events.append({"type": "run_item_stream_event", "name": "tool_output", "item": output})
    *_, calls = tool_calls(events)
    assert seen(calls) == module.CALLS
    found = read(events)
    assert found[0].type == "agent_updated_stream_event"
    assert found[-1] == ToolResult("call_a", "22")


def test_other_stream_modes_of_langgraph() -> None:
    message = {"type": "AIMessageChunk", "content": "Hi", "tool_call_chunks": []}
    events = [("messages", (message, {})), ("updates", {"agent": 1}), (("sub:1",), "custom", {"x": 1})]
    assert read(events) == [TextDelta("Hi"), Other("updates", {"agent": 1}), Other("custom", {"x": 1})]


def test_parts_of_langgraph() -> None:
    """Its second form: each part is a dict that names its mode."""
    message = {"type": "AIMessageChunk", "content": "Hi", "tool_call_chunks": []}
    events = [
        {"type": "messages", "ns": (), "data": (message, {})},
        {"type": "updates", "ns": ("sub:1",), "data": {"agent": 1}},
    ]
    assert read(events) == [TextDelta("Hi"), Other("updates", {"agent": 1})]
    assert read(events[::-1]) == [Other("updates", {"agent": 1}), TextDelta("Hi")]


def test_custom_events_of_langchain() -> None:
    event = {"event": "on_custom_event", "name": "progress", "data": {"done": 1}, "run_id": "r", "tags": []}
    assert read([event]) == [Other("progress", {"done": 1})]


def test_thinking_blocks_of_litellm() -> None:
    """They repeat the text of `reasoning_content`; only the signature is new."""
    block = {"type": "thinking", "thinking": "Hm"}
    events = [
        chunk({"reasoning_content": "Hm", "thinking_blocks": [block]}),
        chunk({"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "sig"}]}),
        chunk({"thinking_blocks": [{"type": "redacted_thinking", "data": "x"}]}),
        chunk({"content": "Hi"}),
    ]
    assert read(events) == [
        ReasoningDelta("Hm"),
        ReasoningDelta("", signature="sig"),
        ReasoningDelta("", "redacted", "x"),
        TextDelta("Hi"),
    ]


def test_server_tools_are_no_calls() -> None:
    block = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    anthropic = [
        {"type": "content_block_start", "index": 0, "content_block": block},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": '{"query": "x"}'},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "web_search_tool_result", "tool_use_id": "s", "content": [1]},
        },
    ]
    assert list(tool_calls(anthropic))[-1] == []
    assert read(anthropic) == [
        ServerToolUpdate("s", "web_search", "", 0),
        ServerToolUpdate("s", None, '{"query": "x"}', 0),
        ServerToolResult("s", "web_search", [1]),
    ]
    item = {"type": "web_search_call", "id": "ws", "status": "completed"}
    responses = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws"},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ]
    assert list(tool_calls(responses))[-1] == []
    assert read(responses) == [
        ServerToolUpdate("ws", "web_search_call", "", 0),
        ServerToolResult("ws", "web_search_call", item),
    ]
    gemini = {"content": {"parts": [{"executableCode": {"language": "PYTHON", "code": "1"}}]}}
    assert isinstance(read([{"candidates": [gemini]}])[0], ServerToolUpdate)


def test_citations_pass_through() -> None:
    citation = {"type": "web_search_result_location", "url": "https://example.org"}
    delta = {"type": "citations_delta", "citation": citation}
    assert read([{"type": "content_block_delta", "index": 0, "delta": delta}]) == [
        Other("citation", citation)
    ]


# --- no silent nothing

HTML = b"<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head></html>\n"
HEADERS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {}\n\n"
BODY = b'{\n  "error": {\n    "message": "Incorrect API key",\n    "type": "invalid_request_error"\n  }\n}\n'
NOTHING: list[tuple[str, bytes, str, str]] = [
    ("an HTML page", HTML, "not_an_event_stream", "HTML page"),
    ("HTTP headers", HEADERS, "not_an_event_stream", "HTTP headers"),
    ("binary data", bytes(range(256)), "not_an_event_stream", "binary"),
    ("compressed data", b"\x1f\x8b\x08\x00" + bytes(80), "not_an_event_stream", "gzip"),
    (
        "plain text",
        b"upstream connect error or disconnect/reset before headers" * 3,
        "not_an_event_stream",
        "plain",
    ),
    ("comments alone", b": keep-alive\n\n: keep-alive\n\n", "not_an_event_stream", "no event"),
    ("white space", b"\n\n", "not_an_event_stream", "blank"),
    ("an error body", BODY, "provider_error", "invalid_request_error: Incorrect API key"),
    (
        "a list with an error",
        b'[{"error": {"code": 400, "message": "Bad", "status": "INVALID"}}]',
        "provider_error",
        "Bad",
    ),
    ("unknown events", b'data: {"hello": 1}\n\n', "unknown_format", "'hello'"),
]


@pytest.mark.parametrize(("name", "body", "code", "words"), NOTHING, ids=[case[0] for case in NOTHING])
@pytest.mark.parametrize("size", [1, 10, 1000])
def test_no_silent_nothing(name: str, body: bytes, code: str, words: str, size: int) -> None:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    for view in (tool_calls, text_deltas):
        with pytest.raises(JsonStreamError) as caught:
            list(view(pieces))
        assert caught.value.code == code
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
    if code == "provider_error":
        assert [type(message) for message in messages(pieces)] == [ProviderError, MessageEnd]
    else:
        with pytest.raises(JsonStreamError):
            list(messages(pieces))


@pytest.mark.parametrize(
    "body",
    [
        {"object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": "Hi"}}]},
        {"object": "text_completion.done", "choices": [{"message": {"content": "Hi"}}]},
        {"id": "r", "object": "response", "status": "completed", "output": []},
        {"id": "m", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hi"}]},
    ],
    ids=["chat", "chat-like", "responses", "anthropic"],
)
def test_a_response_that_was_not_streamed(body: Any) -> None:
    for stream in ([body], [json.dumps(body, indent=2)]):
        with pytest.raises(JsonStreamError, match="a complete response, not a stream") as caught:
            list(messages(stream))
        assert caught.value.code == "unknown_format"


@pytest.mark.parametrize("name", ["openai-chat", "mistral", "openai-completions"])
def test_events_of_another_format_that_only_count_tokens_alike(name: Any) -> None:
    events = [
        {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 3, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
    ]
    with pytest.raises(JsonStreamError, match=f"its events are those of anthropic, not of {name}"):
        list(messages(events, name))
    # tokens alone are a stream
    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 5}}
    assert [type(message) for message in messages([usage], name)] == [Usage]


def test_what_is_no_stream() -> None:
    text = json.dumps(chunk({"content": "Hi"}))
    for stream in (text, text.encode(), bytearray(text.encode())):
        assert list(text_deltas(stream)) == ["Hi"]
        assert read(stream) == [TextDelta("Hi")]
        assert list(tool_calls(stream)) == [[], []]
        assert list(argument_deltas(stream)) == []
    for view in (messages, tool_calls, text_deltas, argument_deltas):
        with pytest.raises(TypeError, match="a single event, not a stream"):
            list(view(chunk({"content": "Hi"})))
        with pytest.raises(TypeError, match="stream=True"):
            list(view(Sent()))

    async def asynchronous() -> AsyncIterator[Any]:
        yield {}

    with pytest.raises(TypeError, match=r"midstream\.aio"):
        list(messages(asynchronous()))  # type: ignore[arg-type]

    async def run(view: Any, stream: Any) -> None:
        async for _ in view(stream):
            pass

    for aview in (aio.messages, aio.tool_calls, aio.text_deltas, aio.argument_deltas):
        for wrong, words in ((chunk({}), "a single event"), (Sent(), "stream=True"), ([], "async")):
            with pytest.raises(TypeError, match=words):
                asyncio.run(run(aview, wrong))


def test_an_error_without_a_name() -> None:
    """It is said once that it is an error, and a list of details is JSON."""
    for body, said in (
        ({"message": "Too many tokens"}, "the provider reported an error: Too many tokens"),
        ({"detail": [{"loc": ["body"]}]}, 'the provider reported an error: [{"loc": ["body"]}]'),
        ({"error": {"code": 502}}, "the provider reported an error: status 502"),
        ({"error": "model not found"}, "the provider reported an error: model not found"),
    ):
        with pytest.raises(JsonStreamError) as caught:
            list(tool_calls([json.dumps(body)]))
        assert str(caught.value) == said


def test_an_empty_iterable_is_empty() -> None:
    assert list(messages([])) == []
    assert list(tool_calls([])) == [[]]
    assert list(text_deltas([b"data: [DONE]\n\n"])) == []


# --- objects inside messages, written as events


class Sent(BaseModel):
    text: str = ""
    extra: Any = None


class Client:
    """What no event may carry to a browser."""


@dataclass
class Agent:
    instructions: str
    client: Any = None


WRITTEN: list[tuple[str, Any, Any]] = [
    ("plain data", {"a": [1, None, "x", 0.5, True]}, {"a": [1, None, "x", 0.5, True]}),
    ("a model", Sent(text="a"), {"text": "a"}),
    ("models in lists in dicts", {"n": {"m": [Sent(text="a"), Sent()]}}, {"n": {"m": [{"text": "a"}, {}]}}),
    ("tuples, sets and keys", {1: ("a", {"b"})}, {"1": ["a", ["b"]]}),
    ("bytes", {"data": b"abc"}, {"data": "YWJj"}),
    ("an enumeration", {"kind": ErrorCode.REFUSED}, {"kind": "refused"}),
    ("what is no data", {"a": 1, "client": Client()}, {"a": 1, "client": None}),
    ("a model that cannot be written", [Sent(extra=Client())], [None]),
]


@pytest.mark.parametrize(("name", "value", "expected"), WRITTEN, ids=[case[0] for case in WRITTEN])
def test_objects_become_plain_data(name: str, value: Any, expected: Any) -> None:
    for message, field in ((Other("x", value), "data"), (ToolResult("c", value), "result")):
        assert json.loads(json.dumps(to_event(message)))[field] == expected
    assert to_event(Usage(1, raw=value))["raw"] == expected


def test_deep_data_is_written_as_it_is() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert to_event(Other("x", deep))["data"] is deep


def test_an_agent_stays_on_the_server() -> None:
    """Dataclasses are results and usage in some frameworks, and the agent itself in others."""
    agent = Agent("secret", Client())
    assert to_event(Other("agent_updated", agent)) == {"type": "other", "part_type": "agent_updated"}
    assert to_event(Other("x", {"agent": agent}))["data"] == {"agent": None}
    assert to_event(ToolResult("c", agent))["result"] == {"instructions": "secret", "client": None}
    assert to_event(Usage(1, raw=agent))["raw"] == {"instructions": "secret", "client": None}

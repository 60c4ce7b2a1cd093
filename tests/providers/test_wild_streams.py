"""Parts of streams that were seen in the wild, and streams that end in the middle of an event."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

import midstream
from midstream import (
    JsonStreamError,
    MessageEnd,
    Other,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolResult,
    Usage,
    aio,
    messages,
    text_deltas,
    tool_calls,
    values,
)
from midstream.providers import adapter, detect
from midstream.typed import typed_calls
from provider_streams import FORMATS, Event, seen, streams
from provider_streams.openai_chat import chunk

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def read(events: list[Event], format: Any = None) -> list[Any]:
    found = list(messages(events, format))
    return [message._replace(raw=None) if isinstance(message, Usage) else message for message in found]


# --- streams that end inside an event


def framed(events: list[Event]) -> dict[str, bytes]:
    lines = [json.dumps(event).encode() for event in events]
    return {
        "sse": b"".join(b"data: " + line + b"\n\n" for line in lines),
        "lines": b"".join(line + b"\n" for line in lines),
        "array": b"[" + b", ".join(lines) + b"]",
    }


@pytest.mark.parametrize("framing", ["sse", "lines", "array"])
@pytest.mark.parametrize("format", FORMATS)
def test_a_stream_that_ends_inside_an_event_ends_before_it(format: Any, framing: str) -> None:
    """It reports the same as one that stops after the last complete event."""
    events = [event for event in streams(format).STREAM if isinstance(event, dict)]
    body = framed(events)[framing]
    complete = {len(framed(events[:count])["lines"]): count for count in range(len(events) + 1)}
    for cut in range(len(body) * 2 // 3, len(body), max(1, len(body) // 40)):
        if framing != "lines":
            *_, calls = tool_calls([body[:cut]], format)
            assert all(call.is_complete or call.error is not None for call in calls)
            continue
        # a line without its end may be complete
        count = max(n for length, n in complete.items() if length <= cut + 1)
        *_, expected = tool_calls(events[:count], format)
        *_, calls = tool_calls([body[:cut]], format)
        assert seen(calls) == seen(expected)


@pytest.mark.parametrize(
    "rest", ["data: [DO", 'data: {"choices": [{"delta": {"content": "\\u00', "dat", "data: "]
)
def test_what_is_left_of_an_event_is_no_error(rest: str) -> None:
    body = f"data: {json.dumps(chunk({'content': '[1, 2'}))}\n\n"
    assert list(text_deltas([body + rest])) == ["[1, 2"]
    with pytest.raises(JsonStreamError) as caught:
        list(values(text_deltas([body + rest])))
    assert caught.value.code == "truncated"


@pytest.mark.parametrize("body", ['data: {"choices": [', '{"choices": [', "data: {", '{\n  "error": {\n'])
def test_a_stream_that_ends_inside_its_first_event(body: str) -> None:
    for view in (messages, tool_calls, text_deltas):
        with pytest.raises(JsonStreamError, match="it ends inside its first event") as caught:
            list(view([body]))
        assert caught.value.code == "not_an_event_stream"


VIEWS: dict[str, dict[str, Any]] = {
    "messages": {}, "tool_calls": {}, "text_deltas": {}, "argument_deltas": {"tool": "f"},
    "typed_calls": {"types": {}},
}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("framing", ["sse", "lines"])
def test_what_came_before_an_invalid_event_is_delivered(framing: str, name: str) -> None:
    """Also if both came in one piece; nothing more is read before the error."""
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"x": [1'}}
    good = framed([chunk({"content": "Hi"}), chunk({"tool_calls": [call]})])[framing]
    body = good + {"sse": b"data: <oops>\n\n", "lines": b"{oops\n"}[framing]
    found: list[list[Any]] = [[], []]

    def source() -> Iterator[bytes]:
        yield body
        pytest.fail("another piece was read")

    async def asource() -> AsyncIterator[bytes]:
        for piece in source():
            yield piece

    def read_all() -> None:
        view: Any = typed_calls if name == "typed_calls" else getattr(midstream, name)
        for item in view(source(), **VIEWS[name]):
            found[0].append(item)

    async def aread_all() -> None:
        async for item in getattr(aio, name)(asource(), **VIEWS[name]):
            found[1].append(item)

    for run in (read_all, lambda: asyncio.run(aread_all())):
        with pytest.raises(JsonStreamError) as caught:
            run()
        assert caught.value.code == "invalid_event"
    assert repr(found[0]) == repr(found[1])
    assert len(found[0]) == (2 if name == "messages" else 1)


def test_an_event_that_is_not_json_stays_an_error_at_the_end() -> None:
    body = f"data: {json.dumps(chunk({'content': 'x'}))}\n\n"
    for rest in ("data: <oops>", 'data: {"a" 1', "data: nothing"):
        with pytest.raises(JsonStreamError) as caught:
            list(messages([body + rest]))
        assert caught.value.code == "invalid_event"


# --- Vercel's streams resemble each other

CALL = ("c", "f", {"a": 1}, True)
USED = {"inputTokens": 1, "outputTokens": 2}
INPUT: list[Event] = [
    {"type": "tool-input-start", "id": "c", "toolName": "f"},
    {"type": "tool-input-delta", "id": "c", "delta": '{"a"'},
    {"type": "tool-input-delta", "id": "c", "delta": ":1}"},
    {"type": "tool-input-end", "id": "c"},
]
FULL: list[Event] = [
    {"type": "start"},
    {"type": "start-step", "request": {}, "warnings": []},
    {"type": "text-start", "id": "0"},
    {"type": "text-delta", "id": "0", "text": "Hi"},
    *INPUT,
    {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {"a": 1}},
    {"type": "tool-result", "toolCallId": "c", "toolName": "f", "input": {"a": 1}, "output": "x"},
    {"type": "finish-step", "finishReason": "tool-calls", "usage": USED},
    {"type": "finish", "finishReason": "stop", "totalUsage": USED},
]
SPOKEN = [{"type": "start"}, {"type": "start-step"}, *INPUT, {"type": "finish", "finishReason": "stop"}]
PIECE = {"type": "tool-call-delta", "toolCallType": "function", "toolCallId": "c", "toolName": "f"}
OLD_MODEL: list[Event] = [
    {**PIECE, "argsTextDelta": '{"a"'},
    {**PIECE, "argsTextDelta": ":1}"},
    {"type": "tool-call", "toolCallType": "function", "toolCallId": "c", "toolName": "f", "args": '{"a":1}'},
    {"type": "finish", "finishReason": "tool-calls", "usage": {"promptTokens": 1, "completionTokens": 2}},
]
OLD_FULL: list[Event] = [
    {"type": "step-start", "messageId": "m"},
    {"type": "reasoning", "textDelta": "Hm"},
    {"type": "reasoning-signature", "signature": "s"},
    {"type": "text-delta", "textDelta": "Hi"},
    {"type": "tool-call-streaming-start", "toolCallId": "c", "toolName": "f"},
    {**PIECE, "argsTextDelta": '{"a":1}'},
    {"type": "tool-call", "toolCallId": "c", "toolName": "f", "args": {"a": 1}},
    {"type": "tool-result", "toolCallId": "c", "toolName": "f", "args": {"a": 1}, "result": "x"},
    {"type": "finish", "finishReason": "stop", "usage": {"promptTokens": 1, "completionTokens": 2}},
]


@pytest.mark.parametrize("events", [FULL, FULL[1:], SPOKEN, OLD_MODEL, OLD_MODEL[2:], OLD_FULL])
def test_parts_of_vercels_full_stream(events: list[Event]) -> None:
    """It begins like the UI stream; version 4 has other names."""
    *_, [call] = tool_calls(events)
    assert (call.id, call.name, call.args, call.is_complete) == CALL


def test_everything_in_vercels_full_stream() -> None:
    found = read(FULL)
    assert found[0] == TextDelta("Hi")
    assert found[-3:-1] == [ToolResult("c", "x"), Usage(1, 2)]
    found = read(OLD_FULL)
    assert found[:3] == [ReasoningDelta("Hm"), ReasoningDelta("", signature="s"), TextDelta("Hi")]
    assert found[-2] == Usage(1, 2)


def test_a_call_of_cohere_is_no_part_of_vercel() -> None:
    assert detect({"type": "tool-call-delta", "index": 0, "delta": {"message": {}}}) == "cohere"
    assert detect(OLD_MODEL[0]) == "vercel-model"


# --- parts beside the delta


def test_parts_of_a_chunk() -> None:
    """Perplexity repeats its citations with every chunk; Azure and log probabilities are with the choice."""
    cited = {"citations": ["https://example.org"], "search_results": [{"title": "t"}]}
    logprobs = {"content": [{"token": "H", "logprob": -0.1}]}
    filtered = {"hate": {"filtered": False}}
    events = [
        {**chunk({"content": "H"}), **cited},
        {**chunk({"content": "i"}), **cited},
        {"choices": [{"index": 1, "delta": {"content": "!"}, "logprobs": logprobs}]},
        {"choices": [{"index": 0, "delta": {}, "content_filter_results": filtered, "finish_reason": "stop"}]},
    ]
    assert read(events) == [
        Other("citations", cited["citations"]),
        Other("search_results", cited["search_results"]),
        TextDelta("H"),
        TextDelta("i"),
        TextDelta("!", choice=1),
        Other("logprobs", logprobs, choice=1),
        Other("content_filter_results", filtered),
        MessageEnd("stop", choice=0),
    ]


def test_the_signature_of_a_call() -> None:
    """Gemini's endpoint for OpenAI's SDK wants it back with the call."""
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}
    call["extra_content"] = {"google": {"thought_signature": "s"}}
    found = read([chunk({"tool_calls": [call]})])
    assert found[0] == ReasoningDelta("", signature="s")
    assert found[1].tool_call_id == "c"


@pytest.mark.parametrize(
    ("format", "event", "kind"),
    [
        ("gemini-interactions", {"event_type": "news", "n": 1}, "news"),
        ("gemini-interactions", {"event_type": "step.start", "index": 0, "step": {"type": "news"}}, "news"),
        ("bedrock", {"news": {"n": 1}}, "news"),
        ("bedrock", {"contentBlockStart": {"contentBlockIndex": 0, "start": {"image": {"n": 1}}}}, "image"),
    ],
)  # fmt: skip
def test_unknown_events_are_not_dropped(format: Any, event: Event, kind: str) -> None:
    [other] = adapter(format).add_event(event)
    assert isinstance(other, Other)
    assert other.type == kind


def test_an_image_at_the_start_of_a_step() -> None:
    image = {"type": "image", "data": "x"}
    step = {"type": "model_output", "content": [{"type": "text", "text": "See:"}, image]}
    event = {"event_type": "step.start", "index": 0, "step": step}
    assert adapter("gemini-interactions").add_event(event) == [TextDelta("See:"), Other("image", image)]


SAID = {"type": "message", "id": "m", "content": [{"type": "output_text", "text": "Hi"}]}
CALLED = {
    "type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": '{"a": 1}',
}  # fmt: skip
COMPLETED = {"type": "response.completed", "response": {"status": "completed", "output": [SAID, CALLED]}}


def test_the_output_of_a_response_that_said_nothing_else() -> None:
    """Nothing is read twice: not the output after deltas or items, nor a message after its deltas."""
    found = read([{"type": "response.created", "response": {}}, COMPLETED])
    assert found[0] == TextDelta("Hi")
    assert found[-1] == MessageEnd("completed")
    *_, [call] = tool_calls([COMPLETED])
    assert (call.id, call.name, call.args, call.is_complete) == ("c", "f", {"a": 1}, True)
    done = {"type": "response.output_item.done", "output_index": 0, "item": SAID}
    delta = {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "delta": "Hi"}
    for events in ([done], [delta, done], [delta]):
        assert "".join(text_deltas([*events, COMPLETED])) == "Hi"
    # a second message without deltas
    assert "".join(text_deltas([delta, done, {**done, "output_index": 1}, COMPLETED])) == "HiHi"
    refused = {"type": "message", "content": [{"type": "refusal", "refusal": "No"}]}
    assert read([{**done, "item": refused}]) == [RefusalDelta("No")]


def test_the_annotations_of_a_text_of_langchain() -> None:
    block = {"type": "text", "text": "Hi", "annotations": [{"type": "citation", "url": "u"}]}
    message = {"type": "AIMessageChunk", "content": [block], "tool_call_chunks": []}
    assert read([message]) == [TextDelta("Hi"), Other("annotations", block["annotations"])]

"""What all formats share: their streams and faults, events in every form, odd events."""

from __future__ import annotations

import asyncio
import copy
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from midstream import JsonStreamError, Other, aio, text_deltas, tool_calls
from midstream.providers import adapter, detect
from midstream.sse import SseEvent
from provider_streams import FAULT_NAMES, FORMATS, Event, Expected, as_objects, cases, final, seen, streams

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

each_format = pytest.mark.parametrize("format", FORMATS)
each_stream = cases()


@each_stream
def test_stream(format: Any, events: list[Event], expected: list[Expected]) -> None:
    before = copy.deepcopy(events)
    assert final(events, format) == expected
    assert events == before


@each_stream
def test_format_is_found_out(format: Any, events: list[Event], expected: list[Expected]) -> None:
    assert detect(events) == format
    assert final(events) == expected


# what is plain data in the objects of the SDKs, too
PLAIN = ("args", "args_delta", "input", "arguments", "result", "response_metadata", "output")


# the objects of our own format are its messages
@cases(*(format for format in FORMATS if format != "midstream"))
def test_objects(format: Any, events: list[Event], expected: list[Expected]) -> None:
    objects = as_objects(events, PLAIN)
    assert final(objects, format) == expected
    assert final(objects) == expected


@each_stream
def test_events_that_still_are_text(format: Any, events: list[Event], expected: list[Expected]) -> None:
    texts = [json.dumps(event) for event in events]
    assert final([*texts, "", "[DONE]"]) == expected
    assert final([*(SseEvent(data=text) for text in texts), SseEvent(data="[DONE]")]) == expected


@each_stream
def test_async_stream(format: Any, events: list[Event], expected: list[Expected]) -> None:
    async def stream() -> AsyncIterator[Event]:
        for event in events:
            yield event

    async def states() -> list[list[Expected]]:
        return [seen(calls) async for calls in aio.tool_calls(stream(), format=format)]

    assert asyncio.run(states()) == [seen(calls) for calls in tool_calls(events, format=format)]


@each_stream
def test_calls_are_reported_as_they_come(format: Any, events: list[Event], expected: list[Expected]) -> None:
    """Nothing of a call is ever taken back: its text grows, and its end is final."""
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


@each_stream
def test_stream_that_stops_anywhere(format: Any, events: list[Event], expected: list[Expected]) -> None:
    """What stops in the midst of arguments is never complete."""
    for end in range(len(events)):
        for found in final(events[:end], format):
            if found.complete and found.raw.strip() and isinstance(found.args, (dict, list)):
                assert json.loads(found.raw) == found.args


@each_format
def test_text(format: Any) -> None:
    module = streams(format)
    assert "".join(text_deltas(module.STREAM, format=format)) == module.TEXT
    assert "".join(text_deltas(module.STREAM)) == module.TEXT


@each_format
def test_faults_have_known_names(format: Any) -> None:
    assert set(streams(format).FAULTS) <= set(FAULT_NAMES)


@each_format
def test_formats_are_not_confused(format: Any) -> None:
    # text parts look the same in both
    alike = {"mistral": "openai-chat", "vercel-model": "vercel-ui"}
    allowed = {None, format, alike.get(format)}
    assert [event for event in streams(format).STREAM if detect(event) not in allowed] == []


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


@each_format
def test_odd_events(format: Any) -> None:
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


EXAMPLES = int(os.environ.get("MIDSTREAM_FUZZ_EXAMPLES", "30"))
OTHERS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.just([]), st.just({}), st.just([None])
)


@each_format
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_odd_events_do_no_harm(format: Any, data: st.DataObject) -> None:
    """Events that lack fields, or have others in their place, raise nothing."""
    module = streams(format)
    choices = [module.STREAM, *(events for events, _ in module.FAULTS.values())]
    reader = adapter(format)
    for event in data.draw(st.sampled_from(choices)):
        reader.add_event(spoilt(event, data))
    reader.finish()


def spoilt(value: Any, data: st.DataObject) -> Any:
    """Put something else in the place of a field, or leave it out."""
    if isinstance(value, list) and value:
        return [spoilt(item, data) for item in value]
    if not isinstance(value, dict) or not value:
        return value
    name = data.draw(st.sampled_from([*value, None]))
    made = {key: spoilt(item, data) for key, item in value.items()}
    match data.draw(st.sampled_from(["leave", "drop", "spoil", "spoil"])), name:
        case "drop", str():
            del made[name]
        case "spoil", str() if name != "type":
            made[name] = data.draw(OTHERS)
    return made


@each_format
@pytest.mark.parametrize(
    "event", [None, 1, "null", [], {}, {"type": "unheard-of"}, {"type": ["a"]}, object()]
)
def test_unknown_events_say_nothing(format: Any, event: Any) -> None:
    """An event of an unknown type is passed through; one without a type says nothing."""
    reader = adapter(format)
    messages = reader.add_event(event)
    assert messages in ([], [Other("unheard-of", event)])
    assert reader.finish() == []
    assert detect([event]) is None


def test_a_format_that_is_not_the_streams() -> None:
    """Who insists on a format hears that the stream is of another, rather than nothing."""
    with pytest.raises(JsonStreamError, match=r"wrong .* those of openai-chat, not of anthropic"):
        list(tool_calls(streams("openai-chat").STREAM, "anthropic"))

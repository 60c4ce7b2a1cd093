"""Snapshots of a stream: what they restore, how later messages continue them, what they refuse."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from call_messages import fewer
from midstream import recordings
from midstream.calls.messages import Message, MessageEnd, StreamSnapshot, ToolCallUpdate, to_event
from midstream.providers import adapter
from test_invariants import documents, each_build


def events_of(name: str) -> list[dict[str, Any]]:
    """Return the events of a recording, with the offsets that a gateway sends."""
    recording = recordings.load(name)
    source = adapter(recording.format)
    messages: list[Message] = [each for event in recording.events() for each in source.add_event(event)]
    messages += source.finish()
    received: dict[Any, int] = {}
    events = []
    for message in messages:
        if isinstance(message, ToolCallUpdate) and message.function_args:
            key = message.index if message.tool_call_id is None else message.tool_call_id
            message = message._replace(args_offset=received.get(key, 0))
            received[key] = received.get(key, 0) + len(message.function_args or "")
        events.append(json.loads(json.dumps(to_event(message))))
    return events


def snapshot_of(handler: Any, free: bool = False) -> dict[str, Any]:
    """Describe the calls of a handler as a relay does."""
    messages = []
    for id in handler.message_ids:
        calls = [
            {
                "tool_call_id": call.id, "index": call.index, "function_name": call.name,
                "function_args": call.raw_args, "status": status_of(call),
            } | ({"is_free_text": True} if free else {})
            for call in handler.calls(id)
        ]  # fmt: skip
        reasons = {call.finish_reason for call in handler.calls(id)}
        messages.append({"message_id": id, "finish_reason": reasons.pop(), "calls": calls})
    return json.loads(json.dumps({"type": "stream_snapshot", "stream": "s", "messages": messages}))  # type: ignore[no-any-return]


def status_of(call: Any) -> str:
    if call.is_complete:
        return "complete"
    if call.error is None:
        return "open"
    known = {"truncated": "truncated", "provider_error": "failed"}
    return known.get(str(call.error.code.value), "invalid")


def finals(handler: Any) -> list[Any]:
    """Complete all messages, and describe their calls in full."""
    calls = [call for id in list(handler.message_ids) for call in handler.complete(id)]
    return [
        (call.id, call.index, call.name, call.args, call.raw_args, call.is_complete, call.finish_reason)
        for call in calls
    ]


@each_build
@pytest.mark.parametrize("name", recordings.NAMES)
def test_a_snapshot_and_the_rest_equal_the_stream(midstream: Any, name: str) -> None:
    events = events_of(name)
    complete = midstream.ToolsAggregateMessageHandler()
    expected = [complete.add_message(event) for event in events]
    final = finals(complete)
    head = midstream.ToolsAggregateMessageHandler()
    for at in range(len(events)):
        if at % 3:
            head.add_message(events[at])
            continue
        late = midstream.ToolsAggregateMessageHandler()
        # what it had before does not matter
        late.add_message({"function_args": "[1", "tool_call_id": "other", "message_id": "other"})
        seen = late.add_message(snapshot_of(head, free=name == "patch"))
        assert seen == [call for id in head.message_ids for call in head.calls(id)]
        for event, calls in zip(events[at:], expected[at:], strict=True):
            assert late.add_message(event) == calls
        assert finals(late) == final
        head.add_message(events[at])


@each_build
@given(text=documents, at=st.integers(0, 200), rest=st.integers(0, 200))
@fewer
def test_a_snapshot_at_any_character(midstream: Any, text: str, at: int, rest: int) -> None:
    cut = at % (len(text) + 1)
    # a handler shows a high surrogate only when it knows what follows
    assume(cut == 0 or not "\ud800" <= text[cut - 1] <= "\udbff")
    update = midstream.ToolCallUpdate
    head = midstream.ToolsAggregateMessageHandler()
    head.add_message(update("a", 0, "f", text[:cut]))
    late = midstream.ToolsAggregateMessageHandler()
    late.add_message(snapshot_of(head))
    # the event that the snapshot already holds in part may arrive again
    again = rest % (cut + 1)
    late.add_message(update(index=0, function_args=text[again:cut], args_offset=again))
    late.add_message(update(index=0, function_args=text[cut:], args_offset=cut))
    late.add_message(importlib.import_module(f"{midstream.__name__}.calls.messages").MessageEnd("stop"))
    (call,) = late.calls()
    assert call.raw_args == text
    assert call.is_complete
    assert call.args == json.loads(text)


def call_with(status: Any, text: str = '{"a": 1}', **more: Any) -> dict[str, Any]:
    call = {"tool_call_id": "a", "index": 0, "function_name": "f", "function_args": text, **more}
    return {
        "messages": [{"message_id": "m", "calls": [call | {"status": status}]}],
        "type": "stream_snapshot",
    }


@each_build
@pytest.mark.parametrize(
    ("status", "text", "is_complete", "code"),
    [
        ("complete", '{"a": 1}', True, None),
        ("complete", "", True, None),
        # the text decides, whatever a status claims
        ("complete", '{"a": ', False, "truncated"),
        ("truncated", '{"a": 1}', False, "truncated"),
        ("truncated", '{"a": ', False, "truncated"),
        ("invalid", '{"a": b', False, "expected_value"),
        ("invalid", '{"a": 1}', False, "unknown"),
        ("invalid", '{"a": ', False, "unknown"),
        ("failed", '{"a": 1}', False, "provider_error"),
        ("open", '{"a": 1}', False, None),
        (None, '{"a": 1}', False, None),
        ("of a newer version", '{"a": 1}', False, None),
    ],
)
def test_a_status(midstream: Any, status: Any, text: str, is_complete: bool, code: str | None) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    (call,) = handler.add_message(call_with(status, text))
    assert call.is_complete == is_complete
    assert (call.error and call.error.code.value) == code
    assert call.raw_args == text
    handler.add_message({"type": "message_end", "reason": "stop", "message_id": "m"})
    assert handler.calls("m")[0].is_complete == (is_complete or (code is None and text != ""))


@each_build
@pytest.mark.parametrize(
    "change",
    [
        {"messages": 1},
        {"messages": None},
        {"messages": [1]},
        {"messages": [{"calls": 1}]},
        {"messages": [{"calls": [1]}]},
        {"messages": [{"finish_reason": 1, "calls": []}]},
        {"messages": [{"message_id": 1, "calls": [{}]}]},
        call_with(1),
        call_with("open", index=1.5),
        call_with("open", 7),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_a_malformed_snapshot_changes_nothing(midstream: Any, change: dict[str, Any]) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message({"function_args": '{"a": ', "tool_call_id": "x", "message_id": "m"})
    before = handler.calls("m")
    with pytest.raises(midstream.JsonStreamError) as raised:
        handler.add_message({"type": "stream_snapshot", **change})
    assert raised.value.code.value == "invalid_event"
    assert handler.calls("m") == before
    assert handler.message_ids == ["m"]


@each_build
def test_tool_calls_reads_snapshots(midstream: Any) -> None:
    stream = [call_with("open", '{"a": '), {"index": 0, "function_args": "1}", "message_id": "m"}]
    states = list(midstream.tool_calls(stream, format="midstream"))
    assert [call.args for call in states[-1]] == [{"a": 1}]


def test_its_plain_form_and_back() -> None:
    snapshot = StreamSnapshot([{"message_id": "m", "calls": []}], "s")
    from midstream import from_event

    assert from_event(to_event(snapshot)) == snapshot
    assert to_event(MessageEnd()) == {"type": "message_end"}

"""`ToolCall` and the messages as values."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from call_messages import (
    U,
    containers,
    fewer,
    for_build,
    sent,
)
from midstream.calls import messages as public
from midstream.calls.messages import (
    MessageEnd,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
    ToolResult,
)
from model import exactly, pieces
from test_invariants import cuts, each_build


@each_build
def test_tool_call_is_a_value(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    (call,) = handler.add_message(for_build(midstream, U("a", 0, "f", '{"a": [1, "x')))
    other = midstream.ToolCall("a", 0, "f", {"a": [1, "x"]}, '{"a": [1, "x', open_path=("a", 1))
    assert call == other
    assert call != midstream.ToolCall("b", 0, "f", {"a": [1, "x"]}, '{"a": [1, "x', open_path=("a", 1))
    assert call != "f"
    assert pickle.loads(pickle.dumps(call)) == copy.deepcopy(call) == copy.copy(call) == call
    empty = midstream.ToolCall()
    assert pickle.loads(pickle.dumps(empty)).args is midstream.UNDEFINED
    assert repr(empty) == "ToolCall(name=None, args=UNDEFINED, is_complete=False)"
    with pytest.raises(TypeError):
        hash(call)
    match call:
        case midstream.ToolCall(name, {"a": [1, text]}, False, None):
            assert (name, text) == ("f", "x")
        case _:
            pytest.fail("no match")
    for name in ("id", "args", "raw_args", "is_complete", "error", "something"):
        with pytest.raises(AttributeError):
            setattr(call, name, 1)
    unread = handler.calls()[0]
    saved = pickle.dumps(unread)
    (ended,) = handler.complete()
    assert pickle.loads(saved) == unread
    assert pickle.loads(pickle.dumps(ended)) == ended
    assert ended.error.code == "truncated"


@each_build
def test_tool_call_can_not_be_undone(midstream: Any) -> None:
    call = midstream.ToolCall(name="f")
    with pytest.raises(AttributeError):
        del call.name


@pytest.mark.parametrize(
    "message",
    [
        U(),
        U("a", 0, "f", "{", (), "m", 1, True),
        U(index="i"),
        U("a", function_args=""),
        TextDelta(""),
        TextDelta("x", "m", 2),
        ToolCallsUpdate([], None),
        ToolCallsUpdate([U("a"), U("b", 1, message_id="n")], "m"),
        ToolCallEnd(),
        ToolCallEnd("a", 0, True, "m", 1),
        ToolResult(),
        ToolResult("a", {"x": [1]}, "m"),
        MessageEnd(),
        MessageEnd("x", True, "m", 0),
    ],
    ids=repr,
)
def test_messages_as_events_and_back(message: Any) -> None:
    event = json.loads(json.dumps(public.to_event(message)))
    back: Any = public.from_event(event)
    assert type(back) is type(message)
    if isinstance(message, ToolCallsUpdate):
        # each update then also has the id of its message
        updates = [
            update._replace(message_id=update.message_id or message.message_id)
            for update in message.tool_call_updates
        ]
        message = message._replace(tool_call_updates=updates)
    elif isinstance(message, ToolCallUpdate) and message.json_update_fragments is not None:
        message = message._replace(json_update_fragments=[])
    assert back == message
    assert public.to_event(back) == public.to_event(message)


@each_build
@given(text=containers, at=cuts, data=st.data())
@fewer
def test_what_is_lost_on_the_way_is_missed(
    midstream: Any, text: str, at: list[int], data: st.DataObject
) -> None:
    """Without one of the pieces, a call is never complete; with one of them twice, it is the same."""
    text = text.strip()
    stream = [U("a", 0, "f", piece) for piece in pieces(text, at) if piece]
    events = sent(midstream, "JSON", [*stream, MessageEnd("stop")])
    number = data.draw(st.integers(0, len(stream) - 1))
    once_more, without = midstream.ToolsAggregateMessageHandler(), midstream.ToolsAggregateMessageHandler()
    for place, event in enumerate(events):
        once_more.add_message(event)
        if place == number:
            once_more.add_message(event)
        else:
            without.add_message(event)
    (entire,) = once_more.complete()
    assert entire.is_complete
    assert exactly(entire.args) == exactly(json.loads(text))
    for call in without.complete():
        # a call of which nothing came is none
        assert not call.is_complete or len(stream) == 1


@each_build
def test_the_end_of_another_call_is_no_content(midstream: Any) -> None:
    """What the middleware reports at the end of one call does not hide that another one was cut off."""
    stream = [U("a", 0, "f", '{"x": '), U("b", 1, "g", '{"y":1}'), MessageEnd("length", is_truncated=True)]
    handler = midstream.ToolsAggregateMessageHandler()
    for event in sent(midstream, "JSON", stream):
        plain = {name: value for name, value in event.items() if name != "function_args"}
        handler.add_message(plain)
    for call in handler.complete():
        assert not call.is_complete
        assert call.error.code == "truncated"


@each_build
def test_free_text_is_signalled_before_the_text(midstream: Any) -> None:
    """Signalled later, it does not make broken arguments complete."""
    handler = midstream.ToolsAggregateMessageHandler()
    for message in (U("a", 0, "f", "{"), U("a", 0, is_free_text=True), MessageEnd("stop")):
        handler.add_message(for_build(midstream, message))
    (call,) = handler.complete()
    assert not call.is_complete

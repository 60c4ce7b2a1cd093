"""Handlers, middleware and decoders can be copied and pickled; the copies are independent."""

from __future__ import annotations

import copy
import importlib
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS

if TYPE_CHECKING:
    from collections.abc import Callable

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
WAYS: dict[str, Any] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda original: pickle.loads(pickle.dumps(original)),
    "copy": copy.copy,
}
each_way = pytest.mark.parametrize("duplicate", WAYS.values(), ids=list(WAYS))
# `copy.copy` of a middleware shares its calls, as that of most objects does
each_deep_way = pytest.mark.parametrize("duplicate", list(WAYS.values())[:2], ids=list(WAYS)[:2])


@each_build
@each_way
def test_a_handler_and_its_copy_go_their_own_ways(midstream: Any, duplicate: Callable[[Any], Any]) -> None:
    first = midstream.ToolsAggregateMessageHandler()
    update = midstream.ToolCallUpdate
    first.add_message(update("a", 0, "f", '{"x": [1, "\ud83c', message_id="m"))
    first.add_message(update("b", 1, "g", '{"y"', message_id="m", choice=1))
    second = duplicate(first)
    assert second.calls("m") == first.calls("m")
    first.add_message(update(None, 0, None, '!"]}', message_id="m"))
    second.add_message(update(None, 0, None, '\udf27"]}', message_id="m"))
    second.add_message(update("b", None, None, ": 2}", message_id="m"))
    (one, other), (another, last) = first.complete("m"), second.complete("m")
    assert (one.args, another.args) == ({"x": [1, "\ud83c!"]}, {"x": [1, "\U0001f327"]})
    assert (other.is_complete, last.args) == (False, {"y": 2})
    assert first.message_ids == second.message_ids == []


@each_build
@each_deep_way
def test_a_middleware_and_its_copy_go_their_own_ways(midstream: Any, duplicate: Callable[[Any], Any]) -> None:
    first = midstream.JsonFragmentUpdateMiddleware()
    first.add_message(midstream.ToolCallUpdate("a", 0, "f", '["x'))
    second = duplicate(first)
    rests = [
        middleware.add_message(midstream.ToolCallUpdate(None, 0, None, rest))[0]
        for middleware, rest in ((first, "y"), (second, 'z"]'))
    ]
    assert [rest.args_offset for rest in rests] == [3, 3]
    assert [rest.json_update_fragments[0].text_value for rest in rests] == ["y", "z"]
    assert rests[1].json_update_fragments[-1].kind == "JsonComplete"


@each_build
@each_way
def test_a_decoder_and_its_copy_go_their_own_ways(midstream: Any, duplicate: Callable[[Any], Any]) -> None:
    sse = importlib.import_module(f"{midstream.__name__}.sse")
    first = sse.SseDecoder(max_event=100)
    first.add_bytes(b"id: 7\n\nevent: add\ndata: caf\xc3")
    second = duplicate(first)
    assert first.add_bytes(b"\xa9\n\n") == [sse.SseEvent("add", "caf\xe9", "7")]
    assert second.add_bytes(b"\xa8\ndata: 2\n\n") == [sse.SseEvent("add", "caf\xe8\n2", "7")]


@each_build
@pytest.mark.parametrize("offset", [2**62, 2**63, 10**30])
def test_an_offset_of_any_size_is_a_gap(midstream: Any, offset: int) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message(midstream.ToolCallUpdate("a", 0, "f", "[1"))
    (call,) = handler.add_message(midstream.ToolCallUpdate(None, 0, None, "2]", args_offset=offset))
    assert call.error.code == "misplaced_update"
    (call,) = handler.complete()
    assert not call.is_complete


@each_build
@pytest.mark.parametrize("offset", [2**62, 2**63, 10**30])
def test_an_offset_of_any_size_travels(midstream: Any, offset: int) -> None:
    for form in ("full", "compact"):
        writer, reader = midstream.EventWriter(form), midstream.EventReader()
        sent = [writer.start()]
        sent += [writer.add_message(midstream.ToolCallUpdate("a", 0, "f", "[1"))]
        sent += [writer.add_message(midstream.ToolCallUpdate(None, 0, None, "2]", args_offset=offset))]
        messages = [message for entry in sent for message in reader.add_bytes(entry)]
        assert messages[-1].args_offset == offset

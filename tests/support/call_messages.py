"""What the tests of tool calls share: messages for each build, ways to send them, and what arrived."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

from hypothesis import settings

from midstream.calls.messages import (
    MessageEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
)
from test_invariants import EXAMPLES, documents, examples

if TYPE_CHECKING:
    from collections.abc import Iterable

third = settings(examples, max_examples=max(1, EXAMPLES // 3))
fewer = settings(examples, max_examples=max(1, EXAMPLES // 5))


# of any types, as what is written with it may be wrong
U: Any = ToolCallUpdate


def messages_of(midstream: Any) -> Any:
    return importlib.import_module(f"{midstream.__name__}.calls.messages")


def for_build(midstream: Any, message: Any) -> Any:
    """Make a message that a build knows of one of the compiled package."""
    classes = messages_of(midstream)
    if isinstance(message, ToolCallsUpdate):
        updates = [for_build(midstream, update) for update in message.tool_call_updates]
        return classes.ToolCallsUpdate(updates, message.message_id)
    cls = getattr(classes, type(message).__name__, None)
    return message if cls is None else cls(*message)


def sent(midstream: Any, way: str, stream: Iterable[Any]) -> list[Any]:
    """Return what arrives at a client: raw or enriched messages, as objects, as dicts or through JSON."""
    stream = [for_build(midstream, message) for message in stream]
    if way == "raw":
        return stream
    if way == "events":
        return [messages_of(midstream).to_event(message) for message in stream]
    enriched = midstream.JsonFragmentUpdateMiddleware()(stream)
    if way == "enriched":
        return list(enriched)
    return [json.loads(json.dumps(messages_of(midstream).to_event(message))) for message in enriched]


WAYS = ["raw", "events", "enriched", "JSON"]
# the two that differ most, for the tables; the properties take all
TWO_WAYS = ["raw", "JSON"]


def collect(midstream: Any, arrived: Iterable[Any], message_id: str | None = None) -> list[Any]:
    handler = midstream.ToolsAggregateMessageHandler()
    for message in arrived:
        handler.add_message(message)
    calls: list[Any] = handler.complete(message_id)
    return calls


A, B = '{"a":1}', '{"b":"é"}'
SIGNALLED, CUT = MessageEnd("stop"), MessageEnd("length", is_truncated=True)
TRUNCATED, UNDEFINED = "truncated", object()
Outcome = tuple[bool, str | None, Any]
COMPLETE: Outcome = (True, None, {"a": 1})


def outcome(midstream: Any, call: Any) -> Outcome:
    args = UNDEFINED if call.args is midstream.UNDEFINED else call.args
    return call.is_complete, None if call.error is None else str(call.error.code), args


containers = documents.filter(lambda text: text.strip()[0] in "{[")

"""For clients: collect the tool calls of messages from their updates."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..accumulators.base import DEFAULT_LIMITS
from .call import CallState, ToolCall
from .messages import (
    MessageEnd,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
    ToolResult,
    from_event,
)
from .registry import CallPlaces, CallTable, alias_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..limits import Limits

__all__ = ["ToolCall", "ToolsAggregateMessageHandler"]


class _Message:
    """The calls of a message, in order of appearance over all its choices."""

    __slots__ = ("calls", "id", "last", "limits", "places", "tables")

    def __init__(self, id: str | None, limits: Limits, places: CallPlaces) -> None:
        self.id = id
        self.limits = limits
        self.places = places
        self.tables: dict[int | str, CallTable[CallState]] = {}
        self.calls: list[CallState] = []
        # by choice: the call that the latest content belonged to, None if it was text
        self.last: dict[int | str, CallState | None] = {}

    def choice_of(self, stated: ToolCallUpdate | ToolCallEnd) -> int | str:
        """Return the choice of an update or end; a known id implies it."""
        return self.places.choice(stated.tool_call_id, self.id, stated.choice)

    def _new_call(self) -> CallState:
        call = CallState(self.limits)
        self.calls.append(call)
        return call

    def add_update(self, update: ToolCallUpdate) -> None:
        """Add an update to the call that it belongs to."""
        count, choice = len(self.calls), self.choice_of(update)
        table = self.tables.get(choice)
        if table is None:
            table = self.tables[choice] = CallTable(self._new_call)
        call = table.find(update)
        id = update.tool_call_id
        if id is not None and table.knows(id):
            self.places.add(id, self.id, choice)
        if call.add_update(update) or len(self.calls) > count:
            self.note_content(choice, call)

    def note_content(self, choice: int | str, call: CallState | None) -> None:
        """Note new content: a call that ended before it was not cut off."""
        last = self.last.get(choice)
        if last is not None and last is not call and last.waits:
            last.end(True, False)
        self.last[choice] = call

    def end_call(self, end: ToolCallEnd) -> None:
        """End one of the calls."""
        table = self.tables.get(self.choice_of(end))
        call = None if table is None else table.named(end.tool_call_id, end.index)
        if call is not None:
            if end.failed:
                call.fail()
            else:
                call.end_if_certain()

    def end(self, end: MessageEnd) -> None:
        """End all calls of one choice, or of every choice."""
        ended = alias_of(end.choice)
        for choice, table in self.tables.items():
            if ended in (None, choice):
                for call in table:
                    call.end(True, end.is_truncated and call is self.last.get(choice))
                    if end.reason is not None and call.finish_reason is None:
                        call.finish_reason = end.reason

    def close(self) -> None:
        """End the calls that are still open: the stream is over."""
        for call in self.calls:
            call.end(call.waits, False)
        for table in self.tables.values():
            self.places.discard(table.ids(), self.id)


class ToolsAggregateMessageHandler:
    """Collect the tool calls of messages from their updates.

    `add_message` accepts the message types of `midstream`, or their plain form as dicts, and returns
    snapshots of the calls of that message. `calls` returns them at any time, `complete` a last time.
    Invalid arguments are reported as the call's ``error``; they raise nothing.

    >>> handler = ToolsAggregateMessageHandler()
    >>> handler.add_message(ToolCallUpdate("call_1", 0, "weather", '{"city": "Par'))
    [ToolCall(id='call_1', name='weather', args={'city': 'Par'}, is_complete=False)]
    >>> handler.add_message(ToolCallUpdate(index=0, function_args='is"}'))
    [ToolCall(id='call_1', name='weather', args={'city': 'Paris'}, is_complete=False)]
    >>> handler.complete()
    [ToolCall(id='call_1', name='weather', args={'city': 'Paris'}, is_complete=True)]
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        limits.check()
        self._limits = limits
        self._messages: dict[str | None, _Message] = {}
        self._places = CallPlaces()
        # the message that the last update belonged to
        self._latest: str | None = None

    def __copy__(self) -> ToolsAggregateMessageHandler:
        return copy.deepcopy(self)

    @property
    def message_ids(self) -> list[str | None]:
        """The messages that are not yet complete."""
        return list(self._messages)

    def add_message(self, message: Any) -> list[ToolCall]:
        """Add a message, and return the calls of the provider message that it belongs to."""
        return _views(self._dispatch(message))

    def calls(self, message_id: str | None = None) -> list[ToolCall]:
        """Return the calls of a message in order of appearance.

        Without an id it is the latest message, if all messages have ids.
        """
        return _views(self._messages.get(self._named(message_id)))

    def complete(self, message_id: str | None = None) -> list[ToolCall]:
        """End a message, return its calls a last time, and forget it."""
        message = self._messages.pop(self._named(message_id), None)
        if message is not None:
            message.close()
        return _views(message)

    def _dispatch(self, message: Any) -> _Message | None:
        """Add a message, and return the state of the provider message it belongs to."""
        match message:
            case ToolCallUpdate():
                return self._add(message, message.message_id)
            case ToolCallsUpdate(updates, id):
                for update in updates:
                    self._add(update, id)
                return self._messages.get(self._named(id))
            case ToolCallEnd():
                return self._apply(message.message_id, lambda of: of.end_call(message))
            case ToolResult():
                return self._lock(message)
            case TextDelta():
                return self._apply(
                    message.message_id, lambda of: of.note_content(alias_of(message.choice), None)
                )
            case MessageEnd():
                return self._apply(message.message_id, lambda of: of.end(message))
            case Mapping():
                return self._dispatch(from_event(message))
            case _:
                return None

    def _all_calls(self) -> list[ToolCall]:
        """Return the calls of all messages."""
        return [call.view() for message in self._messages.values() for call in message.calls]

    def _named(self, message_id: str | None) -> str | None:
        if message_id is None and None not in self._messages and self._latest in self._messages:
            return self._latest
        return message_id

    def _add(self, update: ToolCallUpdate, message_id: str | None) -> _Message:
        self._latest = id = update.message_id or message_id
        message = self._messages.get(id)
        if message is None:
            message = self._messages[id] = _Message(id, self._limits, self._places)
        message.add_update(update)
        return message

    def _apply(self, message_id: str | None, what: Callable[[_Message], None]) -> _Message | None:
        message = self._messages.get(self._named(message_id))
        if message is not None:
            what(message)
        return message

    def _lock(self, result: ToolResult) -> _Message | None:
        """End the call that a result belongs to, in any message."""
        for message_id, choice in self._places.of(result.tool_call_id):
            message = self._messages[message_id]
            call = message.tables[choice].named(result.tool_call_id, None)
            if call is not None:
                call.end(True, False)
            return message
        return None


def _views(message: _Message | None) -> list[ToolCall]:
    return [] if message is None else [call.view() for call in message.calls]

"""For clients: collect the tool calls of messages from their updates."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._options import check_dialect
from .._signature import SourceSignature
from ..accumulators.base import DEFAULT_LIMITS
from ..core import cython_shim as cython
from .call import CallState
from .messages import (
    MessageEnd,
    ReasoningDelta,
    RefusalDelta,
    ServerToolResult,
    ServerToolUpdate,
    StreamSnapshot,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
    ToolResult,
    from_event,
)
from .registry import CallRegistry
from .restoring import snapshot_calls
from .snapshot import ToolCall
from .state import Event, State

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from .._options import Dialect
    from ..limits import Limits
    from .registry import CallTable

__all__ = ["ToolCall", "ToolsAggregateMessageHandler"]

# in place of an id: the message belongs to no call
_NONE: str = object()  # type: ignore[assignment]
# the same: the message belongs to all calls
_ALL: str = object()  # type: ignore[assignment]
_WAITING = State.WAITING


@cython.auto_pickle(True)
@cython.cclass
class ToolsAggregateMessageHandler:
    """Collect the tool calls of messages from their updates.

    `add_message` accepts the message types of `midstream`, or their plain form as dicts, and returns
    snapshots of the calls of that message. `calls` returns them at any time, `complete` a last time.
    The calls of a `StreamSnapshot` replace all others, and later messages continue them. Invalid
    arguments are reported as the call's ``error``; they raise nothing. With ``dialect="lenient"`` arguments
    are repaired; so are those that a sender has repaired, in any dialect. The calls say so in ``repairs``.

    >>> handler = ToolsAggregateMessageHandler()
    >>> handler.add_message(ToolCallUpdate("call_1", 0, "weather", '{"city": "Par'))
    [ToolCall(id='call_1', name='weather', args={'city': 'Par'}, is_complete=False)]
    >>> handler.add_message(ToolCallUpdate(index=0, function_args='is"}'))
    [ToolCall(id='call_1', name='weather', args={'city': 'Paris'}, is_complete=False)]
    >>> handler.complete()
    [ToolCall(id='call_1', name='weather', args={'city': 'Paris'}, is_complete=True)]
    """

    __signature__ = SourceSignature()

    def __init__(self, *, limits: Limits = DEFAULT_LIMITS, dialect: Dialect = "strict") -> None:
        limits.check()
        check_dialect(dialect)
        self._limits = limits
        self._dialect: Dialect = dialect
        self._registry = CallRegistry(self._new_call)
        # the call that a piece has just begun
        self._begun: CallState | None = None

    def _new_call(self) -> CallState:
        self._begun = call = CallState(self._limits, self._dialect)
        return call

    def __copy__(self) -> ToolsAggregateMessageHandler:
        return copy.deepcopy(self)

    @property
    def message_ids(self) -> list[str | None]:
        """The messages that are not yet complete."""
        return self._registry.message_ids

    def add_message(self, message: Any) -> list[ToolCall]:
        """Add a message, and return the calls of the provider message that it belongs to.

        A `StreamSnapshot` returns the calls of all messages.
        """
        with cython.critical_section(self):
            id = self._dispatch(message)
            if id is _ALL:
                return self._all_calls()
            return [] if id is _NONE else self._views(id)

    def calls(self, message_id: str | None = None) -> list[ToolCall]:
        """Return the calls of a message in order of appearance.

        Without an id it is the latest message, if all messages have ids.
        """
        return self._views(self._registry.message_of(message_id))

    def complete(self, message_id: str | None = None) -> list[ToolCall]:
        """End a message, return its calls a last time, and forget it."""
        id = self._registry.message_of(message_id)
        for call in self._registry.calls(id):
            call.signal(Event.STREAM_END)
        calls = self._views(id)
        self._registry.drop_message(id)
        return calls

    def _views(self, message_id: str | None) -> list[ToolCall]:
        calls: list[ToolCall] = []
        for state in self._registry.calls(message_id):
            # compiled, the variable of a comprehension would have no type
            calls.append(state.view())  # noqa: PERF401
        return calls

    def _all_calls(self) -> list[ToolCall]:
        """Return the calls of all messages."""
        calls: list[ToolCall] = []
        for state in self._registry.all_calls():
            calls.append(state.view())  # noqa: PERF401
        return calls

    def _dispatch(self, message: Any) -> str | None:
        """Add a message, and return the id of the provider message it belongs to, else `_NONE`."""
        if type(message) is ToolCallUpdate:
            # a shortcut for most messages
            return self._add_update(message, message.message_id)
        match message:
            case ToolCallUpdate():
                return self._add_update(message, message.message_id)
            case ToolCallsUpdate(updates, id):
                for update in updates:
                    self._add_update(update, id)
                return self._registry.message_of(id)
            case ToolCallEnd():
                call = self._registry.of_end(message)
                if call is not None:
                    call.signal(Event.CALL_FAILED if message.failed else Event.CALL_END)
            case ToolResult():
                return self._add_result(message)
            case TextDelta() | ReasoningDelta() | RefusalDelta() | ServerToolUpdate() | ServerToolResult():
                for table in self._registry.tables(
                    self._registry.message_of(message.message_id), message.choice
                ):
                    _note_content(table, None)
            case MessageEnd():
                self._end_message(message)
            case StreamSnapshot():
                self._restore(message)
                return _ALL
            case Mapping():
                return self._dispatch(from_event(message))
            case _:
                return _NONE
        return self._registry.message_of(message.message_id)

    def _add_update(self, update: ToolCallUpdate, message_id: str | None) -> str | None:
        id = update.message_id or message_id
        call = self._registry.find(update, id)
        begun, self._begun = self._begun, None
        if call is not None and (call.add_update(update) or call is begun):
            _note_content(self._registry.latest_table, call)
        return id

    def _restore(self, snapshot: StreamSnapshot) -> None:
        """Replace all calls by those of a snapshot; an invalid one changes nothing."""
        before, self._registry = self._registry, CallRegistry(self._new_call)
        try:
            for update, status, finish_reason in snapshot_calls(snapshot):
                call = self._registry.find(update, update.message_id)
                assert call is not None, "no call was dropped from a new registry"
                call.add_update(update)
                _note_content(self._registry.latest_table, call)
                call.restore(status, finish_reason)
        except BaseException:
            self._registry = before
            raise
        finally:
            self._begun = None

    def _add_result(self, result: ToolResult) -> str | None:
        """End the call that a result belongs to, in any message."""
        for call in self._registry.of_result(result.tool_call_id):
            call.signal(Event.RESULT)
            # of several calls that share the id, the earliest
            id: str | None = call.message_id
            return id
        return _NONE

    def _end_message(self, end: MessageEnd) -> None:
        """End all calls of one choice, or of every choice."""
        for table in self._registry.tables(self._registry.message_of(end.message_id), end.choice):
            for call in table:
                is_cut = end.is_truncated and call is table.last_content
                call.signal(Event.MESSAGE_CUT if is_cut else Event.MESSAGE_END)
                if end.reason is not None and call.finish_reason is None:
                    call.finish_reason = end.reason


def _note_content(table: CallTable | None, call: CallState | None) -> None:
    """Note new content of a choice: a call that ended before it was not cut off."""
    if table is not None and (last := table.last_content) is not call:
        if last is not None and last.state is _WAITING:
            last.signal(Event.OTHER_CONTENT)
        table.last_content = call

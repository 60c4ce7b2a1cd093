"""On the client: the tool calls of a message, as they stand.

A call's arguments are read from the fragments that the server sent where there are some, else from
the raw text. A call is complete when its end has been told and its arguments are a whole document:
not because they happen to be one so far, and never when they were cut off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._accumulator import DEFAULT_LIMITS
from ._call_table import Call, CallTable
from ._undefined import UNDEFINED
from .errors import ErrorCode, JsonStreamError, ParserError
from .messages import (
    MessageEnd,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
    ToolResult,
    from_event,
)
from .rebuild import JsonFragmentRebuilder
from .values import JsonValueAccumulator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .limits import Limits
    from .messages import Fragment
    from .paths import Segments

__all__ = ["ToolCall", "ToolsAggregateMessageHandler"]

_UNREAD: Any = object()


class ToolCall:
    """A tool call as it stood at some moment; it does not change any more.

    ``args`` is `UNDEFINED` while there is nothing, ``raw_args`` the text that came, ``error`` what is
    wrong with it (a code of "truncated": it was cut off), ``finish_reason`` the provider's word for
    why the message ended. What ``open_path`` does not lead through is final, even in a call that is not.

    >>> call = ToolCall(name="weather", args={"city": "Par"}, raw_args='{"city": "Par')
    >>> call.name, call.args, call.is_complete
    ('weather', {'city': 'Par'}, False)
    """

    __slots__ = (
        "_args",
        "_length",
        "_open_path",
        "_raw",
        "_state",
        "_version",
        "error",
        "finish_reason",
        "id",
        "index",
        "is_complete",
        "name",
    )
    __match_args__ = ("name", "args", "is_complete", "error")
    __hash__ = None  # type: ignore[assignment]  # its arguments have none

    id: str | None
    index: int | str | None
    name: str | None
    is_complete: bool
    error: ParserError | None
    finish_reason: str | None
    _args: Any
    _open_path: Segments | None
    _raw: str
    _state: Any
    _version: int
    _length: int

    def __init__(
        self,
        id: str | None = None,
        index: int | str | None = None,
        name: str | None = None,
        args: Any = UNDEFINED,
        raw_args: str = "",
        is_complete: bool = False,
        error: ParserError | None = None,
        finish_reason: str | None = None,
        open_path: Segments | None = None,
    ) -> None:
        self._fill(id, index, name, is_complete, error, finish_reason)
        self._set("_args", args)
        self._set("_open_path", open_path)
        self._set("_raw", raw_args)
        self._set("_state", None)

    def _fill(self, *identity: Any) -> None:
        names = ("id", "index", "name", "is_complete", "error", "finish_reason")
        for name, value in zip(names, identity, strict=True):
            self._set(name, value)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a ToolCall is as it was: it can't be changed")

    @property
    def args(self) -> Any:
        """The arguments as far as they had arrived, `UNDEFINED` if nothing had."""
        if self._args is _UNREAD:
            self._read()
        return self._args

    @property
    def open_path(self) -> Segments | None:
        """The way to the innermost value in ``args`` that was still open."""
        if self._args is _UNREAD:
            self._read()
        return self._open_path

    @property
    def raw_args(self) -> str:
        """The text of the arguments, as it came."""
        if self._raw is _UNREAD:
            self._set("_raw", self._state.text()[: self._length])
        return self._raw

    def _read(self) -> None:
        """Read the arguments when somebody looks: at once from the call, later from the text of then."""
        source = self._state.source
        if self._state.version != self._version:
            source = JsonValueAccumulator(on_error="event", limits=self._state.limits)
            source.add_fragment(self.raw_args)
        self._set("_args", source.value)
        self._set("_open_path", source.open_path)

    def _parts(self) -> tuple[Any, ...]:
        return (
            self.id, self.index, self.name, self.args, self.raw_args, self.is_complete, self.error,
            self.finish_reason, self.open_path,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, ToolCall) else NotImplemented

    def __repr__(self) -> str:
        parts = [f"name={self.name!r}", f"args={self.args!r}", f"is_complete={self.is_complete}"]
        if self.id is not None:
            parts.insert(0, f"id={self.id!r}")
        if self.error is not None:
            parts.append(f"error={self.error.message!r}")
        if self.finish_reason is not None:
            parts.append(f"finish_reason={self.finish_reason!r}")
        return f"ToolCall({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ToolCall, self._parts()


class _CallState(Call):
    """A call under way: its text, and what reads it."""

    __slots__ = (
        "error", "finish_reason", "is_complete", "is_free_text", "length", "limits", "pieces", "snapshot",
        "source", "version", "waits",
    )  # fmt: skip

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits
        self.pieces: list[str] = []
        self.length = 0
        # counts the pieces that the source has taken
        self.version = 0
        self.source: JsonValueAccumulator | JsonFragmentRebuilder | None = None
        self.error: ParserError | None = None
        self.is_complete = False
        self.is_free_text = False
        # it ended without arguments: none were needed, or it was cut off; what comes next will tell
        self.waits = False
        self.finish_reason: str | None = None
        self.snapshot: ToolCall | None = None

    def is_whole(self) -> bool:
        return self.source is not None and self.source.is_complete

    def text(self) -> str:
        """Give all the text that came; the pieces are joined only once."""
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def add(self, update: ToolCallUpdate) -> None:
        """Take a piece of the call."""
        self.snapshot = None
        if not self.is_open:
            return
        piece, fragments = self.halves.add(update.function_args or ""), update.json_update_fragments
        self._take(piece, fragments, update.is_free_text)

    def _take(self, piece: str, fragments: Sequence[Fragment] | None, is_free_text: bool) -> None:
        if piece:
            self.pieces.append(piece)
            self.length += len(piece)
        self.is_free_text = self.is_free_text or is_free_text
        if self.is_free_text or (fragments is None and not piece):
            return
        self.version += 1
        if fragments is not None and not isinstance(self.source, JsonValueAccumulator):
            try:
                if self.source is None and (fragments or piece):
                    self.source = JsonFragmentRebuilder(limits=self.limits)
                if self.source is not None:
                    self.source.apply(fragments)
                    self.error = self.source.error
                return
            except JsonStreamError as error:
                self.error = error.error
        if not isinstance(self.source, JsonValueAccumulator):
            self._turn_to_text()
        elif piece:
            self.source.add_fragment(piece)
            self.error = self.source.error

    def _turn_to_text(self) -> None:
        """Go on with the raw text: there are no fragments, or they have a gap or don't fit."""
        if self.length == 0:
            # there is no text, so what the fragments told so far must do
            return
        self.source = JsonValueAccumulator(on_error="event", limits=self.limits)
        self.source.add_fragment(self.text())
        self.error = self.source.error

    def end(self, was_told: bool, was_cut: bool) -> None:
        """End the call: the provider told so, or the stream is over."""
        if not self.is_open and not self.waits:
            return
        self.is_open = self.waits = False
        self.snapshot = None
        if half := self.halves.finish():
            self._take(half, None, False)
        if self.is_free_text and was_told and not was_cut:
            self.is_complete = True
            return
        if self.source is None or (self.source.value is UNDEFINED and not self.text().strip()):
            # no arguments at all stand for an empty object, if nothing was cut off
            self.is_complete = was_told and not was_cut and self.error is None
            if not self.is_complete:
                place = (self.length, 1, self.length + 1)
                self.error = self.error or ParserError.at(ErrorCode.TRUNCATED, *place)
            return
        whole = self.source.is_complete
        if isinstance(self.source, JsonValueAccumulator):
            self.source.finish()
            self.error = self.source.error
            whole = self.source.is_complete and (whole or was_told)
            place = self.source.position
        else:
            self.error = self.error or self.source.error
            place = JsonValueAccumulator().position._replace(index=self.length, column=self.length + 1)
        self.is_complete = whole and not was_cut and self.error is None
        if not self.is_complete and self.error is None:
            self.error = ParserError.at(ErrorCode.TRUNCATED, *place)

    def fail(self) -> None:
        """End the call as one that the provider gave up."""
        self.end(True, False)
        self.snapshot = None
        self.is_complete = False
        self.error = self.error or ParserError.of(ErrorCode.PROVIDER_ERROR)

    def view(self) -> ToolCall:
        """Give the call as it stands; the same object while nothing changes."""
        if self.snapshot is None:
            call = ToolCall.__new__(ToolCall)
            call._fill(self.id, self.index, self.name, self.is_complete, self.error, self.finish_reason)
            call._set("_state", self)
            call._set("_version", self.version)
            call._set("_length", self.length)
            call._set("_raw", _UNREAD)
            call._set("_args", _UNREAD)
            if self.source is None or self.source.value is UNDEFINED:
                call._set("_args", {} if self.is_complete and not self.is_free_text else UNDEFINED)
                call._set("_open_path", None)
            elif self.length == 0:
                call._read()  # there is no text to read it from later
            self.snapshot = call
        return self.snapshot


class _Message:
    """The calls of a message, over all its choices in order of appearance."""

    __slots__ = ("calls", "last", "limits", "tables")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.tables: dict[int, CallTable[_CallState]] = {}
        self.calls: list[_CallState] = []
        # per choice, the call that the last content belonged to, None if it was text
        self.last: dict[int, _CallState | None] = {}

    def table(self, choice: int) -> CallTable[_CallState]:
        """Give the calls of a choice."""
        if choice not in self.tables:
            self.tables[choice] = CallTable(self._new_call)
        return self.tables[choice]

    def _new_call(self) -> _CallState:
        call = _CallState(self.limits)
        self.calls.append(call)
        return call

    def go_on(self, choice: int, call: _CallState | None) -> None:
        """Know that content came: what ended before it was not cut off."""
        last = self.last.get(choice)
        if last is not None and last is not call and last.waits:
            last.end(True, False)
        self.last[choice] = call

    def end(self, end: MessageEnd) -> None:
        """End all calls of a choice, or of all."""
        for choice, table in self.tables.items():
            if end.choice in (None, choice):
                for call in table:
                    call.end(True, end.is_truncated and call is self.last.get(choice))
                    if end.reason is not None and call.finish_reason is None:
                        call.finish_reason = end.reason
                        call.snapshot = None

    def close(self) -> None:
        """Take the end of the stream as the end of what is still open."""
        for call in self.calls:
            call.end(call.waits, False)


class ToolsAggregateMessageHandler:
    """Collect the tool calls of messages from their updates.

    `add_message` takes the messages of `midstream.messages`, or their plain form as dicts, and gives the
    calls of the message concerned as they stand; `calls` gives them any time, `complete` a last time.
    Bad arguments are the call's ``error``; nothing is raised because of them.

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

    @property
    def message_ids(self) -> list[str | None]:
        """The messages that are not yet complete."""
        return list(self._messages)

    def add_message(self, message: Any) -> list[ToolCall]:
        """Take a message, and give the calls of the one it belongs to; of others, no calls."""
        if isinstance(message, Mapping):
            message = from_event(message)
        match message:
            case ToolCallUpdate():
                return self._add_update(message, message.message_id)
            case ToolCallsUpdate(updates, id):
                for update in updates:
                    self._add_update(update, update.message_id or id)
                return self.calls(id)
            case ToolCallEnd():
                return self._end_call(message)
            case TextDelta(_, id, choice):
                if id in self._messages:
                    self._messages[id].go_on(choice, None)
                return self.calls(id)
            case MessageEnd():
                if message.message_id in self._messages:
                    self._messages[message.message_id].end(message)
                return self.calls(message.message_id)
            case ToolResult():
                return self._lock(message)
            case _:
                return []

    def calls(self, message_id: str | None = None) -> list[ToolCall]:
        """Give the calls of a message as they stand, in order of appearance."""
        message = self._messages.get(message_id)
        return [] if message is None else [call.view() for call in message.calls]

    def complete(self, message_id: str | None = None) -> list[ToolCall]:
        """Take a message as over, give its calls a last time, and forget it."""
        message = self._messages.pop(message_id, None)
        if message is None:
            return []
        message.close()
        return [call.view() for call in message.calls]

    def _add_update(self, update: ToolCallUpdate, message_id: str | None) -> list[ToolCall]:
        message = self._messages.get(message_id)
        if message is None:
            message = self._messages[message_id] = _Message(self._limits)
        call = message.table(update.choice).find(update)
        message.go_on(update.choice, call)
        call.add(update)
        return self.calls(message_id)

    def _end_call(self, end: ToolCallEnd) -> list[ToolCall]:
        message = self._messages.get(end.message_id)
        call = None if message is None else message.table(end.choice).named(end.tool_call_id, end.index)
        if call is not None:
            if end.failed:
                call.fail()
            elif call.source is None and call.is_open:
                call.is_open, call.waits = False, True
            else:
                call.end(True, False)
        return self.calls(end.message_id)

    def _lock(self, result: ToolResult) -> list[ToolCall]:
        """End the call that a result belongs to, whatever message it is in."""
        for id, message in self._messages.items():
            for table in message.tables.values():
                call = table.named(result.tool_call_id, None) if result.tool_call_id else None
                if call is not None and result.message_id in (None, id):
                    call.end(True, False)
                    return self.calls(id)
        return []

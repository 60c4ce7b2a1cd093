"""On the server: give every piece of a tool call's arguments the updates that it comes to."""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from ._accumulator import DEFAULT_LIMITS
from ._call_table import Call, CallTable
from .fragments import JsonFragmentAccumulator
from .messages import MessageEnd, ToolCallEnd, ToolCallsUpdate, ToolCallUpdate, ToolResult, from_event
from .wire import to_wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from ._update import JsonFragmentUpdate
    from .limits import Limits

__all__ = ["JsonFragmentUpdateMiddleware"]


class _ParsedCall(Call):
    """A call and the accumulator of its arguments."""

    __slots__ = ("accumulator",)

    def __init__(self, root: str, limits: Limits) -> None:
        super().__init__()
        self.accumulator = JsonFragmentAccumulator(root=root, on_error="event", limits=limits)

    def is_whole(self) -> bool:
        return self.accumulator.is_complete


class JsonFragmentUpdateMiddleware:
    """Enrich a stream of messages: tool-call updates get their ``json_update_fragments``.

    Call it with the stream, sync or async; or give it message by message to `add_message`, and
    `finish` at the end. A message is a `ToolCallUpdate`, a `ToolCallsUpdate` or a list of updates, the
    same as a dict, or an object of any class with ``function_args`` or ``tool_call_updates``.
    All others are passed on as they are. A call is forgotten when a `ToolCallEnd`, `ToolResult` or
    `MessageEnd` ends it; what its end tells (that it was cut off, say) is an update in front of that.

    >>> stream = ["hello", ToolCallUpdate("call_1", function_args='{"city": "Par')]
    >>> for message in JsonFragmentUpdateMiddleware()(stream): print(message)
    hello
    ToolCallUpdate(tool_call_id='call_1', index=None, function_name=None, function_args='{"city": "Par', \
json_update_fragments=(JsonFragmentUpdate('root', 'StartObject'), \
JsonFragmentUpdate('root', 'Key', 'city', 'city'), JsonFragmentUpdate('root.city', 'StartString'), \
JsonFragmentUpdate('root.city', 'PartialString', 'Par')), message_id=None, choice=0, is_free_text=False)
    ToolCallUpdate(tool_call_id='call_1', index=None, function_name=None, function_args=None, \
json_update_fragments=(JsonFragmentUpdate('root.city', 'Error', \
'the text ends before the document does (line 1, column 14)'),), \
message_id=None, choice=0, is_free_text=False)
    """

    def __init__(self, root: str = "root", limits: Limits = DEFAULT_LIMITS) -> None:
        limits.check()
        self._root = root
        self._limits = limits
        self._tables: dict[tuple[str | None, int], CallTable[_ParsedCall]] = {}

    @overload
    def __call__(self, stream: AsyncIterable[Any]) -> AsyncIterator[Any]: ...
    @overload
    def __call__(self, stream: Iterable[Any]) -> Iterator[Any]: ...
    def __call__(self, stream: AsyncIterable[Any] | Iterable[Any]) -> AsyncIterator[Any] | Iterator[Any]:
        """Enrich a stream, with a state of its own."""
        run = JsonFragmentUpdateMiddleware(self._root, self._limits)
        return run._arun(stream) if isinstance(stream, AsyncIterable) else run._run(stream)

    def _run(self, stream: Iterable[Any]) -> Iterator[Any]:
        for message in stream:
            yield from self.add_message(message)
        yield from self.finish()

    async def _arun(self, stream: AsyncIterable[Any]) -> AsyncIterator[Any]:
        async for message in stream:
            for enriched in self.add_message(message):
                yield enriched
        for enriched in self.finish():
            yield enriched

    def add_message(self, message: Any) -> list[Any]:
        """Take a message, and give it enriched, behind what it ends."""
        known = from_event(message) if isinstance(message, Mapping) else message
        if isinstance(known, (ToolCallEnd, ToolResult)):
            return [*self._end_call(known), message]
        if isinstance(known, MessageEnd):
            return [*self._end_message(known), message]
        if isinstance(message, Mapping):
            return [message if known is None else self._enrich_dict(message, known)]
        return [self._enrich(message, None)]

    def finish(self) -> list[ToolCallUpdate]:
        """Take the end of the stream as the end of all calls, and give what that tells."""
        updates = [update for key in self._tables for update in self._finish_table(*key)]
        self._tables.clear()
        return updates

    def _enrich(self, message: Any, message_id: str | None) -> Any:
        if isinstance(message, ToolCallUpdate):
            if message.json_update_fragments is not None or message.is_free_text:
                return message
            return message._replace(json_update_fragments=tuple(self._fragments(message, message_id)))
        if isinstance(message, ToolCallsUpdate):
            updates = [self._enrich(update, message.message_id) for update in message.tool_call_updates]
            return message._replace(tool_call_updates=updates)
        if isinstance(message, (list, tuple)) and message and all(map(_is_update, message)):
            return type(message)([self._enrich(update, message_id) for update in message])
        return self._enrich_other(message, message_id)

    def _enrich_dict(self, message: Mapping[str, Any], known: Any) -> Any:
        """Enrich the plain form of a message in its own terms."""
        if isinstance(known, ToolCallUpdate):
            if known.is_free_text or known.json_update_fragments is not None:
                return message
            fragments = [to_wire(fragment) for fragment in self._fragments(known, None)]
            return {**message, "json_update_fragments": fragments}
        if isinstance(known, ToolCallsUpdate):
            pairs = zip(message["tool_call_updates"], known.tool_call_updates, strict=True)
            return {**message, "tool_call_updates": [self._enrich_dict(plain, item) for plain, item in pairs]}
        return message

    def _enrich_other(self, message: Any, message_id: str | None) -> Any:
        """Enrich an object that looks like an update, or like one of several."""
        id = getattr(message, "message_id", None) or message_id
        several = getattr(message, "tool_call_updates", None)
        if isinstance(several, Sequence) and several:
            return _replaced(message, "tool_call_updates", [self._enrich(update, id) for update in several])
        args = getattr(message, "function_args", None)
        if isinstance(args, str) and getattr(message, "json_update_fragments", None) is None:
            id_, index, name = (getattr(message, field, None) for field in ToolCallUpdate._fields[:3])
            update = ToolCallUpdate(id_, index, name, args)
            return _replaced(message, "json_update_fragments", self._fragments(update, id))
        return message

    def _fragments(self, update: ToolCallUpdate, message_id: str | None) -> list[JsonFragmentUpdate]:
        """Give the updates that a piece of arguments comes to."""
        key = (update.message_id or message_id, update.choice)
        table = self._tables.get(key)
        if table is None:
            table = self._tables[key] = CallTable(lambda: _ParsedCall(self._root, self._limits))
        call = table.find(update)
        return call.accumulator.add_fragment(call.halves.add(update.function_args or ""))

    def _end_call(self, end: ToolCallEnd | ToolResult) -> list[ToolCallUpdate]:
        """Forget a call; of a result only the id is sure."""
        updates: list[ToolCallUpdate] = []
        keys = list(self._tables) if isinstance(end, ToolResult) else [(end.message_id, end.choice)]
        for key in keys:
            table = self._tables.get(key)
            if table is None or (isinstance(end, ToolResult) and not end.tool_call_id):
                continue
            call = table.named(end.tool_call_id, None if isinstance(end, ToolResult) else end.index)
            if call is not None:
                updates += _finished(call, *key)
                table.drop(call)
                if not table:
                    del self._tables[key]
        return updates

    def _end_message(self, end: MessageEnd) -> list[ToolCallUpdate]:
        updates: list[ToolCallUpdate] = []
        for message_id, choice in list(self._tables):
            if end.message_id == message_id and end.choice in (None, choice):
                updates += self._finish_table(message_id, choice)
                del self._tables[message_id, choice]
        return updates

    def _finish_table(self, message_id: str | None, choice: int) -> list[ToolCallUpdate]:
        table = self._tables[message_id, choice]
        return [update for call in table for update in _finished(call, message_id, choice)]


def _finished(call: _ParsedCall, message_id: str | None, choice: int) -> list[ToolCallUpdate]:
    """Give what the end of a call tells; of one without arguments, nothing."""
    fragments = call.accumulator.add_fragment(call.halves.finish())
    if call.accumulator.position.index:
        fragments += call.accumulator.finish()
    if not fragments:
        return []
    return [
        ToolCallUpdate(
            call.id, call.index, json_update_fragments=tuple(fragments), message_id=message_id, choice=choice
        )
    ]


def _is_update(message: Any) -> bool:
    return isinstance(message, ToolCallUpdate) or isinstance(getattr(message, "function_args", None), str)


def _replaced(message: Any, name: str, value: Any) -> Any:
    """Copy an object of somebody else's class, with one field changed."""
    for method in ("__replace__", "_replace"):
        if hasattr(message, method):
            return getattr(message, method)(**{name: value})
    if hasattr(message, "model_copy"):
        return message.model_copy(update={name: value})
    if hasattr(message, "__dataclass_fields__"):
        from dataclasses import replace

        return replace(message, **{name: value})
    from copy import copy

    changed = copy(message)
    setattr(changed, name, value)
    return changed

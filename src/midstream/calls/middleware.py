"""For servers: parse the arguments of tool calls as they pass, and attach the updates to each piece."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args, overload

from .._closing import Source
from .._options import check_dialect
from .._signature import SourceSignature
from .._undefined import UNDEFINED
from ..accumulators.base import DEFAULT_LIMITS
from ..accumulators.fragments import JsonFragmentAccumulator
from ..accumulators.update import COMPLETE_NUMBER
from ..core import cython_shim as cython
from ..errors import JsonStreamError
from ..wire.form import to_wire
from .messages import (
    Message,
    MessageEnd,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
    ToolResult,
    from_event,
)
from .registry import Call, CallRegistry

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.surrogates import joined_length

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._options import Dialect
    from ..accumulators.update import JsonFragmentUpdate
    from ..limits import Limits

__all__ = ["JsonFragmentUpdateMiddleware"]


# what the constructor of a named tuple calls, without its keyword arguments
_new_tuple: Any = tuple.__new__
_TYPES = frozenset(get_args(Message))


@cython.auto_pickle(True)
@cython.cclass
class _ParsedCall(Call):
    """A call and the accumulator of its arguments."""

    __slots__ = ("accumulator", "has_begun", "is_free_text", "received")

    def __init__(self, root: str, limits: Limits, dialect: Dialect) -> None:
        super().__init__()
        self.has_begun = False
        self.is_free_text = False
        # characters of arguments received so far
        self.received = 0
        self.accumulator = JsonFragmentAccumulator(
            root=root, on_error="event", limits=limits, dialect=dialect
        )

    def is_complete_text(self) -> bool:
        """Report whether the arguments could be complete; only a hint for the boundary of two calls."""
        return self.accumulator.is_complete

    def add_piece(self, piece: str, is_free_text: bool) -> list[JsonFragmentUpdate] | None:
        """Parse a piece and return its updates; None for free text."""
        # ignored after the first text
        self.is_free_text = self.is_free_text or (is_free_text and self.received == 0)
        self.received += joined_length(piece)
        if self.is_free_text:
            return None
        self.has_begun = self.has_begun or bool(piece.strip())
        fragments = self.accumulator.add_fragment(self.joiner.add_fragment(piece))
        if self.accumulator.is_complete and self.joiner.waits:
            # after the document it is an error, whatever the second surrogate is
            fragments += self.accumulator.add_fragment(self.joiner.finish())
        return fragments

    def end(self, was_signalled: bool) -> list[JsonFragmentUpdate]:
        """End the call and return the last updates; none for a call without arguments."""
        if self.is_free_text:
            return []
        fragments = self.accumulator.add_fragment(self.joiner.finish())
        was_complete = self.accumulator.is_complete
        last = self.accumulator.finish()
        is_number = not was_complete and any(update.kind is COMPLETE_NUMBER for update in last)
        # a number at the root may have been cut off, unless the message has ended as well
        return [*fragments, *last] if (was_signalled if is_number else self.has_begun) else fragments


@cython.auto_pickle(True)
@cython.cclass
class JsonFragmentUpdateMiddleware:
    """Enrich a stream of messages: add ``json_update_fragments`` to every tool-call update.

    Call it with the stream, sync or async; or pass each message to `add_message`, and call `finish` at
    the end. A message is a `ToolCallUpdate`, a `ToolCallsUpdate`, a list of updates, the same as dicts,
    or an object of any class with ``function_args`` or ``tool_call_updates``. All other objects pass
    through untouched. A call is forgotten when a `ToolCallEnd`, `ToolResult` or `MessageEnd` ends it;
    its last updates (an error if it was truncated, for example) are emitted before that message. With
    ``dialect="lenient"`` arguments are repaired, and the updates report the repairs.

    >>> stream = ["hello", ToolCallUpdate("call_1", function_args='{"city": "Par')]
    >>> for message in JsonFragmentUpdateMiddleware()(stream): print(message)
    hello
    ToolCallUpdate(tool_call_id='call_1', index=None, function_name=None, function_args='{"city": "Par', \
json_update_fragments=(JsonFragmentUpdate('root', 'StartObject'), \
JsonFragmentUpdate('root', 'Key', 'city', 'city'), JsonFragmentUpdate('root.city', 'StartString'), \
JsonFragmentUpdate('root.city', 'PartialString', 'Par')), message_id=None, choice=0, is_free_text=False, \
args_offset=0, repairs=())
    ToolCallUpdate(tool_call_id='call_1', index=None, function_name=None, function_args=None, \
json_update_fragments=(JsonFragmentUpdate('root.city', 'Error', \
'the text ends before the document does (line 1, column 14)'),), \
message_id=None, choice=0, is_free_text=False, args_offset=13, repairs=())
    """

    __signature__ = SourceSignature()

    def __init__(
        self, *, root: str = "root", limits: Limits = DEFAULT_LIMITS, dialect: Dialect = "strict"
    ) -> None:
        limits.check()
        check_dialect(dialect)
        self._root = root
        self._limits = limits
        self._dialect: Dialect = dialect
        self._registry = CallRegistry(self._new_call)

    def _new_call(self) -> _ParsedCall:
        return _ParsedCall(self._root, self._limits, self._dialect)

    @overload
    def __call__(self, stream: AsyncIterable[Any]) -> AsyncGenerator[Any, None]: ...
    @overload
    def __call__(self, stream: Iterable[Any]) -> Generator[Any, None, None]: ...
    def __call__(
        self, stream: AsyncIterable[Any] | Iterable[Any]
    ) -> AsyncGenerator[Any, None] | Generator[Any, None, None]:
        """Enrich a stream; each call starts with fresh state."""
        run = JsonFragmentUpdateMiddleware(root=self._root, limits=self._limits, dialect=self._dialect)
        return run._arun(stream) if isinstance(stream, AsyncIterable) else run._run(stream)

    def _run(self, stream: Iterable[Any]) -> Generator[Any, None, None]:
        with Source(stream) as source:
            for message in source:
                yield from self.add_message(message)
        yield from self.finish()

    async def _arun(self, stream: AsyncIterable[Any]) -> AsyncGenerator[Any, None]:
        async with Source(stream) as source:
            async for message in source:
                for enriched in self.add_message(message):
                    yield enriched
        for enriched in self.finish():
            yield enriched

    def add_message(self, message: Any) -> list[Any]:
        """Return a message enriched, after the last updates of the calls that it ends."""
        with cython.critical_section(self):
            match known := _known(message):
                case ToolCallUpdate():
                    return [self._enrich_update(message, known, None)]
                case ToolCallEnd() | ToolResult():
                    return [*self._end_call(known), message]
                case MessageEnd():
                    return [*self._end_message(known), message]
            return [self._enrich(message, known, None)]

    def finish(self) -> list[ToolCallUpdate]:
        """End all calls at the end of the stream, and return their last updates."""
        updates: list[ToolCallUpdate] = []
        with cython.critical_section(self):
            for id in self._registry.message_ids:
                updates += self._end_calls(id, None, was_signalled=False)
        return updates

    def _enrich(self, message: Any, known: Any, message_id: str | None) -> Any:
        """Enrich a message of any kind: a dict stays a dict, an object keeps its class."""
        if isinstance(known, ToolCallUpdate):
            return self._enrich_update(message, known, message_id)
        if isinstance(known, ToolCallsUpdate):
            several, id = _field(message, "tool_call_updates"), known.message_id or message_id
            return _replaced(message, tool_call_updates=self._enrich_all(several, id))
        if type(message) in (list, tuple) and message and all(map(_is_update, message)):
            return type(message)(self._enrich_all(message, message_id))
        return message

    def _enrich_all(self, updates: Iterable[Any], message_id: str | None) -> list[Any]:
        return [self._enrich(update, _known(update), message_id) for update in updates]

    def _enrich_update(self, message: Any, known: ToolCallUpdate, message_id: str | None) -> Any:
        if known.json_update_fragments is not None:
            return message
        call = self._registry.find(known, known.message_id or message_id)
        if call is None:
            # a late piece, which must not reach the open calls
            call = self._new_call()
        offset = call.received
        fragments = call.add_piece(known.function_args or "", known.is_free_text)
        if type(message) is ToolCallUpdate:
            # a faster `_replaced` for the common class
            stated = None if fragments is None else tuple(fragments)
            return _new_tuple(ToolCallUpdate, (*message[:4], stated, *message[5:8], offset, message[9]))
        changed: dict[str, Any] = {}
        if fragments is not None:
            is_plain = isinstance(message, Mapping)
            changed["json_update_fragments"] = [*map(to_wire, fragments)] if is_plain else tuple(fragments)
        if isinstance(message, (ToolCallUpdate, Mapping)):
            changed["args_offset"] = offset
        return _replaced(message, **changed)

    def _end_call(self, end: ToolCallEnd | ToolResult) -> list[ToolCallUpdate]:
        """End and forget a call; a result identifies it by its id alone."""
        if isinstance(end, ToolResult):
            calls, was_signalled = list(self._registry.of_result(end.tool_call_id)), True
        else:
            call, was_signalled = self._registry.of_end(end), False
            calls = [] if call is None else [call]
        updates: list[ToolCallUpdate] = []
        for call in calls:
            updates += self._finished(call, was_signalled)
            self._registry.drop(call)
        return updates

    def _end_message(self, end: MessageEnd) -> list[ToolCallUpdate]:
        return self._end_calls(self._registry.message_of(end.message_id), end.choice, was_signalled=True)

    def _end_calls(
        self, message_id: str | None, choice: int | None, was_signalled: bool
    ) -> list[ToolCallUpdate]:
        """End and forget the calls of one choice, or of every choice."""
        updates: list[ToolCallUpdate] = []
        for table in self._registry.tables(message_id, choice):
            for call in table:
                updates += self._finished(call, was_signalled)
            for call in list(table):
                self._registry.drop(call)
        return updates

    def _finished(self, call: _ParsedCall, was_signalled: bool) -> list[ToolCallUpdate]:
        """Return the last updates of a call, if its id or index identifies it unambiguously."""
        fragments = call.end(was_signalled)
        if not fragments or self._registry.table(call).named(call.id, call.index) is not call:
            return []
        last = ToolCallUpdate(call.id, call.index, None, None, tuple(fragments), call.message_id, call.choice)
        return [last._replace(args_offset=call.received)]


def _known(message: Any) -> Any:
    """Read a message that is a dict, or an object with the fields of one update or several."""
    if type(message) in _TYPES or isinstance(message, Message):
        return message
    if isinstance(message, Mapping):
        try:
            return from_event(message)
        except JsonStreamError:
            # it only resembles one of our messages
            return None
    several = getattr(message, "tool_call_updates", None)
    if isinstance(several, Sequence) and several:
        return ToolCallsUpdate(several, getattr(message, "message_id", None))
    args = getattr(message, "function_args", UNDEFINED)
    if args is None or isinstance(args, str):
        fields = {name: getattr(message, name, None) for name in ToolCallUpdate._fields}
        return ToolCallUpdate(**{name: value for name, value in fields.items() if value is not None})
    return None


def _is_update(message: Any) -> bool:
    return isinstance(_known(message), ToolCallUpdate)


def _field(message: Any, name: str) -> Any:
    return message[name] if isinstance(message, Mapping) else getattr(message, name)


def _replaced(message: Any, **fields: Any) -> Any:
    """Copy a message of any kind, with some fields changed."""
    if not fields:
        return message
    if isinstance(message, Mapping):
        return {**message, **fields}
    for method in ("__replace__", "_replace"):
        if hasattr(message, method):
            return getattr(message, method)(**fields)
    if hasattr(message, "model_copy"):
        return message.model_copy(update=fields)
    if hasattr(message, "__dataclass_fields__"):
        from dataclasses import replace

        return replace(message, **fields)
    from copy import copy

    changed = copy(message)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed

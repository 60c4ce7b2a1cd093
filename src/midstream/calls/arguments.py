"""The argument text of one tool call, as it arrives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..accumulators.fragments import JsonFragmentAccumulator
from ..errors import ErrorCode, JsonStreamError, ParserError
from .messages import MessageEnd, ToolCallEnd, ToolCallsUpdate, ToolCallUpdate, ToolResult
from .registry import Call, CallRegistry, alias_of
from .state import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._options import Dialect

__all__ = ["FirstCall"]


class _TextCall(Call):
    """A call whose arguments are kept as text until it is known whether they are wanted."""

    __slots__ = ("_parser", "has_text", "is_free_text", "pieces")

    def __init__(self, dialect: Dialect) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.has_text = False
        self.is_free_text = False
        self._parser = JsonFragmentAccumulator(on_error="event", dialect=dialect)

    def add(self, text: str) -> None:
        """Add a piece of the arguments."""
        if text := self.joiner.add_fragment(text):
            self.has_text = True
            self.pieces.append(text)
            self._parser.add_fragment(text)

    def is_complete_text(self) -> bool:
        """Report whether the arguments could be complete; only a hint for the boundary of two calls."""
        return self._parser.is_complete


class FirstCall:
    """Follow the first call of a tool through a stream's messages; of any tool if ``tool`` is None."""

    def __init__(self, tool: str | None, dialect: Dialect = "strict") -> None:
        self._tool = tool
        self._registry = CallRegistry(partial(_TextCall, dialect))
        self._call: _TextCall | None = None
        self.is_over = False

    def add_message(self, message: Any) -> Iterator[str]:
        """Yield the argument text of the call that a message adds."""
        if self.is_over:
            return
        match message:
            case ToolCallUpdate():
                yield from self._add(message, message.message_id)
            case ToolCallsUpdate():
                for update in message.tool_call_updates:
                    yield from self._add(update, update.message_id or message.message_id)
            case ToolCallEnd():
                call = self._registry.of_end(message)
                if call is not None and message.failed:
                    call.state = State.FAILED
                yield from self._end(call)
            case ToolResult():
                for call in self._registry.of_result(message.tool_call_id):
                    yield from self._end(call)
            case MessageEnd():
                yield from self._end_message(message)

    def finish(self) -> Iterator[str]:
        """Yield the text held back until the end of the stream: a lone surrogate."""
        if not self.is_over and self._call is not None and (rest := self._call.joiner.finish()):
            yield rest

    def _add(self, update: ToolCallUpdate, message_id: str | None) -> Iterator[str]:
        call: _TextCall | None = self._registry.find(update, message_id)
        if call is None or self.is_over:
            return
        call.is_free_text = call.is_free_text or update.is_free_text
        call.add(update.function_args or "")
        if self._call is None and call.name is not None and self._tool in (None, call.name):
            self._call = call
        if call is self._call:
            pieces, call.pieces = call.pieces, []
            yield from pieces
        elif call.name is not None:
            # the call of another tool
            call.pieces.clear()

    def _end_message(self, end: MessageEnd) -> Iterator[str]:
        call = self._call
        if call is None or call.message_id != self._registry.message_of(end.message_id):
            return
        if end.choice is None or alias_of(end.choice) == alias_of(call.choice):
            # in a message that was cut off, empty arguments are not complete
            call.has_text = call.has_text or end.is_truncated
            yield from self._end(call)

    def _end(self, call: _TextCall | None) -> Iterator[str]:
        if call is None or call is not self._call:
            return
        self.is_over = True
        if call.state is State.FAILED:
            raise JsonStreamError(ParserError.of(ErrorCode.PROVIDER_ERROR))
        if rest := call.joiner.finish():
            yield rest
        elif not call.has_text and not call.is_free_text:
            # a call without arguments
            yield "{}"

"""The stream parts of a Vercel AI SDK language model, and of ``streamText().fullStream``.

The parts resemble those of the UI stream, but a call's input parts are identified by ``id``, and a
``tool-call`` part repeats the complete input. What the provider executes itself has ``providerExecuted``.
Version 4 has ``tool-call-delta`` with ``toolCallId``, and the input is named ``args``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import (
    MessageEnd,
    Other,
    ReasoningDelta,
    ServerToolResult,
    ServerToolUpdate,
    TextDelta,
    ToolCallEnd,
    ToolCallUpdate,
    ToolResult,
)
from ._adapter import Adapter as BaseAdapter
from ._parts import provider_error, usage_of
from ._reading import arguments_text, get, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter", "signature_of"]

_TYPES = {
    "stream-start", "response-metadata", "tool-call", "tool-input-end", "tool-result", "tool-error",
    "tool-call-streaming-start", "tool-call-delta", "step-start", "step-finish",
}  # fmt: skip
_SILENT = {
    "stream-start", "response-metadata", "text-start", "text-end", "reasoning-start", "start", "start-step",
    "finish-step", "step-start", "step-finish",
}  # fmt: skip
# fields of parts whose types are also those of the UI stream
_FIELDS = {
    "text-delta": ("text", "textDelta"),
    "reasoning-delta": ("text", "textDelta"),
    "start-step": ("request", "warnings"),
    "finish-step": ("usage", "response"),
    "finish": ("usage", "totalUsage"),
}
# finish reasons after which the last part of the message is incomplete
_CUT = {"length", "content-filter", "error"}


class Adapter(BaseAdapter):
    """Read the parts from ``stream-start`` to ``finish``."""

    def __init__(self) -> None:
        # the calls whose input has begun: whether the provider executes them
        self._open: dict[str | None, bool] = {}
        self._has_input: set[str | None] = set()

    @staticmethod
    def knows(event: Any) -> bool:
        kind = word(event, "type")
        if kind in _TYPES:
            return True
        if kind in ("tool-input-start", "tool-input-delta"):
            return word(event, "id") is not None and word(event, "toolCallId") is None
        return any(get(event, name) is not None for name in _FIELDS.get(kind or "", ()))

    def _read(self, event: Any) -> list[Message]:
        match word(event, "type"):
            case "text-delta":
                piece = text(event, "delta") or text(event, "text") or text(event, "textDelta")
                return [TextDelta(piece)] if piece else []
            case "reasoning-delta" | "reasoning-end" | "reasoning" | "reasoning-signature":
                piece = text(event, "delta") or text(event, "text") or text(event, "textDelta")
                signature = signature_of(event)
                return [ReasoningDelta(piece, signature=signature)] if piece or signature else []
            case "tool-input-start" | "tool-call-streaming-start":
                id = _id(event)
                self._open[id] = get(event, "providerExecuted") is True
                return [self._update(id, word(event, "toolName"), "")]
            case "tool-input-delta" | "tool-call-delta":
                id, piece = _id(event), text(event, "delta") or text(event, "argsTextDelta")
                if piece:
                    self._has_input.add(id)
                # version 4 has no start, and the name on every piece
                name = None if id in self._open else word(event, "toolName")
                self._open.setdefault(id, False)
                return [self._update(id, name, piece)]
            case "tool-input-end":
                id = _id(event)
                return [] if self._open.get(id) else [ToolCallEnd(id)]
            case "tool-call":
                return self._read_call(event)
            case "tool-result" | "tool-error":
                return [self._result(event)]
            case "finish":
                return self._end(event)
            case "error":
                return [provider_error(get(event, "error"), None, event), MessageEnd("error", True)]
            case "abort":
                return [MessageEnd("abort", is_truncated=True)]
            case kind if kind is not None and kind not in _SILENT:
                return [Other(kind, event)]
        return []

    def _update(self, id: str | None, name: str | None, piece: str) -> Message:
        if self._open.get(id):
            return ServerToolUpdate(id, name, piece)
        return ToolCallUpdate(id, function_name=name, function_args=piece)

    def _read_call(self, event: Any) -> list[Message]:
        """Read a complete call, whose input has arrived already if it was streamed."""
        id, name = word(event, "toolCallId"), word(event, "toolName")
        is_streamed = id in self._open
        if get(event, "providerExecuted") is True:
            self._open[id] = True
        given = "" if id in self._has_input else arguments_text(_input(event))
        update = self._update(id, None if is_streamed else name, given)
        messages = [update] if given or not is_streamed else []
        return messages if self._open.get(id) else [*messages, ToolCallEnd(id)]

    def _result(self, event: Any) -> Message:
        id, result = word(event, "toolCallId"), get(event, "result")
        result = get(event, "output") if result is None else result
        result = get(event, "error") if result is None else result
        if self._open.get(id) or get(event, "providerExecuted") is True:
            return ServerToolResult(id, word(event, "toolName"), result)
        return ToolResult(id, result)

    def _end(self, event: Any) -> list[Message]:
        usage = usage_of(get(event, "usage") or get(event, "totalUsage"))
        reason = word(event, "finishReason") or word(get(event, "finishReason"), "unified")
        end = MessageEnd(reason, is_truncated=reason in _CUT, usage=usage)
        return [end] if usage is None else [usage, end]


def _id(event: Any) -> str | None:
    return word(event, "id") or word(event, "toolCallId")


def _input(event: Any) -> Any:
    given = get(event, "input")
    return get(event, "args") if given is None else given


def signature_of(event: Any) -> str | None:
    """Return the signature of a reasoning part, which lies under the name of the provider."""
    if found := word(event, "signature"):
        return found
    metadata = get(event, "providerMetadata")
    for provider in metadata.values() if isinstance(metadata, dict) else ():
        if found := word(provider, "signature") or word(provider, "reasoningEncryptedContent"):
            return found
    return None

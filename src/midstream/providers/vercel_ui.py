"""The UI message stream of Vercel's AI SDK.

A call is valid only after ``tool-input-available``: a truncated call has its start and deltas, and
nothing more. ``streamText().fullStream`` begins like this stream; its parts are read by ``vercel_model``.
"""

from __future__ import annotations

import json
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
from ._parts import provider_error
from ._reading import arguments_text, get, text, word
from .vercel_model import Adapter as ModelAdapter
from .vercel_model import signature_of

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

_TYPES = {
    "start", "start-step", "finish-step", "message-metadata", "text-start", "text-delta", "text-end",
    "reasoning-start", "reasoning-delta", "reasoning-end", "source-url", "source-document",
    "tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error",
    "tool-output-available", "tool-output-error", "tool-output-denied", "tool-approval-request",
}  # fmt: skip
_SILENT = {
    "finish-step", "text-start", "text-end", "tool-input-delta", "tool-input-available", "tool-input-error",
}  # fmt: skip
# finish reasons after which the last part of the message is incomplete
_CUT = {"length", "content-filter", "error"}


class Adapter(BaseAdapter):
    """Read the chunks of a message, with all its steps."""

    def __init__(self) -> None:
        # the open calls: whether any of their input has arrived
        self._open: dict[str | None, bool] = {}
        # the calls that the provider executes
        self._server: set[str | None] = set()
        # the calls of this step that have ended
        self._ended: set[str | None] = set()
        # set when a part shows that they are those of a model
        self._model: ModelAdapter | None = None

    @staticmethod
    def knows(event: Any) -> bool:
        return word(event, "type") in _TYPES

    def _read(self, event: Any) -> list[Message]:
        if self._model is None and not self._open and ModelAdapter.knows(event):
            self._model = ModelAdapter()
        if self._model is not None:
            return self._model._read(event)
        id = word(event, "toolCallId")
        if get(event, "providerExecuted") is True:
            self._server.add(id)
        if id is not None and id in self._server:
            return self._read_server_tool(event, id)
        match word(event, "type"):
            case "text-delta":
                piece = text(event, "delta")
                return [TextDelta(piece)] if piece else []
            case "reasoning-start" | "reasoning-delta" | "reasoning-end":
                piece, signature = text(event, "delta"), signature_of(event)
                return [ReasoningDelta(piece, signature=signature)] if piece or signature else []
            case "tool-input-start":
                self._open[id] = False
                return [self._update(event, "")]
            case "tool-input-delta" if id not in self._ended:
                piece = text(event, "inputTextDelta")
                self._open[id] = self._open.get(id, False) or piece != ""
                return [self._update(event, piece)]
            case "tool-input-available" if id not in self._ended:
                given = get(event, "input")
                # here the input is a value, so a string is a JSON string
                complete = (
                    json.dumps(given, ensure_ascii=False) if isinstance(given, str) else arguments_text(given)
                )
                return self._end(event, complete, failed=False)
            case "tool-input-error" if id not in self._ended:
                # here a string is the text that could not be parsed
                return self._end(event, arguments_text(get(event, "input")), failed=True)
            case "tool-output-available":
                return [ToolResult(id, get(event, "output"))]
            case "tool-output-error":
                return [ToolResult(id, get(event, "errorText"))]
            case "start-step":
                self._ended.clear()
            case "start" | "message-metadata":
                return _metadata(event)
            case "finish":
                reason = word(event, "finishReason")
                # version 5 sends no reason; an open call shows the truncation
                is_cut = reason in _CUT or (reason is None and bool(self._open))
                return [*_metadata(event), MessageEnd(reason, is_truncated=is_cut)]
            case "abort":
                return [MessageEnd("abort", is_truncated=True)]
            case "error":
                return [provider_error(event, "error"), MessageEnd("error", is_truncated=True)]
            case kind if kind is not None and kind not in _SILENT:
                return [Other(kind, event)]
        return []

    def _read_server_tool(self, event: Any, id: str) -> list[Message]:
        """Read the parts of a call that the provider executes."""
        name = word(event, "toolName")
        match word(event, "type"):
            case "tool-input-start":
                return [ServerToolUpdate(id, name, "")]
            case "tool-input-delta":
                self._open[id] = True
                return [ServerToolUpdate(id, None, text(event, "inputTextDelta"))]
            case "tool-input-available":
                has_arrived = self._open.pop(id, False)
                return (
                    [] if has_arrived else [ServerToolUpdate(id, name, arguments_text(get(event, "input")))]
                )
            case "tool-output-available":
                return [ServerToolResult(id, name, get(event, "output"))]
            case kind:
                return [Other(kind or "", event)]

    def _update(self, event: Any, piece: str) -> Message:
        return ToolCallUpdate(
            word(event, "toolCallId"),
            function_name=word(event, "toolName"),
            function_args=piece,
            is_free_text=word(event, "inputEncoding") == "text",
        )

    def _end(self, event: Any, complete: str, failed: bool) -> list[Message]:
        """End a call, and emit its input if none of it has arrived."""
        id = word(event, "toolCallId")
        has_arrived = self._open.pop(id, False)
        end = ToolCallEnd(id, failed=failed)
        if id is None and has_arrived:
            # a repeated name would begin another call
            return [end]
        if id is not None:
            self._ended.add(id)
        return [self._update(event, "" if has_arrived else complete), end]


def _metadata(event: Any) -> list[Message]:
    """Read what the application adds to a message, such as the usage, in a form of its own."""
    metadata = get(event, "messageMetadata")
    return [] if metadata is None else [Other("message-metadata", metadata)]

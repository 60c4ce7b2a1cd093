"""Anthropic Messages: content blocks, of which ``tool_use`` ones are calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import (
    MessageEnd,
    Other,
    ReasoningDelta,
    RefusalDelta,
    ServerToolResult,
    ServerToolUpdate,
    TextDelta,
    ToolCallEnd,
    ToolCallUpdate,
    Usage,
)
from ..core import cython_shim as cython
from ._adapter import Adapter as BaseAdapter
from ._parts import provider_error, usage_of

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ._reading import arguments_text, fields, get, index, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

_TYPES = {
    "message_start", "message_delta", "message_stop", "content_block_start", "content_block_delta",
    "content_block_stop",
}  # fmt: skip
# events without content; the others are those of the SDK's helper, which repeat the events
_SILENT = {
    "ping", "message_start", "message_stop", "content_block_stop", "text", "thinking", "citation",
    "signature", "input_json",
}  # fmt: skip
# parts of the end of a message: the sequence that stopped it, and where its code ran
_DELTA_PARTS = ("stop_sequence", "container")
# stop reasons after which the last block is incomplete
_CUT = {"max_tokens", "model_context_window_exceeded", "refusal"}


class Adapter(BaseAdapter):
    """Read the events from ``message_start`` to ``message_stop``.

    The index counts all blocks, including text and thinking, so a delta belongs to a call only if a
    ``tool_use`` block began at its index.
    """

    def __init__(self) -> None:
        # the open calls: the input from their start, until a delta replaces it
        self._open: dict[int | None, Any] = {}
        # the open calls of tools that the provider executes
        self._server: dict[int | None, tuple[str | None, Any]] = {}
        self._usage: Usage | None = None

    @staticmethod
    def knows(event: Any) -> bool:
        return word(event, "type") in _TYPES

    def _read(self, event: Any) -> list[Message]:
        original, event = event, fields(event)
        match word(event, "type"):
            case "content_block_delta":
                return self._read_delta(index(event, "index"), get(event, "delta"))
            case "content_block_start":
                return self._read_start(index(event, "index"), get(event, "content_block"))
            case "content_block_stop" if (at := index(event, "index")) in self._open:
                return [*self._given_at_start(at), ToolCallEnd(index=at)]
            case "content_block_stop" if (at := index(event, "index")) in self._server:
                id, given = self._server.pop(at)
                return [] if given is None else [ServerToolUpdate(id, None, arguments_text(given), at)]
            case "message_start":
                return self._count(get(get(event, "message"), "usage"))
            case "message_delta":
                return self._read_message_delta(event)
            case "error":
                error = get(event, "error")
                reason = word(error, "type") or "error"
                end = MessageEnd(reason, is_truncated=True, usage=self._usage)
                return [*self.finish(), provider_error(error, reason, event), end]
            case kind if kind is not None and kind not in _SILENT:
                return [Other(kind, original)]
        return []

    def _read_start(self, at: int | None, block: Any) -> list[Message]:
        match word(block, "type"):
            case "tool_use":
                self._open[at] = get(block, "input") or None
                return [ToolCallUpdate(word(block, "id"), at, word(block, "name"), "")]
            case "server_tool_use" | "mcp_tool_use":
                id = word(block, "id")
                self._server[at] = id, get(block, "input") or None
                return [ServerToolUpdate(id, word(block, "name"), "", at)]
            case "thinking":
                thought, signature = text(block, "thinking"), word(block, "signature")
                return [ReasoningDelta(thought, signature=signature)] if thought or signature else []
            case "redacted_thinking":
                return [ReasoningDelta("", "redacted", word(block, "data"))]
            case "text" | None:
                piece = text(block, "text")
                return [TextDelta(piece)] if piece else []
            case kind if kind.endswith("_tool_result"):
                name = kind.removesuffix("_tool_result")
                return [ServerToolResult(word(block, "tool_use_id"), name, get(block, "content"))]
            case kind:
                return [Other(kind, block)]

    def _read_delta(self, at: int | None, original: Any) -> list[Message]:
        delta = fields(original)
        match word(delta, "type"):
            case "input_json_delta" if at in self._open:
                piece = text(delta, "partial_json")
                if piece:
                    self._open[at] = None
                return [ToolCallUpdate(None, at, None, piece)]
            case "input_json_delta":
                if at in self._server and (piece := text(delta, "partial_json")):
                    id = self._server[at][0]
                    self._server[at] = id, None
                    return [ServerToolUpdate(id, None, piece, at)]
            case "text_delta":
                if piece := text(delta, "text"):
                    return [TextDelta(piece)]
            case "thinking_delta":
                if piece := text(delta, "thinking"):
                    return [ReasoningDelta(piece)]
            case "signature_delta":
                if signature := word(delta, "signature"):
                    return [ReasoningDelta("", signature=signature)]
            case "citations_delta":
                return [Other("citation", get(delta, "citation"))]
            case kind if kind is not None:
                return [Other(kind, original)]
        return []

    def _read_message_delta(self, event: Any) -> list[Message]:
        delta = get(event, "delta")
        messages = self._count(get(event, "usage"))
        parts = [(name, get(delta, name)) for name in _DELTA_PARTS]
        parts.append(("context_management", get(event, "context_management")))
        messages += [Other(name, part) for name, part in parts if part]
        reason = word(delta, "stop_reason")
        if reason is None:
            return messages
        if reason == "refusal":
            messages.append(RefusalDelta(text(get(delta, "stop_details"), "explanation")))
        end = MessageEnd(reason, is_truncated=reason in _CUT, usage=self._usage)
        return [*messages, *self.finish(), end]

    def _count(self, raw: Any) -> list[Message]:
        """Return the usage so far; the counts are cumulative, and a later event may omit some."""
        usage, before = usage_of(raw), self._usage or Usage()
        if usage is None:
            return []
        self._usage = Usage(
            before.input_tokens if usage.input_tokens is None else usage.input_tokens,
            before.output_tokens if usage.output_tokens is None else usage.output_tokens,
            before.cached_tokens if usage.cached_tokens is None else usage.cached_tokens,
            before.reasoning_tokens if usage.reasoning_tokens is None else usage.reasoning_tokens,
            raw,
        )
        return [self._usage]

    def _given_at_start(self, at: int | None) -> list[Message]:
        """Return arguments that came with the start of a call and never as deltas."""
        given = self._open.pop(at)
        return [] if given is None else [ToolCallUpdate(index=at, function_args=arguments_text(given))]

    def finish(self) -> list[Message]:
        """Return the held-back arguments of calls without an end event."""
        return [message for at in list(self._open) for message in self._given_at_start(at)]

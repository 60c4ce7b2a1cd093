"""Anthropic Messages: content blocks, of which ``tool_use`` ones are calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import MessageEnd, TextDelta, ToolCallEnd, ToolCallUpdate
from ._adapter import Adapter as BaseAdapter
from ._reading import arguments_text, fields, get, index, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

_TYPES = {
    "message_start", "message_delta", "message_stop", "content_block_start", "content_block_delta",
    "content_block_stop",
}  # fmt: skip
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

    @staticmethod
    def knows(event: Any) -> bool:
        return word(event, "type") in _TYPES

    def _read(self, event: Any) -> list[Message]:
        event = fields(event)
        at = index(event, "index")
        match word(event, "type"):
            case "content_block_start":
                return self._read_start(at, get(event, "content_block"))
            case "content_block_delta":
                return self._read_delta(at, fields(get(event, "delta")))
            case "content_block_stop" if at in self._open:
                return [*self._given_at_start(at), ToolCallEnd(index=at)]
            case "message_delta" if reason := word(get(event, "delta"), "stop_reason"):
                return [*self.finish(), MessageEnd(reason, is_truncated=reason in _CUT)]
            case "error":
                reason = word(get(event, "error"), "type") or "error"
                return [*self.finish(), MessageEnd(reason, is_truncated=True)]
        return []

    def _read_start(self, at: int | None, block: Any) -> list[Message]:
        if word(block, "type") == "tool_use":
            self._open[at] = get(block, "input") or None
            return [ToolCallUpdate(word(block, "id"), at, word(block, "name"), "")]
        said = text(block, "text")
        return [TextDelta(said)] if said else []

    def _read_delta(self, at: int | None, delta: Any) -> list[Message]:
        match word(delta, "type"):
            case "text_delta" if said := text(delta, "text"):
                return [TextDelta(said)]
            case "input_json_delta" if at in self._open:
                piece = text(delta, "partial_json")
                if piece:
                    self._open[at] = None
                return [ToolCallUpdate(None, at, None, piece)]
        return []

    def _given_at_start(self, at: int | None) -> list[Message]:
        """Return arguments that came with the start of a call and never as deltas."""
        given = self._open.pop(at)
        return [] if given is None else [ToolCallUpdate(index=at, function_args=arguments_text(given))]

    def finish(self) -> list[Message]:
        """Return the held-back arguments of calls without an end event."""
        return [message for at in list(self._open) for message in self._given_at_start(at)]

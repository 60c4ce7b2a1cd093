"""Bedrock ConverseStream: every event is a dict with one member, whose key is the event's type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import MessageEnd, TextDelta, ToolCallEnd, ToolCallUpdate
from ._adapter import Adapter as BaseAdapter
from ._reading import arguments_text, get, index, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

_EVENTS = ("messageStart", "messageStop", "contentBlockStart", "contentBlockDelta", "contentBlockStop")
_EXCEPTIONS = (
    "internalServerException", "modelStreamErrorException", "serviceUnavailableException",
    "throttlingException", "validationException",
)  # fmt: skip
# stop reasons after which the last block is incomplete
_CUT = {
    "content_filtered", "guardrail_intervened", "malformed_model_output", "malformed_tool_use", "max_tokens",
    "model_context_window_exceeded",
}  # fmt: skip


class Adapter(BaseAdapter):
    """Read the events from ``messageStart`` to ``messageStop``.

    The index counts all blocks, including text and reasoning; text blocks often have no start event.
    """

    def __init__(self) -> None:
        self._open: set[int | None] = set()

    @staticmethod
    def knows(event: Any) -> bool:
        return any(get(event, name) is not None for name in _EVENTS)

    def _read(self, event: Any) -> list[Message]:
        if (start := get(event, "contentBlockStart")) is not None:
            return self._read_start(index(start, "contentBlockIndex"), get(get(start, "start"), "toolUse"))
        if (delta := get(event, "contentBlockDelta")) is not None:
            return self._read_delta(index(delta, "contentBlockIndex"), get(delta, "delta"))
        if (stop := get(event, "contentBlockStop")) is not None:
            at = index(stop, "contentBlockIndex")
            if at in self._open:
                self._open.remove(at)
                return [ToolCallEnd(index=at)]
        if reason := word(get(event, "messageStop"), "stopReason"):
            return [MessageEnd(reason, is_truncated=reason in _CUT)]
        for name in _EXCEPTIONS:
            if get(event, name) is not None:
                return [MessageEnd(name, is_truncated=True)]
        return []

    def _read_start(self, at: int | None, tool: Any) -> list[Message]:
        if tool is None:
            return []
        self._open.add(at)
        return [ToolCallUpdate(word(tool, "toolUseId"), at, word(tool, "name"), "")]

    def _read_delta(self, at: int | None, delta: Any) -> list[Message]:
        if said := text(delta, "text"):
            return [TextDelta(said)]
        tool = get(delta, "toolUse")
        if tool is None:
            return []
        self._open.add(at)
        return [ToolCallUpdate(index=at, function_args=arguments_text(get(tool, "input")))]

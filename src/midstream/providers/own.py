"""The events of this project, as `midstream.messages.to_event` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import JsonStreamError
from ..messages import (
    MessageEnd,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
    ToolResult,
    from_event,
)
from ._adapter import Adapter as BaseAdapter
from ._reading import word

if TYPE_CHECKING:
    from ..messages import Message

__all__ = ["Adapter"]

_MESSAGES = (ToolCallUpdate, ToolCallsUpdate, ToolCallEnd, TextDelta, ToolResult, MessageEnd)
_TYPES = {
    "tools_call_update", "tool_call_update", "tool_call_end", "text_delta", "tool_result", "message_end",
}  # fmt: skip


class Adapter(BaseAdapter):
    """Read messages in their plain form; those that are messages already pass as they are.

    An event with a field of another type can't be told from one whose arguments were lost, so its message
    ends there as after an error.
    """

    @staticmethod
    def knows(event: Any) -> bool:
        if not isinstance(event, Mapping):
            return isinstance(event, _MESSAGES)
        return word(event, "type") in _TYPES or ("type" not in event and "tool_call_updates" in event)

    def _read(self, event: Any) -> list[Message]:
        if not isinstance(event, Mapping):
            return [event] if isinstance(event, _MESSAGES) else []
        try:
            message = from_event(event)
        except JsonStreamError:
            return [MessageEnd("error", is_truncated=True, message_id=word(event, "message_id"))]
        return [] if message is None else [message]

"""The plain form of this project's own messages, as `midstream.to_event` writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..calls.messages import TYPES, Message, MessageEnd, from_event
from ..errors import JsonStreamError
from ._adapter import Adapter as BaseAdapter
from ._reading import word

__all__ = ["Adapter"]


class Adapter(BaseAdapter):
    """Read messages in their plain form; message objects pass through unchanged.

    An event with a field of the wrong type may have lost arguments, so its message ends there as after
    an error.
    """

    @staticmethod
    def knows(event: Any) -> bool:
        if not isinstance(event, Mapping):
            return isinstance(event, Message)
        return word(event, "type") in TYPES or ("type" not in event and "tool_call_updates" in event)

    def _read(self, event: Any) -> list[Message]:
        if not isinstance(event, Mapping):
            return [event] if isinstance(event, Message) else []
        try:
            message = from_event(event)
        except JsonStreamError:
            return [MessageEnd("error", is_truncated=True, message_id=word(event, "message_id"))]
        return [] if message is None else [message]

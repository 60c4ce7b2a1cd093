"""The events of this project, as `midstream.messages.to_event` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..calls.messages import TYPES, Message, MessageEnd, from_event
from ..errors import JsonStreamError
from ._adapter import Adapter as BaseAdapter
from ._reading import word

__all__ = ["Adapter"]


class Adapter(BaseAdapter):
    """Read messages in their plain form; those that are messages already pass as they are.

    An event with a field of another type can't be told from one whose arguments were lost, so its message
    ends there as after an error.
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

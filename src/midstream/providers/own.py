"""Messages of midstream itself: in their plain form, as `midstream.to_event` writes it, and in events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..calls.messages import TYPES, Message, MessageEnd
from ..errors import JsonStreamError
from ..events.reader import MessageReader
from ..events.writer import FORMS
from ..sse import SseEvent
from ._adapter import Adapter as BaseAdapter
from ._reading import decoded, word

__all__ = ["Adapter"]

_UPDATE_FIELDS = {"tool_call_updates", "function_args", "function_name"}


class Adapter(BaseAdapter):
    """Read messages in their plain form, and the events of both forms; message objects pass unchanged.

    An event with a field of the wrong type may have lost arguments, so its message ends there as after
    an error.
    """

    def __init__(self) -> None:
        self._reader = MessageReader()

    @staticmethod
    def knows(event: Any) -> bool:
        if not isinstance(event, Mapping):
            return isinstance(event, Message)
        is_start = event.get("form") in FORMS and "version" in event
        return (
            is_start or word(event, "type") in TYPES or ("type" not in event and "tool_call_updates" in event)
        )

    def add_event(self, event: Any) -> list[Message]:
        """Return the messages of the next event; the name of an `SseEvent` counts."""
        name = event.event if isinstance(event, SseEvent) else "message"
        event = decoded(event)
        return [] if event is None else self._read_named(name, event)

    def _read(self, event: Any) -> list[Message]:
        return self._read_named("message", event)

    def _read_named(self, name: str, event: Any) -> list[Message]:
        if isinstance(event, Message):
            return [event]
        if isinstance(event, Mapping):
            event = dict(event)
            if event.get("form") in FORMS and "version" in event:
                name = "stream_start"
            elif "type" not in event and _UPDATE_FIELDS & event.keys():
                name = "tools_call_update"
        try:
            return self._reader.read(name, event)
        except JsonStreamError:
            id = word(event, "message_id") if isinstance(event, dict) else None
            return [MessageEnd("error", is_truncated=True, message_id=id or self._reader.message_id)]

"""What all adapters have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._reading import decoded

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]


class Adapter:
    """Turn the events of one stream into messages: events that say nothing of interest into none."""

    def add_event(self, event: Any) -> list[Message]:
        """Take the next event: a dict, the SDK's object, or the text of one."""
        event = decoded(event)
        return [] if event is None else self._read(event)

    def finish(self) -> list[Message]:
        """Take the end of the stream, and give what was held back for it."""
        return []

    @staticmethod
    def knows(event: Any) -> bool:
        """Tell whether an event can only be of this format."""
        raise NotImplementedError

    def _read(self, event: Any) -> list[Message]:
        raise NotImplementedError

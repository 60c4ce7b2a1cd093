"""The base class of all adapters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ._reading import decoded

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]


class Adapter:
    """Turn the events of one stream into messages."""

    def add_event(self, event: Any) -> list[Message]:
        """Return the messages of the next event: a dict, an SDK object, or the JSON text of one."""
        event = decoded(event)
        return [] if event is None else self._read(event)

    def finish(self) -> list[Message]:
        """Return the messages that were held back until the end of the stream."""
        return []

    @staticmethod
    def knows(event: Any) -> bool:
        """Report whether an event can only be of this format."""
        raise NotImplementedError

    def _read(self, event: Any) -> list[Message]:
        raise NotImplementedError

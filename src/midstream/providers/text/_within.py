"""Read a stream of text, or the text in the events of a provider whose server did not parse the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...calls.messages import MessageEnd, TextDelta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    from ...calls.messages import Message
    from .._adapter import Adapter

    class Reader(Protocol):
        """What turns events into messages."""

        def add_event(self, event: Any) -> list[Message]: ...
        def finish(self) -> list[Message]: ...


__all__ = ["ModelText", "TextWithin"]

Place = tuple[str | None, int]


class ModelText:
    """The messages of a stream whose format is one of text.

    Its events are pieces of text. Any other object is the event of a provider: its text is read, and all else
    that the provider says passes through.
    """

    def __init__(self, new_adapter: Callable[[], Adapter], new_provider: Callable[[], Reader]) -> None:
        self._adapter = new_adapter()
        self._within = TextWithin(new_adapter)
        self._new_provider = new_provider
        self._provider: Reader | None = None

    def add_event(self, event: Any) -> list[Message]:
        """Return the messages of an event."""
        if isinstance(event, (str, bytes, bytearray)):
            return self._adapter.add_event(event)
        if self._provider is None:
            self._provider = self._new_provider()
        return self._within.add(self._provider.add_event(event))

    def finish(self) -> list[Message]:
        """Return the messages held back until the end of the stream."""
        last = self._adapter.finish()
        if self._provider is not None:
            last += self._within.add(self._provider.finish())
            last += self._within.finish()
        return last


class TextWithin:
    """Replace the text in messages by what it contains; all other messages pass through.

    Every choice of every message has text of its own.
    """

    def __init__(self, new: Callable[[], Adapter]) -> None:
        self._new = new
        self._adapters: dict[Place, Adapter] = {}

    def add(self, messages: Iterable[Message]) -> list[Message]:
        """Return the messages in place of some."""
        found: list[Message] = []
        for message in messages:
            match message:
                case TextDelta(piece, id, choice):
                    place = id, choice
                    adapter = self._adapters.get(place)
                    if adapter is None:
                        adapter = self._adapters[place] = self._new()
                    found += _placed(adapter.add_event(piece), place)
                case MessageEnd():
                    found += self._end(message)
                case _:
                    found.append(message)
        return found

    def finish(self) -> list[Message]:
        """Return what was held back until the end of the stream."""
        places, found = [*self._adapters], []
        for place in places:
            found += _placed(self._adapters.pop(place).finish(), place)
        return found

    def _end(self, end: MessageEnd) -> list[Message]:
        """End the texts of a message, and the message itself as truncated if one of them is."""
        found: list[Message] = []
        for place in [*self._adapters]:
            id, choice = place
            if (end.message_id is None or id in (None, end.message_id)) and end.choice in (None, choice):
                *last, inner = _placed(self._adapters.pop(place).finish(), place)
                found += last
                if isinstance(inner, MessageEnd) and inner.is_truncated:
                    end = end._replace(is_truncated=True)
        return [*found, end]


def _placed(messages: list[Message], place: Place) -> list[Message]:
    """Return messages of a text with the place of the text."""
    id, choice = place
    return [_moved(message, id, choice) for message in messages]


def _moved(message: Any, id: str | None, choice: int) -> Any:
    return message._replace(message_id=id, choice=choice)

"""Everything that a stream has said so far, as one message for clients that join late or were too slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...accumulators.fragments import JsonFragmentAccumulator
from ...calls.handler import ToolsAggregateMessageHandler
from ...calls.messages import (
    MessageEnd,
    ProviderError,
    ReasoningDelta,
    RefusalDelta,
    StreamSnapshot,
    TextDelta,
    ToolCallUpdate,
    Usage,
    to_event,
)
from ...calls.state import State

if TYPE_CHECKING:
    from ..._options import Dialect
    from ...accumulators.update import JsonFragmentUpdate
    from ...calls.call import CallState
    from ...calls.messages import Message

__all__ = ["SnapshotBuilder"]

_TEXTS: dict[type, str] = {TextDelta: "text", ReasoningDelta: "reasoning", RefusalDelta: "refusal"}
_STATUSES = {State.OPEN: "open", State.WAITING: "open"}


class _Entry:
    """What was said in one message and choice."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str]] = {name: [] for name in _TEXTS.values()}
        self.others: dict[str, Any] = dict.fromkeys(("usage", "finish_reason", "error"))


class _Handler(ToolsAggregateMessageHandler):
    """Collects calls, and lists them with the message and choice that they belong to."""

    def states(self) -> list[CallState]:
        return list(self._registry.all_calls())


class SnapshotBuilder:
    """Collect the messages of a stream, whose calls are read in a dialect.

    >>> builder = SnapshotBuilder()
    >>> for text in ("Hel", "lo"): builder.add(TextDelta(text, "m1"))
    >>> builder.snapshot("s").messages[0]["text"]
    'Hello'
    """

    def __init__(self, dialect: Dialect = "strict") -> None:
        self._is_lenient = dialect == "lenient"
        self._handler = _Handler()
        self._entries: dict[tuple[str | None, int], _Entry] = {}

    def add(self, message: Message) -> None:
        """Add a message."""
        self._handler.add_message(message)
        if (name := _TEXTS.get(type(message))) is not None:
            self._entry(message).texts[name].append(message.text)  # type: ignore[union-attr]
            return
        match message:
            case Usage():
                self._entry(message).others["usage"] = _plain(message)
            case ProviderError():
                self._entry(message).others["error"] = _plain(message)
            case MessageEnd():
                self._end(message)

    def _entry(self, message: Message) -> _Entry:
        place = message.message_id, getattr(message, "choice", None) or 0  # type: ignore[union-attr]
        return self._entries.setdefault(place, _Entry())

    def _end(self, end: MessageEnd) -> None:
        entries = [self._entry(end)]
        if end.choice is None:
            entries = [entry for (id, _), entry in self._entries.items() if id == end.message_id]
        for entry in entries:
            entry.others["finish_reason"] = end.reason or entry.others["finish_reason"]
            if end.usage is not None:
                entry.others["usage"] = _plain(end.usage)

    def snapshot(self, stream: str) -> StreamSnapshot:
        """Return the snapshot."""
        calls: dict[tuple[str | None, int], list[dict[str, Any]]] = {}
        for call in self._handler.states():
            calls.setdefault((call.message_id, call.choice), []).append(self._call(call))
        places = {**dict.fromkeys(self._entries), **dict.fromkeys(calls)}
        messages = []
        for place in places:
            entry = self._entries.get(place) or _Entry()
            texts = {name: "".join(pieces) for name, pieces in entry.texts.items()}
            said = {**texts, **entry.others, "calls": calls.get(place, [])}
            messages.append({"message_id": place[0], "choice": place[1], **said})
        return StreamSnapshot(messages, stream)

    def _call(self, call: CallState) -> dict[str, Any]:
        view = call.view()
        update = ToolCallUpdate(
            view.id, view.index, view.name, view.raw_args, choice=call.choice, is_free_text=call.is_free_text
        )
        status = _STATUSES.get(call.state, call.state.value)
        if status == "open" and view.error is not None:
            status = "invalid"
        if self._is_lenient and not call.is_free_text:
            update = update._replace(json_update_fragments=_updates(view.raw_args, status != "open"))
        plain = {name: value for name, value in to_event(update).items() if name != "type"}
        return {**plain, "choice": call.choice, "status": status}


def _plain(message: Message) -> dict[str, Any]:
    event = to_event(message)
    return {name: value for name, value in event.items() if name not in ("type", "message_id")}


def _updates(text: str, is_ended: bool) -> list[JsonFragmentUpdate]:
    """Return the updates of a text that clients, which read strictly, cannot read."""
    accumulator = JsonFragmentAccumulator(on_error="event", dialect="lenient")
    updates = accumulator.add_fragment(text)
    return [*updates, *accumulator.finish()] if is_ended else updates

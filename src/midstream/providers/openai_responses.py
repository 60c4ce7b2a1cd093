"""OpenAI Responses: output items, of which ``function_call`` and ``custom_tool_call`` ones are calls.

Deltas identify their item by ``item_id``, which some servers change in mid-stream, and ``output_index``.
The id that a tool result must carry, ``call_id``, is sent only with the item. The arguments are sent four
times: as deltas, complete when they end, complete with the finished item, and in the finished response.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import MessageEnd, TextDelta, ToolCallEnd, ToolCallUpdate
from ._adapter import Adapter as BaseAdapter
from ._reading import arguments_text, fields, get, index, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

# the types of items that are calls, and the field that holds the tool's arguments
_ARGUMENTS = {"function_call": "arguments", "custom_tool_call": "input"}
_ENDS: dict[str | None, str] = {
    f"response.{end}": end for end in ("completed", "incomplete", "failed", "cancelled")
}


class _Item:
    """A call, and which parts of it have been emitted."""

    __slots__ = ("call_id", "given", "index", "is_emitted", "is_ended", "is_free_text", "is_named")

    def __init__(self, index: int | str | None, is_free_text: bool) -> None:
        self.index = index
        self.is_free_text = is_free_text
        self.call_id: str | None = None
        self.is_named = False
        # complete arguments from the start of the item, used if no deltas follow
        self.given = ""
        self.is_emitted = False
        self.is_ended = False

    def update(self, name: str | None = None, arguments: str = "") -> ToolCallUpdate:
        """Return a piece of the call."""
        self.is_emitted = self.is_emitted or arguments != ""
        self.is_named = self.is_named or name is not None
        return ToolCallUpdate(self.call_id, self.index, name, arguments, is_free_text=self.is_free_text)


class Adapter(BaseAdapter):
    """Read the events from ``response.created`` to ``response.completed``."""

    def __init__(self) -> None:
        self._items: dict[str | int, _Item] = {}
        self._latest: _Item | None = None

    @staticmethod
    def knows(event: Any) -> bool:
        return (word(event, "type") or "").startswith("response.")

    def _read(self, event: Any) -> list[Message]:
        event = fields(event)
        match word(event, "type"):
            case "response.output_text.delta" if said := text(event, "delta"):
                return [TextDelta(said)]
            case "response.output_item.added" if word(get(event, "item"), "type") in _ARGUMENTS:
                return self._begin(event)
            case "response.output_item.done" if word(get(event, "item"), "type") in _ARGUMENTS:
                return self._end(event)
            case "response.function_call_arguments.delta":
                return self._continue(event, text(event, "delta"), False)
            case "response.custom_tool_call_input.delta":
                return self._continue(event, text(event, "delta"), True)
            case "response.function_call_arguments.done":
                return self._add_complete(event, arguments_text(get(event, "arguments")), False)
            case "response.custom_tool_call_input.done":
                return self._add_complete(event, text(event, "input"), True)
            case kind if kind in _ENDS:
                return [*self.finish(), _end_of_response(event, _ENDS[kind])]
            case "error":
                error = get(event, "error")
                code = word(event, "code") or word(error, "code") or word(error, "type")
                return [*self.finish(), MessageEnd(code or "error", is_truncated=True)]
        return []

    def _find(self, event: Any, is_free_text: bool) -> _Item:
        """Return the item that an event belongs to, a new one if its beginning was lost."""
        id = word(event, "item_id") or word(get(event, "item"), "id")
        at = index(event, "output_index")
        for key in (id, at):
            if key is not None and key in self._items:
                return self._items[key]
        if id is None and at is None and self._latest is not None:
            return self._latest
        return self._new(id, at, is_free_text)

    def _new(self, id: str | None, at: int | None, is_free_text: bool) -> _Item:
        item = self._latest = _Item(id if at is None else at, is_free_text)
        for key in (id, at):
            if key is not None:
                self._items[key] = item
        return item

    def _begin(self, event: Any) -> list[Message]:
        given = get(event, "item")
        kind, id = word(given, "type") or "", word(given, "id")
        item = self._items.get(id) if id is not None else None
        if item is None or item.is_ended:
            item = self._new(id, index(event, "output_index"), kind == "custom_tool_call")
        item.call_id = word(given, "call_id") or item.call_id
        item.given = arguments_text(get(given, _ARGUMENTS[kind]))
        return [item.update(word(given, "name"))]

    def _continue(self, event: Any, piece: str, is_free_text: bool) -> list[Message]:
        item = self._find(event, is_free_text)
        return [] if item.is_ended else [item.update(None, piece)]

    def _add_complete(self, event: Any, whole: str, is_free_text: bool) -> list[Message]:
        item = self._find(event, is_free_text)
        if item.is_emitted or item.is_ended or not whole:
            return []
        return [item.update(None, whole)]

    def _end(self, event: Any) -> list[Message]:
        given = get(event, "item")
        kind = word(given, "type") or ""
        item = self._find(event, kind == "custom_tool_call")
        if item.is_ended:
            return []
        item.call_id = item.call_id or word(given, "call_id")
        whole = arguments_text(get(given, _ARGUMENTS[kind]))
        messages: list[Message] = []
        if not item.is_named or (whole and not item.is_emitted):
            messages.append(item.update(word(given, "name"), "" if item.is_emitted else whole))
        if word(given, "status") == "incomplete":
            # the end of the response will cut it off
            return messages
        item.is_ended = True
        return [*messages, ToolCallEnd(item.call_id, item.index)]

    def finish(self) -> list[Message]:
        """Return arguments that came with the beginning of a call and were never repeated."""
        # an item is listed under its id and its index, but emitted once
        return [
            item.update(None, item.given)
            for item in self._items.values()
            if item.given and not item.is_emitted and not item.is_ended
        ]


def _end_of_response(event: Any, word_for_it: str) -> Message:
    response = get(event, "response")
    if word_for_it == "completed" and word(response, "status") == "incomplete":
        # some servers use one event for every kind of end
        word_for_it = "incomplete"
    if word_for_it == "incomplete":
        reason = word(get(response, "incomplete_details"), "reason")
    else:
        reason = word(get(response, "error"), "code")
    return MessageEnd(reason or word_for_it, is_truncated=word_for_it != "completed")

"""OpenAI chat completions, and the many compatible servers.

A call has no end event of its own: the ``finish_reason`` of the choice ends all its calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import MessageEnd, TextDelta, ToolCallUpdate
from ._adapter import Adapter as BaseAdapter
from ._reading import arguments_text, fields, get, index, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["CUT", "Adapter"]

# finish reasons after which the last part of the message is incomplete
CUT = frozenset({"length", "content_filter", "error", "abort", "insufficient_system_resource"})


class Adapter(BaseAdapter):
    """Read ``chat.completion.chunk`` events."""

    cut = CUT

    @staticmethod
    def knows(event: Any) -> bool:
        event = _chunk_in(event)
        if word(event, "object") == "chat.completion.chunk":
            return True
        return any(get(choice, "delta") is not None for choice in items(event, "choices"))

    def _read(self, event: Any) -> list[Message]:
        event = _chunk_in(fields(event))
        error = get(event, "error")
        if error is not None:
            # servers report an error in mid-stream as a separate event
            reason = word(error, "type") or word(error, "code") or "error"
            return [MessageEnd(reason, is_truncated=True)]
        messages: list[Message] = []
        for choice in items(event, "choices"):
            messages += self._read_choice(choice)
        return messages

    def _read_choice(self, choice: Any) -> list[Message]:
        messages: list[Message] = []
        choice = fields(choice)
        number = index(choice, "index") or 0
        delta = fields(get(choice, "delta"))
        if content := self._text(delta):
            messages.append(TextDelta(content, choice=number))
        calls = items(delta, "tool_calls")
        function = get(delta, "function_call")
        if function is not None:
            # the predecessor of tool_calls (before 2023): one call, without an id
            calls.append({"index": 0, "function": function})
        messages += self._read_calls(calls, number)
        if reason := word(choice, "finish_reason"):
            messages.append(MessageEnd(reason, is_truncated=reason in self.cut, choice=number))
        return messages

    def _text(self, delta: Any) -> str:
        return text(delta, "content")

    def _read_calls(self, calls: list[Any], choice: int) -> list[Message]:
        return [self._read_call(call, choice) for call in calls]

    def _read_call(self, call: Any, choice: int) -> ToolCallUpdate:
        call = fields(call)
        function = fields(get(call, "function"))
        return ToolCallUpdate(
            word(call, "id"),
            index(call, "index"),
            word(function, "name"),
            arguments_text(get(function, "arguments")),
            None,
            None,
            choice,
        )


def _chunk_in(event: Any) -> Any:
    """Return the chunk inside an event of the SDK's stream helper; its derived events add nothing."""
    return fields(get(event, "chunk")) if word(event, "type") == "chunk" else event

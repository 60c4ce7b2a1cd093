"""Ollama's own API: a line of JSON per event; calls arrive complete, with their arguments as an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import MessageEnd, Other, ReasoningDelta, TextDelta, ToolCallEnd, ToolCallUpdate
from ._adapter import Adapter as BaseAdapter
from ._parts import provider_error, usage_of
from ._reading import arguments_text, get, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]


class Adapter(BaseAdapter):
    """Read the lines of ``/api/chat`` and ``/api/generate``.

    Calls are counted here: depending on the version, their own index is missing or always 0.
    """

    def __init__(self) -> None:
        self._count = 0

    @staticmethod
    def knows(event: Any) -> bool:
        if not isinstance(get(event, "done"), bool):
            return False
        return word(get(event, "message"), "role") is not None or isinstance(get(event, "response"), str)

    def _read(self, event: Any) -> list[Message]:
        error = get(event, "error")
        if error is not None:
            # a sentence without a code
            return [provider_error(error, "error", event), MessageEnd("error", is_truncated=True)]
        messages: list[Message] = []
        message = get(event, "message")
        if thought := text(message, "thinking") or text(event, "thinking"):
            messages.append(ReasoningDelta(thought))
        if piece := text(message, "content") or text(event, "response"):
            messages.append(TextDelta(piece))
        for part, source in (("images", message), ("logprobs", event)):
            if data := get(source, part):
                messages.append(Other(part, data))
        is_over = get(event, "done") is True
        reason = word(event, "done_reason")
        is_cut = is_over and reason == "length"
        for call in items(message, "tool_calls"):
            function = get(call, "function")
            name, arguments = word(function, "name"), arguments_text(get(function, "arguments"))
            messages.append(ToolCallUpdate(word(call, "id"), self._count, name, arguments))
            messages.append(ToolCallEnd(index=self._count))
            self._count += 1
        if is_over:
            if is_cut and messages and isinstance(messages[-1], ToolCallEnd):
                # the last part of a truncated message has no end
                messages.pop()
            usage = usage_of(event)
            if usage is not None:
                messages.append(usage)
            messages.append(MessageEnd(reason, is_truncated=is_cut, usage=usage))
        return messages

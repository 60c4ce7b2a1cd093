"""OpenAI's legacy completions: text alone, without messages and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import MessageEnd, TextDelta
from ._adapter import Adapter as BaseAdapter
from ._parts import provider_error, usage_of
from ._reading import fields, get, index, items, text, word
from .openai_chat import CUT

if TYPE_CHECKING:
    from ..calls.messages import Message, Usage

__all__ = ["Adapter"]


class Adapter(BaseAdapter):
    """Read ``text_completion`` events."""

    def __init__(self) -> None:
        self._usage: Usage | None = None

    @staticmethod
    def knows(event: Any) -> bool:
        if word(event, "object") == "text_completion":
            return True
        choices = items(event, "choices")
        return bool(choices) and all(
            isinstance(get(choice, "text"), str) and get(choice, "delta") is None for choice in choices
        )

    def _read(self, event: Any) -> list[Message]:
        event = fields(event)
        error = get(event, "error")
        if error is not None:
            kind = word(error, "type") or word(error, "code") or "error"
            return [provider_error(error, kind, event), MessageEnd(kind, is_truncated=True)]
        messages: list[Message] = []
        if (usage := usage_of(get(event, "usage"))) is not None:
            self._usage = usage
            messages.append(usage)
        for choice in items(event, "choices"):
            number = index(choice, "index") or 0
            if piece := text(choice, "text"):
                messages.append(TextDelta(piece, choice=number))
            if reason := word(choice, "finish_reason"):
                is_cut = reason in CUT
                messages.append(MessageEnd(reason, is_truncated=is_cut, choice=number, usage=self._usage))
        return messages

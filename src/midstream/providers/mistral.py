"""Mistral chat: like OpenAI's, but most calls arrive complete, and absent fields are filled in.

The SDK wraps every chunk in an event and sets a missing id to ``"null"`` and a missing index to 0. The
arguments may be a dict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import ToolCallEnd, ToolCallUpdate
from ._reading import get, items, word
from .openai_chat import CUT
from .openai_chat import Adapter as OpenAiAdapter

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

_MODELS = ("mistral", "ministral", "codestral", "magistral", "devstral", "pixtral", "open-mi")


class Adapter(OpenAiAdapter):
    """Read ``CompletionEvent``s, or the chunks that they wrap."""

    cut = CUT | {"model_length"}

    @staticmethod
    def knows(event: Any) -> bool:
        if items(get(event, "data"), "choices"):
            return True
        if not OpenAiAdapter.knows(event):
            return False
        if (word(event, "model") or "").startswith(_MODELS):
            return True
        deltas = [get(choice, "delta") for choice in items(event, "choices")]
        return any(
            word(call, "id") == "null" or isinstance(get(get(call, "function"), "arguments"), dict)
            for delta in deltas
            for call in items(delta, "tool_calls")
        )

    def _read(self, event: Any) -> list[Message]:
        chunk = get(event, "data")
        return super()._read(event if chunk is None else chunk)

    def _read_calls(self, calls: list[Any], choice: int) -> list[Message]:
        messages: list[Message] = []
        indices: set[int | str | None] = set()
        for call in calls:
            update = self._read_call(call, choice)
            if update.tool_call_id is None and update.function_name and update.index in indices:
                # a second call in the same chunk: ending the first keeps them apart
                messages.append(ToolCallEnd(index=update.index, choice=choice))
            indices.add(update.index)
            messages.append(update)
        return messages

    def _read_call(self, call: Any, choice: int) -> ToolCallUpdate:
        update = super()._read_call(call, choice)
        return update._replace(tool_call_id=None) if update.tool_call_id == "null" else update

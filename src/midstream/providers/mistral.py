"""Mistral chat: like OpenAI's, but most calls arrive complete, and absent fields are filled in.

The SDK wraps every chunk in an event and sets a missing id to ``"null"`` and a missing index to 0. The
arguments may be a dict. The content of a message may be a list of chunks, some of them thinking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import Other, ReasoningDelta, TextDelta, ToolCallEnd, ToolCallUpdate
from ._reading import get, items, text, word
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

    def _read_content(self, content: Any, choice: int) -> list[Message]:
        if not isinstance(content, (list, tuple)):
            return super()._read_content(content, choice)
        messages: list[Message] = []
        for chunk in content:
            match word(chunk, "type"):
                case "text" | None:
                    if piece := text(chunk, "text"):
                        messages.append(TextDelta(piece, choice=choice))
                case "thinking":
                    pieces = [text(thought, "text") for thought in items(chunk, "thinking")]
                    messages += [ReasoningDelta(piece, choice=choice) for piece in pieces if piece]
                case kind:
                    messages.append(Other(kind, chunk, choice=choice))
        return messages

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

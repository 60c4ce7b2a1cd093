"""Gemini Interactions: steps, of which ``function_call`` ones are calls.

Earlier revisions of the API have contents instead of steps, with calls that arrive complete in one delta.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import MessageEnd, TextDelta, ToolCallEnd, ToolCallUpdate
from ._adapter import Adapter as BaseAdapter
from ._reading import arguments_text, get, index, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

# the status of an interaction whose last step is incomplete
_CUT = {"failed", "cancelled", "incomplete", "budget_exceeded"}


class Adapter(BaseAdapter):
    """Read the events from ``interaction.created`` to ``interaction.completed``.

    The index counts all steps, including thoughts and the server's own tools.
    """

    def __init__(self) -> None:
        # the open calls: complete arguments from the start, until a delta replaces them
        self._open: dict[int | None, str] = {}

    @staticmethod
    def knows(event: Any) -> bool:
        return (word(event, "event_type") or "").startswith(("interaction.", "step.", "content."))

    def _read(self, event: Any) -> list[Message]:
        at = index(event, "index")
        match word(event, "event_type"):
            case "step.start":
                return self._read_start(at, get(event, "step"))
            case "content.start":
                return self._read_start(at, get(event, "content"))
            case "step.delta" | "content.delta":
                return self._read_delta(at, get(event, "delta"))
            case "step.stop" | "content.stop" if at in self._open:
                return [*self._given(at), ToolCallEnd(index=at)]
            case "interaction.completed" | "interaction.complete":
                return self._end(word(get(event, "interaction"), "status") or "completed")
            case "interaction.status_update" if (status := word(event, "status")) in _CUT:
                # other states are repeated at the end, which may be some steps away
                return self._end(status)
            case "interaction.failed" | "interaction.cancelled" | "interaction.incomplete" as kind:
                return self._end(kind.removeprefix("interaction."))
            case "error":
                error = get(event, "error")
                return self._end(word(error, "code") or word(error, "status") or "error", True)
        return []

    def _read_start(self, at: int | None, step: Any) -> list[Message]:
        match word(step, "type"):
            case "function_call":
                return [self._begin(at, step)]
            case "model_output":
                pieces = [content for content in items(step, "content") if word(content, "type") == "text"]
                return [TextDelta(said) for content in pieces if (said := text(content, "text"))]
            case "text" if said := text(step, "text"):
                return [TextDelta(said)]
        return []

    def _read_delta(self, at: int | None, delta: Any) -> list[Message]:
        match word(delta, "type"):
            case "text" if said := text(delta, "text"):
                return [TextDelta(said)]
            case "arguments_delta":
                piece = arguments_text(get(delta, "arguments"))
                if piece or at not in self._open:
                    self._open[at] = ""
                return [ToolCallUpdate(index=at, function_args=piece)]
            case "function_call":
                return [self._begin(at, delta)]
        return []

    def _begin(self, at: int | None, call: Any) -> Message:
        """Begin a call; its arguments are ``{}`` both when they follow and when there are none."""
        self._open[at] = arguments_text(get(call, "arguments") or None) or self._open.get(at, "")
        return ToolCallUpdate(word(call, "id"), at, word(call, "name"), "")

    def _given(self, at: int | None) -> list[Message]:
        """Return arguments that came with the start and never as deltas."""
        given = self._open.pop(at)
        return [ToolCallUpdate(index=at, function_args=given)] if given else []

    def _end(self, reason: str, is_error: bool = False) -> list[Message]:
        return [*self.finish(), MessageEnd(reason, is_truncated=is_error or reason in _CUT)]

    def finish(self) -> list[Message]:
        """Return the held-back arguments of calls without an end event."""
        return [message for at in list(self._open) for message in self._given(at)]

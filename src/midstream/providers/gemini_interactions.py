"""Gemini Interactions: steps, of which ``function_call`` ones are calls.

Earlier revisions of the API have contents instead of steps, with calls that arrive complete in one delta.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import (
    MessageEnd,
    Other,
    ReasoningDelta,
    ServerToolResult,
    ServerToolUpdate,
    TextDelta,
    ToolCallEnd,
    ToolCallUpdate,
    ToolResult,
    Usage,
)
from ._adapter import Adapter as BaseAdapter
from ._parts import provider_error, usage_of
from ._reading import arguments_text, get, index, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

# the status of an interaction whose last step is incomplete
_CUT = {"failed", "cancelled", "incomplete", "budget_exceeded"}
# events without content of their own, and those whose content has been read
_SILENT = ("interaction.", "step.", "content.")


class Adapter(BaseAdapter):
    """Read the events from ``interaction.created`` to ``interaction.completed``.

    The index counts all steps, including thoughts and the server's own tools.
    """

    def __init__(self) -> None:
        # the calls of tools that the provider executes
        self._server: dict[int | None, str | None] = {}
        # the open calls: complete arguments from the start, until a delta replaces them
        self._open: dict[int | None, str] = {}
        self._usage: Usage | None = None

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
                messages = self._read_delta(at, get(event, "delta"))
                return messages + self._count(get(get(event, "metadata"), "total_usage"))
            case "step.stop" | "content.stop":
                messages = [*self._given(at), ToolCallEnd(index=at)] if at in self._open else []
                return messages + self._count(get(event, "usage"))
            case "interaction.completed" | "interaction.complete":
                interaction = get(event, "interaction")
                return self._end(word(interaction, "status") or "completed", get(interaction, "usage"))
            case "interaction.status_update" if (status := word(event, "status")) in _CUT:
                # other states are repeated at the end, which may be some steps away
                return self._end(status, get(event, "usage"))
            case "interaction.status_update":
                return self._count(get(event, "usage"))
            case "interaction.failed" | "interaction.cancelled" | "interaction.incomplete" as kind:
                return self._end(kind.removeprefix("interaction."))
            case "error":
                error = get(event, "error")
                reason = word(error, "code") or word(error, "status") or "error"
                end = MessageEnd(reason, is_truncated=True)
                return [*self.finish(), provider_error(error or event, reason, event), end]
            case kind if kind is not None and not kind.startswith(_SILENT):
                return [Other(kind, event)]
        return []

    def _read_start(self, at: int | None, step: Any) -> list[Message]:
        match word(step, "type"):
            case "function_call":
                return [self._begin(at, step)]
            case "model_output":
                contents = items(step, "content")
                parts = [part for content in contents if (part := _output(content)) is not None]
                error = get(step, "error")
                return parts if error is None else [*parts, provider_error(error, None, step)]
            case "text" if piece := text(step, "text"):
                return [TextDelta(piece)]
            case "thought":
                return _thought(step)
            case kind if kind is not None and kind.endswith("_call"):
                self._server[at] = id = word(step, "id")
                given = arguments_text(get(step, "arguments") or None)
                return [ServerToolUpdate(id, kind.removesuffix("_call"), given, at)]
            case "function_result":
                return [ToolResult(word(step, "call_id"), get(step, "result"))]
            case kind if kind is not None and kind.endswith("_result"):
                id = word(step, "call_id") or word(step, "id")
                return [ServerToolResult(id, kind.removesuffix("_result"), get(step, "result"))]
            case kind if kind not in ("text", None):
                return [Other(kind, step)]
        return []

    def _read_delta(self, at: int | None, delta: Any) -> list[Message]:
        match word(delta, "type"):
            case "text" if piece := text(delta, "text"):
                return [TextDelta(piece)]
            case "arguments_delta":
                piece = arguments_text(get(delta, "arguments"))
                if at in self._server:
                    return [ServerToolUpdate(self._server[at], None, piece, at)]
                if piece or at not in self._open:
                    self._open[at] = ""
                return [ToolCallUpdate(index=at, function_args=piece)]
            case "function_call":
                return [self._begin(at, delta)]
            case "thought" | "thought_summary" | "thought_signature":
                return _thought(delta)
            case kind if kind is not None and kind.endswith("_call"):
                given = arguments_text(get(delta, "arguments"))
                return [ServerToolUpdate(word(delta, "id"), kind.removesuffix("_call"), given, at)]
            case "function_result":
                return [ToolResult(word(delta, "call_id"), get(delta, "result"))]
            case kind if kind is not None and kind.endswith("_result"):
                id = word(delta, "call_id") or word(delta, "id")
                return [ServerToolResult(id, kind.removesuffix("_result"), get(delta, "result"))]
            case kind if kind not in ("text", None):
                return [Other(kind, delta)]
        return []

    def _begin(self, at: int | None, call: Any) -> Message:
        """Begin a call; its arguments are ``{}`` both when they follow and when there are none."""
        self._open[at] = arguments_text(get(call, "arguments") or None) or self._open.get(at, "")
        return ToolCallUpdate(word(call, "id"), at, word(call, "name"), "")

    def _given(self, at: int | None) -> list[Message]:
        """Return arguments that came with the start and never as deltas."""
        given = self._open.pop(at)
        return [ToolCallUpdate(index=at, function_args=given)] if given else []

    def _count(self, used: Any) -> list[Message]:
        """Return the usage so far, if it has changed."""
        usage = usage_of(used)
        if usage is None or (self._usage is not None and usage[:4] == self._usage[:4]):
            return []
        self._usage = usage
        return [usage]

    def _end(self, reason: str, used: Any = None) -> list[Message]:
        messages = [*self.finish(), *self._count(used)]
        return [*messages, MessageEnd(reason, is_truncated=reason in _CUT, usage=self._usage)]

    def finish(self) -> list[Message]:
        """Return the held-back arguments of calls without an end event."""
        return [message for at in list(self._open) for message in self._given(at)]


def _output(content: Any) -> Message | None:
    """Read a content that a step begins with: text, or another one such as an image."""
    kind = word(content, "type")
    if kind in ("text", None):
        return TextDelta(piece) if (piece := text(content, "text")) else None
    return Other(kind, content)


def _thought(thought: Any) -> list[Message]:
    content = get(thought, "content")
    contents = content if isinstance(content, list) else items(thought, "summary") or [content]
    messages: list[Message] = [
        ReasoningDelta(piece, "summary")
        for piece in (text(content, "text") for content in contents if not isinstance(content, str))
        if piece
    ]
    if piece := text(thought, "text") or text(thought, "thought"):
        messages.append(ReasoningDelta(piece))
    if signature := word(thought, "signature"):
        messages.append(ReasoningDelta("", signature=signature))
    return messages

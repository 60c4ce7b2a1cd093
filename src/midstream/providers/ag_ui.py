"""AG-UI, the agent–user interaction protocol.

A call arrives as ``TOOL_CALL_START``, ``_ARGS`` and ``_END``, or as ``TOOL_CALL_CHUNK``s that replace all
three: the first one starts a call, those without an id continue it, and the next other part ends it.

A run may have several messages: the text of the first one has no message id, that of the others their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import (
    MessageEnd,
    Other,
    ReasoningDelta,
    TextDelta,
    ToolCallEnd,
    ToolCallUpdate,
    ToolResult,
    Usage,
)
from ._adapter import Adapter as BaseAdapter
from ._parts import provider_error, usage_of
from ._reading import get, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

_TYPES = {
    "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TEXT_MESSAGE_CHUNK",
    "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_CHUNK", "TOOL_CALL_RESULT",
    "STATE_SNAPSHOT", "STATE_DELTA", "MESSAGES_SNAPSHOT", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA",
    "RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "STEP_STARTED", "STEP_FINISHED",
    "SUBAGENT_STARTED", "SUBAGENT_FINISHED", "SUBAGENT_ERROR",
    "REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END",
    "REASONING_MESSAGE_CHUNK", "REASONING_END", "REASONING_ENCRYPTED_VALUE",
    "THINKING_START", "THINKING_END", "THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_CONTENT",
    "THINKING_TEXT_MESSAGE_END",
}  # fmt: skip
_REASONING = {
    "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_CHUNK", "THINKING_TEXT_MESSAGE_CONTENT",
}  # fmt: skip
_SILENT = {
    "", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK", "TEXT_MESSAGE_END", "RUN_STARTED",
    "STEP_STARTED", "STEP_FINISHED", "SUBAGENT_STARTED", "SUBAGENT_FINISHED", "REASONING_START",
    "REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "REASONING_END", "THINKING_START", "THINKING_END",
    "THINKING_TEXT_MESSAGE_START", "THINKING_TEXT_MESSAGE_END",
}  # fmt: skip
# the prefixes of message parts, which end a call that comes in chunks
_PARTS = ("TEXT_MESSAGE_", "TOOL_CALL_", "REASONING_MESSAGE_", "THINKING_TEXT_MESSAGE_")


class Adapter(BaseAdapter):
    """Read the events of a run, chunks included."""

    def __init__(self) -> None:
        # by subagent: id and name of the call that comes in chunks
        self._chunked: dict[str | None, tuple[str | None, str | None]] = {}
        # by the id of a message: the message id of its text
        self._texts: dict[str, str | None] = {}

    @staticmethod
    def knows(event: Any) -> bool:
        return word(event, "type") in _TYPES

    def _read(self, event: Any) -> list[Message]:
        kind, id = word(event, "type") or "", word(event, "toolCallId")
        if kind == "TOOL_CALL_CHUNK":
            return self._read_chunk(event, id)
        messages = self._end_chunked(event, id) if kind.startswith(_PARTS) else []
        match kind:
            case "TOOL_CALL_START":
                messages.append(
                    ToolCallUpdate(id, function_name=word(event, "toolCallName"), function_args="")
                )
            case "TOOL_CALL_ARGS":
                messages.append(ToolCallUpdate(id, function_args=text(event, "delta")))
            case "TOOL_CALL_END":
                messages.append(ToolCallEnd(id))
            case "TOOL_CALL_RESULT":
                messages.append(ToolResult(id, get(event, "content")))
            case "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" if piece := text(event, "delta"):
                messages.append(TextDelta(piece, self._message_id(word(event, "messageId"))))
            case "TEXT_MESSAGE_END" if ended := self._texts.get(word(event, "messageId") or ""):
                self._texts[ended] = None
                messages.append(MessageEnd(message_id=ended))
            case _ if kind in _REASONING:
                if piece := text(event, "delta"):
                    messages.append(ReasoningDelta(piece))
            case "REASONING_ENCRYPTED_VALUE":
                messages.append(ReasoningDelta("", "redacted", word(event, "encryptedValue")))
            case "RUN_FINISHED":
                # an absent outcome means success
                outcome = word(get(event, "outcome"), "type") or "success"
                messages += [
                    Other(name, part)
                    for name, part in (
                        ("result", get(event, "result")),
                        ("interrupts", get(get(event, "outcome"), "interrupts")),
                    )
                    if part is not None
                ]
                messages += self._end(event, MessageEnd(outcome, is_truncated=outcome == "cancelled"))
            case "RUN_ERROR":
                reason = word(event, "code") or "error"
                messages.append(provider_error(event, reason))
                messages += self._end(event, MessageEnd(reason, is_truncated=True))
            case _ if kind not in _SILENT:
                messages.append(Other(kind, event))
        return messages

    def _message_id(self, id: str | None) -> str | None:
        if id is None:
            # a chunk that continues the latest message
            return next(reversed(self._texts.values()), None)
        return self._texts.setdefault(id, id if self._texts else None)

    def _end(self, event: Any, end: MessageEnd) -> list[Message]:
        """End the run, and the messages that have not ended before."""
        usage = _usage(event)
        ends: list[Message] = [end._replace(message_id=id) for id in self._texts.values() if id is not None]
        self._texts.clear()
        self._chunked.clear()
        return [*ends, end] if usage is None else [usage, *ends, end._replace(usage=usage)]

    def _read_chunk(self, event: Any, id: str | None) -> list[Message]:
        agent, name = word(event, "subagentRunId"), word(event, "toolCallName")
        open_id, open_name = self._chunked.get(agent, (None, None))
        messages: list[Message] = []
        if open_id is not None:
            if id in (None, open_id) and name in (None, open_name):
                return [ToolCallUpdate(open_id, function_args=text(event, "delta"))]
            messages = self._end_chunked(event, None)
        # without an id, only the name separates two calls
        self._chunked[agent] = id, name or open_name
        messages.append(ToolCallUpdate(id, function_name=name, function_args=text(event, "delta")))
        return messages

    def _end_chunked(self, event: Any, id: str | None) -> list[Message]:
        """End the call that comes in chunks, unless the event belongs to it."""
        agent = word(event, "subagentRunId")
        open_id, _ = self._chunked.get(agent, (None, None))
        if agent not in self._chunked or (id is not None and id == open_id):
            return []
        del self._chunked[agent]
        return [ToolCallEnd(open_id)]


def _usage(event: Any) -> Usage | None:
    """Add up the usage of a run, which has an entry for each provider and model."""
    raw = get(event, "usage")
    used = [found for entry in items(event, "usage") if (found := usage_of(entry)) is not None]
    if not used:
        return None
    columns = zip(*(usage[:4] for usage in used), strict=True)
    known = [[count for count in column if count is not None] for column in columns]
    given, made, cached, reasoned = [sum(counts) if counts else None for counts in known]
    return Usage(given, made, cached, reasoned, raw)

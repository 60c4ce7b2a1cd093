"""Cohere's chat (version 2): content and tool calls, each with a start, deltas and an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import MessageEnd, Other, ReasoningDelta, TextDelta, ToolCallEnd, ToolCallUpdate
from ._adapter import Adapter as BaseAdapter
from ._parts import provider_error, usage_of
from ._reading import arguments_text, get, index, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

_TYPES = {
    "message-start", "content-start", "content-delta", "content-end", "tool-plan-delta", "tool-call-start",
    "tool-call-delta", "tool-call-end", "citation-start", "citation-end", "message-end",
}  # fmt: skip
# finish reasons after which the last part of the message is incomplete
_CUT = {"MAX_TOKENS", "ERROR", "TIMEOUT", "ERROR_TOXIC", "ERROR_LIMIT"}
_FAILED = {"ERROR", "TIMEOUT", "ERROR_TOXIC", "ERROR_LIMIT"}


class Adapter(BaseAdapter):
    """Read the events from ``message-start`` to ``message-end``.

    The index of a call counts the calls alone, the index of content the contents.
    """

    @staticmethod
    def knows(event: Any) -> bool:
        # version 4 of Vercel's SDK has parts with two of these types
        return word(event, "type") in _TYPES and get(event, "toolCallId") is None

    def _read(self, event: Any) -> list[Message]:
        at, delta = index(event, "index"), get(event, "delta")
        message = get(delta, "message")
        match word(event, "type"):
            case "content-start" | "content-delta":
                content = get(message, "content")
                # older versions send a list in the start
                contents = items(message, "content") or [content]
                parts = [part for content in contents for part in _parts(content)]
                logprobs = get(event, "logprobs")
                return [*parts, Other("logprobs", logprobs)] if logprobs else parts
            case "tool-plan-delta":
                plan = text(message, "tool_plan")
                return [ReasoningDelta(plan, kind="summary")] if plan else []
            case "tool-call-start" | "tool-call-delta":
                return [_update(at, call) for call in _calls(message)]
            case "tool-call-end":
                return [ToolCallEnd(index=at)]
            case "citation-start":
                return [Other("citation", get(message, "citations"))]
            case "message-end":
                return self._end(delta)
            case "message-start" | "content-end" | "citation-end":
                return []
            case kind:
                error = get(event, "error")
                if error is not None:
                    reported = provider_error(error, None, event)
                    return [reported, MessageEnd(reported.type, is_truncated=True)]
                return [] if kind is None else [Other(kind, event)]

    def _end(self, delta: Any) -> list[Message]:
        reason, usage = word(delta, "finish_reason"), usage_of(get(delta, "usage"))
        end = MessageEnd(reason, is_truncated=reason in _CUT, usage=usage)
        messages: list[Message] = [] if usage is None else [usage]
        if reason in _FAILED:
            messages.append(
                provider_error(text(delta, "error") or f"the message ended with {reason}", reason)
            )
        return [*messages, end]


def _parts(content: Any) -> list[Message]:
    messages: list[Message] = []
    if thought := text(content, "thinking"):
        messages.append(ReasoningDelta(thought))
    if piece := text(content, "text"):
        messages.append(TextDelta(piece))
    return messages


def _calls(message: Any) -> list[Any]:
    calls = get(message, "tool_calls")
    return calls if isinstance(calls, list) else [] if calls is None else [calls]


def _update(at: int | None, call: Any) -> ToolCallUpdate:
    function = get(call, "function")
    arguments = arguments_text(get(function, "arguments"))
    return ToolCallUpdate(word(call, "id"), at, word(function, "name"), arguments)

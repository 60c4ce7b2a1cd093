"""Bedrock ConverseStream: every event is a dict with one member, whose key is the event's type."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
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
)
from ._adapter import Adapter as BaseAdapter
from ._parts import provider_error, usage_of
from ._reading import arguments_text, get, index, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

_EVENTS = ("messageStart", "messageStop", "contentBlockStart", "contentBlockDelta", "contentBlockStop")
_EXCEPTIONS = (
    "internalServerException", "modelStreamErrorException", "serviceUnavailableException",
    "throttlingException", "validationException", "modelTimeoutException", "serviceQuotaExceededException",
)  # fmt: skip
# stop reasons after which the last block is incomplete
_CUT = {
    "content_filtered", "guardrail_intervened", "malformed_model_output", "malformed_tool_use", "max_tokens",
    "model_context_window_exceeded",
}  # fmt: skip


class Adapter(BaseAdapter):
    """Read the events from ``messageStart`` to ``messageStop``.

    The index counts all blocks, including text and reasoning; text blocks often have no start event.
    """

    def __init__(self) -> None:
        self._open: set[int | None] = set()
        # the open calls of tools that the provider executes
        self._server: dict[int | None, str | None] = {}

    @staticmethod
    def knows(event: Any) -> bool:
        return any(get(event, name) is not None for name in (*_EVENTS, *_EXCEPTIONS))

    def _read(self, event: Any) -> list[Message]:
        if (start := get(event, "contentBlockStart")) is not None:
            return self._read_start(index(start, "contentBlockIndex"), get(start, "start"))
        if (delta := get(event, "contentBlockDelta")) is not None:
            return self._read_delta(index(delta, "contentBlockIndex"), get(delta, "delta"))
        if (stop := get(event, "contentBlockStop")) is not None:
            at = index(stop, "contentBlockIndex")
            if at in self._open:
                self._open.remove(at)
                return [ToolCallEnd(index=at)]
        if reason := word(get(event, "messageStop"), "stopReason"):
            more = get(get(event, "messageStop"), "additionalModelResponseFields")
            others: list[Message] = [Other("additionalModelResponseFields", more)] if more else []
            return [*others, MessageEnd(reason, is_truncated=reason in _CUT)]
        return self._read_other(event)

    def _read_other(self, event: Any) -> list[Message]:
        if (metadata := get(event, "metadata")) is not None:
            usage = usage_of(get(metadata, "usage"))
            members = metadata.items() if isinstance(metadata, Mapping) else ()
            # such as the trace of a guardrail
            others: list[Message] = [Other(name, part) for name, part in members if name != "usage" and part]
            return others if usage is None else [usage, *others]
        for name in _EXCEPTIONS:
            if (exception := get(event, name)) is not None:
                return [provider_error(exception, name), MessageEnd(name, is_truncated=True)]
        members = event.items() if isinstance(event, Mapping) else ()
        return [Other(n, part) for n, part in members if isinstance(part, Mapping) and n not in _EVENTS]

    def _read_start(self, at: int | None, start: Any) -> list[Message]:
        tool, result = get(start, "toolUse"), get(start, "toolResult")
        if result is not None:
            return [ServerToolResult(word(result, "toolUseId"), word(result, "type"), result)]
        if tool is None:
            members = start.items() if isinstance(start, Mapping) else ()
            return [Other(name, value) for name, value in members if value]
        if word(tool, "type") == "server_tool_use":
            id = word(tool, "toolUseId")
            self._server[at] = id
            return [ServerToolUpdate(id, word(tool, "name"), "", at)]
        self._open.add(at)
        return [ToolCallUpdate(word(tool, "toolUseId"), at, word(tool, "name"), "")]

    def _read_delta(self, at: int | None, delta: Any) -> list[Message]:
        if piece := text(delta, "text"):
            return [TextDelta(piece)]
        if (reasoning := get(delta, "reasoningContent")) is not None:
            return [_reasoning(reasoning)]
        tool = get(delta, "toolUse")
        if tool is None:
            others = ("citation", "toolResult", "image")
            return [Other(name, get(delta, name)) for name in others if get(delta, name) is not None]
        if at in self._server:
            return [ServerToolUpdate(self._server[at], None, arguments_text(get(tool, "input")), at)]
        self._open.add(at)
        return [ToolCallUpdate(index=at, function_args=arguments_text(get(tool, "input")))]


def _reasoning(reasoning: Any) -> ReasoningDelta:
    redacted = get(reasoning, "redactedContent")
    if redacted is not None:
        data = b64encode(redacted).decode() if isinstance(redacted, bytes) else str(redacted)
        return ReasoningDelta("", "redacted", data)
    return ReasoningDelta(text(reasoning, "text"), signature=word(reasoning, "signature"))

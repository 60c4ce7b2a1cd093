"""LangChain message chunks, bare or as LangGraph and ``astream_events`` wrap them.

``tool_call_chunks`` hold the calls of all integrations in one shape; ``content`` may repeat them in the
provider's own form. A stream may carry several messages, of an agent's steps or of models that run
concurrently, so each run uses the lowest choice that is free while it lasts.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from ..calls.messages import (
    MessageEnd,
    Other,
    ReasoningDelta,
    RefusalDelta,
    ServerToolResult,
    ServerToolUpdate,
    TextDelta,
    ToolCallEnd,
    ToolCallUpdate,
    ToolResult,
)
from ._adapter import Adapter as BaseAdapter
from ._parts import usage_of
from ._reading import arguments_text, get, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

_ANSWERS = {"AIMessageChunk", "ai"}
_RESULTS = {"ToolMessageChunk", "tool"}
# blocks that repeat what ``tool_call_chunks`` has
_CALL_BLOCKS = {
    "tool_use", "tool_call", "tool_call_chunk", "input_json_delta", "function_call", "tool_calls",
    "invalid_tool_call",
}  # fmt: skip
# each integration keeps its provider's reason under its provider's name
_REASONS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
# reasons, in lower case, after which the last part of the message is incomplete
_CUT = {
    "length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded",
    "content_filter", "content_filtered", "guardrail_intervened", "safety", "recitation", "refusal",
    "error", "failed", "incomplete",
}  # fmt: skip


class Adapter(BaseAdapter):
    """Read ``AIMessageChunk``, ``AIMessage`` and ``ToolMessage``."""

    def __init__(self) -> None:
        # the choice of each active run, the runs that streamed, and those whose message has ended
        self._choices: dict[str | None, int] = {}
        self._streamed: set[str | None] = set()
        self._ended: set[str | None] = set()

    @staticmethod
    def knows(event: Any) -> bool:
        message, _, kind = _unwrapped(event)
        if kind is not None or _is_part(event):
            return True
        if word(message, "type") == "ai":
            return get(message, "response_metadata") is not None or get(message, "tool_calls") is not None
        return word(message, "type") == "AIMessageChunk" or get(message, "tool_call_chunks") is not None

    def _read(self, event: Any) -> list[Message]:
        message, run, kind = _unwrapped(event)
        if word(message, "type") in _RESULTS:
            return [ToolResult(word(message, "tool_call_id"), get(message, "content"))]
        if word(message, "type") not in _ANSWERS and get(message, "tool_call_chunks") is None:
            return _passed_through(event, kind)
        if kind == "on_chat_model_end" and run in self._streamed:
            # a repetition of the complete message
            return []
        self._streamed.add(run)
        return self._read_answer(message, run)

    def _read_answer(self, message: Any, run: str | None) -> list[Message]:
        in_use = self._choices.values()
        choice = self._choices.get(run, next(number for number in count() if number not in in_use))
        messages = [*_contents(message, choice), *_calls(message, choice)]
        usage = usage_of(get(message, "usage_metadata"))
        if usage is not None:
            messages.append(usage)
        if run in self._ended and (not messages or messages == [usage]):
            # after the reason: the usage, and an empty last chunk
            return messages
        self._choices[run] = choice
        self._ended.discard(run)
        reason = _reason(message)
        is_last = word(message, "chunk_position") == "last" or word(message, "type") == "ai"
        if is_last or reason is not None:
            del self._choices[run]
            self._ended.add(run)
            is_cut = reason is not None and reason.lower() in _CUT
            messages.append(MessageEnd(reason, is_truncated=is_cut, choice=choice, usage=usage))
        return messages


def _unwrapped(event: Any) -> tuple[Any, str | None, str | None]:
    """Return the message in an event, its run and, for `astream_events`, the kind of the event."""
    match event:
        case [*_, "messages", payload] | [_, [_, _] as payload]:
            # several stream modes at once, or a subgraph's namespace
            return _unwrapped(payload)
        case [message, metadata]:
            return _plain(message), word(metadata, "langgraph_checkpoint_ns"), None
    if word(event, "type") == "messages":
        return _unwrapped(get(event, "data"))
    kind, run = word(event, "event"), word(event, "run_id")
    if kind is None or not kind.startswith("on_") or run is None:
        return _plain(event), None, None
    match kind:
        case "on_chat_model_stream":
            return _plain(get(get(event, "data"), "chunk")), run, kind
        case "on_chat_model_end" | "on_tool_end":
            return _plain(get(get(event, "data"), "output")), run, kind
    return None, run, kind


def _is_part(event: Any) -> bool:
    """Report whether an event is one of LangGraph's second form, which names its mode."""
    return isinstance(event, Mapping) and {"type", "ns", "data"} <= event.keys()


def _plain(message: Any) -> Any:
    """Return the message itself, also of one in LangChain's serialized form."""
    return message if get(message, "lc") is None else get(message, "kwargs")


def _passed_through(event: Any, kind: str | None) -> list[Message]:
    """Return an event without a message: LangGraph's other stream modes, and an application's own events."""
    if kind == "on_custom_event":
        return [Other(word(event, "name") or kind, get(event, "data"))]
    if kind is None and _is_part(event):
        return [Other(word(event, "type") or "", get(event, "data"))]
    match event:
        case [*_, str() as mode, payload] if kind is None and mode != "messages":
            return [Other(mode, payload)]
    return []


def _contents(message: Any, choice: int) -> list[Message]:
    content, extra = get(message, "content"), get(message, "additional_kwargs")
    blocks = items(message, "content") if not isinstance(content, str) else [content]
    messages: list[Message] = []
    if piece := text(extra, "reasoning_content"):
        messages.append(ReasoningDelta(piece, choice=choice))
    for block in blocks:
        messages += [TextDelta(block, choice=choice)] if isinstance(block, str) else _block(block, choice)
    if refusal := text(extra, "refusal"):
        messages.append(RefusalDelta(refusal, choice=choice))
    return [message for message in messages if not isinstance(message, TextDelta) or message.text]


def _block(block: Any, choice: int) -> list[Message]:
    """Read a block of content, in LangChain's standard form or in the provider's."""
    id, name = word(block, "id"), word(block, "name")
    match word(block, "type"):
        case "text":
            cited = [(name, get(block, name)) for name in ("annotations", "citations")]
            others = [Other(name, value, choice=choice) for name, value in cited if value]
            return [TextDelta(text(block, "text"), choice=choice), *others]
        case "reasoning" | "thinking" | "reasoning_content" | "redacted_thinking" as kind:
            return _reasoning(block, kind, choice)
        case "refusal":
            return [RefusalDelta(text(block, "refusal"), choice=choice)]
        case "server_tool_call" | "server_tool_call_chunk" | "server_tool_use":
            given = get(block, "args") or get(block, "input") or get(block, "partial_json")
            return [ServerToolUpdate(id, name, arguments_text(given), choice=choice)]
        case "server_tool_result":
            result = get(block, "output")
            return [ServerToolResult(word(block, "tool_call_id"), name, result, choice=choice)]
        case kind if kind is None or kind in _CALL_BLOCKS:
            return []
        case kind:
            return [Other(kind, block, choice=choice)]


def _reasoning(block: Any, kind: str, choice: int) -> list[Message]:
    if kind == "redacted_thinking":
        return [ReasoningDelta("", "redacted", word(block, "data"), choice=choice)]
    nested = get(block, "reasoning_content")
    block = nested if kind == "reasoning_content" and nested is not None else block
    summary = "".join(text(part, "text") for part in items(block, "summary"))
    piece = text(block, "reasoning") or text(block, "thinking") or text(block, "text")
    signature = word(block, "signature") or word(get(block, "extras"), "signature")
    if not (piece or summary or signature):
        return []
    return [ReasoningDelta(piece or summary, "summary" if summary else "reasoning", signature, choice=choice)]


def _calls(message: Any, choice: int) -> list[Message]:
    if chunks := items(message, "tool_call_chunks"):
        return [_update(chunk, choice) for chunk in chunks]
    # a message that was not streamed
    messages: list[Message] = []
    for name, failed in (("tool_calls", False), ("invalid_tool_calls", True)):
        for call in items(message, name):
            end = ToolCallEnd(word(call, "id"), failed=failed, choice=choice)
            messages += [_update(call, choice), end]
    return messages


def _update(call: Any, choice: int) -> Message:
    index = get(call, "index")
    return ToolCallUpdate(
        word(call, "id"),
        index if isinstance(index, (int, str)) and not isinstance(index, bool) else None,
        word(call, "name"),
        arguments_text(get(call, "args")),
        choice=choice,
    )


def _reason(message: Any) -> str | None:
    metadata = get(message, "response_metadata")
    for name in _REASONS:
        if reason := word(metadata, name):
            return reason
    if word(metadata, "status") in ("completed", "incomplete", "failed"):
        return word(get(metadata, "incomplete_details"), "reason") or word(metadata, "status")
    return None

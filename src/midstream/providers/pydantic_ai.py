"""pydantic-ai: the parts of a model's response, and the tool events of the agent.

``PartEndEvent`` does not end a call: the library emits it whenever the next part starts, and deltas of
the previous part may still follow. Only the one without a next part, at the end of the response, ends
calls; so does the event that a tool is called, because it has the arguments. Indices restart with each
response.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
)
from ._adapter import Adapter as BaseAdapter
from ._parts import usage_of
from ._reading import arguments_text, get, index, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

# finish reasons after which the last part of the message is incomplete
_CUT = {"length", "content_filter", "error"}


@dataclass(slots=True)
class _Part:
    """A call whose arguments may still grow; arguments as a dict are held until it is complete."""

    id: str | None
    name: str
    held: dict[str, Any] | None = None
    has_text: bool = False
    has_ended: bool = False


class Adapter(BaseAdapter):
    """Read the events of a model's response or of an agent's run."""

    def __init__(self) -> None:
        # the parts of this response: the open calls, None for other parts
        self._parts: dict[int | None, _Part | None] = {}
        self._is_over = False
        # the open calls of tools that the provider executes
        self._server: dict[int | None, str | None] = {}
        # the ids of all calls so far
        self._ids: set[str] = set()

    @staticmethod
    def knows(event: Any) -> bool:
        return word(event, "event_kind") is not None

    def _read(self, event: Any) -> list[Message]:
        at, part = index(event, "index"), get(event, "part")
        match word(event, "event_kind"):
            case "part_start":
                return self._start(at, part)
            case "part_delta":
                return self._add_delta(at, get(event, "delta"))
            case "part_end":
                if (call := self._parts.get(at)) is not None:
                    call.has_ended = True
                if word(event, "next_part_kind") is None:
                    self._is_over = True
                    return self._end_calls(only_ended=True)
            case "function_tool_call" | "output_tool_call":
                self._is_over = True
                return self._make_call(part)
            case "function_tool_result" | "output_tool_result":
                self._is_over = True
                # older versions name the field result
                result = get(event, "result") if part is None else part
                return [ToolResult(word(result, "tool_call_id"), get(result, "content"))]
            case "agent_run_result":
                self._is_over = True
                result = get(event, "result")
                reason, usage = _finish_reason(result), _usage(result)
                messages = self.finish() if usage is None else [*self.finish(), usage]
                return [*messages, MessageEnd(reason, is_truncated=reason in _CUT, usage=usage)]
            case kind if kind not in (None, "final_result"):
                return [Other(kind, event)]
        return []

    def finish(self) -> list[Message]:
        """Return the held-back arguments of calls without an end event."""
        calls = [(at, call) for at, call in self._parts.items() if call is not None]
        return [message for at, call in calls for message in self._release(at, call)]

    def _start(self, at: int | None, part: Any) -> list[Message]:
        messages: list[Message] = []
        if self._is_over:
            messages = self._end_calls()
            self._parts.clear()
            self._server.clear()
            self._is_over = False
        if word(part, "part_kind") != "tool-call":
            self._parts[at] = None
            return messages + self._start_other(at, part)
        id, name, given = word(part, "tool_call_id"), word(part, "tool_name") or "", get(part, "args")
        call = self._parts.get(at)
        if call is not None and (id == call.id or (call.held is not None and isinstance(given, Mapping))):
            # a part that starts again replaces the earlier one, unless its arguments were emitted
            call.held = None
            return [*messages, self._update(at, call, id), *self._add_missing(at, call, given)]
        if call is not None:
            messages += self._end_call(at, call)
        call = self._parts[at] = _Part(None, name)
        messages.append(self._update(at, call, id, name))
        return messages + self._add_arguments(at, call, given)

    def _start_other(self, at: int | None, part: Any) -> list[Message]:
        """Read the start of a part that is not a call of the client."""
        id, name = word(part, "tool_call_id"), word(part, "tool_name")
        match word(part, "part_kind"):
            case "text":
                piece = text(part, "content")
                return [TextDelta(piece)] if piece else []
            case "thinking":
                piece, signature = text(part, "content"), word(part, "signature")
                return [ReasoningDelta(piece, signature=signature)] if piece or signature else []
            case "builtin-tool-call" | "native-tool-call":
                self._server[at] = id
                return [ServerToolUpdate(id, name, arguments_text(get(part, "args")), at)]
            case "builtin-tool-return" | "native-tool-return":
                return [ServerToolResult(id, name, get(part, "content"))]
            case kind if kind is not None:
                return [Other(kind, part)]
        return []

    def _add_delta(self, at: int | None, delta: Any) -> list[Message]:
        match word(delta, "part_delta_kind"):
            case "text" if piece := text(delta, "content_delta"):
                return [TextDelta(piece)]
            case "thinking":
                piece, signature = text(delta, "content_delta"), word(delta, "signature_delta")
                return [ReasoningDelta(piece, signature=signature)] if piece or signature else []
            case "tool_call" if at in self._server:
                given = arguments_text(get(delta, "args_delta"))
                return [ServerToolUpdate(self._server[at], None, given, at)]
            case "tool_call":
                pass
            case kind:
                # speech, or what a later version has
                return [Other(kind, delta)] if kind not in ("text", None) else []
        more, id = text(delta, "tool_name_delta"), word(delta, "tool_call_id")
        messages: list[Message] = []
        call = self._parts.setdefault(at, _Part(None, ""))
        if call is None:
            return []
        if more or id not in (None, call.id):
            call.name += more
            messages.append(self._update(at, call, id or call.id, call.name if more else None))
        return messages + self._add_arguments(at, call, get(delta, "args_delta"))

    def _add_arguments(self, at: int | None, call: _Part, given: Any) -> list[Message]:
        if isinstance(given, Mapping) and not call.has_text:
            call.held = {**(call.held or {}), **given}
        elif isinstance(given, str) and given and call.held is None:
            call.has_text = True
            return [ToolCallUpdate(call.id, at, function_args=given)]
        return []

    def _add_missing(self, at: int | None, call: _Part, given: Any) -> list[Message]:
        """Add complete arguments, unless they came in pieces."""
        return [] if call.has_text or call.held is not None else self._add_arguments(at, call, given)

    def _update(self, at: int | None, call: _Part, id: str | None, name: str | None = None) -> Message:
        if id is not None:
            self._ids.add(id)
            call.id = id
        return ToolCallUpdate(id, at, name, "")

    def _make_call(self, part: Any) -> list[Message]:
        """Complete the call that the agent makes: the event has all arguments."""
        id, given = word(part, "tool_call_id"), get(part, "args")
        for at, call in self._parts.items():
            if call is not None and call.id == id:
                return [*self._add_missing(at, call, given), *self._end_call(at, call)]
        if id in self._ids or part is None:
            return []
        if id is not None:
            self._ids.add(id)
        return [ToolCallUpdate(id, None, word(part, "tool_name"), arguments_text(given)), ToolCallEnd(id)]

    def _end_calls(self, only_ended: bool = False) -> list[Message]:
        calls = [(at, call) for at, call in self._parts.items() if call is not None]
        calls = [(at, call) for at, call in calls if call.has_ended or not only_ended]
        return [message for at, call in calls for message in self._end_call(at, call)]

    def _end_call(self, at: int | None, call: _Part) -> list[Message]:
        self._parts[at] = None
        return [*self._release(at, call), ToolCallEnd(call.id, at)]

    def _release(self, at: int | None, call: _Part) -> list[Message]:
        held, call.held = call.held, None
        return [] if held is None else [ToolCallUpdate(call.id, at, function_args=arguments_text(held))]


def _usage(result: Any) -> Any:
    """Return the usage of a run: a property in some versions, a method in others."""
    used = get(result, "usage")
    return usage_of(used() if callable(used) else used)


def _finish_reason(result: Any) -> str | None:
    """Return the finish reason of the last response; a result that is a dict has it in its messages."""
    if not isinstance(result, Mapping):
        try:
            return word(get(result, "response"), "finish_reason")
        except ValueError:
            # a result without a response
            return None
    responses = [item for item in items(result, "messages") if word(item, "kind") == "response"]
    return word(responses[-1], "finish_reason") if responses else None

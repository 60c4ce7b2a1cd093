"""OpenAI Responses, and the events of the Realtime API, which have the same names.

The output of a response is a list of items. Deltas identify their item by ``item_id``, which some servers
change in mid-stream, and ``output_index``. The id that a tool result must carry, ``call_id``, is sent only
with the item. The arguments are sent four times: as deltas, complete when they end, complete with the
finished item, and in the finished response.

Items that the client must act on are calls: ``function_call``, ``custom_tool_call``, and those of the
built-in tools such as ``shell_call``, whose name is their type. Items that the provider executes itself,
such as ``web_search_call``, are server tools. The events of the OpenAI Agents SDK wrap those of Responses.

A response may have several messages, for example a commentary and the answer: the text of the first one has
no message id, that of the others the id of their item. In Realtime the message id is that of the response.
"""

from __future__ import annotations

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
from ._parts import provider_error, usage_of
from ._reading import arguments_text, fields, get, index, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message

__all__ = ["Adapter"]

# the types of items that are calls, and the field that holds the tool's arguments
_ARGUMENTS = {"function_call": "arguments", "custom_tool_call": "input"}
# calls of built-in tools that the client executes: the fields that are their arguments
_CLIENT_TOOLS: dict[str | None, tuple[str, ...]] = {
    "shell_call": ("action",),
    "local_shell_call": ("action",),
    "apply_patch_call": ("operation",),
    "computer_call": ("action", "actions", "pending_safety_checks"),
    "tool_search_call": ("arguments",),
    "mcp_approval_request": ("server_label", "name", "arguments"),
}
_SERVER_TOOLS = {
    "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call",
    "mcp_list_tools", "program",
}  # fmt: skip
_SERVER_INPUT = {"response.mcp_call_arguments.delta", "response.code_interpreter_call_code.delta"}
_ENDS: dict[str | None, str] = {
    f"response.{end}": end for end in ("completed", "incomplete", "failed", "cancelled", "done")
}
# events without content of their own: it has come as deltas, or comes with the item
_SILENT = {
    "response.created", "response.in_progress", "response.queued", "response.content_part.added",
    "response.content_part.done", "response.output_text.done", "response.text.done", "response.refusal.done",
    "response.reasoning_text.done", "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
    "response.output_audio.done", "response.output_audio_transcript.done", "response.output_item.added",
    "response.output_text.delta", "response.mcp_call_arguments.done", "keepalive",
    "response.code_interpreter_call_code.done",
}  # fmt: skip
_PROGRESS = (
    "response.web_search_call.", "response.file_search_call.", "response.code_interpreter_call.",
    "response.mcp_call.", "response.mcp_list_tools.", "response.shell_call_",
)  # fmt: skip
_AGENT_EVENTS = {"raw_response_event", "run_item_stream_event", "agent_updated_stream_event"}


class _Item:
    """A call, and which parts of it have been emitted."""

    __slots__ = (
        "call_id", "given", "index", "is_emitted", "is_ended", "is_free_text", "is_named", "response_id",
    )  # fmt: skip

    def __init__(self, index: int | str | None, is_free_text: bool, response_id: str | None) -> None:
        self.index = index
        self.response_id = response_id
        self.is_free_text = is_free_text
        self.call_id: str | None = None
        self.is_named = False
        # complete arguments from the start of the item, used if no deltas follow
        self.given = ""
        self.is_emitted = False
        self.is_ended = False

    def update(self, name: str | None = None, arguments: str = "") -> ToolCallUpdate:
        """Return a piece of the call."""
        self.is_emitted = self.is_emitted or arguments != ""
        self.is_named = self.is_named or name is not None
        return ToolCallUpdate(
            self.call_id, self.index, name, arguments, None, self.response_id, 0, self.is_free_text
        )


class Adapter(BaseAdapter):
    """Read the events from ``response.created`` to ``response.completed``."""

    def __init__(self) -> None:
        self._items: dict[Any, _Item] = {}
        self._latest: _Item | None = None
        # the items whose text, refusal or reasoning has come as deltas
        self._said: set[Any] = set()
        # the messages of the response: the message id of their text
        self._outputs: dict[Any, str | None] = {}
        # whether the response has said anything
        self._has_output = False

    @staticmethod
    def knows(event: Any) -> bool:
        kind = word(event, "type") or ""
        return kind.startswith("response.") or kind in _AGENT_EVENTS

    def _read(self, event: Any) -> list[Message]:
        original, event = event, fields(event)
        kind = word(event, "type")
        match kind:
            case "response.function_call_arguments.delta":
                return self._continue(event, text(event, "delta"), False)
            case "response.output_text.delta" | "response.text.delta":
                piece, id = text(event, "delta"), self._say(event)
                messages: list[Message] = [TextDelta(piece, id)] if piece else []
                if logprobs := get(event, "logprobs"):
                    messages.append(Other("logprobs", logprobs, id))
                return messages
            case "response.output_item.added" | "response.output_item.done":
                return self._read_item(event, kind == "response.output_item.done")
            case "response.custom_tool_call_input.delta":
                return self._continue(event, text(event, "delta"), True)
            case "response.function_call_arguments.done":
                return self._add_complete(event, arguments_text(get(event, "arguments")), False)
            case "response.custom_tool_call_input.done":
                return self._add_complete(event, text(event, "input"), True)
            case "response.created":
                # the indices begin again with each response
                self._forget(None)
                return []
            case "raw_response_event":
                return self._read(get(event, "data"))
            case _ if kind in _ENDS:
                return self._end_response(event, _ENDS[kind])
            case "error":
                return [*self.finish(), *_error(event)]
        return self._read_other(event, kind, original)

    def _read_other(self, event: Any, kind: str | None, original: Any) -> list[Message]:
        piece = text(event, "delta")
        match kind:
            case "response.reasoning_text.delta" | "response.reasoning_summary_text.delta":
                self._said.add(_place(event))
                what = "summary" if "summary" in kind else "reasoning"
                return [ReasoningDelta(piece, what, None, _response_id(event))] if piece else []
            case "response.refusal.delta":
                id = self._say(event)
                return [RefusalDelta(piece, id)] if piece else []
            case "response.output_text.annotation.added":
                return [Other("annotation", get(event, "annotation"))]
            case "run_item_stream_event" if (result := _agent_result(get(event, "item"))) is not None:
                return [result]
            case _ if kind in _SERVER_INPUT:
                id = word(event, "item_id")
                return [ServerToolUpdate(id, None, piece, index(event, "output_index"))] if piece else []
            case _ if kind is None or kind in _SILENT or kind.startswith(_PROGRESS):
                return []
        return [Other(kind, original)]

    def _end_response(self, event: Any, end: str) -> list[Message]:
        messages: list[Message] = []
        if not self._has_output and not self._items:
            # nothing else has come of it
            for at, item in enumerate(items(get(event, "response"), "output")):
                messages += self._read_item({"output_index": at, "item": item}, True)
        id = word(get(event, "response"), "id") if word(event, "type") == "response.done" else None
        messages += self._given(id)
        *rest, last = _end_of_response(event, end, id)
        assert isinstance(last, MessageEnd)
        ends = [last._replace(message_id=other, usage=None) for other in self._outputs.values() if other]
        self._forget(id)
        return [*messages, *rest, *ends, last]

    def _forget(self, response_id: str | None) -> None:
        """Forget a response that has ended, and what states no response."""
        ended = (None, response_id)
        self._items = {key: item for key, item in self._items.items() if item.response_id not in ended}
        self._said = {place for place in self._said if place[0] not in ended}
        self._outputs.clear()
        self._has_output = False

    def _say(self, event: Any) -> str | None:
        """Note a piece of a message, and return its message id."""
        self._has_output = True
        place = _place(event)
        self._said.add(place)
        return self._message_id(event, place)

    def _message_id(self, event: Any, place: Any) -> str | None:
        if place[0] is None and place not in self._outputs:
            id = word(event, "item_id") or word(get(event, "item"), "id")
            self._outputs[place] = id if self._outputs else None
        return place[0] or self._outputs[place]

    def _read_message(self, event: Any, is_done: bool) -> list[Message]:
        place, item = _place(event), get(event, "item")
        id = self._message_id(event, place)
        if not is_done:
            return []
        is_new = place not in self._said and (place[0], None) not in self._said
        messages = _contents(item, id) if is_new else []
        self._said -= {place, (place[0], None)}
        if id is not None and place[0] is None and word(item, "status") != "incomplete":
            # the end of the response ends the first message, and those that were cut off
            self._outputs[place] = None
            messages.append(MessageEnd(word(item, "status") or "completed", message_id=id))
        return messages

    def _read_item(self, event: Any, is_done: bool) -> list[Message]:
        self._has_output = True
        given = fields(get(event, "item"))
        kind, at = word(given, "type"), index(event, "output_index")
        if kind == "message":
            return self._read_message(event, is_done)
        if kind in _ARGUMENTS:
            return self._end(event, kind) if is_done else self._begin(event, kind)
        if kind in _CLIENT_TOOLS and word(given, "execution") != "server":
            id = word(given, "call_id") or word(given, "id")
            if not is_done:
                return [ToolCallUpdate(id, at, kind, "")]
            update = ToolCallUpdate(id, at, kind, _arguments_of(given, _CLIENT_TOOLS[kind]))
            return [update] if word(given, "status") == "incomplete" else [update, ToolCallEnd(id, at)]
        if kind in _SERVER_TOOLS or kind in _CLIENT_TOOLS:
            id = word(given, "id") or word(given, "call_id")
            if is_done:
                return [ServerToolResult(id, word(given, "name") or kind, get(event, "item"))]
            return [ServerToolUpdate(id, word(given, "name") or kind, "", at)]
        if kind == "reasoning":
            return self._read_reasoning(event, given) if is_done else []
        return [Other(kind, get(event, "item"))] if is_done and kind is not None else []

    def _read_reasoning(self, event: Any, item: Any) -> list[Message]:
        """Read the encrypted reasoning, and the reasoning that has not come as deltas."""
        id = _response_id(event)
        messages: list[Message] = []
        if _place(event) not in self._said:
            for name, kind in (("summary", "summary"), ("content", "reasoning")):
                pieces = [text(part, "text") for part in items(item, name)]
                messages += [ReasoningDelta(piece, kind, None, id) for piece in pieces if piece]
        if signature := word(item, "encrypted_content"):
            messages.append(ReasoningDelta("", "redacted", signature, id))
        return messages

    def _find(self, event: Any, is_free_text: bool) -> _Item:
        """Return the item that an event belongs to, a new one if its beginning was lost."""
        response_id = _response_id(event)
        id = word(event, "item_id") or word(get(event, "item"), "id")
        at = index(event, "output_index")
        for key in (id, (response_id, at) if at is not None else None):
            if key is not None and key in self._items:
                return self._items[key]
        if id is None and at is None and self._latest is not None:
            return self._latest
        item = self._new(id, at, is_free_text, response_id)
        # Realtime repeats it
        item.call_id = word(event, "call_id")
        return item

    def _new(self, id: str | None, at: int | None, is_free_text: bool, response_id: str | None) -> _Item:
        item = self._latest = _Item(id if at is None else at, is_free_text, response_id)
        for key in (id, (response_id, at) if at is not None else None):
            if key is not None:
                self._items[key] = item
        return item

    def _begin(self, event: Any, kind: str) -> list[Message]:
        given = get(event, "item")
        id = word(given, "id")
        item = self._items.get(id) if id is not None else None
        if item is None or item.is_ended:
            at = index(event, "output_index")
            item = self._new(id, at, kind == "custom_tool_call", _response_id(event))
        item.call_id = word(given, "call_id") or item.call_id
        item.given = arguments_text(get(given, _ARGUMENTS[kind]))
        return [item.update(word(given, "name"))]

    def _continue(self, event: Any, piece: str, is_free_text: bool) -> list[Message]:
        item = self._find(event, is_free_text)
        return [] if item.is_ended else [item.update(None, piece)]

    def _add_complete(self, event: Any, complete: str, is_free_text: bool) -> list[Message]:
        item = self._find(event, is_free_text)
        if item.is_emitted or item.is_ended or not complete:
            return []
        # Realtime repeats the name
        return [item.update(None if item.is_named else word(event, "name"), complete)]

    def _end(self, event: Any, kind: str) -> list[Message]:
        given = get(event, "item")
        item = self._find(event, kind == "custom_tool_call")
        if item.is_ended:
            return []
        item.call_id = item.call_id or word(given, "call_id")
        complete = arguments_text(get(given, _ARGUMENTS[kind]))
        messages: list[Message] = []
        if not item.is_named or (complete and not item.is_emitted):
            messages.append(item.update(word(given, "name"), "" if item.is_emitted else complete))
        if word(given, "status") == "incomplete":
            # the end of the response will cut it off
            return messages
        item.is_ended = True
        return [*messages, ToolCallEnd(item.call_id, item.index, message_id=item.response_id)]

    def finish(self) -> list[Message]:
        """Return arguments that came with the beginning of a call and were never repeated."""
        return [
            message
            for id in {item.response_id for item in self._items.values()}
            for message in self._given(id)
        ]

    def _given(self, response_id: str | None) -> list[Message]:
        # an item is listed under its id and its index, but emitted once
        return [
            item.update(None, item.given)
            for item in self._items.values()
            if item.response_id == response_id and item.given and not item.is_emitted and not item.is_ended
        ]


def _contents(item: Any, id: str | None) -> list[Message]:
    """Read a complete message whose text has not come as deltas."""
    messages: list[Message] = []
    for part in items(item, "content"):
        if piece := text(part, "text"):
            messages.append(TextDelta(piece, id))
        if refusal := text(part, "refusal"):
            messages.append(RefusalDelta(refusal, id))
        messages += [Other("annotation", annotation, id) for annotation in items(part, "annotations")]
    return messages


def _place(event: Any) -> tuple[str | None, int | str | None]:
    """Return the response and the item that an event belongs to; some servers change the id of the item."""
    at = index(event, "output_index")
    return _response_id(event), word(event, "item_id") if at is None else at


def _response_id(event: Any) -> str | None:
    """Return the response that an event belongs to: of several in one session, Realtime names it."""
    return word(event, "response_id")


def _arguments_of(item: Any, names: tuple[str, ...]) -> str:
    """Return the arguments of a built-in tool: the value of its only field, or an object of several."""
    values = {name: _plain(get(item, name)) for name in names}
    values = {name: value for name, value in values.items() if value is not None}
    value = values if len(names) > 1 and len(values) != 1 else next(iter(values.values()), None)
    if isinstance(value, str) and len(names) > 1:
        value = values
    return arguments_text(value)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def _agent_result(item: Any) -> ToolResult | None:
    """Read the output of a tool that an agent has called."""
    if word(item, "type") != "tool_call_output_item":
        return None
    return ToolResult(word(get(item, "raw_item"), "call_id"), get(item, "output"))


def _error(event: Any) -> list[Message]:
    error = get(event, "error")
    code = word(event, "code") or word(error, "code") or word(error, "type") or "error"
    reported = provider_error(event if error is None else error, code, event)
    return [reported, MessageEnd(code, is_truncated=True)]


def _end_of_response(event: Any, end: str, id: str | None) -> list[Message]:
    response = get(event, "response")
    status = word(response, "status")
    # Realtime, and some servers, use one event for every kind of end
    if end == "done" or (end == "completed" and status == "incomplete"):
        end = status or "completed"
    usage = usage_of(get(response, "usage"))
    details = get(response, "status_details")
    error = get(response, "error") or get(details, "error")
    messages: list[Message] = [] if usage is None else [usage._replace(message_id=id)]
    reason = word(get(response, "incomplete_details"), "reason") or word(details, "reason")
    if end not in ("completed", "incomplete"):
        reason = word(error, "code") or reason
    if end == "failed":
        messages.append(provider_error(error or "the response failed", reason)._replace(message_id=id))
    is_cut = end != "completed"
    return [*messages, MessageEnd((reason if is_cut else None) or end, is_cut, id, usage=usage)]

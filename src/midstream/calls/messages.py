"""The message types: one vocabulary for the streams of all providers.

Adapters turn a provider's events into messages, the middleware enriches them, the handler collects
them. All are immutable; `to_event` and `from_event` convert them to plain data and back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..accumulators.update import JsonFragmentUpdate
from ..errors import ErrorCode, Repair, invalid
from ..wire.form import to_wire
from .plain import plain, plain_data, read_repairs, write_repairs

# an update from the accumulator, or its wire form
Fragment = JsonFragmentUpdate | Mapping[str, Any]

__all__ = [
    "MessageEnd",
    "Other",
    "ProviderError",
    "ReasoningDelta",
    "RefusalDelta",
    "ServerToolResult",
    "ServerToolUpdate",
    "StreamSnapshot",
    "TextDelta",
    "ToolCallEnd",
    "ToolCallUpdate",
    "ToolCallsUpdate",
    "ToolResult",
    "Usage",
    "from_event",
    "to_event",
]


def fields_of(message: Any) -> Any:
    """Return a message to be unpacked; compiled, that is quicker than to read its fields (messages.pxd)."""
    return message


class ToolCallUpdate(NamedTuple):
    """A piece of a tool call: its beginning, its name, or more of its arguments.

    Any field may be absent, because providers omit them. ``message_id`` and ``choice`` identify the
    message in a stream with several. ``is_free_text`` means that the arguments are not JSON.
    ``args_offset`` counts the characters of arguments before this piece, so that a lost piece is
    detected. ``repairs`` says what the lenient dialect repaired in the text around the arguments, if a model
    wrote the call as text.

    >>> ToolCallUpdate(index=0, function_args='{"ci').function_args
    '{"ci'
    """

    tool_call_id: str | None = None
    index: int | str | None = None  # type: ignore[assignment]  # replaces tuple.index on purpose
    function_name: str | None = None
    function_args: str | None = None
    json_update_fragments: Sequence[Fragment] | None = None
    message_id: str | None = None
    choice: int = 0
    is_free_text: bool = False
    args_offset: int | None = None
    repairs: Sequence[Repair] = ()


class ToolCallsUpdate(NamedTuple):
    """Pieces of several calls of one message.

    >>> ToolCallsUpdate([ToolCallUpdate(index=0), ToolCallUpdate(index=1)], message_id="m1").message_id
    'm1'
    """

    tool_call_updates: Sequence[ToolCallUpdate]
    message_id: str | None = None


class ToolCallEnd(NamedTuple):
    """The end of a call: no more arguments follow.

    ``failed`` means that the provider reports the call as invalid.

    >>> ToolCallEnd(tool_call_id="call_1").failed
    False
    """

    tool_call_id: str | None = None
    index: int | str | None = None  # type: ignore[assignment]  # as above
    failed: bool = False
    message_id: str | None = None
    choice: int = 0


class TextDelta(NamedTuple):
    """A piece of the message's text; with structured output, of its JSON.

    >>> TextDelta('{"ci').text
    '{"ci'
    """

    text: str
    message_id: str | None = None
    choice: int = 0


class ToolResult(NamedTuple):
    """The result of a call, after which the call cannot change.

    >>> ToolResult("call_1", "22 degrees").tool_call_id
    'call_1'
    """

    tool_call_id: str | None = None
    result: Any = None
    message_id: str | None = None


class ReasoningDelta(NamedTuple):
    """A piece of the model's reasoning, which is not part of its answer.

    ``kind`` is "reasoning", "summary", or "redacted" for encrypted reasoning. ``signature`` is what the
    provider wants back unchanged with the next request; it may come without text.

    >>> ReasoningDelta("The user wants", kind="summary").text
    'The user wants'
    """

    text: str = ""
    kind: str = "reasoning"
    signature: str | None = None
    message_id: str | None = None
    choice: int = 0


class RefusalDelta(NamedTuple):
    """A piece of the model's refusal, which comes instead of the text that was asked for.

    >>> RefusalDelta("I can't help with that.").text
    "I can't help with that."
    """

    text: str = ""
    message_id: str | None = None
    choice: int = 0


class ServerToolUpdate(NamedTuple):
    """A piece of a call that the provider itself executes, such as a web search.

    ``input`` is a piece of the JSON text of its input. Such calls are never part of `tool_calls`.

    >>> ServerToolUpdate("srv_1", "web_search", '{"query": "wea').name
    'web_search'
    """

    tool_call_id: str | None = None
    name: str | None = None
    input: str | None = None
    index: int | str | None = None  # type: ignore[assignment]  # replaces tuple.index on purpose
    message_id: str | None = None
    choice: int = 0


class ServerToolResult(NamedTuple):
    """The result of a tool that the provider executed.

    >>> ServerToolResult("srv_1", "web_search", [{"url": "https://example.org"}]).name
    'web_search'
    """

    tool_call_id: str | None = None
    name: str | None = None
    result: Any = None
    message_id: str | None = None
    choice: int = 0


class Usage(NamedTuple):
    """The tokens used so far, cumulative; None where the provider does not say. ``raw`` is its own form.

    >>> Usage(input_tokens=12, output_tokens=30).output_tokens
    30
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    raw: Any = None
    message_id: str | None = None


class ProviderError(NamedTuple):
    """An error that the provider reports, as its first event or in mid-stream.

    ``status``, ``retry_after`` (seconds) and ``is_retryable`` are set where the provider says so.

    >>> ProviderError("overloaded_error", "Overloaded").type
    'overloaded_error'
    """

    type: str = "error"
    message: str = ""
    status: int | None = None
    retry_after: float | None = None
    is_retryable: bool | None = None
    message_id: str | None = None


class Other(NamedTuple):
    """A part of the stream without a type of its own here, such as a citation, as the provider sent it.

    >>> Other("citation", {"url": "https://example.org"}).type
    'citation'
    """

    type: str
    data: Any = None
    message_id: str | None = None
    choice: int = 0


class MessageEnd(NamedTuple):
    """The end of a message, with the provider's reason.

    ``is_truncated``: it was cut off, so its last part is incomplete. A choice of None ends all choices.
    ``usage`` is set if the provider has sent it by then.

    >>> MessageEnd("length", is_truncated=True).reason
    'length'
    """

    reason: str | None = None
    is_truncated: bool = False
    message_id: str | None = None
    choice: int | None = None
    usage: Usage | None = None


class StreamSnapshot(NamedTuple):
    """Everything that a stream has said so far, for clients that joined late or were too slow.

    It replaces all that came before it, and later messages continue it. ``messages`` has an entry for each
    message and choice: ``message_id``, ``text``, ``reasoning``, ``refusal``, ``usage``, ``finish_reason``,
    ``error``, and ``calls``, where each call has the fields of a `ToolCallUpdate` and a ``status``: open,
    complete, truncated, invalid or failed.

    >>> StreamSnapshot([{"message_id": "m1", "text": "Hel", "calls": []}]).messages[0]["text"]
    'Hel'
    """

    messages: Sequence[Mapping[str, Any]]
    stream: str | None = None


Message = (
    ToolCallUpdate | ToolCallsUpdate | ToolCallEnd | TextDelta | ReasoningDelta | RefusalDelta | ToolResult
    | ServerToolUpdate | ServerToolResult | Usage | ProviderError | Other | MessageEnd | StreamSnapshot
)  # fmt: skip

# by the ``type`` field of the plain form
TYPES: dict[str, Any] = {
    "tool_call_update": ToolCallUpdate,
    "tools_call_update": ToolCallsUpdate,
    "tool_call_end": ToolCallEnd,
    "text_delta": TextDelta,
    "reasoning_delta": ReasoningDelta,
    "refusal_delta": RefusalDelta,
    "tool_result": ToolResult,
    "server_tool_update": ServerToolUpdate,
    "server_tool_result": ServerToolResult,
    "usage": Usage,
    "provider_error": ProviderError,
    "other": Other,
    "message_end": MessageEnd,
    "stream_snapshot": StreamSnapshot,
}
_NAMES = {cls: name for name, cls in TYPES.items()}
# one name for tool-call updates: the fields of the event show whether it holds one update or several
_NAMES[ToolCallUpdate] = _NAMES[ToolCallsUpdate]


def to_event(message: Message) -> dict[str, Any]:
    """Convert a message to a dict of plain JSON; fields with their default are absent.

    Objects of an SDK in ``raw``, ``result`` and ``data`` become the fields that the provider sent. What JSON
    cannot represent is absent, and so are dataclasses in the ``data`` of `Other`: an agent's events hold
    the agent itself.

    >>> to_event(ToolCallUpdate("call_1", 0, function_args='{"ci'))
    {'type': 'tools_call_update', 'tool_call_id': 'call_1', 'index': 0, 'function_args': '{"ci'}
    """
    event: dict[str, Any] = {"type": _NAMES[type(message)]}
    for value, (name, default, _, write) in zip(message, _FIELDS[type(message)], strict=True):
        if value is not default and value != default:
            written = value if write is None else write(value)
            if written is not None:
                event[name] = written
    return event


def _plain_usage(usage: Usage) -> dict[str, Any]:
    event = to_event(usage)
    del event["type"]
    return event


def _written_updates(updates: Sequence[ToolCallUpdate]) -> list[dict[str, Any]]:
    events = [to_event(update) for update in updates]
    for event in events:
        del event["type"]
    return events


def _written_fragments(fragments: Sequence[Fragment]) -> list[Any]:
    return [to_wire(item) if isinstance(item, JsonFragmentUpdate) else item for item in fragments]


def from_event(event: Mapping[str, Any]) -> Message | None:
    """Convert the plain form back to a message; None if it is not one.

    Without a ``type``, a dict with ``tool_call_updates``, ``function_args`` or ``function_name`` is
    recognized by these fields. A ``tools_call_update`` with ``tool_call_updates`` holds several updates,
    without it one; the name ``tool_call_update`` is read as well.

    >>> from_event({"type": "text_delta", "text": "Hel"})
    TextDelta(text='Hel', message_id=None, choice=0)
    """
    cls: Any = TYPES.get(_type_of(event))
    if cls is None:
        return None
    if cls is ToolCallsUpdate:
        event = {**event, "tool_call_updates": _updates_in(event)}
    values: list[Any] = []
    for name, default, types, _ in _FIELDS[cls]:
        value = event.get(name)
        if value is None:
            value = default
        elif not isinstance(value, types) or (isinstance(value, bool) and name in _NUMBERS):
            raise invalid(ErrorCode.INVALID_EVENT, f"{name} has the wrong type")
        elif name == "usage":
            value = from_event({**value, "type": "usage"})
        elif name == "repairs":
            value = read_repairs(value)
        values.append(value)
    if values[0] is _REQUIRED:
        raise invalid(ErrorCode.INVALID_EVENT, f"{_FIELDS[cls][0][0]} is missing")
    message: Message = cls._make(values)
    return message


def _updates_in(event: Mapping[str, Any]) -> list[Message | None]:
    updates, id = event.get("tool_call_updates"), event.get("message_id")
    if not isinstance(updates, Sequence) or not all(map(_is_plain_update, updates)):
        raise invalid(ErrorCode.INVALID_EVENT, "tool_call_updates is not a list of updates")
    return [
        from_event({**item, "type": "tool_call_update", "message_id": item.get("message_id") or id})
        for item in updates
    ]


def _is_plain_update(item: Any) -> bool:
    if not isinstance(item, Mapping) or "tool_call_updates" in item:
        return False
    return item.get("type", "tool_call_update") in _UPDATE_NAMES


def _type_of(event: Mapping[str, Any]) -> str:
    name = event.get("type")
    if isinstance(name, str) and name not in _UPDATE_NAMES:
        return name
    if "tool_call_updates" in event:
        return "tools_call_update"
    is_update = isinstance(name, str) or "function_args" in event or "function_name" in event
    return "tool_call_update" if is_update else ""


_UPDATE_NAMES = ("tools_call_update", "tool_call_update")
_FIELD_TYPES: dict[str, type | tuple[type, ...]] = {
    "tool_call_id": str,
    "index": (int, str),
    "function_name": str,
    "function_args": str,
    "json_update_fragments": (list, tuple),
    "message_id": str,
    "choice": int,
    "failed": bool,
    "is_free_text": bool,
    "args_offset": int,
    "repairs": (list, tuple),
    "is_truncated": bool,
    "text": str,
    "reason": str,
    "kind": str,
    "signature": str,
    "name": str,
    "input": str,
    "input_tokens": int,
    "output_tokens": int,
    "cached_tokens": int,
    "reasoning_tokens": int,
    "usage": Mapping,
    "error_type": str,
    "part_type": str,
    "message": str,
    "status": int,
    "retry_after": (int, float),
    "is_retryable": bool,
    "messages": (list, tuple),
    "stream": str,
}
# a field named ``type`` has another name in the plain form, whose ``type`` is the type of the message
_PLAIN_NAMES = {(ProviderError, "type"): "error_type", (Other, "type"): "part_type"}
# bool is a subclass of int, but not a valid number here
_NUMBERS = (
    "index", "choice", "args_offset", "input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens",
    "status", "retry_after",
)  # fmt: skip
_REQUIRED: Any = object()
# fields whose values are not plain data
_WRITERS: dict[str, Callable[[Any], Any]] = {
    "tool_call_updates": _written_updates,
    "json_update_fragments": _written_fragments,
    "usage": _plain_usage,
    "repairs": write_repairs,
    "raw": plain,
    "data": plain_data,
    "result": plain,
}
# by class, for each field: name, default, accepted types, and conversion to plain data
_FIELDS: dict[type, list[tuple[str, Any, Any, Callable[[Any], Any] | None]]] = {
    cls: [
        (
            plain_name := _PLAIN_NAMES.get((cls, name), name),
            cls._field_defaults.get(name, _REQUIRED),
            _FIELD_TYPES.get(plain_name, object),
            _WRITERS.get(name),
        )
        for name in cls._fields
    ]
    for cls in _NAMES
}

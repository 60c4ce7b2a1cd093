"""OpenAI chat completions, and the many compatible servers.

A call has no end event of its own: the ``finish_reason`` of the choice ends all its calls. Reasoning is
not part of OpenAI's own format; other servers send it as ``reasoning_content`` (DeepSeek, vLLM, xAI, LiteLLM)
or ``reasoning`` (OpenRouter, Groq).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import (
    MessageEnd,
    Other,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolCallUpdate,
)
from ..core import cython_shim as cython
from ._parts import provider_error, usage_of

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ._reading import (
        arguments_text,
        as_index,
        as_items,
        as_word,
        decoded,
        fields,
        get,
        items,
        member,
        text,
        word,
    )

if TYPE_CHECKING:
    from ..calls.messages import Message, Usage

__all__ = ["CUT", "Adapter"]

# finish reasons after which the last part of the message is incomplete
CUT = frozenset({"length", "content_filter", "error", "abort", "insufficient_system_resource"})
# fields of a delta that are not content of the message
_SILENT = frozenset({"role", "name", "tool_call_id", "token_ids", "provider_specific_fields", "prefix"})
_ENCRYPTED = {"reasoning.encrypted", "redacted_thinking"}
# what the constructor of a named tuple calls, without its keyword arguments
_new_tuple: Any = tuple.__new__
# the fields that are read from objects without a dict of their own
_FIELDS = (
    "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "refusal", "content",
    "tool_calls", "function_call", "annotations", "audio", "images",
)  # fmt: skip


# parts beside the delta: log probabilities, and what Azure's filters found
_CHOICE_PARTS = ("logprobs", "content_filter_results")
# parts of the chunk, which Perplexity repeats with each one
_CHUNK_PARTS = ("citations", "search_results", "prompt_filter_results")


@cython.auto_pickle(True)
@cython.cclass
class Adapter:
    """Read ``chat.completion.chunk`` events.

    It has the methods of the base class without deriving from it: an extension type derives from no other
    class, and as extension types both would make the attributes of all other adapters slower.
    """

    cut = CUT

    def __init__(self) -> None:
        self._usage: Usage | None = None
        # the parts of chunks, as they came last
        self._parts: dict[str, Any] = {}

    def add_event(self, event: Any) -> list[Message]:
        """Return the messages of the next event, as the base class does."""
        event = decoded(event)
        return [] if event is None else self._read(event)

    def finish(self) -> list[Message]:
        """Return nothing: no message is held back."""
        return []

    @staticmethod
    def knows(event: Any) -> bool:
        event = _chunk_in(event)
        if word(event, "object") == "chat.completion.chunk":
            return True
        choices = get(event, "choices")
        if choices == []:
            # Azure's first chunk, and a last one with the usage alone
            return any(get(event, name) is not None for name in ("prompt_filter_results", "usage", "created"))
        return any(get(choice, "delta") is not None for choice in items(event, "choices"))

    def _read(self, event: Any) -> list[Message]:
        event = _chunk_in(fields(event))
        messages: list[Message] = []
        used = member(event, "usage")
        if used is None and type(event) is dict and "x_groq" in event:
            # Groq has the usage in a field of its own
            used = get(event["x_groq"], "usage")
        if used is not None and (usage := usage_of(used)) is not None and usage != self._usage:
            self._usage = usage
            messages.append(usage)
        if type(event) is dict:
            for name in _CHUNK_PARTS:
                if name in event and (part := event[name]) and part != self._parts.get(name):
                    self._parts[name] = part
                    messages.append(Other(name, part))
        error = member(event, "error")
        for choice in as_items(member(event, "choices")):
            self._read_choice(choice, messages, error is not None)
        if error is not None:
            # servers report an error in mid-stream as a separate event, or with a last, empty delta
            reason = _reason(error)
            messages += [provider_error(error, reason, event), MessageEnd(reason, is_truncated=True)]
        return messages

    def _read_choice(self, choice: Any, messages: list[Message], has_failed: bool) -> None:
        choice = fields(choice)
        number = as_index(member(choice, "index")) or 0
        delta = fields(member(choice, "delta"))
        if delta is not None:
            for name, value in delta.items() if type(delta) is dict else _members(delta):
                if value:
                    self._read_field(name, value, delta, number, messages)
        if type(choice) is dict and (choice.get("logprobs") or choice.get("content_filter_results")):
            messages += [
                Other(name, choice[name], choice=number) for name in _CHOICE_PARTS if choice.get(name)
            ]
        if has_failed:
            return
        if type(choice) is dict and (error := choice.get("error")):
            # OpenRouter has the error of a provider here
            messages.append(provider_error(error, _reason(error), choice))
        if reason := as_word(member(choice, "finish_reason")):
            is_cut = reason in self.cut
            messages.append(MessageEnd(reason, is_truncated=is_cut, choice=number, usage=self._usage))

    def _read_field(self, name: str, value: Any, delta: Any, choice: int, messages: list[Message]) -> None:
        match name:
            case "tool_calls":
                if isinstance(value, (list, tuple)):
                    messages += self._read_calls(as_items(value), choice)
            case "content":
                messages += self._read_content(value, choice)
            case "function_call":
                # the predecessor of tool_calls (before 2023): one call, without an id
                messages += self._read_calls([{"index": 0, "function": value}], choice)
            case "reasoning_content" | "reasoning":
                # some servers send both, with the same text
                is_repeated = name == "reasoning" and bool(text(delta, "reasoning_content"))
                if not isinstance(value, str):
                    messages.append(Other(name, value, choice=choice))
                elif not is_repeated:
                    messages.append(ReasoningDelta(value, choice=choice))
            case "reasoning_details" | "thinking_blocks":
                messages += _details(value, delta, choice)
            case "refusal" if isinstance(value, str):
                messages.append(RefusalDelta(value, choice=choice))
            case _ if name not in _SILENT:
                messages.append(Other(name, value, choice=choice))

    def _read_content(self, content: Any, choice: int) -> list[Message]:
        if isinstance(content, str):
            return [TextDelta(content, choice=choice)]
        if not isinstance(content, (list, tuple)):
            return [Other("content", content, choice=choice)]
        messages: list[Message] = []
        for part in content:
            match word(part, "type"):
                case "text" | None:
                    if piece := text(part, "text"):
                        messages.append(TextDelta(piece, choice=choice))
                case "thinking":
                    pieces = [text(thought, "text") for thought in items(part, "thinking")]
                    messages += [ReasoningDelta(piece, choice=choice) for piece in pieces if piece]
                case "refusal":
                    messages.append(RefusalDelta(text(part, "refusal"), choice=choice))
                case kind:
                    messages.append(Other(kind, part, choice=choice))
        return messages

    def _read_calls(self, calls: list[Any], choice: int) -> list[Message]:
        messages: list[Message] = []
        for call in calls:
            call = fields(call)
            if type(call) is dict and "extra_content" in call:
                # Gemini's signature of the thought before a call, to be returned with it
                signature = word(get(call["extra_content"], "google"), "thought_signature")
                if signature is not None:
                    messages.append(ReasoningDelta("", signature=signature, choice=choice))
            messages.append(self._read_call(call, choice))
        return messages

    def _read_call(self, call: Any, choice: int) -> ToolCallUpdate:
        function = fields(member(call, "function"))
        custom = member(call, "custom")
        if custom is not None and (word(custom, "name") or text(custom, "input")):
            # a custom tool, whose input is text; some gateways send an empty one beside each function
            return ToolCallUpdate(
                as_word(member(call, "id")),
                as_index(member(call, "index")),
                word(custom, "name"),
                text(custom, "input"),
                choice=choice,
                is_free_text=True,
            )
        update: ToolCallUpdate = _new_tuple(
            ToolCallUpdate,
            (
                as_word(member(call, "id")),
                as_index(member(call, "index")),
                as_word(member(function, "name")),
                arguments_text(member(function, "arguments")),
                None,
                None,
                choice,
                False,
                None,
                (),
            ),
        )
        return update


def _reason(error: Any) -> str:
    return word(error, "type") or word(error, "code") or "error"


def _members(delta: Any) -> Any:
    """Return the names and values of a delta that is an object."""
    members = getattr(delta, "__dict__", None)
    return members.items() if type(members) is dict else [(name, get(delta, name)) for name in _FIELDS]


def _details(details: Any, delta: Any, choice: int) -> list[Message]:
    """Read OpenRouter's details or LiteLLM's blocks: the text again, and what must be returned unchanged."""
    messages: list[Message] = []
    has_text = bool(text(delta, "reasoning") or text(delta, "reasoning_content"))
    for detail in details if isinstance(details, list) else ():
        piece = (
            "" if has_text else text(detail, "text") or text(detail, "summary") or text(detail, "thinking")
        )
        kind = "redacted" if word(detail, "type") in _ENCRYPTED else "reasoning"
        signature = word(detail, "signature") or word(detail, "data")
        if piece or signature:
            messages.append(ReasoningDelta(piece, kind, signature, choice=choice))
    return messages


def _chunk_in(event: Any) -> Any:
    """Return the chunk inside an event of the SDK's stream helper; its derived events add nothing."""
    return fields(get(event, "chunk")) if as_word(member(event, "type")) == "chunk" else event

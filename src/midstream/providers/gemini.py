"""Gemini generateContent, on the Gemini API and on Vertex.

A call arrives complete, in one part, and often without an id. On Vertex its arguments are streamed on
request: the first part names the call, the following ones carry values with their paths, and the last one
lacks ``willContinue``. They are written as the JSON text that other providers stream.
"""

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
from ._path_text import NO_VALUE, PathText
from ._reading import arguments_text, get, index, items, text, word

if TYPE_CHECKING:
    from ..calls.messages import Message, Usage

__all__ = ["Adapter"]

# the only finish reason after which the message is complete
_FINE = "STOP"
# parts without a type of their own here
_PARTS = ("inlineData", "fileData", "functionResponse", "audioTranscription", "partMetadata")
# what comes beside the content of a candidate
_CANDIDATE_PARTS = (
    "citationMetadata", "groundingMetadata", "urlContextMetadata", "safetyRatings", "logprobsResult",
    "finishMessage",
)  # fmt: skip
_UNSPECIFIED = {"FINISH_REASON_UNSPECIFIED", "BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED"}


class Adapter(BaseAdapter):
    """Read the chunks of ``streamGenerateContent``; candidates are choices."""

    def __init__(self) -> None:
        self._candidates: dict[int, _Candidate] = {}
        self._usage: Usage | None = None

    @staticmethod
    def knows(event: Any) -> bool:
        if word(get(event, "promptFeedback"), "blockReason"):
            return True
        return any(
            get(candidate, "content") is not None or word(candidate, "finishReason")
            for candidate in items(event, "candidates")
        )

    def _read(self, event: Any) -> list[Message]:
        error = get(event, "error")
        if error is not None:
            status = word(error, "status") or "error"
            return [provider_error(error, status, event), MessageEnd(status, is_truncated=True)]
        messages: list[Message] = []
        usage = usage_of(get(event, "usageMetadata"))
        if usage is not None and (self._usage is None or usage[:4] != self._usage[:4]):
            self._usage = usage
            messages.append(usage)
        for candidate in items(event, "candidates"):
            number = index(candidate, "index") or 0
            if number not in self._candidates:
                self._candidates[number] = _Candidate(number)
            messages += self._candidates[number].read(candidate, self._usage)
        reason = word(get(event, "promptFeedback"), "blockReason")
        if reason is not None and reason not in _UNSPECIFIED:
            why = text(get(event, "promptFeedback"), "blockReasonMessage")
            message = f"the prompt was blocked: {reason}" + (why and f" ({why})")
            messages += [provider_error(message, reason), MessageEnd(reason, is_truncated=True)]
        return messages


class _Call:
    """A call whose arguments are being streamed."""

    __slots__ = ("id", "index", "name", "text")

    def __init__(self, id: str | None, index: int, name: str | None) -> None:
        self.id = id
        self.index = index
        self.name = name
        self.text = PathText()


class _Candidate:
    """The state of one candidate; its calls are counted, because most have no id."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._count = 0
        self._open: list[_Call] = []
        # what came with the candidate, as it came last
        self._parts: dict[str, Any] = {}

    def read(self, candidate: Any, usage: Usage | None) -> list[Message]:
        reason = word(candidate, "finishReason")
        if reason in _UNSPECIFIED:
            reason = None
        is_cut = reason is not None and reason != _FINE
        messages: list[Message] = []
        parts = items(get(candidate, "content"), "parts")
        for at, part in enumerate(parts):
            call = get(part, "functionCall")
            if call is not None:
                # the last part of a truncated message has no end, even if the part says otherwise
                messages += _signed(get(part, "thoughtSignature"), self._number)
                messages += self._read_call(call, is_cut and at == len(parts) - 1)
            else:
                messages += self._read_part(part)
        for name in _CANDIDATE_PARTS:
            # some models repeat them with every chunk
            if (data := get(candidate, name)) and data != self._parts.get(name):
                self._parts[name] = data
                messages.append(Other(name, data, choice=self._number))
        if reason is not None:
            if not is_cut:
                messages += [message for call in list(self._open) for message in self._end(call)]
            self._open.clear()
            messages.append(MessageEnd(reason, is_truncated=is_cut, choice=self._number, usage=usage))
        return messages

    def _read_part(self, part: Any) -> list[Message]:
        """Read a part that is not a call."""
        messages: list[Message] = []
        piece, signature = text(part, "text"), get(part, "thoughtSignature")
        if get(part, "thought") is True:
            if piece:
                messages.append(ReasoningDelta(piece, choice=self._number))
        elif piece:
            messages.append(TextDelta(piece, choice=self._number))
        messages += _signed(signature, self._number)
        if (code := get(part, "executableCode")) is not None:
            source = arguments_text(_members(code, "language", "code"))
            messages.append(
                ServerToolUpdate(word(code, "id"), "code_execution", source, None, None, self._number)
            )
        if (result := get(part, "codeExecutionResult")) is not None:
            id = word(result, "id")
            messages.append(ServerToolResult(id, "code_execution", result, choice=self._number))
        if (call := get(part, "toolCall")) is not None:
            given = arguments_text(get(call, "args"))
            messages.append(
                ServerToolUpdate(word(call, "id"), word(call, "toolType"), given, None, None, self._number)
            )
        if (answer := get(part, "toolResponse")) is not None:
            id, result = word(answer, "id"), get(answer, "response")
            messages.append(ServerToolResult(id, word(answer, "toolType"), result, choice=self._number))
        for name in _PARTS:
            if (data := get(part, name)) is not None:
                messages.append(Other(name, data, choice=self._number))
        return messages

    def _read_call(self, part: Any, is_cut: bool) -> list[Message]:
        id, name, pieces = word(part, "id"), word(part, "name"), items(part, "partialArgs")
        will_continue = get(part, "willContinue") is True
        call = self._continued(id, name, bool(pieces))
        if call is None:
            if name is None and not pieces and get(part, "args") is None:
                return []
            call = _Call(id, self._count, name)
            self._count += 1
            if not pieces and not will_continue:
                arguments = arguments_text(get(part, "args"))
                update = ToolCallUpdate(id, call.index, name, arguments, choice=self._number)
                return [update] if is_cut else [update, ToolCallEnd(index=call.index, choice=self._number)]
            self._open.append(call)
        written = self._written(call, part, pieces)
        messages: list[Message] = []
        if written or name is not None:
            messages.append(ToolCallUpdate(id, call.index, name, written, choice=self._number))
        return messages if will_continue or is_cut else messages + self._end(call)

    def _continued(self, id: str | None, name: str | None, has_pieces: bool) -> _Call | None:
        """Return the open call that a part continues: the one with its id, else the latest."""
        for call in reversed(self._open):
            if id is not None and call.id is not None:
                if id == call.id:
                    return call
            elif name is None or (name == call.name and has_pieces):
                return call
        # without a name it does not begin another call
        return self._open[-1] if name is None and self._open else None

    def _written(self, call: _Call, part: Any, pieces: list[Any]) -> str:
        given = get(part, "args")
        written = ""
        if isinstance(given, Mapping):
            written = "".join(call.text.add_member(str(key), value) for key, value in given.items())
        for piece in pieces:
            will_continue = get(piece, "willContinue") is True
            written += call.text.add_piece(text(piece, "jsonPath"), _value(piece), will_continue)
        return written

    def _end(self, call: _Call) -> list[Message]:
        self._open.remove(call)
        end = ToolCallEnd(index=call.index, choice=self._number)
        rest = call.text.finish()
        return (
            [ToolCallUpdate(index=call.index, function_args=rest, choice=self._number), end]
            if rest
            else [end]
        )


def _signed(signature: Any, choice: int) -> list[Message]:
    """Return a thought signature, which the SDK has as bytes."""
    if isinstance(signature, bytes):
        signature = b64encode(signature).decode()
    return [ReasoningDelta("", signature=signature, choice=choice)] if signature else []


def _members(value: Any, *names: str) -> dict[str, str]:
    return {name: member for name in names if (member := word(value, name)) is not None}


def _value(piece: Any) -> Any:
    """Return the one value that a piece holds."""
    for name in ("stringValue", "numberValue", "boolValue"):
        value = get(piece, name)
        if value is not None:
            return _number(value) if name == "numberValue" else value
    if isinstance(piece, Mapping):
        return None if "nullValue" in piece else NO_VALUE
    # the SDK's object does not distinguish null from nothing, but a piece with a null never continues
    return NO_VALUE if get(piece, "willContinue") is True else None


def _number(value: Any) -> Any:
    """Convert a number that is written as a string, which protobuf's JSON allows."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return NO_VALUE

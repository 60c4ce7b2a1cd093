"""The calls that a snapshot of a stream lists, as pieces that hold all of their arguments so far."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import ErrorCode, invalid
from .messages import ToolCallUpdate, from_event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .messages import StreamSnapshot

__all__ = ["snapshot_calls"]


def snapshot_calls(snapshot: StreamSnapshot) -> Iterator[tuple[ToolCallUpdate, str, str | None]]:
    """Yield each call as one piece, with its status and the reason why its message ended."""
    for message in snapshot.messages:
        if not isinstance(message, Mapping):
            raise invalid(ErrorCode.INVALID_EVENT, "messages is not a list of messages")
        reason = _text(message, "finish_reason")
        calls = message.get("calls") or ()
        if not isinstance(calls, list | tuple) or not all(isinstance(call, Mapping) for call in calls):
            raise invalid(ErrorCode.INVALID_EVENT, "calls is not a list of calls")
        for call in calls:
            choice = message.get("choice") if call.get("choice") is None else call["choice"]
            place = {"message_id": message.get("message_id"), "choice": choice, "args_offset": None}
            update = from_event({**call, "type": "tool_call_update", **place})
            assert isinstance(update, ToolCallUpdate)
            yield update, _text(call, "status") or "open", reason


def _text(data: Mapping[str, Any], name: str) -> str | None:
    value = data.get(name)
    if value is not None and not isinstance(value, str):
        raise invalid(ErrorCode.INVALID_EVENT, f"{name} has the wrong type")
    return value

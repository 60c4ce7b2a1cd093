"""Collect what is read from the text as messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...calls.messages import (
    MessageEnd,
    ReasoningDelta,
    ServerToolUpdate,
    TextDelta,
    ToolCallEnd,
    ToolCallUpdate,
)

if TYPE_CHECKING:
    from ...calls.messages import Message
    from ...errors import Repair

__all__ = ["Output"]


class Output:
    """The messages so far; adjacent pieces of the same kind become one message."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        # the kind of the adjacent pieces, and the pieces
        self._kind = ""
        self._pieces: list[str] = []
        self._index = -1
        self._server_index = -1
        # whether the open call has been mentioned
        self._is_known = False
        self.has_open_call = False
        self.name: str | None = None
        # what was repaired before the call began
        self._repairs: list[Repair] = []
        # whether there has been anything but white space
        self.has_content = False

    def take(self) -> list[Message]:
        """Return the messages since the last time."""
        self._flush()
        messages, self._messages = self._messages, []
        return messages

    def text(self, piece: str) -> None:
        """Add text."""
        self.has_content = self.has_content or not (piece.isspace() or piece == "")
        self._add("text", piece)

    def reasoning(self, piece: str) -> None:
        """Add reasoning."""
        self._add("reasoning", piece)

    def open_call(self, name: str | None = None, id: str | None = None) -> None:
        """Begin a call, whose name and id may follow later."""
        self._index += 1
        self._is_known = False
        self.name = None
        self.has_open_call = self.has_content = True
        if name is not None or id is not None:
            self.identify(name, id)
        repairs, self._repairs = self._repairs, []
        for repair in repairs:
            self.repair(repair)

    def repair(self, repair: Repair) -> None:
        """Add a repair in the text around the arguments, of the open call or of the next one."""
        if self.has_open_call:
            self._flush()
            self._is_known = True
            self._messages.append(ToolCallUpdate(None, self._index, repairs=(repair,)))
        else:
            self._repairs.append(repair)

    def identify(self, name: str | None = None, id: str | None = None) -> None:
        """Add the name or the id of the open call."""
        self._flush()
        self._is_known = True
        self.name = name or self.name
        self._messages.append(ToolCallUpdate(id, self._index, name))

    def arguments(self, piece: str) -> None:
        """Add a piece of the arguments of the open call."""
        self._is_known = self._is_known or bool(piece)
        self._add("arguments", piece)

    def close_call(self, failed: bool = False) -> None:
        """End the open call."""
        self.mention_call()
        self._flush()
        self.has_open_call = False
        self._messages.append(ToolCallEnd(index=self._index, failed=failed))

    def mention_call(self) -> None:
        """Emit the open call even if nothing of it is known."""
        if not self._is_known:
            self.identify()

    def open_server_call(self, name: str) -> None:
        """Begin a call of a tool that is not the caller's."""
        self._flush()
        self._server_index += 1
        self._messages.append(ServerToolUpdate(None, name, None, self._server_index))

    def server_input(self, piece: str) -> None:
        """Add a piece of the input of such a call."""
        self._add("input", piece)

    def end(self, is_truncated: bool) -> None:
        """End the message."""
        self._flush()
        self._messages.append(MessageEnd(None, is_truncated))

    def _add(self, kind: str, piece: str) -> None:
        if piece:
            if kind != self._kind:
                self._flush()
                self._kind = kind
            self._pieces.append(piece)

    def _flush(self) -> None:
        if not self._pieces:
            return
        text = "".join(self._pieces)
        self._pieces.clear()
        match self._kind:
            case "text":
                self._messages.append(TextDelta(text))
            case "reasoning":
                self._messages.append(ReasoningDelta(text))
            case "arguments":
                self._messages.append(ToolCallUpdate(None, self._index, None, text))
            case "input":
                self._messages.append(ServerToolUpdate(None, None, text, self._server_index))

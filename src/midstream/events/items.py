"""The events of the form ``compact`` as messages: items in, messages out.

The data of an event is one item or an array of items. The first element of an item is the number of a call or
text::

    [number, {...}]                  what is known about it; the first such item introduces it
    [number, offset, text]           a piece, after the first ``offset`` characters
    [number, offset, text, updates]  a piece of a call whose text a client cannot read, with its updates

Numbers count up from 0 in the order of introduction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.messages import (
    Message,
    MessageEnd,
    ProviderError,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
)
from ..calls.plain import read_repairs
from ..core import cython_shim as cython
from ..errors import ErrorCode, invalid

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.surrogates import joined_length

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ItemReader", "lost_event"]


# what the constructor of a named tuple calls, without its keyword arguments
_new_tuple: Any = tuple.__new__


@cython.cclass
class _Stream:
    """A call or text that is being read."""

    __slots__ = (
        "choice", "id", "index", "is_free_text", "kind", "length", "message_id", "name", "number", "type",
    )  # fmt: skip

    def __init__(self, number: int, type: str | None, message_id: str | None) -> None:
        self.number = number
        # None if the introduction is missing
        self.type = type
        self.message_id = message_id
        self.choice = 0
        self.id: str | None = None
        self.index: int | str | None = None
        self.name: str | None = None
        self.kind: str | None = None
        self.is_free_text = False
        # characters so far
        self.length = 0


@cython.cclass
class ItemReader:
    """Convert the items of one stream into messages; ``message_id`` is that of items without one.

    >>> reader = ItemReader()
    >>> reader.read([[0, {"type": "text"}], [0, 0, "Hel"]]), reader.read([0, 3, "lo"])
    ([TextDelta(text='Hel', message_id=None, choice=0)], [TextDelta(text='lo', message_id=None, choice=0)])
    """

    def __init__(self, message_id: str | None = None) -> None:
        self._message_id = message_id
        self._streams: dict[int, _Stream] = {}
        self._next = 0

    def read(self, data: list[Any]) -> list[Message]:
        """Return the messages of an event; raise `JsonStreamError` if it is malformed."""
        messages: list[Message] = []
        if len(data) == 3 and type(data[0]) is int and type(data[1]) is int and type(data[2]) is str:
            # a shortcut for most events: a piece of a call or text that is known
            stream = self._streams.get(data[0])
            if stream is not None and data[1] >= 0:
                self._read_piece(data, stream, messages)
                return messages
        several = bool(data) and type(data[0]) is list
        # a call that this event introduces, or says more about: its first piece is in the same message
        begun: _Stream | None = None
        for item in data if several else (data,):
            if type(item) is not list or not 2 <= len(item) <= 4 or type(item[0]) is not int or item[0] < 0:
                raise _malformed()
            about = item[1]
            stream = self._streams.get(item[0])
            if type(about) is dict:
                if begun is not None:
                    messages.append(_piece(begun, begun.length, ""))
                begun = self._read_about(item[0], stream, about, messages)
            elif len(item) > 2 and type(about) is int and about >= 0 and isinstance(item[2], str):
                if begun is not None and begun is not stream:
                    messages.append(_piece(begun, begun.length, ""))
                    begun = None
                self._read_piece(item, stream, messages)
                begun = None
            else:
                raise _malformed()
        if begun is not None:
            messages.append(_piece(begun, begun.length, ""))
        return _joined(messages) if several else messages

    def _read_about(
        self, number: int, stream: _Stream | None, about: dict[str, Any], messages: list[Message]
    ) -> _Stream | None:
        """Read what is said about a call or text; return a call if it is new or has other names now."""
        if stream is None:
            if number < self._next:
                # it has ended: a repetition
                return None
            if number > self._next:
                messages.append(lost_event(f"the introduction of number {self._next} is missing"))
            type = about.get("type")
            if type is None:
                self._introduce(number, None)
                messages.append(lost_event(f"the introduction of number {number} is missing"))
                return None
            stream = self._introduce(number, type)
            if "message_id" in about:
                stream.message_id = _field(about, "message_id", (str,), None)
            stream.choice = _field(about, "choice", (int,), 0)
            stream.is_free_text = _field(about, "free_text", (bool,), False)
            stream.kind = _field(about, "kind", (str,), None)
            if type == "call":
                return self._name(stream, about)
            return None
        if stream.type is None or "type" in about:
            # a repetition, or something that only newer versions know
            return None
        length = _field(about, "length", (int,), None)
        if length is not None and length > stream.length:
            messages.append(_piece(stream, length, "") if stream.type == "call" else _LOST_TEXT)
            stream.length = length
        if stream.type != "call":
            return None
        if _field(about, "end", (bool,), False):
            del self._streams[number]
            failed = _field(about, "failed", (bool,), False)
            messages.append(ToolCallEnd(stream.id, stream.index, failed, stream.message_id, stream.choice))
            return None
        if repairs := _field(about, "repairs", (list,), None):
            messages.append(_piece(stream, stream.length, "")._replace(repairs=read_repairs(repairs)))
        return self._name(stream, about) if about.keys() & {"id", "index", "name"} else None

    def _introduce(self, number: int, type: str | None) -> _Stream:
        self._next = number + 1
        stream = self._streams[number] = _Stream(number, type, self._message_id)
        return stream

    def _name(self, stream: _Stream, about: dict[str, Any]) -> _Stream:
        stream.id = _field(about, "id", (str,), stream.id)
        stream.index = _field(about, "index", (int, str), stream.index)
        stream.name = _field(about, "name", (str,), None)
        return stream

    def _read_piece(self, item: list[Any], stream: _Stream | None, messages: list[Message]) -> None:
        number, offset, text = item[0], item[1], item[2]
        if stream is None:
            if number < self._next:
                # it has ended: a repetition
                return
            stream = self._introduce(number, None)
            messages.append(lost_event(f"the introduction of number {number} is missing"))
        if stream.type is None:
            return
        length = joined_length(text)
        if text and offset + length <= stream.length:
            return
        if stream.type == "call":
            updates = item[3] if len(item) > 3 else None
            if updates is not None and type(updates) is not list:
                raise _malformed()
            messages.append(_piece(stream, offset, text, updates))
        else:
            if offset > stream.length:
                messages.append(_LOST_TEXT)
            elif offset < stream.length:
                text = text[stream.length - offset :]
            messages += _text_message(stream, text)
        stream.length = offset + length

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from a snapshot of the stream, which states the numbers that are in use."""
        self._streams.clear()
        self._next = 0
        known = snapshot.get("numbers")
        for item in known if type(known) is list else ():
            if type(item) is not list or len(item) != 3 or type(item[0]) is not int:
                raise _malformed()
            number, about, length = item
            if type(about) is not dict or type(length) is not int:
                raise _malformed()
            self._next = number
            self._read_about(number, None, about, [])
            if (stream := self._streams.get(number)) is not None:
                # the snapshot has the name
                stream.name = None
                stream.length = length
        next_number = snapshot.get("next_number")
        if type(next_number) is int:
            self._next = max(self._next, next_number)

    def end_message(self, end: MessageEnd) -> None:
        """Forget the calls and texts of a message that has ended."""
        for number, stream in list(self._streams.items()):
            if stream.message_id == end.message_id and end.choice in (None, stream.choice):
                del self._streams[number]


def lost_event(why: str) -> ProviderError:
    """Make the message that reports a lost event."""
    return ProviderError("lost_event", why)


_LOST_TEXT = lost_event("a piece of the text is missing")


def _piece(stream: _Stream, offset: int, text: str, updates: list[Any] | None = None) -> ToolCallUpdate:
    """Make a piece of a call; only the first one has the name."""
    name, stream.name = stream.name, None
    update: ToolCallUpdate = _new_tuple(
        ToolCallUpdate,
        (
            stream.id,
            stream.index,
            name,
            text,
            updates,
            stream.message_id,
            stream.choice,
            stream.is_free_text,
            offset,
            (),
        ),
    )
    return update


def _text_message(stream: _Stream, text: str) -> list[Message]:
    if stream.type == "text":
        return [TextDelta(text, stream.message_id, stream.choice)]
    if stream.type == "refusal":
        return [RefusalDelta(text, stream.message_id, stream.choice)]
    if stream.type == "reasoning":
        return [ReasoningDelta(text, stream.kind or "reasoning", None, stream.message_id, stream.choice)]
    # only newer versions know it
    return []


def _joined(messages: list[Message]) -> list[Message]:
    """Join the pieces of several calls into one message, as they were in one event."""
    updates = [message for message in messages if isinstance(message, ToolCallUpdate)]
    if len(messages) < 2 or len(updates) < len(messages):
        return messages
    id = updates[0].message_id
    return [ToolCallsUpdate(updates, id)] if all(update.message_id == id for update in updates) else messages


def _field(about: Mapping[str, Any], name: str, types: tuple[type, ...], default: Any) -> Any:
    value = about.get(name)
    if value is None:
        return default
    if type(value) not in types:
        raise invalid(ErrorCode.INVALID_EVENT, f"{name} has the wrong type")
    return value


def _malformed() -> Exception:
    return invalid(ErrorCode.INVALID_EVENT, "expected [number, {...}] or [number, offset, text]")

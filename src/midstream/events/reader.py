"""Server-Sent Events in, messages out."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from .._signature import SourceSignature
from ..calls.messages import (
    TYPES,
    MessageEnd,
    ProviderError,
    ReasoningDelta,
    RefusalDelta,
    StreamSnapshot,
    TextDelta,
    ToolCallUpdate,
    from_event,
)
from ..core import cython_shim as cython
from ..errors import ErrorCode, JsonStreamError, invalid
from ..sse import SseDecoder
from .items import ItemReader, lost_event

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.surrogates import joined_length

if TYPE_CHECKING:
    from ..calls.messages import Message
    from ..sse import SseEvent

__all__ = ["EventReader", "MessageReader"]

_TEXT_NAMES: dict[type, str] = {TextDelta: "text", ReasoningDelta: "reasoning", RefusalDelta: "refusal"}
_UNNAMED = ("message", "")
# what the constructor of a named tuple calls, without its keyword arguments
_new_tuple: Any = tuple.__new__
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
# the stream, the number of the event, and of the part if an event has several
_EVENT_ID = re.compile(r"(.*)-([0-9]{1,18})(?:\.([0-9]{1,18}))?", re.ASCII | re.DOTALL).fullmatch


@cython.cclass
class MessageReader:
    """Convert the data of events, decoded from JSON, into messages.

    >>> reader = MessageReader()
    >>> reader.read("stream_start", {"version": 1, "form": "compact", "message_id": "m1"})
    []
    >>> reader.read("message", [[0, {"type": "text"}], [0, 0, "Hi"]])
    [TextDelta(text='Hi', message_id='m1', choice=0)]
    """

    __signature__ = SourceSignature()

    def __init__(self) -> None:
        self.form: str | None = None
        self.version: int | None = None
        self.message_id: str | None = None
        # what `stream_start` says about the stream
        self.format: str | None = None
        self.name: str | None = None
        # whether the stream has ended with `stream_end`
        self.is_complete = False
        self._items = ItemReader()
        # in the form ``full``: the characters of each text so far
        self._lengths: dict[tuple[str, str | None, int], int] = {}

    def read(self, name: str, data: Any) -> list[Message]:
        """Return the messages of an event; an event that is not known has none."""
        if type(data) is list:
            if self.form == "compact" and name == "message":
                return self._items.read(data)
            is_ours = name in _UNNAMED and (self.form == "compact" or _are_items(data))
            return self._items.read(data) if is_ours else []
        if type(data) is not dict:
            return []
        if name == "stream_start":
            self._start(data)
        elif name == "stream_end":
            self.is_complete = True
        elif name == "error" and "type" not in data and isinstance(data.get("code"), str):
            message = data.get("message")
            text = message if isinstance(message, str) else ""
            return [ProviderError(data["code"], text, message_id=self.message_id)]
        elif name in TYPES or (name in _UNNAMED and _text(data, "type") in TYPES):
            return self._read_message(name, data)
        return []

    def _start(self, data: dict[str, Any]) -> None:
        self.is_complete = False
        self.form = _text(data, "form") or "full"
        version = data.get("version")
        self.version = version if type(version) is int else None
        self.message_id = _text(data, "message_id")
        self.format = _text(data, "format")
        self.name = _text(data, "name")
        self._items = ItemReader(self.message_id)
        self._lengths.clear()

    def _read_message(self, name: str, data: dict[str, Any]) -> list[Message]:
        if (
            name == "tools_call_update"
            and self.form != "compact"
            and (update := _update_of(data)) is not None
        ):
            # a shortcut for most events of the form ``full``
            return [update]
        if "type" not in data:
            data = {"type": name, **data}
        if self.form == "compact" and "message_id" not in data:
            data = {**data, "message_id": self.message_id}
        message = from_event(data)
        if message is None:
            return []
        messages: list[Message] = []
        if "lengths" in data:
            messages += self._read_lengths(data["lengths"], data.get("message_id"))
        match message:
            case TextDelta() | ReasoningDelta() | RefusalDelta():
                self._count(_TEXT_NAMES[type(message)], message.message_id, message.choice, message.text)
            case MessageEnd():
                self._items.end_message(message)
                for key in list(self._lengths):
                    if key[1] == message.message_id and message.choice in (None, key[2]):
                        del self._lengths[key]
            case StreamSnapshot():
                self._restore(data)
        messages.append(message)
        return messages

    def _count(self, type: str, message_id: str | None, choice: int, text: str) -> None:
        key = type, message_id, choice
        self._lengths[key] = self._lengths.get(key, 0) + joined_length(text)

    def _restore(self, snapshot: dict[str, Any]) -> None:
        """Continue from a snapshot of the stream."""
        self._items.restore(snapshot)
        self._lengths.clear()
        for message in snapshot["messages"]:
            for type in _TEXT_NAMES.values():
                if isinstance(message, dict) and isinstance(text := message.get(type), str):
                    self._count(type, _text(message, "message_id"), message.get("choice") or 0, text)

    def _read_lengths(self, lengths: Any, message_id: str | None) -> list[Message]:
        """Return what the lengths of texts and arguments, stated when these end, show to be missing."""
        messages: list[Message] = []
        stated: dict[tuple[str, str | None, int], int] = {}
        for length in lengths if type(lengths) is list else ():
            if type(length) is list and len(length) == 2:
                messages += self._items.read([length[0], {"length": length[1]}])
            elif type(length) is dict and type(length.get("length")) is int:
                key = _text(length, "type") or "", message_id, length.get("choice") or 0
                stated[key] = stated.get(key, 0) + length["length"]
            elif type(length) is dict:
                update = from_event({**length, "type": "tool_call_update", "message_id": message_id})
                if isinstance(update, ToolCallUpdate):
                    messages.append(update)
        if any(self._lengths.get(key, 0) < length for key, length in stated.items()):
            messages.append(lost_event("a piece of the text is missing"))
        return messages

    def finish(self) -> list[Message]:
        """Return the messages that follow from the end of the connection: what was open is cut off."""
        if self.is_complete or self.form is None:
            return []
        self.is_complete = False
        return [MessageEnd(None, is_truncated=True, message_id=self.message_id)]


def _text(data: dict[str, Any], name: str) -> str | None:
    value = data.get(name)
    return value if isinstance(value, str) else None


def _update_of(data: dict[str, Any]) -> ToolCallUpdate | None:
    """Return what `from_event` does for a piece of one call; None for what it has to look at."""
    text, index, offset = data.get("function_args"), data.get("index"), data.get("args_offset")
    if (
        type(text) is not str
        or type(index) is not int
        or type(offset) is not int
        or data.get("type") != "tools_call_update"
    ):
        return None
    id, name, message_id = data.get("tool_call_id"), data.get("function_name"), data.get("message_id")
    if (
        (id is not None and type(id) is not str)
        or (name is not None and type(name) is not str)
        or (message_id is not None and type(message_id) is not str)
        or type(fragments := data.get("json_update_fragments")) is not list
        or "choice" in data
        or "is_free_text" in data
        or "lengths" in data
        or "repairs" in data
        or "tool_call_updates" in data
    ):
        return None
    update: ToolCallUpdate = _new_tuple(
        ToolCallUpdate, (id, index, name, text, fragments, message_id, 0, False, offset, ())
    )
    return update


def _are_items(data: list[Any]) -> bool:
    """Report whether data may be items of a stream whose start has not been read."""
    item = data[0] if data and type(data[0]) is list else data
    return len(item) > 1 and type(item[0]) is int


@cython.cclass
class EventReader:
    r"""Read the messages of midstream's events from bytes, cut anywhere.

    Both forms are read, see `EventWriter`; a `ToolsAggregateMessageHandler` accepts the messages. Events with
    names that are not known, and a provider's own events in between, are ignored. An event that arrives twice
    changes nothing, and a lost one is reported by a `ProviderError` of type "lost_event", or by the call that
    it belongs to. ``is_complete`` is true after the last event of the stream; if the connection ends before,
    `finish` returns what that means.

    >>> reader = EventReader()
    >>> reader.add_bytes(b'data: [[0,{"type":"call","name":"weather","index":0}],[0,0,"{}"]]\n\n')[0][1:4]
    (0, 'weather', '{}')
    """

    __signature__ = SourceSignature()

    def __init__(self, *, max_event: int | None = None) -> None:
        self._decoder = SseDecoder(max_event=max_event)
        self._reader = MessageReader()
        # the stream's part of the event ids, and the place of the last event
        self._stream: str | None = None
        self._number = self._part = 0
        self._failure: JsonStreamError | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the last event of the stream has arrived."""
        return self._reader.is_complete

    @property
    def form(self) -> str | None:
        """The form that the stream announced, None before that."""
        return self._reader.form

    @property
    def message_id(self) -> str | None:
        """The id that the stream announced for its messages."""
        return self._reader.message_id

    @property
    def last_event_id(self) -> str:
        """The id of the last event, which a client sends in ``Last-Event-ID`` to resume."""
        return self._decoder.last_event_id

    def add_bytes(self, data: bytes | bytearray | memoryview) -> list[Message]:
        """Process the bytes of one read, and return the messages of the events that they complete.

        An event of midstream that is malformed raises `JsonStreamError`. If the same read has messages before
        it, those are returned first, and the next call raises. A reader that has failed stays failed.
        """
        if self._failure is not None:
            raise self._failure
        messages: list[Message] = []
        with cython.critical_section(self):
            for event in self._decoder.add_bytes(data):
                try:
                    found = self._read(event)
                except JsonStreamError as error:
                    self._failure = error
                    if not messages:
                        raise
                    break
                messages = messages + found if messages else found
        return messages

    def finish(self) -> list[Message]:
        """End the connection: if the stream had not ended, return the message that ends what was open."""
        return self._reader.finish()

    def _read(self, event: SseEvent) -> list[Message]:
        name, text, id = event.event, event.data, event.id
        if id and not self._is_new(name, id):
            return []
        if name in _UNNAMED:
            is_ours = text.startswith(("[", '{"type"')) and text != "[DONE]"
        else:
            is_ours = name in TYPES or name in ("stream_start", "stream_end", "error")
        return self._reader.read(name, _decoded(text, name)) if is_ours else []

    def _is_new(self, name: str, id: str) -> bool:
        """Report whether an event has not arrived before: the numbers in the ids of a stream increase."""
        stream = self._stream
        if stream is not None and id.startswith(stream):
            # a shortcut for most ids
            digits = id[len(stream) + 1 :]
            if len(digits) <= 18 and digits.isdigit() and digits.isascii() and id[len(stream)] == "-":
                return self._move_to(int(digits), 0)
        match = _EVENT_ID(id)
        if match is None:
            return True
        stream, number, part = match[1], int(match[2]), int(match[3] or 0)
        if name == "stream_start" and stream != self._stream:
            # if the events have no ids of their own, this one is left from another event
            self._stream = stream if number == part == 0 else None
            self._number, self._part = number, part
            return True
        return stream != self._stream or self._move_to(number, part)

    def _move_to(self, number: int, part: int) -> bool:
        """Note the place of an event, and report whether it comes after the last one."""
        if number < self._number or (number == self._number and part <= self._part):
            return False
        self._number, self._part = number, part
        return True


def _decoded(text: str, name: str) -> Any:
    try:
        # what `json.loads` calls for a text without white space at its ends
        value, end = _scan(text, 0)
        if end == len(text):
            return value
    except (ValueError, RecursionError, StopIteration):
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if name == "error":
            return None
        raise invalid(ErrorCode.INVALID_EVENT, "its data is not JSON") from None

"""Messages in, Server-Sent Events out."""

from __future__ import annotations

from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Literal
from zlib import crc32

from .._options import check_dialect
from .._signature import SourceSignature
from ..calls.messages import (
    MessageEnd,
    ReasoningDelta,
    RefusalDelta,
    StreamSnapshot,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
    ToolResult,
    from_event,
    to_event,
)
from ..calls.plain import write_repairs
from ..calls.registry import CallRegistry, is_end, kind_of
from ..core import cython_shim as cython
from ..core.surrogates import escape_surrogates
from ..errors import ErrorCode, JsonStreamError, ParserError
from .numbers import NumberedCall, NumberedText
from .updates import UPDATE, SentStrings

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..calls.messages import fields_of
    from .numbers import new_names
    from .updates import encoded_json, members_of, scalar, text_event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._options import Dialect
    from ..calls.messages import Fragment, Message

__all__ = ["FORMS", "VERSION", "EventWriter", "Form"]

Form = Literal["full", "compact"]
FORMS = ("full", "compact")
# of both forms, in `stream_start`
VERSION = 1

_TEXT_NAMES: dict[type, str] = {TextDelta: "text", ReasoningDelta: "reasoning", RefusalDelta: "refusal"}
_NOTHING: dict[str, Any] = {}
# Milliseconds until a client reconnects: short, and different for each stream, so that the clients of a
# server that stops do not all come back at once.
_RETRY_FROM, _RETRY_TO = 100, 300


@cython.cclass
class EventWriter:
    r"""Write messages as Server-Sent Events, in the form ``full`` or ``compact``.

    In ``full`` each event is a message in its plain form, see `to_event`. In ``compact`` a call or text is
    introduced once and then known by a number, and clients parse the arguments themselves, so messages need
    no ``json_update_fragments``; with ``dialect="lenient"``, that of the middleware, they are written in both
    forms, because clients read strictly. `EventReader` reads both. With a ``stream_id`` the events have ids,
    ``<stream_id>-<number>``, from which a client can resume.

    >>> writer = EventWriter("compact")
    >>> writer.add_message(ToolCallUpdate("call_1", 0, "weather", '{"ci'))
    b'data: [[0,{"type":"call","id":"call_1","index":0,"name":"weather"}],[0,0,"{\\"ci"]]\n\n'
    >>> writer.add_message(ToolCallUpdate(index=0, function_args='ty":'))
    b'data: [0,4,"ty\\":"]\n\n'
    """

    __signature__ = SourceSignature()
    __slots__ = (
        "_form", "_is_compact", "_is_lenient", "_message_id", "_next_event", "_next_number", "_part",
        "_registry", "_stream_id", "_texts",
    )  # fmt: skip

    def __init__(
        self, form: Form = "full", *, stream_id: str | None = None, dialect: Dialect = "strict"
    ) -> None:
        check_dialect(dialect)
        if form not in FORMS:
            raise ValueError(f"form is 'full' or 'compact', not {form!r}")
        if stream_id is not None and any(character in stream_id for character in "\r\n\0"):
            raise ValueError("stream_id must not contain line ends or null characters")
        self._form = form
        self._is_compact = form == "compact"
        self._is_lenient = dialect == "lenient"
        self._stream_id = stream_id
        self._next_event = 0
        # the part of an event's number, if `number` was called
        self._part: int | None = None
        # in ``compact``: the message id that events without one have
        self._message_id: str | None = None
        self._registry = CallRegistry(NumberedCall)
        self._texts: dict[tuple[Any, ...], NumberedText] = {}
        self._next_number = 0

    def start(
        self, format: str | None = None, name: str | None = None, message_id: str | None = None
    ) -> bytes:
        r"""Write the first event of a stream.

        ``format`` and ``name`` say what the stream is. ``message_id``, by default the ``stream_id``, is the
        id of its messages, which ``compact`` does not repeat.

        >>> EventWriter("compact").start("openai-chat", "trip")[:50]
        b'event: stream_start\ndata: {"version":1,"form":"com'
        """
        self._message_id = self._stream_id if message_id is None else message_id
        data = {
            "version": VERSION,
            "form": self._form,
            "message_id": self._message_id,
            "format": format,
            "name": name,
        }
        retry = "" if self._stream_id is None else f"retry: {_retry_of(self._stream_id)}\n"
        return self._event("stream_start", encoded_json(data), retry)

    def number(self, number: int, part: int = 0) -> None:
        r"""Assign the next events the ids ``<stream_id>-<number>``, ``<stream_id>-<number>.1`` and so on.

        >>> writer = EventWriter("compact", stream_id="s")
        >>> writer.number(7)
        >>> writer.mark() + writer.mark()
        b'id: s-7\n\nid: s-7.1\n\n'
        """
        self._next_event = number
        self._part = part

    def add_message(self, message: Message | Mapping[str, Any]) -> bytes:
        r"""Write a message, which may be in its plain form; return b"" if that is not needed.

        >>> EventWriter().add_message(TextDelta("Hé"))
        b'event: text_delta\ndata: {"type":"text_delta","text":"H\xc3\xa9"}\n\n'
        """
        if type(message) is ToolCallUpdate and self._is_compact:
            # a shortcut for most messages
            with cython.critical_section(self):
                return self._piece_event(message)
        with cython.critical_section(self):
            return self._write(message)

    def _write(self, message: Message | Mapping[str, Any]) -> bytes:
        if isinstance(message, Mapping):
            known = from_event(message)
            if known is None:
                raise JsonStreamError(ParserError.of(ErrorCode.INVALID_EVENT, 0, "it is not a message"))
            message = known
        if not isinstance(message, (ToolResult, MessageEnd, ToolCallEnd)):
            return self._compact(message) if self._is_compact else self._full(message)
        ended = self._ended(message)
        # a text that is not JSON does not show that its end is missing
        free = [call for call in ended if call.is_free_text and call.received]
        written = self._compact_end(message, free) if self._is_compact else self._full_end(message, free)
        for call in ended:
            self._registry.drop(call)
        return written

    def error(self, code: str, message: str) -> bytes:
        """Write an error of the server; `end` follows."""
        return self._event("error", encoded_json({"code": code, "message": message}))

    def end(self) -> bytes:
        """Write the last event of a stream, without which clients take it as cut off."""
        return self._event("stream_end", "{}")

    def mark(self) -> bytes:
        """Write an event id alone: clients keep it for resuming, and receive no event (HTML, 9.2.6)."""
        return b"%b\n" % self._id().encode()

    def _id(self) -> str:
        if self._stream_id is None:
            return ""
        number, part = self._next_event, self._part
        if part is None:
            self._next_event = number + 1
            return f"id: {self._stream_id}-{number}\n"
        self._part = part + 1
        return f"id: {self._stream_id}-{number}.{part}\n" if part else f"id: {self._stream_id}-{number}\n"

    def _event(self, name: str, data: str, retry: str = "") -> bytes:
        line = f"event: {name}\n" if name else ""
        return _encoded(f"{line}{self._id()}{retry}data: {data}\n\n")

    # the form full

    def _full(self, message: Message) -> bytes:
        match message:
            case TextDelta():
                self._text_of(message)[1].add(message.text)
                return self._event("text_delta", text_event(message))
            case ReasoningDelta() | RefusalDelta():
                self._text_of(message)[1].add(message.text)
            case ToolCallUpdate():
                members = self._full_update(message, message.message_id, message.message_id)
                return self._event(UPDATE, f'{{"type":"{UPDATE}"{members}}}')
            case ToolCallsUpdate():
                return self._event(UPDATE, self._full_updates(message))
        event = to_event(message)
        return self._event(event["type"], encoded_json(event))

    def _full_end(self, end: ToolCallEnd | ToolResult | MessageEnd, free: list[NumberedCall]) -> bytes:
        event = to_event(end)
        lengths = [_length_of(call) for call in free]
        if isinstance(end, MessageEnd):
            for key, text in self._end_texts(end):
                lengths.append(self._about_text(key, text) | {"length": text.length})
        if lengths:
            event["lengths"] = lengths
        return self._event(event["type"], encoded_json(event))

    def _full_updates(self, message: ToolCallsUpdate) -> str:
        """Return the plain form of several updates as JSON."""
        id = message.message_id
        updates: list[str] = []
        for update in message.tool_call_updates:
            members = self._full_update(update, update.message_id or id, update.message_id)
            updates.append(f"{{{members[1:]}}}")
        end = "" if id is None else f',"message_id":{scalar(id)}'
        return f'{{"type":"{UPDATE}","tool_call_updates":[{",".join(updates)}]{end}}}'

    def _full_update(self, update: ToolCallUpdate, message_id: str | None, stated_id: str | None) -> str:
        """Return the members of an update's plain form as JSON, each after a comma."""
        call, offset = self._registry.find(update, message_id), update.args_offset
        if call is None:
            # a late piece of a call that has ended is written as it is
            return members_of(update, offset, stated_id, SentStrings())
        call.is_free_text = call.is_free_text or (update.is_free_text and call.received == 0)
        if text := update.function_args:
            offset = call.count(update.args_offset, text)
        return members_of(update, offset, stated_id, call.sent_strings)

    # the form compact

    def _compact(self, message: Message) -> bytes:
        match message:
            case ToolCallUpdate():
                return self._items_event(self._call_items(message, message.message_id))
            case ToolCallsUpdate():
                items = [
                    item
                    for update in message.tool_call_updates
                    for item in self._call_items(update, update.message_id or message.message_id)
                ]
                return self._items_event(items)
            case TextDelta() | RefusalDelta() | ReasoningDelta(signature=None):
                return self._items_event(self._text_items(message))
        return self._plain(message)

    def _compact_end(self, end: ToolCallEnd | ToolResult | MessageEnd, free: list[NumberedCall]) -> bytes:
        lengths = [[call.number, call.received] for call in free]
        if isinstance(end, MessageEnd):
            lengths += [[text.number, text.length] for _, text in self._end_texts(end)]
        elif isinstance(end, ToolCallEnd):
            call = self._registry.of_end(end)
            if call is not None and call.number is not None:
                about: dict[str, Any] = {"length": call.received} if free else {}
                about["end"] = True
                if end.failed:
                    about["failed"] = True
                return self._event("", f"[{call.number},{encoded_json(about)}]")
        return self._plain(end, {"lengths": lengths} if lengths else {})

    def _plain(self, message: Message, more: Mapping[str, Any] = _NOTHING) -> bytes:
        event = {**to_event(message), **more}
        if isinstance(message, StreamSnapshot):
            event |= self._numbers()
        elif message.message_id == self._message_id:
            event.pop("message_id", None)
        else:
            event["message_id"] = message.message_id
        return self._event(event["type"], encoded_json(event))

    def _numbers(self) -> dict[str, Any]:
        """Return what a client that joins now must know about the numbers."""
        calls = [call for call in self._registry.all_calls() if call.number is not None]
        items = [[call.number, self._about_call(call), call.received] for call in calls]
        items += [
            [text.number, self._about_text(key, text), text.length] for key, text in self._texts.items()
        ]
        return {"numbers": sorted(items), "next_number": self._next_number}

    def _items_event(self, items: list[str]) -> bytes:
        if not items:
            return b""
        return self._event("", items[0] if len(items) == 1 else f"[{','.join(items)}]")

    def _piece_event(self, update: ToolCallUpdate) -> bytes:
        """Write a piece of a call; most add text to a known call, and are written without lists and dicts."""
        id, index, name, text, fragments, message_id, _, is_free_text, stated, repairs = fields_of(update)
        call = self._registry.find(update, message_id)
        if (
            call is None
            or call.number is None
            or not (id is None and name is None and index == call.introduced[1])
            or not (text and fragments is None and not repairs and not is_free_text)
        ):
            return self._items_event(self._items_of(call, update))
        offset = call.count(stated, text)
        quoted = encode_basestring(text)
        return _encoded(f"{self._id()}data: [{call.number},{offset},{quoted}]\n\n")

    def _call_items(self, update: ToolCallUpdate, message_id: str | None) -> list[str]:
        """Return the items for a piece of a call."""
        return self._items_of(self._registry.find(update, message_id), update)

    def _items_of(self, call: NumberedCall | None, update: ToolCallUpdate) -> list[str]:
        if call is None:
            # a late piece of a call that has ended changes nothing
            return []
        items: list[str] = []
        text, fragments = update.function_args or "", update.json_update_fragments
        call.is_free_text = call.is_free_text or (update.is_free_text and call.received == 0)
        if call.number is None:
            items.append(self._introduction(call, update))
        elif (about := call.news(update)) is not None:
            items.append(f"[{call.number},{encoded_json(about)}]")
        if update.repairs:
            items.append(f"[{call.number},{encoded_json({'repairs': write_repairs(update.repairs)})}]")
        if fragments is not None and not call.has_updates:
            call.has_updates = self._is_lenient or _needs_updates(call, text, fragments)
        if text or (call.has_updates and fragments):
            offset = call.count(update.args_offset, text)
            quoted = encode_basestring(text)
            if call.has_updates and fragments is not None:
                items.append(f"[{call.number},{offset},{quoted},{call.sent_strings.written(fragments)}]")
            else:
                items.append(f"[{call.number},{offset},{quoted}]")
        return items

    def _introduction(self, call: NumberedCall, update: ToolCallUpdate) -> str:
        """Return the item that introduces a call, which gets its number here."""
        call.number = number = self._next_number
        self._next_number = number + 1
        call.introduced = (update.tool_call_id, update.index, update.function_name)
        return f"[{number},{encoded_json(self._about_call(call))}]"

    def _about_call(self, call: NumberedCall) -> dict[str, Any]:
        about: dict[str, Any] = {"type": "call"} | new_names(call.introduced, (None, None, None))
        self._add_place(about, call.message_id, call.choice)
        if call.is_free_text:
            about["free_text"] = True
        return about

    def _about_text(self, key: tuple[Any, ...], text: NumberedText) -> dict[str, Any]:
        about: dict[str, Any] = {"type": text.type}
        if text.kind is not None and text.kind != text.type:
            about["kind"] = text.kind
        self._add_place(about, key[1], key[2])
        return about

    def _add_place(self, about: dict[str, Any], message_id: str | None, choice: int) -> None:
        if choice:
            about["choice"] = choice
        if message_id != self._message_id:
            about["message_id"] = message_id

    def _text_items(self, message: TextDelta | RefusalDelta | ReasoningDelta) -> list[str]:
        """Return the items for a piece of a text."""
        key, text = self._text_of(message)
        items: list[str] = []
        if text.number < 0:
            text.number = self._next_number
            self._next_number += 1
            items.append(f"[{text.number},{encoded_json(self._about_text(key, text))}]")
        items.append(f"[{text.number},{text.length},{encode_basestring(message.text)}]")
        text.add(message.text)
        return items

    # both forms

    def _ended(self, end: ToolCallEnd | ToolResult | MessageEnd) -> list[NumberedCall]:
        """Return the calls that have ended."""
        registry = self._registry
        if isinstance(end, ToolResult):
            return list(registry.of_result(end.tool_call_id))
        if isinstance(end, ToolCallEnd):
            call = registry.of_end(end)
            return [] if call is None else [call]
        id = registry.message_of(end.message_id)
        return [call for table in registry.tables(id, end.choice) for call in table]

    def _text_of(
        self, message: TextDelta | RefusalDelta | ReasoningDelta
    ) -> tuple[tuple[Any, ...], NumberedText]:
        """Return the text that a piece belongs to, with its key."""
        kind = message.kind if isinstance(message, ReasoningDelta) else None
        key = type(message), message.message_id, message.choice, kind
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = NumberedText(_TEXT_NAMES[type(message)], kind)
        return key, text

    def _end_texts(self, end: MessageEnd) -> list[tuple[tuple[Any, ...], NumberedText]]:
        """Forget the texts that have ended, and return them with their keys."""
        ended = [key for key in self._texts if key[1] == end.message_id and end.choice in (None, key[2])]
        return [(key, self._texts.pop(key)) for key in ended]


def _length_of(call: NumberedCall) -> dict[str, Any]:
    """Return the length of a call's arguments, as an update without text."""
    update = ToolCallUpdate(call.id, call.index, choice=call.choice, args_offset=call.received)
    return {name: value for name, value in to_event(update).items() if name != "type"}


def _retry_of(id: str) -> int:
    """Return the reconnection time of a stream: the same wherever its events are written."""
    return _RETRY_FROM + crc32(id.encode()) % (_RETRY_TO - _RETRY_FROM + 1)


def _needs_updates(call: NumberedCall, text: str, fragments: Sequence[Fragment]) -> bool:
    """Report whether a client cannot read the arguments from their text."""
    if not text and call.received == 0:
        # a sender of updates alone
        return not all(map(is_end, fragments))
    return any(kind_of(fragment) in ("Repair", "repair") for fragment in fragments)


def _encoded(text: str) -> bytes:
    """Encode an event; lone surrogates, which UTF-8 cannot encode, are escaped as in JSON."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return escape_surrogates(text).encode()

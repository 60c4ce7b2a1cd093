"""A provider's events in, the bytes of midstream's events out, without I/O.

Nothing here grows with what a stream has said: a long piece of arguments is taken in parts, and what
it tells goes out in several events, one at a time and only when asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .accumulators.base import DEFAULT_LIMITS
from .calls.messages import ToolCallsUpdate, ToolCallUpdate, to_event
from .calls.middleware import JsonFragmentUpdateMiddleware
from .errors import ErrorCode, JsonStreamError, ParserError
from .sse import SseDecoder, SseEvent, encode
from .streams import ProviderStream
from .wire.form import to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .calls.messages import Message
    from .limits import Limits

__all__ = ["Enrichment", "EventCutter", "EventStream", "EventWriter", "Kind", "Step"]

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_LINE = re.compile(rb"[^\r\n]*(?:\r\n?|\n|$)")
_BLANK_LINES = (b"\n\n", b"\r\r", b"\n\r", b"\n\r\n", b"\r\r\n")
_BOM = b"\xef\xbb\xbf"
# how much longer than its fields an event may be as it was sent: lines have ends, of two bytes at most,
# and the rest is for comments
_RAW = 4
# characters of arguments that are read at once
_PART = 16_384
# about how many bytes of fragments make an event
_LONG = 65_536
# what a fragment takes beside its path and its text
_FRAME = 48
# milliseconds: well inside the grace period
_RETRY = 1_000


class Step(NamedTuple):
    """Something a provider sent, byte by byte, and the event that it is, if it is one."""

    raw: bytes
    event: Any = None


class EventCutter:
    r"""Cut a provider's stream into its events, each as it was sent and decoded.

    At the end, an event without its blank line is none.

    >>> cutter = EventCutter()
    >>> cutter.add_bytes(b": hello\ndata: 1\r\n")
    []
    >>> cutter.add_bytes(b"\r\ndata")[0].raw
    b': hello\ndata: 1\r\n\r\n'
    """

    def __init__(self, max_event: int | None = None, with_raw: bool = True) -> None:
        self._decoder = SseDecoder(max_event=max_event)
        self._max_raw = None if max_event is None else _RAW * max_event
        self._with_raw = with_raw
        self._raw = bytearray()
        self._is_new = True

    def add_bytes(self, data: bytes) -> list[Step]:
        """Give the steps that are whole; comments alone are one, too, without an event.

        What is too long raises as the decoder does: if there are steps before it, from the next call on.
        """
        if not self._with_raw:
            return [Step(b"", event) for event in self._decoder.add_bytes(data)]
        steps: list[Step] = []
        try:
            for line in _LINE.findall(data):
                self._raw += line
                steps += [Step(self._take(), event) for event in self._decoder.add_bytes(line)]
        except JsonStreamError:
            if not steps:
                raise
            return steps
        if self._raw.endswith(_BLANK_LINES):
            steps.append(Step(self._take()))
        if self._max_raw is not None and len(self._raw) > self._max_raw and not steps:
            raise JsonStreamError(ParserError.of(ErrorCode.EVENT_LIMIT))
        return steps

    def finish(self) -> None:
        """End the stream; what was too long at its end is told now."""
        self._decoder.finish()

    def _take(self) -> bytes:
        raw = bytes(self._raw)
        self._raw.clear()
        if self._is_new:
            # a byte order mark is one at the start of a stream only, and ours has begun
            self._is_new = False
            return raw.removeprefix(_BOM)
        return raw


class Enrichment:
    """Turn a provider's events into messages, with the updates of all arguments.

    All get a message id, and the updates of one event are in one message.

    >>> enrichment = Enrichment("m1", "openai-chat")
    >>> call = {"index": 0, "function": {"name": "f", "arguments": '{"a'}}
    >>> event = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    >>> for message in enrichment.add_event(event): print(message)
    ToolCallsUpdate(tool_call_updates=[ToolCallUpdate(tool_call_id=None, index=0, function_name='f', \
function_args='{"a', json_update_fragments=[{'path': 'root', 'kind': 'StartObject'}], \
message_id=None, choice=0, is_free_text=False, args_offset=0)], message_id='m1')
    """

    def __init__(self, message_id: str, format: str | None = None, limits: Limits = DEFAULT_LIMITS) -> None:
        self._id = message_id
        self._provider = ProviderStream(format)
        self._middleware = JsonFragmentUpdateMiddleware(limits=limits)

    def add_event(self, event: Any) -> Iterator[Message]:
        """Give the messages of an event."""
        return _bundled(self._enriched(self._provider.add_event(event)))

    def finish(self) -> Iterator[Message]:
        """Give what the end of the stream tells."""
        yield from _bundled(self._enriched(self._provider.finish()))
        yield from self.give_up()

    def give_up(self) -> Iterator[Message]:
        """Give what it tells of the open calls that the stream goes no further."""
        return _bundled(self._middleware.finish())

    def _enriched(self, messages: list[Message]) -> Iterator[Message]:
        for message in messages:
            for part in self._parts(message):
                yield from self._middleware.add_message(part)

    def _parts(self, message: Message) -> Iterator[Message]:
        """Name the message that a message belongs to, and take its updates one by one, in short parts."""
        id = message.message_id or self._id
        if isinstance(message, ToolCallsUpdate):
            for update in message.tool_call_updates:
                yield from self._parts(update._replace(message_id=update.message_id or id))
            return
        message = message._replace(message_id=id)
        if not isinstance(message, ToolCallUpdate) or message.json_update_fragments is not None:
            yield message
            return
        args = message.function_args or ""
        yield message._replace(function_args=args[:_PART])
        for start in range(_PART, len(args), _PART):
            yield message._replace(function_name=None, function_args=args[start : start + _PART])


def _bundled(messages: Iterable[Message]) -> Iterator[Message]:
    """Put updates that follow each other into one message, unless it gets long."""
    id: str | None = None
    updates: list[ToolCallUpdate] = []
    size = 0
    for message in messages:
        if updates and (not isinstance(message, ToolCallUpdate) or message.message_id != id):
            yield ToolCallsUpdate(updates, id)
            updates, size = [], 0
        if isinstance(message, ToolCallUpdate):
            id = message.message_id
            for update, length in _short(message):
                updates.append(update)
                size += length
                if size > _LONG:
                    yield ToolCallsUpdate(updates, id)
                    updates, size = [], 0
        else:
            yield message
    if updates:
        yield ToolCallsUpdate(updates, id)


def _short(update: ToolCallUpdate) -> Iterator[tuple[ToolCallUpdate, int]]:
    """Cut an update with many fragments into several, each with about its length."""
    update = update._replace(message_id=None)
    size = len(update.function_args or "")
    fragments: list[Mapping[str, Any]] = []
    for fragment in update.json_update_fragments or ():
        wire = fragment if isinstance(fragment, Mapping) else to_wire(fragment)
        fragments.append(wire)
        size += _FRAME + len(str(wire.get("path"))) + 2 * len(str(wire.get("textValue", "")))
        if size > _LONG:
            yield update._replace(json_update_fragments=fragments), size
            # the name again would be another call
            offset = update.args_offset
            if offset is not None:
                offset += len(update.function_args or "")
            update = update._replace(function_name=None, function_args=None, args_offset=offset)
            fragments, size = [], 0
    if update.json_update_fragments is None or fragments or update.function_args is not None:
        shown = None if update.json_update_fragments is None else fragments
        yield update._replace(json_update_fragments=shown), size


class EventWriter:
    r"""Write messages as Server-Sent Events, numbered if there is somebody who can resume them.

    >>> from .calls.messages import TextDelta
    >>> EventWriter("s1").message(TextDelta("Hé"))
    b'event: text_delta\nid: s1-0\ndata: {"type": "text_delta", "text": "H\xc3\xa9"}\n\n'
    """

    def __init__(self, stream_id: str, is_numbered: bool = True) -> None:
        self._id = stream_id
        self._is_numbered = is_numbered
        self._next = 0

    def start(self, format: str | None, name: str | None) -> bytes:
        """Write what a stream begins with."""
        data = {"message_id": self._id, "format": format, "name": name}
        return self._event("stream_start", data, _RETRY if self._is_numbered else None)

    def message(self, message: Message) -> bytes:
        """Write a message."""
        event = to_event(message)
        return self._event(event["type"], event)

    def error(self, code: str, message: str) -> bytes:
        """Write what went wrong."""
        return self._event("error", {"code": code, "message": message})

    def end(self) -> bytes:
        """Write what a stream ends with."""
        return self._event("stream_end", {})

    def mark(self) -> bytes:
        """Write a number alone: it is kept for resuming, and no event comes of it (9.2.6)."""
        return b"id: %b\n\n" % self._number().encode() if self._is_numbered else b""

    def _event(self, kind: str, data: Mapping[str, Any], retry: int | None = None) -> bytes:
        return encode(SseEvent(kind, _json(data), self._number(), retry))

    def _number(self) -> str:
        number, self._next = self._next, self._next + 1
        return f"{self._id}-{number}" if self._is_numbered else ""


class Kind(NamedTuple):
    """What a stream is: its name and format, if known, and whether the provider's own events are in it."""

    name: str | None = None
    format: str | None = None
    with_provider: bool = False


class EventStream:
    r"""All that a stream says, from its start to its end, event by event.

    >>> stream = EventStream("s1", Kind("trip", "anthropic"), is_numbered=False)
    >>> delta = {"type": "text_delta", "text": "Hi"}
    >>> stream.start()
    b'event: stream_start\ndata: {"message_id": "s1", "format": "anthropic", "name": "trip"}\n\n'
    >>> list(stream.add_step(Step(b"", {"type": "content_block_delta", "index": 0, "delta": delta})))
    [b'event: text_delta\ndata: {"type": "text_delta", "text": "Hi", "message_id": "s1"}\n\n']
    >>> list(stream.finish()), list(stream.close())
    ([], [b'event: stream_end\ndata: {}\n\n'])
    """

    def __init__(
        self, id: str, kind: Kind, is_numbered: bool = True, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._kind = kind
        self._writer = EventWriter(id, is_numbered)
        self._enrichment = Enrichment(id, kind.format, limits)
        self._has_failed = False

    def start(self) -> bytes:
        """Begin."""
        return self._writer.start(self._kind.format, self._kind.name)

    def add_step(self, step: Step) -> Iterator[bytes]:
        """Give a step's entries: the provider's event as it was, if wanted, is part of the first."""
        raw = step.raw if self._kind.with_provider else b""
        for entry in self._ours(step.event):
            yield raw + entry
            raw = b""
        if raw:
            # with a number of ours, so that a client that comes back does not get it twice
            yield raw + self._writer.mark()

    def _ours(self, event: Any) -> Iterator[bytes]:
        if event is None or self._has_failed:
            return
        try:
            yield from map(self._writer.message, self._enrichment.add_event(event))
        except JsonStreamError as error:
            if not self._kind.with_provider:
                raise
            # what we can't read, the client may
            yield from self._failed(error.code.value, error.error.message)

    def finish(self) -> Iterator[bytes]:
        """Give what the end of the provider's stream tells."""
        return map(self._writer.message, () if self._has_failed else self._enrichment.finish())

    def close(self, failure: tuple[str, str] | None = None) -> Iterator[bytes]:
        """End; after a failure, with what it means for open calls, its code and its message."""
        if failure is not None:
            yield from self._failed(*failure)
        yield self._writer.end()

    def _failed(self, code: str, message: str) -> Iterator[bytes]:
        self._has_failed = True
        yield from map(self._writer.message, self._enrichment.give_up())
        yield self._writer.error(code, message)


def _json(data: Mapping[str, Any]) -> str:
    """Write JSON with non-ASCII as it is; UTF-8 has no place for half a surrogate pair, so it is escaped."""
    try:
        text = _ENCODER.encode(data)
    except (TypeError, ValueError, RecursionError):
        why = "a result that is no JSON value"
        raise JsonStreamError(ParserError.of(ErrorCode.INVALID_EVENT, 0, why)) from None
    return text.encode("utf-8", "backslashreplace").decode()

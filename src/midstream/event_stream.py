"""Convert a provider's events into the bytes of midstream's events, without I/O.

Memory does not grow with the length of a stream: a long piece of arguments is processed in parts, and its
updates are written as several events, one at a time and only when the caller asks for the next one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .accumulators.base import DEFAULT_LIMITS
from .calls.messages import StreamSnapshot, ToolCallsUpdate, ToolCallUpdate
from .calls.middleware import JsonFragmentUpdateMiddleware
from .captures import event_framing
from .errors import ErrorCode, JsonStreamError, ParserError
from .events.writer import EventWriter
from .provider_events import ProviderEventReader
from .sse import BOM, SseDecoder
from .streams.provider import ProviderStream
from .wire.form import to_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ._options import Dialect
    from .calls.messages import Message
    from .events.writer import Form
    from .limits import Limits

__all__ = [
    "MAX_BEGINNING",
    "UNBUFFERED",
    "Enrichment",
    "EventCutter",
    "EventStream",
    "Kind",
    "Step",
    "events_without_framing",
]

# headers of a response with events; the second one keeps nginx and compatible proxies from buffering them
UNBUFFERED = {"cache-control": "no-cache", "x-accel-buffering": "no"}

_LINE = re.compile(rb"[^\r\n]*(?:\r\n?|\n|$)")
_BLANK_LINES = (b"\n\n", b"\r\r", b"\n\r", b"\n\r\n", b"\r\r\n")
# the maximum of an event's raw bytes, as a multiple of max_event: raw bytes include line ends, of at most
# two bytes each, and comments
_MAX_RAW_FACTOR = 4
# how much of a body without events is read, to say what it is
MAX_BEGINNING = 65_536
# the maximum number of argument characters that are parsed at once
_MAX_ARGS = 16_384
# shorter arguments, and fewer updates, need not be split
_SHORT_ARGS = 64
_FEW_UPDATES = 8
# the approximate maximum of bytes of updates in one event
_MAX_EVENT_TEXT = 65_536
# the approximate bytes of an update apart from its path and text
_UPDATE_OVERHEAD = 48


class Step(NamedTuple):
    """A piece of a provider's stream: its raw bytes, and the event that they contain, if any."""

    raw: bytes
    event: Any = None


class EventCutter:
    r"""Split a provider's stream into its events, each with its raw bytes and decoded.

    An event without its blank line at the end of the stream is discarded. A body without any event that is
    no event stream at all, such as an HTML page or the JSON of an error, is read by `finish`.

    >>> cutter = EventCutter()
    >>> cutter.add_bytes(b": hello\ndata: 1\r\n")
    []
    >>> cutter.add_bytes(b"\r\ndata")[0].raw
    b': hello\ndata: 1\r\n\r\n'
    """

    def __init__(self, max_event: int | None = None, with_raw: bool = True) -> None:
        self._decoder = SseDecoder(max_event=max_event)
        self._max_raw = None if max_event is None else _MAX_RAW_FACTOR * max_event
        self._with_raw = with_raw
        self._raw = bytearray()
        self._is_new = True
        # the beginning of the body, until it has an event
        self._beginning: bytearray | None = bytearray()

    def add_bytes(self, data: bytes) -> list[Step]:
        """Return the complete steps; comments alone are a step without an event.

        An event that is too long raises as in the decoder. If there are steps before it, these are returned
        first, and the next call raises.
        """
        if self._beginning is not None and len(self._beginning) < MAX_BEGINNING:
            self._beginning += data
        steps = self._cut(data)
        if any(step.event is not None for step in steps):
            self._beginning = None
        return steps

    def _cut(self, data: bytes) -> list[Step]:
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

    def finish(self) -> list[Step]:
        """Return the steps of a body that is no event stream; raise if that has none, or was too long."""
        self._decoder.finish()
        beginning = bytes(self._beginning or b"")
        return [Step(b"", event) for event in events_without_framing(beginning)]

    def _take(self) -> bytes:
        raw = bytes(self._raw)
        self._raw.clear()
        if self._is_new:
            # remove the byte order mark: in the middle of our stream it would be a character
            self._is_new = False
            return raw.removeprefix(BOM)
        return raw


def events_without_framing(body: bytes) -> list[Any]:
    """Return the events of a body that should be Server-Sent Events and is not; raise if it has none.

    >>> events_without_framing(b'{"error": "model not found"}')
    [{'error': 'model not found'}]
    >>> events_without_framing(b"data: 1")
    []
    """
    if not body.strip() or event_framing(body) in ("sse", None):
        return []
    reader = ProviderEventReader()
    return [*reader.add(body), *reader.finish()]


class Enrichment:
    """Convert a provider's events into messages that contain the updates of all arguments.

    Every message gets a message id, and the updates of one event are in one message. Without ``with_updates``
    the clients parse the arguments.

    >>> enrichment = Enrichment("m1", "openai-chat")
    >>> call = {"index": 0, "function": {"name": "f", "arguments": '{"a'}}
    >>> event = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    >>> for message in enrichment.add_event(event): print(message)
    ToolCallsUpdate(tool_call_updates=[ToolCallUpdate(tool_call_id=None, index=0, function_name='f', \
function_args='{"a', json_update_fragments=(JsonFragmentUpdate('root', 'StartObject'),), \
message_id=None, choice=0, is_free_text=False, args_offset=0, repairs=())], message_id='m1')
    """

    def __init__(
        self,
        message_id: str,
        format: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
        *,
        with_updates: bool = True,
        dialect: Dialect = "strict",
    ) -> None:
        self._id = message_id
        self._provider = ProviderStream(format)
        self._middleware = (
            JsonFragmentUpdateMiddleware(limits=limits, dialect=dialect) if with_updates else None
        )

    def add_event(self, event: Any) -> Iterator[Message]:
        """Yield the messages of an event."""
        yield from self._prepared(self._provider.add_event(event))
        self._provider.raise_held()

    def _prepared(self, messages: list[Message]) -> Iterator[Message]:
        if len(messages) != 1 or type(messages[0]) is not ToolCallUpdate:
            return _bundled(self._enriched(messages))
        # a shortcut for most events: a short piece of one call
        update = messages[0]
        if update.json_update_fragments is not None or len(update.function_args or "") > _SHORT_ARGS:
            return _bundled(self._enriched(messages))
        id = update.message_id or self._id
        update = update._replace(message_id=id)
        if self._middleware is not None:
            (update,) = self._middleware.add_message(update)
        if len(update.json_update_fragments or ()) > _FEW_UPDATES:
            return _bundled([update])
        return iter([ToolCallsUpdate([update._replace(message_id=None)], id)])

    def finish(self) -> Iterator[Message]:
        """Return the messages that follow from the end of the stream."""
        yield from _bundled(self._enriched(self._provider.finish()))
        yield from self.give_up()

    def give_up(self) -> Iterator[Message]:
        """Return the messages that end the open calls when the stream stops."""
        return _bundled(() if self._middleware is None else self._middleware.finish())

    def _enriched(self, messages: list[Message]) -> Iterator[Message]:
        for message in messages:
            for part in self._parts(message):
                if self._middleware is None:
                    yield part
                else:
                    yield from self._middleware.add_message(part)

    def _parts(self, message: Message) -> Iterator[Message]:
        """Yield a message's updates one by one in short parts, with the id of the message they belong to."""
        if isinstance(message, StreamSnapshot):
            yield message
            return
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
        yield message._replace(function_args=args[:_MAX_ARGS])
        for start in range(_MAX_ARGS, len(args), _MAX_ARGS):
            yield message._replace(function_name=None, function_args=args[start : start + _MAX_ARGS])


def _bundled(messages: Iterable[Message]) -> Iterator[Message]:
    """Combine consecutive updates into one message, unless it gets long."""
    id: str | None = None
    updates: list[ToolCallUpdate] = []
    size = 0
    for message in messages:
        if updates and (not isinstance(message, ToolCallUpdate) or message.message_id != id):
            yield ToolCallsUpdate(updates, id)
            updates, size = [], 0
        if isinstance(message, ToolCallUpdate):
            id = message.message_id
            for update, length in _split_update(message):
                updates.append(update)
                size += length
                if size > _MAX_EVENT_TEXT:
                    yield ToolCallsUpdate(updates, id)
                    updates, size = [], 0
        else:
            yield message
    if updates:
        yield ToolCallsUpdate(updates, id)


def _split_update(update: ToolCallUpdate) -> Iterator[tuple[ToolCallUpdate, int]]:
    """Split an update with many fragments into several; yield each with its approximate length."""
    update = update._replace(message_id=None)
    size = len(update.function_args or "")
    fragments: list[Mapping[str, Any]] = []
    for fragment in update.json_update_fragments or ():
        wire = fragment if isinstance(fragment, Mapping) else to_wire(fragment)
        fragments.append(wire)
        size += _UPDATE_OVERHEAD + len(str(wire.get("path"))) + 2 * len(str(wire.get("textValue", "")))
        if size > _MAX_EVENT_TEXT:
            yield update._replace(json_update_fragments=fragments), size
            # repeating the name would start another call
            offset = update.args_offset
            if offset is not None:
                offset += len(update.function_args or "")
            update = update._replace(function_name=None, function_args=None, args_offset=offset)
            fragments, size = [], 0
    if update.json_update_fragments is None or fragments or update.function_args is not None:
        shown = None if update.json_update_fragments is None else fragments
        yield update._replace(json_update_fragments=shown), size


class Kind(NamedTuple):
    """What a stream is: its name and format, if known, the form, and whether it has the provider's events.

    In ``dialect`` arguments are read.
    """

    name: str | None = None
    format: str | None = None
    with_provider: bool = False
    form: Form = "full"
    dialect: Dialect = "strict"


class EventStream:
    r"""Write a complete stream, event by event, from its start to its end.

    >>> stream = EventStream("s1", Kind("trip", "anthropic"), is_numbered=False)
    >>> delta = {"type": "text_delta", "text": "Hi"}
    >>> stream.start()[:63]
    b'event: stream_start\ndata: {"version":1,"form":"full","message_i'
    >>> list(stream.add_step(Step(b"", {"type": "content_block_delta", "index": 0, "delta": delta})))
    [b'event: text_delta\ndata: {"type":"text_delta","text":"Hi","message_id":"s1"}\n\n']
    >>> list(stream.finish()), list(stream.close())
    ([], [b'event: stream_end\ndata: {}\n\n'])
    """

    def __init__(
        self, id: str, kind: Kind, is_numbered: bool = True, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._kind = kind
        self._id = id
        self._writer = EventWriter(kind.form, stream_id=id if is_numbered else None, dialect=kind.dialect)
        # clients read strictly: what they cannot read is sent as updates
        with_updates = kind.form == "full" or kind.dialect == "lenient"
        self._enrichment = Enrichment(
            id, kind.format, limits, with_updates=with_updates, dialect=kind.dialect
        )
        self._has_failed = False
        # is called with every message that is written
        self.observer: Callable[[Message], None] | None = None

    def start(self) -> bytes:
        """Return the first event."""
        return self._writer.start(self._kind.format, self._kind.name, self._id)

    def number(self, number: int, part: int = 0) -> None:
        """Assign the next entries the numbers ``number``, ``number.1`` and so on, from a part on."""
        self._writer.number(number, part)

    def add_step(self, step: Step) -> Iterator[bytes]:
        """Yield a step's entries; the first one includes the provider's raw event if it was requested."""
        raw = step.raw if self._kind.with_provider else b""
        for entry in self._own_events(step.event):
            yield raw + entry
            raw = b""
        if raw:
            # add an id, so that a client that resumes does not receive it twice
            yield raw + self._writer.mark()

    def _own_events(self, event: Any) -> Iterator[bytes]:
        if event is None or self._has_failed:
            return
        try:
            yield from self._written(self._enrichment.add_event(event))
        except JsonStreamError as error:
            if not self._kind.with_provider:
                raise
            # the client may be able to read what the adapter cannot
            yield from self._failed(error.code.value, error.error.message)

    def finish(self) -> Iterator[bytes]:
        """Return the events that follow from the end of the provider's stream."""
        return self._written(() if self._has_failed else self._enrichment.finish())

    def snapshot(self, snapshot: StreamSnapshot) -> bytes:
        """Return an event that stands for all events so far; it does not change the stream."""
        return self._writer.add_message(snapshot)

    def close(self, failure: tuple[str, str] | None = None) -> Iterator[bytes]:
        """End the stream; after a failure, first end the open calls and report its code and message."""
        if failure is not None:
            yield from self._failed(*failure)
        yield self._writer.end()

    def _failed(self, code: str, message: str) -> Iterator[bytes]:
        self._has_failed = True
        yield from self._written(self._enrichment.give_up())
        yield self._writer.error(code, message)

    def _observed(self, message: Message) -> Message:
        if self.observer is not None:
            self.observer(message)
        return message

    def _written(self, messages: Iterable[Message]) -> Iterator[bytes]:
        if self.observer is not None:
            messages = map(self._observed, messages)
        # some messages contain nothing new for a client
        return filter(None, map(self._writer.add_message, messages))

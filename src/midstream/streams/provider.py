"""Iterators over a provider's stream: everything it says, its tool calls, its text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from .._closing import Source, check_source
from .._options import check_dialect
from ..accumulators.base import DEFAULT_LIMITS
from ..calls.handler import ToolsAggregateMessageHandler
from ..calls.messages import MessageEnd, Other, ProviderError, RefusalDelta, TextDelta, Usage
from ..core import cython_shim as cython
from ..core.surrogates import SurrogateJoiner
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..provider_events import ProviderEventReader
from ..providers import adapter, detect
from ..providers._formats import TEXT_FORMATS
from ..providers._parts import error_in, is_complete_response
from ..providers._reading import decoded
from ..providers.text._within import ModelText

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from .._options import Dialect, OnInvalidEvent
    from ..calls.call import CallState
    from ..calls.handler import ToolCall
    from ..calls.messages import Message
    from ..limits import Limits
    from ..providers import Format
    from ..providers._adapter import Adapter

__all__ = ["messages", "text_deltas", "tool_calls"]

_TEXT = (str, bytes, bytearray)
# the number of events within which the format must be detected
_PATIENCE = 100
# the maximum number of characters of a provider's or a model's text in an error message
_MAX_QUOTED = 300


@cython.cclass
class ProviderStream:
    """The messages of a stream whose format is named, or detected from its first events.

    The stream consists of decoded events, or of text or bytes in any framing. With ``on_error="event"`` an
    event that cannot be read is a `ProviderError` of type "invalid_event", and the stream continues.
    """

    def __init__(
        self,
        format: str | None = None,
        on_error: OnInvalidEvent = "raise",
        bare: bool = False,
        unwrap: bool = False,
        tools: Mapping[str, Any] | None = None,
        dialect: Dialect = "strict",
    ) -> None:
        check_dialect(dialect)
        if on_error not in ("raise", "event"):
            raise ValueError(f"on_error is 'raise' or 'event', not {on_error!r}")
        if format is None and (bare or unwrap or tools is not None):
            raise ValueError("bare, unwrap and tools are options of the text formats: name one as format")
        self._format = format
        self._on_error = on_error
        self._adapter: Adapter | None = None
        # for a format of text
        self._text: ModelText | None = None
        if format is not None:
            new = partial(adapter, format, bare=bare, unwrap=unwrap, tools=tools)
            if format in TEXT_FORMATS:
                new = partial(new, dialect=dialect)
                self._text = ModelText(new, partial(ProviderStream, None, on_error))
            else:
                self._adapter = new()
        self._reader: ProviderEventReader | None = None
        # events so far, while none has shown the format
        self._early: list[Any] = []
        self._has_spoken = False
        # tokens are counted in several formats in the same way, so they do not show the format
        self._has_usage = False
        # an error in a piece of text whose earlier events had messages
        self._held: JsonStreamError | None = None

    def raise_held(self) -> None:
        """Raise the error that the last piece of text led to, after the messages before it."""
        if self._held is not None:
            error, self._held = self._held, None
            raise error

    def add_event(self, event: Any) -> list[Message]:
        """Return the messages of an event, and of earlier events held until the format was known.

        After a piece of text, `raise_held` raises the error that ended it.
        """
        if self._text is not None:
            return self._text.add_event(event)
        if type(event) is not dict and isinstance(event, _TEXT):
            return self._add_text(event)
        if self._has_spoken and self._adapter is not None and self._on_error == "raise":
            # a shortcut for most events
            return self._adapter.add_event(event)
        return self._add(event)

    def _add_text(self, text: Any) -> list[Message]:
        self.raise_held()
        if self._reader is None:
            self._reader = ProviderEventReader()
        messages: list[Message] = []
        for item in self._reader.add(text):
            try:
                messages += self._add(item)
            except JsonStreamError as error:
                if not messages:
                    raise
                self._held = error
                break
        return messages

    def _add(self, event: Any) -> list[Message]:
        try:
            messages = self._read(event)
        except JsonStreamError as error:
            if self._on_error == "raise" or error.code != ErrorCode.INVALID_EVENT:
                raise
            return [ProviderError(ErrorCode.INVALID_EVENT.value, error.error.message)]
        return messages

    def _read(self, event: Any) -> list[Message]:
        if self._adapter is None:
            return self._find_format(event)
        messages = self._adapter.add_event(event)
        if self._has_spoken:
            return messages
        if _speaks(messages):
            self._has_spoken = True
        else:
            self._has_usage = self._has_usage or any(type(message) is Usage for message in messages)
            # the body of an error may have a type that only its server knows
            error = error_in(decoded(event))
            if error is not None:
                self._has_spoken = True
                return [error, MessageEnd(error.type, is_truncated=True)]
            if len(self._early) < _PATIENCE:
                self._early.append(event)
        return messages

    def _find_format(self, event: Any) -> list[Message]:
        format = detect(event)
        if format is None:
            error = error_in(decoded(event))
            if error is not None:
                self._has_spoken = True
                self._early.clear()
                return [error, MessageEnd(error.type, is_truncated=True)]
            self._early.append(event)
            if len(self._early) > _PATIENCE:
                raise _unknown_format(_description(self._early))
            return []
        self._adapter = adapter(format)
        early, self._early = self._early, []
        messages = [message for event in early for message in self._adapter.add_event(event)]
        return messages + self._read(event)

    def finish(self) -> list[Message]:
        """Return the messages held back until the end of the stream."""
        self.raise_held()
        if self._text is not None:
            return self._text.finish()
        messages: list[Message] = []
        if self._reader is not None:
            messages = [message for item in self._reader.finish() for message in self._add(item)]
        if self._adapter is None:
            if any(decoded(event) is not None for event in self._early):
                raise _unknown_format(_description(self._early))
            return messages
        if self._format is not None and not self._has_spoken:
            # no message in the named format: the events may be of another
            found = detect(self._early)
            if found not in (None, self._format) and (not self._has_usage or self._would_speak(found)):
                raise _unknown_format(f"its events are those of {found}, not of {self._format}")
            is_known = found is not None or self._has_usage
            if not is_known and any(decoded(event) is not None for event in self._early):
                raise _unknown_format(f"{_description(self._early)}, none of {self._format}")
        return messages + self._adapter.finish()

    def _would_speak(self, format: str) -> bool:
        """Report whether the events so far have messages in another format."""
        other = adapter(format)
        return any(_speaks(other.add_event(event)) for event in self._early)


def _speaks(messages: Iterable[Message]) -> bool:
    """Report whether messages show that their format is the right one."""
    return any(type(message) not in (Other, Usage) for message in messages)


def source_of(stream: Any, close: bool, *, is_async: bool = False) -> Source:
    """Return the source of a provider's stream; a text is a stream in one piece."""
    if isinstance(stream, _TEXT) and not is_async:
        stream = [stream]
    elif isinstance(stream, Mapping):
        raise TypeError("a single event, not a stream: pass a list of events, or the stream itself")
    elif callable(getattr(stream, "model_dump", None)):
        raise TypeError(
            f"{type(stream).__name__} is a complete response, not a stream: request it with stream=True"
        )
    check_source(stream, is_async=is_async)
    return Source(stream, close)


def _description(events: list[Any]) -> str:
    """Describe events that no format knows."""
    event = next((found for item in events if (found := decoded(item)) is not None), None)
    if isinstance(event, Mapping):
        if is_complete_response(event):
            return 'a complete response, not a stream: request it with "stream": true'
        names = ", ".join(map(repr, list(event)[:5]))
        return f"events with the keys {names}" if names else "empty objects"
    return f"events that are {type(event).__name__} objects"


def reported_error(error: ProviderError) -> JsonStreamError:
    """Make the exception for an error that a provider reported."""
    # a type of "error" says nothing
    parts = (error.type if error.type != "error" else "", error.message)
    why = ": ".join(part for part in parts if part)
    if not why and error.status is not None:
        why = f"status {error.status}"
    return JsonStreamError(ParserError.of(ErrorCode.PROVIDER_ERROR, 0, why[:_MAX_QUOTED]))


def refused(text: str) -> JsonStreamError:
    """Make the exception for a model's refusal."""
    return JsonStreamError(ParserError.of(ErrorCode.REFUSED, 0, text[:_MAX_QUOTED]))


@cython.cclass
class CallStream:
    """The state of `tool_calls` and of its asynchronous twin."""

    def __init__(
        self,
        format: str | None,
        limits: Limits = DEFAULT_LIMITS,
        on_error: OnInvalidEvent = "raise",
        bare: bool = False,
        unwrap: bool = False,
        tools: Mapping[str, Any] | None = None,
        dialect: Dialect = "strict",
    ) -> None:
        self._stream = ProviderStream(format, on_error, bare, unwrap, tools, dialect)
        self._handler = ToolsAggregateMessageHandler(limits=limits, dialect=dialect)
        # the error that the provider reported, after which the calls are final
        self.error: JsonStreamError | None = None
        self._is_ended = False

    def add_event(self, event: Any) -> list[ToolCall]:
        """Return the calls after an event."""
        self._add(self._stream.add_event(event))
        # snapshots are made only after all messages of the event
        return self._handler._all_calls()

    def _add(self, messages: list[Message]) -> None:
        for message in messages:
            self._handler._dispatch(message)
            if type(message) is ProviderError and message.type != ErrorCode.INVALID_EVENT.value:
                self.error = self.error or reported_error(message)

    def raise_held(self) -> None:
        """Raise the error that ended the last piece of text, after the calls before it."""
        self._stream.raise_held()

    def states(self) -> list[CallState]:
        """Return the states of the calls, in the order of the calls."""
        return self._handler._registry.all_calls()

    def end(self) -> None:
        """Read what was held back until the end of the stream."""
        if self.error is None and not self._is_ended:
            self._is_ended = True
            self._add(self._stream.finish())

    def finish(self) -> list[ToolCall]:
        """Return the final calls."""
        self.end()
        return [call for id in self._handler.message_ids for call in self._handler.complete(id)]


class TextStream:
    """The state of `text_deltas` and of its asynchronous twin."""

    def __init__(self, format: str | None) -> None:
        self._stream = ProviderStream(format)
        self._joiner = SurrogateJoiner()
        self._refusal: str | None = None

    def add_event(self, event: Any) -> Iterator[str]:
        """Yield the text of an event."""
        yield from self._texts(self._stream.add_event(event))
        self._stream.raise_held()

    def finish(self) -> Iterator[str]:
        """Yield the text held back until the end of the stream."""
        yield from self._texts(self._stream.finish())
        if rest := self._joiner.finish():
            yield rest
        self._raise_refusal()

    def _raise_refusal(self) -> None:
        if self._refusal is not None:
            raise refused(self._refusal)

    def _texts(self, messages: list[Message]) -> Iterator[str]:
        for message in messages:
            match message:
                case TextDelta(piece, _, 0):
                    if text := self._joiner.add_fragment(piece):
                        yield text
                case RefusalDelta(piece, _, 0):
                    # the error is raised at the end, with all of it
                    self._refusal = (self._refusal or "") + piece
                case ProviderError():
                    raise reported_error(message)
                case MessageEnd(choice=None | 0):
                    self._raise_refusal()


def messages(
    stream: Iterable[Any],
    format: Format | None = None,
    *,
    on_error: OnInvalidEvent = "raise",
    bare: bool = False,
    unwrap: bool = False,
    tools: Mapping[str, Any] | None = None,
    dialect: Dialect = "strict",
    close: bool = True,
) -> Generator[Message, None, None]:
    r"""Iterate over everything that a provider's stream says, in one vocabulary for all formats.

    The stream yields decoded events, objects of the provider's SDK, or text or bytes in any framing. The
    format is one of `midstream.providers.FORMATS`; without it, it is detected. With ``on_error="event"`` an
    event that cannot be read is a `ProviderError` of type "invalid_event", and the stream continues. Leaving
    the iterator early closes the stream, unless ``close`` is false.

    With a text format, such as "text-hermes", the stream yields text, or the events of a provider, whose text
    is read. ``bare``, ``unwrap``, ``tools`` and ``dialect`` are then the options of
    `midstream.providers.adapter`; the messages of other formats are the same in every dialect.

    >>> body = b'data: {"type": "error", "error": {"type": "overloaded_error"}}\n\n'
    >>> next(messages([body])).type
    'overloaded_error'
    """
    provider = ProviderStream(format, on_error, bare, unwrap, tools, dialect)
    with source_of(stream, close) as source:
        for event in source:
            yield from provider.add_event(event)
            provider.raise_held()
    yield from provider.finish()


def tool_calls(
    stream: Iterable[Any],
    format: Format | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    on_error: OnInvalidEvent = "raise",
    bare: bool = False,
    unwrap: bool = False,
    tools: Mapping[str, Any] | None = None,
    dialect: Dialect = "strict",
    close: bool = True,
) -> Generator[list[ToolCall], None, None]:
    """Iterate over the tool calls of a provider's stream: snapshots of all calls after each event.

    The stream, its format and the options are as in `messages`. The last list, yielded after the end of the
    stream, is final: a call in it is complete, or its ``error`` says why it is not. If the provider reports
    an error, the final list is yielded first, then `JsonStreamError` with the code "provider_error" is
    raised. Leaving the iterator early closes the stream, unless ``close`` is false.

    With ``dialect="lenient"`` arguments that are not JSON are repaired. Such a call ``is_repaired``, and its
    ``repairs`` say what was read otherwise than written: a caller may refuse to run it.

    >>> def delta(**function):
    ...     call = {"index": 0, "function": function}
    ...     return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    >>> events = [delta(name="weather", arguments='{"city": "Par'), delta(arguments='is"}')]
    >>> for calls in tool_calls(events): print(calls)
    [ToolCall(name='weather', args={'city': 'Par'}, is_complete=False)]
    [ToolCall(name='weather', args={'city': 'Paris'}, is_complete=False)]
    [ToolCall(name='weather', args={'city': 'Paris'}, is_complete=True)]

    Calls that a model wrote as text:

    >>> text = ['<tool_call>{"name": "weather", "argum', 'ents": {"city": "Paris"}}</tool_call>']
    >>> [*tool_calls(text, "text-hermes")][-1]
    [ToolCall(name='weather', args={'city': 'Paris'}, is_complete=True)]
    """
    calls = CallStream(format, limits, on_error, bare, unwrap, tools, dialect)
    with source_of(stream, close) as source:
        for event in source:
            found = calls.add_event(event)
            if calls.error is not None:
                source.stop()
                break
            yield found
            calls.raise_held()
    yield calls.finish()
    if calls.error is not None:
        raise calls.error


def text_deltas(
    stream: Iterable[Any], format: Format | None = None, *, close: bool = True
) -> Generator[str, None, None]:
    """Iterate over the text of a provider's stream, as input for `values` or `updates`.

    If the stream has several choices, it is the text of the first. A refusal ends the text with
    `JsonStreamError` and the code "refused", an error of the provider with "provider_error". Leaving the
    iterator early closes the stream, unless ``close`` is false.

    >>> events = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in ('{"ci', 'ty":')]
    >>> list(text_deltas(events))
    ['{"ci', 'ty":']
    """
    text = TextStream(format)
    with source_of(stream, close) as source:
        for event in source:
            yield from text.add_event(event)
    yield from text.finish()


def _unknown_format(why: str = "") -> JsonStreamError:
    return JsonStreamError(ParserError.of(ErrorCode.UNKNOWN_FORMAT, 0, why))

"""Iterators over a provider's stream: its tool calls, its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._closing import Source
from .accumulators.base import DEFAULT_LIMITS
from .calls.arguments import FirstCall
from .calls.handler import ToolsAggregateMessageHandler
from .calls.messages import TextDelta
from .core.surrogates import SurrogateJoiner
from .errors import ErrorCode, JsonStreamError, ParserError
from .providers import adapter, detect
from .providers._reading import decoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .calls.handler import ToolCall
    from .calls.messages import Message
    from .limits import Limits
    from .providers._adapter import Adapter

__all__ = ["argument_deltas", "text_deltas", "tool_calls"]


# events without a recognizable format before it is reported as unknown
_PATIENCE = 100


class ProviderStream:
    """The messages of a stream whose format is named, or detected from its first events."""

    def __init__(self, format: str | None) -> None:
        self._format = format
        self._adapter: Adapter | None = None if format is None else adapter(format)
        # events so far, while none has shown the format
        self._early: list[Any] = []
        self._has_spoken = False

    def add_event(self, event: Any) -> list[Message]:
        """Return the messages of an event, and of earlier events held until the format was known."""
        if self._adapter is None:
            self._early.append(event)
            format = detect(event)
            if format is None:
                if len(self._early) > _PATIENCE:
                    raise _unknown_format()
                return []
            self._adapter = adapter(format)
            early, self._early = self._early, []
            return [message for event in early for message in self._adapter.add_event(event)]
        messages = self._adapter.add_event(event)
        if messages:
            self._has_spoken = True
        elif not self._has_spoken and len(self._early) < _PATIENCE:
            self._early.append(event)
        return messages

    def finish(self) -> list[Message]:
        """Return the messages held back until the end of the stream."""
        if self._adapter is None:
            if any(decoded(event) is not None for event in self._early):
                raise _unknown_format()
            return []
        if self._format is not None and not self._has_spoken:
            # no message in the named format: the events may be of another
            found = detect(self._early)
            if found not in (None, self._format):
                raise _unknown_format(f"its events are those of {found}, not of {self._format}")
        return self._adapter.finish()


class CallStream:
    """The state behind `tool_calls` and its asynchronous twin."""

    def __init__(self, format: str | None, limits: Limits = DEFAULT_LIMITS) -> None:
        self._stream = ProviderStream(format)
        self._handler = ToolsAggregateMessageHandler(limits)

    def add_event(self, event: Any) -> list[ToolCall]:
        """Return the calls after an event."""
        for message in self._stream.add_event(event):
            # snapshots are made only after all messages of the event
            self._handler._dispatch(message)
        return self._handler._all_calls()

    def finish(self) -> list[ToolCall]:
        """Return the final calls."""
        for message in self._stream.finish():
            self._handler._dispatch(message)
        return [call for id in self._handler.message_ids for call in self._handler.complete(id)]


class TextStream:
    """The state behind `text_deltas` and its asynchronous twin."""

    def __init__(self, format: str | None) -> None:
        self._stream = ProviderStream(format)
        self._halves = SurrogateJoiner()

    def add_event(self, event: Any) -> Iterator[str]:
        """Yield the text of an event."""
        return self._texts(self._stream.add_event(event))

    def finish(self) -> Iterator[str]:
        """Yield the text held back until the end of the stream."""
        yield from self._texts(self._stream.finish())
        if half := self._halves.finish():
            yield half

    def _texts(self, messages: list[Message]) -> Iterator[str]:
        for message in messages:
            if (
                isinstance(message, TextDelta)
                and message.choice == 0
                and (text := self._halves.add_fragment(message.text))
            ):
                yield text


class ArgumentStream:
    """The state behind `argument_deltas` and its asynchronous twin."""

    def __init__(self, tool: str | None, format: str | None) -> None:
        self._stream = ProviderStream(format)
        self._call = FirstCall(tool)

    @property
    def is_over(self) -> bool:
        """Whether the call has ended."""
        return self._call.is_over

    def add_event(self, event: Any) -> list[str]:
        """Return the argument text of an event."""
        return self._texts(self._stream.add_event(event))

    def finish(self) -> list[str]:
        """Return the argument text held back until the end of the stream."""
        return [*self._texts(self._stream.finish()), *self._call.finish()]

    def _texts(self, messages: list[Message]) -> list[str]:
        return [text for message in messages for text in self._call.add_message(message)]


def tool_calls(
    stream: Iterable[Any], format: str | None = None, limits: Limits = DEFAULT_LIMITS, *, close: bool = True
) -> Iterator[list[ToolCall]]:
    """Iterate over the tool calls of a provider's stream: snapshots of all calls after each event.

    The events are dicts or objects of the provider's SDK. The format is one of
    `midstream.providers.FORMATS`; without it, it is detected. The last list, yielded after the end of
    the stream, is final: a call in it is complete, or its ``error`` says why it is not. Leaving the
    iterator early closes the stream, unless ``close`` is false.

    >>> def delta(**function):
    ...     call = {"index": 0, "function": function}
    ...     return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    >>> events = [delta(name="weather", arguments='{"city": "Par'), delta(arguments='is"}')]
    >>> for calls in tool_calls(events): print(calls)
    [ToolCall(name='weather', args={'city': 'Par'}, is_complete=False)]
    [ToolCall(name='weather', args={'city': 'Paris'}, is_complete=False)]
    [ToolCall(name='weather', args={'city': 'Paris'}, is_complete=True)]
    """
    calls = CallStream(format, limits)
    with Source(stream, close) as source:
        for event in source:
            yield calls.add_event(event)
    yield calls.finish()


def text_deltas(stream: Iterable[Any], format: str | None = None, *, close: bool = True) -> Iterator[str]:
    """Iterate over the text of a provider's stream, as input for `values` or `updates`.

    If the stream has several choices, it is the text of the first. Leaving the iterator early closes the
    stream, unless ``close`` is false.

    >>> events = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in ('{"ci', 'ty":')]
    >>> list(text_deltas(events))
    ['{"ci', 'ty":']
    """
    text = TextStream(format)
    with Source(stream, close) as source:
        for event in source:
            yield from text.add_event(event)
    yield from text.finish()


def argument_deltas(
    stream: Iterable[Any], tool: str | None = None, format: str | None = None, *, close: bool = True
) -> Iterator[str]:
    """Iterate over the argument text of a tool call, as input for `select`, `values` or `updates`.

    It is the first call to ``tool``, or the first call of all if ``tool`` is None. Iteration ends when the
    call does, and then closes the stream, unless ``close`` is false; so does leaving the iterator early. A
    call without arguments has the text ``{}``.

    >>> def delta(**function):
    ...     call = {"index": 0, "function": function}
    ...     return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    >>> events = [delta(name="weather", arguments='{"city": "Par'), delta(arguments='is"}')]
    >>> list(argument_deltas(events, "weather"))
    ['{"city": "Par', 'is"}']
    """
    arguments = ArgumentStream(tool, format)
    with Source(stream, close) as source:
        for event in source:
            texts = arguments.add_event(event)
            if arguments.is_over:
                source.stop()
                break
            yield from texts
        else:
            texts = arguments.finish()
    yield from texts


def _unknown_format(why: str = "") -> JsonStreamError:
    return JsonStreamError(ParserError.of(ErrorCode.UNKNOWN_FORMAT, 0, why))

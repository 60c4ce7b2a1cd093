"""The one-liners over a provider's stream: its tool calls, its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._closing import Source
from .accumulators.base import DEFAULT_LIMITS
from .calls.handler import ToolsAggregateMessageHandler
from .calls.messages import TextDelta
from .core.surrogates import Halves
from .errors import ErrorCode, JsonStreamError, ParserError
from .providers import adapter, detect
from .providers._reading import decoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .calls.handler import ToolCall
    from .calls.messages import Message
    from .limits import Limits
    from .providers._adapter import Adapter

__all__ = ["text_deltas", "tool_calls"]


# how many events may tell nothing before the format is taken for unknown
_PATIENCE = 100


class ProviderStream:
    """The messages of a stream whose format is given, or found out from its first events."""

    def __init__(self, format: str | None) -> None:
        self._format = format
        self._adapter: Adapter | None = None if format is None else adapter(format)
        # events that have told nothing yet
        self._early: list[Any] = []
        self._has_spoken = False

    def add_event(self, event: Any) -> list[Message]:
        """Give the messages of an event, and of those before it that had not told the format."""
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
        """Give what the end of the stream tells."""
        if self._adapter is None:
            if any(decoded(event) is not None for event in self._early):
                raise _unknown_format()
            return []
        if self._format is not None and not self._has_spoken:
            # nothing to be read in what was said to be of this format: perhaps it is of another
            found = detect(self._early)
            if found not in (None, self._format):
                raise _unknown_format(f"its events are those of {found}, not of {self._format}")
        return self._adapter.finish()


class CallStream:
    """What `tool_calls` and its async twin do with each event."""

    def __init__(self, format: str | None, limits: Limits = DEFAULT_LIMITS) -> None:
        self._stream = ProviderStream(format)
        self._handler = ToolsAggregateMessageHandler(limits)

    def add_event(self, event: Any) -> list[ToolCall]:
        """Give the calls as they stand after an event."""
        for message in self._stream.add_event(event):
            # the calls are only looked at when all that the event tells is known
            self._handler._take(message)
        return self._handler._all_calls()

    def finish(self) -> list[ToolCall]:
        """Give the calls as they stand for good."""
        for message in self._stream.finish():
            self._handler._take(message)
        return [call for id in self._handler.message_ids for call in self._handler.complete(id)]


class TextStream:
    """What `text_deltas` and its async twin do with each event."""

    def __init__(self, format: str | None) -> None:
        self._stream = ProviderStream(format)
        self._halves = Halves()

    def add_event(self, event: Any) -> Iterator[str]:
        """Give the text of an event."""
        return self._texts(self._stream.add_event(event))

    def finish(self) -> Iterator[str]:
        """Give what the end of the stream tells."""
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


def tool_calls(
    stream: Iterable[Any], format: str | None = None, limits: Limits = DEFAULT_LIMITS, *, close: bool = True
) -> Iterator[list[ToolCall]]:
    """Iterate over the tool calls of a provider's stream, as they stand after each of its events.

    The events are dicts or the objects of the provider's SDK; their format is one of
    `midstream.providers.FORMATS` or, if it is not given, found out. The last list, given after the end of
    the stream, is final: a call in it is complete, or has an ``error`` that says why not. Leaving the
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
    """Iterate over the text of a provider's stream, to be given to `values` or `updates`.

    Where the provider was asked for several choices, it is the first one's. It is the text and nothing else:
    why the message ended is told by the adapter's `MessageEnd`. Leaving the iterator early closes the
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


def _unknown_format(why: str = "") -> JsonStreamError:
    return JsonStreamError(ParserError.of(ErrorCode.UNKNOWN_FORMAT, 0, why))

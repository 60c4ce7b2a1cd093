"""The live view of a stream: a growing value, or a message with its tool calls."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from rich.console import Console

from ..accumulators.values import JsonValueAccumulator
from ..calls.handler import ToolsAggregateMessageHandler
from ..calls.messages import ProviderError, RefusalDelta, TextDelta
from ..captures import Opening, without_last_newline
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..render.plain import print_value
from ..render.terminal import LiveView, MessageView, ValueView
from ..streams.provider import ProviderStream, refused, reported_error
from .files import pieces, size_of
from .outcome import PrintedDocuments, print_calls, require_complete_calls
from .reading import JsonReader, report_repairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .._options import Dialect
    from ..calls.handler import ToolCall
    from ..render.terminal import View

__all__ = ["WatchedMessage", "watch_stream"]

# the approximate number of bytes in a token
_TOKEN = 4


class WatchedMessage:
    """A provider's message so far: its text and its tool calls."""

    def __init__(self, format: str | None, dialect: Dialect = "strict", extract: bool = False) -> None:
        self._provider = ProviderStream(format, dialect=dialect)
        self._handler = ToolsAggregateMessageHandler(dialect=dialect)
        self._last: list[ToolCall] | None = None
        self._error: JsonStreamError | None = None
        self._refusal: str | None = None
        self.text: list[str] = []
        self.value = JsonValueAccumulator(on_error="event", dialect=dialect)
        self._reader = JsonReader(self.value, extract, "event")

    def add_event(self, event: Any) -> None:
        """Process the next event of the stream."""
        self._add(self._provider.add_event(event))

    def finish(self) -> None:
        """Process the end of the stream."""
        self._add(self._provider.finish())
        self._last = [call for id in self._handler.message_ids for call in self._handler.complete(id)]

    def _add(self, messages: Iterable[Any]) -> None:
        for message in messages:
            self._handler.add_message(message)
            if isinstance(message, ProviderError):
                self._error = self._error or reported_error(message)
            if isinstance(message, RefusalDelta):
                self._refusal = (self._refusal or "") + message.text
            if isinstance(message, TextDelta) and message.choice == 0:
                self.text.append(message.text)
                for _ in self._reader.add(message.text):
                    pass

    def calls(self) -> list[ToolCall]:
        """Return the calls so far."""
        if self._last is not None:
            return self._last
        return [call for id in self._handler.message_ids for call in self._handler.calls(id)]

    def print(self) -> None:
        """Print the message: its text or value, then its calls."""
        if self.is_structured():
            print_value(self.value.value)
        elif self.text:
            print("".join(self.text))
        if self.calls():
            print_calls(self.calls())

    def require_complete(self) -> None:
        """Fail if there is an error, a refusal or nothing at all, or if a value or a call is incomplete."""
        if self._error is not None:
            raise self._error
        if self._refusal is not None:
            raise refused(self._refusal)
        if not any(self.text) and not self.calls():
            why = "the message in the stream has neither text nor tool calls"
            raise JsonStreamError(ParserError(ErrorCode.TRUNCATED, why, 0, 1, 1))
        if self.is_structured() and not self.value.is_complete:
            raise JsonStreamError(ParserError.at(ErrorCode.TRUNCATED, *self.value.position))
        require_complete_calls(self.calls())

    def is_structured(self) -> bool:
        """Report whether the text is JSON to be shown as a value."""
        return self.value.error is None and isinstance(self.value.value, (dict, list))

    def view(self) -> View:
        """Return the view: structured output as a value, other text unchanged."""
        if self.is_structured():
            return MessageView(ValueView(self.value.value, self.value.open_path), self.calls())
        self.text = ["".join(self.text)]
        return MessageView(self.text[0], self.calls())


def watch_stream(
    source: BinaryIO,
    format: str | None,
    delay: float,
    dialect: Dialect = "strict",
    extract: bool = False,
) -> None:
    """Show a stream until it ends; if the output is not a terminal, print only the result."""
    with LiveView(Console(), total=size_of(source)) as live:
        opening = Opening(_counted(pieces(source), live), format, extract)
        delay = delay if live.is_live else 0
        if opening.framing == "text":
            _watch_text(without_last_newline(opening.chunks), live, delay, dialect, extract)
        else:
            events = opening.events()
            if opening.framing == "model text":
                events, delay = _paced(events, delay), 0
            _watch_events(events, WatchedMessage(format, dialect, extract), live, delay)


def _counted(chunks: Iterable[bytes], live: LiveView) -> Iterator[bytes]:
    for chunk in chunks:
        live.received += len(chunk)
        if not chunk:
            live.refresh()
        yield chunk


def _watch_text(
    chunks: Iterable[bytes], live: LiveView, delay: float, dialect: Dialect, extract: bool
) -> None:
    accumulator = JsonValueAccumulator(on_error="event", after_root="next", dialect=dialect)
    reader = JsonReader(accumulator, extract, "event")
    printed = PrintedDocuments(accumulator, reader)

    def view() -> View:
        return ValueView(accumulator.value, accumulator.open_path)

    for piece in _paced(chunks, delay):
        for _ in reader.add(piece):
            live.update(view)
            if not live.is_live:
                printed.print_new()
        if reader.error is not None:
            break
    if not live.is_live:
        printed.finish()
    elif not accumulator.is_complete:
        for _ in reader.finish():
            live.update(view)
    live.close()
    report_repairs(accumulator.repairs, accumulator.repair_count)
    if reader.error is not None:
        raise JsonStreamError(reader.error)


def _paced(chunks: Iterable[bytes], delay: float) -> Iterator[bytes]:
    """Cut chunks into tokens with a pause after each, if there is a delay."""
    for chunk in chunks:
        if not delay:
            yield chunk
            continue
        for start in range(0, len(chunk), _TOKEN):
            yield chunk[start : start + _TOKEN]
            time.sleep(delay)


def _watch_events(events: Iterable[Any], message: WatchedMessage, live: LiveView, delay: float) -> None:
    try:
        for event in events:
            message.add_event(event)
            live.update(message.view)
            time.sleep(delay)
        message.finish()
    except JsonStreamError:
        with suppress(JsonStreamError):
            message.finish()
        raise
    finally:
        # show what arrived before an error, too
        live.update(message.view)
        live.close()
        if not live.is_live:
            message.print()
        if message.is_structured():
            report_repairs(message.value.repairs, message.value.repair_count)
    message.require_complete()

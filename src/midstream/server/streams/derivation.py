"""Raw events in, what viewers receive out: midstream's events, the provider's, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...calls.messages import ToolCallsUpdate
from ...errors import JsonStreamError
from ...event_stream import EventStream, Kind, Step
from ...sse import BOM, SseDecoder, SseEvent
from .snapshot import SnapshotBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..._options import Dialect
    from ...calls.messages import Message, StreamSnapshot
    from ...events.writer import Form
    from ..store.base import End

__all__ = ["RAW", "VERSION", "Derivation", "Variant", "derivation_of"]

# Part of a stream's meta. It changes when other events are derived from the same raw ones.
VERSION = 1
_BLANK_LINES = (b"\n\n", b"\r\r", b"\n\r", b"\n\r\n", b"\r\r\n")


class Variant(NamedTuple):
    """Which events a viewer receives: midstream's in a form, the provider's, or both.

    In ``dialect`` the arguments of calls are read.
    """

    is_raw: bool = False
    with_provider: bool = False
    form: Form = "full"
    dialect: Dialect = "strict"


RAW = Variant(is_raw=True)


class Derivation:
    r"""Derive midstream's events from a log, in order and one entry at a time.

    >>> derivation = Derivation("s", {"name": None, "format": "anthropic"}, Variant(), 10_000)
    >>> list(derivation.add(1, b'data: {"type": "content_block_delta", "delta": {"type": "text_delta", '
    ...                        b'"text": "Hi"}}\n\n'))
    [b'event: text_delta\nid: s-1\ndata: {"type":"text_delta","text":"Hi","message_id":"s"}\n\n']
    """

    def __init__(self, id: str, meta: Mapping[str, Any], variant: Variant, max_bytes: int) -> None:
        kind = Kind(meta["name"], meta["format"], variant.with_provider, variant.form, variant.dialect)
        self._id = id
        self._events = EventStream(id, kind)
        self._builder: SnapshotBuilder | None = None
        self._decoder = SseDecoder()
        self._with_provider = variant.with_provider
        self._dialect = variant.dialect
        self._max_bytes = max_bytes
        # after an error that ends the stream for the viewers of this variant
        self.is_over = False
        # what is being derived, and what had the first argument of a call
        self._number = 0
        self.first_argument: int | None = None

    def begin(self) -> Iterator[bytes]:
        """Yield the entry before all raw events."""
        self._events.number(0)
        yield self._events.start()

    def add(self, number: int, raw: bytes) -> Iterator[bytes]:
        """Yield the entries that follow from a raw event."""
        self._number = number
        self._events.number(number)
        try:
            for step in self._steps(number, raw):
                for entry in self._events.add_step(step):
                    self._max_bytes -= len(entry)
                    if self._max_bytes < 0:
                        yield from self._close("stream_limit", "the events are longer than max_stream_bytes")
                        return
                    yield entry
        except JsonStreamError as error:
            yield from self._close(error.code.value, error.error.message)

    def _steps(self, number: int, raw: bytes) -> Iterator[Step]:
        """Yield a raw event with what was decoded from it: one event, or none if it has only comments."""
        decoded: list[SseEvent | None] = [*self._decoder.add_bytes(raw)]
        if self._with_provider:
            # the byte order mark would be a character in our stream, and an event that is cut off would
            # swallow the next one
            raw = raw.removeprefix(BOM) if number == 1 else raw
            raw = raw if raw.endswith(_BLANK_LINES) else b""
        for event in decoded or [None]:
            yield Step(raw, event)
            raw = b""

    def _close(self, code: str, message: str) -> Iterator[bytes]:
        self.is_over = True
        yield from self._events.close((code, message))

    def observe(self) -> None:
        """Collect what is said from now on, for `snapshot`."""
        self._builder = SnapshotBuilder(self._dialect)
        self._events.observer = self._observe

    def _observe(self, message: Message) -> None:
        assert self._builder is not None, "it is there as long as it observes"
        self._builder.add(message)
        if self.first_argument is not None or not isinstance(message, ToolCallsUpdate):
            return
        if any(update.function_args for update in message.tool_call_updates):
            self.first_argument = self._number

    def stop_observing(self) -> None:
        """Forget what was collected."""
        self._builder = self._events.observer = None

    def said(self) -> StreamSnapshot:
        """Return what was collected."""
        assert self._builder is not None, "nothing was collected"
        return self._builder.snapshot(self._id)

    def snapshot(self, number: int, part: int) -> bytes:
        """Return an entry that stands for all entries up to a position."""
        self._events.number(number, part)
        return self._events.snapshot(self.said())

    def finish(self, number: int, end: End) -> Iterator[bytes]:
        """Yield the entries that follow from the end of the log."""
        self._events.number(number)
        if end.code:
            yield from self._events.close(end)
            return
        try:
            yield from self._events.finish()
        except JsonStreamError as error:
            yield from self._close(error.code.value, error.error.message)
        else:
            yield from self._events.close()


class _RawDerivation(Derivation):
    """The provider's events as they are."""

    def __init__(self) -> None:
        self.is_over = False

    def begin(self) -> Iterator[bytes]:
        return iter(())

    def add(self, number: int, raw: bytes) -> Iterator[bytes]:
        del number
        return iter((raw,))

    def finish(self, number: int, end: End) -> Iterator[bytes]:
        del number, end
        return iter(())


def derivation_of(id: str, meta: Mapping[str, Any], variant: Variant, max_bytes: int) -> Derivation:
    """Return a new derivation of a variant."""
    return _RawDerivation() if variant.is_raw else Derivation(id, meta, variant, max_bytes)

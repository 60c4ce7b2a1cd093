"""Fill a stream with midstream's events, converted from a provider's events."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from ..errors import JsonStreamError
from ..event_stream import EventCutter, EventStream, Step

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ..event_stream import Kind
    from .resume import Stream
    from .settings import Settings

__all__ = ["Failure", "fill", "steps_of"]


class Failure(Exception):  # noqa: N818  # it is reported in the stream
    """The stream cannot continue."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


async def steps_of(chunks: AsyncGenerator[bytes], kind: Kind, settings: Settings) -> AsyncGenerator[Step]:
    """Split a provider's bytes into steps, within the limits."""
    cutter = EventCutter(settings.max_event, kind.with_provider)
    size = 0
    async with aclosing(chunks):
        async for chunk in chunks:
            size += len(chunk)
            if size > settings.max_stream_bytes:
                raise Failure("stream_limit", "the stream is longer than max_stream_bytes")
            for step in cutter.add_bytes(chunk):
                yield step
    cutter.finish()


async def fill(stream: Stream, kind: Kind, steps: AsyncGenerator[Step], settings: Settings) -> None:
    """Fill a stream from its start to its end; an error is reported before the end."""
    events = EventStream(stream.id, kind)
    failure = None
    try:
        async with asyncio.timeout(settings.max_seconds), aclosing(steps):
            await _put_events(stream, events, steps, settings.max_stream_bytes)
    except TimeoutError:
        failure = "time_limit", "the stream takes longer than max_seconds"
    except JsonStreamError as error:
        failure = error.code.value, error.error.message
    except Failure as error:
        failure = error.code, error.message
    stream.close(events.close(failure))


async def _put_events(
    stream: Stream, events: EventStream, steps: AsyncGenerator[Step], max_bytes: int
) -> None:
    async def put(entry: bytes) -> None:
        nonlocal max_bytes
        max_bytes -= len(entry)
        if max_bytes < 0:
            raise Failure("stream_limit", "the events are longer than max_stream_bytes")
        await stream.put(entry)

    # not counted: a failure before the first step would leave the source open
    await stream.put(events.start())
    async for step in steps:
        for entry in events.add_step(step):
            await put(entry)
    for entry in events.finish():
        await put(entry)

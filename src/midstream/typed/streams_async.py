"""The asynchronous twins of `typed_values` and `typed_calls`, as `midstream.aio` exports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._closing import Source
from ..errors import JsonStreamError
from ..streams.provider import source_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable

    from .accumulator import JsonTypedAccumulator
    from .calls import TypedCall, TypedCallStream
    from .snapshot import TypedSnapshot

__all__ = ["calls", "snapshots"]


async def snapshots(
    accumulator: JsonTypedAccumulator[Any], fragments: AsyncIterable[str | bytes], close: bool
) -> AsyncGenerator[TypedSnapshot[Any], None]:
    """Yield the snapshots of a typed value; what precedes an error is yielded before it is raised."""
    async with Source(fragments, close) as source:
        async for fragment in source:
            try:
                events = accumulator.add_fragment(fragment)
            except JsonStreamError as error:
                if last := accumulator._last(error):
                    yield last
                raise
            if accumulator._has_news:
                yield accumulator._snapshot(events)
    try:
        events = accumulator.finish()
    except JsonStreamError as error:
        if last := accumulator._last(error):
            yield last
        raise
    if accumulator._has_news:
        yield accumulator._snapshot(events)


async def calls(
    typed: TypedCallStream, stream: AsyncIterable[Any], close: bool
) -> AsyncGenerator[list[TypedCall], None]:
    """Yield the typed calls after each event, then the final ones; last, raise an error of the provider."""
    async with source_of(stream, close, is_async=True) as source:
        async for event in source:
            found = typed.add_event(event)
            if typed.error is not None:
                source.stop()
                break
            yield found
    yield typed.finish()
    if typed.error is not None:
        raise typed.error

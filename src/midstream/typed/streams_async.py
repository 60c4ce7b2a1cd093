"""The asynchronous twins of `typed_values` and `typed_calls`, as `midstream.aio` exports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..streams.provider import source_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable

    from .._closing import Source
    from .calls import TypedCall, TypedCallStream
    from .snapshot import TypedSnapshot
    from .streams import SnapshotStream

__all__ = ["calls", "snapshots"]


async def snapshots(stream: SnapshotStream, source: Source) -> AsyncGenerator[TypedSnapshot[Any], None]:
    """Yield the snapshots of a typed value; last, raise an error of the text or of the type."""
    async with source:
        async for fragment in source:
            snapshot = stream.step(fragment)
            if stream.is_over:
                source.stop()
                break
            if snapshot is not None:
                yield snapshot
        else:
            snapshot = stream.step(None)
    if snapshot is not None:
        yield snapshot
    if stream.error is not None:
        raise stream.error


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
            typed.raise_held()
    yield typed.finish()
    if typed.error is not None:
        raise typed.error

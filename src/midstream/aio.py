"""The iterators of `midstream` over asynchronous iterables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._closing import Source
from .accumulators.base import DEFAULT_LIMITS
from .accumulators.fragments import JsonFragmentAccumulator
from .accumulators.values import ValueStream
from .chunker.chunker import JsonStreamChunker
from .errors import JsonStreamError
from .streams import CallStream, TextStream

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator

    from .accumulators.update import JsonFragmentUpdate
    from .calls.handler import ToolCall
    from .limits import Limits

__all__ = ["chunks", "text_deltas", "tool_calls", "updates", "values"]


async def updates(
    fragments: AsyncIterable[str | bytes], *, close: bool = True, **options: Any
) -> AsyncIterator[JsonFragmentUpdate]:
    """Iterate over the updates of a text that arrives in fragments.

    The options are those of `JsonFragmentAccumulator`. What came before an error is yielded
    before it is raised.

    >>> import asyncio
    >>> async def model():
    ...     for fragment in ["[1,", " 2]"]:
    ...         yield fragment
    >>> async def main():
    ...     return [update.kind.value async for update in updates(model())]
    >>> asyncio.run(main())
    ['StartArray', 'CompleteNumber', 'CompleteNumber', 'EndArray', 'JsonComplete']
    """
    accumulator = JsonFragmentAccumulator(**options)
    # only the parsing is inside try: an error of the source must not be mistaken for one of the text
    async with Source(fragments, close) as source:
        async for fragment in source:
            try:
                found = accumulator.add_fragment(fragment)
            except JsonStreamError as error:
                for update in error.updates:
                    yield update
                raise
            for update in found:
                yield update
    try:
        found = accumulator.finish()
    except JsonStreamError as error:
        for update in error.updates:
            yield update
        raise
    for update in found:
        yield update


async def values(
    fragments: AsyncIterable[str | bytes], *, close: bool = True, **options: Any
) -> AsyncIterator[Any]:
    """Iterate over the snapshots of a value that arrives in fragments, whenever it changed.

    The options are those of `JsonValueAccumulator`. What came before an error is yielded before
    it is raised.

    >>> import asyncio
    >>> async def model():
    ...     for fragment in ["[1,", " 2]"]:
    ...         yield fragment
    >>> async def main():
    ...     return [value async for value in values(model())]
    >>> asyncio.run(main())
    [[1], [1, 2]]
    """
    stream = ValueStream(options)
    async with Source(fragments, close) as source:
        async for fragment in source:
            for value in stream.add_fragment(fragment):
                yield value
    for value in stream.finish():
        yield value


async def chunks(
    snapshots: AsyncIterable[object], *, close: bool = True, **options: Any
) -> AsyncIterator[str]:
    """Iterate over the chunks of a stream of snapshots, none of them empty.

    The options are those of `JsonStreamChunker`.

    >>> import asyncio
    >>> async def model():
    ...     for snapshot in [{"a": ""}, {"a": "b"}]:
    ...         yield snapshot
    >>> async def main():
    ...     return [chunk async for chunk in chunks(model())]
    >>> asyncio.run(main())
    ['{"a":"', 'b', '"}']
    """
    chunker = JsonStreamChunker(**options)
    async with Source(snapshots, close) as source:
        async for snapshot in source:
            if chunk := chunker.process(snapshot):
                yield chunk
    if chunk := chunker.flush():
        yield chunk


async def tool_calls(
    stream: AsyncIterable[Any],
    format: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    *,
    close: bool = True,
) -> AsyncIterator[list[ToolCall]]:
    """Iterate over the tool calls of a provider's stream: snapshots of all calls after each event.

    >>> import asyncio
    >>> async def model():
    ...     for piece in ['{"city": "Par', 'is"}']:
    ...         yield {"type": "TOOL_CALL_CHUNK", "toolCallName": "weather", "delta": piece}
    >>> async def main():
    ...     return [calls[0].args async for calls in tool_calls(model())]
    >>> asyncio.run(main())
    [{'city': 'Par'}, {'city': 'Paris'}, {'city': 'Paris'}]
    """
    calls = CallStream(format, limits)
    async with Source(stream, close) as source:
        async for event in source:
            yield calls.add_event(event)
    yield calls.finish()


async def text_deltas(
    stream: AsyncIterable[Any], format: str | None = None, *, close: bool = True
) -> AsyncIterator[str]:
    """Iterate over the text of a provider's stream, as input for `values` or `updates`.

    >>> import asyncio
    >>> async def model():
    ...     for piece in ['{"city": "Par', 'is"}']:
    ...         yield {"choices": [{"index": 0, "delta": {"content": piece}}]}
    >>> async def main():
    ...     return [value async for value in values(text_deltas(model()))]
    >>> asyncio.run(main())
    [{'city': 'Par'}, {'city': 'Paris'}]
    """
    texts = TextStream(format)
    async with Source(stream, close) as source:
        async for event in source:
            for text in texts.add_event(event):
                yield text
    for text in texts.finish():
        yield text

"""The iterators of `midstream` over asynchronous iterables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from ._closing import Source
from .accumulators.base import DEFAULT_LIMITS
from .accumulators.fragments import JsonFragmentAccumulator
from .accumulators.values import JsonValueAccumulator
from .chunker.chunker import JsonStreamChunker
from .errors import JsonStreamError
from .extract.documents import extraction
from .streams.arguments import ArgumentStream
from .streams.provider import CallStream, ProviderStream, TextStream, source_of
from .streams.select_async import first, select
from .streams.text import ExtractedUpdates, ValueStream
from .wire.patches_async import patches

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Mapping

    from ._options import AfterRoot, Dialect, OnError, OnInvalidEvent, Pick, Thinking
    from .accumulators.update import JsonFragmentUpdate
    from .calls.handler import ToolCall
    from .calls.messages import Message
    from .chunker.chunker import OnConflict
    from .limits import Limits
    from .providers import Format
    from .typed import TypedCall, TypedSnapshot

__all__ = [
    "argument_deltas",
    "chunks",
    "first",
    "messages",
    "patches",
    "select",
    "text_deltas",
    "tool_calls",
    "typed_calls",
    "typed_values",
    "updates",
    "values",
]

T = TypeVar("T")


async def updates(
    fragments: AsyncIterable[str | bytes],
    *,
    root: str = "root",
    on_error: OnError = "raise",
    after_root: AfterRoot = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    extract: bool = False,
    pick: Pick = "first",
    thinking: Thinking = "auto",
    close: bool = True,
) -> AsyncGenerator[JsonFragmentUpdate, None]:
    """Iterate over the updates of a text that arrives in fragments.

    The options are those of `midstream.updates`. What came before an error is yielded
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
    accumulator = JsonFragmentAccumulator(
        root=root,
        on_error=on_error,
        after_root=after_root,
        limits=limits,
        parse_int=parse_int,
        parse_float=parse_float,
        dialect=dialect,
    )
    documents = extraction(accumulator, extract, pick, thinking, on_error, after_root)
    if documents is not None:
        stream = ExtractedUpdates(documents, root)
        async with Source(fragments, close) as source:
            async for fragment in source:
                for update in stream.add_fragment(fragment):
                    yield update
                if stream.is_done:
                    source.stop()
                    return
        for update in stream.finish():
            yield update
        return
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
    fragments: AsyncIterable[str | bytes],
    *,
    on_error: OnError = "raise",
    after_root: AfterRoot = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    extract: bool = False,
    pick: Pick = "first",
    thinking: Thinking = "auto",
    close: bool = True,
) -> AsyncGenerator[Any, None]:
    """Iterate over the snapshots of a value that arrives in fragments, whenever it changed.

    The options are those of `midstream.values`. What came before an error is yielded before
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
    accumulator = JsonValueAccumulator(
        on_error=on_error,
        after_root=after_root,
        limits=limits,
        parse_int=parse_int,
        parse_float=parse_float,
        dialect=dialect,
    )
    documents = extraction(accumulator, extract, pick, thinking, on_error, after_root)
    stream = ValueStream(accumulator, documents)
    async with Source(fragments, close) as source:
        async for fragment in source:
            for value in stream.add_fragment(fragment):
                yield value
            if stream.is_done:
                source.stop()
                return
    for value in stream.finish():
        yield value


async def chunks(
    snapshots: AsyncIterable[object],
    *,
    on_conflict: OnConflict = "raise",
    tentative_nulls: bool = False,
    tentative_numbers: bool = False,
    close: bool = True,
) -> AsyncGenerator[str, None]:
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
    chunker = JsonStreamChunker(
        on_conflict=on_conflict, tentative_nulls=tentative_nulls, tentative_numbers=tentative_numbers
    )
    async with Source(snapshots, close) as source:
        async for snapshot in source:
            if chunk := chunker.process(snapshot):
                yield chunk
    if chunk := chunker.flush():
        yield chunk


async def messages(
    stream: AsyncIterable[Any],
    format: Format | None = None,
    *,
    on_error: OnInvalidEvent = "raise",
    bare: bool = False,
    unwrap: bool = False,
    tools: Mapping[str, Any] | None = None,
    dialect: Dialect = "strict",
    close: bool = True,
) -> AsyncGenerator[Message, None]:
    """Iterate over everything that a provider's stream says, in one vocabulary for all formats.

    >>> import asyncio
    >>> async def model():
    ...     yield {"choices": [{"index": 0, "delta": {"reasoning_content": "The user wants"}}]}
    >>> async def main():
    ...     return [message async for message in messages(model())]
    >>> asyncio.run(main())
    [ReasoningDelta(text='The user wants', kind='reasoning', signature=None, message_id=None, choice=0)]
    """
    provider = ProviderStream(format, on_error, bare, unwrap, tools, dialect)
    async with source_of(stream, close, is_async=True) as source:
        async for event in source:
            for message in provider.add_event(event):
                yield message
            provider.raise_held()
    for message in provider.finish():
        yield message


async def tool_calls(
    stream: AsyncIterable[Any],
    format: Format | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    on_error: OnInvalidEvent = "raise",
    bare: bool = False,
    unwrap: bool = False,
    tools: Mapping[str, Any] | None = None,
    dialect: Dialect = "strict",
    close: bool = True,
) -> AsyncGenerator[list[ToolCall], None]:
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
    calls = CallStream(format, limits, on_error, bare, unwrap, tools, dialect)
    async with source_of(stream, close, is_async=True) as source:
        async for event in source:
            found = calls.add_event(event)
            if calls.error is not None:
                source.stop()
                break
            yield found
            calls.raise_held()
    yield calls.finish()
    if calls.error is not None:
        raise calls.error


async def text_deltas(
    stream: AsyncIterable[Any], format: Format | None = None, *, close: bool = True
) -> AsyncGenerator[str, None]:
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
    async with source_of(stream, close, is_async=True) as source:
        async for event in source:
            for text in texts.add_event(event):
                yield text
    for text in texts.finish():
        yield text


async def argument_deltas(
    stream: AsyncIterable[Any],
    tool: str | None = None,
    format: Format | None = None,
    *,
    dialect: Dialect = "strict",
    close: bool = True,
) -> AsyncGenerator[str, None]:
    """Iterate over the argument text of a tool call, as input for `select`, `values` or `updates`.

    >>> import asyncio
    >>> async def model():
    ...     for piece in ['{"city": "Par', 'is"}']:
    ...         yield {"type": "TOOL_CALL_CHUNK", "toolCallName": "weather", "delta": piece}
    >>> async def main():
    ...     return [text async for text in argument_deltas(model(), "weather")]
    >>> asyncio.run(main())
    ['{"city": "Par', 'is"}']
    """
    arguments = ArgumentStream(tool, format, dialect)
    texts: list[str] = []
    async with source_of(stream, close, is_async=True) as source:
        async for event in source:
            texts = arguments.add_event(event)
            if arguments.is_over:
                source.stop()
                break
            for text in texts:
                yield text
            arguments.raise_held()
        else:
            texts = arguments.finish()
    for text in texts:
        yield text


@overload
def typed_values(
    fragments: AsyncIterable[str | bytes],
    type: type[T],
    *,
    on_invalid: Literal["collect", "raise"] = ...,
    context: Any = ...,
    hold: Iterable[str | tuple[Any, ...]] = ...,
    close: bool = ...,
    limits: Limits = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    thinking: Thinking = ...,
    library: Literal["pydantic", "msgspec"] | None = ...,
) -> AsyncGenerator[TypedSnapshot[T], None]: ...


@overload
def typed_values(
    fragments: AsyncIterable[str | bytes],
    type: Any,
    *,
    on_invalid: Literal["collect", "raise"] = ...,
    context: Any = ...,
    hold: Iterable[str | tuple[Any, ...]] = ...,
    close: bool = ...,
    limits: Limits = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    thinking: Thinking = ...,
    library: Literal["pydantic", "msgspec"] | None = ...,
) -> AsyncGenerator[TypedSnapshot[Any], None]: ...


def typed_values(
    fragments: AsyncIterable[str | bytes],
    type: Any,
    *,
    on_invalid: Literal["collect", "raise"] = "collect",
    context: Any = None,
    hold: Iterable[str | tuple[Any, ...]] = (),
    close: bool = True,
    limits: Limits = DEFAULT_LIMITS,
    dialect: Dialect = "strict",
    extract: bool = False,
    thinking: Thinking = "auto",
    library: Literal["pydantic", "msgspec"] | None = None,
) -> AsyncGenerator[TypedSnapshot[Any], None]:
    """Iterate over the snapshots of a typed value that arrives in fragments.

    The options are those of `midstream.typed.typed_values`.

    >>> import asyncio
    >>> async def model():
    ...     for fragment in ['{"Paris": 1', ', "Ly']:
    ...         yield fragment
    ...     yield 'on": 2}'
    >>> async def main():
    ...     return [snapshot.partial async for snapshot in typed_values(model(), dict[str, int])]
    >>> asyncio.run(main())
    [<partial {}>, <partial {'Paris': 1}>, {'Paris': 1, 'Lyon': 2}]
    """
    # only with the first typed value: `import midstream` is to cost little
    from .typed.accumulator import JsonTypedAccumulator
    from .typed.streams import SnapshotStream
    from .typed.streams_async import snapshots

    accumulator: JsonTypedAccumulator[Any] = JsonTypedAccumulator(
        type,
        on_invalid=on_invalid,
        context=context,
        hold=hold,
        limits=limits,
        dialect=dialect,
        library=library,
    )
    return snapshots(SnapshotStream(accumulator, extract, thinking), Source(fragments, close))


def typed_calls(
    stream: AsyncIterable[Any],
    types: Mapping[str, Any],
    format: Format | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    context: Any = None,
    on_error: OnInvalidEvent = "raise",
    bare: bool = False,
    unwrap: bool = False,
    tools: Mapping[str, Any] | None = None,
    dialect: Dialect = "strict",
    close: bool = True,
) -> AsyncGenerator[list[TypedCall], None]:
    """Iterate over the tool calls of a provider's stream, each with its arguments as the type of its tool.

    >>> import asyncio
    >>> async def model():
    ...     for piece in ['{"Par', 'is": 1}']:
    ...         yield {"type": "TOOL_CALL_CHUNK", "toolCallName": "weather", "delta": piece}
    >>> async def main():
    ...     return [calls[0].partial async for calls in typed_calls(model(), {"weather": dict[str, int]})]
    >>> asyncio.run(main())
    [<partial {}>, {'Paris': 1}, {'Paris': 1}]
    """
    from .typed.calls import TypedCallStream
    from .typed.streams_async import calls

    typed = TypedCallStream(types, format, limits, context, on_error, bare, unwrap, tools, dialect)
    return calls(typed, stream, close)

"""``select`` and ``first`` over asynchronous iterables, as `midstream.aio` exports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .._closing import Source
from ..accumulators.base import DEFAULT_LIMITS
from ..errors import NoMatch
from .select import checked_pick, found_or_raise, select_stream

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable

    from .._options import AfterRoot, Dialect, OnInvalid, Pick, Thinking
    from ..accumulators.match import Match
    from ..accumulators.select import Path, Paths
    from ..limits import Limits
    from .select import SelectStream

__all__ = ["first", "select"]

T = TypeVar("T")


@overload
def select(
    fragments: AsyncIterable[str | bytes],
    paths: Path | list[Any],
    type: type[T],
    *,
    partial: bool = ...,
    limit: int | None = ...,
    to_end: bool = ...,
    on_invalid: OnInvalid = ...,
    close: bool = ...,
    after_root: AfterRoot = ...,
    limits: Limits = ...,
    parse_int: Callable[[str], Any] = ...,
    parse_float: Callable[[str], Any] = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    pick: Pick = ...,
    thinking: Thinking = ...,
) -> AsyncGenerator[Match[T], None]: ...
@overload
def select(
    fragments: AsyncIterable[str | bytes],
    paths: Paths,
    type: Any = ...,
    *,
    partial: bool = ...,
    limit: int | None = ...,
    to_end: bool = ...,
    on_invalid: OnInvalid = ...,
    close: bool = ...,
    after_root: AfterRoot = ...,
    limits: Limits = ...,
    parse_int: Callable[[str], Any] = ...,
    parse_float: Callable[[str], Any] = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    pick: Pick = ...,
    thinking: Thinking = ...,
) -> AsyncGenerator[Match[Any], None]: ...
def select(
    fragments: AsyncIterable[str | bytes],
    paths: Paths,
    type: Any = None,
    *,
    partial: bool = False,
    limit: int | None = None,
    to_end: bool = False,
    on_invalid: OnInvalid = "raise",
    close: bool = True,
    after_root: AfterRoot = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    extract: bool = False,
    pick: Pick = "first",
    thinking: Thinking = "auto",
) -> AsyncGenerator[Match[Any], None]:
    """Iterate over the values at selected paths, each as soon as it is complete.

    Iteration ends as soon as nothing more can match, and then closes the source.

    >>> import asyncio
    >>> async def model():
    ...     for fragment in ['{"items": ["mid', 'stream", "json"]', ', "more": null}']:
    ...         yield fragment
    >>> async def main():
    ...     return [match.value async for match in select(model(), "items[*]")]
    >>> asyncio.run(main())
    ['midstream', 'json']
    """
    stream = select_stream(
        paths,
        type,
        partial=partial,
        limit=limit,
        to_end=to_end,
        on_invalid=on_invalid,
        after_root=after_root,
        limits=limits,
        parse_int=parse_int,
        parse_float=parse_float,
        dialect=dialect,
        extract=extract,
        pick=pick,
        thinking=thinking,
    )
    return _selected(stream, Source(fragments, close))


async def _selected(stream: SelectStream, source: Source) -> AsyncGenerator[Match[Any], None]:
    # when the search ends early, the source is closed before the last matches are yielded
    async with source:
        async for fragment in source:
            matches = stream.add_fragment(fragment)
            if stream.is_over:
                source.stop()
                break
            for match in matches:
                yield match
    for match in stream.finish():
        yield match


@overload
async def first(
    fragments: AsyncIterable[str | bytes],
    path: Path | list[Any],
    type: type[T],
    *,
    to_end: bool = ...,
    close: bool = ...,
    after_root: AfterRoot = ...,
    limits: Limits = ...,
    parse_int: Callable[[str], Any] = ...,
    parse_float: Callable[[str], Any] = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    pick: Literal["first", "all"] = ...,
    thinking: Thinking = ...,
) -> T: ...
@overload
async def first(
    fragments: AsyncIterable[str | bytes],
    path: Paths,
    type: Any = ...,
    *,
    default: Any = ...,
    to_end: bool = ...,
    close: bool = ...,
    after_root: AfterRoot = ...,
    limits: Limits = ...,
    parse_int: Callable[[str], Any] = ...,
    parse_float: Callable[[str], Any] = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    pick: Literal["first", "all"] = ...,
    thinking: Thinking = ...,
) -> Any: ...
async def first(
    fragments: AsyncIterable[str | bytes],
    path: Paths,
    type: Any = None,
    *,
    default: Any = NoMatch,
    to_end: bool = False,
    close: bool = True,
    after_root: AfterRoot = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    extract: bool = False,
    pick: Literal["first", "all"] = "first",
    thinking: Thinking = "auto",
) -> Any:
    """Return the first value at a path, as soon as it is complete, and close the source.

    >>> import asyncio
    >>> async def model():
    ...     for fragment in ['{"city": "Par', 'is", "days', '": 12}']:
    ...         yield fragment
    >>> asyncio.run(first(model(), "city"))
    'Paris'
    """
    found = default
    async for match in select(
        fragments,
        path,
        type,
        limit=1,
        to_end=to_end,
        close=close,
        after_root=after_root,
        limits=limits,
        parse_int=parse_int,
        parse_float=parse_float,
        dialect=dialect,
        extract=extract,
        pick=checked_pick(pick),
        thinking=thinking,
    ):
        found = match.value
    return found_or_raise(found, path)

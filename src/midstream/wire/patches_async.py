"""``patches`` over an asynchronous iterable, as `midstream.aio` exports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .._closing import Source
from ..accumulators.base import DEFAULT_LIMITS
from .patches import PatchStream

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable

    from .._options import Dialect, OnError
    from ..limits import Limits

__all__ = ["patches"]


async def patches(
    fragments: AsyncIterable[str | bytes],
    *,
    base: str = "",
    append: bool = False,
    root: str = "root",
    on_error: OnError = "raise",
    after_root: Literal["error", "ignore"] = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    close: bool = True,
) -> AsyncGenerator[list[dict[str, Any]], None]:
    """Iterate over the JSON Patches of a text that arrives in fragments, none of them empty.

    The options are those of `midstream.patches`.

    >>> import asyncio
    >>> async def model():
    ...     for fragment in ["[1,", " 2]"]:
    ...         yield fragment
    >>> async def main():
    ...     return [patch async for patch in patches(model(), base="/list")]
    >>> for patch in asyncio.run(main()): print(patch)
    [{'op': 'add', 'path': '/list', 'value': [1]}]
    [{'op': 'add', 'path': '/list/1', 'value': 2}]
    """
    stream = PatchStream(base, append, root, on_error, after_root, limits, parse_int, parse_float, dialect)
    async with Source(fragments, close) as source:
        async for fragment in source:
            for patch in stream.add_fragment(fragment):
                yield patch
    for patch in stream.finish():
        yield patch

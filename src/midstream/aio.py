"""The one-liners over asynchronous iterables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import JsonStreamError
from .fragments import JsonFragmentAccumulator

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator

    from ._update import JsonFragmentUpdate

__all__ = ["updates"]


async def updates(fragments: AsyncIterable[str | bytes], **options: Any) -> AsyncIterator[JsonFragmentUpdate]:
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
    try:
        async for fragment in fragments:
            for update in accumulator.add_fragment(fragment):
                yield update
        for update in accumulator.finish():
            yield update
    except JsonStreamError as error:
        for update in error.updates:
            yield update
        raise

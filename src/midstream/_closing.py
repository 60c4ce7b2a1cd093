"""Generators that end with what reads them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterable
    from contextlib import AbstractAsyncContextManager

__all__ = ["closing"]


def closing(source: AsyncIterable[Any]) -> AbstractAsyncContextManager[Any]:
    """Close a source that is a generator when it is read no further.

    Left to the garbage collector it would end some time later, and under trio not cleanly. Other sources
    have an owner, who may want to go on with them.
    """
    return aclosing(source) if isinstance(source, AsyncGenerator) else nullcontext()

"""Recorded streams at a model's pace."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from .. import recordings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from ..recordings import Recording

__all__ = ["ANSWERS", "MAX_PACE", "answer_to", "pace_of", "paced"]

# what stands in for a provider, by the path below /v1/
ANSWERS = {"chat/completions": "trip", "messages": "cut", "responses": "patch"}
MAX_PACE = 10_000.0

T = TypeVar("T")


def answer_to(path: str) -> Recording | None:
    """Give the recording that answers a request, None if none does."""
    return recordings.load(ANSWERS[path]) if path in ANSWERS else None


def pace_of(asked: str | None, default: float) -> float:
    """Read a pace in events per second.

    >>> pace_of("40", 30), pace_of(None, 30)
    (40.0, 30)
    """
    if asked is None:
        return default
    pace = float(asked)
    if not 0 <= pace <= MAX_PACE:
        raise ValueError("out of range")
    return pace


async def paced(items: Iterable[T], pace: float) -> AsyncGenerator[T]:
    """Give items at so many a second; 0 is as fast as they are taken."""
    loop = asyncio.get_running_loop()
    due = loop.time()
    for item in items:
        yield item
        # from due time to due time, so that the work in between does not slow it down; who was held up
        # by a slow client does not hurry to make up for it
        due = max(due + 1 / pace, loop.time()) if pace else 0
        await asyncio.sleep(max(due - loop.time(), 0))

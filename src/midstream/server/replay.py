"""Recorded streams, replayed at a model's speed."""

from __future__ import annotations

import asyncio
import json
from math import ceil
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from .. import recordings
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..sse import SseEvent, encode

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from ..recordings import Recording

__all__ = ["MAX_PACE", "RECORDINGS_BY_PATH", "pace_of", "paced", "raw_event", "recording_for"]

# the recordings that replace a provider, by the path below /v1/
RECORDINGS_BY_PATH = {"chat/completions": "trip", "messages": "cut", "responses": "patch"}
MAX_PACE = 10_000.0
# seconds; the streams of slow recordings continue at a multiple of it
_TICK = 0.005
# by event loop and tick, the streams that wait
_WAITING: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, list[asyncio.Future[None]]]] = (
    WeakKeyDictionary()
)


def recording_for(path: str) -> Recording | None:
    """Return the recording for a request, None if there is none."""
    return recordings.load(RECORDINGS_BY_PATH[path]) if path in RECORDINGS_BY_PATH else None


def pace_of(asked: str | None, default: float) -> float:
    """Parse a pace in events per second.

    >>> pace_of("40", 30), pace_of(None, 30)
    (40.0, 30)
    """
    if asked is None:
        return default
    pace = float(asked)
    if not 0 <= pace <= MAX_PACE:
        raise ValueError("out of range")
    return pace


def raw_event(event: Any) -> bytes:
    r"""Write an event of a capture as a provider sends it.

    >>> raw_event({"type": "ping"})
    b'data: {"type": "ping"}\n\n'
    """
    if isinstance(event, SseEvent):
        return encode(event)
    if isinstance(event, bytes):
        return b"data: %b\n\n" % event.replace(b"\n", b"\ndata: ")
    try:
        return b"data: %b\n\n" % json.dumps(event).encode()
    except RecursionError:
        raise JsonStreamError(ParserError.of(ErrorCode.DEPTH_LIMIT)) from None


async def paced(events: Iterable[bytes], pace: float) -> AsyncGenerator[list[bytes]]:
    """Yield events at a rate per second; 0 means as fast as they are consumed."""
    loop = asyncio.get_running_loop()
    due = loop.time()
    is_slow = 0 < pace <= 1 / (4 * _TICK)
    waiting = _WAITING.setdefault(loop, {})
    for event in events:
        yield [event]
        # Schedule from due time to due time, so that the work in between does not reduce the rate. After a
        # delay by a slow client, do not send faster to catch up.
        now = loop.time()
        due = max(due + 1 / pace, now) if pace else 0
        await (_tick(loop, waiting, due) if is_slow else asyncio.sleep(max(due - now, 0)))


def _tick(
    loop: asyncio.AbstractEventLoop, waiting: dict[int, list[asyncio.Future[None]]], due: float
) -> asyncio.Future[None]:
    """Return a future that is done at a time, or up to a tick later.

    Streams that continue in the same tick share one timer, and one turn of the event loop.
    """
    future: asyncio.Future[None] = loop.create_future()
    number = ceil(due / _TICK)
    if number in waiting:
        waiting[number].append(future)
    else:
        waiting[number] = [future]
        loop.call_at(number * _TICK, _resume, waiting, number)
    return future


def _resume(waiting: dict[int, list[asyncio.Future[None]]], number: int) -> None:
    for future in waiting.pop(number):
        if not future.done():
            future.set_result(None)

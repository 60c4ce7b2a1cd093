"""Batches of events as bytes, as the Redis store keeps and publishes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .base import Batch, End

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["after", "packed", "unpacked"]


def packed(batch: Batch) -> bytes:
    r"""Write a batch as bytes: a line that says what follows, then the events.

    >>> packed(Batch(3, [b"data: 1"], End()))
    b'[3, [7], ["", ""]]\ndata: 1'
    """
    head = [batch.first, [len(event) for event in batch.events], batch.end]
    return json.dumps(head).encode() + b"\n" + b"".join(batch.events)


def unpacked(payload: bytes) -> Batch:
    r"""Read a batch.

    >>> unpacked(b'[3, [7], ["", ""]]\ndata: 1')
    Batch(first=3, events=[b'data: 1'], end=End(code='', message=''))
    """
    head, _, body = payload.partition(b"\n")
    first, sizes, end = json.loads(head)
    return Batch(first, list(_cut(body, sizes)), None if end is None else End(*end))


def _cut(body: bytes, sizes: Sequence[int]) -> Iterator[bytes]:
    start = 0
    for size in sizes:
        yield body[start : start + size]
        start += size


def after(batch: Batch, following: int) -> Batch | None:
    """Return a batch without the events before a number; None if nothing is left."""
    known = following - batch.first
    events = batch.events[max(known, 0) :]
    if known > len(batch.events) or (not events and batch.end is None):
        return None
    return Batch(max(following, batch.first), events, batch.end)

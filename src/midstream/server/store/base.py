"""What every store does, and what its answers mean."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Collection, Mapping, Sequence

__all__ = ["OPEN_SECONDS", "Appended", "Batch", "End", "Head", "Store", "StoreError"]


# A stream that has not ended is kept longer than the time to live by this many seconds: its worker may be
# waiting for a slow provider. The gateway ends a silent stream long before.
OPEN_SECONDS = 600.0


class StoreError(Exception):
    """The store cannot be reached or used; the message says why."""


class Appended(Enum):
    """What happened to events that were to be appended."""

    # they are in the log: now, or since an earlier attempt
    OK = "ok"
    # another worker has claimed the stream: the caller must stop writing
    FENCED = "fenced"
    # events before them are missing: the caller must append those first
    GAP = "gap"
    # the stream has ended
    OVER = "over"
    # the stream is not in the store
    GONE = "gone"


class End(NamedTuple):
    """How a stream ended: completely, or with the code and message of what went wrong."""

    code: str = ""
    message: str = ""


class Head(NamedTuple):
    """What is known of a stream apart from its events; ``next`` is the number of the next event."""

    meta: dict[str, Any]
    epoch: int
    worker: str
    next: int
    end: End | None
    is_cancelled: bool


class Batch(NamedTuple):
    """Events of a log, the first of them with its number, and the end, if the log ends after them."""

    first: int
    events: Sequence[bytes]
    end: End | None = None


class Store(Protocol):
    """Keep the logs of streams. Every method may raise `StoreError`.

    A worker is a process that uses the store. It holds a lease as long as it lives: other workers may claim
    the streams of a worker whose lease is gone.
    """

    # whether several workers can use it at the same time
    is_shared: bool

    async def start(self, worker: str) -> None:
        """Connect as a worker, and take its lease."""

    async def close(self) -> None:
        """Release the lease and disconnect."""

    async def create(self, id: str, meta: Mapping[str, Any], epoch: int = 1) -> None:
        """Create the empty log of a stream for this worker, unless there is a log."""

    async def append(
        self, id: str, epoch: int, at: int, events: Sequence[bytes], end: End | None = None
    ) -> Appended:
        """Append events, of which the first has the number ``at``, and an end after them.

        Events whose numbers are in the log already are skipped, so a caller may repeat a call.
        """

    def read(self, id: str, after: int = 0) -> AsyncGenerator[Batch]:
        """Yield the events after a number: what there is, then what is appended, up to the end.

        The iteration ends without an end if the stream is not or no longer in the store.
        """

    async def head(self, id: str) -> Head | None:
        """Return what is known of a stream; None if it is not in the store."""

    async def claim(self, id: str, epoch: int, worker: str) -> bool:
        """Make a worker the writer of an open stream, at the epoch after this one; return whether it is."""

    async def cancel(self, id: str) -> bool:
        """Signal the writer of a stream to stop; return whether the stream is open."""

    async def cancelled(self, id: str) -> None:
        """Return when the writer of a stream is to stop."""

    async def living(self, workers: Collection[str]) -> Collection[str]:
        """Return those of the workers that hold a lease."""

    @property
    def is_trusted(self) -> bool:
        """Whether a worker without a lease is dead: not for a while after the store has failed."""

    async def release(self, worker: str) -> None:
        """Drop the lease of a worker that is known to be dead."""

    async def open_streams(self) -> Mapping[str, str]:
        """Return the ids of the streams that have not ended, each with its worker.

        After a failure some of them may have ended, or have another worker: `head` knows.
        """

    async def bind(self, key: str, value: str, seconds: float) -> str:
        """Return the value that a key is bound to; bind it for a time if there is none."""

    async def unbind(self, key: str) -> None:
        """Forget what a key is bound to."""

    async def drop(self, id: str) -> None:
        """Remove a stream."""

    async def expire(self) -> None:
        """Remove everything that is older than the time to live."""

"""The names of the keys and channels in Redis.

The braces make Redis Cluster keep the keys of a stream together.
"""

from __future__ import annotations

__all__ = [
    "OPEN_STREAMS", "VERSION_KEY", "bound_of", "channel_of", "lease_of", "log_of", "signal_of", "state_of",
]  # fmt: skip

_PREFIX = "midstream:"
VERSION_KEY = f"{_PREFIX}version"
# the streams that have not ended, each with its worker
OPEN_STREAMS = f"{_PREFIX}open"


def state_of(id: str) -> str:
    """Return the key of a stream's state."""
    return f"{_PREFIX}{{{id}}}:state"


def log_of(id: str) -> str:
    """Return the key of a stream's log."""
    return f"{_PREFIX}{{{id}}}:log"


def channel_of(id: str) -> str:
    """Return the channel on which the batches of a stream arrive."""
    return f"{_PREFIX}{{{id}}}:live"


def signal_of(id: str) -> str:
    """Return the channel on which the writer of a stream learns that it was cancelled."""
    return f"{_PREFIX}{{{id}}}:signal"


def lease_of(worker: str) -> str:
    """Return the key of a worker's lease."""
    return f"{_PREFIX}lease:{worker}"


def bound_of(key: str) -> str:
    """Return the key under which a value was bound."""
    return f"{_PREFIX}bound:{key}"

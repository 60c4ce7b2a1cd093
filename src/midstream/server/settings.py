"""The settings of the gateway: speed, timeouts and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._options import check_dialect

if TYPE_CHECKING:
    from .._options import Dialect

__all__ = ["DEFAULT", "Settings"]


class Settings(NamedTuple):
    """Set the gateway's speed, timeouts and limits; sizes are in bytes, times in seconds.

    A stream is kept for ``ttl`` after its last event. Its derived events are kept within ``max_kept_events``
    and ``max_kept_bytes`` for the clients that follow it; they are derived again for others. In one process,
    a stream is at most ``max_ahead_events`` and ``max_ahead_bytes`` ahead of its fastest client, and ends
    when no client has read it for ``grace``. ``max_stream_bytes`` limits the bytes that are read, and also
    the bytes that are written; ``max_owner_streams`` and ``max_owner_viewers`` are for the clients with the
    same credentials; ``max_log_bytes`` is for all open streams of a process. An upstream that is
    silent for longer than ``idle`` is given up. A process that is asked to stop lets its streams continue for
    ``drain``. In a store that several machines share, a worker that is silent for ``lease`` counts as dead.
    ``metrics`` are measured only if they are wanted. In ``dialect`` the arguments of calls are read, unless a
    request names another one.

    >>> Settings(grace=3).grace, Settings().max_streams
    (3, 1000)
    """

    # events per second of a recording, unless the request names a pace; 0 is as fast as possible
    pace: float = 30
    heartbeat: float = 15
    grace: float = 10
    connect_seconds: float = 10
    body_seconds: float = 60
    max_seconds: float = 600
    idle: float = 120
    ttl: float = 600
    drain: float = 30
    lease: float = 3
    metrics: bool = False
    # one line of JSON for each stream that has ended
    log_streams: bool = False
    dialect: Dialect = "strict"
    # connections of clients; fewer if the process may not open so many files
    max_connections: int = 10_000
    # until the head of a request must have arrived
    head_seconds: float = 20
    max_streams: int = 1000
    max_owner_streams: int = 500
    max_owner_viewers: int = 5_000
    max_body: int = 10_000_000
    max_event: int = 4_000_000
    max_stream_bytes: int = 64_000_000
    max_log_bytes: int = 256_000_000
    max_ahead_events: int = 256
    max_ahead_bytes: int = 262_144
    max_kept_events: int = 2_000
    max_kept_bytes: int = 1_000_000

    def check(self) -> None:
        """Raise ValueError if a setting is not a positive number; some may be 0."""
        check_dialect(self.dialect)
        for name, value in zip(self._fields, self, strict=True):
            if name in ("metrics", "log_streams") or isinstance(value, str):
                continue
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or value < 0 or (value == 0 and name not in ("pace", "grace", "drain")):
                raise ValueError(f"{name} must be a positive number, not {value!r}")


DEFAULT = Settings()

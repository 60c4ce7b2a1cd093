"""How the gateway behaves, and what it allows."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DEFAULT", "Settings"]


class Settings(NamedTuple):
    """Set the gateway's pace, its patience and its bounds: sizes are in bytes, times in seconds.

    A stream keeps at most ``max_kept`` of what it sent, for clients that come back, and is at most
    ``max_ahead`` ahead of its client. ``max_stream_bytes`` bounds what is read, and also what is written.

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
    max_streams: int = 1000
    max_body: int = 10_000_000
    max_event: int = 4_000_000
    max_stream_bytes: int = 64_000_000
    max_ahead_events: int = 256
    max_ahead_bytes: int = 262_144
    max_kept_events: int = 2_000
    max_kept_bytes: int = 1_000_000

    def check(self) -> None:
        """Refuse what is no count and no time; only a pace and a grace of 0 mean something."""
        for name, value in zip(self._fields, self, strict=True):
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or value < 0 or (value == 0 and name not in ("pace", "grace")):
                raise ValueError(f"{name} is a positive number, not {value!r}")


DEFAULT = Settings()

"""What can go wrong with a stream or a request."""

from __future__ import annotations

__all__ = ["Busy", "Draining", "Failure", "OwnerLimit"]


class Failure(Exception):  # noqa: N818  # it is reported in the stream
    """The stream cannot continue."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Busy(Exception):  # noqa: N818  # it is converted into a response
    """The maximum number of streams is open."""

    status, code, message = 503, "busy", "too many streams"


class OwnerLimit(Busy):
    """The maximum number of streams of one owner is open."""

    status, code, message = 429, "owner_limit", "too many streams of one client"


class Draining(Busy):
    """The process is about to stop; another one may answer."""

    code, message = "draining", "the process is about to stop"

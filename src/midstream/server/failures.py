"""What can go wrong with a stream or a request."""

from __future__ import annotations

__all__ = ["Busy", "Failure"]


class Failure(Exception):  # noqa: N818  # it is reported in the stream
    """The stream cannot continue."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Busy(Exception):  # noqa: N818  # it is converted into a response
    """The maximum number of streams is open: of all, or of one owner."""

    def __init__(self, is_owner: bool = False) -> None:
        super().__init__()
        self.is_owner = is_owner

"""Files and pipes, read as what is in them arrives."""

from __future__ import annotations

import errno
import os
import select
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import ErrorCode, JsonStreamError, ParserError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PAUSE", "opened", "pieces", "size_of", "truncated"]

_PIECE = 1 << 16
# seconds
PAUSE = 0.1


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading; ``-`` is the standard input."""
    if path == "-":
        # closed, as by <&-, it is None
        stdin: Any = sys.stdin
        if stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), path)
        yield stdin.buffer
    else:
        # unbuffered: a pipe's piece is wanted when it comes, not when a buffer is full
        with Path(path).open("rb", buffering=0) as file:
            yield file


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """Read what there is, as soon as it is there; give an empty piece when nothing comes for a while."""
    descriptor = file.fileno()
    is_blank = True
    while True:
        # where only sockets can be waited for, there are no pauses
        if os.name != "nt" and not select.select([descriptor], [], [], PAUSE)[0]:
            yield b""
        try:
            piece = os.read(descriptor, _PIECE)
        except OSError as error:
            raise OSError(error.errno, error.strerror, file.name) from None
        if not piece:
            break
        is_blank = is_blank and not piece.strip()
        yield piece
    if is_blank:
        raise truncated("nothing in it")


def size_of(file: BinaryIO) -> int | None:
    """Give the size of a file; of a pipe, None."""
    status = os.fstat(file.fileno())
    return status.st_size if status.st_size > 0 and not os.isatty(file.fileno()) else None


def truncated(message: str) -> JsonStreamError:
    """Make the error of a stream that lacks what was wanted from it."""
    return JsonStreamError(ParserError(ErrorCode.TRUNCATED, message, 0, 1, 1))

"""Files and pipes, read as their content arrives."""

from __future__ import annotations

import errno
import os
import select
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..captures import Texts
from ..errors import ErrorCode, JsonStreamError, ParserError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PAUSE", "json_text", "opened", "pieces", "size_of", "truncated"]

_PIECE = 1 << 16
# seconds
PAUSE = 0.1


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading; ``-`` is the standard input."""
    if path == "-":
        # it is None if it is closed, as by <&-
        stdin: Any = sys.stdin
        if stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), path)
        yield stdin.buffer
    else:
        # unbuffered: data from a pipe is needed at once, not when a buffer is full
        with Path(path).open("rb", buffering=0) as file:
            yield file


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield data as soon as it arrives, and an empty piece when nothing arrives for a while."""
    descriptor = file.fileno()
    is_blank = True
    while True:
        # Windows can only wait for sockets, so pauses are not reported there
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
        raise truncated("the input is empty")


@contextmanager
def json_text(source: BinaryIO, format: Any, may_be_prose: bool = False) -> Iterator[Texts]:
    """Yield the JSON text of a file; if a message has none, raise an error that names the other command."""
    texts = Texts(pieces(source), format, may_be_prose)
    try:
        yield texts
    except JsonStreamError as error:
        is_without_json = error.code in (ErrorCode.EXPECTED_VALUE, ErrorCode.TRUNCATED) and error.index == 0
        if texts.is_message and is_without_json:
            raise truncated(
                "the message in the stream has no JSON text; for its tool calls, use midstream calls"
            ) from None
        raise


def size_of(file: BinaryIO) -> int | None:
    """Return the size of a file, None for a pipe."""
    status = os.fstat(file.fileno())
    return status.st_size if status.st_size > 0 and not os.isatty(file.fileno()) else None


def truncated(message: str) -> JsonStreamError:
    """Return the error for a stream that lacks the expected content."""
    return JsonStreamError(ParserError(ErrorCode.TRUNCATED, message, 0, 1, 1))

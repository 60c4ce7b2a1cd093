"""The input of the commands: JSON text, or the events of a capture in any framing."""

from __future__ import annotations

import time
from itertools import chain
from typing import TYPE_CHECKING, Any

from ..captures import events_of, framing, may_be_field
from ..streams import text_deltas
from .files import PAUSE, truncated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Opening", "events_in", "texts_in", "without_last_newline"]

# the number of bytes that are read to detect the content of a stream
_MAX_OPENING = 1 << 20


class Opening:
    """A stream, and the framing that was detected at its beginning."""

    def __init__(self, chunks: Iterable[bytes], format: str | None) -> None:
        rest = iter(chunks)
        beginning = b""
        deadline = None
        found = None
        for piece in rest:
            beginning += piece
            found = framing(beginning, format)
            if found is not None:
                break
            if may_be_field(beginning):
                continue
            # most likely JSON, which should be shown without delay
            deadline = deadline or time.monotonic() + PAUSE
            if not piece or len(beginning) > _MAX_OPENING or time.monotonic() > deadline:
                break
        self.framing = found or ("text" if format is None else "lines")
        self.chunks = chain([beginning], rest)

    def events(self) -> Iterator[Any]:
        """Yield the events one by one."""
        return events_of(self.chunks, self.framing)


def texts_in(chunks: Iterable[bytes], format: str | None) -> Iterator[str | bytes]:
    """Yield the JSON text of a stream in pieces: the stream itself, or the text of its message."""
    opening = Opening(chunks, format)
    if opening.framing == "text":
        yield from without_last_newline(opening.chunks)
        return
    is_empty = True
    for text in text_deltas(opening.events(), format):
        is_empty = False
        yield text
    if is_empty:
        raise truncated("the message in the stream has no text")


def events_in(chunks: Iterable[bytes], format: str | None) -> Iterator[Any]:
    """Yield the events of a stream; the format is detected unless it is given."""
    return Opening(chunks, format or "any").events()


def without_last_newline(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Drop the newline that ends a file: it is not part of a text that is truncated inside a string."""
    held = b""
    for chunk in chunks:
        text = held + chunk
        rest = text.removesuffix(b"\n").removesuffix(b"\r")
        held = text[len(rest) :]
        yield rest

"""Positions in a stream, and the ids of its events."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Cursor", "Position", "cursor_of", "parse_id"]

# a Cursor, or the same as a plain tuple
Position = tuple[int, int]

# more digits than a stream can have, and few enough for a quick conversion
_ID = re.compile(r"(?P<stream>[^\r\n\0]*)-(?P<number>[0-9]{1,15})(?:\.(?P<part>[0-9]{1,15}))?")


class Cursor(NamedTuple):
    """The position of an event: the number of the raw event that it follows from, and its place there.

    The first event of a stream has the number 0, and those that follow from its end have the number after
    the last raw event.
    """

    number: int
    part: int = 0


def parse_id(event_id: str) -> tuple[str, Cursor] | None:
    """Return the stream and the position that an event id names; None if it is not an event id.

    >>> parse_id("ab-7.1"), parse_id("ab-7"), parse_id("7")
    (('ab', Cursor(number=7, part=1)), ('ab', Cursor(number=7, part=0)), None)
    """
    match = _ID.fullmatch(event_id)
    if match is None:
        return None
    return match["stream"], Cursor(int(match["number"]), int(match["part"] or 0))


def cursor_of(text: str, stream: str) -> Cursor | None:
    """Return the position that an event id of a stream, or the last part of one, names.

    >>> cursor_of("ab-7.1", "ab"), cursor_of("7", "ab"), cursor_of("cd-7", "ab")
    (Cursor(number=7, part=1), Cursor(number=7, part=0), None)
    """
    found = parse_id(text if "-" in text else f"{stream}-{text}")
    return found[1] if found is not None and found[0] == stream else None

"""Access to the characters of a text, as the grammar reads them.

Every character that has a meaning in JSON's grammar is ASCII; any other character can only be the content
of a string. The compiled core (``chars.pxd``) therefore reads one byte per character, whatever the storage of
the text: from the text itself if its characters are one byte wide, otherwise from a copy in which every
wider character is 0xFF. The functions here are the plain Python twins, which read the text itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ascii_slice",
    "chars_of",
    "comma_before",
    "content_end",
    "is_at",
    "is_content",
    "match_content",
    "narrowed",
    "slice_of",
]

# it always matches, if only the empty string
match_content: Callable[[str, int, int], re.Match[str]] = re.compile(r'[^"\\\x00-\x1f]*').match  # type: ignore[assignment]


def narrowed(text: str) -> str:
    """Return what holds the characters of a text: the text itself."""
    return text


def chars_of(narrow: str) -> str:
    """Return the characters of a text that `narrowed` has returned."""
    return narrow


def content_end(chars: str, i: int, n: int) -> int:
    """Return the index of the first character of chars[i:n] that is not plain content of a string, or n."""
    return match_content(chars, i, n).end()


def is_content(text: str) -> bool:
    """Report whether a text is nothing but plain content of a string.

    isprintable() is the quickest test here; it sends some content that is not printable to the slow path.
    """
    return '"' not in text and "\\" not in text and text.isprintable()


def slice_of(text: str, chars: str, i: int, n: int) -> str:
    """Return text[i:n], where ``chars`` are the characters of ``text``."""
    return text[i:n]


def ascii_slice(chars: str, i: int, n: int) -> str:
    """Return chars[i:n] as a str; all of its characters must be ASCII."""
    return chars[i:n]


def is_at(key: str, chars: str, i: int, n: int) -> bool:
    """Report whether an ASCII key equals chars[i:n]."""
    return key == chars[i:n]


def comma_before(text: str, start: int, j: int) -> int:
    """Return the index of the comma that only spaces separate from j, or -1."""
    j -= 1
    while j >= start and text[j] == " ":
        j -= 1
    return j if j >= start and text[j] == "," else -1

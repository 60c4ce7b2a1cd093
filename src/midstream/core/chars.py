"""The characters of a text, as the grammar looks at them.

All that JSON's grammar knows is ASCII: what lies beyond can only be the content of a string. So the
compiled core (``_chars.pxd``) looks at one byte a character, whatever the text is made of: in a text
of one-byte characters at the text itself, else at a copy in which every wider character is 0xFF.
Uncompiled, the characters are those of the text, and these are the twins of what is done there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ascii_slice",
    "chars_of",
    "content_end",
    "is_at",
    "match_content",
    "slice_of",
]

# it matches nothing, too
match_content: Callable[[str, int, int], re.Match[str]] = re.compile(r'[^"\\\x00-\x1f]*').match  # type: ignore[assignment]


def chars_of(narrow: str) -> str:
    """Give the characters that it holds."""
    return narrow


def content_end(chars: str, i: int, n: int) -> int:
    """Find the first character of chars[i:n] that is not plain content of a string."""
    return match_content(chars, i, n).end()


def slice_of(text: str, chars: str, i: int, n: int) -> str:
    """Give text[i:n], whose characters chars are."""
    return text[i:n]


def ascii_slice(chars: str, i: int, n: int) -> str:
    """Give what stands in chars[i:n], which is known to be ASCII."""
    return chars[i:n]


def is_at(key: str, chars: str, i: int, n: int) -> bool:
    """Tell whether an ASCII key is what stands in chars[i:n]."""
    return key == chars[i:n]

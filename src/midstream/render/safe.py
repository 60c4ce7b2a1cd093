r"""Escape characters that a terminal would interpret, or that are invisible, in JSON's notation.

These are control characters, changes of the writing direction, characters without width, line separators
and lone surrogates. A zero-width joiner between two pictographs stays, because it is part of the picture.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["SHORT_ESCAPES", "TROUBLE", "Spelling", "encodable", "escape", "is_encodable", "shown"]

SHORT_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}

_PICTOGRAPH = "\u2190-\u2bff\U0001f000-\U0001faff"
TROUBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u17b4\u17b5\u180e\u200b\u200c\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
    # \ufe0f: the character before it is drawn as a picture
    f"|(?<![{_PICTOGRAPH}\ufe0f])\u200d|\u200d(?![{_PICTOGRAPH}])"
)


class Spelling(NamedTuple):
    """What else to escape: what ``encoding`` cannot represent, and if quoted, quotes and backslashes."""

    encoding: str | None
    is_quoted: bool


def escape(char: str) -> str:
    r"""Return a character as a JSON escape such as ``\n``, ``\u001b`` or an escaped surrogate pair."""
    short = SHORT_ESCAPES.get(char)
    if short is not None:
        return short
    code = ord(char)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


def is_encodable(text: str, encoding: str) -> bool:
    """Report whether an encoding can represent a text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def encodable(text: str, encoding: str) -> str:
    """Escape the characters that an encoding cannot represent."""
    if is_encodable(text, encoding):
        return text
    return "".join(char if is_encodable(char, encoding) else escape(char) for char in text)


def shown(text: str, encoding: str = "utf-8") -> str:
    r"""Return a text in a form that is safe to print on one line.

    >>> print(shown("a\x1b[2Jb\u202e"))
    a\u001b[2Jb\u202e
    """
    if text.isascii() and text.isprintable():
        # fast path for the common case
        return text
    return encodable(TROUBLE.sub(lambda found: escape(found[0]), text), encoding)

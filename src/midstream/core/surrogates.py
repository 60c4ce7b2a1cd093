"""Surrogates: the one place where split surrogate pairs are joined and lone surrogates are handled.

A sender that counts UTF-16 code units may split a surrogate pair between two pieces of text. In Python the
pieces then end and begin with a lone surrogate, which UTF-8 cannot encode.
"""

from __future__ import annotations

from codecs import utf_16_le_encode
from typing import TYPE_CHECKING, Any

from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

__all__ = [
    "SurrogateJoiner",
    "encode_utf8",
    "escape_surrogates",
    "has_surrogates",
    "is_part",
    "join_surrogates",
    "joined_length",
    "settled_length",
]


def has_surrogates(text: str) -> bool:
    r"""Report whether a text contains surrogates, paired or lone.

    >>> has_surrogates("\U0001f327"), has_surrogates("\ud83c")
    (False, True)
    """
    if text.isascii():
        return False
    try:
        # the codec rejects surrogates many times faster than a regular expression finds them
        utf_16_le_encode(text)
    except UnicodeEncodeError:
        return True
    return False


def join_surrogates(text: str) -> str:
    r"""Join split surrogate pairs into one character each, as every reader of JSON text does.

    A text without surrogates is returned as the same object.

    >>> join_surrogates("\ud83c\udf27 \ud83c") == "\U0001f327 \ud83c"
    True
    """
    if not has_surrogates(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def joined_length(text: str) -> int:
    r"""Count the characters of a text, with a surrogate pair as one.

    >>> joined_length("\ud83c\udf27 \ud83c")
    3
    """
    return len(text if text.isascii() else join_surrogates(text))


def settled_length(text: str) -> int:
    r"""Count the characters that later text cannot change.

    A high surrogate at the end does not count: the low surrogate of its pair may follow.

    >>> settled_length("rain"), settled_length("rain \ud83c")
    (4, 5)
    """
    length = len(text)
    return length - 1 if length and "\ud800" <= text[length - 1] <= "\udbff" else length


def escape_surrogates(text: str) -> str:
    r"""Write each surrogate in JSON text as its escape; other characters stay as they are.

    >>> print(escape_surrogates('"ü\ud83c"'))
    "ü\ud83c"
    """
    return text.encode("utf-8", "backslashreplace").decode() if has_surrogates(text) else text


def encode_utf8(text: str) -> bytes:
    r"""Encode a text as UTF-8, with split pairs joined and U+FFFD in place of lone surrogates.

    >>> encode_utf8("\ud83c\udf27 \ud83c").decode() == "\U0001f327 \ufffd"
    True
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def is_part(shown: Any, later: Any) -> bool:
    r"""Report whether a value of any depth may grow into another one; surrogate pairs may be split.

    >>> is_part({"a": [1.0, "\ud83c\udf27"]}, {"a": [1, "\U0001f327!"], "b": 2}), is_part([1], [True])
    (True, False)
    """
    # no recursion: the loop appends to the list that it iterates over
    pairs = [(shown, later)]
    for a, b in pairs:
        if isinstance(a, dict) and isinstance(b, dict):
            a, b = ({join_surrogates(key): value for key, value in each.items()} for each in (a, b))
            if not a.keys() <= b.keys():
                return False
            pairs += [(value, b[key]) for key, value in a.items()]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) > len(b):
                return False
            pairs += zip(a, b, strict=False)
        elif isinstance(a, str) and isinstance(b, str):
            if not join_surrogates(b).startswith(join_surrogates(a)):
                return False
        elif a != b or isinstance(a, bool) is not isinstance(b, bool):
            return False
    return True


@cython.auto_pickle(True)
@cython.cclass
class SurrogateJoiner:
    r"""Join split surrogate pairs across the pieces of a text: a high surrogate waits for the next piece.

    >>> joiner = SurrogateJoiner()
    >>> joiner.add_fragment("rain \ud83c"), joiner.add_fragment("\udf27!") == "\U0001f327!"
    ('rain ', True)
    """

    __slots__ = ("pending",)

    def __init__(self) -> None:
        self.pending = ""

    @property
    def waits(self) -> bool:
        """Whether a high surrogate waits for the low surrogate of its pair."""
        return self.pending != ""

    def add_fragment(self, piece: str) -> str:
        """Return the text that later pieces cannot change."""
        if not self.pending and piece.isascii():
            return piece
        text = join_surrogates(self.pending + piece)
        settled = settled_length(text)
        self.pending = text[settled:]
        return text[:settled]

    def finish(self) -> str:
        """Return a high surrogate that has not found its pair."""
        pending, self.pending = self.pending, ""
        return pending

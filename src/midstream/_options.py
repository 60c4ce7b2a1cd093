"""The values of options that several classes and functions share, and the check of a dialect."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = [
    "AfterRoot",
    "Dialect",
    "OnError",
    "OnInvalid",
    "OnInvalidEvent",
    "Pick",
    "Thinking",
    "check_dialect",
]

# what to do about invalid text: raise, emit an Error update and stop, or emit it and continue
OnError = Literal["raise", "event", "recover"]
# which text is accepted: RFC 8259 only, or what models write as well, with each repair reported
Dialect = Literal["strict", "lenient"]
# what text after the root value means: an error, nothing, or the next document
AfterRoot = Literal["error", "ignore", "next"]
# what to do about a selected value that does not fit its type
OnInvalid = Literal["raise", "match"]
# what to do about a provider's event that cannot be read
OnInvalidEvent = Literal["raise", "event"]
# which documents in a model's answer are read
Pick = Literal["first", "last", "all"]
# whether tags mark reasoning, and whether the text begins with it
Thinking = Literal["auto", "open"] | None

_DIALECTS = get_args(Dialect)


def check_dialect(dialect: object) -> None:
    """Raise ValueError unless an option names a dialect.

    >>> check_dialect("loose")
    Traceback (most recent call last):
        ...
    ValueError: dialect must be one of 'strict', 'lenient', not 'loose'
    """
    if dialect not in _DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(map(repr, _DIALECTS))}, not {dialect!r}")

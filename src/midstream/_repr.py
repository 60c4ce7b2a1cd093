"""A short description of an object that reads a stream, for its ``repr``."""

from __future__ import annotations

from typing import Any

from .paths import format_path

__all__ = ["describe"]

# a longer path is shortened at its beginning
_LONGEST_PATH = 60


def describe(reader: Any) -> str:
    """Describe how far a stream has been read, what is open, and the error if there is one.

    >>> from midstream import JsonValueAccumulator
    >>> accumulator = JsonValueAccumulator()
    >>> accumulator.add_fragment('{"city": "Zür')
    True
    >>> accumulator
    <JsonValueAccumulator: 13 characters read, open at root.city>
    """
    name = type(reader).__name__
    try:
        parts = []
        position = getattr(reader, "position", None)
        if position is not None:
            parts.append(f"{position.index} characters read")
        path = getattr(reader, "open_path", None)
        if reader.is_complete:
            parts.append("complete")
        elif path is not None:
            written = format_path("root", path)
            cropped = written if len(written) <= _LONGEST_PATH else f"…{written[-_LONGEST_PATH:]}"
            parts.append(f"open at {cropped}")
        error = getattr(reader, "error", None)
        if error is not None:
            parts.append(f"error {error.code}")
    except RuntimeError:
        # another thread is calling it
        parts = ["busy"]
    return f"<{name}: {', '.join(parts) or 'nothing read'}>"

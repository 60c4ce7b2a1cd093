"""The paths of what is held back until it is final."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..paths import parse_path

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["WILDCARD", "hold_patterns"]

WILDCARD = None


def hold_patterns(hold: Iterable[str | tuple[Any, ...]]) -> tuple[tuple[Any, ...], ...]:
    """Parse the paths of what is held back, as seen from the document around the root."""
    return tuple(("root", *_steps(path)) for path in ([hold] if isinstance(hold, str) else hold))


def _steps(path: str | tuple[Any, ...]) -> tuple[Any, ...]:
    if isinstance(path, tuple):
        return path
    steps: list[Any] = []
    for part in re.split(r"(\[\*\]|\.\*)", path):
        if part in ("[*]", ".*"):
            steps.append(WILDCARD)
        elif part:
            steps += parse_path(part.removeprefix("."))
    return tuple(steps)

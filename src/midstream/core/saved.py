"""Parts of a saved state: they are checked when it is loaded."""

from __future__ import annotations

import sys
from typing import Any

from ..errors import Repair, RepairCode
from .text import load_text, save_text

__all__ = ["checked_count", "load_repairs", "save_repairs"]


def checked_count(number: object, most: int = sys.maxsize // 2) -> int:
    """Return a loaded number if it is a count of at most ``most``; raise ValueError otherwise."""
    if type(number) is not int or not 0 <= number <= most:
        raise ValueError("a count is out of range")
    return number


def save_repairs(repairs: list[Repair]) -> list[list[Any]]:
    """Return repairs as plain data."""
    return [[repair.code, *repair[2:5], save_text(repair.path)] for repair in repairs]


def load_repairs(data: list[list[Any]]) -> list[Repair]:
    """Return the repairs that `save_repairs` has saved."""
    repairs = []
    for code, index, line, column, path in data:
        index, line, column = map(checked_count, (index, line, column))
        repairs.append(Repair.at(RepairCode(code), index, line, column, load_text(path)))
    return repairs

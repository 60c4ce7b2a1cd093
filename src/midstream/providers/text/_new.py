"""Make the adapter of a text format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._adapter import Options, TextAdapter
from ._formats import FORMATS
from ._harmony import HarmonyAdapter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..._options import Dialect

__all__ = ["new_adapter"]


def new_adapter(
    format: str, bare: bool, unwrap: bool, tools: Mapping[str, Any] | None, dialect: Dialect
) -> TextAdapter:
    """Return a new adapter for a format of the table."""
    row = FORMATS[format]
    cls = HarmonyAdapter if row.engine == "harmony" else TextAdapter
    return cls(row, Options(bare, unwrap, tools, dialect))

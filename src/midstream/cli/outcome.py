"""Results: documents and tool calls as JSON, and an exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..render.plain import print_value
from .guard import BAD_DATA, complain

if TYPE_CHECKING:
    from ..accumulators.values import JsonValueAccumulator
    from ..calls.handler import ToolCall
    from .reading import JsonReader

__all__ = ["PrintedDocuments", "print_calls", "require_complete_calls"]


class PrintedDocuments:
    """Print the documents of a text, each when it is complete, and an incomplete one at the end."""

    def __init__(self, accumulator: JsonValueAccumulator, reader: JsonReader, indent: int | None = 2) -> None:
        self._accumulator = accumulator
        self._reader = reader
        self._indent = indent
        self._last: Any = UNDEFINED

    def print_new(self) -> None:
        """Print the documents that the last fragment completed."""
        documents = self._accumulator.documents
        for document in documents:
            print_value(document, indent=self._indent)
        if documents:
            self._last = documents[-1]

    def finish(self) -> None:
        """End the text, and print an incomplete document as far as it has arrived."""
        if self._accumulator.is_complete:
            return
        is_open = self._accumulator.open_path is not None
        for _ in self._reader.finish():
            self.print_new()
        # while a new document has no value yet, the accumulator still returns the previous one
        if is_open or self._accumulator.value is not self._last:
            print_value(self._accumulator.value, indent=self._indent)


def print_calls(calls: list[ToolCall]) -> None:
    """Print calls as a JSON array."""
    print_value([call.to_dict() for call in calls])


def require_complete_calls(calls: list[ToolCall]) -> None:
    """Exit with an error if a call is incomplete."""
    broken = [call for call in calls if not call.is_complete]
    if broken:
        why = "" if broken[0].error is None else f": {broken[0].error.message}"
        complain(f"{len(broken)} of {len(calls)} tool calls are incomplete{why}")
        sys.exit(BAD_DATA)

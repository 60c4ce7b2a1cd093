"""How commands read JSON: strictly or leniently, as the complete text or inside other text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..accumulators.values import JsonValueAccumulator
from ..calls.handler import ToolCall
from ..errors import ErrorCode
from ..extract.documents import READ, DocumentStream
from .guard import complain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .._options import Dialect, OnError
    from ..errors import ParserError, Repair
    from ..extract.documents import Part

__all__ = ["JsonReader", "dialect_of", "report_repairs", "with_extracted_arguments"]

# the errors of arguments that no other way of reading removes
_FINAL = (ErrorCode.TRUNCATED, ErrorCode.PROVIDER_ERROR, ErrorCode.MISPLACED_UPDATE)


def dialect_of(is_lenient: bool) -> Dialect:
    """Return the dialect that the option ``--lenient`` means."""
    return "lenient" if is_lenient else "strict"


class JsonReader:
    """Read a text with an accumulator, or with ``extract`` the documents inside it."""

    def __init__(self, accumulator: Any, extract: bool, on_error: OnError) -> None:
        self._accumulator = accumulator
        self._documents = DocumentStream(accumulator, "all", on_error=on_error) if extract else None
        self._error: ParserError | None = None

    @property
    def error(self) -> ParserError | None:
        """The error in the JSON, or in the text around it."""
        return self._error or self._accumulator.error

    def add(self, text: str | bytes) -> Iterator[Any]:
        """Yield what the accumulator returns for a piece of the text, at once for each of its documents."""
        if self._documents is None:
            yield self._accumulator.add_fragment(text)
        else:
            yield from self._read(self._documents.add_fragment(text))

    def finish(self) -> Iterator[Any]:
        """Yield what the accumulator returns for the end of the text."""
        if self._documents is None:
            yield self._accumulator.finish()
        else:
            yield from self._read(self._documents.finish())

    def _read(self, parts: Iterable[Part]) -> Iterator[Any]:
        for kind, data in parts:
            if kind == READ:
                yield data
            elif kind == "error":
                self._error = data


def report_repairs(repairs: Sequence[Repair], count: int) -> None:
    """Write to the standard error that a text was repaired, if it was."""
    if repairs:
        first = repairs[0]
        more = f", and {count - 1} more" if count > 1 else ""
        complain(f"repaired at {first.path}: {first.message}{more}")


def with_extracted_arguments(call: ToolCall, dialect: Dialect) -> ToolCall:
    """Return a call with the document in the text of its arguments, if the text itself is not one."""
    if call.error is None or call.error.code in _FINAL:
        return call
    accumulator = JsonValueAccumulator(on_error="event", dialect=dialect)
    reader = JsonReader(accumulator, True, "event")
    for _ in (*reader.add(call.raw_args), *reader.finish()):
        if accumulator.is_complete:
            break
    if not accumulator.is_complete or reader.error is not None:
        return call
    return ToolCall(
        call.id,
        call.index,
        call.name,
        accumulator.value,
        call.raw_args,
        is_complete=True,
        finish_reason=call.finish_reason,
        repairs=accumulator.repairs,
    )

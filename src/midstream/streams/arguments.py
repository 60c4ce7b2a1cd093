"""Iterator over the argument text of one tool call of a provider's stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.arguments import FirstCall
from ..calls.messages import ProviderError
from .provider import ProviderStream, reported_error, source_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from .._options import Dialect
    from ..calls.messages import Message
    from ..providers import Format

__all__ = ["ArgumentStream", "argument_deltas"]


class ArgumentStream:
    """The state of `argument_deltas` and of its asynchronous twin."""

    def __init__(self, tool: str | None, format: str | None, dialect: Dialect = "strict") -> None:
        self._stream = ProviderStream(format, dialect=dialect)
        self._call = FirstCall(tool, dialect)

    @property
    def is_over(self) -> bool:
        """Whether the call has ended."""
        return self._call.is_over

    def raise_held(self) -> None:
        """Raise the error that ended the last piece of text, after the argument text before it."""
        self._stream.raise_held()

    def add_event(self, event: Any) -> list[str]:
        """Return the argument text of an event."""
        return self._texts(self._stream.add_event(event))

    def finish(self) -> list[str]:
        """Return the argument text held back until the end of the stream."""
        return [*self._texts(self._stream.finish()), *self._call.finish()]

    def _texts(self, messages: list[Message]) -> list[str]:
        texts: list[str] = []
        for message in messages:
            if type(message) is ProviderError:
                raise reported_error(message)
            texts += self._call.add_message(message)
        return texts


def argument_deltas(
    stream: Iterable[Any],
    tool: str | None = None,
    format: Format | None = None,
    *,
    dialect: Dialect = "strict",
    close: bool = True,
) -> Generator[str, None, None]:
    """Iterate over the argument text of a tool call, as input for `select`, `values` or `updates`.

    It is the first call to ``tool``, or the first call of all if ``tool`` is None. Iteration ends when the
    call does, and then closes the stream, unless ``close`` is false; so does leaving the iterator early. A
    call without arguments has the text ``{}``; if the tool is not called, there is no text. The text is as
    the model wrote it: with ``dialect="lenient"``, pass the same option to what reads it.

    >>> def delta(**function):
    ...     call = {"index": 0, "function": function}
    ...     return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    >>> events = [delta(name="weather", arguments='{"city": "Par'), delta(arguments='is"}')]
    >>> list(argument_deltas(events, "weather"))
    ['{"city": "Par', 'is"}']
    """
    arguments = ArgumentStream(tool, format, dialect)
    with source_of(stream, close) as source:
        for event in source:
            texts = arguments.add_event(event)
            if arguments.is_over:
                source.stop()
                break
            yield from texts
            arguments.raise_held()
        else:
            texts = arguments.finish()
    yield from texts

"""An output parser for LangChain that yields the value of a JSON text while it arrives.

It needs langchain-core (``pip install 'midstream[langchain]'``).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, Self

from langchain_core.exceptions import OutputParserException
from langchain_core.output_parsers import BaseTransformOutputParser

from ..accumulators.values import JsonValueAccumulator
from ..errors import JsonStreamError
from ..extract.documents import extraction
from ..streams.text import ValueStream, values

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import RunnableConfig

__all__ = ["MidstreamJsonParser"]


class MidstreamJsonParser(BaseTransformOutputParser[Any]):  # type: ignore[misc]
    r"""Parse JSON, and while it streams yield a snapshot whenever the value changed.

    In a chain it replaces LangChain's ``JsonOutputParser``: ``model | MidstreamJsonParser()``.
    Each piece costs the same however long the text is, numbers and literals appear when they are complete,
    and invalid or truncated text is an ``OutputParserException``. Leaving the chain's stream early closes
    what the parser reads. With ``extract=True`` it finds the JSON in a Markdown block or in prose, and with
    ``dialect="lenient"`` it repairs JSON as models write it.

    >>> parser = MidstreamJsonParser()
    >>> list(parser.transform(['{"city": "Par', 'is", "days": 1', "2}"]))
    [{'city': 'Par'}, {'city': 'Paris'}, {'city': 'Paris', 'days': 12}]
    >>> MidstreamJsonParser(extract=True).parse('Here it is:\n```json\n{"city": "Paris"}\n```')
    {'city': 'Paris'}
    """

    extract: bool = False
    dialect: Literal["strict", "lenient"] = "strict"

    @property
    def _type(self) -> str:
        return "midstream_json"

    def parse(self, text: str) -> Any:
        """Parse a complete text."""
        try:
            *_, value = values([text], extract=self.extract, dialect=self.dialect)
        except JsonStreamError as error:
            raise _failed(error, text) from error
        return value

    def get_format_instructions(self) -> str:
        """Return what a prompt should say about the format."""
        return "Return JSON." if self.extract else "Return JSON, and no other text."

    def transform(
        self, input: Iterator[str | BaseMessage], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Any]:
        """Yield a snapshot of the value whenever a piece of the input changed it."""
        pieces = _Pieces(input)
        found = super().transform(pieces, config, **kwargs)
        try:
            for value in found:  # noqa: UP028  # `yield from` would close it first
                yield value
        finally:
            # close the input first: LangChain would read the rest of it, for its trace, when a stream is left
            # early
            pieces.close()
            found.close()

    async def atransform(
        self, input: AsyncIterator[str | BaseMessage], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """Yield a snapshot of the value whenever a piece of the input changed it."""
        pieces = _AsyncPieces(input)
        found = super().atransform(pieces, config, **kwargs)
        try:
            async for value in found:
                yield value
        finally:
            # an event loop that shuts down closes all generators itself
            with suppress(RuntimeError):
                await pieces.aclose()
            with suppress(RuntimeError):
                await found.aclose()

    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[Any]:
        texts = (text for piece in input if (text := _text_of(piece)))
        try:
            yield from values(texts, extract=self.extract, dialect=self.dialect)
        except JsonStreamError as error:
            raise _failed(error) from error

    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[Any]:
        accumulator = JsonValueAccumulator(dialect=self.dialect)
        documents = extraction(accumulator, self.extract, "first", "auto", "raise", "error")
        stream = ValueStream(accumulator, documents)
        try:
            async for piece in input:
                for value in stream.add_fragment(_text_of(piece)):
                    yield value
                if stream.is_done:
                    return
            for value in stream.finish():
                yield value
        except JsonStreamError as error:
            raise _failed(error) from error


class _Pieces:
    """An input that ends when it is closed, and closes what it reads."""

    def __init__(self, pieces: Any) -> None:
        self._pieces = iter(pieces)
        self._is_closed = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if self._is_closed:
            raise StopIteration
        return next(self._pieces)

    def close(self) -> None:
        """End the input."""
        self._is_closed = True
        if callable(close := getattr(self._pieces, "close", None)):
            close()


class _AsyncPieces:
    """The same for an asynchronous input."""

    def __init__(self, pieces: Any) -> None:
        self._pieces = aiter(pieces)
        self._is_closed = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        if self._is_closed:
            raise StopAsyncIteration
        return await anext(self._pieces)

    async def aclose(self) -> None:
        """End the input."""
        self._is_closed = True
        if callable(close := getattr(self._pieces, "aclose", None)):
            await close()


def _text_of(piece: str | BaseMessage) -> str:
    """Return the text of a message, which may have other parts."""
    content = piece if isinstance(piece, str) else piece.content
    if isinstance(content, str):
        return content
    return "".join(
        part if isinstance(part, str) else str(part.get("text", ""))
        for part in content
        if isinstance(part, str) or part.get("type") == "text"
    )


def _failed(error: JsonStreamError, text: str | None = None) -> OutputParserException:
    return OutputParserException(f"{error} at {error.path}" if error.path else str(error), llm_output=text)

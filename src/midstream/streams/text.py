"""Iterators over the fragments of a text: its updates and values; and the value of a text that is cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._closing import Source
from .._undefined import UNDEFINED
from ..accumulators.base import DEFAULT_LIMITS
from ..accumulators.fragments import JsonFragmentAccumulator
from ..accumulators.update import update_of_error
from ..accumulators.values import JsonValueAccumulator
from ..errors import JsonStreamError
from ..extract.documents import BEGIN, ERROR, READ, extraction

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from .._options import AfterRoot, Dialect, OnError, Pick, Thinking
    from ..accumulators.update import JsonFragmentUpdate
    from ..extract.documents import DocumentStream, Part
    from ..limits import Limits

__all__ = ["ExtractedUpdates", "ValueStream", "parse_partial", "updates", "values"]


class ExtractedUpdates:
    """The state of `updates` in a model's answer, and of its asynchronous twin."""

    def __init__(self, documents: DocumentStream, root: str) -> None:
        self._documents = documents
        self._root = root

    @property
    def is_done(self) -> bool:
        """Whether the document that is searched for is complete."""
        return self._documents.is_done

    def add_fragment(self, fragment: str | bytes) -> Iterator[JsonFragmentUpdate]:
        """Yield the updates of a fragment."""
        return self._run(self._documents.add_fragment(fragment))

    def finish(self) -> Iterator[JsonFragmentUpdate]:
        """Yield the updates of the end."""
        return self._run(self._documents.finish())

    def _run(self, parts: Iterable[Part]) -> Iterator[JsonFragmentUpdate]:
        try:
            for kind, data in parts:
                if kind == READ:
                    yield from data
                elif kind == ERROR:
                    yield update_of_error(self._root, data)
        except JsonStreamError as error:
            yield from error.updates
            raise


def updates(
    fragments: Iterable[str | bytes] | str | bytes,
    *,
    root: str = "root",
    on_error: OnError = "raise",
    after_root: AfterRoot = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    extract: bool = False,
    pick: Pick = "first",
    thinking: Thinking = "auto",
    close: bool = True,
) -> Generator[JsonFragmentUpdate, None, None]:
    """Iterate over the updates of a text that arrives in fragments.

    The options are those of `JsonFragmentAccumulator`, and ``extract``, ``pick`` and ``thinking`` as for
    `values`: the updates of the documents in a model's answer. Updates that precede an error are yielded
    before the error is raised. Leaving the iterator early closes the source, unless the source is a file or
    ``close`` is false.

    >>> [update.kind.value for update in updates(["[1,", " 2]"])]
    ['StartArray', 'CompleteNumber', 'CompleteNumber', 'EndArray', 'JsonComplete']
    """
    accumulator = JsonFragmentAccumulator(
        root=root,
        on_error=on_error,
        after_root=after_root,
        limits=limits,
        parse_int=parse_int,
        parse_float=parse_float,
        dialect=dialect,
    )
    if isinstance(fragments, (str, bytes)):
        fragments = [fragments]
    documents = extraction(accumulator, extract, pick, thinking, on_error, after_root)
    if documents is not None:
        stream = ExtractedUpdates(documents, root)
        with Source(fragments, close) as source:
            for fragment in source:
                yield from stream.add_fragment(fragment)
                if stream.is_done:
                    source.stop()
                    return
        yield from stream.finish()
        return
    # reading the source is not in a try block: its exceptions are not errors of this text
    with Source(fragments, close) as source:
        for fragment in source:
            try:
                found = accumulator.add_fragment(fragment)
            except JsonStreamError as error:
                yield from error.updates
                raise
            yield from found
    try:
        found = accumulator.finish()
    except JsonStreamError as error:
        yield from error.updates
        raise
    yield from found


class ValueStream:
    """The state of `values` and of its asynchronous twin."""

    def __init__(self, accumulator: JsonValueAccumulator, documents: DocumentStream | None = None) -> None:
        self.accumulator = accumulator
        self._documents = documents

    @property
    def is_done(self) -> bool:
        """Whether the document that is searched for is complete."""
        return self._documents is not None and self._documents.is_done

    def add_fragment(self, fragment: str | bytes) -> Iterator[Any]:
        """Yield the value after a fragment, and every document that the fragment completed."""
        if self._documents is not None:
            return self._run_documents(self._documents.add_fragment(fragment))
        return self._run(lambda: self.accumulator.add_fragment(fragment))

    def finish(self) -> Iterator[Any]:
        """Yield the value after the end."""
        if self._documents is not None:
            return self._run_documents(self._documents.finish())
        return self._run(self.accumulator.finish)

    def _run(self, step: Callable[[], bool]) -> Iterator[Any]:
        try:
            step()
        except JsonStreamError:
            yield from self.accumulator._changed_values()
            raise
        yield from self.accumulator._changed_values()

    def _run_documents(self, parts: Iterable[Part]) -> Iterator[Any]:
        documents = self._documents
        assert documents is not None
        try:
            for kind, _ in parts:
                if kind == READ:
                    yield from self.accumulator._changed_values()
        except JsonStreamError:
            if documents.is_open:
                yield from self.accumulator._changed_values()
            raise


def values(
    fragments: Iterable[str | bytes] | str | bytes,
    *,
    on_error: OnError = "raise",
    after_root: AfterRoot = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    extract: bool = False,
    pick: Pick = "first",
    thinking: Thinking = "auto",
    close: bool = True,
) -> Generator[Any, None, None]:
    """Iterate over the snapshots of a value that arrives in fragments, whenever it changed.

    The options are those of `JsonValueAccumulator`. With ``extract=True`` the documents in a model's answer
    are read, and the text around them is skipped; ``pick`` and ``thinking`` are as for `JsonExtractor`, and
    with ``pick="first"`` the iterator ends with the first document. Values that precede an error are yielded
    before the error is raised. Leaving the iterator early closes the source, unless the source is a file or
    ``close`` is false.

    >>> list(values(['{"city": "Par', 'is", "days": 1', "2}"]))
    [{'city': 'Par'}, {'city': 'Paris'}, {'city': 'Paris', 'days': 12}]
    """
    accumulator = JsonValueAccumulator(
        on_error=on_error,
        after_root=after_root,
        limits=limits,
        parse_int=parse_int,
        parse_float=parse_float,
        dialect=dialect,
    )
    documents = extraction(accumulator, extract, pick, thinking, on_error, after_root)
    stream = ValueStream(accumulator, documents)
    with Source([fragments] if isinstance(fragments, (str, bytes)) else fragments, close) as source:
        for fragment in source:
            yield from stream.add_fragment(fragment)
            if stream.is_done:
                source.stop()
                return
    yield from stream.finish()


def parse_partial(
    text: str | bytes,
    *,
    on_error: OnError = "raise",
    after_root: AfterRoot = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    extract: bool = False,
    pick: Pick = "first",
    thinking: Thinking = "auto",
) -> Any:
    """Return the value of a text that may be cut off anywhere, as far as the text determines it.

    An open string is included as far as it has arrived, as with jiter's ``partial_mode="trailing-strings"``.
    Unlike there, a number is included only when the text after it shows that it is complete: in ``[1, 2``
    the second number may still become 25, so only the first is included, and ``12`` alone is not included (to
    declare that a text is complete, use `JsonValueAccumulator` and its ``finish``). A literal is
    included when its last letter has arrived. Without any value the result is `UNDEFINED`. Invalid text
    raises `JsonStreamError`. The options are those of `JsonValueAccumulator`, and ``extract``, ``pick`` and
    ``thinking`` as for `values`: of several documents the picked one is returned, with ``pick="all"`` a list.

    >>> parse_partial('Here it is: {"city": "Zür', extract=True)
    {'city': 'Zür'}
    >>> parse_partial('{"city": "Zür')
    {'city': 'Zür'}
    >>> parse_partial("[1, 2"), parse_partial("[1, 2]"), parse_partial(" ")
    ([1], [1, 2], UNDEFINED)
    """
    accumulator = JsonValueAccumulator(
        on_error=on_error,
        after_root=after_root,
        limits=limits,
        parse_int=parse_int,
        parse_float=parse_float,
        dialect=dialect,
    )
    documents = extraction(accumulator, extract, pick, thinking, on_error, after_root)
    if documents is None:
        accumulator.add_fragment(text)
        return accumulator.value
    found: list[Any] = []
    for kind, _ in documents.add_fragment(text):
        if kind == BEGIN:
            found.append(UNDEFINED)
        elif kind == READ:
            found[-1] = accumulator.value
    if pick == "all":
        return found
    return found[-1] if found else UNDEFINED

"""The values at selected paths, as iterators over the fragments of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .._closing import Source
from ..accumulators.base import DEFAULT_LIMITS
from ..accumulators.select import JsonSelectAccumulator
from ..errors import ErrorCode, JsonStreamError, NoMatch, ParserError
from ..extract.documents import READ, extraction

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from .._options import AfterRoot, Dialect, OnInvalid, Pick, Thinking
    from ..accumulators.match import Match
    from ..accumulators.select import Path, Paths
    from ..extract.documents import DocumentStream, Part
    from ..limits import Limits

__all__ = ["SelectStream", "checked_pick", "first", "found_or_raise", "select", "select_stream"]

T = TypeVar("T")


class SelectStream:
    """Process fragments for `select` and its asynchronous twin: the matches so far, then an error."""

    def __init__(self, accumulator: JsonSelectAccumulator, to_end: bool) -> None:
        self._accumulator = accumulator
        self._to_end = to_end
        self._add_fragment = accumulator.add_fragment
        self._finish = accumulator.finish
        self._last: list[Match[Any]] = []
        self._failure: JsonStreamError | None = None
        self.is_over = False

    def add_fragment(self, fragment: str | bytes) -> list[Match[Any]]:
        """Return the matches of a fragment; those of the last one are left to `finish`."""
        try:
            matches = self._add_fragment(fragment)
        except JsonStreamError as error:
            self._failure = error
            self.is_over = True
            return []
        if self._to_end or not self._accumulator.is_done:
            return matches
        self._last = matches
        self.is_over = True
        return []

    def finish(self) -> Iterator[Match[Any]]:
        """Yield the last matches; after an error those before it, then raise it."""
        try:
            if self._failure is not None:
                raise self._failure
            if not self.is_over:
                self._last = self._finish()
        except JsonStreamError as error:
            yield from error.matches
            raise
        yield from self._last


class ExtractedSelectStream(SelectStream):
    """The same for the documents in a model's answer."""

    def __init__(self, accumulator: JsonSelectAccumulator, to_end: bool, documents: DocumentStream) -> None:
        super().__init__(accumulator, to_end)
        self._documents = documents
        self._add_fragment = lambda fragment: self._read(documents.add_fragment(fragment))
        self._finish = lambda: self._read(documents.finish())

    def add_fragment(self, fragment: str | bytes) -> list[Match[Any]]:
        """Return the matches of a fragment; those of the last one are left to `finish`."""
        matches = super().add_fragment(fragment)
        if self.is_over or not self._documents.is_done:
            return matches
        self._last = matches
        self.is_over = True
        return []

    def _read(self, parts: Iterable[Part]) -> list[Match[Any]]:
        """Return the matches in the documents of a text."""
        matches: list[Match[Any]] = []
        try:
            for kind, data in parts:
                if kind == READ:
                    matches += data
                    if self._accumulator.is_done and not self._to_end:
                        break
        except JsonStreamError as error:
            error.matches = [*matches, *error.matches]
            raise
        return matches


def select_stream(
    paths: Paths,
    type: Any,
    *,
    to_end: bool,
    after_root: AfterRoot,
    extract: bool,
    pick: Pick,
    thinking: Thinking,
    **options: Any,
) -> SelectStream:
    """Return the state of a selection with the options of `select`."""
    # in the documents after the first one, every pattern may match again
    many: AfterRoot = "next" if extract and pick != "first" else after_root
    accumulator = JsonSelectAccumulator(paths, type, to_end=to_end, after_root=many, **options)
    documents = extraction(accumulator, extract, pick, thinking, "raise", after_root)
    if documents is None:
        return SelectStream(accumulator, to_end)
    return ExtractedSelectStream(accumulator, to_end, documents)


@overload
def select(
    fragments: Iterable[str | bytes] | str | bytes,
    paths: Path | list[Any],
    type: type[T],
    *,
    partial: bool = ...,
    limit: int | None = ...,
    to_end: bool = ...,
    on_invalid: OnInvalid = ...,
    close: bool = ...,
    after_root: AfterRoot = ...,
    limits: Limits = ...,
    parse_int: Callable[[str], Any] = ...,
    parse_float: Callable[[str], Any] = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    pick: Pick = ...,
    thinking: Thinking = ...,
) -> Generator[Match[T], None, None]: ...
@overload
def select(
    fragments: Iterable[str | bytes] | str | bytes,
    paths: Paths,
    type: Any = ...,
    *,
    partial: bool = ...,
    limit: int | None = ...,
    to_end: bool = ...,
    on_invalid: OnInvalid = ...,
    close: bool = ...,
    after_root: AfterRoot = ...,
    limits: Limits = ...,
    parse_int: Callable[[str], Any] = ...,
    parse_float: Callable[[str], Any] = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    pick: Pick = ...,
    thinking: Thinking = ...,
) -> Generator[Match[Any], None, None]: ...
def select(
    fragments: Iterable[str | bytes] | str | bytes,
    paths: Paths,
    type: Any = None,
    *,
    partial: bool = False,
    limit: int | None = None,
    to_end: bool = False,
    on_invalid: OnInvalid = "raise",
    close: bool = True,
    after_root: AfterRoot = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    extract: bool = False,
    pick: Pick = "first",
    thinking: Thinking = "auto",
) -> Generator[Match[Any], None, None]:
    """Iterate over the values at selected paths, each as soon as it is complete.

    ``paths`` is a path such as ``"items[*].title"``, or a tuple such as ``("items", ANY, "title")``; a list
    of paths; or a dict of a type for each path. Iteration ends as soon as nothing more can match, or after
    ``limit`` matches, and then closes the source (unless that is a file or ``close`` is false), so that a
    provider's request ends. The text after that is not read; ``to_end=True`` reads it, and so reports its
    errors.

    ``partial=True`` also yields the growing value of each open match, as `values` would yield it, with
    ``is_final`` false. With a ``type``, pydantic or msgspec validates and converts each final match; a value
    that does not fit raises `TypedStreamError`, or with ``on_invalid="match"`` is a match with ``errors`` and
    the value `UNDEFINED`. With ``after_root="next"`` every document of the text is searched. With
    ``extract=True`` the text may have prose, code fences and reasoning around its first document, and
    ``pick`` and ``thinking`` are as for `values`.

    >>> model = ['{"items": [{"title": "mid', 'stream"}, {"title": "js', 'on"}], "more": ', "null}"]
    >>> for match in select(model, "items[*].title"):
    ...     print(match.segments, match.value)
    ('items', 0, 'title') midstream
    ('items', 1, 'title') json
    """
    stream = select_stream(
        paths,
        type,
        partial=partial,
        limit=limit,
        to_end=to_end,
        on_invalid=on_invalid,
        after_root=after_root,
        limits=limits,
        parse_int=parse_int,
        parse_float=parse_float,
        dialect=dialect,
        extract=extract,
        pick=pick,
        thinking=thinking,
    )
    source = Source([fragments] if isinstance(fragments, (str, bytes)) else fragments, close)
    return _selected(stream, source)


def _selected(stream: SelectStream, source: Source) -> Generator[Match[Any], None, None]:
    # when the search ends early, the source is closed before the last matches are yielded
    with source:
        for fragment in source:
            matches = stream.add_fragment(fragment)
            if stream.is_over:
                source.stop()
                break
            if matches:
                yield from matches
    yield from stream.finish()


@overload
def first(
    fragments: Iterable[str | bytes] | str | bytes,
    path: Path | list[Any],
    type: type[T],
    *,
    to_end: bool = ...,
    close: bool = ...,
    after_root: AfterRoot = ...,
    limits: Limits = ...,
    parse_int: Callable[[str], Any] = ...,
    parse_float: Callable[[str], Any] = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    pick: Literal["first", "all"] = ...,
    thinking: Thinking = ...,
) -> T: ...
@overload
def first(
    fragments: Iterable[str | bytes] | str | bytes,
    path: Paths,
    type: Any = ...,
    *,
    default: Any = ...,
    to_end: bool = ...,
    close: bool = ...,
    after_root: AfterRoot = ...,
    limits: Limits = ...,
    parse_int: Callable[[str], Any] = ...,
    parse_float: Callable[[str], Any] = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    pick: Literal["first", "all"] = ...,
    thinking: Thinking = ...,
) -> Any: ...
def first(
    fragments: Iterable[str | bytes] | str | bytes,
    path: Paths,
    type: Any = None,
    *,
    default: Any = NoMatch,
    to_end: bool = False,
    close: bool = True,
    after_root: AfterRoot = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    extract: bool = False,
    pick: Literal["first", "all"] = "first",
    thinking: Thinking = "auto",
) -> Any:
    """Return the first value at a path, as soon as it is complete, and close the source.

    A complete document without a match raises `NoMatch` (also a `LookupError`), or returns ``default`` if
    that is passed. The other options are those of `select`; with ``extract=True``, ``pick="all"`` searches
    every document of the text.

    >>> first(['{"city": "Par', 'is", "days', '": 12}'], "city")
    'Paris'
    >>> first('{"city": "Paris"}', "days", default=7)
    7
    >>> first("Sure: {'city': 'Paris'}", "city", extract=True, dialect="lenient")
    'Paris'
    """
    matches = select(
        fragments,
        path,
        type,
        limit=1,
        to_end=to_end,
        close=close,
        after_root=after_root,
        limits=limits,
        parse_int=parse_int,
        parse_float=parse_float,
        dialect=dialect,
        extract=extract,
        pick=checked_pick(pick),
        thinking=thinking,
    )
    found = default
    for match in matches:
        found = match.value
    return found_or_raise(found, path)


def found_or_raise(found: Any, path: Paths) -> Any:
    """Return what was found; raise NoMatch if nothing was, and the caller passed no default."""
    if found is NoMatch:
        raise NoMatch(ParserError.of(ErrorCode.NO_MATCH, 0, f"{path}"))
    return found


def checked_pick(pick: Literal["first", "all"]) -> Pick:
    """Return an option of `first`; the first match is not known to be in the last document."""
    if pick not in ("first", "all"):
        raise ValueError(f"pick must be one of 'first', 'all', not {pick!r}")
    return pick

"""`typed_values`: fragments in, snapshots of the typed value out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .._closing import Source
from ..accumulators.base import DEFAULT_LIMITS
from ..errors import JsonStreamError
from ..extract.documents import READ, DocumentStream
from .accumulator import JsonTypedAccumulator

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from .._options import Dialect, Thinking
    from ..accumulators.update import JsonFragmentUpdate
    from ..extract.documents import Part
    from ..limits import Limits
    from .snapshot import TypedSnapshot

__all__ = ["SnapshotStream", "typed_values"]

T = TypeVar("T")


class SnapshotStream:
    """Process fragments for `typed_values` and its asynchronous twin: snapshots, and last an error."""

    def __init__(
        self, accumulator: JsonTypedAccumulator[Any], extract: bool = False, thinking: Thinking = "auto"
    ) -> None:
        self._accumulator = accumulator
        self._step = accumulator._step
        # what ended the stream
        self.error: JsonStreamError | None = None
        self._documents: DocumentStream | None = None
        if extract:
            self._documents = DocumentStream(accumulator._updates, thinking=thinking)
            accumulator._read = self._add_fragment
            accumulator._end = self._finish
        elif thinking != "auto":
            raise ValueError("thinking has no meaning without extract=True")

    @property
    def is_over(self) -> bool:
        """Whether an error ended the stream, or the document that is searched for is complete."""
        return self.error is not None or (self._documents is not None and self._documents.is_done)

    def step(self, fragment: str | bytes | None) -> TypedSnapshot[Any] | None:
        """Read a fragment, or end the text (None); return the snapshot if the fragment contained updates."""
        accumulator = self._accumulator
        try:
            events = self._step(fragment)
        except JsonStreamError as error:
            self.error = error
            return accumulator._last(error)
        return accumulator._snapshot(events) if accumulator._has_news else None

    def _add_fragment(self, fragment: str | bytes) -> list[JsonFragmentUpdate]:
        """Return the updates of the document in a fragment."""
        assert self._documents is not None
        return _updates_in(self._documents.add_fragment(fragment))

    def _finish(self) -> list[JsonFragmentUpdate]:
        """Return the updates of the document at the end of the text."""
        assert self._documents is not None
        return _updates_in(self._documents.finish())


def _updates_in(parts: Iterable[Part]) -> list[JsonFragmentUpdate]:
    updates: list[JsonFragmentUpdate] = []
    try:
        for kind, data in parts:
            if kind == READ:
                updates += data
    except JsonStreamError as error:
        error.updates = [*updates, *error.updates]
        raise
    return updates


@overload
def typed_values(
    fragments: Iterable[str | bytes] | str | bytes,
    type: type[T],
    *,
    on_invalid: Literal["collect", "raise"] = ...,
    context: Any = ...,
    hold: Iterable[str | tuple[Any, ...]] = ...,
    close: bool = ...,
    limits: Limits = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    thinking: Thinking = ...,
    library: Literal["pydantic", "msgspec"] | None = ...,
) -> Generator[TypedSnapshot[T], None, None]: ...


@overload
def typed_values(
    fragments: Iterable[str | bytes] | str | bytes,
    type: Any,
    *,
    on_invalid: Literal["collect", "raise"] = ...,
    context: Any = ...,
    hold: Iterable[str | tuple[Any, ...]] = ...,
    close: bool = ...,
    limits: Limits = ...,
    dialect: Dialect = ...,
    extract: bool = ...,
    thinking: Thinking = ...,
    library: Literal["pydantic", "msgspec"] | None = ...,
) -> Generator[TypedSnapshot[Any], None, None]: ...


def typed_values(
    fragments: Iterable[str | bytes] | str | bytes,
    type: Any,
    *,
    on_invalid: Literal["collect", "raise"] = "collect",
    context: Any = None,
    hold: Iterable[str | tuple[Any, ...]] = (),
    close: bool = True,
    limits: Limits = DEFAULT_LIMITS,
    dialect: Dialect = "strict",
    extract: bool = False,
    thinking: Thinking = "auto",
    library: Literal["pydantic", "msgspec"] | None = None,
) -> Generator[TypedSnapshot[Any], None, None]:
    """Iterate over the snapshots of a typed value that arrives in fragments.

    The options are those of `JsonTypedAccumulator`. There is a snapshot for each fragment that contains
    updates. What precedes an error in its fragment is yielded before the error is raised. Leaving the
    iterator early closes the source, unless ``close`` is false. With ``extract=True`` the text may have
    prose, code fences and reasoning around its first document, with which iteration ends; ``thinking`` is as
    for `values`.

    >>> from pydantic import BaseModel
    >>> class Trip(BaseModel):
    ...     city: str
    ...     days: int
    >>> for snapshot in typed_values(['{"city": "Par', 'is", "days": 3', '}'], Trip):
    ...     print(snapshot.partial, snapshot.is_complete)
    <partial Trip city='Par'> False
    <partial Trip city='Paris'> False
    city='Paris' days=3 True
    """
    accumulator: JsonTypedAccumulator[Any] = JsonTypedAccumulator(
        type,
        on_invalid=on_invalid,
        context=context,
        hold=hold,
        limits=limits,
        dialect=dialect,
        library=library,
    )
    source = Source([fragments] if isinstance(fragments, (str, bytes)) else fragments, close)
    return _snapshots(SnapshotStream(accumulator, extract, thinking), source)


def _snapshots(stream: SnapshotStream, source: Source) -> Generator[TypedSnapshot[Any], None, None]:
    with source:
        for fragment in source:
            snapshot = stream.step(fragment)
            if stream.is_over:
                source.stop()
                break
            if snapshot is not None:
                yield snapshot
        else:
            snapshot = stream.step(None)
    # after an error, the source is closed before the last snapshot is yielded
    if snapshot is not None:
        yield snapshot
    if stream.error is not None:
        raise stream.error

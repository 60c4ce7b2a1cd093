"""`typed_values`: fragments in, snapshots of the typed value out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from .._closing import Source
from ..accumulators.base import DEFAULT_LIMITS
from ..errors import JsonStreamError
from .accumulator import JsonTypedAccumulator

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from ..limits import Limits
    from .snapshot import TypedSnapshot

__all__ = ["typed_values"]

T = TypeVar("T")


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
    dialect: str = ...,
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
    dialect: str = ...,
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
    dialect: str = "strict",
    library: Literal["pydantic", "msgspec"] | None = None,
) -> Generator[TypedSnapshot[Any], None, None]:
    """Iterate over the snapshots of a typed value that arrives in fragments.

    The options are those of `JsonTypedAccumulator`. There is a snapshot for each fragment that contains
    updates. What precedes an error in its fragment is yielded before the error is raised. Leaving the
    iterator early closes the source, unless ``close`` is false.

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
    if isinstance(fragments, (str, bytes)):
        fragments = [fragments]
    return _snapshots(accumulator, fragments, close)


def _snapshots(
    accumulator: JsonTypedAccumulator[Any], fragments: Iterable[str | bytes], close: bool
) -> Generator[TypedSnapshot[Any], None, None]:
    add_fragment, snapshot = accumulator.add_fragment, accumulator._snapshot
    with Source(fragments, close) as source:
        # reading the source is not in a try block: its exceptions are not errors of this text
        for fragment in source:
            try:
                events = add_fragment(fragment)
            except JsonStreamError as error:
                if last := accumulator._last(error):
                    yield last
                raise
            if accumulator._has_news:
                yield snapshot(events)
    try:
        events = accumulator.finish()
    except JsonStreamError as error:
        if last := accumulator._last(error):
            yield last
        raise
    if accumulator._has_news:
        yield snapshot(events)

"""Text fragments in, validated values out, each as soon as the text determines it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from .._repr import describe
from ..accumulators.base import DEFAULT_LIMITS
from ..accumulators.fragments import JsonFragmentAccumulator
from ..errors import JsonStreamError, TypedStreamError
from ..patterns import parse_pattern
from .plans import plan_of
from .snapshot import TypedSnapshot
from .visitor import TypedVisitor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._options import Dialect
    from ..accumulators.update import JsonFragmentUpdate
    from ..errors import Repair, TypedError
    from ..limits import Limits
    from ..paths import Segments
    from .events import TypedEvent
    from .nodes import State

__all__ = ["JsonTypedAccumulator"]

T = TypeVar("T")


class JsonTypedAccumulator(Generic[T]):
    """Convert text fragments to a validated value of a type, and report each part when it is complete.

    The type is any type that pydantic or msgspec validates: a model, a ``Struct``, a dataclass, a
    ``TypedDict``, or a generic such as ``list[Item]``. Options, with their defaults:

    - ``on_invalid="collect"``: an invalid value is reported at once, and reading continues. ``"raise"``: the
      call that finds it raises `TypedStreamError`.
    - ``context=None``: the context for pydantic's validators, as in ``TypeAdapter.validate_json``.
    - ``hold=()``: paths, such as ``"title"`` or ``"items[*].body"``, of values that are shown only when they
      are complete.
    - ``limits=Limits()`` and ``dialect="strict"``: as for `JsonFragmentAccumulator`.
    - ``library=None``: ``"pydantic"`` or ``"msgspec"``, for a type that belongs to neither, such as
      ``list[int]``.

    >>> from pydantic import BaseModel
    >>> class Trip(BaseModel):
    ...     city: str
    ...     days: int
    >>> accumulator = JsonTypedAccumulator(Trip)
    >>> accumulator.add_fragment('{"city": "Par')
    []
    >>> accumulator.partial
    <partial Trip city='Par'>
    >>> for event in accumulator.add_fragment('is", "days": 3}'): print(event)
    TypedEvent('complete', 'root.city', 'Paris')
    TypedEvent('complete', 'root.days', 3)
    TypedEvent('complete', 'root', Trip(city='Paris', days=3))
    >>> accumulator.finish()
    []
    >>> accumulator.result
    Trip(city='Paris', days=3)
    """

    @overload
    def __init__(
        self,
        type: type[T],
        *,
        on_invalid: Literal["collect", "raise"] = ...,
        context: Any = ...,
        hold: Iterable[str | tuple[Any, ...]] = ...,
        limits: Limits = ...,
        dialect: Dialect = ...,
        library: Literal["pydantic", "msgspec"] | None = ...,
    ) -> None: ...

    @overload
    def __init__(
        self: JsonTypedAccumulator[Any],
        type: Any,
        *,
        on_invalid: Literal["collect", "raise"] = ...,
        context: Any = ...,
        hold: Iterable[str | tuple[Any, ...]] = ...,
        limits: Limits = ...,
        dialect: Dialect = ...,
        library: Literal["pydantic", "msgspec"] | None = ...,
    ) -> None: ...

    def __init__(
        self,
        type: Any,
        *,
        on_invalid: Literal["collect", "raise"] = "collect",
        context: Any = None,
        hold: Iterable[str | tuple[Any, ...]] = (),
        limits: Limits = DEFAULT_LIMITS,
        dialect: Dialect = "strict",
        library: Literal["pydantic", "msgspec"] | None = None,
    ) -> None:
        if on_invalid not in ("collect", "raise"):
            raise ValueError(f"on_invalid is 'collect' or 'raise', not {on_invalid!r}")
        self._plan = plan_of(type, library)
        self._updates = JsonFragmentAccumulator(limits=limits, dialect=dialect)
        # replaced to read the document inside another text
        self._read = self._updates.add_fragment
        self._end = self._updates.finish
        self._context = context
        self._hold = _held(hold)
        self._raises = on_invalid == "raise"
        self._is_busy = False
        self._begin()

    def _begin(self) -> None:
        self._visitor = TypedVisitor(
            self._plan, self._context, self._hold, self._stop if self._raises else None
        )
        # the error that ended the stream; every later call raises it again
        self._failure: BaseException | None = None
        # whether the last fragment contained updates
        self._has_news = False

    def reset(self) -> None:
        """Return to the state before the first fragment, with the same options."""
        self._check_idle()
        self._updates.reset()
        self._begin()

    def add_fragment(self, fragment: str | bytes) -> list[TypedEvent]:
        """Read a fragment (bytes: UTF-8, cut anywhere) and report what it completed or showed to be invalid.

        Events that precede an error in the same fragment are in the error's ``events``.
        """
        return self._step(fragment)

    def finish(self) -> list[TypedEvent]:
        """End the text where the input ends; a truncated text is an error."""
        return self._step(None)

    def _step(self, fragment: str | bytes | None) -> list[TypedEvent]:
        """Read a fragment, or end the text."""
        self._check_idle()
        if self._failure is not None:
            raise self._failure
        visitor = self._visitor
        events: list[TypedEvent] = []
        visitor.events = events
        updates: list[JsonFragmentUpdate] | None = None
        self._is_busy = True
        try:
            updates = self._read(fragment) if fragment is not None else self._end()
            if updates:
                self._has_news = True
                visitor.add_updates(updates)
            else:
                self._has_news = False
            return events
        except Exception as error:
            # of the text, of the type, or of a validator that raised what is not its library's
            self._failure = error
            if updates is None and isinstance(error, JsonStreamError):
                self._add_last(error)
            raise
        finally:
            self._is_busy = False

    def _check_idle(self) -> None:
        if self._is_busy:
            raise RuntimeError(
                "the accumulator is busy with another call: "
                "use it in one thread at a time, and not from its own hooks"
            )

    def _add_last(self, error: JsonStreamError) -> None:
        """Process what precedes an error of the text in its fragment; what is invalid in it comes first."""
        error.events = self._visitor.events
        try:
            self._visitor.add_updates(error.updates)
        except Exception as found:
            self._failure = found
            raise

    def _stop(self) -> None:
        """Raise the first error."""
        error = TypedStreamError(self.errors, self._snapshot([])._native)
        error.events = self._visitor.events
        raise error

    def _native_of(self, snapshot: TypedSnapshot[T]) -> Any:
        """Return the library's own exception for everything that is invalid in a snapshot."""
        if snapshot.is_complete:
            return self._plan.native(snapshot.raw, self._context)
        return self._plan.native_of(snapshot.errors)

    def _snapshot(self, events: list[TypedEvent]) -> TypedSnapshot[T]:
        return TypedSnapshot(events, self._visitor, self)

    def _last(self, error: JsonStreamError) -> TypedSnapshot[T] | None:
        """Return the snapshot before an error, if its fragment contained anything before it."""
        has_news = any(event.kind == "complete" for event in error.events) or bool(error.updates)
        return self._snapshot(error.events) if has_news else None

    @property
    def snapshot(self) -> TypedSnapshot[T]:
        """The document as far as it has arrived; later fragments do not change the snapshot."""
        return self._snapshot([])

    @property
    def partial(self) -> Any:
        """The value as far as it has arrived, as a read-only view; `UNDEFINED` before there is one."""
        return self._snapshot([]).partial

    @property
    def raw(self) -> Any:
        """The JSON value so far, `UNDEFINED` before there is one."""
        return self._snapshot([]).raw

    @property
    def errors(self) -> list[TypedError]:
        """Everything that is invalid so far, without the errors of values that a duplicate key replaced."""
        return self._snapshot([]).errors

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What the lenient dialect repaired, in text order; at most ``max_repairs`` of the limits."""
        return self._visitor.repairs

    @property
    def result(self) -> T:
        """The validated value.

        Raises `TypedStreamError` if anything is invalid, and `JsonStreamError` with the code ``truncated``
        while the document is not complete.
        """
        return self._snapshot([]).result

    def __repr__(self) -> str:
        return describe(self)

    @property
    def is_complete(self) -> bool:
        """Whether the document is complete, valid or not."""
        return self._visitor.is_complete

    @property
    def open_path(self) -> Segments | None:
        """The path to the innermost value that is still open, None if nothing is."""
        return self._snapshot([]).open_path

    def state(self, path: str | Segments = ()) -> State:
        """Return the state of the value at a path: ``"absent"``, ``"open"``, ``"final"`` or ``"invalid"``.

        The path is a string, or a tuple of keys and indices as in the JSON text.

        >>> accumulator = JsonTypedAccumulator(dict[str, str])
        >>> _ = accumulator.add_fragment('{"city": "Paris", "text": "It was')
        >>> accumulator.state("city"), accumulator.state("text"), accumulator.state("end")
        ('final', 'open', 'absent')
        """
        return self._snapshot([]).state(path)


def _held(paths: Iterable[str | tuple[Any, ...]]) -> tuple[tuple[Any, ...], ...]:
    """Parse the paths of the values that are held back; the root is a member of the document."""
    return tuple(("root", *parse_pattern(path)) for path in ([paths] if isinstance(paths, str) else paths))

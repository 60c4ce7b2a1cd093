"""Typed tool calls: the calls of a provider's stream, each validated as the type of its tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..accumulators.base import DEFAULT_LIMITS
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..providers._formats import TEXT_FORMATS
from ..streams.provider import CallStream, source_of
from .accumulator import JsonTypedAccumulator
from .plans import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from .._options import Dialect, OnInvalidEvent
    from ..calls.call import CallState
    from ..calls.handler import ToolCall
    from ..errors import TypedError
    from ..limits import Limits
    from ..paths import Segments
    from ..providers import Format
    from ..tree.rope import Rope
    from .nodes import State
    from .snapshot import TypedSnapshot

__all__ = ["TypedCall", "TypedCallStream", "typed_calls"]


class TypedCall:
    """A tool call at one moment, with its arguments validated as the type of its tool.

    ``call`` is the `ToolCall`, ``type`` the type of its tool. If the tool has no type, ``type`` is None, and
    ``partial`` and ``result`` are the arguments as plain data.
    """

    __slots__ = ("_snapshot", "call", "type")

    call: ToolCall
    type: Any

    def __init__(self, call: ToolCall, type: Any, snapshot: TypedSnapshot[Any] | None) -> None:
        self.call = call
        self.type = type
        self._snapshot = snapshot

    @property
    def partial(self) -> Any:
        """The arguments as far as they had arrived, `UNDEFINED` if none had, or the tool is not yet known."""
        if self._snapshot is not None:
            return self._snapshot.partial
        return UNDEFINED if self.call.name is None else self.call.args

    @property
    def errors(self) -> list[TypedError]:
        """Everything in the arguments that is invalid so far."""
        return [] if self._snapshot is None else self._snapshot.errors

    @property
    def result(self) -> Any:
        """The validated arguments of a complete call.

        Raises `TypedStreamError` if they are invalid, and `JsonStreamError` if the call is not complete.
        """
        if self.call.error is not None:
            raise JsonStreamError(self.call.error)
        if not self.call.is_complete:
            error = ParserError.of(ErrorCode.TRUNCATED)
            raise JsonStreamError(error._replace(message="the call is not complete: read partial"))
        return self.call.args if self._snapshot is None else self._snapshot.result

    def state(self, path: str | Segments = ()) -> State:
        """Return the state of an argument: ``"absent"``, ``"open"``, ``"final"`` or ``"invalid"``."""
        return "absent" if self._snapshot is None else self._snapshot.state(path)

    def __repr__(self) -> str:
        return f"<TypedCall {self.call.name} {self.partial!r}>"


class _Arguments:
    """The arguments of a call, and the accumulator that validates them."""

    def __init__(self, new: Callable[[Dialect], JsonTypedAccumulator[Any]] | None, type: Any) -> None:
        self.type = type
        self._new = new
        self._dialect: Dialect = "strict"
        self._accumulator: JsonTypedAccumulator[Any] | None = None
        self._length = 0
        self._is_finished = False

    def view(self, state: CallState, call: ToolCall) -> TypedCall:
        """Add the text that is new since the last call of this method, and return the tool call."""
        if self._new is None:
            return TypedCall(call, None, None)
        accumulator = self._accumulator
        if accumulator is None or self._dialect != state.dialect:
            # a sender that repairs the arguments says so only with its first repair
            self._dialect = state.dialect
            accumulator = self._accumulator = self._new(state.dialect)
            self._length = 0
            self._is_finished = False
        if not self._is_finished:
            try:
                if state.length > self._length:
                    accumulator.add_fragment(_tail(state.rope, state.length - self._length))
                    self._length = state.length
                if call.is_complete:
                    self._is_finished = True
                    if self._length == 0 or accumulator.raw is UNDEFINED:
                        # only updates have arrived, or no arguments at all, which means an empty object
                        accumulator.add_fragment(json.dumps(call.args))
                    accumulator.finish()
            except JsonStreamError:
                # the call itself reports this error
                self._is_finished = True
        return TypedCall(call, self.type, accumulator.snapshot)


class TypedCallStream:
    """The state of `typed_calls` and of its asynchronous twin."""

    def __init__(
        self,
        types: Mapping[str, Any],
        format: str | None,
        limits: Limits,
        context: Any = None,
        on_error: OnInvalidEvent = "raise",
        bare: bool = False,
        unwrap: bool = False,
        tools: Mapping[str, Any] | None = None,
        dialect: Dialect = "strict",
    ) -> None:
        if not isinstance(types, Mapping):
            raise TypeError(f"types maps the names of tools to types: it is no {types.__class__.__name__}")
        self._types = dict(types)
        if tools is None and format in TEXT_FORMATS:
            # some models write arguments as text, without JSON's quotes and brackets around it
            tools = {name: plan_of(type).json_schema() for name, type in self._types.items()}
        self._limits = limits
        self._context = context
        self._stream = CallStream(format, limits, on_error, bare, unwrap, tools, dialect)
        # the state is kept alive, so that no other object gets its id
        self._arguments: dict[int, tuple[CallState, _Arguments]] = {}

    @property
    def error(self) -> JsonStreamError | None:
        """The error that the provider reported, after which the calls are final."""
        return self._stream.error

    def raise_held(self) -> None:
        """Raise the error that ended the last piece of text, after the calls before it."""
        self._stream.raise_held()

    def add_event(self, event: Any) -> list[TypedCall]:
        """Return the calls after an event."""
        calls = self._stream.add_event(event)
        return self._views(self._stream.states(), calls)

    def finish(self) -> list[TypedCall]:
        """Return the final calls."""
        self._stream.end()
        # the handler forgets the states
        states = self._stream.states()
        return self._views(states, self._stream.finish())

    def _views(self, states: Iterable[CallState], calls: list[ToolCall]) -> list[TypedCall]:
        return [self._of(state).view(state, call) for state, call in zip(states, calls, strict=True)]

    def _of(self, state: CallState) -> _Arguments:
        """Return the arguments of a call, created when its name is known."""
        found = self._arguments.get(id(state))
        if found is not None:
            return found[1]
        if state.name is None:
            return _Arguments(None, None)
        type = self._types.get(state.name)
        is_typed = type is not None and not state.is_free_text
        new = partial(JsonTypedAccumulator, type, limits=self._limits, context=self._context)
        arguments = _Arguments((lambda dialect: new(dialect=dialect)) if is_typed else None, type)
        self._arguments[id(state)] = state, arguments
        return arguments


def _tail(rope: Rope, length: int) -> str:
    """Return the last ``length`` characters of a rope."""
    pieces = []
    while length > 0:
        rope, piece = rope if isinstance(rope, tuple) else ("", rope)
        pieces.append(piece[-length:])
        length -= len(pieces[-1])
    pieces.reverse()
    return "".join(pieces)


def typed_calls(
    stream: Iterable[Any],
    types: Mapping[str, Any],
    format: Format | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    context: Any = None,
    on_error: OnInvalidEvent = "raise",
    bare: bool = False,
    unwrap: bool = False,
    tools: Mapping[str, Any] | None = None,
    dialect: Dialect = "strict",
    close: bool = True,
) -> Generator[list[TypedCall], None, None]:
    """Iterate over the tool calls of a provider's stream, each validated as the type of its tool.

    ``types`` maps the names of tools to types. As with `tool_calls` there is a list after each event, the
    last one is final, and an error of the provider is raised after it. Leaving the iterator early closes the
    stream, unless ``close`` is false. The options are those of `tool_calls`; for a text format, ``tools`` are
    by default the JSON Schemas of the types.

    >>> from pydantic import BaseModel
    >>> class Weather(BaseModel):
    ...     city: str
    >>> def delta(**function):
    ...     call = {"index": 0, "function": function}
    ...     return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    >>> events = [delta(name="weather", arguments='{"city": "Par'), delta(arguments='is"}')]
    >>> for calls in typed_calls(events, {"weather": Weather}):
    ...     print(calls[0].partial, calls[0].call.is_complete)
    <partial Weather city='Par'> False
    city='Paris' False
    city='Paris' True
    >>> calls[0].result
    Weather(city='Paris')
    """
    calls = TypedCallStream(types, format, limits, context, on_error, bare, unwrap, tools, dialect)
    with source_of(stream, close) as source:
        for event in source:
            found = calls.add_event(event)
            if calls.error is not None:
                source.stop()
                break
            yield found
            calls.raise_held()
    yield calls.finish()
    if calls.error is not None:
        raise calls.error

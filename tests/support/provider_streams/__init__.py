"""Streams as the providers send them, and the calls that a careful reader finds in them.

A module per format holds ``STREAM``, the events of an ordinary stream, ``CALLS`` and ``TEXT``, what is
expected of it at its end, and ``FAULTS``: by the name of a fault, a stream that has it and the calls that are
expected of that.
"""

from __future__ import annotations

import re
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from midstream import UNDEFINED, JsonStreamError, tool_calls
from midstream.providers._formats import MODULES

# the formats whose streams consist of events; those of text have streams of their own
FORMATS = tuple(sorted(MODULES))

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from midstream import ToolCall

__all__ = [
    "FAULT_NAMES",
    "FORMATS",
    "Event",
    "Expected",
    "Faults",
    "as_objects",
    "call",
    "cases",
    "final",
    "seen",
    "streams",
]

Event = dict[str, Any]

FAULT_NAMES = (
    "interleaved",
    "repeated id and name",
    "changing id",
    "index 0 for all",
    "no index",
    "no id",
    "empty arguments",
    "complete arguments",
    "arguments at the start",
    "cut by length",
    "invalid JSON",
    "merged calls",
    "prefix not the end",
    "split surrogates",
    "just stops",
)


class Expected(NamedTuple):
    """What matters of a `ToolCall`; ``error`` is the code of its error."""

    id: str | None
    index: int | str | None  # type: ignore[assignment]  # nobody looks for an item in it
    name: str | None
    args: Any
    raw: str
    complete: bool
    error: str | None
    reason: str | None


Faults = dict[str, tuple[list[Event], list[Expected]]]


def call(
    id: str | None = None,
    index: int | str | None = None,
    name: str | None = None,
    args: Any = UNDEFINED,
    raw: str = "",
    complete: bool = True,
    error: str | None = None,
    reason: str | None = None,
) -> Expected:
    """Say what is expected of a call at the end of its stream; it is complete by default."""
    return Expected(id, index, name, args, raw, complete, error, reason)


def streams(format: Any) -> Any:
    """Return the module of a format."""
    return import_module(f"{__name__}.{'own' if format == 'midstream' else format.replace('-', '_')}")


def cases(*formats: str) -> pytest.MarkDecorator:
    """Mark a test to run with every stream of these formats, or of all: format, events, expected."""
    # the environments of the SDKs have none
    import pytest

    modules = {format: streams(format) for format in formats or FORMATS}
    return pytest.mark.parametrize(
        ("format", "events", "expected"),
        [
            pytest.param(format, events, expected, id=f"{format}: {name}")
            for format, module in modules.items()
            for name, (events, expected) in [
                ("ordinary", (module.STREAM, module.CALLS)),
                *module.FAULTS.items(),
            ]
        ],
    )


def seen(calls: list[ToolCall]) -> list[Expected]:
    """Return what the library found, to be compared with what was expected."""
    return [
        Expected(
            call.id,
            call.index,
            call.name,
            call.args,
            call.raw_args,
            call.is_complete,
            None if call.error is None else str(call.error.code),
            call.finish_reason,
        )
        for call in calls
    ]


def final(events: Iterable[Any], format: Any = None) -> list[Expected]:
    """Return the calls at the end of a stream, where each is complete or has an error."""
    calls: list[ToolCall] = []
    try:
        for calls in tool_calls(events, format=format):
            assert not any(call.is_complete and call.error for call in calls)
    except JsonStreamError as error:
        # raised after the last list
        if error.code != "provider_error":
            raise
    assert all(call.is_complete or call.error for call in calls)
    return seen(calls)


def as_objects(value: Any, keep: tuple[str, ...]) -> Any:
    """Make of an event a tree of objects as an SDK would: attributes in snake_case.

    What is a plain dict in the SDK too, the value of the fields in ``keep``, stays as it is.
    """
    if isinstance(value, list):
        return [as_objects(item, keep) for item in value]
    if not isinstance(value, dict):
        return value
    members = {
        re.sub("(?<!^)([A-Z])", r"_\1", name).lower(): item if name in keep else as_objects(item, keep)
        for name, item in value.items()
    }
    return SimpleNamespace(**members)

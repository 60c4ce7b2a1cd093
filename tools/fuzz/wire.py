"""An update in its wire form is the update; what is none, no event or no path raises one exception.

`to_wire`, JSON and `from_wire` give the update back, and on both builds the same dict. Any other data raises
`JsonStreamError` or reads as what its own wire form reads as again. The same for messages as events, and for
paths: the segments of a path that was formatted are those it was made of.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from builds import BUILDS
from model import exactly

from .choices import Choices
from .documents import altered, anything, cut, damaged, has_surrogates, value
from .rebuilding import update

__all__ = ["check"]

FIELDS = (
    "tool_call_id", "index", "function_name", "function_args", "json_update_fragments", "message_id",
    "choice",
)  # fmt: skip
MORE = ("failed", "text", "result", "reason", "is_truncated", "is_free_text", "tool_call_updates", "type")
TYPES = ("tool_call_update", "tools_call_update", "tool_call_end", "text_delta", "tool_result", "message_end")
SEGMENTS = (
    "a", "b", "", "a.b", "0", "x[0]", 'q"', "\\", "é", "\ud83d", "root", "$", 0, 1, 7, 10**12, "]", "'",
)  # fmt: skip


def check(data: bytes) -> None:
    choices = Choices(data)
    kind = choices.below(4)
    if kind == 0:
        check_updates(choices)
    elif kind == 1:
        check_data(choices)
    elif kind == 2:
        check_events(choices)
    else:
        check_paths(choices)


def facts(made: Any) -> str:
    """Return everything that an update reports."""
    error = made.error and (str(made.error.code), *made.error[1:])
    return exactly((str(made.kind.value), made.path, made.segments, made.text_value, made.value, error))


def check_updates(choices: Choices) -> None:
    text = anything(choices)
    fragments = cut(choices, text)
    root = choices.pick(("root", "", "args"))
    results = []
    for build in BUILDS.values():
        accumulator = build.JsonFragmentAccumulator(root=root, on_error="recover")
        updates = [made for fragment in fragments for made in accumulator.add_fragment(fragment)]
        updates += accumulator.finish()
        wires = [build.to_wire(made) for made in updates]
        results.append(exactly(wires))
        if not has_surrogates(text):
            for made, wire in zip(updates, json.loads(json.dumps(wires)), strict=True):
                again = build.from_wire(wire)
                assert exactly(build.to_wire(again)) == exactly(build.to_wire(made))
                # a path shows the root's name only to a reader who knows it
                if root == "root":
                    assert facts(again) == facts(made)
    assert len(set(results)) == 1


def check_data(choices: Choices) -> None:
    data: Any = update(choices)
    for _ in range(choices.below(3)):
        data = altered(choices, data)
    results = []
    for build in BUILDS.values():
        try:
            read = build.from_wire(data)
        except build.JsonStreamError as error:
            results.append(exactly((str(error), str(error.code), error.path)))
        else:
            results.append(facts(read))
            wire = build.to_wire(read)
            assert facts(build.from_wire(json.loads(json.dumps(wire)))) == facts(read)
    assert len(set(results)) == 1, results


def check_events(choices: Choices) -> None:
    event: dict[str, Any] = {"type": choices.pick(TYPES)}
    for _ in range(choices.below(6)):
        event[choices.pick(FIELDS + MORE)] = value(choices)
    if choices.one_in(3):
        event["tool_call_updates"] = [
            {choices.pick(FIELDS): value(choices) for _ in range(choices.below(4))}
            for _ in range(choices.below(3))
        ]
    for build in BUILDS.values():
        messages = import_module(f"{build.__name__}.calls.messages")
        try:
            message = messages.from_event(event)
        except build.JsonStreamError:
            continue
        if message is not None:
            assert exactly(messages.from_event(messages.to_event(message))) == exactly(message)


def check_paths(choices: Choices) -> None:
    build: Any = BUILDS["plain"]
    paths = import_module(f"{build.__name__}.paths")
    root = choices.pick(("root", "", "$", "args"))
    segments = tuple(choices.pick(SEGMENTS) for _ in range(choices.below(5)))
    path = paths.format_path(root, segments)
    assert paths.parse_path(path, root) == segments
    other = damaged(choices, path) if choices.below(2) else choices.raw(20).decode("latin-1")
    try:
        read = paths.parse_path(other, root)
    except build.JsonStreamError:
        return
    assert paths.parse_path(paths.format_path(root, read), root) == read

"""The three policies agree: raise and event with the model, recover with both up to the first error.

Raised or reported, an error has the model's code and place, comes after all the updates before it, and is
final. With "recover" everything up to and including the first error is the same; what follows does not
depend on the cut nor on the build, the values of both accumulators agree, and nothing else is raised.
"""

from __future__ import annotations

from typing import Any

from builds import BUILDS
from model import Item, exactly, items_of, join_partials, naive, run

from .choices import Choices
from .documents import anything, cut, limits_for, options

__all__ = ["check"]


def check(data: bytes) -> None:
    choices = Choices(data)
    given = options(choices)
    text = anything(choices)
    fragments = cut(choices, text)
    expected = join_partials(naive([text], **given))
    recovered = []
    for build in BUILDS.values():
        for on_error in ("raise", "event"):
            said = run(build, fragments, on_error=on_error, **limits_for(build, given))
            assert exactly(join_partials(said)) == exactly(expected), on_error
        if expected and expected[-1].kind == "Error":
            check_final(build, fragments, given, expected[-1])
        for way in (fragments, [text]):
            said = join_partials(run(build, way, on_error="recover", **limits_for(build, given)))
            recovered.append(exactly(said))
        if not is_about_ignored(given, expected):
            check_beginning(said, expected)
        check_value(build, fragments, given)
    assert len(set(recovered)) == 1, recovered


def check_final(build: Any, fragments: list[Any], given: dict[str, Any], last: Item) -> None:
    accumulator = build.JsonFragmentAccumulator(on_error="raise", **limits_for(build, given))
    first: Any = None
    try:
        for fragment in fragments:
            accumulator.add_fragment(fragment)
        accumulator.finish()
    except build.JsonStreamError as error:
        first = error
    assert (str(first.code), (first.index, first.line, first.column)) == last[2:]
    for again in (lambda: accumulator.add_fragment("1"), accumulator.finish):
        second: Any = None
        try:
            again()
        except build.JsonStreamError as error:
            second = error
        assert second is not None, "an error was forgotten"
        assert (second.error, second.path, second.updates) == (first.error, first.path, [])
    assert not accumulator.is_complete


def is_about_ignored(given: dict[str, Any], expected: list[Item]) -> bool:
    """Report whether an error is in text that is ignored: recovering puts U+FFFD in its place."""
    before = expected[-2].kind if len(expected) > 1 else None
    return before == "JsonComplete" and given["after_root"] == "ignore"


def check_beginning(said: list[Item], expected: list[Item]) -> None:
    """Up to the first error nothing differs."""
    errors = [at for at, item in enumerate(said) if item.kind == "Error"]
    if not errors:
        assert exactly(said) == exactly(expected)
        return
    assert exactly(said[: errors[0] + 1]) == exactly(expected)


def check_value(build: Any, fragments: list[Any], given: dict[str, Any]) -> None:
    """The value of the updates is the value that the other accumulator shows."""
    call_options = limits_for(build, given) | {"on_error": "recover"}
    if given["after_root"] == "next":
        return
    updates = build.JsonFragmentAccumulator(**call_options)
    values = build.JsonValueAccumulator(**call_options)
    rebuilder = build.JsonFragmentRebuilder(root="root", limits=call_options["limits"])
    for fragment in fragments:
        rebuilder.apply(updates.add_fragment(fragment))
        values.add_fragment(fragment)
        assert exactly(rebuilder.value) == exactly(values.value)
    last = updates.finish()
    rebuilder.apply(last)
    values.finish()
    assert exactly(rebuilder.value) == exactly(values.value)
    assert items_of(last) == [] or values.error == updates.error

"""A checkpoint, through JSON and into the other build, is a cut like any other; a damaged one is refused.

Both accumulators and the pure parser, saved and read back at random places, end as the run that was never
interrupted. Saved data that was changed is refused with `JsonStreamError` or harmless: resuming from
it sees nothing but `JsonStreamError`. (What a build refuses is its own affair: the compiled one knows types.)
"""

from __future__ import annotations

import json
from typing import Any

from builds import BUILDS
from model import exactly, items_of, join_partials, run

from .choices import Choices
from .documents import altered, anything, cut, limits_for, options

__all__ = ["check"]

Builds = list[Any]
# what may follow a damaged checkpoint
MORE = ('x"', "]}", "1 ", ', "b": [true, "')


def check(data: bytes) -> None:
    choices = Choices(data)
    given = options(choices) | {"on_error": choices.pick(("event", "recover", "raise"))}
    kind = choices.below(6)
    text = anything(choices)
    fragments = cut(choices, text)
    builds = [*BUILDS.values()]
    if kind < 2:
        check_updates(choices, builds, text, fragments, given)
    elif kind == 2:
        check_values(choices, builds, text, fragments, given)
    elif kind == 3:
        check_states(choices, builds, fragments)
    else:
        check_damage(choices, builds, fragments, given, kind == 4)


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data))


def check_updates(
    choices: Choices, builds: Builds, text: Any, fragments: list[Any], given: dict[str, Any]
) -> None:
    given["on_error"] = "event" if given["on_error"] == "raise" else given["on_error"]
    build = builds[0]
    accumulator = build.JsonFragmentAccumulator(**limits_for(build, given))
    items = []
    for fragment in fragments:
        items += items_of(accumulator.add_fragment(fragment))
        if choices.below(4) < 3:
            saved = through_json(accumulator.checkpoint())
            accumulator = choices.pick(builds).JsonFragmentAccumulator.restore(saved)
            assert through_json(accumulator.checkpoint()) == saved
    items += items_of(accumulator.finish())
    expected = run(build, [text], **limits_for(build, given))
    assert exactly(join_partials(items)) == exactly(join_partials(expected))


def check_values(
    choices: Choices, builds: Builds, text: Any, fragments: list[Any], given: dict[str, Any]
) -> None:
    given["on_error"] = "event" if given["on_error"] == "raise" else given["on_error"]
    build = builds[0]
    accumulator = build.JsonValueAccumulator(**limits_for(build, given))
    straight = build.JsonValueAccumulator(**limits_for(build, given))
    for fragment in fragments:
        accumulator.add_fragment(fragment)
        straight.add_fragment(fragment)
        if choices.below(4) < 3:
            saved = through_json(accumulator.checkpoint())
            accumulator = choices.pick(builds).JsonValueAccumulator.restore(saved)
            assert through_json(accumulator.checkpoint()) == saved
        assert shown(accumulator) == shown(straight)
    accumulator.finish()
    straight.finish()
    assert shown(accumulator) == shown(straight)


def shown(accumulator: Any) -> str:
    """Return everything that a value accumulator reports."""
    error = accumulator.error and (str(accumulator.error.code), *accumulator.error[1:])
    return exactly(
        (
            accumulator.value,
            accumulator.is_complete,
            tuple(accumulator.position),
            accumulator.open_path,
            accumulator.trailing,
            error,
        )
    )


def check_states(choices: Choices, builds: Builds, fragments: list[Any]) -> None:
    build = builds[0]
    state = straight = build.create_parser_state()
    for fragment in fragments:
        other = choices.pick(builds)
        saved = through_json(build.dump_state(state))
        assert through_json(other.dump_state(other.load_state(saved))) == saved
        state = build.load_state(through_json(other.dump_state(other.load_state(saved))))
        state = build.parse_chunk(state, fragment)
        straight = build.parse_chunk(straight, fragment)
        # FINDING 6: these should be equal, but the code of an escape that is over makes a difference
        # in the midst of the next one: assert state == straight
        assert state.nodes == straight.nodes
        assert (state.mode, state.index, state.error) == (straight.mode, straight.index, straight.error)
    assert build.finalize(state).nodes == build.finalize(straight).nodes


def check_damage(
    choices: Choices, builds: Builds, fragments: list[Any], given: dict[str, Any], of_values: bool
) -> None:
    stop = choices.below(len(fragments) + 1)
    name = "JsonValueAccumulator" if of_values else "JsonFragmentAccumulator"
    as_state = choices.one_in(3)
    build = builds[0]
    if as_state:
        state = build.create_parser_state()
        for fragment in fragments[:stop]:
            state = build.parse_chunk(state, fragment)
        saved = build.dump_state(state)
    else:
        accumulator = getattr(build, name)(**limits_for(build, given))
        for fragment in fragments[:stop]:
            attempt(build, lambda fragment=fragment: accumulator.add_fragment(fragment))
        saved = accumulator.checkpoint()
    saved = through_json(saved)
    for _ in range(1 + choices.below(3)):
        saved = altered(choices, saved)
    for build in builds:
        if as_state:
            go_on_state(build, saved, fragments[stop:])
        else:
            resume(build, name, saved, fragments[stop:])


def attempt(build: Any, call: Any) -> Any:
    """Make a call that may be refused, with one exception and no other."""
    try:
        return call()
    except build.JsonStreamError as error:
        return f"refused: {error.code}"


def resume(build: Any, name: str, saved: Any, fragments: list[Any]) -> None:
    if not is_typed(saved):
        return
    accumulator = attempt(build, lambda: getattr(build, name).restore(saved))
    if isinstance(accumulator, str):
        assert accumulator == "refused: invalid_checkpoint", accumulator
        return
    for fragment in [*fragments, *MORE]:
        attempt(build, lambda fragment=fragment: accumulator.add_fragment(fragment))
    attempt(build, accumulator.finish)
    json.dumps(accumulator.checkpoint())
    if name == "JsonValueAccumulator":
        shown(accumulator)


def is_typed(saved: Any) -> bool:
    """FINDING 4: of what an accumulator's visitor saves, not all types are checked."""
    visitor = saved.get("visitor") if isinstance(saved, dict) else None
    return not isinstance(visitor, dict) or type(visitor.get("index", 0)) is int


def go_on_state(build: Any, saved: Any, fragments: list[Any]) -> None:
    state = attempt(build, lambda: build.load_state(saved))
    if isinstance(state, str):
        assert state == "refused: invalid_checkpoint", state
        return
    for fragment in [*fragments, *MORE]:
        state = build.parse_chunk(state, fragment)
        json.dumps(build.dump_state(state))
    state = build.finalize(state)
    json.dumps(build.dump_state(state))
    exactly(build.get_resolved_value(state))

"""Updates and values are those of the naive model, call by call, wherever the text is cut.

Every fragment gives exactly the updates, position and completeness that the model gives; the value is
the fold of the model's items; and the model itself says yes where, and only where, `json.loads` does.
"""

from __future__ import annotations

import json
from typing import Any

from builds import BUILDS
from model import NOTHING, NaiveLimits, NaiveParser, exactly, fold, items_of

from .choices import Choices
from .documents import anything, cut, has_surrogates, limits_for, options

__all__ = ["check"]


def check(data: bytes) -> None:
    choices = Choices(data)
    given = options(choices)
    text = anything(choices)
    fragments = cut(choices, text)
    for build in BUILDS.values():
        check_updates(build, fragments, given)
        if given["after_root"] != "next":
            check_values(build, fragments, given)
    if given == {"after_root": "error", "limits": NaiveLimits()}:
        check_model(text)


def check_updates(build: Any, fragments: list[Any], given: dict[str, Any]) -> None:
    model = NaiveParser(**given)
    accumulator = build.JsonFragmentAccumulator(on_error="event", **limits_for(build, given))
    for fragment in fragments:
        assert exactly(items_of(accumulator.add_fragment(fragment))) == exactly(model.add(fragment))
        assert accumulator.position == model.position
        assert accumulator.is_complete == model.is_complete
    assert exactly(items_of(accumulator.finish())) == exactly(model.finish())
    if given["after_root"] == "ignore":
        assert accumulator.trailing == model.trailing


def check_values(build: Any, fragments: list[Any], given: dict[str, Any]) -> None:
    model = NaiveParser(**given)
    accumulator = build.JsonValueAccumulator(on_error="event", **limits_for(build, given))
    items = []
    kept = []
    for fragment in fragments:
        accumulator.add_fragment(fragment)
        items += model.add(fragment)
        kept.append((accumulator.value, exactly(folded(build, items))))
    accumulator.finish()
    items += model.finish()
    kept.append((accumulator.value, exactly(folded(build, items))))
    # what was read stays as it was
    for value, expected in kept:
        assert exactly(value) == expected


def folded(build: Any, items: list[Any]) -> Any:
    value = fold(items)
    return build.UNDEFINED if value is NOTHING else value


def check_model(text: str | bytes) -> None:
    items = NaiveParser()
    said = items.add(text) + items.finish()
    try:
        if isinstance(text, str):
            text = text.removeprefix("\ufeff")
        elif not has_surrogates(text.decode()):
            text = text.decode().removeprefix("\ufeff")
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        assert not said or said[-1].kind == "Error"
        return
    assert said[-1].kind == "JsonComplete"
    assert exactly(fold(said)) == exactly(value)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")

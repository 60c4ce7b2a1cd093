"""A typed stream ends as one validation of the complete text, and any text ends in values or errors.

Random types of pydantic and msgspec. For a valid text the result is that of the library,
or its errors are. For any text, nothing but `TypedStreamError` and `JsonStreamError` is raised, partial
values can be read at any time, what was reported as complete stays as it is, and both builds agree.
"""

from __future__ import annotations

import json
import random
from functools import lru_cache
from importlib import import_module
from typing import Any

import msgspec
from pydantic import TypeAdapter, ValidationError

from builds import BUILDS
from msgspec_models import MsgspecMaker
from typed_models import CALLS, Maker, text_of

from .choices import Choices
from .documents import anything, cut, damaged

__all__ = ["check"]

TYPED = [import_module(f"{build.__name__}.typed") for build in BUILDS.values()]


@lru_cache(64)
def spec_of(library: str, seed: int) -> Any:
    """Make a type; few of them, because it takes longer than reading a text."""
    return (Maker if library == "pydantic" else MsgspecMaker)(seed).spec(3)


def check(data: bytes) -> None:
    choices = Choices(data)
    library = choices.pick(("pydantic", "msgspec"))
    rng = random.Random(choices.below(65536))
    spec = spec_of(library, choices.below(256))
    type, text = spec.type, text_of(spec.value(rng), rng)
    kind = choices.below(4)
    sent: Any = text
    if kind == 2:
        sent = damaged(choices, text)
    elif kind == 3:
        sent = anything(choices)
    fragments = cut(choices, sent)
    results = [observe(typed, type, library, fragments) for typed in TYPED]
    for other in results[1:]:
        assert other == results[0]
    if kind < 2:
        compare(results[0], type, library, text)


def observe(typed: Any, type: Any, library: str, fragments: list[Any]) -> tuple[str, ...]:
    """Return the events, and the result or the error, in words."""
    CALLS.clear()
    accumulator = typed.JsonTypedAccumulator(type, library=library)
    events: list[Any] = []
    kept: list[tuple[Any, str]] = []
    try:
        for fragment in fragments:
            new = accumulator.add_fragment(fragment)
            events += new
            kept += [(event, repr(event)) for event in new]
            shown = accumulator.partial
            plain = repr(typed.to_plain(shown))
            kept.append((shown, repr(shown)))
            assert repr(typed.to_plain(accumulator.partial)) == plain
        events += accumulator.finish()
        result = repr(accumulator.result)
    except typed.TypedStreamError as error:
        result = f"refused: {error}"
    except BUILDS["plain"].JsonStreamError as error:
        result = f"{error.code}: {error}"
    except JSON_ERRORS as error:
        result = f"{error.code}: {error}"
    for event, before in kept:
        if type_name(event) == "TypedEvent":
            assert repr(event) == before, "what was reported has changed"
    return repr(events), result, repr(accumulator.errors)


JSON_ERRORS = tuple(build.JsonStreamError for build in BUILDS.values())


def type_name(thing: Any) -> str:
    return str(thing.__class__.__name__)


def compare(results: tuple[str, ...], type: Any, library: str, text: str) -> None:
    """The library agrees."""
    _, result, errors = results
    try:
        if library == "pydantic":
            expected = TypeAdapter(type).validate_json(text)
        else:
            json.loads(text)
            expected = msgspec.json.decode(text, type=type)
    except (ValidationError, msgspec.ValidationError):
        assert result.startswith("refused: "), result
        assert errors != "[]"
    else:
        assert result == repr(expected)

"""Selections are those of the naive model, wherever the text is cut, and end before they read too much.

For a text that is JSON, `select` yields what a walk through the parsed value finds. For any text, the cut
makes no difference, nor does the build; with ``partial`` the final matches are the same; and ``to_end``
raises if and only if `updates` does.
"""

from __future__ import annotations

import json
from typing import Any

from builds import BUILDS
from model import exactly
from selection_model import ANY, expected

from .choices import Choices
from .documents import anything, cut, document, has_surrogates

__all__ = ["check"]

STEPS = ("a", "b", "c", "", "a.b", "0", 0, 1, 2, ANY, ANY, ANY)
Found = tuple[list[Any], Any]


def check(data: bytes) -> None:
    choices = Choices(data)
    patterns = [
        tuple(choices.pick(STEPS) for _ in range(choices.below(4))) for _ in range(1 + choices.below(3))
    ]
    patterns = [*dict.fromkeys(patterns)]
    limit = choices.pick((None, None, None, 1, 2))
    to_end = choices.one_in(3)
    is_json = choices.one_in(2)
    text: Any = document(choices) if is_json else anything(choices)
    fragments = cut(choices, text)
    results = [
        observe(build, pieces, patterns, limit=limit, to_end=to_end)
        for build in BUILDS.values()
        for pieces in ([text], fragments)
    ]
    for other in results[1:]:
        assert exactly(other) == exactly(results[0])
    matches, error = results[0]
    for build in BUILDS.values():
        grown = observe(build, fragments, patterns, limit=limit, to_end=to_end, partial=True)
        if limit is None:
            assert exactly(grown) == exactly(results[0])
    if is_json and not has_surrogates(text):
        json.loads(text)
        assert error is None
        assert exactly(matches) == exactly(expected(text, patterns, limit, to_end))
    if to_end:
        assert (error is None) == is_valid(fragments)


def observe(build: Any, fragments: list[Any], patterns: list[Any], **options: Any) -> Found:
    """Return the final matches, and the error after them."""
    paths = [tuple(build.ANY if step == ANY else step for step in pattern) for pattern in patterns]
    matches: list[Any] = []
    try:
        for match in build.select(fragments, paths, **options):
            if match.is_final:
                place = match.segments, match.value, paths.index(match.pattern)
                matches.append(place)
    except build.JsonStreamError as error:
        return matches, (str(error.code), error.index, error.line, error.column)
    return matches, None


def is_valid(fragments: list[Any]) -> bool:
    build = BUILDS["plain"]
    try:
        for _ in build.updates(fragments):
            pass
    except build.JsonStreamError:
        return False
    return True

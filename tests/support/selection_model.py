"""A naive model of selections: parse the complete text, walk through it, and match every place."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["ANY", "Members", "Model", "expected", "fits"]

ANY = "ANY"


class Members(list[Any]):
    """The members of an object, with every duplicate key."""


def pairs_of(text: str) -> Any:
    return json.loads(text, object_pairs_hook=Members)


def plain(value: Any) -> Any:
    if isinstance(value, Members):
        return {key: plain(member) for key, member in value}
    return [plain(item) for item in value] if isinstance(value, list) else value


def children(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, Members):
        return list(value)
    return list(enumerate(value)) if isinstance(value, list) else []


def fits(pattern: tuple[Any, ...], place: tuple[Any, ...]) -> bool:
    return len(pattern) == len(place) and all(
        step == ANY or (step == segment and type(step) is type(segment))
        for step, segment in zip(pattern, place, strict=True)
    )


def leads_into(step: Any, value: Any) -> bool:
    """Report whether a step may lead to something in a value, judged by the kind of the value alone."""
    if step == ANY:
        return isinstance(value, list)
    is_array = isinstance(value, list) and not isinstance(value, Members)
    return is_array if isinstance(step, int) else isinstance(value, Members)


class Ended(Exception):  # noqa: N818
    """Nothing more can match."""


class Model:
    """Walk in document order, children before their parents; end when every pattern is decided."""

    def __init__(self, patterns: list[tuple[Any, ...]], limit: int | None, to_end: bool) -> None:
        self.patterns = patterns
        self.sure = [pattern.index(ANY) if ANY in pattern else len(pattern) for pattern in patterns]
        self.undecided = set(range(len(patterns)))
        self.limit, self.to_end = limit, to_end
        self.found: list[tuple[Any, ...]] = []

    def run(self, value: Any) -> list[tuple[Any, ...]]:
        try:
            self.walk(value, ())
        except Ended:
            if self.to_end:
                raise
        return self.found

    def decide(self, number: int) -> None:
        self.undecided.discard(number)
        if not self.undecided and not self.to_end:
            raise Ended

    def walk(self, value: Any, place: tuple[Any, ...]) -> None:
        on_the_way = [
            number
            for number, pattern in enumerate(self.patterns)
            if len(place) <= self.sure[number] and pattern[: len(place)] == place
        ]
        for number in on_the_way:
            pattern = self.patterns[number]
            if len(pattern) > len(place) and not leads_into(pattern[len(place)], value):
                self.decide(number)
        for segment, child in children(value):
            self.walk(child, (*place, segment))
        for number, pattern in enumerate(self.patterns):
            if fits(pattern, place) and self.limit != 0:
                self.found.append((place, plain(value), number))
                if self.limit is not None:
                    self.limit -= 1
                    if self.limit == 0 and not self.to_end:
                        raise Ended
        for number in on_the_way:
            self.decide(number)


def expected(text: str, patterns: list[Any], limit: int | None = None, to_end: bool = False) -> list[Any]:
    return Model(patterns, limit, to_end).run(pairs_of(text))

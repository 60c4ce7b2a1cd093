"""A source of snapshots, and a slow account of what its snapshots make certain.

The source writes a random document from left to right and shows it now and then. `Certainty` reads
those snapshots with the rules as they are stated, path by path and with recursion, sharing no code and
no data structure with the chunker.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

KEYS = ["a", "b", "c", "d", "e", "name", "a.b", "x[0]", "", 'qu"ote', "ключ", "back\\slash", "0"]
TEXTS = ["", "word", "two words", 'a "quote"', "line\nbreak", "naïve", "日本語テキスト", "👍🏽 ok", "\\"]
TEXTS += ["\x00\x1f", "lone \ud83d here"]
SCALARS = [0, 1, -1, 17, 2.5, 1e300, -0.5, 10**20, True, False, None]


def document(rng: random.Random, depth: int = 4) -> Any:
    """Make a random JSON value."""
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        if rng.random() < 0.4:
            return rng.choice(SCALARS)
        return "".join(rng.choices(TEXTS, k=rng.randrange(4)))
    if kind < 0.75:
        keys = rng.sample(KEYS, rng.choice((0, 1, 2, 2, 3, 4, 6)))
        return {key: document(rng, depth - 1) for key in keys}
    return [document(rng, depth - 1) for _ in range(rng.choice((0, 1, 2, 3, 5)))]


def container(rng: random.Random) -> Any:
    """Make a random object or array that is not empty."""
    while True:
        value = document(rng)
        if value and not isinstance(value, (str, int, float)):
            return value


def size(value: Any) -> int:
    """Count the moments in the writing of a value that a snapshot can distinguish."""
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, dict):
        return 1 + sum(map(size, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(size, value))
    return 1


def beginning(value: Any, moments: int) -> Any:
    """Show a value at one moment of its writing, the first being number 1."""
    if moments >= size(value):
        return value
    if isinstance(value, str):
        return value[: moments - 1]
    shown: dict[Any, Any] = {}
    left = moments - 1
    for key, member in value.items() if isinstance(value, dict) else enumerate(value):
        if left <= 0:
            break
        shown[key] = beginning(member, left)
        left -= size(member)
    return shown if isinstance(value, dict) else [*shown.values()]


def shuffled(rng: random.Random, value: Any) -> Any:
    """Copy a value, its keys in another order."""
    if isinstance(value, dict):
        return {key: shuffled(rng, value[key]) for key in rng.sample([*value], len(value))}
    if isinstance(value, list):
        return [shuffled(rng, item) for item in value]
    return value


def snapshots(rng: random.Random, value: Any) -> Iterator[Any]:
    """Show a value as it is written: steps dropped, steps repeated, keys in any order."""
    moments = size(value)
    shown = rng.randint(1, min(moments, 40))
    for moment in sorted({*rng.sample(range(1, moments + 1), shown), moments}):
        for _ in range(rng.choice((1, 1, 1, 2))):
            yield shuffled(rng, beginning(value, moment))


# What is certain


def identical(one: Any, other: Any) -> bool:
    """Compare two values as JSON: order of keys aside, 1 and true apart, 1 and 1.0 alike."""
    return bool(one == other) and kinds(one) == kinds(other)


def kinds(value: Any) -> Any:
    """Show where the booleans of a value are."""
    if isinstance(value, dict):
        return {key: kinds(member) for key, member in value.items()}
    if isinstance(value, list):
        return [*map(kinds, value)]
    return isinstance(value, bool)


def weight(value: Any) -> int:
    """Count what there is to write of a value, closing tokens aside."""
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, dict):
        return 1 + sum(len(key) + 1 + weight(member) for key, member in value.items())
    if isinstance(value, list):
        return 1 + sum(map(weight, value))
    return len(json.dumps(value))


def hollow(value: Any) -> bool:
    """Report whether a value is empty or consists of empty values only."""
    if isinstance(value, (dict, list)):
        return all(map(hollow, value.values() if isinstance(value, dict) else value))
    return bool(value == "" and isinstance(value, str))


class Certainty:
    """Follow the snapshots: what is final, where the spine is, and how much is certain."""

    def __init__(self) -> None:
        self.last: Any = None
        self.final: set[tuple[Any, ...]] = set()
        # the members of an open object among which the spine is
        self.candidates: dict[tuple[Any, ...], set[Any]] = {}
        # whatever was the one candidate has been opened, also if it is empty
        self.followed: set[tuple[Any, ...]] = set()
        self.begun = False

    def learn(self, now: Any) -> int:
        """Add a snapshot; return the weight of all that is certain in it."""
        if not self.begun or not identical(self.last, now):
            self._compare((), self.last if self.begun else None, now)
        self.begun, self.last = True, now
        return self._weigh((), now)

    def _compare(self, path: tuple[Any, ...], before: Any, now: Any) -> None:
        if isinstance(now, dict):
            before = before if isinstance(before, dict) else {}
            new = now.keys() - before.keys()
            changed = {key for key in now.keys() & before.keys() if not identical(now[key], before[key])}
            latest = new or changed
            if not latest:
                return
            growable = {key for key in latest if isinstance(now[key], (str, list, dict))}
            self.final |= {(*path, key) for key in now.keys() - growable}
            self.candidates[path] = growable
        elif isinstance(now, list):
            before = dict(enumerate(before)) if isinstance(before, list) else {}
            self.final |= {(*path, index) for index in range(len(now) - 1)}
            self.candidates[path] = growable = {len(now) - 1} if now else set()
        else:
            return
        if len(growable) == 1:
            (key,) = growable
            self.followed.add((*path, key))
            self._compare((*path, key), before.get(key), now[key])

    def _weigh(self, path: tuple[Any, ...], now: Any) -> int:
        if not isinstance(now, (dict, list)):
            return weight(now)
        total = 1
        for key, member in now.items() if isinstance(now, dict) else enumerate(now):
            place = (*path, key)
            name = 0 if isinstance(now, list) else len(str(key)) + 1
            if place in self.final:
                if not hollow(member) or place in self.followed or isinstance(now, list):
                    total += name + weight(member)
            elif self.candidates.get(path) == {key}:
                total += name + self._weigh(place, member)
        return total


# What is out


class Readable:
    """Read a JSON text that is not finished, as a value."""

    def __init__(self) -> None:
        self.text = ""
        self.closing: list[str] = []
        self.escaped = False

    def add(self, chunk: str) -> Any:
        """Add the next chunk; return the value of everything so far, with all open parts closed."""
        self.text += chunk
        for char in chunk:
            inside = self.closing[-1:] == ['"']
            if self.escaped:
                self.escaped = False
            elif inside and char == "\\":
                self.escaped = True
            elif char == '"':
                if inside:
                    self.closing.pop()
                else:
                    self.closing.append('"')
            elif not inside and char in "[{":
                self.closing.append("]" if char == "[" else "}")
            elif not inside and char in "]}":
                assert self.closing.pop() == char
        return json.loads(self.text + "".join(reversed(self.closing)), object_pairs_hook=no_key_twice)


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object, if its keys differ."""
    value = dict(pairs)
    assert len(value) == len(pairs), "a key twice"
    return value


def is_part(part: Any, complete: Any) -> bool:
    """Report whether a value is one that can grow into another."""
    if type(part) is not type(complete):
        return False
    if isinstance(part, dict):
        return all(key in complete and is_part(member, complete[key]) for key, member in part.items())
    if isinstance(part, list):
        return len(part) <= len(complete) and all(map(is_part, part, complete))
    if isinstance(part, str):
        return bool(complete.startswith(part))
    return bool(part == complete)

"""Random texts for the lenient dialect: valid documents, and documents with the mistakes of models.

A seed determines each text, so that a failure can be repeated.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

from model import exactly

__all__ = [
    "CONTENT",
    "MISTAKES",
    "broken",
    "cut_at_random",
    "document",
    "grows",
    "has_duplicates",
    "read",
    "valid",
]

Row = tuple[Any, ...]

CONTENT = [
    "a", "word", "two words", "", ",", ", ", "b, ", ": ", "'", '"', "\\", "\n", "\t", "}", "]", "{", "[",
    "//", "#1", "...", "é", "…", "“x”", "\U0001f600", "\ud83d", "\u00a0", "```", "1,234", "None", "+", "=",
    ";", "(x)", "`", "/*", "\x7f", "x" * 70,
]  # fmt: skip
NUMBERS = [0, -1, 7, 12, 1234, 10**20, 0.5, -2.5e-3, 1e300, 123456.75]
MISTAKES = [
    '"', "'", ",", ":", "{", "}", "[", "]", "(", ")", "\\", "\n", " ", "//", "# x\n", "/* y */", "...", "…",
    "=", ";", "+", "None", "True", "nul", "NaN", "0x1F", "1,234", "012", "name", "name: ", "two words",
    "“", "”", "`", "'''", '"""', '\\"', "\\n", "\\x41", "\\u{41}", "\u00a0", "\ufeff", "@", "$", "-", ".5",
    "f(", "é", '", "k": ', ', "k": 1', "\x00", "```", "=>", "{{", "}}", "10kg", "2024-01-15", '" + "',
]  # fmt: skip


def document(rng: Random, depth: int = 4) -> Any:
    """Return a random value."""
    kind = rng.randrange(8 if depth else 5)
    if kind < 2:
        return "".join(rng.choice(CONTENT) for _ in range(rng.randrange(4)))
    if kind == 2:
        return rng.choice(NUMBERS)
    if kind < 5:
        return rng.choice([True, False, None, 3, "x"])
    count = rng.randrange(4)
    if kind == 5:
        return [document(rng, depth - 1) for _ in range(count)]
    return {rng.choice(CONTENT) + str(index): document(rng, depth - 1) for index in range(count)}


def written(rng: Random, value: Any) -> str:
    """Write a value as JSON in one of several styles."""
    style = rng.randrange(4)
    if style == 0:
        return json.dumps(value)
    if style == 1:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if style == 2:
        return json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.randrange(3))
    return json.dumps(value, separators=(" , ", " :\n"))


def valid(seed: int) -> tuple[str, Any]:
    """Return a valid text and its value."""
    rng = Random(seed)
    value = document(rng)
    return written(rng, value), value


def broken(seed: int) -> str:
    """Return a document with one to four mistakes."""
    rng = Random(seed)
    value = document(rng)
    while not isinstance(value, (dict, list)):
        value = document(rng)
    text = written(rng, value)
    for _ in range(rng.randrange(1, 5)):
        i = rng.randrange(len(text) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:i] + text[i + 1 :]
        elif kind == 1:
            text = text[:i] + rng.choice(MISTAKES) + text[i + 1 :]
        elif kind == 2:
            text = text[:i] + text[i + 1 : i + 2] + text[i : i + 1] + text[i + 2 :]
        else:
            text = text[:i] + rng.choice(MISTAKES) + text[i:]
    return text


def cut_at_random(rng: Random, text: str) -> list[str]:
    """Cut a text into fragments."""
    places = sorted(rng.randrange(len(text) + 1) for _ in range(rng.randrange(1, 6)))
    return [text[i:j] for i, j in zip([0, *places], [*places, len(text)], strict=True)]


def grows(before: Any, after: Any) -> bool:
    """Report whether a value can become another one while its text arrives."""
    if isinstance(before, dict):
        return isinstance(after, dict) and all(
            key in after and grows(before[key], after[key]) for key in before
        )
    if isinstance(before, list):
        return isinstance(after, list) and len(before) <= len(after) and all(map(grows, before, after))
    if isinstance(before, str):
        return isinstance(after, str) and after.startswith(before)
    return type(before) is type(after) and before == after


def has_duplicates(updates: list[Any]) -> bool:
    """Report whether a key occurs twice in an object: the one way in which a value is replaced."""
    keys: list[set[str]] = []
    for update in updates:
        if update.kind == "StartObject":
            keys.append(set())
        elif update.kind == "EndObject":
            keys.pop()
        elif update.kind == "Key":
            if update.value in keys[-1]:
                return True
            keys[-1].add(update.value)
    return False


def read(midstream: Any, fragments: Any, dialect: str = "lenient", **options: Any) -> tuple[list[Row], Any]:
    """Return the updates of a text as rows, with pieces of a string joined, and the accumulator."""
    accumulator = midstream.JsonFragmentAccumulator(on_error="event", dialect=dialect, **options)
    rows: list[Row] = []
    updates = [update for fragment in fragments for update in accumulator.add_fragment(fragment)]
    for update in [*updates, *accumulator.finish()]:
        data = tuple(update.repair or update.error or ()) or exactly(update.value)
        row = (str(update.kind), update.path, update.text_value, data)
        if row[0] == "PartialString" and rows and rows[-1][:2] == row[:2]:
            row = (*row[:2], rows.pop()[2] + row[2], data)
        rows.append(row)
    return rows, accumulator

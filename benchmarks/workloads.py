"""Make the texts of the measurements, and cut them into fragments, the same ones every time.

They resemble the output of models: prose with a little markup and a few non-ASCII characters, code with
escapes, records with numbers and literals.
"""

from __future__ import annotations

import json
import random
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

FULL_SIZE = 20_000_000
QUICK_SIZE = 3_000_000
COMMON = """
    a an and are as at be before by check each file find first for from has if in into is it its keep last
    line list make next not of on one open order or other part read result run same see set show so some
    step stop take test text than that the then there they this to two up use used was what when which
    while with work would write
"""
VOCABULARY = COMMON.split()
BEYOND_ASCII = ["déjà", "über", "smörgås", "–", "„so“", "日本", "Ελλάδα", "🚀"]
SNIPPETS = ["for x in xs:\n\tprint(x)\n", 'say("hello")\n', "a\\b\\c", "**bold**", "`code`", "- item\n"]


def prose(rng: random.Random, size: int) -> str:
    """Return words with the given number of characters in total."""
    words: list[str] = []
    length = 0
    while length < size:
        kind = rng.randrange(100)
        if kind < 2:
            word = rng.choice(BEYOND_ASCII)
        elif kind < 4:
            word = rng.choice(SNIPPETS)
        else:
            word = rng.choice(VOCABULARY) + (rng.choice([".", ",", "?", ".\n"]) if kind < 11 else "")
        words.append(word)
        length += len(word) + 1
    return " ".join(words)[:size]


def entry(rng: random.Random, number: int) -> dict[str, Any]:
    """Make a member of a document with values of all kinds."""
    return {
        "number": number,
        "summary": prose(rng, rng.choice([30, 60, 120, 240])),
        "confidence": round(rng.random(), 3),
        "done": rng.random() < 0.5,
        "follows": rng.choice([None, rng.randrange(100_000)]),
        "labels": rng.sample(VOCABULARY, rng.randrange(4)),
        "usage": {"model": "large", "tokens": rng.randrange(9_000), "price": rng.random() / 7},
    }


def dump(value: object) -> str:
    """Write a value as models do: with spaces after separators, and non-ASCII characters unescaped."""
    return json.dumps(value, ensure_ascii=False)


@cache
def tool_call(size: int = 500) -> str:
    """Write the arguments of a call: mostly one string, a few options."""
    rng = random.Random(size)
    options = {"replace": True, "lines": [14, 92], "encoding": None, "threshold": 0.75}
    return dump({"file": "notes/today.md", "options": options, "text": prose(rng, size - 125)})


@cache
def arguments(size: int) -> str:
    """Write an object of short members of all kinds, as many as fit, and at least one."""
    rng = random.Random(3)
    members: list[str] = []
    while not members or len(", ".join(members)) + 2 < size:
        value = [prose(rng, 8), rng.randrange(1000), rng.random() < 0.5, [1, 2.5], None][len(members) % 5]
        members.append(f"{dump(VOCABULARY[len(members) % len(VOCABULARY)])}: {dump(value)}")
    return "{" + ", ".join(members[:-1] or members) + "}"


@cache
def question(size: int) -> str:
    """Write an object with one string, which is the easiest text to parse again."""
    return dump({"query": prose(random.Random(3), max(size - 13, 1))})


@cache
def document(size: int) -> str:
    """Write an object with some prose and as many entries as fit."""
    rng = random.Random(size)
    head = (
        dump({"title": prose(rng, 40), "thinking": prose(rng, min(size // 8, 1000))})[:-1] + ', "entries": ['
    )
    entries: list[str] = []
    length = len(head)
    while length < size:
        entries.append(dump(entry(rng, len(entries))))
        length += len(entries[-1]) + 2
    return head + ", ".join(entries) + "]}"


@cache
def file_write(size: int) -> str:
    """Write an object that consists almost entirely of one string: lines of code."""
    rng = random.Random(size)
    lines: list[str] = []
    length = 0
    while length < size:
        line = "    " * rng.randrange(4) + prose(rng, rng.randrange(20, 80)).replace("\n", " ")
        lines.append(line)
        length += len(dump(line)) - 1
    return dump({"file": "module.py", "content": "\n".join(lines)})


@cache
def records(count: int) -> str:
    """Write an array of small records."""
    rng = random.Random(7)
    return dump([{"id": number, "name": rng.choice(VOCABULARY)} for number in range(count)])


@cache
def nested(depth: int) -> str:
    """Write alternating objects and arrays, nested to the given depth."""
    return '{"inner": [' * (depth // 2) + "1" + "]}" * (depth // 2)


@cache
def wide(count: int) -> str:
    """Write one object with the given number of members."""
    rng = random.Random(5)
    return dump({f"{rng.choice(VOCABULARY)} {number}": rng.choice(VOCABULARY) for number in range(count)})


@cache
def fragments(text: str, longest: int = 8) -> list[str]:
    """Cut a text into fragments of 1 to 8 characters, as models do."""
    rng = random.Random(len(text))
    found: list[str] = []
    start = 0
    while start < len(text):
        end = start + rng.randint(1, longest)
        found.append(text[start:end])
        start = end
    return found


@cache
def library(size: int) -> str:
    """Write a large array of documents."""
    volumes = [document(200_000 + number) for number in range(5)]
    return "[" + ", ".join(volumes[number % 5] for number in range(size // 200_000)) + "]"


def pieces(text: str, size: int = 65_536) -> list[str]:
    """Cut a text into large pieces, as files are read."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def small(quick: bool) -> dict[str, str]:
    """Return the texts that are read in small fragments, by the names of their columns."""
    texts = {
        "0.1 KB": arguments(100),
        "0.5 KB": tool_call(500),
        "5 KB": document(5_000),
        "50 KB": document(50_000),
        "one 50 KB string": file_write(50_000),
    }
    if quick:
        return texts
    return texts | {
        "1 MB": document(1_000_000),
        "100 records": records(100),
        "10,000 records": records(10_000),
        "150 deep": nested(150),
    }


def volumes(size: int) -> Iterator[str]:
    """Write a `library` of the given size piece by piece, so that only a piece of it is in memory."""
    yield "["
    for number in range(size // 200_000):
        yield from pieces((", " if number else "") + document(200_000 + number % 5))
    yield "]"

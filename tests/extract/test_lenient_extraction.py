"""The lenient dialect within an answer: documents that a fence closes (rule P9), prose, and checkpoints."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from builds import BUILDS
from extraction import extracted, joined
from lenient_texts import broken
from model import cuttings
from tables import each_case

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))

FENCE = "```json\n"
Document = tuple[str, Any, list[str]]

# a text; for each document where it stands, its value and the codes of its repairs; all text around them
CASES: dict[str, tuple[str, list[Document], str]] = {
    "P9 an array": (FENCE + "[1, 2\n```\nx", [("fence", [1, 2], ["unclosed"])], "\nx"),
    "P9 an object": (FENCE + '{"a": "b"\n```\nx', [("fence", {"a": "b"}, ["unclosed"])], "\nx"),
    "P9 containers": (FENCE + '{"a": [{"b": 1\n```', [("fence", {"a": [{"b": 1}]}, ["unclosed"])], ""),
    "P9 after a comma": (FENCE + "[1,\n```", [("fence", [1], ["unclosed"])], ""),
    "P9 after a colon": (FENCE + '{"a":\n```', [("fence", {"a": None}, ["missing_value", "unclosed"])], ""),
    "P9 after a word": (FENCE + '{"a": b\n```', [("fence", {"a": "b"}, ["unquoted_value", "unclosed"])], ""),
    "P9 after a key": (FENCE + '{"a"\n```x', [("fence", {"a": None}, ["missing_value", "unclosed"])], "x"),
    "P9 after a key in tildes": ("~~~\n['a'\n~~~", [("fence", ["a"], ["single_quotes", "unclosed"])], ""),
    "P9 of four backticks": ("````\n[1\n````\nx", [("fence", [1], ["unclosed"])], "\nx"),
    "P9 a longer run": (FENCE + "[1\n`````x", [("fence", [1], ["unclosed"])], "x"),
    "P9 of tildes": ("~~~json\n[1\n~~~ x", [("fence", [1], ["unclosed"])], " x"),
    "P9 indented": ("- A:\n  ```json\n  [1\n  ```\nx", [("fence", [1], ["unclosed"])], "- A:\n  \nx"),
    "P9 not in a string": (FENCE + '["b\n```\nc"]\n```', [("fence", ["b\n```\nc"], ["raw_control"])], ""),
    "P9 not after other text": (FENCE + '["x", // ```\n2]\n```', [("fence", ["x", 2], ["comment"])], ""),
    "P9 not without a fence": ("[1\n```2```]", [("bare", [1, "2"], ["missing_comma", "triple_quotes"])], ""),
    "prose and mistakes": (
        "Here: {'a': 1,} and [b]: {c: 2,}. Done",
        [
            ("prose", {"a": 1}, ["single_quotes", "trailing_comma"]),
            ("prose", {"c": 2}, ["unquoted_key", "trailing_comma"]),
        ],
        "Here:  and [b]: . Done",
    ),
    "a closer too many is prose": ("{a: 1}}", [("bare", {"a": 1}, ["unquoted_key"])], "}"),
    "doubled braces": ('{{"a": {{"b": 1}}}}', [("prose", {"a": {"b": 1}}, ["extra_brace"])], "{}}"),
    "an escaped document": (r'It is {\"a\": 1}!', [("prose", {"a": 1}, ["escaped_quote"])], "It is !"),
}  # fmt: skip


def documents(midstream: Any, text: str) -> tuple[list[Document], str]:
    """Return the documents of a text, and the text around them."""
    found: list[Document] = []
    around = ""
    rebuilder = midstream.JsonFragmentRebuilder()
    extractor = midstream.JsonExtractor(dialect="lenient", pick="all")
    for event in [*extractor.add_fragment(text), *extractor.finish()]:
        if isinstance(event, midstream.TextDelta):
            around += event.text
        elif isinstance(event, midstream.DocumentStart):
            rebuilder.reset()
            found.append((event.where, None, []))
        elif isinstance(event, midstream.JsonFragmentUpdate):
            rebuilder.apply(event)
            where, _, codes = found.pop()
            codes += [str(event.repair.code)] if event.repair is not None else []
            found.append((where, rebuilder.value, codes))
    return found, around


@each_build
@each_case("case", CASES)
def test_documents(case: tuple[str, list[Document], str], midstream: Any) -> None:
    text, expected, around = case
    assert documents(midstream, text) == (expected, around)
    complete = extracted(midstream, [text], dialect="lenient", pick="all")
    for form in (text, text.encode()):
        for fragments in cuttings(form):
            assert extracted(midstream, fragments, dialect="lenient", pick="all") == complete, fragments


@each_build
@each_case("case", CASES)
def test_checkpoints(case: tuple[str, list[Document], str], midstream: Any) -> None:
    text = case[0]
    expected = extracted(midstream, [text], dialect="lenient", pick="all")
    for size in (1, 2, 7):
        extractor = midstream.JsonExtractor(dialect="lenient", pick="all")
        events: list[Any] = []
        for start in range(0, len(text), size):
            saved = json.loads(json.dumps(extractor.checkpoint()))
            extractor = midstream.JsonExtractor.restore(saved)
            events += extractor.add_fragment(text[start : start + size])
        assert joined([*events, *extractor.finish()]) == expected, size


@each_build
def test_any_split_of_broken_documents_in_answers(midstream: Any) -> None:
    for seed in range(60):
        rng = Random(seed)
        before, after = rng.choice(
            [("```json\n", "\n```"), ("Well: ", " So."), ("~~~\n", "\n~~~\nx"), ("", "")]
        )
        text = f"{before}{broken(seed)}{after}"
        options = {"dialect": "lenient", "pick": "all", "on_error": "event"}
        expected = extracted(midstream, [text], **options)
        assert extracted(midstream, [*text], **options) == expected, seed
        cut = rng.randrange(len(text))
        assert extracted(midstream, [text[:cut], text[cut:]], **options) == expected, seed

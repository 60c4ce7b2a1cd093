"""Calls in text whose JSON has mistakes, with ``dialect="lenient"``: whole and at random splits."""

from __future__ import annotations

import random
from typing import Any

import pytest

from builds import BUILDS
from lenient_texts import grows
from text_formats import FORMATS, TYPED, Call, Calls, joined, pieces_of, written

each_build = pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
each_json_format = pytest.mark.parametrize("format", sorted({*FORMATS} - {*TYPED}))

MARKERS = "a </tool_call> [TOOL_CALLS] <|call|> ``` <｜tool▁call▁end｜> <|tool_call_end|> ] } <|eom_id|>"
BROKEN = f"{{'city': 'Zürich', // where\n note: '{MARKERS}', 'days': [1, 2,], \"is_big\": True,}}"
VALUE = {"city": "Zürich", "note": MARKERS, "days": [1, 2], "is_big": True}
CODES = [
    "single_quotes", "single_quotes", "comment", "unquoted_key", "single_quotes", "single_quotes",
    "trailing_comma", "word", "trailing_comma",
]  # fmt: skip
PARTS: list[Any] = [
    "Look: ",
    Calls((Call("f", {"@": 1}, "functions.f:0"), Call("g", {"b": "c"}, "functions.g:1"))),
    "ok",
]


def observed(build: Any, format: Any, pieces: Any, **options: Any) -> tuple[Any, ...]:
    """Return the calls, and the text around them."""
    *_, calls = build.tool_calls(list(pieces), format, **options)
    text = "".join(build.text_deltas(list(pieces), format))
    return [(c.name, c.args, c.is_complete, [str(r.code) for r in c.repairs]) for c in calls], text.split()


@each_build
@each_json_format
def test_bodies_are_repaired_whatever_the_splits(build: Any, format: Any) -> None:
    text = written(format, PARTS).text.replace('{"@": 1}', BROKEN)
    expected = [("f", VALUE, True, CODES), ("g", {"b": "c"}, True, [])]
    calls, _ = observed(build, format, [text], dialect="lenient")
    assert calls == expected
    chance = random.Random(format)
    for _ in range(50):
        cuts = chance.sample(range(len(text)), chance.randrange(1, 5))
        assert observed(build, format, pieces_of(text, cuts), dialect="lenient")[0] == expected
    assert observed(build, format, text, dialect="lenient")[0] == expected
    # text around the calls is that of the adapter with the same dialect
    said = joined(map(build.to_event, build.messages([text], format, dialect="lenient")))
    assert "".join(event["text"] for event in said if "text" in event).split() == ["Look:", "ok"]
    # strictly, the call is not complete
    (name, _, is_complete, codes), *_ = observed(build, format, [text])[0]
    assert (name, is_complete, codes) == ("f", False, [])


@each_build
@pytest.mark.parametrize("format", FORMATS)
def test_valid_bodies_are_the_same_in_both_dialects(build: Any, format: Any) -> None:
    text = written(format, PARTS).text
    for pieces in ([text], text):
        strict = [build.to_event(message) for message in build.messages(list(pieces), format)]
        lenient = [build.to_event(m) for m in build.messages(list(pieces), format, dialect="lenient")]
        assert lenient == strict
        assert observed(build, format, pieces, dialect="lenient") == observed(build, format, pieces)


@each_build
@each_json_format
def test_a_truncated_body_is_not_repaired(build: Any, format: Any) -> None:
    text = written(format, PARTS[:2]).text.replace('{"@": 1}', BROKEN)
    begin = text.index(BROKEN)
    for length in range(begin + 1, begin + len(BROKEN), 7):
        (name, args, is_complete, _), *others = observed(build, format, [text[:length]], dialect="lenient")[0]
        assert (name, is_complete, others) == ("f", False, [])
        assert args is build.UNDEFINED or grows(args, VALUE)


@each_build
@pytest.mark.parametrize("format", ["text-hermes", "text-llama3", "text-mistral"])
def test_the_object_around_the_arguments_is_repaired(build: Any, format: Any) -> None:
    call = "{'name': 'f', /* all */ arguments: {'a': 1},}"
    text = {
        "text-hermes": f"<tool_call>{call}</tool_call>",
        "text-llama3": f"<|python_tag|>{call}",
        "text-mistral": f"[TOOL_CALLS] [{call},]",
    }[format]
    for pieces in ([text], text):
        [(name, args, is_complete, codes)] = observed(build, format, pieces, dialect="lenient")[0]
        assert (name, args, is_complete) == ("f", {"a": 1}, True)
        assert {"single_quotes", "comment"} <= {*codes}
        *_, [found] = build.tool_calls(list(pieces), format, dialect="lenient")
        assert found.is_repaired

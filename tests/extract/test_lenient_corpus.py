"""The corpus of the comparison: what models wrote, and what was meant, read by extractor and dialect."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from builds import BUILDS
from lenient_texts import grows
from model import exactly

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from corpus import read

CASES = {f"{case.kind}: {case.name}": case for case in read()}
# what the rules read otherwise than a person does; the comparison counts them as wrong
OTHERWISE = {
    # the begin of a document that the extractor takes for prose
    "commas: a comma first", "commas: a comma first of an object", "javascript: equals signs",
    "python: integers as keys",
    # and prose that it takes for one
    "prose: a line of a log before it",
    # a comma and a quote, or a line and a name, may begin the next member
    "controls: code with quotes and lines", "inner quotes: quoted words with a comma",
    "inner quotes: a query",
    # a quote at the end of a value without quotes is content
    "quotes: an opening quote of a value is missing",
}  # fmt: skip


def shown(midstream: Any, pieces: Any) -> list[Any]:
    """Return the value after each piece, and at the end."""
    extractor = midstream.JsonExtractor(dialect="lenient", on_error="event")
    rebuilder = midstream.JsonFragmentRebuilder()
    found = []
    for events in [*map(extractor.add_fragment, pieces), extractor.finish()]:
        rebuilder.apply([event for event in events if isinstance(event, midstream.JsonFragmentUpdate)])
        found.append(rebuilder.value)
    return found


@pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
def test_the_corpus(midstream: Any) -> None:
    otherwise = set()
    for name, case in CASES.items():
        *_, value = shown(midstream, [case.text])
        if value is midstream.UNDEFINED or exactly(value) != exactly(case.value):
            otherwise.add(name)
        last = midstream.UNDEFINED
        for now in shown(midstream, case.text):
            assert last is midstream.UNDEFINED or grows(last, now), name
            last = now
        assert exactly(last) == exactly(value), name
    assert otherwise == OTHERWISE

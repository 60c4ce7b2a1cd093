"""What readers of streams print about themselves: short, and where they are."""

from __future__ import annotations

from typing import Any

import pytest

from builds import BUILDS
from midstream import JsonExtractor, recordings
from midstream._repr import describe
from midstream.typed import JsonTypedAccumulator

TEXT = '{"to": "Zürich", "stops": ["Lake", "Uet'


@pytest.fixture(params=list(BUILDS.values()), ids=list(BUILDS))
def midstream(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_an_accumulator_says_how_far_it_is(midstream: Any) -> None:
    accumulator = midstream.JsonValueAccumulator()
    assert repr(accumulator) == "<JsonValueAccumulator: 0 characters read>"
    accumulator.add_fragment(TEXT)
    assert repr(accumulator) == "<JsonValueAccumulator: 39 characters read, open at root.stops[1]>"
    accumulator.add_fragment('liberg"]}')
    assert repr(accumulator) == "<JsonValueAccumulator: 48 characters read, complete>"
    accumulator = midstream.JsonFragmentAccumulator(on_error="event")
    accumulator.add_fragment("[1 2")
    assert repr(accumulator) == "<JsonFragmentAccumulator: 3 characters read, error expected_comma>"
    accumulator = midstream.JsonSelectAccumulator("to")
    accumulator.add_fragment('{"to"')
    assert repr(accumulator) == "<JsonSelectAccumulator: 5 characters read>"


def test_a_rebuilder_says_where_it_is(midstream: Any) -> None:
    rebuilder = midstream.JsonFragmentRebuilder()
    assert repr(rebuilder) == "<JsonFragmentRebuilder: nothing read>"
    accumulator = midstream.JsonFragmentAccumulator()
    rebuilder.apply(accumulator.add_fragment(TEXT))
    assert repr(rebuilder) == "<JsonFragmentRebuilder: open at root.stops[1]>"


def test_typed_and_extracted() -> None:
    typed = JsonTypedAccumulator(dict[str, int])
    typed.add_fragment('{"a": 1, "b": 2')
    assert repr(typed) == "<JsonTypedAccumulator: open at root>"
    extractor = JsonExtractor()
    extractor.add_fragment('Here: {"a": 1}')
    assert repr(extractor) == "<JsonExtractor: 14 characters read, complete>"


def test_a_recording_does_not_print_its_body() -> None:
    recording = recordings.load("trip")
    assert repr(recording).startswith("<Recording trip (openai-chat): Two tool calls")
    assert len(repr(recording)) < 120


def test_a_long_path_is_shortened(midstream: Any) -> None:
    accumulator = midstream.JsonValueAccumulator()
    accumulator.add_fragment('{"a": ' * 100 + '"')
    assert len(repr(accumulator)) < 150
    assert repr(accumulator).endswith(".a.a.a>")


def test_in_a_call(midstream: Any) -> None:
    """A hook, such as a debugger stops in, may print the accumulator; another thread sees that it is busy."""
    printed = []

    def hook(text: str) -> int:
        printed.append(repr(accumulator))
        return int(text)

    accumulator = midstream.JsonValueAccumulator(parse_int=hook)
    accumulator.add_fragment("[1, 2]")
    assert len(printed) == 2
    assert all(line.startswith("<JsonValueAccumulator: ") for line in printed)

    class Busy:
        @property
        def position(self) -> None:
            raise RuntimeError("busy")

    assert describe(Busy()) == "<Busy: busy>"

"""Reading that stops where the document ends, so that the caller can continue with other text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from builds import BUILDS
from model import characters, two_way_cuts

pytestmark = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))

# a text, the index at which its document ends, its value
TABLE: list[tuple[str, int, Any]] = [
    ("{}", 2, {}),
    ("[1] tail", 3, [1]),
    ("[1]]", 3, [1]),
    ('{"a": [1, 2]}\n```', 13, {"a": [1, 2]}),
    (' {"}": "]"}{"b": 2}', 11, {"}": "]"}),
    ('"x"y"', 3, "x"),
    ("12 tail", 2, 12),
    ("1.5e3]", 5, 1500.0),
    ("truetrue", 4, True),
    ("[1] \ud800 ü", 3, [1]),
]


def stopping(build: type[Any], **options: Any) -> Any:
    """Return an accumulator that reads one document only."""
    acc = build(**options)
    acc._stop_at_end()
    return acc


def read(acc: Any, fragments: list[Any]) -> None:
    for fragment in fragments:
        acc.add_fragment(fragment)


@pytest.mark.parametrize(("text", "end", "value"), TABLE)
def test_reading_stops_at_the_end_of_the_document(midstream: Any, text: str, end: int, value: Any) -> None:
    cuttings: list[Any] = [[text], characters(text), *two_way_cuts(text)]
    for fragments in cuttings:
        updates = stopping(midstream.JsonFragmentAccumulator)
        values = stopping(midstream.JsonValueAccumulator)
        found = [update for fragment in fragments for update in updates.add_fragment(fragment)]
        assert found[-1].kind == "JsonComplete"
        read(values, fragments)
        assert updates.position.index == values.position.index == end
        assert updates.is_complete
        assert values.value == value
        assert updates.finish() == []
        with pytest.raises(midstream.JsonStreamError, match="more input after the end"):
            updates.add_fragment("1")


def test_bytes_after_the_document_are_not_decoded(midstream: Any) -> None:
    data = b'["\xc3\xa9"]\xff\xe2\x82'
    for at in range(len(data) + 1):
        acc = stopping(midstream.JsonFragmentAccumulator)
        read(acc, [data[:at], data[at:]])
        assert acc.is_complete
        assert acc.position.index == 5
        assert acc.finish() == []


def test_a_document_begins_at_a_place_of_the_text(midstream: Any) -> None:
    text = '["a"]\nprose\n {"b": [,]}'
    acc = stopping(midstream.JsonFragmentAccumulator, on_error="event")
    acc.add_fragment(text)
    assert acc.position == (5, 1, 6)
    acc._begin_document(13, 3, 12, 0)
    acc.add_fragment("{")
    with pytest.raises(ValueError, match="still open"):
        acc._begin_document(20, 3, 12, 0)
    *_, error = acc.add_fragment('"b": [,]}')
    assert error.error[2:] == (20, 3, 9)


def test_max_document_counts_from_the_begin_of_the_document(midstream: Any) -> None:
    acc = stopping(midstream.JsonFragmentAccumulator, limits=midstream.Limits(max_document=4))
    acc.add_fragment("[12] and much more")
    acc._begin_document(100, 1, 0, 0)
    acc.add_fragment("[34]")
    assert acc.is_complete
    acc._begin_document(200, 1, 0, 0)
    with pytest.raises(midstream.JsonStreamError) as raised:
        acc.add_fragment("[345]")
    assert (raised.value.code, raised.value.index) == ("document_limit", 204)
    root = stopping(midstream.JsonFragmentAccumulator, limits=midstream.Limits(max_document=4))
    assert root.add_fragment("1234 tail")[-1].kind == "JsonComplete"


@pytest.mark.parametrize("fence", [0, 3, -4])
def test_a_checkpoint_keeps_where_reading_stopped_and_the_fence(midstream: Any, fence: int) -> None:
    acc = stopping(midstream.JsonFragmentAccumulator)
    acc._begin_document(7, 2, 5, fence)
    acc.add_fragment("[1] tail")
    data = json.loads(json.dumps(acc.checkpoint()))
    other = midstream.JsonFragmentAccumulator.restore(data)
    assert other.position == acc.position == (10, 2, 6)
    assert other.is_complete
    assert other.checkpoint() == acc.checkpoint()
    assert data["grammar"]["fence"] == fence
    del data["grammar"]["fence"]
    assert midstream.JsonFragmentAccumulator.restore(data).position == acc.position

"""The recordings are what their titles say."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from midstream import UNDEFINED, recordings, text_deltas, tool_calls
from midstream.providers import detect
from midstream.sse import decode

NAMES = recordings.NAMES


def final_calls(name: str) -> list[Any]:
    return list(tool_calls(recordings.load(name).events()))[-1]


@pytest.mark.parametrize("name", NAMES)
def test_each_is_of_its_format_and_lasts_a_few_seconds(name: str) -> None:
    recording = recordings.load(name)
    assert recording.name == name
    assert recording.title
    assert detect(recording.events()) == recording.format
    assert 60 <= len(recording.events()) <= 200


@pytest.mark.parametrize("name", NAMES)
def test_blocks_are_the_body_one_event_each(name: str) -> None:
    recording = recordings.load(name)
    assert b"".join(recording.blocks()) == recording.body
    assert all(len(list(decode([block]))) == 1 for block in recording.blocks())


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="name must be one of trip, "):
        recordings.load("../trip")


def test_trip_has_two_complete_calls_side_by_side() -> None:
    train, plan = final_calls("trip")
    assert train.is_complete
    assert plan.is_complete
    assert train.args["passengers"][0] == {"name": "Passenger five", "age": 34, "seat": "window"}
    assert plan.args["title"] == "Zürich in May 🏔️"
    assert "".join(text_deltas(recordings.load("trip").events())).endswith("🚆")


def test_trip_interleaves_its_calls_and_cuts_escapes_in_two() -> None:
    deltas = [
        call
        for event in recordings.load("trip").events()
        for choice in event["choices"]
        for call in choice["delta"].get("tool_calls", [])
    ]
    order = [delta["index"] for delta in deltas]
    assert sum(a != b for a, b in pairwise(order)) > 10
    pieces = [delta["function"]["arguments"] for delta in deltas if delta["index"] == 1]
    assert any(piece.endswith("\\ud83c") for piece in pieces)


def test_cut_is_cut_in_the_middle_of_a_string() -> None:
    search, write = final_calls("cut")
    assert search.is_complete
    assert not write.is_complete
    assert write.error.code == "truncated"
    assert write.finish_reason == "max_tokens"
    assert write.args["content"].endswith("[t for t in ")


def test_invalid_keeps_the_text_of_its_second_call() -> None:
    form, rows = final_calls("invalid")
    assert form.is_complete
    assert not rows.is_complete
    assert rows.error.code == "expected_comma"
    assert rows.raw_args.endswith('["training", "May"]}')
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(rows.raw_args)


def test_report_is_json_as_text() -> None:
    assert final_calls("report") == []
    text = "".join(text_deltas(recordings.load("report").events()))
    assert 1_400 < len(text.encode()) < 1_700
    assert json.loads(text)["contact"]["name"] == "Energy office"


def test_patch_is_free_text() -> None:
    (patch,) = final_calls("patch")
    assert patch.is_complete
    assert patch.args is UNDEFINED
    assert patch.raw_args.startswith("*** Begin Patch\n")


def test_search_has_a_result() -> None:
    (search,) = final_calls("search")
    assert search.is_complete
    assert search.args["filters"]["language"] == ["en", "no"]
    assert any(event["type"] == "tool-output-available" for event in recordings.load("search").events())

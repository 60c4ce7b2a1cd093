"""Recorded streams: those beside this file, and those shared between projects where they are present.

Beside each stream lie chunks that a chunker has given for it: one JSON string per line in ``.chunks``,
plain lines in ``.txt``. Ours must never be later.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunker_source import Readable, identical
from midstream.chunker.chunker import JsonStreamChunker, chunks

OWN = sorted((Path(__file__).parent / "streams").glob("*.jsonl"))
SHARED = Path(__file__).parents[3] / "shared" / "data" / "snapshots"
# a stream that shows unset fields as null, and numbers digit by digit
UNSET = {"tentative_nulls": True, "tentative_numbers": True}


def never_later(path: Path, recorded: list[str], **options: Any) -> None:
    """Check a stream against its chunks; the last of them belong to flush."""
    stream = path.read_text("utf-8").splitlines()
    assert len(recorded) > len(stream) > 5
    chunker, readable = JsonStreamChunker(**options), Readable()
    theirs = 0
    for number, snapshot in enumerate(stream):
        readable.add(chunker.process(snapshot))
        theirs += len(recorded[number])
        assert len(readable.text) >= theirs, f"later than recorded at snapshot {number + 1}"
    value = readable.add(chunker.flush())
    assert identical(value, json.loads(stream[-1]))
    assert len(readable.text) == len("".join(recorded))


def options_of(path: Path) -> dict[str, Any]:
    return UNSET if path.stem.endswith("-unset") else {}


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_own_streams(path: Path) -> None:
    recorded = [json.loads(line) for line in path.with_suffix(".chunks").read_text("utf-8").splitlines()]
    never_later(path, recorded, **options_of(path))


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.stem)
def test_values_give_the_same_chunks_as_text(path: Path) -> None:
    texts = path.read_text("utf-8").splitlines()
    as_text = [*chunks(texts, **options_of(path))]
    assert [*chunks(map(json.loads, texts), **options_of(path))] == as_text
    assert [*chunks(map(str.encode, texts), **options_of(path))] == as_text


def test_there_are_streams() -> None:
    assert len(OWN) >= 5


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the shared streams are missing: {SHARED}")
def test_shared_streams() -> None:
    paths = sorted(SHARED.glob("*.jsonl"))
    assert paths
    for path in paths:
        never_later(path, path.with_suffix(".txt").read_text("utf-8").split("\n"))

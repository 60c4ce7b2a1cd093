"""There and back: text to values at every cut, values to chunks, chunks to the same value."""

from __future__ import annotations

import itertools
import json
import random

from hypothesis import given
from hypothesis import strategies as st

from chunker_source import Readable, container, identical
from midstream.accumulators.values import JsonValueAccumulator
from midstream.chunker.chunker import JsonStreamChunker

UNDEFINED = JsonValueAccumulator().value


def there_and_back(pieces: list[str]) -> str:
    """Parse a text piece by piece, and write what each piece shows."""
    accumulator, chunker = JsonValueAccumulator(), JsonStreamChunker()
    text = ""
    for piece in pieces:
        accumulator.add_fragment(piece)
        if accumulator.value is not UNDEFINED:
            value = accumulator.value
            text += chunker.process(json.dumps(value) if isinstance(value, str) else value)
    accumulator.finish()
    value = accumulator.value
    return text + chunker.process(json.dumps(value) if isinstance(value, str) else value) + chunker.flush()


def test_invariant_11_there_and_back_one_character_at_a_time() -> None:
    for seed in range(150):
        rng = random.Random(seed)
        value = container(rng)
        text = json.dumps(value, ensure_ascii=seed % 2 == 0, indent=seed % 3 or None)
        assert identical(Readable().add(there_and_back([*text])), value)


def test_invariant_11_there_and_back_at_every_cut() -> None:
    text = '{"a": [1, {"b": "x\\ud83d\\ude00y", "c": []}], "d": {"e": "", "f": [true, null]}, "g": -1.5e3}'
    for cut in range(len(text) + 1):
        assert identical(Readable().add(there_and_back([text[:cut], text[cut:]])), json.loads(text))


@given(seed=st.integers(0, 2**32), cuts=st.lists(st.floats(0, 1), max_size=20))
def test_invariant_11_there_and_back_at_any_cuts(seed: int, cuts: list[float]) -> None:
    value = container(random.Random(seed))
    text = json.dumps(value)
    places = [0, *sorted(int(cut * len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]
    assert identical(Readable().add(there_and_back(pieces)), value)

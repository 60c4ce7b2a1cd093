"""What holds for every stream of the source, and for streams that contradict themselves."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker_source import (
    Certainty,
    Readable,
    beginning,
    container,
    document,
    identical,
    is_part,
    shuffled,
    size,
    snapshots,
    weight,
)
from midstream.chunker.chunker import JsonStreamChunker, PlainTextStreamChunker, chunks
from midstream.errors import ErrorCode, JsonStreamError

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARE = 0.98
# the seeds of random streams: some in the suite, and many more in `make deep ONLY=tests`
each_range = pytest.mark.parametrize(
    "seeds",
    [
        range(250),
        range(250, 500),
        *(pytest.param(range(at, at + 500), marks=pytest.mark.deep) for at in (500, 1000, 1500)),
    ],
    ids=lambda seeds: f"{seeds.start}-{seeds.stop}",
)

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
# the two surrogates of a pair are one character to every reader of JSON
texts = st.text(st.characters(codec="utf-8") | st.just("\ud83d"), max_size=12)
documents = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=25,
)


def as_given(rng: random.Random, value: Any) -> Any:
    """Return a snapshot as text or as a value."""
    if isinstance(value, str) or rng.random() < 0.5:
        return json.dumps(value, ensure_ascii=rng.random() < 0.5)
    return value


def run(rng: random.Random, document: Any) -> tuple[int, int]:
    """Chunk a stream, checking every step; weigh what was out against what was certain."""
    chunker, readable, certainty = JsonStreamChunker(), Readable(), Certainty()
    out = certain = 0
    for snapshot in snapshots(rng, document):
        value = readable.add(chunker.process(as_given(rng, snapshot)))
        assert is_part(value, snapshot)
        written, known = weight(value), certainty.learn(snapshot)
        assert written <= known, "more is out than is certain"
        out += written
        certain += known
    assert identical(readable.add(chunker.flush()), document)
    assert readable.closing == []
    return out, certain


@each_range
def test_invariant_11_chunks_of_random_streams_equal_the_last_snapshot(
    seeds: range, capsys: pytest.CaptureFixture[str]
) -> None:
    out = certain = 0
    for seed in seeds:
        rng = random.Random(seed)
        written, known = run(rng, container(rng) if seed % 10 else document(rng))
        out += written
        certain += known
    share = out / certain
    with capsys.disabled():
        print(f" [out of what is certain: {share:.2%}]", end="")
    assert share > SHARE


@given(document=documents, seed=st.integers(0, 2**32))
def test_invariant_11_chunks_of_any_document_equal_it(document: Any, seed: int) -> None:
    run(random.Random(seed), document)


@given(document=documents, seed=st.integers(0, 2**32), nulls=st.booleans(), numbers=st.booleans())
def test_invariant_11_holds_for_every_reading(document: Any, seed: int, nulls: bool, numbers: bool) -> None:
    """Tentative values cost time, never the value."""
    given_ = [json.dumps(value) for value in snapshots(random.Random(seed), document)]
    text = "".join(chunks(given_, tentative_nulls=nulls, tentative_numbers=numbers))
    assert identical(Readable().add(text), document)


def unset(value: Any, moments: int) -> Any:
    """Show a value as a partial model does: every field from the start, numbers digit by digit."""
    if isinstance(value, dict):
        shown: dict[str, Any] = dict.fromkeys(value)
        left = moments - 1
        for key, member in value.items():
            if left <= 0:
                break
            shown[key] = unset(member, left)
            left -= size(member)
        return shown
    if isinstance(value, int) and not isinstance(value, bool) and moments == 1:
        return int(str(value)[:2]) if abs(value) > 9 else value
    return beginning(value, moments)


@pytest.mark.parametrize("part", range(2))
def test_invariant_11_holds_for_unset_fields_and_growing_numbers(part: int) -> None:
    for seed in range(part, 600, 2):
        rng = random.Random(seed)
        fields = {
            f"f{index}": rng.choice([17, 123456, "some text", ["a", "b"], {"x": 5, "y": "z"}, 10.5])
            for index in range(5)
        }
        stream = [
            shuffled(rng, unset(fields, moment))
            for moment in range(1, size(fields) + 1)
            if rng.random() < 0.7
        ]
        stream.append(fields)
        chunker = JsonStreamChunker(tentative_nulls=True, tentative_numbers=True)
        written = [chunker.process(as_given(rng, snapshot)) for snapshot in stream]
        assert identical(Readable().add("".join(written) + chunker.flush()), fields)
        assert sum(map(bool, written)) > len(stream) / 4


def contradiction(rng: random.Random, value: Any) -> Any:
    """Change a value in one or two random places into anything."""
    for _ in range(rng.choice((1, 1, 2))):
        value = changed(rng, value)
    return value


def changed(rng: random.Random, value: Any) -> Any:
    if isinstance(value, (dict, list)) and value and rng.random() < 0.85:
        value = value.copy()
        key = rng.choice([*value]) if isinstance(value, dict) else rng.randrange(len(value))
        if rng.random() < 0.2:
            del value[key]
        else:
            value[key] = changed(rng, value[key])
        return value
    if isinstance(value, str) and value and rng.random() < 0.5:
        return value[: rng.randrange(len(value))]
    return document(rng, 2)


def state(chunker: Any) -> Any:
    """Lay out everything a chunker knows."""
    if isinstance(chunker, (dict, list, tuple)):
        members = chunker.items() if isinstance(chunker, dict) else enumerate(chunker)
        return type(chunker), [(key, state(member)) for key, member in members]
    if hasattr(chunker, "__dict__") and not isinstance(chunker, type):
        return type(chunker), [
            (name, state(member)) for name, member in vars(chunker).items() if name != "_reading"
        ]
    slots = getattr(type(chunker), "__slots__", None)
    if slots:
        return type(chunker), [(name, state(getattr(chunker, name))) for name in slots]
    return type(chunker), repr(sorted(chunker) if isinstance(chunker, set) else chunker)


@each_range
def test_a_refused_snapshot_leaves_no_trace(seeds: range) -> None:
    refused = 0
    codes = set()
    for seed in seeds:
        rng = random.Random(seed)
        value = container(rng)
        disturbed, plain = JsonStreamChunker(), JsonStreamChunker()
        text = ""
        for snapshot in snapshots(rng, value):
            if rng.random() < 0.5:
                before = state(disturbed)
                try:
                    text += disturbed.process(
                        contradiction(rng, snapshot) if rng.random() < 0.95 else object()
                    )
                except JsonStreamError as error:
                    refused += 1
                    codes.add(error.code)
                    assert state(disturbed) == before
                else:
                    # taken: what was held may have changed, so from here on the two differ
                    break
            chunk = plain.process(snapshot)
            assert disturbed.process(snapshot) == chunk
            text += chunk
        else:
            assert identical(json.loads(text + disturbed.flush()), value)
    assert refused > len(seeds) / 4
    assert codes == {ErrorCode.CONFLICT, ErrorCode.INVALID_SNAPSHOT}


@each_range
def test_an_override_is_right_for_readers_to_whom_the_last_key_counts(seeds: range) -> None:
    overrides = refused = 0
    codes = set()
    for seed in seeds:
        rng = random.Random(seed)
        value = container(rng)
        chunker = JsonStreamChunker(
            on_conflict="override", tentative_nulls=seed % 3 == 0, tentative_numbers=seed % 5 == 0
        )
        text, last = "", None
        for snapshot in snapshots(rng, value):
            shown = contradiction(rng, snapshot) if rng.random() < 0.2 else snapshot
            before = state(chunker)
            try:
                text += chunker.process(as_given(rng, shown))
                last = shown
            except JsonStreamError as error:
                codes.add(error.code)
                assert state(chunker) == before
                refused += 1
        assert identical(json.loads(text + chunker.flush()), last)
        overrides += chunker.overrides
    assert overrides > 250
    assert refused > 30
    assert codes == {ErrorCode.CONFLICT}


def confusions(value: Any) -> Iterator[Any]:
    """Put numbers for booleans and booleans for numbers, one at a time, where Python calls them equal."""
    if isinstance(value, (dict, list)):
        for key, member in list(value.items()) if isinstance(value, dict) else list(enumerate(value)):
            for other in confusions(member):
                twin = value.copy()
                twin[key] = other
                yield twin
    elif not isinstance(value, str) and value in (0, 1):
        yield int(value) if isinstance(value, bool) else bool(value)


def test_a_boolean_is_never_taken_for_a_number() -> None:
    tried = 0
    for seed in range(150):
        rng = random.Random(seed)
        value = container(rng)
        for other in confusions(value):
            assert value == other
            for before, now, after in (
                # written at once; followed, then closed; followed, then complete but for its closing tokens
                ({"k": "", "v": value}, {"k": "", "v": value, "s": "x"}, {"k": "", "v": other, "s": "x"}),
                ({"v": value}, {"v": value, "s": "x"}, {"v": other, "s": "x"}),
                ({"v": value}, {"v": value, "s": "x", "t": "y"}, {"v": other, "s": "x", "t": "y"}),
            ):
                chunker = JsonStreamChunker()
                chunker.process(before)
                chunker.process(now)
                with pytest.raises(JsonStreamError):
                    chunker.process(after)
            tried += 1
    assert tried > 150


@settings(deadline=None)
@given(st.lists(st.text(), max_size=8))
def test_plain_text_chunks_joined_are_the_last_text(pieces: list[str]) -> None:
    complete = ["".join(pieces[: end + 1]) for end in range(len(pieces))]
    chunker = PlainTextStreamChunker()
    assert "".join(map(chunker.process, complete)) + chunker.flush() == (complete or [""])[-1]

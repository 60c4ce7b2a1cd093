"""The numbered promises of typed streams: random types, random texts, random cuts.

The oracle is one `TypeAdapter.validate_json` of the complete text, and the calls that it makes of what the
user has written. MIDSTREAM_FUZZ_EXAMPLES sets how many examples each property tries.
"""

from __future__ import annotations

import importlib
import json
import os
import random
from collections import Counter
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

from builds import BUILDS
from costs import assert_linear
from msgspec_models import MsgspecMaker
from typed_models import CALLS, Maker, pieces_of, text_of, text_with_duplicates

if TYPE_CHECKING:
    from collections.abc import Callable

each_build = pytest.mark.parametrize(
    "typed",
    [importlib.import_module(f"{build.__name__}.typed") for build in BUILDS.values()],
    ids=list(BUILDS),
)
examples = settings(max_examples=int(os.environ.get("MIDSTREAM_FUZZ_EXAMPLES", "30")))
seeds = st.integers(0, 10**9)
TEXTS = 3


def cases(seed: int, write: Any = text_of) -> Any:
    """Make a type and some texts for it, each with what pydantic makes of it and what it calls."""
    spec = Maker(seed).spec(3)
    # without the validators that classes already have: since pydantic 2.12, those of a recursive model that
    # is not the root run its own model validators twice
    adapter = TypeAdapter(spec.type)
    oracle: Any = SchemaValidator(adapter.core_schema, _use_prebuilt=False)
    rng = random.Random(seed)
    for _ in range(TEXTS):
        text = write(spec.value(rng), rng)
        CALLS.clear()
        # of two equal keys the last one counts
        counted = text if write is text_of else json.dumps(json.loads(text))
        try:
            expected = oracle.validate_json(counted)
        except ValidationError:
            # the names of unions in errors depend on the validators that are used
            expected = error_of(adapter, counted)
        yield spec.type, text, expected, Counter(CALLS), rng


def error_of(adapter: TypeAdapter[Any], text: str) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        adapter.validate_json(text)
    return caught.value


@each_build
@given(seed=seeds)
@examples
def test_t1_and_t2_the_result_and_the_calls_are_those_of_one_validation(typed: Any, seed: int) -> None:
    for type, text, expected, calls, rng in cases(seed):
        CALLS.clear()
        accumulator = typed.JsonTypedAccumulator(type)
        for piece in pieces_of(text, rng):
            accumulator.add_fragment(piece)
        accumulator.finish()
        assert accumulator.is_complete
        assert accumulator.raw == json.loads(text)
        if isinstance(expected, ValidationError):
            assert accumulator.errors
            assert all(is_place(accumulator.raw, error) for error in accumulator.errors)
            with pytest.raises(typed.TypedStreamError) as caught:
                _ = accumulator.result
            # in the library's own words
            assert str(caught.value.native()) == str(expected)
        else:
            assert accumulator.errors == []
            assert repr(accumulator.result) == repr(expected)
            assert accumulator.result == expected
            assert Counter(CALLS) - Counter() == calls


def is_place(value: Any, error: Any) -> bool:
    """Report whether an error is at a value of the text, or at a member that is missing."""
    *above, last = error.segments or (None,)
    for segment in above:
        value = value[segment]
    if isinstance(value, dict):
        return last is None or last in value or error.code == "missing"
    return last is None or (isinstance(value, list) and last < len(value))


@each_build
@given(seed=seeds)
@examples
def test_t1_of_a_duplicate_key_the_last_value_counts(typed: Any, seed: int) -> None:
    for type, text, expected, _, rng in cases(seed, text_with_duplicates):
        accumulator = typed.JsonTypedAccumulator(type)
        for piece in pieces_of(text, rng):
            accumulator.add_fragment(piece)
        accumulator.finish()
        assert accumulator.raw == json.loads(text)
        assert bool(accumulator.errors) == isinstance(expected, ValidationError)
        if not accumulator.errors:
            assert repr(accumulator.result) == repr(expected)
            assert accumulator.state() == "final"


@each_build
@given(seed=seeds)
@examples
def test_t1_and_t2_with_msgspec(typed: Any, seed: int) -> None:
    spec = MsgspecMaker(seed).spec(3)
    decoder = msgspec.json.Decoder(spec.type)
    rng = random.Random(seed)
    for _ in range(TEXTS):
        text = text_of(spec.value(rng), rng)
        CALLS.clear()
        try:
            expected: Any = decoder.decode(text)
        except msgspec.ValidationError as error:
            expected = error
        calls = Counter(CALLS)
        CALLS.clear()
        accumulator = typed.JsonTypedAccumulator(spec.type, library="msgspec")
        for piece in pieces_of(text, rng):
            accumulator.add_fragment(piece)
        accumulator.finish()
        if isinstance(expected, msgspec.ValidationError):
            with pytest.raises(typed.TypedStreamError) as caught:
                _ = accumulator.result
            assert str(caught.value.native()) == str(expected)
        else:
            assert accumulator.errors == []
            assert repr(accumulator.result) == repr(expected)
            assert calls == CALLS


def instances(partial: Any, typed: Any) -> Any:
    """Find what a partial shows that is not a view."""
    from_views = importlib.import_module(f"{typed.__name__}.views")
    if isinstance(partial, from_views.ModelView):
        for _, value in from_views._members(partial):
            yield from instances(value, typed)
    elif isinstance(partial, from_views.ListView):
        for value in partial:
            yield from instances(value, typed)
    elif isinstance(partial, from_views.DictView):
        for value in partial.values():
            yield from instances(value, typed)
    else:
        yield partial


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Yield the paths of a JSON value and of all its parts."""
    yield path
    if isinstance(value, (dict, list)):
        for step, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths_in(part, (*path, step))


@each_build
@given(seed=seeds)
@examples
def test_t3_what_was_reported_does_not_change(typed: Any, seed: int) -> None:
    for type, text, expected, _, rng in cases(seed):
        accumulator = typed.JsonTypedAccumulator(type)
        seen: dict[Any, Any] = {}
        kept: list[tuple[Any, str, str]] = []
        states: dict[Any, str] = {}
        for piece in pieces_of(text, rng):
            for event in accumulator.add_fragment(piece):
                assert (event.kind, event.segments) not in seen
                seen[event.kind, event.segments] = (event, repr(event))
            snapshot = accumulator.snapshot
            kept.append((snapshot, repr(snapshot.partial), repr(snapshot.raw)))
            reported = {id(event.value) for event, _ in seen.values() if event.kind == "complete"}
            for shown in instances(snapshot.partial, typed):
                assert not isinstance(shown, BaseModel) or id(shown) in reported
            for kind, segments in seen:
                assert snapshot.state(segments) == ("final" if kind == "complete" else "invalid")
            # of all values, not only of those that were reported
            states_before = states
            if snapshot.state() != "absent":
                states = {path: snapshot.state(path) for path in paths_in(snapshot.raw)}
            assert [
                path for path, state in states_before.items() if state not in ("open", states[path])
            ] == []
            for path, state in states.items():
                assert state != "final" or any(
                    ("complete", path[:depth]) in seen for depth in range(len(path) + 1)
                )
        accumulator.finish()
        for snapshot, partial, raw in kept:
            assert (repr(snapshot.partial), repr(snapshot.raw)) == (partial, raw)
        for event, written in seen.values():
            assert repr(event) == written
        if not isinstance(expected, ValidationError) and ("complete", ()) in seen:
            assert seen["complete", ()][0].value is accumulator.result


@each_build
@given(seed=seeds)
@examples
def test_t4_events_come_with_the_character_that_determines_them(typed: Any, seed: int) -> None:
    for type, text, _, _, rng in cases(seed):
        accumulator = typed.JsonTypedAccumulator(type)
        by_character: list[tuple[int, str]] = []
        ends = ends_of(text)
        for index, character in enumerate(text):
            for event in accumulator.add_fragment(character):
                by_character.append((index, repr(event)))
                if event.kind == "complete":
                    # never before the text of the value has ended
                    assert index >= ends[event.segments]
        by_character += [(len(text), repr(event)) for event in accumulator.finish()]
        accumulator = typed.JsonTypedAccumulator(type)
        by_piece: list[tuple[int, str]] = []
        at = 0
        for piece in pieces_of(text, rng):
            at += len(piece)
            by_piece += [(at, repr(event)) for event in accumulator.add_fragment(piece)]
        by_piece += [(len(text) + 1, repr(event)) for event in accumulator.finish()]
        assert [event for _, event in by_piece] == [event for _, event in by_character]
        boundaries = [0]
        for piece_end, _ in by_piece:
            boundaries.append(piece_end)
        for (piece_end, _), (index, _) in zip(by_piece, by_character, strict=True):
            # the piece that has the character, not a later one
            assert index < piece_end


def ends_of(text: str) -> dict[tuple[Any, ...], int]:
    """Find the index of the last character of each value."""
    ends: dict[tuple[Any, ...], int] = {}
    decoder = json.JSONDecoder()

    def skip(at: int) -> int:
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        return at

    def scan(at: int, path: tuple[Any, ...]) -> int:
        at = skip(at)
        if text[at] not in "{[":
            _, end = decoder.raw_decode(text, at)
            ends[path] = end - 1
            return end
        closing = "}" if text[at] == "{" else "]"
        index = 0
        at = skip(at + 1)
        while text[at] != closing:
            if text[at] == ",":
                at = skip(at + 1)
            step: Any = index
            if closing == "}":
                step, at = decoder.raw_decode(text, at)
                at = skip(at) + 1
            at = skip(scan(at, (*path, step)))
            index += 1
        ends[path] = at
        return at + 1

    scan(0, ())
    return ends


class Item(BaseModel):
    title: str
    count: int
    tags: list[str]


class Document(BaseModel):
    name: str
    items: list[Item]


def document(size: int) -> list[str]:
    items = [
        {"title": f"item {number}", "count": number, "tags": ["red", "blue"]} for number in range(size // 50)
    ]
    text = json.dumps({"name": "document", "items": items})
    return [text[at : at + 5] for at in range(0, len(text), 5)]


@each_build
def test_t5_the_time_is_linear(typed: Any) -> None:
    def prepare(size: int) -> Any:
        pieces = document(size)

        def run() -> None:
            for snapshot in typed.typed_values(pieces, Document):
                _ = snapshot.partial

        return run

    assert_linear(prepare, 3_000)


@each_build
def test_t5_one_long_string_is_linear(typed: Any) -> None:
    def prepare(size: int) -> Any:
        pieces = ['{"name": "', *["text "] * (size // 5), '", "items": []}']

        def run() -> None:
            length = 0
            for snapshot in typed.typed_values(pieces, Document):
                length = len(snapshot.partial.name)
            assert length >= size

        return run

    assert_linear(prepare, 10_000)


class Cat(BaseModel, extra="allow"):
    kind: Literal["cat"]


class Dog(BaseModel, extra="allow"):
    kind: Literal["dog"]


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]
KIND, OTHER_KIND = '"kind": "cat"', '"kind": "dog"'
# how an object with n members is written: each repeats a key in a way that could cost n
REPEATED: dict[str, tuple[Any, Callable[[int], str]]] = {
    "the same tag": (Pet, lambda n: f'"kind": "cat", {members(n)}, {", ".join(n * [KIND])}'),
    "two tags in turn": (
        Pet, lambda n: f'"kind": "cat", {members(n)}, {", ".join(n // 2 * [OTHER_KIND, KIND])}',
    ),
    "a tag that is unknown": (Pet, lambda n: f'"kind": "cow", {members(n)}, {", ".join(n * [KIND])}'),
    "what was invalid": (dict[str, str], lambda n: f"{members(n)}, {members(n)}"),
    "one key": (dict[str, int], lambda n: ", ".join(n * ['"key": "x"'])),
}  # fmt: skip


def members(count: int) -> str:
    return ", ".join(f'"key {number}": {number}' for number in range(count))


@each_build
@pytest.mark.parametrize("name", REPEATED)
def test_t5_repeated_keys_are_linear(typed: Any, name: str) -> None:
    type, write = REPEATED[name]

    def prepare(size: int) -> Any:
        text = f"{{{write(size)}}}"
        pieces = [text[at : at + 8] for at in range(0, len(text), 8)]
        return lambda: [*typed.typed_values(pieces, type)]

    assert_linear(prepare, 150)


@each_build
def test_t6_a_complete_model_keeps_its_identity(typed: Any) -> None:
    seen: dict[int, Any] = {}
    snapshot = None
    for snapshot in typed.typed_values(document(600), Document):
        for event in snapshot.events:
            if len(event.segments) == 2:
                assert isinstance(event.value, Item)
                seen[event.segments[1]] = event.value
        for index, item in seen.items():
            assert snapshot.partial.items[index] is item
    assert snapshot is not None
    assert len(seen) == len(snapshot.result.items) == 12
    assert all(snapshot.result.items[index] is item for index, item in seen.items())


def models_in(value: Any, typed: Any) -> Any:
    """Find the instances of the user's classes in a partial or a result."""
    if isinstance(value, BaseModel) or is_dataclass(value):
        yield value
        value = vars(value)
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple, set, frozenset)):
        shown = [*instances(value, typed)]
        value = () if shown == [value] else shown
    for part in value:
        yield from models_in(part, typed)


@each_build
@given(seed=seeds)
@examples
def test_t6_no_complete_model_is_replaced(typed: Any, seed: int) -> None:
    for type, text, expected, _, rng in cases(seed):
        if isinstance(expected, ValidationError):
            continue
        accumulator = typed.JsonTypedAccumulator(type)
        complete: dict[int, Any] = {}
        for piece in pieces_of(text, rng):
            for event in accumulator.add_fragment(piece):
                complete |= {id(model): model for model in models_in(event.value, typed)}
            assert complete.keys() <= {id(model) for model in models_in(accumulator.partial, typed)}
        for event in accumulator.finish():
            complete |= {id(model): model for model in models_in(event.value, typed)}
        assert complete.keys() == {id(model) for model in models_in(accumulator.result, typed)}


@each_build
@given(seed=seeds)
@examples
def test_t7_no_more_is_read_than_is_needed(typed: Any, seed: int) -> None:
    for type, text, _, _, rng in cases(seed):
        pieces = pieces_of(text, rng)
        accumulator = typed.JsonTypedAccumulator(type)
        needed = 0
        for piece in pieces:
            accumulator.add_fragment(piece)
            needed += 1
            if accumulator.errors:
                break
        log: list[str] = []

        def source(pieces: Any = pieces, log: Any = log) -> Any:
            try:
                for piece in pieces:
                    log.append(piece)
                    yield piece
            finally:
                log.append("closed")

        # the source is kept, so that nothing but the rule closes it
        fragments = source()
        if accumulator.errors:
            with pytest.raises(typed.TypedStreamError):
                for _ in typed.typed_values(fragments, type, on_invalid="raise"):
                    pass
            assert log == [*pieces[:needed], "closed"]
        else:
            snapshots = typed.typed_values(fragments, type)
            for _ in range(rng.randint(1, 3)):
                next(snapshots, None)
            read = len(log)
            snapshots.close()
            assert log[-1] == "closed"
            assert len(log) <= read + 1


@each_build
@pytest.mark.parametrize("way", ["close", "raise", "error"])
def test_t7_an_early_end_closes_the_source(typed: Any, way: str) -> None:
    log: list[str] = []

    def source() -> Any:
        try:
            yield '{"name": '
            yield {"close": '"a"', "raise": "5", "error": "x"}[way]
            yield ', "items": []}'
            log.append("read to the end")
        finally:
            log.append("closed")

    # the source is kept, so that nothing but the rule closes it
    fragments = source()
    snapshots = typed.typed_values(fragments, Document, on_invalid="raise")
    next(snapshots)
    if way == "close":
        next(snapshots)
        snapshots.close()
    else:
        with pytest.raises(ValueError, match="Input should be" if way == "raise" else "expected a value"):
            next(snapshots)
    assert log == ["closed"]

"""Where the chunker's rules have an edge: what counts as the same, as absent, as too deep, as wrong."""

from __future__ import annotations

from typing import Any

import pytest

from midstream.chunker.chunker import JsonStreamChunker, PlainTextStreamChunker, chunks
from midstream.chunker.compare import first_difference, path_to_difference, same
from midstream.errors import JsonStreamError

# deeper than the standard library's encoder goes
DEEP = 1_200


def place_of(error: JsonStreamError) -> tuple[int, int, int]:
    return error.index, error.line, error.column


# What counts as the same


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (True, 1.0), (False, 0)])
def test_a_boolean_is_no_number(one: Any, other: Any) -> None:
    assert path_to_difference(one, other) == []
    assert not same(one, other)
    assert not same([one], [other])
    assert not same({"a": [one]}, {"a": [other]})
    assert first_difference([2, {"a": one}], [2, {"a": other}]) == (1, "a")


def test_equal_booleans_are_the_same_wherever_they_stand() -> None:
    for value in (True, False):
        assert path_to_difference(value, value) is None
        assert first_difference([value, {"a": value}], [value, {"a": value}]) is None
        assert same([value, {"a": value}, 1], [value, {"a": value}, 1.0])


def test_numbers_are_the_same_by_their_worth() -> None:
    large = 10**30
    for one, other in ((1, 1.0), (large, int(str(large))), (0, -0.0)):
        assert path_to_difference(one, other) is None
        assert first_difference([one, {"a": one}], [other, {"a": other}]) is None
    assert path_to_difference("text", "other") == []


@pytest.mark.parametrize("count", range(1, 5))
def test_an_array_of_tentative_nulls_is_an_empty_one(count: int) -> None:
    assert same([None] * count, [], nulls_absent=True)
    assert same([[], *[None] * count], [[None] * count], nulls_absent=True)
    assert not same([1, *[None] * count], [], nulls_absent=True)
    assert not same([None] * count, [])


# What is written by default


def test_a_null_and_a_number_are_values_unless_they_are_tentative() -> None:
    stream = [{"a": None, "b": 1}]
    assert list(chunks(stream)) == ['{"a":null,"b":1', "}"]
    assert list(chunks(stream, tentative_nulls=True)) == ['{"b":1', ',"a":null}']
    assert list(chunks(stream, tentative_numbers=True)) == ['{"a":null', ',"b":1}']


def test_the_options_of_chunks_go_by_their_names() -> None:
    with pytest.raises(TypeError):
        chunks([], "override")  # type: ignore[call-arg]
    assert list(chunks(snapshots=[[]])) == ["[", "]"]


@pytest.mark.parametrize("count", [7, 8, 9, 10, 30])
def test_any_number_of_members_is_written_without_brackets(count: int) -> None:
    items = [*range(count)]
    assert list(chunks([items])) == ["[" + ",".join(map(str, items)), "]"]
    members = {f"k{item}": item for item in items}
    assert list(chunks([members])) == ["{" + ",".join(f'"k{item}":{item}' for item in items), "}"]


def test_an_empty_last_item_waits_until_its_array_closes() -> None:
    chunker = JsonStreamChunker()
    assert chunker.process({"a": ["x"]}) == '{"a":["x'
    # the array is final, but of the two new ones nothing shows which grows, so nothing closes it yet
    assert chunker.process({"a": ["x", "y", ""], "b": ["p"], "c": ["q"]}) == '","y"'
    assert chunker.flush() == ',""],"b":["p"],"c":["q"]}'


def test_a_snapshot_that_comes_again_says_nothing() -> None:
    chunker = JsonStreamChunker(tentative_numbers=True)
    # a number that may continue waits after a string that has just grown
    for snapshot, chunk in (
        (["ab"], '["ab'),
        (["abc", 1], "c"),
        (["abc", 12], '"'),
        (["abc", 12, ""], ',12,"'),
    ):
        assert [chunker.process(snapshot) for _ in range(3)] == [chunk, "", ""], snapshot


def test_what_joins_further_up_is_written_with_a_correction_further_down() -> None:
    chunker = JsonStreamChunker(on_conflict="override")
    assert chunker.process({"a": {"b": "x"}}) == '{"a":{"b":"x'
    assert chunker.process({"a": {"b": "y"}, "z": 1}) == '","b":"y"},"z":1'
    assert (chunker.flush(), chunker.overrides) == ("}", 1)


def test_what_is_corrected_is_final_if_a_key_has_joined_beside_it() -> None:
    chunker = JsonStreamChunker(on_conflict="override")
    assert chunker.process({"a": {"b": "x"}}) == '{"a":{"b":"x'
    assert chunker.process({"a": {"b": "y", "c": 1}}) == '","c":1,"b":"y"'
    chunker = JsonStreamChunker(on_conflict="override")
    assert chunker.process({"a": {"b": "x"}}) == '{"a":{"b":"x'
    assert chunker.process({"a": {"b": "y"}}) == '","b":"y'


# What is deep


@pytest.mark.parametrize("shape", ["arrays", "objects", "both"])
def test_what_is_too_deep_for_the_encoder_is_written_all_the_same(shape: str) -> None:
    before, after = {
        "arrays": ('[0,"é",', ',{},[],"\\""]'),
        "objects": ('{"a":0,"\\"":', ',"z":{},"\ue000":[]}'),
        "both": ('[{"a":null,"b":', ',"c":"x"},true]'),
    }[shape]
    text = before * DEEP + "1" + after * DEEP
    chunker = JsonStreamChunker()
    # two of them: nothing shows which one grows, so both are held, and then written completely
    start = chunker.process(f'{{"p":{text},"q":[1]}}')
    assert (start, chunker.flush()) == ("{", f'"p":{text},"q":[1]}}')


def test_a_lone_surrogate_is_escaped_at_any_depth() -> None:
    text = "[" * DEEP + '"\\ud83d"' + "]" * DEEP
    chunker = JsonStreamChunker()
    assert chunker.process(f'{{"p":{text},"q":[1]}}') + chunker.flush() == f'{{"p":{text},"q":[1]}}'


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_what_is_written_is_compared_at_any_depth(opening: str, closing: str) -> None:
    def nested(inmost: str) -> str:
        return opening * DEEP + inmost + closing * DEEP

    for first, more, end in (('{"p":', ',"q":', "}"), ("[", ",", "]")):
        chunker = JsonStreamChunker()
        text = chunker.process(f"{first}{nested('1')}{end}")
        text += chunker.process(f'{first}{nested("1")}{more}"x"{end}')
        for inmost in ("true", "2"):
            with pytest.raises(JsonStreamError):
                chunker.process(f'{first}{nested(inmost)}{more}"xy"{end}')
        complete = f'{first}{nested("1")}{more}"xy"{end}'
        assert text + chunker.process(complete) + chunker.flush() == complete


# What is wrong, and where


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"\xff", (0, 1, 1)),
        (b'["ab\xff', (4, 1, 5)),
        (b'["\xc3\xa9\xff', (3, 1, 4)),
        (b"[\n\xff", (2, 2, 1)),
        (b'[1,\n\n "\xff', (7, 3, 3)),
    ],
)
def test_bytes_that_are_no_text_are_wrong_at_their_place(data: bytes, place: tuple[int, int, int]) -> None:
    for chunker in (JsonStreamChunker(), PlainTextStreamChunker()):
        with pytest.raises(JsonStreamError) as raised:
            chunker.process(data)
        assert (raised.value.code, place_of(raised.value)) == ("invalid_snapshot", place)


@pytest.mark.parametrize("value", [object(), {1: 2}, {"a": float("nan")}, [10**5000]])
def test_a_value_that_is_no_json_has_a_path_and_no_place(value: Any) -> None:
    with pytest.raises(JsonStreamError) as raised:
        JsonStreamChunker().process(value)
    assert (raised.value.code, place_of(raised.value)) == ("invalid_snapshot", (0, 1, 1))


class Model:
    """What gives itself as something else."""

    def __init__(self, form: object) -> None:
        self.form = form

    def model_dump(self) -> object:
        return self.form


def test_a_model_may_be_null_but_no_other_model() -> None:
    assert list(chunks([[Model(None)]])) == ["[null", "]"]
    with pytest.raises(JsonStreamError) as raised:
        JsonStreamChunker().process({"a": Model(Model({}))})
    assert (raised.value.code, raised.value.path) == ("invalid_snapshot", "root.a")


def test_after_the_end_of_the_text_there_is_no_place() -> None:
    for chunker in (JsonStreamChunker(), PlainTextStreamChunker()):
        chunker.flush()
        with pytest.raises(JsonStreamError) as raised:
            chunker.process("[]")
        assert (raised.value.code, place_of(raised.value)) == ("after_finish", (0, 1, 1))


def test_of_several_contradictions_the_first_in_the_snapshot_is_named() -> None:
    chunker = JsonStreamChunker()
    chunker.process({"a": 1, "b": 2, "c": 3})
    for snapshot in ({"c": 3, "b": 0, "a": 0}, {"b": 0, "c": 0, "a": 0}):
        with pytest.raises(JsonStreamError) as raised:
            chunker.process(snapshot)
        assert raised.value.path == "root.b"
    assert (chunker.process({"a": 1, "b": 2, "c": 3}), chunker.flush()) == ("", "}")

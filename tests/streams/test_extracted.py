"""The option ``extract`` of `select`, `first` and `typed_values`: the results of the document alone."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS
from model import cuttings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))

DOCUMENTS = {
    "strict": '{"days": [1, 25], "city": "Zü```rich"}',
    "lenient": "{'days': [1, 25,], // why\n city: 'Zü```rich',}",
}
VALUE = {"days": [1, 25], "city": "Zü```rich"}
AROUND = {
    "nothing": ("", ""),
    "prose": ("See [1] and {name}: ", " Enjoy!"),
    "a fence": ("Here:\n```json\n", "\n```\nEnjoy!"),
    "reasoning": ('<think>{"days": [9]}?</think>\n', "\n"),
}
each_dialect = pytest.mark.parametrize("dialect", DOCUMENTS)


class Source:
    """Fragments, how many of them were read, and whether they were closed."""

    def __init__(self, fragments: Any) -> None:
        self.fragments = iter(fragments)
        self.read = 0
        self.is_closed = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        fragment: str = next(self.fragments)
        self.read += 1
        return fragment

    def close(self) -> None:
        self.is_closed = True


def until_error(stream: Any) -> tuple[list[Any], Any]:
    """Return the items of an iterator, and the error that ended it."""
    items = []
    try:
        for item in stream:
            items.append(item)  # noqa: PERF402  # what precedes an error is wanted
    except ValueError as error:
        return items, error
    return items, None


async def arriving(fragments: Any) -> Any:
    for fragment in fragments:
        yield fragment


async def collected(stream: Any) -> list[Any]:
    return [item async for item in stream]


def plain(matches: Any) -> list[tuple[Any, Any]]:
    return [(match.segments, match.value) for match in matches]


def typed(midstream: Any) -> Any:
    return import_module(f"{midstream.__name__}.typed")


def aio(midstream: Any) -> Any:
    return import_module(f"{midstream.__name__}.aio")


@each_build
@each_dialect
@pytest.mark.parametrize("around", AROUND)
def test_select_finds_the_same_as_in_the_document_alone(midstream: Any, dialect: Any, around: str) -> None:
    begin, end = AROUND[around]
    text = begin + DOCUMENTS[dialect] + end
    expected = [(("days", 0), 1), (("days", 1), 25), (("city",), "Zü```rich")]
    for fragments in (*cuttings(text), *cuttings(text.encode())):
        matches = midstream.select(fragments, ["days[*]", "city"], dialect=dialect, extract=True)
        assert plain(matches) == expected, fragments
        (root,) = midstream.select(fragments, "$", dialect=dialect, extract=True, to_end=True)
        assert root.value == VALUE
        assert midstream.first(fragments, "city", dialect=dialect, extract=True) == "Zü```rich"


@each_build
@each_dialect
def test_partial_matches_grow_as_in_the_document_alone(midstream: Any, dialect: Any) -> None:
    begin, end = AROUND["a fence"]
    options: dict[str, Any] = {"partial": True, "dialect": dialect}
    document = DOCUMENTS[dialect]
    expected = list(midstream.select([*document], "city", **options))
    found = list(midstream.select([*begin, *document, *end], "city", extract=True, **options))
    assert found == expected
    assert not found[0].is_final


@each_build
def test_every_document_is_searched_on_request(midstream: Any) -> None:
    text = 'One {"a": 1, "b": 0}, none in {"b": 2}, and\n```json\n{"a": [3]}\n```\n'
    for fragments in cuttings(text):
        for pick, expected in (("first", [1]), ("all", [1, [3]]), ("last", [1, [3]])):
            matches = midstream.select(fragments, "a", extract=True, pick=pick)
            assert [match.value for match in matches] == expected, fragments
        limited = midstream.select(fragments, "*", extract=True, pick="all", limit=3)
        assert plain(limited) == [(("a",), 1), (("b",), 0), (("b",), 2)]
    text = 'none in {"b": 2}, one in {"a": 1}'
    assert midstream.first(text, "a", extract=True, pick="all") == 1
    with pytest.raises(midstream.NoMatch):
        midstream.first(text, "a", extract=True)
    assert midstream.first(text, "a", extract=True, default=None) is None


@each_build
def test_reading_ends_with_the_search(midstream: Any) -> None:
    # with the last possible match; with the document; and with the text
    pieces = ['Sure: {"a": 1,', ' "b": 2', "} ", "So", ' {"a": 3}', "."]
    for path, options, expected, read in (
        ("a", {}, [1], 1),
        ("a", {"to_end": True}, [1], 3),
        ("c", {}, [], 3),
        ("*", {}, [1, 2], 3),
        ("a", {"pick": "all"}, [1, 3], 6),
        ("a", {"pick": "all", "limit": 2}, [1, 3], 5),
    ):
        source = Source(pieces)
        found = midstream.select(source, path, extract=True, **options)
        assert [match.value for match in found] == expected
        # a comma ends the number: the piece after it is not read
        assert (source.read, source.is_closed) == (read, read < len(pieces)), (path, options)


@each_build
def test_a_match_is_yielded_before_the_document_ends(midstream: Any) -> None:
    source = Source(['So: {"a": 1, ', '"b": [2, ', "3", "]}"])
    matches = midstream.select(source, "*", extract=True)
    assert (next(matches).value, source.read) == (1, 1)
    assert (next(matches).value, source.read) == ([2, 3], 4)


FAILURES = {
    "no_json": ("Sorry, I can not.", []),
    "truncated": ('So: {"a": 1, "b": 2, "c": tru', [1, 2]),
    "invalid_literal": ('So: {"a": 1, "b": 2, "c": tru}', [1, 2]),
}


@each_build
@pytest.mark.parametrize("code", FAILURES)
def test_what_precedes_an_error_is_yielded_first(midstream: Any, code: str) -> None:
    text, expected = FAILURES[code]
    for fragments in cuttings(text):
        matches, error = until_error(midstream.select(fragments, "*", extract=True))
        assert ([match.value for match in matches], error.code) == (expected, code), fragments


@each_build
def test_matches_are_converted_to_their_type(midstream: Any) -> None:
    text = 'So: {"a": "2024-01-15"} or {"a": 1, "b": "x"}'
    dates = midstream.select(text, "a", str, extract=True)
    assert [match.value for match in dates] == ["2024-01-15"]
    found, error = until_error(midstream.select(text, "a", str, extract=True, pick="all"))
    assert ([match.value for match in found], type(error)) == (["2024-01-15"], midstream.TypedStreamError)
    matches = midstream.select(text, "a", str, extract=True, pick="all", on_invalid="match")
    assert [bool(match.errors) for match in matches] == [False, True]


@each_build
def test_options_without_meaning_are_refused(midstream: Any) -> None:
    def uses(**options: Any) -> list[Callable[[], Any]]:
        return [
            lambda: midstream.select("1", "a", **options),
            lambda: midstream.first("1", "a", **options),
            lambda: aio(midstream).select(arriving([]), "a", **options),
        ]

    for use in (*uses(pick="all"), *uses(thinking="open")):
        with pytest.raises(ValueError, match=r"^pick and thinking have no meaning without extract=True$"):
            use()
    for use in uses(extract=True, after_root="next"):
        with pytest.raises(ValueError, match=r"^after_root has no meaning with extract=True"):
            use()
    for use in uses(extract=True, pick="none"):
        with pytest.raises(ValueError, match=r"^pick must be one of 'first',"):
            use()
    with pytest.raises(ValueError, match=r"^pick must be one of 'first', 'all', not 'last'$"):
        midstream.first("{}", "a", extract=True, pick="last")
    for home in (typed(midstream), aio(midstream)):
        with pytest.raises(ValueError, match=r"^thinking has no meaning without extract=True$"):
            home.typed_values([], int, thinking=None)
        with pytest.raises(ValueError, match=r"^thinking must be one of"):
            home.typed_values([], int, extract=True, thinking="loud")


@each_build
@each_dialect
@pytest.mark.parametrize("around", AROUND)
def test_typed_values_are_those_of_the_document_alone(midstream: Any, dialect: Any, around: str) -> None:
    begin, end = AROUND[around]
    document = DOCUMENTS[dialect]
    text = begin + document + end
    streams = typed(midstream)
    for fragments in cuttings(text):
        *_, last = streams.typed_values(fragments, dict[str, Any], dialect=dialect, extract=True)
        assert (last.result, last.is_complete, last.errors) == (VALUE, True, []), fragments
        assert bool(last.repairs) == (dialect == "lenient")
    alone = streams.typed_values([*document], dict[str, Any], dialect=dialect)
    expected = [(snapshot.raw, snapshot.is_complete) for snapshot in alone]
    found = streams.typed_values([*begin, *document, *end], dict[str, Any], dialect=dialect, extract=True)
    assert [(snapshot.raw, snapshot.is_complete) for snapshot in found] == expected


@each_build
def test_typed_values_end_with_the_first_document(midstream: Any) -> None:
    source = Source(['So: {"a": ', "2} or", ' {"b', '": 3}'])
    snapshots = list(typed(midstream).typed_values(source, dict[str, int], extract=True))
    assert [(snapshot.raw, snapshot.is_complete) for snapshot in snapshots] == [({}, False), ({"a": 2}, True)]
    assert (source.read, source.is_closed) == (2, True)


@each_build
@pytest.mark.parametrize("code", FAILURES)
def test_the_last_snapshot_precedes_an_error(midstream: Any, code: str) -> None:
    text, _ = FAILURES[code]
    expected = {} if code == "no_json" else {"a": 1, "b": 2}
    for fragments in cuttings(text):
        found, error = until_error(typed(midstream).typed_values(fragments, dict[str, Any], extract=True))
        assert error.code == code, fragments
        assert (found[-1].raw if found else {}) == expected, fragments


@each_build
def test_a_value_that_is_invalid_ends_typed_values_on_request(midstream: Any) -> None:
    text = 'So: {"a": "x"}.'
    for fragments in cuttings(text):
        stream = typed(midstream).typed_values(fragments, dict[str, int], extract=True, on_invalid="raise")
        with pytest.raises(midstream.TypedStreamError):
            list(stream)
        *_, last = typed(midstream).typed_values(fragments, dict[str, int], extract=True)
        assert last.is_complete
        assert [error.path for error in last.errors] == ["root.a"]


@each_build
@each_dialect
def test_the_asynchronous_twins_agree(midstream: Any, dialect: Any) -> None:
    twins = aio(midstream)

    async def main() -> None:
        for begin, end in AROUND.values():
            text = begin + DOCUMENTS[dialect] + end + json.dumps({"city": 1})
            options: dict[str, Any] = {"extract": True, "dialect": dialect}
            for fragments in ([text], [*text]):
                for more in ({}, {"pick": "all"}, {"partial": True}, {"to_end": True}):
                    matches = await collected(twins.select(arriving(fragments), "city", **options, **more))
                    assert matches == list(midstream.select(fragments, "city", **options, **more))
                value = await twins.first(arriving(fragments), "city", **options)
                assert value == midstream.first(fragments, "city", **options) == VALUE["city"]
                found = await collected(twins.typed_values(arriving(fragments), dict[str, Any], **options))
                expected = typed(midstream).typed_values(fragments, dict[str, Any], **options)
                assert [each.raw for each in found] == [each.raw for each in expected]
                values = await collected(twins.values(arriving(fragments), **options))
                assert values == list(midstream.values(fragments, **options))
                updates = await collected(twins.updates(arriving(fragments), **options))
                assert updates == list(midstream.updates(fragments, **options))

    asyncio.run(main())

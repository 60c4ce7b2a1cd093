"""Selections: the table of the rules, a naive model as the oracle, early stop, types."""

from __future__ import annotations

import asyncio
import json
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import midstream as compiled
from builds import BUILDS, PLAIN
from costs import assert_linear
from selection_model import ANY, Members, expected, fits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))


def steps(midstream: Any, pattern: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(midstream.ANY if step == ANY else step for step in pattern)


def found(midstream: Any, fragments: Any, patterns: list[Any], **options: Any) -> list[Any]:
    paths = [steps(midstream, pattern) for pattern in patterns]
    return [
        (match.segments, match.value, paths.index(match.pattern))
        for match in midstream.select(fragments, paths, **options)
    ]


def until_error(matches: Any) -> tuple[list[Any], Any]:
    """Return the matches before an error, and the error."""
    seen: list[Any] = []
    try:
        for match in matches:
            seen.append(match)  # noqa: PERF402  # a comprehension would lose them
    except ValueError as error:
        return seen, error
    pytest.fail("no error")


def two_way(text: str) -> Iterator[list[str]]:
    return ([text[:at], text[at:]] for at in range(len(text) + 1))


def cuttings(text: str) -> Iterator[list[str]]:
    yield [text]
    yield list(text)
    yield from two_way(text)


# --- the table: a document, a path, what is found, and how far the text is read

DOCUMENT = (
    '{"id": 7, "items": [{"title": "a\\u00e9", "n": [1, 2]}, {"title": "b"}, 3, "x"], "*": {"1": true}}'
)

TABLE: dict[str, tuple[str, list[tuple[str, Any]]]] = {
    "the root": ("$", [("root", json.loads(DOCUMENT))]),
    "the root by name": ("root", [("root", json.loads(DOCUMENT))]),
    "no path is the root": ("", [("root", json.loads(DOCUMENT))]),
    "a member": ("id", [("root.id", 7)]),
    "a member below the root": ("$.id", [("root.id", 7)]),
    "an item": ("items[1].title", [("root.items[1].title", "b")]),
    "every item": (
        "items[*]",
        [
            ("root.items[0]", {"title": "aé", "n": [1, 2]}),
            ("root.items[1]", {"title": "b"}),
            ("root.items[2]", 3),
            ("root.items[3]", "x"),
        ],
    ),
    "a member of every item": (
        "root.items[*].title",
        [("root.items[0].title", "aé"), ("root.items[1].title", "b")],
    ),
    "every member": (
        "$.*",
        [("root.id", 7), ("root.items", json.loads(DOCUMENT)["items"]), ("root.*", {"1": True})],
    ),
    "brackets mean members, too": (
        "items[0][*]",
        [("root.items[0].title", "aé"), ("root.items[0].n", [1, 2])],
    ),
    "the key *": ('["*"]', [("root.*", {"1": True})]),
    "single quotes": ("['*']['1']", [("root.*.1", True)]),
    "a key is no index": ('items["1"]', []),
    "an index is no key": ('["*"][1]', []),
    "a wildcard in the middle": ("*[*].n[1]", [("root.items[0].n[1]", 2)]),
    "not there": ("nowhere.at.all", []),
    "below a number": ("id.x", []),
    "past the end": ("items[9]", []),
}


@each_build
@pytest.mark.parametrize("name", TABLE)
def test_table(midstream: Any, name: str) -> None:
    path, matches = TABLE[name]
    for fragments in cuttings(DOCUMENT):
        selected = list(midstream.select(fragments, path))
        assert [(match.path, match.value) for match in selected] == matches
        assert all(match.is_final and match.pattern == path and match.errors == () for match in selected)


# how many characters of the text are read at most: the search ends with the character in front of the bar
ENDS = {
    "a string ends": ("a", '{"a": "b"|, "c": 1}'),
    "a container ends": ("a", '{"a": [1, [2]]|, "c": 1}'),
    "a number ends with the next character": ("a", '{"a": 12,| "c": 1}'),
    "an array of matches ends": ("a[*]", '{"a": [1, 2]|, "c": 1}'),
    "an empty array ends": ("a[*].b", '{"a": []|, "c": 1}'),
    "an item": ("a[1]", '{"a": [1, 2,| 3]}'),
    "the root is of another kind": ("a", "[|1]"),
    "an object where an item was wanted": ("a[0]", '{"a": {|"b": 1}}'),
    "an array where a member was wanted": ("a.b", '{"a": [|1]}'),
    "a string where a container was wanted": ("a[*]", '{"a": "|b"}'),
    "a number where a container was wanted": ("a[0]", '{"a": 1|2}'),
    "a literal where a member was wanted": ("a.b", '{"a": n|ull}'),
    "the container ends without it": ("a.b", '{"a": {"c": 1}|, "d": 1}'),
    "the last of several": (["a", "b"], '{"b": 1, "a": "2"|, "c": 3}'),
    "a wildcard waits for its container": ("*.b", '{"a": {"b": 1}, "c": 2}|'),
    "several documents in one fragment": ("a", '{"a": "b"|} {"a": "c"} x'),
}


@each_build
@pytest.mark.parametrize("name", ENDS)
def test_the_search_ends_as_soon_as_nothing_more_can_match(midstream: Any, name: str) -> None:
    path, text = ENDS[name]
    before, _, after = text.partition("|")
    acc = midstream.JsonSelectAccumulator(path)
    for character in before[:-1]:
        acc.add_fragment(character)
        assert not acc.is_done
    acc.add_fragment(before[-1])
    assert acc.is_done
    # what follows is not read, be it in the same fragment or not
    assert acc.add_fragment(after) == acc.add_fragment("}}]]no JSON") == acc.finish() == []
    selected = list(midstream.select(before, path))
    for at in range(len(before) + 1):
        fragments = [before[:at], before[at:] + after + "}}]]no JSON", "never read"]
        assert list(midstream.select(fragments, path)) == selected


@each_build
def test_to_end_reads_on_and_checks(midstream: Any) -> None:
    text = '{"a": 1, "b": 2, "a": 3}'
    for fragments in cuttings(text):
        assert [m.value for m in midstream.select(fragments, "a")] == [1]
        assert [m.value for m in midstream.select(fragments, "a", to_end=True)] == [1, 3]
        assert [m.value for m in midstream.select(fragments, ["a", "b"], limit=1, to_end=True)] == [1]
    for broken, code in (('{"a": 1, x}', "expected_key"), ('{"a": 1, "b"', "truncated")):
        for fragments in cuttings(broken):
            assert midstream.first(fragments, "a") == 1
            matches = midstream.select(fragments, "a", to_end=True)
            assert next(matches).value == 1
            with pytest.raises(midstream.JsonStreamError) as info:
                next(matches)
            assert info.value.code == code


@each_build
def test_inner_matches_come_before_outer_ones(midstream: Any) -> None:
    text = '{"a": {"b": [1, {"c": "d"}]}, "e": 0}'
    for fragments in cuttings(text):
        paths = [m.path for m in midstream.select(fragments, ["$", "a", "a.b[*]", "a.b[1].c", "*"])]
        assert paths == [
            "root.a.b[0]", "root.a.b[1].c", "root.a.b[1]", "root.a", "root.a", "root.e", "root",
        ]  # fmt: skip


@each_build
def test_a_place_that_matches_several_paths_is_reported_for_each(midstream: Any) -> None:
    matches = list(midstream.select('{"a": [1]}', ["a[*]", "a[0]", ("a", midstream.ANY)]))
    assert [m.pattern for m in matches] == ["a[*]", "a[0]", ("a", midstream.ANY)]
    assert {m.segments for m in matches} == {("a", 0)}


@each_build
def test_limit(midstream: Any) -> None:
    for fragments in cuttings("[1, 2, 3, 4] no JSON"):
        assert [m.value for m in midstream.select(fragments, "[*]", limit=2)] == [1, 2]
    for limit in (0, -1, True, "1", 1.0):
        with pytest.raises(ValueError, match="limit"):
            midstream.select("[]", "[*]", limit=limit)


@each_build
def test_every_document_is_searched(midstream: Any) -> None:
    text = '{"a": 1} [2]\n{"a": 3}"a" {"a": 4}'
    for fragments in cuttings(text):
        selected = midstream.select(fragments, "a", after_root="next")
        assert [m.value for m in selected] == [1, 3, 4]
        selected = midstream.select(fragments, "a", after_root="next", limit=2)
        assert [m.value for m in selected] == [1, 3]
        complete = midstream.select(fragments, "$", after_root="next")
        assert [m.value for m in complete] == [{"a": 1}, [2], {"a": 3}, "a", {"a": 4}]
    assert [m.value for m in midstream.select("12 13", "$", after_root="next")] == [12, 13]


@each_build
@pytest.mark.parametrize("paths", [["a"], ["a", "b"], ["a", "b", "c"], ["c", "b", "a", "a.x"]])
def test_every_path_is_searched_in_every_document(midstream: Any, paths: list[str]) -> None:
    text = '{"a": 1, "b": 2, "c": 3} {"a": 4, "b": 5, "c": 6} {"c": 7}'
    for fragments in cuttings(text):
        found = [(m.path, m.value) for m in midstream.select(fragments, paths, after_root="next")]
        values = {"root.a": [1, 4], "root.b": [2, 5], "root.c": [3, 6, 7]}
        assert {path: [v for p, v in found if p == path] for path, _ in found} == {
            path: values[path] for path in values if path.removeprefix("root.") in paths
        }


@each_build
def test_the_limit_counts_each_match_of_a_place(midstream: Any) -> None:
    for to_end in (False, True):
        for limit in (1, 2, 3):
            selected = midstream.select("[1, 2]", ["[*]", "[0]", "[1]"], limit=limit, to_end=to_end)
            assert [match.value for match in selected] == [1, 1, 2][:limit]


@each_build
def test_keys_may_be_of_a_subclass_of_str(midstream: Any) -> None:
    class Key(str):
        __slots__ = ()

    [match] = midstream.select('{"a": 1}', (Key("a"),))
    assert (match.value, match.segments) == (1, ("a",))


@each_build
def test_text_after_the_root(midstream: Any) -> None:
    for after_root in ("error", "ignore"):
        assert list(midstream.select("[1] x", "[*].b", after_root=after_root)) == []
    with pytest.raises(midstream.JsonStreamError, match="after the"):
        list(midstream.select("[1] x", "[*]", to_end=True))
    assert len(list(midstream.select("[1] x", "[*]", to_end=True, after_root="ignore"))) == 1


@each_build
def test_paths_and_type_may_be_named_and_options_must(midstream: Any) -> None:
    accumulator = midstream.JsonSelectAccumulator(paths="a", type=None)
    assert [match.value for match in accumulator.add_fragment('{"a": 1')] == []
    assert [match.value for match in accumulator.add_fragment("}")] == [1]
    with pytest.raises(TypeError, match="positional"):
        midstream.JsonSelectAccumulator("a", None, True)


# --- partial


@each_build
def test_partial_matches_grow_as_values_do(midstream: Any) -> None:
    text = '{"a": "b\\u00e9\\n", "c": [1, {"d": "ef", "g": null}, [[]]], "h": 12}'
    for fragments in cuttings(text):
        seen = [match.value for match in midstream.select(fragments, "$", partial=True)]
        assert seen == list(midstream.values(fragments))
        inner = [m.value for m in midstream.select(fragments, "c", partial=True)]
        shown = [v["c"] for v in midstream.values(fragments) if "c" in v]
        assert [v for i, v in enumerate(inner) if i == 0 or v != inner[i - 1]] == [
            v for i, v in enumerate(shown) if i == 0 or v != shown[i - 1]
        ]


@each_build
def test_the_order_of_partial_matches(midstream: Any) -> None:
    acc = midstream.JsonSelectAccumulator(["a", "a.b", "c"], partial=True)
    calls = ['{"a": {"b": "x', "y", 'z", "q": 1', "}", ', "c": "1', '2"', "}"]
    assert [[(m.pattern, m.value, m.is_final) for m in acc.add_fragment(call)] for call in calls] == [
        [("a.b", "x", False), ("a", {"b": "x"}, False)],
        [("a.b", "xy", False), ("a", {"b": "xy"}, False)],
        [("a.b", "xyz", True), ("a", {"b": "xyz"}, False)],
        [("a", {"b": "xyz", "q": 1}, True)],
        [("c", "1", False)],
        [("c", "12", True)],
        [],
    ]


@each_build
def test_open_items_and_their_array_grow_together(midstream: Any) -> None:
    text = '{"a": ["b", "cd", [1], "efg"]}'
    for fragments in cuttings(text):
        shown = [value["a"] for value in midstream.values(fragments) if "a" in value]
        matches = [*midstream.select(fragments, ["a", "a[*]"], partial=True)]
        arrays = [match.value for match in matches if match.pattern == "a"]
        assert [value for i, value in enumerate(arrays) if i == 0 or value != arrays[i - 1]] == [
            value for i, value in enumerate(shown) if i == 0 or value != shown[i - 1]
        ]
        items = {match.segments: match.value for match in matches if match.pattern == "a[*]"}
        assert items == {("a", 0): "b", ("a", 1): "cd", ("a", 2): [1], ("a", 3): "efg"}


@each_build
def test_partial_values_never_change(midstream: Any) -> None:
    text = '{"a": [{"b": "cd"}, [1, 2], "ef"], "g": 1}'
    kept = [(m.value, json.dumps(m.value)) for m in midstream.select(list(text), ["a", "a[*]"], partial=True)]
    assert all(json.dumps(value) == written for value, written in kept)


@each_build
def test_what_precedes_an_error_is_delivered(midstream: Any) -> None:
    text = '{"a": "b", "c": ["d", tru?'
    for fragments in cuttings(text):
        seen, error = until_error(midstream.select(fragments, ["a", "c[*]"]))
        assert [match.value for match in seen] == ["b", "d"]
        assert (error.code, error.path) == ("invalid_literal", "root.c[1]")
    acc = midstream.JsonSelectAccumulator("*")
    with pytest.raises(midstream.JsonStreamError) as info:
        acc.add_fragment('{"a": 1, 2')
    assert [m.value for m in info.value.matches] == [1]
    assert pickle.loads(pickle.dumps(info.value)).matches == info.value.matches
    with pytest.raises(midstream.JsonStreamError) as info:
        acc.add_fragment("}")
    assert info.value.matches == []


ERRORS = [
    '{"a": [{"b": tru?',
    '{"a": [1, [2, "x\n',
    '[1, {"a" 1}',
    '{"a": 1',
    "[[1], 2,]",
    '[1, 2, 3, "x\n',
    "[1, 2, [3], 4, tru?",
    '{"a": {"b":}}',
    "?",
]


@each_build
@pytest.mark.parametrize("text", ERRORS)
@pytest.mark.parametrize("path", ["q[*]", "$.*", "a[*].b", "zz"])
def test_errors_are_those_of_values(midstream: Any, text: str, path: str) -> None:
    for fragments in cuttings(text):
        runs: list[Any] = [
            midstream.values(fragments),
            midstream.select(fragments, [path, "$"], to_end=True),
        ]
        errors = [until_error(run)[1] for run in runs]
        errors = [(error.error, error.path) for error in errors]
        assert errors[0] == errors[1]


# --- paths

REFUSED = [
    "a[-1]", "a[1:2]", "a[:]", "a[?@.b]", "a[0,1]", "a['x','y']", 'a["x", "y"]', "a..b", "$..b", "..",
    "a[", "a]", "a.", ".a", "a b", "a[01]", "a['x", 'a["x]', "a.[0]", "a[0]b", "*.", "$$.",
    "a[1.5]", "a['\\x']", "a[\"\\'\"]",
]  # fmt: skip


@each_build
@pytest.mark.parametrize("path", REFUSED)
def test_refused_paths(midstream: Any, path: str) -> None:
    calls: list[Any] = [midstream.select, midstream.first, midstream.aio.select]
    for call in calls:
        with pytest.raises(midstream.JsonStreamError) as info:
            call([], path)
        assert info.value.code == "invalid_path"
    with pytest.raises(midstream.JsonStreamError) as info:
        midstream.select([], ("a", -1))
    assert info.value.code == "invalid_path"


NAMES, BRACKETS = "expected a name", "expected an index, a quoted key"
UNION, SLICES = "a union is written as a list of paths", "slices are not supported"
REASONS: dict[Any, tuple[int, str]] = {
    "a[-1]": (1, "a negative index counts from the end"),
    "ab[1:2]": (2, SLICES),
    "a[-1:]": (1, SLICES),
    "a[0].b[:]": (6, SLICES),
    "a[?@.b]": (1, "filters are not supported"),
    "a[0,1]": (1, UNION),
    "a[*, 1]": (1, UNION),
    "a['x' , 'y']": (1, UNION),
    "a..b": (1, "'..' is not supported"),
    "..": (0, "'..' is not supported"),
    "a[": (1, BRACKETS),
    "a[01]": (1, BRACKETS),
    "a.b['x": (3, BRACKETS),
    'a["x]': (1, BRACKETS),
    "a]": (1, NAMES),
    ".a": (0, "a path has no dot at its beginning"),
    "a.[0]": (1, NAMES),
    "a[0]bc": (4, NAMES),
    "a[0]/bc": (4, NAMES),
    "/a/0": (0, "a JSON Pointer is not supported"),
    ("a", -1): (0, "a negative index counts from the end"),
}


@each_build
@pytest.mark.parametrize("path", REASONS, ids=str)
def test_the_error_of_a_path_says_where_and_why(midstream: Any, path: Any) -> None:
    index, reason = REASONS[path]
    with pytest.raises(midstream.JsonStreamError) as info:
        midstream.select([], path)
    error = info.value
    assert (error.index, error.line, error.column) == (index, 1, index + 1)
    assert str(error).startswith(f"invalid path: {reason}")


@each_build
def test_what_is_no_path(midstream: Any) -> None:
    for paths in (None, 1, ("a", None), ("a", True), [None], {"a", "b"}, b"a"):
        with pytest.raises(TypeError):
            midstream.select([], paths)
    nothing: list[Any] = [[], {}]
    for empty in nothing:
        with pytest.raises(ValueError, match="no path"):
            midstream.select([], empty)


@each_build
def test_paths_are_those_of_parse_path(midstream: Any) -> None:
    keys = ["a", "$x", "#x", "!", "root2", "e.mail", "", "a b", "'", '"', "\\", "*", "é", "1", "a]b"]
    for key in keys:
        value = {key: [{key: 1}]}
        (match,) = midstream.select(json.dumps(value), (key, 0, key))
        for path in (match.path, midstream.parse_path(match.path)):
            if "*" not in key:
                assert midstream.first(json.dumps(value), path) == 1
    assert midstream.first('{"root": {"$": 1}}', "root.root.$") == 1
    assert midstream.first('{"$": 1}', '["$"]') == 1
    for key in ("#x", "!", "$x", "**", "*x"):
        assert midstream.first(json.dumps({"a": 1, key: 2}), key) == 2
    assert midstream.first('{"it\'s": {"\\"": 1}}', "['it\\'s']['\"']") == 1
    assert midstream.first('{"\\u00e9\\n": 1}', "['\\u00e9\\n']") == 1


# --- first


@each_build
def test_first(midstream: Any) -> None:
    for fragments in cuttings('{"a": [1, 2], "b": null}'):
        assert midstream.first(fragments, "a[*]") == 1
        assert midstream.first(fragments, "b") is None
        assert midstream.first(fragments, "c", default=None) is None
        with pytest.raises(midstream.NoMatch, match="without a match: c") as info:
            midstream.first(fragments, "c")
        assert isinstance(info.value, LookupError)
        assert isinstance(info.value, midstream.JsonStreamError)
        assert info.value.code == "no_match"
    for fragments in cuttings('{"a": [1, 2], "b'):
        with pytest.raises(midstream.JsonStreamError) as info:
            midstream.first(fragments, "c", default=0)
        assert info.value.code == "truncated"
    assert midstream.first("12", "$") == 12


@each_build
def test_hooks_and_limits(midstream: Any) -> None:
    assert midstream.first("[1.50]", "[0]", parse_float=str) == "1.50"
    with pytest.raises(midstream.JsonStreamError) as info:
        midstream.first('["abc"]', "[1]", limits=midstream.Limits(max_string=2))
    assert info.value.code == "string_limit"


# --- early stop


class Stream:
    """Count what is read, and how often it is closed."""

    def __init__(self, fragments: list[str]) -> None:
        self.rest = iter(fragments)
        self.read, self.closed = 0, 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        fragment = next(self.rest)
        self.read += 1
        return fragment

    def close(self) -> None:
        self.closed += 1


PIECES = ['{"a": 1, ', '"b": [1,', "2], ", '"c": "d"', "}"]


@each_build
@pytest.mark.parametrize(
    ("path", "options", "read"),
    [("a", {}, 1), ("b", {}, 3), ("b[0]", {}, 2), ("b[*]", {"limit": 1}, 2), ("c", {}, 4), ("x", {}, 5)],
)
def test_an_early_stop_closes_the_source(midstream: Any, path: str, options: Any, read: int) -> None:
    source = Stream(PIECES)
    matches = midstream.select(source, path, **options)
    found = next(matches, None)
    # before the last match is delivered, not after
    assert (source.read, source.closed) == (read, 1)
    assert next(matches, None) is None
    assert (found is None) == (path == "x")
    closed = []

    def model() -> Iterator[str]:
        try:
            yield from PIECES
        finally:
            closed.append(True)

    assert len(list(midstream.select(model(), path, **options))) <= 1
    assert closed == [True]
    for options_of_owner in ({"close": False}, {"to_end": True}):
        source = Stream(PIECES)
        list(midstream.select(source, path, **options, **options_of_owner))
        assert source.closed == 0
    source = Stream(PIECES)
    midstream.first(source, path, default=None)
    assert (source.read, source.closed) == (read, 1)


@each_build
def test_leaving_early_and_errors_close_the_source(midstream: Any) -> None:
    source = Stream(["[1,", "2,", "3]"])
    matches = midstream.select(source, "[*]")
    next(matches)
    matches.close()
    assert source.closed == 1
    source = Stream(["[1,", "x", "]"])
    with pytest.raises(midstream.JsonStreamError):
        list(midstream.select(source, "[*]"))
    assert (source.read, source.closed) == (2, 1)


@each_build
def test_async_twins(midstream: Any) -> None:
    closed = []

    async def model() -> AsyncIterator[str]:
        try:
            for piece in PIECES:
                yield piece
        finally:
            closed.append(True)

    async def main() -> None:
        aio = midstream.aio
        assert [m.value async for m in aio.select(model(), ["a", "b[*]"])] == [1, 1, 2]
        assert await aio.first(model(), "b") == [1, 2]
        assert len(closed) == 2
        assert await aio.first(model(), "x", default=5) == 5
        with pytest.raises(midstream.NoMatch):
            await aio.first(model(), "x")
        matches = aio.select(model(), "*", partial=True)
        assert (await anext(matches)).value == 1
        await matches.aclose()
        assert len(closed) == 5

        async def broken() -> AsyncIterator[str]:
            yield "[1, x"

        matches = aio.select(broken(), "[*]")
        assert (await anext(matches)).value == 1
        with pytest.raises(midstream.JsonStreamError):
            await anext(matches)

    asyncio.run(main())


@each_build
def test_life_cycle(midstream: Any) -> None:
    acc = midstream.JsonSelectAccumulator("a")
    for _ in range(2):
        assert [m.value for m in acc.add_fragment(b'{"a": "\xc3\xa9"')] == ["é"]
        assert acc.is_done
        acc.reset()
        assert not acc.is_done
    with pytest.raises(TypeError, match="checkpoint"):
        acc.checkpoint()
    inner: list[str] = []

    def hook(text: str) -> int:
        with pytest.raises(RuntimeError, match="busy"):
            acc.add_fragment("1")
        inner.append(text)
        return int(text)

    acc = midstream.JsonSelectAccumulator("[*]", parse_int=hook)
    acc.add_fragment("[1, 2]")
    assert inner == ["1", "2"]
    with pytest.raises(TypeError, match="fragment"):
        midstream.JsonSelectAccumulator("a").add_fragment(1)
    for option, value in (("on_invalid", "skip"), ("after_root", "stop"), ("limits", 3)):
        with pytest.raises((ValueError, TypeError), match=option):
            midstream.select([], "a", **{option: value})


@each_build
def test_a_match_is_plain_data(midstream: Any) -> None:
    match = midstream.Match(("a", 0), 1, "a[*]")
    assert repr(match) == "Match('root.a[0]', 1)"
    assert repr(match._replace(is_final=False)) == "Match('root.a[0]', 1, is_final=False)"
    assert match == midstream.first("[0]", "[0]", default=match) or match.path == "root.a[0]"
    assert pickle.loads(pickle.dumps(match)) == match
    match match:
        case midstream.Match(value=1, segments=("a", index)):
            assert index == 0
        case _:
            pytest.fail("no match")


# --- the model as the oracle

keys = st.sampled_from(["a", "b", "c", "1", "*"])
scalars = st.one_of(st.none(), st.booleans(), st.integers(-20, 20), st.sampled_from(["", "a", "xyz", "é\n"]))
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.lists(st.tuples(keys, inner), max_size=4).map(Members),
    max_leaves=20,
)
patterns = st.lists(st.one_of(keys, st.integers(0, 2), st.just(ANY)), max_size=3).map(tuple)


def written(value: Any) -> str:
    if isinstance(value, Members):
        return "{" + ", ".join(f"{json.dumps(key)}: {written(member)}" for key, member in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


@st.composite
def splits(draw: Any, text: str) -> list[str]:
    at = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    return [text[i:j] for i, j in zip([0, *at], [*at, len(text)], strict=True)]


@given(
    st.data(),
    documents,
    st.lists(patterns, min_size=1, max_size=5, unique=True),
    st.none() | st.integers(1, 4),
)
def test_selections_are_those_of_the_model(
    data: Any, document: Any, paths: list[Any], limit: int | None
) -> None:
    text = written(document)
    to_end = data.draw(st.booleans())
    fragments = data.draw(splits(text))
    right = expected(text, paths, limit, to_end)
    for midstream in (compiled, PLAIN):
        assert found(midstream, fragments, paths, limit=limit, to_end=to_end) == right
        assert found(midstream, list(text), paths, limit=limit, to_end=to_end) == right
        partial = midstream.select(
            fragments, [steps(midstream, path) for path in paths], limit=limit, to_end=to_end, partial=True
        )
        assert [m.value for m in partial if m.is_final] == [value for _, value, _ in right]


COMPLETE = {"EndObject", "EndArray", "CompleteString", "CompleteNumber", "CompleteBoolean", "CompleteNull"}


@given(documents, st.lists(patterns, min_size=1, max_size=3, unique=True))
def test_a_match_is_returned_by_the_call_that_completes_it(document: Any, paths: list[Any]) -> None:
    for midstream in (compiled, PLAIN):
        acc = midstream.JsonSelectAccumulator([steps(midstream, path) for path in paths], to_end=True)
        updates = midstream.JsonFragmentAccumulator()
        for character in written(document) + " ":
            complete = [u.segments for u in updates.add_fragment(character) if u.kind in COMPLETE]
            right = [place for place in complete for path in paths if fits(path, place)]
            assert [match.segments for match in acc.add_fragment(character)] == right


@given(documents, patterns)
def test_no_snapshot_changes_afterwards(document: Any, path: Any) -> None:
    for midstream in (compiled, PLAIN):
        matches = midstream.select(list(written(document)), steps(midstream, path), partial=True)
        kept = [(match.value, json.dumps(match.value)) for match in matches]
        assert all(json.dumps(value) == text for value, text in kept)


# --- types


def test_pydantic_types() -> None:
    from datetime import date

    from pydantic import BaseModel, ConfigDict, ValidationError

    class Item(BaseModel):
        model_config = ConfigDict(strict=True)
        title: str
        day: date | None = None

    text = '{"items": [{"title": "a", "day": "2026-01-02"}, {"title": 1, "x": 2}, {"title": "c"}], "n": 1}'
    for fragments in cuttings(text):
        seen, failure = until_error(compiled.select(fragments, "items[*]", Item))
        assert [match.value for match in seen] == [Item(title="a", day=date(2026, 1, 2))]
        (error,) = failure.errors
        assert (error.segments, error.path, error.code) == (
            ("items", 1, "title"),
            "root.items[1].title",
            "string_type",
        )
        assert isinstance(failure.native(), ValidationError)
        matches = list(compiled.select(fragments, {"items[*]": Item, "n": None}, on_invalid="match"))
        assert [m.value for m in matches] == [seen[0].value, compiled.UNDEFINED, Item(title="c"), 1]
        assert [len(m.errors) for m in matches] == [0, 1, 0, 0]
        # a match is immutable
        assert all(isinstance(m.errors, tuple) for m in matches)
    assert compiled.first('{"a": "12"}', "a", int) == 12
    assert compiled.first('{"a": {"1": 2}}', "a", dict[int, int]) == {1: 2}


def test_an_invalid_value_ends_the_stream() -> None:
    source = Stream(["[1, 2, ", '"x", 4', "]"])
    with pytest.raises(compiled.TypedStreamError):
        list(compiled.select(source, "[*]", int))
    assert (source.read, source.closed) == (2, 1)
    acc = compiled.JsonSelectAccumulator("[*]", int)
    with pytest.raises(compiled.TypedStreamError) as info:
        acc.add_fragment('[1, "x", 3]')
    assert [m.value for m in info.value.matches] == [1]
    with pytest.raises(compiled.TypedStreamError):
        acc.add_fragment("4")
    # an invalid value that precedes bad JSON is reported, not the JSON
    with pytest.raises(compiled.TypedStreamError):
        list(compiled.select('["x", ?', "[*]", int))


def test_each_path_has_its_type_whatever_else_a_call_completes() -> None:
    text = '{"a": 1, "b": "2", "c": "x"}'
    found = [match.value for match in compiled.select(text, {"a": None, "b": int})]
    assert found == [1, 2]
    with pytest.raises(compiled.TypedStreamError) as info:
        compiled.JsonSelectAccumulator({"a": None, "c": int}).add_fragment(text)
    assert [match.value for match in info.value.matches] == [1]


def test_partial_values_are_not_validated() -> None:
    matches = list(compiled.select(['{"a": "1', '2"}'], "a", int, partial=True))
    assert [(m.value, m.is_final) for m in matches] == [("1", False), (12, True)]


def test_the_place_of_an_error_is_in_the_document() -> None:
    from pydantic import BaseModel

    class Cat(BaseModel):
        name: str

    class Owner(BaseModel):
        pets: list[Cat | int]

    text = '{"owner": {"pets": [{"name": 1}]}, "other": {}}'
    (match,) = compiled.select(text, "owner", Owner, on_invalid="match")
    assert {error.path for error in match.errors} == {
        "root.owner.pets[0].name", "root.owner.pets[0]",
    }  # fmt: skip
    (match,) = compiled.select(text, "other", Owner, on_invalid="match")
    assert [error.segments for error in match.errors] == [("other", "pets")]


def test_msgspec_types() -> None:
    import msgspec

    struct: Any = msgspec.defstruct("Item", [("title", str), ("n", dict[str, int], {})])
    text = '{"items": [{"title": "a", "n": {"b": 1}}, {"title": "a", "n": {"b": "c"}}, {"title": 1}]}'
    matches = list(compiled.select(text, "items[*]", struct, on_invalid="match"))
    assert matches[0].value == struct("a", {"b": 1})
    assert [e.path for m in matches for e in m.errors] == ["root.items[1].n", "root.items[2].title"]
    assert compiled.first('{"a": [{"title": "b"}]}', "a", list[struct]) == [struct("b")]
    with pytest.raises(compiled.TypedStreamError, match="Expected `str`") as info:
        compiled.first(text, "items[2]", struct)
    assert isinstance(info.value.native(), msgspec.ValidationError)


def test_types_are_those_of_the_library_for_json() -> None:
    from datetime import date
    from decimal import Decimal

    import msgspec
    from pydantic import ConfigDict, TypeAdapter, ValidationInfo, create_model, field_validator

    def mode(cls: Any, value: str, info: ValidationInfo) -> str:
        return f"{value} {info.mode}"

    model: Any = create_model(
        "Model",
        __config__=ConfigDict(val_json_bytes="base64"),
        __validators__={"mode": field_validator("text")(classmethod(mode))},  # type: ignore[dict-item]
        text=(str, ""),
        data=(bytes, b""),
    )
    for type, text in [
        (list[date | int | str], '["5", 5, "2026-05-08", "x"]'),
        (model, '{"text": "a", "data": "aGk="}'),
        (dict[str, Any], '{"a": "b"}'),
    ]:
        adapter: Any = TypeAdapter(type)
        assert compiled.first(text, "$", type) == adapter.validate_json(text)
    struct: Any = msgspec.defstruct("Item", [("numbers", list[int])])
    for text, is_valid in [('{"numbers": [1]}', True), ('{"numbers": [1.0]}', False)]:
        (match,) = compiled.select(text, "$", struct, on_invalid="match")
        assert (match.errors == ()) is is_valid
    # numbers keep their text, if they are read so
    assert compiled.first("[1.10]", "[0]", Decimal, parse_float=Decimal) == Decimal("1.10")
    assert compiled.first("[1.5]", "[0]", complex, parse_float=complex) == 1.5


@pytest.mark.parametrize("library", ["pydantic", "msgspec"])
def test_what_a_library_cannot_read_does_not_fit(library: str) -> None:
    import msgspec

    struct: Any = msgspec.defstruct("Item", [("a", Any)])
    type: Any = struct if library == "msgspec" else dict[str, Any]
    for text in ['{"a": "\\ud800"}', f'{{"a": {"[" * 990}{"]" * 990}}}']:
        (match,) = compiled.select(text, "$", type, on_invalid="match")
        assert match.value is compiled.UNDEFINED
        assert match.errors[0].segments == ()


def test_a_missing_library_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['pydantic'] = None; sys.modules['msgspec'] = None\n"
        "import midstream; print(midstream.first('[1]', '[0]'))\n"
        "midstream.select('[1]', '[0]', int)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "1\n"
    assert "pip install 'midstream[pydantic]'" in done.stderr.splitlines()[-1]


# --- cost


def document_of(size: int) -> str:
    item = {"title": "a title of some words", "score": 0.5, "tags": ["alpha", "beta"], "note": "x" * 40}
    return json.dumps({"items": [item] * (size // 130), "end": 1})


@pytest.mark.parametrize("path", ["items[*]", "items[*].title", "end", "$"])
def test_time_is_linear(path: str) -> None:
    for midstream in (compiled, PLAIN):

        def prepare(size: int, midstream: Any = midstream) -> Callable[[], object]:
            text = document_of(size)
            fragments = [text[i : i + 5] for i in range(0, len(text), 5)]
            return lambda: sum(1 for _ in midstream.select(fragments, path))

        assert_linear(prepare, 4000)


def test_partial_matches_of_items_cost_the_item() -> None:
    def prepare(size: int) -> Callable[[], object]:
        text = document_of(size)
        fragments = [text[i : i + 5] for i in range(0, len(text), 5)]
        return lambda: sum(1 for _ in compiled.select(fragments, "items[*]", partial=True))

    assert_linear(prepare, 4000)


def test_many_paths_cost_what_the_document_uses() -> None:
    """A set of wildcards has exponentially many sets of positions; only those that are met are made."""

    def prepare(count: int) -> Callable[[], object]:
        paths = [tuple(f"k{i}" if i == n else compiled.ANY for i in range(count)) for n in range(count)]
        return lambda: list(compiled.select('{"k0": {"k1": {}}}', paths))

    assert_linear(prepare, 8, times=4)

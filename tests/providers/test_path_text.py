"""The text of arguments that come as paths and values, piece by piece."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from midstream import JsonStreamError, parse_partial
from midstream.providers._path_text import NO_VALUE, PathText, segments_of

PATHS: list[tuple[str, tuple[str | int, ...] | None]] = [
    ("$", ()),
    ("$.a.b[0].c", ("a", "b", 0, "c")),
    ("""$['a']["b"]""", ("a", "b")),
    ("$.items[0][12]", ("items", 0, 12)),
    ("$['a.b']['it\\'s']['\"']['\\u00fc\\n']['']", ("a.b", "it's", '"', "ü\n", "")),
    ("$.größe.snake_case.with-dash.7", ("größe", "snake_case", "with-dash", "7")),
    ("", None),
    ("a.b", None),
    ("$a", None),
    ("$.", None),
    ("$..a", None),
    ("$.*", None),
    ("$[*]", None),
    ("$[-1]", None),
    ("$[01]", None),
    ("$[0:2]", None),
    ("$[?@.a]", None),
    ("$['a", None),
    ("$['\\x']", None),
    ("$[" + "9" * 5000 + "]", None),
]


@pytest.mark.parametrize(("path", "segments"), PATHS)
def test_paths(path: str, segments: tuple[str | int, ...] | None) -> None:
    assert segments_of(path) == segments


def written(*pieces: tuple[Any, ...]) -> str:
    text = PathText()
    return "".join([text.add_piece(*piece) for piece in pieces] + [text.finish()])


TEXTS: list[tuple[list[tuple[Any, ...]], str]] = [
    ([], ""),
    ([("$.a", "x")], '{"a":"x"}'),
    ([("$.a", "x", True), ("$.a", "y", True), ("$.a", "")], '{"a":"xy"}'),
    ([("$.a", "x", True), ("$.a", NO_VALUE)], '{"a":"x"}'),
    ([("$.a", "x", True), ("$.a", None)], '{"a":"x"}'),
    ([("$.a", NO_VALUE, True), ("$.a", "x")], '{"a":"x"}'),
    ([("$.a", "x", True), ("$.b", 1)], '{"a":"x","b":1}'),
    # a string that was to continue and did not is not complete
    ([("$.a", "x", True)], '{"a":"x'),
    ([("$.a", 3.0), ("$.b", -0.5), ("$.c", 1e300)], '{"a":3,"b":-0.5,"c":1e+300}'),
    ([("$.a", 2.0**60)], '{"a":1152921504606846976}'),
    ([("$.a", True), ("$.b", None), ("$.c", {"x": [1, "ü"]})], '{"a":true,"b":null,"c":{"x":[1,"ü"]}}'),
    ([("$.a.b.c", 1), ("$.a.b.d", 2), ("$.a.e", 3), ("$.f", 4)], '{"a":{"b":{"c":1,"d":2},"e":3},"f":4}'),
    ([("$.a[0][0]", 1), ("$.a[0][1]", 2), ("$.a[1][0].b", 3), ("$.a[2]", 4)], '{"a":[[1,2],[{"b":3}],4]}'),
    ([("$[0]", 1), ("$[1]", "x")], '[1,"x"]'),
    ([("$", "x", True), ("$", "y")], '"xy"'),
    ([("$", 1)], "1"),
    ([("$['a\"b']", 'c"\\\n\x00')], '{"a\\"b":"c\\"\\\\\\n\\u0000"}'),
    ([("$['\\ud83c']", "\udf27")], '{"\\ud83c":"\\udf27"}'),
]  # fmt: skip


@pytest.mark.parametrize(("pieces", "text"), TEXTS)
def test_path_text(pieces: list[tuple[Any, ...]], text: str) -> None:
    assert written(*pieces) == text


BROKEN: list[tuple[list[tuple[Any, ...]], str]] = [
    # back to what is closed, or was written as something else
    ([("$.a.b", 1), ("$.c", 2), ("$.a.d", 3)], '{"a":{"b":1},"c":2!$.a.d=3'),
    ([("$.a", "x"), ("$.a", "y")], '{"a":"x"!$.a="y"'),
    ([("$.a", "x", True), ("$.b", 1), ("$.a", "y")], '{"a":"x","b":1!$.a="y"'),
    ([("$.a", "x", True), ("$.a", 1)], '{"a":"x"!$.a=1'),
    ([("$.a[0]", 1), ("$.a.b", 2)], '{"a":[1!$.a.b=2'),
    ([("$.a.b", 1), ("$.a[0]", 2)], '{"a":{"b":1!$.a[0]=2'),
    ([("$.a.b", 1), ("$.a", 2)], '{"a":{"b":1!$.a=2'),
    ([("$.a", 1), ("$", 2)], '{"a":1!$=2'),
    ([("$", 1), ("$.a", 2)], "1!$.a=2"),
    # what was skipped
    ([("$.a[1]", 1)], "!$.a[1]=1"),
    ([("$.a[0]", 1), ("$.a[2]", 1)], '{"a":[1!$.a[2]=1'),
    ([("$.a[0]", 1), ("$.a[0]", 1)], '{"a":[1!$.a[0]=1'),
    ([("$.a", 1), ("$.b[0][1]", 1)], '{"a":1!$.b[0][1]=1'),
    # what leads nowhere, or brings nothing
    ([("$.a", 1), ("b", "ü"), ("$.c", 3)], '{"a":1!b="ü"!$.c=3'),
    ([("$.a", "x", True), ("", NO_VALUE)], '{"a":"x"!'),
    ([("$.a", NO_VALUE)], "!$.a"),
    ([("$.a", float("nan"))], '{"a":NaN}'),
    ([("$.a", object())], '{"a":!}'),
]


@pytest.mark.parametrize(("pieces", "text"), BROKEN)
def test_path_text_that_can_not_be(pieces: list[tuple[Any, ...]], text: str) -> None:
    """What can't be written in order is reported by every parser, and is there to be read."""
    assert written(*pieces) == text
    with pytest.raises(ValueError, match=r"."):
        json.loads(text, parse_constant=_refuse)
    with pytest.raises(JsonStreamError):
        parse_partial(text)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=6),
)
KEYS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4), st.dictionaries(KEYS, inner, min_size=1, max_size=4)
    ),
    max_leaves=12,
)


def leaves(value: Any, path: str = "$") -> list[tuple[str, Any]]:
    """Return the leaves of a value with their paths, as RFC 9535 normalizes them."""
    if isinstance(value, dict):
        quoted = {key: json.dumps(key)[1:-1].replace('\\"', '"').replace("'", "\\'") for key in value}
        return [leaf for key in value for leaf in leaves(value[key], f"{path}['{quoted[key]}']")]
    if isinstance(value, list):
        return [leaf for at, item in enumerate(value) for leaf in leaves(item, f"{path}[{at}]")]
    return [(path, value)]


@given(VALUES, st.integers(1, 3))
def test_path_text_gives_the_value(value: Any, size: int) -> None:
    """Whatever has leaves comes out again, however its strings are cut."""
    pieces: list[tuple[Any, ...]] = []
    for path, leaf in leaves(value):
        if isinstance(leaf, str):
            pieces += [(path, leaf[at : at + size], True) for at in range(0, len(leaf), size)]
            pieces.append((path, "", False))
        else:
            pieces.append((path, float(leaf) if type(leaf) is int else leaf, False))
    assert json.loads(written(*pieces)) == value


SOME_PATHS = [
    "$",
    "$.a",
    "$.b",
    "$.a.b",
    "$.a.c",
    "$.a[0]",
    "$.a[1]",
    "$.b[0].a",
    "$.b[0].b",
    "$.b[1].a",
    "b",
]


@given(st.lists(st.tuples(st.sampled_from(SOME_PATHS), SCALARS, st.booleans()), max_size=8))
def test_path_text_is_never_wrong(pieces: list[tuple[str, Any, bool]]) -> None:
    """Whatever comes, in whatever order: a text that is valid holds all of it."""
    text = written(*pieces)
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse)
    except ValueError:
        return
    expected: dict[tuple[str | int, ...], Any] = {}
    for path, piece, _ in pieces:
        segments = segments_of(path)
        assert segments is not None
        before = expected.get(segments)
        expected[segments] = (
            before + piece
            if isinstance(piece, str) and isinstance(before, str)
            else (before if piece is None and isinstance(before, str) else piece)
        )
    for segments, leaf in expected.items():
        at = value
        for segment in segments:
            at = at[segment]
        assert at == leaf


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    assert len(made) == len(pairs)
    return made

"""Where the value so far has an edge: what is open in it, and where an error was found."""

from __future__ import annotations

import sys
import tracemalloc
from importlib import import_module
from typing import Any

import pytest

from builds import BUILDS, TWIN

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))

# a text, the way to what is open in it, and the path of the error that a NUL after it is
OPEN = [
    ("", None, "root"),
    ('"x', (), "root"),
    ('["x"', (), "root"),
    ("[", (), "root[0]"),
    ("[0,1,2,", (), "root[3]"),
    ('["a","b","x', (2,), "root[2]"),
    ("[[],[],[1,2,", (2,), "root[2][2]"),
    ("[0,[1,[", (1, 1), "root[1][1][0]"),
    ('[0,[1,["x', (1, 1, 0), "root[1][1][0]"),
    ('[0,1,[2,3,4,["u","v","x', (2, 3, 2), "root[2][3][2]"),
    ('{"a":{"b":[1,{"c"', ("a", "b", 1), "root.a.b[1]"),
    ('{"a":{"b":[1,{"c":', ("a", "b", 1), "root.a.b[1].c"),
    ('{"a":[0,{"b":[[],"x', ("a", 1, "b", 1), "root.a[1].b[1]"),
    ('{"a":[0,{"b":"c"},{"d":[5,6,"x', ("a", 2, "d", 2), "root.a[2].d[2]"),
]


@each_build
@pytest.mark.parametrize(("text", "way", "path"), OPEN, ids=[text or "nothing" for text, _, _ in OPEN])
def test_the_way_to_what_is_open_and_the_path_of_an_error(
    midstream: Any, text: str, way: tuple[str | int, ...] | None, path: str
) -> None:
    for fragments in ([text], [*text]):
        accumulator = midstream.JsonValueAccumulator()
        for fragment in fragments:
            accumulator.add_fragment(fragment)
        assert accumulator.open_path == way
        with pytest.raises(midstream.JsonStreamError) as raised:
            accumulator.add_fragment("\0")
        assert (raised.value.path, accumulator.open_path) == (path, way)


@each_build
@pytest.mark.parametrize("text", [{"ab": 1}, ("ab",), ["ab", 1], 5, None, b"ab"])
def test_a_saved_text_is_a_text_or_a_list_of_texts(midstream: Any, text: Any) -> None:
    accumulator = midstream.JsonValueAccumulator()
    accumulator.add_fragment('["ab')
    data = accumulator.checkpoint()
    assert data["visitor"]["text"] == "ab"
    for good in ("ab", ["ab"], ["a", "b"]):
        data["visitor"]["text"] = good
        midstream.JsonValueAccumulator.restore(data)
    data["visitor"]["text"] = text
    with pytest.raises(midstream.JsonStreamError) as raised:
        midstream.JsonValueAccumulator.restore(data)
    assert raised.value.code == "invalid_checkpoint"


@each_build
def test_a_string_in_many_pieces_is_kept_in_few(midstream: Any) -> None:
    count = 30_000
    accumulator = midstream.JsonValueAccumulator()
    accumulator.add_fragment('"')
    tracemalloc.start()
    try:
        for _ in range(count):
            accumulator.add_fragment("x")
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # a slot in a list takes eight bytes
    assert kept < 3 * count
    assert accumulator.value == "x" * count


@each_build
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1234.x, 5678.5]", [5678.5]),
        ('["abcd\x01ef", "ghijk"]', ["abcd", "ghijk"]),
        ('{"abcd\x01ef": 1, "ghijk": 2}', {"ghijk": 2}),
    ],
    ids=ascii,
)
def test_what_was_broken_off_is_no_part_of_the_next(midstream: Any, text: str, value: Any) -> None:
    for fragments in ([text], [*text]):
        accumulator = midstream.JsonValueAccumulator(on_error="recover")
        for fragment in fragments:
            accumulator.add_fragment(fragment)
        assert accumulator.value == value


def test_a_text_in_many_pieces_is_few_for_who_clones_it() -> None:
    text = import_module(f"{TWIN}.core.text")
    buffer = text.TextBuffer()
    # one less than a power of two: as many batches as there can be
    count = 128 * text.BATCH - 1
    for _ in range(count):
        buffer.append("x")
    assert len(buffer.pieces) < text.BATCH
    assert len(buffer.batches) == 7
    assert buffer.clone().read() == buffer.read() == "x" * count


@pytest.mark.skipif(
    not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="without a global lock, counts say too little"
)
@each_build
@pytest.mark.parametrize("before", ['"', '["', '{"a": "', '[[{"a": "'])
def test_a_long_string_that_nobody_kept_grows_in_place(midstream: Any, before: str) -> None:
    size = 1_000_000
    accumulator = midstream.JsonValueAccumulator()
    tracemalloc.start()
    try:
        accumulator.add_fragment(before)
        # the interpreter takes some turns to see that it can
        for piece in ("x" * size, *"y" * 40):
            tracemalloc.reset_peak()
            kept, _ = tracemalloc.get_traced_memory()
            accumulator.add_fragment(piece)
            assert accumulator.value is not None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # a copy would be there beside it
    assert peak - kept < size / 2


@each_build
@pytest.mark.parametrize("text", ["", " ", "[1 2]", "[1,]", "nul", '["a"] x', "[", '{"a":1 "b":2}'])
def test_a_saved_value_is_a_complete_text(midstream: Any, text: str) -> None:
    accumulator = midstream.JsonValueAccumulator(on_error="recover")
    accumulator.add_fragment("[1, 2]")
    data = accumulator.checkpoint()
    assert midstream.JsonValueAccumulator.restore(data).value == [1, 2]
    data["visitor"]["value"] = text
    with pytest.raises(midstream.JsonStreamError) as raised:
        midstream.JsonValueAccumulator.restore(data)
    assert raised.value.code == "invalid_checkpoint"


@each_build
@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1 x], "b": [2 y], "c": [[3 z]], 4}',
        "[[1 x], [2, [3 y], [z]], {4}, w]",
        '[{"a": {"b": 1 x}}, {"c": y}, {"d": {z}}]',
    ],
)
def test_each_error_that_is_passed_over_is_where_it_is(midstream: Any, text: str) -> None:
    updates = midstream.JsonFragmentAccumulator(on_error="recover")
    values = midstream.JsonValueAccumulator(on_error="recover")
    paths: list[str] = []
    for character in text:
        paths += [update.path for update in updates.add_fragment(character) if update.kind == "Error"]
        values.add_fragment(character)
        if paths:
            assert values.checkpoint()["error"][-1] == paths[-1]
    assert len(set(paths)) == len(paths) > 2


@each_build
def test_documents_belong_to_who_asked_for_them(midstream: Any) -> None:
    one, other = (midstream.JsonValueAccumulator(after_root="next") for _ in range(2))
    one.documents.append(1)
    one.add_fragment("[]")
    one.documents.append(2)
    one.add_fragment(" ")
    assert (one.documents, other.documents) == ([], [])
    one.add_fragment("1 2 ")
    documents = one.documents
    documents.clear()
    one.add_fragment("3 ")
    assert (documents, one.documents) == ([], [3])

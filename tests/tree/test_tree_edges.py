"""Where the pure parser has an edge: what a saved state must hold, and what a node reports about itself."""

from __future__ import annotations

import importlib
from decimal import Decimal
from typing import Any

import pytest

from builds import BUILDS

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))


def parsed(midstream: Any, text: str, **options: Any) -> Any:
    return midstream.parse_chunk(midstream.create_parser_state(**options), text)


@each_build
@pytest.mark.parametrize("hook", [{"parse_int": Decimal}, {"parse_float": Decimal}])
def test_a_state_asks_for_whichever_hook_it_was_made_with(midstream: Any, hook: dict[str, Any]) -> None:
    data = midstream.dump_state(parsed(midstream, "[1, 1.5", **hook))
    with pytest.raises(midstream.JsonStreamError):
        midstream.load_state(data)
    assert midstream.dump_state(midstream.load_state(data, **hook)) == data


@each_build
@pytest.mark.parametrize("data", [{}, {"hooks": False}, {"hooks": False, "midstream": 2}])
def test_a_state_that_is_none_has_no_place_in_a_text(midstream: Any, data: dict[str, Any]) -> None:
    with pytest.raises(midstream.JsonStreamError) as raised:
        midstream.load_state(data)
    error = raised.value
    assert (error.code, error.index, error.line, error.column) == ("invalid_checkpoint", 0, 1, 1)


def pieces_of(rope: Any) -> list[str]:
    pieces = []
    while isinstance(rope, tuple):
        rope, piece = rope
        pieces.append(piece)
    return [*pieces, rope]


@each_build
@pytest.mark.parametrize("sizes", [(1,), (1, 2), (3, 1, 1), (1, 7, 2, 30)])
def test_a_text_in_pieces_has_few_and_copies_little(midstream: Any, sizes: tuple[int, ...]) -> None:
    grow = importlib.import_module(f"{midstream.__name__}.tree.rope").grow
    rope: Any = ""
    length = copied = 0
    for turn in range(1_000):
        size = sizes[turn % len(sizes)]
        before, rope = rope, grow(rope, chr(97 + turn % 26) * size)
        length += size
        assert len(pieces_of(rope)) <= length.bit_length()
        kept = {*map(id, pieces_of(before))}
        copied += sum(len(piece) for piece in pieces_of(rope) if id(piece) not in kept)
    # no character is copied more often than the length has doubled
    assert copied <= length * length.bit_length()


def is_refused(midstream: Any, data: Any) -> bool:
    try:
        midstream.load_state(data)
    except midstream.JsonStreamError as error:
        return bool(error.code == "invalid_checkpoint")
    return False


@each_build
def test_a_saved_node_of_another_type_is_refused(midstream: Any) -> None:
    good = midstream.dump_state(parsed(midstream, '[{}, [], "text", 1.5, true, null, "open'))
    assert not is_refused(midstream, good)
    for row in good["nodes"]:
        kind = row[0]
        for other in (kind[:-1], kind + "s", "a", "z", ""):
            row[0] = other
            assert is_refused(midstream, good), (kind, other)
        row[0] = kind


@each_build
@pytest.mark.parametrize(
    "text",
    ['["a', '["a"', '["a",', '["a",1', '["a",tr', '["a",[', '["a",{', '["a",{"k', '["a",{"k"', '["a"]'],
)
def test_a_saved_string_is_open_if_the_text_ends_in_it(midstream: Any, text: str) -> None:
    data = midstream.dump_state(parsed(midstream, text))
    assert not is_refused(midstream, data)
    row = data["nodes"][1]
    assert row[0] == "string"
    row[3] = not row[3]
    assert is_refused(midstream, data)


@each_build
@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 63, 64, 65])
def test_a_sequence_that_does_not_grow_is_the_same(midstream: Any, count: int) -> None:
    sequence = importlib.import_module(f"{midstream.__name__}.tree.vector").EMPTY.extend([*range(count)])
    assert sequence.extend([]) is sequence
    assert [*sequence.extend([count])] == [*range(count + 1)]
    with pytest.raises(IndexError):
        sequence[count]
    with pytest.raises(IndexError):
        sequence[-count - 1]


@each_build
def test_the_open_containers_of_a_saved_state_are_the_last_at_each_level(midstream: Any) -> None:
    data = midstream.dump_state(parsed(midstream, '[0, [1, {"a": 2, "b": ["open'))
    assert not is_refused(midstream, data)
    assert [row[3] for row in data["nodes"]] == [False, True, False, True, False, True, False, False]
    for row in data["nodes"]:
        row[3] = not row[3]
        assert is_refused(midstream, data), row
        row[3] = not row[3]
    assert not is_refused(midstream, data)


@each_build
def test_the_last_member_of_a_wide_object_is_found_while_it_is_open(midstream: Any) -> None:
    count = 300
    members = ",".join(f'"{i}":{i}' for i in range(count))
    node = parsed(midstream, f'{{{members},"last":"op').root
    assert (len(node.keys), node.keys[count], node.keys[-1]) == (count + 1, "last", "last")
    assert node.children[count] == count + 1
    assert node.resolved_value["last"] == "op"

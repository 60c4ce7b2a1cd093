"""What a type checker says about typed streams: `mypy --strict` checks this file with all others."""

from __future__ import annotations

from typing import Any, assert_type

from pydantic import BaseModel

from midstream import TypedError
from midstream.typed import JsonTypedAccumulator, TypedEvent, TypedSnapshot, typed_values


class Item(BaseModel):
    count: int


def test_the_result_has_the_type() -> None:
    accumulator = JsonTypedAccumulator(Item)
    assert_type(accumulator, JsonTypedAccumulator[Item])
    assert_type(accumulator.add_fragment('{"count": 1}'), list[TypedEvent])
    assert_type(accumulator.result, Item)
    assert_type(accumulator.partial, Any)
    assert_type(accumulator.errors, list[TypedError])
    assert accumulator.result == Item(count=1)


def test_a_list_and_what_is_no_class() -> None:
    for snapshot in typed_values('[{"count": 1}]', list[Item]):
        assert_type(snapshot, TypedSnapshot[list[Item]])
        assert_type(snapshot.result, list[Item])
        assert_type(snapshot.result[0].count, int)
    # a union is no class: say what it is
    other: JsonTypedAccumulator[Item | int] = JsonTypedAccumulator(Item | int)
    other.add_fragment("{}")
    assert_type(other.errors, list[TypedError])
    assert [error.code for error in other.errors] == ["missing"]

"""What a type checker says about typed streams: `mypy --strict` checks this file with all others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, assert_type

from pydantic import BaseModel

from midstream import Match, TypedError, aio, first, select
from midstream.typed import JsonTypedAccumulator, TypedEvent, TypedSnapshot, typed_values

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


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


def test_a_match_has_the_type() -> None:
    text = '{"items": [{"count": 1}], "city": "Oslo"}'
    for match in select(text, "items[*]", Item):
        assert_type(match, Match[Item])
        assert_type(match.value.count, int)
    for match_of_any in select(text, ["items[*]", "city"]):
        assert_type(match_of_any, Match[Any])
    assert_type(first(text, "items[0]", Item), Item)
    assert_type(first(text, "items", list[Item])[0], Item)
    assert_type(first(text, "city"), Any)
    assert first(text, "items", list[Item]) == [Item(count=1)]


def test_asynchronous_twins_have_the_type() -> None:
    async def text() -> AsyncIterator[str]:
        yield '[{"count": 1}]'

    async def main() -> Item:
        async for match in aio.select(text(), "[*]", Item):
            assert_type(match, Match[Item])
        async for snapshot in aio.typed_values(text(), list[Item]):
            assert_type(snapshot, TypedSnapshot[list[Item]])
        return assert_type(await aio.first(text(), "[0]", Item), Item)

    assert asyncio.run(main()) == Item(count=1)

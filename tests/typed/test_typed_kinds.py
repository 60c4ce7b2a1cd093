"""A value of a kind that its type never accepts is invalid with its first character."""

from __future__ import annotations

import enum
import importlib
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import msgspec
import pydantic
import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, Json, RootModel, model_validator
from typing_extensions import TypedDict

from builds import BUILDS

MODULES = [importlib.import_module(f"{build.__name__}.typed") for build in BUILDS.values()]
each_build = pytest.mark.parametrize("typed", MODULES, ids=list(BUILDS))


class Child(BaseModel):
    name: str
    words: list[str] = []


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Before(BaseModel):
    name: str

    @model_validator(mode="before")
    @classmethod
    def named(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class Names(RootModel[list[str]]):
    pass


class Color(enum.Enum):
    RED = "red"
    ONE = 1


class Pair(enum.Enum):
    A = (1, 2)


@dataclass
class Data:
    name: str


class Dict(TypedDict):
    name: str


class Point(NamedTuple):
    x: int


class Struct(msgspec.Struct):
    name: str


class Row(msgspec.Struct, array_like=True):
    name: str


class Circle(msgspec.Struct, tag="circle"):
    radius: float


class Square(msgspec.Struct, tag="square"):
    side: float


TEXT, OBJECT, ARRAY = '"', "{", "["
# the characters with which a value of that type can't begin
PYDANTIC: dict[str, tuple[Any, str]] = {
    "text": (str, OBJECT + ARRAY),
    "a number, which may be text": (int, OBJECT + ARRAY),
    "true or false": (bool, OBJECT + ARRAY),
    "a date": (date | None, OBJECT + ARRAY),
    "a duration": (timedelta, OBJECT + ARRAY),
    "an id": (UUID, OBJECT + ARRAY),
    "a URL": (pydantic.HttpUrl, ""),
    "text with limits": (Annotated[str, Field(max_length=5)], OBJECT + ARRAY),
    "text with a validator": (Annotated[str, AfterValidator(str.upper)], OBJECT + ARRAY),
    "text with a validator before": (Annotated[str, BeforeValidator(str)], ""),
    "a literal": (Literal["a", 1, None], OBJECT + ARRAY),
    "an enum": (Color, OBJECT + ARRAY),
    "an enum of tuples": (Pair, ""),
    "JSON in text": (Json[list[int]], OBJECT + ARRAY),
    "anything": (Any, ""),
    "nothing": (type(None), TEXT + OBJECT + ARRAY),
    "a model": (Child, TEXT + ARRAY),
    "a model or null": (Child | None, TEXT + ARRAY),
    "a model with a validator before": (Before, ""),
    "a root model": (Names, TEXT + OBJECT),
    "a dataclass": (Data, TEXT + ARRAY),
    "a TypedDict": (Dict, TEXT + ARRAY),
    "a list": (list[Child], TEXT + OBJECT),
    "a set": (set[int], TEXT + OBJECT),
    "a tuple": (tuple[int, str], TEXT + OBJECT),
    "a dict": (dict[str, int], TEXT + ARRAY),
    "a tagged union": (Annotated[Cat | Dog, Field(discriminator="kind")], TEXT + ARRAY),
    "a union": (Child | list[int], TEXT),
    "a union of models": (Cat | Dog, TEXT + ARRAY),
    "a union of a model and a number": (Child | int, ARRAY),
    "a list with a validator": (Annotated[list[int], AfterValidator(sorted)], TEXT + OBJECT),
    "a list of what has validators": (list[Annotated[int, AfterValidator(abs)]], TEXT + OBJECT),
}
MSGSPEC: dict[str, tuple[Any, str]] = {
    "text": (str, OBJECT + ARRAY),
    "a number": (int | float, TEXT + OBJECT + ARRAY),
    "true or false": (bool, TEXT + OBJECT + ARRAY),
    "nothing": (None, TEXT + OBJECT + ARRAY),
    "a date": (date | None, OBJECT + ARRAY),
    "a decimal": (Decimal, OBJECT + ARRAY),
    "bytes": (bytes, OBJECT + ARRAY),
    "a literal": (Literal["a", "b"], OBJECT + ARRAY),
    "a literal number": (Literal[1, 2], TEXT + OBJECT + ARRAY),
    "anything": (Any, ""),
    "raw JSON": (msgspec.Raw, ""),
    "a struct": (Struct, TEXT + ARRAY),
    "a struct like an array": (Row, TEXT + OBJECT),
    "a dataclass": (Data, TEXT + ARRAY),
    "a named tuple": (Point, TEXT + OBJECT),
    "a list": (list[Struct], TEXT + OBJECT),
    "a dict": (dict[str, int] | None, TEXT + ARRAY),
    "a set": (set[int], TEXT + OBJECT),
    "tagged": (Circle | Square, TEXT + ARRAY),
    "a union": (Struct | str, ARRAY),
}
CASES = [
    pytest.param(library, *case, id=f"{library}, {name}")
    for library, cases in (("pydantic", PYDANTIC), ("msgspec", MSGSPEC))
    for name, case in cases.items()
]


@each_build
@pytest.mark.parametrize(("library", "type", "refused"), CASES)
def test_a_wrong_kind_is_reported_when_the_value_begins(
    typed: Any, library: Any, type: Any, refused: str
) -> None:
    for begin in (TEXT, OBJECT, ARRAY):
        for around, path in ((list, (0,)), (dict, ("key",)), (None, ())):
            outer = {list: list[type], dict: dict[str, type], None: type}[around]
            accumulator = typed.JsonTypedAccumulator(outer, library=library)
            accumulator.add_fragment({list: "[", dict: '{"key":', None: ""}[around])
            events = accumulator.add_fragment(begin)
            assert accumulator.state(path) == ("invalid" if begin in refused else "open"), begin
            assert [(event.kind, event.segments) for event in events] == [("invalid", path)] * (
                begin in refused
            )


@each_build
def test_the_rest_of_a_refused_value_is_kept_as_json(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Child)
    text = '{"name": {"first": ["Ada"]}, "words": ["a", ["b", 1], "c", {"d": 2}], "words": "x", "more": [1]}'
    seen = []
    for character in text:
        seen += [(event.kind, event.path) for event in accumulator.add_fragment(character)]
        assert not hasattr(accumulator.partial, "more")
    accumulator.finish()
    assert seen == [
        ("invalid", "root.name"),
        ("complete", "root.words[0]"),
        ("invalid", "root.words[1]"),
        ("complete", "root.words[2]"),
        ("invalid", "root.words[3]"),
        ("invalid", "root.words"),
    ]
    assert accumulator.raw == {"name": {"first": ["Ada"]}, "words": "x", "more": [1]}
    # the first list is replaced, and so are the errors in it
    assert [(error.path, error.code) for error in accumulator.errors] == [
        ("root.name", "string_type"), ("root.words", "list_type"),
    ]  # fmt: skip
    assert accumulator.state("name") == accumulator.state("words") == accumulator.state() == "invalid"
    with pytest.raises(typed.TypedStreamError) as caught:
        _ = accumulator.result
    assert [detail["input"] for detail in caught.value.native().errors()] == [{"first": ["Ada"]}, "x"]


@each_build
def test_the_first_character_ends_the_stream(typed: Any) -> None:
    read = []

    def source() -> Any:
        for fragment in ('{"name": "a", "words"', ': "a long', " text", '"}'):
            read.append(fragment)
            yield fragment

    with pytest.raises(typed.TypedStreamError) as caught:
        list(typed.typed_values(source(), Child, on_invalid="raise"))
    assert len(read) == 2
    assert str(caught.value) == "the value does not fit its type: root.words: Input should be a valid array"

"""More of what models can say: each compared with one validation of the text, with what it sets and calls."""

from __future__ import annotations

import dataclasses
import enum
import fractions  # noqa: TC003
import importlib
import ipaddress  # noqa: TC003  # read when the types are
import pathlib  # noqa: TC003
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Generic, Literal, NamedTuple, Optional, Required, Self, TypeVar

import pydantic
import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    InstanceOf,
    Json,
    PlainValidator,
    PrivateAttr,
    RootModel,
    SkipValidation,
    Strict,
    Tag,
    TypeAdapter,
    ValidationError,
    computed_field,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, PydanticUseDefault
from typing_extensions import TypedDict

from builds import BUILDS

MODULES = [importlib.import_module(f"{build.__name__}.typed") for build in BUILDS.values()]
each_build = pytest.mark.parametrize("typed", MODULES, ids=list(BUILDS))
CALLS: Counter[str] = Counter()
T = TypeVar("T")


def called(name: str, value: T) -> T:
    CALLS[name] += 1
    return value


class Child(BaseModel):
    name: str

    @model_validator(mode="after")
    def count(self) -> Self:
        return called("Child", self)


class Color(enum.Enum):
    RED = "red"


class Computed(BaseModel):
    low: int

    @computed_field  # type: ignore[prop-decorator]
    @property
    def high(self) -> int:
        return self.low * 2


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    first_name: str
    child_list: list[Child] = []


class Factories(BaseModel):
    numbers: list[int] = Field(default_factory=lambda: called("factory", [1]))
    child: Child = Field(default_factory=lambda: Child(name="default"))
    _private: list[int] = PrivateAttr(default_factory=lambda: called("private", [1]))

    def model_post_init(self, context: Any) -> None:
        self._private.append(called("post", 2))


class Configured(BaseModel):
    model_config = ConfigDict(
        use_enum_values=True, str_min_length=1, allow_inf_nan=False, val_json_bytes="base64",
        validate_assignment=True,
    )  # fmt: skip
    color: Color = Color.RED
    data: bytes = b""
    number: float = 0.0
    text: str = "x"


class EveryField(BaseModel):
    number: int
    children: list[Child]

    @field_validator("*")
    @classmethod
    def check(cls, value: Any, info: Any) -> Any:
        return called(info.field_name, value)


class Replaces(BaseModel):
    child: Child

    @field_validator("child")
    @classmethod
    def twice(cls, value: Child) -> Child:
        return called("twice", Child.model_construct(name=value.name * 2))


class ReturnsAnother(BaseModel):
    number: int

    @model_validator(mode="after")
    def another(self) -> Self:
        return called("another", self.model_construct(number=self.number + 10))


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    number: int


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog", "hound"]
    name: str
    child: Child | None = None


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


class Owner(BaseModel):
    pet: Pet
    pets: dict[str, list[Pet]] = {}


class RootPet(RootModel[Pet]):
    pass


class RootOptional(RootModel[Child | None]):
    pass


class RootUnion(RootModel[int | Child]):
    pass


class RootList(RootModel[list[Child]]):
    @model_validator(mode="after")
    def count(self) -> Self:
        return called("RootList", self)


class RootDefault(RootModel[list[int]]):
    root: list[int] = [1, 2]


class HasRoots(BaseModel):
    one: RootDefault = RootDefault()
    other: RootDefault = Field(default_factory=RootDefault)


class Recursive(BaseModel):
    number: int
    parts: list[Self] = []
    other: Self | None = None
    by_name: dict[str, Recursive] = {}

    @model_validator(mode="after")
    def count(self) -> Self:
        return called("Recursive", self)


class Pair(NamedTuple):
    number: int
    child: Child


@dataclasses.dataclass(slots=True, kw_only=True, frozen=True)
class Slots:
    number: int
    children: list[Child] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        called("Slots", None)


@pydantic.dataclasses.dataclass(config=ConfigDict(extra="forbid", strict=True))
class StrictData:
    number: int
    child: Child
    other: int = Field(3, alias="Other")

    @field_validator("number")
    @classmethod
    def check(cls, value: int) -> int:
        return called("number", value)

    @model_validator(mode="after")
    def count(self) -> Self:
        return called("StrictData", self)


class Forbids(TypedDict, total=False):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]
    number: Required[int]
    child: Child


class Allows(TypedDict):
    __pydantic_config__ = ConfigDict(extra="allow", strict=True)  # type: ignore[misc]
    number: int


class Box(BaseModel, Generic[T]):
    value: T
    values: list[T] = []


class StrictFields(BaseModel):
    number: int = Field(strict=True)
    day: Annotated[date, Strict()] = date(2020, 1, 1)
    numbers: tuple[int, ...] = Field((), strict=True)
    color: Color = Field(Color.RED, strict=True)


class Types(BaseModel):
    path: pathlib.Path | None = None
    address: ipaddress.IPv4Address | None = None
    duration: timedelta | None = None
    moment: datetime | None = None
    size: pydantic.ByteSize | None = None
    coded: pydantic.Base64Str = "aGk="
    secret: pydantic.Secret[int] | None = None
    past: pydantic.PastDate | None = None
    aware: pydantic.AwareDatetime | None = None
    fraction: fractions.Fraction | None = None
    json_text: Json[Any] = None


class JsonInside(BaseModel):
    child: Json[Child]
    pets: Json[list[Pet]] = "[]"  # type: ignore[assignment]


class Skips(BaseModel):
    number: SkipValidation[int]
    child: SkipValidation[Child] | None = None
    made: InstanceOf[Child] | None = None


class Fast(BaseModel):
    numbers: Annotated[list[int], FailFast()]
    children: Annotated[list[Child], Field(min_length=1, max_length=2)]


class Functions(BaseModel):
    plain: Annotated[int, PlainValidator(lambda value: called("plain", value))] = 0
    before: Annotated[Child, BeforeValidator(lambda value: called("before", value))] | None = None
    after: list[Annotated[Child, AfterValidator(lambda value: called("after", value))]] = []


class BeforeModel(BaseModel):
    number: int
    children: list[Child] = []

    @model_validator(mode="before")
    @classmethod
    def read(cls, value: Any) -> Any:
        called("before", None)
        return {**value, "number": value.get("number", 7)} if isinstance(value, dict) else {"number": value}


class HoldsBefore(BaseModel):
    one: BeforeModel
    either: BeforeModel | int = 0


class WrapModel(BaseModel):
    number: int

    @model_validator(mode="wrap")
    @classmethod
    def read(cls, value: Any, handler: Any) -> Any:
        return called("wrap", handler(value))


class Init(BaseModel):
    number: int

    def __init__(self, **values: Any) -> None:
        called("init", None)
        super().__init__(**values)


class HoldsInit(BaseModel):
    one: Init
    several: list[Init] = []


class ByPath(BaseModel):
    deep: int = Field(validation_alias=AliasPath("a", "b", 0))
    child: Child = Field(validation_alias=AliasChoices("child", AliasPath("d", 1)))


class Small(BaseModel):
    number: int


class Larger(BaseModel):
    number: int
    other: int = 0


class Texts(BaseModel):
    number: str
    children: list[Child] = []


class Own(BaseModel):
    number: int = 77

    @field_validator("number")
    @classmethod
    def check(cls, value: int) -> int:
        if value < 0:
            raise PydanticCustomError("negative", "negative: {number}", {"number": value})
        if value == 9:
            raise PydanticUseDefault
        assert value, "zero"
        return value


class Inner(BaseModel):
    model_config = ConfigDict(revalidate_instances="always")
    child: Child


class Again(BaseModel):
    model_config = ConfigDict(revalidate_instances="always")
    inner: Inner
    several: list[Inner] = []


class Tagged(BaseModel):
    kind: Literal["tagged"] = "tagged"
    number: int = 1


def kind_of(value: Any) -> str:
    number = value.get("number") if isinstance(value, dict) else value.number
    return called("kind", "small" if number == 1 else "larger")


SmallOrLarger = Annotated[
    Annotated[Small, Tag("small")] | Annotated[Larger, Tag("larger")], Discriminator(kind_of)
]
CASES: dict[str, tuple[Any, list[str]]] = {
    "computed fields": (list[Computed], ['[{"low": 1}, {"low": 2, "high": 9}]']),
    "an alias generator": (
        list[Camel],
        ['[{"firstName": "x", "childList": [{"name": "q"}]}, {"first_name": "z"}]', '[{"firstName": 5}]'],
    ),
    "default factories": (list[Factories], ['[{}, {"numbers": [2]}, {"child": {"name": "k"}}]']),
    "configurations": (
        Configured, ['{"color": "red", "data": "aGk=", "number": 1.5}', '{"number": 1e400}', '{"text": ""}'],
    ),
    "a validator for every field": (
        EveryField, ['{"number": 1, "children": [{"name": "q"}]}', '{"number": "z", "children": []}'],
    ),
    "a validator that replaces a model": (list[Replaces], ['[{"child": {"name": "ab"}}]']),
    "a validator that returns another model": (list[ReturnsAnother], ['[{"number": 1}]']),
    "a set of models": (set[Frozen], ['[{"number": 1}, {"number": 1}]']),
    "keys of an enum": (dict[Color, Child], ['{"red": {"name": "x"}}', '{"blue": {"name": "x"}}']),
    "optional tagged unions": (
        list[Optional[Pet]],  # noqa: UP045  # an annotation has no operator
        [
            '[null, {"kind": "cat", "lives": 1}, {"name": "s", "child": {"name": "x"}, "kind": "hound"}]',
            '[{"kind": "cow"}, {"lives": 1}, 5, "cat", [], {"kind": null}, {"kind": ["cat"]}, {"kind": 1}]',
        ],
    ),
    "tagged unions in models": (
        Owner,
        [
            '{"pet": {"lives": 1, "kind": "cat"}, "pets": {"a": [{"kind": "dog", "name": "x"}]}}',
            '{"pet": {"kind": "cat", "lives": "x"}, "pets": {"a": [{"kind": "cat", "lives": "x"}]}}',
        ],
    ),
    "a root model of a tagged union": (
        list[RootPet], ['[{"kind": "cat", "lives": 1}, {"name": "s", "kind": "dog"}]', '[{"kind": "cow"}]'],
    ),
    "a root model that may be null": (list[RootOptional], ['[null, {"name": "x"}]', '[{"name": 4}]']),
    "a root model of a union": (list[RootUnion], ['[1, {"name": "x"}, "5"]', '["q"]']),
    "a root model of a list": (
        dict[str, RootList], ['{"a": [{"name": "x"}, {"name": "y"}]}', '{"a": [{"name": 5}]}', '{"a": 5}'],
    ),
    "root models with defaults": (HasRoots, ["{}", '{"one": [4]}']),
    "recursion by Self": (
        Recursive,
        [
            '{"number": 1, "parts": [{"number": 2, "parts": [{"number": 3}], "other": {"number": 5}}], '
            '"by_name": {"z": {"number": 9}}}',
            '{"number": 1, "parts": [{"number": "x", "parts": [{"number": 3}]}]}',
        ],
    ),
    "named tuples": (
        list[Pair], ['[[1, {"name": "x"}]]', "[[1]]", '[{"number": 1, "child": {"name": "x"}}]'],
    ),
    "a dataclass with slots": (
        list[Slots], ['[{"number": 1, "children": [{"name": "x"}]}]', '[{"number": "q"}]', '[{"more": 1}]'],
    ),
    "a strict dataclass": (
        list[StrictData],
        [
            '[{"number": 1, "child": {"name": "x"}, "Other": 4}]',
            '[{"number": "1", "child": {"name": "x"}}]', '[{"number": 1, "child": {"name": "x"}, "z": {}}]',
        ],
    ),
    "TypedDict, forbidden keys": (
        list[Forbids], ['[{"number": 1, "child": {"name": "x"}}]', '[{"number": 1, "z": 3}]', "[{}]"],
    ),
    "TypedDict, more keys": (list[Allows], ['[{"number": 1, "z": [1]}]', '[{"number": "1"}]']),
    "a generic model of tagged unions": (
        Box[Box[Pet | None]],
        [
            '{"value": {"value": {"kind": "cat", "lives": 1}}, "values": [{"value": null, "values": '
            '[{"lives": 2, "kind": "cat"}]}]}'
        ],
    ),
    "a generic model of anything": (Box, ['{"value": {"name": "x"}, "values": [{"name": "y"}]}']),
    "strict fields": (
        StrictFields,
        [
            '{"number": 1, "day": "2026-01-01", "numbers": [1], "color": "red"}', '{"number": "1"}',
            '{"number": 1.0}', '{"number": 1, "day": 5}',
        ],
    ),
    "many types": (
        Types,
        [
            '{"path": "/a", "address": "127.0.0.1", "duration": "P1D", "moment": "2026-01-01T12:00", '
            '"size": "1KB", "coded": "aGk=", "secret": 5, "past": "2001-01-01", '
            '"aware": "2026-01-01T00:00:00Z", "fraction": "1/2", "json_text": "[1]"}',
            '{"address": "x", "duration": "y", "fraction": "z", "json_text": "["}',
        ],
    ),
    "JSON inside text": (
        JsonInside,
        [
            r'{"child": "{\"name\": \"x\"}", "pets": "[{\"kind\": \"cat\", \"lives\": 1}]"}',
            '{"child": "{"}', r'{"child": "{\"name\": 1}"}', '{"child": {"name": "x"}}',
        ],
    ),
    "no validation": (
        Skips, ['{"number": "x"}', '{"number": "x", "child": {"name": 5}}', '{"number": 1, "made": {}}'],
    ),
    "lists that fail fast, or have limits": (
        Fast,
        [
            '{"numbers": [1], "children": [{"name": "x"}]}', '{"numbers": ["x", "y"], "children": []}',
            '{"numbers": [], "children": [{"name": "a"}, {"name": "a"}, {"name": "a"}]}',
        ],
    ),
    "functions around models": (
        Functions,
        [
            '{"plain": "q", "before": {"name": "x"}, "after": [{"name": "y"}, {"name": "z"}]}',
            '{"before": {"name": 5}, "after": [{"name": 6}]}',
        ],
    ),
    "models with a validator before": (
        HoldsBefore, ['{"one": {}, "either": 4}', '{"one": 3}', '{"one": {"number": "x"}}'],
    ),
    "a union with a model with a validator around": (
        list[WrapModel | int | Child], ['[{"number": 1}, 5, {"name": "x"}]'],
    ),
    "a constructor": (HoldsInit, ['{"one": {"number": 1}, "several": [{"number": 2}]}', '{"one": {}}']),
    "aliases that are paths": (
        list[ByPath],
        ['[{"a": {"b": [4]}, "d": [1, {"name": "x"}]}]', '[{"a": {"b": ["q"]}, "child": {"name": "x"}}]'],
    ),
    "a callable discriminator": (
        list[SmallOrLarger],
        ['[{"number": 1}, {"number": 2, "other": 3}]', '[{"number": "x"}]'],
    ),
    "a union of similar models": (
        list[Small | Larger | Texts],
        [
            '[{"number": 1}, {"number": 1, "other": 2}, {"number": "x", "children": [{"name": "n"}]}]',
            '[{"number": []}]',
        ],
    ),
    "a union from left to right": (
        list[Annotated[Small | Larger, Field(union_mode="left_to_right")]], ['[{"number": 1, "other": 2}]'],
    ),
    "a model, a list or text": (
        list[Child | list[Child] | str | None],
        ['[{"name": "x"}, [{"name": "y"}], "s", null]', '[{"name": 1}, [{"name": 1}], 5]'],
    ),
    "a model or a dict": (list[Child | dict[str, int]], ['[{"name": "x"}, {"a": 1}, {}]', '[{"a": "x"}]']),
    "a model or anything": (list[Child | Any], ['[{"name": "x"}, {"name": 5}, 3]']),
    "errors of the user's own": (
        list[Own], ['[{"number": 9}, {"number": 1}]', '[{"number": -1}, {"number": 0}]'],
    ),
    "instances that are validated again": (
        Again, ['{"inner": {"child": {"name": "x"}}, "several": [{"child": {"name": "y"}}]}'],
    ),
    "a tag with a default": (
        list[Annotated[Tagged | Cat, Field(discriminator="kind")]],
        ['[{"kind": "tagged"}]', '[{"number": 1}]'],
    ),
}  # fmt: skip


def described(value: Any) -> Any:
    """Describe a value with its types, and which fields of models were set."""
    match value:
        case RootModel():
            return type(value), described(value.root), value.model_fields_set
        case BaseModel():
            parts = {name: described(part) for name, part in value.__dict__.items()}
            return type(value), value.model_fields_set, parts, value.model_extra, value.__pydantic_private__
        case dict():
            return {key: described(part) for key, part in value.items()}
        case list() | tuple():
            return type(value), [described(part) for part in value]
    return type(value), repr(value)


def validated(type: Any, text: str) -> tuple[Any, Counter[str]]:
    CALLS.clear()
    try:
        return TypeAdapter(type).validate_json(text), Counter(CALLS)
    except ValidationError as error:
        return error, Counter(CALLS)


@each_build
@pytest.mark.parametrize("name", CASES)
def test_models(typed: Any, name: str) -> None:
    type, texts = CASES[name]
    for text in texts:
        expected, calls = validated(type, text)
        for size in (1, 7, len(text)):
            CALLS.clear()
            accumulator = typed.JsonTypedAccumulator(type)
            events = []
            for at in range(0, len(text), size):
                events += accumulator.add_fragment(text[at : at + size])
            events += accumulator.finish()
            places = [(event.kind, event.segments) for event in events]
            assert len(set(places)) == len(places)
            if not isinstance(expected, ValidationError):
                assert {event.kind for event in events} == {"complete"}
                assert described(accumulator.result) == described(expected)
                assert calls == CALLS
                assert events[-1].value is accumulator.result
                continue
            with pytest.raises(typed.TypedStreamError) as caught:
                _ = accumulator.result
            native = caught.value.native()
            # below the title
            assert str(native).splitlines()[1:] == str(expected).splitlines()[1:]
            found = {(error.code, error.message) for error in accumulator.errors}
            assert found
            assert found <= {(detail["type"], detail["msg"]) for detail in expected.errors()}


def test_every_case_has_a_valid_text() -> None:
    for name, (type, texts) in CASES.items():
        assert not isinstance(validated(type, texts[0])[0], ValidationError), name

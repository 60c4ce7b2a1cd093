"""What schemas can say, case by case: pydantic's and msgspec's, compared with one validation of the text."""

from __future__ import annotations

import dataclasses
import enum
import importlib
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence  # noqa: TC003  # read when the types are
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, Required, TypeVar

import annotated_types
import msgspec
import pydantic
import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    OnErrorOmit,
    RootModel,
    SecretStr,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import core_schema
from typing_extensions import TypeAliasType, TypedDict

from builds import BUILDS
from midstream.accumulators.value_text import value_text

MODULES = [importlib.import_module(f"{build.__name__}.typed") for build in BUILDS.values()]
each_build = pytest.mark.parametrize("typed", MODULES, ids=list(BUILDS))
CALLS: Counter[str] = Counter()
T = TypeVar("T")


def called(name: str) -> Any:
    def validator(value: Any) -> Any:
        CALLS[name] += 1
        return value

    return AfterValidator(validator)


class Child(BaseModel):
    name: str


class Counted(Child):
    @field_validator("name")
    @classmethod
    def mark(cls, value: str) -> str:
        CALLS["name"] += 1
        return value + "!"

    @model_validator(mode="after")
    def count(self) -> Counted:
        CALLS["Counted"] += 1
        return self


class Defaults(BaseModel):
    child: Counted = Field(default={"name": "x"}, validate_default=True)
    number: int = Field(default="5", validate_default=True)
    children: Annotated[list[Counted], called("children")] = Field(
        default=[{"name": "y"}],
        validate_default=True,
    )


class AllDefaults(BaseModel):
    model_config = ConfigDict(validate_default=True)
    child: Counted | None = None
    either: Counted | int = {"name": "q"}  # type: ignore[assignment]
    children: list[Counted] = [{"name": "y"}]  # type: ignore[list-item]
    by_name: dict[str, Counted] = {"a": {"name": "y"}}  # type: ignore[dict-item]
    anything: Any = 7


class Omits(BaseModel):
    numbers: list[OnErrorOmit[int]]
    children: list[OnErrorOmit[Counted]] = []
    by_name: dict[str, OnErrorOmit[Child]] = {}


class Choices(BaseModel):
    number: int = Field(validation_alias=AliasChoices("first", "second", "third"))
    child: Counted | None = Field(None, validation_alias=AliasChoices("one", "other"))


class ByName(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    number: int = Field(alias="Number")
    children: list[Counted] = Field([], alias="Children")


class Pair(NamedTuple):
    number: int
    child: Child


class Collections(BaseModel):
    sequence: Sequence[Child]
    mapping: Mapping[str, Child]
    queue: deque[int]
    counts: defaultdict[str, int]
    ordered: OrderedDict[str, Child]
    names: frozenset[str]
    pair: Pair
    numbers: tuple[int, ...] = ()


class Generator(BaseModel):
    numbers: Iterable[int]


class Box(BaseModel, Generic[T]):
    value: T
    values: list[T] = []


class Ordered(BaseModel):
    low: int
    child: Counted
    high: int

    @field_validator("high")
    @classmethod
    def check(cls, value: int, info: ValidationInfo) -> int:
        CALLS["high"] += 1
        assert isinstance(info.data["child"], Counted)
        if value < info.data["low"]:
            raise ValueError("too low")
        return value


class FromData(BaseModel):
    number: int
    double: int = Field(default_factory=lambda data: data["number"] * 2)


class InnerX(BaseModel):
    kind: Literal["a"]
    sub: Literal["x"]
    number: int


class InnerY(BaseModel):
    kind: Literal["a"]
    sub: Literal["y"]
    child: Counted


class Other(BaseModel):
    kind: Literal["b", "c"]
    children: list[Counted] = []


Inner = Annotated[InnerX | InnerY, Field(discriminator="sub")]
Nested = Annotated[Inner | Other, Field(discriminator="kind")]


class Letter(enum.StrEnum):
    A = "a"
    TWO = "two"


class TaggedA(BaseModel):
    kind: Literal[Letter.A]
    number: int


class TaggedTwo(BaseModel):
    kind: Literal[Letter.TWO]
    number: str


class AliasedP(BaseModel):
    kind: Literal["p"] = Field(alias="Kind")
    number: int


class AliasedQ(BaseModel):
    kind: Literal["q"] = Field(alias="Kind")
    number: str


class Partly(TypedDict, total=False):
    number: Required[int]
    child: NotRequired[Child]


@dataclasses.dataclass
class Data:
    number: int
    children: list[Counted] = dataclasses.field(default_factory=list)
    fixed: int = dataclasses.field(default=3, init=False)
    seed: dataclasses.InitVar[int] = 0

    def __post_init__(self, seed: int) -> None:
        CALLS["Data"] += 1


@pydantic.dataclasses.dataclass(kw_only=True)
class Keyword:
    number: int
    data: Data | None = None


class Post(BaseModel):
    number: int
    _late: int = pydantic.PrivateAttr(default=3)

    def model_post_init(self, context: Any) -> None:
        CALLS["Post"] += 1
        self._late = 7


class Extra(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]
    number: int


class Custom:
    def __init__(self, text: str) -> None:
        CALLS["Custom"] += 1
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Custom) and other.text == self.text

    __hash__ = None  # type: ignore[assignment]  # hashed by nobody

    def __repr__(self) -> str:
        return f"Custom({self.text!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema())


class WithMethod(Custom):
    @classmethod
    def make(cls, text: str) -> WithMethod:
        return cls(text)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        return core_schema.no_info_after_validator_function(cls.make, core_schema.str_schema())


class HasCustom(BaseModel):
    custom: Custom
    by_upper: dict[Annotated[str, AfterValidator(str.upper), called("key")], Child] = {}


class Optionals(BaseModel):
    either: Child | int | None = None
    text: Annotated[str, StringConstraints(strip_whitespace=True, to_upper=True)] | None = None
    left: Annotated[int | float, Field(union_mode="left_to_right")] = 1
    even: Annotated[int, annotated_types.MultipleOf(2), annotated_types.Predicate(lambda n: n != 8)] = 2


class Numbers(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)
    text: str


class Lower(BaseModel):
    model_config = ConfigDict(str_to_lower=True, str_max_length=4)
    text: str
    texts: list[str] = []
    by_key: dict[str, str] = {}


class Holder(BaseModel):
    child: Counted
    children: list[Counted]
    by_name: dict[str, Counted]
    pair: tuple[Counted, int]
    either: Counted | int = 0

    @field_validator("children")
    @classmethod
    def reverse(cls, value: list[Counted]) -> list[Counted]:
        CALLS["children"] += 1
        return value[::-1]


class RootDict(RootModel[dict[str, Counted]]):
    pass


class RootChild(RootModel[Counted]):
    pass


class RootNumber(RootModel[int]):
    pass


class Roots(BaseModel):
    by_name: RootDict
    child: RootChild
    number: RootNumber
    children: list[RootChild]


class Deferred(BaseModel):
    model_config = ConfigDict(defer_build=True)
    late: list[Late]


class Late(BaseModel):
    number: int


class OnlyByName(BaseModel):
    model_config = ConfigDict(validate_by_alias=False, validate_by_name=True)
    number: int = Field(alias="Number")


class NoOtherName(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int = Field(alias="Number")


class NoOtherKey(BaseModel):
    model_config = ConfigDict(extra="forbid")
    number: int = Field(validation_alias=AliasChoices("first", "second"))


class OtherNames(BaseModel):
    model_config = ConfigDict(extra="allow")
    number: int = Field(alias="Number")


class BeforeTree(BaseModel):
    name: Annotated[str, pydantic.BeforeValidator(str)]
    parts: list[BeforeTree] = []
    other: Annotated[BeforeTree | None, pydantic.WrapValidator(lambda value, handler: handler(value))] = None


Texts = TypeAliasType("Texts", "list[Texts] | str")


class Stripped(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)
    texts: Texts
    either: Texts | Child = ""


class Fails(BaseModel):
    @model_validator(mode="after")
    def fail(self) -> Fails:
        raise ValueError("always")


PYDANTIC: dict[str, tuple[Any, list[str]]] = {
    "a default is validated": (
        Defaults, ["{}", '{"child": {"name": "a"}, "children": [{"name": "b"}]}'],
    ),
    "all defaults are validated": (
        list[AllDefaults], ["[{}]", '[{"either": 5, "by_name": {}}, {"child": null, "children": []}]'],
    ),
    "what does not fit is omitted": (
        Omits,
        ['{"numbers": [1, "x", 3], "children": [{"name": 5}, {"name": "b"}], "by_name": {"x": 1}}'],
    ),
    "what does not fit is omitted, at the root": (list[OnErrorOmit[int]], ['[1, "x", 3]']),
    "the first of several keys counts": (
        Choices,
        [
            '{"first": 1, "second": "x"}', '{"second": "x", "first": 1}', '{"third": 1}', '{"third": "x"}',
            '{"third": [], "second": 2, "other": {"name": "b"}}', '{"other": {"name": 5}, "first": 1}',
            '{"other": {"name": "b"}, "one": {"name": "a"}, "first": 1}', '{"second": 1, "second": 2}',
        ],
    ),
    "the alias goes before the name": (
        ByName,
        [
            '{"Number": 1, "number": "x"}', '{"number": "x", "Number": 1}', '{"number": 3}',
            '{"number": 3, "children": [{"name": "a"}, {"name": "b"}]}',
        ],
    ),
    "collections": (
        Collections,
        [
            '{"sequence": [{"name": "x"}], "mapping": {"k": {"name": "x"}}, "queue": [1], "counts": {"a": 1},'
            ' "ordered": {"z": {"name": "w"}}, "names": ["a"], "pair": [1, {"name": "n"}], "numbers": [1]}'
        ],
    ),
    "generic models": (list[Box[Box[int]]], ['[{"value": {"value": 3, "values": ["2"]}}]']),
    "generic models of two types": (tuple[Box[int], Box[str]], ['[{"value": 3}, {"value": "3"}]']),
    "a generic model of models": (Box[Counted], ['{"value": {"name": "a"}, "values": [{"name": "b"}]}']),
    "fields that came earlier": (
        Ordered,
        [
            '{"low": 1, "child": {"name": "z"}, "high": 2}', '{"high": 3, "child": {"name": "z"}, "low": 2}',
            '{"high": 0, "child": {"name": "z"}, "low": 2}',
        ],
    ),
    "a default of the data": (FromData, ['{"number": 4}']),
    "tags below tags": (
        list[Nested],
        [
            '[{"kind": "a", "sub": "x", "number": 1}, {"child": {"name": "u"}, "sub": "y", "kind": "a"}, '
            '{"kind": "c", "children": [{"name": "e"}]}]',
            '[{"kind": "a", "sub": "q", "number": 1}]',
        ],
    ),
    "tags of an enum": (
        list[Annotated[TaggedA | TaggedTwo, Field(discriminator="kind")]],
        ['[{"kind": "a", "number": 1}, {"number": "s", "kind": "two"}]', '[{"kind": 2, "number": "s"}]'],
    ),
    "tags with an alias": (
        list[Annotated[AliasedP | AliasedQ, Field(discriminator="kind")]],
        ['[{"Kind": "p", "number": 1}, {"number": "s", "Kind": "q"}]', '[{"kind": "p", "number": 1}]'],
    ),
    "TypedDict": (list[Partly], ['[{"number": 1, "child": {"name": "b"}}]', '[{"child": {"name": "b"}}]']),
    "dataclasses": (
        Keyword, ['{"number": 1, "data": {"number": 2, "children": [{"name": "k"}], "seed": 5}}'],
    ),
    "a field that is not initialized": (list[Data], ['[{"number": 1, "fixed": 9}]', '[{"number": 1}]']),
    "private attributes": (list[Post], ['[{"number": 1}]']),
    "typed extra members": (Extra, ['{"number": 1, "b": 2}', '{"number": 1, "b": "x"}']),
    "types with schemas of their own": (
        HasCustom, ['{"custom": "abc", "by_upper": {"a": {"name": "z"}}}', '{"custom": 5}'],
    ),
    "optional values": (
        Optionals,
        [
            '{"either": {"name": "x"}, "text": " abc ", "left": "5"}', '{"either": null, "text": null}',
            '{"left": 1.5, "even": 4}', '{"even": 3}', '{"even": 8}', '{"either": {"name": 5}}',
        ],
    ),
    "any JSON": (list[JsonValue], ['[[1], {"a": "b"}, null, 1.5]']),
    "numbers as text": (Numbers, ['{"text": 1.50}', '{"text": 12}', '{"text": 1e3}', '{"text": null}']),
    "text is converted": (
        Lower,
        ['{"text": "ABC", "texts": ["QQ"], "by_key": {"KEY": "VV"}}', '{"text": "a", "texts": ["QQQQQ"]}'],
    ),
    "models everywhere": (
        Holder,
        [
            '{"child": {"name": "a"}, "children": [{"name": "b"}, {"name": "c"}], "by_name": '
            '{"k": {"name": "d"}}, "pair": [{"name": "e"}, 1], "either": {"name": "g"}}'
        ],
    ),
    "root models": (
        Roots,
        [
            '{"by_name": {"k": {"name": "a"}}, "child": {"name": "b"}, "number": 3, '
            '"children": [{"name": "e"}]}'
        ],
    ),
    "a schema that is built late": (Deferred, ['{"late": [{"number": 1}]}']),
    "names instead of aliases": (OnlyByName, ['{"number": 1, "Number": "x"}', '{"Number": 1}']),
    # pydantic 2.13 ignores them, all other versions refuse or keep them
    "the name besides the alias, forbidden": (
        list[NoOtherName],
        ['[{"Number": 1}]', '[{"Number": 1, "number": [2]}]', '[{"number": {}, "Number": 1}]'],
    ),
    "two keys of a field, forbidden": (
        NoOtherKey, ['{"second": 1}', '{"first": 1, "second": 2}', '{"first": 1, "number": "x"}'],
    ),
    "the name besides the alias, kept": (OtherNames, ['{"Number": 1, "number": 2}', '{"number": 2}']),
    "recursion and functions before": (
        BeforeTree, ['{"name": 1, "parts": [{"name": "b", "other": {"name": "c"}}], "other": null}'],
    ),
    "a recursive alias has the configuration of the model around it": (
        list[Stripped],
        ['[{"texts": " a "}, {"texts": [" b ", [" c "]], "either": " d "}]', '[{"texts": 5}]'],
    ),
    "a model that always fails": (list[Fails], ["[{}, {}]"]),
    "numbers at the root": (float, ["-0", "1e400", "0.1234567890123456789", "1e2", '"x"']),
    "exact numbers": (list[Decimal], ["[1.10, 0.12345678901234567890123, 12345678901234567890123]"]),
    "integers": (list[int], ["[-0, 1e2]", "[1.5]", f"[{10**60}]"]),
    "keys": (
        dict[str, Any],
        [
            '{"a": {"b": [1, {"c": null}]}, "": 1}', '{"\\ud800": 1}', '{"a": "\\ud800"}',
            '{"a": {"\\udc00": 1}}',
        ],
    ),
    "lone surrogates in what is ignored": (
        Child,
        [
            '{"name": "a", "x": "ü"}', '{"name": "a", "x": "\\ud800"}', '{"name": "a", "\\ud800": 1}',
            '{"x": ["\\udfff"], "name": "a"}',
        ],
    ),
    "keys of other types": (dict[int, Child], ['{"1": {"name": "a"}}', '{"x": {"name": "a"}}']),
    "keys with limits": (dict[Annotated[str, Field(min_length=2)], int], ['{"ab": 1}', '{"a": 1}']),
    "keys that are dates": (dict[date, int], ['{"2026-01-01": 1}']),
    "a function around a list": (
        Annotated[list[Counted], AfterValidator(lambda value: value[::-1])],
        ['[{"name": "a"}, {"name": "b"}]'],
    ),
}  # fmt: skip


if tuple(map(int, pydantic.VERSION.split(".")[:2])) < (2, 11):
    # there, a recursive alias has no configuration unless the model is the root
    del PYDANTIC["a recursive alias has the configuration of the model around it"]


def check(typed: Any, type: Any, pieces: list[str], expected: Any, calls: Any, **options: Any) -> None:
    CALLS.clear()
    accumulator = typed.JsonTypedAccumulator(type, **options)
    for piece in pieces:
        accumulator.add_fragment(piece)
        repr(accumulator.partial)
    accumulator.finish()
    assert accumulator.is_complete
    if not isinstance(expected, Exception):
        assert accumulator.errors == []
        assert accumulator.result == expected
        assert accumulator.result.__class__ is expected.__class__
        assert calls == CALLS
        assert accumulator.state() == "final"
        return
    assert accumulator.errors
    assert accumulator.state() == "invalid"
    with pytest.raises(typed.TypedStreamError) as caught:
        _ = accumulator.result
    assert caught.value.native().__class__ is expected.__class__


def ways(text: str) -> list[list[str]]:
    return [[text], list(text), *([text[:at], text[at:]] for at in range(1, len(text)))]


@each_build
@pytest.mark.parametrize("name", PYDANTIC)
def test_pydantic(typed: Any, name: str) -> None:
    type, texts = PYDANTIC[name]
    adapter = TypeAdapter(type)
    for text in texts:
        CALLS.clear()
        expected: Any
        try:
            expected = adapter.validate_json(text)
        except ValidationError as error:
            expected = error
        calls = Counter(CALLS)
        for pieces in ways(text):
            check(typed, type, pieces, expected, calls)


def test_every_case_has_a_valid_text() -> None:
    """Cases that all fail would prove little."""
    for type, texts in PYDANTIC.values():
        if type != list[Fails]:
            assert any(is_valid(type, text) for text in texts), type


def is_valid(type: Any, text: str) -> bool:
    try:
        TypeAdapter(type).validate_json(text)
    except ValidationError:
        return False
    return True


@each_build
def test_a_generator_reads_its_values_when_it_is_used(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Generator)
    accumulator.add_fragment('{"numbers": [1, "2"]}')
    assert list(accumulator.result.numbers) == [1, 2]


class Point(msgspec.Struct):
    x: int


@dataclasses.dataclass
class IntList:
    numbers: list[int]


@dataclasses.dataclass
class Points:
    points: list[Point]


@dataclasses.dataclass
class NumbersAndPoints:
    numbers: IntList
    points: Points


@each_build
def test_the_library_is_that_of_the_first_class(typed: Any) -> None:
    # the annotations of a class are new objects whenever they are read, and may have the ids of former ones
    text = '{"numbers": {"numbers": [1]}, "points": {"points": [{"x": 2}]}}'
    accumulator = typed.JsonTypedAccumulator(NumbersAndPoints)
    accumulator.add_fragment(text)
    assert accumulator.result == NumbersAndPoints(IntList([1]), Points([Point(2)]))
    base = importlib.import_module(typed.__name__.partition(".")[0])
    assert base.first(text, "$", NumbersAndPoints) == accumulator.result


@each_build
def test_the_order_of_a_union_counts(typed: Any) -> None:
    # the types are equal
    for type, expected in ((list[int | float], [5]), (list[float | int], [5.0])):
        assert type == list[int | float]
        accumulator = typed.JsonTypedAccumulator(type)
        accumulator.add_fragment('["5"]')
        assert repr(accumulator.result) == repr(expected)


@each_build
def test_text_of_other_types_is_not_shown(typed: Any) -> None:
    types: list[Any] = [
        Custom,
        WithMethod,
        SecretStr,
        Path,
        pydantic.AnyUrl,
        Annotated[str, AfterValidator(Custom)],
    ]
    for type in types:
        model = pydantic.create_model("Model", text=(type, ...), after=(int, 0))
        accumulator = typed.JsonTypedAccumulator(model)
        for piece in ('{"text": "https:', '//example.org/"', ', "after": 1'):
            accumulator.add_fragment(piece)
            assert typed.to_plain(accumulator.partial) == {}
            assert accumulator.state("text") == "open"
        accumulator.add_fragment("}")
        assert accumulator.result == TypeAdapter(model).validate_json(
            '{"text":"https://example.org/","after":1}'
        )


@each_build
def test_a_key_of_less_priority_is_read_when_the_model_closes(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Choices)
    text = '{"other": {"name": "a"}, "second": "7"'
    assert [event for character in text for event in accumulator.add_fragment(character)] == []
    assert (accumulator.state("other"), accumulator.state("second")) == ("open", "open")
    before = accumulator.snapshot
    events = accumulator.add_fragment("}")
    assert [event.path for event in events] == ["root.second", "root.other.name", "root.other", "root"]
    assert accumulator.result.number == 7
    assert before.state("second") == "open"
    # the first key is read at once
    accumulator = typed.JsonTypedAccumulator(Choices)
    assert [event.path for event in accumulator.add_fragment('{"first": 1,')] == ["root.first"]


DEEP: dict[str, Any] = {
    "any": Any, "a list": list[Any], "a model": pydantic.create_model("Deep", data=(Any, ...)),
    "another type": dict[str, int], "a late list": Annotated[list[Any], AfterValidator(lambda value: value)],
}  # fmt: skip


@each_build
@pytest.mark.parametrize("name", DEEP)
def test_deep_documents_are_no_recursion_error(typed: Any, name: str) -> None:
    text = "[" * 990 + "]" * 990
    text = f'{{"data":{text}}}' if name == "a model" else text
    for library in ("pydantic", "msgspec"):
        if library == "msgspec" and name in ("a model", "a late list"):
            continue
        accumulator = typed.JsonTypedAccumulator(DEEP[name], library=library)
        accumulator.add_fragment(text)
        assert value_text(accumulator.raw) == text
        typed.to_plain(accumulator.partial)
        if accumulator.errors:
            assert isinstance(accumulator.snapshot._native(), Exception)


class Leaves(msgspec.Struct):
    decimal: Decimal = Decimal(0)
    number: float = 0.0
    anything: Any = None
    raw: msgspec.Raw = msgspec.Raw(b"1")
    unset: int | msgspec.UnsetType = msgspec.UNSET
    child: MsgChild | msgspec.UnsetType | None = msgspec.UNSET


class MsgChild(msgspec.Struct):
    name: str

    def __post_init__(self) -> None:
        CALLS["MsgChild"] += 1
        if self.name == "bad":
            raise ValueError("bad name")


class MsgBox(msgspec.Struct, Generic[T]):
    value: T
    values: list[T] = []


class MsgBoxes(msgspec.Struct):
    numbers: MsgBox[int]
    texts: MsgBox[str]
    children: MsgBox[MsgChild]


class Array(msgspec.Struct, array_like=True):
    number: int
    child: MsgChild


class One(msgspec.Struct, tag=1):
    number: int


class Two(msgspec.Struct, tag=2):
    text: str
    parts: list[One | Two] = []


class Kebab(msgspec.Struct, kw_only=True, rename="kebab"):
    some_name: int = msgspec.field(name="zz")
    other_name: str = "a"


class MsgPair(NamedTuple):
    number: int
    child: MsgChild


MSGSPEC: dict[str, tuple[Any, list[str]]] = {
    "leaves": (
        Leaves,
        [
            '{"decimal": 0.12345678901234567890123, "number": -0, "anything": {"x": [1, 2.5]}}',
            '{"number": 1e400}', '{"anything": 1e400}', '{"anything": [1, {"a": -1e999}]}',
            '{"unset": 1, "child": {"name": "a"}}', '{"child": null}', '{"child": {"name": "bad"}}',
        ],
    ),
    "generic structs": (
        MsgBoxes,
        [
            '{"numbers": {"value": 1, "values": [2]}, "texts": {"value": "a"}, '
            '"children": {"value": {"name": "z"}}}',
            '{"numbers": {"value": "a"}, "texts": {"value": "a"}, "children": {"value": {"name": "z"}}}',
        ],
    ),
    "arrays": (list[Array], ['[[1, {"name": "a"}], [2, {"name": "b"}]]', '[[1, {"name": 5}]]']),
    "tags that are numbers": (
        list[One | Two],
        [
            '[{"type": 1, "number": 1}, {"text": "a", "parts": [{"type": 2, "text": "b"}], "type": 2}]',
            '[{"type": 1.0, "number": 1}]', '[{"type": "1", "number": 1}]', '[{"number": 1}]',
        ],
    ),
    "names": (Kebab, ['{"zz": 1, "other-name": "b"}', '{"some_name": 1}']),
    "named tuples": (tuple[int, MsgPair], ['[1, [2, {"name": "b"}]]']),
    "big numbers": (list[int], [f"[{10**40}, -0]", "[1.0]", "[1e3]"]),
    "any number": (Any, ["12345678901234567890123", "1.5", "1e400"]),
    "keys": (dict[date, int], ['{"2026-01-01": 1}', '{"x": 1}']),
    "lone surrogates": (
        dict[str, Any], ['{"a": "b"}', '{"a": "\\ud800"}', '{"\\ud800": 1}', '{"a": ["\\udc00"]}'],
    ),
    "lone surrogates in what is ignored": (MsgChild, ['{"name": "a"}', '{"name": "a", "x": "\\ud800"}']),
    "a struct or a list of them": (MsgChild | list[MsgChild], ['[{"name": "x"}]', '{"name": "x"}', "[1]"]),
}  # fmt: skip


@each_build
@pytest.mark.parametrize("name", MSGSPEC)
def test_msgspec(typed: Any, name: str) -> None:
    type, texts = MSGSPEC[name]
    for text in texts:
        CALLS.clear()
        expected: Any
        try:
            expected = msgspec.json.decode(text, type=type)
        except msgspec.DecodeError as error:
            expected = error
        calls = Counter(CALLS)
        for pieces in ways(text):
            check(typed, type, pieces, expected, calls, library="msgspec")


@each_build
def test_raw_json_of_msgspec(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Leaves)
    accumulator.add_fragment('{"raw": 1.50}')
    assert bytes(accumulator.result.raw) == b"1.50"

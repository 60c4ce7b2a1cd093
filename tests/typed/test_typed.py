"""The behaviour of typed streams, case by case."""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import pickle
import subprocess
import sys
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
import pydantic
import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Json,
    OnErrorOmit,
    PrivateAttr,
    RootModel,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from typing_extensions import TypedDict

from builds import BUILDS

MODULES = [importlib.import_module(f"{build.__name__}.typed") for build in BUILDS.values()]
each_build = pytest.mark.parametrize("typed", MODULES, ids=list(BUILDS))
EACH = [(name, module) for name, module in zip(BUILDS, MODULES, strict=True)]


class Hill(BaseModel):
    kind: Literal["hill"]
    height: int


class Lake(BaseModel):
    kind: Literal["lake"]
    name: str
    depths: list[float] = []


class Child(BaseModel):
    name: str


class Parent(BaseModel):
    child: Child
    children: list[Child] = []


Place = Annotated[Hill | Lake, Field(discriminator="kind")]


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    count: int
    day: date


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    name: str
    _secret: int = PrivateAttr(default=5)


class Aliased(BaseModel):
    city_name: str = Field(alias="cityName")
    other: int = Field(validation_alias=AliasChoices("first", "second"))


class ByPath(BaseModel):
    deep: str = Field(validation_alias=AliasPath("a", 1))
    flat: int


class Forbids(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str


class Allows(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Tree(BaseModel):
    name: str
    parts: list[Tree] = []


class Names(RootModel[list[Child]]):
    pass


@dataclass
class Data:
    name: str
    day: date | None = None


class Dict(TypedDict):
    name: str
    count: int


class Text(BaseModel):
    data: Json[list[int]]


class Before(BaseModel):
    names: Annotated[
        list[str], BeforeValidator(lambda value: value.split(",") if isinstance(value, str) else value)
    ]


class BeforeModel(BaseModel):
    name: str

    @model_validator(mode="before")
    @classmethod
    def rename(cls, value: Any) -> Any:
        return {"name": value.pop("title", None) or value.get("name")}


class WithContext(BaseModel):
    name: str

    @field_validator("name")
    @classmethod
    def add(cls, value: str, info: ValidationInfo) -> str:
        context: Any = info.context
        return value + str(context["suffix"])


def feed(typed: Any, type: Any, text: str, **options: Any) -> tuple[Any, list[tuple[int, str, str]]]:
    """Feed a text by characters; return the accumulator and the events, with the index of their character."""
    accumulator = typed.JsonTypedAccumulator(type, **options)
    events = []
    for index, character in enumerate(text):
        events += [(index, event.kind, event.path) for event in accumulator.add_fragment(character)]
    events += [(len(text), event.kind, event.path) for event in accumulator.finish()]
    return accumulator, events


VALID: dict[str, tuple[Any, str]] = {
    "tagged union": (list[Place], '[{"kind": "hill", "height": 5}, {"kind": "lake", "name": "Léman"}]'),
    "tag last": (Place, '{"name": "Léman", "depths": [1, 2.5], "kind": "lake"}'),
    "untagged union": (list[Child | int | None], '[{"name": "a"}, 5, null]'),
    "untagged union of models": (Child | Hill, '{"kind": "hill", "height": 5}'),
    "the library decides about a scalar": (list[date | int | str], '["5", 5, "2026-05-08", "x"]'),
    "optional": (Parent | None, "null"),
    "alias": (Aliased, '{"cityName": "Bern", "second": 5}'),
    "alias path": (ByPath, '{"a": ["x", "y"], "flat": 5}'),
    "extra forbid": (Forbids, '{"name": "a"}'),
    "extra allow": (Allows, '{"name": "a", "more": {"b": [1, null]}}'),
    "strict": (Strict, '{"count": 5, "day": "2026-05-08"}'),
    "frozen, private attributes": (Frozen, '{"name": "a"}'),
    "dataclass": (Data, '{"name": "a", "day": "2026-05-08"}'),
    "TypedDict": (list[Dict], '[{"name": "a", "count": 5}]'),
    "a list of anything": (list, '[1, "x", [2]]'),
    "items that may be left out": (list[OnErrorOmit[int]], '[1, "x", 2, {"y": 3}, 4]'),
    "RootModel": (Names, '[{"name": "a"}]'),
    "recursion": (Tree, '{"name": "a", "parts": [{"name": "b", "parts": [{"name": "c"}]}]}'),
    "root list": (list[Child], '[{"name": "a"}]'),
    "root dict": (dict[str, Child], '{"x": {"name": "a"}}'),
    "dict with other keys": (dict[int, str], '{"1": "a"}'),
    "root scalar": (int, "12"),
    "root string": (str, '"text"'),
    "root enum": (Enum("Enum", {"A": "a"}), '"a"'),
    "before validator of a field": (Before, '{"names": "a,b"}'),
    "before validator of a model": (list[BeforeModel], '[{"title": "a"}]'),
    "Json": (Text, '{"data": "[1, 2]"}'),
    "tuple": (tuple[int, Child], '[1, {"name": "a"}]'),
    "limits of a list": (Annotated[list[int], Field(max_length=2)], "[1, 2]"),
    "function around a model": (Annotated[Child, AfterValidator(lambda value: value)], '{"name": "a"}'),
    "duplicate keys": (Parent, '{"child": {"name": 5}, "child": {"name": "b"}, "children": []}'),
}


@each_build
@pytest.mark.parametrize("name", VALID)
def test_the_result_is_that_of_the_library(typed: Any, name: str) -> None:
    type, text = VALID[name]
    expected = TypeAdapter(type).validate_json(text)
    accumulator, events = feed(typed, type, text)
    assert accumulator.errors == []
    assert accumulator.result == expected
    assert accumulator.result.__class__ is expected.__class__
    assert accumulator.state() == "final"
    assert events[-1][1:] == ("complete", "root")
    for cut in range(len(text)):
        in_two = typed.JsonTypedAccumulator(type)
        in_two.add_fragment(text[:cut])
        in_two.add_fragment(text[cut:])
        in_two.finish()
        assert in_two.result == expected


@each_build
def test_events_come_at_once_inner_before_outer(typed: Any) -> None:
    text = '{"child": {"name": "a"}, "children": [{"name": "b"}]}'
    _, events = feed(typed, Parent, text)
    assert events == [
        (21, "complete", "root.child.name"),
        (22, "complete", "root.child"),
        (49, "complete", "root.children[0].name"),
        (50, "complete", "root.children[0]"),
        (51, "complete", "root.children"),
        (52, "complete", "root"),
    ]


@each_build
def test_a_tag_that_comes_last_decides_with_its_last_character(typed: Any) -> None:
    text = '{"name": "Léman", "depths": [1], "kind": "lake"}'
    _, events = feed(typed, Place, text)
    at = text.index('"}')
    assert events == [
        (at, "complete", "root.name"),
        (at, "complete", "root.depths[0]"),
        (at, "complete", "root.depths"),
        (at, "complete", "root.kind"),
        (at + 1, "complete", "root"),
    ]


@each_build
@pytest.mark.parametrize("key", ["\ud83d\ude00", "\\ud83d\\ude00"])
@pytest.mark.parametrize(
    ("type", "text", "result"),
    [
        (Any, '{"a": "%s"}', {"a": "\U0001f600"}),
        (list[Any], '["%s"]', ["\U0001f600"]),
        (dict[str, int], '{"%s": 1}', {"\U0001f600": 1}),
        (list[dict[str, str]], '[{"%s": "%s!"}]', [{"\U0001f600": "\U0001f600!"}]),
        (Literal["\U0001f600"], '"%s"', "\U0001f600"),
    ],
)
def test_surrogate_pairs_that_were_split_are_joined(
    typed: Any, type: Any, text: str, result: Any, key: str
) -> None:
    text = text.replace("%s", key)
    for pieces in ([text], list(text)):
        accumulator = typed.JsonTypedAccumulator(type)
        for piece in pieces:
            accumulator.add_fragment(piece)
        accumulator.finish()
        assert accumulator.errors == []
        assert accumulator.result == result


@each_build
def test_an_unknown_tag_is_an_error_of_that_object_alone(typed: Any) -> None:
    text = '[{"height": "x", "kind": "sea", "more": 1}, {"kind": "hill", "height": 5}]'
    accumulator, events = feed(typed, list[Place], text)
    assert events[0] == (text.index('sea"') + 3, "invalid", "root[0]")
    assert [event[1:] for event in events[1:]] == [
        ("complete", "root[1].kind"), ("complete", "root[1].height"), ("complete", "root[1]"),
    ]  # fmt: skip
    assert [error.code for error in accumulator.errors] == ["union_tag_invalid"]
    assert accumulator.state() == "invalid"


@each_build
def test_a_tag_that_comes_again_decides_again(typed: Any) -> None:
    text = '{"kind": "hill", "height": "x", "name": "Léman", "kind": "lake"}'
    accumulator, _ = feed(typed, Place, text)
    assert accumulator.errors == []
    assert accumulator.result == Lake(kind="lake", name="Léman")


@each_build
@pytest.mark.parametrize("tag", ['"kind": "lake"', '"kind": "sea"', '"kind": 5', '"kind": ["lake"]'])
def test_the_last_of_several_tags_counts(typed: Any, tag: str) -> None:
    for again in (1, 2, 3):
        text = f'{{"kind": "hill", "height": 5, {again * (tag + ", ")}"name": 5, "kind": "hill"}}'
        accumulator, events = feed(typed, Place, text)
        assert accumulator.errors == []
        assert accumulator.result == Hill(kind="hill", height=5)
        assert accumulator.state("name") == "absent"
        assert events[-1][1:] == ("complete", "root")
        text = f'{{"kind": "hill", "height": 5, {again * (tag + ", ")}"name": "Léman"}}'
        accumulator, _ = feed(typed, Place, text)
        if "sea" in tag or tag.endswith(("5", "]")):
            assert [error.code for error in accumulator.errors] == ["union_tag_invalid"]
            assert accumulator.state() == "invalid"
        else:
            assert accumulator.result == Lake(kind="lake", name="Léman")


@each_build
def test_items_that_may_be_left_out_come_with_their_list(typed: Any) -> None:
    accumulator, events = feed(typed, list[OnErrorOmit[int]], '[1, "x", 2]')
    assert [event[1:] for event in events] == [("complete", "root")]
    assert accumulator.result == [1, 2]


@each_build
def test_the_same_tag_again_decides_nothing(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Place)
    accumulator.add_fragment('{"kind": "lake", "name": "Léman", "kind": "lake", "depths": [1')
    assert accumulator.partial.kind == "lake"
    assert accumulator.partial.name == "Léman"
    assert accumulator.state("name") == "final"
    assert typed.to_plain(accumulator.partial)["depths"] == []


@each_build
def test_a_snapshot_is_not_changed_by_another_tag(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Place)
    accumulator.add_fragment('{"kind": "hill", "height": "x"')
    before = accumulator.snapshot
    accumulator.add_fragment(', "kind": "lake", "name": "Lé')
    assert [error.path for error in before.errors] == ["root.height"]
    assert before.state("height") == "invalid"
    assert before.partial.kind == "hill"
    assert accumulator.errors == []
    assert accumulator.state("name") == "open"


@each_build
def test_nothing_is_final_before_what_contains_it_in_one_piece(typed: Any) -> None:
    class Holder(BaseModel):
        model_config = ConfigDict(extra="forbid")
        pair: tuple[int, Child] = (0, Child(name=""))
        numbers: Annotated[list[int], BeforeValidator(list)] = []
        either: Child | Hill | None = None

    accumulator = typed.JsonTypedAccumulator(Holder)

    def states(*paths: str) -> list[str]:
        return [accumulator.state(path) for path in paths]

    accumulator.add_fragment('{"pair": [1, {"name": "a", "more')
    assert states("pair", "pair[0]", "pair[1]", "pair[1].name", "pair[1].more", "pair[2]") == [
        "open", "open", "open", "open", "absent", "absent",
    ]  # fmt: skip
    accumulator.add_fragment('": "tex')
    assert states("pair[1].more", "pair[1].more.x") == ["open", "absent"]
    accumulator.add_fragment('t"}], "numbers": [1, 2')
    # a tuple with a model in it is final with the model around it
    assert states("pair[1].name", "numbers", "numbers[0]", "numbers[1]") == ["open", "open", "open", "absent"]
    accumulator.add_fragment('], "either": {"name": "b"')
    assert states("numbers[1]", "either", "either.name", "either.kind") == ["open", "open", "open", "absent"]
    accumulator.add_fragment('}, "foreign": {"a": 1, "b')
    assert states("either.name", "foreign", "foreign.a", "foreign.b") == [
        "final", "invalid", "invalid", "absent",
    ]  # fmt: skip
    accumulator.add_fragment('": "')
    assert states("foreign.b", "numbers[0]") == ["invalid", "open"]


@each_build
def test_what_is_not_part_of_the_type_is_absent(typed: Any) -> None:
    text = '{"kind": "lake", "x": {"y": 1}, "name": "a", "depths": [1, 2]}'
    for type, before, path in ((Place, "", ""), (list[Place], "[", "[0]"), (dict[str, Place], '{"k": ', "k")):
        accumulator = typed.JsonTypedAccumulator(type)
        accumulator.add_fragment(f"{before}{text[:-1]}")
        for rest in ("", "}"):
            accumulator.add_fragment(rest)
            states = [
                accumulator.state(f"root.{path}".rstrip(".").replace(".[", "[") + below)
                for below in (".x", ".x.y", ".kind", ".depths", ".depths[1]", ".depths[2]")
            ]
            assert states == ["absent", "absent", "final", "final", "final", "absent"]
    accumulator, _ = feed(typed, Aliased, '{"cityName": "Bern", "second": 1, "first": 2}')
    assert [accumulator.state(key) for key in ("first", "second", "cityName", "city_name")] == [
        "final", "absent", "final", "absent",
    ]  # fmt: skip


@each_build
def test_a_duplicate_key_replaces_what_was_reported(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(dict[str, int])
    accumulator.add_fragment('{"a": "x", ')
    before = accumulator.snapshot
    assert [error.path for error in before.errors] == ["root.a"]
    accumulator.add_fragment('"a": 1')
    assert before.state("a") == "invalid"
    accumulator.add_fragment("}")
    assert accumulator.errors == []
    assert len(before.errors) == 1
    assert accumulator.result == {"a": 1}
    # its place among the others is that of the first
    accumulator, _ = feed(typed, dict[int, int], '{"1": "x", "2": 2, "1": 1}')
    assert [*accumulator.result] == [1, 2]


@each_build
def test_what_is_shown_while_it_is_open(typed: Any) -> None:
    class Shown(BaseModel):
        text: str
        upper: Annotated[str, AfterValidator(str.upper)] = ""
        kind: Literal["al", "alpha"] = "al"
        day: date | None = None
        either: str | int = 0
        count: int = 0

    accumulator = typed.JsonTypedAccumulator(Shown)

    def after(fragment: str) -> Any:
        accumulator.add_fragment(fragment)
        return typed.to_plain(accumulator.partial)

    assert after("{") == {}
    assert after('"text": "a') == {"text": "a"}
    assert after('b", "kind": "al') == {"text": "ab"}
    assert after('pha", "day": "2026-05-0') == {"text": "ab", "kind": "alpha"}
    assert after('8", "either": "x') == {"text": "ab", "kind": "alpha", "day": date(2026, 5, 8)}
    assert after('", "count": 1')["either"] == "x"
    assert "count" not in typed.to_plain(accumulator.partial)
    assert after('2, "upper": "yes"')["count"] == 12
    # its validator has not been called yet
    assert accumulator.partial.upper == "yes"
    assert accumulator.state("upper") == "open"
    assert after("}").upper == "YES"


@each_build
def test_a_view_has_the_names_of_the_fields_only(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Aliased)
    accumulator.add_fragment('{"cityName": "Be')
    view = accumulator.partial
    assert not isinstance(view, Aliased)
    assert dir(view) == ["city_name", "other"]
    assert view.city_name == "Be"
    assert str(view.other) == "UNDEFINED"
    assert accumulator.state("cityName") == "open"
    assert accumulator.state("other") == "absent"
    # the name of the field is not one of its keys
    other = typed.JsonTypedAccumulator(Aliased)
    other.add_fragment('{"city_name": "Be')
    assert typed.to_plain(other.partial) == {}
    assert other.state("city_name") == "absent"
    with pytest.raises(AttributeError, match="has no field 'cityName'"):
        _ = view.cityName
    with pytest.raises(AttributeError, match="read-only"):
        view.city_name = "x"
    with pytest.raises(AttributeError, match="read-only"):
        del view.city_name
    with pytest.raises(TypeError, match="to_plain"):
        view.__reduce__()
    assert repr(view) == "<partial Aliased city_name='Be'>"


@each_build
def test_the_keys_of_an_open_typed_dict(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Dict)
    accumulator.add_fragment('{"name": "a", "count": 1')
    view = accumulator.partial
    assert [*view] == ["name"]
    assert [key in view for key in ("name", "count", "m", "z", "", 1)] == [True, *[False] * 5]


@each_build
def test_views_of_open_lists_and_dicts(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(dict[str, list[str]])
    accumulator.add_fragment('{"a": ["x", "y"], "b": ["z", "open')
    view = accumulator.partial
    assert list(view) == ["a", "b"]
    assert len(view) == 2
    assert "a" in view
    assert "c" not in view
    assert view["a"] == ["x", "y"]
    assert view["a"].__class__ is list
    items = view["b"]
    assert (len(items), items[0], items[-1], items[0:5], "z" in items) == (
        2,
        "z",
        "open",
        ["z", "open"],
        True,
    )
    with pytest.raises(IndexError):
        _ = items[2]
    with pytest.raises(KeyError):
        _ = view["c"]
    assert items == ["z", "open"]
    accumulator.add_fragment('ed", "more"')
    assert list(items) == ["z", "open"]
    assert accumulator.open_path == ("b",)


@each_build
def test_views_and_snapshots_say_that_they_are_not_data(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Parent)
    accumulator.add_fragment('{"child": {"name": "a"}, "children": [{"name": "b')
    snapshot = accumulator.snapshot
    by_name = typed.JsonTypedAccumulator(dict[str, int])
    by_name.add_fragment("{")
    for view in (snapshot.partial, snapshot.partial.children, by_name.partial):
        for use in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=r"cannot be pickled or copied; to_plain\(partial\) returns"):
                use(view)
    with pytest.raises(TypeError, match=r"to_plain\(snapshot.partial\) and snapshot.raw are plain data"):
        pickle.dumps(snapshot)
    assert copy.deepcopy(typed.to_plain(snapshot.partial)) == {
        "child": Child(name="a"),
        "children": [{"name": "b"}],
    }


@each_build
def test_a_place_after_the_end_of_a_list_is_absent(typed: Any) -> None:
    accumulator, _ = feed(typed, dict[str, Any], '{"a": [1, [2]]}')
    places = ("a", "a[0]", "a[1][0]", "a[2]", "a[9]", "a[1][1]", "a[1][5]", "b")
    assert [accumulator.state(place) for place in places] == [*["final"] * 3, *["absent"] * 5]


@each_build
def test_a_state_is_that_of_one_value(typed: Any) -> None:
    base = importlib.import_module(typed.__name__.partition(".")[0])
    accumulator = typed.JsonTypedAccumulator(list[Child])
    accumulator.add_fragment('[{"name": "a"}')
    for path in ("[*].name", (0, base.ANY), "[-1]"):
        with pytest.raises(base.JsonStreamError, match="invalid path") as caught:
            accumulator.state(path)
        assert caught.value.code == "invalid_path"


@each_build
def test_reset(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Parent, on_invalid="raise", hold=["child"])
    with pytest.raises(typed.TypedStreamError):
        accumulator.add_fragment('{"child": "')
    accumulator.reset()
    assert (accumulator.raw, accumulator.errors, accumulator.is_complete) == (
        typed_undefined(typed),
        [],
        False,
    )
    accumulator.add_fragment('{"child": {"name": "a')
    assert typed.to_plain(accumulator.partial) == {}
    accumulator.add_fragment('"}}')
    accumulator.finish()
    kept = accumulator.snapshot
    with pytest.raises(ValueError, match=r"call reset\(\) to begin a new text"):
        accumulator.add_fragment(" ")
    accumulator.reset()
    assert accumulator.state() == "absent"
    assert kept.result == Parent(child=Child(name="a"))
    with pytest.raises(typed.TypedStreamError):
        accumulator.add_fragment('{"child": "')


def typed_undefined(typed: Any) -> Any:
    return importlib.import_module(typed.__name__.partition(".")[0]).UNDEFINED


@each_build
def test_hold(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Parent, hold=["child", "children[*].name"])
    accumulator.add_fragment('{"child": {"name": "a"')
    assert typed.to_plain(accumulator.partial) == {}
    accumulator.add_fragment('}, "children": [{"name": "b')
    assert typed.to_plain(accumulator.partial) == {"child": Child(name="a"), "children": [{}]}
    assert accumulator.state("children[0].name") == "open"
    accumulator.add_fragment('"')
    assert accumulator.partial.children[0].name == "b"


@each_build
def test_hold_what_a_validator_waits_for(typed: Any) -> None:
    class Shown(BaseModel):
        text: str
        upper: Annotated[str, AfterValidator(lambda value, info: value + str(info.data))] = ""

    for hold, shown in (("upper", {"text": "a"}), ("upper.x", {"text": "a", "upper": "yes"})):
        accumulator = typed.JsonTypedAccumulator(Shown, hold=[hold])
        accumulator.add_fragment('{"text": "a", "upper": "yes"')
        assert typed.to_plain(accumulator.partial) == shown


INVALID: dict[str, tuple[Any, str, list[tuple[str, str]]]] = {
    "a leaf": (Hill, '{"kind": "hill", "height": "x"}', [("root.height", "int_parsing")]),
    "two leaves": (list[int], '["x", 1, "y"]', [("root[0]", "int_parsing"), ("root[2]", "int_parsing")]),
    "a missing field": (Parent, '{"child": {}}', [("root.child.name", "missing")]),
    "an alias": (Aliased, '{"cityName": 5, "first": 1}', [("root.cityName", "string_type")]),
    "another type": (Parent, '{"child": 5}', [("root.child", "model_type")]),
    "a foreign key": (Forbids, '{"name": "a", "b": 1}', [("root.b", "extra_forbidden")]),
    "strict": (Strict, '{"count": "5", "day": "2026-05-08"}', [("root.count", "int_type")]),
    "too long": (Annotated[list[int], Field(max_length=1)], "[1, 2]", [("root", "too_long")]),
    "null": (Parent, '{"child": null}', [("root.child", "model_type")]),
    "members of a union": (
        Child | Hill | str,
        '{"kind": 5}',
        [
            ("root.name", "missing"), ("root.kind", "literal_error"), ("root.height", "missing"),
            ("root", "string_type"),
        ],
    ),
    "the beginning of a path": (ByPath, '{"flat": 5}', [("root", "missing")]),
    "the end of a path": (ByPath, '{"flat": 5, "a": []}', [("root.a", "missing")]),
    "no tag": (Place, '{"height": 5}', [("root", "union_tag_not_found")]),
    "Json": (Text, '{"data": "[1"}', [("root.data", "json_invalid")]),
    "a lone surrogate": (str, '"\\ud800"', [("root", "json_invalid")]),
}  # fmt: skip


@each_build
@pytest.mark.parametrize("name", INVALID)
def test_errors_have_code_and_path(typed: Any, name: str) -> None:
    type, text, expected = INVALID[name]
    accumulator, events = feed(typed, type, text)
    assert [(error.path, error.code) for error in accumulator.errors] == expected
    assert [event for event in events if event[1] == "invalid"]
    assert accumulator.is_complete
    with pytest.raises(typed.TypedStreamError) as caught:
        _ = accumulator.result
    native = caught.value.native()
    assert len(native.errors()) == len(expected)


@each_build
def test_a_foreign_key_is_reported_when_its_value_begins(typed: Any) -> None:
    text = '{"b": "long text", "name": "a"}'
    _, events = feed(typed, Forbids, text)
    assert events[0] == (6, "invalid", "root.b")


@pydantic.dataclasses.dataclass(config=ConfigDict(extra="forbid"))
class ForbidsData:
    name: str


@each_build
def test_a_foreign_key_of_a_dataclass_has_the_error_of_pydantic(typed: Any) -> None:
    text = '{"name": "a", "b": {"c": 1}}'
    with pytest.raises(ValidationError) as expected:
        TypeAdapter(ForbidsData).validate_json(text)
    accumulator, _ = feed(typed, ForbidsData, text)
    found = [(error.segments, error.code, error.message) for error in accumulator.errors]
    assert found == [(detail["loc"], detail["type"], detail["msg"]) for detail in expected.value.errors()]


class NamesInErrors(BaseModel):
    model_config = ConfigDict(loc_by_alias=False)
    first_name: str = Field(alias="firstName")
    child: Child | None = Field(None, alias="Child")
    age: int = Field(1, alias="Age")

    @field_validator("age")
    @classmethod
    def check(cls, value: int) -> int:
        if value < 0:
            raise ValueError("too young")
        return value


@each_build
def test_errors_have_the_keys_of_the_text_whatever_the_library_writes(typed: Any) -> None:
    for text, path in (
        ('{"Age": 1}', "root.firstName"),
        ('{"firstName": "a", "Age": -1}', "root.Age"),
        ('{"firstName": "a", "Child": {}}', "root.Child.name"),
        ('{"firstName": 5}', "root.firstName"),
    ):
        accumulator, _ = feed(typed, NamesInErrors, text)
        assert [error.path for error in accumulator.errors] == [path]


@each_build
def test_the_native_error_has_the_place_in_the_document(typed: Any) -> None:
    text = '[{"child": {"name": 5}, "children": [{}, {"name": []}]}]'
    accumulator, _ = feed(typed, list[Parent], text)
    assert [error.native["loc"] for error in accumulator.errors] == [
        (0, "child", "name"), (0, "children", 0, "name"), (0, "children", 1, "name"),
    ]  # fmt: skip


@each_build
def test_siblings_of_what_is_invalid_still_arrive(typed: Any) -> None:
    accumulator, _ = feed(typed, list[Child], '[{"name": 5}, {"name": "b"}]')
    assert accumulator.partial[1] == Child(name="b")
    assert typed.to_plain(accumulator.partial) == [{}, Child(name="b")]
    assert [accumulator.state(path) for path in ("[0]", "[0].name", "[1]", "")] == [
        "invalid", "invalid", "final", "invalid",
    ]  # fmt: skip


@each_build
def test_raise(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Parent, on_invalid="raise")
    with pytest.raises(typed.TypedStreamError) as caught:
        accumulator.add_fragment('{"child": {"name": "a"}, "children": [{"name": 5}')
    assert [event.kind for event in caught.value.events] == ["complete", "complete", "invalid"]
    # of a document that is not complete: what was found so far
    assert [error["loc"] for error in caught.value.native().errors()] == [("children", 0, "name")]
    with pytest.raises(typed.TypedStreamError):
        accumulator.add_fragment("]")


@each_build
def test_the_input_of_an_error_is_json(typed: Any) -> None:
    class Total(BaseModel):
        children: Annotated[list[Child], Field(min_length=2)]
        child: Child
        total: int

        @model_validator(mode="after")
        def check(self) -> Total:
            raise ValueError("never")

    for text in (
        '{"children": [{"name": "a"}, {"name": "b"}], "child": {"name": "c"}, "total": 3}',
        '{"children": [{"name": "a"}, {"name": "b"}], "child": {"name": "c"}}',
        '{"children": [{"name": "a"}], "child": {"name": "c"}, "total": 3}',
    ):
        with pytest.raises(ValidationError) as expected:
            TypeAdapter(Total).validate_json(text)
        accumulator = typed.JsonTypedAccumulator(Total, on_invalid="raise")
        with pytest.raises(typed.TypedStreamError) as caught:
            accumulator.add_fragment(text)
        assert str(caught.value.native()) == str(expected.value)
        assert caught.value.errors[0].native["input"] == expected.value.errors()[0]["input"]


class Hidden(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)
    key: int


@pydantic.dataclasses.dataclass(config=ConfigDict(hide_input_in_errors=True))
class HiddenData:
    key: int


@each_build
@pytest.mark.parametrize("type", [Hidden, HiddenData])
def test_a_model_may_hide_the_input_in_errors(typed: Any, type: Any) -> None:
    for text in ('{"key": "secret"', '{"key": "secret"}'):
        accumulator = typed.JsonTypedAccumulator(type)
        accumulator.add_fragment(text)
        with pytest.raises(typed.TypedStreamError) as caught:
            _ = accumulator.result
        assert "unable to parse" in str(caught.value.native())
        assert "secret" not in str(caught.value.native())


@each_build
def test_bad_json_and_truncation_are_no_validation_errors(typed: Any) -> None:
    base = importlib.import_module(typed.__name__.partition(".")[0])
    accumulator = typed.JsonTypedAccumulator(Parent)
    with pytest.raises(base.JsonStreamError) as caught:
        accumulator.add_fragment('{"child": {"name": "a"}, nope')
    assert not isinstance(caught.value, base.TypedStreamError)
    assert [event.path for event in caught.value.events] == ["root.child.name", "root.child"]
    snapshots = []
    with pytest.raises(base.JsonStreamError) as caught:
        snapshots.extend(typed.typed_values(['{"child": {"name": "a"'], Parent))
    assert caught.value.code == "truncated"
    assert len(snapshots) == 1
    assert snapshots[0].errors == []
    with pytest.raises(base.JsonStreamError, match="value is not complete: read partial") as caught:
        _ = snapshots[0].result
    assert caught.value.code == "truncated"


@each_build
def test_what_is_not_a_type_is_refused(typed: Any) -> None:
    for wrong in (['{"child": {}}'], {"type": "object"}, Child(name="a"), "Parent", iter(["{}"])):
        with pytest.raises(TypeError, match=r"^expected a type, such as .*, not an object of type"):
            typed.typed_values("{}", wrong)
    with pytest.raises(TypeError, match=r"^types maps the names of tools to types: it is no list$"):
        list(typed.typed_calls([], [Parent]))


@each_build
def test_context(typed: Any) -> None:
    accumulator, _ = feed(typed, list[WithContext], '[{"name": "a"}]', context={"suffix": "!"})
    assert accumulator.result == [WithContext.model_construct(name="a!")]


@each_build
def test_a_validator_that_fails_otherwise_and_one_that_calls_back(typed: Any) -> None:
    def fail(value: Any) -> Any:
        raise KeyError("bug")

    class Fails(BaseModel):
        name: Annotated[str, AfterValidator(fail)]

    accumulator = typed.JsonTypedAccumulator(Fails)
    for fragment in ('{"name": "a"}', " "):
        with pytest.raises(KeyError):
            accumulator.add_fragment(fragment)

    def call(value: str) -> Any:
        return accumulator.add_fragment("x")

    class Calls(BaseModel):
        name: Annotated[str, AfterValidator(call)]

    accumulator = typed.JsonTypedAccumulator(Calls)
    with pytest.raises(RuntimeError, match="busy with another call"):
        accumulator.add_fragment('{"name": "a"}')


def test_options_are_checked() -> None:
    typed = MODULES[-1]
    for options in ({"on_invalid": "ignore"}, {"dialect": "loose"}, {"library": "attrs"}):
        with pytest.raises(ValueError, match=r"(is|one of) '(collect|strict|pydantic)'"):
            typed.JsonTypedAccumulator(int, **options)


class Node(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    node_name: str
    day: date | None = None
    parts: list[Node] = []


class Circle(msgspec.Struct, tag="circle"):
    radius: float


class Square(msgspec.Struct, tag="square"):
    side: Annotated[int, msgspec.Meta(ge=0)]


MSGSPEC: dict[str, tuple[Any, str]] = {
    "struct": (Node, '{"nodeName": "a", "day": "2026-05-08", "parts": [{"nodeName": "b"}]}'),
    "tagged": (list[Circle | Square], '[{"type": "circle", "radius": 1}, {"side": 2, "type": "square"}]'),
    "optional": (dict[str, Node | None], '{"a": null, "b": {"nodeName": "x"}}'),
    "dataclass": (Data, '{"name": "a", "day": "2026-05-08"}'),
    "TypedDict": (Dict, '{"name": "a", "count": 1}'),
    "keys": (dict[int, list[float]], '{"1": [1, 2.5]}'),
    "set": (set[int], "[1, 2]"),
    "tuple": (tuple[int, Node], '[1, {"nodeName": "x"}]'),
    "scalar": (int, "12"),
}


@each_build
@pytest.mark.parametrize("name", MSGSPEC)
def test_msgspec(typed: Any, name: str) -> None:
    type, text = MSGSPEC[name]
    accumulator, events = feed(typed, type, text, library="msgspec")
    expected = msgspec.json.decode(text, type=type)
    assert accumulator.errors == []
    assert accumulator.result == expected
    assert accumulator.result.__class__ is expected.__class__
    assert events[-1][1:] == ("complete", "root")


@each_build
def test_msgspec_shows_what_may_be_null(typed: Any) -> None:
    type = msgspec.defstruct("Note", [("text", str | None), ("items", list[int] | None)])
    accumulator = typed.JsonTypedAccumulator(type, library="msgspec")
    accumulator.add_fragment('{"text": "ab')
    assert typed.to_plain(accumulator.partial) == {"text": "ab"}
    accumulator.add_fragment('c", "items": [1, 2,')
    assert typed.to_plain(accumulator.partial) == {"text": "abc", "items": [1, 2]}
    assert accumulator.state("items[1]") == "final"


@each_build
@pytest.mark.parametrize(
    ("type", "text", "path"),
    [
        (Node, '{"nodeName": 5}', "root.nodeName"),
        (Node, '{"nodeName": "a", "x": 5}', "root.x"),
        (list[Node], '[{"nodeName": "a"}, {"day": null}]', "root[1]"),
        (Circle | Square, '{"type": "oval"}', "root.type"),
        (list[Circle | Square], '[{"type": "square", "side": -1}]', "root[0].side"),
    ],
)
def test_msgspec_errors(typed: Any, type: Any, text: str, path: str) -> None:
    accumulator, _ = feed(typed, type, text)
    assert [(error.path, error.code) for error in accumulator.errors] == [(path, "validation_error")]
    with pytest.raises(typed.TypedStreamError) as caught:
        _ = accumulator.result
    assert isinstance(caught.value.native(), msgspec.ValidationError)


def openai_events(text: str) -> list[dict[str, Any]]:
    def event(**function: Any) -> dict[str, Any]:
        return {
            "choices": [
                {"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c", "function": function}]}}
            ]
        }

    pieces = [text[at : at + 3] for at in range(0, len(text), 3)]
    return [event(name="tool", arguments=""), *(event(arguments=piece) for piece in pieces)]


@each_build
def test_typed_calls(typed: Any) -> None:
    events = openai_events('{"child": {"name": "a"}, "children": [{"name": "b"}]}')
    seen = list(typed.typed_calls(events, {"tool": Parent}))
    assert seen[-1][0].result == Parent(child=Child(name="a"), children=[Child(name="b")])
    assert seen[-1][0].type is Parent
    assert seen[-1][0].state("child") == "final"
    assert repr(seen[7][0].partial) == "<partial Parent child=<partial Child name='a'>>"
    # not complete: the text ends early
    *_, last = typed.typed_calls(events[:-1], {"tool": Parent})
    with pytest.raises(ValueError, match="ends before"):
        _ = last[0].result
    *_, last = typed.typed_calls(openai_events('{"child": 5}'), {"tool": Parent})
    assert [error.path for error in last[0].errors] == ["root.child"]
    with pytest.raises(typed.TypedStreamError):
        _ = last[0].result
    # a tool without a type
    *_, last = typed.typed_calls(events, {})
    assert last[0].type is None
    assert last[0].result["child"] == {"name": "a"}


@each_build
@pytest.mark.parametrize("is_async", [False, True])
def test_an_error_of_the_provider_follows_the_final_calls(typed: Any, is_async: bool) -> None:
    base = importlib.import_module(typed.__name__.partition(".")[0])
    events = [*openai_events('{"child": {"name": "a"}, "ch')[:4], {"error": {"message": "overloaded"}}]
    closed = []

    def source() -> Any:
        try:
            yield from [*events, *events]
        finally:
            closed.append(True)

    async def async_source() -> Any:
        for event in source():
            yield event

    async def read() -> None:
        async for calls in base.aio.typed_calls(async_source(), {"tool": Parent}):
            seen.append(calls)  # noqa: PERF401  # a comprehension would lose them

    seen: list[Any] = []
    run: Any = (
        (lambda: asyncio.run(read()))
        if is_async
        else lambda: seen.extend(typed.typed_calls(source(), {"tool": Parent}))
    )
    with pytest.raises(base.JsonStreamError) as caught:
        run()
    assert caught.value.code == "provider_error"
    assert is_async or closed == [True]
    assert len(seen) == len(events)
    assert seen[-1][0].call.error is not None
    with pytest.raises(base.JsonStreamError):
        _ = seen[-1][0].result
    # an event that cannot be read is reported, and the stream continues
    *_, last = typed.typed_calls(
        [*events[:-1], 5, *openai_events("")[1:]], {"tool": Parent}, on_error="event"
    )
    assert last[0].call.name == "tool"


class Forecast(BaseModel):
    model_config = ConfigDict(strict=True)
    city: str
    days: int
    tags: list[str] = []
    zip_code: str = Field("", alias="zip")


class ForecastStruct(msgspec.Struct):
    city: str
    days: int
    tags: list[str] = []
    zip_code: str = msgspec.field(default="", name="zip")


@each_build
@pytest.mark.parametrize("type", [Forecast, ForecastStruct])
@pytest.mark.parametrize("is_async", [False, True])
def test_arguments_without_quotes_have_the_types_of_the_model(typed: Any, type: Any, is_async: bool) -> None:
    base = importlib.import_module(typed.__name__.partition(".")[0])
    parameters = {"city": "Oslo", "days": "3", "tags": '["a", "b"]', "zip": "0150"}
    lines = [f"<parameter={name}>\n{text}\n</parameter>" for name, text in parameters.items()]
    text = "\n".join(["<tool_call>\n<function=forecast>", *lines, "</function>\n</tool_call>"])

    async def source() -> Any:
        for character in text:
            yield character

    async def read() -> Any:
        calls = base.aio.typed_calls(source(), {"forecast": type}, "text-qwen3-coder")
        return [found async for found in calls]

    if is_async:
        *_, last = asyncio.run(read())
    else:
        *_, last = typed.typed_calls(text, {"forecast": type}, "text-qwen3-coder")
    assert last[0].result == type(
        city="Oslo", days=3, tags=["a", "b"], **{"zip": "0150"} if type is Forecast else {"zip_code": "0150"}
    )
    # schemas of the caller go before those of the types
    schema = {"properties": {"days": {"type": "string"}}}
    *_, last = typed.typed_calls(text, {"forecast": type}, "text-qwen3-coder", tools={"forecast": schema})
    assert last[0].errors[0].path == "root.days"


@each_build
def test_a_type_without_a_schema_is_read_as_text(typed: Any) -> None:
    class Odd(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        city: str
        odd: asyncio.Lock | None = None

    text = "<tool_call>\n<function=odd>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>"
    *_, last = typed.typed_calls(text, {"odd": Odd}, "text-qwen3-coder")
    assert last[0].result == Odd(city="Oslo")


@each_build
def test_the_arguments_before_the_name(typed: Any) -> None:
    def delta(**function: Any) -> Any:
        return {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": function}]}}]}

    events = [delta(arguments='{"name": "a'), delta(name="child", arguments='b"}')]
    first, second, last = typed.typed_calls(events, {"child": Child})
    # what type they have is not known yet
    assert str(first[0].partial) == "UNDEFINED"
    assert second[0].partial == last[0].result == Child(name="ab")


@each_build
def test_async_twins_end_as_the_others_do(typed: Any) -> None:
    aio = importlib.import_module(f"{typed.__name__.partition('.')[0]}.aio")
    read: list[str] = []

    async def source(text: str) -> Any:
        for character in text:
            read.append(character)
            yield character

    async def main(text: str) -> tuple[list[Any], Any]:
        shown: list[Any] = []
        try:
            async for snapshot in aio.typed_values(source(text), Parent):
                shown.append(typed.to_plain(snapshot.partial))  # noqa: PERF401
        except ValueError as error:
            return shown, error
        return shown, None

    for text in ('{"child": {"name": "a"}, x: 1, "y": 2}', '{"child": {"name": "a"}}'):
        read.clear()
        expected: list[Any] = []
        error: Any = None
        try:
            for snapshot in typed.typed_values([*text], Parent):
                expected.append(typed.to_plain(snapshot.partial))  # noqa: PERF401
        except ValueError as raised:
            error = raised
        shown, found = asyncio.run(main(text))
        assert shown == expected
        assert (error is None) == (found is None) == ("x" not in text)
        assert str(found) == str(error)
        assert "".join(read) == (text if error is None else text[: text.index("x") + 1])


@each_build
def test_async_twins(typed: Any) -> None:
    aio = importlib.import_module(f"{typed.__name__.partition('.')[0]}.aio")
    text = '{"child": {"name": "a"}}'

    async def source(things: Any) -> Any:
        for thing in things:
            yield thing

    async def main() -> None:
        snapshots = [snapshot async for snapshot in aio.typed_values(source(text), Parent)]
        assert snapshots[-1].result == Parent(child=Child(name="a"))
        calls = [calls async for calls in aio.typed_calls(source(openai_events(text)), {"tool": Parent})]
        assert calls[-1][0].result == Parent(child=Child(name="a"))
        with pytest.raises(ValueError, match="ends before"):
            _ = [snapshot async for snapshot in aio.typed_values(source(text[:-1]), Parent)]

    asyncio.run(main())


def test_a_missing_library_names_its_extra() -> None:
    program = """
import sys
sys.modules["pydantic"] = sys.modules["msgspec"] = None
import midstream, midstream.typed, midstream.aio
for library in ("pydantic", "msgspec"):
    try:
        midstream.typed.JsonTypedAccumulator(int, library=library)
    except ImportError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "pydantic is not installed: pip install 'midstream[pydantic]'",
        "msgspec is not installed: pip install 'midstream[msgspec]'",
    ]


def test_importing_loads_neither_library() -> None:
    program = "import sys, midstream.aio, midstream.typed; print({'pydantic', 'msgspec'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_json_values_are_kept(request: Any) -> None:
    text = '{"child": {"name": "a", "x": [1, {"y": null}]}, "children": []}'
    for _, typed in EACH:
        for cut in range(len(text)):
            accumulator = typed.JsonTypedAccumulator(Parent)
            accumulator.add_fragment(text[:cut])
            before = accumulator.raw
            accumulator.add_fragment(text[cut:])
            assert accumulator.raw == json.loads(text)
            base = importlib.import_module(typed.__name__.partition(".")[0])
            assert before == base.parse_partial(text[:cut])


@each_build
def test_a_snapshot_has_errors_of_its_own_time(typed: Any) -> None:
    text = '{"child": {"name": 1}, "children": [{"name": 2}, {"name": 3}]}'
    natives = [
        len(snapshot._native().errors())
        for snapshot in [*typed.typed_values([text[:24], text[24:48], text[48:]], Parent)]
    ]
    assert natives == [1, 2, 3]


@each_build
def test_what_is_invalid_before_bad_json_is_raised_first(typed: Any) -> None:
    accumulator = typed.JsonTypedAccumulator(Parent, on_invalid="raise")
    for fragment in ('{"child": {"name": 5}, nope', "}"):
        with pytest.raises(typed.TypedStreamError) as caught:
            accumulator.add_fragment(fragment)
    assert [event.kind for event in caught.value.events] == ["invalid"]

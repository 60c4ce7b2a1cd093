"""Random types for msgspec, with random JSON values for them: most fit, some do not.

Constructors of the user write down their calls, as in `typed_models`.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import random
import uuid
from dataclasses import make_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta
from typing_extensions import TypedDict

from typed_models import CALLS, Spec, made_of, noise, union_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MsgspecMaker"]


class Color(enum.Enum):
    RED = "red"
    REDDISH = "reddish"


class Tree(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    parts: list[Tree] = []
    by_name: dict[str, Tree] = {}

    def __post_init__(self) -> None:
        CALLS["Tree"] += 1


class Circle(msgspec.Struct, tag="circle", frozen=True):
    radius: float


class Square(msgspec.Struct, tag="square"):
    side: Annotated[int, Meta(lt=100)]
    parts: list[Circle | Square] = []


def _tree(rng: random.Random, levels: int = 3) -> Any:
    found: dict[str, Any] = {"name": rng.choice(["a", "b"])}
    if levels and rng.random() < 0.6:
        found["parts"] = [_tree(rng, levels - 1) for _ in range(rng.randrange(3))]
    if levels and rng.random() < 0.4:
        found["by_name"] = {"x": _tree(rng, levels - 1)}
    return found


def _shape(rng: random.Random, levels: int = 2) -> Any:
    if rng.random() < 0.5:
        return {"type": "circle", "radius": 1.5}
    parts = [_shape(rng, levels - 1) for _ in range(rng.randrange(3))] if levels else []
    return {"side": 5, "parts": parts, "type": "square"}


_LEAVES: list[tuple[Any, Callable[[random.Random], Any]]] = [
    (str, lambda rng: rng.choice(["", "a", "müde", 'quo"te'])),
    (Annotated[str, Meta(max_length=3)], lambda rng: rng.choice(["", "abc"])),
    (int, lambda rng: rng.choice([1, -5, 2**70])),
    (Annotated[int, Meta(ge=0, multiple_of=3)], lambda rng: rng.choice([0, 12])),
    (float, lambda rng: rng.choice([1, 2.5, 1e10])),
    (bool, lambda rng: rng.random() < 0.5),
    (Color, lambda rng: rng.choice(["red", "reddish"])),
    (Literal["hill", "hillside", 1], lambda rng: rng.choice(["hill", "hillside", 1])),
    (datetime.date, lambda rng: "2026-05-08"),
    (datetime.datetime, lambda rng: "2026-05-08T12:00:00Z"),
    (datetime.timedelta, lambda rng: "P1D"),
    (decimal.Decimal, lambda rng: rng.choice([1, 1.5, "12.50"])),
    (uuid.UUID, lambda rng: "12345678-1234-5678-1234-567812345678"),
    (bytes, lambda rng: "aGk="),
    (type(None), lambda rng: None),
    (Any, noise),
    (int | str | None, lambda rng: rng.choice([1, "1", None])),
    (set[int], lambda rng: [1, 2]),
    (tuple[int, str], lambda rng: [1, "a"]),
    (Annotated[list[int], Meta(max_length=2)], lambda rng: [1] * rng.randrange(3)),
    (Tree, _tree),
    (Circle | Square, _shape),
    (list[Circle | Square | None], lambda rng: [_shape(rng), None]),
]


class MsgspecMaker:
    """Make types."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.count = 0

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def spec(self, depth: int) -> Spec:
        """Make any type."""
        if depth <= 0 or self.rng.random() < 0.3:
            return Spec(*self.rng.choice(_LEAVES))
        makers: list[Callable[[int], Spec]] = [
            self.a_list, self.a_list, self.a_dict, self.a_struct, self.a_struct, self.a_struct,
            self.an_optional, self.a_tagged, self.a_dataclass, self.a_typed_dict,
        ]  # fmt: skip
        return self.rng.choice(makers)(depth - 1)

    def a_list(self, depth: int) -> Spec:
        item = self.spec(depth)
        return Spec(
            list[item.type],  # type: ignore[name-defined]
            lambda rng: [item.value(rng) for _ in range(rng.randrange(4))],
        )

    def a_dict(self, depth: int) -> Spec:
        item = self.spec(depth)
        key, keys = self.rng.choice([(str, ["a", "b", ""]), (int, ["1", "2", "-3"])])
        return Spec(
            dict[key, item.type],  # type: ignore[name-defined, valid-type]
            lambda rng: {name: item.value(rng) for name in rng.sample(keys, rng.randrange(3))},
        )

    def an_optional(self, depth: int) -> Spec:
        inner = self.spec(depth)
        return Spec(union_of(inner.type, None), lambda rng: None if rng.random() < 0.3 else inner.value(rng))

    def a_tagged(self, depth: int) -> Spec:
        tags = self.rng.choice([("a", "b"), (1, 2)])
        choices = [self.a_struct(depth, tag=tag, tag_field="the_kind") for tag in tags]
        return Spec(
            union_of(*(choice.type for choice in choices)), lambda rng: rng.choice(choices).value(rng)
        )

    def fields(self, depth: int) -> dict[str, Spec]:
        names = self.rng.sample(["name", "b_c", "items", "values", "data"], self.rng.randint(1, 4))
        return {name: self.spec(depth) for name in names}

    def a_struct(self, depth: int, **options: Any) -> Spec:
        rng = self.rng
        fields = self.fields(depth)
        optional = {name for name in fields if rng.random() < 0.3}
        required = [(name, spec.type) for name, spec in fields.items() if name not in optional]
        others = [(name, union_of(fields[name].type, None), None) for name in optional]
        settings: list[tuple[str, Any, float]] = [
            ("rename", "camel", 0.2), ("forbid_unknown_fields", True, 0.2), ("frozen", True, 0.2),
            ("array_like", True, 0.0 if options else 0.15), ("kw_only", True, 0.1),
        ]  # fmt: skip
        options |= {option: value for option, value, chance in settings if rng.random() < chance}
        name = self.name("Struct")
        namespace: dict[str, Any] = {}
        if rng.random() < 0.4:

            def post(self: Any) -> None:
                CALLS[name] += 1

            namespace["__post_init__"] = post
        made = made_of(msgspec.defstruct, name, [*required, *others], namespace=namespace, **options)
        keys = {field.name: field.encode_name for field in msgspec.structs.fields(made)}
        if options.get("array_like"):
            return Spec(made, lambda rng: [fields[field].value(rng) for field in keys])

        def members(rng: random.Random) -> Any:
            found = {
                keys[field]: spec.value(rng)
                for field, spec in fields.items()
                if field not in optional or rng.random() < 0.6
            }
            if "tag" in options:
                found["the_kind"] = options["tag"]
            if rng.random() < 0.1:
                found["foreign"] = noise(rng)
            names = list(found)
            rng.shuffle(names)
            return {field: found[field] for field in names}

        return Spec(made, members)

    def a_dataclass(self, depth: int) -> Spec:
        fields = self.fields(depth)
        made = make_dataclass(self.name("Data"), [(field, spec.type) for field, spec in fields.items()])
        return Spec(made, lambda rng: {field: spec.value(rng) for field, spec in fields.items()})

    def a_typed_dict(self, depth: int) -> Spec:
        fields = self.fields(depth)
        members = {field: spec.type for field, spec in fields.items()}
        return Spec(
            made_of(TypedDict, self.name("Dict"), members, total=False),
            lambda rng: {field: spec.value(rng) for field, spec in fields.items() if rng.random() < 0.7},
        )

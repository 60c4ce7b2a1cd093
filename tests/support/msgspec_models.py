"""Types for msgspec, with random JSON texts for them: most fit, some do not."""

from __future__ import annotations

import datetime  # noqa: TC003  # read when the types are
import decimal  # noqa: TC003
import enum
import json
import random  # noqa: TC003
import uuid  # noqa: TC003
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
from typing_extensions import TypedDict

from typed_models import damaged


class Color(enum.Enum):
    RED = "red"
    REDDISH = "reddish"


class Leaves(msgspec.Struct, rename="camel"):
    a_text: str
    a_number: Annotated[int, msgspec.Meta(ge=0)] = 0
    a_float: float = 0.0
    day: datetime.date | None = None
    at: datetime.datetime | None = None
    money: decimal.Decimal | None = None
    id: uuid.UUID | None = None
    color: Color = Color.RED
    word: Literal["hill", "hillside"] = "hill"
    data: bytes = b""
    raw: Any = None
    either: int | str | None = None


class Tree(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    parts: list[Tree] = []
    by_name: dict[str, Tree] = {}


class Circle(msgspec.Struct, tag="circle", frozen=True):
    radius: float
    leaves: Leaves | None = None


class Square(msgspec.Struct, tag="square"):
    side: Annotated[int, msgspec.Meta(lt=100)]
    parts: list[Circle | Square] = []


@dataclass
class Data:
    tree: Tree
    days: set[datetime.date]


class Dict(TypedDict, total=False):
    data: Data
    shape: Circle | Square
    pair: tuple[int, Tree]


TYPES: list[Any] = [
    Leaves, Tree, Circle | Square, list[Circle | Square], Data, Dict, dict[str, Dict], dict[int, Leaves],
    Annotated[list[Tree], msgspec.Meta(max_length=2)], Tree | int | None, tuple[Leaves, ...],
]  # fmt: skip


def leaves(rng: random.Random) -> Any:
    found = {
        "aText": rng.choice(["", "müde", 'quo"te']),
        "aNumber": rng.choice([0, 12]),
        "aFloat": rng.choice([1, 1.5, 1e10]),
        "day": rng.choice([None, "2026-05-08"]),
        "at": "2026-05-08T12:00:00Z",
        "money": rng.choice([1, 1.5, "12.50"]),
        "id": "12345678-1234-5678-1234-567812345678",
        "color": rng.choice(["red", "reddish"]),
        "word": rng.choice(["hill", "hillside"]),
        "data": "aGk=",
        "raw": {"x": [1, None, "y"]},
        "either": rng.choice([1, "1", None]),
    }
    return {key: value for key, value in found.items() if key == "aText" or rng.random() < 0.7}


def tree(rng: random.Random, levels: int = 3) -> Any:
    found: dict[str, Any] = {"name": rng.choice(["a", "b"])}
    if levels and rng.random() < 0.6:
        found["parts"] = [tree(rng, levels - 1) for _ in range(rng.randrange(3))]
    if levels and rng.random() < 0.4:
        found["by_name"] = {"x": tree(rng, levels - 1)}
    return found


def shape(rng: random.Random, levels: int = 2) -> Any:
    if rng.random() < 0.5:
        found: dict[str, Any] = {"type": "circle", "radius": 1.5, "leaves": rng.choice([None, leaves(rng)])}
    else:
        parts = [shape(rng, levels - 1) for _ in range(rng.randrange(3))] if levels else []
        found = {"type": "square", "side": 5, "parts": parts}
    names = list(found)
    rng.shuffle(names)
    return {name: found[name] for name in names}


def data(rng: random.Random) -> Any:
    return {"tree": tree(rng), "days": ["2026-05-08", "1999-12-31"][: rng.randrange(3)]}


def members(rng: random.Random) -> Any:
    found = {"data": data(rng), "shape": shape(rng), "pair": [1, tree(rng)]}
    return {key: value for key, value in found.items() if rng.random() < 0.6}


VALUES: list[Any] = [
    leaves, tree, shape, lambda rng: [shape(rng) for _ in range(rng.randrange(4))], data, members,
    lambda rng: {"x": members(rng)}, lambda rng: {"1": leaves(rng)},
    lambda rng: [tree(rng)] * rng.randrange(4),
    lambda rng: rng.choice([None, 5, tree(rng)]), lambda rng: [leaves(rng)] * rng.randrange(3),
]  # fmt: skip


def text_for(type: Any, rng: random.Random) -> str:
    """Write a random text for a type."""
    value = VALUES[next(at for at, known in enumerate(TYPES) if known is type)](rng)
    return json.dumps(damaged(value, rng) if rng.random() < 0.3 else value)

"""Check arguments against a type while they arrive, and against the whole model at the end.

python examples/partial_models.py
"""

from datetime import date
from typing import Literal

from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypedDict  # pydantic wants it before Python 3.12

from midstream import JsonValueAccumulator

FRAGMENTS = [
    '{"city": "Zür',
    'ich", "day": "2026-0',
    '5-08", "stops": [{"place": "La',
    'ke", "kind": "hill',
    'side"}, {"place": "Uetli',
    'berg", "kind": "hill"}]}',
]
Kind = Literal["hill", "hillside"]


class StopSoFar(TypedDict, total=False):
    """A stop, as far as it is known: no key is required."""

    place: str
    kind: Kind


class TripSoFar(TypedDict, total=False):
    """A trip, as far as it is known."""

    city: str
    day: date
    stops: list[StopSoFar]


so_far = TypeAdapter(TripSoFar)

print("As it comes:")
accumulator = JsonValueAccumulator()
for fragment in FRAGMENTS:
    accumulator.add_fragment(fragment)
    print(so_far.validate_python(accumulator.value, experimental_allow_partial="trailing-strings"))

EXACT = {"day", "kind"}  # of these strings a part means nothing, or something else


def without_open(value, path):
    """Leave out the value that a path leads to."""
    key, *rest = path
    value = value.copy()
    if rest:
        value[key] = without_open(value[key], rest)
    else:
        del value[key]
    return value


def settled(value, open_path):
    """Leave out what is still being written, if it must be whole."""
    return without_open(value, open_path) if open_path and open_path[-1] in EXACT else value


print("\nWithout the strings that must be whole:")
accumulator = JsonValueAccumulator()
for fragment in FRAGMENTS:
    accumulator.add_fragment(fragment)
    value = settled(accumulator.value, accumulator.open_path)
    print(so_far.validate_python(value, experimental_allow_partial="trailing-strings"))


class StopModel(BaseModel):
    """A stop that fills: what is not there yet has a default."""

    place: str = ""
    kind: Kind | None = None


class TripModel(BaseModel):
    """A trip that fills."""

    city: str = ""
    day: date | None = None
    stops: list[StopModel] = []


print("\nAs a model:")
accumulator = JsonValueAccumulator()
for fragment in FRAGMENTS:
    accumulator.add_fragment(fragment)
    print(TripModel.model_validate(settled(accumulator.value, accumulator.open_path)))


class Stop(BaseModel):
    """A stop: everything is required."""

    place: str
    kind: Kind


class Trip(BaseModel):
    """A trip."""

    city: str
    day: date
    stops: list[Stop]


accumulator.finish()  # raises if the text was cut off
print("\nAt the end:")
print(Trip.model_validate_json("".join(FRAGMENTS), strict=True))

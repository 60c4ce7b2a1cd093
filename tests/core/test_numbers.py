"""Numbers are what `json.loads` makes of them, to the last bit, whichever way they are converted."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from builds import BUILDS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = 4_000


def between_two_floats(rng: random.Random) -> str:
    """Write a number exactly half-way between two neighbouring floats."""
    half = 2 * (rng.getrandbits(52) | 1 << 52) + 1
    power = rng.randint(0, 9)
    return f"{half << power}.0" if rng.random() < 0.5 else f"{half * 5**power}e-{power}"


def next_to_it(rng: random.Random) -> str:
    """Write a number a little above or below half-way."""
    text = between_two_floats(rng)
    digits = "".join(filter(str.isdigit, text.partition("e")[0].removesuffix(".0")))
    return f"{int(digits) * 10 + rng.choice([-1, 1])}e{rng.randint(-19, 3)}"


def as_printed(rng: random.Random) -> str:
    """Write a float as json.dumps does."""
    return repr(rng.choice([-1, 1]) * rng.random() * 10.0 ** rng.randint(-25, 25))


def any_digits(rng: random.Random) -> str:
    """Write digits, a point and an exponent, as many as there may be."""
    integer_part = str(rng.randrange(10 ** rng.randint(1, 22)))
    fraction = (
        f".{rng.randrange(10 ** rng.randint(1, 22)):0{rng.randint(1, 25)}}" if rng.random() < 0.7 else ""
    )
    exponent = (
        f"{rng.choice('eE')}{rng.choice(['', '+', '-'])}{rng.randint(0, 40)}" if rng.random() < 0.7 else ""
    )
    return rng.choice(["", "-"]) + integer_part + fraction + exponent


def numbers(rng: random.Random) -> Iterator[str]:
    """Write numbers of all these kinds."""
    for _ in range(ROUNDS):
        for write in (between_two_floats, next_to_it, as_printed, any_digits):
            yield write(rng)


EDGES = [
    "0", "-0", "0.0", "-0.0", "0e0", "0E-400", "0e400", "1e-400", "4.9e-324", "2.4703282292062327e-324",
    "1.7976931348623157e308", "9007199254740992", "9007199254740993", "9007199254740993.0",
    "999999999999999999", "9223372036854775807", "-9223372036854775808", "9999999999999999999",
    "18446744073709551615", "18446744073709551616.0", "99999999999999999999", "9999999999999999999e19",
    "9999999999999999999e-19", "1e22", "1e23", "1.0e-22", "8.5e-23", "123456789012345678901234567890.5",
]  # fmt: skip


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("seed", range(4))
def test_invariant_6_numbers_are_exact(build: str, seed: int) -> None:
    texts = [*EDGES, *numbers(random.Random(seed))]
    accumulator = BUILDS[build].JsonValueAccumulator()
    accumulator.add_fragment(f"[{', '.join(texts)}]")
    for text, value in zip(texts, accumulator.value, strict=True):
        expected = json.loads(text)
        assert (type(value), repr(value)) == (type(expected), repr(expected)), text


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("text", EDGES)
def test_invariant_1_numbers_cut_anywhere(build: str, text: str) -> None:
    for cut in range(len(text) + 1):
        accumulator = BUILDS[build].JsonValueAccumulator()
        accumulator.add_fragment("[" + text[:cut])
        accumulator.add_fragment(text[cut:] + "]")
        assert repr(accumulator.value) == repr([json.loads(text)]), cut

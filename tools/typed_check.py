"""Compare typed streams with one validation of the complete text; `typed_versions.py` runs this."""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "support")]


def check_pydantic(examples: int) -> tuple[str, int, int]:
    """Check random types; return the version, how many texts were valid, and how often something differed."""
    import pydantic
    from pydantic_core import SchemaValidator, ValidationError

    from midstream.typed import JsonTypedAccumulator
    from typed_models import CALLS, Maker, pieces_of, text_of

    valid = wrong = 0
    for seed in range(examples):
        spec = Maker(seed).spec(3)
        schema = pydantic.TypeAdapter(spec.type).core_schema
        oracle: Any
        try:
            oracle = SchemaValidator(schema, _use_prebuilt=False)
        except TypeError:
            oracle = SchemaValidator(schema)
        rng = random.Random(seed)
        for _ in range(3):
            text = text_of(spec.value(rng), rng)
            CALLS.clear()
            try:
                expected = oracle.validate_json(text)
            except ValidationError as error:
                expected = error
            calls = Counter(CALLS)
            CALLS.clear()
            accumulator = JsonTypedAccumulator(spec.type)
            for piece in pieces_of(text, rng):
                accumulator.add_fragment(piece)
            accumulator.finish()
            if isinstance(expected, ValidationError):
                agrees = bool(accumulator.errors)
            else:
                valid += 1
                # before pydantic 2.13 the oracle can't do without the validators that classes already have
                can_count = "Recursive" not in str(calls) or _is_new(pydantic)
                agrees = not accumulator.errors and repr(accumulator.result) == repr(expected)
                agrees = agrees and (not can_count or Counter(CALLS) == calls)
            if not agrees:
                wrong += 1
                print(f"seed {seed} differs: {text[:200]}", file=sys.stderr)
    return f"pydantic {pydantic.VERSION}", valid, wrong


def _is_new(pydantic: Any) -> bool:
    return tuple(int(part) for part in pydantic.VERSION.split(".")[:2]) >= (2, 13)


def check_msgspec(examples: int) -> tuple[str, int, int]:
    """Check random values of a few types; return the version, how many were valid, and how many differed."""
    import msgspec

    from midstream.typed import JsonTypedAccumulator
    from msgspec_models import TYPES, text_for
    from typed_models import pieces_of

    valid = wrong = 0
    for seed in range(examples):
        rng = random.Random(seed)
        type = rng.choice(TYPES)
        text = text_for(type, rng)
        try:
            expected = msgspec.json.decode(text, type=type)
        except msgspec.ValidationError as error:
            expected = error
        accumulator: Any = JsonTypedAccumulator(type, library="msgspec")
        for piece in pieces_of(text, rng):
            accumulator.add_fragment(piece)
        accumulator.finish()
        if isinstance(expected, msgspec.ValidationError):
            agrees = bool(accumulator.errors)
        else:
            valid += 1
            agrees = not accumulator.errors and repr(accumulator.result) == repr(expected)
        if not agrees:
            wrong += 1
            print(f"seed {seed} differs: {type} {text[:200]} {accumulator.errors}", file=sys.stderr)
    return f"msgspec {msgspec.__version__}", valid, wrong


def main() -> int:
    """Check one library."""
    warnings.simplefilter("ignore")
    check = check_pydantic if sys.argv[1] == "pydantic" else check_msgspec
    name, valid, wrong = check(int(sys.argv[2]))
    print(f"{name}: {valid} valid texts, {wrong} differences")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

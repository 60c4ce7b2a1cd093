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
    """Check random types; return the version, how many texts were valid, and how often something differed."""
    import msgspec

    from midstream.typed import JsonTypedAccumulator
    from msgspec_models import MsgspecMaker
    from typed_models import CALLS, pieces_of, text_of

    valid = wrong = 0
    for seed in range(examples):
        spec = MsgspecMaker(seed).spec(3)
        decoder = msgspec.json.Decoder(spec.type)
        rng = random.Random(seed)
        for _ in range(3):
            text = text_of(spec.value(rng), rng)
            CALLS.clear()
            try:
                expected: Any = decoder.decode(text)
            except msgspec.ValidationError as error:
                expected = error
            calls = Counter(CALLS)
            CALLS.clear()
            accumulator: Any = JsonTypedAccumulator(spec.type, library="msgspec")
            for piece in pieces_of(text, rng):
                accumulator.add_fragment(piece)
            accumulator.finish()
            if isinstance(expected, msgspec.ValidationError):
                agrees = bool(accumulator.errors)
            else:
                valid += 1
                agrees = not accumulator.errors and repr(accumulator.result) == repr(expected)
                agrees = agrees and Counter(CALLS) == calls
            if not agrees:
                wrong += 1
                print(f"seed {seed} differs: {spec.type} {text[:200]} {accumulator.errors}", file=sys.stderr)
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

"""Coverage-guided fuzzing: bytes steer a structure-aware generator, an oracle judges what comes out.

Each harness is a module with a ``check(data)`` that raises when its invariant, stated on its top, fails.
It needs nothing but `builds`, so that `test_fuzz_corpus` runs the kept inputs on any Python; `run` has
atheris search for new ones. Only the plain build reports its coverage; the compiled one, where
there is one, has to say the same.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CORPUS", "HARNESSES", "harness"]

HARNESSES = (
    "grammar",
    "policies",
    "utf8",
    "checkpoints",
    "branching",
    "rebuilding",
    "wire",
    "sse",
    "chunker",
    "providers",
    "texts",
    "pipeline",
    "selecting",
    "typed",
    "patching",
    "extracting",
    "repairing",
    "events",
    "stores",
)
CORPUS = Path(__file__).parent / "corpus"


def harness(name: str) -> Callable[[bytes], None]:
    """Return the function that tries one input."""
    if name not in HARNESSES:
        raise ValueError(f"a harness is one of {', '.join(HARNESSES)}, not {name!r}")
    check: Callable[[bytes], None] = import_module(f"fuzz.{name}").check
    return check

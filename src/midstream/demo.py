"""Show a tool call arriving: ``python -m midstream.demo``."""

from __future__ import annotations

import sys
import time

from . import COMPILED, JsonFragmentAccumulator, JsonFragmentUpdate, __version__

__all__ = ["main"]

# The arguments of one tool call, in pieces as models send them: cut inside words, escapes, numbers.
FRAGMENTS = [
    '{"', "city", '": "', "Z\\u00", "fcr", "ich", '", "', "days", '": 1', '2, "', "units", '": "c',
    "elsius", '", "loc', 'ation": {"', 'lat": 47.', "37, ", '"lon": 8', ".54}, ", '"alerts": [', "tr",
    'ue, "wi', 'nd"], ', '"note": "Bring a ', "coat \\ud83e", "\\udde5, ", 'please."', "}",
]  # fmt: skip


def describe(update: JsonFragmentUpdate) -> str:
    """Write an update as a line that is read at a glance."""
    match update:
        case JsonFragmentUpdate(path, "PartialString", text):
            return f"{path}  + {text!r}"
        case JsonFragmentUpdate(path, "Key", text):
            return f"{path}  has {text!r}"
        case JsonFragmentUpdate(path, kind, None):
            return f"{path}  {kind}"
        case _:
            return f"{update.path}  {update.kind} {update.value!r}"


def main(seconds_per_fragment: float = 0.06) -> None:
    """Feed the embedded tool call, fragment by fragment, and print what each one tells."""
    print(
        f"midstream {__version__}, {'compiled' if COMPILED else 'plain'} core: a tool call, as it arrives\n"
    )
    accumulator = JsonFragmentAccumulator(root="args")
    width = max(len(repr(fragment)) for fragment in FRAGMENTS)
    for fragment in FRAGMENTS:
        left = repr(fragment)
        for line in map(describe, accumulator.add_fragment(fragment)):
            print(f"{left:>{width}}  {line}")
            left = ""
        if left:
            print(f"{left:>{width}}  ...")
        sys.stdout.flush()
        time.sleep(seconds_per_fragment if sys.stdout.isatty() else 0)
    accumulator.finish()
    print(f"\ncomplete: {accumulator.is_complete}, after {accumulator.position.index} characters")


if __name__ == "__main__":
    main()

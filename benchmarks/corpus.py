"""The corpus of lenient_corpus/: texts as models write them, and the values that were meant.

Each file is a kind of text. A case begins with a line ``=== name``, then comes the text, and then, after
``---`` at the start of a line, the value as JSON. A reader decided what was meant, before any library ran.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "Case", "read"]

FOLDER = Path(__file__).parent / "lenient_corpus"


@dataclass(frozen=True)
class Case:
    """A text, the value that was meant, and the kind of text that it is."""

    kind: str
    name: str
    text: str
    value: Any


def read(folder: Path = FOLDER) -> list[Case]:
    """Return all cases, in the order of their files."""
    found = []
    for path in sorted(folder.glob("*.txt")):
        # not read_text: the line ends are part of the texts
        content = path.read_bytes().decode()
        for part in content.removeprefix("=== ").split("\n=== "):
            name, _, rest = part.partition("\n")
            text, mark, value = rest.rpartition("\n--- ")
            if not mark:
                raise ValueError(f"{path.name}: {name} has no value")
            found.append(Case(path.stem.replace("_", " "), name, text, json.loads(value)))
    return found

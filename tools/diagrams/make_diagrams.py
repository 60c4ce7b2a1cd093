"""Make the pictures and tables of the documentation that follow from the code.

    python tools/diagrams/make_diagrams.py

`test_diagrams.py` makes them again, and fails where one that is kept differs.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests/support"))

import diagram_chunker
import diagram_grammar
import diagram_layers

DOCS = ROOT / "docs"
PICTURES = {
    "grammar.svg": diagram_grammar.picture,
    "chunker-steps.svg": diagram_chunker.picture,
    "architecture.svg": diagram_layers.picture,
}
TABLES = {("how-it-works.md", "modes"): diagram_grammar.table}


def with_part(page: str, name: str, part: str) -> str:
    """Return a page with what stands between its two markers of that name replaced."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    before, found, rest = page.partition(begin)
    _, found_too, after = rest.partition(end)
    if not found or not found_too:
        raise ValueError(f"no markers for {name}")
    return f"{before}{begin}\n\n{part}\n\n{end}{after}"


def main() -> None:
    """Write all of them."""
    for name, picture in PICTURES.items():
        (DOCS / "pictures" / name).write_text(picture(), encoding="utf-8")
    for (page, name), table in TABLES.items():
        path = DOCS / page
        path.write_text(with_part(path.read_text("utf-8"), name, table()), encoding="utf-8")


if __name__ == "__main__":
    main()

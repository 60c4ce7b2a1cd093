"""The reference can be read where Sphinx does not run, and says what the code says.

    python tests/docs/test_reference_text.py

writes the pages anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pytest

from documents import DOCS
from reference import COMMENT, with_reference

PAGES = sorted((DOCS / "reference").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_signatures_and_descriptions_are_those_of_the_code(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text == with_reference(text), "python tests/docs/test_reference_text.py writes the pages anew"
    # no directive is shown as code
    assert "{eval-rst}" not in text
    assert text.count("<!-- autodoc\n") == len(COMMENT.findall(text))
    assert ("<!-- autodoc" in text) == (page.stem not in ("index", "javascript"))


def test_every_entry_has_a_description() -> None:
    for page in PAGES:
        for found in COMMENT.finditer(page.read_text("utf-8")):
            _, *entries = found["text"].split("```pyi\n")
            for entry in entries:
                _, _, description = entry.partition("\n```\n")
                assert description.strip(), entry


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(with_reference(path.read_text("utf-8")), "utf-8")

"""Code that a page shows from ``examples/`` is the code of the example.

    python tests/docs/test_excerpts.py

writes the pages anew.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pytest

from documents import DOCS, PAGES
from excerpts import Excerpt, excerpts, part_of, with_excerpts

ALL = [excerpt for page in PAGES for excerpt in excerpts(page)]


@pytest.mark.parametrize("excerpt", ALL, ids=str)
def test_excerpts_are_those_of_the_examples(excerpt: Excerpt) -> None:
    assert excerpt.text == excerpt.expected, "python tests/docs/test_excerpts.py writes the pages anew"


def test_every_comment_that_names_an_example_is_above_a_block() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert text.count("<!-- from examples/") == len(excerpts(page)), page


def test_parts(tmp_path: Path) -> None:
    file = tmp_path / "example.py"
    file.write_text(
        '"""About."""\n\nimport os\n\nA = 1\n\n\n@cache\ndef f():\n    return A\n\n\nB = 2\n', "utf-8"
    )
    assert part_of(file, None) == "import os\n\nA = 1\n\n\n@cache\ndef f():\n    return A\n\n\nB = 2\n"
    assert part_of(file, "f") == "@cache\ndef f():\n    return A\n"
    assert part_of(file, "A to f") == "A = 1\n\n\n@cache\ndef f():\n    return A\n"
    page = "<!-- from examples/start.py -->\n```python\nold\n```\n"
    assert "from midstream import tool_calls" in with_excerpts(page)
    assert with_excerpts(with_excerpts(page)) == with_excerpts(page)


def test_no_page_leaves_code_to_sphinx() -> None:
    """The repository's host shows such directives instead of the code."""
    assert [page for page in PAGES if "{literalinclude}" in page.read_text(encoding="utf-8")] == []


if __name__ == "__main__":
    for path in DOCS.rglob("*.md"):
        path.write_text(with_excerpts(path.read_text(encoding="utf-8")), encoding="utf-8")

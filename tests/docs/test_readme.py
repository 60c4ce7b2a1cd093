"""The front page: a short table of the measured figures, in step with the long ones."""

from __future__ import annotations

import re

from documents import DOCS, ROOT

README = (ROOT / "README.md").read_text("utf-8")
TABLE = re.compile(r"^\|.*\|$(?:\n^\|.*\|$)+", re.MULTILINE)


def rows(table: str) -> list[list[str]]:
    """Return the cells of a table, without the line below its head."""
    lines = [line.strip("|").split("|") for line in table.splitlines()]
    return [[cell.strip() for cell in line] for line in lines if line[0].strip(" -:") != ""]


def measured() -> dict[str, dict[str, str]]:
    """Return the costs per fragment of each contestant from the page about benchmarks, without the ratios."""
    found: dict[str, dict[str, str]] = {}
    for table in TABLE.findall((DOCS / "benchmarks.md").read_text("utf-8")):
        head, *body = rows(table)
        if head[0] in ("values", "updates") and "0.1 KB" in head:
            for name, *cells in body:
                values = (cell.partition(" ")[0] for cell in cells)
                found[name] = dict(zip(head[1:], values, strict=True))
    return found


def test_the_table_is_short_and_says_what_was_measured() -> None:
    table = README.partition("<!-- bench -->")[2].partition("<!-- end of bench -->")[0]
    (head, *body) = rows(table.strip())
    assert len(body) == 6
    all_measured = measured()
    for name, *cells in body:
        assert dict(zip(head[1:], cells, strict=True)).items() <= all_measured[name].items(), name


def test_the_front_page_is_short() -> None:
    assert len(README.splitlines()) < 150

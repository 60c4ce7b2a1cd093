"""The tables of the page about the lenient dialect, each row at every cut."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from midstream import (
    JsonExtractor,
    JsonFragmentRebuilder,
    JsonFragmentUpdate,
    JsonValueAccumulator,
    RepairCode,
)
from model import cuttings, exactly

PAGE = (Path(__file__).parents[2] / "docs" / "lenient.md").read_text("utf-8")


def rows(name: str) -> list[list[str]]:
    """Return the cells of all tables between the comments with a name; an empty cell is as above."""
    found: list[list[str]] = []
    for table in re.findall(rf"<!-- {name} -->\n(.*?)\n<!-- end of {name} -->", PAGE, re.DOTALL):
        for line in table.splitlines()[2:]:
            cells = [cell.strip() for cell in line[1:-1].split("|")]
            found.append([cells[0] or found[-1][0], *cells[1:]])
    return found


def code(cell: str) -> str:
    """Return the content of a code span."""
    found = re.fullmatch(r"(`+)( ?)(.*)\2\1", cell)
    assert found is not None, cell
    return found[3].replace("⏎", "\n").replace("⍽", "\u00a0")


def read(text: str) -> tuple[Any, list[str], str | None]:
    """Return the value of a text, the codes of its repairs and that of its error, the same at every cut."""
    results = [read_pieces(pieces) for pieces in cuttings(text)]
    assert all(exactly(result) == exactly(results[0]) for result in results)
    return results[0]


def read_pieces(pieces: Any) -> tuple[Any, list[str], str | None]:
    accumulator = JsonValueAccumulator(dialect="lenient", on_error="event")
    for piece in pieces:
        accumulator.add_fragment(piece)
    accumulator.finish()
    error = accumulator.error
    return accumulator.value, [str(repair.code) for repair in accumulator.repairs], error and str(error.code)


def extract(text: str) -> tuple[Any, list[str], str | None]:
    extractor = JsonExtractor(dialect="lenient")
    rebuilder = JsonFragmentRebuilder()
    codes = []
    for event in [*extractor.add_fragment(text), *extractor.finish()]:
        if isinstance(event, JsonFragmentUpdate):
            rebuilder.apply(event)
            if event.repair is not None:
                codes.append(str(event.repair.code))
    return rebuilder.value, codes, None


def test_every_code_has_a_row() -> None:
    assert {code(row[0]) for row in rows("repairs")} == {str(known) for known in RepairCode}


@pytest.mark.parametrize(("meant", "text", "value"), rows("repairs"))
def test_repairs(meant: str, text: str, value: str) -> None:
    found, codes, error = (extract if "```" in text else read)(code(text))
    assert (found, {*codes}, error) == (json.loads(code(value)), {code(meant)}, None)


@pytest.mark.parametrize(("text", "value", "codes"), rows("choices"))
def test_choices(text: str, value: str, codes: str) -> None:
    assert read(code(text)) == (json.loads(code(value)), codes.replace("`", "").split(), None)


@pytest.mark.parametrize(("text", "error", "why"), rows("refused"))
def test_what_is_not_repaired(text: str, error: str, why: str) -> None:
    assert read(code(text))[1:] == ([], code(error))
    assert why

"""The tables of the documentation about text formats agree with the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import test_known_failures

from midstream import messages, tool_calls
from midstream.providers.text._formats import FORMATS

PAGE = (Path(__file__).parents[3] / "docs" / "text-formats.md").read_text("utf-8")


def rows(name: str) -> list[list[str]]:
    """Return the cells of a table between its comments."""
    table = PAGE.partition(f"<!-- {name} -->\n")[2].partition("\n<!--")[0].splitlines()[2:]
    return [
        [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table
    ]


def code(cell: str) -> str:
    return cell.strip("`").replace("⏎", "\n")


def test_every_format_has_its_row() -> None:
    assert {code(format): models for format, models, *_ in rows("formats")} == {
        name: row.models for name, row in FORMATS.items()
    }


@pytest.mark.parametrize("row", rows("formats"), ids=lambda row: code(row[0]))
def test_the_example_is_a_call(row: list[str]) -> None:
    format: Any = code(row[0])
    for pieces in ([code(row[3])], code(row[3])):
        *_, [call] = tool_calls(pieces, format)
        assert (call.name, call.args, call.is_complete) == ("weather", {"city": "Oslo"}, True)
        assert not any(hasattr(message, "text") for message in messages(pieces, format))


def test_every_known_failure_has_its_row() -> None:
    cases = {code(case) for *_, case in rows("failures")}
    assert cases == {name for name in vars(test_known_failures) if name.startswith("test_")}

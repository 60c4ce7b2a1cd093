"""The tables of the page about the lenient dialect, each row at every cut."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

import midstream
import midstream.typed
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


def options() -> list[tuple[str, list[str]]]:
    """Return the names in the table of the options, each with the cells of its row."""
    table = PAGE.partition("## Which function accepts what")[2].split("\n\n")[1]
    found = [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()[2:]]
    return [(name, cells) for names, *cells in found for name in re.findall(r"`(\w+)`", names)]


@pytest.mark.parametrize(("name", "cells"), options(), ids=[name for name, _ in options()])
def test_which_function_accepts_what(name: str, cells: list[str]) -> None:
    # the state of the pure parser has its options
    name = "create_parser_state" if name == "parse_chunk" else name
    for home in (midstream, midstream.typed, midstream.aio):
        if not hasattr(home, name):
            continue
        parameters = inspect.signature(getattr(home, name)).parameters
        kinds = {
            "dialect": "Dialect", "extract": "bool", "on_error": "OnError", "after_root": "AfterRoot",
        }  # fmt: skip
        found = {option for option, kind in kinds.items() if option in parameters}
        found -= {option for option in found if parameters[option].annotation != kinds[option]}
        assert found == {option for option, cell in zip(kinds, cells, strict=True) if cell == "yes"}, home


TRAILING = '{"a": 1} {"a": 2}'
CALL = {"index": 0, "id": "call_1", "function": {"name": "f", "arguments": TRAILING}}
CALLS = [{"choices": [{"index": 0, "delta": {"tool_calls": [CALL]}}]}]
# what reads one document: its error about the text after it, returned or raised
ONE_DOCUMENT: dict[str, Any] = {
    "typed_values": lambda: list(midstream.typed.typed_values(TRAILING, Any)),
    "JsonTypedAccumulator": lambda: midstream.typed.JsonTypedAccumulator(Any).add_fragment(TRAILING),
    "patches": lambda: list(midstream.patches([TRAILING])),
    "parse_chunk": lambda: midstream.parse_chunk(midstream.create_parser_state(), TRAILING).error,
    "tool_calls": lambda: [*midstream.tool_calls(CALLS)][-1][0].error,
    "typed_calls": lambda: [*midstream.typed.typed_calls(CALLS, {"f": Any})][-1][0].call.error,
}


def test_which_function_reads_one_document() -> None:
    named = {name for name, cells in options() if cells[3].startswith("one document")}
    # those make the state for parse_chunk, or pass the text of the arguments on
    assert named == {*ONE_DOCUMENT, "create_parser_state", "messages", "argument_deltas"}
    for name, read_it in ONE_DOCUMENT.items():
        try:
            error = read_it()
        except midstream.JsonStreamError as raised:
            error = raised
        assert error.code == "trailing_text", name


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

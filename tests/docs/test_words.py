"""The sources use the words of the field: patterns of the old dialect stay out of them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src" / "midstream"
FOLDERS = [".", *sorted(path.name for path in SOURCES.iterdir() if path.is_dir() and path.name[0] != "_")]
WORDS = {
    r"\bhalves\b|\bhalf a (pair|character|surrogate)": "surrogates, a lone surrogate, part of a character",
    r"\bwho(ever| (recovers|looks|reads|gets|counts))\b": "the caller, the reader, the parser",
    r"\bforeseen\b": "predicted",
    r"\bjotted\b": "noted, kept in an inline buffer",
    r"\bteller\b": "emitter",
    r"_begin_look": "_begin_read",
    r"\bbehind (it|the|them|a|an)\b": "after",
    r"\bpass(ed|es)? over\b": "skip",
}
# a docstring begins with what is done: Return, Parse, Report whether
VERBS = re.compile(r"(Give|Tell|Take|Know|Learn|Let)s?\b")


def files(folder: str) -> list[Path]:
    paths = (SOURCES / folder).glob("*") if folder == "." else (SOURCES / folder).rglob("*")
    return sorted(path for path in paths if path.suffix in (".py", ".pxd", ".js"))


def docstrings(path: Path) -> list[tuple[int, str]]:
    """Return the docstrings of a Python module, or the comments that are JSDoc, with their lines."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        comments = re.finditer(r"/\*\*[\s*]*([^\s*])", text)
        return [(text.count("\n", 0, match.start(1)) + 1, text[match.start(1) :]) for match in comments]
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                found.append((node.body[0].lineno, docstring))
    return found


def faults(path: Path) -> list[str]:
    """Name the places in a file that speak the old dialect, and what to write."""
    found = []
    text = path.read_text("utf-8")
    for pattern, better in WORDS.items():
        matches = re.finditer(pattern, text, re.IGNORECASE)
        found += [
            (text.count("\n", 0, match.start()) + 1, f"{match[0]!r}: write {better}") for match in matches
        ]
    for line, docstring in docstrings(path):
        match = VERBS.match(docstring)
        if match is not None:
            found.append((line, f"a docstring begins with {match[0]!r}: write Return, Report, Accept …"))
    return [f"{path.relative_to(SOURCES)}:{line}: {what}" for line, what in sorted(found)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_sources_use_the_words_of_the_field(folder: str) -> None:
    assert [fault for path in files(folder) for fault in faults(path)] == []

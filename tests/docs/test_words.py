"""Sources, tests, programs and documentation use the words of the field, and none of the old dialect."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from documents import PAGES, name_of, prose

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "midstream"
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
# in tests, programs and examples
EVERYWHERE = {
    r"\bhalves\b|\bhalf a (pair|character|surrogate)": "surrogates, a lone surrogate, part of a character",
    r"\bwhoever\b": "the caller, the reader, the parser",
    r"\b(teller|foreseen)\b|\bjot(s|ted)?\b": "emitter; predicted; noted",
    r"\bbehind (it|them|another)\b": "after",
    r"\bpass(ed|es)? over\b": "skip",
}
# in the documentation; code, links and generated tables are not checked
PROSE = {
    r"\bhalves\b|\b(other|high|low) half\b|\bhalf (of )?a (\w+ )?(pair|character)": "surrogate; part of",
    r"\bwhoever\b": "the caller, the parser, the provider",
    r"\b(go|goes|going|went|gone) on\b": "continue, resume",
    r"\bpass(es|ed|ing)? over\b": "skip, ignore",
    r"\bwhole\b(?! numbers?| arguments \|)": "complete, entire, valid",
    r"\b(tell|tells|told|teller)\b": "report, say, show",
    r"\bbehind\b(?! (a|an|your|the|its)? ?(proxy|proxies|reverse|load|nginx|firewall|\|)| \|)": "after",
    r"(^|[.:;|-] |\*\*)Of (a|the) (tool )?call\b": "For a tool call",
    r"\bas (it|they) (stand|stands|stood)\b": "so far",
    r"\bhand(s|ed|ing)? out\b": "return",
    r"\b[Tt]akes? `": "use, accept",
    r"\bforeseen\b|\bjot(s|ted)?\b": "predicted; noted",
}
GENERATED = re.compile(
    r"<!-- bench -->.*?<!-- end of bench -->|<!-- begin features -->.*?<!-- end features -->", re.DOTALL
)
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


PROGRAMS = ("tests", "tools", "benchmarks", "examples", "js")
# they name the words, or belong to others
EXCEPT = {Path(__file__), *(ROOT / "benchmarks").glob("lenient_corpus/*")}


@pytest.mark.parametrize("folder", PROGRAMS)
def test_tests_and_programs_use_the_words_of_the_field(folder: str) -> None:
    paths = [
        path
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".js", ".mjs", ".ts")
        and "node_modules" not in path.parts
        and path not in EXCEPT
    ]
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}: write {better}"
        for path in sorted(paths)
        for text in [path.read_text("utf-8")]
        for pattern, better in EVERYWHERE.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]
    assert found == []


def plain(page: Path) -> str:
    """Return the prose of a page, with nothing in the place of code and links."""
    text = GENERATED.sub("", prose(page))
    return re.sub(r"`[^`\n]*`", "`", re.sub(r"\]\([^)\n]*\)", "]", text))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_documentation_uses_the_words_of_the_field(page: Path) -> None:
    text = plain(page)
    found = [
        f"{' '.join(text[max(match.start() - 30, 0) : match.end() + 20].split())!r}: write {better}"
        for pattern, better in PROSE.items()
        for match in re.finditer(pattern, text, re.MULTILINE)
    ]
    assert found == []


def test_the_words_are_found() -> None:
    """The patterns match what they are for, and nothing that is plain English."""
    for text in (
        "The other half follows.",
        "It goes on behind the comma.",
        "a whole document",
        "which tells how",
        "Of a tool call, the same",
        "The calls as they stand",
        "Take `updates`.",
    ):
        assert any(re.search(pattern, text, re.MULTILINE) for pattern in PROSE), text
    for text in (
        "run it behind a proxy",
        "numbers of calls",
        "whole numbers",
        "the end of a call",
        "It takes time",
    ):
        assert not any(re.search(pattern, text, re.MULTILINE) for pattern in PROSE), text

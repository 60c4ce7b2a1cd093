"""Code on a page that is part of a file in ``examples/``.

A comment above the block names the file and, if the page shows a part of it only, which part:

    <!-- from examples/start.py -->                     all but the docstring
    <!-- from examples/start.py: main -->               one function, class or variable
    <!-- from examples/start.py: ask to app -->         from one of them to another
    <!-- from examples/page.html: script -->            the script of a page
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

__all__ = ["Excerpt", "excerpts", "with_excerpts"]

ROOT = Path(__file__).parents[2]
_EXCERPT = re.compile(
    r"^<!-- from (?P<file>examples/[\w./-]+)(?:: (?P<part>[\w ]+))? -->\n```\w+\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_SCRIPT = re.compile(r"<script type=\"module\">\n(.*?)</script>", re.DOTALL)


@dataclass
class Excerpt:
    """A block of code and the part of a file that it must equal."""

    page: Path
    line: int
    file: Path
    part: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"

    @property
    def expected(self) -> str:
        return part_of(self.file, self.part)


def excerpts(page: Path) -> list[Excerpt]:
    """List the blocks of a page that are parts of files."""
    text = page.read_text(encoding="utf-8")
    return [
        Excerpt(
            page, text.count("\n", 0, found.start()) + 2, ROOT / found["file"], found["part"], found["text"]
        )
        for found in _EXCERPT.finditer(text)
    ]


def with_excerpts(text: str) -> str:
    """Return the text of a page with its excerpts as the files are now."""

    def renewed(found: re.Match[str]) -> str:
        start, end = found.span("text")
        full_text, begin = found[0], found.start()
        part = part_of(ROOT / found["file"], found["part"])
        return full_text[: start - begin] + part + full_text[end - begin :]

    return _EXCERPT.sub(renewed, text)


def part_of(file: Path, part: str | None) -> str:
    """Return a part of a file."""
    source = file.read_text(encoding="utf-8")
    if part == "script":
        found = _SCRIPT.search(source)
        assert found, f"{file.name} has no script"
        return dedent(found[1])
    if file.suffix != ".py":
        assert part is None, f"{file.name} has no parts"
        return source
    statements = ast.parse(source).body
    if part is None:
        first, last = statements[ast.get_docstring(ast.parse(source)) is not None], statements[-1]
    else:
        named = {name: statement for statement in statements for name in _names(statement)}
        first, last = (named[name] for name in (part.split(" to ") * 2)[:2])
    decorators = [node.lineno for node in getattr(first, "decorator_list", [])]
    begin = min([first.lineno, *decorators])
    return "".join(source.splitlines(keepends=True)[begin - 1 : last.end_lineno])


def _names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Assign):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return (
        [statement.name]
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        else []
    )

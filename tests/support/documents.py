"""The pages of the documentation as the tests read them: their code blocks, links and headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

__all__ = ["DOCS", "PAGES", "ROOT", "Block", "anchors", "blocks", "links", "matches", "name_of"]

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    DOCS.rglob("*.md")
)

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|:{3,})(?P<info>[^`\n]*)$")
_EXAMPLE = re.compile(r"<!-- from (examples/[\w./-]+)\b.* -->")
_LINK = re.compile(r"(?<!\\)\]\(<?([^()\s>]+)>?(?: \"[^\"]*\")?\)")
# a line of an output that stands for lines left out
_LEFT_OUT = "⋮"


@dataclass
class Block:
    """A block of code: the word after its fence, its options, its text, and the output shown after it."""

    page: Path
    line: int
    language: str
    argument: str
    options: dict[str, str]
    text: str
    output: str | None = None
    # the file of ``examples/`` that a comment above the block names
    example: Path | None = None

    def __str__(self) -> str:
        return f"{name_of(self.page)}:{self.line}"

    @property
    def is_session(self) -> bool:
        return ">>>" in self.text

    @property
    def file(self) -> Path:
        """The file that an included block is of."""
        return (self.page.parent / self.argument).resolve()


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@cache
def blocks(page: Path) -> tuple[Block, ...]:
    """List the code blocks of a page."""
    found: list[tuple[Block, int]] = []
    opened: tuple[int, str, str] | None = None
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if opened is None:
            opened = number, fence["fence"], fence["info"].strip()
        elif fence["fence"].startswith(opened[1]) and not fence["info"].strip():
            block = _block(page, opened[0], opened[2], lines[opened[0] + 1 : number])
            if above := _EXAMPLE.fullmatch(lines[max(opened[0] - 1, 0)]):
                block.example = ROOT / above[1]
            found.append((block, number))
            opened = None
    assert opened is None, f"{name_of(page)}: the fence at line {opened and opened[0] + 1} is not closed"
    # an output follows what prints it
    for (block, end), (following, _) in pairwise(found):
        is_next = not "".join(lines[end + 1 : following.line - 1]).strip()
        if following.language == "text" and is_next:
            block.output = following.text
    return tuple(block for block, _ in found)


def _block(page: Path, number: int, info: str, lines: list[str]) -> Block:
    language, _, argument = info.partition(" ")
    options = {}
    while language.startswith("{") and lines and (option := re.fullmatch(r":([\w-]+):\s*(.*)", lines[0])):
        options[option[1]] = option[2]
        lines = lines[1:]
    text = "".join(f"{line}\n" for line in lines)
    return Block(page, number + 1, language, argument.strip(), options, text)


@cache
def prose(page: Path) -> str:
    """Return the text of a page without its code."""
    kept, opened = [], ""
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = _FENCE.match(line)
        if fence is not None and not opened:
            opened = fence["fence"]
        elif fence is not None and fence["fence"].startswith(opened) and not fence["info"].strip():
            opened = ""
        elif not opened:
            kept.append(line)
    return "\n".join(kept)


def links(page: Path) -> list[str]:
    """List where the links and pictures of a page lead to."""
    return _LINK.findall(re.sub(r"`[^`\n]+`", "``", prose(page)))


def anchors(page: Path) -> set[str]:
    """List the anchors of a page's headings, as hosts and Sphinx make them."""
    text = prose(page)
    for block in blocks(page):
        if block.language == "{include}":
            text += "\n" + prose(block.file)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    names = (re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings)
    return {*names, *re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE)}


def matches(shown: str, printed: str) -> bool:
    """Report whether a page shows what was printed; a line ``⋮`` stands for lines that it leaves out."""
    parts = [re.escape(part) for part in re.split(rf"^{_LEFT_OUT}\n", shown, flags=re.MULTILINE)]
    full_text = printed if printed.endswith("\n") or not printed else printed + "\n"
    return re.fullmatch("(?:.*\n)*?".join(parts), full_text) is not None

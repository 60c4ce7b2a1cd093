"""Every code block of the documentation is run, and shows what it does; every link leads somewhere."""

from __future__ import annotations

import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout
from functools import cache
from typing import TYPE_CHECKING

import pytest

import deep
from documents import DOCS, PAGES, ROOT, Block, anchors, blocks, links, matches, name_of
from test_examples import EXAMPLES, HELPERS, SHOWN_BY_SPEAKER, output_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPTIONS = doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE
# what a block may be: code and commands, which are tested, and output; other code comes from the examples
LANGUAGES = {"python", "js", "jsx", "html", "sh", "console", "text", "pyi", "nginx", "yaml"}
# parts of the site that hold no code
DIRECTIVES = re.compile(r"\{(?!code|sourcecode|doctest|test|literalinclude)[\w:-]+\}")


def all_blocks(*languages: str) -> list[Block]:
    return [block for page in PAGES for block in blocks(page) if block.language in languages]


# sessions and scripts


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(b.is_session for b in blocks(page))], ids=name_of
)
def test_sessions(page: Path) -> None:
    """The sessions of a page are one, in order."""
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for block in blocks(page):
        if block.language == "python" and block.is_session:
            test = doctest.DocTestParser().get_doctest(block.text, names, str(block), str(page), block.line)
            runner.run(test, clear_globs=False)
            names |= test.globs
    assert runner.failures == 0


@pytest.mark.parametrize(
    "block", [b for b in all_blocks("python") if not (b.is_session or b.example)], ids=str
)
def test_scripts(block: Block) -> None:
    """A script is complete, and prints exactly the output that follows it."""
    assert block.output is not None, "neither a session (>>>) nor a script with its output in a text block"
    printed = io.StringIO()
    with redirect_stdout(printed):
        # without the future features of this file, as a user runs it
        program = compile(block.text, str(block), "exec", dont_inherit=True)
        exec(program, {"__name__": "__main__"})
    assert matches(block.output, printed.getvalue()), printed.getvalue()


@pytest.mark.parametrize("block", [b for b in all_blocks(*LANGUAGES) if b.example and b.output], ids=str)
def test_outputs_of_examples(block: Block) -> None:
    """The output below an example is what it prints; `test_excerpts` compares the code."""
    assert block.example is not None
    assert block.output is not None
    printed = output_of(block.example)
    if block.example.stem in SHOWN_BY_SPEAKER:
        # of libraries that are not there it prints nothing
        here = {line.partition(" ")[0] for line in printed.splitlines()}
        shown = [line for line in block.output.splitlines(keepends=True) if line.split()[:1] != []]
        assert "".join(line for line in shown if line.partition(" ")[0] in here) == printed
    else:
        assert matches(block.output, printed), printed


def test_every_example_is_on_a_page() -> None:
    shown = {block.example for block in all_blocks(*LANGUAGES)}
    shown |= {(page.parent / link).resolve() for page in PAGES for link in links(page)}
    scripts = {path.resolve() for path in EXAMPLES.rglob("*.py") if path.stem not in HELPERS}
    assert scripts <= shown


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_of_a_kind_that_is_tested(page: Path) -> None:
    for block in blocks(page):
        if not DIRECTIVES.fullmatch(block.language):
            assert block.language in LANGUAGES, block
            assert block.language != "html" or block.example, block
            # the signatures of the reference, which `test_reference_text` compares with the code
            assert block.language != "pyi" or page.parent.name == "reference", block


@pytest.mark.parametrize("block", [b for b in all_blocks("js", "jsx") if not b.example], ids=str)
def test_javascript_is_part_of_an_example(block: Block) -> None:
    """The examples are built and opened in Chromium by `make deep ONLY=apps`."""
    examples = [
        path.read_text("utf-8")
        for path in (ROOT / "examples").rglob("*.js*")
        if "node_modules" not in path.parts and path.suffix in (".js", ".jsx")
    ]
    # imports may be left out, so the lines must be there in their order
    lines = [line for line in block.text.splitlines() if line]
    assert any(is_part(lines, example.splitlines()) for example in examples), block


def is_part(lines: list[str], text: list[str]) -> bool:
    remaining = iter(text)
    return all(line in remaining for line in lines)


def test_outputs_may_leave_lines_out() -> None:
    assert matches("a\n⋮\nc\n", "a\nb\nb\nc\n")
    assert matches("⋮\nc\n", "c\n")
    assert matches("a\n⋮\n", "a\nb\n")
    assert not matches("a\n⋮\nc\n", "a\nb\n")
    assert not matches("a\nc\n", "a\nb\nc\n")


# commands


def commands(block: Block) -> Iterator[list[str]]:
    """Return the commands of a block, one by one, without what they are piped into and comments."""
    lines = block.text.replace("\\\n", " ").splitlines()
    if block.language == "console":
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    for line in lines:
        words: list[str] = []
        for word in [*shlex.split(line, comments=True), "|"]:
            if word in ("|", "&&", "&", ";"):
                if words:
                    yield words
                words = []
            elif words or not re.match(r"[A-Z_]+=", word):
                words.append(word)


@cache
def help_of(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "midstream.cli", *words, "--help"],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env=os.environ | {"COLUMNS": "200", "NO_COLOR": "1"},
    )
    return done.stdout


def check_command(words: list[str]) -> None:
    """Report whether a command is one that is there, with the options that it has."""
    program, *rest = words
    match program:
        case "midstream":
            places = [word for word in rest if not word.startswith("-")]
            known = re.findall(r"^  ([a-z]+)  ", help_of().partition("Commands:")[2], re.MULTILINE)
            command = places[:1] if places and places[0] in known else []
            assert command or not places, words
            for option in (word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"):
                assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", help_of(*command)), words
        case "make":
            targets = [word for word in rest if "=" not in word and not word.startswith("-")]
            rules = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
            assert set(targets) <= set(rules), words
            if targets == ["deep"]:
                named = [name for word in rest if word.startswith("ONLY=") for name in word[5:].split()]
                assert {*named} <= {*deep.programs("1"), "list"}, words
        case "pip":
            extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
            for word in rest[1:]:
                found = re.fullmatch(r"\.(?:\[([\w,]+)\])?", word)
                if found is not None and found[1] is not None:
                    assert set(found[1].split(",")) <= set(extras["project"]["optional-dependencies"]), words
        case "npm":
            name = json.loads((ROOT / "js" / "package.json").read_text(encoding="utf-8"))["name"]
            assert rest == ["install", name], words
        case "python":
            script = rest[0] if rest[0] != "-m" else rest[1].replace(".", "/")
            assert (ROOT / script).exists() or (ROOT / "src" / f"{script}.py").exists(), words
        case "uvicorn":
            assert (ROOT / (rest[0].partition(":")[0].replace(".", "/") + ".py")).exists(), words
        case _:
            assert program in {"curl", "cat", "echo", "printf", "git", "cd"}, words


@pytest.mark.parametrize("block", all_blocks("sh", "console"), ids=str)
def test_commands_are_there(block: Block) -> None:
    for words in commands(block):
        check_command(words)


@pytest.mark.parametrize("block", all_blocks("console"), ids=str)
def test_commands_print_what_is_shown(block: Block, tmp_path: Path) -> None:
    """Run each command in a shell, in a clone's folder, with ``midstream`` and ``python`` at hand."""
    for name, module in (("midstream", "-m midstream.cli"), ("python", "")):
        path = tmp_path / name
        path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    env = os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "1", "COLUMNS": "80",
    }  # fmt: skip
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        done = subprocess.run(
            ["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
            timeout=60, env=env, cwd=ROOT,
        )  # fmt: skip
        assert matches(output, done.stdout), done.stdout


# links


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if re.match(r"https?://|mailto:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_relative_to(ROOT), link
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), link


def test_every_page_is_in_the_site() -> None:
    """Every page is named by a list of contents."""
    listed = set()
    for block in all_blocks("{toctree}"):
        for line in block.text.splitlines():
            if name := re.sub(r"^.*<(.+)>$", r"\1", line.strip()):
                listed.add((block.page.parent / f"{name}.md").resolve())
    assert set(DOCS.rglob("*.md")) - listed == {DOCS / "index.md"}
    assert all(page.is_file() for page in listed)


def test_pages_load_nothing_from_elsewhere() -> None:
    conf = (DOCS / "conf.py").read_text(encoding="utf-8")
    styles = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "_static").glob("*.css"))
    assert "intersphinx" not in conf
    assert not re.search(r"https?://", conf + styles)

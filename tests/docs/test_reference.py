"""The reference lists every public name once, and the promises name tests that are there."""

from __future__ import annotations

import ast
import importlib
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from builds import PLAIN
from midstream import ErrorCode
from midstream.providers import FORMATS
from midstream.recordings import NAMES, load

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "reference").glob("*.md"))
# the modules that are there to be imported; what else has no underscore is an application, or is named here
MODULES = [
    "midstream",
    "midstream.aio",
    "midstream.providers",
    "midstream.captures",
    "midstream.recordings",
    "midstream.sse",
    "midstream.asgi",
    "midstream.typed",
    "midstream.server",
    "midstream.integrations.starlette",
    "midstream.render.terminal",
    "midstream.render.plain",
]
# what is made by a public function, and needs no import
MADE = {"midstream.providers._adapter.Adapter"}
PROMISE = re.compile(r"^## (\d+)\. (.+)$", re.MULTILINE)


def plain(module: str) -> Any:
    return importlib.import_module(module.replace("midstream", PLAIN.__name__, 1))


def public_names() -> set[str]:
    """Name all that the modules list; what the package lists itself, there only."""
    listed = {f"{module}.{name}" for module in MODULES for name in plain(module).__all__}
    again = {
        f"{module}.{name}"
        for module in MODULES[1:]
        for name in plain(module).__all__
        if name in PLAIN.__all__ and getattr(plain(module), name) is getattr(PLAIN, name)
    }
    return listed - again - {"midstream.aio"}


def documented() -> Counter[str]:
    """Count what the pages document."""
    return Counter(
        name
        for page in PAGES
        for name in re.findall(
            r"^\.\. (?:auto|py:)(?:class|function|data|exception):: ([\w.]+)",
            page.read_text("utf-8"),
            re.MULTILINE,
        )
    )


def test_every_public_name_is_in_the_reference_once() -> None:
    found = documented()
    assert set(found) == public_names() | MADE
    assert set(found.values()) == {1}


def test_values_are_listed() -> None:
    """What is written by hand is what there is."""
    page = (DOCS / "reference" / "providers.md").read_text("utf-8")
    formats = page.partition("The names of the formats:")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"``([\w.-]+)``", formats)) == FORMATS
    recordings = page.partition("The names of the recordings:")[2].partition("\n.. ")[0]
    listed = re.findall(r"- ``(\w+)`` \(([\w-]+)\): (.+)", recordings)
    assert [name for name, _, _ in listed] == list(NAMES)
    for name, format, title in listed:
        recording = load(name)
        assert (recording.format, recording.title.lower()) == (format, title.replace("`", "").lower())
    errors = (DOCS / "reference" / "errors.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", errors, re.MULTILINE) == [code.value for code in ErrorCode]


def exported_by(module: str) -> set[str]:
    """List the names that a JavaScript module exports."""
    own = re.findall(r"^export (?:class|function) (\w+)", module, re.MULTILINE)
    groups = re.findall(r'^export \{ ([^}]*) \} from "\./lib/', module, re.MULTILINE)
    passed_on = [name for group in groups for name in group.split(", ")]
    return {*own, *passed_on}


def test_every_name_of_the_modules_for_browsers_is_in_the_reference() -> None:
    page = (DOCS / "reference" / "javascript.md").read_text("utf-8")
    web = ROOT / "src" / "midstream" / "render" / "web"
    for file in ("midstream.js", "sse.js", "react.js"):
        names = exported_by((web / file).read_text("utf-8"))
        part = page.partition(f"\n## {file}\n")[2].partition("\n## ")[0]
        assert set(re.findall(r"^### (\w+)$", part, re.MULTILINE)) == names
    types = (web / "midstream.d.ts").read_text("utf-8")
    for cls in re.findall(r"^export declare class (\w+)", types, re.MULTILINE):
        body = types.partition(f"class {cls} ")[2].partition("\n}")[0]
        part = page.partition(f"\n### {cls}\n")[2].partition("\n##")[0]
        for name in re.findall(r"^  (?:get |readonly )?(\w+)(?:\(|:)", body, re.MULTILINE):
            assert re.search(rf"`{name}\b", part) or name == "constructor", (cls, name)


def test_every_page_of_the_reference_is_listed() -> None:
    index = (DOCS / "reference" / "index.md").read_text("utf-8")
    names = {page.stem for page in PAGES} - {"index"}
    assert set(re.findall(r"\]\((\w+)\.md\)", index)) == names
    assert set(index.partition(":hidden:")[2].partition("```")[0].split()) == names


@cache
def named_in(name: str) -> set[str]:
    tree = ast.parse(next((ROOT / "tests").rglob(name)).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def promises() -> dict[int, str]:
    text = (DOCS / "promises.md").read_text("utf-8")
    _, *parts = PROMISE.split(text)
    return {
        int(number): body.partition("\n## ")[0] for number, body in zip(parts[::3], parts[2::3], strict=True)
    }


def named_tests(body: str) -> list[tuple[str, str]]:
    """List the files and tests in the part of a promise that is folded away."""
    tests = body.partition("<summary>Tests</summary>")[2].partition("</details>")[0]
    named = [
        (file, name)
        for file, names in re.findall(
            r"\[(test_\w+\.py)\]\(\.\./tests/(?:\w+/)?\1\):((?:[\s,]*`\w+`)+)", tests
        )
        for name in re.findall(r"`(\w+)`", names)
    ]
    assert len(named) == tests.count("`test_") > 0
    return named


@pytest.mark.parametrize("number", range(1, 13))
def test_a_promise_has_an_example_and_names_its_tests(number: int) -> None:
    body = promises()[number]
    assert "*Why:*" in body
    assert ">>>" in body
    for file, name in named_tests(body):
        assert name in named_in(file)
        assert re.match(rf"test_invariants?_(\d+_and_)?{number}_", name) or f"_{number}_" in name


def test_what_holds_for_tool_calls_names_its_tests() -> None:
    body = (DOCS / "promises.md").read_text("utf-8").partition("\n## Tool calls\n")[2]
    assert "*Why:*" in body
    assert ">>>" in body
    for file, name in named_tests(body):
        assert name in named_in(file)


@pytest.mark.parametrize(
    ("heading", "letter", "count"), [("Typed streams", "T", 7), ("The lenient dialect", "L", 12)]
)
def test_what_holds_for_a_part_names_its_tests(heading: str, letter: str, count: int) -> None:
    text = (DOCS / "promises.md").read_text("utf-8")
    body = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    promised = set(re.findall(rf"\*\*({letter}\d+)\. ", body))
    assert promised == {f"{letter}{number}" for number in range(1, count + 1)}
    named = named_tests(body)
    tested = {number.upper() for _, name in named for number in re.findall(r"_([tl]\d+)(?=_)", name)}
    assert tested == promised
    for file, name in named:
        assert name in named_in(file)


def test_the_promises_are_those_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    promised = PROMISE.findall((DOCS / "promises.md").read_text("utf-8"))
    # where the readme lists them, it lists these
    assert re.findall(r"^(\d+)\. \*\*(.+?)\.\*\*", readme, re.MULTILINE) in ([], promised)


def test_every_invariant_that_is_tested_is_promised() -> None:
    numbers = {
        int(number)
        for path in (ROOT / "tests").rglob("test_*.py")
        for number in re.findall(r"^def test_invariants?_(\d+)_", path.read_text("utf-8"), re.MULTILINE)
    }
    assert numbers == set(promises())

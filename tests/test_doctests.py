"""Run every example of the documentation, and miss none."""

from __future__ import annotations

import doctest
import importlib
import inspect
import io
import pkgutil
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from builds import PLAIN

OPTIONS = doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE
ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"
SCRIPT = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# the standard library's doctest finds nothing in compiled functions, so the plain twin is read
MODULES = [
    PLAIN.__name__,
    *(found.name for found in pkgutil.walk_packages(PLAIN.__path__, f"{PLAIN.__name__}.")),
]
PUBLIC = {
    f"{place}{name}": getattr(module, name)
    for module, place in ((PLAIN, ""), (PLAIN.aio, "aio."))
    for name in module.__all__
    if inspect.isclass(getattr(module, name)) or inspect.isroutine(getattr(module, name))
}


def blocks(text: str) -> list[str]:
    """Find the code blocks of a Markdown text that are sessions with Python."""
    found = re.findall(r"^```(?:python|pycon)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for block in found if ">>>" in block]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    if name.endswith(".__main__"):
        pytest.skip("a script")
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


def test_examples_of_the_readme() -> None:
    """The blocks are one session, in order."""
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for number, block in enumerate(blocks(README.read_text("utf-8")), 1):
        test = doctest.DocTestParser().get_doctest(block, names, f"README block {number}", str(README), 0)
        runner.run(test, clear_globs=False)
        names |= test.globs
    assert runner.failures == 0


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_scripts_of_the_docs(page: Path) -> None:
    """A script with its output behind it prints just that."""
    for script, output in SCRIPT.findall(page.read_text("utf-8")):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(script, str(page), "exec"), {"__name__": "__main__"})
        assert printed.getvalue() == output


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(PUBLIC[name]) or "")

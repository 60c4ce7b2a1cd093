"""Each folder explains itself in its ``__init__.py`` and keeps its code in modules that are short."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "midstream"
FOLDERS = sorted(path.parent for path in PACKAGE.rglob("__init__.py"))
# their ``__init__.py`` lists public names, or the entry point of the command
PUBLIC = {"midstream", "cli", "providers", "recordings", "server", "typed"}
# one module for each format: the table of the formats names them
BY_FORMAT = {path.stem for path in (PACKAGE / "providers").glob("[a-z]*.py")}
LANGUAGES = {".py", ".pxd", ".js", ".ts", ".css", ".html"}
SOURCES = sorted(path for path in PACKAGE.rglob("*") if path.suffix in LANGUAGES)
MOST_LINES = 450


def statements(folder: Path) -> tuple[str, list[ast.stmt]]:
    """Return the docstring of a folder, and the statements after it."""
    module = ast.parse((folder / "__init__.py").read_text("utf-8"))
    return ast.get_docstring(module) or "", module.body[1:]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_folder_has_a_docstring_and_no_code(folder: Path) -> None:
    docstring, body = statements(folder)
    assert docstring
    for statement in body:
        is_import = isinstance(statement, ast.ImportFrom) and statement.level > 0
        is_list = isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__"
        assert is_import or is_list, ast.unparse(statement)
    assert bool(body) == (folder.name in PUBLIC)


@pytest.mark.parametrize("folder", FOLDERS[1:], ids=lambda folder: folder.name)
def test_the_docstring_of_a_folder_names_every_module(folder: Path) -> None:
    words = set(re.findall(r"\w+", statements(folder)[0]))
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    missing = modules - words
    assert missing == (BY_FORMAT if folder.name == "providers" else set())


def test_the_tests_mirror_the_folders() -> None:
    tests = {path.name for path in Path(__file__).parents[1].iterdir()}
    # the page and the library in JavaScript are tested in tests/render and tests/js
    assert {folder.name for folder in FOLDERS if folder.parent == PACKAGE} <= tests


def test_no_module_is_long() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in SOURCES}
    assert {str(path.relative_to(PACKAGE)): n for path, n in lengths.items() if n > MOST_LINES} == {}

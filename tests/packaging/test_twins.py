"""The ``.py`` files read on their own: whatever a ``.pxd`` file gives them in C, they have in Python too."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "midstream"
DECLARATIONS = sorted(PACKAGE.rglob("*.pxd"))
FUNCTION = re.compile(r"^ *(?:cdef|cpdef) (?!class|extern|enum|struct)[^\n(=]*?(\w+)\(", re.MULTILINE)


def defined(path: Path) -> set[str]:
    """Return the names of all functions and methods of a module."""
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def used(path: Path) -> set[str]:
    """Return the names and attributes that a module reads."""
    tree = ast.parse(path.read_text("utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return names | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_function_in_c_that_python_calls_has_a_plain_twin(declaration: Path) -> None:
    module = declaration.with_suffix(".py")
    without = {*FUNCTION.findall(declaration.read_text("utf-8"))} - defined(module)
    # the rest are called by other functions in C alone
    assert without & used(module) == set()


def test_no_name_is_unknown_to_the_type_checkers() -> None:
    found = [
        path
        for path in PACKAGE.rglob("*.py")
        if re.search(r"type: ignore\[.*name-defined", path.read_text("utf-8"))
    ]
    assert found == []


def test_the_state_of_the_grammar_is_declared_once() -> None:
    """The compiled core copies the counters as one range of fields, the plain core by their annotations."""
    declaration = (PACKAGE / "core" / "machine.pxd").read_text("utf-8")
    fields = re.findall(r"^    cdef (Py_ssize_t|int|bint|\w+) ([\w, ]+)$", declaration, re.MULTILINE)
    names = [(name, kind) for kind, listed in fields for name in listed.split(", ")]
    counters = {name for name, kind in names if kind in ("Py_ssize_t", "int", "bint")}
    tree = ast.parse((PACKAGE / "core" / "machine.py").read_text("utf-8"))
    machine = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Machine")
    annotations = {
        ast.unparse(node.target): ast.unparse(node.annotation)
        for node in machine.body
        if isinstance(node, ast.AnnAssign)
    }
    assert {*annotations} == {name for name, _ in names}
    assert counters == {name for name, kind in annotations.items() if kind in ("int", "bool")}
    places = [name for name, _ in names]
    first, last = places.index("base"), places.index("decoded")
    assert counters == {*places[first : last + 1]}


def attributes_of(function: ast.FunctionDef, owner: str, context: type[ast.expr_context]) -> set[str]:
    """Return the attributes of a variable that a function reads or assigns."""
    return {
        node.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id == owner and isinstance(node.ctx, context)
    }


# What a checkpoint has no entry for: what follows from the rest, and what only one call of `feed` uses
NOT_SAVED = {"clear_until", "document_end", "depth_limit", "held_length", "held_tried", "objects"}
NOT_SAVED |= {"decoded", "seen", "seen_quote", "skip_starts"}


def test_clone_save_and_load_miss_no_field_of_the_state() -> None:
    tree = ast.parse((PACKAGE / "core" / "machine.py").read_text("utf-8"))
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    machine = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Machine")
    kinds = {
        ast.unparse(node.target): ast.unparse(node.annotation)
        for node in machine.body
        if isinstance(node, ast.AnnAssign)
    }
    objects = {name for name, kind in kinds.items() if kind not in ("int", "bool")}
    assert attributes_of(functions["clone"], "other", ast.Store) == objects
    assert attributes_of(functions["new_machine"], "machine", ast.Store) >= objects
    saved = {
        name
        for function in ("state", "_lenient_state")
        for name in attributes_of(functions[function], "self", ast.Load)
    }
    assert {*kinds} - saved == NOT_SAVED
    loaded = {
        name
        for function in ("load", "_load_lenient", "_load_token")
        for context in (ast.Load, ast.Store)
        for name in attributes_of(functions[function], "self", context)
    }
    # `enable_fast_path` sets it from the length that is saved
    assert {*kinds} - loaded - NOT_SAVED == {"string_end"}

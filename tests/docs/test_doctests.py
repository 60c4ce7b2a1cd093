"""Run every example of the docstrings, and miss none; those of the pages are in test_docs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

from builds import PLAIN

OPTIONS = doctest.IGNORE_EXCEPTION_DETAIL | doctest.NORMALIZE_WHITESPACE
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


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    if name.endswith(".__main__"):
        pytest.skip("a script")
    if name.endswith(".integrations.langchain"):
        pytest.skip("its library is in an environment of its own, where its examples are run")
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name: str) -> None:
    assert ">>>" in (inspect.getdoc(PUBLIC[name]) or "")

"""Return loaded modules the code of a mutant: function by function, or by importing it in their place."""

from __future__ import annotations

import dis
import importlib.machinery
import inspect
import sys
import warnings
from importlib import import_module
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["import_instead", "swap", "swappable", "targets"]

PACKAGES = ("midstream", "midstream_plain")


def compiled(source: str, path: str = "") -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code: CodeType = compile(source, path, "exec", dont_inherit=True)
    return code


def functions(code: CodeType) -> dict[str, CodeType]:
    """Find the functions and methods that a module defines."""
    found = {}
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if const.co_flags & inspect.CO_OPTIMIZED:
                found[const.co_qualname] = const
            else:
                found |= functions(const)
    return found


def bodies(code: CodeType) -> list[Any]:
    """Return what a module and its classes do when they are made."""
    consts = [const for const in code.co_consts if not isinstance(const, CodeType)]
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    classes = [bodies(const) for const in inner if not const.co_flags & inspect.CO_OPTIMIZED]
    return [code.co_code, code.co_names, repr(consts), classes]


def used_on_import(code: CodeType) -> set[str]:
    """Find the names that a module and its classes read when they are made, in comprehensions too."""
    names = {
        step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_NAME", "LOAD_GLOBAL")
    }
    for const in code.co_consts:
        if isinstance(const, CodeType) and (
            const.co_name.startswith("<") or not const.co_flags & inspect.CO_OPTIMIZED
        ):
            names |= used_on_import(const)
    return names


def swappable(source: str, mutated: str) -> dict[str, CodeType] | None:
    """Return the functions that differ; None if more does."""
    old, new = compiled(source), compiled(mutated)
    if bodies(old) != bodies(new):
        return None
    before = functions(old)
    differ = {name: code for name, code in functions(new).items() if code != before[name]}
    # what was made of a function on import stays as it was
    comes_too_late = any("<" in name for name in differ) or differ.keys() & used_on_import(new)
    # of several with one name, such as comprehensions, only the last is in the dict
    return None if comes_too_late or not differ else differ


def targets(module: str, codes: dict[str, CodeType]) -> list[tuple[Any, CodeType]]:
    """Find the functions that are to get other code, in every copy of the package that is loaded."""
    # some modules are imported when they are first used, which may be later
    copies = [import_module(f"{package}.{module}") for package in PACKAGES if package in sys.modules]
    return [(function(loaded, name), code) for loaded in copies for name, code in codes.items()]


def swap(pairs: list[tuple[Any, CodeType]]) -> None:
    """Set the code of each function."""
    for target, code in pairs:
        target.__code__ = code


def function(module: Any, name: str) -> Any:
    found = module
    for part in name.split("."):
        found = vars(found)[part]
    if isinstance(found, property):
        return found.fget
    return getattr(found, "__func__", found)


def import_instead(package: Path, module: str, mutated: str) -> None:
    """Have every import of a module read the mutant."""
    path = str(package.joinpath(*module.split(".")).with_suffix(".py"))
    loader: Any = importlib.machinery.SourceFileLoader
    get_code = loader.get_code

    def get_mutated(self: Any, fullname: str) -> Any:
        return compiled(mutated, path) if self.path == path else get_code(self, fullname)

    loader.get_code = get_mutated

"""The public API is what ``public_api.txt`` says: every public name with its signature.

    python tests/packaging/test_public_api.py

writes the file anew. A line that disappears or changes there breaks programs: see `docs/stability.md`.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from enum import Enum
from functools import cached_property
from pathlib import Path
from textwrap import dedent
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pytest

from builds import BUILDS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = Path(__file__).with_name("public_api.txt")
# what is not listed here is private, whatever its name is; midstream.integrations.langchain is public, too,
# but needs a package that is not installed here
MODULES = [
    "midstream",
    "midstream.aio",
    "midstream.asgi",
    "midstream.captures",
    "midstream.integrations.starlette",
    "midstream.providers",
    "midstream.recordings",
    "midstream.render.plain",
    "midstream.render.terminal",
    "midstream.server",
    "midstream.sse",
    "midstream.typed",
]
# their constructors are not public: the library creates them
CREATED_BY_THE_LIBRARY = ["TypedCall", "TypedEvent", "TypedSnapshot"]
# methods that an object has for the language, as far as programs may rely on them
OPERATORS = [
    "__aiter__", "__anext__", "__call__", "__contains__", "__enter__", "__eq__", "__getitem__", "__iter__",
    "__len__", "__next__",
]  # fmt: skip
ATTRIBUTES = (property, cached_property, GetSetDescriptorType, MemberDescriptorType)


class Written(str):
    """A default as a program writes it."""

    __repr__ = str.__str__


def api_of(package: ModuleType) -> list[str]:
    """Return a line for each public name of a build."""
    lines: list[str] = []
    for name in MODULES:
        module = importlib.import_module(package.__name__ + name.removeprefix("midstream"))
        for public in sorted(module.__all__):
            lines += described(f"{name}.{public}", getattr(module, public), package.__name__)
    return [line.replace(f"{package.__name__}.", "midstream.") for line in lines]


def described(path: str, value: Any, package: str) -> Iterator[str]:
    """Describe a public name and its members."""
    if isinstance(value, ModuleType):
        yield f"{path}: module"
    elif inspect.isclass(value):
        is_created = value.__name__ in CREATED_BY_THE_LIBRARY or issubclass(value, Enum) or is_protocol(value)
        yield f"{path}{'' if is_created else signature_of(value)}"
        yield from sorted(members(path, value, package))
    elif callable(value):
        yield f"{'async ' * inspect.iscoroutinefunction(value)}{path}{signature_of(value)}"
    else:
        yield f"{path}: {type(value).__name__}"


def members(path: str, cls: Any, package: str) -> Iterator[str]:
    """Describe the members that a class does not have from a class of another package."""
    if issubclass(cls, Enum):
        for member in cls:
            yield f"{path}.{member.name} = {member.value!r}"
        return
    for name in dir(cls):
        owner = next(base for base in cls.__mro__ if name in vars(base))
        if not owner.__module__.startswith(package) or (name.startswith("_") and name not in OPERATORS):
            continue
        member = inspect.getattr_static(cls, name)
        if isinstance(member, ATTRIBUTES) or type(member).__name__ == "_tuplegetter":
            yield f"{path}.{name}"
        elif callable(member) or isinstance(member, (classmethod, staticmethod)):
            if name in OPERATORS:
                yield f"{path}.{name}"
            else:
                method = getattr(cls, name)
                is_async = "async " * inspect.iscoroutinefunction(method)
                yield f"{is_async}{path}.{name}{signature_of(method)}"
        else:
            yield f"{path}.{name} = {member!r}"
    for base in cls.__mro__:
        if base.__module__.startswith(package):
            yield from (f"{path}.{name}" for name in attributes_of(base))


def attributes_of(cls: Any) -> set[str]:
    """Return the attributes that a constructor sets, unless they are slots."""
    if "__slots__" in vars(cls) or "__init__" not in vars(cls) or not hasattr(cls.__init__, "__code__"):
        return set()
    (node,) = ast.parse(dedent(inspect.getsource(cls.__init__))).body
    targets = [target for part in ast.walk(node) if isinstance(part, ast.Assign) for target in part.targets]
    targets += [part.target for part in ast.walk(node) if isinstance(part, ast.AnnAssign)]
    return {
        target.attr
        for target in targets
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self"
        if not target.attr.startswith("_")
    }


def is_protocol(cls: Any) -> bool:
    return bool(getattr(cls, "_is_protocol", False))


def signature_of(value: Any) -> str:
    """Return the names, kinds and defaults of the parameters; types are those of the reference."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "()"
    empty = inspect.Parameter.empty
    parameters = [
        parameter.replace(annotation=empty, default=as_written(parameter.default))
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def as_written(default: Any) -> Any:
    if inspect.isclass(default):
        return default if default is inspect.Parameter.empty else Written(default.__name__)
    if inspect.isbuiltin(default):
        return Written(default.__name__)
    is_ours = type(default).__module__.startswith(("midstream", PLAIN.__name__))
    if is_ours and not isinstance(default, Enum) and default == type(default)():
        return Written(f"{type(default).__name__}()")
    return default


def test_the_public_api_is_this() -> None:
    written = FILE.read_text("utf-8").splitlines()
    # a difference is one in the promise of docs/stability.md; python tests/packaging/test_public_api.py
    # writes the file anew
    assert api_of(PLAIN) == written


@pytest.mark.parametrize("package", BUILDS.values(), ids=list(BUILDS))
def test_every_build_has_it(package: ModuleType) -> None:
    written = FILE.read_text("utf-8").splitlines()
    names = {line.removeprefix("async ").partition("(")[0].partition(" = ")[0] for line in written}
    found = {line.removeprefix("async ").partition("(")[0].partition(" = ")[0] for line in api_of(package)}
    assert names == found


@pytest.mark.parametrize("name", MODULES)
def test_modules_list_their_names(name: str) -> None:
    module = importlib.import_module(name)
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, public) for public in module.__all__)


if __name__ == "__main__":
    FILE.write_text("\n".join(api_of(PLAIN)) + "\n", encoding="utf-8")

"""Signatures of compiled classes, which have none of their own."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect import Signature

__all__ = ["SourceSignature"]


class SourceSignature:
    """Read the signature of a class from its source, when `inspect.signature` or `help` asks for it.

    As ``__signature__`` of a class it applies to the subclasses that inherit its constructor.

    >>> import inspect
    >>> from midstream import JsonFragmentAccumulator
    >>> list(inspect.signature(JsonFragmentAccumulator).parameters)[:2]
    ['root', 'on_error']
    """

    def __get__(self, instance: Any, owner: type) -> Signature:
        """Return the signature of a class."""
        for cls in owner.__mro__:
            if cls.__dict__.get("__signature__") is self:
                return _signature_of(cls)
            if any(_is_python(cls.__dict__.get(name)) for name in ("__init__", "__new__")):
                break
        # the subclass has a constructor of its own
        raise AttributeError("__signature__")


def _is_python(method: Any) -> bool:
    return hasattr(method, "__code__") or isinstance(method, staticmethod)


def _signature_of(cls: type) -> Signature:
    # imported here because the module loads slowly
    from inspect import Parameter, Signature

    module = sys.modules[cls.__module__]
    path = Path(module.__file__ or "").parent / (cls.__module__.rpartition(".")[2] + ".py")
    if not path.exists():
        raise AttributeError("__signature__")
    arguments = _constructor(ast.parse(path.read_text("utf-8")), cls.__name__).args
    names = [*arguments.posonlyargs, *arguments.args][1:]
    defaults = [None] * (len(names) - len(arguments.defaults)) + arguments.defaults
    usual = zip(names, defaults, strict=True)
    given: list[tuple[ast.arg, ast.expr | None, Any]] = [
        (name, default, Parameter.POSITIONAL_OR_KEYWORD) for name, default in usual
    ]
    only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    given += [(name, default, Parameter.KEYWORD_ONLY) for name, default in only]
    parameters = [
        Parameter(
            name.arg,
            kind,
            default=Parameter.empty if default is None else _value(default, module),
            annotation=Parameter.empty if name.annotation is None else ast.unparse(name.annotation),
        )
        for name, default, kind in given
    ]
    return Signature(parameters, return_annotation="None")


def _constructor(source: ast.Module, name: str) -> ast.FunctionDef:
    for node in source.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and member.name == "__init__":
                    return member
    raise AttributeError("__signature__")


def _value(default: ast.expr, module: Any) -> Any:
    """Evaluate a default of our own source."""
    return eval(ast.unparse(default), vars(module))

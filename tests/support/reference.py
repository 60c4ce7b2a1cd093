"""The reference as Markdown: signatures and one-line descriptions, from the code.

A page names what it documents in comments, as directives for Sphinx. After each comment it contains what this
module makes of them, so that it can be read where Sphinx does not run:

    <!-- autodoc
    .. autofunction:: midstream.values
    -->

    …

    <!-- end of autodoc -->

``docs/conf.py`` puts the directives in the place of the Markdown.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from dataclasses import is_dataclass
from enum import Enum
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple

from builds import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["COMMENT", "with_reference"]

COMMENT = re.compile(
    r"^<!-- autodoc\n(?P<directives>.*?)^-->\n(?P<text>.*?)^<!-- end of autodoc -->$",
    re.MULTILINE | re.DOTALL,
)
_DIRECTIVE = re.compile(
    r"^\.\. (?P<kind>[\w:]+):: *(?P<argument>.*)\n(?P<body>(?:^(?: .*)?\n)*)", re.MULTILINE
)
_OPTION = re.compile(r"^:(?P<name>[\w-]+):(?: (?P<value>.*))?$", re.MULTILINE)
_WIDTH = 100


class Directive(NamedTuple):
    """One directive of Sphinx: its kind, what it names, its options, and the rest of its body."""

    kind: str
    argument: str
    options: dict[str, str]
    body: str


def with_reference(text: str) -> str:
    """Return the text of a page with its reference as the code is now."""

    def renewed(found: re.Match[str]) -> str:
        made = "\n\n".join(filter(None, map(_entry, _directives(found["directives"]))))
        return f"<!-- autodoc\n{found['directives']}-->\n\n{made}\n\n<!-- end of autodoc -->"

    return COMMENT.sub(renewed, text)


def _directives(text: str) -> Iterator[Directive]:
    for found in _DIRECTIVE.finditer(text):
        body = dedent(found["body"])
        options = {option["name"]: option["value"] or "" for option in _OPTION.finditer(body)}
        yield Directive(found["kind"], found["argument"], options, _OPTION.sub("", body).strip())


def _entry(directive: Directive) -> str:
    name = directive.argument.partition("(")[0]
    match directive.kind:
        case "py:currentmodule":
            return ""
        case "py:data":
            annotation = directive.options.get("type")
            return (
                _block(f"{name}: {annotation}" if annotation else name) + "\n\n" + _markdown(directive.body)
            )
        case "py:class":
            about = directive.body.partition("\n.. ")[0]
            parts = [_block(f"class {name}"), _markdown(about), _members_by_hand(directive.body)]
            return "\n\n".join(filter(None, parts))
        case "autofunction" | "automethod":
            function = _find(name)
            return f"{_block(_signature(function, name))}\n\n{_summary(function)}"
        case "autoclass" | "autoexception":
            cls = _find(name)
            is_made_by_others = directive.argument.endswith("()")
            head = f"class {name}" if is_made_by_others or _is_bare(cls) else _class_signature(cls, name)
            members = _members(cls, directive.options)
            fields = _fields(cls, members) if is_made_by_others else ""
            parts = [_block(head), _summary(cls), "\n".join(filter(None, [fields, members]))]
            return "\n\n".join(filter(None, parts))
    raise ValueError(directive.kind)


def _block(code: str) -> str:
    return f"```pyi\n{code}\n```"


def _find(name: str) -> Any:
    """Find an object of the plain build by its dotted name."""
    found, rest = PLAIN, name.split(".")[1:]
    module = PLAIN.__name__
    for part in rest:
        try:
            found = getattr(found, part)
        except AttributeError:
            found = importlib.import_module(f"{module}.{part}")
        module += f".{part}"
    return found


def _summary(thing: Any) -> str:
    """Return the first paragraph of a docstring, as Markdown."""
    return _markdown((inspect.getdoc(thing) or "").partition("\n\n")[0])


def _markdown(text: str) -> str:
    text = re.sub(r"^ {3}(?=\S)", "", text, flags=re.MULTILINE)
    text = text.replace("``", "`")
    # a paragraph is one line, as what is written by hand may be wrapped differently
    paragraphs = re.split(r"\n{2,}", text.strip())
    joined = [re.sub(r"\n(?!- )\s*", " ", paragraph) for paragraph in paragraphs]
    return "\n\n".join(joined)


# signatures


def _node(function: Callable[..., Any]) -> ast.FunctionDef | ast.AsyncFunctionDef:
    (node,) = ast.parse(dedent(inspect.getsource(function))).body
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return node


def _signature(function: Callable[..., Any], name: str, *, is_method: bool = False) -> str:
    """Write the signature of a function as its source does."""
    function = inspect.unwrap(function)
    node = _node(function)
    parameters = _parameters(node.args)[1 if is_method else 0 :]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    prefix = "async def " if isinstance(node, ast.AsyncFunctionDef) else ""
    return _call(f"{prefix}{name}", parameters, returns)


def _class_signature(cls: type, name: str) -> str:
    for base in cls.__mro__:
        for method in ("__init__", "__new__"):
            function = base.__dict__.get(method)
            function = getattr(function, "__func__", function)
            code = getattr(function, "__code__", None)
            if function is not None and code is not None and not code.co_filename.startswith("<"):
                return _call(f"class {name}", _parameters(_node(function).args)[1:], "")
    return _call(f"class {name}", [_written(p) for p in inspect.signature(cls).parameters.values()], "")


def _is_bare(cls: type) -> bool:
    """Report whether a class is created without arguments, or not by its callers."""
    return issubclass(cls, Enum) or (cls.__init__ is object.__init__ and cls.__new__ is object.__new__)


def _parameters(arguments: ast.arguments) -> list[str]:
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    written = [_argument(argument, default) for argument, default in zip(plain, defaults, strict=True)]
    if arguments.posonlyargs:
        written.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg is not None:
        written.append("*" + _argument(arguments.vararg, None))
    elif arguments.kwonlyargs:
        written.append("*")
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        written.append(_argument(argument, default))
    if arguments.kwarg is not None:
        written.append("**" + _argument(arguments.kwarg, None))
    return written


def _argument(argument: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    return argument.arg + annotation + (f" = {ast.unparse(default)}" if default is not None else "")


def _written(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    annotation = getattr(annotation, "__forward_arg__", annotation)
    words = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = parameter.name + ("" if annotation is parameter.empty else f": {words}")
    return text if parameter.default is parameter.empty else f"{text} = {parameter.default!r}"


def _call(name: str, parameters: list[str], returns: str) -> str:
    line = f"{name}({', '.join(parameters)}){returns}"
    if len(line) <= _WIDTH:
        return line
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{name}(\n{lines}){returns}"


# members


def _members(cls: type, options: dict[str, str]) -> str:
    """List the members of a class, one per line."""
    if "members" not in options:
        return ""
    names = [name.strip() for name in options["members"].split(",") if name.strip()]
    bases = [base for base in cls.__mro__ if base.__module__.startswith(PLAIN.__name__)]
    if "inherited-members" not in options and not names:
        bases = bases[:1]
    found: dict[str, Any] = {}
    for base in bases:
        for name, member in base.__dict__.items():
            if not name.startswith("_") and name not in found:
                found[name] = member
    if not names:
        names = [name for name, member in found.items() if _is_documented(member, "undoc-members" in options)]
    return "\n".join(_member(name, found.get(name)) for name in names)


def _fields(cls: type, members: str) -> str:
    """List the fields of a class that callers do not create, but those that are among its members."""
    if not (hasattr(cls, "_fields") or is_dataclass(cls)):
        declared = inspect.get_annotations(cls).items()
        written = [f"{name}: {annotation}" for name, annotation in declared if not name.startswith("_")]
    else:
        fields = inspect.signature(cls).parameters.values()
        written = [_written(field) for field in fields if f"- `{field.name}`" not in members]
    return "\n".join(f"- `{field}`" for field in written)


def _is_documented(member: Any, is_enough_to_exist: bool) -> bool:
    if isinstance(member, Enum):
        return is_enough_to_exist
    is_member = isinstance(member, property | classmethod | staticmethod) or callable(member)
    return is_member and bool(inspect.getdoc(member))


def _member(name: str, member: Any) -> str:
    if isinstance(member, Enum):
        return f"- `{name}` = `{member.value!r}`"
    function = getattr(member, "__func__", member)
    if inspect.isfunction(function):
        is_method = not isinstance(member, staticmethod)
        return f"- `{_one_line(_signature(function, name, is_method=is_method))}`: {_summary(function)}"
    return f"- `{name}`: {_summary(member)}" if inspect.getdoc(member) else f"- `{name}`"


def _one_line(text: str) -> str:
    return re.sub(r",\)", ")", re.sub(r"\s*\n\s*", " ", text).replace("( ", "(").replace(", )", ")"))


def _members_by_hand(body: str) -> str:
    """List the attributes and methods that stand inside a class in the page itself."""
    lines = []
    for inner in _directives(body + "\n"):
        if inner.kind == "automethod":
            name = inner.argument.rpartition(".")[2]
            lines.append(_member(name, _find(inner.argument)))
        else:
            lines.append(f"- `{inner.argument}: {inner.options['type']}`: {_markdown(inner.body)}")
    return "\n".join(lines)

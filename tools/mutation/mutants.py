"""List the mutants: cosmic-ray's operators on every line that the plain build runs.

Mutants that no test could distinguish are left out: annotations and type aliases, ``if TYPE_CHECKING``,
decorators that only the compiler or a type checker reads, and code that a condition on ``cython.compiled``
makes dead here. So is ``is`` in place of ``==``, and the reverse, beside a literal, a constant, a type or
None: these are the same objects in CPython. What does not compile, or compiles to what was there, is none.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["GROUPS", "Change", "Mutant", "changes_of", "mutant_of", "path_of"]

GROUPS = {
    "grammar": (
        "core.grammar",
        "core.machine",
        "core.modes",
        "core.strings",
        "core.numbers",
        "core.recovery",
        "core.structure",
        "core.tokens",
    ),
    "values": ("accumulators.values", "accumulators.value_visitor", "core.text"),
    "tree": (
        "tree.visitor",
        "tree.rope",
        "tree.vector",
        "tree.index",
        "tree.nodes",
        "tree.containers",
        "tree.parser",
    ),
    "chunker": ("chunker.chunker", "chunker.compare", "chunker.snapshot", "chunker.spine", "chunker.text"),
    "lenient": (
        "core.bare_tokens",
        "core.lenient_escapes",
        "core.lenient_strings",
        "core.lenient_structure",
        "core.look_ahead",
        "core.repairs",
    ),
    "select": (
        "patterns",
        "accumulators.automaton",
        "accumulators.match",
        "accumulators.select",
        "accumulators.selection",
    ),
    "extract": (
        "extract.decoding",
        "extract.documents",
        "extract.events",
        "extract.extractor",
        "extract.openings",
        "extract.scanner",
    ),
    "patches": ("wire.patches", "wire.patches_async", "wire.patching", "wire.pointers"),
    "wire": (
        "events.items",
        "events.numbers",
        "events.reader",
        "events.updates",
        "events.writer",
        "wire.cursor",
        "wire.form",
        "wire.frames",
        "wire.reader",
        "wire.rebuilder",
    ),
    "text": (
        "providers.text._adapter",
        "providers.text._documents",
        "providers.text._formats",
        "providers.text._harmony",
        "providers.text._json_text",
        "providers.text._markers",
        "providers.text._new",
        "providers.text._objects",
        "providers.text._output",
        "providers.text._parameters",
        "providers.text._schema",
        "providers.text._within",
    ),
    "typed": (
        "typed.accumulator",
        "typed.calls",
        "typed.events",
        "typed.msgspec_plan",
        "typed.nodes",
        "typed.places",
        "typed.plans",
        "typed.pydantic_plan",
        "typed.pydantic_schema",
        "typed.pydantic_validator",
        "typed.snapshot",
        "typed.streams",
        "typed.streams_async",
        "typed.undecided",
        "typed.views",
        "typed.visitor",
    ),
}
SAME_THING = {"Eq_Is", "Is_Eq", "NotEq_IsNot", "IsNot_NotEq"}
TYPES = {"bool", "bytes", "dict", "float", "int", "list", "str"}
# dead on the plain build, though no condition around it says so: how the compiled one converts numbers
# and copies small pieces together
FOR_THE_COMPILED = {
    "core.numbers": {
        "_exact",
        "_scaled",
        "digits",
        "count",
        "scale",
        "before_point",
        "exponent",
        "is_shrinking",
    },
    "core.text": {"_append_inline", "_flush_inline", "inline_length"},
    "accumulators.value_visitor": {"_OWN_REFERENCES"},
}
COMPILER_ONLY = ("cython.", "overload")

Place = tuple[int, int]


@dataclass(frozen=True)
class Change:
    """What cosmic-ray would change, and in which line."""

    module: str
    operator: str
    occurrence: int
    line: int

    @property
    def name(self) -> str:
        return f"{self.module} {self.operator} {self.occurrence}"


@dataclass(frozen=True)
class Mutant:
    """A module with one change in it."""

    change: Change
    before: str
    after: str
    source: str


def path_of(package: Path, module: str) -> Path:
    """Find the source of a module."""
    return package.joinpath(*module.split(".")).with_suffix(".py")


def changes_of(package: Path, module: str) -> list[Change]:
    """List the changes of a module that the plain build could notice."""
    source = path_of(package, module).read_text("utf-8")
    unseen = Unseen(module, source)
    return [
        Change(module, operator, occurrence, start[0])
        for operator, occurrence, start, end in changes(source)
        if not unseen.hides(start, end, operator)
    ]


def mutant_of(package: Path, change: Change) -> Mutant | None:
    """Make one change; None if what comes out does not compile, or to the same."""
    source = path_of(package, change.module).read_text("utf-8")
    mutated = changed(source, change.operator, change.occurrence)
    compiled = as_compiled(mutated)
    if compiled is None or compiled == as_compiled(source):
        return None
    return Mutant(change, *first_difference(source, mutated), mutated)


def changes(source: str) -> Iterator[tuple[str, int, Place, Place]]:
    """List what cosmic-ray would change, and where."""
    plugins: Any = import_module("cosmic_ray.plugins")
    trees: Any = import_module("cosmic_ray.ast")
    nodes = [*trees.ast_nodes(trees.get_ast(source))]
    for name in sorted(plugins.operator_names()):
        operator = plugins.get_operator(name)
        if operator.arguments():
            continue  # it needs to know what to put in
        places = [place for node in nodes for place in operator().mutation_positions(node)]
        for occurrence, (start, end) in enumerate(places):
            yield name.removeprefix("core/"), occurrence, start, end


def changed(source: str, operator: str, occurrence: int) -> str:
    """Make one change."""
    plugins: Any = import_module("cosmic_ray.plugins")
    mutating: Any = import_module("cosmic_ray.mutating")
    mutated: str = mutating.mutate_code(source, plugins.get_operator(f"core/{operator}")(), occurrence)
    return mutated


def as_compiled(source: str) -> str | None:
    """Return what the compiler reads; None if it can't."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "mutant", "exec")
        return ast.dump(ast.parse(source))
    except SyntaxError:
        return None


def first_difference(source: str, mutated: str) -> tuple[str, str]:
    """Return the lines that differ; a change in one place keeps all others."""
    old, new = source.splitlines(), mutated.splitlines()
    first = common(old, new)
    last = common(old[::-1], new[::-1])
    parts = (lines[first : max(first + 1, len(lines) - last)] for lines in (old, new))
    before, after = (" ".join(line.strip() for line in part) for part in parts)
    return before, after


def common(one: list[str], other: list[str]) -> int:
    """Count the lines at the start that are the same."""
    return next(i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])


class Unseen:
    """The places of a module where a change makes no difference to the plain build, by construction."""

    def __init__(self, module: str, source: str) -> None:
        self.dead = FOR_THE_COMPILED.get(module, set())
        self.spans: list[tuple[Place, Place]] = []
        self.identities: list[tuple[Place, Place]] = []
        tree = ast.parse(source)
        for statement in tree.body:
            value = getattr(statement, "value", None)
            if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
                self.hide(statement)  # a type alias
        for node in ast.walk(tree):
            self.look_at(node)

    def hides(self, start: Place, end: Place, operator: str) -> bool:
        spans = self.spans
        if operator.partition("_")[2] in SAME_THING:
            spans = spans + self.identities
        return any(first <= start and end <= last for first, last in spans)

    def hide(self, *nodes: Any) -> None:
        for node in nodes:
            if node is not None:
                self.spans.append(span(node))

    def look_at(self, node: ast.AST) -> None:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            for decorator in node.decorator_list:
                if ast.unparse(decorator).startswith(COMPILER_ONLY):
                    self.spans.append(((decorator.lineno, 0), (decorator.lineno + 1, 0)))
                    if ast.unparse(decorator) == "overload":
                        self.hide(node)
        if isinstance(node, ast.FunctionDef):
            self.hide(node if node.name in self.dead else node.returns)
        elif isinstance(node, ast.Assign):
            names = {ast.unparse(target).removeprefix("self.") for target in node.targets}
            if names <= self.dead:
                self.hide(node)
        elif isinstance(node, (ast.arg, ast.AnnAssign)):
            self.hide(node.annotation)
        elif isinstance(node, (ast.If, ast.IfExp)):
            self.look_at_condition(node)
        elif isinstance(node, ast.BoolOp):
            if any(settled(value) is not None for value in node.values):
                self.hide(node)
        elif isinstance(node, ast.Compare) and any(map(is_singular, [node.left, *node.comparators])):
            self.identities.append(span(node))
        for block in ("body", "orelse"):
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                self.hide_after_exit(statements)

    def look_at_condition(self, node: ast.If | ast.IfExp) -> None:
        outcome = settled(node.test)
        if outcome is None:
            return
        self.spans.append((span(node)[0], span(node.test)[1]))
        dead = node.orelse if outcome else node.body
        self.hide(*(dead if isinstance(dead, list) else [dead]))

    def hide_after_exit(self, statements: list[Any]) -> None:
        for place, statement in enumerate(statements):
            leaves = isinstance(statement, ast.If) and isinstance(
                statement.body[-1], (ast.Return, ast.Continue)
            )
            if leaves and settled(statement.test):
                self.hide(*statements[place + 1 :])


def span(node: Any) -> tuple[Place, Place]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def settled(test: ast.expr) -> bool | None:
    """Return what a condition on the build comes to here; None if it is about something else."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = settled(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        outcomes = {settled(value) for value in test.values}
        deciding = isinstance(test.op, ast.Or)
        return deciding if deciding in outcomes else None
    return False if ast.unparse(test) in ("TYPE_CHECKING", "cython.compiled") else None


def is_singular(operand: ast.expr) -> bool:
    """Report whether all that equal this operand are the same object."""
    if isinstance(operand, ast.Call):
        return ast.unparse(operand.func) == "type"
    if isinstance(operand, (ast.Name, ast.Attribute)):
        name = ast.unparse(operand).rpartition(".")[2]
        return name.isupper() or name in TYPES
    return isinstance(operand, ast.Constant)

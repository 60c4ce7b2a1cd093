"""Compare the syntax trees of two revisions: show that renames and new prose change no code.

    python tools/compare_syntax.py BEFORE [AFTER] [PATH...]

Every Python file under PATH (default: src) must have the same tree in both revisions, after the renames in
``tools/renames/*.txt`` have been applied to both. Docstrings, comments and imports are not compared. String
constants that contain a space are text for people, such as error messages: their wording may differ, but no
constant may appear or disappear. AFTER is ``HEAD`` by default; ``.`` is the working tree.

The exit code is 1 if a file differs; the first difference of each file is printed.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from difflib import unified_diff
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).parent.parent
RENAMES = Path(__file__).parent / "renames"
SHOWN = 30


def load_renames(folder: Path = RENAMES) -> dict[str, str]:
    """Read the rename maps: ``old new`` on each line, comments after ``#``."""
    renames = {}
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            words = line.partition("#")[0].split()
            if words:
                old, new = words
                renames[old] = new
    return renames


class Normalizer(ast.NodeTransformer):
    """Rename identifiers, and drop what may differ between two revisions."""

    def __init__(self, renames: dict[str, str]) -> None:
        self.renames = renames

    def name(self, name: str) -> str:
        """Return the new name of an identifier or of a dotted name."""
        seen = set()
        parts = []
        for part in name.split("."):
            while part in self.renames and part not in seen:
                seen.add(part)
                part = self.renames[part]
            parts.append(part)
        return ".".join(parts)

    def visit(self, node: ast.AST) -> ast.AST:
        """Normalize the fields of a node that hold identifiers, then its children."""
        for field in ("id", "attr", "name", "arg", "asname", "module", "rest"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field, self.name(value))
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [self.name(name) for name in node.names]
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            drop_docstring(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = "…" if " " in node.value else self.name_in(node.value)
        visited: ast.AST = super().visit(node)
        if isinstance(visited, ast.Assign) and ast.unparse(visited.targets[0]) in ("__all__", "__slots__"):
            sort_names(visited.value)
        return visited

    def visit_Import(self, node: ast.Import) -> None:
        """Drop an import: its order and its module may change, and the linter knows whether it is right."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Drop an import, as above."""

    def name_in(self, text: str) -> str:
        """Return a string constant with the identifiers in it renamed."""
        return re.sub(r"[A-Za-z_]\w*", lambda match: self.name(match[0]), text)


def drop_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Remove the docstring of a node, and leave ``pass`` where nothing else stands."""
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or ([] if isinstance(node, ast.Module) else [ast.Pass()])


def sort_names(node: ast.expr) -> None:
    """Sort a list or tuple of names, whose order the linter dictates."""
    if isinstance(node, (ast.List, ast.Tuple)):
        node.elts.sort(key=ast.unparse)


def normalized(source: str, renames: dict[str, str]) -> str:
    """Return a source as its normalized tree, unparsed."""
    tree = Normalizer(renames).visit(ast.parse(source))
    return ast.unparse(ast.fix_missing_locations(tree))


def git(*arguments: str) -> str:
    """Run git in the project, and return what it prints."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    ).stdout


def text_at(revision: str, path: str) -> str:
    """Return a file as it is in a revision, or in the working tree."""
    return (ROOT / path).read_text("utf-8") if revision == "." else git("show", f"{revision}:{path}")


def changed_files(before: str, after: str, paths: list[str]) -> list[tuple[str | None, str | None]]:
    """Pair every changed Python file with its name in the other revision, None where it has none."""
    revisions = [before] if after == "." else [before, after]
    pairs: list[tuple[str | None, str | None]] = []
    for line in git("diff", "--name-status", "-M40%", *revisions, "--", *paths).splitlines():
        status, *names = line.split("\t")
        if names[-1].endswith(".py"):
            old = None if status == "A" else names[0]
            new = None if status == "D" else names[-1]
            pairs.append((old, new))
    return pairs


def difference(before: str, after: str, renames: dict[str, str]) -> list[str]:
    """Return the first lines in which two normalized sources differ."""
    old, new = (normalized(source, renames).splitlines() for source in (before, after))
    return list(islice(unified_diff(old, new, "before", "after", lineterm="", n=1), SHOWN))


def main(arguments: list[str]) -> int:
    """Compare the revisions that the command line names."""
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    before, *rest = arguments
    after = rest[0] if rest else "HEAD"
    renames = load_renames()
    differing = 0
    pairs = changed_files(before, after, rest[1:] or ["src"])
    for old, new in pairs:
        if old is None or new is None:
            lines = [f"only in one revision: {old or new}"]
        else:
            lines = difference(text_at(before, old), text_at(after, new), renames)
        if lines:
            differing += 1
            print(f"--- {new or old}", *lines, sep="\n")
    print(f"{len(pairs)} files changed, {differing} of them in more than words")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

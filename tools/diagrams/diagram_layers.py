"""The architecture on one page: the layers of the package, from the imports in its files.

Every folder, and every module outside of a folder, has its layer here. What it imports may stand in its own
layer or in one below; imports for the type checker only are not counted.
`upward_imports` finds those that point the other way.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from diagram_svg import BLUE, BLUE_FILL, GREEN, GREEN_FILL, INK, MONO_WIDTH, QUIET, Drawing

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[2] / "src" / "midstream"
COMPILED = (PACKAGE.parent.parent / "setup.py").read_text("utf-8").partition("HOT = [")[2].partition("]")[0]


class Layer(NamedTuple):
    """Modules that are about the same thing."""

    name: str
    about: str
    modules: tuple[str, ...]


# from the ground up; a folder is one module
LAYERS = [
    Layer(
        "Vocabulary",
        "what every layer speaks of: errors, limits, paths",
        (
            "errors",
            "limits",
            "paths",
            "patterns",
            "_undefined",
            "_options",
            "_signature",
            "_repr",
            "_closing",
            "_libraries",
            "_version",
        ),
    ),
    Layer("Grammar", "text in, calls on a visitor out", ("core/",)),
    Layer("Accumulators", "fragments in, updates and values out", ("accumulators/",)),
    Layer("Pure parser", "a state and a chunk in, a new state out", ("tree/",)),
    Layer("Chunker", "snapshots in, text out", ("chunker/",)),
    Layer("Wire", "updates as plain data, and values rebuilt from them", ("wire/",)),
    Layer("Calls", "messages of a provider in, tool calls out", ("calls/",)),
    Layer("Extraction", "the documents in a model's answer, and what is around them", ("extract/",)),
    Layer(
        "Streams",
        "bytes, events and formats; one-liners; the public names",
        (
            "sse",
            "provider_events",
            "events/",
            "providers/",
            "streams/",
            "captures",
            "recordings/",
            "typed/",
            "aio",
            "__init__",
        ),
    ),
    Layer(
        "Edges",
        "terminal, browser, command line, gateway",
        ("event_stream", "asgi", "render/", "server/", "integrations/", "cli/", "__main__"),
    ),
]
LEVEL = {module: level for level, layer in enumerate(LAYERS, 1) for module in layer.modules}


def modules() -> set[str]:
    """Name every module of the package, a folder as one."""
    return {_unit(path.relative_to(PACKAGE).with_suffix("").parts) for path in PACKAGE.rglob("*.py")}


@cache
def imports() -> frozenset[tuple[str, str]]:
    """Pair every module with those of the package that it imports when it runs."""
    return frozenset(pair for path in PACKAGE.rglob("*.py") for pair in _imports_of(path))


def upward_imports() -> list[tuple[str, str]]:
    """List the imports that point from a layer to one above it."""
    return sorted((module, other) for module, other in imports() if LEVEL[other] > LEVEL[module])


def _unit(parts: tuple[str, ...]) -> str:
    return f"{parts[0]}/" if len(parts) > 1 else parts[0]


def _imports_of(path: Path) -> Iterator[tuple[str, str]]:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    module = _unit(parts)
    for node in _run_time(ast.parse(path.read_text("utf-8")).body):
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level:
            above = parts[: len(parts) - node.level]
        elif node.module and node.module.split(".")[0] == "midstream":
            above = ()
        else:
            continue
        inside = (
            tuple((node.module or "").removeprefix("midstream").strip(".").split(".")) if node.module else ()
        )
        for name in node.names:
            other = _found((*above, *filter(None, inside)), name.name)
            if other != module:
                yield module, other


def _found(parts: tuple[str, ...], name: str) -> str:
    """Find the module that a name is imported from: itself one, or what one holds."""
    for candidate in ((*parts, name), parts):
        path = PACKAGE.joinpath(*candidate)
        if path.is_dir() and candidate:
            return f"{candidate[0]}/"
        if candidate and path.with_suffix(".py").is_file():
            return _unit(candidate)
    return "__init__"


def _run_time(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Walk through all statements but those for the type checker."""
    for statement in body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            continue
        yield from ast.walk(statement)


# --- the picture

WIDTH, MARGIN, SIZE = 600, 16, 13.5


def picture() -> str:
    """Draw the layers, the highest on top, each with its modules and the layers that it uses."""
    pairs = imports()
    drawing = Drawing(
        WIDTH,
        "The modules of midstream in layers",
        "Ten layers, from the grammar up to the gateway; a module imports from its own layer or from below.",
    )
    drawing.text(MARGIN, 28, "Imports point down", size=15, bold=True)
    drawing.text(WIDTH - MARGIN, 28, "green: compiled where possible", size=13, fill=GREEN, anchor="end")
    y = 44.0
    for level in range(len(LAYERS), 0, -1):
        layer = LAYERS[level - 1]
        rows = _rows(layer.modules)
        height = 50 + 28 * len(rows)
        drawing.box(MARGIN, y, WIDTH - 2 * MARGIN, height, radius=8)
        drawing.circle(MARGIN + 20, y + 20, 11, fill=BLUE)
        drawing.text(MARGIN + 20, y + 25, str(level), size=14, fill="#ffffff", bold=True, anchor="middle")
        drawing.text(MARGIN + 40, y + 19, layer.name, size=14.5, bold=True)
        drawing.text(MARGIN + 40, y + 36, layer.about, size=13, fill=QUIET)
        used = sorted(
            {LEVEL[other] for module, other in pairs if LEVEL[module] == level} - {level}, reverse=True
        )
        if used:
            text = "uses " + " ".join(map(str, used))
            drawing.text(WIDTH - MARGIN - 10, y + 19, text, size=13.5, fill=BLUE, bold=True, anchor="end")
        for number, row in enumerate(rows):
            x = MARGIN + 40.0
            for module in row:
                hot = f'"{module}' in COMPILED
                fill, stroke = (GREEN_FILL, GREEN) if hot else (BLUE_FILL, BLUE)
                width = _chip_width(module)
                top = y + 45 + 28 * number
                drawing.box(x, top, width, 22, fill=fill, stroke=stroke, radius=4, thick=0.8)
                drawing.text(x + 6, top + 15.5, module, size=SIZE, fill=INK, mono=True)
                x += width + 7
        y += height
        if level > 1:
            drawing.path(f"M{MARGIN + 20} {y:g} V{y + 13:g}")
            y += 15
    return drawing.svg(round(y) + MARGIN)


def _chip_width(module: str) -> float:
    return len(module) * SIZE * MONO_WIDTH + 12


def _rows(modules: tuple[str, ...]) -> list[list[str]]:
    """Break the modules of a layer into lines."""
    rows: list[list[str]] = [[]]
    room = most = WIDTH - 2 * MARGIN - 50.0
    for module in modules:
        width = _chip_width(module) + 7
        if width > room:
            rows.append([])
            room = most
        rows[-1].append(module)
        room -= width
    return rows

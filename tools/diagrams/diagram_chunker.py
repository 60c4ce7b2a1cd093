"""A worked stream of the chunker, step by step: what the real one does with every snapshot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from diagram_svg import AMBER, AMBER_FILL, BLUE, GREEN, GREEN_FILL, INK, MONO_WIDTH, QUIET, Drawing, wrapped
from midstream import JsonStreamChunker, JsonValueAccumulator
from midstream.paths import format_path

if TYPE_CHECKING:
    from collections.abc import Iterator

CAKE = {"serves": 8, "name": "Lemon cake"}
STEPS = [{"use": "bowl", "do": "Mix all"}]
ALL_STEPS = [{"do": "Mix all.", "use": "bowl"}]
# the snapshots, and what each of them makes certain; the chunks come from the chunker
STREAM: list[tuple[Any, str]] = [
    ({"name": "Le"}, "One key, and it can grow: it is open."),
    ({"name": "Lemon cake"}, "The open string continues."),
    (
        {"serves": 8, "steps": [], "name": "Lemon cake"},
        "Keys joined, so the name is final. A number is final at once. "
        "The empty list is the one that can grow.",
    ),
    (
        {"steps": [{"use": "bowl", "do": "Mix"}], **CAKE},
        "An item began. The end is in one of its two strings, and nothing shows in which: both are held.",
    ),
    ({"steps": STEPS, **CAKE}, "It was in the one that changed. The other is final, and written first."),
    ({"steps": STEPS, **CAKE}, "The same again: the source paused, and nothing follows from it."),
    (
        {**CAKE, "tip": "Co", "steps": ALL_STEPS},
        "A key joined further up: all that is inside the list is final.",
    ),
    ({**CAKE, "tip": "Cool it", "steps": ALL_STEPS}, "The open string continues."),
]

WIDTH, MARGIN, SIZE = 600, 16, 13.5
LEFT = 108
COLUMNS = int((WIDTH - MARGIN - 12 - LEFT) / (SIZE * MONO_WIDTH))


def steps() -> Iterator[tuple[str, str, str, str]]:
    """Return every snapshot with what is held after it, the chunk and the reason."""
    chunker = JsonStreamChunker()
    text = ""
    for snapshot, reason in STREAM:
        chunk = chunker.process(snapshot)
        text += chunk
        yield json.dumps(snapshot), ", ".join(_held(snapshot, text)), chunk, reason
    yield "flush", "", chunker.flush(), "The text ends: all that is open is closed."


def _held(snapshot: Any, text: str) -> list[str]:
    """Name the scalars of a snapshot that the text so far does not have."""
    reader = JsonValueAccumulator()
    reader.add_fragment(text)
    if text[-1].isdigit():
        reader.add_fragment(" ")
    written = dict(_leaves(reader.value, ()))
    return [
        format_path("", path) for path, value in _leaves(snapshot, ()) if path not in written and value != []
    ]


def _leaves(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    members = list(inside)
    if not members:
        yield path, value
    for key, member in members:
        yield from _leaves(member, (*path, key))


def picture() -> str:
    """Draw the steps one under the other."""
    drawing = Drawing(
        WIDTH,
        "Snapshots in, text out: a stream step by step",
        "For every snapshot: what became certain, what is held, and the chunk that is written.",
    )
    drawing.text(MARGIN, 28, "Snapshots in, text out", size=15, bold=True)
    y = 44.0
    for number, (snapshot, held, chunk, reason) in enumerate(steps(), 1):
        rows = [("snapshot" if number <= len(STREAM) else "", snapshot, INK, "")]
        if held:
            rows.append(("held", held, AMBER, AMBER_FILL))
        rows.append(("chunk", chunk or "nothing", GREEN if chunk else QUIET, GREEN_FILL if chunk else ""))
        lines = [wrapped(text, COLUMNS) for _, text, _, _ in rows]
        why = wrapped(reason, 70)
        height = 14 + 18 * len(why) + sum(20 * len(found) + 4 for found in lines) + 4
        drawing.box(MARGIN, y, WIDTH - 2 * MARGIN, height, radius=8)
        drawing.circle(MARGIN + 20, y + 20, 11, fill=BLUE)
        drawing.text(MARGIN + 20, y + 25, str(number), size=14, fill="#ffffff", bold=True, anchor="middle")
        at = y + 24
        for line in why:
            drawing.text(MARGIN + 40, at, line, size=13.5, fill=QUIET)
            at += 18
        for (label, _, ink, ground), found in zip(rows, lines, strict=True):
            drawing.text(LEFT - 8, at + 4, label, size=13, fill=QUIET, anchor="end")
            for line in found:
                if ground:
                    width = len(line) * SIZE * MONO_WIDTH + 4
                    drawing.box(LEFT - 3, at - 10, width, 19, fill=ground, stroke=ground, radius=3)
                drawing.text(LEFT, at + 4, line, size=SIZE, fill=ink, mono=True)
                at += 20
            at += 4
        y += height + 8
    return drawing.svg(round(y) + 8)

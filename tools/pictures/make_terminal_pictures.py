"""Make the pictures of the terminal view that the documentation shows.

    python tools/pictures/make_terminal_pictures.py

They are the real view of real recordings, stopped on the way.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Literal, NamedTuple

from rich.console import Console

from midstream.cli.watch import WatchedMessage
from midstream.recordings import Recording, load

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
# an answer with reasoning, prose, a code fence, and mistakes in its JSON
PLAN = Recording("plan", "", "openai-chat", Path(__file__).with_name("plan.sse").read_bytes())


class Shot(NamedTuple):
    """What is shown: a recording, how much of it, the window, and how the recording is read."""

    stream: Recording
    part: float
    width: int
    height: int
    dialect: Literal["strict", "lenient"] = "strict"
    extract: bool = False


SHOTS = {
    "terminal-streaming": Shot(load("trip"), 0.62, 100, 24),
    "terminal-truncated": Shot(load("cut"), 1.0, 100, 24),
    "terminal-structured": Shot(load("report"), 0.55, 80, 24),
    "terminal-lenient": Shot(PLAN, 0.81, 80, 24, "lenient", extract=True),
}


def take(name: str, shot: Shot) -> None:
    """Feed a recording up to a point, and save what the terminal shows then."""
    stream = shot.stream
    console = Console(
        record=True,
        file=io.StringIO(),
        width=shot.width,
        height=shot.height,
        force_terminal=True,
        color_system="truecolor",
    )
    events = stream.events()
    message = WatchedMessage(stream.format, shot.dialect, shot.extract)
    for event in events[: round(len(events) * shot.part)]:
        message.add_event(event)
    if shot.part == 1.0:
        message.finish()
    console.print(message.view())
    options = "--lenient --extract " if shot.dialect == "lenient" else ""
    svg = console.export_svg(title=f"midstream watch {options}{stream.name}.sse")
    # the fonts of the machine will do: nothing is fetched from anywhere
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    for name, shot in SHOTS.items():
        take(name, shot)

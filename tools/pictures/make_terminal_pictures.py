"""Make the pictures of the terminal view that the documentation shows.

    python tools/pictures/make_terminal_pictures.py

They are the real view of real recordings, stopped on the way.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console

from midstream.cli.watch import WatchedMessage
from midstream.recordings import load

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
# what is shown: a recording, how much of it, and the window
SHOTS = {
    "terminal-streaming": ("trip", 0.62, 100, 24),
    "terminal-truncated": ("cut", 1.0, 100, 24),
    "terminal-structured": ("report", 0.55, 80, 24),
}


def take(name: str, recording: str, part: float, width: int, height: int) -> None:
    """Feed a recording up to a point, and save what the terminal shows then."""
    console = Console(
        record=True,
        file=io.StringIO(),
        width=width,
        height=height,
        force_terminal=True,
        color_system="truecolor",
    )
    stream = load(recording)
    events = stream.events()
    message = WatchedMessage(stream.format)
    for event in events[: round(len(events) * part)]:
        message.add_event(event)
    if part == 1.0:
        message.finish()
    console.print(message.view())
    svg = console.export_svg(title=f"midstream watch {recording}.sse")
    # the fonts of the machine will do: nothing is fetched from anywhere
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    for name, shot in SHOTS.items():
        take(name, *shot)

"""The streams in examples/streams, as if a service were sending them now."""

import sys
import time
from pathlib import Path

from midstream.sse import decode

STREAMS = Path(__file__).parent.parent / "streams"


def recorded(name):
    """Return a stream's events: the Server-Sent Events of an .sse file, or the lines of a .jsonl file."""
    with (STREAMS / name).open("rb") as file:
        # a few bytes at a time, as networks do
        for event in decode(iter(lambda: file.read(100), b"")) if name.endswith(".sse") else file:
            if sys.stdout.isatty():
                time.sleep(0.04)
            yield event


async def arecorded(name):
    """Yield the events for ``async for``."""
    for event in recorded(name):
        yield event

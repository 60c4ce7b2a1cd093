"""Show JSON arriving: ``midstream demo``, or ``python -m midstream.cli.demo``.

If the extra ``cli`` is installed, the demo first shows a recorded stream with two tool calls, the second of
them truncated, in the terminal view. Then it prints the updates of one tool call, one per line, which needs
no other package.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from .. import COMPILED, JsonFragmentAccumulator, __version__
from ..recordings import load
from ..render.plain import print_value, update_line

__all__ = ["main", "write_recording"]

# The arguments of one tool call, split as models split them: inside words, escapes and numbers.
FRAGMENTS = [
    '{"', "city", '": "', "Z\\u00", "fcr", "ich", '", "', "days", '": 1', '2, "', "units", '": "c',
    "elsius", '", "loc', 'ation": {"', 'lat": 47.', "37, ", '"lon": 8', ".54}, ", '"alerts": [', "tr",
    'ue, "wi', 'nd"], ', '"note": "Bring a ', "coat \\ud83e", "\\udde5, ", 'please."', "}",
]  # fmt: skip

SECONDS_PER_FRAGMENT = 0.05
SECONDS_OF_VIEW = 9.0
_NEXT = """\
Next, try

    echo '{{"city": "Par' | {0} value
    {0} demo --raw trip | {0} calls
    {0} demo --raw report | {0} watch --delay 0.05"""
_UPDATES = """\
The fragments of another call's arguments, and the updates of each as `midstream updates` prints them
(in a program, `has 'city'` is an update of the kind Key, and `+ 'Z'` one of the kind PartialString):
"""
_WITHOUT_RICH = "To watch two tool calls arrive: pip install 'midstream[cli]', then midstream demo"


def show_updates(seconds_per_fragment: float) -> None:
    """Feed the embedded tool call, fragment by fragment, and print the updates of each."""
    accumulator = JsonFragmentAccumulator()
    width = max(len(repr(fragment)) for fragment in FRAGMENTS)
    for fragment in FRAGMENTS:
        left = repr(fragment)
        for update in accumulator.add_fragment(fragment):
            print(f"{left:>{width}}  {update_line(update, sys.stdout.encoding)}")
            left = ""
        if left:
            print(f"{left:>{width}}  (no update yet)")
        sys.stdout.flush()
        time.sleep(seconds_per_fragment)
    accumulator.finish()
    print(f"\ncomplete: {accumulator.is_complete}, after {accumulator.position.index} characters\n")


def show_calls(seconds: float) -> None:
    """Replay the recorded stream in the terminal view; without a terminal, print the result."""
    from ..render.terminal import LiveView
    from .watch import WatchedMessage

    recording = load("cut")
    events = recording.events()
    message = WatchedMessage(recording.format)
    with LiveView(has_progress=False) as live:
        for event in events:
            message.add_event(event)
            live.update(message.view)
            time.sleep(seconds / len(events))
        message.finish()
        live.update(message.view)
    if not live.is_live:
        print("".join(message.text))
        for call in message.calls():
            state = "complete" if call.is_complete else call.error and call.error.message
            print(f"\n{call.name}: {state}")
            print_value(call.args)
    print()


def write_recording(name: str) -> None:
    """Write a recorded stream to the standard output, byte for byte as the provider sent it."""
    sys.stdout.buffer.write(load(name).body)


def _command() -> str:
    """Return the command that starts this installation of midstream."""
    if shutil.which("midstream"):
        return "midstream"
    script = Path(sys.executable).with_name("midstream")
    return os.path.relpath(script) if script.exists() else f"{sys.executable} -m midstream.cli"


def main() -> None:
    """Run both parts, at a model's speed if the output is a terminal."""
    is_watched = sys.stdout.isatty()
    core = "compiled core" if COMPILED else "plain Python: the demo compiles nothing"
    print(f"midstream {__version__} ({core})\n")
    has_view = find_spec("rich") is not None and find_spec("typer") is not None
    if has_view:
        print(
            "A recorded stream with two tool calls; the model runs out of tokens in the second:\n", flush=True
        )
        show_calls(SECONDS_OF_VIEW if is_watched else 0)
    print(_UPDATES)
    show_updates(SECONDS_PER_FRAGMENT if is_watched else 0)
    print(_NEXT.format(_command()) if has_view else _WITHOUT_RICH)


if __name__ == "__main__":
    from .guard import guarded, set_up

    set_up()
    with guarded("demo"):
        main()

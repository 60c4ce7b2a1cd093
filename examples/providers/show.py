"""What the examples print: a tool call whenever it changed, and all of them at the end."""

import shutil

_shown = {}


def show(calls):
    """Print a line for each call that changed."""
    for number, call in enumerate(calls):
        line = f"{_mark(call)} {call.name} {call.args or ''}".rstrip()
        if line != _shown.get(number):
            show_line(line)
            _shown[number] = line


def show_line(line):
    """Print a line; of one that is too long, the beginning and what came last."""
    width = shutil.get_terminal_size((110, 24)).columns
    print(line if len(line) <= width else f"{line[:24]} … {line[27 - width :]}")


def summary(calls):
    """Print how each call ended."""
    print()
    for call in calls:
        print(_mark(call), call.name, call.args)
        if call.error is not None:
            print(f"  {call.error.code}: {call.error.message}")
    print(f"{len(calls)} calls, {sum(call.is_complete for call in calls)} complete")


def _mark(call):
    return "✓" if call.is_complete else "✗" if call.error else "…"

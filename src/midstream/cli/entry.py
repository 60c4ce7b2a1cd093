"""The entry point of the command ``midstream``."""

from __future__ import annotations

import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        sys.exit(_run())
    except KeyboardInterrupt:
        # raised before a command began or while it ended
        sys.exit(130)
    finally:
        # nothing is left to clean up, and no code to handle the exception: let the signal end the process
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _run() -> int:
    try:
        # only to check that they are installed
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ModuleNotFoundError as error:
        hint = f"the command line needs {error.name}: pip install 'midstream[cli]'"
        print(f"midstream: {hint}", file=sys.stderr)
        return 2
    from .app import run

    return run()

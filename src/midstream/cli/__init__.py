"""The ``midstream`` command: see JSON arrive, take captures apart."""

from __future__ import annotations

import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        sys.exit(_run())
    except KeyboardInterrupt:
        # before a command had begun, or while it was ending
        sys.exit(130)
    finally:
        # from here on there is nothing to end in good order, and nobody to take an exception
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _run() -> int:
    try:
        # only to see whether they are there
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ModuleNotFoundError as error:
        hint = f"the command line needs {error.name}, which the extra cli installs"
        print(f"midstream: {hint}", file=sys.stderr)
        return 2
    from .app import run

    return run()

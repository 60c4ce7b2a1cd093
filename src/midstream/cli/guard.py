"""How every command ends: with one line about what went wrong, and a code for it."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import JsonStreamError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BAD_DATA", "CANNOT_DO", "INTERRUPTED", "complain", "guarded", "set_up"]

BAD_DATA = 1
# a wrong use, a file that can't be read, an output that can't be written
CANNOT_DO = 2
# as the shell reports the signals that stop other programs: SIGINT, SIGPIPE, SIGTERM
INTERRUPTED = 130
_CLOSED_PIPE = 141
_TERMINATED = 143
# of a longer path, both ends are shown
_LONGEST_PATH = 100


def set_up() -> None:
    """Prepare the process: an output that takes every text, and an end in good order when it is stopped."""
    # JSON has no cycles, and looking for them takes half the time of reading much of it
    gc.set_threshold(100_000)
    # in good order, a terminal gets its cursor back
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    for name in ("stdout", "stderr"):
        # closed, as by >&-, it is None
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115  # open to the end
        getattr(sys, name).reconfigure(errors="backslashreplace")


def complain(message: str) -> None:
    """Write one line to the standard error."""
    line = "".join(char if char.isprintable() else " " for char in message)
    print(f"midstream: {line}", file=sys.stderr)


@contextmanager
def guarded(path: str) -> Iterator[None]:
    """Turn what can go wrong with a file, its data or the output into a line and an exit code."""
    try:
        try:
            yield
        finally:
            # what was found before an error comes out before it
            sys.stdout.flush()
    except JsonStreamError as error:
        where = f" at {_cropped(error.path)}" if error.path else ""
        complain(f"{_name(path)}: {error}{where}")
        sys.exit(BAD_DATA)
    except BrokenPipeError:
        _leave_output()
        sys.exit(_CLOSED_PIPE)
    except OSError as error:
        # a file that can't be read is named in its error
        is_input = error.filename is not None
        if not is_input:
            _leave_output()
        complain(f"{_name(path) if is_input else 'standard output'}: {error.strerror or error}")
        sys.exit(CANNOT_DO)
    except MemoryError:
        complain(f"{_name(path)}: more than the memory can hold")
        sys.exit(CANNOT_DO)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _leave_output() -> None:
    """Send what is left to nowhere: else Python tries once more to write it when it exits, and complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _name(path: str) -> str:
    return "standard input" if path == "-" else path


def _cropped(path: str) -> str:
    half = _LONGEST_PATH // 2
    return path if len(path) <= _LONGEST_PATH else f"{path[:half]}...{path[-half:]}"

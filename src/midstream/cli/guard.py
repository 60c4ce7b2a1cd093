"""Report how a command ended: one line about an error, and an exit code."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import ErrorCode, JsonStreamError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BAD_DATA", "CANNOT_DO", "INTERRUPTED", "complain", "guarded", "set_up"]

BAD_DATA = 1
# wrong usage, a file that cannot be read, or an output that cannot be written
CANNOT_DO = 2
# the codes that a shell reports for programs ended by SIGINT, SIGPIPE and SIGTERM
INTERRUPTED = 130
_CLOSED_PIPE = 141
_TERMINATED = 143
# a longer path is shortened to its beginning and its end
_LONGEST_PATH = 100

# what to try after an error at the very beginning
_HINTS = {
    ErrorCode.UNKNOWN_FORMAT: "; name the right format with --format, "
    "or read a JSON text with midstream value",
    ErrorCode.EXPECTED_VALUE: "; if there is JSON inside other text, use --extract",
}
_INLINE = "; a text is not an argument: pipe it in"


def set_up() -> None:
    """Prepare the process: an output that accepts every text, and an orderly exit on SIGTERM."""
    # JSON values have no cycles, and collecting them takes half of the time of parsing large texts
    gc.set_threshold(100_000)
    # an orderly exit restores the cursor of the terminal
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    for name in ("stdout", "stderr"):
        # the stream is None if it is closed, as by >&-
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115  # stays open until the process ends
        getattr(sys, name).reconfigure(errors="backslashreplace")


def complain(message: str) -> None:
    """Write one line to the standard error."""
    line = "".join(char if char.isprintable() else " " for char in message)
    print(f"midstream: {line}", file=sys.stderr)


@contextmanager
def guarded(path: str) -> Iterator[None]:
    """Convert errors of a file, its data or the output into one line and an exit code."""
    try:
        try:
            yield
        finally:
            # write the results before the error message
            sys.stdout.flush()
    except JsonStreamError as error:
        where = f" at {_cropped(error.path)}" if error.path else ""
        hint = "" if error.index else _HINTS.get(error.code, "")
        complain(f"{_name(path)}: {error}{where}{hint}")
        sys.exit(BAD_DATA)
    except BrokenPipeError:
        _discard_output()
        sys.exit(_CLOSED_PIPE)
    except OSError as error:
        # only errors of the input name a file
        is_input = error.filename is not None
        if not is_input:
            _discard_output()
        hint = _INLINE if is_input and path.lstrip().startswith(("{", "[", '"')) else ""
        complain(f"{_name(path) if is_input else 'standard output'}: {error.strerror or error}{hint}")
        sys.exit(CANNOT_DO)
    except MemoryError:
        complain(f"{_name(path)}: not enough memory")
        sys.exit(CANNOT_DO)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _discard_output() -> None:
    """Discard the remaining output, or Python would try to write it again at exit and report an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _name(path: str) -> str:
    return "standard input" if path == "-" else path


def _cropped(path: str) -> str:
    shown = _LONGEST_PATH // 2
    return path if len(path) <= _LONGEST_PATH else f"{path[:shown]}...{path[-shown:]}"

"""A worker of several: a process that the supervisor has started (``python -m midstream.server.worker``).

Its options arrive on its standard input, which stays open as long as the supervisor lives. It writes its URL
to the file descriptor that they name when it listens.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any

from .process import Options, listen, run_process
from .settings import Settings
from .store.base import StoreError

__all__ = ["main"]


def _stop_with_supervisor() -> None:
    """Stop when the supervisor has died: its end of the standard input is closed then."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """Run a worker."""
    given: dict[str, Any] = json.loads(sys.stdin.readline())
    ready, worker = given.pop("ready"), given.pop("worker")
    options = Options(**{**given, "settings": Settings(*given["settings"])})

    def announce(url: str) -> None:
        os.write(ready, f"{url}\n".encode())
        os.close(ready)

    threading.Thread(target=_stop_with_supervisor, daemon=True).start()
    bound = listen(options.host, options.port, is_shared=True)
    try:
        is_started = run_process(options, announce, bound, worker)
    except (StoreError, OSError) as error:
        sys.exit(f"midstream: {error}")
    sys.exit(not is_started)


if __name__ == "__main__":
    main()

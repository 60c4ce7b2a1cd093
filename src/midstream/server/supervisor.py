"""Several workers: start them, start them again when they die, and stop them (Linux)."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from .process import Options, listen, url_of
from .store.base import StoreError
from .store.urls import is_shared, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["supervise"]

# a worker that dies sooner is started again only after this time
_RESTART_SECONDS = 1.0
# after the time that a worker has for its streams, and for the last bytes to its clients
_KILL_SECONDS = 6.0


class _Worker:
    """A process, its name, and when it was started."""

    def __init__(self, options: Options, folder: str | None) -> None:
        self.name = secrets.token_hex(8)
        self.started_at = time.monotonic()
        self._ready, ready = os.pipe()
        given = {**options._asdict(), "worker": self.name, "ready": ready}
        measured = {} if folder is None else {"PROMETHEUS_MULTIPROC_DIR": folder}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "midstream.server.worker"],
            stdin=subprocess.PIPE,
            pass_fds=(ready,),
            env={**os.environ, **measured},
            # signals of the terminal are for the supervisor, which passes them on
            process_group=0,
        )
        os.close(ready)
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(given).encode() + b"\n")
            self.process.stdin.flush()

    def wait_until_ready(self) -> bool:
        """Return whether the process listens, as soon as that is known."""
        with os.fdopen(self._ready) as ready:
            return bool(ready.readline())

    def close(self) -> None:
        """Close the pipe to a process that has ended."""
        assert self.process.stdin is not None
        self.process.stdin.close()


class _Supervisor:
    def __init__(self, options: Options, count: int) -> None:
        self._options = options
        self._count = count
        self._workers: dict[int, _Worker] = {}
        # when workers are to be started in the places of those that have died soon
        self._due: list[float] = []
        self._is_stopping = False
        # where the workers add up what they measure
        self._folder: str | None = None

    def run(self, on_ready: Callable[[str], None] | None) -> bool:
        with TemporaryDirectory(prefix="midstream-") as folder:
            if self._options.settings.metrics:
                self._folder = folder
            return self._run(on_ready)

    def _run(self, on_ready: Callable[[str], None] | None) -> bool:
        # held while the workers come and go, so that nobody else takes the port; it does not listen
        with listen(self._options.host, self._options.port, is_shared=True) as bound:
            self._options = self._options._replace(port=bound.getsockname()[1])
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, self._stop)
            signal.signal(signal.SIGALRM, self._kill)
            with _signals() as signals:
                for _ in range(self._count):
                    self._start()
                ready = [worker.wait_until_ready() for worker in list(self._workers.values())]
                has_failed = not all(ready) and not self._is_stopping
                if has_failed:
                    self._stop(signal.SIGTERM)
                elif on_ready is not None and not self._is_stopping:
                    on_ready(url_of(bound))
                self._wait(signals)
        return not has_failed

    def _start(self) -> None:
        worker = _Worker(self._options, self._folder)
        self._workers[worker.process.pid] = worker
        if self._is_stopping:
            # the signal has come while it was started
            worker.process.terminate()

    def _stop(self, number: int, frame: Any = None) -> None:
        del frame
        self._is_stopping = True
        self._signal(number)
        signal.setitimer(signal.ITIMER_REAL, self._options.settings.drain + _KILL_SECONDS)

    def _kill(self, number: int, frame: Any) -> None:
        """Kill workers that do not stop."""
        del number, frame
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        for pid in self._workers:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _wait(self, signals: socket.socket) -> None:
        """Replace workers that end, until all of them are to end."""
        while True:
            while (worker := self._ended()) is not None:
                # the lease first: until it is gone, clients of the worker's streams wait
                self._release(worker.name)
                if self._folder is not None:
                    mark_process_dead(worker.process.pid, self._folder)
                self._due.append(worker.started_at + _RESTART_SECONDS)
            if self._is_stopping:
                self._due.clear()
            if not self._workers and not self._due:
                return
            now = time.monotonic()
            if self._due and min(self._due) <= now:
                self._due.remove(min(self._due))
                self._start()
                continue
            if select([signals], [], [], min(self._due) - now if self._due else None)[0]:
                signals.recv(4096)

    def _ended(self) -> _Worker | None:
        """Return a worker that has ended since the last call, if there is one."""
        while self._workers:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return None
            if (worker := self._workers.pop(pid, None)) is not None:
                worker.process.returncode = 0
                worker.close()
                return worker
        return None

    def _release(self, name: str) -> None:
        """Drop the lease of a worker that has ended, so that others take over its streams at once."""

        async def release() -> None:
            store = open_store(self._options.store)
            try:
                await store.release(name)
            finally:
                await store.close()

        with suppress(StoreError):
            asyncio.run(release())


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """Yield a socket that can be read after a signal, also after the one that a worker has ended."""
    receiving, sending = socket.socketpair()
    with receiving, sending:
        sending.setblocking(False)
        # a signal that is ignored, as this one is by default, is not reported
        usual = signal.signal(signal.SIGCHLD, lambda *_: None)
        before = signal.set_wakeup_fd(sending.fileno(), warn_on_full_buffer=False)
        try:
            yield receiving
        finally:
            signal.set_wakeup_fd(before)
            signal.signal(signal.SIGCHLD, usual or signal.SIG_DFL)


def mark_process_dead(pid: int, folder: str) -> None:
    """Remove the gauges of a process that has ended."""
    for file in Path(folder).glob(f"gauge_live*_{pid}.db"):
        file.unlink()


def supervise(options: Options, count: int, on_ready: Callable[[str], None] | None = None) -> bool:
    """Run workers until the process is asked to stop; return whether they could start."""
    if not sys.platform.startswith("linux"):
        raise ValueError("several workers need Linux")
    if not is_shared(options.store):
        raise ValueError(
            "several workers need a store that they share: sqlite:////absolute/path.db or redis://host:port/db"
        )
    return _Supervisor(options, count).run(on_ready)

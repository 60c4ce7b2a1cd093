"""The thread of an SQLite connection: it commits everything that is waiting in one transaction."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from .base import StoreError
from .sqlite_file import connect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["Database"]

T = TypeVar("T")


class Database(threading.Thread):
    """Run functions on the connection, in the order in which they arrive, many in one transaction."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="midstream-sqlite", daemon=True)
        self._path = path
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()

    async def run_job(self, function: Callable[[sqlite3.Connection], T], writes: bool) -> T:
        """Run a function with the connection in the thread, and return its result."""
        loop = asyncio.get_running_loop()
        job = _Job(function, writes, loop, loop.create_future())
        self._waiting.put(job)
        return await job.future  # type: ignore[no-any-return]

    def stop(self) -> None:
        """End the thread after all that is waiting."""
        self._waiting.put(None)

    def run(self) -> None:
        """Run the jobs."""
        connection = None
        jobs: list[_Job] = []
        is_over = False
        while not is_over:
            jobs, is_over = self._take()
            try:
                if connection is None:
                    connection = connect(self._path)
                _run_together(connection, jobs)
            except (sqlite3.Error, StoreError) as error:
                for job in jobs:
                    job.finish(None, _as_store_error(error))
        if connection is not None:
            connection.close()

    def _take(self) -> tuple[list[_Job], bool]:
        """Return all waiting jobs, at least one, and whether they are the last."""
        jobs = []
        job = self._waiting.get()
        while job is not None:
            jobs.append(job)
            try:
                job = self._waiting.get_nowait()
            except queue.Empty:
                return jobs, False
        return jobs, True


class _Job:
    """A function that waits for the thread, and the future that waits for its result."""

    def __init__(
        self,
        function: Callable[[sqlite3.Connection], Any],
        writes: bool,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Any],
    ) -> None:
        self.function = function
        self.writes = writes
        self.future = future
        self._loop = loop

    def finish(self, result: Any, error: Exception | None = None) -> None:
        """Pass the result to the event loop, unless that is closed."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._set, result, error)

    def _set(self, result: Any, error: Exception | None) -> None:
        if self.future.done():
            return
        if error is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(error)


def _run_together(connection: sqlite3.Connection, jobs: list[_Job]) -> None:
    """Run jobs in one transaction: all of them are in the file afterwards, or none."""
    if not jobs:
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE" if any(job.writes for job in jobs) else "BEGIN")
        results = [job.function(connection) for job in jobs]
    for job, result in zip(jobs, results, strict=True):
        job.finish(result)


def _as_store_error(error: Exception) -> StoreError:
    return error if isinstance(error, StoreError) else StoreError(f"the SQLite store failed: {error}")

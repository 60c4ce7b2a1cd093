"""A store in an SQLite file, for the workers of one machine (Linux).

All statements run in one thread, which commits everything that is waiting in one transaction. A worker that
appends rings the bells of the others: it sends a datagram that names the stream. A datagram may be lost, so
readers also look every 100 ms whether the file has changed. A worker's lease is a locked file: the kernel
drops the lock when the process dies.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import queue
import socket
import sqlite3
import sys
import threading
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .base import OPEN_SECONDS, Appended, Batch, End, Head, StoreError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

__all__ = ["SqliteStore"]

T = TypeVar("T")

_VERSION = 1
# "mids", so that another program's file is not taken for a store
_APPLICATION = 0x6D696473
_SCHEMA = f"""
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
CREATE TABLE streams (
    id TEXT PRIMARY KEY, meta TEXT, worker TEXT, epoch INTEGER, next INTEGER, end_code TEXT, end_message TEXT,
    is_cancelled INTEGER, appended_at REAL
) WITHOUT ROWID;
CREATE TABLE events (stream TEXT, number INTEGER, data BLOB, PRIMARY KEY (stream, number)) WITHOUT ROWID;
CREATE TABLE bindings (key TEXT PRIMARY KEY, value TEXT, bound_at REAL) WITHOUT ROWID;
"""
_BATCH = 256
_POLL_SECONDS = 0.1
# how long a statement waits for the other workers
_LOCK_SECONDS = 5.0
_LEASE = ".lease"


class _Database(threading.Thread):
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
                    connection = _connect(self._path)
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


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file, and create the tables in a new one."""
    # answers are stored in clear text: only this user may read them
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, timeout=_LOCK_SECONDS, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("BEGIN IMMEDIATE")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not tables:
        for statement in _SCHEMA.split(";"):
            connection.execute(statement)
    elif application != _APPLICATION or version != _VERSION:
        connection.execute("ROLLBACK")
        connection.close()
        kind = "not a store of midstream" if application != _APPLICATION else f"a store of version {version}"
        raise StoreError(f"{path.name} is {kind}; this midstream uses version {_VERSION}")
    connection.execute("COMMIT")
    return connection


def _as_store_error(error: Exception) -> StoreError:
    return error if isinstance(error, StoreError) else StoreError(f"the SQLite store failed: {error}")


class SqliteStore:
    """Keep the logs in an SQLite file.

    >>> from tempfile import TemporaryDirectory
    >>> async def main(folder):
    ...     store = SqliteStore(f"{folder}/store.db")
    ...     await store.start("worker")
    ...     await store.create("s", {})
    ...     await store.append("s", 1, 1, [b"data: 1", b"data: 2"], End())
    ...     batches = [batch async for batch in store.read("s", 1)]
    ...     await store.close()
    ...     return batches
    >>> with TemporaryDirectory() as folder: asyncio.run(main(folder))
    [Batch(first=2, events=[b'data: 2'], end=End(code='', message=''))]
    """

    def __init__(self, path: str | Path, ttl: float = 600) -> None:
        self._path = Path(path).absolute()
        self._ttl = ttl
        self._worker = ""
        self._database = _Database(self._path)
        self._lease = -1
        self._bell: socket.socket | None = None
        self._poll: asyncio.Task[None] | None = None
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}
        self._others: tuple[float, list[bytes]] = (0, [])

    async def start(self, worker: str) -> None:
        """Open the file as a worker, and take its lease."""
        if not sys.platform.startswith("linux"):
            raise StoreError("the SQLite store needs Linux; memory: and redis: run everywhere")
        self._worker = worker
        try:
            self._lease = _locked(self._lease_of(worker))
            self._bell = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
            self._bell.bind(self._bell_of(worker))
            asyncio.get_running_loop().add_reader(self._bell, self._on_bell)
            self._database.start()
            await self._select(_data_version)
        except OSError as error:
            await self.close()
            raise StoreError(f"the SQLite store cannot be opened: {error.strerror}") from None
        except StoreError:
            await self.close()
            raise
        self._poll = asyncio.create_task(self._look_for_changes())

    async def close(self) -> None:
        """Release the lease, and close the file."""
        if self._poll is not None:
            self._poll.cancel()
        self._notify(None)
        if self._bell is not None:
            asyncio.get_running_loop().remove_reader(self._bell)
            self._bell.close()
        if self._database.is_alive():
            self._database.stop()
            await asyncio.to_thread(self._database.join)
        if self._lease >= 0:
            self._lease_of(self._worker).unlink(missing_ok=True)
            os.close(self._lease)
            self._lease = -1

    async def _write(self, function: Callable[[sqlite3.Connection], T]) -> T:
        return await self._database.run_job(function, writes=True)

    async def _select(self, function: Callable[[sqlite3.Connection], T]) -> T:
        return await self._database.run_job(function, writes=False)

    # logs

    async def create(self, id: str, meta: Mapping[str, Any]) -> None:
        """Create the empty log of a stream."""
        row = id, json.dumps(meta), self._worker, time.time()

        def insert(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO streams VALUES (?, ?, ?, 1, 1, NULL, NULL, 0, ?)", row)

        await self._write(insert)

    async def append(
        self, id: str, epoch: int, at: int, events: Sequence[bytes], end: End | None = None
    ) -> Appended:
        """Append events and an end."""

        def insert(connection: sqlite3.Connection) -> Appended:
            query = "SELECT epoch, next, end_code, end_message FROM streams WHERE id = ?"
            row = connection.execute(query, (id,)).fetchone()
            if row is None:
                return Appended.GONE
            if row[0] != epoch:
                return Appended.FENCED
            known = row[1] - at
            if known < 0:
                return Appended.GAP
            if row[2] is not None:
                is_known = known >= len(events) and end in (None, End(*row[2:]))
                return Appended.OK if is_known else Appended.OVER
            numbered = [(id, at + n, data) for n, data in enumerate(events) if n >= known]
            connection.executemany("INSERT INTO events VALUES (?, ?, ?)", numbered)
            connection.execute(
                "UPDATE streams SET next = ?, end_code = ?, end_message = ?, appended_at = ? WHERE id = ?",
                (row[1] + len(numbered), *(end or (None, None)), time.time(), id),
            )
            return Appended.OK

        answer = await self._write(insert)
        if answer is Appended.OK:
            self._ring(id)
        return answer

    async def read(self, id: str, after: int = 0) -> AsyncGenerator[Batch]:
        """Yield the events after a number, as they are appended."""
        is_last = False
        while not is_last:
            changed = self._next_change(id)
            try:
                found = await self._select(_events_after(id, after))
                if found is None:
                    return
                events, following, end = found
                is_last = end is not None and after + len(events) + 1 == following
                if events or is_last:
                    yield Batch(after + 1, events, end if is_last else None)
                    after += len(events)
                else:
                    await changed
            finally:
                self._forget(id, changed)

    async def head(self, id: str) -> Head | None:
        """Return what is known of a stream."""

        def select(connection: sqlite3.Connection) -> Head | None:
            columns = "meta, epoch, worker, next, end_code, end_message, is_cancelled"
            row = connection.execute(f"SELECT {columns} FROM streams WHERE id = ?", (id,)).fetchone()
            if row is None:
                return None
            end = None if row[4] is None else End(row[4], row[5])
            return Head(json.loads(row[0]), row[1], row[2], row[3], end, bool(row[6]))

        return await self._select(select)

    async def claim(self, id: str, epoch: int, worker: str) -> bool:
        """Make a worker the writer of an open stream."""
        query = (
            "UPDATE streams SET epoch = epoch + 1, worker = ? WHERE id = ? AND epoch = ? AND end_code IS NULL"
        )
        return await self._update(query, (worker, id, epoch))

    async def cancel(self, id: str) -> bool:
        """Signal the writer of a stream to stop."""
        is_open = await self._update(
            "UPDATE streams SET is_cancelled = 1 WHERE id = ? AND end_code IS NULL", (id,)
        )
        self._ring(id)
        return is_open

    async def cancelled(self, id: str) -> None:
        """Return when the writer of a stream is to stop."""
        while True:
            changed = self._next_change(id)
            try:
                head = await self.head(id)
                if head is None or head.is_cancelled:
                    return
                await changed
            finally:
                self._forget(id, changed)

    async def open_streams(self) -> dict[str, str]:
        """Return the streams that have not ended, each with its worker."""
        query = "SELECT id, worker FROM streams WHERE end_code IS NULL"
        return await self._select(lambda connection: dict(connection.execute(query).fetchall()))

    async def bind(self, key: str, value: str) -> str:
        """Return the value that a key is bound to; bind it if there is none."""
        now, before = time.time(), time.time() - self._ttl

        def insert(connection: sqlite3.Connection) -> str:
            query = "SELECT value FROM bindings WHERE key = ? AND bound_at >= ?"
            if (row := connection.execute(query, (key, before)).fetchone()) is not None:
                return str(row[0])
            connection.execute("INSERT OR REPLACE INTO bindings VALUES (?, ?, ?)", (key, value, now))
            return value

        return await self._write(insert)

    async def drop(self, id: str) -> None:
        """Remove a stream."""
        await self._remove("id = ?", (id,))
        self._ring(id)

    async def expire(self) -> None:
        """Remove what is older than the time to live."""
        before = time.time() - self._ttl
        await self._remove(
            "appended_at < CASE WHEN end_code IS NULL THEN ? ELSE ? END", (before - OPEN_SECONDS, before)
        )
        await self._update("DELETE FROM bindings WHERE bound_at < ?", (before,))

    async def _update(self, statement: str, values: tuple[Any, ...]) -> bool:
        """Execute a statement, and return whether it changed anything."""
        return await self._write(lambda connection: connection.execute(statement, values).rowcount) > 0

    async def _remove(self, condition: str, values: tuple[Any, ...]) -> None:
        def delete(connection: sqlite3.Connection) -> None:
            chosen = f"SELECT id FROM streams WHERE {condition}"
            connection.execute(f"DELETE FROM events WHERE stream IN ({chosen})", values)
            connection.execute(f"DELETE FROM streams WHERE {condition}", values)

        await self._write(delete)

    # leases

    async def living(self) -> set[str]:
        """Return the workers that hold a lease."""
        living = set()
        for file in self._leases():
            if not _removed(file):
                living.add(self._worker_of(file))
        return living

    async def release(self, worker: str) -> None:
        """Drop the lease of a worker that is dead."""
        if worker != self._worker:
            self._lease_of(worker).unlink(missing_ok=True)

    def _lease_of(self, worker: str) -> Path:
        return self._path.with_name(f"{self._path.name}.{worker}{_LEASE}")

    def _leases(self) -> list[Path]:
        prefix = f"{self._path.name}."
        return [
            file
            for file in self._path.parent.iterdir()
            if file.name.startswith(prefix) and file.suffix == _LEASE
        ]

    def _worker_of(self, file: Path) -> str:
        return file.name[len(self._path.name) + 1 : -len(_LEASE)]

    # changes

    def _next_change(self, id: str) -> asyncio.Future[None]:
        """Return a future that is done when the stream may have changed."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(id, set()).add(future)
        return future

    def _forget(self, id: str, future: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(id, set())
        waiting.discard(future)
        if not waiting:
            self._waiting.pop(id, None)

    def _notify(self, id: str | None) -> None:
        """Wake those who wait for a stream, or for any."""
        ids = list(self._waiting) if id is None else [id]
        for waiting in [self._waiting.get(id, set()) for id in ids]:
            for future in waiting:
                if not future.done():
                    future.set_result(None)

    async def _look_for_changes(self) -> None:
        """Notice changes whose datagrams were lost."""
        seen = None
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            if not self._waiting:
                continue
            with suppress(StoreError):
                version = await self._select(_data_version)
                if version != seen:
                    seen = version
                    self._notify(None)

    def _bell_of(self, worker: str) -> bytes:
        # an abstract address (Linux): no file that stays behind, and no limit to the length of the path
        return b"\0midstream-" + blake2b(f"{self._path}\0{worker}".encode()).hexdigest()[:64].encode()

    def _on_bell(self) -> None:
        with suppress(OSError):
            while self._bell is not None:
                self._notify(self._bell.recv(256).decode("ascii", "replace"))

    def _ring(self, id: str) -> None:
        """Wake the readers of a stream in this process and in the other workers."""
        self._notify(id)
        now = time.monotonic()
        if now - self._others[0] > 1:
            workers = map(self._worker_of, self._leases())
            self._others = now, [self._bell_of(worker) for worker in workers if worker != self._worker]
        for bell in self._others[1]:
            if self._bell is not None:
                with suppress(OSError):
                    self._bell.sendto(id.encode(), bell)


def _events_after(
    id: str, after: int
) -> Callable[[sqlite3.Connection], tuple[list[bytes], int, End | None] | None]:
    def select(connection: sqlite3.Connection) -> tuple[list[bytes], int, End | None] | None:
        query = "SELECT next, end_code, end_message FROM streams WHERE id = ?"
        row = connection.execute(query, (id,)).fetchone()
        if row is None:
            return None
        query = "SELECT data FROM events WHERE stream = ? AND number > ? ORDER BY number LIMIT ?"
        events = [data for (data,) in connection.execute(query, (id, after, _BATCH))]
        return events, row[0], None if row[1] is None else End(row[1], row[2])

    return select


def _data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another connection has changed the file."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def _locked(file: Path) -> int:
    """Create and lock a file; return its descriptor, which holds the lock."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # another worker may have removed the file just before it was locked
        with suppress(FileNotFoundError):
            if file.stat().st_ino == os.fstat(descriptor).st_ino:
                return descriptor
        os.close(descriptor)


def _removed(file: Path) -> bool:
    """Remove a lease that no living process has locked; return whether it is gone."""
    try:
        descriptor = os.open(file, os.O_RDWR)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.unlink(missing_ok=True)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)

"""A store in an SQLite file, for the workers of one machine (Linux).

All statements run in one thread, which commits everything that is waiting in one transaction. A worker that
appends rings the bells of the others: it sends a datagram that names the stream. A datagram may be lost, so
readers also look every 100 ms whether the file has changed. A worker's lease is a locked file: the kernel
drops the lock when the process dies.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .base import OPEN_SECONDS, Appended, Batch, End, Head, StoreError
from .doorbell import Doorbell
from .lease_files import LeaseFiles
from .sqlite_file import data_version
from .sqlite_thread import Database

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence

__all__ = ["SqliteStore"]

T = TypeVar("T")

_BATCH = 256
_POLL_SECONDS = 0.1


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

    is_shared = True

    def __init__(self, path: str | Path, ttl: float = 600) -> None:
        self._path = Path(path).absolute()
        self._ttl = ttl
        self._worker = ""
        self._database = Database(self._path)
        self._leases = LeaseFiles(self._path)
        self._doorbell = Doorbell(self._path, self._leases.others)
        self._poll: asyncio.Task[None] | None = None
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}

    async def start(self, worker: str) -> None:
        """Open the file as a worker, and take its lease."""
        if not sys.platform.startswith("linux"):
            raise StoreError("the SQLite store needs Linux; memory: and redis: run everywhere")
        self._worker = worker
        try:
            self._leases.take(worker)
            self._doorbell.open(worker, self._notify)
            self._database.start()
            await self._select(data_version)
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
        self._doorbell.close()
        if self._database.is_alive():
            self._database.stop()
            await asyncio.to_thread(self._database.join)
        self._leases.drop()

    async def _write(self, function: Callable[[sqlite3.Connection], T]) -> T:
        return await self._database.run_job(function, writes=True)

    async def _select(self, function: Callable[[sqlite3.Connection], T]) -> T:
        return await self._database.run_job(function, writes=False)

    # logs

    async def create(self, id: str, meta: Mapping[str, Any], epoch: int = 1) -> None:
        """Create the empty log of a stream."""
        row = id, json.dumps(meta), self._worker, epoch, time.time()

        def insert(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR IGNORE INTO streams VALUES (?, ?, ?, ?, 1, NULL, NULL, 0, ?)", row)

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

    async def bind(self, key: str, value: str, seconds: float) -> str:
        """Return the value that a key is bound to; bind it for a time if there is none."""
        now = time.time()

        def insert(connection: sqlite3.Connection) -> str:
            query = "SELECT value FROM bindings WHERE key = ? AND until > ?"
            if (row := connection.execute(query, (key, now)).fetchone()) is not None:
                return str(row[0])
            connection.execute(
                "INSERT OR REPLACE INTO bindings VALUES (?, ?, ?)", (key, value, now + seconds)
            )
            return value

        return await self._write(insert)

    async def unbind(self, key: str) -> None:
        """Forget what a key is bound to."""
        await self._update("DELETE FROM bindings WHERE key = ?", (key,))

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
        await self._update("DELETE FROM bindings WHERE until < ?", (time.time(),))

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

    async def living(self, workers: Collection[str]) -> set[str]:
        """Return those of the workers that hold a lease."""
        return self._leases.living(workers)

    @property
    def is_trusted(self) -> bool:
        """Return True: the kernel knows who is alive."""
        return True

    async def release(self, worker: str) -> None:
        """Drop the lease of a worker that is dead."""
        self._leases.release(worker)

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
                version = await self._select(data_version)
                if version != seen:
                    seen = version
                    self._notify(None)

    def _ring(self, id: str) -> None:
        """Wake the readers of a stream in this process and in the other workers."""
        self._notify(id)
        self._doorbell.ring(id)


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

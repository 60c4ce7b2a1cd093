"""Leases that are locked files: the kernel drops the lock of a process that dies (Linux)."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

__all__ = ["LeaseFiles"]

_LEASE = ".lease"


class LeaseFiles:
    """The leases of all workers that use a file, each a locked file beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._worker = ""
        self._held = -1

    def take(self, worker: str) -> None:
        """Hold the lease of this process until it is dropped."""
        self._worker = worker
        self._held = _locked(self._file_of(worker))

    def drop(self) -> None:
        """Drop the lease of this process, if it has one."""
        if self._held >= 0:
            self._file_of(self._worker).unlink(missing_ok=True)
            os.close(self._held)
            self._held = -1

    def release(self, worker: str) -> None:
        """Drop the lease of another worker, which is dead."""
        if worker != self._worker:
            self._file_of(worker).unlink(missing_ok=True)

    def living(self, workers: Collection[str]) -> set[str]:
        """Return those of the workers whose leases are locked; remove the other leases."""
        return {worker for worker in workers if worker == self._worker or not _removed(self._file_of(worker))}

    def others(self) -> list[str]:
        """Return the other workers, without a check whether they live."""
        return [worker for worker in map(self._worker_of, self._files()) if worker != self._worker]

    def _file_of(self, worker: str) -> Path:
        return self._path.with_name(f"{self._path.name}.{worker}{_LEASE}")

    def _files(self) -> list[Path]:
        prefix = f"{self._path.name}."
        files = self._path.parent.iterdir()
        return [file for file in files if file.name.startswith(prefix) and file.suffix == _LEASE]

    def _worker_of(self, file: Path) -> str:
        return file.name[len(self._path.name) + 1 : -len(_LEASE)]


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

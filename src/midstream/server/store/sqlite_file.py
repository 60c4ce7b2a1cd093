"""The SQLite file: its tables and its version."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

from .base import StoreError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["connect", "data_version"]

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
CREATE TABLE bindings (key TEXT PRIMARY KEY, value TEXT, until REAL) WITHOUT ROWID;
"""
# how long a statement waits for the other workers
_LOCK_SECONDS = 5.0


def connect(path: Path) -> sqlite3.Connection:
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


def data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another connection has changed the file."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)

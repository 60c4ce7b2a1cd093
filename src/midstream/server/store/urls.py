"""From the address of a store to the store."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from .base import StoreError
from .memory import MemoryStore

if TYPE_CHECKING:
    from .base import Store

__all__ = ["is_shared", "open_store"]

_KNOWN = "memory:, sqlite:////absolute/path.db or redis://host:port/db"


def is_shared(url: str) -> bool:
    """Report whether several workers can use the store of an address.

    >>> is_shared("memory:"), is_shared("redis://localhost")
    (False, True)
    """
    return urlsplit(url).scheme != "memory"


def open_store(url: str, ttl: float = 600, lease: float = 3) -> Store:
    """Return the store of an address; ``lease`` is the time after which a silent machine counts as dead.

    >>> open_store("memory:").__class__.__name__
    'MemoryStore'
    >>> open_store("ftp://host")
    Traceback (most recent call last):
        ...
    midstream.server.store.base.StoreError: a store is memory:, sqlite:////absolute/path.db or \
redis://host:port/db, not 'ftp'
    """
    scheme, host, path, *_ = urlsplit(url)
    if scheme == "memory":
        return MemoryStore(ttl)
    if scheme == "sqlite":
        if host or not path.startswith("//"):
            raise StoreError("an SQLite store is named sqlite:////absolute/path.db, with four slashes")
        from .sqlite import SqliteStore

        return SqliteStore(unquote(path[1:]), ttl)
    if scheme in ("redis", "rediss"):
        try:
            from .redis import RedisStore
        except ImportError:
            raise StoreError(
                "a Redis store needs the package redis: pip install 'midstream[redis]'"
            ) from None
        return RedisStore(url, ttl, lease)
    raise StoreError(f"a store is {_KNOWN}, not {scheme!r}")

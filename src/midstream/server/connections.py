"""Bounds on connections: how many there are, and how long the head of a request may take."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    import asyncio

    from uvicorn.server import ServerState

__all__ = ["Connections", "allow_files", "bounded"]

# files that a process needs apart from connections
_OTHER_FILES = 100


def allow_files() -> int:
    """Raise the limit of open files as far as the process may; return how many connections it allows.

    A stream may have one connection to its client and one to its upstream.
    """
    try:
        import resource
    except ImportError:
        # not on this platform
        return 1_000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if hard != resource.RLIM_INFINITY else max(soft, 65_536)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (ValueError, OSError):
        wanted = soft
    return max((wanted - _OTHER_FILES) // 2, 10)


def bounded(max_connections: int) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol for HTTP, which refuses connections over a maximum."""

    class Protocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
        connections: set[Any]

        def connection_made(self, transport: asyncio.Transport) -> None:
            if len(self.connections) >= max_connections and not _make_room(self.connections):
                transport.abort()
            super().connection_made(transport)

    return Protocol


def _make_room(connections: set[Any]) -> bool:
    """Close a connection that waits for a request; return whether there was one."""
    for connection in connections:
        if _is_waiting(connection) and not connection.transport.is_closing():
            connection.transport.abort()
            return True
    return False


def _is_waiting(connection: Any) -> bool:
    """Report whether the head of a request has not arrived."""
    return connection.cycle is None or connection.cycle.response_complete


class Connections:
    """Close connections that send no complete head, or whose clients do not read what is left."""

    def __init__(self, state: ServerState, head_seconds: float, flush_seconds: float) -> None:
        self._state = state
        self._head_seconds = head_seconds
        self._flush_seconds = flush_seconds
        self._waiting: dict[Any, float] = {}
        self._closing: dict[Any, float] = {}

    def check(self) -> None:
        """Close what has been waiting for too long; call it from time to time."""
        now = time.monotonic()
        connections = [connection for connection in self._state.connections if _has_transport(connection)]
        closing = [one for one in connections if one.transport.is_closing()]
        waiting = [one for one in connections if not one.transport.is_closing() and _is_waiting(one)]
        # closing waits until all data is sent
        self._closing = {one: self._closing.get(one, now) for one in closing}
        self._waiting = {one: self._waiting.get(one, now) for one in waiting}
        for found, seconds in ((self._closing, self._flush_seconds), (self._waiting, self._head_seconds)):
            for connection, since in found.items():
                if now - since > seconds:
                    connection.transport.abort()


def _has_transport(connection: Any) -> bool:
    return getattr(connection, "transport", None) is not None

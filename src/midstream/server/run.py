"""Run the gateway as a process, with uvicorn."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING

import uvicorn

from .app import build
from .guard import LOOPBACK, WithoutQuery
from .settings import DEFAULT, Settings

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Collection

    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["run"]

# seconds that open streams get when the process is told to stop
_SHUTDOWN_SECONDS = 3
# seconds after which a closed connection is aborted if its client has not read everything
_FLUSH_SECONDS = 60


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[str], None] | None) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self._closing: dict[asyncio.Transport, float] = {}

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_ready is not None:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._on_ready(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            self._abort_stuck()
        return await super().on_tick(counter)

    def _abort_stuck(self) -> None:
        """Abort closing connections whose clients do not read; closing waits until all data is sent."""
        now = time.monotonic()
        closing = [
            connection.transport
            for connection in self.server_state.connections
            if connection.transport.is_closing()
        ]
        self._closing = {transport: self._closing.get(transport, now) for transport in closing}
        for transport, since in self._closing.items():
            if now - since > _FLUSH_SECONDS:
                transport.abort()


class _QuietShutdown:
    """Suppress the tracebacks of requests that are cancelled when the process stops."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(asyncio.CancelledError):
            await self._app(scope, receive, send)


def _names_of(host: str) -> Collection[str] | None:
    """Return the host names to accept: those of this machine for a loopback address, else any."""
    try:
        is_own = ip_address(host).is_loopback
    except ValueError:
        is_own = host.lower() in LOOPBACK
    return {*LOOPBACK, host.lower()} if is_own else None


def run(
    host: str,
    port: int,
    upstream: str | None,
    settings: Settings = DEFAULT,
    on_ready: Callable[[str], None] | None = None,
    log_level: str = "info",
) -> None:
    """Serve until the process is told to stop."""
    config = uvicorn.Config(
        _QuietShutdown(build(upstream, settings, hosts=_names_of(host))),
        host=host,
        port=port,
        # uvicorn's level "trace" logs complete requests
        log_level="debug" if log_level == "trace" else log_level,
        ws="none",
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    if log_level == "info":
        # the command line itself reports start and end
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.access").addFilter(WithoutQuery())
    _Server(config, on_ready).run()

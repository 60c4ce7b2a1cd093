"""The gateway as a process: uvicorn around it."""

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

# seconds for streams under way when the process is asked to end
_GOODBYE = 3
# seconds in which a connection that we have closed must take what was written to it
_FLUSH = 60


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
            self._drop_stuck()
        return await super().on_tick(counter)

    def _drop_stuck(self) -> None:
        """End connections whose client never reads: closing one alone waits until it has all."""
        now = time.monotonic()
        closing = [
            connection.transport
            for connection in self.server_state.connections
            if connection.transport.is_closing()
        ]
        self._closing = {transport: self._closing.get(transport, now) for transport in closing}
        for transport, since in self._closing.items():
            if now - since > _FLUSH:
                transport.abort()


class _Ending:
    """End with the process: that a request was under way then is no error to be logged with its place."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(asyncio.CancelledError):
            await self._app(scope, receive, send)


def _names_of(host: str) -> Collection[str] | None:
    """Give the names that an address answers to: any, unless it is this machine's own."""
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
    """Serve until the process is asked to end."""
    config = uvicorn.Config(
        _Ending(build(upstream, settings, hosts=_names_of(host))),
        host=host,
        port=port,
        # uvicorn's finest level has whole requests in it
        log_level="debug" if log_level == "trace" else log_level,
        ws="none",
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GOODBYE,
    )
    if log_level == "info":
        # that it starts and ends is told by who runs it
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.access").addFilter(WithoutQuery())
    _Server(config, on_ready).run()

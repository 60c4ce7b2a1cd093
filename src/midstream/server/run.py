"""The gateway as a process: uvicorn around it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import uvicorn

from .app import build
from .guard import LOOPBACK, WithoutQuery
from .settings import DEFAULT, Settings

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

__all__ = ["run"]

# seconds for streams under way when the process is asked to end
_GOODBYE = 3


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[str], None] | None) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_ready is not None:
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._on_ready(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")


def run(
    host: str,
    port: int,
    upstream: str | None,
    settings: Settings = DEFAULT,
    on_ready: Callable[[str], None] | None = None,
    log_level: str = "info",
) -> None:
    """Serve until the process is asked to end."""
    hosts = LOOPBACK if host in LOOPBACK else None
    config = uvicorn.Config(
        build(upstream, settings, hosts=hosts),
        host=host,
        port=port,
        log_level=log_level,
        ws="none",
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GOODBYE,
    )
    logging.getLogger("uvicorn.access").addFilter(WithoutQuery())
    _Server(config, on_ready).run()

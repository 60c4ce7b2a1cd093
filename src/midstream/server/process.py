"""One process of the gateway, with uvicorn."""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
import socket
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NamedTuple

import uvicorn

from .app import build
from .connections import Connections, allow_files, bounded
from .guard import LOOPBACK, WithoutQuery
from .settings import DEFAULT, Settings
from .store.urls import open_store
from .streams.hub import STREAMS_LOGGER
from .upstream import Upstream, key_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

    from .app import Gateway
    from .store.base import Store

__all__ = ["Options", "listen", "run_process"]

# seconds for what remains to be done when the streams have ended
_SHUTDOWN_SECONDS = 3
# seconds after which a closed connection is aborted if its client has not read everything
_FLUSH_SECONDS = 60


class Options(NamedTuple):
    """What a process of the gateway is to do; plain data, so that it can be sent to another process."""

    host: str = "127.0.0.1"
    port: int = 8377
    upstream: str | None = None
    settings: Settings = DEFAULT
    log_level: str = "info"
    store: str = "memory:"
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    upstream_key_env: str | None = None

    def check(self) -> None:
        """Raise ValueError or `StoreError` if it cannot work."""
        self.settings.check()
        if self.upstream is not None:
            Upstream(self.upstream, self.settings, key=key_in(self.upstream_key_env))
        store = open_store(self.store)
        if store.is_shared:
            asyncio.run(_try(store))


async def _try(store: Store) -> None:
    """Raise `StoreError` if a store cannot be used."""
    try:
        await store.start(secrets.token_hex(8))
    finally:
        await store.close()


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, gateway: Gateway, on_ready: Callable[[str], None] | None
    ) -> None:
        super().__init__(config)
        self._gateway = gateway
        self._on_ready = on_ready
        head_seconds = gateway.hub.settings.head_seconds
        self._connections = Connections(self.server_state, head_seconds, _FLUSH_SECONDS)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_ready is not None:
            self._on_ready(url_of(self.servers[0].sockets[0]))

    def handle_exit(self, sig: int, frame: Any) -> None:
        # after Ctrl-C nobody wants to wait for streams
        if sig == signal.SIGINT:
            hub = self._gateway.hub
            hub.settings = hub.settings._replace(drain=0)
            self.config.timeout_graceful_shutdown = _SHUTDOWN_SECONDS
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        draining = asyncio.create_task(self._gateway.hub.drain())
        await super().shutdown(sockets)
        draining.cancel()

    async def on_tick(self, counter: int) -> bool:
        if counter % 5 == 0:
            self._connections.check()
        return await super().on_tick(counter)


class _QuietShutdown:
    """Suppress the tracebacks of requests that are cancelled when the process stops."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(asyncio.CancelledError):
            await self._app(scope, receive, send)


def url_of(listening: socket.socket) -> str:
    """Return the URL of a socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def listen(host: str, port: int, is_shared: bool) -> socket.socket:
    """Bind a socket; other processes can bind the same address if it is shared."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_shared:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound.bind((host, port))
    except OSError:
        bound.close()
        raise
    return bound


def _names_of(host: str, allowed: Sequence[str]) -> Collection[str] | None:
    """Return the host names to accept: those of this machine for a loopback address, else any."""
    if allowed:
        return {*LOOPBACK, host.lower(), *map(str.lower, allowed)}
    try:
        is_own = ip_address(host).is_loopback
    except ValueError:
        is_own = host.lower() in LOOPBACK
    return {*LOOPBACK, host.lower()} if is_own else None


def run_process(
    options: Options,
    on_ready: Callable[[str], None] | None = None,
    bound: socket.socket | None = None,
    worker: str | None = None,
) -> bool:
    """Serve until the process is asked to stop; return whether it could start."""
    settings, log_level = options.settings, options.log_level
    app = build(
        options.upstream,
        settings,
        hosts=_names_of(options.host, options.hosts),
        origins=options.origins,
        store=open_store(options.store, settings.ttl, settings.lease),
        worker=worker,
        upstream_key_env=options.upstream_key_env,
    )
    config = uvicorn.Config(
        _QuietShutdown(app),
        host=options.host,
        port=options.port,
        # uvicorn's level "trace" logs complete requests
        log_level="debug" if log_level == "trace" else log_level,
        http=bounded(min(settings.max_connections, allow_files())),
        ws="none",
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=round(settings.drain) + _SHUTDOWN_SECONDS,
    )
    if log_level == "info":
        # the command line itself reports start and end
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.access").addFilter(WithoutQuery())
    if settings.log_streams:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(message)s"))
        STREAMS_LOGGER.addHandler(handler)
        STREAMS_LOGGER.setLevel(logging.INFO)
        STREAMS_LOGGER.propagate = False
    server = _Server(config, app.state.gateway, on_ready)
    server.run(None if bound is None else [bound])
    return server.started

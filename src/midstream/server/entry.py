"""The public functions; each imports the packages of the extra ``server`` only when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .settings import DEFAULT, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import httpx
    from starlette.applications import Starlette

    from .access import Authorize

__all__ = ["create_app", "serve"]


def create_app(
    upstream: str | None = None,
    *,
    settings: Settings = DEFAULT,
    hosts: Collection[str] | None = None,
    origins: Collection[str] = (),
    transport: httpx.AsyncBaseTransport | None = None,
    store: str = "memory:",
    authorize: Authorize | None = None,
    upstream_key_env: str | None = None,
) -> Starlette:
    """Return the gateway as an ASGI application.

    ``upstream`` is the URL of a server with the API of OpenAI or Anthropic; without it, the gateway replays
    recordings. ``hosts`` are the host names that it accepts, by default any; ``origins`` are those of other
    sites whose pages may send requests. ``transport`` is the httpx transport for requests to the upstream.
    ``store`` keeps the streams: ``memory:``, or one that several processes share,
    ``sqlite:////absolute/path.db`` or ``redis://host:port/db``. ``authorize`` decides who may read and cancel
    a stream, as for `Relay`. ``upstream_key_env`` names an environment variable with the key for requests
    without credentials. By default, clients with the credentials of the request that started it.

    >>> [route.path for route in create_app().routes][-2:]
    ['/v1/{path:path}', '/provider/v1/{path:path}']
    """
    from .app import build
    from .store.urls import open_store

    return build(
        upstream,
        settings,
        hosts=hosts,
        origins=origins,
        transport=transport,
        store=open_store(store, settings.ttl, settings.lease),
        authorize=authorize,
        upstream_key_env=upstream_key_env,
    )


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8377,
    upstream: str | None = None,
    settings: Settings = DEFAULT,
    on_ready: Callable[[str], None] | None = None,
    log_level: str = "info",
    store: str = "memory:",
    workers: int = 1,
    hosts: Collection[str] = (),
    origins: Collection[str] = (),
    upstream_key_env: str | None = None,
) -> bool:
    """Run the gateway until the process receives a signal to stop; return whether it could start.

    ``on_ready`` is called with the gateway's URL when it listens; port 0 selects a free port. The log
    contains methods, paths and status codes, but neither query strings nor headers. ``store`` keeps the
    streams: ``memory:``, or one that several ``workers`` share, ``sqlite:////absolute/path.db`` or
    ``redis://host:port/db``. At a loopback address only names of this machine and ``hosts`` are accepted as
    host names, elsewhere any; if ``hosts`` are given, only they and names of this machine.
    ``upstream_key_env`` names an environment variable with the key for requests without credentials.

    >>> serve(upstream="ftp://example.org")
    Traceback (most recent call last):
        ...
    ValueError: upstream must be an http or https URL
    """
    from .process import Options, run_process
    from .supervisor import supervise

    options = Options(
        host, port, upstream, settings, log_level, store, [*hosts], [*origins], upstream_key_env
    )
    options.check()
    return run_process(options, on_ready) if workers == 1 else supervise(options, workers, on_ready)

"""The public functions; each imports the packages of the extra ``server`` only when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .settings import DEFAULT, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import httpx
    from starlette.applications import Starlette

__all__ = ["create_app", "serve"]


def create_app(
    upstream: str | None = None,
    settings: Settings = DEFAULT,
    *,
    hosts: Collection[str] | None = None,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Starlette:
    """Return the gateway as an ASGI application.

    ``upstream`` is the URL of a server with the API of OpenAI or Anthropic; without it, the gateway replays
    recordings. ``hosts`` are the host names that it accepts, by default any. ``transport`` is the httpx
    transport for requests to the upstream.

    >>> [route.path for route in create_app().routes][-2:]
    ['/v1/{path:path}', '/provider/v1/{path:path}']
    """
    from .app import build

    return build(upstream, settings, hosts=hosts, transport=transport)


def serve(
    host: str = "127.0.0.1",
    port: int = 8377,
    upstream: str | None = None,
    settings: Settings = DEFAULT,
    *,
    on_ready: Callable[[str], None] | None = None,
    log_level: str = "info",
) -> None:
    """Run the gateway until the process receives a signal to stop.

    ``on_ready`` is called with the gateway's URL when it listens; port 0 selects a free port. The log
    contains methods, paths and status codes, but neither query strings nor headers.

    >>> serve(upstream="ftp://example.org")
    Traceback (most recent call last):
        ...
    ValueError: upstream must be an http or https URL
    """
    from .run import run

    run(host, port, upstream, settings, on_ready, log_level)

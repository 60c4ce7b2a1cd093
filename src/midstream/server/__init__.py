"""The gateway: a provider's streaming endpoint on one side, midstream's events on the other.

It needs the packages of the extra ``server``, and imports them only when it is used. A request goes through
the files in this order:

``guard``      refuses requests from pages of other sites
``app``        the routes
``relay``      sends a request to the provider (``replay``: plays a recording; ``capture``: reads a capture)
``fill``       converts the provider's events into midstream's and puts them into a stream
``resume``     streams that outlive a connection
``responses``  sends a stream, or passes a provider's response on unchanged
``page``       the files of the web page
``settings``   speed, timeouts and limits
``run``        runs all this under uvicorn

Invariants: memory per stream is limited; a slow client slows its own stream only; a client that reconnects
in time misses no event and receives none twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .settings import DEFAULT, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import httpx
    from starlette.applications import Starlette

__all__ = ["Settings", "create_app", "serve"]


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

"""The gateway: a provider's streaming endpoint on one side, midstream's events on the other.

It needs what ``pip install 'midstream[server]'`` brings, and loads it only when it is used.
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
    """Make the gateway as an ASGI application.

    Without an ``upstream``, the URL of what speaks like OpenAI or Anthropic, it replays recordings.
    ``hosts`` are the names it answers to, any if not given; ``transport`` is how httpx reaches the upstream.

    >>> [route.path for route in create_app().routes][3]
    '/api/recordings/{name}/events'
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
    """Run the gateway until the process is asked to end.

    ``on_ready`` is called with its URL when it listens; a port of 0 is any free one. Its log tells
    methods, paths and statuses, and neither queries nor headers.

    >>> serve(upstream="ftp://example.org")
    Traceback (most recent call last):
        ...
    ValueError: upstream is an http or https URL
    """
    from .run import run

    run(host, port, upstream, settings, on_ready, log_level)

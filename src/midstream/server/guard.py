"""Access control, and query strings kept out of the log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from .responses import DIRECT, problem

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["LOOPBACK", "Guard", "WithoutQuery", "shared_with"]

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Guard:
    """Refuse cross-site requests of browsers.

    Browsers name the origin of a request; other clients do not, and are allowed. With ``hosts``, requests
    for other host names are refused as well, which prevents DNS rebinding. Pages of ``origins`` are allowed.
    """

    def __init__(
        self, app: ASGIApp, hosts: Collection[str] | None = None, origins: Collection[str] = ()
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = set(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the application, or refuse it."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if self._hosts is not None and _host_in(headers.get("host", "")) not in self._hosts:
                await problem(421, "unknown_host", "the gateway does not serve this host name")(
                    scope, receive, send
                )
                return
            if scope["method"] not in ("GET", "HEAD") and self._is_foreign(headers):
                await problem(403, "foreign_origin", "requests from pages of other sites are refused")(
                    scope, receive, send
                )
                return
            # the layers up to the response only look at how it starts
            scope = {**scope, DIRECT: send}
        await self._app(scope, receive, send)

    def _is_foreign(self, headers: Headers) -> bool:
        return headers.get("origin") not in self._origins and _is_cross_site(headers)


def shared_with(origins: Collection[str]) -> list[Middleware]:
    """Return what lets the pages of other origins read responses."""
    if not origins:
        return []
    exposed = ("midstream-stream", "midstream-status", "midstream-next", "content-location")
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=("GET", "HEAD", "POST", "DELETE"),
            allow_headers=("*",),
            expose_headers=exposed,
        )
    ]


def _host_in(address: str) -> str | None:
    try:
        return urlsplit(f"//{address}").hostname
    except ValueError:
        return None


def _is_cross_site(headers: Headers) -> bool:
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


class WithoutQuery(logging.Filter):
    """Remove query strings, which may contain secrets, from uvicorn's access log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove the query string from a record of a request; keep every record."""
        if isinstance(record.args, tuple) and len(record.args) == 5:
            client, method, path, *rest = record.args
            record.args = (client, method, str(path).partition("?")[0], *rest)
        return True

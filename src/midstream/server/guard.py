"""Who may ask, and what the log may tell."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from .responses import problem

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["LOOPBACK", "Guard", "WithoutQuery"]

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Guard:
    """Refuse what another site's page asks for in its visitor's name.

    Browsers say where a request comes from; other clients don't, and may ask. With ``hosts``, a name
    that was made to point here (DNS rebinding) is refused as well.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = None) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if self._hosts is not None and _host_in(headers.get("host", "")) not in self._hosts:
                await problem(421, "unknown_host", "this is not that host")(scope, receive, send)
                return
            if scope["method"] not in ("GET", "HEAD") and _is_foreign(headers):
                await problem(403, "foreign_origin", "a page of another site can't ask")(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _host_in(address: str) -> str | None:
    try:
        return urlsplit(f"//{address}").hostname
    except ValueError:
        return None


def _is_foreign(headers: Headers) -> bool:
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


class WithoutQuery(logging.Filter):
    """Take the query strings, where secrets may be, out of uvicorn's access log."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change a record of a request, and let all pass."""
        if isinstance(record.args, tuple) and len(record.args) == 5:
            client, method, path, *rest = record.args
            record.args = (client, method, str(path).partition("?")[0], *rest)
        return True

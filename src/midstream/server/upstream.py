"""Requests to the provider.

They use httpx's transport, not its client: a client would send one user's cookies with the requests of the
next, follow redirects and write URLs to the log.
"""

from __future__ import annotations

import base64
import os
import ssl
from contextlib import aclosing
from typing import TYPE_CHECKING
from urllib.request import getproxies, proxy_bypass

import anyio
import httpx

from .failures import Failure
from .guard import LOOPBACK
from .settings import DEFAULT

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Sequence

    from .settings import Settings

    Headers = Sequence[tuple[bytes, bytes]]

__all__ = [
    "CREDENTIALS",
    "FORMATS_BY_PATH",
    "Unreachable",
    "Upstream",
    "chunks_of",
    "is_event_stream",
    "is_readable",
    "key_in",
    "passed_on",
    "response_headers",
]

FORMATS_BY_PATH = {
    "chat/completions": "openai-chat",
    "messages": "anthropic",
    "responses": "openai-responses",
}
# RFC 9110 section 7.6.1: headers for one connection only
_HOP_BY_HOP = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te",
    b"trailer", b"transfer-encoding", b"upgrade",
}  # fmt: skip
# headers for the gateway itself; browsers send the cookies of every service on this host
_OUR_REQUEST = {b"host", b"content-length", b"cookie", b"last-event-id", b"origin", b"referer"}
_OUR_RESPONSE = {b"date", b"server", b"midstream-stream", b"content-location"}
# headers that describe the encoded body
_OF_BODY = {b"content-encoding", b"content-length"}
# headers with which clients identify themselves
CREDENTIALS = {b"authorization", b"x-api-key", b"x-goog-api-key", b"api-key"}
# the encodings that httpx decodes without further packages; it would pass others on undecoded
_READABLE = {"", "identity", "gzip", "deflate"}


class Unreachable(Exception):  # noqa: N818  # it is converted into a response
    """The upstream does not respond, or its response cannot be passed on."""


def passed_on(headers: Headers, without: Iterable[bytes] = ()) -> list[tuple[bytes, bytes]]:
    """Return the headers that a gateway passes on.

    >>> passed_on([(b"connection", b"x-hop"), (b"x-hop", b"1"), (b"x-api-key", b"k")])
    [(b'x-api-key', b'k')]
    """
    named = {
        name.strip().lower()
        for key, value in headers
        if key.lower() == b"connection"
        for name in value.split(b",")
    }
    dropped = _HOP_BY_HOP | named | set(without)
    return [(key, value) for key, value in headers if key.lower() not in dropped]


def is_event_stream(response: httpx.Response) -> bool:
    """Report whether a response is an event stream."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return response.is_success and kind == "text/event-stream"


def is_readable(response: httpx.Response) -> bool:
    """Report whether a response can be decoded. Compressed twice, two kilobytes can decode to gigabytes."""
    return response.headers.get("content-encoding", "").strip().lower() in _READABLE


def key_in(variable: str | None) -> str | None:
    """Return the key in an environment variable; raise ValueError if it has none."""
    if variable is not None and not os.environ.get(variable):
        raise ValueError(f"the environment variable {variable} is not set")
    return None if variable is None else os.environ[variable]


class Upstream:
    """Send a client's requests to a provider or a compatible server.

    >>> str(Upstream("http://127.0.0.1:9/api?v=2").url_of("messages", "beta=true"))
    'http://127.0.0.1:9/api/v1/messages?v=2&beta=true'
    """

    def __init__(
        self,
        url: str,
        settings: Settings = DEFAULT,
        transport: httpx.AsyncBaseTransport | None = None,
        key: str | None = None,
    ) -> None:
        try:
            base = httpx.URL(url)
        except httpx.InvalidURL:
            base = httpx.URL()
        if base.scheme not in ("http", "https") or not base.host:
            # the message omits the URL, which may contain a password
            raise ValueError("upstream must be an http or https URL")
        self._authorization = b"Basic " + base64.b64encode(base.userinfo) if base.userinfo else None
        self._key = key.encode() if key else None
        self._base = base.copy_with(userinfo=b"", fragment=None)
        seconds = settings.connect_seconds
        self._timeout = {
            "connect": seconds, "pool": seconds, "read": settings.max_seconds, "write": settings.max_seconds,
        }  # fmt: skip
        # without TLS the certificates of all authorities need not be read, which takes 20 ms or more
        trust = True if base.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._transport = transport or httpx.AsyncHTTPTransport(
            verify=trust,
            proxy=_proxy_for(base),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        )

    def url_of(self, path: str, query: str) -> httpx.URL:
        """Return the URL of a path below /v1/."""
        root = self._base.path.rstrip("/").removesuffix("/v1")
        given = self._base.query.decode("ascii")
        joined = "&".join(part for part in (given, query) if part)
        return self._base.copy_with(path=f"{root}/v1/{path}", query=joined.encode() or None)

    def has_credentials(self, headers: Headers) -> bool:
        """Report whether a request with these headers has credentials, its own or the gateway's."""
        return bool(self._key or self._authorization) or any(key.lower() in CREDENTIALS for key, _ in headers)

    def _own_credentials(self, sent: Headers, url: httpx.URL) -> list[tuple[bytes, bytes]]:
        """Return the gateway's credentials for a request that has none."""
        given = {key.lower() for key, _ in sent}
        if self._key and not given & CREDENTIALS:
            if url.path.endswith("/messages"):
                return [(b"x-api-key", self._key)]
            return [(b"authorization", b"Bearer " + self._key)]
        if self._authorization and b"authorization" not in given:
            return [(b"authorization", self._authorization)]
        return []

    async def ask(
        self, method: str, url: httpx.URL, headers: Headers, body: bytes, is_read: bool
    ) -> httpx.Response:
        """Send a request, and return the response as soon as its headers have arrived."""
        own = _OUR_REQUEST | {b"accept-encoding"} if is_read else _OUR_REQUEST
        sent = passed_on(headers, own)
        if is_read:
            sent.append((b"accept-encoding", b"identity"))
        sent += self._own_credentials(sent, url)
        request = httpx.Request(
            method, url, headers=sent, content=body, extensions={"timeout": self._timeout}
        )
        try:
            # limit the total time: the read timeout restarts with every byte
            with anyio.fail_after(self._timeout["read"]):
                response = await self._transport.handle_async_request(request)
        except (TimeoutError, httpx.HTTPError, httpx.InvalidURL):
            raise Unreachable from None
        if _is_usable(response, is_read):
            return response
        await response.aclose()
        raise Unreachable

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()


def _is_usable(response: httpx.Response, is_read: bool) -> bool:
    if not 200 <= response.status_code <= 599:
        return False
    return not (is_read and is_event_stream(response)) or is_readable(response)


def response_headers(response: httpx.Response, is_decoded: bool = False) -> list[tuple[bytes, bytes]]:
    """Return the headers of a response that is passed on, as it came or decoded."""
    headers = passed_on(response.headers.raw, _OUR_RESPONSE | (_OF_BODY if is_decoded else set()))
    if any(key.lower() == b"x-content-type-options" for key, _ in headers):
        return headers
    return [*headers, (b"x-content-type-options", b"nosniff")]


async def chunks_of(response: httpx.Response, is_raw: bool) -> AsyncGenerator[bytes]:
    """Yield a response's body as it arrives, decoded or raw, and close the response at the end."""
    try:
        async with aclosing(response.aiter_raw() if is_raw else response.aiter_bytes()) as chunks:  # type: ignore[type-var]
            async for chunk in chunks:
                yield chunk
    except (httpx.HTTPError, httpx.StreamError):
        raise Failure(
            "upstream_error", "the upstream closed the connection before the end of the stream"
        ) from None
    finally:
        with anyio.CancelScope(shield=True):
            await response.aclose()


def _proxy_for(url: httpx.URL) -> str | None:
    """Return the proxy that the environment configures for a URL."""
    if url.host in LOOPBACK or proxy_bypass(url.host):
        return None
    return getproxies().get(url.scheme)

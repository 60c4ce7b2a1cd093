"""Who may read and cancel a stream."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias

from .upstream import CREDENTIALS

if TYPE_CHECKING:
    from starlette.requests import Request

    from .streams.hub import Hub

__all__ = ["Access", "Authorize", "Owner"]

Owner: TypeAlias = Callable[["Request"], str]
Authorize: TypeAlias = Callable[["Request", Mapping[str, Any]], bool | Awaitable[bool]]

_CREDENTIALS = [name.decode() for name in sorted(CREDENTIALS)]


class Access:
    """Compare the owner of a stream with that of a request, or ask a function of the application.

    The id of a stream alone gives no access. By default, the owner of a request is its credentials.
    """

    def __init__(self, hub: Hub, owner: Owner | None = None, authorize: Authorize | None = None) -> None:
        self._hub = hub
        self._owner = owner
        self._authorize = authorize

    def owner(self, request: Request) -> str:
        """Return a keyed hash that stands for the client of a request."""
        if self._owner is not None:
            name = self._owner(request)
        else:
            name = "\0".join(request.headers.get(header, "") for header in _CREDENTIALS)
        return blake2b(name.encode(), key=self._hub.key, digest_size=16).hexdigest()

    async def allows(self, request: Request, meta: Mapping[str, Any]) -> bool:
        """Report whether a request may read and cancel a stream."""
        if self._authorize is None:
            return bool(meta["owner"] == self.owner(request))
        answer = self._authorize(request, meta.get("given") or {})
        return bool(await answer if isinstance(answer, Awaitable) else answer)

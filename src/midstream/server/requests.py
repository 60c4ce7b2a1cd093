"""What requests say: their bodies, forms and positions; and what is answered instead of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import anyio
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ..errors import JsonStreamError
from ..events.writer import FORMS
from .failures import Busy
from .responses import problem
from .store.base import StoreError
from .streams.derivation import Variant

if TYPE_CHECKING:
    from starlette.requests import Request

    from .._options import Dialect
    from ..events.writer import Form
    from .streams.hub import Hub

__all__ = ["CLIENT_GONE", "HANDLERS", "Refused", "body_of", "dialect_of", "form_of", "refuse", "variant_of"]

# ASGI requires a response even if the client is gone
CLIENT_GONE = Response(status_code=400)


class Refused(Exception):  # noqa: N818  # it carries a response
    """The request is answered with an error."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


async def refuse(request: Request, error: Exception) -> Response:
    """Return the response for an exception of a handler."""
    del request
    match error:
        case Refused():
            return error.response
        case JsonStreamError():
            return problem(400, error.code.value, error.error.message)
        case HTTPException():
            code = {404: "not_found", 405: "not_allowed"}.get(error.status_code, "refused")
            return problem(error.status_code, code, error.detail, dict(error.headers or {}))
        case StoreError():
            return problem(503, "store_lost", "the store cannot be reached", {"retry-after": "1"})
    assert isinstance(error, Busy), "it is the handler of no other exception"
    return problem(error.status, error.code, error.message, {"retry-after": "1"})


HANDLERS = dict.fromkeys((Refused, JsonStreamError, Busy, HTTPException, StoreError), refuse)


def form_of(request: Request) -> Form:
    """Return the form of midstream's events that a request asks for."""
    form = request.query_params.get("form", "full")
    if form not in FORMS:
        raise Refused(problem(400, "invalid_form", "form must be full or compact"))
    return cast("Form", form)


def dialect_of(request: Request, default: Dialect) -> Dialect:
    """Return the dialect in which a request wants arguments to be read."""
    dialect = request.query_params.get("dialect", default)
    if dialect not in ("strict", "lenient"):
        raise Refused(problem(400, "invalid_dialect", "dialect must be strict or lenient"))
    return cast("Dialect", dialect)


def variant_of(request: Request, default: Dialect) -> Variant:
    """Return which events a request asks for, in a dialect if it names one."""
    requested = request.query_params.get("events", "midstream")
    if requested not in ("midstream", "both"):
        why = "events must be midstream or both; for the provider's own events use /provider/v1/..."
        raise Refused(problem(400, "invalid_events", why))
    return Variant(False, requested == "both", form_of(request), dialect_of(request, default))


async def body_of(request: Request, hub: Hub, owner: str) -> bytes:
    """Read a request's body within the limits; it counts as a stream until it has arrived."""
    body = bytearray()
    try:
        with hub.reserved(owner), anyio.fail_after(hub.settings.body_seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > hub.settings.max_body:
                    raise Refused(problem(413, "body_limit", "the body is longer than max_body"))
    except TimeoutError:
        why = "the body takes longer than body_seconds"
        raise Refused(problem(408, "time_limit", why, {"connection": "close"})) from None
    except ClientDisconnect:
        raise Refused(CLIENT_GONE) from None
    return bytes(body)

"""``Idempotency-Key``: a request that is sent again joins the stream that it started the first time."""

from __future__ import annotations

import asyncio
import json
import time
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from .requests import Refused
from .responses import problem
from .streams.hub import new_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from .streams.channel import Channel
    from .streams.hub import Hub

__all__ = ["Claim", "claim_of"]

# how often a stream is looked for that another request is about to start
_POLL_SECONDS = 0.05


class Claim(NamedTuple):
    """The stream of a request: one to join, or the id of the one that it has to start."""

    id: str | None = None
    joined: Channel | None = None
    # where the id is bound in the store
    name: str | None = None


async def claim_of(request: Request, body: bytes, owner: str, hub: Hub) -> Claim:
    """Return the stream that a request starts or joins; only keyed hashes of key and body are stored."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return Claim()

    def hashed(*parts: bytes) -> str:
        digest = blake2b(key=hub.key, digest_size=16)
        for part in parts:
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.hexdigest()

    async def is_own(meta: Mapping[str, Any]) -> bool:
        return bool(meta["owner"] == owner)

    name = f"request:{hashed(owner.encode(), key.encode())}"
    path = f"{request.url.path}?{request.url.query}".encode()
    asked, id = hashed(path, body), new_id()
    settings = hub.settings
    while True:
        # how long the stream of the request may run and then be kept
        seconds = settings.max_seconds + settings.ttl
        bound = await hub.store.bind(name, json.dumps([id, asked, time.time(), hub.worker]), seconds)
        other, before, since, worker = json.loads(bound)
        if other == id:
            return Claim(id, None, name)
        if before != asked:
            why = "the key was used for another request; use a new key for each request"
            raise Refused(problem(422, "key_reused", why))
        if (channel := await hub.find(other, is_own)) is not None:
            return Claim(other, channel, name)
        if time.time() - since > settings.max_seconds or worker not in await hub.store.living([worker]):
            # it has expired, or was never started: this is a new run
            await hub.store.unbind(name)
        else:
            await asyncio.sleep(_POLL_SECONDS)

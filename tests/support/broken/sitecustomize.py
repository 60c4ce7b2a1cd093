"""Break the relay in one way, to show that the chaos test notices it: only on the path of such a test."""

# mypy: ignore-errors

from __future__ import annotations

import os

BROKEN = os.environ.get("MIDSTREAM_BROKEN")

if BROKEN == "no fencing":
    # a writer that was replaced appends to the log as it is now
    from midstream.server.store import redis_scripts

    redis_scripts.APPEND = redis_scripts.APPEND.replace(
        "if state[1] ~= ARGV[1] then return 'fenced' end",
        "if state[1] ~= ARGV[1] then ARGV[1] = state[1]; ARGV[2] = state[2] end",
    )
elif BROKEN == "pub/sub only":
    # readers rely on messages, which may be lost
    from midstream.server.store import redis as module

    async def read(self, id, after=0):
        async with self._subscribed(module.redis_keys.channel_of(id)) as inbox:
            following = after + 1
            async for batch in self._logged(id, following):
                yield batch
                following = batch.first + len(batch.events)
                if batch.end is not None:
                    return
            while True:
                payload = await inbox.get()
                if not payload:
                    continue
                batch = module.unpacked(payload)
                if batch.first + len(batch.events) > following or batch.end is not None:
                    yield module.Batch(following, batch.events, batch.end)
                    following += len(batch.events)
                    if batch.end is not None:
                        return

    module.RedisStore.read = read
elif BROKEN == "no lease":
    # nobody notices that a worker has died
    from midstream.server.store import redis as module
    from midstream.server.store import sqlite

    async def living(self, workers):
        return set(workers)

    module.RedisStore.living = sqlite.SqliteStore.living = living
elif BROKEN == "second POST":
    # a client that comes back starts its request again
    from midstream.server import addresses

    async def resumed(self, request, variant):
        return None

    addresses.Addresses.resumed = resumed

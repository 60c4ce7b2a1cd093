"""Run the chaos test with a store."""

from __future__ import annotations

import asyncio
import random
import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from chaos import FAULTS, FULL, REDIS_FAULTS, Chaos, Upstream
from redis_server import running_redis
from relay_stage import workers
from tcp_proxy import Proxy
from test_server import running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from chaos import Report, Size

__all__ = ["run_chaos"]

# short, so that a stopped worker loses its lease in a short test
_LEASE = 1.5


@contextmanager
def _proxied(port: int) -> Iterator[tuple[Proxy, asyncio.AbstractEventLoop]]:
    """Run a proxy in a thread of its own while the context lasts."""
    proxy, ready = Proxy(port), threading.Event()
    stopping = asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        async with proxy:
            ready.set()
            await stopping.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield proxy, loops[0]
    finally:
        loops[0].call_soon_threadsafe(stopping.set)
        thread.join(10)


def run_chaos(
    store: str,
    folder: Path,
    seed: int,
    faults: Sequence[str] | None = None,
    rounds: int | None = None,
    count: int = 3,
    patience: float = 30.0,
    pace: float = 0.02,
    size: Size = FULL,
) -> Report:
    """Run rounds of faults, in an order that the seed determines."""
    upstream = Upstream()
    known = FAULTS if store == "sqlite" else REDIS_FAULTS
    chosen = [*(faults or known)]
    with ExitStack() as stack:
        url = stack.enter_context(running(upstream))
        redis = proxied = None
        if store == "sqlite":
            address = f"sqlite:///{folder}/store.db"
        else:
            is_empty = "redis restarts empty" in chosen
            kept = () if is_empty else ("--appendonly", "yes", "--appendfsync", "always")
            redis = stack.enter_context(running_redis(folder, *kept))
            proxied = stack.enter_context(_proxied(redis.port))
            address = f"redis://127.0.0.1:{proxied[0].port}/0"
        gateway = stack.enter_context(
            workers(url, address, count, lease=_LEASE, heartbeat=0.5, ttl=30, drain=4)
        )

        async def disturb(how: str) -> None:
            assert proxied is not None, "only with Redis"
            proxy, loop = proxied
            if how == "freeze":
                await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(proxy.freeze(0.5), loop))
            else:
                loop.call_soon_threadsafe(proxy.cut if how == "cut" else proxy.half_close)

        chaos = Chaos(gateway, upstream, seed, redis, disturb, patience, pace, size)
        chaos_random = random.Random(seed)
        if faults is None:
            chaos_random.shuffle(chosen)
        if rounds is not None:
            chosen = (chosen * rounds)[:rounds]
        return asyncio.run(chaos.run(chosen))

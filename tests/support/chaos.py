"""Chaos: a gateway of several workers, 40 clients or fewer, and faults in an order that a seed determines.

Each round starts some streams and their clients, causes one fault while the streams are under way, and then
compares what every client has received with what follows from the provider's own log.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
import redis

from background_provider import BackgroundProvider, raw_events
from chaos_clients import Client, Run, violations_of
from midstream.server.store.redis_batches import unpacked
from relay_stage import CountingUpstream
from tcp_proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from redis_server import RedisServer
    from relay_stage import Workers

__all__ = ["FAULTS", "FULL", "REDIS_FAULTS", "Chaos", "Report", "Size", "Upstream"]

_KINDS = ("post", "post with key", "follow", "follow", "follow", "late", "slow", "follow")
_PACE = 0.02
_HEADERS = {"authorization": "Bearer chaos"}


class Upstream:
    """Both providers: one whose streams are lost with their connections, and one that keeps them."""

    def __init__(self) -> None:
        self.plain = CountingUpstream()
        self.background = BackgroundProvider()

    def let_end(self, may_end: bool) -> None:
        """Let streams end, or make them wait, so that they are open when a fault is caused."""
        for provider in (self.plain, self.background):
            (provider.may_end.set if may_end else provider.may_end.clear)()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request to one of them."""
        provider: Any = self.background if scope["path"].startswith("/v1/responses") else self.plain
        await provider(scope, receive, send)


class Size(NamedTuple):
    """How much there is in a round: streams of each provider, with eight clients each, and their events."""

    plain: int = 3
    background: int = 2
    events: int = 100


FULL = Size()


@dataclass
class Report:
    """What has happened."""

    seed: int
    faults: list[str] = field(default_factory=list)
    kills: int = 0
    clients: int = 0
    events: int = 0
    runs: list[int] = field(default_factory=list)
    # for clients that a kill affects: the longest time without an event after it
    times: list[float] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def quantile(self, part: float) -> float:
        """Return a quantile of the times."""
        times = sorted(self.times) or [0.0]
        return times[min(len(times) - 1, round(part * (len(times) - 1)))]

    def line(self) -> str:
        """Return a line for a table."""
        wrong = [sum(word in one for one in self.violations) for word in ("gap", "duplicate")]
        times = " / ".join(f"{self.quantile(part):.2f}" for part in (0.5, 0.99, 1))
        runs = max(self.runs, default=0)
        counts = (self.seed, len(self.faults), self.kills, self.clients, self.events, *wrong, times, runs)
        return f"| {' | '.join(map(str, counts))} |"


class Chaos:
    """Cause faults in a gateway."""

    def __init__(
        self,
        gateway: Workers,
        upstream: Upstream,
        seed: int,
        redis: RedisServer | None = None,
        redis_proxy: Callable[[str], Awaitable[None]] | None = None,
        patience: float = 30.0,
        pace: float = _PACE,
        size: Size = FULL,
    ) -> None:
        self._gateway = gateway
        self._upstream = upstream
        self._redis = redis
        self._redis_proxy = redis_proxy
        self._patience = patience
        self._pace = pace
        self._size = size
        self._source = random.Random(seed)
        self._workers = len(gateway.pids())
        self._killed: list[tuple[float, set[str]]] = []
        self._proxy: Proxy | None = None
        self.report = Report(seed)

    async def run(self, faults: Sequence[str]) -> Report:
        """Run a round for each fault."""
        async with AsyncExitStack() as stack:
            self._proxy = await stack.enter_async_context(Proxy(self._gateway.port))
            for number, fault in enumerate(faults):
                await self._round(number, fault)
                self.report.faults.append(fault)
        return self.report

    # rounds

    def _runs(self, number: int, count: int) -> list[Run]:
        prefix = f"{self.report.seed}-{self._gateway.port}-{number}"
        runs = []
        for n in range(self._size.plain):
            name = f"plain-{prefix}-{n}"
            body = {"stream": True, "model": f"{name}:{count}:{self._pace}"}
            raw = [*CountingUpstream.events(count)]
            runs.append(Run(name, "chat/completions", body, raw, "openai-chat"))
        for n in range(self._size.background):
            name = f"kept-{prefix}-{n}"
            body = {"stream": True, "background": True, "model": f"{name}:{count}:{self._pace}"}
            runs.append(Run(name, "responses", body, raw_events(name, count), "openai-responses"))
        return runs

    async def _round(self, number: int, fault: str) -> None:
        assert self._proxy is not None, "it is there while rounds run"
        base = f"http://127.0.0.1:{self._proxy.port}"
        # a worker that is stopped wakes up while its streams are going on
        runs = self._runs(number, self._size.events * (3 if fault == "stop long" else 1))
        source = self._source
        self._upstream.let_end(False)
        clients: list[Client] = []
        tasks: list[asyncio.Task[None]] = []
        for run in runs:
            first = Client(_KINDS[len(clients) // 8 % 2], run, source)
            tasks.append(asyncio.create_task(first.follow(base)))
            clients.append(first)
            await self._until(lambda first=first: first.events)  # type: ignore[misc]
            for kind in _KINDS[1:]:
                client = Client("follow" if kind.startswith("post") else kind, run, source)
                wait = source.uniform(0.2, 1.2) if kind == "late" else 0
                tasks.append(asyncio.create_task(self._later(client, base, first.stream, wait)))
                clients.append(client)
        cancelled = clients[source.randrange(self._size.plain) * 8] if source.random() < 0.5 else None
        if cancelled is not None:
            tasks.append(asyncio.create_task(self._cancel(base, cancelled.stream, source.uniform(0.8, 1.4))))
        await asyncio.sleep(source.uniform(0.2, 0.6))
        await self._cause(fault, runs)
        _, open_ = await asyncio.wait(tasks, timeout=self._patience)
        for task in open_:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._check(runs, clients, cancelled, fault)
        await self._until(lambda: len(self._gateway.pids()) == self._workers)

    async def _later(self, client: Client, base: str, stream: str, wait: float) -> None:
        await asyncio.sleep(wait)
        await client.follow(base, stream)

    async def _cancel(self, base: str, stream: str, wait: float) -> None:
        await asyncio.sleep(wait)
        async with httpx.AsyncClient(timeout=2, headers=_HEADERS) as client:
            for _ in range(20):
                with suppress(httpx.HTTPError):
                    if (await client.delete(f"{base}/v1/streams/{stream}")).status_code == 202:
                        return
                await asyncio.sleep(0.1)

    async def _until(self, condition: Callable[[], object]) -> None:
        end = time.monotonic() + self._patience
        while not condition():
            if time.monotonic() > end:
                self.report.violations.append("it did not happen in time")
                return
            await asyncio.sleep(0.01)

    # checks

    async def _check(
        self, runs: Sequence[Run], clients: Sequence[Client], cancelled: Client | None, fault: str
    ) -> None:
        report = self.report
        asked = [*self._upstream.plain.requests, *self._upstream.background.requests]
        for run in runs:
            report.runs.append(asked.count(run.name))
            own = [client for client in clients if client.run_of is run]
            losses = {"producer_lost"} if fault in _LOSING and run.path != "responses" else set()
            if fault == "redis restarts empty":
                losses |= {"history_lost", "store_lost"}
            is_cancelled = cancelled is not None and cancelled.run_of is run
            for client in own:
                report.violations += [
                    f"{fault}: {one}" for one in violations_of(client, is_cancelled, frozenset(losses))
                ]
            last = [client.events[-2] for client in own if client.is_over]
            ends = {event.data if event.event == "error" else "" for event in last}
            if len(ends) > 1 and "history_lost" not in losses:
                report.violations.append(f"{fault}: {run.name}: the viewers see different ends: {ends}")
            if run.path == "responses" and own[0].is_over:
                await self._check_connections(own[0].stream, run.name)
            if self._redis is not None and own[0].stream:
                await asyncio.to_thread(self._check_log, self._redis.port, own[0].stream, run.name)
        report.violations += [f"{fault}: {n} runs for one POST" for n in report.runs[-len(runs) :] if n != 1]
        report.clients += len(clients)
        report.events += sum(len(client.events) for client in clients)
        self._measure(clients)

    async def _check_connections(self, stream: str, name: str) -> None:
        """Check that the writers of a log have followed each other: none has written after the next one."""
        url = f"{self._gateway.url}/provider/v1/streams/{stream}"
        async with httpx.AsyncClient(timeout=self._patience, headers=_HEADERS) as client:
            try:
                text = (await client.get(url)).text
            except httpx.HTTPError:
                # the stream has ended with an error, which its viewers have reported
                return
        events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
        numbers = [int(event["obfuscation"]) for event in events]
        if numbers != sorted(numbers):
            self.report.violations.append(f"{name}: written after fencing: {numbers}")
        if [event["sequence_number"] for event in events] != list(range(len(events))):
            self.report.violations.append(f"{name}: a gap or duplicate in the log")

    def _check_log(self, port: int, stream: str, name: str) -> None:
        """Check that every append in Redis continues the one before it."""
        following = 1
        with redis.Redis(port=port) as client:
            for _, fields in client.xrange(f"midstream:{{{stream}}}:log"):
                batch = unpacked(fields[b"b"])
                if batch.first != following:
                    self.report.violations.append(
                        f"{name}: written after fencing: {batch.first}, not {following}"
                    )
                    return
                following = batch.first + len(batch.events)

    def _measure(self, clients: Sequence[Client]) -> None:
        for at, lost in self._killed:
            for client in clients:
                is_affected = client.run_of.name in lost or any(
                    at < t < at + 3 for t in client.connected_at[1:]
                )
                if client.kind == "slow" or not is_affected or client.times[0] > at:
                    continue
                # the longest silence that begins within a time after it
                pairs = pairwise([at, *(t for t in client.times if t > at)])
                self.report.times.append(max((b - a for a, b in pairs if a < at + 3), default=0.0))
        self._killed.clear()

    # faults

    def _producer(self, run: Run) -> int | None:
        kept = run.path == "responses"
        ports = (self._upstream.background if kept else self._upstream.plain).ports
        return self._gateway.process_of(*ports[run.name])

    async def _cause(self, fault: str, runs: Sequence[Run]) -> None:
        assert self._proxy is not None, "it is there while rounds run"
        producers = {run.name: self._producer(run) for run in runs}
        self._upstream.let_end(True)
        match fault:
            case "kill" | "kill two" | "drain":
                for _ in range(2 if fault == "kill two" else 1):
                    pids = [pid for pid in self._gateway.pids() if pid in producers.values()]
                    pid = self._source.choice(pids or self._gateway.pids())
                    lost = {name for name, one in producers.items() if one == pid}
                    if fault != "drain":
                        self._killed.append((time.monotonic(), lost))
                        self.report.kills += 1
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGTERM if fault == "drain" else signal.SIGKILL)
                    await asyncio.sleep(0.4)
            case "stop" | "stop long":
                kept = [producers[run.name] for run in runs if run.path == "responses"]
                pid = self._source.choice([one for one in kept if one] or self._gateway.pids())
                os.kill(pid, signal.SIGSTOP)
                await asyncio.sleep(2.6 if fault == "stop long" else 0.3)
                os.kill(pid, signal.SIGCONT)
            case "cut":
                self._proxy.cut()
            case "half-close":
                self._proxy.half_close()
            case "freeze":
                await self._proxy.freeze(0.8)
            case "redis cut" | "redis freeze" | "redis half-close":
                assert self._redis_proxy is not None, "only with Redis"
                await self._redis_proxy(fault.removeprefix("redis "))
            case "redis restarts" | "redis restarts empty":
                assert self._redis is not None, "only with Redis"
                self._redis.kill()
                await asyncio.sleep(0.3)
                await asyncio.to_thread(self._redis.start)


# faults that end a stream whose upstream cannot be resumed
_LOSING = ("kill", "kill two", "drain", "stop long")
FAULTS = ("kill", "kill two", "stop", "cut", "half-close", "freeze", "drain")
REDIS_FAULTS = (*FAULTS, "stop long", "redis cut", "redis freeze", "redis half-close", "redis restarts")

"""Measure the gateway: processor time per event, against a bare application, and what each store costs.

``python benchmarks/relay.py`` prints two tables. It needs the extras ``server`` and ``redis``, Linux, and for
the Redis store ``redis-server``. All streams go through real HTTP on the loopback interface; processor time
comes from /proc, so that other programs disturb it little.

A recording is replayed, or relayed from an upstream, to many clients at the same time. The bare application
sends the bytes of the same events, one ASGI message for each, at the same pace; "reading" is a process that
reads them with httpx and does nothing with them.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import httpx

from midstream.server.store.base import End
from midstream.server.store.urls import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
RECORDING = "trip"
STREAMS, ROUNDS, PACE = 60, 5, 40
EVENTS, STORED = 20_000, 16
_TICKS = os.sysconf("SC_CLK_TCK")

_GATEWAY = """
import sys
from midstream.server import Settings, serve
settings = Settings(pace=float(sys.argv[2]), drain=0)
serve(port=0, upstream=sys.argv[1] or None, settings=settings, log_level="warning",
      on_ready=lambda url: print(url, flush=True))
"""
# sends prepared bytes, one message for each event, at a pace
_BARE = """
import asyncio, json, sys, uvicorn
events = [event.encode("latin-1") for event in json.loads(sys.stdin.readline())]
pace = float(sys.argv[1])
async def app(scope, receive, send):
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    loop = asyncio.get_running_loop()
    due = loop.time()
    for event in events:
        await send({"type": "http.response.body", "body": event, "more_body": True})
        due = max(due + 1 / pace, loop.time())
        await asyncio.sleep(max(due - loop.time(), 0))
    await send({"type": "http.response.body", "body": b"", "more_body": False})
class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print("http://127.0.0.1:%d" % self.servers[0].sockets[0].getsockname()[1], flush=True)
Server(uvicorn.Config(app, port=0, log_level="warning", ws="none", lifespan="off")).run()
"""
# reads streams at the same time, and prints its own processor time
_READER = """
import asyncio, sys, time, httpx
url, method, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
async def main():
    transport = httpx.AsyncHTTPTransport(limits=httpx.Limits(max_connections=None))
    async def read():
        body = b'{"stream": true}' if method == "POST" else None
        request = httpx.Request(method, url, content=body, headers={"host": "localhost"})
        response = await transport.handle_async_request(request)
        async for chunk in response.aiter_raw(): pass
        await response.aclose()
    await asyncio.gather(*(read() for _ in range(count)))
asyncio.run(main()) if count else None
print(time.process_time())
"""


@contextmanager
def started(program: str, *arguments: str, given: str = "") -> Iterator[tuple[str, int]]:
    """Run a server while the context lasts; yield its address and its process."""
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{given}\n")
        process.stdin.flush()
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()


def seconds_of(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def read(url: str, method: str = "GET", count: int = STREAMS) -> float:
    """Read streams in another process; return its processor time."""
    command = [sys.executable, "-c", _READER, url, method, str(count)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def per_event(url: str, pid: int, events: int, method: str = "GET") -> tuple[float, float]:
    """Return the microseconds per event of a server and of its reader, the median of some rounds."""
    read(url, method, 3)
    idle = read(url, method, 0)
    found = []
    for _ in range(ROUNDS):
        before = seconds_of(pid)
        reading = read(url, method) - idle
        found.append((seconds_of(pid) - before, reading))
    count = STREAMS * events / 1e6
    return median(one for one, _ in found) / count, median(one for _, one in found) / count


def cut(data: bytes) -> list[str]:
    """Return the events of a stream."""
    return [f"{event}\n\n" for event in data.decode("latin-1").split("\n\n") if event]


def speed() -> list[tuple[str, float]]:
    """Measure replaying and relaying."""
    import json

    from midstream import recordings

    raw = [block.decode("latin-1") for block in recordings.load(RECORDING).blocks()]
    with ExitStack() as stack:
        gateway, pid = stack.enter_context(started(_GATEWAY, "", str(PACE)))
        address = f"{gateway}/api/recordings/{RECORDING}/events"
        derived = cut(httpx.get(f"{address}?pace=0", timeout=60).content)
        replayed, _ = per_event(address, pid, len(raw))
        bare, bare_pid = stack.enter_context(started(_BARE, str(PACE), given=json.dumps(derived)))
        sending, _ = per_event(bare, bare_pid, len(derived))
        upstream, upstream_pid = stack.enter_context(started(_BARE, str(PACE), given=json.dumps(raw)))
        _, reading = per_event(upstream, upstream_pid, len(raw))
        relay, relay_pid = stack.enter_context(started(_GATEWAY, upstream, str(PACE)))
        path = "/v1/chat/completions"
        relayed, _ = per_event(f"{relay}{path}", relay_pid, len(raw), "POST")
        provider, _ = per_event(f"{relay}/provider{path}", relay_pid, len(raw), "POST")
    per_raw = len(derived) / len(raw)
    base = sending * per_raw
    return [
        ("a bare uvicorn application", base),
        ("a recording, replayed", replayed),
        ("replayed, as a multiple", replayed / base),
        ("reading with httpx", reading),
        ("reading and bare sending", reading + base),
        ("an upstream, relayed as midstream's events", relayed),
        ("relayed, as a multiple", relayed / (reading + base)),
        ("an upstream, relayed unchanged", provider),
        ("relayed unchanged, as a multiple", provider / (reading + sending)),
    ]


async def stored(url: str, server: int | None) -> tuple[float, float, float, float, float]:
    """Return microseconds per event: writer, reader, server; and the times of an append in ms."""
    writer, reader = open_store(url), open_store(url)
    await writer.start("writer")
    if writer.is_shared:
        await reader.start("reader")
    else:
        reader = writer
    event = b"data: " + b"x" * 180 + b"\n\n"
    times: list[float] = []
    count = EVENTS // STORED

    async def write(id: str) -> None:
        for number in range(1, count + 1):
            start = time.perf_counter()
            await writer.append(id, 1, number, [event], End() if number == count else None)
            times.append(time.perf_counter() - start)

    async def follow(id: str) -> None:
        async for _ in reader.read(id):
            pass

    async def measured(*tasks: Any) -> tuple[float, float]:
        before, used = 0.0 if server is None else seconds_of(server), time.process_time()
        await asyncio.gather(*tasks)
        after = 0.0 if server is None else seconds_of(server)
        return (time.process_time() - used) / EVENTS * 1e6, (after - before) / EVENTS * 1e6

    ids = [f"s{number}" for number in range(STORED)]
    for id in ids:
        await writer.create(id, {})
    writing, on_server = await measured(*map(write, ids))
    reading, _ = await measured(*map(follow, ids))
    if reader is not writer:
        await reader.close()
    await writer.close()
    times.sort()
    return writing, reading, on_server, median(times) * 1e3, times[len(times) * 99 // 100] * 1e3


def main() -> None:
    """Print the tables."""
    sys.path.append(str(ROOT / "tests" / "support"))
    from redis_server import running_redis

    print(f"{STREAMS} streams at the same time, {PACE} events/s each; processor time per event\n")
    print("| | µs per event of the provider |\n| --- | ---: |")
    for name, value in speed():
        print(f"| {name} | {f'{value:.2f} ×' if 'multiple' in name else f'{value:.0f}'} |", flush=True)
    print(f"\n{STORED} streams appended at the same time, one event per append\n")
    print("| store | writer µs | reader µs | server µs | append p50 ms | p99 ms |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    with TemporaryDirectory() as folder, running_redis(Path(folder)) as redis:
        assert redis._process is not None
        urls = ("memory:", None), (f"sqlite:///{folder}/store.db", None), (redis.url, redis._process.pid)
        for url, server in urls:
            values = asyncio.run(stored(url, server))
            shown = " | ".join(f"{value:.1f}" for value in values)
            print(f"| {url.partition(':')[0]} | {shown} |", flush=True)


if __name__ == "__main__":
    main()

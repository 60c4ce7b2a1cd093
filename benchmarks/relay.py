"""Measure the gateway: processor time per event, against a bare application, and what each store costs.

    python benchmarks/relay.py [--quick]

It needs Linux, and for the Redis store ``redis-server``. All streams go through real HTTP on the loopback
interface; processor time comes from /proc, so that other programs disturb it little.

A recording is replayed, or relayed from an upstream, to many clients at the same time. The bare application
sends the bytes of the same events, one ASGI message for each, at the same pace; "reading" is a process that
reads them with httpx and does nothing with them.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import httpx

from midstream import recordings
from midstream.server.store.base import End
from midstream.server.store.urls import open_store
from report import Report, main, number, table, times

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


def per_event(url: str, pid: int, events: int, rounds: int, method: str = "GET") -> tuple[float, float]:
    """Return the microseconds per event of a server and of its reader, the median of some rounds."""
    read(url, method, 3)
    idle = read(url, method, 0)
    found = []
    for _ in range(rounds):
        before = seconds_of(pid)
        reading = read(url, method) - idle
        found.append((seconds_of(pid) - before, reading))
    count = STREAMS * events / 1e6
    return median(one for one, _ in found) / count, median(one for _, one in found) / count


def cut(data: bytes) -> list[str]:
    """Return the events of a stream."""
    return [f"{event}\n\n" for event in data.decode("latin-1").split("\n\n") if event]


def speed(report: Report, rounds: int) -> str:
    """Measure replaying and relaying, and return the table; the targets are added to the report."""
    raw = [block.decode("latin-1") for block in recordings.load(RECORDING).blocks()]
    with ExitStack() as stack:
        gateway, pid = stack.enter_context(started(_GATEWAY, "", str(PACE)))
        address = f"{gateway}/api/recordings/{RECORDING}/events"
        derived = cut(httpx.get(f"{address}?pace=0", timeout=60).content)
        replayed, _ = per_event(address, pid, len(raw), rounds)
        bare, bare_pid = stack.enter_context(started(_BARE, str(PACE), given=json.dumps(derived)))
        sending, _ = per_event(bare, bare_pid, len(derived), rounds)
        upstream, upstream_pid = stack.enter_context(started(_BARE, str(PACE), given=json.dumps(raw)))
        _, reading = per_event(upstream, upstream_pid, len(raw), rounds)
        relay, relay_pid = stack.enter_context(started(_GATEWAY, upstream, str(PACE)))
        path = "/v1/chat/completions"
        relayed, _ = per_event(f"{relay}{path}", relay_pid, len(raw), rounds, "POST")
        provider, _ = per_event(f"{relay}/provider{path}", relay_pid, len(raw), rounds, "POST")
    base = sending * len(derived) / len(raw)
    both = reading + base
    report.targets.at_most("a recording, replayed, against a bare application", replayed / base, 2)
    report.targets.at_most("an upstream, relayed, against reading and bare sending", relayed / both, 1.3)
    rows = [
        ("a bare uvicorn application that sends prepared bytes", base, ""),
        ("a recording, replayed", replayed, f"{times(replayed / base)} the bare application"),
        ("reading with httpx, and bare sending", both, ""),
        (
            "an upstream, relayed as midstream's events",
            relayed,
            f"{times(relayed / both)} reading and sending",
        ),
        ("an upstream, relayed unchanged", provider, f"{times(provider / (reading + sending))} that"),
    ]
    cells = [[name, number(value), compared] for name, value, compared in rows]
    return table([f"{STREAMS} streams at once, {PACE} events/s each", "µs for each event", "compared"], cells)


async def stored(url: str, server: int | None, events: int) -> tuple[float, float, float, float, float]:
    """Return microseconds per event: writer, reader, server; and the times of an append in ms."""
    writer, reader = open_store(url), open_store(url)
    await writer.start("writer")
    if writer.is_shared:
        await reader.start("reader")
    else:
        reader = writer
    event = b"data: " + b"x" * 180 + b"\n\n"
    times: list[float] = []
    count = events // STORED

    async def write(id: str) -> None:
        for index in range(1, count + 1):
            start = time.perf_counter()
            await writer.append(id, 1, index, [event], End() if index == count else None)
            times.append(time.perf_counter() - start)

    async def follow(id: str) -> None:
        async for _ in reader.read(id):
            pass

    async def measured(*tasks: Any) -> tuple[float, float]:
        before, used = 0.0 if server is None else seconds_of(server), time.process_time()
        await asyncio.gather(*tasks)
        after = 0.0 if server is None else seconds_of(server)
        return (time.process_time() - used) / events * 1e6, (after - before) / events * 1e6

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


def stores(events: int) -> str:
    """Measure the stores, and return the table."""
    head = [
        f"{STORED} streams appended at once",
        "writer, µs",
        "reader, µs",
        "server, µs",
        "p50, ms",
        "p99, ms",
    ]
    rows = []
    with TemporaryDirectory() as folder, ExitStack() as stack:
        urls: list[tuple[str, int | None]] = [("memory:", None), (f"sqlite:///{folder}/store.db", None)]
        if shutil.which("redis-server") is not None:
            sys.path.append(str(ROOT / "tests" / "support"))
            from redis_server import running_redis

            redis = stack.enter_context(running_redis(Path(folder)))
            assert redis._process is not None
            urls.append((redis.url, redis._process.pid))
        for url, server in urls:
            values = asyncio.run(stored(url, server, events))
            rows.append([f"`{url.partition(':')[0]}:`", *map(number, values)])
    if len(urls) < 3:
        rows.append(["`redis:` (redis-server is missing)", *"-----"])
    return table(head, rows)


def measure(quick: bool) -> Report:
    """Measure, and return the tables."""
    report = Report("14. The gateway")
    report.parts.append(speed(report, 1 if quick else ROUNDS))
    report.parts.append(stores(EVENTS // 10 if quick else EVENTS))
    report.parts.append(
        "Processor time. A writer appends one event each time, without a pause; p50 and p99 are the times of "
        "one append."
    )
    return report


if __name__ == "__main__":
    main(measure)

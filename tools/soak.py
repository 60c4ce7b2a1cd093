"""Measure what a hundred thousand streams leave: memory, objects, files, tasks.

``python tools/soak.py [STREAMS]`` runs so many in this process, sync and async, and a twentieth of that
through the gateway. They end in every way: complete, cut off, with bad text, by an error of the source or of
the reader, closed early, forgotten, cancelled. The program fails if more remains than the bounds below allow.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import sys
import time
import tracemalloc
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.lowlevel

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / folder) for folder in ("tests/support", "tests", "tests/server")]

from builds import BUILDS, PLAIN
from test_faults import MORE_WAYS, WAYS, Boom, Pauses, Source, Way, way_of
from test_server_faults import a_hundred_vanish, ask, events_in, hostile, running

if TYPE_CHECKING:
    from collections.abc import Callable

ENDINGS = ("complete", "cut", "bad", "source fails", "closed", "reader fails", "forgotten")
BATCH = 500
# what may be more afterwards: kilobytes of memory (an allocator keeps some for later), objects, and bytes
# that Python has allocated
KILOBYTES = 3_000
GATEWAY_KILOBYTES = 6_000
OBJECTS = 100
# caches of what it is made of come and go
GATEWAY_OBJECTS = 500
TRACED = 50_000


class Streams:
    """Run streams of all kinds, one after the other or many at once."""

    def __init__(self, midstream: Any) -> None:
        self._midstream = midstream
        self._ways = {name: way_of(midstream, name) for name in (*WAYS, *MORE_WAYS)}
        self._source = random.Random(100_000)

    def _next(self, endings: tuple[str, ...]) -> tuple[Way, str, Source, int, Callable[[Any], object]]:
        """Choose a stream: a way, an ending, a source, when that comes, and what takes the outputs."""
        name, ending = self._source.choice(tuple(self._ways)), self._source.choice(endings)
        way = self._ways[name]
        place = self._source.randrange(len(way.items) + 1)
        if ending == "cut":
            way = way._replace(items=way.items[:place])
        elif ending == "bad":
            way = way._replace(items=[*way.items[:place], *self._bad(way.items[0]), *way.items[place:]])
        source = Source(way, place if ending == "source fails" else None, Boom())
        handler = self._midstream.ToolsAggregateMessageHandler()
        take = handler.add_message if name == "middleware" else repr
        return way, ending, source, place, take

    @staticmethod
    def _bad(item: Any) -> list[Any]:
        return [b"\xff" * 10 if isinstance(item, bytes) else "\x00" if isinstance(item, str) else {"a": ...}]

    def run(self, count: int) -> None:
        for _ in range(count):
            way, ending, source, place, take = self._next(ENDINGS)
            with suppress(Boom, ValueError, TypeError):
                reading = way.read(source.items())
                for number, output in enumerate(reading):
                    take(output)
                    if number == place and ending == "reader fails":
                        raise Boom
                    if number == place and ending in ("closed", "forgotten"):
                        break
                if ending == "closed":
                    reading.close()

    def arun(self, count: int, backend: str) -> None:
        anyio.run(self._all, count, backend, backend=backend)

    async def _all(self, count: int, backend: str) -> None:
        # what is forgotten trio complains of, rightly
        endings = (*ENDINGS[:-1], "cancelled") if backend == "trio" else (*ENDINGS, "cancelled")
        async with anyio.create_task_group() as group:
            for _ in range(count):
                group.start_soon(self._one, *self._next(endings))
        if backend == "asyncio":
            # what was forgotten is closed by tasks of the loop
            async with asyncio.timeout(60):
                while len(asyncio.all_tasks()) > 1:
                    await asyncio.sleep(0)

    async def _one(
        self, way: Way, ending: str, source: Source, place: int, take: Callable[[Any], object]
    ) -> None:
        with suppress(Boom, ValueError, TypeError), anyio.CancelScope() as scope:
            pauses = Pauses(1 + place if ending == "cancelled" else 0, scope.cancel)
            reading = way.aread(source.aitems(pauses))
            if ending == "forgotten":
                async for output in reading:
                    take(output)
                    return
            async with aclosing(reading):
                number = 0
                async for output in reading:
                    take(output)
                    await pauses()
                    if number == place and ending == "reader fails":
                        raise Boom
                    if number == place and ending == "closed":
                        break
                    number += 1

    def mixed(self, count: int) -> None:
        """Run half of them sync, and of the others some on trio."""
        for batch in range(max(1, count // BATCH)):
            if batch % 2 == 0:
                self.run(BATCH)
            else:
                self.arun(BATCH, "trio" if batch % 8 == 7 else "asyncio")


def resident() -> int:
    """Return the kilobytes that this process has in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") // 1024


def state() -> dict[str, int]:
    gc.collect()
    files = len(list(Path("/proc/self/fd").iterdir()))
    return {"kB": resident(), "objects": len(gc.get_objects()), "files": files}


def in_process(midstream: Any, name: str, count: int) -> list[str]:
    streams = Streams(midstream)
    streams.mixed(max(4 * BATCH, count // 20))
    before = state()
    print(f"{name}, before:", before)
    start = time.monotonic()
    for part in range(1, 5):
        streams.mixed(count // 4)
        after = state()
        print(f"{name}, {part * count // 4:,} streams, {time.monotonic() - start:.0f} s:", after, flush=True)
    grown = {key: after[key] - before[key] for key in before}

    streams.mixed(4 * BATCH)
    tracemalloc.start()
    streams.mixed(4 * BATCH)
    gc.collect()
    first = tracemalloc.take_snapshot()
    traced = tracemalloc.get_traced_memory()[0]
    streams.mixed(max(4 * BATCH, count // 20))
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - traced
    second = tracemalloc.take_snapshot()
    tracemalloc.stop()
    print(f"{name}, allocated by Python and kept: {kept:,} bytes; most of it:")
    for line in second.compare_to(first, "lineno")[:3]:
        print("   ", line)
    print(f"{name}, grown by:", grown)
    return [
        *(["memory"] if grown["kB"] > KILOBYTES else []),
        *(["objects"] if grown["objects"] > OBJECTS else []),
        *(["files"] if grown["files"] > 0 else []),
        *(["allocations"] if kept > TRACED else []),
    ]


def through_gateway(count: int) -> list[str]:
    """Start clients that ask and vanish, while others read to the end."""
    source = random.Random(5_000)
    with hostile() as upstream, running(upstream) as gateway:
        truth = events_in(ask(gateway, "complete").content)

        def clients(number: int) -> dict[str, int]:
            for _ in range(number // 100):
                assert events_in(asyncio.run(a_hundred_vanish(gateway, source))) == truth
            gateway.check_rest()
            left: dict[str, int] = gateway.left("?objects")
            return {"kB": gateway.memory("VmRSS"), **left}

        before = clients(max(500, count // 10))
        print("gateway, before:", before)
        start = time.monotonic()
        for part in range(1, 5):
            after = clients(count // 4)
            seconds = time.monotonic() - start
            print(f"gateway, {part * count // 4:,} clients, {seconds:.0f} s:", after, flush=True)
        grown = {key: after[key] - before[key] for key in before}
    print("gateway, grown by:", grown)
    return [
        *(["memory of the gateway"] if grown["kB"] > GATEWAY_KILOBYTES else []),
        *(["objects of the gateway"] if grown["objects"] > GATEWAY_OBJECTS else []),
        *(f"{name} of the gateway" for name in ("streams", "tasks", "files") if grown[name] > 0),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("streams", type=int, nargs="?", default=100_000, help="how many in this process")
    parser.add_argument("--plain", action="store_true", help="the plain core, not the compiled one")
    parser.add_argument("--only", choices=("process", "gateway"), help="one of the two parts")
    asked = parser.parse_args()
    name = "plain" if asked.plain or "compiled" not in BUILDS else "compiled"
    too_much: list[str] = []
    if asked.only != "gateway":
        too_much += in_process(PLAIN if name == "plain" else BUILDS[name], name, asked.streams)
    if asked.only != "process":
        too_much += through_gateway(asked.streams // 20)
    if too_much:
        print("too much is left:", ", ".join(too_much))
    return 1 if too_much else 0


if __name__ == "__main__":
    sys.exit(main())

"""Every store answers as a naive log does, whatever is asked in whatever order.

Appends at any place and epoch, claims, ends, drops and bindings, on the store in memory and on SQLite. The
model is a list of bytes with an epoch.
"""

from __future__ import annotations

import asyncio
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from builds import PLAIN

from .choices import Choices

__all__ = ["check"]

# of the plain build, which reports its coverage
base, memory, sqlite = (
    import_module(f"{PLAIN.__name__}.server.store.{name}") for name in ("base", "memory", "sqlite")
)
Appended: Any = base.Appended
End: Any = base.End
EVENTS = (b"", b"data: a\n\n", b"\x00\xff", b"x" * 300)
ENDS = (None, None, None, End(), End("timeout", "too late"))


class Log:
    """The model of one stream."""

    def __init__(self) -> None:
        self.events: list[bytes] = []
        self.epoch = 1
        self.end: Any = None
        self.is_cancelled = False

    def append(self, epoch: int, at: int, events: list[bytes], end: Any) -> Any:
        if epoch != self.epoch:
            return Appended.FENCED
        if at > len(self.events) + 1:
            return Appended.GAP
        new = events[max(0, len(self.events) + 1 - at) :]
        if self.end is not None:
            # a caller may repeat what is there, and nothing else
            return Appended.OVER if new or end not in (None, self.end) else Appended.OK
        self.events += new
        self.end = end
        return Appended.OK


def check(data: bytes) -> None:
    choices = Choices(data)
    plan = [step(choices) for _ in range(1 + choices.below(8))]
    # in memory if possible: SQLite waits for the disk
    fast = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=fast if fast.is_dir() else None) as folder:
        asyncio.run(
            check_all([memory.MemoryStore(600), sqlite.SqliteStore(Path(folder) / "store.db", 600)], plan)
        )


def step(choices: Choices) -> tuple[Any, ...]:
    match choices.below(10):
        case 0 | 1 | 2 | 3 | 4:
            events = [choices.pick(EVENTS) for _ in range(choices.below(4))]
            # the epoch and the place are relative to those that are right
            epoch = choices.pick((0, 0, 0, 0, -1, 1))
            return "append", epoch, choices.pick((0, 0, 0, 1, -1, -2, 5)), events, choices.pick(ENDS)
        case 5:
            return "claim", choices.pick((0, 0, 1, -1))
        case 6:
            return ("cancel",)
        case 7:
            return "read", choices.below(4)
        case 8:
            return "bind", choices.pick(("k", "l")), choices.pick(("1", "2"))
        case _:
            return ("drop",)


async def check_all(stores: list[Any], plan: list[tuple[Any, ...]]) -> None:
    for store in stores:
        await store.start("w1")
        try:
            await run(store, "s", plan)
        finally:
            await store.close()


async def run(store: Any, id: str, plan: list[tuple[Any, ...]]) -> None:
    log: Log | None = Log()
    bound: dict[str, str] = {}
    await store.create(id, {"name": id})
    for name, *arguments in plan:
        if name == "append":
            epoch, place, events, end = arguments
            epoch += log.epoch if log else 1
            at = max(1, place + (len(log.events) if log else 0) + 1)
            expected = log.append(epoch, at, events, end) if log else Appended.GONE
            assert await store.append(id, epoch, at, events, end) == expected, (name, arguments)
        elif name == "claim":
            epoch = (log.epoch if log else 1) + arguments[0]
            is_right = log is not None and log.end is None and epoch == log.epoch
            assert await store.claim(id, epoch, "w1") == is_right
            if log and is_right:
                log.epoch += 1
        elif name == "cancel":
            assert await store.cancel(id) == (log is not None and log.end is None)
            if log and log.end is None:
                log.is_cancelled = True
        elif name == "bind":
            key, value = f"{id}-{arguments[0]}", arguments[1]
            assert await store.bind(key, value, 600) == bound.setdefault(key, value)
        elif name == "drop":
            await store.drop(id)
            log = None
        elif name == "read" and log and log.end is not None:
            await check_log(store, id, log, min(arguments[0], len(log.events)))
        head = await store.head(id)
        assert (head is None) == (log is None)
        if head is not None and log is not None:
            assert (head.meta, head.epoch, head.next) == ({"name": id}, log.epoch, len(log.events) + 1)
            assert (head.end, head.is_cancelled) == (log.end, log.is_cancelled)
        assert (id in await store.open_streams()) == (log is not None and log.end is None)
    if log is not None and log.end is not None:
        await check_log(store, id, log, 0)
    await store.drop(id)


async def check_log(store: Any, id: str, log: Log, after: int) -> None:
    """What is read is what was appended."""
    found: list[bytes] = []
    end = None
    async for batch in store.read(id, after):
        assert batch.first == after + len(found) + 1
        found += batch.events
        end = batch.end
    assert (found, end) == (log.events[after:], log.end)

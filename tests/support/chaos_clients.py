"""The clients of the chaos test, and what each of them must have received."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from midstream.server.store.base import End
from midstream.server.streams.cursor import parse_id
from midstream.server.streams.derivation import Derivation, Variant
from midstream.sse import SseDecoder, SseEvent, decode
from relay_stage import Follower, arguments_of

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

__all__ = ["Client", "Run", "violations_of"]

_KEY = {"authorization": "Bearer chaos"}
# made once: while a client makes one, for 40 ms, no other client reads
_TLS = ssl.create_default_context()


class Run(NamedTuple):
    """A request to the provider: its name, path and body, and the raw events of the provider."""

    name: str
    path: str
    body: dict[str, Any]
    raw: Sequence[bytes]
    format: str


class Client(Follower):
    """A client of one kind: "post", "post with key", "follow", "late", "slow"."""

    def __init__(self, kind: str, run: Run, source: random.Random) -> None:
        super().__init__("", _KEY)
        self.kind = kind
        self.run_of = run
        self.connected_at: list[float] = []
        self.stream = ""
        self._source = source
        self._base = ""

    async def follow(self, base: str, stream: str = "") -> None:
        """Read the stream to its end, through new connections when one is lost."""
        self._base, self.stream = base, stream
        while not self.is_over:
            # a client that hears nothing, not even a comment, connects again
            async with httpx.AsyncClient(timeout=2.0 if self.events else 20.0, verify=_TLS) as client:
                with suppress(httpx.HTTPError):
                    await self._read(client)
            if self.statuses and self.statuses[-1] in (204, 404, 409, 422):
                return
            # as browsers and midstream.js do after `retry:`
            await asyncio.sleep(self._source.uniform(0.1, 0.3))

    async def _read(self, client: httpx.AsyncClient) -> None:
        headers = {**_KEY, "connection": "close"}
        if self.events:
            headers["last-event-id"] = self.events[-1].id
        if self.kind.startswith("post"):
            if self.kind == "post with key":
                headers["idempotency-key"] = f"key of {self.run_of.name}"
                headers.pop("last-event-id", None)
            request = client.build_request(
                "POST", f"{self._base}/v1/{self.run_of.path}", json=self.run_of.body, headers=headers
            )
        else:
            query = "?from=snapshot" if self.kind == "late" and not self.events else ""
            url = f"{self._base}/v1/streams/{self.stream}{query}"
            request = client.build_request("GET", url, headers=headers)
        response = await client.send(request, stream=True)
        try:
            self.statuses.append(response.status_code)
            if response.status_code != 200:
                return
            self.connections += 1
            self.stream = response.headers["midstream-stream"]
            if self.kind == "post with key":
                # a repeated request begins at the start
                self.events, self.times = [], []
            self.connected_at.append(time.monotonic())
            decoder = SseDecoder()
            async for chunk in response.aiter_raw():
                if found := decoder.add_bytes(chunk):
                    self.events += found
                    self.times += [time.monotonic()] * len(found)
                if self.kind == "slow":
                    await asyncio.sleep(self._source.uniform(0.01, 0.06))
        finally:
            await response.aclose()


def truth_of(stream: str, run: Run, count: int, end: End) -> list[SseEvent]:
    """Derive what a client must receive, from the provider's own log."""
    meta = {"name": run.path, "format": run.format}
    derivation = Derivation(stream, meta, Variant(), 100_000_000)
    entries = [*derivation.begin()]
    for number, raw in enumerate(run.raw[:count], 1):
        entries += derivation.add(number, raw)
    entries += derivation.finish(count + 1, end)
    return list(decode([b"".join(entries)]))


def violations_of(client: Client, is_cancelled: bool, losses: frozenset[str]) -> list[str]:
    """Return what is wrong with the events that a client has received."""
    name = f"{client.kind} of {client.run_of.name}"
    events = client.events
    if not client.is_over:
        return [f"{name}: open after {len(events)} events, {client.statuses[-3:]}"]
    positions = [
        place[1] for event in events if event.event != "stream_snapshot" and (place := parse_id(event.id))
    ]
    found: list[str] = []
    if any(after <= before for before, after in pairwise(positions)):
        found.append(f"{name}: duplicate or out of order")
    end, count = End(), len(client.run_of.raw)
    if events[-2].event == "error":
        error = json.loads(events[-2].data)
        end = End(error["code"], error["message"])
        allowed = {*losses, "cancelled"} if is_cancelled else losses
        if end.code not in allowed:
            found.append(f"{name}: ended with {end.code}")
        if end.code in ("history_lost", "store_lost"):
            # another viewer may have seen more
            return found
        position = parse_id(events[-2].id)
        assert position is not None
        count = position[1].number - 1
        if arguments_of(events).endswith("]") is False and any(
            event.event == "tool_call_end" and json.loads(event.data).get("is_complete") for event in events
        ):
            found.append(f"{name}: a truncated call is complete")
    truth = truth_of(client.stream, client.run_of, count, end)
    snapshots = [at for at, event in enumerate(events) if event.event == "stream_snapshot"]
    if not snapshots:
        if events != truth:
            found.append(f"{name}: {_difference(events, truth)}")
        return found
    for at in snapshots:
        covered = [event for event in truth if _place(event) <= _place(events[at])]
        (said,) = json.loads(events[at].data)["messages"] or [{"text": "", "calls": []}]
        arguments = "".join(call["function_args"] for call in said["calls"])
        if (said["text"], arguments) != (_text(covered), arguments_of(covered)):
            found.append(f"{name}: a snapshot is wrong")
    tail = [event for event in truth if _place(event) > _place(events[snapshots[-1]])]
    if events[snapshots[-1] + 1 :] != tail:
        found.append(f"{name}: after a snapshot {_difference(events[snapshots[-1] + 1 :], tail)}")
    return found


def _place(event: SseEvent) -> tuple[int, int]:
    found = parse_id(event.id)
    return found[1] if found else (-1, 0)


def _text(events: Sequence[SseEvent]) -> str:
    return "".join(json.loads(event.data)["text"] for event in events if event.event == "text_delta")


def _difference(events: Sequence[SseEvent], truth: Sequence[SseEvent]) -> str:
    at = next((n for n, pair in enumerate(zip(events, truth, strict=False)) if pair[0] != pair[1]), None)
    if at is None:
        return f"{len(events)} events instead of {len(truth)}"
    got, wanted = events[at], truth[at]
    return f"a gap or another event at {at}: {got.id} {got.event}, not {wanted.id} {wanted.event}"

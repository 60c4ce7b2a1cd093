"""Measure how many streams of 100 tokens a second one core handles, in both forms of events.

    python benchmarks/many_streams.py [--quick]

Each stream is one tool call; a fragment of every stream is processed in turn. The server converts the
provider's events, which are decoded, into midstream's: adapter, middleware (in the form full) and
`EventWriter`. The client is `EventReader` and the handler, which returns snapshots of the calls. Both are
compared with `json.loads` of the same events of the provider. road.py measures the stages of one stream.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from midstream import EventReader, EventWriter, JsonFragmentUpdateMiddleware, ToolsAggregateMessageHandler
from midstream.providers import adapter
from report import Report, main, number, table, times
from stages import FORMAT, LOADS, RATE, stream
from timing import race
from workloads import document, tool_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from timing import Timing

TEXTS: dict[str, Callable[[], str]] = {
    "calls of 0.5 KB": partial(tool_call, 500),
    "calls of 5 KB": partial(document, 5_000),
}
FORMS: tuple[Any, ...] = ("full", "compact")
# the workload that the targets are about
TARGET = "calls of 0.5 KB", 100


class Server:
    """The server's part of one stream."""

    def __init__(self, form: Any, number: int) -> None:
        self._add_event = adapter(FORMAT).add_event
        self._enrich = JsonFragmentUpdateMiddleware().add_message if form == "full" else None
        writer = EventWriter(form, stream_id=f"s{number}")
        self.start = writer.start(FORMAT)
        self._write = writer.add_message

    def add_event(self, event: Any) -> bytes:
        """Return the bytes that are sent for an event of the provider."""
        sent = b""
        for message in self._add_event(event):
            if self._enrich is None:
                sent += self._write(message)
            else:
                for enriched in self._enrich(message):
                    sent += self._write(enriched)
        return sent


def interleaved(text: str, count: int) -> list[tuple[int, str]]:
    """Return an event of every stream in turn, until all calls are complete."""
    return [(which, line) for line in stream(text) for which in range(count)]


def load(lines: list[tuple[int, str]]) -> None:
    """Decode the provider's events."""
    for _, line in lines:
        json.loads(line)


def serve(events: list[tuple[int, Any]], form: str, count: int) -> list[tuple[int, bytes]]:
    """Run the server's part of all streams; return what is sent, except the starts."""
    add_event = [Server(form, number).add_event for number in range(count)]
    return [(which, add_event[which](event)) for which, event in events]


def receive(sent: list[tuple[int, bytes]], count: int) -> list[Any]:
    """Run the client's part of all streams; return the calls at the end."""
    add_bytes = [EventReader().add_bytes for _ in range(count)]
    add_message = [ToolsAggregateMessageHandler().add_message for _ in range(count)]
    calls: list[Any] = [None] * count
    for which, data in sent:
        for message in add_bytes[which](data):
            calls[which] = add_message[which](message)
    return calls


def data_size(sent: list[tuple[int, bytes]]) -> float:
    """Return the average number of bytes in the data lines, without line ends."""
    lines = [line for _, data in sent for line in data.split(b"\n") if line.startswith(b"data: ")]
    return sum(map(len, lines)) / len(lines)


def row(name: str, form: str, found: dict[str, Timing], sent: list[tuple[int, bytes]]) -> list[str]:
    """Format a row of the table."""
    server, client = (found[f"{side}, {form}"] for side in ("server", "client"))
    cost = [side.median / len(sent) for side in (server, client)]
    return [
        f"{name}, {form}",
        *(
            f"{number(each * 1e6)} ({times(side.over(found[LOADS]))})"
            for each, side in zip(cost, (server, client), strict=True)
        ),
        *(f"{1 / RATE / each:,.0f}" for each in (cost[0], sum(cost))),
        f"{sum(len(data) for _, data in sent) / len(sent):.0f}",
        f"{data_size(sent):.0f}",
        f"{server.spread:.0%}",
    ]


def measure(quick: bool) -> Report:
    """Measure, and return the table."""
    report = Report("7. Many streams")
    rows: list[list[str]] = []
    for name, text in list(TEXTS.items())[: 1 if quick else 2]:
        for count in (1, 100) if quick else [n for n in (1, 100, 1_000) if n * len(text()) < 1e6]:
            lines = interleaved(text(), count)
            events = [(which, json.loads(line)) for which, line in lines]
            sent = {form: serve(events, form, count) for form in FORMS}
            runs: dict[str, Callable[[], object]] = {LOADS: partial(load, lines)}
            for form in FORMS:
                runs[f"server, {form}"] = partial(serve, events, form, count)
                runs[f"client, {form}"] = partial(receive, sent[form], count)
            found = race(runs, 0.5 if quick else 8)
            rows += [row(f"{name}, {count:,} at once", form, found, sent[form]) for form in FORMS]
            if (name, count) == TARGET:
                server, client = found["server, compact"], found["client, compact"]
                targets = report.targets
                where = f"{name}, {count} at once, compact"
                targets.at_most(f"{where}: server against json.loads", server.over(found[LOADS]), 1.2)
                streams = len(sent["compact"]) / RATE / server.median
                targets.at_least(f"{where}: streams per core, server", streams, 4_000, "")
                targets.at_most(f"{where}: client against json.loads", client.over(found[LOADS]), 1.4)
                targets.at_most(f"{where}: data lines", data_size(sent["compact"]), 40, "bytes")
    head = [
        "streams", "server, µs per fragment", "client, µs", "streams per core, server",
        "streams per core, server and client", "bytes per fragment", "of them in the data line", "spread",
    ]  # fmt: skip
    note = (
        "In brackets how many times as long as `json.loads` of the provider's event it took. Streams per "
        f"core: how many calls of {RATE} fragments a second take all of its time. The bytes are those of "
        "complete events, with their ids."
    )
    report.parts.append(f"{table(head, rows)}\n\n{note}")
    return report


if __name__ == "__main__":
    main(measure)

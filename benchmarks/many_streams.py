"""Measure how many streams of 100 tokens a second one core handles, with middleware, wire form and handler.

    python benchmarks/many_streams.py [--quick]

Each stream is one tool call; a fragment of every stream is processed in turn. The server's part is
middleware, wire form and `json.dumps`. The client's part is `json.loads` and the handler, which returns
snapshots of the calls.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from midstream import JsonFragmentUpdateMiddleware, ToolsAggregateMessageHandler
from midstream.calls.messages import ToolCallUpdate, to_event
from report import Report, main, number, table
from timing import race
from workloads import document, fragments, tool_call

if TYPE_CHECKING:
    from collections.abc import Callable

RATE = 100
TEXTS: dict[str, Callable[[], str]] = {
    "calls of 0.5 KB": partial(tool_call, 500),
    "calls of 5 KB": partial(document, 5_000),
}


def messages(text: str, count: int) -> list[tuple[int, ToolCallUpdate]]:
    """Return a fragment of every stream in turn, until all calls are complete."""
    return [
        (which, ToolCallUpdate(f"call_{which}", 0, function_args=fragment, message_id=f"m{which}"))
        for fragment in fragments(text)
        for which in range(count)
    ]


def serve(
    stream: list[tuple[int, ToolCallUpdate]], middlewares: int, send: Callable[[int, str], Any]
) -> None:
    """Run the server's part, with a middleware for every stream, or with fewer."""
    add_message = [JsonFragmentUpdateMiddleware().add_message for _ in range(middlewares)]
    for which, message in stream:
        for enriched in add_message[which % middlewares](message):
            send(which, json.dumps(to_event(enriched)))


def receive(lines: list[tuple[int, str]], count: int) -> list[Any]:
    """Run the clients' part; return the calls at the end."""
    add_message = [ToolsAggregateMessageHandler().add_message for _ in range(count)]
    calls: list[Any] = [None] * count
    for which, line in lines:
        calls[which] = add_message[which](json.loads(line))
    return calls


def sent(stream: list[tuple[int, ToolCallUpdate]], count: int) -> list[tuple[int, str]]:
    """Return the lines that are sent."""
    lines: list[tuple[int, str]] = []
    serve(stream, count, lambda which, line: lines.append((which, line)))
    return lines


def ignore(which: int, line: str) -> None:
    """Discard what the server sends."""


def measure(quick: bool) -> Report:
    """Measure, and return the table."""
    rows: list[list[str]] = []
    for name, text in list(TEXTS.items())[: 1 if quick else 2]:
        for count in (1, 50) if quick else [n for n in (1, 100, 1_000) if n * len(text()) < 1e6]:
            stream = messages(text(), count)
            lines = sent(stream, count)
            runs: dict[str, Callable[[], object]] = {
                "server": partial(serve, stream, count, ignore),
                "client": partial(receive, lines, count),
            }
            if count <= 100:
                runs["together"] = partial(serve, stream, 1, ignore)
            found = race(runs, 0.2 if quick else 5)
            cost = {half: timing.median / len(stream) for half, timing in found.items()}
            both = cost["server"] + cost["client"]
            size = sum(len(line) for _, line in lines) / len(text()) / count
            rows.append(
                [
                    f"{name}, {count:,} at once",
                    *(number(cost[half] * 1e6) for half in ("server", "client")),
                    number(cost["together"] * 1e6) if "together" in cost else "-",
                    *(f"{1 / RATE / each:,.0f}" for each in (cost["server"], both)),
                    f"{size:.0f} ×",
                    f"{found['server'].spread:.0%}",
                ]
            )
    head = [
        "streams", "server, µs per fragment", "client, µs", "server with one middleware for all, µs",
        "streams per core, server", "streams per core, server and client", "bytes on the wire", "spread",
    ]  # fmt: skip
    note = (
        f"Streams per core: how many calls of {RATE} fragments a second take all of one core's time. Bytes "
        "on the wire are those of the JSON lines, against the characters of the arguments."
    )
    return Report("7. Many streams", [f"{table(head, rows)}\n\n{note}"])


if __name__ == "__main__":
    main(measure)

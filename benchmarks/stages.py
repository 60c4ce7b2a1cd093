"""Run the stages between a provider's event and a client's `ToolCall`, each on its own and all together.

    python benchmarks/stages.py STAGE TIMES    run a stage a number of times, for a profiler
    python benchmarks/stages.py --serve        answer the questions of road.py
    python benchmarks/stages.py --count        run each stage, between marks for valgrind

It runs with the midstream that it imports, this version or an earlier one without the form ``compact``.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections import deque
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import midstream
from midstream import JsonFragmentUpdateMiddleware, ToolsAggregateMessageHandler, tool_calls
from midstream.providers import adapter
from midstream.sse import SseDecoder
from workloads import fragments, tool_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Run = Callable[[], object]

FORMAT: Any = "openai-chat"
# fragments of one stream in a second
RATE = 100
TEXT = tool_call(5_000)
LOADS = "json.loads"
HAS_COMPACT = hasattr(midstream, "EventWriter")


def chunk(call: dict[str, Any] | None, end: str | None = None) -> dict[str, Any]:
    """Make an event of OpenAI's with a piece of its only call."""
    delta = {} if call is None else {"tool_calls": [{"index": 0, **call}]}
    return {
        "id": "chatcmpl-BmT4vK2qYc9LwXh7RzD1sNfE8uGoP",
        "object": "chat.completion.chunk",
        "created": 1790000000,
        "model": "gpt-4.1-mini-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": "fp_38647f5e19",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": end}],
    }


def stream(text: str) -> list[str]:
    """Return the data of the events of one call, whose arguments come in fragments of 1 to 8 characters."""
    start = {"id": "call_jW8nQ2xV5tB", "type": "function", "function": {"name": "write", "arguments": ""}}
    middle = [chunk({"function": {"arguments": piece}}) for piece in fragments(text)]
    sent = [chunk(start), *middle, chunk(None, "tool_calls")]
    return [json.dumps(event, separators=(",", ":")) for event in sent]


@cache
def lines() -> list[str]:
    """Return the data of the provider's events, as it is sent."""
    return stream(TEXT)


@cache
def events() -> list[Any]:
    """Return the provider's events, decoded."""
    return [json.loads(line) for line in lines()]


def flat(lists: Iterable[Iterable[Any]]) -> list[Any]:
    """Join lists."""
    return [item for items in lists for item in items]


@cache
def messages() -> list[Any]:
    """Return the messages of the events."""
    return flat(map(adapter(FORMAT).add_event, events()))


@cache
def updates() -> list[Any]:
    """Return the messages that belong to a call."""
    return [message for message in messages() if isinstance(message, midstream.ToolCallUpdate)]


@cache
def enriched() -> list[Any]:
    """Return the messages with updates."""
    return flat(map(JsonFragmentUpdateMiddleware().add_message, messages()))


def finder() -> Callable[[Any], object]:
    """Return a function that finds the call of a piece."""
    if not HAS_COMPACT:
        old = import_module("midstream._call_table")
        table = old.CallTable(type("Call", (old.Call,), {"is_whole": lambda _: False}))
        places = old.CallPlaces()
        return lambda update: (places.choice(update.tool_call_id, None, update.choice), table.find(update))
    module = import_module("midstream.calls.registry")
    registry = module.CallRegistry(type("Call", (module.Call,), {"is_complete_text": lambda _: False}))
    return lambda update: registry.find(update, None)


def writer(form: str) -> Callable[[Any], bytes]:
    """Return a function that writes a message as an event."""
    if not HAS_COMPACT:
        # the writer of the gateway
        module = import_module("midstream.server.events")
        old: Callable[[Any], bytes] = module.EventWriter("m0").message
        return old
    made = midstream.EventWriter("compact" if form == "compact" else "full", stream_id="m0")
    made.start(FORMAT)
    return made.add_message


@cache
def sent(form: str) -> list[bytes]:
    """Return the events that a server sends."""
    return [*map(writer(form), messages() if form == "compact" else enriched())]


def reader(form: str) -> Callable[[bytes], list[Any]]:
    """Return a function that reads events, after the start of a stream."""
    if not HAS_COMPACT:
        decode = SseDecoder().add_bytes
        return lambda data: [json.loads(event.data) for event in decode(data)]
    made = midstream.EventReader()
    made.add_bytes(
        midstream.EventWriter("compact" if form == "compact" else "full", stream_id="m0").start(FORMAT)
    )
    return made.add_bytes


@cache
def received(form: str) -> list[Any]:
    """Return the messages that a client reads."""
    return flat(map(reader(form), sent(form)))


def each(make: Callable[[], Callable[[Any], object]], inputs: list[Any]) -> Run:
    """Return a run of a new function over inputs."""
    return lambda: deque(map(make(), inputs), 0)


def write_all(form: str) -> Run:
    """Return a run of the writer of events."""
    return each(partial(writer, form), messages() if form == "compact" else enriched())


def read_all(form: str) -> Run:
    """Return a run of the reader of events."""
    return each(partial(reader, form), sent(form))


def handle_all(form: str) -> Run:
    """Return a run of the handler, on what a reader returns."""
    return each(lambda: ToolsAggregateMessageHandler().add_message, received(form))


def serve(form: str) -> Run:
    """Return a run of the server: decoded events in, bytes out."""
    inputs = events()

    def run() -> None:
        add_event, write = adapter(FORMAT).add_event, writer(form)
        enrich = JsonFragmentUpdateMiddleware().add_message
        for event in inputs:
            for message in add_event(event):
                if form == "compact":
                    write(message)
                else:
                    for enriched in enrich(message):
                        write(enriched)

    return run


def receive(form: str, with_args: bool = False) -> Run:
    """Return a run of the client: bytes in, calls out."""
    inputs = sent(form)

    def run() -> None:
        add_bytes, add_message = reader(form), ToolsAggregateMessageHandler().add_message
        for data in inputs:
            for message in add_bytes(data):
                for call in add_message(message):
                    if with_args:
                        _ = call.args

    return run


def iterate(format: Any, inputs: list[Any]) -> Run:
    """Return a run of `tool_calls`."""
    return lambda: deque(tool_calls(inputs, format=format), 0)


def openai_objects() -> Run:
    """Return a run of `tool_calls` on objects of OpenAI's SDK."""
    model = import_module("openai.types.chat").ChatCompletionChunk
    return iterate("openai-chat", [*map(model.model_validate, events())])


def anthropic_objects() -> Run:
    """Return a run of `tool_calls` on objects of Anthropic's SDK."""
    types = import_module("anthropic.types")
    block = {"type": "tool_use", "id": "toolu_01", "name": "write", "input": {}}
    start = {"type": "content_block_start", "index": 0, "content_block": block}
    deltas = [
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": piece},
        }
        for piece in fragments(TEXT)
    ]
    inputs = [
        types.RawContentBlockStartEvent.model_validate(start),
        *map(types.RawContentBlockDeltaEvent.model_validate, deltas),
        types.RawContentBlockStopEvent(type="content_block_stop", index=0),
    ]
    return iterate("anthropic", inputs)


def stages() -> dict[str, Callable[[], Run]]:
    """Return what makes the run of each stage that this version and this environment have."""
    found: dict[str, Callable[[], Run]] = {
        LOADS: lambda: each(lambda: json.loads, lines()),
        "adapter": lambda: each(lambda: adapter(FORMAT).add_event, events()),
        "registry": lambda: each(finder, updates()),
        "middleware": lambda: each(lambda: JsonFragmentUpdateMiddleware().add_message, messages()),
        "tool_calls": lambda: iterate(FORMAT, events()),
    }
    for form in ("full", "compact") if HAS_COMPACT else ("full",):
        found |= {
            f"writing, {form}": partial(write_all, form),
            f"reading, {form}": partial(read_all, form),
            f"handler, {form}": partial(handle_all, form),
            f"server, {form}": partial(serve, form),
            f"client, {form}": partial(receive, form),
            f"client with args, {form}": partial(receive, form, with_args=True),
        }
    if find_spec("openai"):
        found["tool_calls, openai"] = openai_objects
    if find_spec("anthropic"):
        found["tool_calls, anthropic"] = anthropic_objects
    return found


def sizes() -> dict[str, float]:
    """Return bytes per fragment: of complete events, and of the longest data line of a short fragment."""
    found: dict[str, float] = {
        "provider": sum(len(f"data: {line}\n\n".encode()) for line in lines()) / len(lines())
    }
    for form in ("full", "compact") if HAS_COMPACT else ("full",):
        entries = sent(form)
        # without the introduction and the end
        data = [
            len(line) for entry in entries[1:-1] for line in entry.split(b"\n") if line.startswith(b"data: ")
        ]
        found |= {
            f"event, {form}": sum(map(len, entries)) / len(entries),
            f"data, {form}": sum(data) / len(data),
            f"longest data, {form}": max(data),
        }
    return found


def seconds(run: Run, times: int) -> float:
    """Time some runs; earlier garbage is collected first, so that they collect only their own."""
    gc.collect()
    gc.freeze()
    start = time.process_time()
    for _ in range(times):
        run()
    return time.process_time() - start


def answer() -> None:
    """Answer questions, one in each line: a stage and how often to run it."""
    made = {name: make() for name, make in stages().items()}
    print(json.dumps({"stages": [*made], "events": len(lines()), "bytes": sizes()}), flush=True)
    for question in sys.stdin:
        name, times = json.loads(question)
        print(seconds(made[name], times), flush=True)


def count() -> None:
    """Run each stage twice, and mark the start and the end of the second run for valgrind."""
    for make in stages().values():
        run = make()
        run()
        os.getppid()
        run()
        os.getppid()


if __name__ == "__main__":
    if "--count" in sys.argv:
        count()
    elif "--serve" in sys.argv:
        answer()
    else:
        run = stages()[sys.argv[1]]()
        for _ in range(int(sys.argv[2])):
            run()

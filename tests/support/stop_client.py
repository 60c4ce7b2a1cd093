"""Leave an SDK's stream early, in each way there is, and ask the server whether it has noticed.

Run in the environment of an SDK: ``stop_client.py openai|anthropic URL EXAMPLE`` prints a JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from functools import cache
from importlib import import_module
from runpy import run_path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

from pydantic import BaseModel

from midstream import aio, argument_deltas, first, select, text_deltas, tool_calls, updates, values
from midstream.typed import TypedStreamError, typed_calls, typed_values

if TYPE_CHECKING:
    from collections.abc import Callable


class Trip(BaseModel):
    city: str
    notes: list[str]


class City(BaseModel):
    city: str
    notes: list[int]


QUESTION: Any = [{"role": "user", "content": "?"}]


def leave(items: Any) -> Any:
    """Read one item, and drop the iterator."""
    return next(iter(items))


def left_by_break(items: Any) -> Any:
    for item in items:
        return item
    return None


def closed(items: Any) -> Any:
    item = next(items)
    items.close()
    return item


def refused(items: Any) -> Any:
    """Read until a value is invalid."""
    try:
        for _ in items:
            pass
    except TypedStreamError as error:
        return error.path
    return None


SYNC: dict[str, Callable[[Any], Any]] = {
    "first": lambda stream: first(text_deltas(stream), "city"),
    "first of a call": lambda stream: first(argument_deltas(stream, "weather"), "city"),
    "select": lambda stream: [match.value for match in select(text_deltas(stream), "notes[*]", limit=2)],
    "select, closed": lambda stream: closed(select(text_deltas(stream), "notes[*]")).value,
    "values, dropped": lambda stream: leave(values(text_deltas(stream))),
    "updates, left": lambda stream: left_by_break(updates(text_deltas(stream))).kind,
    "tool_calls, closed": lambda stream: len(closed(tool_calls(stream))),
    "text_deltas, left": lambda stream: left_by_break(text_deltas(stream)),
    "argument_deltas, left": lambda stream: left_by_break(argument_deltas(stream)),
    "typed_values, closed": lambda stream: closed(typed_values(text_deltas(stream), City)).state(),
    "typed_values, invalid": lambda stream: refused(
        typed_values(text_deltas(stream), Trip, on_invalid="raise")
    ),
    "typed_values of a call, invalid": lambda stream: refused(
        typed_values(argument_deltas(stream), Trip, on_invalid="raise")
    ),
    "select, invalid": lambda stream: refused(select(text_deltas(stream), "notes[*]", str)),
    "typed_calls, closed": lambda stream: len(closed(typed_calls(stream, {"weather": City}))),
    "kept open": lambda stream: first(text_deltas(stream, close=False), "city"),
}


async def abreak(items: Any) -> Any:
    async with aclosing(items):
        async for item in items:
            return item


async def arefused(items: Any) -> Any:
    try:
        async for _ in items:
            pass
    except TypedStreamError as error:
        return error.path
    return None


async def matched(items: Any) -> Any:
    return [match.value async for match in items]


ASYNC: dict[str, Callable[[Any], Any]] = {
    "async first": lambda stream: aio.first(aio.text_deltas(stream), "city"),
    "async first of a call": lambda stream: aio.first(aio.argument_deltas(stream, "weather"), "city"),
    "async select": lambda stream: matched(aio.select(aio.text_deltas(stream), "notes[*]", limit=2)),
    "async typed_values, closed": lambda stream: abreak(aio.typed_values(aio.text_deltas(stream), City)),
    "async typed_values, invalid": lambda stream: arefused(
        aio.typed_values(aio.text_deltas(stream), Trip, on_invalid="raise")
    ),
    "async typed_calls": lambda stream: abreak(aio.typed_calls(stream, {"weather": City})),
    "async values": lambda stream: abreak(aio.values(aio.text_deltas(stream))),
    "async tool_calls": lambda stream: abreak(aio.tool_calls(stream)),
    "async kept open": lambda stream: aio.first(aio.text_deltas(stream, close=False), "city"),
}


# the functions of examples/providers/stop_early.py
EXAMPLES = {"openai": ["with_openai", "with_async_openai"], "anthropic": ["with_anthropic"]}


@cache
def client_of(sdk: str, is_async: bool) -> Any:
    """Make the SDK's client, once: that alone takes a tenth of a second."""
    name = "Async" * is_async + {"openai": "OpenAI", "anthropic": "Anthropic"}[sdk]
    return getattr(import_module(sdk), name)(api_key="none", base_url="http://127.0.0.1", max_retries=0)


def open_stream(sdk: str, url: str, is_async: bool) -> Any:
    client = client_of(sdk, is_async).with_options(base_url=url)
    if sdk == "openai":
        return client.chat.completions.create(model="m", messages=QUESTION, stream=True)
    return client.messages.create(model="m", max_tokens=9, messages=QUESTION, stream=True)


def ask(url: str, name: str) -> Any:
    with urlopen(f"{url}/{'open' if name.endswith('kept open') else 'closed'}", timeout=10) as answer:
        return json.load(answer)


async def run_async(sdk: str, url: str, example: Any) -> dict[str, list[Any]]:
    results: dict[str, list[Any]] = {}
    for name in EXAMPLES[sdk]:
        run = getattr(example, name)
        client = client_of(sdk, asyncio.iscoroutinefunction(run)).with_options(base_url=f"{url}/{name}")
        found = run(client)
        found = await found if asyncio.iscoroutine(found) else found
        results[name] = [repr(found), *await asyncio.to_thread(ask, f"{url}/{name}", name)]
    for number, (name, run) in enumerate(ASYNC.items()):
        stream = await open_stream(sdk, f"{url}/a{number}", is_async=True)
        found = await run(stream)
        results[name] = [repr(found), *await asyncio.to_thread(ask, f"{url}/a{number}", name)]
    return results


def main() -> None:
    """Run all cases, each with a stream of its own."""
    sdk, url, path = sys.argv[1:]
    results: dict[str, list[Any]] = {}
    for number, (name, run) in enumerate(SYNC.items()):
        stream = open_stream(sdk, f"{url}/s{number}", is_async=False)
        found = run(stream)
        results[name] = [repr(found), *ask(f"{url}/s{number}", name)]
    results |= asyncio.run(run_async(sdk, url, SimpleNamespace(**run_path(path))))
    print(json.dumps(results))


if __name__ == "__main__":
    main()

"""Read streams through a provider's own SDK, and print what midstream makes of the SDK's objects.

Run by the Python of the SDK's environment, with src and tests on its path. Takes a list of jobs on
standard input and prints the list of their results, both as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

from midstream import JsonStreamError, ToolsAggregateMessageHandler, aio, text_deltas, tool_calls, values
from midstream.calls.messages import to_event
from midstream.providers import adapter, detect
from provider_streams import seen

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Sequence

    from midstream import ToolCall

__all__ = ["Job", "Result", "plain", "summary"]


class Job(NamedTuple):
    """One stream to read: from where, through which of the SDK's ways, and how to name its format.

    Ways: "create" is the plain stream of events, "stream" the SDK's helper, which adds events
    of its own; "httpx-sse" and "httpx2" read our own format without an SDK.
    """

    name: str
    url: str
    format: Any
    way: str = "create"
    is_async: bool = False
    is_signalled: bool = False
    tools: Sequence[str] = ()


class Result(NamedTuple):
    """What came of a job; ``states`` are the calls after each event, and then at the end."""

    name: str
    calls: list[Any]
    states: list[list[Any]]
    # whether the lists still said the same when the stream was over
    is_kept: bool
    text: str
    # of the text read as JSON
    values: list[Any]
    detected: str | None
    # the messages that the adapter makes of the SDK's objects
    messages: list[Any]
    # the ways of writing an object as a dict that fail, or give other messages than the object
    differing: list[str]
    types: list[str]
    # the exception that ended the stream: the SDK's by its class, ours by its sentence
    raised: str | None


def plain(calls: list[ToolCall]) -> Any:
    """Write calls as JSON; what is undefined becomes the name of that."""
    return json.loads(json.dumps(seen(calls), default=repr))


def summary(error: Exception) -> str:
    """Name an exception: the SDK's by its class, ours by its code and sentence."""
    return f"{error.code}: {error}" if isinstance(error, JsonStreamError) else type(error).__name__


# requests, as small as the SDKs allow

_MESSAGES: Any = [{"role": "user", "content": "?"}]


def _method(client: Any, job: Job) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return the SDK's method that streams a job's format, and its arguments."""
    extra = {"stream": True} if job.way == "create" else {}
    name = "create" if job.way == "create" else "stream"
    # of strict tools the helpers parse the arguments
    tools: list[dict[str, Any]] = [
        {"name": tool, "parameters": {"type": "object"}, "strict": True} for tool in job.tools
    ]
    match job.format:
        case "openai-chat":
            functions = [{"type": "function", "function": tool} for tool in tools]
            arguments: dict[str, Any] = {"model": "m", "messages": _MESSAGES, "tools": functions}
            return getattr(client.chat.completions, name), {**arguments, **extra}
        case "openai-responses":
            functions = [{"type": "function", **tool} for tool in tools]
            return getattr(client.responses, name), {"model": "m", "input": "?", "tools": functions, **extra}
        case _:
            arguments = {"model": "m", "max_tokens": 9, "messages": _MESSAGES}
            return getattr(client.messages, name), {**arguments, **extra}


@cache
def _client(format: Any, is_async: bool) -> Any:
    """Make the SDK's client, once: that alone takes a tenth of a second."""
    sdk, name = ("anthropic", "Anthropic") if format == "anthropic" else ("openai", "OpenAI")
    return getattr(import_module(sdk), "Async" * is_async + name)(
        api_key="none", base_url="http://127.0.0.1", max_retries=0, timeout=20
    )


def _client_of(job: Job) -> Any:
    url = job.url if job.format == "anthropic" else job.url + "/v1"
    return _client(job.format, job.is_async).with_options(base_url=url)


@contextmanager
def _opened(job: Job) -> Iterator[Any]:
    """Ask for a job's stream."""
    if job.way.startswith("httpx"):
        with _own_events(job) as stream:
            yield stream
        return
    method, arguments = _method(_client_of(job), job)
    with method(**arguments) as stream:
        yield stream


@asynccontextmanager
async def _aopened(job: Job) -> AsyncIterator[Any]:
    """Ask for a job's stream, without blocking."""
    method, arguments = _method(_client_of(job), job)
    async with await method(**arguments) if job.way == "create" else method(**arguments) as stream:
        yield stream


def _own_events(job: Job) -> AbstractContextManager[Any]:
    return _httpx_sse_events(job.url) if job.way == "httpx-sse" else _httpx2_events(job.url)


@contextmanager
def _httpx_sse_events(url: str) -> Iterator[Iterator[Any]]:
    httpx, httpx_sse = import_module("httpx"), import_module("httpx_sse")
    with httpx.Client() as client, httpx_sse.connect_sse(client, "GET", url + "/events") as source:
        yield (event.json() for event in source.iter_sse())


@contextmanager
def _httpx2_events(url: str) -> Iterator[Iterator[Any]]:
    httpx2 = import_module("httpx2")
    with httpx2.Client() as client, client.stream("GET", url + "/events") as response:
        yield (event.json() for event in httpx2.EventSource(response))


# reading


class _Reader:
    """Collect a job's result: a request for the calls, and one for the text and the events."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.format = job.format if job.is_signalled else None
        self.lists: list[list[ToolCall]] = []
        self.states: list[Any] = []
        self.texts: list[str] = []
        self.values: list[Any] = []
        self.events: list[Any] = []
        self.raised: list[str] = []

    def read(self) -> Result:
        """Read a stream from end to end, twice."""
        for read in (self._read_calls, self._read_text):
            try:
                with _opened(self.job) as stream:
                    read(stream)
            except Exception as error:
                self.raised.append(summary(error))
        return self._result()

    async def aread(self) -> Result:
        """Read a stream from end to end, twice, without blocking."""
        for read in (self._aread_calls, self._aread_text):
            try:
                async with _aopened(self.job) as stream:
                    await read(stream)
            except Exception as error:
                self.raised.append(summary(error))
        return self._result()

    def _add_list(self, calls: list[ToolCall]) -> None:
        self.lists.append(calls)
        self.states.append(plain(calls))

    def _read_calls(self, stream: Any) -> None:
        if self.job.way.startswith("httpx"):
            self._aggregate(stream)
            return
        for calls in tool_calls(stream, self.format):
            self._add_list(calls)

    async def _aread_calls(self, stream: Any) -> None:
        async for calls in aio.tool_calls(stream, self.format):
            self._add_list(calls)

    def _aggregate(self, events: Iterable[Any]) -> None:
        """Read our own events as a client does that has no use for adapters."""
        handler = ToolsAggregateMessageHandler()
        for event in events:
            handler.add_message(event)
            self._add_list([call for id in handler.message_ids for call in handler.calls(id)])
        self._add_list([call for id in handler.message_ids for call in handler.complete(id)])

    def _read_text(self, stream: Any) -> None:
        deltas = text_deltas(_noted(stream, self.events), self.format)
        self.values.extend(values(_noted(deltas, self.texts), on_error="event"))

    async def _aread_text(self, stream: Any) -> None:
        deltas = aio.text_deltas(_anoted(stream, self.events), self.format)
        async for value in aio.values(_anoted(deltas, self.texts), on_error="event"):
            self.values.append(value)

    def _result(self) -> Result:
        objects = self._messages(lambda event: event)
        dicts: dict[str, Callable[[Any], Any]] = {
            "model_dump": lambda event: event.model_dump(warnings=False),
            "model_dump, json": lambda event: event.model_dump(mode="json", warnings=False),
            "to_dict": lambda event: event.to_dict(warnings=False),
            "to_json": lambda event: event.to_json(warnings=False),
        }
        if not self.events or isinstance(self.events[0], dict):
            dicts = {}
        return Result(
            name=self.job.name,
            calls=self.states[-1] if self.states else [],
            states=self.states,
            is_kept=[plain(calls) for calls in self.lists] == self.states,
            text="".join(self.texts),
            values=self.values,
            detected=detect(self.events),
            messages=objects,
            differing=[name for name, write in dicts.items() if self._differs(write, objects)],
            types=sorted({type(event).__name__ for event in self.events}),
            raised=self._raised(),
        )

    def _differs(self, write: Callable[[Any], Any], objects: list[Any]) -> bool:
        try:
            written = self._messages(write)
        except ValueError:
            return True
        return bool(_without_nulls(written) != _without_nulls(objects))

    def _raised(self) -> str | None:
        """Return the exception that ended each of the readings; that they are not the same is a fault."""
        if len(set(self.raised)) > 1 or len(self.raised) not in (0, 2):
            return f"not always the same: {self.raised}"
        return self.raised[0] if self.raised else None

    def _messages(self, write: Callable[[Any], Any]) -> list[Any]:
        reader = adapter(self.job.format)
        made = [message for event in self.events for message in reader.add_event(write(event))]
        return [to_event(message) for message in made + reader.finish()]


def _without_nulls(data: Any) -> Any:
    """Drop absent fields: a dump may write null for what the provider left out, and ``raw`` keeps it."""
    if isinstance(data, dict):
        return {name: _without_nulls(value) for name, value in data.items() if value is not None}
    return [_without_nulls(item) for item in data] if isinstance(data, list) else data


def _noted(items: Iterable[Any], notes: list[Any]) -> Iterator[Any]:
    for item in items:
        notes.append(item)
        yield item


async def _anoted(items: AsyncIterable[Any], notes: list[Any]) -> AsyncIterator[Any]:
    async for item in items:
        notes.append(item)
        yield item


async def _read_async(jobs: list[Job]) -> list[Result]:
    return [await _Reader(job).aread() for job in jobs]


def main() -> None:
    """Do the jobs, the asynchronous ones in one loop."""
    jobs = [Job(*fields) for fields in json.load(sys.stdin)]
    results = [_Reader(job).read() for job in jobs if not job.is_async]
    results += asyncio.run(_read_async([job for job in jobs if job.is_async]))
    sdks = {"anthropic" if job.format == "anthropic" else "openai" for job in jobs}
    versions = {sdk: version(sdk) for sdk in sdks}
    json.dump({"versions": versions, "results": results}, sys.stdout)


if __name__ == "__main__":
    main()

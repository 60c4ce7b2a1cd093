"""Faults around the library: the reader of a stream fails, leaves or is cancelled; its source fails.

Whatever happens, what was delivered until then is the beginning of what an undisturbed run delivers, the
source's own cleanup has run, and nothing is left for the garbage collector or the loop to complain about.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import logging
import sys
import warnings
from contextlib import aclosing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import anyio.lowlevel
import pytest

from builds import BUILDS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_backend = pytest.mark.parametrize("backend", ["asyncio", "trio"])


class Boom(Exception):  # noqa: N818
    """What goes wrong, and is nobody's but the test's."""


# ways to read a stream


class Way(NamedTuple):
    """One way to read a stream, sync and async, and items for it."""

    items: list[Any]
    read: Callable[[Any], Any]
    aread: Callable[[Any], Any]


FRAGMENTS = ['{"city": "Zür', 'ich", "days": 1', "2, ", '"notes": ["Bri', 'ng a coat", tr', "ue]}"]
SNAPSHOTS = [{"a": ""}, {"a": "b"}, {"a": "bc", "d": [1]}, {"a": "bc", "d": [1, "e"]}]


def chat_event(**delta: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


def call_event(index: int, arguments: str, name: str | None = None) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return chat_event(tool_calls=[{"index": index, "id": name, "function": function}])


CALLS = [
    call_event(0, '{"city": "Zür', "weather"),
    call_event(1, "[1", "search"),
    call_event(0, 'ich"}'),
    call_event(1, ", 2]"),
]
TEXTS = [chat_event(content=piece) for piece in ("Hel", "lo", " world")]
EVENTS = [b"data: 1\n\nda", b"ta: 2\n\n: x\n", b"\ndata: 3\n\n"]


def messages(midstream: Any) -> list[Any]:
    update = midstream.ToolCallUpdate
    return [
        "hello",
        update("a", 0, "weather", '{"city": "Zür'),
        {"type": "tool_call_update", "tool_call_id": "b", "function_name": "f", "function_args": "[1, 2"},
        update("a", function_args='ich", "days": 1'),
        update("a", function_args="2}"),
        {"type": "tool_call_end", "tool_call_id": "a"},
    ]


HERMES = ["Hm. <tool", '_call>\n{"name": "f", "argum', 'ents": {"a": "b', '"}}\n</tool_', "call> Done."]
ANSWER = ["Here it is:\n``", '`json\n{"notes": ["a', '", "b"]}\n`', "``\nand so ", "on"]
WAYS = ("updates", "values", "chunks", "tool_calls", "text_deltas", "middleware", "sse")
# also run by `soak`; here `test_closing` has them
MORE_WAYS = (
    "select", "patches", "messages", "argument_deltas", "typed_values", "typed_calls", "extract",
    "text format",
)  # fmt: skip


def way_of(midstream: Any, name: str) -> Way:
    aio, sse = (importlib.import_module(f"{midstream.__name__}.{part}") for part in ("aio", "sse"))
    if name in MORE_WAYS:
        typed = importlib.import_module(f"{midstream.__name__}.typed")
        types = {"weather": dict[str, str], "search": list[int]}
        more: dict[str, tuple[list[Any], str, dict[str, Any]]] = {
            "select": (FRAGMENTS, "select", {"paths": "notes[*]"}),
            "patches": (FRAGMENTS, "patches", {}),
            "messages": (TEXTS, "messages", {}),
            "argument_deltas": (CALLS, "argument_deltas", {}),
            "typed_values": (FRAGMENTS, "typed_values", {"type": dict[str, Any]}),
            "typed_calls": (CALLS, "typed_calls", {"types": types}),
            "extract": (ANSWER, "values", {"extract": True}),
            "text format": (HERMES, "tool_calls", {"format": "text-hermes"}),
        }
        given, function, options = more[name]
        home: Any = typed if function.startswith("typed") else midstream
        read, aread = (partial(getattr(where, function), **options) for where in (home, aio))
        return Way(given, read, aread)
    if name == "middleware":
        enrich = midstream.JsonFragmentUpdateMiddleware()
        return Way(messages(midstream), enrich, enrich)
    if name == "sse":
        return Way(EVENTS, sse.decode, sse.adecode)
    special: dict[str, list[Any]] = {"chunks": SNAPSHOTS, "tool_calls": CALLS, "text_deltas": TEXTS}
    items = special.get(name, FRAGMENTS)
    return Way(items, getattr(midstream, name), getattr(aio, name))


@pytest.fixture(params=[(build, way) for build in BUILDS for way in WAYS], ids="-".join)
def way(request: pytest.FixtureRequest) -> Way:
    build, name = request.param
    return way_of(BUILDS[build], name)


class Truth(NamedTuple):
    """All that an undisturbed run delivers, and how much of it before each item is asked for."""

    outputs: list[Any]
    bounds: list[int]


def truth_of(way: Way) -> Truth:
    outputs: list[Any] = []
    bounds: list[int] = []

    def source() -> Iterator[Any]:
        for item in way.items:
            bounds.append(len(outputs))
            yield item
        bounds.append(len(outputs))

    for output in way.read(source()):
        outputs.append(output)  # noqa: PERF402  # the source looks at them meanwhile
    return Truth(outputs, bounds)


# sources


class Source:
    """Feed a stream, fail if asked to, and know when it was closed."""

    def __init__(self, way: Way, fails_at: int | None = None, error: BaseException | None = None) -> None:
        self._items = way.items
        self._fails_at = fails_at
        self._error = error
        self.is_closed = False

    def _check(self, number: int) -> None:
        if number == self._fails_at and self._error is not None:
            raise self._error

    def items(self) -> Generator[Any]:
        try:
            for number, item in enumerate(self._items):
                self._check(number)
                yield item
            self._check(len(self._items))
        finally:
            self.is_closed = True

    async def aitems(
        self, pause: Callable[[], Awaitable[None]], *, waits_to_close: bool = True
    ) -> AsyncGenerator[Any]:
        """Pause before each item, and in the cleanup, as what closes a connection does."""
        try:
            for number, item in enumerate(self._items):
                await pause()
                self._check(number)
                yield item
            await pause()
            self._check(len(self._items))
        finally:
            try:
                with anyio.CancelScope(shield=True):
                    if waits_to_close:
                        await pause()
            finally:
                self.is_closed = True


@contextmanager
def silence() -> Iterator[None]:
    """Fail for whatever is reported elsewhere: collected objects, forgotten tasks, open resources."""
    said: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    hook, listener = sys.unraisablehook, Listener()
    logging.getLogger("asyncio").addHandler(listener)
    sys.unraisablehook = lambda what: said.append(f"{what.err_msg} {what.exc_value!r}")
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            yield
            gc.collect()
        said += [str(warning.message) for warning in warned]
    finally:
        sys.unraisablehook = hook
        logging.getLogger("asyncio").removeHandler(listener)
    assert said == []


def drain(reading: Iterator[Any], delivered: list[Any]) -> None:
    for output in reading:
        delivered.append(output)  # noqa: PERF402  # it may fail


async def adrain(reading: Any, delivered: list[Any]) -> None:
    async for output in reading:
        delivered.append(output)  # noqa: PERF401


@pytest.fixture(scope="module", autouse=True)
def collect_quickly() -> Iterator[None]:
    """Keep all that was there before out of the many collections."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


# sync: the reader fails


def each_number(truth: Truth) -> range:
    return range(1, len(truth.outputs) + 1)


def test_who_reads_may_fail_at_any_time(way: Way) -> None:
    truth = truth_of(way)
    with silence():
        for number in each_number(truth):
            source, delivered = Source(way), []
            with pytest.raises(Boom):  # noqa: PT012  # the loop is what raises
                for output in way.read(source.items()):
                    delivered.append(output)
                    if len(delivered) == number:
                        raise Boom
            assert source.is_closed
            assert delivered == truth.outputs[:number]


def test_who_reads_may_leave_at_any_time(way: Way) -> None:
    truth = truth_of(way)
    with silence():
        for number in range(len(truth.outputs)):
            for leave in ("close", "drop", "throw"):
                source = Source(way)
                reading = way.read(source.items())
                delivered = [next(reading) for _ in range(number)]
                if leave == "close":
                    reading.close()
                elif leave == "throw":
                    boom = Boom()
                    with pytest.raises(Boom) as caught:
                        reading.throw(boom)
                    assert caught.value is boom
                    del caught, boom
                del reading
                # without a first item it has not begun
                assert source.is_closed == (number > 0)
                assert delivered == truth.outputs[:number]


# sync: what feeds


@pytest.mark.parametrize("kind", [Boom, KeyboardInterrupt, asyncio.CancelledError])
def test_what_the_source_raises_passes_through_after_what_came_before(
    way: Way, kind: type[BaseException]
) -> None:
    truth = truth_of(way)
    with silence():
        for number, bound in enumerate(truth.bounds):
            error, delivered = kind("mine"), list[Any]()
            source = Source(way, number, error)
            with pytest.raises(kind) as caught:
                drain(way.read(source.items()), delivered)
            assert caught.value is error
            assert (error.__cause__, error.__context__) == (None, None)
            assert source.is_closed
            assert delivered == truth.outputs[:bound]


def foreign_error(midstream: Any) -> Any:
    """Return the error of another text, with the updates that came before it there."""
    with pytest.raises(midstream.JsonStreamError) as caught:
        midstream.JsonFragmentAccumulator().add_fragment('["of another text" x')
    assert caught.value.updates
    return caught.value


@each_build
@pytest.mark.parametrize("name", WAYS)
def test_the_error_of_another_text_brings_nothing_of_it(midstream: Any, name: str) -> None:
    """A source may well be made of such streams; its error is no error of this one."""
    way = way_of(midstream, name)
    truth = truth_of(way)

    async def pause() -> None:
        return None

    for number, bound in enumerate(truth.bounds):
        error, delivered = foreign_error(midstream), list[Any]()
        with pytest.raises(midstream.JsonStreamError) as caught:
            drain(way.read(Source(way, number, error).items()), delivered)
        assert caught.value is error
        assert delivered == truth.outputs[:bound]

        reading, delivered = way.aread(Source(way, number, error).aitems(pause)), []
        with pytest.raises(midstream.JsonStreamError):
            asyncio.run(adrain(reading, delivered))
        assert delivered == truth.outputs[:bound]

    reading = way.read(iter(way.items))
    next(reading)
    with pytest.raises(midstream.JsonStreamError):
        reading.throw(foreign_error(midstream))


# async


class Pauses:
    """Places where a task waits; at one of them it is cancelled."""

    def __init__(self, cancel_at: int = 0, cancel: Callable[[], object] | None = None) -> None:
        self._cancel_at = cancel_at
        self.cancel = cancel
        self.count = 0

    async def __call__(self) -> None:
        self.count += 1
        if self.count == self._cancel_at:
            assert self.cancel is not None
            self.cancel()
        await anyio.lowlevel.checkpoint()


async def consume(way: Way, source: Source, pauses: Pauses, delivered: list[Any]) -> None:
    """Read a stream as its documentation says, and wait after each of its outputs."""
    async with aclosing(way.aread(source.aitems(pauses))) as outputs:
        async for output in outputs:
            delivered.append(output)
            await pauses()


@each_backend
def test_the_async_twin_delivers_the_same(way: Way, backend: str) -> None:
    source, delivered = Source(way), list[Any]()
    with silence():
        anyio.run(consume, way, source, Pauses(), delivered, backend=backend)
    assert source.is_closed
    assert delivered == truth_of(way).outputs


@each_backend
def test_a_task_may_be_cancelled_wherever_it_waits(way: Way, backend: str) -> None:
    truth = truth_of(way)

    async def main() -> None:
        complete = Pauses()
        await consume(way, Source(way), complete, [])
        assert complete.count >= len(truth.outputs) + len(way.items) + 2
        for place in range(1, complete.count + 1):
            source, delivered = Source(way), list[Any]()
            with anyio.CancelScope() as scope:
                await consume(way, source, Pauses(place, scope.cancel), delivered)
            # at once: neither the loop nor the collector has to come to it
            assert source.is_closed
            assert scope.cancel_called
            assert delivered == truth.outputs[: len(delivered)]
            # in the cleanup of a source that is at its end it may come too late
            assert scope.cancelled_caught or delivered == truth.outputs

    with silence():
        anyio.run(main, backend=backend)


def test_a_task_may_be_cancelled_by_itself_or_another(way: Way) -> None:
    truth = truth_of(way)

    async def main() -> None:
        complete = Pauses()
        await consume(way, Source(way), complete, [])
        for place in range(1, complete.count + 1):
            source, delivered, pauses = Source(way), list[Any](), Pauses(place)
            task = asyncio.create_task(consume(way, source, pauses, delivered))
            pauses.cancel = task.cancel
            with suppress(asyncio.CancelledError):
                await task
            assert task.done()
            assert source.is_closed
            assert delivered == truth.outputs[: len(delivered)]
        assert len(asyncio.all_tasks()) == 1

    with silence():
        asyncio.run(main())


@each_backend
def test_who_reads_may_fail_at_any_time_in_a_task(way: Way, backend: str) -> None:
    truth = truth_of(way)

    async def main() -> None:
        for number in each_number(truth):
            source, delivered, boom = Source(way), list[Any](), Boom()
            with pytest.raises(Boom) as caught:  # noqa: PT012
                async with aclosing(way.aread(source.aitems(Pauses()))) as outputs:
                    async for output in outputs:
                        delivered.append(output)
                        if len(delivered) == number:
                            raise boom
            assert caught.value is boom
            assert source.is_closed
            assert delivered == truth.outputs[:number]

    with silence():
        anyio.run(main, backend=backend)


@each_backend
def test_what_the_source_raises_passes_through_in_a_task(way: Way, backend: str) -> None:
    truth = truth_of(way)

    async def main() -> None:
        for number, bound in enumerate(truth.bounds):
            error, delivered = Boom("mine"), list[Any]()
            source = Source(way, number, error)
            with pytest.raises(Boom) as caught:
                await consume(way, source, Pauses(), delivered)
            assert caught.value is error
            assert source.is_closed
            assert delivered == truth.outputs[:bound]

    with silence():
        anyio.run(main, backend=backend)


def test_who_forgets_a_stream_leaves_it_to_the_loop(way: Way) -> None:
    """Without `aclosing`: asyncio then closes it as soon as it can."""

    async def main() -> None:
        source = Source(way)
        async for _ in way.aread(source.aitems(Pauses())):
            break
        async with asyncio.timeout(10):
            while not source.is_closed:
                await asyncio.sleep(0)

    with silence():
        asyncio.run(main())


class Gate:
    """Admit so many, then nobody, until what waits there was cancelled."""

    def __init__(self, passes: int) -> None:
        self._passes = passes
        self.is_reached = anyio.Event()

    async def __call__(self) -> None:
        self._passes -= 1
        if self._passes == -1:
            self.is_reached.set()
            await anyio.sleep_forever()
        await anyio.lowlevel.checkpoint()


@each_backend
@pytest.mark.parametrize("passes", [0, 2])
def test_the_loop_may_end_in_mid_stream(way: Way, backend: str, passes: int) -> None:
    """With a stream that waits for its source, and one that rests with who has read some of it.

    Of the second one nobody has said that it is over: asyncio closes it and its source side by side, and
    so would complain if both had to wait for that.
    """
    truth = truth_of(way)
    sources, held, delivered = [Source(way), Source(way)], list[Any](), list[Any]()

    async def main() -> None:
        gate = Gate(passes)
        waiting = adrain(way.aread(sources[0].aitems(gate)), delivered)
        resting = way.aread(sources[1].aitems(Pauses(), waits_to_close=False))
        assert await anext(resting) == truth.outputs[0]
        held.append(resting)
        if backend == "asyncio":
            held.append(asyncio.create_task(waiting))
            await gate.is_reached.wait()
        else:
            async with anyio.create_task_group() as group:
                group.start_soon(lambda: waiting)
                await gate.is_reached.wait()
                group.cancel_scope.cancel()

    with silence():
        anyio.run(main, backend=backend)
        assert [source.is_closed for source in sources] == [True, True]
        held.clear()
    assert delivered == truth.outputs[: truth.bounds[passes]]


@each_build
@each_backend
def test_streams_that_fail_disturb_no_others(midstream: Any, backend: str) -> None:
    """All at once, and all enriched by one middleware."""
    ways = [way_of(midstream, name) for name in WAYS]
    truths = [truth_of(way) for way in ways]

    async def fail(way: Way, truth: Truth, number: int) -> None:
        source = Source(way, number % len(truth.bounds), Boom())
        with pytest.raises(Boom):
            await consume(way, source, Pauses(), [])

    async def leave(way: Way, truth: Truth, number: int) -> None:
        with anyio.CancelScope() as scope:
            await consume(way, Source(way), Pauses(1 + number % len(truth.outputs), scope.cancel), [])

    async def finish(way: Way, truth: Truth, number: int) -> None:
        delivered: list[Any] = []
        await consume(way, Source(way), Pauses(), delivered)
        assert delivered == truth.outputs

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for number in range(12):
                for way, truth in zip(ways, truths, strict=True):
                    for act in (fail, leave, finish):
                        group.start_soon(act, way, truth, number)

    with silence():
        anyio.run(main, backend=backend)


# the handler


@each_build
def test_a_stream_that_breaks_off_leaves_calls_that_say_so(midstream: Any) -> None:
    """Whatever the place, no call of it is complete that did not end, and its arguments are a beginning."""
    way = way_of(midstream, "middleware")
    final = {"a": '{"city": "Zürich", "days": 12}', "b": "[1, 2"}
    for number in range(len(way.items) + 1):
        handler = midstream.ToolsAggregateMessageHandler()
        with pytest.raises(Boom):  # noqa: PT012
            for message in way.read(Source(way, number, Boom()).items()):
                handler.add_message(message)
        calls = {call.id: call for call in handler.complete()}
        for id, call in calls.items():
            assert final[id].startswith(call.raw_args)
            complete = id == "a" and call.raw_args == final["a"]
            assert (call.is_complete, call.error is None) == (complete, complete)


@each_build
def test_a_message_that_is_refused_changes_no_call(midstream: Any) -> None:
    handler, undisturbed = (midstream.ToolsAggregateMessageHandler() for _ in range(2))
    for message in messages(midstream):
        for bad in (
            {"type": "tool_call_update", "tool_call_id": "a", "function_args": 7},
            {"tool_call_updates": [{"tool_call_id": "a", "function_args": "x"}, {"function_args": []}]},
            {"type": "text_delta"},
        ):
            with pytest.raises(midstream.JsonStreamError):
                handler.add_message(bad)
        handler.add_message(message)
        undisturbed.add_message(message)
        assert handler.calls() == undisturbed.calls()
    assert handler.complete() == undisturbed.complete()


# around an application

SCOPE = {"type": "http", "method": "GET", "headers": []}
START = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]}
BODY = "".join(f"data: {json.dumps(event)}\n\n" for event in CALLS).encode()
PIECES = [BODY[at : at + 150] for at in range(0, len(BODY), 150)]


class Server:
    """Call the middleware around an application, as a server does; faults happen where they are planned."""

    def __init__(
        self, pauses: Pauses, app_fails_at: int | None = None, send_fails_at: int | None = None
    ) -> None:
        self._pauses = pauses
        self._app_fails_at = app_fails_at
        self._send_fails_at = send_fails_at
        self.is_closed = False
        self.sent: list[Any] = []

    async def run(self, wish: str) -> None:
        around = importlib.import_module("midstream.asgi").MidstreamMiddleware(self._app)
        await around({**SCOPE, "query_string": b"events=" + wish.encode()}, self._receive, self._send)

    async def _receive(self) -> Any:
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self._pauses()
        if len(self.sent) == self._send_fails_at:
            raise Boom("the client is gone")
        self.sent.append(message)

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        bodies = [{"type": "http.response.body", "body": piece, "more_body": True} for piece in PIECES]
        try:
            for number, message in enumerate([START, *bodies, {"type": "http.response.body"}]):
                await self._pauses()
                if number == self._app_fails_at:
                    raise Boom("the application")
                await send(message)
        finally:
            self.is_closed = True


@pytest.mark.parametrize("wish", ["midstream", "both"])
@each_backend
def test_around_an_application_all_may_fail(wish: str, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The application, the connection, or the task: what was sent is a beginning, and no end is made up."""
    monkeypatch.setattr("secrets.token_hex", lambda size: "0" * 2 * size)

    async def main() -> None:
        pauses = Pauses()
        complete = Server(pauses)
        await complete.run(wish)
        assert b"event: stream_end" in complete.sent[-2]["body"]
        faults = [Server(Pauses(), app_fails_at=number) for number in range(len(PIECES) + 2)]
        faults += [Server(Pauses(), send_fails_at=number) for number in range(len(complete.sent))]
        for server in faults:
            with pytest.raises(Boom):
                await server.run(wish)
            assert server.is_closed
            assert len(server.sent) < len(complete.sent)
            assert server.sent == complete.sent[: len(server.sent)]
        for place in range(1, pauses.count + 1):
            with anyio.CancelScope() as scope:
                server = Server(Pauses(place, scope.cancel))
                await server.run(wish)
            assert scope.cancelled_caught
            assert server.is_closed
            assert len(server.sent) < len(complete.sent)
            assert server.sent == complete.sent[: len(server.sent)]

    with silence():
        anyio.run(main, backend=backend)

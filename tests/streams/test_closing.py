"""What is closed when an iterator is left early, and what is not."""

from __future__ import annotations

import asyncio
import gc
import http.client
import io
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

pytestmark = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))

TEXTS = ['["a', "b", 'c", ', '"d"]']
EVENTS = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in TEXTS]
SNAPSHOTS = ["[1]", "[1, 2]", "[1, 2, 3]", "[1, 2, 3, 4]"]
CHUNKS = [f"data: {text}\n\n".encode() for text in SNAPSHOTS]

# each iterator, and what it may read
ITERATORS: dict[str, list[Any]] = {
    "updates": TEXTS, "values": TEXTS, "chunks": SNAPSHOTS, "tool_calls": EVENTS, "text_deltas": EVENTS,
}  # fmt: skip
each_iterator = pytest.mark.parametrize("name", ITERATORS)


class Stream:
    """Read as an SDK's stream is: an iterator that knows how to end its request."""

    def __init__(self, items: list[Any], end: Exception | None = None) -> None:
        self.items = iter(items)
        self.end = end
        self.closed = 0
        self.read = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self.end is not None and self.read == 2:
            raise self.end
        item = next(self.items)
        self.read += 1
        return item

    def close(self) -> None:
        self.closed += 1


class AsyncStream(Stream):
    """The same, asynchronous: an SDK's `close` is a coroutine."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None

    async def close(self) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        self.closed += 1


class Response(AsyncStream):
    """With both names: httpx's `close` is not for async code."""

    def close(self) -> None:  # type: ignore[override]
        raise RuntimeError("the synchronous one")

    async def aclose(self) -> None:
        await asyncio.sleep(0)
        self.closed += 1


class Iterable:
    """Begin anew for each reader, as the iterator of a class is often a generator."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.closed = 0

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from self.items
        finally:
            self.closed += 1

    async def __aiter__(self) -> AsyncIterator[Any]:
        try:
            for item in self.items:
                yield item
        finally:
            self.closed += 1


class File(Stream):
    def readline(self) -> Any:
        raise NotImplementedError


def one_liner(midstream: Any, name: str) -> Any:
    return getattr(midstream, name)


# --- synchronous


@each_iterator
@pytest.mark.parametrize("how", ["close", "drop", "break", "throw"])
def test_leaving_early_closes_a_stream(midstream: Any, name: str, how: str) -> None:
    source = Stream(ITERATORS[name])
    items = one_liner(midstream, name)(source)
    next(items)
    assert source.closed == 0
    if how == "close":
        items.close()
    elif how == "throw":
        with pytest.raises(KeyError):
            items.throw(KeyError())
    elif how == "break":
        for _ in items:
            break
        del items
    else:
        del items
    gc.collect()
    assert source.closed == 1
    assert source.read < len(ITERATORS[name])


@each_iterator
def test_a_source_that_was_read_to_its_end_is_left_alone(midstream: Any, name: str) -> None:
    source = Stream(ITERATORS[name])
    assert list(one_liner(midstream, name)(source))
    assert source.closed == 0


@each_iterator
def test_the_owner_may_keep_the_source_open(midstream: Any, name: str) -> None:
    source = Stream(ITERATORS[name])
    items = one_liner(midstream, name)(source, close=False)
    next(items)
    items.close()
    assert source.closed == 0
    read = source.read
    assert list(source) == ITERATORS[name][read:]


@each_iterator
def test_a_source_that_was_not_begun_is_left_alone(midstream: Any, name: str) -> None:
    source = Stream(ITERATORS[name])
    one_liner(midstream, name)(source).close()
    assert source.closed == 0


@each_iterator
def test_generators_are_closed(midstream: Any, name: str) -> None:
    closed = []

    def model() -> Iterator[Any]:
        try:
            yield from ITERATORS[name]
        finally:
            closed.append(True)

    items = one_liner(midstream, name)(model())
    next(items)
    items.close()
    assert closed == [True]


@each_iterator
def test_generators_made_by_an_iterable_are_closed(midstream: Any, name: str) -> None:
    source = Iterable(ITERATORS[name])
    items = one_liner(midstream, name)(source)
    next(items)
    items.close()
    assert source.closed == 1


def test_an_error_in_the_text_closes_the_source(midstream: Any) -> None:
    source = Stream(["[1", "x", "]"])
    with pytest.raises(midstream.JsonStreamError):
        list(midstream.values(source))
    assert (source.closed, source.read) == (1, 2)


def test_an_error_of_the_source_closes_it(midstream: Any) -> None:
    source = Stream(TEXTS, end=OSError("the connection is gone"))
    with pytest.raises(OSError, match="gone"):
        list(midstream.values(source))
    assert source.closed == 1


def test_an_error_at_the_end_is_not_early(midstream: Any) -> None:
    source = Stream(["[1"])
    with pytest.raises(midstream.JsonStreamError):
        list(midstream.values(source))
    assert source.closed == 0


def test_iterators_on_top_of_each_other_close_what_is_below(midstream: Any) -> None:
    source = Stream(EVENTS)
    items = midstream.values(midstream.text_deltas(source))
    next(items)
    items.close()
    assert source.closed == 1


def test_middleware_and_event_streams_close_too(midstream: Any) -> None:
    messages, chunks = Stream([{"a": 1}, {"b": 2}]), Stream(CHUNKS)
    for source, items in (
        (messages, midstream.JsonFragmentUpdateMiddleware()(messages)),
        (chunks, sys.modules[f"{midstream.__name__}.sse"].decode(chunks)),
    ):
        next(items)
        items.close()
        assert source.closed == 1


FILES: dict[str, Callable[[], Any]] = {
    "text in memory": lambda: io.StringIO('["a", "b"]'),
    "bytes in memory": lambda: io.BytesIO(b'["a", "b"]'),
    "a temporary file": lambda: tempfile.TemporaryFile("w+"),  # noqa: SIM115
    "a spooled file": lambda: tempfile.SpooledTemporaryFile(mode="w+"),  # noqa: SIM115
    "a named file": lambda: tempfile.NamedTemporaryFile("w+"),  # noqa: SIM115
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_never_closed(midstream: Any, name: str) -> None:
    with FILES[name]() as file:
        if "memory" not in name:
            file.write('["a", "b"]')
            file.seek(0)
        items = midstream.updates(file)
        next(items)
        items.close()
        assert not file.closed


def test_what_has_readline_is_a_file(midstream: Any) -> None:
    source = File(TEXTS)
    items = midstream.updates(source)
    next(items)
    items.close()
    assert source.closed == 0


def test_the_response_of_the_standard_library_is_closed(midstream: Any) -> None:
    class Socket:
        def makefile(self, mode: str) -> io.BytesIO:
            return io.BytesIO(b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n[1,\n2,\n3,\n4,\n5")

    response = http.client.HTTPResponse(Socket())  # type: ignore[arg-type]
    response.begin()
    items = midstream.updates(response)
    next(items)
    assert not response.isclosed()
    items.close()
    assert response.isclosed()


# --- asynchronous


async def begin(items: Any) -> Any:
    return await anext(items)


@each_iterator
@pytest.mark.parametrize("kind", [AsyncStream, Response])
@pytest.mark.parametrize("how", ["aclose", "drop", "throw"])
def test_leaving_early_closes_an_async_stream(
    midstream: Any, name: str, kind: type[AsyncStream], how: str
) -> None:
    source = kind(ITERATORS[name])

    async def main() -> None:
        items = one_liner(midstream.aio, name)(source)
        await begin(items)
        assert source.closed == 0
        if how == "aclose":
            await items.aclose()
        elif how == "throw":
            with pytest.raises(KeyError):
                await items.athrow(KeyError())
        else:
            # the event loop closes it soon
            del items
            gc.collect()
            for _ in range(5):
                await asyncio.sleep(0)

    asyncio.run(main())
    assert source.closed == 1


@each_iterator
def test_async_sources_that_stay_open(midstream: Any, name: str) -> None:
    async def main() -> None:
        ended, kept, file = (
            AsyncStream(ITERATORS[name]),
            AsyncStream(ITERATORS[name]),
            AsyncFile(ITERATORS[name]),
        )
        assert [item async for item in one_liner(midstream.aio, name)(ended)]
        for source, options in ((kept, {"close": False}), (file, {})):
            items = one_liner(midstream.aio, name)(source, **options)
            await begin(items)
            await items.aclose()
        assert (ended.closed, kept.closed, file.closed) == (0, 0, 0)

    asyncio.run(main())


class AsyncFile(AsyncStream):
    async def readline(self) -> Any:
        raise NotImplementedError


@each_iterator
def test_async_generators_are_closed(midstream: Any, name: str) -> None:
    closed = []

    async def model() -> AsyncIterator[Any]:
        try:
            for item in ITERATORS[name]:
                yield item
        finally:
            closed.append(True)

    async def main() -> None:
        items = one_liner(midstream.aio, name)(model())
        await begin(items)
        await items.aclose()
        assert closed == [True]
        source = Iterable(ITERATORS[name])
        items = one_liner(midstream.aio, name)(source)
        await begin(items)
        await items.aclose()
        assert source.closed == 1

    asyncio.run(main())


def test_a_cancelled_reader_closes_the_stream(midstream: Any) -> None:
    class Waiting(AsyncStream):
        async def __anext__(self) -> Any:
            await asyncio.sleep(60)

    source = Waiting([])

    async def main() -> None:
        async def read() -> None:
            async for _ in midstream.aio.values(source):
                pass

        task = asyncio.create_task(read())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert source.closed == 1


def test_what_is_no_stream_is_not_closed(midstream: Any) -> None:
    """An object that can't be iterated over was not read."""

    class Other:
        def close(self) -> None:
            raise AssertionError

    with pytest.raises(TypeError):
        list(midstream.values(Other()))

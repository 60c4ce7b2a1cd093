"""Faults around the gateway, in a process of its own: a hostile upstream, clients that leave or hardly read.

Whatever happens, every answer ends, what was delivered is the beginning of what an undisturbed upstream
gives, other streams continue, and nothing is left in the gateway's process: streams, tasks, files, memory.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
import pytest

from midstream import recordings
from midstream.server import Settings, create_app
from midstream.sse import decode
from test_server import calls_in, chat_event, wait_for
from test_server import running as serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="what is left is read from /proc")

ENRICHED, BOTH, AS_IT_IS = "/v1/chat/completions", "/v1/chat/completions?events=both", "/provider/v1/chat"
RECORDING = recordings.load("trip").body
# inside an event, and inside the arguments of a call
BEGINNING = RECORDING[:20_000]
COMPLETE_EVENTS = BEGINNING.rpartition(b"data: ")[0]
GIGABYTE = 1_000_000_000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
UNTIL_CLOSED = HEAD + b"Connection: close\r\n\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(BEGINNING), BEGINNING)


def bomb(layers: int) -> bytes:
    """Return a gigabyte of one event, packed so often."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packer.compress(b"data: ") + packer.flush(zlib.Z_FULL_FLUSH)
    million = packer.compress(b"x" * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
    packed += million * (GIGABYTE // 1_000_000)
    for _ in range(layers - 1):
        packed = gzip.compress(packed)
    return packed


# one for all: each would read all certificates again
CLIENT = httpx.Client(timeout=30, limits=httpx.Limits(max_connections=None, max_keepalive_connections=0))


@pytest.fixture(scope="module", autouse=True)
def close_client() -> Iterator[None]:
    with CLIENT:
        yield


# the upstream


class Upstream:
    """An upstream of raw sockets; the request's model says what it does."""

    def __init__(self) -> None:
        self.url = ""
        self.connections = 0
        self.sent = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head.lower())
            assert length is not None
            asked = json.loads(await reader.readexactly(int(length[1])))
            self.sent = 0
            async for data in getattr(self, asked["model"])(reader, writer):
                self.sent += len(data)
                writer.write(data)
                await writer.drain()
        self.connections -= 1
        writer.close()

    @staticmethod
    async def _gone(reader: asyncio.StreamReader, seconds: float) -> bool:
        """Report whether the gateway leaves before the time is over."""
        try:
            async with asyncio.timeout(seconds):
                await reader.read()
        except TimeoutError:
            return False
        return True

    async def complete(self, *sides: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED + RECORDING

    async def endless(self, reader: Any, writer: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED
        number = 0
        while not await self._gone(reader, 0.02):
            yield chat_event(f"{number} ")
            number += 1

    async def flood(self, *sides: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED
        for number in range(GIGABYTE):
            yield chat_event(f"{number} ")
            await asyncio.sleep(0)

    # before there is an answer

    async def closes_first(self, *sides: Any) -> AsyncIterator[bytes]:
        yield b""

    async def resets_first(self, reader: Any, writer: Any) -> AsyncIterator[bytes]:
        reset(writer)
        yield b""

    async def no_http(self, *sides: Any) -> AsyncIterator[bytes]:
        yield random.Random(1).randbytes(10_000)

    async def no_number(self, *sides: Any) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 two hundred\r\nContent-Length: many\r\n\r\n"

    async def long_head(self, *sides: Any) -> AsyncIterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nX: "
        for _ in range(GIGABYTE // 1_000_000):
            yield b"x" * 1_000_000

    async def mute(self, reader: Any, writer: Any) -> AsyncIterator[bytes]:
        await reader.read()
        yield b""

    async def part_of_a_head(self, reader: Any, writer: Any) -> AsyncIterator[bytes]:
        yield HEAD
        await reader.read()

    async def drips_head(self, reader: Any, writer: Any) -> AsyncIterator[bytes]:
        yield HEAD + b"X: "
        while not await self._gone(reader, 0.2):
            yield b"x"

    async def soon(self, reader: Any, writer: Any) -> AsyncIterator[bytes]:
        """Say again and again that the answer will come."""
        while not await self._gone(reader, 0.2):
            yield b"HTTP/1.1 102 Processing\r\n\r\n"

    # in the middle of it

    async def stops(self, *sides: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED + BEGINNING

    async def stops_short(self, *sides: Any) -> AsyncIterator[bytes]:
        yield HEAD + b"Content-Length: %d\r\n\r\n" % len(RECORDING) + BEGINNING

    async def stops_in_chunks(self, *sides: Any) -> AsyncIterator[bytes]:
        yield CHUNKED + b"100\r\ndata"

    async def bad_chunks(self, *sides: Any) -> AsyncIterator[bytes]:
        yield CHUNKED + b"no hexadecimal number\r\ndata: 1\n\n\r\n"

    async def long_chunk_head(self, *sides: Any) -> AsyncIterator[bytes]:
        yield CHUNKED + b"1;"
        for _ in range(GIGABYTE // 1_000_000):
            yield b"x" * 1_000_000

    async def resets(self, reader: Any, writer: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED + BEGINNING
        # so that it is no reset before all that
        await self._gone(reader, 0.3)
        reset(writer)

    async def stalls(self, reader: Any, writer: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED + BEGINNING
        await reader.read()

    async def drips(self, reader: Any, writer: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED + BEGINNING
        while not await self._gone(reader, 0.2):
            yield b"x"

    async def noise(self, *sides: Any) -> AsyncIterator[bytes]:
        """Send what is no event: by the standard, lines without a known field are ignored."""
        lines = [random.Random(seed).randbytes(50) for seed in range(400)]
        yield UNTIL_CLOSED + COMPLETE_EVENTS + b"\n".join(lines)

    async def babbles(self, *sides: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED + COMPLETE_EVENTS + b"data: " + random.Random(2).randbytes(50) + b"\n\n"

    # too much of it

    async def line(self, *sides: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED + COMPLETE_EVENTS + b"data: "
        for _ in range(GIGABYTE // 1_000_000):
            yield b"x" * 1_000_000

    async def comments(self, *sides: Any) -> AsyncIterator[bytes]:
        yield UNTIL_CLOSED + COMPLETE_EVENTS
        for _ in range(GIGABYTE // 1_000_000):
            yield (b":" + b"x" * 998 + b"\n") * 1000

    async def bomb(self, *sides: Any) -> AsyncIterator[bytes]:
        yield HEAD + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n" + bomb(1)

    async def bomb_in_bomb(self, *sides: Any) -> AsyncIterator[bytes]:
        yield HEAD + b"Content-Encoding: gzip, gzip\r\nConnection: close\r\n\r\n" + bomb(2)


def reset(writer: asyncio.StreamWriter) -> None:
    """Close a connection so that the other side gets an error."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@contextmanager
def hostile() -> Iterator[Upstream]:
    """Serve the upstream on loopback while the context lasts."""
    upstream, is_ready = Upstream(), threading.Event()
    stop: list[Callable[[], object]] = []

    async def main() -> None:
        is_over, loop = asyncio.Event(), asyncio.get_running_loop()
        server = await asyncio.start_server(upstream.serve, "127.0.0.1", 0, backlog=1000)
        upstream.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        stop.append(lambda: loop.call_soon_threadsafe(is_over.set))
        is_ready.set()
        await is_over.wait()
        server.close()

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    assert is_ready.wait(10)
    try:
        yield upstream
    finally:
        stop[0]()
        thread.join()


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with hostile() as upstream:
        yield upstream


# the gateway

SCRIPT = """
import asyncio, gc, json, os, sys
import midstream.server.process as run
from midstream.server import Settings, serve

build = run.build
run._FLUSH_SECONDS, run._SHUTDOWN_SECONDS = 0.5, 1

def watched(*arguments, **options):
    app = build(*arguments, **options)
    streams = app.state.gateway.hub

    async def answer(scope, receive, send):
        if scope["type"] != "http" or scope["path"] != "/left":
            return await app(scope, receive, send)
        left = {
            "streams": len(streams) + streams._others.total(),
            "tasks": len(asyncio.all_tasks()),
            "files": len(os.listdir("/proc/self/fd")),
        }
        if scope["query_string"] == b"objects":
            gc.collect()
            left["objects"] = len(gc.get_objects())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(left).encode()})

    answer.state = app.state
    return answer

run.build = watched
serve(
    port=0, upstream=sys.argv[1], settings=Settings(**json.loads(sys.argv[2])), log_level="warning",
    on_ready=lambda url: print(url, flush=True),
)
"""
SETTINGS = {
    "pace": 0, "grace": 0.3, "heartbeat": 0.2, "connect_seconds": 60, "body_seconds": 60, "max_seconds": 60,
    "max_stream_bytes": 20_000_000, "drain": 1,
}  # fmt: skip


class Gateway:
    """The gateway's process."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._log = log
        wait_for(lambda: self.output().startswith("http"), 20)
        self.url = self.output().partition("\n")[0]
        self.port = int(self.url.rpartition(":")[2])
        # what is made for the first stream stays
        assert ask(self, "complete").status == 200
        wait_for(lambda: self.left()["streams"] == 0)
        self._at_rest = self.left()

    def output(self) -> str:
        return self._log.read_text()

    def left(self, query: str = "") -> Any:
        """Return what the process holds, including the connection and the task of this request."""
        return CLIENT.get(f"{self.url}/left{query}").json()

    def memory(self, name: str) -> int:
        """Return the kilobytes that it has (VmRSS), or had at most (VmHWM)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)
        assert found is not None
        return int(found[1])

    def forget_peak(self) -> None:
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def check_rest(self) -> None:
        """Wait until all is as it was before."""
        left: list[Any] = []

        def is_at_rest() -> bool:
            left.append(self.left())
            return bool(left[-1] == self._at_rest)

        try:
            wait_for(is_at_rest, 15)
        except AssertionError:
            assert left[-1] == self._at_rest


@contextmanager
def running(upstream: Upstream, **settings: Any) -> Iterator[Gateway]:
    with tempfile.TemporaryDirectory() as folder, Path(folder, "log").open("wb") as log:
        command = [sys.executable, "-c", SCRIPT, upstream.url, json.dumps(SETTINGS | settings)]
        with subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT) as process:
            try:
                gateway = Gateway(process, Path(log.name))
                yield gateway
            finally:
                process.terminate()
        assert "Traceback" not in gateway.output(), gateway.output()


@pytest.fixture(scope="module")
def gateway(upstream: Upstream) -> Iterator[Gateway]:
    with running(upstream) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def impatient(upstream: Upstream) -> Iterator[Gateway]:
    """For streams that would never end; others are not asked there, as a busy machine takes its time."""
    with running(upstream, max_seconds=2) as gateway:
        yield gateway


# clients


class Answer(NamedTuple):
    status: int
    content: bytes
    # whether it ended as HTTP says
    is_complete: bool


def ask(gateway: Gateway, model: str, path: str = ENRICHED) -> Answer:
    content, status = bytearray(), 0
    body = {"stream": True, "model": model}
    try:
        with CLIENT.stream("POST", gateway.url + path, json=body) as response:
            status = response.status_code
            for chunk in response.iter_raw():
                content += chunk
    except (httpx.RemoteProtocolError, httpx.TimeoutException):
        return Answer(status, bytes(content), False)
    return Answer(status, bytes(content), True)


def events_in(content: bytes) -> list[tuple[str, str]]:
    """Return midstream's events, without what is another one's each time."""
    events = [event for event in decode([content]) if event.event != "message"]
    id = json.loads(events[0].data)["message_id"]
    return [(event.event, event.data.replace(id, "*")) for event in events]


@pytest.fixture(scope="module")
def truth(gateway: Gateway) -> list[tuple[str, str]]:
    received = events_in(ask(gateway, "complete").content)
    assert received[-1] == ("stream_end", "{}")
    assert received == events_in(ask(gateway, "complete", BOTH).content)
    return received


@contextmanager
def steady(gateway: Gateway, truth: list[tuple[str, str]]) -> Iterator[None]:
    """Read undisturbed streams, one after the other, while the context lasts: each is as it should be."""
    is_over, answers = threading.Event(), list[bytes]()

    def read() -> None:
        # without a rest they would be most of what this file costs
        while not (is_over.wait(0.1) and answers):
            answers.append(ask(gateway, "complete").content)

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        try:
            yield
        finally:
            is_over.set()
        reading.result()
    for content in answers:
        assert events_in(content) == truth


def check_beginning(content: bytes, truth: list[tuple[str, str]], code: str | None) -> None:
    """Check that it is the truth as far as it goes, and that the rest says so: where it is cut, and why."""
    received = events_in(content)
    common = next((at for at, both in enumerate(zip(received, truth, strict=False)) if both[0] != both[1]), 0)
    assert common > 10
    *cut, last = received[common:]
    assert last == ("stream_end", "{}")
    if code is not None:
        name, data = cut.pop()
        assert (name, json.loads(data)["code"]) == ("error", code)
    for name, data in cut:
        assert name == "tools_call_update"
        kinds = [
            part["kind"]
            for update in json.loads(data)["tool_call_updates"]
            for part in update["json_update_fragments"]
        ]
        assert kinds == ["Error"] * len(kinds)
    true_args = {call.raw_args for call in calls_of(truth)}
    for call in calls_of(received):
        assert call.is_complete == (call.raw_args in true_args)
        assert any(args.startswith(call.raw_args) for args in true_args)


def calls_of(received: list[tuple[str, str]]) -> list[Any]:
    encoded = "".join(f"event: {name}\ndata: {data}\n\n" for name, data in received[1:] if name != "error")
    return calls_in([event for event in decode([encoded.encode()]) if event.event != "stream_end"])


# a hostile upstream

NO_ANSWER = (
    "closes_first", "resets_first", "no_http", "no_number", "long_head", "mute", "part_of_a_head",
    "drips_head", "soon",
)  # fmt: skip
BROKEN = {
    "stops": None, "stops_short": "upstream_error", "stops_in_chunks": "upstream_error",
    "bad_chunks": "upstream_error", "long_chunk_head": "upstream_error", "resets": "upstream_error",
    "stalls": "time_limit", "drips": "time_limit", "noise": None, "babbles": "invalid_event",
}  # fmt: skip
WITHOUT_END = ("mute", "part_of_a_head", "drips_head", "soon", "stalls", "drips")
# of these a client that gets the bytes can't know, nor can we
LIKE_COMPLETE_ONES = ("stops", "noise", "babbles")

Answers = dict[tuple[str, str], Answer]


@pytest.fixture(scope="module")
def answers(gateway: Gateway, impatient: Gateway, truth: list[tuple[str, str]]) -> Answers:
    """Ask for all faults at once, each way, while others read undisturbed."""
    asked = [(model, path) for model in NO_ANSWER for path in (ENRICHED, AS_IT_IS)]
    asked += [(model, path) for model in BROKEN for path in (ENRICHED, BOTH, AS_IT_IS)]

    def answer(one: tuple[str, str]) -> Answer:
        return ask(impatient if one[0] in WITHOUT_END else gateway, *one)

    with steady(gateway, truth), ThreadPoolExecutor(len(asked)) as pool:
        return dict(zip(asked, pool.map(answer, asked), strict=True))


@pytest.mark.parametrize("model", NO_ANSWER)
def test_an_upstream_that_gives_no_answer(answers: Answers, model: str) -> None:
    for path in (ENRICHED, AS_IT_IS):
        answer = answers[model, path]
        assert answer.is_complete
        assert (answer.status, json.loads(answer.content)["code"]) == (502, "upstream_error")


@pytest.mark.parametrize("model", BROKEN)
def test_an_upstream_that_breaks_in_mid_stream(
    answers: Answers, truth: list[tuple[str, str]], model: str
) -> None:
    for path in (ENRICHED, BOTH):
        answer = answers[model, path]
        assert (answer.status, answer.is_complete) == (200, True)
        check_beginning(answer.content, truth, BROKEN[model])
    passed = answers[model, AS_IT_IS]
    assert passed.is_complete == (model in LIKE_COMPLETE_ONES)
    assert passed.content.startswith(COMPLETE_EVENTS)


def test_of_all_that_nothing_is_left(
    answers: Answers, gateway: Gateway, impatient: Gateway, upstream: Upstream
) -> None:
    assert answers
    gateway.check_rest()
    impatient.check_rest()
    wait_for(lambda: upstream.connections == 0)


@pytest.mark.parametrize(
    ("model", "path", "code", "megabytes"),
    [
        ("line", ENRICHED, "event_limit", 40),
        ("line", BOTH, "event_limit", 40),
        ("line", AS_IT_IS, None, 10),
        ("comments", ENRICHED, "event_limit", 80),
        ("comments", BOTH, "event_limit", 80),
        # what one read of 64 KB unpacks to is there at once
        ("bomb", ENRICHED, "stream_limit", 200),
    ],
)
def test_a_gigabyte_is_refused_early(
    gateway: Gateway,
    upstream: Upstream,
    truth: list[tuple[str, str]],
    model: str,
    path: str,
    code: str | None,
    megabytes: int,
) -> None:
    before = gateway.memory("VmRSS")
    gateway.forget_peak()
    answer = ask(gateway, model, path)
    taken = (gateway.memory("VmHWM") - before) // 1024
    wait_for(lambda: upstream.connections == 0)
    print(f"{model} {path}: {upstream.sent / 1e6:.1f} MB sent, {taken} MB of memory")
    assert taken < megabytes
    # with what the sockets on the way hold
    assert upstream.sent < 40_000_000
    if code is None:
        assert not answer.is_complete
    elif model == "bomb":
        assert f'"{code}"'.encode() in answer.content
    else:
        check_beginning(answer.content, truth, code)


def test_a_gigabyte_that_is_packed_twice_is_not_unpacked(gateway: Gateway) -> None:
    """It would be two kilobytes, all of them unpacked at once."""
    before = gateway.memory("VmRSS")
    gateway.forget_peak()
    answer = ask(gateway, "bomb_in_bomb")
    assert (answer.status, json.loads(answer.content)["code"]) == (502, "upstream_error")
    assert gateway.memory("VmHWM") - before < 10 * 1024


class Body(httpx.AsyncByteStream):
    """A body without an end that knows when it was closed."""

    def __init__(self) -> None:
        self.is_closed = threading.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            yield chat_event("x")

    async def aclose(self) -> None:
        self.is_closed.set()


@pytest.mark.parametrize("path", [ENRICHED, BOTH, AS_IT_IS])
def test_the_narrowest_bounds_close_the_upstream_too(path: str) -> None:
    body = Body()

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=body)

    settings = Settings(max_stream_bytes=1)
    app = create_app("http://provider", settings=settings, transport=httpx.MockTransport(answer))
    with serving(app) as url, suppress(httpx.RemoteProtocolError):
        assert b'"stream_limit"' in CLIENT.post(url + path, json={"model": "m"}).content
    assert body.is_closed.wait(5)


# clients


def request_of(model: str, path: str = ENRICHED) -> bytes:
    body = json.dumps({"stream": True, "model": model}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def body_in(received: bytes) -> tuple[bytes, bool]:
    """Return the body of a chunked answer as far as it came, and whether that is all."""
    rest = received.partition(b"\r\n\r\n")[2]
    body = b""
    while True:
        size, found, rest = rest.partition(b"\r\n")
        if not found:
            return body, False
        length = int(size, 16)
        if length == 0:
            return body, True
        body += rest[:length]
        rest = rest[length + 2 :]


def numbers_in(body: bytes) -> list[int]:
    texts = [json.loads(event.data)["text"] for event in decode([body]) if event.event == "text_delta"]
    return [int(text) for text in texts]


def read_to_end(client: socket.socket) -> bytes:
    """Read all that comes; a connection that is reset is at its end, too."""
    received = b""
    with suppress(ConnectionError):
        while data := client.recv(1 << 20):
            received += data
    return received


def test_a_client_that_reads_a_byte_a_second(gateway: Gateway, truth: list[tuple[str, str]]) -> None:
    """It slows down nobody but its own stream, and that one continues when its client reads again."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(20)
        client.connect(("127.0.0.1", gateway.port))
        client.sendall(request_of("flood"))
        received = client.recv(1)
        never = threading.Event()
        with steady(gateway, truth):
            # its pace, not a wait for something to happen
            while len(received) < 3 and not never.wait(1):
                received += client.recv(1)
        while len(received) < 2_000_000:
            received += client.recv(65_536)
    numbers = numbers_in(body_in(received)[0])
    assert len(numbers) > 1000
    assert numbers == list(range(len(numbers)))
    gateway.check_rest()


async def vanish(gateway: Gateway, source: random.Random) -> None:
    """Ask for something, and be gone at some point before or in the answer."""
    paths = [ENRICHED, BOTH, AS_IT_IS]
    request = request_of(source.choice(("complete", "endless", "mute", "stops")), source.choice(paths))
    if source.random() < 0.2:
        request = b"GET /api/recordings/trip/events?pace=50 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    if source.random() < 0.2:
        request = request[: source.randrange(len(request))]
    reader, writer = await asyncio.open_connection("127.0.0.1", gateway.port)
    writer.write(request)
    with suppress(TimeoutError, ConnectionError, asyncio.IncompleteReadError):
        async with asyncio.timeout(0.1):
            await reader.readexactly(source.choice((0, 1, 100, 1000, 10_000, 100_000)))
    if source.random() < 0.5:
        reset(writer)
    else:
        writer.close()


async def a_hundred_vanish(gateway: Gateway, source: random.Random) -> bytes:
    """Drop a hundred clients, and return what another one gets meanwhile that stays.

    It paces them, too: more than that at once would measure how much a machine can take.
    """
    staying = asyncio.create_task(asyncio.to_thread(ask, gateway, "complete"))
    await asyncio.gather(*(vanish(gateway, source) for _ in range(100)))
    return (await staying).content


@pytest.mark.parametrize("hundreds", [3, pytest.param(10, marks=pytest.mark.deep)])
def test_hundreds_of_clients_that_vanish(
    gateway: Gateway, upstream: Upstream, truth: list[tuple[str, str]], hundreds: int
) -> None:
    source = random.Random(1000)
    for _ in range(hundreds):
        content = asyncio.run(a_hundred_vanish(gateway, source))
        assert events_in(content) == truth
    gateway.check_rest()
    wait_for(lambda: upstream.connections == 0)


# the end


def test_the_end_in_mid_stream(upstream: Upstream, truth: list[tuple[str, str]]) -> None:
    """Asked to end, it does, and says so in every stream: no client mistakes what it got for everything."""
    half = request_of("complete")[:-5]
    requests = [
        request_of("endless"),
        request_of("endless", BOTH),
        request_of("endless", AS_IT_IS),
        request_of("mute"),
        request_of("mute", AS_IT_IS),
        request_of("flood"),
        request_of("flood", AS_IT_IS),
        half,
        half.replace(b"/v1/", b"/provider/v1/"),
        b"GET /api/recordings/trip/events?pace=5 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]
    with running(upstream, max_seconds=600, body_seconds=600) as gateway:
        clients = [socket.create_connection(("127.0.0.1", gateway.port), timeout=20) for _ in requests]
        for client, request in zip(clients, requests, strict=True):
            client.sendall(request)
        wait_for(lambda: gateway.left()["streams"] == len(requests), 10)
        first = [client.recv(1000) for client in clients[:3]]
        gateway.process.send_signal(signal.SIGTERM)
        received = [read_to_end(client) for client in clients]
        gateway.process.wait(20)
        for client in clients:
            client.close()
        assert "Traceback" not in gateway.output(), gateway.output()
    received = [begun + rest for begun, rest in zip_longest(first, received, fillvalue=b"")]
    for at in (3, 4):
        assert received[at].startswith(b"HTTP/1.1 503 ")
        assert b'"code":"draining"' in received[at]
    for at in (0, 1, 5, 9):
        body, is_complete = body_in(received[at])
        assert is_complete
        error, end = list(decode([body]))[-2:]
        assert (error.event, json.loads(error.data)["code"]) == ("error", "producer_lost")
        assert end.event == "stream_end"
    for at in (2, 6):
        assert not body_in(received[at])[1]
    for at in (0, 5):
        numbers = numbers_in(body_in(received[at])[0])
        assert numbers == list(range(len(numbers)))
    wait_for(lambda: upstream.connections == 0)

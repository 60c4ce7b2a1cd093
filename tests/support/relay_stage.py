"""A gateway of several processes, an upstream that counts, and clients that come back."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from midstream.sse import SseDecoder, SseEvent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["CountingUpstream", "Follower", "Workers", "arguments_of", "chat_event", "texts_of", "workers"]

_SERVE = """
import json, sys
from midstream.server import Settings, serve
given = json.loads(sys.argv[1])
from midstream.server import supervisor
for name in ("kill_seconds", "restart_seconds"):
    if seconds := given.pop(name):
        setattr(supervisor, f"_{name.upper()}", seconds)
settings = Settings(**given.pop("settings"))
serve(port=0, settings=settings, on_ready=lambda url: print(url, flush=True), log_level="warning", **given)
"""


def chat_event(delta: dict[str, Any], **choice: Any) -> bytes:
    """Return an event as OpenAI's chat API sends it."""
    choices = [{"index": 0, "delta": delta, **choice}]
    return f"data: {json.dumps({'object': 'chat.completion.chunk', 'choices': choices})}\n\n".encode()


class CountingUpstream:
    """Answers a request with numbers as text, then with a tool call, at a pace that the model names.

    A model is ``<name>:<count>:<seconds between events>``. All requests are noted, as is what was sent.
    """

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.sent: dict[str, int] = {}
        self.left: set[str] = set()
        # the ports of the gateway's connections: its own, and the upstream's
        self.ports: dict[str, tuple[int, int]] = {}
        # while it is not set, the last quarter of each stream waits
        self.may_end = threading.Event()
        self.may_end.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        assert scope["type"] == "http", "lifespan is not for a provider"
        body = b""
        while (message := await receive()).get("more_body"):
            body += message["body"]
        name, count, pace = json.loads(body + message["body"])["model"].split(":")
        self.requests.append(name)
        self.ports[name] = scope["client"][1], scope["server"][1]
        sending = asyncio.create_task(self._send(send, name, int(count), float(pace)))
        leaving = asyncio.create_task(receive())
        await asyncio.wait([sending, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not sending.done():
            self.left.add(name)
        sending.cancel()
        leaving.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send(self, send: Any, name: str, count: int, pace: float) -> None:
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for number, event in enumerate(self.events(count)):
            while 4 * number > 3 * count and not self.may_end.is_set():
                await asyncio.sleep(0.01)
            await send({"type": "http.response.body", "body": event, "more_body": True})
            self.sent[name] = self.sent.get(name, 0) + 1
            await asyncio.sleep(pace)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    @staticmethod
    def events(count: int) -> Iterator[bytes]:
        """Yield the events: the first part of them numbers, the rest a call's arguments."""
        for number in range(count // 2):
            yield chat_event({"content": f"{number} "})
        call = {"index": 0, "id": "c1", "function": {"name": "count", "arguments": "[0"}}
        yield chat_event({"tool_calls": [call]})
        for number in range(1, count - count // 2):
            yield chat_event({"tool_calls": [{"index": 0, "function": {"arguments": f",{number}"}}]})
        yield chat_event({"tool_calls": [{"index": 0, "function": {"arguments": "]"}}]})
        yield chat_event({}, finish_reason="tool_calls")
        yield b"data: [DONE]\n\n"


def texts_of(events: list[SseEvent]) -> list[int]:
    """Return the numbers in the text of midstream's events."""
    return [int(json.loads(event.data)["text"]) for event in events if event.event == "text_delta"]


def arguments_of(events: list[SseEvent]) -> str:
    """Return the arguments of the call in midstream's events."""
    messages = [json.loads(event.data) for event in events if event.event == "tools_call_update"]
    return "".join(
        update.get("function_args") or "" for message in messages for update in message["tool_call_updates"]
    )


class Workers:
    """A gateway that is running in several processes."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url
        self.port = int(url.rpartition(":")[2])

    def pids(self) -> list[int]:
        """Return the processes that serve."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(pid) for pid in listed] or [self.process.pid]

    def process_of(self, port: int, remote: int) -> int | None:
        """Return the process that has the connection between a local and a remote port."""
        return next(self._processes_with(port, remote), None)

    def listening(self) -> list[int]:
        """Return the processes that accept connections."""
        return list(self._processes_with(self.port, 0))

    def _processes_with(self, port: int, remote: int) -> Iterator[int]:
        inodes = set()
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            ports = [int(address.partition(":")[2], 16) for address in fields[1:3]]
            if ports == [port, remote]:
                inodes.add(f"socket:[{fields[9]}]")
        for pid in self.pids():
            found: set[str] = set()
            with suppress(OSError):
                for file in Path(f"/proc/{pid}/fd").iterdir():
                    with suppress(OSError):
                        found.add(str(file.readlink()))
            if inodes & found:
                yield pid


@contextmanager
def workers(
    upstream: str,
    store: str,
    count: int = 2,
    upstream_key_env: str | None = None,
    output: list[str] | None = None,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    kill_seconds: float | None = None,
    restart_seconds: float | None = None,
    **settings: Any,
) -> Iterator[Workers]:
    """Run a gateway while the context lasts; what it writes is added to ``output``."""
    given = {"upstream": upstream, "store": store, "workers": count, "settings": {"drain": 1, **settings}}
    given |= {"upstream_key_env": upstream_key_env, "hosts": hosts, "origins": origins}
    given |= {"kill_seconds": kill_seconds, "restart_seconds": restart_seconds}
    command = [sys.executable, "-c", _SERVE, json.dumps(given)]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            assert process.stdout is not None
            lines: list[str] = []
            while not (line := process.stdout.readline()).startswith("http"):
                assert line, lines
                lines.append(line)
            yield Workers(process, line.strip())
        finally:
            process.terminate()
            written = process.communicate()[0]
    if output is not None:
        output.append(written)
    assert "Traceback" not in written, written


class Follower:
    """A client that reads a stream and comes back after its last event whenever its connection ends."""

    def __init__(self, url: str, headers: dict[str, str] | None = None, **options: Any) -> None:
        self.url = url
        self.events: list[SseEvent] = []
        self.times: list[float] = []
        self.connections = 0
        self.statuses: list[int] = []
        self.port = 0
        self._headers = headers or {}
        self._options = options
        self._task: asyncio.Task[None] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the stream has ended."""
        return bool(self.events) and self.events[-1].event == "stream_end"

    def start(self) -> None:
        """Begin to read."""
        self._task = asyncio.create_task(self.run())

    async def finished(self) -> None:
        """Wait for the end."""
        assert self._task is not None
        await self._task

    async def stop(self) -> None:
        """Stop reading."""
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def run(self, wait: float = 0.02) -> None:
        """Read to the end of the stream."""
        # each client would read all certificates again, for addresses of this machine
        async with httpx.AsyncClient(timeout=10, verify=False) as client:
            while not self.is_over:
                with suppress(httpx.HTTPError):
                    await self._read(client)
                if self.statuses and self.statuses[-1] in (204, 404, 409):
                    return
                await asyncio.sleep(wait)

    async def _read(self, client: httpx.AsyncClient) -> None:
        headers = dict(self._headers)
        if self.events:
            headers["last-event-id"] = self.events[-1].id
        # a connection of its own: another worker may answer
        headers["connection"] = "close"
        async with client.stream("GET", self.url, headers=headers, **self._options) as response:
            self.connections += 1
            self.statuses.append(response.status_code)
            self.port = response.extensions["network_stream"].get_extra_info("client_addr")[1]
            if response.status_code != 200:
                return
            decoder = SseDecoder()
            async for chunk in response.aiter_raw():
                found = decoder.add_bytes(chunk)
                self.events += found
                self.times += [time.monotonic()] * len(found)

"""A real HTTP server on loopback that replays event streams, cut at random bytes.

Every piece is an HTTP chunk of its own, sent at once, so a client's reads end inside characters, lines
and line ends. The cuts follow from the reply's seed and from how often it has been asked for.
"""

from __future__ import annotations

import json
import random
import re
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

from midstream.sse import SseEvent, comment, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

__all__ = ["PATHS", "ReplayServer", "Reply", "body_of", "cuts"]

# what the SDKs ask for below their base URL, by the format of the answer; "midstream" is our own
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "midstream": "/events",
}
# the later bytes of a character, and what may follow a CR
_INSIDE = re.compile(b"[\x80-\xbf\n]")
_HEARTBEAT = comment("still here") + comment()
# what a client has not read when a reset arrives may be lost to it
_TIME_TO_READ = 0.05


class Reply(NamedTuple):
    """What to answer: a body, and how it ends.

    Endings: "complete"; "stops", a clean end after ``length`` bytes; "closes" there, without the end that
    HTTP asks for; "resets" the connection there.
    """

    body: bytes
    ending: str = "complete"
    length: int | None = None
    seed: int = 0

    @property
    def sent(self) -> bytes:
        """The part of the body that goes out."""
        return self.body[: self.length]


def body_of(
    events: Iterable[dict[str, Any]], format: str, *, line_end: bytes = b"\n", heartbeats: bool = False
) -> bytes:
    """Write events as the provider does: non-ASCII as it is, except for lone surrogates."""
    parts = []
    for event in events:
        kind = "message" if format == "openai-chat" else str(event.get("type", "message"))
        parts += [_HEARTBEAT] * heartbeats + [encode(SseEvent(kind, _json(event)))]
    if format == "openai-chat":
        parts.append(encode(SseEvent(data="[DONE]")))
    return b"".join(parts).replace(b"\n", line_end)


def _json(event: dict[str, Any]) -> str:
    text = json.dumps(event, ensure_ascii=False)
    has_surrogates = any("\ud800" <= character <= "\udfff" for character in text)
    return json.dumps(event) if has_surrogates else text


def cuts(data: bytes, seed: int) -> Iterator[bytes]:
    """Cut at random, and rather often where it hurts: inside a character or a line end."""
    source = random.Random(seed)
    start = 0
    while start < len(data):
        end = start + source.choice((1, 2, 3, 5, 8, 50, 150, 300))
        for hurts in _INSIDE.finditer(data, start + 1, end):
            if source.random() < 0.3:
                end = hurts.start()
                break
        yield data[start:end]
        start = end


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer()

    def _answer(self) -> None:
        _, name, *rest = self.path.split("/", 2)
        reply = self.server.replies.get(name)
        if reply is None or "/" + "".join(rest) not in PATHS.values():
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in cuts(reply.sent, reply.seed + self.server.count(name)):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        if reply.ending in ("complete", "stops"):
            self.wfile.write(b"0\r\n\r\n")
            return
        self.close_connection = True
        if reply.ending == "resets":
            time.sleep(_TIME_TO_READ)
            # to close without lingering is to reset
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies: dict[str, Reply] = {}
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def count(self, name: str) -> int:
        """Count a request for a reply."""
        with self._lock:
            self._counts[name] = self._counts.get(name, 0) + 1
            return self._counts[name]

    def shutdown_request(self, request: Any) -> None:
        """Close without the orderly goodbye, which would come before a reset."""
        self.close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that leave early, as some SDKs do after ``[DONE]``."""


class ReplayServer:
    """Serve replies, each below an address of its own, while the context lasts."""

    def __enter__(self) -> ReplayServer:
        self._server = _Server()
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def add(self, reply: Reply) -> str:
        """Return the address below which a reply is served at all of `PATHS`."""
        name = f"r{len(self._server.replies)}"
        self._server.replies[name] = reply
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/{name}"

    def set(self, address: str, reply: Reply | None) -> None:
        """Serve another reply below an address, or none."""
        name = address.rpartition("/")[2]
        if reply is None:
            del self._server.replies[name]
        else:
            self._server.replies[name] = reply

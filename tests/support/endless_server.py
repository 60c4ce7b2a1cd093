"""A server on loopback that writes an event stream until its socket is closed, and says when that was."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

__all__ = ["EndlessServer"]

# a stream that nobody closes ends after so many events
_MOST = 2000
_PAUSE = 0.005


def _chat(number: int, text: str) -> list[dict[str, Any]]:
    function: dict[str, Any] = {"arguments": text}
    call = {"index": 0, "type": "function", "function": function}
    if number == 0:
        call["id"] = "call_1"
        function["name"] = "weather"
    delta = {"content": text, "tool_calls": [call]}
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return [{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}]


def _anthropic(number: int, text: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    if number == 0:
        usage = {"input_tokens": 1, "output_tokens": 1}
        message: dict[str, Any] = {"id": "m1", "type": "message", "role": "assistant", "model": "m"}
        message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        block = {"type": "tool_use", "id": "t1", "name": "weather", "input": {}}
        events = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_start", "index": 1, "content_block": block},
        ]
    for index, delta in enumerate(
        [{"type": "text_delta", "text": text}, {"type": "input_json_delta", "partial_json": text}]
    ):
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
    return events


FORMATS = {"chat/completions": _chat, "messages": _anthropic}


def _events(path: str) -> Iterator[bytes]:
    """Write a document whose list of notes has no end."""
    make = next(make for end, make in FORMATS.items() if path.endswith(end))
    for number in range(_MOST):
        text = '{"city": "Oslo", "notes": [0' if number == 0 else f", {number}"
        for event in make(number, text):
            kind = f"event: {event['type']}\n" if "type" in event else ""
            yield f"{kind}data: {json.dumps(event)}\n\n".encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        stream = self.server.stream(self.path.split("/")[1])
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for piece in _events(self.path):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                stream.written += 1
                if stream.left.wait(_PAUSE):
                    break
        except OSError:
            stream.is_closed = True
        stream.ended.set()
        self.close_connection = True

    def do_GET(self) -> None:
        """Say whether the client of a stream has left: /NAME/closed waits for it, /NAME/open does not."""
        _, name, question = self.path.split("/")
        stream = self.server.stream(name)
        stream.ended.wait(5 if question == "closed" else 0.2)
        body = json.dumps([stream.is_closed, stream.written]).encode()
        stream.left.set()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


class _Stream:
    def __init__(self) -> None:
        self.written = 0
        self.is_closed = False
        # the stream has ended; the test is over
        self.ended, self.left = threading.Event(), threading.Event()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._streams: dict[str, _Stream] = {}
        self._lock = threading.Lock()

    def stream(self, name: str) -> _Stream:
        with self._lock:
            return self._streams.setdefault(name, _Stream())

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Close the connections of clients."""


class EndlessServer:
    """Serve such streams while the context lasts: below ``url/NAME``, each name one stream."""

    def __enter__(self) -> EndlessServer:
        self._server = _Server()
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()
        host, port = self._server.server_address[:2]
        self.url = f"http://{host!s}:{port}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

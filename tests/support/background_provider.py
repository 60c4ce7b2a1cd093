"""A provider like OpenAI's Responses API, whose background responses go on when nobody reads them."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from typing import Any
from urllib.parse import parse_qs

__all__ = ["BackgroundProvider", "raw_events"]


def raw_events(name: str, count: int) -> list[bytes]:
    """Return what the provider sends for a response, through its first connection."""
    return [_raw(event, number, 1) for number, event in enumerate(_events(f"resp_{name}", count))]


def _raw(event: dict[str, Any], number: int, connection: int) -> bytes:
    event = {**event, "sequence_number": number, "obfuscation": str(connection)}
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


class _Response:
    def __init__(self, name: str, count: int, pace: float) -> None:
        self.name = name
        self.pace = pace
        self.started_at = time.monotonic()
        self.is_cancelled = asyncio.Event()
        self.events = list(_events(f"resp_{name}", count))


def _events(id: str, count: int) -> Any:
    """Yield the events: the first half of them numbers as text, the other half a call's arguments."""
    yield {"type": "response.created", "response": {"id": id, "object": "response", "status": "queued"}}
    message = {"id": "m1", "type": "message", "role": "assistant", "content": [], "status": "in_progress"}
    yield {"type": "response.output_item.added", "output_index": 0, "item": message}
    place = {"item_id": "m1", "output_index": 0, "content_index": 0}
    texts = [f"{number} " for number in range(count // 2)]
    for text in texts:
        yield {"type": "response.output_text.delta", **place, "delta": text}
    yield {"type": "response.output_text.done", **place, "text": "".join(texts)}
    call = {"id": "f1", "type": "function_call", "call_id": "c1", "name": "count", "arguments": ""}
    yield {"type": "response.output_item.added", "output_index": 1, "item": call}
    pieces = ["[0", *(f",{number}" for number in range(1, count - count // 2)), "]"]
    place = {"item_id": "f1", "output_index": 1}
    for piece in pieces:
        yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
    arguments = "".join(pieces)
    yield {"type": "response.function_call_arguments.done", **place, "arguments": arguments}
    yield {"type": "response.output_item.done", "output_index": 1, "item": {**call, "arguments": arguments}}
    yield {"type": "response.completed", "response": {"id": id, "status": "completed", "output": []}}


class BackgroundProvider:
    """Start responses, resume and cancel them; the model of a request is ``<name>:<count>:<pace>``.

    Each event names the connection that it came through, as ``obfuscation``, which readers ignore.
    """

    def __init__(self, key: str | None = None) -> None:
        self.key = key
        self.responses: dict[str, _Response] = {}
        # how often each was asked for, and those that were cancelled
        self.requests: list[str] = []
        self.resumed: list[tuple[str, int]] = []
        self.cancelled: list[str] = []
        # the ports of the gateway's latest connections: its own, and the provider's
        self.ports: dict[str, tuple[int, int]] = {}
        # how many repeated events a resumption begins with, and after how many events connections break
        self.repeated = 0
        self.breaks_after: int | None = None
        # while it is not set, the last quarter of each response waits
        self.may_end = threading.Event()
        self.may_end.set()
        self._connections = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        assert scope["type"] == "http", "lifespan is not for a provider"
        body = b""
        while (message := await receive()).get("more_body"):
            body += message["body"]
        body += message["body"]
        path = scope["path"].removeprefix("/v1/responses").strip("/").split("/")
        if self.key is not None and dict(scope["headers"]).get(b"authorization") != self.key.encode():
            await self._answer(send, 401)
        elif scope["method"] == "POST" and path == [""]:
            name, count, pace = json.loads(body)["model"].split(":")
            self.requests.append(name)
            self.responses[f"resp_{name}"] = _Response(name, int(count), float(pace))
            await self._stream(scope, receive, send, f"resp_{name}", 0)
        elif path[0] not in self.responses:
            await self._answer(send, 404)
        elif path[1:] == ["cancel"]:
            self.cancelled.append(self.responses[path[0]].name)
            self.responses[path[0]].is_cancelled.set()
            await self._answer(send, 200)
        else:
            query = parse_qs(scope["query_string"].decode())
            assert query["stream"] == ["true"]
            after = int(query["starting_after"][0]) + 1
            self.resumed.append((self.responses[path[0]].name, after))
            await self._stream(scope, receive, send, path[0], max(0, after - self.repeated))

    async def _answer(self, send: Any, status: int) -> None:
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"{}"})

    async def _stream(self, scope: Any, receive: Any, send: Any, id: str, first: int) -> None:
        response = self.responses[id]
        self.ports[response.name] = scope["client"][1], scope["server"][1]
        self._connections += 1
        sending = asyncio.create_task(self._send(send, response, first, self._connections))
        others = [asyncio.create_task(receive()), asyncio.create_task(response.is_cancelled.wait())]
        await asyncio.wait([sending, *others], return_when=asyncio.FIRST_COMPLETED)
        for task in (sending, *others):
            task.cancel()
        await asyncio.gather(sending, *others, return_exceptions=True)

    async def _send(self, send: Any, response: _Response, first: int, connection: int) -> None:
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for number in range(first, len(response.events)):
            while 4 * number > 3 * len(response.events) and not self.may_end.is_set():
                await asyncio.sleep(0.01)
                response.started_at = time.monotonic() - number * response.pace
            await asyncio.sleep(max(0, response.started_at + number * response.pace - time.monotonic()))
            data = _raw(response.events[number], number, connection)
            if self.breaks_after is not None and number - first == self.breaks_after:
                # in the middle of an event
                await send({"type": "http.response.body", "body": data[:40], "more_body": True})
                await asyncio.sleep(0.01)
                return
            await send({"type": "http.response.body", "body": data, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

"""Run an agent of the OpenAI Agents SDK against a server on loopback, and read its events.

Run in the environment of the SDK: it prints a JSON object. The agent calls a tool, and answers when it has
the result; it does so once with each of OpenAI's two formats.
"""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import aclosing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

from agents import (  # type: ignore[import-not-found]
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI  # type: ignore[import-not-found]

from endless_server import EndlessServer
from midstream import aio, to_event
from midstream.integrations.starlette import EventsResponse
from midstream.providers import detect
from midstream.sse import decode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ARGUMENTS = ['{"city":', '"Oslo"}']
TEXT = ["Sun", "ny"]
USAGE = {
    "input_tokens": 3,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 4,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 7,
}


def _response(id: str, output: list[Any], status: str = "completed") -> dict[str, Any]:
    return {
        "id": id, "object": "response", "created_at": 1, "status": status, "model": "m", "output": output,
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "metadata": {},
        "incomplete_details": None, "instructions": None, "temperature": 1, "top_p": 1,
        "usage": USAGE if status == "completed" else None,
    }  # fmt: skip


def _item(item: dict[str, Any], done: dict[str, Any], pieces: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write a response with one item."""
    place = {"output_index": 0, "item_id": item["id"]}
    return [
        {"type": "response.created", "response": _response("r", [], "in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *({**piece, **place} for piece in pieces),
        {"type": "response.output_item.done", "output_index": 0, "item": {**done, "status": "completed"}},
        {"type": "response.completed", "response": _response("r", [{**done, "status": "completed"}])},
    ]


_CALL = {"id": "fc", "type": "function_call", "status": "in_progress", "call_id": "call_1", "name": "weather"}
_MESSAGE = {"id": "msg", "type": "message", "status": "in_progress", "role": "assistant", "content": []}
_PART = {"type": "output_text", "text": "".join(TEXT), "annotations": [], "logprobs": []}
RESPONSES = [
    _item(
        {**_CALL, "arguments": ""},
        {**_CALL, "arguments": "".join(ARGUMENTS)},
        [{"type": "response.function_call_arguments.delta", "delta": piece} for piece in ARGUMENTS],
    ),
    _item(
        _MESSAGE,
        {**_MESSAGE, "content": [_PART]},
        [
            {"type": "response.output_text.delta", "content_index": 0, "delta": piece, "logprobs": []}
            for piece in TEXT
        ],
    ),
]


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def _function(**function: Any) -> dict[str, Any]:
    return {"index": 0, "type": "function", "function": function}


CHAT = [
    [
        _chunk({"tool_calls": [{**_function(name="weather", arguments=""), "id": "call_1"}]}),
        *(_chunk({"tool_calls": [_function(arguments=piece)]}) for piece in ARGUMENTS),
        _chunk({}, "tool_calls"),
    ],
    [*(_chunk({"role": "assistant", "content": piece}) for piece in TEXT), _chunk({}, "stop")],
]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_chat = "messages" in request
        # the tool's result is in the second request
        has_result = '"call_1"' in json.dumps(request)
        events = (CHAT if is_chat else RESPONSES)[has_result]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for number, event in enumerate(events):
            numbered = event if is_chat else {**event, "sequence_number": number}
            self.wfile.write(f"data: {json.dumps(numbered)}\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Be quiet."""


@function_tool  # type: ignore[untyped-decorator]
def weather(city: str) -> str:
    """Return the weather."""
    return f"22 degrees in {city}"


async def _given(events: list[Any]) -> AsyncIterator[Any]:
    for event in events:
        yield event


async def _sent(events: list[Any]) -> list[str]:
    """Return what the response class writes for a browser."""
    body: list[bytes] = []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        body.append(message.get("body", b""))

    await EventsResponse(_given(events))({"type": "http"}, receive, send)
    return [event.event for event in decode(body)]


async def read(model: Any) -> dict[str, Any]:
    """Run the agent, and read its events in every way."""
    agent = Agent(name="helper", instructions="the secret", model=model, tools=[weather])
    events = [event async for event in Runner.run_streamed(agent, "?").stream_events()]
    *_, calls = [calls async for calls in aio.tool_calls(_given(events))]
    return {
        "kinds": [event.type for event in events],
        "format": detect(events),
        "messages": [to_event(message) async for message in aio.messages(_given(events))],
        "calls": [call.to_dict() for call in calls],
        "text": [text async for text in aio.text_deltas(_given(events))],
        "sent": await _sent(events),
    }


async def stop(url: str) -> Any:
    """Leave a run early, as the documentation says, and return whether the connection was closed."""
    client = AsyncOpenAI(api_key="none", base_url=f"{url}/agent", max_retries=0)
    model = OpenAIChatCompletionsModel(model="m", openai_client=client)
    run = Runner.run_streamed(Agent(name="helper", model=model), "?")
    async with aclosing(aio.text_deltas(run.stream_events())) as texts:
        async for _ in texts:
            run.cancel()
            break
    return await asyncio.to_thread(lambda: json.load(urlopen(f"{url}/agent/closed", timeout=10)))


async def main() -> None:
    """Print what was found."""
    set_tracing_disabled(True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = AsyncOpenAI(api_key="none", base_url=f"http://127.0.0.1:{server.server_address[1]}/v1")
    results: dict[str, Any] = {
        "openai-responses": await read(OpenAIResponsesModel(model="m", openai_client=client)),
        "openai-chat": await read(OpenAIChatCompletionsModel(model="m", openai_client=client)),
    }
    with EndlessServer() as endless:
        results["stop"] = await stop(endless.url)
    print(json.dumps(results))


if __name__ == "__main__":
    asyncio.run(main())

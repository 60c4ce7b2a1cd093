"""Read the streams of packages that are too heavy for the suite: LiteLLM and LangGraph.

    make deep ONLY=sdks

Both run for real, in an environment of their own, against a server on loopback. The shapes of their events
are cases of the suite, too.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from contextlib import aclosing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "support")]
# no table of prices from the network
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm  # type: ignore[import-not-found]
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph  # type: ignore[import-not-found]
from langgraph.prebuilt import ToolNode  # type: ignore[import-not-found]

from endless_server import EndlessServer
from midstream import (
    Other,
    ReasoningDelta,
    TextDelta,
    ToolResult,
    Usage,
    aio,
    messages,
    to_event,
    tool_calls,
)

QUESTION = [{"role": "user", "content": "?"}]
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": PARAMETERS}}]


def _chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return {**chunk, **more}


def _call(**function: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "type": "function", "function": function}]}


BEGUN = _call(name="weather", arguments="")
BEGUN["tool_calls"][0]["id"] = "call_1"
CHAT = [
    _chunk({"role": "assistant", "reasoning_content": "Hm"}),
    _chunk(BEGUN),
    _chunk(_call(arguments='{"city":')),
    _chunk(_call(arguments='"Oslo"}')),
    _chunk({}, "tool_calls"),
    {**_chunk({}), "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}},
]
STARTED: dict[str, Any] = {
    "id": "m", "type": "message", "role": "assistant", "model": "claude", "content": [], "stop_reason": None,
    "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 1},
}  # fmt: skip


def _delta(index: int, kind: str, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **delta}}


def _block(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


ANTHROPIC = [
    {"type": "message_start", "message": STARTED},
    _block(0, type="thinking", thinking="", signature=""),
    _delta(0, "thinking_delta", thinking="Hm"),
    _delta(0, "signature_delta", signature="sig"),
    {"type": "content_block_stop", "index": 0},
    _block(1, type="tool_use", id="call_1", name="weather", input={}),
    _delta(1, "input_json_delta", partial_json='{"city":'),
    _delta(1, "input_json_delta", partial_json='"Oslo"}'),
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        events = ANTHROPIC if self.path.endswith("/messages") else CHAT
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event.get('type', 'message')}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Be quiet."""


# name, arguments and id
PIECES = [("weather", "", "call_1"), (None, '{"city":', None), (None, '"Oslo"}', None)]


class Model(BaseChatModel):  # type: ignore[misc]
    """A model of LangChain that calls a tool, and answers when it has the result."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **options: Any) -> Any:
        if any(isinstance(message, ToolMessage) for message in messages):
            used = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
            chunks = [AIMessageChunk("Sun"), AIMessageChunk("ny", usage_metadata=used)]
        else:
            chunks = [
                AIMessageChunk("", tool_call_chunks=[{"name": name, "args": args, "id": id, "index": 0}])
                for name, args, id in (
                    ("weather", "", "call_1"),
                    (None, '{"city":', None),
                    (None, '"Oslo"}', None),
                )
            ]
            chunks.append(AIMessageChunk("", response_metadata={"finish_reason": "tool_calls"}))
        for chunk in chunks:
            generation = ChatGenerationChunk(message=chunk)
            if run_manager is not None:
                run_manager.on_llm_new_token(str(chunk.content), chunk=generation)
            yield generation


@tool  # type: ignore[untyped-decorator]
def weather(city: str) -> str:
    """Return the weather."""
    return f"22 degrees in {city}"


def _graph() -> Any:
    model, graph = Model(), StateGraph(MessagesState)
    graph.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([weather]))
    graph.add_edge(START, "agent")
    graph.add_conditional_edges("agent", lambda state: "tools" if state["messages"][-1].tool_calls else END)
    graph.add_edge("tools", "agent")
    return graph.compile()


def check_calls(name: str, events: list[Any]) -> list[Any]:
    """Check the call, and that all messages can be written; return the messages."""
    *_, calls = tool_calls(events)
    found = [(call.id, call.name, call.args, call.is_complete) for call in calls]
    assert found == [("call_1", "weather", {"city": "Oslo"}, True)], (name, found)
    said = list(messages(events))
    for message in said:
        json.dumps(to_event(message))
    print(f"{name:40} {len(events)} events, {len(said)} messages")
    return said


def check_litellm(url: str) -> None:
    """Read LiteLLM's chunks, made from the streams of two providers."""
    options: dict[str, Any] = {
        "messages": QUESTION, "tools": TOOLS, "stream": True, "api_key": "none",
        "stream_options": {"include_usage": True},
    }  # fmt: skip
    for model, base in (("openai/m", f"{url}/v1"), ("anthropic/claude", url)):
        said = check_calls(
            f"litellm, {model}", list(litellm.completion(model=model, api_base=base, **options))
        )
        reasoning = [message for message in said if isinstance(message, ReasoningDelta)]
        assert "".join(message.text for message in reasoning) == "Hm", reasoning
        signatures = [message.signature for message in reasoning if message.signature]
        assert signatures == (["sig"] if "anthropic" in model else []), reasoning
        [usage] = [message for message in said if isinstance(message, Usage)]
        assert usage[:2] == (3, 4), usage
        assert not any(isinstance(message, Other) for message in said), said

    async def read() -> list[Any]:
        stream = await litellm.acompletion(model="openai/m", api_base=f"{url}/v1", **options)
        return [chunk async for chunk in stream]

    check_calls("litellm, asynchronous", asyncio.run(read()))


# what other modes of a graph's stream pass through
MODES = {
    "messages, updates": {"updates"},
    "subgraphs": {"updates"},
    "parts": {"updates"},
    "messages, values, custom": {"values"},
}


def check_langgraph() -> None:
    """Read what a graph streams, in all forms."""
    graph, question = _graph(), {"messages": QUESTION}
    outer = StateGraph(MessagesState)
    outer.add_node("inner", graph)
    outer.add_edge(START, "inner")

    async def events() -> list[Any]:
        return [event async for event in graph.astream_events(question, version="v2")]

    streams: dict[str, list[Any]] = {
        "messages": list(graph.stream(question, stream_mode="messages")),
        "messages, updates": list(graph.stream(question, stream_mode=["messages", "updates"])),
        "messages, values, custom": list(
            graph.stream(question, stream_mode=["messages", "values", "custom"])
        ),
        "subgraphs": list(
            outer.compile().stream(question, stream_mode=["messages", "updates"], subgraphs=True)
        ),
        "parts": list(graph.stream(question, stream_mode=["messages", "updates"], version="v2")),
        "astream_events": asyncio.run(events()),
    }
    for name, found in streams.items():
        said = check_calls(f"langgraph, {name}", found)
        assert "".join(message.text for message in said if isinstance(message, TextDelta)) == "Sunny", said
        results = [message for message in said if isinstance(message, ToolResult)]
        assert [(result.tool_call_id, result.result) for result in results] == [
            ("call_1", "22 degrees in Oslo")
        ], results
        modes = {message.type for message in said if isinstance(message, Other)}
        assert modes == MODES.get(name, set()), (name, modes)


async def check_stopping() -> None:
    """Leave LiteLLM's stream early."""
    with EndlessServer() as server:
        url = f"{server.url}/litellm"
        stream = await litellm.acompletion(
            model="openai/m", api_base=url, api_key="none", messages=QUESTION, stream=True
        )
        async with aclosing(aio.text_deltas(stream)) as texts:
            async for _ in texts:
                break
        is_closed, written = await asyncio.to_thread(lambda: json.load(urlopen(f"{url}/closed", timeout=10)))
    assert is_closed, "the connection stayed open"
    print(f"{'litellm, left early':40} closed after {written} events")


def main() -> None:
    """Run all checks."""
    names = ("litellm", "langgraph", "langchain-core")
    print(", ".join(f"{name} {version(name)}" for name in names))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    check_litellm(f"http://127.0.0.1:{server.server_address[1]}")
    check_langgraph()
    asyncio.run(check_stopping())


if __name__ == "__main__":
    main()

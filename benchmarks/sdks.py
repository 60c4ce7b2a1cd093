"""Run the accumulators of the OpenAI and Anthropic SDKs on events made here.

For comparison, `midstream.tool_calls` reads the same events.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from midstream import tool_calls
from peers import AGAIN, Peer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ours import Adapter

TOOL = {"type": "function", "function": {"name": "write", "strict": True, "parameters": {}}}


def chat_chunk(call: dict[str, Any]) -> Any:
    """Make a chunk of a chat completion with a piece of its only tool call."""
    delta = {"role": "assistant", "tool_calls": [{"index": 0, **call}]}
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return import_module("openai.types.chat").ChatCompletionChunk.model_validate(chunk)


def openai_event(fragment: str) -> Any:
    """Make the chunk that carries a fragment."""
    return chat_chunk({"function": {"arguments": fragment}})


def openai_start() -> list[Any]:
    """Make the chunk that begins the call."""
    return [chat_chunk({"id": "1", "type": "function", "function": {"name": "write", "arguments": ""}})]


def openai_sdk() -> Adapter:
    """Run the accumulator of `client.chat.completions.stream`."""
    make = import_module("openai.lib.streaming.chat").ChatCompletionStreamState
    (start,) = openai_start()

    def values(chunks: Iterable[Any]) -> Iterator[Any]:
        state = make(input_tools=[TOOL])
        state.handle_chunk(start)
        for chunk in chunks:
            state.handle_chunk(chunk)
            message = state.current_completion_snapshot.choices[0].message
            yield message.tool_calls[0].function.parsed_arguments

    return values


def anthropic_event(fragment: str) -> Any:
    """Make the event that carries a fragment."""
    delta = {"type": "input_json_delta", "partial_json": fragment}
    event = {"type": "content_block_delta", "index": 0, "delta": delta}
    return import_module("anthropic.types").RawContentBlockDeltaEvent.model_validate(event)


def anthropic_start() -> list[Any]:
    """Make the events that begin the message and its only call."""
    message: dict[str, Any] = {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    block = {"type": "tool_use", "id": "1", "name": "write", "input": {}}
    types = import_module("anthropic.types")
    return [
        types.RawMessageStartEvent.model_validate({"type": "message_start", "message": message}),
        types.RawContentBlockStartEvent.model_validate(
            {"type": "content_block_start", "index": 0, "content_block": block}
        ),
    ]


def anthropic_sdk() -> Adapter:
    """Run the accumulator of `client.messages.stream`."""
    accumulate = import_module("anthropic.lib.streaming._messages").accumulate_event
    starts = anthropic_start()

    def values(events: Iterable[Any]) -> Iterator[Any]:
        buffers: dict[int, bytes] = {}
        message: Any = None
        for event in starts:
            message = accumulate(event=event, current_snapshot=message, json_bufs=buffers)
        for event in events:
            message = accumulate(event=event, current_snapshot=message, json_bufs=buffers)
            yield message.content[0].input

    return values


def calls(format: Any, start: Callable[[], list[Any]]) -> Adapter:
    """Read the same events with midstream."""
    starts = start()

    def values(events: Iterable[Any]) -> Iterator[Any]:
        stream = tool_calls([*starts, *events], format=format)
        for _ in starts:
            next(stream)
        for found in stream:
            yield found[0].args

    return values


SDKS = [
    Peer("openai, its stream state", ("openai",), AGAIN, openai_sdk, 60_000, prepare=openai_event),
    Peer("anthropic, its accumulator", ("anthropic",), AGAIN, anthropic_sdk, 60_000, prepare=anthropic_event),
]
# in the same order
OURS_ON_SDKS = [
    Peer(
        "midstream, tool_calls on openai's objects", ("openai",), "",
        partial(calls, "openai-chat", openai_start), prepare=openai_event,
    ),
    Peer(
        "midstream, tool_calls on anthropic's objects", ("anthropic",), "",
        partial(calls, "anthropic", anthropic_start), prepare=anthropic_event,
    ),
]  # fmt: skip

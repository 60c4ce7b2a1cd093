"""Every stream of every format and fault again, as bytes on the wire: cut anywhere, in any framing."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING

import pytest

from midstream.sse import SseDecoder, SseEvent, comment, encode
from provider_streams import Event, Expected, cases, final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONE = re.compile("[\ud800-\udfff]")
each_stream = cases()


def sse_bytes(stream: list[Event], line_end: str, *, is_noisy: bool) -> bytes:
    parts = []
    for number, event in enumerate(stream):
        # U+2028 and U+0085 stay what they are: data
        data = LONE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(event, ensure_ascii=False))
        parts.append(encode(SseEvent(event="message", data=data, id=str(number))))
        if is_noisy and number % 3 == 0:
            parts.append(comment("keep-alive"))
    parts.append(encode(SseEvent(data="[DONE]")))
    return b"".join(parts).replace(b"\n", line_end.encode())


def cut(data: bytes, seed: int) -> Iterator[bytes]:
    dice = random.Random(seed)
    while data:
        size = dice.choice([1, 1, 2, 3, 7, 20, 300])
        yield data[:size]
        data = data[size:]


@each_stream
def test_sse_cut_anywhere(format: str, events: list[Event], expected: list[Expected]) -> None:
    for line_end in ("\n", "\r", "\r\n"):
        data = sse_bytes(events, line_end, is_noisy=True)
        decoder = SseDecoder()
        read = [event for piece in cut(data, len(data)) for event in decoder.add_bytes(piece)]
        assert final(read, format) == expected, repr(line_end)


@each_stream
def test_lines_of_json(format: str, events: list[Event], expected: list[Expected]) -> None:
    lines = [json.dumps(event).encode() for event in events]
    assert final(lines, format) == expected


@pytest.mark.parametrize("format", ["openai-chat", "anthropic", "bedrock", "ag-ui", "vercel-ui", "midstream"])
def test_text_that_looks_like_line_ends(format: str) -> None:
    """U+2028 and U+0085 in an argument come through, whatever cuts the stream."""
    odd = "a\u2028b\u0085c"
    pieces: dict[str, Callable[[str], Event]] = {
        "openai-chat": lambda text: {
            "choices": [
                {"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}}
            ]
        },
        "bedrock": lambda text: {
            "contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": text}}}
        },
        "ag-ui": lambda text: {"type": "TOOL_CALL_CHUNK", "toolCallId": "a", "delta": text},
        "vercel-ui": lambda text: {"type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": text},
        "midstream": lambda text: {"type": "tool_call_update", "tool_call_id": "a", "function_args": text},
        "anthropic": lambda text: {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": text},
        },
    }
    stream = [pieces[format](text) for text in ('{"x": "', odd, '"}')]
    if format == "anthropic":
        block = {"type": "tool_use", "id": "a", "name": "t", "input": {}}
        stream.insert(0, {"type": "content_block_start", "index": 0, "content_block": block})
    decoder = SseDecoder()
    data = sse_bytes(stream, "\n", is_noisy=False)
    events = [event for piece in cut(data, 1) for event in decoder.add_bytes(piece)]
    (call,) = final(events, format)
    assert call.args == {"x": odd}

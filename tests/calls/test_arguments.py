"""The argument text of the first call to a tool."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

pytestmark = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))


def chat(index: int, arguments: str = "", **function: Any) -> dict[str, Any]:
    call: dict[str, Any] = {"index": index, "function": {**function, "arguments": arguments}}
    if function:
        call["id"] = f"call_{index}"
    return {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


def end(reason: str = "tool_calls") -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def block(kind: str, index: int, **fields: Any) -> dict[str, Any]:
    return {"type": f"content_block_{kind}", "index": index, **fields}


def use(index: int, name: str) -> dict[str, Any]:
    content = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
    return block("start", index, content_block=content)


def piece(index: int, text: str) -> dict[str, Any]:
    return block("delta", index, delta={"type": "input_json_delta", "partial_json": text})


START = {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": []}}
CHAT = [
    chat(0, name="weather"), chat(0, '{"city": '), chat(1, name="search"), chat(1, '{"queries": ["a",'),
    chat(0, '"Oslo"}'), chat(1, ' "b"]}'), chat(2, '{"queries": []}', name="search"), end(),
]  # fmt: skip
ANTHROPIC = [
    START, use(0, "weather"), piece(0, '{"city": "Os'), piece(0, 'lo"}'), block("stop", 0),
    use(1, "search"), piece(1, '{"queries": ["a", "b"]}'), block("stop", 1), {"type": "message_stop"},
]  # fmt: skip

# a stream, a tool, the text, and after how many events the stream is left
CASES: dict[str, tuple[list[Any], str | None, str, int]] = {
    "a tool by its name, chat": (CHAT, "search", '{"queries": ["a", "b"]}', 8),
    "the first call, chat": (CHAT, None, '{"city": "Oslo"}', 8),
    "the first call, Anthropic": (ANTHROPIC, None, '{"city": "Oslo"}', 5),
    "a later tool, Anthropic": (ANTHROPIC, "search", '{"queries": ["a", "b"]}', 8),
    "a tool that is not called": (ANTHROPIC, "book", "", 9),
    "the name comes after the text": (
        [chat(0, '{"a'), chat(0, '":1}', name="late"), end()], "late", '{"a":1}', 3,
    ),
    "no arguments": ([chat(0, name="now"), end(), chat(1, "x", name="x")], "now", "{}", 2),
    "no arguments, cut off": ([chat(0, name="now"), end("length")], "now", "", 2),
    "no end": (CHAT[:6], "search", '{"queries": ["a", "b"]}', 6),
    "a surrogate pair in two pieces": (
        [chat(0, '"\ud83c', name="x"), chat(0, '\udf27"'), end()], None, '"\U0001f327"', 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_cases(midstream: Any, name: str) -> None:
    events, tool, text, read = CASES[name]
    seen: list[Any] = []

    def stream() -> Iterator[Any]:
        for event in events:
            seen.append(event)
            yield event

    assert "".join(midstream.argument_deltas(stream(), tool)) == text
    assert len(seen) == read

    async def astream() -> AsyncIterator[Any]:
        for event in events:
            yield event

    async def main() -> list[str]:
        return [text async for text in midstream.aio.argument_deltas(astream(), tool)]

    assert "".join(asyncio.run(main())) == text


def test_each_piece_comes_at_once(midstream: Any) -> None:
    seen: list[Any] = []

    def stream() -> Iterator[Any]:
        for event in ANTHROPIC:
            seen.append(event)
            yield event

    for text in midstream.argument_deltas(stream(), "weather"):
        assert text == seen[-1]["delta"]["partial_json"]


def test_selected_from(midstream: Any) -> None:
    deltas = midstream.argument_deltas(CHAT, "search")
    assert [match.value for match in midstream.select(deltas, "queries[*]", str)] == ["a", "b"]
    assert midstream.first(midstream.argument_deltas(CHAT), "city") == "Oslo"


def test_an_early_stop_closes_the_stream_below(midstream: Any) -> None:
    closed = []

    def stream() -> Iterator[Any]:
        try:
            yield from ANTHROPIC
        finally:
            closed.append(True)

    assert midstream.first(midstream.argument_deltas(stream(), "search"), "queries[0]") == "a"
    assert closed == [True]


def test_a_failed_call_is_an_error(midstream: Any) -> None:
    events = [
        {"type": "tool-input-start", "toolCallId": "1", "toolName": "x"},
        {"type": "tool-input-delta", "toolCallId": "1", "inputTextDelta": '{"a": '},
        {"type": "tool-input-error", "toolCallId": "1", "toolName": "x", "errorText": "no"},
    ]
    with pytest.raises(midstream.JsonStreamError) as info:
        list(midstream.argument_deltas(events, "x"))
    assert info.value.code == "provider_error"

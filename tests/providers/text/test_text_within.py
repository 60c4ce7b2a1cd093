"""Calls in the text of a provider's events: of a server that did not parse them."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import midstream
from builds import BUILDS
from midstream import aio, to_event
from midstream.captures import Opening, framing
from midstream.event_stream import Enrichment
from midstream.sse import decode
from provider_streams import as_objects
from test_cli import quick
from text_formats import FORMATS, Call, Calls, Think, joined, written

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

each_build = pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
each_format = pytest.mark.parametrize("format", FORMATS)

PARTS: list[Any] = [
    "Look: ",
    Calls((Call("f", {"a": "ü }</tool_call>"}, "functions.f:0"), Call("g", {}, "functions.g:1"))),
    "ok",
]
EXPECTED = [("f", {"a": "ü }</tool_call>"}, True), ("g", {}, True)]


def chunk(content: str | None = None, choice: int = 0, **more: Any) -> dict[str, Any]:
    delta = {} if content is None else {"content": content}
    reason = more.pop("finish_reason", None)
    fields = {"index": choice, "delta": delta, "finish_reason": reason}
    return {"object": "chat.completion.chunk", "choices": [fields], **more}


def chat(text: str, size: int = 7, reason: str = "stop") -> list[dict[str, Any]]:
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    return [*map(chunk, pieces), chunk(finish_reason=reason)]


def seen(calls: Iterable[Any]) -> list[tuple[Any, ...]]:
    return [(call.name, call.args, call.is_complete) for call in calls]


@each_build
@each_format
def test_events_of_a_provider_are_read(build: Any, format: Any) -> None:
    events = chat(written(format, PARTS).text)
    *_, calls = build.tool_calls(events, format)
    assert seen(calls) == EXPECTED
    assert {call.finish_reason for call in calls} == {"stop"}
    assert "".join(build.text_deltas(events, format)).split() == ["Look:", "ok"]
    # the same as through `text_deltas`, but for what only the events say
    *_, alone = build.tool_calls(build.text_deltas(events), format)
    assert seen(alone) == EXPECTED


@each_build
def test_what_else_a_provider_says_passes_through(build: Any) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 5}
    events = [
        {"choices": [{"index": 0, "delta": {"reasoning_content": "Hm <tool_call>{"}}]},
        *map(chunk, ['<tool_call>{"name": "f", "argu', 'ments": {"a": 1}}</tool_call> <to']),
        chunk(finish_reason="stop"),
        {"choices": [], "usage": usage},
    ]
    events_out = joined(map(build.to_event, build.messages(events, "text-hermes")))
    assert [event["type"] for event in events_out] == [
        "reasoning_delta", "tools_call_update", "tools_call_update", "tool_call_end", "text_delta",
        "message_end", "usage",
    ]  # fmt: skip
    # what was held back is said before the end
    assert events_out[4]["text"] == "<to"
    assert (events_out[5]["reason"], events_out[5]["choice"]) == ("stop", 0)


@each_build
def test_choices_stay_apart(build: Any) -> None:
    """Each choice has text of its own, cut anywhere."""
    first, second = (
        '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>',
        '<tool_call>{"name": "g"}</tool_call>x',
    )
    events = []
    for i in range(max(len(first), len(second))):
        events += [chunk(text[i], choice) for choice, text in enumerate((first, second)) if i < len(text)]
    ends = [chunk(choice=0, finish_reason="stop"), chunk(choice=1, finish_reason="length")]
    *_, calls = build.tool_calls([*events, *ends], "text-hermes")
    assert seen(calls) == [("f", {"a": 1}, True), ("g", {}, True)]
    events_out = [build.to_event(message) for message in build.messages([*events, *ends], "text-hermes")]
    assert {event["choice"] for event in events_out if event.get("index") == 0 and event.get("choice")} == {1}
    assert [event["text"] for event in events_out if event["type"] == "text_delta"] == ["x"]


@each_build
@each_format
def test_a_truncated_message_has_no_complete_call_at_its_end(build: Any, format: Any) -> None:
    text, (end,) = written(format, [Calls((Call("f", {"a": "bc"}, "functions.f:0"),))])
    *_, calls = build.tool_calls(chat(text[: text.index("bc") + 1], reason="length"), format)
    assert [(call.is_complete, call.error.code, call.finish_reason) for call in calls] == [
        (False, "truncated", "length")
    ]
    # without an end at all
    *_, calls = build.tool_calls(chat(text[: end - 1])[:-1], format)
    assert [call.is_complete for call in calls] == [False]
    *_, calls = build.tool_calls(chat(text[:end], reason="length"), format)
    assert [call.is_complete for call in calls] == [True]


@each_format
def test_a_stop_in_the_middle_of_a_call_is_reported(format: Any) -> None:
    """The server says "stop", but the object of the call is not complete."""
    text, (end,) = written(format, [Calls((Call("f", {"a": "b"}, "functions.f:0"),))])
    *_, calls = midstream.tool_calls(chat(text[: end - 1]), format)
    assert not calls[0].is_complete
    *_, last = [
        m for m in midstream.messages(chat(text[: end - 1]), format) if isinstance(m, midstream.MessageEnd)
    ]
    assert last.is_truncated


def test_other_providers_and_framings() -> None:
    text = written("text-hermes", PARTS).text
    anthropic = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text[i : i + 9]}}
        for i in range(0, len(text), 9)
    ]
    ollama = [
        *({"message": {"role": "assistant", "content": c}, "done": False} for c in text),
        {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"},
    ]
    for events in (anthropic, ollama, chat(text), [as_objects(event, ()) for event in chat(text)]):
        *_, calls = midstream.tool_calls(events, "text-hermes")
        assert seen(calls) == EXPECTED
    body = (
        b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in chat(text))
        + b"data: [DONE]\n\n"
    )
    *_, calls = midstream.tool_calls(decode([body]), "text-hermes")
    assert seen(calls) == EXPECTED
    # bytes are text here: their events are read by `text_deltas`
    *_, calls = midstream.tool_calls(midstream.text_deltas([body]), "text-hermes")
    assert seen(calls) == EXPECTED


def test_errors_of_a_provider_are_raised() -> None:
    events = [
        *chat('<tool_call>{"name": "f", "argu')[:-1],
        {"error": {"message": "overloaded", "type": "server_error"}},
    ]
    stream = midstream.tool_calls(events, "text-hermes")
    *_, calls = [next(stream) for _ in range(len(events) + (len(events) == 0))]
    assert [(call.name, call.is_complete) for call in calls] == [("f", False)]
    with pytest.raises(midstream.JsonStreamError, match="overloaded"):
        list(stream)
    with pytest.raises(midstream.JsonStreamError) as raised:
        list(midstream.tool_calls([{"hello": "world"}], "text-hermes"))
    assert raised.value.code == "unknown_format"


def test_the_asynchronous_twins() -> None:
    text = written("text-glm", [Calls((Call("f", {"n": 5}),))]).text
    tools = {"f": {"properties": {"n": {"type": "integer"}}}}

    async def source() -> AsyncIterator[str]:
        for character in text:
            yield character

    async def main() -> Any:
        *_, calls = [calls async for calls in aio.tool_calls(source(), "text-glm", tools=tools)]
        said = [message async for message in aio.messages(source(), "text-glm", tools=tools)]
        return calls, said

    calls, said = asyncio.run(main())
    assert seen(calls) == [("f", {"n": 5}, True)]
    assert joined(map(to_event, said)) == joined(
        map(to_event, midstream.messages([text], "text-glm", tools=tools))
    )


def test_the_gateway_sends_the_calls_in_the_text() -> None:
    enrichment = Enrichment("m1", "text-hermes")
    handler = midstream.ToolsAggregateMessageHandler()
    for event in [*chat(written("text-hermes", PARTS).text)]:
        for message in enrichment.add_event(event):
            handler.add_message(json.loads(json.dumps(to_event(message))))
    for message in enrichment.finish():
        handler.add_message(message)
    assert seen(handler.complete("m1")) == EXPECTED


@each_format
def test_the_commands_read_text_and_events(format: str, tmp_path: Path) -> None:
    text = written(format, PARTS).text
    as_text, as_events, as_lines = tmp_path / "a.txt", tmp_path / "a.sse", tmp_path / "a.jsonl"
    as_text.write_text(text + "\n", "utf-8")
    as_events.write_text("".join(f"data: {json.dumps(event)}\n\n" for event in chat(text)), "utf-8")
    as_lines.write_text("".join(f"{json.dumps(event)}\n" for event in chat(text)), "utf-8")
    for path in (as_text, as_events, as_lines):
        code, out, err = quick("calls", "-f", format, str(path))
        assert (code, err) == (0, "")
        assert [(c["name"], c["args"], c["is_complete"]) for c in json.loads(out)] == EXPECTED


def test_watch_reads_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(written("text-hermes", PARTS).text, "utf-8")
    code, out, err = quick("watch", "-f", "text-hermes", "--delay", "0.0", str(path))
    assert (code, err) == (0, "")
    said, _, calls = out.partition("[")
    assert said.split() == ["Look:", "ok"]
    assert [call["name"] for call in json.loads("[" + calls)] == ["f", "g"]
    path.write_text('<tool_call>{"name": "f", "argu', "utf-8")
    code, out, err = quick("calls", "-f", "text-hermes", str(path))
    assert code == 1
    assert "1 of 1 tool calls are incomplete" in err


@pytest.mark.parametrize(
    ("beginning", "expected"),
    [
        (b"<tool_call>", "text"), (b"Note: x", "text"), (b":) hi", "text"), (b": ping\n\n", "sse"),
        (b"data: {", "sse"), (b"data: what", "text"), (b"data:", None), (b"dat", None), (b"", None),
        (b"event: x", "sse"), (b"HTTP/1.1 200", "text"), (b'{"name": "f"}\n', "text"), (b'{"object": ', None),
        (b'{"object": "chat.completion.chunk"}\n', "lines"), (b"[TOOL_CALLS]", "text"), (b"[", None),
        (b'[{"object": "chat.completion.chunk"},', "array"), (b"\xff\x00", "text"), (b"{x}\n", "text"),
    ],
)  # fmt: skip
def test_events_are_distinguished_from_text(beginning: bytes, expected: str | None) -> None:
    assert framing(beginning, "text-hermes") == expected
    if beginning.startswith((b"HTTP/", b"\xff")):
        # no model writes that
        with pytest.raises(midstream.JsonStreamError, match="not an event stream"):
            Opening([beginning, b""], "text-hermes")
        return
    opening = Opening([beginning, b""], "text-hermes")
    assert opening.framing == ("model text" if expected in ("text", None) else expected)


def test_objects_without_text_are_refused() -> None:
    with pytest.raises(midstream.JsonStreamError):
        list(midstream.tool_calls([SimpleNamespace(a=1)], "text-hermes"))


def test_reasoning_blocks_within_events() -> None:
    text = written("text-deepseek-v3.1", [Think("why"), "x"]).text
    said = [to_event(message) for message in midstream.messages(chat(text, 3), "text-deepseek-v3.1")]
    assert joined(said)[:2] == [
        {"type": "reasoning_delta", "text": "why"},
        {"type": "text_delta", "text": "x"},
    ]

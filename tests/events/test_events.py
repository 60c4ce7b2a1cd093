"""`EventWriter` and `EventReader`: what is sent arrives, in both forms, and what is lost is detected."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builds import BUILDS
from midstream import recordings
from midstream.sse import SseDecoder

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_form = pytest.mark.parametrize("form", ["full", "compact"])


def call(m: Any, text: str | None = None, **fields: Any) -> Any:
    """Make a piece of call 0, unless the fields say otherwise."""
    return m.ToolCallUpdate(**{"index": 0, "function_args": text, **fields})


def written(m: Any, form: str, messages: list[Any], stream_id: str | None = "s", **start: Any) -> list[bytes]:
    """Write a stream, an entry for each event."""
    writer = m.EventWriter(form, stream_id=stream_id)
    entries = [writer.start(**start), *map(writer.add_message, messages), writer.end()]
    return [entry for entry in entries if entry]


def data_of(entry: bytes) -> list[Any]:
    """Return the data of the events in an entry."""
    return [json.loads(event.data) for event in SseDecoder().add_bytes(entry)]


def read(m: Any, entries: list[bytes]) -> list[Any]:
    reader = m.EventReader()
    messages: list[Any] = [message for entry in entries for message in reader.add_bytes(entry)]
    messages += reader.finish()
    return messages


def calls_of(m: Any, messages: list[Any]) -> list[Any]:
    """Return the final calls of a handler."""
    handler = m.ToolsAggregateMessageHandler()
    for message in messages:
        handler.add_message(message)
    return [found for id in handler.message_ids for found in handler.complete(id)]


def enriched(m: Any, messages: list[Any]) -> list[Any]:
    return list(m.JsonFragmentUpdateMiddleware()(messages))


# --- the form compact, event by event

WEATHER = {"type": "call", "id": "a", "index": 0, "name": "f"}


@each_build
@pytest.mark.parametrize(
    ("messages", "events"),
    [
        pytest.param(
            [
                ("call", "", {"tool_call_id": "a", "function_name": "f"}),
                ("call", '{"x', {}),
                ("call", '":1}', {}),
            ],
            [[0, WEATHER], [0, 0, '{"x'], [0, 3, '":1}']],
            id="a call in pieces",
        ),
        pytest.param(
            [("call", "{}", {"tool_call_id": "a", "function_name": "f"})],
            [[[0, WEATHER], [0, 0, "{}"]]],
            id="a call at once",
        ),
        pytest.param(
            [("call", "[", {"tool_call_id": "a", "function_name": "f"}) for _ in range(3)],
            [[[0, WEATHER], [0, 0, "["]], [0, 1, "["], [0, 2, "["]],
            id="id and name on every piece",
        ),
        pytest.param(
            [("call", "[", {}), ("call", "", {"tool_call_id": "a", "function_name": "f"}), ("call", "]", {})],
            [
                [[0, {"type": "call", "index": 0}], [0, 0, "["]],
                [0, {"id": "a", "name": "f"}],
                [0, 1, "]"],
            ],
            id="id and name come late",
        ),
        pytest.param(
            [("call", "[", {}), ("call", "]", {"tool_call_id": "a"}), ("call", " ", {"tool_call_id": "a"})],
            [
                [[0, {"type": "call", "index": 0}], [0, 0, "["]],
                [[0, {"id": "a"}], [0, 1, "]"]],
                [0, 2, " "],
            ],
            id="the id comes late, with text",
        ),
        pytest.param(
            [("call", "[", {}), ("call", "", {})],
            [[[0, {"type": "call", "index": 0}], [0, 0, "["]]],
            id="nothing new is nothing",
        ),
        pytest.param(
            [("call", "[]", {"function_name": "f"}), ("call", "[1]", {"function_name": "f"})],
            [
                [[0, {"type": "call", "index": 0, "name": "f"}], [0, 0, "[]"]],
                [[1, {"type": "call", "index": 0, "name": "f"}], [1, 0, "[1]"]],
            ],
            id="two calls without ids",
        ),
        pytest.param(
            [
                ("call", "x", {"choice": 2, "is_free_text": True, "message_id": "m"}),
                ("end", None, {"index": 0}),
            ],
            [
                [
                    [0, {"type": "call", "index": 0, "choice": 2, "message_id": "m", "free_text": True}],
                    [0, 0, "x"],
                ],
                {"type": "tool_call_end", "index": 0},
            ],
            id="free text of another message",
        ),
        pytest.param(
            [("call", "x", {"is_free_text": True}), ("end", None, {"index": 0})],
            [
                [[0, {"type": "call", "index": 0, "free_text": True}], [0, 0, "x"]],
                [0, {"length": 1, "end": True}],
            ],
            id="free text ends",
        ),
        pytest.param(
            [("call", "[]", {}), ("end", None, {"index": 0, "failed": True}), ("call", "[]", {})],
            [
                [[0, {"type": "call", "index": 0}], [0, 0, "[]"]],
                [0, {"end": True, "failed": True}],
                [[1, {"type": "call", "index": 0}], [1, 0, "[]"]],
            ],
            id="a failed call",
        ),
        pytest.param(
            [("text", "a", {}), ("text", "b", {}), ("text", "c", {"choice": 1})],
            [
                [[0, {"type": "text"}], [0, 0, "a"]],
                [0, 1, "b"],
                [[1, {"type": "text", "choice": 1}], [1, 0, "c"]],
            ],
            id="texts",
        ),
        pytest.param(
            [("reasoning", "a", {}), ("reasoning", "b", {"kind": "summary"}), ("refusal", "c", {})],
            [
                [[0, {"type": "reasoning"}], [0, 0, "a"]],
                [[1, {"type": "reasoning", "kind": "summary"}], [1, 0, "b"]],
                [[2, {"type": "refusal"}], [2, 0, "c"]],
            ],
            id="reasoning and refusal",
        ),
        pytest.param(
            [("reasoning", "a", {"signature": "s"})],
            [{"type": "reasoning_delta", "text": "a", "signature": "s"}],
            id="a signature",
        ),
        pytest.param(
            [("text", "a\ud83d", {}), ("text", "\ude00 \U0001f600", {})],
            [[[0, {"type": "text"}], [0, 0, "a\ud83d"]], [0, 2, "\ude00 \U0001f600"]],
            id="surrogates",
        ),
        pytest.param(
            [("text", "a", {}), ("stop", "stop", {}), ("text", "b", {})],
            [
                [[0, {"type": "text"}], [0, 0, "a"]],
                {"type": "message_end", "reason": "stop", "lengths": [[0, 1]]},
                [[1, {"type": "text"}], [1, 0, "b"]],
            ],
            id="after the end of the message",
        ),
    ],
)
def test_compact_events(midstream: Any, messages: Any, events: Any) -> None:
    writer = midstream.EventWriter("compact")
    writer.start()
    entries = [writer.add_message(made(midstream, *message)) for message in messages]
    assert [data for entry in entries for data in data_of(entry)] == events


def made(m: Any, kind: str, text: str | None, fields: dict[str, Any]) -> Any:
    """Make a message from a line of the table."""
    match kind:
        case "call":
            return call(m, text, **fields)
        case "end":
            return m.ToolCallEnd(**fields)
        case "stop":
            return m.MessageEnd(text, **fields)
    return {"text": m.TextDelta, "reasoning": m.ReasoningDelta, "refusal": m.RefusalDelta}[kind](
        text, **fields
    )


@each_build
def test_updates_that_follow_from_the_text_are_not_written(midstream: Any) -> None:
    pieces = [call(midstream, text, tool_call_id="a") for text in ('{"x', '":1', ',"y":[]}')]
    plain, other, alone = (midstream.EventWriter("compact") for _ in range(3))
    lenient = midstream.EventWriter("compact", dialect="lenient")
    for piece, message in zip(pieces, enriched(midstream, pieces), strict=True):
        assert message.json_update_fragments
        assert other.add_message(message) == plain.add_message(piece)
        # a client has to know them before the first repair; and without their text, they are all there is
        assert b'"kind"' in lenient.add_message(message)
        assert b'"kind"' in alone.add_message(message._replace(function_args=""))


@each_build
def test_an_event_with_many_calls_is_one_message(midstream: Any) -> None:
    writer = midstream.EventWriter("compact")
    calls = [call(midstream, "[", index=index) for index in range(300)]
    entries = [writer.start(), writer.add_message(midstream.ToolCallsUpdate(calls))]
    reader = midstream.EventReader()
    [message] = [message for entry in entries for message in reader.add_bytes(entry)]
    assert [piece.index for piece in message.tool_call_updates] == [*range(300)]


@each_build
@each_form
def test_a_message_may_continue_after_its_end(midstream: Any, form: str) -> None:
    end = midstream.MessageEnd("stop", message_id="one")
    messages = [midstream.TextDelta("ab", "one"), end, midstream.TextDelta("c", "one"), end]
    entries = written(midstream, form, messages)
    assert read(midstream, entries) == messages
    # what is lost of it is counted from there
    found = read(midstream, [*entries[:3], *entries[4:]])
    assert any(isinstance(message, midstream.ProviderError) for message in found)


@each_build
def test_what_is_repeated_of_a_text_is_skipped(midstream: Any) -> None:
    reader = midstream.EventReader()
    reader.add_bytes(midstream.EventWriter("compact").start())

    def add(data: str) -> list[Any]:
        messages: list[Any] = reader.add_bytes(f"data: {data}\n\n".encode())
        return messages

    assert add('[[0,{"type":"text"}],[0,0,"ab"]]') == [midstream.TextDelta("ab")]
    assert add('[0,1,"b"]') == []
    assert add('[0,1,"bcd"]') == [midstream.TextDelta("cd")]
    assert add('[0,4,"e"]') == [midstream.TextDelta("e")]
    assert add('{"type":"message_end","reason":"stop"}') == [midstream.MessageEnd("stop")]
    # its number belongs to what has ended
    assert add('[0,5,"f"]') == []


@each_build
@each_form
def test_text_is_written_as_utf8(midstream: Any, form: str) -> None:
    writer = midstream.EventWriter(form)
    messages = [
        midstream.TextDelta("é\U0001f600"),
        midstream.ToolResult("a", "é\U0001f600"),
        {"type": "message_end", "reason": "é\U0001f600"},
    ]
    entries = [*map(writer.add_message, messages), writer.error("c", "é\U0001f600")]
    for entry in entries:
        assert "é\U0001f600".encode() in entry
        assert b"\\u" not in entry


@each_build
def test_events_with_a_number_have_it_and_the_number_of_their_part(midstream: Any) -> None:
    writer = midstream.EventWriter("compact", stream_id="s")
    assert [writer.mark() for _ in range(2)] == [b"id: s-0\n\n", b"id: s-1\n\n"]
    writer.number(7)
    assert [writer.mark() for _ in range(3)] == [b"id: s-7\n\n", b"id: s-7.1\n\n", b"id: s-7.2\n\n"]
    writer.number(9, 4)
    assert [writer.mark() for _ in range(2)] == [b"id: s-9.4\n\n", b"id: s-9.5\n\n"]


@each_build
def test_pieces_of_one_event_share_an_event(midstream: Any) -> None:
    writer = midstream.EventWriter("compact")
    both = [call(midstream, "[", index=0), call(midstream, "{", index=1)]
    assert data_of(writer.add_message(midstream.ToolCallsUpdate(both, "m"))) == [
        [
            [0, {"type": "call", "index": 0, "message_id": "m"}],
            [0, 0, "["],
            [1, {"type": "call", "index": 1, "message_id": "m"}],
            [1, 0, "{"],
        ]
    ]
    both = [call(midstream, "]", index=0), call(midstream, "}", index=1)]
    more = writer.add_message(midstream.ToolCallsUpdate(both, "m"))
    assert more == b'data: [[0,1,"]"],[1,1,"}"]]\n\n'
    first, second = midstream.EventReader().add_bytes(more)  # both introductions are lost
    assert (first.type, second.type) == ("lost_event", "lost_event")


# --- the form full


@each_build
def test_full_repeats_no_text(midstream: Any) -> None:
    writer = midstream.EventWriter()
    pieces = ['{"city": "Par', 'is", "empty": "", "n": 12, "ok": true}']
    (first,), (second,) = (
        data_of(writer.add_message(message))
        for message in enriched(midstream, [call(midstream, piece, tool_call_id="a") for piece in pieces])
    )
    assert first["json_update_fragments"] == [
        {"path": "root", "kind": "StartObject"},
        {"path": "root", "kind": "Key", "textValue": "city"},
        {"path": "root.city", "kind": "StartString"},
        {"path": "root.city", "kind": "PartialString", "textValue": "Par"},
    ]
    assert second["json_update_fragments"] == [
        {"path": "root.city", "kind": "PartialString", "textValue": "is"},
        {"path": "root.city", "kind": "CompleteString"},
        {"path": "root", "kind": "Key", "textValue": "empty"},
        {"path": "root.empty", "kind": "StartString"},
        {"path": "root.empty", "kind": "CompleteString", "textValue": ""},
        {"path": "root", "kind": "Key", "textValue": "n"},
        {"path": "root.n", "kind": "CompleteNumber", "textValue": "12", "value": 12},
        {"path": "root", "kind": "Key", "textValue": "ok"},
        {"path": "root.ok", "kind": "CompleteBoolean", "textValue": "true", "value": True},
        {"path": "root", "kind": "EndObject"},
        {"path": "root", "kind": "JsonComplete"},
    ]


@each_build
@pytest.mark.parametrize(
    "fragments",
    [
        [("CompleteString", "complete")],
        [("PartialString", "half"), ("CompleteString", "half and more")],
        [("completeString", "complete")],
    ],
)
def test_full_keeps_a_text_that_was_not_sent(midstream: Any, fragments: Any) -> None:
    """Another sender's updates may have no parts, or not all of them."""
    given = [{"path": "root", "kind": kind, "textValue": text, "value": text} for kind, text in fragments]
    (event,) = data_of(midstream.EventWriter().add_message(call(midstream, json_update_fragments=given)))
    assert [item["textValue"] for item in event["json_update_fragments"]] == [text for _, text in fragments]
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(event["json_update_fragments"])
    assert rebuilder.value == fragments[-1][1]


@each_build
def test_full_counts_the_characters_of_arguments(midstream: Any) -> None:
    writer = midstream.EventWriter()
    offsets = [
        data_of(writer.add_message(call(midstream, text)))[0].get("args_offset")
        for text in ('{"a', '": "é', "", '"}')
    ]
    assert offsets == [0, 3, None, 8]


@each_build
@each_form
def test_the_start_says_what_follows(midstream: Any, form: str) -> None:
    entry = midstream.EventWriter(form, stream_id="s").start("anthropic", "trip")
    assert entry.startswith(b"event: stream_start\nid: s-0\nretry: 155\ndata: ")
    assert data_of(entry) == [
        {"version": 1, "form": form, "message_id": "s", "format": "anthropic", "name": "trip"}
    ]
    plain = midstream.EventWriter(form)
    assert plain.start().splitlines()[:2] == [
        b"event: stream_start",
        f'data: {{"version":1,"form":"{form}","message_id":null,"format":null,"name":null}}'.encode(),
    ]
    assert plain.error("cancelled", "too late") == (
        b'event: error\ndata: {"code":"cancelled","message":"too late"}\n\n'
    )
    assert plain.end() == b"event: stream_end\ndata: {}\n\n"
    assert plain.mark() == b"\n"


@each_build
def test_bad_arguments_are_refused(midstream: Any) -> None:
    with pytest.raises(ValueError, match="'full' or 'compact'"):
        midstream.EventWriter("short")
    with pytest.raises(ValueError, match="line ends"):
        midstream.EventWriter(stream_id="a\nb")
    for message in ({"type": "unheard-of"}, {}):
        with pytest.raises(midstream.JsonStreamError, match="not a message"):
            midstream.EventWriter().add_message(message)
    with pytest.raises(midstream.JsonStreamError, match="cannot represent"):
        midstream.EventWriter("compact").add_message(midstream.ToolResult("a", float("nan")))


# --- every message in both forms

EVERYTHING = """[
  m.TextDelta("Héllo \\n", "m"), m.TextDelta("more", "m"), m.TextDelta("other", "m", 1),
  m.ReasoningDelta("why", "summary", None, "m"), m.ReasoningDelta("", "redacted", "sig", "m"),
  m.RefusalDelta("no", "m"),
  m.ToolCallUpdate("a", 0, "f", "", None, "m", args_offset=0),
  m.ToolCallUpdate("a", 0, None, "{}", None, "m", args_offset=0),
  m.ToolCallsUpdate([m.ToolCallUpdate("b", 1, "g", "[", None, "m", 0, False, 0),
                     m.ToolCallUpdate("c", 2, "h", "{", None, "m", 0, False, 0)], "m"),
  m.ToolCallEnd("b", 1, False, "m"), m.ToolCallEnd("c", 2, True, "m"),
  m.ServerToolUpdate("s", "web_search", '{"q', 3, "m"), m.ServerToolResult("s", "web_search", [1], "m"),
  m.ToolResult("a", {"x": [None]}, "m"), m.Usage(1, 2, 3, 4, {"raw": 1}, "m"),
  m.ProviderError("overloaded", "later", 529, 1.5, True, "m"), m.Other("citation", {"url": "x"}, "m"),
  m.MessageEnd("stop", False, "m", 0, m.Usage(5, 6)), m.MessageEnd(None, True, "n"),
  m.StreamSnapshot([{"message_id": "m", "text": "x", "calls": []}], "s"),
]"""


@each_build
@each_form
@pytest.mark.parametrize("message_id", [None, "m", "other"])
def test_every_message_travels(midstream: Any, form: str, message_id: str | None) -> None:
    messages = eval(EVERYTHING, {"m": midstream})  # of either build
    assert read(midstream, written(midstream, form, messages, message_id=message_id)) == messages
    plain = [midstream.to_event(message) for message in messages]
    assert read(midstream, written(midstream, form, plain, message_id=message_id)) == messages


@each_build
@each_form
@pytest.mark.parametrize("name", recordings.NAMES)
def test_recordings_travel(midstream: Any, form: str, name: str) -> None:
    messages = list(midstream.messages(recordings.load(name).events()))
    expected = calls_of(midstream, messages)
    sent = enriched(midstream, messages) if form == "full" else messages
    entries = written(midstream, form, sent)
    complete = b"".join(entries)
    assert calls_of(midstream, read(midstream, entries)) == expected
    assert calls_of(midstream, read(midstream, [complete])) == expected
    assert calls_of(midstream, read(midstream, [bytes([byte]) for byte in complete])) == expected
    # an adapter reads both forms, too
    assert list(midstream.tool_calls([complete]))[-1] == expected
    if form == "full":
        return
    for entry, message in zip(entries[1:], messages, strict=False):
        if isinstance(message, midstream.ToolCallUpdate) and len(message.function_args or "") in range(1, 9):
            (line,) = [line for line in entry.splitlines() if line.startswith(b"data: ")]
            assert len(line) <= 40 or b'"type"' in line


@each_build
def test_a_short_piece_takes_forty_bytes(midstream: Any) -> None:
    writer = midstream.EventWriter("compact")
    for number in range(12):
        writer.add_message(call(midstream, "", index=number))
    length = 9_999_900
    writer.add_message(call(midstream, " " * length, index=11))
    for text in ('""""""""', "\\\\\\\\\\\\\\\\", "abcdefgh", "ü", "\n\t\r\b\f\n\t\r"):
        line = writer.add_message(call(midstream, text, index=11))
        assert line.startswith(f"data: [11,{length},".encode())
        assert len(line.rstrip()) <= 40
        length += len(text)


# --- what is lost, repeated, reordered or cut off

CALL = '{"city": "Bern", "note": "ab\\"c", "days": [1, 2, 30]}'


def sample(m: Any) -> list[Any]:
    """Return a stream with text, two calls and their ends, each in small pieces."""
    cut = [CALL[i : i + 5] for i in range(0, len(CALL), 5)]
    pieces: list[Any] = [m.TextDelta("Let me", "m"), m.TextDelta(" look", "m"), m.TextDelta(".", "m")]
    pieces += [m.ToolCallUpdate("a", 0, "f", "", None, "m")]
    pieces += [m.ToolCallUpdate(None, 0, None, piece, None, "m") for piece in cut]
    pieces += [m.ToolCallUpdate("b", 1, "run", "", None, "m", is_free_text=True)]
    pieces += [m.ToolCallUpdate(None, 1, None, piece, None, "m", is_free_text=True) for piece in cut]
    return [*pieces, m.MessageEnd("tool_calls", message_id="m")]


def sent_sample(m: Any, form: str, stream_id: str | None) -> list[bytes]:
    messages = sample(m)
    if form == "full":
        messages = enriched(m, messages)
    # an entry may hold two events
    complete = b"".join(written(m, form, messages, stream_id, message_id="m"))
    return [block + b"\n\n" for block in complete.split(b"\n\n") if block]


def is_reported(m: Any, messages: list[Any]) -> bool:
    """Report whether what was lost is seen: in a message, or in a call that is not complete."""
    calls = calls_of(m, messages)
    lost = any(isinstance(message, m.ProviderError) and message.type == "lost_event" for message in messages)
    return lost or len(calls) < 2 or not all(found.is_complete and found.name for found in calls)


def text_of(m: Any, messages: list[Any]) -> str:
    return "".join(message.text for message in messages if isinstance(message, m.TextDelta))


@each_build
@each_form
@pytest.mark.parametrize("stream_id", ["s", None])
def test_a_lost_event_is_detected(midstream: Any, form: str, stream_id: str | None) -> None:
    entries = sent_sample(midstream, form, stream_id)
    assert not is_reported(midstream, read(midstream, entries))
    for place, entry in enumerate(entries):
        messages = read(midstream, entries[:place] + entries[place + 1 :])
        name = entry.split(b"\n")[0]
        if b"stream_end" in name:
            assert messages[-1] == midstream.MessageEnd(None, True, "m")
        elif b"stream_start" in name:
            assert messages[0].message_id == (None if form == "compact" else "m")
        elif b"message_end" not in name:
            assert is_reported(midstream, messages), entry
        for found in calls_of(midstream, messages):
            assert not found.is_complete or found.raw_args == CALL


@each_build
@each_form
@pytest.mark.parametrize("stream_id", ["s", None])
def test_a_repeated_event_changes_nothing(midstream: Any, form: str, stream_id: str | None) -> None:
    entries = sent_sample(midstream, form, stream_id)
    expected = calls_of(midstream, read(midstream, entries))
    for place in range(1, len(entries)):
        for first in (place, max(1, place - 3)):
            # one event again, or several as after a reconnection
            messages = read(midstream, entries[: place + 1] + entries[first:])
            assert calls_of(midstream, messages) == expected
            if stream_id is not None or form == "compact":
                assert text_of(midstream, messages) == "Let me look."
                assert not any(isinstance(message, midstream.ProviderError) for message in messages)


@each_build
@each_form
@pytest.mark.parametrize("stream_id", ["s", None])
def test_reordered_events_are_detected(midstream: Any, form: str, stream_id: str | None) -> None:
    entries = sent_sample(midstream, form, stream_id)
    expected = calls_of(midstream, read(midstream, entries))
    for place in range(1, len(entries) - 3):
        first, second = entries[place : place + 2]
        messages = read(midstream, [*entries[:place], second, first, *entries[place + 2 :]])
        calls, text = calls_of(midstream, messages), text_of(midstream, messages)
        for found in calls:
            assert not found.is_complete or found.raw_args == CALL
        is_harmless = calls == expected and text == "Let me look."
        is_only_text = form == "full" and b"text_delta" in second and stream_id is None
        assert is_reported(midstream, messages) or is_harmless or is_only_text, place


@each_build
@each_form
def test_what_was_cut_off_is_not_complete(midstream: Any, form: str) -> None:
    complete = b"".join(sent_sample(midstream, form, "s"))
    end = complete.index(b"event: message_end")
    for size in range(0, len(complete), 7):
        reader = midstream.EventReader()
        messages = reader.add_bytes(complete[:size])
        assert not reader.is_complete
        messages += reader.finish()
        calls = calls_of(midstream, messages)
        for found in calls:
            assert not found.is_complete or (found.raw_args == CALL and (found.name == "f" or size > end))


@each_build
@each_form
def test_a_stream_is_resumed(midstream: Any, form: str) -> None:
    """The same reader continues on another connection, from the id of its last event or from before it."""
    entries = sent_sample(midstream, form, "s")
    expected = read(midstream, entries)
    for place in range(1, len(entries)):
        reader = midstream.EventReader()
        messages = reader.add_bytes(b"".join(entries[:place]))
        assert reader.last_event_id == f"s-{place - 1}"
        messages += reader.add_bytes(b"".join(entries[max(place - 2, 0) :]))
        assert messages == expected
        assert reader.is_complete
        assert reader.finish() == []


@each_build
@each_form
def test_a_client_joins_late(midstream: Any, form: str) -> None:
    """It receives the start, a snapshot, which states the numbers of the form compact, and what follows."""
    messages = sample(midstream)
    if form == "full":
        messages = enriched(midstream, messages)
    expected = calls_of(midstream, messages)
    for place in range(1, len(messages)):
        writer = midstream.EventWriter(form, stream_id="s")
        start = writer.start(message_id="m")
        for message in messages[:place]:
            writer.add_message(message)
        handler = midstream.ToolsAggregateMessageHandler()
        for message in messages[:place]:
            handler.add_message(message)
        snapshot = midstream.StreamSnapshot(
            [
                {
                    "message_id": "m",
                    "text": text_of(midstream, messages[:place]),
                    "calls": [
                        {
                            "tool_call_id": found.id,
                            "index": found.index,
                            "function_name": found.name,
                            "function_args": found.raw_args,
                            "is_free_text": found.name == "run",
                            "status": "open",
                        }
                        for found in handler.calls("m")
                    ],
                }
            ]
        )
        reader = midstream.EventReader()
        found = reader.add_bytes(start + writer.add_message(snapshot))
        for message in messages[place:]:
            found += reader.add_bytes(writer.add_message(message))
        assert not any(isinstance(message, midstream.ProviderError) for message in found)
        assert calls_of(midstream, found) == expected


# --- other events

STRANGE = [
    b'data: {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": []}\n\n',
    b"data: [DONE]\n\n",
    b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0}\n\n',
    b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error"}}\n\n',
    b"event: ping\ndata: {\n\n",
    b"event: stream_hint\ndata: [1, 2]\n\n",
    b"data: plain text\n\n",
    b'data: {"type": "heartbeat"}\n\n',
    b'data: [99, {"type": "audio", "rate": 8000}]\n\n',
    b": a comment\n\n",
    b"id: x-1\n\n",
]


@each_build
@each_form
def test_other_events_are_ignored(midstream: Any, form: str) -> None:
    entries = sent_sample(midstream, form, None)
    expected = read(midstream, entries)
    for strange in STRANGE:
        mixed = [part for entry in entries for part in (strange, entry)]
        found = read(midstream, mixed)
        if b"audio" in strange:
            # numbers were skipped
            found = [message for message in found if getattr(message, "type", "") != "lost_event"]
            assert all(message in expected for message in found)
        else:
            assert found == expected, strange


@each_build
def test_a_new_kind_of_text_is_ignored(midstream: Any) -> None:
    reader = midstream.EventReader()
    assert reader.add_bytes(b'data: [[0,{"type":"audio"}],[0,0,"abc"]]\n\ndata: [0,3,"d"]\n\n') == []
    assert reader.add_bytes(b'data: [[1,{"type":"text","new":1}],[1,0,"abc"]]\n\n') == [
        midstream.TextDelta("abc")
    ]
    assert reader.add_bytes(b'data: [1,{"new":1}]\n\n') == []


PIECE = '"type":"tools_call_update","index":0,"function_args":"x","args_offset":0,"json_update_fragments":[]'

MALFORMED = [
    b"data: [0]\n\n", b'data: ["a",0,"x"]\n\n', b"data: [[0,0]]\n\n", b'data: [0,-1,"x"]\n\n',
    b"data: [0,0,1]\n\n", b'data: [0,0,"x",[],1]\n\n', b'data: [1,{"type":"call","id":5}]\n\n',
    b'data: [1,{"type":"call","index":true}]\n\n', b'data: [[1,{"type":"call"}],[1,0,"x",{}]]\n\n',
    b"data: [0,\n\n", b"data: []\n\n", b"event: text_delta\ndata: {\n\n",
    b'event: text_delta\ndata: {"text": 5}\n\n', b"event: text_delta\ndata: {}\n\n",
    b'event: tools_call_update\ndata: {"tool_call_updates": 1}\n\n',
    *(f'event: tools_call_update\ndata: {{{PIECE},"{name}":5}}\n\n'.encode()
      for name in ("message_id", "tool_call_id", "function_name")),
]  # fmt: skip


@each_build
@pytest.mark.parametrize("bad", MALFORMED)
def test_malformed_events_are_refused(midstream: Any, bad: bytes) -> None:
    start = midstream.EventWriter("compact").start()
    good = b'data: [[0,{"type":"text"}],[0,0,"a"]]\n\n'
    reader = midstream.EventReader()
    reader.add_bytes(start)
    with pytest.raises(midstream.JsonStreamError) as caught:
        reader.add_bytes(bad)
    assert caught.value.code == "invalid_event"
    with pytest.raises(midstream.JsonStreamError):
        reader.add_bytes(good)
    # what came before is returned first
    reader = midstream.EventReader()
    assert reader.add_bytes(start + good + bad + good) == [midstream.TextDelta("a")]
    with pytest.raises(midstream.JsonStreamError):
        reader.add_bytes(b"")


@each_build
@pytest.mark.parametrize("name", ["message_id", "tool_call_id", "function_name"])
def test_names_of_pieces_are_text(midstream: Any, name: str) -> None:
    reader = midstream.EventReader()
    reader.add_bytes(midstream.EventWriter("full").start())
    event = "event: tools_call_update\ndata: {%s,%s}\n\n"
    [message] = reader.add_bytes((event % (PIECE, f'"{name}":"a"')).encode())
    assert getattr(message, name) == "a"
    with pytest.raises(midstream.JsonStreamError) as caught:
        reader.add_bytes((event % (PIECE, f'"{name}":5')).encode())
    assert caught.value.code == "invalid_event"


@each_build
def test_the_server_s_error_is_a_message(midstream: Any) -> None:
    writer = midstream.EventWriter("compact", stream_id="s")
    reader = midstream.EventReader()
    assert reader.add_bytes(writer.start() + writer.error("cancelled", "too late") + writer.end()) == [
        midstream.ProviderError("cancelled", "too late", message_id="s")
    ]
    assert reader.is_complete


# --- properties

PIECES = st.lists(st.text(st.sampled_from('{}[]":,1a\\ \n\ud83d\ude00é\U0001f600'), max_size=6), max_size=8)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), texts=st.lists(PIECES, min_size=1, max_size=4))
def test_property_any_interleaving_gives_the_same_calls(data: Any, texts: list[list[str]]) -> None:
    """Both forms, both builds: the calls are those of the messages, whatever their text and their order."""
    order = data.draw(st.permutations([n for n, pieces in enumerate(texts) for _ in pieces]))
    with_ids = data.draw(st.booleans())
    for m in BUILDS.values():
        rest = [iter(pieces) for pieces in texts]
        messages = []
        begun: set[int] = set()
        for number in order:
            name = None if number in begun else f"f{number}"
            id = f"id{number}" if with_ids and number not in begun else None
            begun.add(number)
            messages.append(m.ToolCallUpdate(id, number, name, next(rest[number]), message_id="m"))
        messages.append(m.MessageEnd("stop", message_id="m"))
        expected = calls_of(m, messages)
        for form in ("full", "compact"):
            sent = enriched(m, messages) if form == "full" else messages
            found = calls_of(m, read(m, written(m, form, sent, message_id="m")))
            assert found == expected

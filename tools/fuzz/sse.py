"""Bytes of an event stream, cut anywhere, give the events that a naive reader finds in the complete text.

The reader decodes everything first and goes line by line, as the WHATWG standard puts it; a second one counts
bytes one by one for ``max_event``. What `encode` writes is read back as what was written.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, NamedTuple

from builds import PLAIN
from model import pieces

from .choices import Choices
from .documents import document

__all__ = ["check"]

LINES = (
    b"data: ", b"data:", b"data", b"event: add", b"event:", b"event", b"id: 7", b"id:", b"id",
    b"id: a\0b", b"retry: 10", b"retry: 1x", b"retry:", b"retry: 0007", b"retry: 99999999999999999999",
    b": comment", b":", b"", b"", b"", b"", b"other: x", b" data: x", b"Data: x", b"data : x",
    b"data:  two", b"data: a:b", b"data: [DONE]", b"id: \xff", b"event: caf\xc3\xa9", b"data: \xe2\x82",
    b"data: \xf0\x9f\x98\x80", b"\xef\xbb\xbfdata: b", b"data: \xc2\x85", b"retry: \xc2\xb2",
    b"retry: +5", b"retry: 5 ", b"data\0: x",
)  # fmt: skip
ENDS = (b"\n", b"\r", b"\r\n", b"\n\r", b"\n\n", b"\r\r\n")
TEXTS = (
    "", "x", "two\nlines", "a\r\nb", "\r", "\n", " lead", "é\u2028\x85", "\ud83d", "\ud83d\ude00",
    "a: b", "\ufeff",
)  # fmt: skip
NAMES = ("message", "", "add", "é", " a", "a b", "\ufeff", "\ud83d")


class Event(NamedTuple):
    """An event as plain data."""

    event: str
    data: str
    id: str
    retry: int | None


class Reading(NamedTuple):
    """All that a stream comes to."""

    events: list[Event]
    last_event_id: str
    retry: int | None


def check(data: bytes) -> None:
    choices = Choices(data)
    kind = choices.below(4)
    if kind == 0:
        check_round_trip(choices)
        return
    stream = bytes_of(choices)
    fragments = pieces(stream, [choices.below(len(stream) + 1) for _ in range(choices.below(8))])
    if kind == 1:
        fragments = [stream[at : at + 1] for at in range(len(stream))]
    check_stream(stream, fragments)
    check_bound(stream, fragments, choices.below(60))


def bytes_of(choices: Choices) -> bytes:
    parts = [b"\xef\xbb\xbf"] if choices.one_in(5) else []
    for _ in range(choices.below(16)):
        kind = choices.below(8)
        if kind == 0:
            parts.append(choices.raw(12))
        elif kind == 1:
            parts.append(b"data: " + document(choices).encode())
        else:
            parts.append(choices.pick(LINES))
        parts.append(choices.pick(ENDS))
    return b"".join(parts)


def read(stream: bytes) -> Reading:
    """Interpret a complete stream, section 9.2.6 sentence by sentence."""
    text = stream.decode("utf-8", "replace").removeprefix("\ufeff")
    # a line that has not ended is none
    *lines, _ = re.split("\r\n|\r|\n", text)
    events = []
    data = kind = id = last_id = ""
    retry = event_retry = None
    for line in lines:
        if line == "":
            last_id = id
            if data != "":
                events.append(Event(kind or "message", data.removesuffix("\n"), id, event_retry))
                event_retry = None
            data = kind = ""
            continue
        field, colon, value = line.partition(":")
        if colon and not field:
            continue
        value = value.removeprefix(" ")
        if field == "event":
            kind = value
        elif field == "data":
            data += value + "\n"
        elif field == "id" and "\0" not in value:
            id = value
        elif field == "retry" and re.fullmatch("[0-9]+", value) and int(value) < 10**18:
            retry = event_retry = int(value)
    return Reading(events, last_id, retry)


def sse() -> Any:
    return import_module(f"{PLAIN.__name__}.sse")


def check_stream(stream: bytes, fragments: list[Any]) -> None:
    decoder = sse().SseDecoder()
    events = [Event(*event) for fragment in fragments for event in decoder.add_bytes(fragment)]
    # an event does not wait for a byte after its blank line, so one CR more or less makes no difference
    assert Reading(events, decoder.last_event_id, decoder.retry) == read(stream)
    assert decoder.finish() == []
    # ready for the next connection
    assert [Event(*event) for event in decoder.add_bytes(b"data: x\n\n")] == [
        Event("message", "x", decoder.last_event_id, None)
    ]


def overflow(stream: bytes, bound: int) -> tuple[int, int] | None:
    """Return place and line of the byte that is too many, counting one by one."""
    at = 3 if stream.startswith(b"\xef\xbb\xbf") else 0
    size = length = 0
    line = 1
    start = at
    while at < len(stream):
        byte = stream[at : at + 1]
        at += 1
        if byte in (b"\n", b"\r"):
            if byte == b"\r" and stream[at : at + 1] == b"\n":
                at += 1
            if length == 0:
                size = 0
            elif stream[start : start + 1] != b":":
                size += length
            length = 0
            start = at
            line += 1
            continue
        length += 1
        if size + length > bound:
            return at - 1, line
    return None


def check_bound(stream: bytes, fragments: list[Any], bound: int) -> None:
    decoder = sse().SseDecoder(max_event=bound)
    error = None
    events = []
    for fragment in [*fragments, b""]:
        try:
            events += decoder.add_bytes(fragment)
        except PLAIN.JsonStreamError as raised:
            error = raised
    expected = overflow(stream, bound)
    if expected is None:
        assert error is None
        assert [Event(*event) for event in events] == read(stream).events
    else:
        assert error is not None
        assert (error.index, error.line) == expected
        assert [Event(*event) for event in events] == read(stream[: expected[0]]).events


def check_round_trip(choices: Choices) -> None:
    written = b""
    expected = []
    last_id = ""
    for _ in range(1 + choices.below(4)):
        kind, text, id = choices.pick(NAMES), choices.pick(TEXTS) + choices.pick(TEXTS), choices.pick(NAMES)
        retry = choices.pick((None, 0, 5, 10**17))
        written += sse().encode(sse().SseEvent(kind, text, id, retry))
        last_id = as_utf8(id) or last_id
        expected.append(Event(as_utf8(kind) or "message", as_utf8(lines(text)), last_id, retry))
        if choices.one_in(3):
            written += sse().comment(choices.pick(TEXTS))
    at = choices.below(len(written) + 1)
    decoder = sse().SseDecoder()
    assert [Event(*e) for e in decoder.add_bytes(written[:at]) + decoder.add_bytes(written[at:])] == expected
    assert read(written).events == expected


def lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def as_utf8(text: str) -> str:
    """Return a text after UTF-8: surrogate pairs joined, lone surrogates replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

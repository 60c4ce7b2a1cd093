"""Server-Sent Events by the table, by properties against a naive decoder, and by growth."""

from __future__ import annotations

import asyncio
import copy
import pickle
import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from costs import assert_linear
from midstream import ErrorCode, JsonStreamError
from midstream.sse import SseDecoder, SseEvent, adecode, comment, decode, encode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

BOM = b"\xef\xbb\xbf"


def message(data: str, **fields: Any) -> SseEvent:
    return SseEvent(data=data, **fields)


# From the standard, in its order: 9.2.1 and 9.2.6 (examples), 9.2.5 (lines), 9.2.6 (fields, dispatch).
CASES: dict[str, tuple[bytes, list[SseEvent]]] = {
    "nothing": (b"", []),
    # examples like the standard's
    "messages of one line and of two": (
        b"data: a first one\n\ndata: a second one\ndata: of two lines\n\ndata: a third one\n\n",
        [message("a first one"), message("a second one\nof two lines"), message("a third one")],
    ),
    "two types of events": (
        b"event: join\ndata: 41\n\nevent: leave\ndata: 12\n\nevent: join\ndata: 5\n\n",
        [SseEvent("join", "41"), SseEvent("leave", "12"), SseEvent("join", "5")],
    ),
    "three lines of one event": (b"data: ACME\ndata: +2\ndata: 10\n\n", [message("ACME\n+2\n10")]),
    "a comment, an id, an id that is taken back, and the end without a blank line": (
        b": a test\n\ndata: one\nid: 1\n\ndata:two\nid\n\ndata:  three",
        [message("one", id="1"), message("two")],
    ),
    "one empty line, two empty lines, and the end without a blank line": (
        b"data\n\ndata\ndata\n\ndata:",
        [message(""), message("\n")],
    ),
    "the space after the colon makes no difference": (
        b"data:same\n\ndata: same\n\n",
        [message("same"), message("same")],
    ),
    # lines
    "LF": (b"data: a\n\ndata: b\n\n", [message("a"), message("b")]),
    "CR": (b"data: a\r\rdata: b\r\r", [message("a"), message("b")]),
    "CR LF": (b"data: a\r\n\r\ndata: b\r\n\r\n", [message("a"), message("b")]),
    "CR LF is one line end": (b"data: a\r\ndata: b\r\n\r\n", [message("a\nb")]),
    "LF CR is two": (b"data: a\n\rdata: b\n\r", [message("a"), message("b")]),
    "CR CR LF is two": (b"data: a\r\r\ndata: b\r\r\n", [message("a"), message("b")]),
    "CR LF LF is two": (b"data: a\r\n\ndata: b\n\r\n", [message("a"), message("b")]),
    "line ends mixed": (b"data: a\rdata: b\ndata: c\r\ndata: d\r\n\r", [message("a\nb\nc\nd")]),
    "nothing but line ends": (b"\n\r\n\r\r\n\n", []),
    "other line separators are data": (
        "data: a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei\n\n".encode(),
        [message("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\x1dh\x1ei")],
    ),
    "a BOM is ignored": (BOM + b"data: a\n\n", [message("a")]),
    "a BOM alone": (BOM, []),
    "a BOM and a blank line": (BOM + b"\n\ndata: a\n\n", [message("a")]),
    "a second BOM belongs to the first field's name": (BOM + BOM + b"data: a\n\ndata: b\n\n", [message("b")]),
    "a BOM in the midst belongs to a name": (b"data: a\n" + BOM + b"data: b\n\n", [message("a")]),
    "a BOM in a value is data": (b"data: " + BOM + b"a\n\n", [message("\ufeffa")]),
    "part of a BOM belongs to a name": (b"\xef\xbbdata: a\n\ndata: b\n\n", [message("b")]),
    "part of a BOM and a line end": (b"\xef\ndata: b\n\n", [message("b")]),
    "characters of two, three and four bytes": ("data: é€😀\n\n".encode(), [message("é€😀")]),
    "invalid bytes are replaced": (b"data: a\xffb\xc3\n\n", [message("a\ufffdb\ufffd")]),
    "a line ends inside of a character": (b"data: \xe2\x82\ndata: \xac\n\n", [message("\ufffd\n\ufffd")]),
    "what is left of a character swallows no colon": (b"data\xc3: a\ndata: b\n\n", [message("b")]),
    "as many replacements as the encoding standard says": (
        b"data: \xf0\x9f\x98|\xed\xa0\x80|\xc0\xaf|\xf4\x90\x80\x80\n\n",
        [message("\ufffd|\ufffd\ufffd\ufffd|\ufffd\ufffd|\ufffd\ufffd\ufffd\ufffd")],
    ),
    # fields
    "a comment": (b": data: a\n\n:\n\n::\n\n", []),
    "a comment inside of an event": (b"data: a\n: no\ndata: b\n\n", [message("a\nb")]),
    "a space before the colon belongs to the name": (b"data : a\ndata: b\n\n", [message("b")]),
    "a space before the name belongs to it": (b" data: a\ndata: b\n\n", [message("b")]),
    "one space is removed": (b"data:  a \n\n", [message(" a ")]),
    "a tab is not": (b"data:\ta\n\n", [message("\ta")]),
    "the first colon counts": (b"data: a: b:c\n\ndata::\n\n", [message("a: b:c"), message(":")]),
    "names are compared exactly": (b"Data: a\nDATA: b\ndata2: c\ndat: d\ndata: e\n\n", [message("e")]),
    "unknown fields are ignored": (b"foo: 1\nbar\ndata: a\n\n", [message("a")]),
    "an event of unknown fields is none": (b"foo: 1\n\n", []),
    "a line without a colon is a name": (b"data\nevent\nid\nretry\n\n", [message("")]),
    "NULL is data": (b"data: a\0b\nevent: \0\n\n", [SseEvent("\0", "a\0b")]),
    "the last type counts": (b"event: a\nevent: b\ndata: c\n\n", [SseEvent("b", "c")]),
    "an empty type is message": (b"event: a\nevent:\ndata: c\n\n", [message("c")]),
    "a type is for one event": (b"event: a\ndata: b\n\ndata: c\n\n", [SseEvent("a", "b"), message("c")]),
    "a type is no line of its own": (b"event: \xc3\xa9 e\ndata: a\n\n", [SseEvent("é e", "a")]),
    "an id stays": (b"id: 1\ndata: a\n\ndata: b\n\n", [message("a", id="1"), message("b", id="1")]),
    "an empty id takes it back": (
        b"id: 1\ndata: a\n\nid:\ndata: b\n\n",
        [message("a", id="1"), message("b")],
    ),
    "an id with NULL is ignored": (b"id: 1\nid: 2\x003\nid: \0\ndata: a\n\n", [message("a", id="1")]),
    "an id may be any text": (b"id:  \xc3\xa9 :\ndata: a\n\n", [message("a", id=" é :")]),
    "a retry": (b"retry: 3000\ndata: a\n\ndata: b\n\n", [message("a", retry=3000), message("b")]),
    "a retry of a block without data": (
        b"retry: 3\n\ndata: a\n\ndata: b\n\n",
        [message("a", retry=3), message("b")],
    ),
    "the last retry counts": (b"retry: 3\nretry: 040\nretry: x\ndata: a\n\n", [message("a", retry=40)]),
    "a retry of zero": (b"retry: 000\ndata: a\n\n", [message("a", retry=0)]),
    "a retry is ASCII digits only": (
        b"".join(b"retry: %b\n" % time for time in b"1.5,-1,+1,1_0, 1,1 ,,\xd9\xa3,0x1".split(b","))
        + b"data: a\n\n",
        [message("a")],
    ),
    "a retry beyond all use": (b"retry: " + b"9" * 19 + b"\ndata: a\n\n", [message("a")]),
    "a retry with many zeros": (b"retry: " + b"0" * 30 + b"7\ndata: a\n\n", [message("a", retry=7)]),
    # dispatch
    "no data, no event": (b"event: a\nid: 1\n\n", []),
    "without data the type is forgotten": (b"event: a\n\ndata: b\n\n", [message("b")]),
    "without data the id is kept": (b"id: 1\n\ndata: b\n\n", [message("b", id="1")]),
    "empty data is data": (b"data:\n\ndata: \n\n", [message(""), message("")]),
    "empty lines of data": (b"data:\ndata: a\ndata:\ndata:\n\n", [message("\na\n\n")]),
    "many blank lines": (b"\n\n\ndata: a\n\n\n\n\ndata: b\n\n\n", [message("a"), message("b")]),
    "fields in any order": (
        b"data: a\nid: 1\nevent: b\ndata: c\nretry: 2\n\n",
        [SseEvent("b", "a\nc", "1", 2)],
    ),
    "the end drops what has no blank line": (b"data: a\n\ndata: b\n", [message("a")]),
    "the end drops part of a line": (b"data: a\n\ndata", [message("a")]),
}


def run(reads: Iterable[bytes], **options: Any) -> list[SseEvent]:
    return list(decode(reads, **options))


def per_byte(stream: bytes) -> Iterator[bytes]:
    return (stream[i : i + 1] for i in range(len(stream)))


def cut(stream: bytes, places: Iterable[int]) -> list[bytes]:
    edges = [0, *sorted(min(place, len(stream)) for place in places), len(stream)]
    return [stream[start:stop] for start, stop in pairwise(edges)]


def oracle(stream: bytes) -> list[SseEvent]:
    """Decode a complete stream as the standard's text says, word by word."""
    text = stream.decode("utf-8-sig", "replace")
    # splitting leaves what follows the last line end: an incomplete line
    lines = re.split("\r\n|\r|\n", text)[:-1]
    events = []
    data = kind = last_id = ""
    retry = None
    for line in lines:
        if line == "":
            if data != "":
                events.append(SseEvent(kind if kind != "" else "message", data[:-1], last_id, retry))
                retry = None
            data = kind = ""
            continue
        if line[0] == ":":
            continue
        field, value = line.split(":", 1) if ":" in line else (line, "")
        if value[:1] == " ":
            value = value[1:]
        if field == "data":
            data += value + "\n"
        elif field == "event":
            kind = value
        elif field == "id" and "\0" not in value:
            last_id = value
        elif field == "retry" and re.fullmatch("[0-9]+", value):
            retry = int(value)
    return events


@pytest.mark.parametrize(("stream", "events"), CASES.values(), ids=list(CASES))
def test_a_case_in_one_piece_per_byte_and_at_every_cut(stream: bytes, events: list[SseEvent]) -> None:
    assert run([stream]) == events
    assert run(per_byte(stream)) == events
    for place in range(len(stream) + 1):
        assert run([stream[:place], b"", stream[place:]]) == events


@pytest.mark.parametrize(("stream", "events"), CASES.values(), ids=list(CASES))
def test_the_naive_decoder_agrees_with_the_table(stream: bytes, events: list[SseEvent]) -> None:
    if b"9" * 19 not in stream:  # beyond the standard
        assert oracle(stream) == events


# -- when an event comes


def test_an_event_comes_with_the_first_byte_that_ends_it() -> None:
    decoder = SseDecoder()
    for end in (b"\n", b"\r", b"\r\n"):
        assert decoder.add_bytes(b"data: a" + end) == []
        assert decoder.add_bytes(end[:1]) == [message("a")]
        assert decoder.add_bytes(end[1:]) == []


def test_a_line_feed_after_a_carriage_return_is_swallowed_whenever_it_comes() -> None:
    decoder = SseDecoder()
    assert decoder.add_bytes(b"data: a\r") == []
    assert decoder.add_bytes(b"") == []
    assert decoder.add_bytes(b"\n") == []
    assert decoder.add_bytes(b"\n") == [message("a")]
    assert decoder.add_bytes(b"data: b\r\n\r") == [message("b")]
    assert decoder.add_bytes(b"\ndata: c\n\n") == [message("c")]


# -- the end, and the next connection


def test_finish_drops_what_is_begun_and_keeps_what_is_reported() -> None:
    decoder = SseDecoder()
    assert (decoder.last_event_id, decoder.retry) == ("", None)
    assert decoder.add_bytes(
        BOM + b"id: 1\nretry: 5\ndata: a\n\nid: 2\nevent: x\nretry: 6\ndata: lost\n"
    ) == [message("a", id="1", retry=5)]
    # a reconnection time counts at once, an id when its block ends
    assert (decoder.last_event_id, decoder.retry) == ("1", 6)
    assert decoder.finish() == []
    assert (decoder.last_event_id, decoder.retry) == ("1", 6)
    assert decoder.add_bytes(BOM + b"data: b\n\n") == [message("b", id="1")]
    assert decoder.finish() == decoder.finish() == []


@pytest.mark.parametrize("left", [b"data: x", b"data: x\r", b"data: x\n", BOM[:1], BOM[:2], BOM, b"\r", b""])
def test_nothing_of_one_stream_gets_into_the_next(left: bytes) -> None:
    for stream, events in CASES.values():
        decoder = SseDecoder()
        decoder.add_bytes(left)
        decoder.finish()
        assert decoder.add_bytes(stream) == events


def test_an_id_alone_is_reported() -> None:
    decoder = SseDecoder()
    assert decoder.add_bytes(b"id: 1\n") == []
    assert decoder.last_event_id == ""
    assert decoder.add_bytes(b"\n") == []
    assert decoder.last_event_id == "1"
    assert decoder.add_bytes(b"id\n\n") == []
    assert decoder.last_event_id == ""


# -- a bound


def failure(reads: Iterable[bytes], bound: int) -> tuple[list[SseEvent], tuple[str, int, int, int] | None]:
    """Decode and give the events, and the error after them."""
    events: list[SseEvent] = []
    try:
        for event in decode(reads, max_event=bound):
            events.append(event)  # noqa: PERF402  # those before the error count
    except JsonStreamError as error:
        return events, (error.code, error.index, error.line, error.column)
    return events, None


@pytest.mark.parametrize(
    ("stream", "bound", "events", "index", "line"),
    [
        (b"data: abc", 8, 0, 8, 1),
        (b"data: abc", 0, 0, 0, 1),
        (b"data: abc\n\n", 8, 0, 8, 1),
        (BOM + b"data: abc\n\n", 8, 0, 11, 1),
        (b"data: a\ndata: b\n\n", 13, 0, 14, 2),
        (b"data: a\r\ndata: b\r\n\r\n", 13, 0, 15, 2),
        (b"data: a\r\n\r\n\r\ndata: ab\r\n\r\n", 7, 1, 20, 4),
        (b"data: a\n\n:\n:\n: a long comment\n", 7, 1, 20, 5),
        (b"data: a\n\nfoo\nfoo\nfoo\n\n", 8, 1, 19, 5),
    ],
)
def test_the_first_byte_too_many_is_an_error(
    stream: bytes, bound: int, events: int, index: int, line: int
) -> None:
    expected = [message("a")] * events, ("event_limit", index, line, 1)
    assert failure([stream], bound) == expected
    assert failure(per_byte(stream), bound) == expected
    for place in range(len(stream) + 1):
        assert failure([stream[:place], stream[place:]], bound) == expected


@pytest.mark.parametrize(
    ("stream", "bound"),
    [
        (b"data: abc\n\n", 9),
        (BOM + b"data: abc\r\n\r\n", 9),
        (b"data: a\ndata: b\n\n", 14),
        (b"data: a\n\ndata: b\n\ndata: c\n\n", 7),
        (b"\n\n\r\n\r", 0),
        (b": beat\n" * 100 + b"data: a\n\n", 7),
    ],
)
def test_within_the_bound_there_is_none(stream: bytes, bound: int) -> None:
    assert failure([stream], bound) == (run([stream]), None)
    assert failure(per_byte(stream), bound) == (run([stream]), None)


def test_a_decoder_that_failed_stays_so() -> None:
    decoder = SseDecoder(max_event=7)
    # what came before it in the same read is not lost
    assert decoder.add_bytes(b"id: 1\n\ndata: a\n\ndata: ab") == [message("a", id="1")]
    errors = []
    uses: list[Callable[[], object]] = [
        lambda: decoder.add_bytes(b"\n\n"),
        lambda: decoder.add_bytes(b""),
        decoder.finish,
    ]
    for use in uses:
        with pytest.raises(
            JsonStreamError, match=r"^event longer than max_event \(line 5, column 1\)$"
        ) as caught:
            use()
        errors.append(caught.value.error)
    assert errors == [errors[0]] * 3
    assert errors[0].code is ErrorCode.EVENT_LIMIT
    assert decoder.last_event_id == "1"


# -- slips in the program


def test_what_is_not_bytes() -> None:
    expected = [message("a")]
    assert SseDecoder().add_bytes(bytearray(b"data: a\n\n")) == expected
    assert SseDecoder().add_bytes(memoryview(b"data: a\n\n")) == expected
    assert SseDecoder().add_bytes(memoryview(b"\n\n\n\na\n \n:\na\nt\na\nd")[::-2]) == expected
    reused = bytearray(b"data: a")
    decoder = SseDecoder()
    assert decoder.add_bytes(reused) == []
    reused[:] = b"\n\n"
    assert decoder.add_bytes(reused) == expected
    text: Any
    for text in ("data: a\n\n", ""):
        with pytest.raises(TypeError, match=r"^expected bytes, not str; .* without decoding it$"):
            SseDecoder().add_bytes(text)
    for nonsense in (None, 5, [b"a"]):
        with pytest.raises(TypeError, match=r"^expected bytes, not "):
            SseDecoder().add_bytes(nonsense)  # type: ignore[arg-type]


@pytest.mark.parametrize("bound", [-1, 1.5, "9", True])
def test_a_bound_that_is_none(bound: Any) -> None:
    with pytest.raises(ValueError, match=r"^max_event must be a non-negative int or None, not "):
        SseDecoder(max_event=bound)
    with pytest.raises(ValueError, match=r"^max_event must be a non-negative int or None, not "):
        decode([], max_event=bound)


def test_an_event_is_a_record() -> None:
    event = SseEvent("a", "b", "c", 4)
    assert repr(event) == "SseEvent(event='a', data='b', id='c', retry=4)"
    assert len({event, SseEvent("a", "b", "c", 4), SseEvent()}) == 2
    assert pickle.loads(pickle.dumps(event)) == copy.copy(event) == event
    with pytest.raises(AttributeError):
        event.data = "x"  # type: ignore[misc]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_goes_its_own_way(duplicate: Callable[[SseDecoder], SseDecoder]) -> None:
    first = SseDecoder(max_event=100)
    first.add_bytes(b"data: a\ndata: b")
    second = duplicate(first)
    assert first.add_bytes(b"c\ndata: d\n\n") == [message("a\nbc\nd")]
    assert second.add_bytes(b"e\n\n") == [message("a\nbe")]


# -- the one-liners


def test_the_asynchronous_twin() -> None:
    async def response(reads: Iterable[bytes]) -> AsyncIterator[bytes]:
        for read in reads:
            yield read

    async def main(reads: Iterable[bytes], **options: Any) -> list[SseEvent]:
        return [event async for event in adecode(response(reads), **options)]

    for stream, events in CASES.values():
        assert asyncio.run(main([stream[:9], stream[9:]])) == events
    with pytest.raises(JsonStreamError, match=r"^event longer than max_event"):
        asyncio.run(main([b"data: a\n\ndata: ab"], max_event=7))


def test_events_are_not_held_back() -> None:
    def response() -> Iterator[bytes]:
        yield b"data: a\n\nda"
        raise ConnectionError

    events = decode(response())
    assert next(events) == message("a")
    with pytest.raises(ConnectionError):
        next(events)


# -- the way back


@pytest.mark.parametrize(
    ("event", "stream"),
    [
        (SseEvent(), b"data: \n\n"),
        (message("a"), b"data: a\n\n"),
        (message(" a"), b"data:  a\n\n"),
        (message("a\nb\rc\r\nd\n\re"), b"data: a\ndata: b\ndata: c\ndata: d\ndata: \ndata: e\n\n"),
        (message("\n"), b"data: \ndata: \n\n"),
        (message("a\u2028b\x0b"), "data: a\u2028b\x0b\n\n".encode()),
        (SseEvent("add", "x", "7", 0), b"event: add\nid: 7\nretry: 0\ndata: x\n\n"),
        (SseEvent(" add", ":", " "), b"event:  add\nid:  \ndata: :\n\n"),
        (SseEvent("", "x"), b"data: x\n\n"),
        (message("a\ud83db\ude00"), "data: a\ufffdb\ufffd\n\n".encode()),
        (message("\ud83d\ude00"), "data: 😀\n\n".encode()),
        (SseEvent("\udc80", "x", "\udc80"), "event: \ufffd\nid: \ufffd\ndata: x\n\n".encode()),
    ],
)
def test_an_event_is_written(event: SseEvent, stream: bytes) -> None:
    assert encode(event) == stream
    assert len(run([stream])) == 1


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (SseEvent("a\n"), r"^event must not contain any of '\\r\\n'$"),
        (SseEvent("\ra"), r"^event must not contain any of '\\r\\n'$"),
        (SseEvent(id="a\n"), r"^id must not contain any of '\\r\\n\\x00'$"),
        (SseEvent(id="\r"), r"^id must not contain any of"),
        (SseEvent(id="\0"), r"^id must not contain any of"),
        (SseEvent(retry=-1), r"^retry must be a number of milliseconds or None, not -1$"),
        (SseEvent(retry=10**18), r"^retry must be a number of milliseconds"),
        (SseEvent(retry=True), r"^retry must be a number of milliseconds"),
    ],
)
def test_an_event_that_cannot_be_written(event: SseEvent, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        encode(event)


def test_a_comment_changes_nothing() -> None:
    assert comment() == b":\n\n"
    assert comment("a\r\nb\n\nc\rd") == b": a\n: b\n:\n: c\n: d\n\n"
    assert comment("\ud83d") == ": \ufffd\n\n".encode()
    events = [SseEvent("a", "b", "1"), SseEvent("message", "c", "1")]
    reads = [comment(), encode(events[0]), comment("data: x\nid: 2"), encode(events[1]), comment("x")]
    assert run(reads) == events


# -- properties

CUTS = st.lists(st.integers(0, 400), max_size=8)
NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=5)
EVENTS = st.builds(
    SseEvent,
    event=NAME.map(lambda name: name or "message"),
    data=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=12)
    | st.text(" :\n\u2028\x85\ufeffa", max_size=12),
    id=NAME.filter(lambda id: id and "\0" not in id),
    retry=st.none() | st.integers(0, 10**18 - 1),
)


@given(st.lists(EVENTS, max_size=5), st.sampled_from([b"\n", b"\r", b"\r\n"]), st.booleans(), CUTS)
def test_what_is_written_is_read(events: list[SseEvent], end: bytes, bom: bool, places: list[int]) -> None:
    stream = b"".join(map(encode, events)).replace(b"\n", end)
    assert run(cut(BOM * bom + stream, places)) == events


NASTY = [*(c.encode() for c in "dat: \r\n\0é\u2028\ufeff1"), b"\xc3", b"\xe2\x80", b"\xef", b"\xbb", b"\xbf"]
WORDS = [
    b"data",
    b"data:",
    b"data: ",
    b"id:",
    b"id",
    b"event: ",
    b"retry:",
    b"\n\n",
    b"\r\n",
    b"\r\r",
    b": ",
    b"42",
]
STREAMS = st.lists(st.sampled_from(NASTY + WORDS), max_size=40).map(b"".join) | st.binary(max_size=40)


@settings(max_examples=400)
@given(STREAMS, CUTS)
@example(b"data\r\n\ndata\n\r\n", [6])
def test_any_bytes_at_any_cuts_are_what_the_standard_says(stream: bytes, places: list[int]) -> None:
    expected = oracle(stream)
    assert run([stream]) == expected
    assert run(cut(stream, places)) == expected
    assert run(per_byte(stream)) == expected


@given(STREAMS, CUTS, st.integers(0, 20))
def test_a_bound_is_the_same_at_any_cuts(stream: bytes, places: list[int], bound: int) -> None:
    events, error = expected = failure([stream], bound)
    assert failure(cut(stream, places), bound) == expected
    assert failure(per_byte(stream), bound) == expected
    everything = run([stream])
    assert everything[: len(events)] == events
    if error is None:
        assert events == everything
    else:
        # the bytes before the index are within the bound, with the one there they are not
        index = error[1]
        assert failure([stream[:index]], bound) == (events, None)
        if not BOM.startswith(stream[: index + 1]):  # which would not count
            assert failure([stream[: index + 1]], bound) == expected


# -- growth


def one_line(n: int) -> None:
    decoder = SseDecoder(max_event=2 * n)
    decoder.add_bytes(b"data:")
    for _ in range(n):
        decoder.add_bytes(b"x")
    assert len(decoder.add_bytes(b"\n\n")[0].data) == n


def many_lines_in_one_event(n: int) -> None:
    decoder = SseDecoder()
    for _ in range(n):
        decoder.add_bytes(b"data:x\n")
    assert len(decoder.add_bytes(b"\n")[0].data) == 2 * n - 1


def many_events_in_one_read(n: int) -> None:
    assert len(run([b"data:x\r\n\r\n" * n])) == n


def empty_reads(n: int) -> None:
    decoder = SseDecoder()
    decoder.add_bytes(b"data: " + b"x" * 1_000_000)
    for _ in range(n):
        decoder.add_bytes(b"")


@pytest.mark.parametrize("work", [one_line, many_lines_in_one_event, many_events_in_one_read, empty_reads])
def test_the_time_is_linear_in_the_input(work: Callable[[int], object]) -> None:
    assert_linear(lambda size: partial(work, size), 10_000)


def one_line_in_larger_parts(n: int) -> None:
    part = b"x" * 1_000
    decoder = SseDecoder(max_event=2000 * n)
    decoder.add_bytes(b"data:")
    for _ in range(n):
        decoder.add_bytes(part)
    assert len(decoder.add_bytes(b"\n\n")[0].data) == 1000 * n


def test_megabytes_in_one_line() -> None:
    assert_linear(lambda size: partial(one_line_in_larger_parts, size), 1000)


def test_a_retry_of_a_million_digits_costs_nothing() -> None:
    assert run([b"retry: " + b"9" * 1_000_000 + b"x\nretry: " + b"9" * 1_000_000 + b"\ndata: a\n\n"]) == [
        message("a")
    ]

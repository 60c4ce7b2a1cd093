"""The parts of a worker's streams, without I/O: positions, raw events, derived events, feeds."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from midstream import JsonStreamError, recordings
from midstream.server.replay import paced
from midstream.server.store.base import End
from midstream.server.streams.cursor import Cursor, cursor_of, parse_id
from midstream.server.streams.cutter import Cutter
from midstream.server.streams.derivation import RAW, Variant, derivation_of
from midstream.server.streams.feed import Feed
from midstream.server.streams.log import Log
from midstream.server.streams.prepared import PreparedDerivation, blocks_of, is_prepared
from midstream.sse import decode

LINES = (": a", "", "data: ä", "", "id: 7", "event: x", ": b", "data: 2", "data:", "", "retry: 3", "", "", "")


@pytest.mark.parametrize("id", ["", "7", "s-", "s-x", "s-1.", "s-1.x", "s--", "s-1.2.3", "s-" + "9" * 16])
def test_what_is_no_event_id(id: str) -> None:
    assert parse_id(id) is None


def test_a_position_belongs_to_its_stream() -> None:
    assert cursor_of("a-b-3.4", "a-b") == Cursor(3, 4)
    assert cursor_of("3.4", "a-b") == Cursor(3, 4)
    assert cursor_of("a-3.4", "a-b") is None
    assert Cursor(3) < Cursor(3, 1) < Cursor(4)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_raw_events_are_the_stream_however_it_is_cut(end: str) -> None:
    data = "".join(line + end for line in LINES).encode()
    for size in range(1, len(data) + 1):
        cutter = Cutter(100)
        raw = [event for at in range(0, len(data), size) for event in cutter.add(data[at : at + size])]
        assert b"".join(raw) + cutter.rest() == data
        assert [event.data for event in decode(raw)] == ["ä", "2\n"]
        # at most one event is in each, and none is in two
        assert sum(len(list(decode([event]))) for event in raw) == 2


@given(st.lists(st.sampled_from([b"\r", b"\n", b"data: 1", b":"]), max_size=30), st.randoms())
@settings(max_examples=300)
def test_no_event_waits_for_the_next_one(parts: list[bytes], source: random.Random) -> None:
    data = b"".join(parts)
    cutter, raw = Cutter(), []
    while data:
        size = source.randrange(1, 6)
        raw += cutter.add(data[:size])
        data = data[size:]
    assert len(list(decode(raw))) == len(list(decode([*raw, cutter.rest()])))


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b'{"error": {"type": "overloaded_error", "message": "Overloaded"}}', "provider_error", "Overloaded"),
        (b"<!DOCTYPE html>\n\n<html></html>", "not_an_event_stream", "HTML page"),
        (b'{"hello": 1}', "not_an_event_stream", "it is JSON"),
        (b"upstream timed out", "not_an_event_stream", "plain text"),
        (b": comments\n\n", None, ""),
        (b"id: 1\n\ndata: 1", None, ""),
        (b"x-field: 1\ndata: 1\n\n", None, ""),
        (b"", None, ""),
    ],
)
@pytest.mark.parametrize("size", [1, 100])
def test_a_body_that_is_no_event_stream(body: bytes, code: str | None, words: str, size: int) -> None:
    cutter = Cutter()
    for at in range(0, len(body), size):
        cutter.add(body[at : at + size])
    if code is None:
        cutter.finish()
        return
    with pytest.raises(JsonStreamError, match=words) as caught:
        cutter.finish()
    assert caught.value.code == code


def test_an_event_over_the_limit_is_an_error_after_those_before_it() -> None:
    cutter = Cutter(20)
    assert cutter.add(b"data: 1\n\ndata: " + b"x" * 30) == [b"data: 1\n\n"]
    with pytest.raises(JsonStreamError, match="max_event"):
        cutter.add(b"x")
    for data in (b": comment\n" * 20, b"data: " + b"x" * 15):
        with pytest.raises(JsonStreamError, match="max_event"):
            Cutter(20).add(data)
    # comments and line ends do not count
    assert Cutter(20).add(b": long comment\n" * 4 + b"data: 1\n\n") != []


VARIANTS = [Variant(), Variant(form="compact"), Variant(with_provider=True), RAW]


def feed_of(log: Log, variant: Variant, max_events: int = 1000) -> Feed:
    meta = {"name": None, "format": "openai-chat"}
    return Feed(log, derivation_of("s", meta, variant, 10**9), max_events, 10**9)


def drain(feed: Feed, index: int = 0) -> list[bytes]:
    found: list[bytes] = []
    while entries := feed.take(index + len(found), 300):
        found += entries
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_feed_is_the_same_however_the_log_grows(variant: Variant) -> None:
    blocks = recordings.load("trip").blocks()
    log = Log()
    log.add(blocks, End())
    complete = drain(feed_of(log, variant))
    source = random.Random(1)
    for _ in range(5):
        log = Log()
        feed, found = feed_of(log, variant), list[bytes]()
        rest = blocks
        while rest:
            size = source.randrange(1, 30)
            log.add(rest[:size])
            rest = rest[size:]
            found += drain(feed, len(found))
        is_over = feed.is_over
        log.add([], End())
        found += drain(feed, len(found))
        assert (is_over, feed.is_over) == (False, True)
        assert found == complete


@pytest.mark.parametrize("variant", VARIANTS)
def test_skipping_to_a_position_leaves_the_rest(variant: Variant) -> None:
    log = Log()
    log.add(recordings.load("search").blocks(), End())
    feed = feed_of(log, variant)
    complete = drain(feed)
    positions = [feed.position_before(index + 1) for index in range(len(complete))]
    assert positions == sorted(set(positions))
    for at, position in enumerate(positions):
        other = feed_of(log, variant)
        while not other.skip(position):
            pass
        assert drain(other, other.index_after(position)) == complete[at + 1 :]


def test_a_feed_keeps_what_its_fastest_reader_has_not_taken() -> None:
    log = Log()
    log.add(recordings.load("trip").blocks(), End())
    feed = feed_of(log, Variant(), 10)
    complete, found = drain(feed_of(log, Variant())), list[bytes]()
    while entries := feed.take(len(found), 2000):
        found += entries
        assert sum(map(len, feed._entries)) < 200_000
    assert found == complete
    assert feed.base > 0
    assert not feed.can_continue((0, 0))
    assert feed.can_continue(feed.position_before(feed.next))


def test_memory_of_a_long_event_is_bounded() -> None:
    """Its derived events are made one at a time, as they are taken."""
    arguments = "[" * 300 + "1," * 20_000
    call = '{"index": 0, "function": {"arguments": "%s"}}'
    text = '{"choices": [{"index": 0, "delta": {"tool_calls": [' + call + "]}}]}"
    log = Log()
    log.add([b"data: " + (text % arguments).encode() + b"\n\n"], End())
    feed = feed_of(log, Variant(), 10)
    index, most = 0, 0
    while entries := feed.take(index):
        index += len(entries)
        most = max(most, sum(map(len, feed._entries)))
    assert index > 100
    assert most < 1_000_000


# recordings

IDS = ("0123456789abcdef" * 2, "another-id")
DERIVED = [*VARIANTS[:3], Variant(dialect="lenient"), Variant(form="compact", dialect="lenient")]


def both_feeds(log: Log, name: str, variant: Variant, id: str) -> tuple[Feed, Feed]:
    meta = {"name": name, "format": recordings.load(name).format}
    assert is_prepared(meta, variant)
    prepared = PreparedDerivation(id, meta, variant, 10**9)
    feeds = [Feed(log, one, 1000, 10**9) for one in (prepared, derivation_of(id, meta, variant, 10**9))]
    return feeds[0], feeds[1]


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("variant", DERIVED)
@pytest.mark.parametrize("name", recordings.NAMES)
def test_a_prepared_recording_is_what_would_be_derived(name: str, variant: Variant, id: str) -> None:
    blocks = [*blocks_of(name)]
    logs = [(blocks, End())]
    # it is cancelled, or goes on differently
    for count in (0, 1, len(blocks) // 2, len(blocks)):
        logs += [(blocks[:count], End("cancelled", "the stream was cancelled")), (blocks[:count], End())]
        logs += [([*blocks[:count], b": other\n\n", *blocks[count:]], End())]
        logs += [([*blocks[:count], bytes(bytearray(b"".join(blocks[count : count + 1])))], End())]
    for events, end in logs:
        log = Log()
        log.add(events, end)
        prepared, derived = both_feeds(log, name, variant, id)
        assert drain(prepared) == drain(derived)


@pytest.mark.parametrize("variant", DERIVED[:2])
def test_a_prepared_recording_can_be_observed(variant: Variant) -> None:
    for count in (0, 1, 60, 192):
        log = Log()
        log.add([*blocks_of("trip")[:count]])
        feeds = both_feeds(log, "trip", variant, IDS[0])
        for feed in feeds:
            feed.observe()
            feed.begin()
            feed.skip_all()
        assert feeds[0].snapshot() == feeds[1].snapshot()
        assert feeds[0].first_argument == feeds[1].first_argument
        log.add([*blocks_of("trip")[count:]], End())
        assert drain(feeds[0], feeds[0].base) == drain(feeds[1], feeds[1].base)


def test_no_other_stream_is_prepared() -> None:
    assert not is_prepared({"name": None, "format": "openai-chat"}, Variant())
    assert not is_prepared({"name": "trip", "format": "anthropic"}, Variant())
    assert not is_prepared({"name": "chat/completions", "format": "openai-chat"}, Variant())
    assert not is_prepared({"name": "trip", "format": "openai-chat"}, RAW)


def test_streams_that_continue_at_the_same_time_share_a_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    events, timers = [b"data: 1\n\n"] * 5, list[float]()

    async def replay() -> list[list[bytes]]:
        return [item async for item in paced(events, 25)]

    async def run() -> None:
        loop = asyncio.get_running_loop()
        call_at = loop.call_at

        def counted(when: float, *given: Any, **more: Any) -> asyncio.TimerHandle:
            timers.append(when)
            return call_at(when, *given, **more)

        monkeypatch.setattr(loop, "call_at", counted)
        began = time.monotonic()
        found = await asyncio.gather(*(replay() for _ in range(40)))
        assert found == [[[event] for event in events]] * 40
        # at most one timer for each tick, and no faster than asked
        ticks = (time.monotonic() - began) / 0.005
        assert ticks >= 5 / 25 / 0.005
        assert len(timers) == len(set(timers)) <= ticks + 1
        # one that leaves takes nothing from the others
        waiting = [asyncio.create_task(replay()) for _ in range(3)]
        await asyncio.sleep(0.01)
        waiting[0].cancel()
        assert await asyncio.gather(*waiting[1:]) == found[:2]

    asyncio.run(run())

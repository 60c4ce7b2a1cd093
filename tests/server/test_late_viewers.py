"""Snapshots of streams, for clients that join late or are too slow; with the rest, they are the stream."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from midstream import ToolsAggregateMessageHandler, recordings
from midstream.calls.messages import ReasoningDelta, RefusalDelta, StreamSnapshot, TextDelta
from midstream.events.reader import EventReader
from midstream.server import Settings, create_app
from midstream.server.store.base import End
from midstream.server.streams.derivation import Variant, derivation_of
from midstream.server.streams.feed import Feed
from midstream.server.streams.log import Log
from midstream.sse import decode, encode
from test_server import Provider, running, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from midstream.sse import SseEvent

SHORT = Settings(pace=0, grace=0.5, heartbeat=0.2)
CLIENT = httpx.Client(timeout=20)
META = {"name": None, "format": None}


@pytest.fixture(scope="module", autouse=True)
def close_client() -> Iterator[None]:
    with CLIENT:
        yield


def shown(events: list[SseEvent]) -> Any:
    """Return what a client shows in the end: texts and calls."""
    reader, handler, texts = EventReader(), ToolsAggregateMessageHandler(), dict[Any, str]()
    for event in events:
        for message in reader.add_bytes(encode(event)):
            if isinstance(message, StreamSnapshot):
                texts = {
                    (name, said["message_id"]): said[name]
                    for said in message.messages
                    for name in ("text", "reasoning", "refusal")
                    if said[name]
                }
            name = {"TextDelta": "text", "ReasoningDelta": "reasoning", "RefusalDelta": "refusal"}.get(
                type(message).__name__
            )
            if name is not None:
                assert isinstance(message, TextDelta | ReasoningDelta | RefusalDelta)
                texts[name, message.message_id] = texts.get((name, message.message_id), "") + message.text
            handler.add_message(message)
    calls = [call.to_dict() for id in handler.message_ids for call in handler.complete(id)]
    return texts, calls


def feed_of(log: Log, variant: Variant) -> Feed:
    return Feed(log, derivation_of("s", META, variant, 10**9), 10**6, 10**9)


def drain(feed: Feed, index: int) -> list[bytes]:
    found: list[bytes] = []
    while entries := feed.take(index + len(found)):
        found += entries
    return found


@pytest.mark.parametrize("form", ["full", "compact"])
@pytest.mark.parametrize("name", recordings.NAMES)
def test_a_snapshot_and_what_follows_are_the_stream(name: str, form: Any) -> None:
    blocks, variant = recordings.load(name).blocks(), Variant(form=form)
    log = Log()
    log.add(blocks, End())
    complete = shown(list(decode(drain(feed_of(log, variant), 0))))
    for at in {0, 1, 2, len(blocks) // 3, len(blocks) // 2, len(blocks) - 2, len(blocks)}:
        log = Log()
        log.add(blocks[:at])
        feed = feed_of(log, variant)
        feed.observe()
        start = feed.begin()
        while not feed.skip_all():
            pass
        snapshot = feed.snapshot()
        log.add(blocks[at:], End())
        entries = [start, snapshot, *drain(feed, feed.base)]
        assert shown(list(decode(entries))) == complete
        ids = [event.id for event in decode(entries)][1:]
        assert len(set(ids)) == len(ids)


def test_a_late_client_gets_a_snapshot_if_it_asks_for_one() -> None:
    with running(create_app(settings=SHORT)) as url:
        live = CLIENT.get(f"{url}/api/recordings/trip/events?pace=0")
        address = url + live.headers["content-location"]
        for query in ("", "&form=compact"):
            late = list(decode([CLIENT.get(f"{address}?from=snapshot{query}").content]))
            assert [event.event for event in late[:2]] == ["stream_start", "stream_snapshot"]
            assert late[-1].event == "stream_end"
            assert shown(late) == shown(list(decode([live.content])))
            assert sum(len(event.data) for event in late) < len(live.content) / 10
            # it resumes after the snapshot like after any event
            again = CLIENT.get(f"{address}?{query}", headers={"last-event-id": late[1].id})
            assert list(decode([again.content])) == late[2:]
        # a position wins
        after = CLIENT.get(f"{address}?from=snapshot", headers={"last-event-id": late[1].id})
        assert next(decode([after.content])).event != "stream_start"
        assert CLIENT.get(f"{address}?from=x").json()["code"] == "invalid_from"


@pytest.mark.parametrize("query", ["", "&form=compact"])
def test_a_position_of_another_version_gets_a_snapshot(query: str) -> None:
    """After an update of the gateway, the same raw event may have other events."""
    app = create_app(settings=SHORT)
    with running(app) as url:
        live = CLIENT.get(f"{url}/api/recordings/trip/events?pace=0{query}")
        (channel,) = app.state.gateway.hub._channels.values()
        channel.meta["version"] = 0
        address = url + live.headers["content-location"]
        events = list(decode([live.content]))
        begun = [event for event in events if int(event.id.rpartition("-")[2].partition(".")[0]) < 80]
        answer = CLIENT.get(f"{address}?{query}", headers={"last-event-id": begun[-1].id})
        late = list(decode([answer.content]))
        assert [event.event for event in late] == ["stream_snapshot", "stream_end"]
        assert shown([*begun, *late]) == shown(events)
        # the provider's events are the same in all versions
        raw = CLIENT.get(f"{url}/provider{live.headers['content-location']}?after=80")
        assert raw.content == b"".join(recordings.load("trip").blocks()[80:])
        # nothing follows the end
        assert CLIENT.get(address, headers={"last-event-id": events[-1].id}).status_code == 204


def test_the_state_of_a_stream() -> None:
    with running(create_app(settings=SHORT)) as url:
        live = CLIENT.get(f"{url}/api/recordings/trip/events?pace=0")
        state = CLIENT.get(f"{url}{live.headers['content-location']}/state").json()
        assert state["stream"] == live.headers["midstream-stream"]
        assert (state["status"], state["next"]) == ("complete", len(recordings.load("trip").blocks()) + 1)
        (message,) = state["messages"]
        _, calls = shown(list(decode([live.content])))
        assert [call["function_args"] for call in message["calls"]] == [call["raw_args"] for call in calls]
        assert {call["status"] for call in message["calls"]} == {"complete"}
        assert message["finish_reason"] == "tool_calls"
        assert CLIENT.get(f"{url}/v1/streams/nope/state").status_code == 404


def test_a_slow_client_gets_a_snapshot_when_others_are_far_ahead() -> None:
    provider = Provider()
    settings = SHORT._replace(max_kept_bytes=100_000)
    with running(provider) as upstream, running(create_app(upstream, settings=settings)) as url:
        body = {"model": "flood:ahead"}
        with CLIENT.stream("POST", f"{url}/v1/chat/completions", json=body) as slow:
            chunks = slow.iter_raw(4096)
            received = next(chunks)
            address = f"{url}{slow.headers['content-location']}"
            with CLIENT.stream("GET", address) as fast:
                size = 0
                for chunk in fast.iter_raw():
                    size += len(chunk)
                    if size > 12_000_000:
                        break
                CLIENT.delete(address)
            wait_for(lambda: "ahead" in provider.left)
            time.sleep(0.2)
            received += b"".join(chunks)
        events = list(decode([received]))
        names = [event.event for event in events]
        assert "stream_snapshot" in names
        assert names[-2:] == ["error", "stream_end"]
        complete = list(decode([CLIENT.get(address).content]))
        texts, _ = shown(events)
        assert texts == shown(complete)[0]
        assert json.loads(events[-2].data)["code"] == "cancelled"

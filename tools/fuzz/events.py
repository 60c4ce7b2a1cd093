"""Messages sent as events arrive as the same calls; no bytes make a reader raise anything but its own error.

Any messages, in both forms and cut anywhere, give the handler the calls that it sees in the messages. Events
that were lost, repeated, exchanged or damaged raise nothing but `JsonStreamError`; both builds agree.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from builds import BUILDS
from model import exactly

from .choices import Choices
from .documents import cut, damaged
from .pipeline import collect, is_clear, orderly, seen_alike

__all__ = ["check"]


def check(data: bytes) -> None:
    choices = Choices(data)
    form = choices.pick(("full", "compact"))
    plan = orderly(choices)
    harm = choices.below(3)
    results: list[str] = []
    body = b""
    for build in BUILDS.values():
        messages = import_module(f"{build.__name__}.calls.messages")
        raw = [getattr(messages, name)(*fields) for name, fields in plan]
        sent = list(build.JsonFragmentUpdateMiddleware()(raw)) if form == "full" else raw
        writer = build.EventWriter(form, stream_id="s")
        events = [writer.start(), *(writer.add_message(message) for message in sent), writer.end()]
        if results:
            assert b"".join(events) == body, "the builds write different bytes"
        body = b"".join(events)
        seen = collect(build, raw)
        results.append(exactly(seen))
        if is_clear(plan, seen):
            arrived = read(build, [body])
            assert exactly(seen_alike(collect(build, arrived))) == exactly(seen_alike(seen))
    assert len(set(results)) == 1
    if harm:
        body = harmed(choices, events)
    fragments: list[Any] = cut(choices, body)
    for build in BUILDS.values():
        complete, parts = outcome(build, [body]), outcome(build, fragments)
        assert complete == parts, "the cut makes a difference"
        results.append(complete)
    assert len(set(results[len(BUILDS) :])) == 1


def harmed(choices: Choices, events: list[bytes]) -> bytes:
    """Lose, repeat and exchange events, or change some of their characters."""
    events = list(events)
    for _ in range(1 + choices.below(3)):
        at, other = choices.below(len(events)), choices.below(len(events))
        match choices.below(5):
            case 0 if len(events) > 1:
                del events[at]
            case 1:
                events.insert(other, events[at])
            case 2:
                events[at], events[other] = events[other], events[at]
            case 3:
                events[at] = damaged(choices, events[at].decode("latin-1")).encode("latin-1", "replace")
            case _:
                events[at] = choices.raw(8) + events[at]
    return b"".join(events)


def read(build: Any, fragments: list[bytes]) -> list[Any]:
    reader = build.EventReader()
    return [message for piece in fragments for message in reader.add_bytes(piece)]


def outcome(build: Any, fragments: list[bytes]) -> str:
    """Return the messages before an error, and the error."""
    reader = build.EventReader()
    found: list[Any] = []
    try:
        for piece in [*fragments, b""]:
            found += reader.add_bytes(piece)
    except build.JsonStreamError as error:
        return exactly(([build.to_event(message) for message in found], str(error.code), str(error)))
    return exactly(([build.to_event(message) for message in found], reader.is_complete))

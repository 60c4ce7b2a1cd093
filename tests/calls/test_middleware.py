"""The middleware: which messages it enriches, and how long it keeps a call."""

from __future__ import annotations

import asyncio
import gc
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from call_messages import (
    COMPLETE,
    SIGNALLED,
    UNDEFINED,
    WAYS,
    A,
    B,
    U,
    collect,
    fewer,
    for_build,
    messages_of,
    outcome,
    sent,
)
from midstream.calls.messages import (
    MessageEnd,
    TextDelta,
    ToolCallEnd,
    ToolCallUpdate,
    ToolResult,
)
from model import pieces
from test_invariants import cuts, damaged, documents, each_build

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable


class Tuple(NamedTuple):
    """A message of somebody's own."""

    function_args: str
    tool_call_id: str | None = None
    index: Any = None
    json_update_fragments: Any = None
    other: str = "kept"


@dataclass(frozen=True)
class Frozen:
    """A message of somebody's own."""

    function_args: str | None
    tool_call_id: str | None = None
    index: int | None = None
    function_name: str | None = None
    json_update_fragments: Any = None
    choice: int = 0
    is_free_text: bool = False
    other: str = "kept"


class Model(pydantic.BaseModel):
    """A message of somebody's own."""

    model_config = pydantic.ConfigDict(frozen=True, arbitrary_types_allowed=True)

    function_args: str
    tool_call_id: str | None = None
    index: int | None = None
    json_update_fragments: list[Any] | None = None
    other: str = "kept"


class Plain:
    """A message of somebody's own."""

    def __init__(self, function_args: str, tool_call_id: str | None = None) -> None:
        self.function_args = function_args
        self.tool_call_id = tool_call_id
        self.json_update_fragments: Any = None
        self.other = "kept"


@dataclass
class Several:
    """Several of them."""

    tool_call_updates: Any
    message_id: str | None = None
    other: str = "kept"


def rebuilt(midstream: Any, fragments: Iterable[Any]) -> Any:
    rebuilder = midstream.JsonFragmentRebuilder()
    rebuilder.apply(fragments)
    return rebuilder.value if rebuilder.is_complete else ("open", rebuilder.value)


@each_build
@pytest.mark.parametrize(
    "make", [Tuple, Frozen, Plain, lambda *parts: Model(function_args=parts[0], tool_call_id=parts[1])]
)
def test_middleware_takes_messages_of_any_class(midstream: Any, make: Any) -> None:
    stream = [make(A[:3], "a"), make(B[:3], "b"), make(A[3:], "a"), make(B[3:], "b")]
    if make in (Tuple, Frozen):
        stream[1:2] = [make(B[:3], "b", 1)]
    middleware = midstream.JsonFragmentUpdateMiddleware()
    for plural in (False, True):
        if make is Plain or make not in (Tuple, Frozen):
            # without index and name the second id would be taken for another one of the first call
            stream = [message for message in stream if message.tool_call_id == "a"]
        given_stream = [Several([message]) for message in stream] if plural else stream
        out = list(middleware(given_stream))
        if plural:
            assert all(message.other == "kept" for message in out)
            out = [update for message in out for update in message.tool_call_updates]
        assert [type(message) for message in out] == [type(message) for message in stream]
        assert all(message.other == "kept" for message in out)
        assert all(message.json_update_fragments is None for message in stream)
        for id, text in (("a", A), ("b", B)):
            mine = [message for message in out if message.tool_call_id == id]
            if mine:
                assert "".join(message.function_args for message in mine) == text
                fragments = [update for message in mine for update in message.json_update_fragments]
                assert rebuilt(midstream, fragments) == json.loads(text)


@each_build
def test_middleware_takes_dicts_and_lists(midstream: Any) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    wired = [{"path": "root", "kind": "StartArray"}]
    plain = {"tool_call_id": "a", "function_args": "[", "mine": 1}
    (out,) = middleware.add_message(plain)
    assert out == {**plain, "json_update_fragments": wired, "args_offset": 0}
    assert "json_update_fragments" not in plain
    several = {"type": "tools_call_update", "message_id": "m", "tool_call_updates": [plain], "mine": 2}
    (out,) = middleware.add_message(several)
    enriched = {**plain, "json_update_fragments": wired, "args_offset": 0}
    assert out == {**several, "tool_call_updates": [enriched]}
    update = messages_of(midstream).ToolCallUpdate("b", function_args="[", message_id="l")
    for listed in ([update], (update,)):
        middleware = midstream.JsonFragmentUpdateMiddleware()
        (out,) = middleware.add_message(listed)
        assert type(out) is type(listed)
        assert [fragment.kind for fragment in out[0].json_update_fragments] == ["StartArray"]


@each_build
@pytest.mark.parametrize(
    "message",
    [
        pytest.param([{"index": 0, "function_args": "{}"}]),
        pytest.param(
            Several([{"index": 0, "function_args": "{}"}]),
        ),
    ],
)
def test_middleware_enriches_dicts_wherever_they_are(midstream: Any, message: Any) -> None:
    (out,) = midstream.JsonFragmentUpdateMiddleware()([message])
    (update,) = out if isinstance(out, list) else out.tool_call_updates
    assert len(update["json_update_fragments"]) == 3


class Wrapper(NamedTuple):
    """A tuple with names, whose members happen to be updates."""

    first: ToolCallUpdate
    second: ToolCallUpdate


OTHERS: list[Any] = [
    "text",
    b"bytes",
    5,
    None,
    [],
    (),
    {},
    {"type": "ping"},
    {"delta": "x"},
    object(),
    [1, "x"],
    Several([]),
    TextDelta("x"),
    MessageEnd(),
    ToolCallEnd("z"),
    ToolResult("z"),
    {"type": "message_end"},
    ["a", U("a")],
    U("a", function_args="{", json_update_fragments=()),
    {"function_args": "{", "json_update_fragments": []},
]


@each_build
def test_middleware_passes_on_others_as_they_are(midstream: Any) -> None:
    others = [for_build(midstream, message) for message in OTHERS]
    out = list(midstream.JsonFragmentUpdateMiddleware()(iter(others)))
    assert len(out) == len(others)
    assert all(given_ is got for given_, got in zip(others, out, strict=True))

    async def source() -> AsyncIterator[Any]:
        for message in others:
            yield message

    async def run() -> list[Any]:
        return [message async for message in midstream.JsonFragmentUpdateMiddleware()(source())]

    assert all(given_ is got for given_, got in zip(others, asyncio.run(run()), strict=True))


@each_build
@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"type": "text_delta", "delta": "x"}),
        pytest.param({"type": "message_end", "reason": {}}),
        pytest.param({"function_args": {"a": 1}}),
        pytest.param(
            Wrapper(U("a", 0, None, "{}"), U("a", 0, None, "")),
        ),
    ],
    ids=lambda message: type(message).__name__,
)
def test_middleware_passes_on_what_only_looks_alike(midstream: Any, message: Any) -> None:
    (out,) = midstream.JsonFragmentUpdateMiddleware()([message])
    assert out is message


@each_build
@pytest.mark.parametrize(
    ("stream", "values"),
    [
        pytest.param(
            [
                Frozen("[1", "a", 0, choice=0),
                Frozen("[2", "b", 0, choice=1),
                Frozen("]", "a"),
                Frozen("]", "b"),
            ],
            {"a": [1], "b": [2]},
        ),
        pytest.param(
            [
                Frozen(None, "a", 0, "f"),
                Frozen("[1]", None, 0),
                Frozen(None, "b", 0, "g"),
                Frozen("[2]", None, 0),
            ],
            {None: [1]},
        ),
        pytest.param(
            [
                {"tool_call_id": "a", "index": 0, "function_name": "f"},
                {"index": 0, "function_args": "[1]"},
                {"tool_call_id": "b", "index": 0, "function_name": "g"},
                {"index": 0, "function_args": "[2]"},
            ],
            {None: [1]},
        ),
        pytest.param(
            [Frozen("SELECT", "a", 0, is_free_text=True)],
            {},
        ),
    ],
)
def test_middleware_sees_all_that_a_message_contains(midstream: Any, stream: list[Any], values: Any) -> None:
    for message in midstream.JsonFragmentUpdateMiddleware()(stream):
        fields = message if isinstance(message, dict) else vars(message)
        for fragment in fields.get("json_update_fragments") or ():
            kind = fragment["kind"] if isinstance(fragment, dict) else fragment.kind
            assert kind != "Error"


@each_build
def test_middleware_runs_are_apart_and_async_is_the_same(midstream: Any) -> None:
    stream = [
        for_build(midstream, message)
        for message in [U("a", 0, "f", A[:3]), U(None, 0, None, A[3:]), "x", SIGNALLED]
    ]
    middleware = midstream.JsonFragmentUpdateMiddleware()

    async def source() -> AsyncIterator[Any]:
        for message in stream:
            yield message

    async def run() -> list[Any]:
        one, two = middleware(source()), middleware(source())
        mixed = []
        async for message in one:
            mixed.append(message)
            assert await anext(two) == message
        return mixed

    expected = list(middleware(stream))
    assert asyncio.run(run()) == expected
    first, second = middleware(stream), middleware(stream)
    assert [message for pair in zip(first, second, strict=True) for message in pair] == [
        message for message in expected for _ in range(2)
    ]
    assert rebuilt(midstream, [*expected[0].json_update_fragments, *expected[1].json_update_fragments]) == {
        "a": 1
    }


@each_build
def test_middleware_options(midstream: Any) -> None:
    update = for_build(midstream, U("a", function_args='{"a":["b"]}'))
    (out,) = midstream.JsonFragmentUpdateMiddleware(root="args").add_message(update)
    assert out.json_update_fragments[2].path == "args.a"
    limited = midstream.JsonFragmentUpdateMiddleware(limits=midstream.Limits(max_depth=1))
    assert limited.add_message(update)[0].json_update_fragments[-1].error.code == "depth_limit"
    with pytest.raises(ValueError, match="max_depth"):
        midstream.JsonFragmentUpdateMiddleware(limits=midstream.Limits(max_depth=-1))


@each_build
def test_middleware_counts_free_text(midstream: Any) -> None:
    """It has no fragments, but what is lost of it is missed, too."""
    stream = [U("a", 0, "f", piece, is_free_text=True) for piece in ("SELECT ", "a FROM ", "b")]
    events = sent(midstream, "JSON", [*stream, SIGNALLED])
    assert [event.get("args_offset") for event in events] == [0, 7, 14, None]
    assert not any("json_update_fragments" in event for event in events)
    (call,) = collect(midstream, [events[0], *events[2:]])
    assert (call.is_complete, call.error.code) == (False, "misplaced_update")
    assert collect(midstream, events)[0].raw_args == "SELECT a FROM b"


@each_build
def test_middleware_reports_a_lone_surrogate_after_a_document_at_once(midstream: Any) -> None:
    """So does the end of a call that can no longer be named, also for clients that get no text."""
    stream = [U(None, None, "f", A), U(None, None, None, "\ud83d"), U(None, None, "g", A), SIGNALLED]
    events = sent(midstream, "JSON", stream)
    assert [fragment["kind"] for fragment in events[1]["json_update_fragments"]] == ["Error"]
    for event in events:
        event.pop("function_args", None)
    damaged, complete = collect(midstream, events)
    assert (damaged.is_complete, damaged.error.code) == (False, "trailing_text")
    assert complete.is_complete


@each_build
@pytest.mark.parametrize("way", WAYS)
def test_middleware_knows_free_text_as_a_call(midstream: Any, way: str) -> None:
    """An end without a name is that of the free text, not of the call before it."""
    free = U(None, 1, "g", "SELECT", is_free_text=True)
    stream = [U("a", 0, "f", '{"a":'), free, ToolCallEnd(), U("a", 0, None, "1}"), SIGNALLED]
    calls = collect(midstream, sent(midstream, way, stream))
    assert [outcome(midstream, call) for call in calls] == [COMPLETE, (True, None, UNDEFINED)]


@each_build
def test_middleware_counts_a_pair_as_it_arrives(midstream: Any) -> None:
    """Two surrogates in one piece are one character once they have been JSON."""
    stream = [U("a", 0, "f", '["\ud83d\ude00'), U("a", 0, None, '"]'), SIGNALLED]
    for way in WAYS:
        (call,) = collect(midstream, sent(midstream, way, stream))
        assert call.is_complete, way


def kept_by(middleware: Any) -> int:
    registry = middleware._registry
    tables = [table for id in registry.message_ids for table in registry.tables(id)]
    return len(registry.message_ids) + sum(1 + len(table) for table in tables) + len(registry._places)


@each_build
def test_a_handler_forgets_where_the_calls_of_a_message_were(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for number in range(20):
        for id in ("same", f"id{number}"):
            update = U(id, None, "f", "{", None, f"m{number}", number)
            handler.add_message(for_build(midstream, update))
    for number in range(20):
        (_, call) = handler.add_message(for_build(midstream, ToolResult(f"id{number}", 1)))
        assert (call.id, call.error.code) == (f"id{number}", "truncated")
        handler.complete(f"m{number}")
    assert not handler._registry._places
    assert handler.add_message(for_build(midstream, ToolResult("same", 1))) == []


ENDINGS: dict[str, Any] = {
    "its end": lambda n: [ToolCallEnd(f"id{n}")],
    "its end by index": lambda n: [ToolCallEnd(index=n)],
    "its end without a name": lambda n: [ToolCallEnd()],
    "its result": lambda n: [ToolResult(f"id{n}", 1)],
    "the end of the message": lambda n: [MessageEnd("stop")],
}


@each_build
@pytest.mark.parametrize("ending", ENDINGS)
def test_middleware_drops_a_call_that_has_ended(midstream: Any, ending: str) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    for number in range(500):
        for message in [U(f"id{number}", number, "f", '{"a":'), *ENDINGS[ending](number)]:
            middleware.add_message(for_build(midstream, message))
        assert kept_by(middleware) == 0
    assert middleware.finish() == []


@each_build
def test_middleware_does_not_grow_over_many_calls(midstream: Any) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    handler = midstream.ToolsAggregateMessageHandler()
    sizes = []
    for number in range(4_000):
        message_id, id = f"m{number}", f"id{number}"
        for message in (
            U(id, 0, "f", '{"a":1}', message_id=message_id),
            MessageEnd("stop", message_id=message_id),
        ):
            for enriched in middleware.add_message(for_build(midstream, message)):
                handler.add_message(enriched)
        assert handler.complete(message_id)[0].is_complete
        if number % 1999 == 0:
            gc.collect()
            sizes.append(len(gc.get_objects()))
    assert kept_by(middleware) == 0
    assert handler.message_ids == []
    assert sizes[-1] - sizes[1] < 500


@each_build
@pytest.mark.parametrize(
    "end",
    [
        MessageEnd("stop", message_id="m"),
        pytest.param(MessageEnd("stop")),
        pytest.param(ToolCallEnd("a")),
    ],
)
def test_middleware_ends_without_a_message_id_end_the_call(midstream: Any, end: Any) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    for message in (U("a", 0, "f", "{}", message_id="m"), end):
        middleware.add_message(for_build(midstream, message))
    assert kept_by(middleware) == 0


@each_build
def test_middleware_knows_the_message_of_plain_updates(midstream: Any) -> None:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    update = {"message_id": None, "index": 0, "function_args": "{}"}
    middleware.add_message({"message_id": "m", "tool_call_updates": [update]})
    middleware.add_message({"type": "message_end", "message_id": "m"})
    assert kept_by(middleware) == 0


@each_build
@given(text=st.one_of(documents, damaged()), at=cuts)
@fewer
def test_middleware_gives_the_updates_of_the_text(midstream: Any, text: str, at: list[int]) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="event")
    middleware = midstream.JsonFragmentUpdateMiddleware()
    for piece in pieces(text, at):
        update = for_build(midstream, U("a", 0, None, piece))
        (out,) = middleware.add_message(update)
        offset = acc.position.index if acc.error is None else out.args_offset
        assert out == update._replace(
            json_update_fragments=tuple(acc.add_fragment(piece)), args_offset=offset
        )
    was_complete = acc.is_complete
    rest = acc.finish() if text.strip() else []
    if acc.is_complete and not was_complete:
        # a number at the root, which may have been cut off
        rest = []
    assert [fragment for out in middleware.finish() for fragment in out.json_update_fragments] == rest
    assert kept_by(middleware) == 0

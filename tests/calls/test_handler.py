"""The handler: what it makes of text and updates, and what it keeps of a call for how long."""

from __future__ import annotations

import copy
import gc
import json
import random
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builds import BUILDS, depth_for
from call_messages import (
    CUT,
    SIGNALLED,
    WAYS,
    A,
    U,
    collect,
    containers,
    fewer,
    for_build,
    messages_of,
    sent,
    third,
)
from costs import assert_level
from midstream.calls.messages import (
    MessageEnd,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolResult,
)
from model import exactly, pieces
from test_invariants import cuts, damaged, documents, each_build
from test_rebuild import without_lone_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable


@each_build
@given(text=containers, seed=st.integers(0, 2**64))
@fewer
def test_handler_takes_fragments_on_any_of_the_pieces(midstream: Any, text: str, seed: int) -> None:
    rng = random.Random(seed)
    parts = pieces(text, sorted(rng.randint(0, len(text)) for _ in range(3)))
    for pattern in product([True, False], repeat=len(parts)):
        acc = midstream.JsonFragmentAccumulator()
        values = midstream.JsonValueAccumulator()
        handler = midstream.ToolsAggregateMessageHandler()
        for piece, has_fragments in zip(parts, pattern, strict=True):
            values.add_fragment(piece)
            fragments = [midstream.to_wire(update) for update in acc.add_fragment(piece)]
            update = for_build(midstream, U("a", 0, "f", piece, fragments if has_fragments else None))
            (call,) = handler.add_message(update)
            assert without_lone_surrogates(call.args) == without_lone_surrogates(values.value)
            assert call.open_path == values.open_path
            assert call.error is None
        (call,) = handler.add_message(for_build(midstream, SIGNALLED))
        assert call.is_complete
        assert call.raw_args == text
        assert exactly(call.args) == exactly(json.loads(text))


@each_build
def test_handler_takes_fragments_without_text(midstream: Any) -> None:
    text = '{"a": [1, "xyz"], "b": null}'
    acc = midstream.JsonFragmentAccumulator()
    handler = midstream.ToolsAggregateMessageHandler()
    kept = []
    for piece in text:
        (call,) = handler.add_message(for_build(midstream, U("a", 0, "f", None, acc.add_fragment(piece))))
        kept.append((call, copy.deepcopy(call.args)))
    (call,) = handler.complete()
    assert (call.args, call.raw_args, call.is_complete) == (json.loads(text), "", True)
    assert all(call.args == args or call.args is midstream.UNDEFINED for call, args in kept)


BAD_FRAGMENTS: list[Any] = [
    [{"path": "root[7]", "kind": "CompleteNull"}],
    [{}],
    [None],
    [5],
    ["root"],
    [{"path": "root..", "kind": "CompleteNull"}],
    [{"path": "elsewhere", "kind": "EndArray"}],
    [{"path": "root", "kind": "JsonComplete"}],
]


@each_build
def test_handler_ignores_updates_of_kinds_that_it_does_not_know(midstream: Any) -> None:
    """A newer sender may have more kinds; what it says besides is used."""
    acc, handler = midstream.JsonFragmentAccumulator(), midstream.ToolsAggregateMessageHandler()
    newer = {"path": "root", "kind": "SomethingNew"}
    text = '{"a": ["x", {"b": 1}], "c": "d"}'
    for piece in pieces(text, [4, 9, 15, 22]):
        updates = acc.add_fragment(piece)
        fragments = [newer, *map(midstream.to_wire, updates), newer]
        (call,) = handler.add_message(midstream.ToolCallUpdate(index=0, json_update_fragments=fragments))
        assert call.error is None
    (call,) = handler.complete()
    assert call.is_complete
    assert call.args == {"a": ["x", {"b": 1}], "c": "d"}


@each_build
@pytest.mark.parametrize("bad", BAD_FRAGMENTS, ids=repr)
def test_handler_falls_back_to_the_text(midstream: Any, bad: Any) -> None:
    text = '{"a": ["x", {"b": 1}], "c": "d"}'
    parts = pieces(text, [4, 9, 15, 22])
    for spoiled in range(len(parts)):
        acc = midstream.JsonFragmentAccumulator()
        values = midstream.JsonValueAccumulator()
        handler = midstream.ToolsAggregateMessageHandler()
        for number, piece in enumerate(parts):
            fragments = [midstream.to_wire(update) for update in acc.add_fragment(piece)]
            event = {"function_args": piece, "json_update_fragments": bad if number == spoiled else fragments}
            values.add_fragment(piece)
            (call,) = handler.add_message(event)
            assert exactly(call.args) == exactly(values.value)
            assert call.error is None
        (call,) = handler.complete()
        assert call.is_complete
        assert call.args == json.loads(text)


@each_build
def test_handler_remembers_a_gap_that_it_can_not_mend(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    first, last = {"path": "root", "kind": "StartObject"}, {"path": "root", "kind": "EndObject"}
    lost = {"path": "root.a", "kind": "CompleteNumber", "value": 1}
    for fragments in (
        [first],
        [lost, {"path": "root[4]", "kind": "CompleteNull"}],
        [last, {**last, "kind": "JsonComplete"}],
    ):
        handler.add_message(for_build(midstream, U("a", 0, "f", None, fragments)))
    (call,) = handler.add_message(for_build(midstream, SIGNALLED))
    assert not call.is_complete
    assert call.error.code == "misplaced_update"


@each_build
@pytest.mark.parametrize(
    "stream",
    [
        pytest.param(
            [
                U("a", 0, "f", '{"a":1'),
                U("a", 0, None, None, [{"path": "root.b", "kind": "CompleteNull"}]),
                U("a", 0, None, "}"),
            ],
        ),
        pytest.param(
            [U("a", 0, "f", None, [{"path": "root.b", "kind": "CompleteNull"}]), U("a", 0, None, '{"a":1}')],
        ),
    ],
)
def test_handler_does_not_complete_what_has_a_gap(midstream: Any, stream: list[Any]) -> None:
    (call,) = collect(midstream, sent(midstream, "raw", [*stream, SIGNALLED]))
    assert not call.is_complete


W = [
    {"path": "root", "kind": "StartObject"},
    {"path": "root.a", "kind": "CompleteNumber", "textValue": "3", "value": 3},
    {"path": "root", "kind": "EndObject"},
    {"path": "root", "kind": "JsonComplete"},
]


@each_build
@pytest.mark.parametrize("end", [SIGNALLED, ToolCallEnd("a"), ToolResult("a", 1), None], ids=repr)
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (": 3}", "expected_value"),
        ('{"a": 3', "truncated"),
        ('{"a": 3}}', "trailing_text"),
        ('{"a": 3}\ud83d', "trailing_text"),
        ("\n", "truncated"),
        ('{"a": 4}', "misplaced_update"),
        ('{"a": true}', "misplaced_update"),
        ('{"a": [3]}', "misplaced_update"),
        ('{"b": 3}', "misplaced_update"),
        ('{"a": 3, "b": 4}', "misplaced_update"),
        ("[3]", "misplaced_update"),
        ("{}", "misplaced_update"),
        ("3", "misplaced_update"),
        ('{"a": 3.0}', None),
        (' {"a": 1, "a": 3} ', None),
    ],
)
def test_handler_completes_only_what_the_text_says_too(
    midstream: Any, text: str, code: str | None, end: Any
) -> None:
    """What the fragments showed stays, but a text that says something else is no complete call."""
    for offset in (None, 0):
        handler = midstream.ToolsAggregateMessageHandler()
        handler.add_message(for_build(midstream, U("a", 0, "f", text, W, args_offset=offset)))
        (shown,) = handler.calls()
        before = shown.args
        if end is not None:
            handler.add_message(for_build(midstream, end))
        (call,) = handler.complete()
        assert call.is_complete is (code is None)
        assert (call.error and call.error.code) == code
        assert call.args is before
        assert call.raw_args == text


@each_build
@pytest.mark.parametrize(
    ("fragments", "text", "code"),
    [
        (W[:2], '{"a": 3, "b": 4}', None),
        (W[:3], '{"a": 3}', None),
        ([], '{"a": 3}', None),
        ([{"path": "root.a", "kind": "PartialString", "textValue": "x"}], '{"a": "xy"}', None),
        ([{"path": "root.a", "kind": "PartialString", "textValue": "y"}], '{"a": "xy"}', "misplaced_update"),
        ([{"path": "root[0]", "kind": "CompleteNull"}], "[null, 1]", None),
        ([{"path": "root[0]", "kind": "CompleteNull"}], "[]", "misplaced_update"),
        (W[:2], '{"a": 4}', "misplaced_update"),
        (W[:2], '{"b": 3}', "misplaced_update"),
        (W[:2], "3", "misplaced_update"),
        (W[:2], '{"a": 3', "truncated"),
        (W[:2], '{"a": 3, x', "expected_key"),
        ([], "[1] x", "trailing_text"),
    ],
)
def test_handler_continues_with_a_text_that_contains_more(
    midstream: Any, fragments: list[Any], text: str, code: str | None
) -> None:
    """Fragments may stop early; what they showed by then is part of what the text says, or it is no call."""
    handler = midstream.ToolsAggregateMessageHandler()
    (shown,) = handler.add_message(for_build(midstream, U("a", 0, "f", text, fragments)))
    before = shown.args
    (call,) = handler.add_message(for_build(midstream, SIGNALLED))
    assert call.is_complete is (code is None)
    assert (call.error and call.error.code) == code
    if code is None:
        assert call.args == json.loads(text)
    elif fragments:
        assert call.args is before
    else:
        assert call.args == [1]


@each_build
def test_handler_compares_text_and_fragments_however_deep(midstream: Any) -> None:
    deep = depth_for(midstream) // 2
    limits = midstream.Limits(max_depth=None)
    text = '[{"a":' * deep + "1" + "}]" * deep
    middleware = midstream.JsonFragmentUpdateMiddleware(limits=limits)
    handler = midstream.ToolsAggregateMessageHandler(limits=limits)
    for message in (U("a", 0, "f", text), SIGNALLED):
        for enriched in middleware.add_message(for_build(midstream, message)):
            (call,) = handler.add_message(enriched)
    assert call.is_complete


@each_build
def test_handler_accepts_lone_surrogates_that_join(midstream: Any) -> None:
    """An escaped surrogate and one that is not escaped are one character on the wire, in keys and texts."""
    stream = [U("a", 0, "f", '{"\\ud83d\ude00": "\\ud83d\ude00"}'), SIGNALLED]
    for way in WAYS:
        (call,) = collect(midstream, sent(midstream, way, stream))
        assert call.is_complete, way


@each_build
def test_handler_gives_the_same_object_while_nothing_changes(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message(for_build(midstream, U("a", 0, "f", '{"a": [1')))
    (first,) = handler.calls()
    first_again, second = handler.add_message(for_build(midstream, U("b", 1, "g", "{")))
    assert first_again is first
    assert handler.calls()[1] is second
    handler.add_message(for_build(midstream, TextDelta("x")))
    assert handler.calls() == [first, second]
    assert all(map(lambda one, two: one is two, handler.calls(), [first, second]))
    inner = first.args["a"]
    (changed, _) = handler.add_message(for_build(midstream, U("a", 0, None, '], "b":')))
    assert changed is not first
    assert changed.args["a"] == [1]
    assert inner == []
    (changed_again, _) = handler.add_message(for_build(midstream, U("a", 0, None, "2")))
    assert changed_again.args["a"] is changed.args["a"]


@each_build
@pytest.mark.parametrize(
    "message",
    [
        pytest.param(U("a")),
        pytest.param(U(None, 0, "f", "")),
        pytest.param(U("ended")),
        TextDelta("x"),
        ToolCallEnd("ended"),
        ToolResult("ended"),
        ToolResult("nobody"),
    ],
)
def test_handler_gives_the_same_object_after_what_changes_nothing(midstream: Any, message: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for made in (U("ended", 1, "g", "{}"), ToolCallEnd("ended"), U("a", 0, "f", '{"a":')):
        handler.add_message(for_build(midstream, made))
    before = handler.calls()
    handler.add_message(for_build(midstream, message))
    assert all(map(lambda one, two: one is two, handler.calls(), before))


def facts(call: Any) -> tuple[Any, ...]:
    error = None if call.error is None else tuple(call.error)
    parts = (
        call.id,
        call.index,
        call.name,
        without_lone_surrogates(call.args),
        call.raw_args,
        call.is_complete,
        error,
    )
    return (*parts, call.finish_reason, call.open_path)


@each_build
@given(text=st.one_of(documents, damaged()), at=cuts, seed=st.integers(0, 2**64), way=st.sampled_from(WAYS))
@fewer
def test_handler_snapshots_read_late_are_as_if_read_at_once(
    midstream: Any, text: str, at: list[int], seed: int, way: str
) -> None:
    rng = random.Random(seed)
    stream = sent(midstream, way, [U("a", 0, "f", piece) for piece in pieces(text, at)])
    lazy, eager = midstream.ToolsAggregateMessageHandler(), midstream.ToolsAggregateMessageHandler()
    kept = []
    for message in stream:
        late, expected = lazy.add_message(message), [facts(call) for call in eager.add_message(message)]
        kept.append((late, expected))
        if rng.random() < 0.3:
            shown, as_it_was = kept[rng.randrange(len(kept))]
            assert [facts(call) for call in shown] == as_it_was
    for shown, as_it_was in kept:
        assert [facts(call) for call in shown] == as_it_was


@each_build
@pytest.mark.parametrize("text", ['{"a": "x', '{"a": "x\\ud83d', '"'])
def test_handler_snapshots_read_after_the_end(midstream: Any, text: str) -> None:
    lazy, eager = midstream.ToolsAggregateMessageHandler(), midstream.ToolsAggregateMessageHandler()
    message = for_build(midstream, U("a", 0, "f", text))
    (late,), (call,) = lazy.add_message(message), eager.add_message(message)
    expected = facts(call)
    lazy.complete()
    assert facts(late) == expected


@each_build
def test_handler_snapshots_of_a_server_that_recovers(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="recover")
    handler = midstream.ToolsAggregateMessageHandler()
    text = '{"a": 1, oops, "b": 2'
    (late,) = handler.add_message(
        for_build(midstream, U("a", 0, "f", text + ",", acc.add_fragment(text + ",")))
    )
    handler.add_message(for_build(midstream, U("a", 0, "f", '"c":3}', acc.add_fragment('"c":3}'))))
    assert late.args == {"a": 1, "b": 2}


@each_build
def test_handler_results_lock(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for message in (U("a", 0, "f", '{"a": 1}'), U("b", 1, "g", '{"b')):
        handler.add_message(for_build(midstream, message))
    (locked, _) = handler.add_message(for_build(midstream, ToolResult("a", "fine")))
    assert locked.is_complete
    for message in (U("a", None, None, "more"), U("a", 0), ToolCallEnd("a"), ToolResult("a"), CUT):
        (after, _) = handler.add_message(for_build(midstream, message))
        assert facts(after)[:7] == facts(locked)[:7]
    assert handler.add_message(for_build(midstream, ToolResult(None, 1))) == []
    assert handler.add_message(for_build(midstream, ToolResult("unknown", 1))) == []


@each_build
def test_handler_results_lock_the_index_too(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for message in (U("a", None, "f", "{}"), ToolResult("a", 1), U("a", 5, None, "x")):
        calls = handler.add_message(for_build(midstream, message))
    assert calls[0].index is None


@each_build
def test_handler_results_find_their_call_in_any_message(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    for id in ("m", "n"):
        handler.add_message(for_build(midstream, U(f"call-{id}", 0, "f", "{}", message_id=id)))
    (call,) = handler.add_message(for_build(midstream, ToolResult("call-n", 1)))
    assert (call.id, call.is_complete) == ("call-n", True)
    assert not handler.calls("m")[0].is_complete


@each_build
def test_handler_results_may_be_messages_of_their_own(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message(for_build(midstream, U("a", 0, "f", "{}", message_id="m")))
    handler.add_message(for_build(midstream, ToolResult("a", 1, message_id="result-1")))
    assert handler.calls("m")[0].is_complete


def living(midstream: Any) -> int:
    names = {f"{midstream.__name__}.{name}" for name in ("calls.call.CallState", "calls.registry._Message")}
    gc.collect()
    return sum(f"{type(thing).__module__}.{type(thing).__name__}" in names for thing in gc.get_objects())


@each_build
def test_handler_complete_frees_the_message(midstream: Any) -> None:
    before = living(midstream)
    handler = midstream.ToolsAggregateMessageHandler()
    for number in range(20):
        handler.add_message(for_build(midstream, U(f"c{number}", number, "f", '{"a": 1}', message_id="m")))
    assert living(midstream) == before + 21
    calls = handler.complete("m")
    assert all(call.is_complete for call in calls)
    assert handler.calls("m") == []
    assert handler.complete("m") == []
    assert handler.message_ids == []
    del calls
    assert living(midstream) == before


@each_build
def test_handler_snapshots_that_were_read_hold_nothing_else(midstream: Any) -> None:
    before = living(midstream)
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message(for_build(midstream, U("a", 0, "f", '{"a": 1}')))
    (call,) = handler.complete()
    assert (call.args, call.raw_args, call.open_path) == ({"a": 1}, '{"a": 1}', None)
    assert living(midstream) == before


@each_build
def test_handler_shows_the_calls_of_the_message_concerned(midstream: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    assert handler.calls() == handler.complete() == handler.message_ids == []
    others: list[Any] = ["x", None, 5, {}, {"type": "ping"}, [], TextDelta("x"), SIGNALLED, ToolCallEnd("a")]
    for message in others:
        assert handler.add_message(for_build(midstream, message)) == []
    assert handler.message_ids == []
    plural = ToolCallsUpdate([U("a", 0, "f", "{}"), U("b", 1, "g", "[]")], "m")
    assert [call.id for call in handler.add_message(for_build(midstream, plural))] == ["a", "b"]
    assert handler.message_ids == ["m"]


MALFORMED_EVENTS: list[Any] = [
    {"type": "tool_call_update", "index": 1.5},
    {"type": "tool_call_update", "index": True},
    {"type": "tool_call_update", "tool_call_id": 5},
    {"type": "tool_call_update", "function_name": []},
    {"function_args": 5},
    {"function_args": {"a": 1}},
    {"function_args": "", "json_update_fragments": {}},
    {"function_args": "", "json_update_fragments": "x"},
    {"function_args": "", "choice": "0"},
    {"function_args": "", "message_id": 7},
    {"tool_call_updates": None},
    {"tool_call_updates": {}},
    {"tool_call_updates": "ab"},
    {"tool_call_updates": [5]},
    {"tool_call_updates": [None]},
    {"tool_call_updates": [{"index": []}]},
    {"type": "tools_call_update", "tool_call_updates": None},
    {"tool_call_updates": [{"tool_call_updates": []}]},
    {"type": "text_delta"},
    {"type": "text_delta", "text": 5},
    {"type": "message_end", "reason": 5},
    {"type": "message_end", "is_truncated": "yes"},
    {"type": "tool_call_end", "failed": 1},
    pytest.param(
        {"tool_call_updates": [{"type": "function"}]},
    ),
    pytest.param(
        {"tool_call_updates": [{"type": "text_delta", "text": "x"}]},
    ),
]


@each_build
@pytest.mark.parametrize("event", MALFORMED_EVENTS, ids=repr)
def test_handler_refuses_malformed_dicts_and_stays_as_it_was(midstream: Any, event: Any) -> None:
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message({"tool_call_id": "a", "function_args": '{"a":'})
    before = handler.calls()
    with pytest.raises(midstream.JsonStreamError) as caught:
        handler.add_message(event)
    assert caught.value.code == "invalid_event"
    assert handler.calls()[0] is before[0]
    assert handler.message_ids == [None]


def random_message(rng: random.Random, midstream: Any) -> Any:
    """Make any message: sense is no condition."""
    texts = [
        None,
        "",
        "{",
        "}",
        "{}",
        '{"a":',
        "1",
        '"x',
        '"',
        ',"b":2',
        "[1,",
        "2]",
        " ",
        "tr",
        "ue",
        "\\ud83d",
        A,
        "x",
    ]
    id, index = rng.choice([None, None, "a", "b", ""]), rng.choice([None, None, 0, 1, "0"])
    message_id, choice = rng.choice([None, None, None, "m"]), rng.choice([0, 0, 0, 1])
    fragments: Any = None
    if rng.random() < 0.4:
        acc = midstream.JsonFragmentAccumulator(on_error="event")
        fragments = [midstream.to_wire(update) for update in acc.add_fragment(rng.choice(texts[2:]))]
        fragments = rng.choice([fragments, fragments, [], *BAD_FRAGMENTS])
    match rng.choice(["update"] * 12 + ["plural", "end", "end", "text", "result", "message end", "other"]):
        case "update":
            name = rng.choice([None, None, "f", "g", ""])
            return U(id, index, name, rng.choice(texts), fragments, message_id, choice, rng.random() < 0.05)
        case "plural":
            return ToolCallsUpdate([U(id, index, None, rng.choice(texts)), U(index=1)], message_id)
        case "end":
            return ToolCallEnd(id, index, rng.random() < 0.2, message_id, choice)
        case "text":
            return TextDelta("x", message_id, choice)
        case "result":
            return ToolResult(id, 1, message_id)
        case "message end":
            return MessageEnd(
                rng.choice([None, "stop"]), rng.random() < 0.5, message_id, rng.choice([None, 0, 1])
            )
    return rng.choice([5, None, "x", [], object(), {}, {"type": "ping"}, {"type": "text_delta", "text": "x"}])


@given(seed=st.integers(0, 2**64))
@third
def test_handler_takes_any_messages_and_both_builds_agree(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(5):
        stream = [random_message(rng, next(iter(BUILDS.values()))) for _ in range(rng.randint(1, 12))]
        transcripts = []
        for midstream in BUILDS.values():
            build: Any = midstream
            handler = build.ToolsAggregateMessageHandler()
            transcript = []
            for message in stream:
                for call in handler.add_message(for_build(build, message)):
                    assert not (call.is_complete and call.error is not None and not call.raw_args)
                    transcript.append(facts(call))
            for message_id in handler.message_ids:
                for call in handler.complete(message_id):
                    assert call.is_complete or call.error is not None
                    transcript.append(facts(call))
            transcripts.append(transcript)
        for other in transcripts[1:]:
            assert other == transcripts[0]


@given(seed=st.integers(0, 2**64))
@fewer
def test_middleware_takes_any_messages(seed: int) -> None:
    rng = random.Random(seed)
    midstream: Any = BUILDS[rng.choice(list(BUILDS))]
    stream = [for_build(midstream, random_message(rng, midstream)) for _ in range(20)]
    out = list(midstream.JsonFragmentUpdateMiddleware()(stream))
    known = tuple(getattr(messages_of(midstream), name) for name in ("ToolCallUpdate", "ToolCallsUpdate"))
    assert [message for message in out if not isinstance(message, known)] == [
        message for message in stream if not isinstance(message, known)
    ]


@pytest.mark.parametrize(
    "build",
    [pytest.param(name) if name == "plain" else name for name in BUILDS],
)
def test_handler_costs_nothing_for_snapshots_that_nobody_reads(build: str) -> None:
    midstream: Any = BUILDS[build]

    def prepare(size: int) -> Callable[[], None]:
        handler = midstream.ToolsAggregateMessageHandler()
        handler.add_message(for_build(midstream, U("a", 0, "f", "[" + "[]," * size)))
        update = for_build(midstream, U("a", 0, None, "[],[],"))

        def run() -> None:
            for _ in range(20):
                handler.add_message(update)

        return run

    assert_level(prepare, 10, 100_000, 3)

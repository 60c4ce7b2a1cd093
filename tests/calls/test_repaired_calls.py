"""Tool calls whose arguments are repaired: the same arguments and repairs wherever they are read."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from importlib import import_module
from typing import Any

import pytest

from builds import BUILDS
from lenient_cases import REPAIRED
from lenient_edges import VALID
from model import cuttings, exactly

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
OBJECTS = [case for case in REPAIRED if isinstance(case.value, dict)]
TEXT = "{'city': \"Zü\"rich\", days: [1, 2,], // why\n 'ok': True,}"
ARGS = {"city": 'Zü"rich', "days": [1, 2], "ok": True}
CODES = [
    "single_quotes", "inner_quote", "unquoted_key", "trailing_comma", "comment", "single_quotes", "word",
    "trailing_comma",
]  # fmt: skip
FORMS = ("full", "compact")


def accumulated(midstream: Any, text: str) -> Any:
    accumulator = midstream.JsonValueAccumulator(on_error="event", dialect="lenient")
    accumulator.add_fragment(text)
    accumulator.finish()
    return accumulator


def pieces_of(midstream: Any, fragments: Any) -> list[Any]:
    """Return the messages of a call whose arguments arrive in fragments, and of its end."""
    first = midstream.ToolCallUpdate("call_1", 0, "weather", "")
    rest = [midstream.ToolCallUpdate(index=0, function_args=fragment) for fragment in fragments]
    return [first, *rest, midstream.ToolCallEnd("call_1", 0), midstream.MessageEnd("tool_calls")]


def handled(midstream: Any, messages: Any, **options: Any) -> Any:
    """Return the call that a handler makes of messages."""
    handler = midstream.ToolsAggregateMessageHandler(**options)
    for message in messages:
        handler.add_message(message)
    (call,) = handler.complete()
    return call


def codes(call: Any) -> list[str]:
    return [str(repair.code) for repair in call.repairs]


@each_build
def test_the_handler_repairs_at_every_cut(midstream: Any) -> None:
    for case in OBJECTS:
        expected = accumulated(midstream, case.text).repairs
        for fragments in cuttings(case.text):
            call = handled(midstream, pieces_of(midstream, fragments), dialect="lenient")
            assert exactly(call.args) == exactly(case.value), fragments
            assert (call.repairs, call.is_repaired, call.is_complete) == (expected, True, True), fragments
            assert call.raw_args == case.text


@each_build
def test_a_client_has_the_repairs_of_the_server(midstream: Any) -> None:
    for case in OBJECTS:
        expected = accumulated(midstream, case.text).repairs
        for fragments in ([case.text], [*case.text], [case.text[:7], case.text[7:]]):
            middleware = midstream.JsonFragmentUpdateMiddleware(dialect="lenient")
            sent = list(middleware(pieces_of(midstream, fragments)))
            for messages in (sent, [json.loads(json.dumps(midstream.to_event(each))) for each in sent]):
                call = handled(midstream, messages)
                assert exactly(call.args) == exactly(case.value), fragments
                assert (call.repairs, call.is_complete, call.error) == (expected, True, None), fragments
                assert call.raw_args == case.text


@each_build
@pytest.mark.parametrize("form", FORMS)
def test_events_carry_the_repairs(midstream: Any, form: str) -> None:
    for case in OBJECTS:
        expected = accumulated(midstream, case.text).repairs
        for fragments in ([case.text], [*case.text]):
            middleware = midstream.JsonFragmentUpdateMiddleware(dialect="lenient")
            writer = midstream.EventWriter(form, stream_id="s", dialect="lenient")
            data = writer.start()
            for message in middleware(pieces_of(midstream, fragments)):
                data += writer.add_message(message)
            call = handled(midstream, midstream.EventReader().add_bytes(data + writer.end()))
            assert exactly(call.args) == exactly(case.value), fragments
            assert (call.repairs, call.is_complete, call.error) == (expected, True, None), fragments


@each_build
def test_valid_arguments_are_not_repaired(midstream: Any) -> None:
    for text in VALID:
        if not isinstance(json.loads(text.removeprefix("\ufeff")), dict):
            continue
        for fragments in ([text], [*text]):
            messages = pieces_of(midstream, fragments)
            call = handled(midstream, messages, dialect="lenient")
            assert (call.repairs, call.is_repaired) == ((), False)
            assert call == handled(midstream, messages)


@each_build
def test_without_the_option_broken_arguments_remain_invalid(midstream: Any) -> None:
    call = handled(midstream, pieces_of(midstream, [TEXT]))
    assert (call.is_complete, call.is_repaired, call.error.code) == (False, False, "expected_key")


@each_build
def test_truncated_arguments_stay_truncated(midstream: Any) -> None:
    for text in ("{'a': 1, 'b': [2,, 3", "{a: 'x", "{'a': \"x\"y", "// only\n"):
        messages = pieces_of(midstream, [text])
        call = handled(midstream, messages, dialect="lenient")
        assert (call.is_complete, call.error.code) == (False, "truncated")
        assert call.repairs == accumulated(midstream, text).repairs
        sent = midstream.JsonFragmentUpdateMiddleware(dialect="lenient")(messages)
        client = handled(midstream, sent)
        assert (client.error.code, client.repairs) == ("truncated", call.repairs)
        assert exactly(client.args) == exactly(call.args)


@each_build
def test_a_call_can_be_refused_and_written_as_data(midstream: Any) -> None:
    call = handled(midstream, pieces_of(midstream, ["{'a': 1,}"]), dialect="lenient")
    assert "is_repaired=True" in repr(call)
    data = json.loads(json.dumps(call.to_dict()))
    assert data["repairs"] == [
        {
            "code": "single_quotes",
            "message": "single quotes were read as double quotes (line 1, column 2)",
            "path": "root",
        },
        {
            "code": "trailing_comma",
            "message": "a trailing comma was skipped (line 1, column 9)",
            "path": "root",
        },
    ]
    assert "repairs" not in handled(midstream, pieces_of(midstream, ["{}"]), dialect="lenient").to_dict()
    made = midstream.ToolCall(name="f", args={}, repairs=call.repairs)
    assert (made.repairs, made.is_repaired) == (call.repairs, True)
    assert made != midstream.ToolCall(name="f", args={})


@each_build
@pytest.mark.parametrize("by_updates", [False, True], ids=["text", "updates"])
def test_snapshots_keep_the_repairs_of_their_moment(midstream: Any, by_updates: bool) -> None:
    messages = pieces_of(midstream, [*TEXT])
    if by_updates:
        messages = list(midstream.JsonFragmentUpdateMiddleware(dialect="lenient")(messages))
    handler = midstream.ToolsAggregateMessageHandler(dialect="lenient")
    kept, expected = [], []
    for message in messages:
        calls = handler.add_message(message)
        kept.append(calls[0])
        # read at once, which the snapshot must agree with later
        expected.append((exactly(calls[0].args), copy.copy(calls[0]).repairs))
        kept.append(handler.calls()[0])
        expected.append(expected[-1])
    unread = [handled(midstream, messages[: i + 1], dialect="lenient") for i in range(1, len(messages))]
    for call, (args, repairs) in zip(kept, expected, strict=True):
        assert (exactly(call.args), call.repairs) == (args, repairs)
        for duplicate in (copy.copy(call), copy.deepcopy(call), pickle.loads(pickle.dumps(call))):
            assert duplicate == call
            assert duplicate.repairs == repairs
    assert codes(kept[-1]) == CODES
    assert kept[-1].args == unread[-1].args == ARGS
    counts = [len(repairs) for _, repairs in expected]
    assert counts == sorted(counts)


@each_build
def test_snapshots_that_are_read_late_show_their_moment(midstream: Any) -> None:
    early = midstream.ToolsAggregateMessageHandler(dialect="lenient")
    late = midstream.ToolsAggregateMessageHandler(dialect="lenient")
    kept = []
    for message in pieces_of(midstream, [*TEXT]):
        (seen,) = early.add_message(message)
        kept.append((late.add_message(message)[0], exactly(seen.args), seen.repairs))
    for call, args, repairs in kept:
        assert (call.repairs, exactly(call.args)) == (repairs, args)


@each_build
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))], ids=["deepcopy", "pickle"]
)
def test_copies_of_handlers_and_middleware_stay_lenient(midstream: Any, duplicate: Any) -> None:
    messages = pieces_of(midstream, [TEXT[:20], TEXT[20:]])
    middleware = midstream.JsonFragmentUpdateMiddleware(dialect="lenient")
    handler = midstream.ToolsAggregateMessageHandler(dialect="lenient")
    client = midstream.ToolsAggregateMessageHandler()
    for number, message in enumerate(messages):
        if number == 2:
            middleware, handler = duplicate(middleware), duplicate(handler)
        handler.add_message(message)
        for sent in middleware.add_message(message):
            client.add_message(sent)
    (call,), (other,) = handler.complete(), client.complete()
    assert (call.args, codes(call)) == (other.args, codes(other)) == (ARGS, CODES)


@each_build
def test_updates_that_begin_with_the_first_repair_are_enough(midstream: Any) -> None:
    # a relay that leaves out the updates of pieces that can be read from their text
    for cut in range(1, len(TEXT)):
        middleware = midstream.JsonFragmentUpdateMiddleware(dialect="lenient")
        handler = midstream.ToolsAggregateMessageHandler()
        is_repaired = False
        for message in middleware(pieces_of(midstream, [TEXT[:cut], TEXT[cut:]])):
            if isinstance(message, midstream.ToolCallUpdate):
                kinds = [str(update.kind) for update in message.json_update_fragments or ()]
                is_repaired = is_repaired or "Repair" in kinds
                if not is_repaired:
                    message = message._replace(json_update_fragments=None)
            handler.add_message(message)
        (call,) = handler.complete()
        assert (call.args, codes(call), call.is_complete) == (ARGS, CODES, True), cut


def openai(pieces: list[str]) -> list[Any]:
    calls: list[Any] = [{"index": 0, "id": "call_1", "function": {"name": "weather", "arguments": ""}}]
    calls += [{"index": 0, "function": {"arguments": piece}} for piece in pieces]
    events: list[Any] = [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]} for call in calls]
    return [*events, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]


def anthropic(pieces: list[str]) -> list[Any]:
    block = {"type": "tool_use", "id": "call_1", "name": "weather", "input": {}}
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return [
        {"type": "message_start", "message": {"id": "m", "role": "assistant"}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]


def responses(pieces: list[str]) -> list[Any]:
    item = {"type": "function_call", "id": "i", "call_id": "call_1", "name": "weather", "arguments": ""}
    place = {"item_id": "i", "output_index": 0}
    return [
        {"type": "response.created", "response": {"id": "m"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *({"type": "response.function_call_arguments.delta", **place, "delta": piece} for piece in pieces),
        {"type": "response.function_call_arguments.done", **place, "arguments": "".join(pieces)},
        {"type": "response.completed", "response": {"id": "m", "status": "completed"}},
    ]


def ag_ui(pieces: list[str]) -> list[Any]:
    return [
        {"type": "TOOL_CALL_START", "toolCallId": "call_1", "toolCallName": "weather"},
        *({"type": "TOOL_CALL_ARGS", "toolCallId": "call_1", "delta": piece} for piece in pieces),
        {"type": "TOOL_CALL_END", "toolCallId": "call_1"},
        {"type": "RUN_FINISHED"},
    ]


PROVIDERS = {"openai-chat": openai, "anthropic": anthropic, "openai-responses": responses, "ag-ui": ag_ui}
each_provider = pytest.mark.parametrize("format", PROVIDERS)


@each_build
@each_provider
def test_tool_calls_of_a_provider(midstream: Any, format: str) -> None:
    for pieces in ([TEXT], [*TEXT]):
        events = PROVIDERS[format](pieces)
        *_, (call,) = midstream.tool_calls(events, format, dialect="lenient")
        assert (call.args, codes(call), call.is_complete) == (ARGS, CODES, True)
        *_, (strict,) = midstream.tool_calls(events, format)
        assert (strict.is_complete, strict.is_repaired) == (False, False)
        text = "".join(midstream.argument_deltas(events, "weather", format, dialect="lenient"))
        assert text == TEXT
        assert midstream.parse_partial(text, dialect="lenient") == ARGS


@each_build
def test_the_asynchronous_twins_repair(midstream: Any) -> None:
    twins = import_module(f"{midstream.__name__}.aio")

    async def events() -> Any:
        for event in openai([*TEXT]):
            yield event

    async def main() -> tuple[Any, str]:
        found = [calls async for calls in twins.tool_calls(events(), dialect="lenient")]
        texts = [text async for text in twins.argument_deltas(events(), dialect="lenient")]
        sent = [message async for message in twins.messages(events(), dialect="lenient")]
        assert sent == list(midstream.messages(openai([*TEXT]), dialect="lenient"))
        typed = [calls async for calls in twins.typed_calls(events(), {"weather": dict}, dialect="lenient")]
        assert (typed[-1][0].result, codes(typed[-1][0].call)) == (ARGS, CODES)
        return found[-1][0], "".join(texts)

    call, text = asyncio.run(main())
    assert (call.args, codes(call), text) == (ARGS, CODES, TEXT)


@each_build
def test_a_typed_call_has_repaired_arguments(midstream: Any) -> None:
    pydantic = pytest.importorskip("pydantic")
    typed = import_module(f"{midstream.__name__}.typed")
    model = pydantic.create_model("Weather", city=(str, ...), days=(list[int], ...), ok=(bool, ...))
    middleware = midstream.JsonFragmentUpdateMiddleware(dialect="lenient")
    relayed = [midstream.to_event(message) for message in middleware(pieces_of(midstream, [*TEXT]))]
    streams = [(openai([*TEXT]), "lenient"), (openai([TEXT]), "lenient"), (relayed, "strict")]
    for events, dialect in streams:
        *_, (call,) = typed.typed_calls(events, {"weather": model}, dialect=dialect)
        assert call.result == model(**ARGS), dialect
        assert codes(call.call) == CODES


@each_build
@pytest.mark.parametrize("form", FORMS)
def test_a_snapshot_of_a_stream_continues_repaired_calls(midstream: Any, form: str) -> None:
    derivation = import_module(f"{midstream.__name__}.server.streams.derivation")
    raw = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in openai([*TEXT])]
    variant = derivation.Variant(form=form, dialect="lenient")
    for cut in range(1, len(raw), 3):
        stream = derivation.Derivation("s", {"name": None, "format": "openai-chat"}, variant, 10**9)
        stream.observe()
        reader = midstream.EventReader()
        handler = midstream.ToolsAggregateMessageHandler()
        entries = list(stream.begin())
        seen: list[bytes] = entries[:]
        for number, event in enumerate(raw, 1):
            entries = list(stream.add(number, event))
            if number == cut:
                seen.append(stream.snapshot(number, 9))
            elif number > cut:
                seen += entries
        seen += stream.finish(len(raw) + 1, derivation_end(midstream))
        for message in reader.add_bytes(b"".join(seen)):
            handler.add_message(message)
        (call,) = handler.complete("s")
        assert (call.args, codes(call), call.is_complete) == (ARGS, CODES, True), cut
        (said,) = stream.said().messages
        assert said["calls"][0]["status"] == "complete"


def derivation_end(midstream: Any) -> Any:
    return import_module(f"{midstream.__name__}.server.store.base").End()

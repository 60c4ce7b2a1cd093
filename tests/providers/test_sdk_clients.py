"""The providers' own SDKs as clients of a replayed stream, and midstream reading their objects.

Each SDK lives in an environment of its own (`make sdk-envs`) and does all its jobs in one process.
What midstream finds through the SDK must equal what it finds in the bytes that the server sent.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections import ChainMap
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from itertools import groupby, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import midstream
from midstream import JsonFragmentUpdateMiddleware, JsonStreamError, text_deltas, tool_calls, values
from midstream.calls.messages import to_event
from midstream.providers import adapter
from midstream.sse import decode
from provider_streams import Event, Expected, call
from replay_server import ReplayServer, Reply, body_of, cuts
from sdk_client import Job, Result, plain, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Cutter = Callable[[str, int], list[str]]

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support"
SDKS = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "anthropic": "anthropic",
    "midstream": "openai",
}


# streams

CITY = {
    "city": "Zürich 🏔️",
    "lines": "one\u2028two\u2029three\u0085four",
    "days": [1, 2.5, -3e-2, None],
    "👩‍👩‍👧": {"é": True},
}
# the second one writes what is not ASCII as escapes, and leaves room
ARGUMENTS = {
    "weather": json.dumps(CITY, ensure_ascii=False, separators=(",", ":")),
    "forecast": json.dumps({"city": "東京 🗼", "deep": [[{"quote": '"\\/\n'}]]}, indent=1),
}
SAID = "Ich schaue nach … 🌤"


def pieces(text: str, seed: int) -> list[str]:
    source = random.Random(seed)
    parts = []
    while text:
        size = source.choice((1, 2, 3, 5, 9, 20))
        parts.append(text[:size])
        text = text[size:]
    return parts


def chat_chunk(delta: Event, reason: str | None = None) -> Event:
    return {
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }  # fmt: skip


def chat_events(reason: str, arguments: dict[str, str], said: str, cut: Cutter = pieces) -> list[Event]:
    """Two calls in one message, without an end of their own, as OpenAI does it."""
    events = [chat_chunk({"role": "assistant", "content": None if arguments else ""})]
    events += [chat_chunk({"content": piece}) for piece in cut(said, 1)]
    for at, (name, text) in enumerate(arguments.items()):
        start: Event = {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": ""}}
        deltas = [start, *({"function": {"arguments": piece}} for piece in cut(text, at))]
        events += [chat_chunk({"tool_calls": [{"index": at, **delta}]}) for delta in deltas]
    return [*events, chat_chunk({}, reason), {**chat_chunk({}), "choices": [], "usage": None}]


def responses_events(reason: str, arguments: dict[str, str], said: str, cut: Cutter = pieces) -> list[Event]:
    """An output item after the other, all numbered, as OpenAI does it."""
    response: Event = {"id": "resp_1", "object": "response", "status": "in_progress", "output": []}
    events: list[Event] = [
        {"type": f"response.{word}", "response": response} for word in ("created", "in_progress")
    ]
    output = []
    is_short = reason == "max_output_tokens"
    if said:
        item: Event = {"type": "message", "id": "msg_0", "role": "assistant", "status": "completed"}
        part = {"type": "output_text", "text": "", "annotations": []}
        place = {"item_id": "msg_0", "output_index": 0, "content_index": 0}
        events.append(
            {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}}
        )
        events.append({"type": "response.content_part.added", **place, "part": part})
        deltas = cut(said, 1)
        events += [
            {"type": "response.output_text.delta", **place, "logprobs": [], "delta": d} for d in deltas
        ]
        part = {**part, "text": said}
        item["content"] = [part]
        events.append({"type": "response.output_text.done", **place, "logprobs": [], "text": said})
        events.append({"type": "response.content_part.done", **place, "part": part})
        events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
        output.append(item)
    for at, (name, text) in enumerate(arguments.items(), len(output)):
        item = {"type": "function_call", "id": f"fc_{at}", "call_id": f"call_{at}", "name": name}
        place = {"item_id": f"fc_{at}", "output_index": at}
        start = {**item, "status": "in_progress", "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": at, "item": start})
        kind = "response.function_call_arguments"
        events += [{"type": f"{kind}.delta", **place, "delta": piece} for piece in cut(text, at)]
        is_cut = is_short and name == list(arguments)[-1]
        item |= {"status": "incomplete" if is_cut else "completed", "arguments": text}
        if not is_cut:
            events.append({"type": f"{kind}.done", **place, "name": name, "arguments": text})
        events.append({"type": "response.output_item.done", "output_index": at, "item": item})
        output.append(item)
    status = "incomplete" if is_short else reason
    response = {**response, "status": status, "output": output}
    response["incomplete_details"] = {"reason": reason} if is_short else None
    events.append({"type": f"response.{status}", "response": response})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def anthropic_events(reason: str, arguments: dict[str, str], said: str, cut: Cutter = pieces) -> list[Event]:
    """A block after the other, with a ping between, as Anthropic does it."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: Event = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    events: list[Event] = [{"type": "message_start", "message": message}]
    blocks: list[tuple[Event, str, str, str]] = (
        [({"type": "text", "text": ""}, "text_delta", "text", said)] if said else []
    )
    for at, (name, text) in enumerate(arguments.items(), len(blocks)):
        block = {"type": "tool_use", "id": f"call_{at}", "name": name, "input": {}}
        blocks.append((block, "input_json_delta", "partial_json", text))
    for at, (block, kind, field, text) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": at, "content_block": block})
        events.append({"type": "ping"})
        for piece in cut(text, at):
            delta: Event = {"type": kind, field: piece}
            events.append({"type": "content_block_delta", "index": at, "delta": delta})
        events.append({"type": "content_block_stop", "index": at})
    delta = {"stop_reason": reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}})
    return [*events, {"type": "message_stop"}]


class Format(NamedTuple):
    """What the tests need to know of a provider's format."""

    events: Any
    # the words for: it called tools, it said something, it was cut off
    reasons: tuple[str, str, str]
    module: str


FORMATS = {
    "openai-chat": Format(chat_events, ("tool_calls", "stop", "length"), "openai_chat"),
    "openai-responses": Format(
        responses_events, ("completed", "completed", "max_output_tokens"), "openai_responses"
    ),
    "anthropic": Format(anthropic_events, ("tool_use", "end_turn", "max_tokens"), "anthropic"),
}
WAYS = {
    "openai-chat": ("create", "stream"),
    "openai-responses": ("create", "stream"),
    "anthropic": ("create", "stream"),
    "midstream": ("httpx-sse", "httpx2"),
}


# cases


class Case(NamedTuple):
    """A stream, what is sent of it, and the calls to be found; None where other tests say which."""

    format: Any
    name: str
    reply: Reply
    calls: list[Expected] | None
    tools: tuple[str, ...] = ()
    text: str | None = None


def own_cases(format: Any) -> Iterator[Case]:
    """Return the cases made here."""
    make, (called, said, cut), *_ = FORMATS[format]
    tools = tuple(ARGUMENTS)
    # a text takes the first place where there is one row of items
    first = 0 if format == "openai-chat" else 1
    complete_events = make(called, ARGUMENTS, SAID)
    complete = body_of(complete_events, format)
    calls = [
        call(f"call_{at}", at, name, json.loads(raw), raw, reason=called)
        for at, (name, raw) in enumerate(ARGUMENTS.items(), first)
    ]
    for name, line_end in {"parallel calls": b"\n", "CR LF": b"\r\n", "CR": b"\r"}.items():
        yield Case(
            format, name, Reply(body_of(complete_events, format, line_end=line_end)), calls, tools, SAID
        )
    yield Case(
        format, "heartbeats", Reply(body_of(complete_events, format, heartbeats=True)), calls, tools, SAID
    )

    # as from a server that counts, and cuts, in UTF-16
    texts = {"forecast": '{"city": "\ud83d\uddfc"}'}
    events = make(called, texts, "", cut=lambda text, _: list(text))
    yield Case(format, "a surrogate pair that is cut", Reply(body_of(events, format)), None, tools, "")

    structured = json.dumps({"answer": CITY}, ensure_ascii=False)
    body = body_of(make(said, {}, structured), format)
    yield Case(format, "structured output", Reply(body), [], (), structured)

    short = ARGUMENTS["forecast"].partition("quote")[0]
    city = {"city": "東京 🗼", "deep": [[{}]]}
    weather = call("call_0", 0, "weather", CITY, ARGUMENTS["weather"], reason=cut)
    forecast = call("call_1", 1, "forecast", city, short, False, "truncated", cut)
    body = body_of(make(cut, {**ARGUMENTS, "forecast": short}, ""), format)
    yield Case(format, "cut by length", Reply(body), [weather, forecast], tools)

    mountain = complete.index("🏔".encode())
    raw = "".join(takewhile(lambda piece: "🏔" not in piece, pieces(ARGUMENTS["weather"], first)))
    city = {"city": raw.removeprefix('{"city":"')}
    calls = [call(f"call_{first}", first, "weather", city, raw, False, "truncated")]
    inside, after = mountain + 2, mountain + 4
    yield Case(format, "stops", Reply(complete, "stops", after), calls, tools, SAID)
    yield Case(format, "stops inside a character", Reply(complete, "stops", inside), calls, tools, SAID)
    yield Case(format, "closes", Reply(complete, "closes", after), calls, tools, SAID)
    yield Case(format, "resets", Reply(complete, "resets", after), calls, tools, SAID)

    error = {"type": "overloaded_error", "message": "Overloaded", "code": None, "param": None}
    event = {**error, "type": "error"} if format == "openai-responses" else {"type": "error", "error": error}
    at = next(at for at, event in enumerate(complete_events) if "🏔" in str(event))
    body = body_of([*complete_events[:at], event], format)
    yield Case(format, "error under way", Reply(body), None, tools, SAID)


def provided_cases(format: Any) -> Iterator[Case]:
    """Return the cases that the tests of the adapters have, too."""
    module = import_module(f"provider_streams.{FORMATS[format].module}")
    streams = {"ordinary": (module.STREAM, module.CALLS), **module.FAULTS}
    # they contain little of the message itself, which the helpers require
    start = FORMATS[format].events("", {}, "")[0]
    for name, (events, calls) in streams.items():
        tools = tuple(sorted({call.name for call in calls if call.name}))
        rest = [event for event in events if "type" not in start or event["type"] != start["type"]]
        filled = [
            {**event, "response": {"id": "resp_1", **event["response"]}} if "response" in event else event
            for event in rest
        ]
        yield Case(format, f"provided: {name}", Reply(body_of([start, *filled], format)), calls, tools)


def own_format_cases() -> Iterator[Case]:
    """Return what a server with the middleware makes of the providers' streams."""
    for format, (make, (called, *_), *_) in FORMATS.items():
        reader = adapter(format)
        events = make(called, ARGUMENTS, SAID)
        messages = [message for event in events for message in reader.add_event(event)] + reader.finish()
        sent = [to_event(message) for message in JsonFragmentUpdateMiddleware()(messages)]
        for name, omitted in {"": (), ", fragments only": ("function_args",)}.items():
            kept = [{key: event[key] for key in event if key not in omitted} for event in sent]
            first = 0 if format == "openai-chat" else 1
            calls = [
                call(f"call_{at}", at, name, json.loads(text), "" if omitted else text, reason=called)
                for at, (name, text) in enumerate(ARGUMENTS.items(), first)
            ]
            yield Case("midstream", f"{format}{name}", Reply(body_of(kept, "midstream")), calls, (), SAID)


CASES = [case for format in FORMATS for source in (own_cases, provided_cases) for case in source(format)]
CASES += own_format_cases()
# what concerns the bytes only, so that the plain stream will do
PLAIN_ONLY = ("CR LF", "CR", "heartbeats")
ASYNC_TOO = ("parallel calls", "structured output", "stops", "resets")


def jobs_of(case: Case) -> Iterator[Job]:
    """Read every case with the plain stream and with the helper; some of them asynchronously, too."""
    for way in WAYS[case.format][: 1 if case.name in PLAIN_ONLY else None]:
        if (case.format, case.name, way) == ("openai-responses", "provided: ordinary", "stream"):
            continue  # the helper needs all of a text's events, and "parallel calls" has them
        job = Job(f"{case.format}, {case.name}, {way}", "", case.format, way, tools=case.tools)
        yield job
        if case.name == "parallel calls":
            yield job._replace(name=f"{job.name}, signalled", is_signalled=True)
        if case.name in ASYNC_TOO:
            yield job._replace(name=f"{job.name}, async", is_async=True)


JOBS = {job.name: (job, case) for case in CASES for job in jobs_of(case)}


# what the SDKs do by themselves: the exception that ends their stream

BY_ENDING = {
    "openai": {"closes": "APIConnectionError", "resets": "APIConnectionError"},
    "anthropic": {"closes": "RemoteProtocolError", "resets": "ReadError"},
}
# what is left of a line is decoded at the end, complete or not
_ALWAYS = {"stops inside a character": "UnicodeDecodeError"}
# The plain streams raise only what the connection or the provider reported. The helpers parse on their own,
# and what they can't parse, or place, ends their stream in the middle.
RAISES: dict[str, dict[str, str]] = {
    "openai-chat, create": {**_ALWAYS, "error under way": "APIError"},
    "openai-chat, stream": {
        **_ALWAYS,
        "error under way": "APIError",
        "cut by length": "LengthFinishReasonError",
        "a surrogate pair that is cut": "UnicodeEncodeError",
        # a call is taken for ended when another index comes, and then parsed at once
        "provided: interleaved": "JSONDecodeError",
        "provided: just stops": "JSONDecodeError",
        "provided: empty arguments": "JSONDecodeError",
        "provided: merged calls": "JSONDecodeError",
        "provided: prefix not the end": "JSONDecodeError",
        "provided: invalid JSON": "ValueError",
        # one of them has no second surrogate, which the parser refuses
        "provided: split surrogates": "ValueError",
        "provided: no index": "TypeError",
        "provided: cut by length": "LengthFinishReasonError",
    },
    "openai-responses, create": _ALWAYS,
    "openai-responses, stream": {
        **_ALWAYS,
        "provided: repeated id and name": "RuntimeError",
        "provided: changing id": "RuntimeError",
        "provided: index 0 for all": "RuntimeError",
        "provided: no index": "RuntimeError",
        "provided: no id": "RuntimeError",
        "provided: arguments at the start": "RuntimeError",
        "provided: empty arguments": "JSONDecodeError",
        "provided: invalid JSON": "JSONDecodeError",
        "provided: merged calls": "JSONDecodeError",
        "provided: prefix not the end": "JSONDecodeError",
    },
    "anthropic, create": {**_ALWAYS, "error under way": "APIStatusError"},
    "anthropic, stream": {
        **_ALWAYS,
        "error under way": "APIStatusError",
        "a surrogate pair that is cut": "UnicodeEncodeError",
        "provided: no index": "TypeError",
        "provided: invalid JSON": "ValueError",
        "provided: split surrogates": "ValueError",
    },
}
# what pydantic can't write as UTF-8: a lone surrogate
UNWRITABLE = {
    "openai-chat, a surrogate pair that is cut, create",
    "openai-chat, a surrogate pair that is cut, stream",
    "openai-responses, a surrogate pair that is cut, create",
    "openai-responses, a surrogate pair that is cut, stream",
    "openai-responses, provided: split surrogates, stream",
    "anthropic, a surrogate pair that is cut, create",
}


def raised_by_sdk(job: Job, case: Case) -> str | None:
    by_ending = BY_ENDING[SDKS[job.format]].get(case.reply.ending)
    return by_ending or RAISES.get(f"{job.format}, {job.way}", {}).get(case.name)


# running


def sdk_python(sdk: str) -> str:
    """Find the Python of an SDK's environment."""
    given = os.environ.get(f"MIDSTREAM_{sdk.upper()}_PYTHON")
    path = Path(given) if given else ROOT / f".venv-sdk-{sdk}" / "bin" / "python"
    if not path.exists():
        pytest.fail(f"no environment for the {sdk} SDK at {path}: run `make sdk-envs`", pytrace=False)
    return str(path)


def run_client(sdk: str, jobs: list[Job]) -> dict[str, Result]:
    """Do the jobs of an SDK in a process of its environment."""
    path = os.pathsep.join(map(str, (Path(midstream.__file__).parent.parent, SUPPORT)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", "NO_PROXY": "127.0.0.1"}
    command = [sdk_python(sdk), str(SUPPORT / "sdk_client.py")]
    work = json.dumps([job for job in jobs if SDKS[job.format] == sdk])
    done = subprocess.run(command, env=environment, input=work, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return {fields[0]: Result(*fields) for fields in json.loads(done.stdout)["results"]}


def run_jobs(jobs: list[Job]) -> dict[str, Result]:
    """Run the jobs of every SDK, both at once."""
    sdks = sorted({SDKS[job.format] for job in jobs})
    for sdk in sdks:
        sdk_python(sdk)
    with ThreadPoolExecutor() as pool:
        return dict(ChainMap(*pool.map(lambda sdk: run_client(sdk, jobs), sdks)))


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    with ReplayServer() as server:
        urls = {
            (case.format, case.name): server.add(case.reply._replace(seed=n)) for n, case in enumerate(CASES)
        }
        return run_jobs([job._replace(url=urls[case.format, case.name]) for job, case in JOBS.values()])


def raw_events(case: Case) -> list[Event]:
    """Decode the bytes that are sent; the SDKs keep pings and ``[DONE]`` to themselves."""
    events = [json.loads(e.data) for e in decode(cuts(case.reply.sent, seed=99)) if e.data != "[DONE]"]
    return [event for event in events if event.get("type") != "ping"]


def messages_of(events: list[Event], format: Any) -> Any:
    """Return the messages that an adapter makes of events, as they come back from JSON."""
    reader = adapter(format)
    messages = [message for event in events for message in reader.add_event(event)] + reader.finish()
    return json.loads(json.dumps([to_event(message) for message in messages]))


def until_error(items: Iterable[Any]) -> tuple[list[Any], str | None]:
    """Return what comes before the error that the provider reports, and that error."""
    found = []
    try:
        for item in items:
            found.append(item)  # noqa: PERF402 - what came before the error is kept
    except JsonStreamError as error:
        return found, summary(error)
    return found, None


def as_json(calls: list[Expected]) -> Any:
    return json.loads(json.dumps(calls, default=repr))


def without_repeats(states: list[Any]) -> list[Any]:
    return [state for state, _ in groupby(states)]


@pytest.mark.parametrize("name", JOBS)
def test_through_the_sdk_as_from_the_bytes(name: str, results: dict[str, Result]) -> None:
    job, case = JOBS[name]
    result = results[name]
    events = raw_events(case)
    lists, reported = until_error(tool_calls(events, job.format))
    texts, reported_to_text = until_error(text_deltas(events, job.format))
    assert reported_to_text == reported
    states = [plain(calls) for calls in lists]
    if case.calls is not None:
        assert states[-1] == as_json(case.calls)
    by_sdk = raised_by_sdk(job, case)
    assert result.raised == (by_sdk or reported)
    assert (reported is not None) == (case.name == "error under way")
    assert result.is_kept
    assert result.differing == (["to_json"] if name in UNWRITABLE else [])
    if by_sdk is not None:
        # what was given until then is right, and nothing is lost but what the SDK itself lost
        seen = without_repeats(result.states)
        assert seen == without_repeats(states)[: len(seen)]
        return
    if job.way == "create":
        assert result.states == states
    assert without_repeats(result.states) == without_repeats(states)
    assert result.calls == states[-1]
    assert result.text == "".join(texts)
    assert case.text in (None, result.text)
    read, _ = until_error(values(text_deltas(events, job.format), on_error="event"))
    assert result.values == read
    assert result.messages == messages_of(events, job.format)
    assert result.detected == job.format


@pytest.mark.parametrize("format", FORMATS)
def test_structured_output_grows_to_what_was_said(format: Any, results: dict[str, Result]) -> None:
    for way in WAYS[format]:
        result = results[f"{format}, structured output, {way}"]
        assert result.text == json.dumps({"answer": CITY}, ensure_ascii=False)
        assert len(result.values) > 10
        assert result.values[-1] == {"answer": CITY}


@pytest.mark.parametrize("format", FORMATS)
def test_a_broken_connection_keeps_what_came(format: Any, results: dict[str, Result]) -> None:
    for ending in ("closes", "resets"):
        for way in WAYS[format]:
            (weather,) = results[f"{format}, {ending}, {way}"].calls
            (stopped,) = results[f"{format}, stops, {way}"].calls
            # the end was never signalled, so nothing is reported about it
            assert weather[:5] == stopped[:5]
            assert weather[5:] == [False, None, None]


SDK_TYPES = {
    "openai-chat, create": {"ChatCompletionChunk"},
    "openai-chat, stream": {"ChunkEvent", "ContentDeltaEvent", "FunctionToolCallArgumentsDeltaEvent"},
    "openai-responses, create": {"ResponseOutputItemAddedEvent", "ResponseFunctionCallArgumentsDeltaEvent"},
    "openai-responses, stream": {"ResponseOutputItemAddedEvent", "ResponseFunctionCallArgumentsDeltaEvent"},
    "anthropic, create": {"RawMessageStartEvent", "RawContentBlockStartEvent", "RawContentBlockDeltaEvent"},
    "anthropic, stream": {"RawContentBlockStartEvent", "InputJsonEvent", "ParsedContentBlockStopEvent"},
}


@pytest.mark.parametrize("way", SDK_TYPES)
def test_what_was_read_are_the_objects_of_the_sdk(way: str, results: dict[str, Result]) -> None:
    format, _, kind = way.partition(", ")
    assert set(results[f"{format}, parallel calls, {kind}"].types) >= SDK_TYPES[way]


def test_cuts_fall_everywhere() -> None:
    body = body_of(chat_events("tool_calls", ARGUMENTS, SAID), "openai-chat", line_end=b"\r\n")
    parts = list(cuts(body, seed=1))
    assert b"".join(parts) == body
    assert any(part[0] & 0xC0 == 0x80 for part in parts), "inside a character"
    assert any(part.startswith(b"\n") for part in parts), "inside a line end"


def test_a_missing_environment_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIDSTREAM_OPENAI_PYTHON", "/nowhere/python")
    with pytest.raises(pytest.fail.Exception, match="make sdk-envs"):
        sdk_python("openai")

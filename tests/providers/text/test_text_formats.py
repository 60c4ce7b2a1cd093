"""Every text format: texts as models write them, in one piece, per character and at a hundred splits."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import midstream
from builds import BUILDS
from midstream.providers import FORMATS as ALL_FORMATS
from midstream.providers import adapter, detect
from midstream.providers._formats import TEXT_FORMATS
from midstream.providers.text._formats import FORMATS as TABLE
from text_formats import (
    FORMATS,
    MARKERS,
    TYPED,
    Call,
    Calls,
    Think,
    expected_of,
    joined,
    outcome,
    pieces_of,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

each_build = pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
each_format = pytest.mark.parametrize("format", FORMATS)

# every marker of every format: in a string of the arguments they are content
MESS = (
    '}{ ][ "quoted" \\ </tool_call> <tool_call> <function=f> </function> [TOOL_CALLS] [ARGS] ``` '
    "<|python_tag|> <|eom_id|> <|call|> <|end|> <|start|> <|message|> <|tool_call_end|> <think> "
    "<|tool_calls_section_end|> <｜tool▁call▁end｜> <｜tool▁calls▁end｜> <arg_key> <parameter=x>\n"
)
NESTED = {
    "a": {"b": [1, 2.5, {"c": None}], "d": {}},
    "e": [],
    "f": [[True, False], "x"],
    "n": -3,
    "t": "</x>",
}
WEATHER = Call("get_weather", {"city": "Zürich", "unit": "celsius"}, "functions.get_weather:0")
TIME = Call("get_time", {"zone": "Europe/Zürich 🕰"}, "functions.get_time:1")
SCENARIOS: dict[str, list[Any]] = {
    "one call": [Calls((WEATHER,))],
    "two parallel calls": [Calls((WEATHER, TIME))],
    "two sections": [Calls((WEATHER,)), Calls((TIME,))],
    "text before and after": ["Let me look.\n", Calls((WEATHER, TIME)), "\nDone: 20 < 30 [sic]."],
    "closing tags and braces in strings": [
        Calls((Call("f", {"text": MESS, "b": "}"}, "functions.f:0"), TIME))
    ],
    "no arguments": [
        "x",
        Calls((Call("ping", {}, "functions.ping:0"), Call("pong", {}, "functions.pong:1"))),
        "y",
    ],
    "nested values": [Calls((Call("f", NESTED, "functions.f:0"),))],
    "line breaks and spaces": [Calls((Call("f", {"a": "\n x\r\n\n", "b": "", "c": " "}, "functions.f:0"),))],
    "reasoning": [Think("I need the weather.\n"), "Now: ", Calls((WEATHER,)), Think("Good."), "It rains."],
    "names with signs": [Calls((Call("a.b-c_d", {"é": "ü"}, "functions.a.b-c_d:0"),))],
    "text alone": ["a < b, [1] {x} | ` ｜ and <to"],
}
CASES = [(format, name) for format in FORMATS for name in SCENARIOS]
each_case = pytest.mark.parametrize(("format", "name"), CASES, ids=[f"{f}: {n}" for f, n in CASES])


def tools_of(parts: Iterable[Any]) -> dict[str, Any]:
    """Write the schemas that a caller would have for these calls."""
    kinds = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object", list: "array"}
    return {
        call.name: {"properties": {key: {"type": kinds[type(value)]} for key, value in call.args.items()}}
        for part in parts
        if isinstance(part, Calls)
        for call in part.calls
    }


def events_of(build: Any, format: Any, pieces: Iterable[Any], **options: Any) -> list[dict[str, Any]]:
    return joined(build.to_event(message) for message in build.messages(list(pieces), format, **options))


def final(build: Any, format: Any, pieces: Iterable[Any], **options: Any) -> Any:
    *_, calls = build.tool_calls(list(pieces), format, **options)
    return calls


def test_every_format_of_the_table_has_streams() -> None:
    assert set(FORMATS) == set(TABLE) == set(TEXT_FORMATS) == set(MARKERS)
    assert set(TEXT_FORMATS) <= set(ALL_FORMATS)


@each_format
def test_no_format_is_detected(format: Any) -> None:
    text = written(format, SCENARIOS["one call"]).text
    with pytest.raises(midstream.JsonStreamError, match="it is not JSON"):
        detect([text])
    with pytest.raises(midstream.JsonStreamError) as raised:
        list(midstream.tool_calls([text]))
    assert raised.value.code in ("not_an_event_stream", "expected_value")


@each_build
@each_case
def test_a_stream_is_read_whatever_its_splits(build: Any, format: Any, name: str) -> None:
    parts = SCENARIOS[name]
    text, tools = written(format, parts).text, tools_of(parts)
    complete = events_of(build, format, [text], tools=tools)
    assert outcome(complete, final(build, format, [text], tools=tools)) == expected_of(format, parts)
    assert events_of(build, format, text, tools=tools) == complete
    chance = random.Random(f"{format} {name}")
    for _ in range(20):
        cuts = chance.sample(range(len(text)), chance.randrange(1, 5))
        assert events_of(build, format, pieces_of(text, cuts), tools=tools) == complete
    calls = final(build, format, text, tools=tools)
    assert outcome(complete, calls) == expected_of(format, parts)
    assert all(call.error is None for call in calls)


@each_format
def test_builds_agree(format: Any) -> None:
    for parts in SCENARIOS.values():
        text, tools = written(format, parts).text, tools_of(parts)
        results = [events_of(build, format, text, tools=tools) for build in BUILDS.values()]
        assert all(other == results[0] for other in results)


@each_build
@each_case
def test_arguments_pass_as_they_are_written(build: Any, format: Any, name: str) -> None:
    parts = SCENARIOS[name]
    calls = final(build, format, written(format, parts).text, tools=tools_of(parts))
    meant = [call for part in parts if isinstance(part, Calls) for call in part.calls]
    assert [call.raw_args for call in calls] == [json.dumps(c.args, ensure_ascii=False) for c in meant]


@each_build
@each_case
def test_a_truncated_call_is_never_complete(build: Any, format: Any, name: str) -> None:
    """A call is complete when its document or its end tag is, wherever the text is cut."""
    parts = SCENARIOS[name]
    text, ends = written(format, parts)
    tools, expected = tools_of(parts), expected_of(format, parts)["calls"]
    # every length of a short text, some of a long one
    for length in range(0, len(text), 1 + len(text) // 60):
        calls = final(build, format, [text[:length]], tools=tools)
        count = sum(end <= length for end in ends)
        assert [call.is_complete for call in calls[:count]] == [True] * count
        # the last one may have an id that is still unread
        assert [(call.name, call.args) for call in calls[:count]] == [call[1:] for call in expected[:count]]
        assert all(not call.is_complete and call.error.code == "truncated" for call in calls[count:])
        assert len(calls) <= count + 1


@each_build
@each_format
def test_without_a_marker_there_is_no_call(build: Any, format: Any) -> None:
    texts = [
        '{"name": "f", "arguments": {}}', "f\n<arg_value>1</arg_value>", 'functions.f:0{"a": 1}',
        '[{"name": "f"}]', 'f[ARGS]{"a": 1}', "<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
        "```json\n{}\n```",
    ]  # fmt: skip
    for text in texts:
        assert events_of(build, format, text) == [
            {"type": "text_delta", "text": text},
            {"type": "message_end"},
        ]


@each_build
@each_format
def test_a_prefix_that_is_no_marker_is_text(build: Any, format: Any) -> None:
    marker = MARKERS[format]
    for length in range(1, len(marker)):
        for rest in ("", " and so on", "< [ ｜", marker[:length]):
            text = f"a {marker[:length]}{rest}"
            for pieces in ([text], text):
                said = [event["text"] for event in events_of(build, format, pieces) if "text" in event]
                assert said == [text]


@each_format
def test_only_what_may_become_a_marker_is_held_back(format: Any) -> None:
    row = TABLE[format]
    markers = [*row.frames, *row.starts, *row.stops, *(start for start, _ in row.thinking)] or [
        "<|start|>",
        "<|channel|>",
    ]
    chance = random.Random(format)
    for _ in range(50):
        parts = [chance.choice(markers)[: chance.randrange(1, 12)] for _ in range(8)]
        text = "x" + "".join(part + chance.choice(["", "y", " "]) for part in parts)
        if any(marker in text for marker in markers):
            continue
        reader, said = adapter(format), ""
        for i, character in enumerate(text):
            said += "".join(getattr(message, "text", "") for message in reader.add_event(character))
            read = text[: i + 1]
            held = max(
                (n for n in range(30) for m in markers if n < len(m) and read.endswith(m[:n])), default=0
            )
            assert said == read[: len(read) - held]
        assert said + "".join(getattr(message, "text", "") for message in reader.finish()) == text


@each_build
@each_format
def test_bytes_and_split_surrogates_are_text(build: Any, format: Any) -> None:
    parts: list[Any] = ["é 🌧 ", Calls((TIME,))]
    text = written(format, parts).text
    complete = events_of(build, format, [text])
    data = text.encode()
    assert events_of(build, format, [data[i : i + 1] for i in range(len(data))]) == complete
    units = text.encode("utf-16-le")
    split = [units[i : i + 2].decode("utf-16-le", "surrogatepass") for i in range(0, len(units), 2)]
    assert events_of(build, format, split) == complete


@each_build
@each_format
def test_nothing_is_said_of_nothing(build: Any, format: Any) -> None:
    assert events_of(build, format, []) == events_of(build, format, ["", ""]) == []
    assert list(build.tool_calls([], format)) == [[]]


@each_format
def test_the_other_views_read_text_formats(format: Any) -> None:
    parts: list[Any] = ["Look: ", Calls((TIME, WEATHER)), "done"]
    text = written(format, parts).text
    assert "".join(midstream.text_deltas(text, format)).split() == ["Look:", "done"]
    arguments = "".join(midstream.argument_deltas(text, "get_weather", format))
    assert json.loads(arguments) == WEATHER.args
    assert [match.value for match in midstream.select([arguments], "city")] == ["Zürich"]
    # through the middleware and the plain form, to the client
    handler = midstream.ToolsAggregateMessageHandler()
    for message in midstream.JsonFragmentUpdateMiddleware()(midstream.messages(text, format)):
        handler.add_message(json.loads(json.dumps(midstream.to_event(message))))
    assert [(call.name, call.args, call.is_complete) for call in handler.complete(None)] == [
        (TIME.name, TIME.args, True),
        (WEATHER.name, WEATHER.args, True),
    ]


@each_format
def test_typed_calls_read_text_formats(format: Any) -> None:
    typed = pytest.importorskip("midstream.typed")
    text = written(format, [Calls((WEATHER,))]).text
    *_, calls = typed.typed_calls(text, {"get_weather": dict[str, str]}, format)
    assert [call.result for call in calls] == [WEATHER.args]


@pytest.mark.parametrize("format", sorted({*FORMATS} - {*TYPED}))
@each_build
def test_unwrap_reads_arguments_that_are_a_string(build: Any, format: Any) -> None:
    meant = {"city": 'Zü"rich\\', "n": [1, {"a": None}]}
    text = written(format, [Calls((Call("f", {"@": 1}, "functions.f:0"),))]).text
    text = text.replace('{"@": 1}', json.dumps(json.dumps(meant)))
    for pieces in ([text], text):
        [call] = final(build, format, pieces, unwrap=True)
        assert (call.args, call.is_complete) == (meant, True)
        [call] = final(build, format, pieces)
        assert (call.args, call.is_complete) == (json.dumps(meant), True)


@pytest.mark.parametrize("format", ["text-hermes", "text-llama3", "text-mistral"])
@each_build
def test_bare_reads_an_object_at_the_start(build: Any, format: Any) -> None:
    item = '{"name": "f", "parameters": {"a": 1}}'
    bare = f" [{item}]" if format == "text-mistral" else f" {item}"
    for pieces in ([bare], bare):
        [call] = final(build, format, pieces, bare=True)
        assert (call.name, call.args, call.is_complete) == ("f", {"a": 1}, True)
        assert final(build, format, pieces) == []
        # not at the start; an object that is no call
        assert final(build, format, ["x", *pieces], bare=True) == []
    for text in ('{"city": "Paris"}', "{", '{"na', "[1, 2]", "{} x", '{"namely": 1}', " \n", '{ "name'):
        for pieces in ([text], text):
            events = events_of(build, format, pieces, bare=True)
            assert [event.get("text") for event in events] == [text, None]


@pytest.mark.parametrize("format", ["text-hermes", "text-llama3", "text-mistral"])
@each_build
def test_bare_reads_an_object_after_reasoning_at_the_start(build: Any, format: Any) -> None:
    item = '{"name": "f", "parameters": {"a": 1}}'
    bare = f"[{item}]" if format == "text-mistral" else item
    for before in (
        "<think>hm</think>",
        "<think></think>\n",
        " \n<think>hm</think> ",
        "<think>a</think><think>b</think>",
    ):
        for pieces in ([before + bare], before + bare):
            [call] = final(build, format, pieces, bare=True)
            assert (call.name, call.args, call.is_complete) == ("f", {"a": 1}, True)
            assert final(build, format, pieces) == []
            # text precedes the reasoning, or follows it
            assert final(build, format, ["x", *pieces], bare=True) == []
            assert final(build, format, [before, "x", bare], bare=True) == []


@pytest.mark.parametrize("format", sorted({*FORMATS} - {"text-hermes", "text-llama3", "text-mistral"}))
@each_build
def test_bare_means_nothing_to_other_formats(build: Any, format: Any) -> None:
    for text in ('{"name": "f", "parameters": {}}', '<think>hm</think>{"name": "f", "parameters": {}}'):
        for pieces in ([text], text):
            assert final(build, format, pieces, bare=True) == []
            assert events_of(build, format, pieces, bare=True) == events_of(build, format, pieces)


def test_options_belong_to_text_formats() -> None:
    every: list[dict[str, Any]] = [{"bare": True}, {"unwrap": True}, {"tools": {}}]
    for options in every:
        for format in ("openai-chat", "midstream"):
            with pytest.raises(ValueError, match="options of the text formats"):
                adapter(format, **options)
        with pytest.raises(ValueError, match="name one as format"):
            list(midstream.tool_calls([], **options))
    with pytest.raises(midstream.JsonStreamError, match="pieces of text, not dict"):
        adapter("text-hermes").add_event({"choices": []})
    with pytest.raises(midstream.JsonStreamError, match="UTF-8"):
        adapter("text-hermes").add_event(b"\xff")

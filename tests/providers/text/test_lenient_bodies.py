"""Calls that models write as text, with arguments that are not quite JSON: repaired, and marked as such."""

from __future__ import annotations

from typing import Any

import pytest

from builds import BUILDS
from text_formats import FORMATS, TYPED, Call, Calls, joined, pieces_of, written

each_build = pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
WITH_JSON = [format for format in FORMATS if format not in TYPED]
each_format = pytest.mark.parametrize("format", WITH_JSON)

ARGS = {"city": "Bern", "zone": "}</tool_call>"}
WRITTEN = '{"city": "Bern", "zone": "}</tool_call>"}'
BROKEN = "{'city': 'Bern', zone: \"}</tool_call>\", // why\n}"
CODES = ["single_quotes", "single_quotes", "unquoted_key", "trailing_comma", "comment"]
CALLS = Calls((Call("weather", ARGS, "functions.weather:0"), Call("time", {"a": 1}, "functions.time:1")))


def text_of(format: str) -> str:
    text: str = written(format, ["Let me see.\n", CALLS]).text
    assert WRITTEN in text
    return text.replace(WRITTEN, BROKEN)


def cuttings(text: str) -> list[list[str]]:
    return [[text], [*text], *(pieces_of(text, [cut]) for cut in range(1, len(text), 3))]


@each_build
@each_format
def test_arguments_are_repaired_at_any_split(build: Any, format: str) -> None:
    text = text_of(format)
    expected = None
    for pieces in cuttings(text):
        *_, (first, second) = build.tool_calls(pieces, format, dialect="lenient")
        assert (first.name, first.args, first.is_complete) == ("weather", ARGS, True), pieces
        assert sorted(map(str, (repair.code for repair in first.repairs))) == sorted(CODES), pieces
        assert (second.args, second.is_repaired, second.is_complete) == ({"a": 1}, False, True), pieces
        found = joined(map(build.to_event, build.messages(pieces, format, dialect="lenient")))
        expected = expected or found
        assert found == expected, pieces
        assert "".join(build.argument_deltas(pieces, "weather", format, dialect="lenient")) == BROKEN


@each_build
@each_format
def test_without_the_option_the_call_fails(build: Any, format: str) -> None:
    *_, calls = build.tool_calls([text_of(format)], format)
    assert not calls[0].is_complete
    assert not calls[0].is_repaired


@each_build
@each_format
def test_valid_calls_are_the_same_in_both_dialects(build: Any, format: str) -> None:
    text = written(format, ["Let me see.\n", CALLS]).text
    for pieces in ([text], [*text]):
        strict = joined(map(build.to_event, build.messages(pieces, format)))
        assert joined(map(build.to_event, build.messages(pieces, format, dialect="lenient"))) == strict
        *_, calls = build.tool_calls(pieces, format, dialect="lenient")
        assert not any(call.is_repaired for call in calls)


@each_build
@pytest.mark.parametrize("format", TYPED)
def test_parameters_that_are_no_json_are_read_as_ever(build: Any, format: str) -> None:
    text = written(format, [CALLS]).text
    strict = joined(map(build.to_event, build.messages([text], format)))
    assert joined(map(build.to_event, build.messages([text], format, dialect="lenient"))) == strict


HERMES = "<tool_call>\n{}\n</tool_call>"
AROUND: dict[str, tuple[str, Any, list[str]]] = {
    "a comma after the arguments": (
        '{"name": "weather", "arguments": {"city": "Bern"},}', {"city": "Bern"}, ["trailing_comma call"],
    ),
    "other quotes": (
        "{'name': 'weather', 'arguments': {'city': 'Bern'}}", {"city": "Bern"},
        ["single_quotes call", "single_quotes call.name", "single_quotes call",
         "single_quotes root", "single_quotes root.city"],
    ),
    "no quotes": (
        '{name: "weather", arguments: {"city": "Bern"}}', {"city": "Bern"},
        ["unquoted_key call", "unquoted_key call"],
    ),
    "no arguments": ("{name: weather}", {}, ["unquoted_key call", "unquoted_value call.name"]),
    "arguments as a string": (
        "{\"name\": \"weather\", \"arguments\": '{\"city\": \"Bern\"}'}", {"city": "Bern"},
        ["single_quotes call.arguments"],
    ),
    "a comment before": (
        '{// the city\n"name": "weather", "arguments": {}}', {}, ["comment call"],
    ),
}  # fmt: skip


@each_build
@pytest.mark.parametrize("name", AROUND)
def test_repairs_around_the_arguments_belong_to_the_call(build: Any, name: str) -> None:
    body, args, expected = AROUND[name]
    text = HERMES.replace("{}", body)
    for pieces in cuttings(text):
        *_, (call,) = build.tool_calls(pieces, "text-hermes", dialect="lenient")
        assert (call.name, call.args, call.is_complete) == ("weather", args, True), pieces
        assert call.is_repaired
        assert [f"{repair.code} {repair.path}" for repair in call.repairs] == expected, pieces
        # they survive the way to a client, in both forms
        for form in ("full", "compact"):
            middleware = build.JsonFragmentUpdateMiddleware(dialect="lenient")
            writer = build.EventWriter(form, dialect="lenient")
            sent = middleware(build.messages(pieces, "text-hermes", dialect="lenient"))
            handler = build.ToolsAggregateMessageHandler()
            reader = build.EventReader()
            for message in reader.add_bytes(b"".join(map(writer.add_message, sent))):
                handler.add_message(message)
            (client,) = handler.complete()
            assert (client.repairs, client.args, client.is_complete) == (call.repairs, args, True), form


@each_build
def test_a_key_that_only_a_repair_reveals_fails_the_call(build: Any) -> None:
    # without the colon, the object of the arguments has begun before their key is known
    text = HERMES.replace("{}", '{"name": "weather", "arguments" {"city": "Bern"}}')
    *_, calls = build.tool_calls([text], "text-hermes", dialect="lenient")
    assert all(call.args == {"city": "Bern"} or not call.is_complete for call in calls)

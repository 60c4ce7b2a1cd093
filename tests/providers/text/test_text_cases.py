"""The details of each text format: what models and servers write instead of the ordinary form."""

# ruff: noqa: E501  # the table has one line for each case

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS
from costs import assert_linear
from midstream.providers import adapter
from text_formats import FORMATS, MARKERS, Call, Calls, joined, pieces_of, written

if TYPE_CHECKING:
    from collections.abc import Callable

each_build = pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)

DS = (
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
)
BEGIN, CALL, SEP, END, CALLS_END = DS
K, KC, KA, KE = (
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
)
COMMENTARY = "<|channel|>commentary"
# id, name, arguments, and how it ended: "ok", "truncated", "failed" or the code of an error
Found = tuple[str | None, str | None, Any, str]


def ok(name: str | None, args: Any, id: str | None = None) -> Found:
    return id, name, args, "ok"


# format, name, text, calls, text around them
TABLE: list[tuple[str, str, str, list[Found], str]] = [
    # hermes
    ("text-hermes", "the name after the arguments", '<tool_call>{"arguments": {"a": 1}, "name": "f"}</tool_call>', [ok("f", {"a": 1})], ""),
    ("text-hermes", "other members", '<tool_call>{"id": "c1", "type": "function", "x": {"name": "no"}, "name": "f", "arguments": {}}</tool_call>', [ok("f", {}, "c1")], ""),
    ("text-hermes", "the id after the name", '<tool_call>{"name": "f", "id": "c1", "arguments": {"a": 1}}</tool_call>', [ok("f", {"a": 1}, "c1")], ""),
    ("text-hermes", "the id at the end", '<tool_call>{"name": "f", "arguments": {"a": 1}, "id": "c1"}</tool_call>', [ok("f", {"a": 1}, "c1")], ""),
    ("text-hermes", "no arguments at all", '<tool_call>{"name": "f"}</tool_call>', [ok("f", {})], ""),
    ("text-hermes", "no white space", 'a<tool_call>{"name":"f","arguments":{"a":[]}}</tool_call>b', [ok("f", {"a": []})], "ab"),
    ("text-hermes", "no end tag", '<tool_call>{"name": "f", "arguments": {}} and more', [ok("f", {})], "and more"),
    ("text-hermes", "an end tag that is cut", '<tool_call>{"name": "f", "arguments": {}}</tool_c', [ok("f", {})], "</tool_c"),
    ("text-hermes", "a tag in prose", "use the <tool_call> tag and </tool_call>", [], "use the <tool_call> tag and </tool_call>"),
    ("text-hermes", "an end tag in prose, later", '<tool_call>{"name": "f", "arguments": {}}</tool_call> the </tool_call> tag', [ok("f", {})], "the </tool_call> tag"),
    ("text-hermes", "a number", '<tool_call>{"name": "f", "arguments": 5}</tool_call>', [ok("f", 5)], ""),
    ("text-hermes", "null", '<tool_call>{"name": "f", "arguments": null}</tool_call>', [ok("f", None)], ""),
    ("text-hermes", "arguments twice", '<tool_call>{"name": "f", "arguments": {"a": 1}, "arguments": {"b": [2]}}</tool_call>', [ok("f", {"a": 1})], ""),
    ("text-hermes", "an escaped name", '<tool_call>{"na\\u006de": "f\\u00e9", "arguments": {}}</tool_call>', [ok("fé", {})], ""),
    ("text-hermes", "no name", '<tool_call>{"arguments": {"a": 1}}</tool_call>x', [(None, None, {"a": 1}, "provider_error")], "x"),
    ("text-hermes", "a name that is no string", '<tool_call>{"name": 1, "arguments": {}}</tool_call>', [(None, None, {}, "provider_error")], ""),
    ("text-hermes", "invalid arguments", '<tool_call>{"name": "f", "arguments": {"a": tru}}</tool_call>x<tool_call>{"name": "g", "arguments": {}}</tool_call>', [(None, "f", {}, "invalid_literal"), ok("g", {})], "x"),
    ("text-hermes", "an invalid object", '<tool_call>{"name": "f", "arguments": {} "x"}</tool_call>', [(None, "f", {}, "trailing_text")], ""),
    ("text-hermes", "an end tag after an error, in a string", '<tool_call>{"name": "f", "arguments": {"a": "</tool_call>", b}}</tool_call>x', [(None, "f", {"a": "</tool_call>"}, "expected_key")], "x"),
    ("text-hermes", "a missing colon", '<tool_call>{"name": "f", "arguments" {"a": 1}}</tool_call>x', [(None, "f", {"a": 1}, "trailing_text")], "x"),
    ("text-hermes", "cut after the arguments", '<tool_call>{"name": "f", "arguments": {"a": 1}', [(None, "f", {"a": 1}, "truncated")], ""),
    ("text-hermes", "a marker alone", "x <tool_call>", [(None, None, None, "truncated")], "x "),
    ("text-hermes", "an invalid call that is cut", '<tool_call>{"name": "f", "arguments": {]', [(None, "f", {}, "expected_key")], ""),
    # llama3
    ("text-llama3", "arguments instead of parameters", '<|python_tag|>{"name": "f", "arguments": {"a": 1}}', [ok("f", {"a": 1})], ""),
    ("text-llama3", "the type of the call", '<|python_tag|>{"type": "function", "name": "f", "parameters": {}}<|eot_id|>', [ok("f", {})], ""),
    ("text-llama3", "a semicolon without white space", '<|python_tag|>{"name": "f"};{"name": "g"}<|eom_id|>', [ok("f", {}), ok("g", {})], ""),
    ("text-llama3", "a semicolon that is text", '<|python_tag|>{"name": "f"}; and so on', [ok("f", {})], "; and so on"),
    ("text-llama3", "a semicolon at the end", '<|python_tag|>{"name": "f"};', [ok("f", {})], ";"),
    ("text-llama3", "a marker for each call", '<|python_tag|>{"name": "f"}<|python_tag|>{"name": "g"}', [ok("f", {}), ok("g", {})], ""),
    ("text-llama3", "a built-in tool", '<|python_tag|>brave_search.call(query="x")<|eom_id|>', [], '<|python_tag|>brave_search.call(query="x")'),
    ("text-llama3", "text that ends", "Hello.<|eot_id|>", [], "Hello."),
    # mistral
    ("text-mistral", "no space", '[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}}]', [ok("f", {"a": 1})], ""),
    ("text-mistral", "the id first", '[TOOL_CALLS] [{"id": "abcdefghi", "arguments": {}, "name": "f"}]', [ok("f", {}, "abcdefghi")], ""),
    ("text-mistral", "no calls", "[TOOL_CALLS] [] x", [], "x"),
    ("text-mistral", "an item that is no call", '[TOOL_CALLS] [{"name": "f"}, 5] x', [ok("f", {})], "x"),
    ("text-mistral", "an array in the array", '[TOOL_CALLS] [[{"name": "f"}], null, "x", {"name": "g"}]', [ok("g", {})], ""),
    ("text-mistral", "an error between calls", '[TOOL_CALLS] [{"name": "f"} x', [ok("f", {})], "x"),
    ("text-mistral", "the newer form", '[TOOL_CALLS]f[ARGS]{"a": 1}', [], '[TOOL_CALLS]f[ARGS]{"a": 1}'),
    ("text-mistral", "brackets in prose", "a[i][j] = b[k] [1] [TOOL]", [], "a[i][j] = b[k] [1] [TOOL]"),
    ("text-mistral", "cut in the second call", '[TOOL_CALLS] [{"name": "f"}, {"name": "g", "arguments": {"a": "b', [ok("f", {}), (None, "g", {"a": "b"}, "truncated")], ""),
    ("text-mistral", "reasoning", "[THINK]why [TOOL_CALLS][/THINK]x", [], "x"),
    # mistral-v2
    ("text-mistral-v2", "without ARGS", '[TOOL_CALLS]f{"a": 1}', [ok("f", {"a": 1})], ""),
    ("text-mistral-v2", "an id without ARGS", '[TOOL_CALLS]f[CALL_ID]abcdefghi{"a": 1}', [ok("f", {"a": 1}, "abcdefghi")], ""),
    ("text-mistral-v2", "white space", '[TOOL_CALLS] f [ARGS] {"a": 1} \n[TOOL_CALLS]g[ARGS]{}', [ok("f", {"a": 1}), ok("g", {})], ""),
    ("text-mistral-v2", "no arguments", '[TOOL_CALLS]f[ARGS][TOOL_CALLS]g[ARGS]{"a": 1}', [ok("f", {}), ok("g", {"a": 1})], ""),
    ("text-mistral-v2", "text after the call", '[TOOL_CALLS]f[ARGS]{"a": 1}\n\nLet me see.', [ok("f", {"a": 1})], "Let me see."),
    ("text-mistral-v2", "a name that is none", '[TOOL_CALLS] is the token [TOOL_CALLS]f[ARGS]{}', [ok("f", {})], "[TOOL_CALLS] is the token "),
    ("text-mistral-v2", "the marker twice", '[TOOL_CALLS][TOOL_CALLS]f[ARGS]{}', [ok("f", {})], "[TOOL_CALLS]"),
    ("text-mistral-v2", "cut in the name", "[TOOL_CALLS]get_wea", [(None, None, None, "truncated")], ""),
    ("text-mistral-v2", "cut before the arguments", "[TOOL_CALLS]f[ARGS]", [(None, "f", None, "truncated")], ""),
    ("text-mistral-v2", "arguments that are no JSON", "[TOOL_CALLS]f[ARGS]a=1[TOOL_CALLS]g[ARGS]{}", [(None, "f", None, "expected_value"), ok("g", {})], ""),
    # deepseek
    ("text-deepseek-v3", "without a fence", f'{BEGIN}{CALL}function{SEP}f\n{{"a": 1}}{END}{CALLS_END}', [ok("f", {"a": 1})], ""),
    ("text-deepseek-v3", "a fence without a language", f'{BEGIN}{CALL}function{SEP}f\n```\n{{"a": 1}}\n```{END}{CALLS_END}', [ok("f", {"a": 1})], ""),
    ("text-deepseek-v3", "without a section", f'{CALL}function{SEP}f\n```json\n{{}}\n```{END}x', [ok("f", {})], "x"),
    ("text-deepseek-v3", "cut after the arguments", f'{BEGIN}{CALL}function{SEP}f\n```json\n{{"a": 1}}\n``', [ok("f", {"a": 1})], "``"),
    ("text-deepseek-v3.1", "white space", f'{BEGIN}\n{CALL} f {SEP}\n{{"a": 1}}\n{END}\n{CALLS_END}\nx', [ok("f", {"a": 1})], "x"),
    ("text-deepseek-v3.1", "no arguments", f"{BEGIN}{CALL}f{SEP}{END}{CALLS_END}", [ok("f", {})], ""),
    ("text-deepseek-v3.1", "a section without calls", f"{BEGIN} none {CALLS_END} x", [], "none x"),
    ("text-deepseek-v3.1", "cut in the name", f"{BEGIN}{CALL}get_w", [(None, None, None, "truncated")], ""),
    # kimi
    ("text-kimi-k2", "white space after the id", f'{K}{KC}functions.f:0 {KA}{{"a": 1}}{KE}', [ok("f", {"a": 1}, "functions.f:0")], ""),
    ("text-kimi-k2", "without functions.", f'{K}{KC}f:12{KA}{{}}{KE}', [ok("f", {}, "f:12")], ""),
    ("text-kimi-k2", "colons in the name", f'{K}{KC}functions.a:b:3{KA}{{}}{KE}', [ok("a:b", {}, "functions.a:b:3")], ""),
    ("text-kimi-k2", "text in the section", f'a {K} b {KC}functions.f:0{KA}{{}}{KE}<|tool_calls_section_end|> c', [ok("f", {}, "functions.f:0")], "a b c"),
    # harmony
    ("text-harmony", "the recipient first", 'to=functions.f<|channel|>commentary<|constrain|>json<|message|>{"a": 1}<|call|>', [ok("f", {"a": 1})], ""),
    ("text-harmony", "the recipient after the role", f'<|start|>assistant to=functions.f{COMMENTARY} json<|message|>{{}}<|call|>', [ok("f", {})], ""),
    ("text-harmony", "no constraint", f'{COMMENTARY} to=functions.f<|message|>{{"a": 1}}<|call|>', [ok("f", {"a": 1})], ""),
    ("text-harmony", "a call that ends with end", f"{COMMENTARY} to=functions.f <|constrain|>json<|message|>{{}}<|end|><|start|>assistant<|channel|>final<|message|>x<|return|>", [ok("f", {})], "x"),
    ("text-harmony", "a preamble", f"{COMMENTARY}<|message|>Let me see.<|end|><|start|>assistant{COMMENTARY} to=functions.f<|message|>{{}}<|call|>", [ok("f", {})], "Let me see."),
    ("text-harmony", "no arguments", f"{COMMENTARY} to=functions.f<|message|><|call|>", [ok("f", {})], ""),
    ("text-harmony", "a built-in tool", "<|channel|>analysis to=browser.search code<|message|>{}<|call|><|start|>assistant<|channel|>final<|message|>x", [], "x"),
    ("text-harmony", "without special tokens", "analysisThe user asks. assistantfinalHello", [], "analysisThe user asks. assistantfinalHello"),
    ("text-harmony", "text that resembles a recipient", "to=5 is what it says", [], "to=5 is what it says"),
    ("text-harmony", "cut in the recipient", f"{COMMENTARY} to=functions.get_w", [(None, None, None, "truncated")], ""),
    ("text-harmony", "cut in the channel", "<|channel|>comm", [], ""),
    ("text-harmony", "invalid arguments", f"{COMMENTARY} to=functions.f<|message|>{{a}}<|call|><|start|>assistant<|channel|>final<|message|>x", [(None, "f", {}, "expected_key")], "x"),
    # qwen3-coder
    ("text-qwen3-coder", "without the outer tag", "a <function=f>\n<parameter=x>\n1\n</parameter>\n</function> b", [ok("f", {"x": "1"})], "a b"),
    ("text-qwen3-coder", "the outer end tag alone", "<function=f>\n</function>\n</tool_call>x", [ok("f", {})], "x"),
    ("text-qwen3-coder", "on one line", "<tool_call><function=f><parameter=x>1</parameter></function></tool_call>", [ok("f", {"x": "1"})], ""),
    ("text-qwen3-coder", "two functions in a tag", "<tool_call>\n<function=f>\n</function>\n<function=g>\n</function>\n</tool_call>", [ok("f", {}), ok("g", {})], ""),
    ("text-qwen3-coder", "white space of the value", "<function=f>\n<parameter=x>\n\n  a \n\n</parameter>\n</function>", [ok("f", {"x": "\n  a \n"})], ""),
    ("text-qwen3-coder", "other tags in a value", "<function=f>\n<parameter=x>\n<parameter=y></function></tool_call>\n</parameter>\n</function>", [ok("f", {"x": "<parameter=y></function></tool_call>"})], ""),
    ("text-qwen3-coder", "without the end of the function", "<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</tool_call>", [ok("f", {"x": "1"})], ""),
    ("text-qwen3-coder", "another call instead of an end", "<function=f>\n<parameter=x>\n1\n</parameter>\n<function=g>\n</function>", [(None, "f", {"x": "1"}, "truncated"), ok("g", {})], ""),
    ("text-qwen3-coder", "a tag in prose", "the <tool_call> tag, <function=a b>", [], "the <tool_call> tag, <function=a b>"),
    ("text-qwen3-coder", "cut in a value", "<function=f>\n<parameter=x>\nab\n</para", [(None, "f", {"x": "ab\n</para"}, "truncated")], ""),
    ("text-qwen3-coder", "cut in a key", "<function=f>\n<parameter=cit", [(None, "f", {}, "truncated")], ""),
    ("text-qwen3-coder", "cut after the parameters", "<function=f>\n<parameter=x>\n1\n</parameter>\n", [(None, "f", {"x": "1"}, "truncated")], ""),
    ("text-qwen3-coder", "text between parameters", "<function=f>\n a  b \n<parameter=x>\n1\n</parameter> c  d\n<e </function>", [ok("f", {"x": "1"})], "a  b c  d <e"),
    ("text-glm", "text between parameters", "<tool_call>f\n a  b <arg_key>x</arg_key><arg_value>1</arg_value> c  d </tool_call>", [ok("f", {"x": "1"})], "a  b c  d"),
    # glm
    ("text-glm", "4.7, without line breaks", "<tool_call>f<arg_key>x</arg_key><arg_value>1</arg_value></tool_call>", [ok("f", {"x": "1"})], ""),
    ("text-glm", "values untrimmed", "<tool_call>f\n<arg_key>x</arg_key>\n<arg_value> \n1\n</arg_value>\n</tool_call>", [ok("f", {"x": " \n1\n"})], ""),
    ("text-glm", "no arguments", "<tool_call>f</tool_call>\n<tool_call>g\n</tool_call>", [ok("f", {}), ok("g", {})], ""),
    ("text-glm", "a line break before the name", "<tool_call>\nf\n</tool_call>", [ok("f", {})], ""),
    ("text-glm", "other tags in a value", "<tool_call>f<arg_key>x</arg_key><arg_value></tool_call><arg_key></arg_value></tool_call>", [ok("f", {"x": "</tool_call><arg_key>"})], ""),
    ("text-glm", "a key without a value", "<tool_call>f<arg_key>x</arg_key><arg_key>y</arg_key><arg_value>1</arg_value></tool_call>", [ok("f", {"y": "1"})], ""),
    ("text-glm", "an object", '<tool_call>{"name": "f"}</tool_call>', [], '<tool_call>{"name": "f"}</tool_call>'),
    ("text-glm", "another call instead of an end", "<tool_call>f<tool_call>g</tool_call>", [ok("g", {})], "<tool_call>f"),
    ("text-glm", "cut in the name", "<tool_call>get_w", [(None, None, None, "truncated")], ""),
]  # fmt: skip
each_row = pytest.mark.parametrize(("format", "text", "calls", "around"), [(f, t, c, a) for f, _, t, c, a in TABLE], ids=[f"{f}: {n}" for f, n, *_ in TABLE])  # fmt: skip


def found(build: Any, calls: Any) -> list[Found]:
    return [
        (
            call.id,
            call.name,
            None if call.args is build.UNDEFINED else call.args,
            "ok" if call.is_complete else call.error.code.value,
        )
        for call in calls
    ]


def read(
    build: Any, format: str, pieces: list[str], **options: Any
) -> tuple[list[Found], list[dict[str, Any]]]:
    *_, calls = build.tool_calls(pieces, format, **options)
    return found(build, calls), joined(map(build.to_event, build.messages(pieces, format, **options)))


@each_build
@each_row
def test_a_case_of_the_table(build: Any, format: str, text: str, calls: list[Found], around: str) -> None:
    result = read(build, format, [text])
    assert result[0] == calls
    said = "".join(event["text"] for event in result[1] if event["type"] == "text_delta")
    assert said.split() == around.split()
    assert read(build, format, list(text)) == result
    for cut in range(1, len(text)):
        assert read(build, format, [text[:cut], text[cut:]]) == result


SCHEMA: dict[str, Any] = {
    "$defs": {"Size": {"enum": [1, 2]}, "Maybe": {"anyOf": [{"$ref": "#/$defs/Size"}, {"type": "null"}]}},
    "properties": {
        "s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"},
        "o": {"type": "object"}, "a": {"type": "array"}, "null": {"type": "null"}, "r": {"$ref": "#/$defs/Size"},
        "m": {"$ref": "#/$defs/Maybe"}, "sn": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "si": {"type": ["string", "integer"]}, "c": {"const": True}, "loop": {"$ref": "#/properties/loop"},
        "loops": {"anyOf": [{"$ref": "#/properties/loops"}, {"type": "integer"}]},
    },
    "additionalProperties": {"type": "integer"},
}  # fmt: skip
# a parameter, what the model writes, and its value
VALUES = [
    ("s", "42", "42"), ("s", "null", "null"), ("s", '"x"', '"x"'), ("i", "42", 42), ("i", " -3 ", -3), ("i", "042", "042"),
    ("i", "4.0", 4.0), ("i", "4.5", "4.5"), ("i", "twelve", "twelve"), ("i", "", ""), ("n", "1e3", 1000.0), ("n", "7", 7),
    ("n", "NaN", "NaN"), ("b", "true", True), ("b", "False", False), ("b", "yes", "yes"), ("null", "None", None),
    ("o", '{"a": [1, "</arg>"]}', {"a": [1, "</arg>"]}), ("o", "{'a': 1}", "{'a': 1}"), ("o", "[1]", "[1]"),
    ("a", '["ü", null]', ["ü", None]), ("a", "[1", "[1"), ("r", "2", 2), ("m", "null", None), ("m", "1", 1), ("sn", "null", None),
    ("sn", " null ", None), ("sn", "nullable", "nullable"), ("sn", "nul", "nul"), ("sn", "", ""), ("sn", "None", "None"),
    ("si", "5", 5), ("si", "5 apples", "5 apples"), ("c", "true", True), ("loop", "x", "x"), ("loops", "5", 5),
    ("other", "9", 9),
]  # fmt: skip


@pytest.mark.parametrize("format", ["text-qwen3-coder", "text-glm"])
@pytest.mark.parametrize(("key", "text", "value"), VALUES)
@each_build
def test_the_schema_gives_the_types(build: Any, format: str, key: str, text: str, value: Any) -> None:
    stream = written(format, [Calls((Call("f", {key: text, "s": "last"}),))]).text
    expected = [ok("f", {key: value, "s": "last"} if key != "s" else {"s": "last"})]
    for pieces in ([stream], list(stream)):
        calls, _ = read(build, format, pieces, tools={"f": SCHEMA})
        assert calls == expected
        assert type(calls[0][2].get(key)) is type(expected[0][2].get(key))
    # without the schema, and with that of another tool, every value is a string
    for tools in (None, {}, {"g": SCHEMA}, {"f": None}):
        assert read(build, format, [stream], tools=tools)[0] == [
            ok("f", {key: text, "s": "last"} if key != "s" else {"s": "last"})
        ]


@each_build
@pytest.mark.parametrize(("format", "end"), [("text-qwen3-coder", ">"), ("text-glm", "</arg_key>")])
def test_a_key_of_a_parameter_and_its_end_have_at_most_1024_characters(
    build: Any, format: str, end: str
) -> None:
    longest = 1024 - len(end)
    for length in (longest, longest + 1, 1100):
        text = written(format, [Calls((Call("f", {"k" * length: "1"}),))]).text
        expected = ok("f", {"k" * length: "1"}) if length == longest else (None, "f", {}, "expected_key")
        for pieces in ([f"{text}x"], [*text, "x"]):
            calls, events = read(build, format, pieces)
            assert calls == [expected]
            assert [event["text"] for event in events if event["type"] == "text_delta"] == ["x"]


@each_build
def test_options_of_a_schema_are_followed_twenty_deep(build: Any) -> None:
    stream = written("text-glm", [Calls((Call("f", {"x": "5"}),))]).text
    part: dict[str, Any] = {"type": "integer"}
    for depth in range(22):
        tools = {"f": {"properties": {"x": part}}}
        calls, _ = read(build, "text-glm", [stream], tools=tools)
        assert calls == [ok("f", {"x": 5 if depth <= 20 else "5"})]
        part = {"anyOf": [part]}


@each_build
def test_a_header_of_harmony_has_at_most_1024_characters(build: Any) -> None:
    for channel in ("<|channel|>commentary to=functions.f", "to=functions.f<|channel|>commentary"):
        for length, calls in ((1024, [ok("f", {})]), (1025, []), (1030, [])):
            header = f"{channel:{length - len('<|message|>')}}<|message|>"
            text = f"{header}{{}}<|call|>"
            for pieces in ([text], list(text)):
                assert read(build, "text-harmony", pieces)[0] == calls


@each_build
@pytest.mark.parametrize("format", ["text-qwen3-coder", "text-glm"])
def test_strings_of_parameters_stream(build: Any, format: str) -> None:
    """Each character of a string is shown at once; only what may be its end is held back."""
    text = written(format, [Calls((Call("f", {"x": 'say "hi" ü\\'}),))]).text
    begin = text.index("say")
    for length in range(1, len('say "hi" ü\\')):
        *_, calls, _ = build.tool_calls([text[: begin + length]], format)
        assert calls[0].args == {"x": 'say "hi" ü\\'[:length]}


@each_build
@pytest.mark.parametrize("format", FORMATS)
def test_arguments_stream(build: Any, format: str) -> None:
    """The argument text arrives with the delta that has it."""
    text = written(format, [Calls((Call("f", {"x": "abcdefghij"}, "functions.f:0"),))]).text
    begin = text.index("abcdefghij")
    shown = []
    for length in range(1, 10):
        *_, calls, _ = build.tool_calls([text[: begin + length]], format)
        shown.append(calls[0].args)
    assert shown == [{"x": "abcdefghij"[:length]} for length in range(1, 10)]


SHAPES: dict[str, Callable[[str, int], str]] = {
    "a long text": lambda format, size: "x < [ " * size,
    "markers": lambda format, size: MARKERS[format] * size,
    "many calls": lambda format, size: written(format, [Calls((Call("f", {"x": "ab"}, "functions.f:0"),) * size)]).text,
    "a long string": lambda format, size: written(format, [Calls((Call("f", {"x": "ab</ }" * size}, "functions.f:0"),))]).text,
    "white space": lambda format, size: written(format, [Calls((Call("f", {}, "functions.f:0"),))]).text + " " * (6 * size) + ";" + " " * (6 * size),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "format", ["text-hermes", "text-llama3", "text-mistral-v2", "text-harmony", "text-glm"]
)
@pytest.mark.parametrize("is_complete", [True, False], ids=["in one piece", "per character"])
def test_the_time_is_linear(format: str, shape: str, is_complete: bool) -> None:
    def prepare(size: int) -> Any:
        text = SHAPES[shape](format, size)

        def run() -> None:
            reader = adapter(format)
            for piece in [text] if is_complete else text:
                reader.add_event(piece)
            reader.finish()

        return run

    assert_linear(prepare, 25 if not is_complete else 60)


def test_pieces_are_what_was_cut() -> None:
    chance = random.Random(1)
    cuts = chance.sample(range(10), 4)
    assert "".join(pieces_of("0123456789", cuts)) == "0123456789"

"""What the parsers of inference servers are known to get wrong, as cases that hold here.

Each test names the report. The texts are our own; what they have in common with the report is its cause.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from builds import BUILDS
from text_formats import FORMATS, MARKERS, Call, Calls, joined, pieces_of, written

each_build = pytest.mark.parametrize("build", BUILDS.values(), ids=BUILDS)
each_format = pytest.mark.parametrize("format", FORMATS)

TWO = Calls(
    (
        Call("weather", {"city": "Bern"}, "functions.weather:0"),
        Call("time", {"zone": "CET"}, "functions.time:1"),
    )
)
COMMAND = "mkdir -p test/{test1,test2"


def final(build: Any, format: str, pieces: Any, **options: Any) -> list[tuple[Any, ...]]:
    *_, calls = build.tool_calls(list(pieces), format, **options)
    return [(call.name, call.args if call.is_complete else call.error.code.value) for call in calls]


def text_of(build: Any, format: str, pieces: Any, **options: Any) -> str:
    return "".join(build.text_deltas(list(pieces), format))


@each_build
@each_format
def test_sglang_31915_two_calls_in_one_to_four_chunks(build: Any, format: Any) -> None:
    """71 to 91 % of such splits lost data: the name was sent, the arguments of the same chunk were not."""
    text = written(format, [TWO]).text
    chance = random.Random(format)
    for _ in range(100):
        cuts = chance.sample(range(1, len(text)), chance.randrange(4))
        assert final(build, format, pieces_of(text, cuts)) == [(call.name, call.args) for call in TWO.calls]


@each_build
@each_format
def test_sglang_31915_a_call_in_one_chunk_has_its_arguments(build: Any, format: Any) -> None:
    text = written(format, [Calls(TWO.calls[:1])]).text
    updates = [
        message for message in build.messages([text], format) if isinstance(message, build.ToolCallUpdate)
    ]
    assert json.loads("".join(update.function_args or "" for update in updates)) == {"city": "Bern"}


@each_build
@each_format
def test_sglang_31915_what_was_held_back_is_flushed_at_the_end(build: Any, format: Any) -> None:
    for text in ("see a < b, <", "[TOOL", "<｜tool", "<|"):
        assert text_of(build, format, text) == text


@each_build
@each_format
def test_sglang_31915_brackets_in_strings_are_not_counted(build: Any, format: Any) -> None:
    args = {"code": 'if (a[0] == "}") { return "]]}}"; }', "path": "C:\\{x}\\"}
    text = written(format, [Calls((Call("f", args, "functions.f:0"), TWO.calls[1]))]).text
    for pieces in ([text], text):
        assert final(build, format, pieces) == [("f", args), ("time", {"zone": "CET"})]


@each_build
@pytest.mark.parametrize("format", ["text-qwen3-coder", "text-glm"])
def test_sglang_31915_parameters_stay_with_their_call(build: Any, format: Any) -> None:
    text = written(format, [TWO]).text
    for pieces in ([text], text):
        assert final(build, format, pieces) == [(call.name, call.args) for call in TWO.calls]


@each_build
def test_sglang_32086_brackets_in_prose_are_kept(build: Any) -> None:
    text = "a[i][j] = b[k], see [1] and [2]"
    for format in ("text-mistral", "text-mistral-v2"):
        assert text_of(build, format, text) == text


@each_build
def test_sglang_36692_every_call_of_a_mistral_array(build: Any) -> None:
    text = '[TOOL_CALLS] [{"name": "f", "arguments": {}}, {"name": "f", "arguments": {}}]'
    for pieces in ([text], text):
        assert final(build, "text-mistral", pieces) == [("f", {}), ("f", {})]
        assert text_of(build, "text-mistral", pieces) == ""


@each_build
def test_sglang_35153_one_delta_from_the_end_of_a_call_into_the_next(build: Any) -> None:
    text = written("text-deepseek-v3.1", [TWO]).text
    first, last = text.index("<｜tool▁call▁end｜>"), text.rindex("<｜tool▁sep｜>") + len("<｜tool▁sep｜>")
    pieces = [text[:first], text[first:last], text[last:]]
    assert final(build, "text-deepseek-v3.1", pieces) == [(call.name, call.args) for call in TWO.calls]


@each_build
@each_format
def test_sglang_35565_a_message_that_stops_at_a_marker(build: Any, format: Any) -> None:
    """The message was empty without a call, and nothing said it was cut off: part of a marker was lost."""
    marker = MARKERS[format]
    half = f"Hm {marker[: len(marker) // 2]}"
    assert text_of(build, format, [half]) == half
    text, _ = written(format, ["Hm ", Calls(TWO.calls[:1])])
    length = text.index("weather")
    assert final(build, format, [text[:length]]) in ([(None, "truncated")], [("", "truncated")])
    assert text_of(build, format, [text[:length]]).split() == ["Hm"]


@each_build
def test_sglang_8606_a_tag_that_is_no_marker_keeps_its_beginning(build: Any) -> None:
    for format in ("text-hermes", "text-qwen3-coder", "text-deepseek-v3.1"):
        assert text_of(build, format, ["<", "my-tag", ">"]) == "<my-tag>"


@each_build
def test_vllm_19056_the_name_comes_once_and_first(build: Any) -> None:
    """The merged call had its id and name in one entry and its arguments in another."""
    args = {
        "query": "DeepSeek 有哪些提升",
        "outline": [{"h2": "一", "text": "背景"}, {"h2": "二", "text": "x"}],
    }
    text = written("text-hermes", [Calls((Call("summary", args),))]).text
    for size in (1, 2, 3, 5, 8, 13, 1000):
        pieces = [text[i : i + size] for i in range(0, len(text), size)]
        updates = [m for m in build.messages(pieces, "text-hermes") if isinstance(m, build.ToolCallUpdate)]
        assert [update.function_name for update in updates if update.function_name] == ["summary"]
        assert updates[0].function_name == "summary"
        assert {update.index for update in updates} == {0}
        assert json.loads("".join(update.function_args or "" for update in updates)) == args


@each_build
def test_vllm_21544_an_open_brace_in_a_string(build: Any) -> None:
    """The command `mkdir -p test/{test1,test2` ended the stream with an error."""
    for format in FORMATS:
        text = written(format, [Calls((Call("bash", {"command": COMMAND}, "functions.bash:0"),))]).text
        for pieces in ([text], text):
            assert final(build, format, pieces) == [("bash", {"command": COMMAND})]


@each_build
def test_vllm_21544_a_call_of_another_format_is_text(build: Any) -> None:
    """The report ran Qwen3-Coder with the parser of Hermes."""
    text = written("text-qwen3-coder", [Calls((Call("bash", {"command": COMMAND}),))]).text
    for pieces in ([text], text):
        assert final(build, "text-hermes", pieces) == []
        assert text_of(build, "text-hermes", pieces) == text


@each_build
@each_format
def test_vllm_28806_a_tool_without_parameters_has_empty_arguments(build: Any, format: Any) -> None:
    text = written(format, [Calls((Call("current_time", {}, "functions.current_time:0"),))]).text
    for pieces in ([text], text):
        *_, [call] = build.tool_calls(list(pieces), format)
        assert (call.args, call.raw_args, call.is_complete) == ({}, "{}", True)


@each_build
def test_vllm_45167_the_end_tag_in_a_string(build: Any) -> None:
    args = {"content": "close it with </tool_call>\nand <tool_call> again"}
    text = written("text-hermes", [Calls((Call("write", args),))]).text
    for pieces in ([text], text):
        assert final(build, "text-hermes", pieces) == [("write", args)]


@each_build
@each_format
def test_vllm_47903_a_truncated_call_leaks_no_markup(build: Any, format: Any) -> None:
    text, (end,) = written(format, ["Hm. ", Calls(TWO.calls[:1])])
    for length in range(text.index("Bern"), end):
        assert final(build, format, [text[:length]]) == [("weather", "truncated")]
        assert text_of(build, format, [text[:length]]).strip() == "Hm."


@each_build
def test_vllm_35615_all_parameters_in_one_delta_with_the_end(build: Any) -> None:
    args = {"filePath": "/a", "content": "x\n" * 5}
    text = written("text-qwen3-coder", [Calls((Call("write", args),))]).text
    at = text.index("<parameter=content>")
    assert final(build, "text-qwen3-coder", [text[:at], text[at:]]) == [("write", args)]


@each_build
def test_vllm_38579_kimi_keeps_long_arguments_and_text_before_the_section(build: Any) -> None:
    args = {"text": "line\n" * 4000}
    text = written("text-kimi-k2", ["Before. ", Calls((Call("f", args, "functions.f:0"),)), "After."]).text
    half = len(text) // 2
    assert final(build, "text-kimi-k2", [text[:half], text[half:]]) == [("f", args)]
    assert text_of(build, "text-kimi-k2", [text[:half], text[half:]]) == "Before. After."


@each_build
def test_llama_cpp_12379_arguments_only_grow(build: Any) -> None:
    """Partial JSON was completed, cut again and compared: "Invalid diff", and the server aborted."""
    args = {"name": "homepage", "tags": [], "more": {"a": {"b": "c"}}, "n": 278722862}
    for format in FORMATS:
        tools = {
            "shot": {
                "properties": {
                    "tags": {"type": "array"},
                    "more": {"type": "object"},
                    "n": {"type": "integer"},
                }
            }
        }
        text = written(format, [Calls((Call("shot", args, "functions.shot:0"),))]).text
        last = ""
        for calls in build.tool_calls(list(text), format, tools=tools):
            raw = calls[0].raw_args if calls else ""
            assert raw.startswith(last)
            last = raw
        assert last == json.dumps(args)


@each_build
def test_llama_cpp_12379_the_name_is_not_repeated(build: Any) -> None:
    text = written("text-llama3", [Calls((Call("add_two_numbers", {"a": "1", "b": "2"}),))]).text
    names = [
        m.function_name
        for m in build.messages(list(text), "text-llama3")
        if isinstance(m, build.ToolCallUpdate)
    ]
    assert "".join(name or "" for name in names) == "add_two_numbers"


@each_build
def test_llama_cpp_18183_an_object_without_its_tag_is_text(build: Any) -> None:
    text = 'const json = \'{"name": "Bingo", "age": 30}\';'
    assert final(build, "text-hermes", [text]) == []
    assert text_of(build, "text-hermes", [text]) == text


@each_build
@each_format
def test_lm_studio_1592_markers_in_reasoning_are_reasoning(build: Any, format: Any) -> None:
    think = {"text-mistral": "[THINK]{}[/THINK]", "text-mistral-v2": "[THINK]{}[/THINK]"}.get(
        format, "<think>{}</think>"
    )
    if format == "text-harmony":
        think = "<|channel|>analysis<|message|>{}<|end|>"
    inside = "try <tool_call>{} or [TOOL_CALLS]f[ARGS]{} or <function=f> or <arg_key>"
    events = joined(map(build.to_event, build.messages(list(think.replace("{}", inside, 1)), format)))
    assert [event for event in events if event["type"] == "reasoning_delta"] == [
        {"type": "reasoning_delta", "text": inside}
    ]
    assert final(build, format, think.replace("{}", inside, 1)) == []

"""Markers and text in any order give the same result at every cut, and no call is invented.

The text is made of the markers of one format (and of some others), of pieces of calls and of other text. It
gives the same result in one piece, per character and at random cuts, on both builds. What is emitted stands in the text in
this order; without a marker all of it is text. A call is complete only if its arguments are JSON; it stays as
it is when the text continues, and what is cut off before its end is not complete.
"""

# ruff: noqa: E501  # a line of the tables for each format

from __future__ import annotations

import json
from typing import Any

from builds import BUILDS
from model import exactly
from text_formats import FORMATS, TYPED, joined, pieces_of

from .choices import Choices

__all__ = ["check"]

MOST_PIECES = 24
# pieces that every format may have to read, in and around its calls
COMMON = (
    '{"name": "f", "arguments": {"a": 1}}', '{"name": "g", "parameters": {}}', '{"a": "b', '{"a": [1, {"b": null}]}',
    "{}", "{", "}", "[", "]", '"', "\\", '"}', "f", "functions.g:0", " ", "\n", ";", ", ", "é🌧", "<", "`", "text", "\ud83c",
    '"arguments": ', '{"arguments": "{\\"a\\": 1}", "name": "h"}', "<think>", "</think>", "42", "null", "``` ",
)  # fmt: skip
MARKERS: dict[str, tuple[str, ...]] = {
    "text-hermes": ("<tool_call>", "</tool_call>"),
    "text-llama3": ("<|python_tag|>", "<|eom_id|>", "<|eot_id|>"),
    "text-mistral": ("[TOOL_CALLS]", "[THINK]", "[/THINK]", "[{"),
    "text-mistral-v2": ("[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[TOOL_CALLS]f[ARGS]{"),
    "text-deepseek-v3": (
        "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "function<｜tool▁sep｜>f\n```json\n", "\n```",
        "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>",
    ),
    "text-deepseek-v3.1": (
        "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "f<｜tool▁sep｜>", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>",
    ),
    "text-kimi-k2": (
        "<|tool_calls_section_begin|>", "<|tool_call_begin|>", "functions.f:0<|tool_call_argument_begin|>",
        "<|tool_call_end|>", "<|tool_calls_section_end|>",
    ),
    "text-harmony": (
        "<|start|>assistant", "<|channel|>", "analysis", "final", "commentary to=functions.f", " to=python", "<|constrain|>json",
        "<|message|>", "<|call|>", "<|end|>", "<|return|>",
    ),
    "text-qwen3-coder": (
        "<tool_call>\n", "<function=f>\n", "<parameter=a>\n", "\n</parameter>", "</function>", "\n</tool_call>",
    ),
    "text-glm": ("<tool_call>f\n", "<arg_key>a</arg_key>", "<arg_value>", "</arg_value>", "</tool_call>"),
}  # fmt: skip
TOOLS = {"f": {"properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}}}}


def check(data: bytes) -> None:
    choices = Choices(data)
    format = choices.pick(FORMATS)
    options = {
        "bare": choices.one_in(4),
        "unwrap": choices.one_in(4),
        "tools": TOOLS if choices.one_in(3) else None,
        "dialect": "lenient" if choices.one_in(3) else "strict",
    }
    cuts = [choices.below(256) for _ in range(choices.below(4))]
    text = interleaved(choices, format)
    results = [observe(build, format, text, options) for build in BUILDS.values()]
    assert all(other == results[0] for other in results), "the builds differ"
    build = BUILDS["plain"]
    assert observe(build, format, list(text), options) == results[0], "per character it says something else"
    pieces = pieces_of(text, sorted({cut % (len(text) + 1) for cut in cuts}))
    assert observe(build, format, pieces, options) == results[0], "cut it says something else"
    calls = results[0][1]
    check_order(format, text, options)
    for call in calls:
        check_call(call)
    cut = choices.below(256) % (len(text) + 1)
    check_beginning(observe(build, format, text[:cut], options)[1], calls)


def interleaved(choices: Choices, format: str) -> str:
    """Make a text of markers, pieces of markers, and what may stand between them."""
    own, text = MARKERS[format], ""
    for _ in range(choices.below(MOST_PIECES)):
        match choices.below(8):
            case 0:
                text += choices.pick(MARKERS[choices.pick(FORMATS)])
            case 1:
                marker = choices.pick(own)
                text += marker[: choices.below(len(marker) + 1)]
            case 2 | 3 | 4:
                text += choices.pick(own)
            case _:
                text += choices.pick(COMMON)
    return text


def joined_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def observe(
    build: Any, format: str, pieces: Any, options: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    pieces = [pieces] if isinstance(pieces, str) else pieces
    events = joined(build.to_event(message) for message in build.messages(pieces, format, **options))
    *_, calls = build.tool_calls(pieces, format, **options)
    return events, [call.to_dict() for call in calls]


def check_order(format: str, text: str, options: dict[str, Any]) -> None:
    """Check that what is emitted stands in the text in this order, and is all of it without markers."""
    build, at, said = BUILDS["plain"], 0, ""
    for message in build.messages(list(joined_surrogates(text)), format, **options):
        event = build.to_event(message)
        piece = event.get("text") or event.get("input") or ""
        if format not in TYPED and not options["unwrap"]:
            piece = piece or event.get("function_args", "")
        if event["type"] == "text_delta":
            said += piece
        # arguments that the model did not write stand for none
        if piece and piece != "{}":
            found = joined_surrogates(text).find(piece, at)
            assert found >= 0, f"{piece!r} does not stand there"
            at = found + len(piece)
    has_marker = any(marker.strip()[:9] in text for marker in (*MARKERS[format], "<think>", "[THINK]", "to="))
    if not has_marker and not options["bare"]:
        assert said == joined_surrogates(text)


def check_call(call: dict[str, Any]) -> None:
    if not call["is_complete"]:
        assert call["error"]
        return
    assert call["name"], "a call without a name cannot be executed"
    assert "error" not in call
    if "repairs" not in call:
        assert exactly(json.loads(call["raw_args"])) == exactly(call["args"])


def check_beginning(early: list[dict[str, Any]], late: list[dict[str, Any]]) -> None:
    """Check that what is complete stays as it is; the last call may turn out to be text, or none of these."""
    assert all(not call["is_complete"] for call in early[len(late) :])
    for before, after in zip(early, late, strict=False):
        if before["is_complete"]:
            facts = [(call["name"], exactly(call["args"]), call["is_complete"]) for call in (before, after)]
            assert facts[0] == facts[1], "what was complete has changed"

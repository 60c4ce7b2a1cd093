"""Texts in the formats in which models write tool calls, made from what they say.

A text is a list of parts: text, `Think`, and `Calls`, whose calls stand in one section where a format has
sections. `written` makes the text as the model's template does, and says where each call is complete.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "FORMATS",
    "MARKERS",
    "TYPED",
    "Call",
    "Calls",
    "Think",
    "Written",
    "expected_of",
    "joined",
    "outcome",
    "pieces_of",
    "written",
]

TYPED = ("text-glm", "text-qwen3-coder")


class Call(NamedTuple):
    """A call as the model means it."""

    name: str
    args: Mapping[str, Any] = MappingProxyType({})
    id: str | None = None


class Calls(NamedTuple):
    """Calls of one section."""

    calls: tuple[Call, ...]


class Think(NamedTuple):
    """A block of reasoning."""

    text: str


class Written(NamedTuple):
    """A text, and for each call the index after which it is complete."""

    text: str
    ends: tuple[int, ...]


Part = str | Think | Calls


def _json(value: Any) -> str:
    return json.dumps(dict(value) if isinstance(value, MappingProxyType) else value, ensure_ascii=False)


def _tag(call: Call) -> str:
    return f'<tool_call>\n{{"name": {_json(call.name)}, "arguments": {_json(call.args)}}}^\n</tool_call>'


def _llama(call: Call) -> str:
    return f'{{"name": {_json(call.name)}, "parameters": {_json(call.args)}}}^'


def _item(call: Call) -> str:
    id = "" if call.id is None else f', "id": {_json(call.id)}'
    return f'{{"name": {_json(call.name)}, "arguments": {_json(call.args)}{id}}}^'


def _args(call: Call) -> str:
    id = "" if call.id is None else f"[CALL_ID]{call.id}"
    return f"[TOOL_CALLS]{call.name}{id}[ARGS]{_json(call.args)}^"


def _fenced(call: Call) -> str:
    header = f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{call.name}\n```json\n"
    return f"{header}{_json(call.args)}^\n```<｜tool▁call▁end｜>"


def _separated(call: Call) -> str:
    return f"<｜tool▁call▁begin｜>{call.name}<｜tool▁sep｜>{_json(call.args)}^<｜tool▁call▁end｜>"


def _kimi(call: Call) -> str:
    return f"<|tool_call_begin|>{call.id}<|tool_call_argument_begin|>{_json(call.args)}^<|tool_call_end|>"


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _qwen(call: Call) -> str:
    inside = "".join(f"<parameter={key}>\n{_raw(value)}\n</parameter>\n" for key, value in call.args.items())
    return f"<tool_call>\n<function={call.name}>\n{inside}</function>^\n</tool_call>"


def _glm(call: Call) -> str:
    inside = "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{_raw(value)}</arg_value>\n"
        for key, value in call.args.items()
    )
    return f"<tool_call>{call.name}\n{inside}</tool_call>^"


class _Style(NamedTuple):
    call: Any
    begin: str = ""
    between: str = ""
    end: str = ""


_STYLES = {
    "text-hermes": _Style(_tag, "", "\n"),
    "text-llama3": _Style(_llama, "<|python_tag|>", "; ", "<|eom_id|>"),
    "text-mistral": _Style(_item, "[TOOL_CALLS] [", ", ", "]"),
    "text-mistral-v2": _Style(_args),
    "text-deepseek-v3": _Style(_fenced, "<｜tool▁calls▁begin｜>", "\n", "<｜tool▁calls▁end｜>"),
    "text-deepseek-v3.1": _Style(_separated, "<｜tool▁calls▁begin｜>", "", "<｜tool▁calls▁end｜>"),
    "text-kimi-k2": _Style(_kimi, "<|tool_calls_section_begin|>", "", "<|tool_calls_section_end|>"),
    "text-qwen3-coder": _Style(_qwen, "", "\n"),
    "text-glm": _Style(_glm, "", "\n"),
}
FORMATS = (*_STYLES, "text-harmony")
# a marker of each format that begins calls, and a prefix of it that is text
MARKERS = {
    "text-hermes": "<tool_call>",
    "text-llama3": "<|python_tag|>",
    "text-mistral": "[TOOL_CALLS]",
    "text-mistral-v2": "[TOOL_CALLS]",
    "text-deepseek-v3": "<｜tool▁calls▁begin｜>",
    "text-deepseek-v3.1": "<｜tool▁calls▁begin｜>",
    "text-kimi-k2": "<|tool_calls_section_begin|>",
    "text-harmony": "<|channel|>",
    "text-qwen3-coder": "<function=",
    "text-glm": "<tool_call>",
}
_THINKING = {"text-mistral": ("[THINK]", "[/THINK]"), "text-mistral-v2": ("[THINK]", "[/THINK]")}


def written(format: str, parts: Iterable[Part]) -> Written:
    """Write parts as a model does; ``^`` in the styles is where a call is complete."""
    text, ends = "", []
    for part in parts:
        piece = _harmony(part) if format == "text-harmony" else _other(format, part)
        # what is written in the arguments has no such mark: see `_marked`
        *before, last = piece.split("\0")
        for span in before:
            text += span
            ends.append(len(text))
        text += last
    return Written(text, tuple(ends))


def _marked(text: str) -> str:
    """Turn the mark of a style, the last ``^`` of a call, into one that no text contains."""
    at = text.rindex("^")
    return text[:at] + "\0" + text[at + 1 :]


def _other(format: str, part: Part) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Think):
        start, end = _THINKING.get(format, ("<think>", "</think>"))
        return start + part.text + end
    style = _STYLES[format]
    return style.begin + style.between.join(_marked(style.call(call)) for call in part.calls) + style.end


def _harmony(part: Part) -> str:
    begin = "<|start|>assistant"
    if isinstance(part, str):
        return f"{begin}<|channel|>final<|message|>{part}<|end|>"
    if isinstance(part, Think):
        return f"{begin}<|channel|>analysis<|message|>{part.text}<|end|>"
    begin += "<|channel|>commentary to=functions."
    return "".join(
        f"{begin}{call.name} <|constrain|>json<|message|>{_json(call.args)}\0<|call|>" for call in part.calls
    )


def expected_of(format: str, parts: Iterable[Part]) -> dict[str, Any]:
    """Say what a reader must find; white space around markers does not count."""
    parts = list(parts)
    calls = [call for part in parts if isinstance(part, Calls) for call in part.calls]
    has_ids = format in ("text-mistral", "text-mistral-v2", "text-kimi-k2")
    return {
        "text": _squeezed("".join(part for part in parts if isinstance(part, str))),
        "reasoning": _squeezed("".join(part.text for part in parts if isinstance(part, Think))),
        "calls": [(call.id if has_ids else None, call.name, call.args) for call in calls],
    }


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def outcome(events: Sequence[dict[str, Any]], calls: Sequence[Any]) -> dict[str, Any]:
    """Say the same of messages in their plain form and of the final calls."""
    return {
        "text": _squeezed("".join(event["text"] for event in events if event["type"] == "text_delta")),
        "reasoning": _squeezed("".join(e["text"] for e in events if e["type"] == "reasoning_delta")),
        "calls": [(call.id, call.name, call.args) for call in calls if call.is_complete],
    }


def joined(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join the adjacent pieces of messages in their plain form."""
    found: list[dict[str, Any]] = []
    for event in events:
        last = found[-1] if found else {}
        for field in ("text", "function_args", "input"):
            rest = {name: value for name, value in event.items() if name != field}
            if field in event and field in last and rest == {n: v for n, v in last.items() if n != field}:
                last[field] += event[field]
                break
        else:
            found.append(dict(event))
    return found


def pieces_of(text: str, cuts: Iterable[int]) -> list[str]:
    """Cut a text at some places."""
    places = [0, *sorted(cuts), len(text)]
    return [text[start:end] for start, end in pairwise(places) if end > start]

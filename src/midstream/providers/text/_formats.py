"""The table of the formats: what models write around their calls.

``frames`` open a section in which calls follow; ``starts`` begin one call. The fields of the ``header``
follow, then the body, which an engine reads. ``ends`` close a call or, the last of them, the section. White
space may stand between all of them. Everything else is text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ._markers import Markers

__all__ = ["FORMATS", "Field", "Parameters", "TextFormat"]

# a name or an id has no white space, brackets or quotes inside
_WORD = re.compile(r"""\s*(?:[^\s<>{}\[\]"'`]+\s*)?""")
_FENCE = re.compile(r"\s*(?:`{1,3}\w*\s*)?")


class Field:
    """A part of a header: what it means, and what ends it.

    ``ends`` has for each marker the field that follows it, or "" for the body. What ends it belongs to what
    follows if it is in ``kept``.
    """

    def __init__(
        self, ends: dict[str, str], kept: tuple[str, ...] = (), pattern: re.Pattern[str] = _WORD
    ) -> None:
        self.ends = ends
        self.kept = kept
        self.pattern = pattern
        self.markers = Markers(ends)
        self.may_be_empty = pattern is _FENCE


class Parameters(NamedTuple):
    """The markers of engine E3: around a key, around its value, and what ends the call.

    ``line`` is what may follow ``value`` as part of the frame, and stand before ``value_end``.
    """

    key: str
    key_end: str
    value: str
    value_end: str
    line: str
    ends: tuple[str, ...]


class TextFormat(NamedTuple):
    """One row of the table."""

    # the engine: "objects" (E1), "documents" (E2), "parameters" (E3) or "harmony"
    engine: str
    models: str
    frames: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    header: tuple[tuple[str, Field], ...] = ()
    ends: tuple[str, ...] = ()
    # whether the frames are special tokens, which are never text, even if no call follows
    has_sections: bool = False
    # E1: the brackets from the body to the object of a call
    opening: str = ""
    # E1: what may stand between the objects of one section
    separator: str = ""
    # markers of the frame that count only directly after a body
    fences: tuple[str, ...] = ()
    # markers that end the message wherever they stand
    stops: tuple[str, ...] = ()
    # blocks of reasoning
    thinking: tuple[tuple[str, str], ...] = (("<think>", "</think>"),)
    # the prefix of a name that belongs to an id, as in functions.NAME:0
    id_prefix: str = ""
    parameters: Parameters | None = None


_CALLS_BEGIN, _CALLS_END = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
_CALL_BEGIN, _CALL_END, _SEPARATOR = "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"
# what arguments can begin with
_OPENINGS = ("{", "[", '"')
_GLM_NAME_ENDS = ("\n", "<arg_key>", "</tool_call>")

FORMATS: dict[str, TextFormat] = {
    "text-hermes": TextFormat(
        engine="objects",
        models="Hermes, Qwen2.5, Qwen3, QwQ, Granite 4",
        frames=("<tool_call>",),
        opening="{",
        ends=("</tool_call>",),
    ),
    "text-llama3": TextFormat(
        engine="objects",
        models="Llama 3.1, 3.2, 3.3",
        frames=("<|python_tag|>",),
        opening="{",
        separator=";",
        stops=("<|eom_id|>", "<|eot_id|>"),
    ),
    "text-mistral": TextFormat(
        engine="objects",
        models="Mistral and Mixtral with a tokenizer before version 11",
        frames=("[TOOL_CALLS]",),
        opening="[{",
        thinking=(("[THINK]", "[/THINK]"), ("<think>", "</think>")),
    ),
    "text-mistral-v2": TextFormat(
        engine="documents",
        models="Mistral Small 3.1 and 3.2, Devstral, Magistral (tokenizer 11 and newer)",
        starts=("[TOOL_CALLS]",),
        header=(
            ("name", Field({"[ARGS]": "", "[CALL_ID]": "id", "{": ""}, kept=("{",))),
            ("id", Field({"[ARGS]": "", "{": ""}, kept=("{",))),
        ),
        thinking=(("[THINK]", "[/THINK]"), ("<think>", "</think>")),
    ),
    "text-deepseek-v3": TextFormat(
        engine="documents",
        models="DeepSeek V3, R1",
        frames=(_CALLS_BEGIN,),
        has_sections=True,
        starts=(_CALL_BEGIN,),
        header=(
            ("type", Field({_SEPARATOR: "name"})),
            ("name", Field({"\n": "fence"})),
            ("fence", Field(dict.fromkeys(_OPENINGS, ""), kept=_OPENINGS, pattern=_FENCE)),
        ),
        fences=("```",),
        ends=(_CALL_END, _CALLS_END),
    ),
    "text-deepseek-v3.1": TextFormat(
        engine="documents",
        models="DeepSeek V3.1",
        frames=(_CALLS_BEGIN,),
        has_sections=True,
        starts=(_CALL_BEGIN,),
        header=(("name", Field({_SEPARATOR: ""})),),
        ends=(_CALL_END, _CALLS_END),
    ),
    "text-kimi-k2": TextFormat(
        engine="documents",
        models="Kimi K2",
        frames=("<|tool_calls_section_begin|>",),
        has_sections=True,
        starts=("<|tool_call_begin|>",),
        header=(("id", Field({"<|tool_call_argument_begin|>": ""})),),
        id_prefix="functions.",
        ends=("<|tool_call_end|>", "<|tool_calls_section_end|>"),
    ),
    "text-harmony": TextFormat(engine="harmony", models="gpt-oss", thinking=()),
    "text-qwen3-coder": TextFormat(
        engine="parameters",
        models="Qwen3-Coder, Qwen3.5",
        frames=("<tool_call>",),
        starts=("<function=",),
        header=(("name", Field({">": ""})),),
        ends=("</tool_call>",),
        parameters=Parameters(
            key="<parameter=",
            key_end=">",
            value="",
            value_end="</parameter>",
            line="\n",
            ends=("</function>",),
        ),
    ),
    "text-glm": TextFormat(
        engine="parameters",
        models="GLM 4.5, 4.6, 4.7",
        starts=("<tool_call>",),
        header=(("name", Field(dict.fromkeys(_GLM_NAME_ENDS, ""), kept=_GLM_NAME_ENDS)),),
        parameters=Parameters(
            key="<arg_key>",
            key_end="</arg_key>",
            value="<arg_value>",
            value_end="</arg_value>",
            line="",
            ends=("</tool_call>",),
        ),
    ),
}

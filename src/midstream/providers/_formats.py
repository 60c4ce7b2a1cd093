"""The formats: their names, their adapters, and how a format is detected."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from .._options import check_dialect
from ._reading import decoded

if TYPE_CHECKING:
    from .._options import Dialect
    from ._adapter import Adapter

__all__ = ["FORMATS", "MODULES", "TEXT_FORMATS", "Format", "adapter", "detect"]

# the module of each format, in the order in which `detect` tries them: a format with distinctive fields comes
# before one it resembles
MODULES = {
    "midstream": "own",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini-interactions": "gemini_interactions",
    "gemini": "gemini",
    "bedrock": "bedrock",
    "mistral": "mistral",
    "openai-completions": "openai_completions",
    "openai-chat": "openai_chat",
    "ollama": "ollama",
    "langchain": "langchain",
    "pydantic-ai": "pydantic_ai",
    "cohere": "cohere",
    "vercel-model": "vercel_model",
    "vercel-ui": "vercel_ui",
    "ag-ui": "ag_ui",
}
# tool calls that models write as text: these formats are never detected
TEXT_FORMATS = (
    "text-deepseek-v3", "text-deepseek-v3.1", "text-glm", "text-harmony", "text-hermes", "text-kimi-k2",
    "text-llama3", "text-mistral", "text-mistral-v2", "text-qwen3-coder",
)  # fmt: skip
FORMATS = tuple(sorted([*MODULES, *TEXT_FORMATS]))
Format = Literal[
    "ag-ui", "anthropic", "bedrock", "cohere", "gemini", "gemini-interactions", "langchain", "midstream",
    "mistral", "ollama", "openai-chat", "openai-completions", "openai-responses", "pydantic-ai",
    "text-deepseek-v3", "text-deepseek-v3.1", "text-glm", "text-harmony", "text-hermes", "text-kimi-k2",
    "text-llama3", "text-mistral", "text-mistral-v2", "text-qwen3-coder", "vercel-model", "vercel-ui",
]  # fmt: skip


def adapter(
    format: str,
    *,
    bare: bool = False,
    unwrap: bool = False,
    tools: Mapping[str, Any] | None = None,
    dialect: Dialect = "strict",
) -> Adapter:
    """Make the adapter for a stream of a format.

    The options are for the text formats, whose events are pieces of text. With ``bare``, an object at the
    very start of the text is a call even without its marker. With ``unwrap``, arguments that are written as
    a JSON string are its content. ``tools`` maps the names of tools to the JSON Schema of their arguments,
    which gives the types of XML parameters. With ``dialect="lenient"``, the JSON around and in the calls is
    read leniently: the arguments are passed on as they are written, for a reader with the same option.

    >>> openai = adapter("openai-chat")
    >>> delta = {"tool_calls": [{"index": 0, "function": {"arguments": '{"ci'}}]}
    >>> openai.add_event({"choices": [{"index": 0, "delta": delta}]})[0].function_args
    '{"ci'
    >>> adapter("text-mistral-v2").add_event('[TOOL_CALLS]weather[ARGS]{"ci')[1].function_args
    '{"ci'
    """
    check_dialect(dialect)
    if format in TEXT_FORMATS:
        from .text._new import new_adapter

        return new_adapter(format, bare, unwrap, tools, dialect)
    if format not in MODULES:
        raise ValueError(f"format is one of {', '.join(FORMATS)}, not {format!r}")
    if bare or unwrap or tools is not None or dialect != "strict":
        names = "bare, unwrap, tools and dialect"
        raise ValueError(f"{names} are options of the text formats, not of {format!r}")
    made: Adapter = import_module(f".{MODULES[format]}", __package__).Adapter()
    return made


def detect(events: Any) -> str | None:
    """Detect the format of a stream from its first events, or from one; None if that is not possible.

    >>> detect([{"type": "ping"}, {"type": "message_start", "message": {"role": "assistant"}}])
    'anthropic'
    >>> detect({"hello": "world"}) is None
    True
    """
    # a tuple may be a single event: `SseEvent` is one, and frameworks pair their events with metadata
    for event in map(decoded, events if isinstance(events, list) else [events]):
        for format, module in MODULES.items():
            if event is not None and import_module(f".{module}", __package__).Adapter.knows(event):
                return format
    is_several = isinstance(events, tuple) and all(isinstance(event, Mapping) for event in events)
    return detect(list(events)) if is_several else None

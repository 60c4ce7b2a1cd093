"""Read streams of the SDKs' own objects: run by the Python of an environment that has the SDKs.

Each stream of `provider_streams` is built again from the real classes. What `midstream` finds in it is
printed as one JSON object, to be compared with what it finds in the dicts.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from midstream import UNDEFINED, tool_calls
from midstream.providers import detect
from provider_streams import seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from provider_streams import Event


def cases(format: Any) -> dict[str, list[Event]]:
    """Return the streams of a format: the ordinary one under its name, the others with their fault."""
    module = import_module(f"provider_streams.{format.replace('-', '_')}")
    faults = {f"{format}: {fault}": events for fault, (events, _) in module.FAULTS.items()}
    return {format: module.STREAM, **faults}


def found(events: Iterable[Any], format: Any) -> list[dict[str, Any]]:
    """Return the calls of a stream at its end, as plain JSON."""
    calls = seen(list(tool_calls(events, format=format))[-1])
    return [
        {k: v for k, v in call._asdict().items() if v is not UNDEFINED and v is not None} for call in calls
    ]


def langchain() -> Callable[[Event], Any]:
    messages = import_module("langchain_core.messages")
    classes = {
        "AIMessageChunk": messages.AIMessageChunk,
        "ai": messages.AIMessage,
        "tool": messages.ToolMessage,
    }
    return lambda event: classes[event["type"]](**event)


def pydantic_ai() -> Callable[[Event], Any]:
    adapter = import_module("pydantic").TypeAdapter
    results = adapter(import_module("pydantic_ai").AgentRunResultEvent)
    events = adapter(import_module("pydantic_ai.messages").AgentStreamEvent)
    kinds = {"agent_run_result": results}
    return lambda event: kinds.get(event["event_kind"], events).validate_python(event)


def ag_ui() -> Callable[[Event], Any]:
    adapter = import_module("pydantic").TypeAdapter(import_module("ag_ui.core").Event)
    return lambda event: adapter.validate_python(event)


def ollama() -> Callable[[Event], Any]:
    return lambda event: import_module("ollama").ChatResponse(**event)


def mistral() -> Callable[[Event], Any]:
    # the classes live in `mistralai.models` before version 2
    try:
        models = import_module("mistralai.client.models")
    except ImportError:
        models = import_module("mistralai.models")
    event_class = models.CompletionEvent
    return lambda event: event_class.model_validate(event if "data" in event else {"data": event})


def gemini() -> Callable[[Event], Any]:
    types = import_module("google.genai.types")
    return lambda event: types.GenerateContentResponse.model_validate(event)


BUILDERS: dict[str, Callable[[], Callable[[Event], Any]]] = {
    "langchain": langchain,
    "pydantic-ai": pydantic_ai,
    "ag-ui": ag_ui,
    "ollama": ollama,
    "mistral": mistral,
    "gemini": gemini,
}


def main() -> None:
    report: dict[str, Any] = {}
    for format, builder in BUILDERS.items():
        build = builder()
        for name, events in cases(format).items():
            try:
                objects = [build(event) for event in events]
            except ValueError as error:
                # what the classes do not allow can't come as their objects
                report[name] = {"refused": str(error)}
                continue
            assert not any(isinstance(item, dict) for item in objects)
            report[name] = {
                "calls": found(objects, format),
                "events": len(objects),
                "format": detect(objects),
            }
    print(json.dumps(report))


if __name__ == "__main__":
    main()

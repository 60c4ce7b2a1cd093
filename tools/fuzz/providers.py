"""A provider's stream, damaged in any way, ends in calls or in `JsonStreamError`, and no call is made up.

The streams of `provider_streams` lose, repeat and exchange events and fields, and get others in their place.
A call is complete only if its text is JSON and its arguments are the value of that text (no text at all
stands for an empty object), and what is complete stays as it is. Events as dicts, as their text, and as the
objects of an SDK give the same result; so do both builds.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from builds import BUILDS
from model import exactly
from provider_streams import as_objects

from .choices import Choices
from .documents import altered

__all__ = ["check"]

MODULES = {
    "midstream": "own",
    **{
        name.replace("_", "-"): name
        for name in (
            "ag_ui", "anthropic", "bedrock", "gemini", "gemini_interactions", "langchain", "mistral",
            "ollama", "openai_chat", "openai_responses", "pydantic_ai", "vercel_ui",
        )
    },
}  # fmt: skip
FORMATS = (*MODULES,)
# what is a plain dict in an SDK's object, too
KEPT = (
    "args", "input", "arguments", "args_delta", "result", "response_metadata", "content", "output",
    "json_update_fragments", "value",
)  # fmt: skip
# the events of frameworks whose objects nest their dicts differently
ONLY_DICTS = ("midstream", "vercel-ui")
STREAMS: dict[str, list[list[Any]]] = {}


def streams(format: str) -> list[list[Any]]:
    if format not in STREAMS:
        module = import_module(f"provider_streams.{MODULES[format]}")
        found = [module.STREAM, *(events for events, _ in module.FAULTS.values())]
        STREAMS[format] = [[event for event in events if isinstance(event, dict)] for events in found]
    return STREAMS[format]


def check(data: bytes) -> None:
    choices = Choices(data)
    format = choices.pick(FORMATS)
    events = damaged_stream(choices, format)
    stated_format = None if choices.one_in(6) else format
    results = [observe(build, events, stated_format) for build in BUILDS.values()]
    for other in results[1:]:
        assert other == results[0]
    build = BUILDS["plain"]
    if can_be_json(events):
        texts = [json.dumps(event) for event in events]
        assert observe(build, texts, stated_format) == results[0], (
            "the text of the events gives another result"
        )
        if format not in ONLY_DICTS and stated_format is not None:
            objects = [as_objects(event, KEPT) for event in events]
            assert observe(build, objects, stated_format) == results[0], (
                "objects give another result than dicts"
            )


def damaged_stream(choices: Choices, format: str) -> list[Any]:
    events = list(choices.pick(streams(format)))
    for _ in range(choices.below(8)):
        if not events:
            break
        at = choices.below(len(events))
        act = choices.below(8)
        if act == 0:
            del events[at]
        elif act == 1:
            events.insert(choices.below(len(events) + 1), events[at])
        elif act == 2:
            other = choices.below(len(events))
            events[at], events[other] = events[other], events[at]
        elif act == 3:
            more = choices.pick(streams(format))
            events[at : at + 1] = more[: choices.below(len(more) + 1)]
        elif act == 4:
            del events[at:]
        else:
            events[at] = altered(choices, events[at])
    # what is no dict is no event of these formats
    return [event for event in events if isinstance(event, dict)]


def can_be_json(events: list[Any]) -> bool:
    """Report whether events are the same after a way through JSON."""
    try:
        return bool(json.loads(json.dumps(events, allow_nan=False)) == events)
    except ValueError:
        return False


def observe(build: Any, events: list[Any], format: str | None) -> list[str]:
    results: list[str] = []
    done: dict[int, str] = {}
    # the own format has several messages, so that calls change their places; and FINDING 1: without
    # ``args_offset`` its calls can be complete although their text is not
    is_own = format in (None, "midstream")
    try:
        for calls in build.tool_calls(events, format=format):
            for number, call in enumerate(calls):
                if call.is_complete and not is_own:
                    check_complete(build, call)
                    fact = exactly((call.id, call.name, call.args, call.raw_args))
                    assert done.setdefault(number, fact) == fact, "what was complete has changed"
                else:
                    assert number not in done, "a call is not complete any more"
            results.append(exactly([facts(build, call) for call in calls]))
        for call in calls:
            assert call.is_complete or call.error is not None
    except build.JsonStreamError as error:
        results.append(f"refused: {error.code}")
    return results


def facts(build: Any, call: Any) -> tuple[Any, ...]:
    args = "UNDEFINED" if call.args is build.UNDEFINED else call.args
    error = call.error and (str(call.error.code), *call.error[1:])
    reason = call.finish_reason
    return (
        call.id,
        call.index,
        call.name,
        args,
        call.raw_args,
        call.is_complete,
        error,
        reason,
        call.open_path,
    )


def check_complete(build: Any, call: Any) -> None:
    assert call.error is None
    assert call.open_path is None
    if call.args is build.UNDEFINED:
        # free text
        return
    text = call.raw_args.removeprefix("\ufeff")
    if not text.strip():
        assert call.args == {}
        return
    assert exactly(json.loads(text)) == exactly(call.args)

"""Through the middleware, the wire and back, the handler sees the calls that it sees in the raw messages.

Messages of any kind and order, the pieces of calls named in every way there is. All calls end as those of a
handler that was given the raw messages; nothing is raised, both builds say the same, and a call is complete
only if `json.loads` reads its text as its arguments.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from builds import BUILDS
from model import exactly, pieces

from .choices import Choices
from .documents import damaged, document
from .providers import check_complete, facts

__all__ = ["check"]

STYLES = ("id", "index", "both", "id first", "index 0", "all")
IDS = (None, None, "a", "b", "")
INDEXES = (None, None, 0, 1, "0")
TEXTS = (
    None, "", "{", "}", "{}", '{"a":', "1", '"x', '"', ',"b":2', "[1,", "2]", " ", "tr", "ue", "\\ud83d",
    '{"a":1}', "x", "\ud83d", "\ude00",
)  # fmt: skip
SURROGATES = ("\ud83d", "\ude00")
ENDS = ("ToolCallEnd", "ToolResult", "MessageEnd")
Plan = list[tuple[str, tuple[Any, ...]]]


def check(data: bytes) -> None:
    choices = Choices(data)
    is_orderly = choices.below(3) < 2
    plan = orderly(choices) if is_orderly else any_messages(choices)
    results = []
    for build in BUILDS.values():
        messages = import_module(f"{build.__name__}.calls.messages")
        raw = [getattr(messages, name)(*fields) for name, fields in plan]
        enriched = list(build.JsonFragmentUpdateMiddleware()(raw))
        events = [json.loads(json.dumps(messages.to_event(message))) for message in enriched]
        results.append(exactly(events))
        seen = collect(build, raw)
        results.append(exactly(seen))
        for way in (enriched, events):
            clear = is_clear(plan, seen)
            also = collect(build, way, clear)
            if clear:
                assert exactly(seen_alike(also)) == exactly(seen_alike(seen))
    assert results[:2] == results[-2:]


def seen_alike(calls: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return calls without the place of an error: fragments and text count differently."""
    return [(*fact[:6], fact[6] and fact[6][0], fact[7]) for fact in calls]


def is_clear(plan: Plan, seen: list[tuple[Any, ...]]) -> bool:
    """Report whether the middleware and the handler must see the same calls."""
    # FINDING 3: with text after a document the two count calls differently
    has_more = any("trailing_text" in (call[6] or ()) for call in seen)
    # FINDING 8: of several calls that end, one without id and index is taken for the one that ended before it
    has_unnamed = len(seen) > 1 and any(call[0] is None and call[1] is None for call in seen)
    # FINDING 9: what the middleware reports about a call that has no text yet counts as the last content
    # FINDING 10: nor does it report a lone surrogate after the document of a call without a name
    ends_in_surrogate = any(call[4].endswith(SURROGATES) for call in seen)
    return not (goes_on_after_ends(plan) or has_more or has_unnamed or ends_in_surrogate)


def goes_on_after_ends(plan: Plan) -> bool:
    """Report whether pieces follow an end: the middleware forgets a call that ended, the handler does not."""
    names = [name for name, _ in plan]
    first = min((names.index(name) for name in ENDS if name in names), default=len(names))
    return "ToolCallUpdate" in names[first:]


def collect(build: Any, arrived: list[Any], clear: bool = True) -> list[tuple[Any, ...]]:
    handler = build.ToolsAggregateMessageHandler()
    for message in arrived:
        for call in handler.add_message(message):
            if call.is_complete and clear:
                check_complete(build, call)
    calls = [call for id in handler.message_ids for call in handler.complete(id)]
    for call in calls:
        assert call.is_complete or call.error is not None
        if call.is_complete and clear:
            check_complete(build, call)
    return [facts(build, call) for call in calls]


def orderly(choices: Choices) -> Plan:
    """Cut documents into the pieces of calls as a provider might, and mix them."""
    style = choices.pick(STYLES)
    calls = []
    for number in range(1 + choices.below(3)):
        text = document(choices)
        if choices.one_in(3):
            text = damaged(choices, text)
        if choices.one_in(3):
            text = text[: choices.below(len(text) + 1)]
        cuts = [choices.below(len(text) + 1) for _ in range(choices.below(5))]
        updates = []
        for place, piece in enumerate(pieces(text, cuts)):
            is_first = place == 0
            id = f"call{number}" if style in ("id", "both", "all", "index 0") or is_first else None
            index = None if style == "id" else 0 if style == "index 0" else number
            name = f"tool{number}" if style == "all" or is_first else None
            updates.append(("ToolCallUpdate", (id, index, name, piece)))
        calls.append(updates)
    plan: Plan = [updates.pop(0) for updates in calls]
    if style == "index 0":
        plan = [update for first, rest in zip(plan, calls, strict=True) for update in (first, *rest)]
        calls = []
    while any(calls):
        plan.append(choices.pick([updates for updates in calls if updates]).pop(0))
    if choices.below(3):
        plan.append(("MessageEnd", (choices.pick((None, "stop")), choices.one_in(3))))
    return plan


def any_messages(choices: Choices) -> Plan:
    """Make messages without any sense."""
    plan: Plan = []
    for _ in range(1 + choices.below(12)):
        id, index = choices.pick(IDS), choices.pick(INDEXES)
        message_id, choice = choices.pick((None, None, None, "m")), choices.pick((0, 0, 0, 1))
        match choices.below(16):
            case 11:
                plan.append(("TextDelta", ("x", message_id, choice)))
            case 12:
                plan.append(("ToolResult", (id, 1, message_id)))
            case 13 | 14:
                plan.append(("ToolCallEnd", (id, index, choices.one_in(4), message_id, choice)))
            case 15:
                reason = choices.pick((None, "stop"))
                plan.append(
                    ("MessageEnd", (reason, choices.one_in(2), message_id, choices.pick((None, 0, 1))))
                )
            case _:
                text, name = choices.pick(TEXTS), choices.pick((None, None, "f", "g", ""))
                # FINDINGS 2 and 5: free text, the last field, is left out: the middleware loses count of it
                plan.append(("ToolCallUpdate", (id, index, name, text, None, message_id, choice)))
    return plan

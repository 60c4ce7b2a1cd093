"""What an extractor reports about a text, as plain data in which the cuts of the text do not show."""

from __future__ import annotations

from typing import Any

__all__ = ["extracted", "joined", "shape"]


def extracted(midstream: Any, fragments: list[Any], **options: Any) -> list[tuple[Any, ...]]:
    """Return the events of a text with adjacent pieces joined; an exception is the last of them."""
    extractor = midstream.JsonExtractor(**options)
    events: list[Any] = []
    try:
        for fragment in fragments:
            events += extractor.add_fragment(fragment)
        events += extractor.finish()
    except midstream.JsonStreamError as error:
        events += [*error.events, ("raised", error.code.value, error.index, error.line, error.column)]
    return joined(events)


def joined(events: list[Any]) -> list[tuple[Any, ...]]:
    """Write events as plain data, with adjacent pieces joined."""
    items: list[tuple[Any, ...]] = []
    for event in events:
        item = _plain(event)
        if items and item[0] in ("text", "reasoning", "PartialString") and items[-1][:-1] == item[:-1]:
            item = (*item[:-1], items.pop()[-1] + item[-1])
        items.append(item)
    return items


def _plain(event: Any) -> tuple[Any, ...]:
    name = type(event).__name__
    if name == "TextDelta":
        return "text", event.text
    if name == "ReasoningDelta":
        return "reasoning", event.text
    if name == "DocumentStart":
        return "start", event.index, event.where
    if name == "DocumentEnd":
        return "end", event.index
    if name == "tuple":
        return tuple(event)
    return str(event.kind), event.path, event.text_value


def shape(items: list[tuple[Any, ...]]) -> list[str]:
    """Write events as short words: ``T`` text, ``R`` reasoning, ``fence`` a document and where it stands."""
    words = {"text": lambda item: f"T{item[1]}", "reasoning": lambda item: f"R{item[1]}"}
    found = []
    for item in items:
        if item[0] in words:
            found.append(words[item[0]](item))
        elif item[0] == "start":
            found.append(item[2])
        elif item[0] == "raised":
            found.append(f"!{item[1]}")
    return found

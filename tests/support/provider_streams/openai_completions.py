"""OpenAI's legacy completions, which have text and no tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import Event, Expected, Faults

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def chunk(text: str = "", finish_reason: str | None = None, **more: Any) -> Event:
    """Make a chunk with one choice."""
    choice = {"index": 0, "text": text, "logprobs": None, "finish_reason": finish_reason}
    return {"id": "cmpl-1", "object": "text_completion", "model": "davinci-002", "choices": [choice], **more}


STREAM = [chunk("I'll look "), chunk("that up."), chunk("", "stop")]
TEXT = "I'll look that up."
CALLS: list[Expected] = []
FAULTS: Faults = {"just stops": ([chunk("I'll look")], [])}

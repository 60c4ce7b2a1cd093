"""The types that checkers see: this file is checked by mypy in strict mode, and run."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any, assert_type

import pytest

import midstream
from builds import BUILDS
from midstream import JsonFragmentUpdateMiddleware, ToolCall, aio, messages, text_deltas, tool_calls
from midstream.calls.messages import Message


def check(stream: list[Any], astream: AsyncIterator[Any]) -> None:
    """State the types; never run."""
    assert_type(messages(stream), Iterator[Message])
    assert_type(messages(stream, "anthropic", on_error="event"), Iterator[Message])
    assert_type(tool_calls(stream, "openai-chat", on_error="raise"), Iterator[list[ToolCall]])
    assert_type(text_deltas(stream, format="gemini", close=False), Iterator[str])
    assert_type(aio.messages(astream), AsyncIterator[Message])
    assert_type(aio.tool_calls(astream), AsyncIterator[list[ToolCall]])
    assert_type(JsonFragmentUpdateMiddleware()(stream), Iterator[Any])
    assert_type(JsonFragmentUpdateMiddleware()(astream), AsyncIterator[Any])
    tool_calls(stream, "openai")  # type: ignore[arg-type]
    messages(stream, on_error="ignore")  # type: ignore[arg-type]
    for message in messages(stream):
        if isinstance(message, midstream.TextDelta):
            assert_type(message.text, str)
        elif isinstance(message, midstream.Usage):
            assert_type(message.input_tokens, int | None)


def test_the_formats_are_the_literal() -> None:
    from typing import get_args

    from midstream import providers

    assert get_args(providers.Format) == providers.FORMATS


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", ["messages", "tool_calls", "text_deltas", "ToolsAggregateMessageHandler"])
def test_signatures_are_there(build: str, name: str) -> None:
    assert inspect.signature(getattr(BUILDS[build], name)).parameters

"""The types that checkers see: this file is checked by mypy in strict mode, and run."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import aclosing, closing
from typing import Any, assert_type

import pytest

import midstream
from builds import BUILDS
from midstream import (
    JsonFragmentUpdate,
    JsonFragmentUpdateMiddleware,
    JsonValueAccumulator,
    Match,
    Repair,
    ToolCall,
    aio,
    chunks,
    create_parser_state,
    first,
    messages,
    parse_partial,
    patches,
    select,
    text_deltas,
    tool_calls,
    updates,
    values,
)
from midstream.calls.messages import Message


def check(stream: list[Any], astream: AsyncIterator[Any]) -> None:
    """State the types; never run."""
    assert_type(messages(stream), Generator[Message, None, None])
    assert_type(messages(stream, "anthropic", on_error="event"), Generator[Message, None, None])
    assert_type(tool_calls(stream, "openai-chat", on_error="raise"), Generator[list[ToolCall], None, None])
    assert_type(text_deltas(stream, format="gemini", close=False), Generator[str, None, None])
    assert_type(aio.messages(astream), AsyncGenerator[Message, None])
    assert_type(aio.tool_calls(astream), AsyncGenerator[list[ToolCall], None])
    assert_type(JsonFragmentUpdateMiddleware()(stream), Generator[Any, None, None])
    assert_type(JsonFragmentUpdateMiddleware()(astream), AsyncGenerator[Any, None])
    tool_calls(stream, "openai")  # type: ignore[arg-type]
    messages(stream, on_error="ignore")  # type: ignore[arg-type]
    messages(stream, retry=True)  # type: ignore[call-arg]
    assert_type(updates("[1]", root="", on_error="recover"), Generator[JsonFragmentUpdate, None, None])
    assert_type(values(["[1]"], after_root="next"), Generator[Any, None, None])
    assert_type(chunks(["[1]"], on_conflict="override"), Generator[str, None, None])
    updates("[1]", on_error="ignore")  # type: ignore[arg-type]
    values("[1]", after_root="stop")  # type: ignore[arg-type]
    patches(["[1]"], after_root="next")  # type: ignore[arg-type]
    parse_partial("[1]", root="")  # type: ignore[call-arg]
    JsonValueAccumulator(on_error="ignore")  # type: ignore[arg-type]
    assert_type(values("[1]", dialect="lenient", extract=True), Generator[Any, None, None])
    assert_type(first("[1]", "[0]", int, dialect="lenient"), int)
    assert_type(select("[1]", "[*]", int, dialect="lenient"), Generator[Match[int], None, None])
    assert_type(tool_calls(stream, dialect="lenient"), Generator[list[ToolCall], None, None])
    assert_type(aio.tool_calls(astream, dialect="lenient"), AsyncGenerator[list[ToolCall], None])
    assert_type(ToolCall().repairs, tuple[Repair, ...])
    assert_type(create_parser_state(dialect="lenient").repairs, tuple[Repair, ...])
    values("[1]", dialect="loose")  # type: ignore[arg-type]
    select("[1]", "a", dialect="loose")  # type: ignore[call-overload]
    tool_calls(stream, dialect="loose")  # type: ignore[arg-type]
    JsonFragmentUpdateMiddleware(dialect="loose")  # type: ignore[arg-type]
    aio.values(astream, on_error="ignore")  # type: ignore[arg-type]
    with closing(tool_calls(stream)) as states:
        assert_type(states, Generator[list[ToolCall], None, None])
    for message in messages(stream):
        if isinstance(message, midstream.TextDelta):
            assert_type(message.text, str)
        elif isinstance(message, midstream.Usage):
            assert_type(message.input_tokens, int | None)


async def acheck(astream: AsyncIterator[Any]) -> None:
    """State that the iterators can be closed."""
    async with aclosing(aio.tool_calls(astream)) as states:
        assert_type(states, AsyncGenerator[list[ToolCall], None])
    async with aclosing(aio.values(aio.text_deltas(astream))) as snapshots:
        assert_type(snapshots, AsyncGenerator[Any, None])


def test_the_formats_are_the_literal() -> None:
    from typing import get_args

    from midstream import providers

    assert get_args(providers.Format) == providers.FORMATS


CALLABLES = [name for name in midstream.__all__ if callable(getattr(midstream, name))]
# enumerations, whose constructor belongs to Python
ENUMS = {"ErrorCode", "JsonFragmentKind", "ParserMode"}


@pytest.mark.parametrize("name", CALLABLES)
def test_both_builds_have_the_same_signatures(name: str) -> None:
    plain, compiled = (inspect.signature(getattr(build, name)) for build in (BUILDS["plain"], midstream))
    if compiled.return_annotation is inspect.Signature.empty:
        # Cython knows the type of what its own functions return, and does not say so
        plain = plain.replace(return_annotation=inspect.Signature.empty)
    assert str(plain).replace("midstream_plain.", "midstream.") == str(compiled)
    if name not in ENUMS:
        assert not any(parameter.kind is parameter.VAR_KEYWORD for parameter in compiled.parameters.values())


@pytest.mark.parametrize("name", sorted(set(CALLABLES) - ENUMS))
def test_help_begins_with_the_signature(name: str) -> None:
    thing = getattr(midstream, name)
    text = pydoc.plain(pydoc.render_doc(thing))
    first = str(inspect.signature(thing)).removesuffix(" -> None").removesuffix(" -> 'None'")
    assert f"{name}{first}" in text


@pytest.mark.parametrize("build", BUILDS)
def test_methods_have_signatures(build: str) -> None:
    for name in CALLABLES:
        cls = getattr(BUILDS[build], name)
        for method in vars(cls) if inspect.isclass(cls) and name not in ENUMS else ():
            if not method.startswith("_") and callable(getattr(cls, method)):
                inspect.signature(getattr(cls, method))


def test_a_subclass_has_its_own_constructor() -> None:
    class Same(midstream.JsonFragmentAccumulator):
        pass

    class Other(midstream.JsonFragmentAccumulator):
        def __init__(self, only: int) -> None:
            super().__init__()

    assert inspect.signature(Same) == inspect.signature(midstream.JsonFragmentAccumulator)
    assert list(inspect.signature(Other).parameters) == ["only"]

"""Tool calls from Anthropic's Messages, as they arrive, with ``async for``."""

import asyncio

from recorded import arecorded
from show import show, summary

from midstream.aio import tool_calls

STOP = {"type": "object", "properties": {"place": {"type": "string"}, "minutes": {"type": "integer"}}}
DAY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "stops": {"type": "array", "items": STOP}},
}


async def live():
    """Ask the real service."""
    from anthropic import AsyncAnthropic  # pip install anthropic; ANTHROPIC_API_KEY in the environment

    return await AsyncAnthropic().messages.create(
        model="claude-haiku-5-5",
        max_tokens=1000,
        messages=[{"role": "user", "content": "Plan a day in 東京 and a day in Leeds."}],
        tools=[{"name": "plan_day", "description": "Plan a day in a city.", "input_schema": DAY}],
        stream=True,
    )


async def main():
    """Print the calls."""
    stream = arecorded("anthropic.sse")  # the real service: stream = await live()

    async for calls in tool_calls(stream):
        show(calls)
    summary(calls)


asyncio.run(main())

"""Tool calls from a pydantic-ai agent, as they arrive: also those that it makes after the first."""

import asyncio

from recorded import arecorded
from show import show, summary

from midstream.aio import tool_calls


def plan_day(city: str, stops: list[str], minutes: list[int]) -> str:
    """Plan a day in a city: where to go, and for how many minutes each."""
    return f"{city}: {len(stops)} stops, {sum(minutes)} minutes"


async def live():
    """Ask the real service."""
    from pydantic_ai import Agent  # pip install 'pydantic-ai-slim[openai]'; OPENAI_API_KEY in the environment

    agent = Agent("openai:gpt-5.4-mini", tools=[plan_day])
    async with agent.run_stream_events("Plan a day in Málaga and a day in Zürich.") as events:
        async for event in events:
            yield event


async def main():
    """Print the calls."""
    stream = arecorded("pydantic_ai.jsonl")  # the real service: stream = live()

    async for calls in tool_calls(stream):
        show(calls)
    summary(calls)


asyncio.run(main())

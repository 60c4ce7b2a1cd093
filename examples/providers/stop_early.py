"""End the request as soon as the call has the city: with the SDKs of OpenAI and Anthropic, sync and async."""

from contextlib import aclosing

from midstream import aio, tool_calls

QUESTION = [{"role": "user", "content": "How is the weather in Oslo?"}]
CITY = {"type": "object", "properties": {"city": {"type": "string"}, "notes": {"type": "array"}}}


def city_of(calls):
    """Return the city as soon as it is complete: nothing inside it is open any more."""
    for call in calls:
        if isinstance(call.args, dict) and "city" in call.args and call.open_path != ("city",):
            return call.args["city"]
    return None


def with_openai(client):
    """Leave the loop: the request ends with it."""
    tool = {"type": "function", "function": {"name": "weather", "parameters": CITY}}
    stream = client.chat.completions.create(
        model="gpt-5.4-mini", messages=QUESTION, tools=[tool], stream=True
    )
    for calls in tool_calls(stream):
        if city := city_of(calls):
            return city
    return None


async def with_anthropic(client):
    """Leave the block of `aclosing`: the request ends with it."""
    tool = {"name": "weather", "input_schema": CITY}
    stream = await client.messages.create(
        model="claude-haiku-5-5", max_tokens=1000, messages=QUESTION, tools=[tool], stream=True
    )
    async with aclosing(aio.tool_calls(stream)) as states:
        async for calls in states:
            if city := city_of(calls):
                return city
    return None


async def with_async_openai(client):
    """Leave the SDK's own block around the stream: the same."""
    async with await client.chat.completions.create(
        model="gpt-5.4-mini", messages=QUESTION, stream=True
    ) as stream:
        async for calls in aio.tool_calls(stream):
            if city := city_of(calls):
                return city
    return None

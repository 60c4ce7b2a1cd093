"""Tool calls from OpenAI's chat completions, as they arrive."""

from recorded import recorded
from show import show, summary

from midstream import tool_calls

STOP = {"type": "object", "properties": {"place": {"type": "string"}, "minutes": {"type": "integer"}}}
DAY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "stops": {"type": "array", "items": STOP}},
}


def live():
    """Ask the real service."""
    from openai import OpenAI  # pip install openai; OPENAI_API_KEY in the environment

    tool = {"name": "plan_day", "description": "Plan a day in a city.", "parameters": DAY}
    return OpenAI().chat.completions.create(
        model="gpt-5.4-mini",
        messages=[{"role": "user", "content": "Plan a day in Zürich and a day in Tromsø."}],
        tools=[{"type": "function", "function": tool}],
        stream=True,
    )


stream = recorded("openai_chat.sse")  # the real service: stream = live()

for calls in tool_calls(stream):
    show(calls)
summary(calls)

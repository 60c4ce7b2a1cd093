"""Tool calls from Gemini's Interactions, as they arrive."""

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
    from google import genai  # pip install google-genai; GEMINI_API_KEY in the environment

    client = genai.Client()  # dropped, it would close its connections
    yield from client.interactions.create(
        model="gemini-3.5-flash",
        input="Plan a day in Málaga and a day in 東京.",
        tools=[{"type": "function", "name": "plan_day", "description": "Plan a day.", "parameters": DAY}],
        stream=True,
    )


stream = recorded("gemini_interactions.sse")  # the real service: stream = live()

for calls in tool_calls(stream):
    show(calls)
summary(calls)

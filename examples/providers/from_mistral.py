"""Tool calls from Mistral's chat, as they arrive."""

import os

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
    from mistralai.client import Mistral  # pip install mistralai; MISTRAL_API_KEY in the environment

    tool = {"name": "plan_day", "description": "Plan a day in a city.", "parameters": DAY}
    return Mistral(api_key=os.environ["MISTRAL_API_KEY"]).chat.stream(
        model="mistral-small-latest",
        messages=[{"role": "user", "content": "Plan a day in Αθήνα and a day in Bern."}],
        tools=[{"type": "function", "function": tool}],
    )


stream = recorded("mistral.sse")  # the real service: stream = live()

for calls in tool_calls(stream):
    show(calls)
summary(calls)

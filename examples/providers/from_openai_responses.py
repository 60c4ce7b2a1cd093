"""Tool calls from OpenAI's Responses, as they arrive; and a structured output."""

from recorded import recorded
from show import show, show_line, summary

from midstream import text_deltas, tool_calls, values

STOP = {"type": "object", "properties": {"place": {"type": "string"}, "minutes": {"type": "integer"}}}
DAY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "stops": {"type": "array", "items": STOP}},
}
DAYS = {"type": "object", "properties": {"days": {"type": "array", "items": DAY}}}
TOOL = {"type": "function", "name": "plan_day", "parameters": DAY, "strict": False}
FORMAT = {"format": {"type": "json_schema", "name": "days", "schema": DAYS, "strict": False}}


def live(**more):
    """Ask the real service."""
    from openai import OpenAI  # pip install openai; OPENAI_API_KEY in the environment

    prompt = "Plan a day in Málaga and a day in Bern."
    return OpenAI().responses.create(model="gpt-5.4-mini", input=prompt, stream=True, **more)


stream = recorded("openai_responses.sse")  # the real service: stream = live(tools=[TOOL])

for calls in tool_calls(stream):
    show(calls)
summary(calls)

print("\nThe same as a structured output:")
stream = recorded("openai_responses_text.sse")  # the real service: stream = live(text=FORMAT)

for value in values(text_deltas(stream)):
    show_line(f"… {value}")
print("✓", value)

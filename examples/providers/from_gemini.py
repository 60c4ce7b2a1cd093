"""Tool calls from Gemini's generateContent, as they arrive.

With ``stream_function_call_arguments``, which is there on Vertex AI, arguments come as values with their
paths; without, a call arrives complete. Both are read.
"""

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
    from google import genai  # pip install google-genai; GOOGLE_CLOUD_PROJECT in the environment

    tool = {"name": "plan_day", "description": "Plan a day in a city.", "parameters_json_schema": DAY}
    client = genai.Client(enterprise=True, location="global")  # dropped, it would close its connections
    yield from client.models.generate_content_stream(
        model="gemini-3.5-flash",
        contents="Plan a day in Łódź and a day in Zürich.",
        config={
            "tools": [{"function_declarations": [tool]}],
            "tool_config": {"function_calling_config": {"stream_function_call_arguments": True}},
        },
    )


stream = recorded("gemini.sse")  # the real service: stream = live()

for calls in tool_calls(stream):
    show(calls)
summary(calls)

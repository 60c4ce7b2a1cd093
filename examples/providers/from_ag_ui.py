"""Tool calls from an agent that speaks AG-UI, without its SDK."""

from recorded import recorded
from show import show, summary

from midstream import tool_calls
from midstream.sse import decode

STOP = {"type": "object", "properties": {"place": {"type": "string"}, "minutes": {"type": "integer"}}}
DAY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "stops": {"type": "array", "items": STOP}},
}


def live():
    """Ask an agent on this machine."""
    import httpx  # pip install httpx

    request = {
        "threadId": "thread-1",
        "runId": "run-1",
        "messages": [{"id": "1", "role": "user", "content": "Plan a day in 東京 and a day in Málaga."}],
        "tools": [{"name": "plan_day", "description": "Plan a day in a city.", "parameters": DAY}],
        "state": {},
        "context": [],
        "forwardedProps": {},
    }
    headers = {"accept": "text/event-stream"}
    with httpx.stream(
        "POST", "http://localhost:8000/", json=request, headers=headers, timeout=60
    ) as response:
        response.raise_for_status()
        yield from decode(response.iter_bytes())


stream = recorded("ag_ui.sse")  # the real service: stream = live()

for calls in tool_calls(stream):
    show(calls)
summary(calls)

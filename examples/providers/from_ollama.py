"""Tool calls from Ollama, without its SDK: each line of the response is an event.

Ollama sends a call when it is complete; what arrives bit by bit is the text before it.
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
    """Ask a server on this machine."""
    import httpx  # pip install httpx; ollama pull qwen3

    tool = {"name": "plan_day", "description": "Plan a day in a city.", "parameters": DAY}
    request = {
        "model": "qwen3",
        "messages": [{"role": "user", "content": "Plan a day in Łódź and a day in Tromsø."}],
        "tools": [{"type": "function", "function": tool}],
    }
    with httpx.stream("POST", "http://localhost:11434/api/chat", json=request, timeout=300) as response:
        response.raise_for_status()
        yield from response.iter_lines()


stream = recorded("ollama.jsonl")  # the real service: stream = live()

for calls in tool_calls(stream):
    show(calls)
summary(calls)

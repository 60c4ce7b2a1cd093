"""Tool calls from an app that is built with Vercel's AI SDK, read as the browser reads them."""

from recorded import recorded
from show import show, summary

from midstream import tool_calls
from midstream.sse import decode


def live():
    """Ask an app on this machine, one that answers with ``toUIMessageStreamResponse``."""
    import httpx  # pip install httpx

    text = "Plan a day in Zürich and a day in Αθήνα."
    message = {"id": "1", "role": "user", "parts": [{"type": "text", "text": text}]}
    request = {"id": "chat-1", "messages": [message], "trigger": "submit-message"}
    with httpx.stream("POST", "http://localhost:3000/api/chat", json=request, timeout=60) as response:
        response.raise_for_status()
        yield from decode(response.iter_bytes())


stream = recorded("vercel_ui.sse")  # the real service: stream = live()

for calls in tool_calls(stream):
    show(calls)
summary(calls)

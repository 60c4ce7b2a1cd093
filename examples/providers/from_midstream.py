"""Tool calls from midstream's own gateway: the server has parsed the arguments, the client need not."""

import json

from recorded import recorded
from show import show, summary

from midstream import ToolsAggregateMessageHandler
from midstream.sse import decode


def live():
    """Ask a gateway on this machine; without an upstream it answers with the recording that is named."""
    import httpx  # pip install httpx; python -c "from midstream.server import serve; serve()"

    request = {
        "model": "trip",
        "messages": [{"role": "user", "content": "Plan a day in Αθήνα and a day in Łódź."}],
        "stream": True,
    }
    url = "http://localhost:8377/v1/chat/completions"
    with httpx.stream("POST", url, json=request, timeout=60) as response:
        response.raise_for_status()
        yield from decode(response.iter_bytes())


stream = recorded("midstream.sse")  # the real service: stream = live()

handler = ToolsAggregateMessageHandler()
for event in stream:
    show(handler.add_message(json.loads(event.data)))
for message_id in handler.message_ids:
    summary(handler.complete(message_id))

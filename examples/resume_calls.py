"""Resume a provider's stream in another process: save its tool calls, and read the other events there.

python examples/resume_calls.py
"""

import json
from itertools import islice

from midstream import ToolCallEnd, ToolCallUpdate, ToolsAggregateMessageHandler, to_event, tool_calls
from midstream.providers import adapter
from midstream.recordings import load


def keep(calls):
    """Write the calls so far as plain data."""
    messages = []
    for call in calls:
        messages.append(ToolCallUpdate(call.id, call.index, call.name, call.raw_args))
        if call.is_complete:
            messages.append(ToolCallEnd(call.id, call.index))
    return [to_event(message) for message in messages]


def resume(kept, events, format):
    """Yield the calls so far after each of the other events, and at the end."""
    handler = ToolsAggregateMessageHandler()
    for message in kept:
        handler.add_message(message)
    provider = adapter(format)
    if format == "anthropic":
        for event in starts(kept):
            provider.add_event(event)  # its messages are known
    for event in events:
        for message in provider.add_event(event):
            handler.add_message(message)
        yield handler.calls()
    for message in provider.finish():
        handler.add_message(message)
    yield handler.complete()


def starts(kept):
    """Show the adapter for Anthropic again which blocks are calls."""
    for message in kept:
        if message["type"] == "tools_call_update":
            block = {"type": "tool_use", "id": message["tool_call_id"], "name": message["function_name"]}
            yield {"type": "content_block_start", "index": message["index"], "content_block": block}


for name, read in (("trip", 60), ("cut", 120)):
    recording = load(name)
    events = recording.events()

    # one process reads some of the events, and saves the calls
    *_, calls = islice(tool_calls(events), read)
    file = json.dumps({"read": read, "format": recording.format, "calls": keep(calls)})

    # another one reads the file and the other events
    data = json.loads(file)
    *_, calls = resume(data["calls"], events[data["read"] :], data["format"])
    *_, same = tool_calls(events)
    print(recording.format, [call.is_complete for call in calls], calls == same)

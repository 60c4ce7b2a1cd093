"""Print the tool calls of a model while they arrive."""

from midstream import tool_calls
from midstream.recordings import load

stream = load("trip").events()  # a recording; with a key, what your provider's SDK yields
shown = {}
for calls in tool_calls(stream):
    for number, call in enumerate(calls):
        if call.args and call.args != shown.get(number):
            print(call.name, call.args)
            shown[number] = call.args
print()
for call in calls:
    print(call.name, "is complete" if call.is_complete else call.error.message)

"""Limit the content of a stream, and show what happens at each limit.

python examples/untrusted.py
"""

from midstream import JsonStreamError, Limits, parse_partial, tool_calls, values

LIMITS = Limits(max_depth=20, max_string=10_000, max_number=40, max_document=100_000)

HOSTILE = {
    "brackets without end": "[" * 1_000_000,
    "a string without end": '"' + "a" * 1_000_000,
    "a number without end": "9" * 1_000_000,
    "a list without end": "[" + "1, " * 1_000_000,
}
for name, text in HOSTILE.items():
    # in small pieces, as the text would arrive
    pieces = (text[start : start + 100] for start in range(0, len(text), 100))
    try:
        for _value in values(pieces, limits=LIMITS):
            pass
    except JsonStreamError as error:
        print(f"{name}: {error.code} at character {error.index:,}")

print("\nA call over its limit is an error of that call:")
arguments = '{"text": "' + "a" * 20_000 + '"}'
stream = [{"type": "TOOL_CALL_CHUNK", "toolCallId": "1", "toolCallName": "note", "delta": arguments}]
*_, calls = tool_calls(stream, limits=LIMITS)
print(calls[0].name, calls[0].is_complete, calls[0].error.code, len(calls[0].args["text"]))

print("\nWithout limits of yours, depth and numbers are bounded:")
for name in ("brackets without end", "a number without end"):
    try:
        parse_partial(HOSTILE[name])
    except JsonStreamError as error:
        print(f"{name}: {error.code} at character {error.index:,}")

"""Read several documents from one stream: lines of JSON, or texts that follow each other.

python examples/documents.py
"""

from midstream import JsonFragmentAccumulator, JsonValueAccumulator

LINES = ['{"id": 1, "say": "h', 'ello"}\n{"id": 2, "sa', 'y": "to all"}\n{"id": 3}\n{"id": 4, "say": "by']

print("The documents that each fragment completes, and the one under way:")
accumulator = JsonValueAccumulator(after_root="next")
for fragment in LINES:
    accumulator.add_fragment(fragment)
    print(accumulator.documents, None if accumulator.is_complete else accumulator.value)

print("\nConcatenated, without lines:")
accumulator.reset()
accumulator.add_fragment('{"a": 1}[2, 3]"four"5')
print(accumulator.documents)
accumulator.finish()
print(accumulator.documents)

print("\nOne of them damaged:")
accumulator = JsonValueAccumulator(after_root="next", on_error="recover")
for line in ['{"id": 1}\n', '{"id": 2, "say": oops}\n', '{"id": 3}\n']:
    accumulator.add_fragment(line)
    print(accumulator.documents, accumulator.error and accumulator.error.message)

print("\nAs updates, where each document ends with JsonComplete:")
fragments = JsonFragmentAccumulator(after_root="next")
for line in ["[1]\n[2", "]\n"]:
    print([update.kind.value for update in fragments.add_fragment(line)])

print("\nOne document, and text after it:")
accumulator = JsonValueAccumulator(after_root="ignore")
accumulator.add_fragment('{"city": "Bern"}\nThat is my answer.')
print(accumulator.value, repr(accumulator.trailing))

print("\nLines that may be torn off, one at a time:")
accumulator = JsonValueAccumulator(on_error="event")
for line in ['{"id": 1}\n', '{"id": 2, "say": "oo\n', '{"id": 3}\n']:
    accumulator.reset()
    accumulator.add_fragment(line)
    accumulator.finish()
    print(accumulator.value, "complete" if accumulator.is_complete else accumulator.error.code)

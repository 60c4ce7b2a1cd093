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


def lines_of(fragments):
    """Yield the lines of str or bytes fragments that are cut anywhere; skip blank lines."""
    parts = []  # of the line that has not ended
    for fragment in fragments:
        first, *others = fragment.split("\n" if isinstance(fragment, str) else b"\n")
        parts.append(first)
        for other in others:
            yield from joined(parts)
            parts = [other]
    yield from joined(parts)


def joined(parts):
    """Yield the line of these parts, unless it is blank."""
    if any(part.strip() for part in parts):
        yield parts[0][:0].join(parts)


def documents_of(fragments):
    """Yield what arrived of each line, and its error, None if the line is one complete document."""
    accumulator = JsonValueAccumulator(on_error="event")
    for line in lines_of(fragments):
        accumulator.reset()
        accumulator.add_fragment(line)
        accumulator.finish()
        yield accumulator.value, accumulator.error


DAMAGED = b"""\
{"id": 1, "city": "Z\xc3\xbcrich"}
{"id": 2, "say": "oo

<html>504</html>
{"id": 3}{"id": 4}
{"id": 5, "city": "Z\xc3"}
{"id": 6}"""

print("\nLines that may be damaged, cut anywhere:")
for value, error in documents_of(DAMAGED[i : i + 7] for i in range(0, len(DAMAGED), 7)):
    print(value, "complete" if error is None else error.code)

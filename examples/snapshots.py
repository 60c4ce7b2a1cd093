"""Turn the snapshots of a source back into the text that it has read.

python examples/snapshots.py
"""

import json

from midstream import JsonStreamChunker

# what a framework returns after each step: the complete value so far, with its keys in any order
SNAPSHOTS = [
    {"name": "Le"},
    {"name": "Lemon cake"},
    {"serves": 8, "name": "Lemon cake", "steps": []},
    {"steps": [{"do": "Mix", "use": "bowl"}], "name": "Lemon cake", "serves": 8},
    {"steps": [{"do": "Mix all", "use": "bowl"}], "name": "Lemon cake", "serves": 8},
    {"steps": [{"do": "Mix all.", "use": "bowl"}, {"do": "Ba"}], "name": "Lemon cake", "serves": 8},
    {"steps": [{"do": "Mix all.", "use": "bowl"}, {"do": "Bake"}], "name": "Lemon cake", "serves": 8},
]

chunker = JsonStreamChunker()
text = ""
for snapshot in SNAPSHOTS:
    chunk = chunker.process(snapshot)
    print(repr(chunk))
    text += chunk
chunk = chunker.flush()
print(repr(chunk))
text += chunk

print(text)
print("the same:", json.loads(text) == SNAPSHOTS[-1])

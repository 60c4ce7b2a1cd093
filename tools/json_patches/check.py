"""Apply the patches of random documents with fast-json-patch, jsonpatch and midstream, in Python and Node.

    python tools/json_patches/check.py [DOCUMENTS] [FOLDER]

FOLDER (default: build/json_patches) keeps Node's packages for the next run. Needs npm with its registry, and
Node. Keys contain what a JSON Pointer escapes, are empty, or come twice; the root may be a scalar. With
``append`` only midstream reads the patches.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonpatch

import midstream

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LIBRARY = ROOT / "src" / "midstream" / "render" / "web" / "midstream.js"
KEYS = ["", "a", "b", "a/b", "~", "~1", "a~0/", "a.b", "0", "-", 'quo"te', "é\U0001f327", " "]
TEXTS = ["", "x", "growing text", "/~1~0", 'a "quote"\n', "\U0001f327 é", "a\\b"]


def text_of(rng: random.Random, depth: int) -> str:
    """Write a random document, in which a key may come twice."""
    kind = rng.randrange(8 if depth else 5)
    if kind < 2:
        return json.dumps(rng.choice(TEXTS) * rng.randrange(1, 4), ensure_ascii=rng.random() < 0.5)
    if kind == 2:
        return json.dumps(rng.choice([0, -7, 12.5, 1e20, 120]))
    if kind < 5:
        return rng.choice(["true", "false", "null"])
    count = rng.randrange(5)
    if kind == 5:
        return f"[{', '.join(text_of(rng, depth - 1) for _ in range(count))}]"
    members = (f"{json.dumps(rng.choice(KEYS))}: {text_of(rng, depth - 1)}" for _ in range(count))
    return f"{{{', '.join(members)}}}"


def stream(rng: random.Random) -> dict[str, Any]:
    """Make the patches of a document cut at random, each with the snapshot after it."""
    text, append = text_of(rng, 4), rng.random() < 0.3
    longest = rng.choice([1, 4, 20])
    updates, values = midstream.JsonFragmentAccumulator(), midstream.JsonValueAccumulator()
    writer = midstream.JsonPatchWriter(append=append)
    steps: list[tuple[Any, Any]] = []
    ours: Any = None
    theirs: Any = None
    places = sorted({0, len(text), *(rng.randrange(len(text) + 1) for _ in range(len(text) // longest))})
    for piece in [*(text[start:end] for start, end in pairwise(places)), None]:
        found = updates.finish() if piece is None else updates.add_fragment(piece)
        _ = values.finish() if piece is None else values.add_fragment(piece)
        if ops := writer.add_updates(found):
            ours = midstream.apply_patch(ours, ops)
            theirs = ours if append else jsonpatch.apply_patch(theirs, ops)
            if not ours == theirs == values.value:
                sys.exit(f"{text!r}: {ops} gave {ours!r} and {theirs!r}, not {values.value!r}")
            steps.append((ops, values.value))
    if ours != json.loads(text):
        sys.exit(f"{text!r} became {ours!r}")
    return {"text": text, "append": append, "steps": steps}


def main() -> int:
    """Make the streams, install the package if it is missing, and apply them in Node."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "build" / "json_patches"
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(2026)
    data = folder / "streams.jsonl"
    data.write_text("".join(json.dumps(stream(rng)) + "\n" for _ in range(count)), "utf-8")
    packages = folder / "node_modules"
    if not packages.exists():
        shutil.copy(HERE / "package.json", folder)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund"], cwd=folder, check=True)
    command: list[str | Path] = ["node", HERE / "apply.mjs", data, packages, LIBRARY]
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())

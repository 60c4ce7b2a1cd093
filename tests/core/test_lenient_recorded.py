"""What the lenient dialect makes of texts with many mistakes is recorded, so that no change is overlooked.

    python tests/core/test_lenient_recorded.py

records it anew after a deliberate change; the difference shows what the change does. `lenient_recorded.jsonl`
has 240 random texts, chosen because together they take the branches of the dialect, each with its value, its
repairs and its error. It does not say what is right, as the table does (`test_lenient_table`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import pytest

from builds import BUILDS, PLAIN

RECORDED = Path(__file__).with_name("lenient_recorded.jsonl")


def outcome(midstream: Any, fragments: list[str]) -> dict[str, Any]:
    """Return the value, the repairs and the error of a text, as JSON has them."""
    accumulator = midstream.JsonValueAccumulator(on_error="event", dialect="lenient")
    for fragment in fragments:
        accumulator.add_fragment(fragment)
    accumulator.finish()
    found: dict[str, Any] = {"repairs": [[str(repair.code), *repair[2:6]] for repair in accumulator.repairs]}
    if accumulator.error is not None:
        found["error"] = [str(accumulator.error.code), accumulator.error.index]
    if accumulator.value is not midstream.UNDEFINED:
        found["value"] = accumulator.value
    return found


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
def test_a_text_comes_to_what_is_recorded(midstream: Any) -> None:
    for row in rows():
        text = row.pop("text")
        for fragments in ([text], [*text]):
            assert json.dumps(outcome(midstream, fragments)) == json.dumps(row), fragments


if __name__ == "__main__":
    lines = (json.dumps({"text": row["text"], **outcome(PLAIN, [row["text"]])}) for row in rows())
    RECORDED.write_text("".join(f"{line}\n" for line in lines), "utf-8")

"""The lenient dialect keeps its promises on any text.

The updates, repairs and positions of a text depend neither on the cut nor on the build, also with limits and
through checkpoints; strict parsing accepts a text exactly if there is no repair and no error, with the same
updates, and otherwise stops where the first repair is; no value that was shown is taken back; and the value
is JSON.
"""

from __future__ import annotations

import json
from typing import Any

from builds import BUILDS
from lenient_texts import CONTENT, MISTAKES, grows, has_duplicates, read
from model import exactly

from .choices import Choices
from .documents import cut, document, has_surrogates

__all__ = ["check"]

TOKENS = ('"', '": ', '", "', '{"a": ', "[", "]", "}", ",", ":", " ", "\n", "1", "x", "true", "\\", "'", "é")


def check(data: bytes) -> None:
    choices = Choices(data)
    limits = {
        "max_depth": choices.pick((1000, 1000, 1, 3)),
        "max_string": choices.pick((None, None, 0, 2, 9)),
        "max_number": choices.pick((4300, 4300, 1, 3)),
        "max_document": choices.pick((None, None, 7, 30)),
        "max_repairs": choices.pick((1000, 1000, 0, 2)),
    }
    text = written(choices)
    expected, _ = read_with(BUILDS["plain"], [text], limits)
    for build in BUILDS.values():
        assert read_with(build, [text], limits)[0] == expected
        pieces = cut(choices, text)
        assert read_with(build, pieces, limits)[0] == expected
        check_checkpoints(choices, build, pieces, limits, expected)
        if not has_surrogates(text):
            assert read_with(build, cut(choices, text.encode()), limits)[0] == expected
        check_strict(build, text)
        check_values(build, text)


def written(choices: Choices) -> str:
    """Write a document and change it, or put pieces together."""
    if choices.one_in(3):
        parts = [choices.pick(TOKENS), choices.pick(MISTAKES), choices.pick(CONTENT)]
        return "".join(choices.pick((*TOKENS, *parts, *MISTAKES)) for _ in range(choices.below(24)))
    text = document(choices)
    for _ in range(choices.below(5)):
        at = choices.below(len(text) + 1)
        length = choices.pick((0, 0, 1, 1, 2, 5))
        text = text[:at] + choices.pick(("", *TOKENS, *MISTAKES)) + text[at + length :]
    return text


def read_with(build: Any, pieces: list[Any], limits: dict[str, Any]) -> tuple[list[Any], Any]:
    return read(build, pieces, limits=build.Limits(**limits))


def check_checkpoints(
    choices: Choices, build: Any, pieces: list[Any], limits: dict[str, Any], expected: list[Any]
) -> None:
    """A saved accumulator continues as one that was never saved, perhaps in the other build."""
    accumulator = build.JsonFragmentAccumulator(
        on_error="event", dialect="lenient", limits=build.Limits(**limits)
    )
    updates = []
    for piece in pieces[:30]:
        updates += accumulator.add_fragment(piece)
        saved = json.loads(json.dumps(accumulator.checkpoint()))
        accumulator = choices.pick([*BUILDS.values()]).JsonFragmentAccumulator.restore(saved)
        assert json.loads(json.dumps(accumulator.checkpoint())) == saved
    for piece in pieces[30:]:
        updates += accumulator.add_fragment(piece)
    updates += accumulator.finish()
    kinds = [str(update.kind) for update in updates if update.kind != "PartialString"]
    assert kinds == [row[0] for row in expected if row[0] != "PartialString"]
    repairs = [update.repair for update in updates if update.kind == "Repair"]
    assert list(map(tuple, accumulator.repairs)) == list(map(tuple, repairs))


def check_strict(build: Any, text: str) -> None:
    """Strict parsing stops where the first repair is, or says the same."""
    strict, other = read(build, [text], "strict")
    rows, accumulator = read(build, [text])
    indices = [repair.index for repair in accumulator.repairs]
    assert indices == sorted(indices)
    if not accumulator.repairs:
        # what is no JSON at all has its error at its beginning
        assert rows == strict if accumulator.error is None or other.error is None else True
        return
    first = accumulator.repairs[0]
    assert other.error is not None
    assert (first.index, first.line, first.column) == tuple(other.error[2:5])


def check_values(build: Any, text: str) -> None:
    """No value is taken back but by an equal key; what remains is JSON, and what the updates build."""
    updates = build.JsonFragmentAccumulator(on_error="event", dialect="lenient").add_fragment(text)
    accumulator = build.JsonValueAccumulator(on_error="event", dialect="lenient")
    last = build.UNDEFINED
    for character in text:
        accumulator.add_fragment(character)
        value = accumulator.value
        assert last is build.UNDEFINED or has_duplicates(updates) or grows(last, value)
        last = value
    accumulator.finish()
    rebuilder = build.JsonFragmentRebuilder()
    rebuilder.apply(updates)
    if accumulator.error is None and rebuilder.is_complete:
        assert exactly(rebuilder.value) == exactly(accumulator.value)
    written = json.dumps(accumulator.value) if accumulator.error is None else "Infinity"
    if "Infinity" not in written:
        # a number may be larger than all others
        [again] = build.parse_partial(f"[{written}]")
        assert exactly(again) == exactly(accumulator.value)

"""The chunks of a stream of snapshots are one JSON text, and its value is the last snapshot.

After every snapshot what is written is a part of it, and no more than is certain (`chunker_source` weighs
both with rules of its own). A contradiction raises `JsonStreamError` and nothing else, and leaves no trace:
a chunker that never saw it writes the same. With "override" the last of equal keys counts, and the value is
that of the last snapshot that was taken.
"""

from __future__ import annotations

import json
from typing import Any

from builds import PLAIN
from chunker_source import (
    Certainty,
    Readable,
    document,
    identical,
    is_part,
    shuffled,
    size,
    snapshots,
    weight,
)

from .choices import Choices, Dice
from .documents import altered

__all__ = ["check"]

Chunker: Any = PLAIN.JsonStreamChunker


def check(data: bytes) -> None:
    choices = Choices(data)
    kind = choices.below(4)
    dice = Dice(choices)
    value = document(dice, 3)
    if size(value) > 300:
        return
    stream = list(snapshots(dice, value))[:60]
    if kind == 0:
        check_stream(choices, value, stream)
    elif kind == 1:
        check_readings(choices, stream)
    elif kind == 2:
        check_contradictions(choices, stream)
    else:
        check_overrides(choices, stream)


def as_given(choices: Choices, value: Any) -> Any:
    """Return a snapshot as text, as bytes or as a value."""
    kind = choices.below(3)
    if kind == 2 and not isinstance(value, str):
        return value
    text = json.dumps(value, ensure_ascii=kind == 0)
    if kind == 0:
        return text.encode()
    return text


def check_stream(choices: Choices, value: Any, stream: list[Any]) -> None:
    chunker, readable, certainty = Chunker(), Readable(), Certainty()
    for snapshot in stream:
        out = readable.add(chunker.process(as_given(choices, snapshot)))
        assert is_part(out, snapshot)
        assert weight(out) <= certainty.learn(snapshot), "more is out than is certain"
    last = readable.add(chunker.flush())
    assert identical(last, stream[-1])
    assert readable.closing == []
    assert chunker.flush() == ""


def check_readings(choices: Choices, stream: list[Any]) -> None:
    chunker = Chunker(tentative_nulls=choices.below(2) == 1, tentative_numbers=choices.below(2) == 1)
    text = "".join([chunker.process(as_given(choices, snapshot)) for snapshot in stream])
    assert identical(Readable().add(text + chunker.flush()), stream[-1])


def contradicted(choices: Choices, snapshot: Any) -> Any:
    for _ in range(1 + choices.below(2)):
        snapshot = altered(choices, [snapshot])
        snapshot = snapshot[0] if snapshot else None
    return shuffled(Dice(choices), snapshot)


def check_contradictions(choices: Choices, stream: list[Any]) -> None:
    disturbed, plain = Chunker(), Chunker()
    text = ""
    taken: list[Any] = []
    for snapshot in stream:
        if choices.one_in(2):
            other = contradicted(choices, snapshot)
            try:
                text += disturbed.process(as_value(other))
            except PLAIN.JsonStreamError:
                pass
            else:
                # taken: from here on the two differ
                taken = [other]
                break
        chunk = plain.process(as_value(snapshot))
        assert disturbed.process(as_value(snapshot)) == chunk
        text += chunk
        taken = [snapshot]
    if taken:
        assert identical(json.loads(text + disturbed.flush()), taken[0])


def check_overrides(choices: Choices, stream: list[Any]) -> None:
    chunker = Chunker(
        on_conflict="override",
        tentative_nulls=choices.below(2) == 1,
        tentative_numbers=choices.below(2) == 1,
    )
    text = ""
    taken: list[Any] = []
    for snapshot in stream:
        shown = contradicted(choices, snapshot) if choices.one_in(3) else snapshot
        try:
            text += chunker.process(as_value(shown))
            taken = [shown]
        except PLAIN.JsonStreamError:
            continue
    if taken:
        assert identical(json.loads(text + chunker.flush()), taken[0])


def as_value(value: Any) -> Any:
    """Return a snapshot as a value, as far as that can be: a string would be read as the text of one."""
    return json.dumps(value) if isinstance(value, str) else value

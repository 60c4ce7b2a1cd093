"""States of the pure parser branch freely: each is what its text says, whatever grew from it or beside it.

Chunks are added to states picked at random. Every state has the mode, place, error, nodes and value that
parsing its text in one go gives, on both builds; its value is `json.loads` of that text once complete; and
no state has changed when all is over.
"""

from __future__ import annotations

import json
from typing import Any

from builds import BUILDS
from model import NaiveParser, exactly

from .choices import Choices
from .documents import anything, cut

__all__ = ["check"]


def check(data: bytes) -> None:
    choices = Choices(data)
    after_root = choices.pick(("error", "ignore"))
    texts = [anything(choices) for _ in range(1 + choices.below(2))]
    fragments = [fragment for text in texts for fragment in cut(choices, text)]
    plan = [(choices.below(6), fragment) for fragment in fragments[:40]]
    results = [branch(build, after_root, plan) for build in BUILDS.values()]
    for other in results[1:]:
        assert other == results[0]


def branch(build: Any, after_root: str, plan: list[tuple[int, Any]]) -> list[str]:
    states: list[tuple[Any, tuple[Any, ...]]] = [(build.create_parser_state(after_root=after_root), ())]
    results = []
    for back, fragment in plan:
        state, chunks = states[max(0, len(states) - 1 - back)]
        after = build.parse_chunk(state, fragment)
        states.append((after, (*chunks, fragment)))
        results.append(shown(build, after))
    for (state, chunks), before in zip(states[1:], results, strict=True):
        assert shown(build, state) == before, "a state has changed"
        check_state(build, after_root, state, chunks)
    return results


def shown(build: Any, state: Any) -> str:
    """Return everything that a state reports."""
    return exactly(
        (
            json.dumps(build.dump_state(state)),
            str(state.mode),
            (state.index, state.line, state.column),
            state.stack,
            state.next_id,
            state.is_complete,
            state.error and (str(state.error.code), *state.error[1:]),
            None if state.root is None else state.root.resolved_value,
            [node.id for node in state.nodes],
        )
    )


def check_state(build: Any, after_root: str, state: Any, chunks: tuple[Any, ...]) -> None:
    model = NaiveParser(after_root)
    straight = build.create_parser_state(after_root=after_root)
    for chunk in joined(chunks):
        straight = build.parse_chunk(straight, chunk)
    for chunk in chunks:
        model.add(chunk)
    assert state == straight
    assert (state.index, state.line, state.column) == model.position
    assert state.is_complete == model.is_complete
    assert (state.error is not None) is model.dead
    end = build.finalize(state)
    model.finish()
    assert (end.error is not None) is model.dead
    text: Any = joined(chunks)
    if after_root == "error" and not model.dead and len(text) == 1 and isinstance(text[0], str):
        value = json.loads(text[0].removeprefix("\ufeff"))
        assert exactly(build.get_resolved_value(end)) == exactly(value)


def joined(chunks: tuple[Any, ...]) -> list[Any]:
    """Join what is of one type and side by side."""
    complete: list[Any] = []
    for chunk in chunks:
        if complete and type(complete[-1]) is type(chunk):
            complete[-1] += chunk
        elif chunk:
            complete.append(chunk)
    return complete

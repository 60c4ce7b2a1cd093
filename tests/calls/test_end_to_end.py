"""Tool calls from the server to the client: what arrives is what the model wrote."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from call_messages import (
    CUT,
    SIGNALLED,
    WAYS,
    U,
    collect,
    containers,
    fewer,
    for_build,
    sent,
    third,
)
from midstream.calls.messages import (
    MessageEnd,
)
from model import exactly, pieces
from test_invariants import documents, each_build

STYLES = ["id", "index", "both", "id first", "index 0", "all"]


def interleaved(
    rng: random.Random, texts: list[str], style: str, message_id: str | None = None, choice: int = 0
) -> list[list[Any]]:
    """Cut texts into the updates of calls: per call a list, named in a way that a provider might choose."""
    calls = []
    for number, text in enumerate(texts):
        cut = sorted(rng.randint(0, len(text)) for _ in range(rng.randint(0, 5)))
        id, name = f"{message_id}-{choice}-{number}", f"tool{number}"
        updates = []
        for place, piece in enumerate(pieces(text, cut)):
            first = place == 0
            index = 0 if style == "index 0" else number
            updates.append(
                U(
                    id if style in ("id", "both", "all", "index 0") or first else None,
                    index if style != "id" else None,
                    name if style == "all" or first else None,
                    piece or rng.choice([None, ""]),
                    message_id=message_id,
                    choice=choice,
                )
            )
        calls.append(updates)
    return calls


def shuffled(rng: random.Random, lists: list[list[Any]]) -> list[Any]:
    """Mix lists, each in its own order; the first of each come in order, as calls begin."""
    merged = [items.pop(0) for items in lists if items]
    while any(lists):
        merged.append(rng.choice([items for items in lists if items]).pop(0))
    return merged


@each_build
@given(
    texts=st.lists(documents, min_size=1, max_size=4),
    seed=st.integers(0, 2**64),
    style=st.sampled_from(STYLES),
    way=st.sampled_from(WAYS),
)
@third
def test_end_to_end_equals_json_loads(
    midstream: Any, texts: list[str], seed: int, style: str, way: str
) -> None:
    rng = random.Random(seed)
    places = [(message_id, choice) for message_id in ("m", None) for choice in (0, 1)]
    places = places[: rng.randint(1, 4)]
    calls = [call for place in places for call in interleaved(rng, texts, style, *place)]
    stream = shuffled(rng, calls)
    stream += [MessageEnd("stop", message_id=message_id) for message_id, choice in places if choice == 0]
    handler = midstream.ToolsAggregateMessageHandler()
    for message in sent(midstream, way, stream):
        handler.add_message(message)
    for message_id in {message_id for message_id, _ in places}:
        choices = sum(place[0] == message_id for place in places)
        ended = handler.complete(message_id)
        assert [call.raw_args for call in ended] == texts * choices
        for call, text in zip(ended, texts * choices, strict=True):
            assert call.is_complete
            assert call.error is None
            assert exactly(call.args) == exactly(json.loads(text))
            assert call.open_path is None
            assert call.finish_reason == "stop"
    assert handler.message_ids == []


@each_build
@given(
    texts=st.lists(containers, min_size=1, max_size=4),
    seed=st.integers(0, 2**64),
    style=st.sampled_from(STYLES),
    way=st.sampled_from(WAYS),
    end=st.sampled_from([None, SIGNALLED]),
)
@third
def test_end_to_end_cut_anywhere_is_never_complete(
    midstream: Any, texts: list[str], seed: int, style: str, way: str, end: Any
) -> None:
    rng = random.Random(seed)
    stream = shuffled(rng, interleaved(rng, [text.strip() for text in texts], style))
    cut = rng.randint(len(texts), len(stream))
    stream = stream[:cut]
    if stream[-1].function_args and rng.random() < 0.5:
        # inside a piece too
        stream[-1] = stream[-1]._replace(function_args=stream[-1].function_args[: rng.randint(0, 9)])
    # a call without any arguments may be one that needs none, if the end is signalled
    for call in collect(midstream, sent(midstream, way, [*stream, *([] if end is None else [end])])):
        complete = texts[int(call.name.removeprefix("tool"))].strip()
        assert complete.startswith(call.raw_args)
        assert call.is_complete is (call.raw_args == complete or (call.raw_args == "" and end is not None))
        assert (call.error is None) is call.is_complete
        if not call.is_complete:
            assert call.error.code == "truncated"


@each_build
@given(
    texts=st.lists(documents, min_size=1, max_size=3),
    seed=st.integers(0, 2**64),
    style=st.sampled_from(STYLES),
)
@fewer
def test_end_to_end_cut_by_the_provider(midstream: Any, texts: list[str], seed: int, style: str) -> None:
    """Whatever the last content belonged to is cut, however complete it looks."""
    rng = random.Random(seed)
    stream = shuffled(rng, interleaved(rng, texts, style))
    stream = [update for update in stream if update.function_args or update.function_name]
    stream = stream[: rng.randint(1, len(stream))]
    handler = midstream.ToolsAggregateMessageHandler()
    for message in sent(midstream, "raw", stream[:-1]):
        handler.add_message(message)
    before = [*handler.calls(), None]
    handler.add_message(for_build(midstream, stream[-1]))
    changed = [new.id for new, old in zip(handler.calls(), before, strict=False) if new is not old]
    assume(changed)
    (last,) = changed
    for call in handler.add_message(for_build(midstream, CUT)):
        if call.id == last:
            assert not call.is_complete
            assert call.error.code == "truncated"
        elif call.raw_args:
            complete = texts[int(call.name.removeprefix("tool"))]
            assert call.is_complete or complete != call.raw_args

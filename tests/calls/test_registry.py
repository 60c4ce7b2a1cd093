"""Which call a piece belongs to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from call_messages import TWO_WAYS, WAYS, U, collect, sent
from identified_calls import IDENTIFIED, Case
from midstream.calls.messages import MessageEnd
from model import exactly
from test_invariants import each_build


def check_identified(midstream: Any, case: Case, way: str) -> None:
    calls = collect(midstream, sent(midstream, way, [*case.stream, MessageEnd("stop")]))
    assert [(call.id, call.name, call.raw_args) for call in calls] == case.calls
    for call in calls:
        try:
            value = json.loads(call.raw_args)
        except ValueError:
            assert not call.is_complete
            assert call.error.code == "trailing_text"
        else:
            assert call.is_complete
            assert call.error is None
            assert exactly(call.args) == exactly(value)


@each_build
@pytest.mark.parametrize("way", TWO_WAYS)
@pytest.mark.parametrize("case", IDENTIFIED, ids=lambda case: case.name)
def test_identified(midstream: Any, case: Case, way: str) -> None:
    check_identified(midstream, case, way)


@each_build
@pytest.mark.parametrize("way", WAYS)
def test_identified_within_message_and_choice(midstream: Any, way: str) -> None:
    stream = [U(f"{m}{c}", 0, "f", None, None, m, c) for m in ("m", "n") for c in (0, 1)] + [
        U(None, 0, None, f'["{m}{c}"]', None, m, c) for c in (1, 0) for m in ("n", "m")
    ]
    handler = midstream.ToolsAggregateMessageHandler()
    for message in sent(midstream, way, stream):
        handler.add_message(message)
    assert handler.message_ids == ["m", "n"]
    for message_id in ("n", "m"):
        calls = handler.complete(message_id)
        assert [(call.id, call.args) for call in calls] == [
            (f"{message_id}{c}", [f"{message_id}{c}"]) for c in (0, 1)
        ]
    assert handler.message_ids == []

"""The shortcuts of the form ``full``: events from templates, and messages read without the general way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builds import BUILDS
from midstream.sse import SseDecoder

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
TEXTS = st.text(st.sampled_from('ab.["\\ \n\ud83d\ude00é\U0001f600'), max_size=5)


def event_of(entry: bytes) -> Any:
    (event,) = SseDecoder().add_bytes(entry)
    data = json.loads(event.data)
    assert event.event == data["type"]
    return data


class Model:
    """What an event repeats, decided from the wire forms of all updates so far."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []

    def cleaned(self, wire: dict[str, Any]) -> dict[str, Any]:
        found, text = dict(wire), wire.get("textValue")
        if isinstance(text, str) and found.get("value") == text:
            del found["value"]
        if wire["kind"] == "PartialString":
            if self.parts and self.parts[-1]["path"] != wire["path"]:
                self.parts.clear()
            self.parts.append(wire)
        elif wire["kind"] == "CompleteString":
            is_here = bool(self.parts) and self.parts[-1]["path"] == wire["path"]
            if text and is_here and len(text) == sum(len(part["textValue"]) for part in self.parts):
                del found["textValue"]
            self.parts.clear()
        return found


@each_build
def test_the_templates_know_all_fields(midstream: Any) -> None:
    """A new field of an update belongs into `members_of`, and into the shortcut of the reader."""
    assert midstream.ToolCallUpdate._fields == (
        "tool_call_id", "index", "function_name", "function_args", "json_update_fragments", "message_id",
        "choice", "is_free_text", "args_offset", "repairs",
    )  # fmt: skip


@each_build
@given(data=st.data())
def test_events_from_templates_are_the_plain_form(midstream: Any, data: Any) -> None:
    text = json.dumps(data.draw(st.recursive(
        st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6,
    )), ensure_ascii=data.draw(st.booleans()))  # fmt: skip
    size, together = data.draw(st.integers(1, 9)), data.draw(st.booleans())
    fields: dict[str, Any] = data.draw(st.fixed_dictionaries({}, optional={
        "tool_call_id": TEXTS, "index": st.integers(0, 3) | TEXTS, "function_name": TEXTS,
        "message_id": TEXTS, "choice": st.integers(0, 2),
    }))  # fmt: skip
    middleware, writer, model = midstream.JsonFragmentUpdateMiddleware(), midstream.EventWriter(), Model()
    for start in range(0, len(text), size):
        piece = midstream.ToolCallUpdate(function_args=text[start : start + size], **fields)
        (update,) = middleware.add_message(piece)
        plain = midstream.to_event(update)
        plain["json_update_fragments"] = [model.cleaned(item) for item in plain["json_update_fragments"]]
        if together:
            found = event_of(writer.add_message(midstream.ToolCallsUpdate([update], "m")))
            assert (found.pop("type"), found.pop("message_id")) == ("tools_call_update", "m")
            (found,) = found["tool_call_updates"]
            del plain["type"]
        else:
            found = event_of(writer.add_message(update))
        # one reader after the other joins pairs of surrogates
        assert json.loads(json.dumps(found)) == json.loads(json.dumps(plain))
        assert list(found) == list(plain)


# path, kind, text and value
ODD: list[tuple[Any, ...]] = [
    ("root", "CompleteNumber", "12", 12), ("root", "CompleteNumber", "-0", 0),
    ("root", "CompleteNumber", "1e2", 100.0), ("root", "CompleteNumber", "9" * 30, int("9" * 30)),
    ("root", "CompleteNumber", "1e999", float("inf")), ("root", "CompleteNumber", None, 5),
    ("root", "CompleteNumber", "5", True), ("root", "CompleteNumber", "5"),
    ("root", "CompleteBoolean", "true", True), ("root", "CompleteBoolean", None, False),
    ("root", "CompleteNull", "null"), ("root.a", "Key", "b", "b"), ("root.a", "Key", "b"),
    ("root.a", "Key", "b", "other"), ("root.a", "StartString"), ("root.a", "PartialString", ""),
    ("root.a", "PartialString", "x"), ("root.a", "CompleteString", "x", "x"),
    ("root.a", "CompleteString", ""), ("root.a", "CompleteString", "x", "y"),
    ("root.a", "PartialString", "x"),
    ('root["a\\"b"][3]', "CompleteString", "x", "x"), ("root", "EndObject"), ("", "StartArray"),
    ("[0]", "StartObject"), ("root", "JsonComplete", "unexpected"), ("root", "Error", "the message"),
]  # fmt: skip


@each_build
def test_any_update_is_written_as_its_wire_form(midstream: Any) -> None:
    updates = [midstream.JsonFragmentUpdate(*parts) for parts in ODD]
    updates += midstream.JsonFragmentAccumulator(on_error="event").add_fragment("x")
    updates += midstream.JsonFragmentAccumulator(dialect="lenient").add_fragment("{a: 'b',}")
    assert {"Repair", "Error", "CompleteNull"} < {update.kind.value for update in updates}
    writer, model = midstream.EventWriter(), Model()
    for update in updates:
        found = event_of(
            writer.add_message(midstream.ToolCallUpdate(index=0, json_update_fragments=[update]))
        )
        assert found["json_update_fragments"] == [model.cleaned(midstream.to_wire(update))]


@each_build
@given(TEXTS, st.none() | TEXTS, st.integers(0, 2))
def test_a_text_from_a_template_is_the_plain_form(
    midstream: Any, text: str, id: str | None, choice: int
) -> None:
    message = midstream.TextDelta(text, id, choice)
    found, plain = event_of(midstream.EventWriter().add_message(message)), midstream.to_event(message)
    assert found == json.loads(json.dumps(plain))
    assert list(found) == list(plain)


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, 0, 1, -1, True, False, "", "a", 1.5, [], {}, [{"path": "root", "kind": "StartObject"}]]
)
FIELDS = [
    "tool_call_id", "index", "function_name", "function_args", "json_update_fragments", "message_id",
    "choice", "is_free_text", "args_offset", "tool_call_updates", "type",
]  # fmt: skip


@each_build
@given(
    fields=st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4),
    form=st.sampled_from(["full", "compact"]),
)
def test_an_update_read_by_the_shortcut_is_that_of_from_event(midstream: Any, fields: Any, form: str) -> None:
    usual = {
        "type": "tools_call_update",
        "index": 0,
        "function_args": "x",
        "json_update_fragments": [],
        "args_offset": 0,
    }
    event = usual | fields
    start = midstream.EventWriter(form).start(message_id="s")
    expected: Any
    try:
        ids = {"message_id": "s"} if form == "compact" and "message_id" not in event else {}
        message = midstream.from_event(event | ids)
        expected = [] if message is None else [message]
    except midstream.JsonStreamError as error:
        expected = error.code
    reader = midstream.EventReader()
    reader.add_bytes(start)
    found: Any
    try:
        found = reader.add_bytes(f"event: tools_call_update\ndata: {json.dumps(event)}\n\n".encode())
    except midstream.JsonStreamError as error:
        found = error.code
    assert found == expected

"""Several outputs of one stream stay apart, and no part of them is dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from midstream import (
    JsonStreamError,
    MessageEnd,
    Other,
    ProviderError,
    ReasoningDelta,
    RefusalDelta,
    ServerToolResult,
    ServerToolUpdate,
    TextDelta,
    ToolResult,
    Usage,
    messages,
    text_deltas,
    tool_calls,
)
from provider_streams.openai_chat import chunk

if TYPE_CHECKING:
    from provider_streams import Event


def read(events: list[Event], format: Any = None) -> list[Any]:
    found = list(messages(events, format))
    return [message._replace(raw=None) if isinstance(message, Usage) else message for message in found]


def response(kind: str, **fields: Any) -> Event:
    return {"type": f"response.{kind}", **fields}


def said(number: int, piece: str, kind: str = "output_text", **fields: Any) -> Event:
    return response(f"{kind}.delta", item_id=f"msg_{number}", output_index=number, delta=piece, **fields)


def message(number: int, kind: str, content: str = "", **fields: Any) -> Event:
    parts = [{"type": "output_text", "text": content}] if content else []
    item = {"type": "message", "id": f"msg_{number}", "content": parts, **fields}
    return response(f"output_item.{kind}", output_index=number, item=item)


CREATED = response("created", response={"id": "r"})
COMPLETED = response("completed", response={"id": "r", "status": "completed"})
INCOMPLETE = response(
    "incomplete", response={"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
)


# --- messages of one response


def test_two_messages_of_a_response() -> None:
    """A commentary, then the answer."""
    events = [
        *(CREATED, message(0, "added"), said(0, "I'll look."), message(0, "done", "I'll look.")),
        *(
            message(1, "added"),
            said(1, "Su"),
            said(1, "nny"),
            message(1, "done", "Sunny", status="completed"),
        ),
        COMPLETED,
    ]
    assert read(events) == [
        TextDelta("I'll look."),
        TextDelta("Su", "msg_1"),
        TextDelta("nny", "msg_1"),
        MessageEnd("completed", message_id="msg_1"),
        MessageEnd("completed"),
    ]
    # the next response begins again
    assert read([*events, *events])[5:] == read(events)
    assert list(text_deltas(events)) == ["I'll look.", "Su", "nny"]


def test_messages_of_a_response_that_interleave() -> None:
    events = [
        *(CREATED, message(0, "added"), message(1, "added"), said(1, "B"), said(0, "A")),
        *(said(1, "b"), said(0, "a"), message(0, "done", "Aa"), message(1, "done", "Bb"), COMPLETED),
    ]
    found = read(events)
    for id, text in ((None, "Aa"), ("msg_1", "Bb")):
        pieces = [part.text for part in found if isinstance(part, TextDelta) and part.message_id == id]
        assert "".join(pieces) == text


def test_a_response_that_is_cut_off_ends_all_its_messages() -> None:
    events = [CREATED, said(0, "A"), said(1, "B"), message(1, "done", "B", status="incomplete"), INCOMPLETE]
    assert read(events)[2:] == [
        MessageEnd("max_output_tokens", True, "msg_1"),
        MessageEnd("max_output_tokens", True),
    ]


def test_a_refusal_after_a_commentary() -> None:
    events = [CREATED, said(0, "Hm. "), said(1, "No.", "refusal"), message(1, "done"), COMPLETED]
    assert read(events)[1] == RefusalDelta("No.", "msg_1")
    with pytest.raises(JsonStreamError) as caught:
        list(text_deltas(events))
    assert caught.value.code == "refused"


def test_outputs_that_came_without_deltas() -> None:
    """Reasoning, its summary and annotations are in the item alone."""
    cited = {"type": "url_citation", "url": "https://example.org"}
    thought = {
        "type": "reasoning", "id": "rs", "encrypted_content": "x",
        "summary": [{"type": "summary_text", "text": "S"}],
        "content": [{"type": "reasoning_text", "text": "T"}],
    }  # fmt: skip
    text = {"type": "message", "content": [{"type": "output_text", "text": "Hi", "annotations": [cited]}]}
    expected = [
        ReasoningDelta("S", "summary"),
        ReasoningDelta("T"),
        ReasoningDelta("", "redacted", "x"),
        TextDelta("Hi"),
        Other("annotation", cited),
        MessageEnd("completed"),
    ]
    done = [
        response("output_item.done", output_index=at, item=item) for at, item in enumerate((thought, text))
    ]
    assert read([CREATED, *done, COMPLETED]) == expected
    complete = response("completed", response={"status": "completed", "output": [thought, text]})
    assert read([complete]) == expected
    # what came as deltas is not repeated
    delta = said(0, "S", "reasoning_summary_text")
    assert read([CREATED, delta, done[0]]) == [expected[0], expected[2]]


def test_log_probabilities_of_a_response() -> None:
    logprobs = [{"token": "H", "logprob": -0.1}]
    assert read([said(0, "H", logprobs=logprobs)]) == [TextDelta("H"), Other("logprobs", logprobs)]
    assert read([said(0, "H", logprobs=[])]) == [TextDelta("H")]


def test_realtime_responses_that_interleave() -> None:
    """What is repeated when a call ends is not read again, though another response has begun."""

    def call(response_id: str, kind: str, **fields: Any) -> Event:
        place = {"response_id": response_id, "item_id": f"i{response_id}", "output_index": 0}
        return response(f"function_call_arguments.{kind}", call_id=f"c{response_id}", **place, **fields)

    events = [
        *(response("created", response={"id": "1"}), call("1", "delta", delta='{"a": 1}')),
        *(response("created", response={"id": "2"}), call("2", "delta", delta="{}")),
        *(call("1", "done", name="f", arguments='{"a": 1}'), call("2", "done", name="g", arguments="{}")),
        *(response("done", response={"id": id, "status": "completed"}) for id in "12"),
    ]
    *_, calls = tool_calls(events)
    assert [(call.id, call.args, call.is_complete) for call in calls] == [
        ("c1", {"a": 1}, True),
        ("c2", {}, True),
    ]
    # of a call without an item, the end has the name
    *_, [call_] = tool_calls([call("1", "done", name="f", arguments="{}"), events[-2]])
    assert (call_.name, call_.is_complete) == ("f", True)


def test_all_of_a_realtime_response_has_its_id() -> None:
    events = [
        response("output_text.delta", response_id="r", item_id="i", output_index=0, delta="A"),
        response("refusal.delta", response_id="r", item_id="i", output_index=0, delta="B"),
        response("reasoning_text.delta", response_id="r", item_id="j", output_index=1, delta="C"),
        response("done", response={"id": "r", "status": "completed"}),
    ]
    assert [part.message_id for part in read(events)] == ["r"] * 4


def test_messages_of_an_agent_that_interleave() -> None:
    def event(kind: str, id: str | None = None, **fields: Any) -> Event:
        return {"type": kind, **({"messageId": id} if id else {}), **fields}

    events = [
        event("TEXT_MESSAGE_CONTENT", "m1", delta="A"),
        event("TEXT_MESSAGE_CONTENT", "m2", delta="B"),
        event("TEXT_MESSAGE_CONTENT", "m1", delta="a"),
        *(event("TEXT_MESSAGE_END", id) for id in ("m1", "m2")),
        event("TEXT_MESSAGE_CHUNK", "m3", delta="C"),
        event("TEXT_MESSAGE_CHUNK", delta="c"),
    ]
    expected = [
        *(TextDelta("A"), TextDelta("B", "m2"), TextDelta("a"), MessageEnd(message_id="m2")),
        *(TextDelta("C", "m3"), TextDelta("c", "m3")),
    ]
    ends: list[tuple[Event, list[Any]]] = [
        (event("RUN_FINISHED"), [MessageEnd("success", message_id="m3"), MessageEnd("success")]),
        (
            event("RUN_ERROR", message="Oh"),
            [ProviderError("error", "Oh"), MessageEnd("error", True, "m3"), MessageEnd("error", True)],
        ),
    ]
    for end, ended in ends:
        assert read([*events, end]) == [*expected, *ended]


# --- parts that had no place


def test_the_content_of_a_chunk_may_be_a_list() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
    content = [thought, {"type": "text", "text": "Hi"}, image, {"type": "refusal", "refusal": "No"}]
    assert read([chunk({"content": content})]) == [
        ReasoningDelta("Hm"),
        TextDelta("Hi"),
        Other("image_url", image),
        RefusalDelta("No"),
    ]
    odd = {"reasoning": {"effort": "low"}, "refusal": ["No"], "content": {"text": "Hi"}}
    assert read([chunk(odd)]) == [Other(name, value) for name, value in odd.items()]


def test_an_error_inside_a_choice() -> None:
    """OpenRouter sends it with the finish reason, or beside the choices."""
    error = {"code": 502, "message": "Provider returned error"}
    failed = chunk({"content": "i"}, "error")
    choice = {**failed["choices"][0], "error": error}
    assert read([chunk({"content": "H"}), {**failed, "choices": [choice]}]) == [
        TextDelta("H"),
        TextDelta("i"),
        ProviderError("error", "Provider returned error", 502),
        MessageEnd("error", True, choice=0),
    ]
    used = {"prompt_tokens": 1, "completion_tokens": 2}
    assert read([chunk({"content": "H"}), {**failed, "error": error, "usage": used}]) == [
        TextDelta("H"),
        Usage(1, 2),
        TextDelta("i"),
        ProviderError("error", "Provider returned error", 502),
        MessageEnd("error", True),
    ]


def test_parts_of_the_end_of_a_message() -> None:
    delta = {"stop_reason": "stop_sequence", "stop_sequence": "###", "container": {"id": "c"}}
    edits = {"applied_edits": [{"type": "clear_tool_uses"}]}
    events = [{"type": "message_delta", "delta": delta, "context_management": edits}]
    assert read(events) == [
        Other("stop_sequence", "###"),
        Other("container", {"id": "c"}),
        Other("context_management", edits),
        MessageEnd("stop_sequence"),
    ]


def test_parts_of_a_candidate() -> None:
    ratings = [{"category": "HARM_CATEGORY_HARASSMENT", "probability": "LOW"}]
    parts = [
        {"toolCall": {"id": "t", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}}},
        {"toolResponse": {"id": "t", "toolType": "GOOGLE_SEARCH_WEB", "response": {"n": 1}}},
        {"audioTranscription": {"text": "Hi"}},
    ]
    events = [
        {"candidates": [{"content": {"parts": parts}, "safetyRatings": ratings}]},
        {
            "candidates": [
                {
                    "content": {},
                    "finishReason": "MALFORMED_FUNCTION_CALL",
                    "finishMessage": "Malformed function call: f(",
                    "safetyRatings": ratings,
                }
            ]
        },
    ]
    assert read(events) == [
        ServerToolUpdate("t", "GOOGLE_SEARCH_WEB", '{"queries":["x"]}'),
        ServerToolResult("t", "GOOGLE_SEARCH_WEB", {"n": 1}),
        Other("audioTranscription", {"text": "Hi"}),
        Other("safetyRatings", ratings),
        Other("finishMessage", "Malformed function call: f("),
        MessageEnd("MALFORMED_FUNCTION_CALL", True, choice=0),
    ]
    assert list(tool_calls(events))[-1] == []


def test_speech_of_pydantic_ai() -> None:
    delta = {"part_delta_kind": "speech", "transcript_delta": "Hi"}
    assert read([{"event_kind": "part_delta", "index": 0, "delta": delta}]) == [Other("speech", delta)]


def test_usage_while_an_interaction_runs() -> None:
    used = {"total_input_tokens": 9, "total_output_tokens": 2}
    delta = {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": "Hi"}}
    done = {"status": "completed", "usage": {**used, "total_output_tokens": 3}}
    assert read([
        {**delta, "metadata": {"total_usage": used}},
        {"event_type": "step.stop", "index": 0, "usage": used},
        {"event_type": "interaction.status_update", "status": "requires_action"},
        {"event_type": "interaction.completed", "interaction": done},
    ])[:3] == [TextDelta("Hi"), Usage(9, 2), Usage(9, 3)]  # fmt: skip


def test_results_and_errors_of_an_interaction() -> None:
    result = {"type": "function_result", "call_id": "c", "result": "22"}
    failed = {"type": "model_output", "content": [], "error": {"code": 8, "message": "Oh"}}
    assert read([
        {"event_type": "step.start", "index": 0, "step": result},
        {"event_type": "step.delta", "index": 1, "delta": result},
        {"event_type": "step.start", "index": 2, "step": failed},
    ]) == [ToolResult("c", "22"), ToolResult("c", "22"), ProviderError("error", "Oh")]  # fmt: skip


def test_metadata_and_signatures_of_vercels_interface() -> None:
    signed = {"providerMetadata": {"anthropic": {"signature": "sig"}}}
    used = {"totalUsage": {"inputTokens": 9}}
    assert read([
        {"type": "start", "messageMetadata": {"model": "m"}},
        {"type": "reasoning-start", "id": "0"},
        {"type": "reasoning-delta", "id": "0", "delta": "Hm"},
        {"type": "reasoning-end", "id": "0", **signed},
        {"type": "message-metadata", "messageMetadata": {"n": 1}},
        {"type": "finish", "finishReason": "stop", "messageMetadata": used},
    ]) == [
        Other("message-metadata", {"model": "m"}),
        ReasoningDelta("Hm"),
        ReasoningDelta("", signature="sig"),
        Other("message-metadata", {"n": 1}),
        Other("message-metadata", used),
        MessageEnd("stop"),
    ]  # fmt: skip


def test_the_end_of_an_agents_run() -> None:
    outcome = {"type": "interrupt", "interrupts": [{"id": "i", "reason": "approve"}]}
    assert read([{"type": "RUN_FINISHED", "result": {"n": 1}, "outcome": outcome}]) == [
        Other("result", {"n": 1}),
        Other("interrupts", outcome["interrupts"]),
        MessageEnd("interrupt"),
    ]
    used = [{"inputTokens": 9, "outputTokens": 5}]
    assert read([{"type": "RUN_ERROR", "message": "Oh", "usage": used}]) == [
        ProviderError("error", "Oh"),
        Usage(9, 5),
        MessageEnd("error", True, usage=Usage(9, 5, raw=used)),
    ]


def test_what_comes_beside_the_content() -> None:
    """The trace of a guardrail, fields of a model, log probabilities."""
    metadata = {"usage": {"inputTokens": 9}, "metrics": {"latencyMs": 5}, "trace": {"guardrail": {}}}
    fields = {"stop_sequence": "###"}
    assert read([
        {"messageStop": {"stopReason": "end_turn", "additionalModelResponseFields": fields}},
        {"metadata": metadata},
    ]) == [
        Other("additionalModelResponseFields", fields),
        MessageEnd("end_turn"),
        Usage(9),
        Other("metrics", metadata["metrics"]),
        Other("trace", metadata["trace"]),
    ]  # fmt: skip
    logprobs = [{"token": "H", "logprob": -0.1}]
    content = {"message": {"content": {"text": "H"}}}
    assert read([{"type": "content-delta", "index": 0, "delta": content, "logprobs": logprobs}]) == [
        TextDelta("H"), Other("logprobs", logprobs),
    ]  # fmt: skip
    said = {"message": {"role": "assistant", "content": "H"}, "done": False, "logprobs": logprobs}
    assert read([said]) == [TextDelta("H"), Other("logprobs", logprobs)]

"""Bodies of errors, in the many forms that servers have, and texts without events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from midstream import JsonStreamError, MessageEnd, ProviderError, messages, text_deltas, tool_calls

if TYPE_CHECKING:
    from provider_streams import Event

BODIES: list[tuple[str, Event, ProviderError]] = [
    (
        "RFC 9457",
        {"type": "about:blank", "title": "Too Many Requests", "status": 429, "detail": "Wait"},
        ProviderError("Too Many Requests", "Wait", 429),
    ),
    ("a title alone", {"title": "Bad Gateway", "status": 502}, ProviderError("error", "Bad Gateway", 502)),
    (
        "a list of errors",
        {"errors": [{"code": 10000, "message": "Authentication error"}], "success": False, "result": None},
        ProviderError("error", "Authentication error"),
    ),
    ("texts of errors", {"errors": ["Oh", "No"]}, ProviderError("error", "Oh")),
    (
        "a capital letter",
        {"__type": "AccessDeniedException", "Message": "No"},
        ProviderError("AccessDeniedException", "No"),
    ),
    (
        "a type beside the error",
        {"error": "Model too busy", "error_type": "overloaded"},
        ProviderError("overloaded", "Model too busy"),
    ),
    (
        "a code in words beside the error",
        {"code": "The client lacks permission", "error": "Incorrect API key"},
        ProviderError("error", "Incorrect API key"),
    ),
    (
        "details as the message",
        {"object": "error", "type": "invalid_request_error", "message": {"detail": [{"loc": ["body"]}]}},
        ProviderError("invalid_request_error", '{"detail": [{"loc": ["body"]}]}'),
    ),
]


@pytest.mark.parametrize(("name", "body", "expected"), BODIES, ids=[case[0] for case in BODIES])
def test_bodies_of_errors(name: str, body: Event, expected: ProviderError) -> None:
    found = list(messages([json.dumps(body)]))
    assert found == [expected, MessageEnd(expected.type, is_truncated=True)]
    # the same if the format is named
    assert list(messages([body], "cohere")) == found


@pytest.mark.parametrize(
    "event",
    [
        {"type": "message", "message": "hello"},
        {"id": "1", "message": {"role": "assistant"}},
        {"type": "news", "id": "x", "errors": []},
    ],
)
def test_what_is_no_error(event: Event) -> None:
    with pytest.raises(JsonStreamError) as caught:
        list(messages([event]))
    assert caught.value.code == "unknown_format"


# --- texts without events


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        (b"", "it is empty"),
        ("", "it is empty"),
        ([b"", b""], "it is empty"),
        (b"42", "a JSON value, not an event"),
        (b'"hello"', "a JSON value, not an event"),
        (b"curl: (6) Could not resolve host: api.example.com\n", "it looks like plain text"),
        (b"curl: (6) Could not resolve host", "it looks like plain text"),
    ],
)
def test_texts_without_events(stream: Any, words: str) -> None:
    for view in (messages, tool_calls, text_deltas):
        with pytest.raises(JsonStreamError, match=words) as caught:
            list(view(stream))
        assert caught.value.code == "not_an_event_stream"

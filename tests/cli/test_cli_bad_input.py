"""What is no stream, or only the beginning of one: one line says why, and nothing that came is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from test_cli import chat, quick

BODIES = {
    "an HTML page": (
        "<!DOCTYPE html>\n<html></html>\n",
        "not an event stream: it looks like an HTML page: check the URL of the request",
    ),
    "curl -i": ("HTTP/1.1 200 OK\r\nserver: x\r\n\r\ndata: {}\n\n", "it begins with HTTP headers"),
    "an error body": (
        '{\n  "error": {"type": "invalid_request_error", "message": "No such model"}\n}\n',
        "the provider reported an error: invalid_request_error: No such model",
    ),
    "binary data": ("\x00\x01\x02" * 30, "it looks like binary data"),
    "an empty file": ("", "the input is empty"),
    "a complete response": (
        '{"object": "chat.completion", "choices": [{"message": {}}]}',
        "a complete response, not a stream",
    ),
}


@pytest.mark.parametrize("format", [None, "openai-chat", "text-hermes", "text-harmony"])
@pytest.mark.parametrize("name", BODIES)
def test_what_is_no_stream(format: str | None, name: str) -> None:
    data, words = BODIES[name]
    done = quick("calls", *(["-f", format] if format else []), data=data)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["curl -i", "an error body", "binary data", "an empty file"])
def test_what_no_model_writes(name: str) -> None:
    """A text format reads any text, but not the answer of a server."""
    data, words = BODIES[name]
    done = quick("watch", "-f", "text-hermes", data=data)
    assert done.returncode == 1
    assert words in done.stderr


def test_what_a_model_may_write() -> None:
    page = "<!DOCTYPE html>\n<p>Hi</p>\n"
    assert quick("watch", "-f", "text-hermes", data=page).stdout == page
    called = page + '<tool_call>{"name": "f"}</tool_call>'
    assert [call["name"] for call in json.loads(quick("calls", "-f", "text-hermes", data=called).stdout)] == [
        "f"
    ]
    for text in ("Hello", "Note: nothing", '{"answer": 42}'):
        done = quick("calls", "-f", "text-hermes", data=text)
        assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def piece(text: str, **more: Any) -> str:
    call = {"index": 0, **more, "function": {**({"name": "f"} if more else {}), "arguments": text}}
    return chat({"tool_calls": [call]})


STREAM = chat({"content": "[1, 2"}) + piece("", id="c") + piece('{"a": 1') + piece("}")


@pytest.mark.parametrize("cut", [20, 60, 100])
def test_a_capture_that_is_cut_off_inside_an_event(cut: int) -> None:
    data = STREAM[:-cut]
    done = quick("calls", data=data)
    assert done.returncode == 1
    [call] = json.loads(done.stdout)
    assert call["error"]["code"] == "truncated"
    assert done.stderr.endswith("the stream ends inside an event (event 4)\n")
    seen = quick("watch", data=data)
    assert (seen.returncode, seen.stderr) == (1, done.stderr)
    assert seen.stdout.endswith(done.stdout)
    # a value is shown as far as it has arrived, wherever it is truncated
    value = quick("value", "-c", data=data)
    assert (value.returncode, value.stdout) == (0, "[1]\n")


def test_each_framing_names_the_place() -> None:
    events = [json.loads(line.removeprefix("data: ")) for line in STREAM.split("\n\n") if line]
    lines = "".join(json.dumps(event) + "\n" for event in events)
    for data, place in ((lines[:-30], "line 4"), (json.dumps(events)[:-30], "event 4")):
        done = quick("calls", data=data)
        assert done.stderr.endswith(f"the stream ends inside an event ({place})\n")
        assert json.loads(done.stdout)[0]["error"]["code"] == "truncated"

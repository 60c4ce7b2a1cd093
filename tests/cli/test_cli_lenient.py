"""The options --lenient and --extract of the commands that read JSON."""

from __future__ import annotations

import json
import subprocess
from typing import Any
from urllib.request import urlopen

import pytest

from midstream import EventReader, ToolsAggregateMessageHandler
from test_cli import quick, read_until, running

BROKEN = "{'city': 'Zürich', // why\n 'days': [1, 2,],}"
VALUE = {"city": "Zürich", "days": [1, 2]}
ANSWER = f"<think>Not {{1}}.</think>\nHere it is:\n```json\n{BROKEN}\n```\nOr [text](url)?\n"
NOTE = (
    "midstream: repaired at root: single quotes were read as double quotes (line {}, column 2), and 5 more\n"
)


def events(*pieces: str, arguments: bool = False) -> str:
    """Return the events of a message whose text, or whose call, arrives in pieces."""
    deltas: list[dict[str, Any]] = [{"content": piece} for piece in pieces]
    if arguments:
        names = [{"name": "weather"}] + [{}] * (len(pieces) - 1)
        calls = [
            {"index": 0, "function": {**name, "arguments": piece}}
            for name, piece in zip(names, pieces, strict=True)
        ]
        deltas = [{"tool_calls": [call]} for call in calls]
    found = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if arguments else "stop"}]}
    return "".join(f"data: {json.dumps(event)}\n\n" for event in [*found, end])


@pytest.mark.parametrize("command", ["value", "watch"])
@pytest.mark.parametrize(
    ("options", "data", "line"),
    [
        (["--lenient"], BROKEN, 1),
        (["--lenient", "--extract"], ANSWER, 4),
        (["--lenient"], events(BROKEN[:20], BROKEN[20:]), 1),
        (["--lenient", "--extract"], events(ANSWER[:50], ANSWER[50:]), 4),
    ],
    ids=["text", "answer", "message", "answer in a message"],
)
def test_values(command: str, options: list[str], data: str, line: int) -> None:
    done = quick(command, *options, data=data)
    assert (done.returncode, done.stderr) == (0, NOTE.format(line))
    assert json.loads(done.stdout) == VALUE


def test_without_the_options_the_same_texts_are_errors() -> None:
    for command, *arguments in (["value"], ["updates"], ["select", "city"], ["watch"]):
        for options in ([], ["--extract"]):
            done = quick(command, *arguments, *options, data=BROKEN)
            assert done.returncode == 1
            assert "expected a key in double quotes" in done.stderr
        for options in ([], ["--lenient"]):
            assert quick(command, *arguments, *options, data=f"Here: {BROKEN}").returncode == 1


def test_several_documents_are_read() -> None:
    assert quick("value", "-c", "--lenient", data="{'a': 1}\n[2,]\n").stdout == '{"a": 1}\n[2]\n'
    done = quick("value", "-c", "--extract", data='One {"a": 1}, two {"b": [2]}.')
    assert (done.returncode, done.stdout, done.stderr) == (0, '{"a": 1}\n{"b": [2]}\n', "")


def test_updates() -> None:
    done = quick("updates", "--lenient", "--extract", data=ANSWER)
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[:2] == [
        "root  StartObject",
        "root  Repair: single quotes were read as double quotes (line 4, column 2)",
    ]
    assert lines[-1] == "root  JsonComplete"
    written = quick("updates", "--json", "--lenient", data=BROKEN).stdout
    assert [json.loads(line)["repair"]["code"] for line in written.splitlines() if '"repair"' in line] == [
        "single_quotes", "single_quotes", "comment", "single_quotes", "trailing_comma", "trailing_comma",
    ]  # fmt: skip
    assert json.loads(quick("rebuild", data=written).stdout) == VALUE


def test_select() -> None:
    done = quick("select", "days[*]", "--lenient", "--extract", data=ANSWER + ANSWER)
    assert (done.returncode, done.stdout) == (0, "1\n2\n1\n2\n")
    assert done.stderr.startswith("midstream: repaired at root: single quotes")
    done = quick("select", "days[*]", "-n", "1", "--extract", data='So: {"days": [1, 2, tru?')
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
    done = quick("select", "days[*]", "--extract", data='So: {"days": [1, 2, tru?')
    assert (done.returncode, done.stdout) == (1, "1\n2\n")


@pytest.mark.parametrize("command", [["value"], ["updates"], ["select", "a"], ["watch"]])
def test_text_without_json(command: list[str]) -> None:
    done = quick(*command, "--extract", data="There is none.")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the text ends without a JSON document (line 1, column 15)" in done.stderr


def test_calls() -> None:
    data = events(BROKEN[:12], BROKEN[12:], arguments=True)
    strict = quick("calls", data=data)
    assert (strict.returncode, json.loads(strict.stdout)[0]["is_complete"]) == (1, False)
    for command in ("calls", "watch"):
        done = quick(command, "--lenient", data=data)
        (call,) = json.loads(done.stdout)
        assert (done.returncode, call["args"], call["is_complete"]) == (0, VALUE, True)
        assert [repair["code"] for repair in call["repairs"]][-2:] == ["trailing_comma"] * 2


def test_arguments_inside_other_text() -> None:
    data = events("Sure:\n```json\n", BROKEN, "\n```", arguments=True)
    assert quick("calls", "--lenient", data=data).returncode == 1
    assert quick("calls", "--extract", data=data).returncode == 1
    done = quick("calls", "--lenient", "--extract", data=data)
    (call,) = json.loads(done.stdout)
    assert (done.returncode, call["args"], call["is_complete"], len(call["repairs"])) == (0, VALUE, True, 6)
    # what is cut off stays so
    done = quick("calls", "--extract", data=events('Sure: {"city": "Zür', arguments=True))
    assert (done.returncode, json.loads(done.stdout)[0]["is_complete"]) == (1, False)


def test_calls_in_text() -> None:
    text = "<tool_call>{'name': 'weather', 'arguments': {city: 'Paris',},}</tool_call>"
    assert quick("calls", "-f", "text-hermes", data=text).returncode == 1
    done = quick("calls", "-f", "text-hermes", "--lenient", data=text)
    (call,) = json.loads(done.stdout)
    assert (done.returncode, call["name"], call["args"]) == (0, "weather", {"city": "Paris"})
    assert {repair["path"].partition(".")[0] for repair in call["repairs"]} == {"call", "root"}


@pytest.mark.parametrize("query", ["", "?dialect=strict"])
def test_serve(query: str) -> None:
    data = events(BROKEN[:12], BROKEN[12:], arguments=True).encode()
    with running("serve", "--port", "0", "--quiet", "--lenient", stderr=subprocess.PIPE) as process:
        url = read_until(process, b"\n").decode().split()[2]
        with urlopen(f"{url}/api/enrich{query}", data) as answer:
            sent = answer.read()
    handler = ToolsAggregateMessageHandler()
    for message in EventReader().add_bytes(sent):
        handler.add_message(message)
    (call,) = (call for id in handler.message_ids for call in handler.complete(id))
    found = (call.is_complete, call.is_repaired, call.args)
    assert found == ((False, False, {}) if query else (True, True, VALUE))

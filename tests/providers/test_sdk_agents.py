"""The events of a real run of the OpenAI Agents SDK, in the environment of OpenAI's SDK."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from test_sdk_clients import ROOT, SUPPORT, sdk_python

CALL = {"id": "call_1", "index": 0, "name": "weather", "args": {"city": "Oslo"}, "is_complete": True}


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    path = os.pathsep.join(map(str, (ROOT / "src", SUPPORT)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", "NO_PROXY": "127.0.0.1"}
    command = [sdk_python("openai"), str(SUPPORT / "agents_client.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("format", ["openai-responses", "openai-chat"])
def test_an_agent_that_calls_a_tool(report: dict[str, Any], format: str) -> None:
    found = report[format]
    assert found["format"] == "openai-responses"
    assert set(found["kinds"]) == {
        "agent_updated_stream_event", "raw_response_event", "run_item_stream_event",
    }  # fmt: skip
    [call] = found["calls"]
    assert call == {**CALL, "raw_args": '{"city":"Oslo"}', "finish_reason": "completed"}
    assert found["text"] == ["Sun", "ny"]
    kinds = [message["type"] for message in found["messages"] if message["type"] != "usage"]
    assert kinds == [
        "other",
        "tools_call_update", "tools_call_update", "tools_call_update", "tool_call_end", "message_end",
        "other", "tool_result", "text_delta", "text_delta", "message_end", "other",
    ]  # fmt: skip
    [result] = [message for message in found["messages"] if message["type"] == "tool_result"]
    assert (result["tool_call_id"], result["result"]) == ("call_1", "22 degrees in Oslo")


@pytest.mark.parametrize("format", ["openai-responses", "openai-chat"])
def test_a_run_is_sent_to_a_browser_without_the_agent(report: dict[str, Any], format: str) -> None:
    found = report[format]
    kinds = [message["type"] for message in found["messages"]]
    assert found["sent"] == ["stream_start", *kinds, "stream_end"]
    assert "secret" not in json.dumps(found["messages"])


def test_leaving_a_run_closes_the_connection(report: dict[str, Any]) -> None:
    is_closed, written = report["stop"]
    assert is_closed
    assert written < 200

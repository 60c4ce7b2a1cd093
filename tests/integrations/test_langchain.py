"""The output parser in real chains of langchain-core, in its environment."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import midstream
from endless_server import EndlessServer
from midstream import values

SUPPORT = Path(__file__).parents[1] / "support"
ROOT = Path(__file__).parents[2]


def test_the_parser_in_real_chains() -> None:
    python = ROOT / ".venv-sdk-objects" / "bin" / "python"
    assert python.exists(), "run `make sdk-envs`"
    path = os.pathsep.join(map(str, (Path(midstream.__file__).parent.parent, SUPPORT)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", "NO_PROXY": "127.0.0.1"}
    with EndlessServer() as server:
        command = [str(python), str(SUPPORT / "langchain_client.py"), server.url]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    text = '{"city": "Oslo", "days": [1, 25, null], "note": "é\\n"}'
    snapshots = list(values(text[at : at + 3] for at in range(0, len(text), 3)))
    assert results["stream"] == results["astream"] == snapshots
    assert results["invoke"] == results["theirs"][-1] == json.loads(text)
    # theirs shows 2 on the way to 25
    assert any(value.get("days") == [1, 2] for value in results["theirs"])
    assert results["invalid"].startswith("expected true, false or null (line 1, column 10) at root.a\n")
    assert "the text ends before the document does" in results["truncated"]
    assert (results["examples"]["failed"], results["examples"]["attempted"]) == (0, 3)
    assert results["fenced"] == [[{}, {"a": "b"}], [{}, {"a": "b"}], {"a": "b"}]
    assert results["mistakes"] == results["lenient"] == results["fenced"]
    assert "JSON" in results["instructions"]
    found, is_closed, written = results["endless"]
    assert (found["city"], is_closed) == ("Oslo", True)
    assert written < 1000

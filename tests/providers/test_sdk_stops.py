"""Leaving a stream of a real SDK early closes the socket to its provider."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import midstream
from endless_server import EndlessServer
from stop_client import ASYNC, EXAMPLES, SYNC
from test_sdk_clients import ROOT, SUPPORT, sdk_python

EXAMPLE = ROOT / "examples" / "providers" / "stop_early.py"

# of the many that the server would write
AT_MOST = 200


@pytest.mark.parametrize("sdk", ["openai", "anthropic"])
def test_leaving_early_closes_the_connection(sdk: str) -> None:
    path = os.pathsep.join(map(str, (Path(midstream.__file__).parent.parent, SUPPORT)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", "NO_PROXY": "127.0.0.1"}
    with EndlessServer() as server:
        command = [sdk_python(sdk), str(SUPPORT / "stop_client.py"), sdk, server.url, str(EXAMPLE)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert list(results) == [*SYNC, *EXAMPLES[sdk], *ASYNC]
    for name, (found, is_closed, written) in results.items():
        assert is_closed == (not name.endswith("kept open")), name
        assert written < AT_MOST, name
        if "first" in name or name in EXAMPLES[sdk] or name.endswith("kept open"):
            assert found == "'Oslo'"
        if name.endswith("invalid"):
            assert found == "'root.notes[0]'"
    assert results["select"][0] == results["async select"][0] == "[0, 1]"

"""The JavaScript client against a gateway in several processes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from relay_stage import CountingUpstream, workers
from test_server import running

SCRIPT = Path(__file__).parents[1] / "js" / "against_gateway.mjs"


def test_lost_connections_and_late_readers_see_one_stream(tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None, "Node is missing: install version 20 or later (Debian: apt-get install nodejs)"
    upstream = CountingUpstream()
    with running(upstream) as url, workers(url, f"sqlite:///{tmp_path}/store.db", 2) as gateway:
        command = [node, str(SCRIPT), gateway.url, "js:200:0.01"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    # the model was asked once
    assert upstream.requests == ["js"]
    assert (seen["reconnects"], seen["streams"]) == (3, 1)
    text = "".join(f"{number} " for number in range(100))
    calls = [["count", list(range(100)), True]]
    assert seen["live"] == {"status": "complete", "text": text, "error": None, "calls": calls}
    assert seen["replayed"] == seen["live"]
    # late readers get a snapshot, which the rest of the stream continues
    assert (seen["first"], seen["late"]) == ("stream_snapshot", seen["live"])
    assert seen["stranger"] == "failed"

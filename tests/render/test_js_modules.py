"""The parts of the JavaScript modules that Python has not: their tests run in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import midstream
from lenient_cases import REPAIRED

ROOT = Path(__file__).parents[2]
TESTS = sorted((ROOT / "tests" / "js").glob("*.test.mjs"))


@pytest.mark.parametrize("path", TESTS, ids=[path.name for path in TESTS])
def test_node_passes(path: Path) -> None:
    node = shutil.which("node")
    assert node is not None, "Node is missing: install version 20 or later (Debian: apt-get install nodejs)"
    run = subprocess.run([node, "--test", str(path)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    assert "# fail 0" in run.stdout
    assert "# tests 0" not in run.stdout


def streams_of(text: str, form: Any) -> str:
    """Return the events of a call whose arguments, which are no JSON, arrive per character."""
    pieces = [midstream.ToolCallUpdate(index=0, function_args=character) for character in text]
    sent = [midstream.ToolCallUpdate("call_1", 0, "f", ""), *pieces, midstream.ToolCallEnd("call_1", 0)]
    writer = midstream.EventWriter(form, stream_id="s", dialect="lenient")
    middleware = midstream.JsonFragmentUpdateMiddleware(dialect="lenient")
    data = writer.start()
    for message in middleware([*sent, midstream.MessageEnd("tool_calls")]):
        data += writer.add_message(message)
    return (data + writer.end()).decode()


@pytest.mark.parametrize("form", ["full", "compact"])
def test_repaired_calls_are_those_of_the_sender(form: str) -> None:
    node = shutil.which("node")
    assert node is not None
    cases = [case for case in REPAIRED if isinstance(case.value, dict)]
    texts = json.dumps([streams_of(case.text, form) for case in cases])
    command = [node, str(ROOT / "tests" / "js" / "repaired_calls.mjs")]
    done = subprocess.run(command, input=texts, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for case, call in zip(cases, json.loads(done.stdout), strict=True):
        accumulator = midstream.JsonValueAccumulator(dialect="lenient")
        accumulator.add_fragment(case.text)
        accumulator.finish()
        assert call["args"] == case.value, case.name
        assert call["repairs"] == [list(repair) for repair in accumulator.repairs], case.name
        assert (call["isComplete"], call["isRepaired"]) == (True, True), case.name


def test_the_package_is_described_as_it_is() -> None:
    package = json.loads((ROOT / "js" / "package.json").read_text())
    # npm writes 1.0.0-rc.1 where Python writes 1.0.0rc1; tools/versions.py compares them
    assert package["version"].replace("-rc.", "rc") == midstream.__version__
    assert (package["type"], package["sideEffects"]) == ("module", False)
    assert "dependencies" not in package
    web = ROOT / "src" / "midstream" / "render" / "web"
    for entry in package["exports"].values():
        for file in entry.values() if isinstance(entry, dict) else ():
            assert (web / file.removeprefix("./dist/")).is_file(), file


def test_the_copy_for_npm_holds_all_modules(tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None
    for name in ("js", "src/midstream/render/web"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("dist", "node_modules"))
    shutil.copy(ROOT / "LICENSE", tmp_path)
    subprocess.run([node, "copy.mjs"], cwd=tmp_path / "js", check=True, capture_output=True)
    dist = tmp_path / "js" / "dist"
    names = {path.name for path in dist.iterdir()}
    assert names == {
        "lib", "midstream.js", "midstream.d.ts", "sse.js", "sse.d.ts", "react.js", "react.d.ts"
    }  # fmt: skip
    modules = {path.name for path in (ROOT / "src" / "midstream" / "render" / "web" / "lib").iterdir()}
    assert {path.name for path in (dist / "lib").iterdir()} == modules

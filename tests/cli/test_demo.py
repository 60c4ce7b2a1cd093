"""The demo: what it shows with and without a terminal, and the commands that it recommends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pyte
import pytest

from midstream.cli.demo import FRAGMENTS, SECONDS_OF_VIEW, SECONDS_PER_FRAGMENT
from midstream.recordings import NAMES, load
from test_cli import quick

ROOT = Path(__file__).parents[2]
DEMO = [sys.executable, "-m", "midstream.cli.demo"]
BIN = str(Path(sys.executable).parent)


def commands(output: str) -> list[str]:
    """Find the commands that a demo ends with."""
    _, _, rest = output.replace("\r", "").partition("Next, try\n\n")
    return [line.strip() for line in rest.splitlines() if line.startswith("    ")]


def demo(**env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        DEMO,
        capture_output=True,
        encoding=env.get("PYTHONIOENCODING", "utf-8"),
        timeout=30,
        env={"PYTHONUTF8": "1", **os.environ, **env},
        check=True,
        cwd=ROOT,
    )


# the demo with a view that lasts some seconds
SHORT = """
from midstream.cli import demo, guard
demo.SECONDS_OF_VIEW = {}
guard.set_up()
with guard.guarded("demo"):
    demo.main()
"""


def played() -> tuple[list[str], str, float]:
    """Play a short demo once: the screens that it went through, the last one, and how long it took."""
    screen = pyte.Screen(120, 100)
    stream = pyte.ByteStream(screen)
    started = time.monotonic()
    process = pexpect.spawn(
        DEMO[0], ["-c", SHORT.format(2)], dimensions=(100, 120), env=_terminal(), cwd=str(ROOT)
    )
    screens = []
    while True:
        try:
            stream.feed(process.read_nonblocking(1 << 16, timeout=10))
        except pexpect.EOF:
            break
        screens.append("\n".join(line.rstrip() for line in screen.display))
    process.wait()
    assert process.exitstatus == 0
    assert not screen.cursor.hidden
    return screens, screens[-1].rstrip(), time.monotonic() - started


def test_one_sees_streaming_completion_and_truncation_in_ten_seconds() -> None:
    screens, last, seconds = played()
    # the times that the demo waits: after each fragment, and in the view
    updates = SECONDS_PER_FRAGMENT * len(FRAGMENTS)
    assert updates + 2 < seconds
    assert 7 < updates + SECONDS_OF_VIEW < 12
    views = [screen.partition("two tool calls")[2].partition("The fragments")[0] for screen in screens]
    # a screen may be caught while it is drawn
    first = [
        next(number for number, view in enumerate(views) if word in view)
        for word in ("streaming", "complete", "truncated")
    ]
    assert first == sorted(set(first))
    assert any("streaming" in view and "complete" in view for view in views)
    assert "streaming" not in views[-1]
    assert "root.city  CompleteString" not in screens[first[-1]]
    assert "complete" in views[-1]
    assert "truncated" in views[-1]
    assert any("▌" in screen for screen in screens)
    assert "max_tokens" in last
    assert len(commands(last)) == 3


def test_without_a_terminal_both_parts_are_printed_at_once() -> None:
    started = time.monotonic()
    done = demo()
    assert time.monotonic() - started < 5
    assert done.stderr == ""
    assert "root.city  + 'ür'\n" in done.stdout
    assert "complete: True" in done.stdout
    assert "\nsearch_code: complete\n{\n" in done.stdout
    assert "\nwrite_file: the text ends before the document does (line 1, column 468)\n{\n" in done.stdout
    first, second = (
        json.loads(text) for text in re.findall(r"^\{\n.*?^\}\n", done.stdout, re.DOTALL | re.MULTILINE)
    )
    assert first["query"] == "retry budget"
    assert second["content"].endswith("[t for t in ")
    assert "raw_args" not in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("path", [f"{BIN}:{os.environ['PATH']}", "/usr/bin:/bin"])
def test_the_commands_work(path: str) -> None:
    # installed and found, and in a clone where it is not
    tried = commands(demo(PATH=path).stdout)
    assert len(tried) == 3
    outputs = []
    for command in tried:
        done = subprocess.run(
            ["sh", "-c", command],
            capture_output=True,
            text=True,
            timeout=30,
            env=os.environ | {"PATH": path},
            cwd=ROOT,
            check=True,
        )
        assert done.stderr == ""
        outputs.append(json.loads(done.stdout))
    value, calls, report = outputs
    assert value == {"city": "Par"}
    assert [call["is_complete"] for call in calls] == [True, True]
    assert isinstance(report, dict)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_whatever_the_output_can_take(encoding: str) -> None:
    assert len(commands(demo(PYTHONIOENCODING=encoding).stdout)) == 3


def test_without_the_extra() -> None:
    code = (
        "import sys, importlib.util as u\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name: None if name in ('rich', 'typer') else find(name)\n"
        "sys.modules['rich'] = sys.modules['typer'] = None\n"
        "from midstream.cli.demo import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "complete: True" in done.stdout
    assert "pip install 'midstream[cli]'" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", NAMES)
def test_raw(name: str) -> None:
    assert quick("demo", "--raw", name).stdout.encode() == load(name).body


def test_stopped() -> None:
    process = pexpect.spawn(DEMO[0], ["-c", SHORT.format(0.2)], dimensions=(50, 120), cwd=str(ROOT))
    try:
        process.expect("root.city")
        process.sendcontrol("c")
        rest = process.read()
        process.wait()
        assert process.exitstatus == 130
        assert b"Traceback" not in rest
    finally:
        process.close(force=True)


def _terminal() -> Any:
    hidden = ("COLUMNS", "LINES", "NO_COLOR", "CI")
    inherited = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**inherited, "TERM": "xterm-256color", "PYTHONUTF8": "1"}

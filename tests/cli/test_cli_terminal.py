"""The command line in a terminal: a pseudo-terminal, and an emulator that keeps its screen."""

from __future__ import annotations

import json
import os
import resource
import signal
import threading
import time
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pexpect  # type: ignore[import-untyped]
import pyte
import pytest

from midstream.recordings import load
from test_cli import MIDSTREAM, wait_for_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


class Terminal:
    """A command in a terminal of some size, with a pipe or the terminal as its input."""

    def __init__(
        self, args: tuple[str, ...], lines: int, columns: int, has_pipe: bool, env: dict[str, str]
    ) -> None:
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self.output = b""
        environment = {**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1"}
        for name in ("COLUMNS", "LINES", "NO_COLOR", "CI"):
            environment.pop(name, None)
        self.pipe = -1
        with TemporaryDirectory() as directory:
            # pexpect passes no other files on, so the shell has to open the pipe
            pipe = f"{directory}/pipe"
            os.mkfifo(pipe)
            shell = f'exec "$@" < {pipe}' if has_pipe else 'exec "$@"'
            self.process = pexpect.spawn(
                "sh",
                ["-c", shell, "sh", *MIDSTREAM, *args],
                dimensions=(lines, columns),
                env=environment | env,
                echo=False,
            )
            if has_pipe:
                self.pipe = os.open(pipe, os.O_WRONLY)

    def write(self, data: bytes) -> None:
        """Write to the pipe; it is full when the command reads too slowly."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.pipe, rest) :]

    def end(self) -> None:
        """End the input."""
        if self.pipe >= 0:
            os.close(self.pipe)
            self.pipe = -1

    def see(self, seconds: float = 0.0) -> bool:
        """Show what the command has drawn; return whether it may draw more."""
        try:
            piece = self.process.read_nonblocking(1 << 16, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.output += piece
        self._stream.feed(piece)
        return True

    def wait_for(self, is_there: Callable[[str], bool], seconds: float = 10) -> str:
        """Wait until something is on the screen."""
        deadline = time.monotonic() + seconds
        while not is_there(self.text()):
            assert time.monotonic() < deadline, f"not on the screen:\n{self.text()}"
            self.see(0.05)
        return self.text()

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def finish(self) -> tuple[int, str]:
        """End the input and wait for the end; give the exit code and the screen."""
        self.end()
        return self.wait()

    def wait(self) -> tuple[int, str]:
        """Wait for the end, which comes by itself; give the exit code and the screen."""
        deadline = time.monotonic() + 60
        while self.see(10):
            assert time.monotonic() < deadline, f"it has not ended:\n{self.text()}"
        self.process.wait()
        assert b"Traceback" not in self.output
        return self.process.exitstatus, self.text()

    def close(self) -> None:
        self.end()
        self.process.close(force=True)


@contextmanager
def terminal(
    *args: str, lines: int = 24, columns: int = 80, has_pipe: bool = True, **env: str
) -> Iterator[Terminal]:
    made = Terminal(args, lines, columns, has_pipe, env)
    try:
        yield made
    finally:
        made.close()


def has(*texts: str) -> Callable[[str], bool]:
    return lambda screen: all(text in screen for text in texts)


def test_a_string_grows() -> None:
    with terminal("watch") as seen:
        seen.write('{"city": "Zür'.encode())
        # nothing more comes: what there is is shown nonetheless
        seen.wait_for(has('"city": "Zür▌'))
        seen.write(b'ich", "note": "Bring a')
        seen.wait_for(has('"city": "Zürich",', '"note": "Bring a▌', "36 B  "))
        assert SHOW.encode() not in seen.output
        seen.write(b' coat"}\n')
        code, screen = seen.finish()
        assert code == 0
        assert '"note": "Bring a coat"' in screen
        assert "▌" not in screen
        assert seen.output.rindex(SHOW.encode()) > seen.output.rindex(HIDE.encode())


def test_half_a_document_and_a_pause() -> None:
    with terminal("watch") as seen:
        for piece in (b'{"a": [1, 2', b', 3], "b": "x', b"y", b"z"):
            seen.write(piece)
        seen.wait_for(has('"b": "xyz▌'))
        before = len(seen.output)
        time.sleep(0.5)
        seen.see()
        # and it is not drawn over and over
        assert len(seen.output) == before


def test_what_is_cut_is_not_complete() -> None:
    with terminal("watch") as seen:
        seen.write(b'{"a": "Bring a c\n')
        code, screen = seen.finish()
        assert code == 1
        assert '"a": "Bring a c' in screen
        assert "midstream: standard input: the text ends before the document does" in screen


def test_what_is_invalid_keeps_what_came_before() -> None:
    with terminal("watch", columns=100) as seen:
        seen.write(b'{"a": [1, 2], "b": nope, "c": 3}')
        # nobody waits for the end of what can't be read
        code, screen = seen.wait()
        assert code == 1
        assert '"a": [1, 2]' in screen
        assert "midstream: standard input: expected true, false or null (line 1, column 21)" in screen
        assert '"c"' not in screen


def test_a_recording_at_a_models_pace(tmp_path: Path) -> None:
    file = tmp_path / "cut.sse"
    file.write_bytes(load("cut").body)
    with terminal("watch", "--delay", "0.01", str(file), lines=40, columns=120) as seen:
        seen.wait_for(has("streaming", "▌"))
        # with a bar that says how far it is
        seen.wait_for(has("complete", "streaming", "━", "%"))
        code, screen = seen.finish()
        assert code == 1
        assert "complete" in screen
        assert "truncated" in screen
        assert "streaming" not in screen
        assert "100%" in screen
        assert "midstream: 1 of 2 tool calls are incomplete" in screen


def test_text_at_a_models_pace(tmp_path: Path) -> None:
    file = tmp_path / "text.json"
    file.write_text(json.dumps({"text": "It was a bright cold day in April. " * 5}))
    started = time.monotonic()
    with terminal("watch", "--delay", "0.02", str(file)) as seen:
        seen.wait_for(has("bright cold", "▌"))
        code, screen = seen.finish()
    assert code == 0
    assert time.monotonic() - started > 0.02 * 190 / 4
    assert "April." in screen


def test_a_window_that_changes_its_size() -> None:
    with terminal("watch", columns=100) as seen:
        seen.write(b'{"a": "' + b"word " * 30)
        seen.wait_for(has("word ▌"))
        seen.process.setwinsize(15, 50)
        seen.screen.resize(15, 50)
        seen.screen.reset()
        seen.write(b"more " * 3)
        seen.wait_for(has("more ▌"))
        assert all(len(line) <= 50 for line in seen.text().splitlines())
        seen.process.setwinsize(30, 120)
        seen.screen.resize(30, 120)
        seen.write(b'end", "b": 1}')
        code, screen = seen.finish()
        assert code == 0
        assert '"b": 1' in screen


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_while_it_draws(number: int, code: int) -> None:
    with terminal("watch") as seen:
        seen.write(b'{"a": "b')
        seen.wait_for(has('"a": "b▌'))
        if number == signal.SIGINT:
            seen.process.sendcontrol("c")
        else:
            seen.process.kill(number)
        ended, screen = seen.wait()
        assert ended == code
        assert '"a": "b' in screen
        assert seen.output.rindex(SHOW.encode()) > seen.output.rindex(HIDE.encode())


@pytest.mark.parametrize("command", ["updates", "value", "calls", "chunk", "rebuild"])
def test_stopped_by_the_keyboard(command: str) -> None:
    with terminal(command) as seen:
        seen.write({"calls": load("trip").body, "rebuild": b"\n"}.get(command, b"1\n"))
        wait_for_reader(seen.pipe)
        seen.process.sendcontrol("c")
        assert seen.wait()[0] == 130


@pytest.mark.parametrize("command", ["watch", "updates", "value", "calls", "chunk", "rebuild"])
def test_without_a_file_or_a_pipe_it_says_what_to_do(command: str) -> None:
    with terminal(command, has_pipe=False, columns=160) as seen:
        code, screen = seen.finish()
        assert code == 2
        says = "name a file or pipe data in; - reads from the terminal"
        assert screen == f"midstream: Invalid value for FILE: {says} (for help: midstream {command} -h)"


def test_what_is_typed() -> None:
    with terminal("value", "-c", "-", has_pipe=False) as seen:
        seen.process.sendline('{"city": "Par')
        seen.process.sendeof()
        code, screen = seen.finish()
        assert code == 0
        assert screen.endswith('{"city": "Par"}')


def test_chunks_in_a_terminal_end_with_a_newline() -> None:
    with terminal("chunk") as seen:
        seen.write(b'{"a": "b"}\nnope\n')
        code, screen = seen.finish()
        assert code == 1
        assert screen.splitlines()[0] == '{"a":"b'
        assert screen.splitlines()[1].startswith(
            "midstream: standard input: the snapshot is not a JSON value"
        )


def test_a_terminal_that_can_not_draw() -> None:
    with terminal("watch", TERM="dumb") as seen:
        seen.write(b"[1]\n")
        assert seen.finish() == (0, "[\n  1\n]")
        assert b"\x1b" not in seen.output


def test_keeps_up_with_50_megabytes_a_second() -> None:
    rows = [{"id": number, "text": "It was a bright cold day in April. " * 20} for number in range(80)]
    item = json.dumps(rows).encode() + b","
    piece = item * (1 + (1 << 16) // len(item))
    speed, seconds = 50_000_000, 2
    late = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    def feed(seen: Terminal) -> None:
        seen.write(b"[")
        sent = 0
        started = time.perf_counter()
        while sent < speed * seconds:
            due = started + sent / speed
            pause = due - time.perf_counter()
            late.append(-pause)
            if pause > 0:
                time.sleep(pause)
            seen.write(piece)
            sent += len(piece)
        late.append(time.perf_counter() - started - sent / speed)
        seen.write(b"0]")
        seen.end()

    with terminal("watch", lines=40, columns=120) as seen:
        seen.write(b" ")
        wait_for_reader(seen.pipe)
        feeder = threading.Thread(target=feed, args=[seen])
        feeder.start()
        # an emulator in Python would be what holds it back
        while (drawn := _drawn(seen)) is not None:
            seen.output += drawn
        feeder.join()
        seen.process.wait()
        assert seen.process.exitstatus == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"100 MB at 50 MB/s: {used:.2f} s of processor, {late[-1]:.2f} s late, {max(late):.2f} s at most")
    assert seen.output.count(b"MB/s") > seconds
    # with a processor to itself it is not late
    assert used < seconds


def _drawn(seen: Terminal) -> Any:
    try:
        return seen.process.read_nonblocking(1 << 16, timeout=10)
    except pexpect.EOF:
        return None

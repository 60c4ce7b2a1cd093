"""The command line as a user runs it: real processes, files, pipes, signals.

What a terminal shows is in ``test_cli_terminal``. Every format is read in this process, to be quick.
"""

from __future__ import annotations

import fcntl
import gc
import json
import os
import re
import select
import signal
import subprocess
import sys
import termios
import time
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.request import urlopen

import pytest
from typer.main import get_command

from midstream import COMPILED, UNDEFINED, __version__
from midstream.captures import Opening, framing
from midstream.cli.app import app
from midstream.cli.app import run as command_line
from midstream.providers import FORMATS
from midstream.providers._formats import MODULES
from midstream.recordings import load
from provider_streams import Event, Expected

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MIDSTREAM = [sys.executable, "-m", "midstream.cli"]
COMMAND = get_command(app)
READING = ["watch", "updates", "value", "calls", "chunk", "rebuild"]
STREAMS = {format: import_module(f"provider_streams.{MODULES[format]}") for format in MODULES}
CASES = [
    pytest.param(format, stream, calls, id=f"{format}-{name}")
    for format, module in STREAMS.items()
    for name, (stream, calls) in {"ordinary": (module.STREAM, module.CALLS), **module.FAULTS}.items()
]


class Done(NamedTuple):
    """What came of a run."""

    returncode: int
    stdout: str
    stderr: str

    def checked(self) -> Done:
        """Whatever happens: no traceback, and at most one line of error."""
        assert "Traceback" not in self.stderr
        assert self.stderr.count("\n") <= 1
        assert self.stderr == "" or self.stderr.startswith("midstream: ")
        assert len(self.stderr) < 500
        return self


def encoded(data: bytes | str) -> bytes:
    return data.encode() if isinstance(data, str) else data


def run(*args: str, data: bytes | str = b"", **env: str) -> Done:
    """Run the command on some data, in a process of its own."""
    done = subprocess.run(
        [*MIDSTREAM, *args],
        input=encoded(data),
        capture_output=True,
        timeout=30,
        env=os.environ | env,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode()).checked()


def quick(*args: str, data: bytes | str = b"") -> Done:
    """Run the command in this process, as `run` does, where there are many runs."""
    handler, threshold = signal.getsignal(signal.SIGTERM), gc.get_threshold()
    with pytest.MonkeyPatch.context() as patch, ExitStack() as files:
        names = ("stdin", "stdout", "stderr")
        streams = [files.enter_context(TemporaryFile("w+", encoding="utf-8")) for _ in names]
        streams[0].buffer.write(encoded(data))
        streams[0].seek(0)
        for name, stream in zip(names, streams, strict=True):
            patch.setattr(sys, name, stream)
        patch.setattr(sys, "argv", ["midstream", *args])
        # typer would make it anew each time
        patch.setattr("midstream.cli.app.app", COMMAND)
        try:
            code: Any = command_line()
        except SystemExit as end:
            code = end.code
        finally:
            signal.signal(signal.SIGTERM, handler)
            gc.set_threshold(*threshold)
        for stream in streams:
            stream.flush()
        output, errors = (os.pread(stream.fileno(), 1 << 30, 0).decode() for stream in streams[1:])
        return Done(code, output, errors).checked()


@contextmanager
def running(*args: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command with pipes at both ends, and see that it is gone in the end."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    # unbuffered, so that a pipe can be waited for
    with subprocess.Popen([*MIDSTREAM, *args], bufsize=0, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process: subprocess.Popen[bytes], end: bytes) -> bytes:
    """Read the output until it ends in something; it has to come by itself."""
    assert process.stdout is not None
    seen = b""
    while not seen.endswith(end):
        assert select.select([process.stdout], [], [], 10)[0], f"nothing after {seen!r}"
        piece = os.read(process.stdout.fileno(), 1 << 16)
        assert piece, f"ended after {seen!r}"
        seen += piece
    return seen


def written(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Write a piece to the process."""
    assert process.stdin is not None
    process.stdin.write(data)


# --- help, version, completion, wrong use ---


@pytest.mark.parametrize("command", [*READING, "demo"])
def test_every_command_has_help(command: str) -> None:
    for option in ("-h", "--help"):
        done = quick(command, option)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"Usage: midstream {command} [OPTIONS]")
        assert "<bool>" not in done.stdout
    assert quick("--help").stdout.count(f"\n  {command} ") == 1


def test_help_names_every_format() -> None:
    text = re.sub(r"-?\s+", "", quick("watch", "-h").stdout)
    assert all(format.replace("-", "") in text.replace("-", "") for format in FORMATS)


def test_no_arguments_is_help_and_wrong_use() -> None:
    done = run()
    assert done.returncode == 2
    assert done.stdout == quick("-h").stdout


def test_version_names_the_build() -> None:
    build = "compiled" if COMPILED else "plain"
    python = ".".join(map(str, sys.version_info[:3]))
    assert run("--version").stdout == f"midstream {__version__} ({build} core, Python {python})\n"


def test_the_installed_script_is_the_same() -> None:
    script = Path(sys.executable).with_name("midstream")
    done = subprocess.run([script, "value"], input=b'{"a": "b', capture_output=True, check=True)
    assert json.loads(done.stdout) == {"a": "b"}


def completed(*words: str) -> list[str]:
    """Ask for the completions of the last word as bash does."""
    asked = {
        "_MIDSTREAM_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("midstream", *words)),
        "COMP_CWORD": str(len(words)),
    }
    return run(**asked).stdout.split()


def test_completion() -> None:
    assert completed("wa") == ["watch"]
    assert completed("watch", "--format", "open") == [
        "openai-chat",
        "openai-completions",
        "openai-responses",
    ]
    assert completed("calls", "--format", "j") == []
    assert completed("watch", "--de") == ["--delay"]
    shell = ["bash", "-c", f"{sys.executable} -m midstream.cli --show-completion; exit $?"]
    done = subprocess.run(shell, capture_output=True, text=True, check=True)
    assert "_MIDSTREAM_COMPLETE=complete_bash" in done.stdout


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["nope"], "No such command 'nope'"),
        (["value", "--nope"], "--nope"),
        (["value", "a", "b"], "unexpected extra argument"),
        (["value", "--format", "nope"], "'nope' is not one of json, ag-ui, anthropic"),
        (["calls", "--format", "json"], "'json' is not one of ag-ui"),
        (["calls", "--format", "openai"], "is not known; did you mean openai-chat, openai-comp"),
        (["calls", "-f", "Antropic"], "did you mean anthropic?"),
        (["watch", "--delay", "-1"], "--delay"),
        (["watch", "--delay", "nan"], "--delay"),
        (["watch", "--delay", "inf"], "--delay"),
        (["watch", "--delay", "soon"], "--delay"),
        (["demo", "--raw", "nope"], "'nope' is not one of trip"),
    ],
)
def test_wrong_use(args: list[str], says: str) -> None:
    done = quick(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert re.search(r"\(for help: midstream( \w+)? -h\)$", done.stderr)


def test_without_its_extra_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['typer'] = None; from midstream.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "midstream: the command line needs typer: pip install 'midstream[cli]'\n"


# --- files that can't be read, and bad data ---


@pytest.mark.parametrize("command", READING)
def test_missing_file_and_directory(command: str, tmp_path: Path) -> None:
    missing = quick(command, str(tmp_path / "missing"))
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr == f"midstream: {tmp_path}/missing: No such file or directory\n"
    directory = quick(command, str(tmp_path))
    assert (directory.returncode, directory.stderr) == (2, f"midstream: {tmp_path}: Is a directory\n")


@pytest.mark.parametrize("command", READING)
def test_unreadable_file(command: str) -> None:
    # even root can't read the memory of a process from its start
    done = quick(command, "/proc/self/mem")
    assert (done.returncode, done.stderr) == (2, "midstream: /proc/self/mem: Input/output error\n")


def test_forbidden_file(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything: this can only be tested as another user")
    secret = tmp_path / "secret"
    secret.touch(0o000)
    assert quick("value", str(secret)).stderr == f"midstream: {secret}: Permission denied\n"


def test_missing_file_in_a_process() -> None:
    done = run("value", "missing")
    assert done == Done(2, "", "midstream: missing: No such file or directory\n")


def test_a_name_can_not_forge_lines() -> None:
    done = quick("value", "a\nmidstream: fine\x1b[2J")
    assert done.stderr == "midstream: a midstream: fine [2J: No such file or directory\n"


@pytest.mark.parametrize("data", [b"", b"\n", b" \r\n\t\n"])
@pytest.mark.parametrize("command", READING)
def test_nothing(command: str, data: bytes) -> None:
    done = quick(command, data=data)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == "midstream: standard input: the input is empty\n"


@pytest.mark.parametrize("command", READING)
def test_binary_garbage(command: str, tmp_path: Path) -> None:
    file = tmp_path / "garbage"
    for data in (
        bytes(range(128, 256)) * 100,
        b"\x7fELF\x02\x01\x01\x00" * 20_000,
        b"\x00",
        b"\xff\xfe\n\x00" * 99,
    ):
        file.write_bytes(data)
        done = quick(command, str(file))
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr.startswith(f"midstream: {file}: ")


@pytest.mark.parametrize("command", READING)
def test_too_deep(command: str) -> None:
    done = quick(command, data="[" * 100_000)
    assert done.returncode == 1
    if command in ("watch", "updates", "value", "calls"):
        assert "containers nested deeper than max_depth (line 1, column 1001)" in done.stderr
    if command in ("watch", "value"):
        assert done.stdout.count("[") == 1000
    complete = quick(command, data="[" * 100_000 + "]" * 100_000)
    assert complete.returncode == (0 if command == "chunk" else 1)
    assert complete.stdout.count("[") == 100_000 or command != "chunk"


def test_closed_ends() -> None:
    for redirect, code, error in (
        ("<&-", 2, "midstream: standard input: Bad file descriptor\n"),
        (">&-", 0, ""),
        (">/dev/full", 2, "midstream: standard output: No space left on device\n"),
        ("2>&-", 0, ""),
    ):
        shell = f"echo '[1]' | {' '.join(MIDSTREAM)} value {redirect}"
        done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (code, error), redirect


# --- what each command prints ---

CITY = '{"city": "Zürich", "days": [1, 2.5, null], "ok": true}'
CUT = '{"city": "Zürich", "days": [1, 2], "note": "Bring a c'


def test_updates() -> None:
    done = run("updates", data=CITY)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:5] == [
        "root  StartObject",
        "root  has 'city'",
        "root.city  StartString",
        "root.city  + 'Zürich'",
        "root.city  CompleteString 'Zürich'",
    ]
    assert done.stdout.endswith("root  EndObject\nroot  JsonComplete\n")


def test_updates_as_json_go_back_to_the_value(tmp_path: Path) -> None:
    file = tmp_path / "updates"
    file.write_text(quick("updates", "--json", data=f"{CITY}\n[1]\n").stdout)
    assert all(isinstance(json.loads(line), dict) for line in file.read_text().splitlines())
    done = quick("rebuild", str(file))
    assert done.returncode == 0
    assert done.stdout == quick("value", data=f"{CITY}\n[1]").stdout
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert quick("rebuild", data=json.dumps(lines)).stdout == done.stdout


def test_updates_before_an_error_are_printed() -> None:
    done = quick("updates", data='{"a": [1, 2], "b": nope}')
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "root  has 'b'"
    says = "expected true, false or null (line 1, column 21) at root.b"
    assert done.stderr == f"midstream: standard input: {says}\n"


def test_updates_recover() -> None:
    done = quick("updates", "--recover", data='{"a": nope, "b": 2}\n{"c": 3}\n')
    assert done.returncode == 1
    assert "root.a  Error: expected true, false or null (line 1, column 8)\n" in done.stdout
    assert done.stdout.endswith("root.c  CompleteNumber 3\nroot  EndObject\nroot  JsonComplete\n")
    assert "expected true, false or null" in done.stderr


def test_value_of_what_is_cut() -> None:
    done = quick("value", "--compact", data=CUT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == '{"city": "Zürich", "days": [1, 2], "note": "Bring a c"}\n'
    # cut by a length, and written with a newline; inside a character
    assert quick("value", "-c", data=CUT + "\n").stdout == done.stdout
    assert quick("value", "-c", data=CUT + "\r\n").stdout == done.stdout
    assert quick("value", "-c", data=CUT.encode() + b"\xf0\x9f").stdout == done.stdout


def test_value_before_an_error_is_printed() -> None:
    done = quick("value", "-c", data='{"a": [1, 2], "b": nope}')
    assert (done.returncode, done.stdout) == (1, '{"a": [1, 2]}\n')
    assert done.stderr == "midstream: standard input: expected true, false or null (line 1, column 21)\n"


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ('{"a": 1}\n{"b": 2}\n', ['{"a": 1}', '{"b": 2}']),
        ('{"a": 1}\r\n{"b": 2}\r\n', ['{"a": 1}', '{"b": 2}']),
        ('\ufeff{"a": 1}{"b": 2}', ['{"a": 1}', '{"b": 2}']),
        ('{"a": 1}\n{"b": ', ['{"a": 1}', "{}"]),
        # nothing of the next one is known: the one before is not reported twice
        ('{"a": 1}\ntru', ['{"a": 1}']),
        ("1\n2\n3", ["1", "2", "3"]),
        ('"a"\n"a', ['"a"', '"a"']),
    ],
)
def test_more_than_one_document(data: str, lines: list[str]) -> None:
    done = quick("value", "-c", data=data)
    assert (done.returncode, done.stdout.splitlines()) == (0, lines)
    seen = quick("watch", data=data).stdout
    assert re.sub(r"\s", "", seen) == re.sub(r"\s", "", "".join(lines))


def test_no_value_yet() -> None:
    done = quick("value", data="tru")
    assert (done.returncode, done.stdout) == (1, "")
    says = "the text ends before the document does (line 1, column 4)"
    assert done.stderr == f"midstream: standard input: {says}\n"


def test_watch_without_a_terminal() -> None:
    assert json.loads(run("watch", data=CITY).stdout) == json.loads(CITY)
    done = run("watch", data=CUT + "\n")
    assert done.returncode == 1
    assert json.loads(done.stdout) == json.loads(CUT + '"}')
    says = "the text ends before the document does (line 1, column 54)"
    assert done.stderr == f"midstream: standard input: {says}\n"


def test_chunk() -> None:
    snapshots = ['{"name": "Mat"}', "", '{"name": "Matthew", "age": 32}']
    for end in ("\n", "\r\n"):
        for data in (end.join(snapshots), end.join(snapshots) + end, "\ufeff" + end.join(snapshots)):
            done = quick("chunk", data=data)
            assert (done.returncode, done.stdout) == (0, '{"name":"Matthew","age":32}')


def test_chunk_of_bad_snapshots() -> None:
    done = quick("chunk", data='{"a": "x"}\n{"a": "xy"\n')
    assert (done.returncode, done.stdout) == (1, '{"a":"x')
    says = "the snapshot is not a JSON value (line 2, column 11)"
    assert done.stderr.startswith(f"midstream: standard input: {says}")
    done = quick("chunk", data="[1]\n\n[2]\n")
    says = (
        "the snapshot contradicts what was already written: a number has changed; if your source sends "
        "numbers before they are complete, use --tentative-numbers (line 3) at root[0]"
    )
    assert (done.returncode, done.stderr) == (1, f"midstream: standard input: {says}\n")
    assert json.loads(quick("chunk", "--override", data='{"a": 1}\n{"a": 2}').stdout) == {"a": 2}
    assert quick("chunk", "--tentative-nulls", data='{"a": null}\n{"a": 2}').stdout == '{"a":2}'
    assert quick("chunk", "--tentative-numbers", data="[1]\n[12]").stdout == "[12]"


def test_rebuild_of_bad_updates() -> None:
    lines = quick("updates", "--json", data=CITY).stdout.splitlines()
    done = quick("rebuild", data="\n".join(lines[:5]))
    assert (done.returncode, json.loads(done.stdout)) == (1, {"city": "Zürich"})
    assert done.stderr == "midstream: standard input: the updates end before the document is complete\n"
    done = quick("rebuild", data="\n".join([*lines[:5], "nope"]))
    assert (done.returncode, json.loads(done.stdout)) == (1, {"city": "Zürich"})
    assert done.stderr == "midstream: standard input: not an update: not JSON (line 6)\n"
    for bad in ("1", '"Key"', "null", '{"kind": "Nope"}', "[[[]]]", "{}"):
        done = quick("rebuild", data="\n".join([*lines[:5], bad]))
        assert (done.returncode, json.loads(done.stdout)) == (1, {"city": "Zürich"})
        assert "(line 6)" in done.stderr


# --- every kind of text, whatever the output can take ---

NASTY = ["\ud83e", "\x1b[2J\x07", "\x9b31m\x85", "a\u202eb\u2028", "Zürich 🌧 東京", "\x00\x7f", 'q"\\/']


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LANG": "C", "LC_ALL": "C"},
        {"PYTHONUTF8": "1"},
        {"PYTHONIOENCODING": "cp1252"},
    ],
)
def test_nasty_text(env: dict[str, str]) -> None:
    data = json.dumps({text: text for text in NASTY}) + "\n"
    every = (["value"], ["chunk"], ["updates"], ["updates", "--json"])
    for args in every if env == {"PYTHONIOENCODING": "ascii"} else every[2:3]:
        done = subprocess.run(
            [*MIDSTREAM, *args], input=data.encode(), capture_output=True, env=os.environ | env, check=True
        )
        assert done.stderr == b""
        text = done.stdout.decode(env.get("PYTHONIOENCODING", "utf-8"))
        # nothing that a terminal obeys
        assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028]", text) is None
        if args[0] in ("value", "chunk"):
            assert json.loads(text) == json.loads(data)
        if args == ["updates", "--json"]:
            rebuilt = quick("rebuild", data=text).stdout
            assert json.loads(rebuilt) == json.loads(data)


# --- captures: every format, in three framings ---


def framed(stream: Sequence[object]) -> dict[str, bytes]:
    """Write events in every framing."""
    has_half = "\\ud83c" in json.dumps(stream)
    lines = [json.dumps(event, ensure_ascii=has_half) for event in stream]
    return {
        "sse": "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode(),
        "lines": "".join(f"{line}\n" for line in lines).encode(),
        "array": json.dumps(stream, indent=1).encode(),
    }


def as_expected(output: str) -> list[Expected]:
    """Read what ``calls`` printed."""
    return [
        Expected(
            call["id"],
            call["index"],
            call["name"],
            call.get("args", UNDEFINED),
            call["raw_args"],
            call["is_complete"],
            call["error"]["code"] if "error" in call else None,
            call.get("finish_reason"),
        )
        for call in json.loads(output)
    ]


@pytest.mark.parametrize(("format", "stream", "expected"), CASES)
def test_calls_of_every_format(format: str, stream: list[Event], expected: list[Expected]) -> None:
    code = 0 if all(call.complete for call in expected) else 1
    captures = framed(stream)
    for data in captures.values():
        done = quick("calls", data=data)
        assert done.returncode == code, done.stderr
        assert as_expected(done.stdout) == expected
    for data in captures.values() if stream is STREAMS[format].STREAM else [captures["array"]]:
        assert quick("calls", "--format", format, data=data) == done
        # below the text, `watch` prints the same, if there is anything
        for options in ([], ["-f", format]):
            seen = quick("watch", *options, data=data)
            assert (seen.returncode, seen.stderr) == (code, done.stderr)
            assert seen.stdout.endswith(done.stdout) or not expected


@pytest.mark.parametrize(("command", "framing"), [("calls", "sse"), ("watch", "lines"), ("watch", "array")])
def test_calls_in_a_real_pipe(command: str, framing: str) -> None:
    from provider_streams import anthropic

    done = run(command, data=framed(anthropic.STREAM)[framing])
    assert (done.returncode, done.stderr) == (0, "")
    text = done.stdout
    assert as_expected(text[text.index("[\n") :]) == anthropic.CALLS


@pytest.mark.parametrize("name", ["cut", "invalid"])
def test_calls_that_are_not_complete(name: str) -> None:
    done = quick("calls", data=load(name).body)
    assert done.returncode == 1
    assert [call["is_complete"] for call in json.loads(done.stdout)] == [True, False]
    assert done.stderr.startswith("midstream: 1 of 2 tool calls are incomplete: ")


def test_the_text_of_a_message() -> None:
    report = load("report").body
    value = json.loads(quick("value", data=report).stdout)
    assert json.loads(quick("watch", data=report).stdout) == value
    assert quick("updates", data=report).stdout.endswith("root  JsonComplete\n")
    cut = report[: len(report) // 2]
    done = quick("watch", data=cut[: cut.rindex(b"\n\n") + 2])
    assert done.returncode == 1
    assert "the text ends before the document does" in done.stderr
    call = {"function": {"name": "now", "arguments": {}}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]}
    only_calls = quick("value", data=json.dumps({"model": "qwen3", "message": message, "done": True}))
    assert only_calls.returncode == 1
    assert "the message in the stream has no JSON text" in only_calls.stderr


@pytest.mark.parametrize("framing", ["sse", "lines", "array"])
@pytest.mark.parametrize("command", ["calls", "watch"])
def test_a_broken_capture_keeps_what_came_before(command: str, framing: str) -> None:
    from provider_streams import anthropic

    data = framed(anthropic.STREAM)[framing]
    # in one of the last events, with all of them in one piece
    place = data.rindex(b'"type"')
    done = quick(command, data=data[:place] + b"nope" + data[place:])
    assert done.returncode == 1
    text = done.stdout
    found = as_expected(text[text.index("[\n") :])
    assert [call.args for call in found] == [call.args for call in anthropic.CALLS]
    assert re.search(r"an event that is not JSON \((line|event) \d+\)|expected a key", done.stderr)
    # and cut there
    done = quick(command, data=data[:place])
    assert done.returncode == 1
    text = done.stdout
    assert len(as_expected(text[text.index("[\n") :])) == len(found)


def test_a_capture_without_its_last_blank_line() -> None:
    data = load("trip").body.removesuffix(b"data: [DONE]\n\n").rstrip()
    assert quick("calls", data=data).stdout == quick("calls", data=load("trip").body).stdout


def test_what_is_no_capture() -> None:
    for data in ('{"hello": 1}\n', "[]", '[{"hello": 1}]'):
        assert quick("calls", data=data).returncode == (0 if data == "[]" else 1)
    error = quick("calls", data='{"hello": 1}\n').stderr
    assert "wrong or unknown format: events with the keys 'hello'" in error
    assert error.endswith("name the right format with --format, or read a JSON text with midstream value\n")


def test_a_text_or_a_file_in_the_wrong_place_names_the_right_one(tmp_path: Path) -> None:
    file = tmp_path / "answer.txt"
    file.write_text("{}", "utf-8")
    assert f"To look into a file: midstream watch {file}" in quick(str(file)).stderr
    assert "pipe it in" in quick("value", '{"a": 1').stderr
    assert "a path has no dot at its beginning" in quick("select", ".a.b", data="{}").stderr


@pytest.mark.parametrize("command", [["value"], ["select", "a"]], ids=lambda command: command[0])
def test_json_inside_other_text_names_the_option_that_reads_it(command: list[str]) -> None:
    error = quick(*command, data='Here you are: {"a": 1}').stderr
    assert error.endswith("; if there is JSON inside other text, use --extract\n")
    # inside the JSON, the option is of no use
    assert "--extract" not in quick(*command, data='{"a": ,}').stderr
    assert quick(*command, "--extract", data='Here you are: {"a": 1}').returncode == 0


@pytest.mark.parametrize("command", [["value"], ["updates"], ["select", "a"]], ids=lambda command: command[0])
def test_a_message_without_json_text_names_the_command_for_its_calls(command: list[str]) -> None:
    text = [{"choices": [{"index": 0, "delta": {"content": "Let me look that up."}}]}]
    call = {"index": 0, "id": "c1", "function": {"name": "find", "arguments": "{}"}}
    calls = [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}]
    for events in (text, calls):
        done = quick(*command, data="".join(f"data: {json.dumps(event)}\n\n" for event in events))
        assert done.returncode == 1
        assert done.stderr.endswith(
            "the message in the stream has no JSON text; for its tool calls, use midstream calls\n"
        )


def test_framing_of_a_stream_that_dribbles() -> None:
    stream = framed(import_module("provider_streams.anthropic").STREAM)
    for kind, data in stream.items():
        for bom in (b"", b"\xef\xbb\xbf"):
            pieces = [(bom + data)[place : place + 1] for place in range(len(bom + data))]
            opening = Opening(pieces, None)
            assert opening.framing == kind
            assert len(list(opening.events())) == len(json.loads(stream["array"]))
    # as long as it may be an event, nothing is settled
    for data in (b"", b"\xef\xbb", b" d", b"dat", b'{"type": "messa', b"["):
        assert framing(data) is None
    assert framing(b"dato\n") == "text"


def test_a_long_first_event() -> None:
    event = {"type": "message_start", "message": {"role": "assistant", "about": "x" * 300_000}}
    rest = import_module("provider_streams.anthropic")
    for data in framed([event, *rest.STREAM[1:]]).values():
        assert as_expected(quick("calls", data=data).stdout) == rest.CALLS


# --- pipes ---


def test_updates_come_as_the_text_does() -> None:
    with running("updates") as process:
        written(process, b'{"city": "Z\xc3')
        assert read_until(process, b"+ 'Z'\n").endswith(b"root.city  StartString\nroot.city  + 'Z'\n")
        written(process, b"\xbcrich")
        assert read_until(process, b"\n") == "root.city  + 'ürich'\n".encode()
        written(process, b'", "n": 12')
        read_until(process, b"root  has 'n'\n")
        written(process, b"}\n")
        assert read_until(process, b"JsonComplete\n").startswith(b"root.n  CompleteNumber 12\n")


def test_chunks_come_as_the_snapshots_do() -> None:
    with running("chunk") as process:
        written(process, b'{"name": "Mat"}\n')
        assert read_until(process, b"Mat") == b'{"name":"Mat'
        written(process, b'{"name": "Matth')
        written(process, b'ew"}\n')
        assert read_until(process, b"thew") == b"thew"


def test_documents_come_as_the_lines_do() -> None:
    for args in (["watch"], ["value"]):
        with running(*args) as process:
            written(process, b'{"a": 1}\n')
            assert json.loads(read_until(process, b"}\n")) == {"a": 1}
            written(process, b'{"a": 2}')
            assert json.loads(read_until(process, b"}\n")) == {"a": 2}


@pytest.mark.parametrize("args", [["updates"], ["updates", "--json"], ["value", "-c"], ["watch"], ["demo"]])
def test_nobody_reads_any_more(args: list[str], tmp_path: Path) -> None:
    file = tmp_path / "big"
    file.write_text('{"a": [1, 2, 3]}\n' * 20_000)
    given = [] if args == ["demo"] else [str(file)]
    with running(*args, *given) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.wait(10) == 141
        assert process.stderr.read() == b""


def test_in_a_shell() -> None:
    command = " ".join(MIDSTREAM)
    shell = f"yes '{{\"a\": 1}}' | {command} updates | head -1"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, timeout=20, check=True)
    assert (done.stdout, done.stderr) == (b"root  StartObject\n", b"")


@pytest.mark.parametrize("command", READING)
def test_stopped_by_a_signal(command: str) -> None:
    # Ctrl-C is in test_cli_terminal
    with running(command) as process:
        assert process.stderr is not None
        lines = {"chunk": b'{"a": "b"}\n', "rebuild": b"\n", "calls": load("trip").blocks()[0]}
        written(process, lines.get(command, b'{"a": "b'))
        wait_for_reader(process.stdin)
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 143
        assert process.stderr.read() == b""


def wait_for_reader(pipe: IO[bytes] | int | None) -> None:
    """Wait until the process at the end of a pipe has read what it was given."""
    assert pipe is not None
    for _ in range(500):
        if fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0") == b"\0\0\0\0":
            return
        time.sleep(0.02)
    pytest.fail("it does not read")


def test_stopped_while_it_starts() -> None:
    for pause in (0.02, 0.05, 0.1, 0.15):
        with running("updates") as process:
            assert process.stderr is not None
            time.sleep(pause)
            process.send_signal(signal.SIGINT)
            process.wait(10)
            # while Python still imports the program, Python itself reports the interrupt
            frames = process.stderr.read().decode()
            # (site, which it imports first, has a function main, too)
            assert not re.findall(r'midstream/.*", line \d+, in (?:main|_run)\b', frames)


# --- a big file ---

_FEED = """
import os, sys
item = b'{"text": "' + b"It was a bright cold day in April. " * 1700 + b'", "n": 12},'
size = int(sys.argv[1])
piece = item * (1 + (1 << 20) // len(item))
os.write(1, b"[")
for _ in range(size // len(piece)):
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(1, rest):]
os.write(1, b"0]")
"""


# in a process of its own: a child counts with what it was before it became another program, and this is large
_MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


@pytest.mark.parametrize(("args", "size"), [(["updates", "--json"], 40_000_000), (["updates"], 20_000_000)])
def test_memory_is_bounded(args: list[str], size: int) -> None:
    started = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", _FEED, str(size)], stdout=subprocess.PIPE) as feed:
        measured = [sys.executable, "-c", _MEASURE, *MIDSTREAM, *args]
        done = subprocess.run(measured, stdin=feed.stdout, stderr=subprocess.PIPE, check=True)
    seconds = time.perf_counter() - started
    megabytes = int(done.stderr) / 1024
    print(f"{size // 1_000_000} MB through {' '.join(args)}: {seconds:.1f} s, {megabytes:.0f} MB at most")
    assert megabytes < 60


def test_serve() -> None:
    """The gateway answers where it says it does, keeps its port to itself, and ends on Ctrl-C."""
    with running("serve", "--port", "0", "--quiet", stderr=subprocess.PIPE) as process:
        line = read_until(process, b"\n").decode()
        url = line.split()[2]
        with urlopen(f"{url}/api/recordings") as answer:
            assert "trip" in [recording["name"] for recording in json.load(answer)]
        taken = run("serve", "--port", url.rpartition(":")[2])
        assert taken.returncode == 2
        assert "in use" in taken.stderr
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
    assert process.returncode in (0, 130)
    assert b"Traceback" not in errors


def test_serve_refuses_another_upstream() -> None:
    done = run("serve", "--port", "0", "--upstream", "ftp://secret@example.org")
    assert done.returncode == 2
    assert "http or https" in done.stderr
    assert "secret" not in done.stderr


ERROR_BODY = '{\n  "error": {\n    "message": "Incorrect API key",\n    "type": "invalid_key"\n  }\n}\n'
OVERLOADED = 'data: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n'
NO_STREAMS = {
    "<!DOCTYPE html>\n<html></html>\n": "not an event stream: it looks like an HTML page",
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {}\n\n": "it begins with HTTP headers",
    "\x00\x01\x02" * 30: "it looks like binary data",
    ERROR_BODY: "the provider reported an error: invalid_key: Incorrect API key",
    OVERLOADED: "overloaded_error: Overloaded",
    '{"message": "Too many tokens"}': "the provider reported an error: Too many tokens",
    '{"object": "chat.completion", "choices": [{"message": {}}]}': "a complete response, not a stream",
}


@pytest.mark.parametrize(("data", "words"), NO_STREAMS.items(), ids=range(len(NO_STREAMS)))
def test_what_has_no_calls_says_why_in_one_line(data: str, words: str) -> None:
    done = quick("calls", data=data)
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def chat(delta: Event, reason: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return "data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]}) + "\n\n"


REFUSAL = chat({"refusal": "I can't "}) + chat({"refusal": "do that."}) + chat({}, "stop")
REASONING = chat({"reasoning_content": "Hm"}) + chat({}, "stop")
SILENT = {
    "a refusal": (REFUSAL, {"watch": "the model refused: I can't do that.", "value": "the model refused"}),
    "reasoning alone": (REASONING, {"watch": "neither text nor tool calls", "value": "has no JSON text"}),
    "no event": ("data: [DONE]\n\n", {"watch": "neither text nor tool calls", "value": "has no JSON text"}),
}


@pytest.mark.parametrize("command", ["watch", "value", "updates"])
@pytest.mark.parametrize("name", SILENT)
def test_a_message_without_text_says_why_in_one_line(command: str, name: str) -> None:
    data, words = SILENT[name]
    done = quick(command, data=data)
    assert (done.returncode, done.stdout) == (1, "")
    assert words.get(command, words["value"]) in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_came_before_an_error_is_printed() -> None:
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a": 1'}}
    data = chat({"content": "[1"}) + chat({"tool_calls": [call]}) + OVERLOADED
    for command in ("calls", "watch"):
        done = quick(command, data=data)
        assert done.returncode == 1
        assert '"raw_args": "{\\"a\\": 1"' in done.stdout
        assert '"code": "truncated"' in done.stdout
        assert done.stderr.endswith("the provider reported an error: overloaded_error: Overloaded\n")
        assert done.stderr.count("\n") == 1
    assert quick("value", data=data).stdout == "[]\n"

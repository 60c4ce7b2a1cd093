"""The command `midstream select`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from test_cli import quick, read_until, running

if TYPE_CHECKING:
    from pathlib import Path

DATA = '{"items": [{"title": "a", "n": 1}, {"title": "é\\u001b"}]}\n{"items": [{"title": null}]}\n'

CASES: dict[str, tuple[list[str], str]] = {
    "a value on each line": (["items[*].title"], '"a"\n"é\\u001b"\nnull\n'),
    "with its path": (
        ["--paths", "items[0].title"],
        '{"path": "root.items[0].title", "value": "a"}\n{"path": "root.items[0].title", "value": null}\n',
    ),
    "a limit": (["items[*]", "-n", "1"], '{"title": "a", "n": 1}\n'),
    "the root": (["$", "--limit", "1"], '{"items": [{"title": "a", "n": 1}, {"title": "é\\u001b"}]}\n'),
}


@pytest.mark.parametrize("name", CASES)
def test_select(name: str, tmp_path: Path) -> None:
    args, output = CASES[name]
    done = quick("select", *args, data=DATA)
    assert (done.returncode, done.stdout, done.stderr) == (0, output, "")
    file = tmp_path / "data.json"
    file.write_text(DATA, encoding="utf-8")
    assert quick("select", *args, str(file)) == done


def test_a_path_without_a_match_is_named() -> None:
    """It is no error: a text may lack what is selected."""
    done = quick("select", "nowhere", data=DATA)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "midstream: no value matches the path nowhere\n"


def test_matches_before_an_error_are_printed() -> None:
    done = quick("select", "[*]", data='[1, "two", tru')
    assert (done.returncode, done.stdout) == (1, '1\n"two"\n')
    assert "the text ends before the document does" in done.stderr
    # what follows the last match that is wanted is not read
    done = quick("select", "[*]", "-n", "2", data='[1, "two", tru?')
    assert (done.returncode, done.stdout, done.stderr) == (0, '1\n"two"\n', "")


@pytest.mark.parametrize("path", ["a[-1]", "a..b", "a[0:1]", "a["])
def test_wrong_paths(path: str) -> None:
    done = quick("select", path, data="{}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Invalid value for PATH: invalid path" in done.stderr


def test_the_text_of_a_message_is_searched() -> None:
    events = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in ('{"city": "Os', 'lo"}')]
    data = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    assert quick("select", "city", data=data).stdout == '"Oslo"\n'


def test_a_match_is_printed_when_it_is_complete() -> None:
    with running("select", "items[*]") as process:
        assert process.stdin is not None
        process.stdin.write(b'{"items": ["a", "b')
        assert read_until(process, b"\n") == b'"a"\n'
        process.stdin.write(b'c"')
        assert read_until(process, b"\n") == b'"bc"\n'


def test_a_limit_ends_the_command_though_the_pipe_is_open() -> None:
    with running("select", "a", "-n", "1") as process:
        assert process.stdin is not None
        process.stdin.write(b'{"a": "b", ')
        assert process.wait(10) == 0

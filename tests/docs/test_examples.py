"""The examples, each run as a user runs it, with nothing to reach: what they print, and what they promise."""

from __future__ import annotations

import ast
import json
import os
import re
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from midstream import ToolCall, tool_calls
from midstream.providers import detect
from midstream.providers._formats import MODULES
from midstream.sse import decode

EXAMPLES = Path(__file__).parents[2] / "examples"
PROVIDERS = EXAMPLES / "providers"
STREAMS = EXAMPLES / "streams"
HELPERS = {"recorded", "show"}
SCRIPTS = {path.stem.removeprefix("from_"): path for path in sorted(PROVIDERS.glob("from_*.py"))}
ALL = {path.stem: path for path in sorted(EXAMPLES.glob("*.py"))}
# what an example needs beside the library
NEEDS = {"fastapi_app": "fastapi", "fastapi_relay": "fastapi", "starlette_app": "starlette"}
# applications that need an SDK and a provider: `test_example_pages` serves them
WITH_SDK = {"fastapi_openai", "fastapi_anthropic"}
OTHERS = {name: path for name, path in ALL.items() if name not in WITH_SDK}
# what begins each line with the library that it is of
SHOWN_BY_SPEAKER = {"replacing"}
# the line to change, and what to
ONE_LINE = re.compile(r'^( *)\w+ = a?recorded\("(.+)"\)  # the real service: (.+)$', re.MULTILINE)


# the formats with a script and a recorded stream of their own
SCRIPTED = sorted({*MODULES} - {"cohere", "openai-completions", "vercel-model"})


def script_of(format: str) -> str:
    return format.replace("-", "_")


# what the streams hold


def day(city: str, **minutes: int) -> dict[str, Any]:
    return {"city": city, "stops": [{"place": place, "minutes": count} for place, count in minutes.items()]}


def flat(day: dict[str, Any]) -> dict[str, Any]:
    """Return a day as the functions of the frameworks take it."""
    stops = day["stops"]
    lists = {"stops": [stop["place"] for stop in stops], "minutes": [stop["minutes"] for stop in stops]}
    return {"city": day["city"], **lists}


ATHENS = day("Αθήνα", **{"Λόφος Λυκαβηττού": 80, "Εθνικός Κήπος 🌿": 55})
BERN = day("Bern", **{"Rose garden\n(view of the old town)": 50, "River walk": 110, "Clock tower": 20})
LEEDS = day("Leeds", **{"Canal path": 100, 'Market hall ("the old one")': 70, "Abbey ruins": 125})
LODZ = day("Łódź", **{"Park Źródliska": 65, "Księży Młyn \\ cegła": 105})
MALAGA = day("Málaga", **{"Alcazaba": 95, "Playa ☀ y paseo": 180})
TOKYO = day("東京", **{"上野公園の池": 90, "隅田川 → 浅草": 135, "夜景 🌃": 60})
TROMSO = day("Tromsø", **{"Havnepromenaden": 75, "Utsikten ❄ (på fjellet)": 100})
ZURICH = day("Zürich", **{'Lindenhof, "oben"': 45, "Seepromenade 🌊": 120, "Uetliberg": 150})
CALLS = {
    "ag_ui": (TOKYO, MALAGA),
    "anthropic": (TOKYO, LEEDS),
    "gemini": (LODZ, ZURICH),
    "gemini_interactions": (MALAGA, TOKYO),
    "langchain": (flat(TROMSO), flat(TOKYO)),
    "midstream": (ATHENS, LODZ),
    "mistral": (ATHENS, BERN),
    "ollama": (LODZ, TROMSO),
    "openai_chat": (ZURICH, TROMSO),
    "openai_responses": (MALAGA, BERN),
    "pydantic_ai": (flat(MALAGA), flat(ZURICH)),
    "vercel_ui": (ZURICH, ATHENS),
}
ENDS = {
    name: [f"✓ plan_day {args}" for args in calls] + ["2 calls, 2 complete"] for name, calls in CALLS.items()
}
ENDS["openai_responses"] += ["", "The same as a structured output:"]
ENDS["bedrock"] = [
    f"✓ plan_day {TROMSO}",
    "✗ plan_day {'city': 'Leeds', 'stops': [{'place': 'Canal path', 'minutes': 100}, {'place': 'Market'}]}",
    "  truncated: the text ends before the document does (line 1, column 87)",
    "2 calls, 1 complete",
]


# what they print


def run(path: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, path],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        env=env,
        cwd=path.parent,
    )


def output_of(path: Path) -> str:
    """Return what an example prints, for the page that shows it."""
    done = run(path)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def runs() -> dict[str, subprocess.CompletedProcess[str]]:
    """Run all of them, side by side."""
    paths = {
        name: path
        for name, path in {**SCRIPTS, **OTHERS}.items()
        if name not in NEEDS or find_spec(NEEDS[name]) is not None
    }
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(paths, pool.map(run, paths.values()), strict=True))


@pytest.mark.parametrize("name", [*SCRIPTS, *OTHERS])
def test_runs_offline(name: str, runs: dict[str, subprocess.CompletedProcess[str]]) -> None:
    if name not in runs:
        pytest.skip(f"needs {NEEDS[name]}")
    assert (runs[name].returncode, runs[name].stderr) == (0, "")


@pytest.mark.parametrize("name", SCRIPTS)
def test_prints_the_calls_as_they_arrive_and_end(
    name: str, runs: dict[str, subprocess.CompletedProcess[str]]
) -> None:
    changes, _, end = runs[name].stdout.partition("\n\n")
    assert end.splitlines()[: len(ENDS[name])] == ENDS[name]
    # Ollama's calls arrive complete
    first = "✓ plan_day {'city': 'Łód" if name == "ollama" else "… plan_day"
    assert changes.startswith(first)
    assert len(changes.splitlines()) >= (2 if name == "ollama" else 15)


def test_prints_a_structured_output(runs: dict[str, subprocess.CompletedProcess[str]]) -> None:
    *changes, last = runs["openai_responses"].stdout.partition("output:\n")[2].splitlines()
    assert last == f"✓ {{'days': [{MALAGA}, {BERN}]}}"
    assert len(changes) >= 15
    assert "… {'days': [{'city': 'Málaga'}]}" in changes


def test_renders(runs: dict[str, subprocess.CompletedProcess[str]]) -> None:
    assert runs["render_unchanged"].stdout.endswith("<li>booked: False</li></ul>\n")


# what they promise


@pytest.mark.parametrize(
    "format",
    [
        "ag-ui",
        "anthropic",
        "bedrock",
        "gemini-interactions",
        "langchain",
        "mistral",
        "ollama",
        "openai-chat",
    ],
)
def test_calls_resume_in_another_process(format: Any) -> None:
    """Wherever the stream is cut, the calls that were kept and the other events make the same calls."""
    example = runpy.run_path(str(OTHERS["resume_calls"]))
    for stream in STREAMS.glob(f"{script_of(format)}.*"):
        data = stream.read_bytes()
        events: list[Any] = list(decode([data])) if stream.suffix == ".sse" else data.splitlines()
        every = list(tool_calls(events, format=format))
        for cut in range(1, len(events)):
            kept = json.loads(json.dumps(example["keep"](every[cut - 1])))
            *_, calls = example["resume"](kept, events[cut:], format)
            assert list(map(summary, calls)) == list(map(summary, every[-1])), cut


def summary(call: ToolCall) -> tuple[Any, ...]:
    return call.id, call.name, call.args, call.is_complete, call.error


def test_every_format_has_its_script() -> None:
    assert set(SCRIPTS) == {script_of(format) for format in SCRIPTED}
    assert {path.stem for path in PROVIDERS.glob("*.py")} == {
        *HELPERS,
        *(path.stem for path in SCRIPTS.values()),
        "stop_early",
    }


@pytest.mark.parametrize("name", SCRIPTS)
def test_one_line_makes_it_live(name: str) -> None:
    source = SCRIPTS[name].read_text(encoding="utf-8")
    tree = ast.parse(source)
    functions = {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(functions["live"]))
    # nothing but the standard library is needed offline
    for node in tree.body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for module in (name.partition(".")[0] for name in names):
            assert module in {"midstream", *HELPERS, *sys.stdlib_module_names}
    live, count = ONE_LINE.subn(r"\1\3", source)
    assert count == (2 if name == "openai_responses" else 1)
    compile(live, name, "exec")
    assert "recorded(" not in live
    assert "live(" in live.partition("def live(")[2]


@pytest.mark.parametrize("format", SCRIPTED)
def test_streams_are_of_their_format(format: str) -> None:
    names = [match[1] for match in ONE_LINE.findall(SCRIPTS[script_of(format)].read_text(encoding="utf-8"))]
    for name in names:
        data = (STREAMS / name).read_bytes()
        events: list[Any] = list(decode([data])) if name.endswith(".sse") else data.splitlines()
        assert 40 <= len(events) <= 120
        assert detect(events) == format


def test_every_stream_is_used() -> None:
    used = [
        match[1] for path in SCRIPTS.values() for match in ONE_LINE.findall(path.read_text(encoding="utf-8"))
    ]
    assert sorted(used) == sorted(path.name for path in STREAMS.iterdir())


def test_scripts_do_not_hide_what_they_import() -> None:
    """Run as a script, ``ollama.py`` would be what ``import ollama`` finds, in every script beside it."""
    imported = set()
    for path in [*SCRIPTS.values(), *ALL.values()]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
    assert {"anthropic", "langchain", "pydantic_ai"} <= imported
    names = {path.stem for path in EXAMPLES.rglob("*.py")} - HELPERS
    assert not names & imported


def test_lines_do_not_depend_on_the_cut() -> None:
    documents = runpy.run_path(str(ALL["documents"]))
    text = '{"a": "é\u2028"}\n\n \r\n{"a": 1\n<html>\n{"a": 2}\r\n[3'
    lines = ['{"a": "é\u2028"}', '{"a": 1', "<html>", '{"a": 2}\r', "[3"]
    ends = [None, "truncated", "expected_value", None, "truncated"]
    data = text.encode()
    for size in range(1, len(data) + 1):
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        parts = [data[start : start + size] for start in range(0, len(data), size)]
        assert list(documents["lines_of"](pieces)) == lines
        assert list(documents["lines_of"](parts)) == [line.encode() for line in lines]
        for fragments in (pieces, parts):
            found = list(documents["documents_of"](fragments))
            assert [error and error.code for _, error in found] == ends
    assert list(documents["lines_of"]([])) == list(documents["lines_of"](["\n", "", "\n"])) == []

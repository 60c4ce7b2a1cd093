"""One table, four readers: both builds in Python, the browser's module in Node and in Chromium."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from builds import BUILDS
from make_web_cases import TABLE, expected_of, table_text
from stage import WEB, chromium
from web_case_fuzz import differences

RUNNER = Path(__file__).parent / "web_cases.mjs"
CASES: list[dict[str, Any]] = json.loads(TABLE.read_text())
FILES = {f"/{path.relative_to(WEB).as_posix()}": path for path in WEB.rglob("*.js")}
FILES |= {f"/{path.name}": path for path in (RUNNER, TABLE)}
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json"}


def test_the_table_is_what_its_script_makes() -> None:
    assert TABLE.read_text() == table_text(), (
        "run tools/web_cases/make_web_cases.py and look at the difference"
    )


def test_the_table_covers_everything() -> None:
    kinds = {case["kind"] for case in CASES}
    assert kinds == {"rebuild", "handler", "text", "updates", "path", "sse", "stream", "select", "patch"}
    assert len(CASES) >= 1000


@pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
def test_python_does_what_the_table_says(midstream: Any) -> None:
    wrong = [case["name"] for case in CASES if expected_of(midstream, case) != case["expect"]]
    assert wrong == []


def test_node_does_what_the_table_says() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.fail(
            "Node is missing: install version 20 or later (Debian: apt-get install nodejs)", pytrace=False
        )
    run = subprocess.run([node, str(RUNNER)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout == f"{len(CASES)} cases, 0 failed\n"


def test_node_does_what_python_does_with_anything() -> None:
    assert differences(600, seed=2026) == "600 cases, 0 failed\n"


def test_chromium_does_what_the_table_says() -> None:
    def answer(route: Any) -> None:
        path = FILES.get(urlsplit(route.request.url).path)
        if path is None:
            route.fulfill(content_type="text/html", body="<!doctype html><title>cases</title>")
        else:
            route.fulfill(content_type=TYPES[path.suffix], body=path.read_text())

    with chromium() as browser:
        page = browser.new_page()
        page.route("**/*", answer)
        page.goto("http://cases.test/")
        outcome = page.evaluate(
            """async () => {
                const { runTable } = await import("/web_cases.mjs");
                const library = { ...(await import("/midstream.js")), ...(await import("/sse.js")) };
                return runTable(library, await (await fetch("/web_cases.json")).json());
            }"""
        )
    assert outcome == {"count": len(CASES), "failures": []}


def test_a_wrong_expectation_is_found(tmp_path: Path) -> None:
    # the runner itself: cases that must fail do
    node = shutil.which("node")
    assert node is not None
    rebuild, text, handler = (
        next(case for case in CASES if case["kind"] == kind and case["name"] == name)
        for kind, name in (
            ("rebuild", "flat object, in one piece"),
            ("text", "a number that is cut"),
            ("handler", "by id"),
        )
    )
    rebuild["expect"][-1]["value"] = '{"city":"Bern"}'
    text["expect"][-1]["isComplete"] = False
    handler["expect"][0]["calls"][0]["args"] = "[1,3,4]"
    wrong = tmp_path / TABLE.name
    wrong.write_text(json.dumps([rebuild, text, handler]))
    run = subprocess.run([node, str(RUNNER), str(wrong)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert run.stdout == "3 cases, 3 failed\n"


def exported(path: Path) -> set[str]:
    """List the names that a module or its types export."""
    text = path.read_text()
    names = re.findall(r"^export (?:declare )?(?:class|function|const) (\w+)", text, re.MULTILINE)
    for group in re.findall(r"^export \{([^}]*)\}", text, re.MULTILINE):
        names += re.findall(r"\w+", group)
    return set(names)


def test_the_types_name_what_the_module_exports() -> None:
    assert exported(WEB / "midstream.js") == exported(WEB / "midstream.d.ts")
    assert exported(WEB / "midstream.js") == {
        "ANY", "ConnectionLost", "EventReader", "JsonFieldAccumulator", "JsonFragmentAccumulator",
        "JsonFragmentRebuilder", "JsonSelectAccumulator", "JsonStreamError", "JsonValueAccumulator",
        "ResponseError", "SseDecoder",
        "ToolCall", "ToolsAggregateMessageHandler", "applyPatch", "createStore", "events", "field",
        "messages", "parsePath", "select",
    }  # fmt: skip
    for name in ("sse", "react"):
        assert exported(WEB / f"{name}.js") == exported(WEB / f"{name}.d.ts")


def test_no_module_is_long() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in WEB.rglob("*.js")}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > 450} == {}

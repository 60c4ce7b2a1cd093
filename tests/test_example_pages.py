"""The pages of the examples, in a real browser: they show what arrives, and end complete."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from midstream import recordings, text_deltas, tool_calls, values
from stage import ROOT, chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@contextmanager
def serving(name: str) -> Iterator[str]:
    """Run an example's application as its first line says, and give its address."""
    command = [sys.executable, "-m", "uvicorn", f"examples.{name}:app", "--port", "0"]
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=os.environ
    ) as server:
        try:
            assert server.stderr is not None
            lines = iter(server.stderr.readline, "")
            yield (
                "http://"
                + next(line for line in lines if "running on" in line).partition("http://")[2].split()[0]
            )
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def test_fastapi(browser: Browser) -> None:
    *_, calls = tool_calls(recordings.load("trip").events())
    with serving("fastapi_app") as url:
        page = browser.new_page()
        page.goto(url)
        shown = page.locator("pre")
        page.wait_for_function("document.querySelector('pre').textContent.includes('…')")
        page.wait_for_function("document.querySelector('pre').textContent.split('✓').length === 3")
        for call in calls:
            assert f"{call.name} ✓" in (shown.text_content() or "")
        page.close()


def test_starlette(browser: Browser) -> None:
    *_, report = values(text_deltas(recordings.load("report").events()))
    with serving("starlette_app") as url:
        page = browser.new_page()
        page.goto(url)
        page.get_by_role("button").click()
        page.wait_for_function("document.querySelector('pre').textContent.includes('summary')")
        assert page.title() == "Report"
        page.wait_for_function("document.title === 'complete'")
        assert page.evaluate("JSON.parse(document.querySelector('pre').textContent)") == report
        page.close()

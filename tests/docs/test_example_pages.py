"""The pages of the examples, in a real browser: they show what arrives, and say how it ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from midstream import recordings, text_deltas, tool_calls, values
from midstream.event_stream import EventStream, Kind, Step
from midstream.sse import SseEvent, encode
from replay_server import ReplayServer, Reply
from stage import chromium, serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from playwright.sync_api import BrowserContext, Page, Route

EXAMPLES = Path(__file__).parents[2] / "examples"


def sent(recording: str) -> bytes:
    """Return what the middleware makes of a recording."""
    found = recordings.load(recording)
    stream = EventStream("m1", Kind(format=found.format), is_numbered=False)
    entries = [stream.start()]
    for event in found.events():
        entries += stream.add_step(Step(b"", event))
    return b"".join([*entries, *stream.finish(), *stream.close()])


def events(*datas: Mapping[str, object]) -> bytes:
    return b"".join(encode(SseEvent(str(data["type"]), json.dumps(data))) for data in datas)


def answering(page: Page, path: str, body: bytes, status: int = 200) -> list[str]:
    """Answer a request in the server's place; give the list of the requests that came."""
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=status, body=body, content_type="text/event-stream")

    page.route(f"**{path}?events=midstream", answer)
    return asked


@pytest.fixture(scope="module")
def context() -> Iterator[BrowserContext]:
    with chromium() as browser, browser.new_context() as opened:
        # while a page of a server of this machine is open, the next ones start with less work
        page = opened.new_page()
        page.route("**/*", lambda route: route.fulfill(body="open"))
        page.goto("http://127.0.0.1/")
        yield opened


def shows(page: Page, element: str, text: str) -> None:
    page.wait_for_function(
        "([element, text]) => document.querySelector(element).textContent.includes(text)", arg=[element, text]
    )


def test_fastapi(context: BrowserContext) -> None:
    *_, calls = tool_calls(recordings.load("trip").events())
    with serving("fastapi_app") as (url, _):
        page = context.new_page()
        page.goto(url)
        shows(page, "pre", "…")
        shows(page, "p", "That was all.")
        for call in calls:
            assert f"{call.name} complete" in (page.locator("pre").text_content() or "")
        page.close()


def test_fastapi_reports_what_became_of_each_call(context: BrowserContext) -> None:
    with serving("fastapi_app") as (url, server):
        for recording, states in (
            ("cut", ["search_code complete", "write_file cut off"]),
            ("invalid", ["format_range complete", "write_rows not valid"]),
        ):
            page = context.new_page()
            answering(page, "/chat", sent(recording))
            page.goto(url)
            shows(page, "p", "That was all.")
            for state in states:
                shows(page, "pre", state)
            page.close()

        page = context.new_page()
        body = events({"type": "error", "code": "unknown_format", "message": "not a stream"})
        answering(page, "/chat", body)
        page.goto(url)
        shows(page, "p", "not a stream")
        page.close()

        # the server goes away during a call; the page does not ask again
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(url)
        shows(page, "pre", "find_trains …")
        server.kill()
        shows(page, "p", "The connection is lost.")
        shows(page, "pre", "find_trains cut off")
        page.wait_for_timeout(4_000)  # browsers wait three seconds
        assert sum("/chat" in url for url in asked) == 1
        page.close()


def test_a_relay_is_opened_by_a_second_page(context: BrowserContext) -> None:
    *_, calls = tool_calls(recordings.load("trip").events())
    with serving("fastapi_relay") as (url, _):
        first, second = context.new_page(), context.new_page()
        first.goto(url)
        first.get_by_role("button").click()
        shows(first, "pre", str(calls[0].name))
        second.goto(first.url)
        for page in (first, second):
            shows(page, "pre", "complete")
            for call in calls:
                shows(page, "pre", str(call.name))
        assert first.locator("pre").text_content() == second.locator("pre").text_content()
        first.close()
        second.close()


def test_starlette(context: BrowserContext) -> None:
    *_, report = values(text_deltas(recordings.load("report").events()))
    with serving("starlette_app") as (url, _):
        page = context.new_page()
        page.goto(url)
        page.get_by_role("button").click()
        shows(page, "pre", "summary")
        assert page.title() == "Report"
        page.wait_for_function("document.title === 'complete'")
        assert page.evaluate("JSON.parse(document.querySelector('pre').textContent)") == report
        page.close()


def test_starlette_reports_what_became_of_the_answer(context: BrowserContext) -> None:
    stop = {"type": "message_end", "reason": "stop"}
    length = {"type": "message_end", "reason": "length", "is_truncated": True}
    with serving("starlette_app") as (url, server):
        for text, end, status, title, words in (
            ('{"a": 1}', stop, 200, "complete", "stop"),
            ("12", stop, 200, "complete", "stop"),
            ("12", length, 200, "cut off", "length"),
            ('{"a": 1}', length, 200, "cut off", "length"),
            ('{"a": 1', stop, 200, "cut off", "stop"),
            ('{"a": one}', stop, 200, "not valid", "stop"),
            ('{"a": 1}', {"type": "stream_end"}, 200, "cut off", ""),
            ('{"a": 1}', {"type": "error", "message": "too long"}, 200, "cut off", "too long"),
            ("", stop, 503, "cut off", "the server says 503"),
        ):
            page = context.new_page()
            answering(page, "/ask", events({"type": "text_delta", "text": text}, end), status)
            page.goto(url)
            page.get_by_role("button").click()
            page.wait_for_function("document.title !== 'Report'")
            assert (page.title(), page.locator("p").text_content()) == (title, words)
            page.close()

        page = context.new_page()
        page.goto(url)
        page.get_by_role("button").click()
        shows(page, "pre", "title")
        server.kill()
        page.wait_for_function("document.title === 'cut off'")
        assert page.locator("p").text_content()
        page.close()


@pytest.mark.parametrize(
    ("sdk", "recording", "states"),
    [
        ("openai", "trip", ["find_trains {", "plan_weekend {", "} complete"]),
        ("anthropic", "cut", ["search_code {", "} complete", "write_file {", "} truncated"]),
    ],
)
def test_sdks(sdk: str, recording: str, states: list[str], context: BrowserContext) -> None:
    """The SDK's own client in a FastAPI application, the page in a browser, the provider on loopback."""
    body = recordings.load(recording).body
    replies = {"complete": Reply(body), "stream failed": Reply(body, "resets", len(body) // 2), "500": None}
    with ReplayServer() as provider:
        url = provider.add(Reply(body))
        base = url + ("/v1" if sdk == "openai" else "")
        variables = {f"{sdk.upper()}_API_KEY": "none", f"{sdk.upper()}_BASE_URL": base}
        with serving(f"fastapi_{sdk}", sdk, **variables) as (address, _):
            page = context.new_page()
            page.goto(address)
            for end, reply in replies.items():
                provider.set(url, reply)
                page.get_by_role("button").click()
                page.wait_for_function(
                    "end => document.querySelector('pre').textContent.trim().match(end + '[^\\n]*$')", arg=end
                )
                if end == "complete":
                    for state in states:
                        shows(page, "pre", state)
            page.close()
        assert len((EXAMPLES / f"fastapi_{sdk}.py").read_text("utf-8").splitlines()) < 40

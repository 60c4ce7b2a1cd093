"""Make the pictures of the page that the documentation shows.

    python tools/pictures/make_pictures.py

They are taken in the middle of streams, so no two runs give the same; look at them before you keep them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests/support"))

from stage import chromium, gateway, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PICTURES = ROOT / "docs" / "pictures"
MOST = 150_000
DESKTOP: dict[str, Any] = {"viewport": {"width": 1100, "height": 760}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 780},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 1.5,
}


def open_page(browser: Browser, url: str, options: dict[str, Any]) -> Page:
    page = browser.new_context(**options).new_page()
    page.goto(f"{url}#start=no")
    page.locator("#start:enabled").wait_for()
    return page


def start(page: Page, name: str, pace: int) -> None:
    page.locator("#pace").fill(str(pace))
    page.locator("#recording").select_option(name)
    page.locator("#start").click()


def until(page: Page, count: int) -> None:
    """Wait for so many events, and then for a string that is growing."""
    while int((page.locator("#counter").text_content() or "0").partition(" ")[0] or 0) < count:
        page.wait_for_timeout(10)
    while not any(map(str.strip, page.locator(".here > .row .string").all_text_contents())):
        page.wait_for_timeout(5)


def ended(page: Page) -> None:
    page.locator("#status[data-state=ended]").wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")


def take(page: Page, name: str) -> None:
    path = PICTURES / f"page-{name}.png"
    # the value under the pointer would be marked
    page.mouse.move(1, 1)
    page.screenshot(path=path)
    assert path.stat().st_size < MOST, f"{path} has {path.stat().st_size} bytes"
    print(f"{path}: {path.stat().st_size:,} bytes")
    page.context.close()


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with gateway() as stage, chromium() as browser:
        page = open_page(browser, stage.url, {**DESKTOP, "viewport": {"width": 1100, "height": 920}})
        start(page, "trip", 2)
        until(page, 112)
        take(page, "light")
        page = open_page(browser, stage.url, {**DESKTOP, "color_scheme": "dark"})
        start(page, "report", 2)
        until(page, 20)
        take(page, "dark")
        page = open_page(browser, stage.url, PHONE)
        start(page, "search", 2)
        until(page, 24)
        take(page, "phone")
        page = open_page(browser, stage.url, {**DESKTOP, "viewport": {"width": 1100, "height": 1080}})
        start(page, "cut", 5)
        ended(page)
        take(page, "truncated")
        page = open_page(browser, stage.url, {**DESKTOP, "viewport": {"width": 1100, "height": 880}})
        start(page, "invalid", 5)
        ended(page)
        take(page, "invalid")
        with serving("fastapi_app") as (url, _):
            page = browser.new_context(viewport={"width": 480, "height": 420}).new_page()
            page.goto(url)
            page.wait_for_function("document.querySelector('pre').textContent.includes('Passenger tw')")
            take(page, "example")


if __name__ == "__main__":
    main()

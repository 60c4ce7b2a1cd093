"""What the tests of the page need: the gateway in a thread, and a real browser."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from midstream.server import Settings, create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

__all__ = ["ARTIFACTS", "WEB", "Stage", "chromium", "gateway", "serving"]

ROOT = Path(__file__).parents[2]
WEB = ROOT / "src" / "midstream" / "render" / "web"
ARTIFACTS = ROOT / "build" / "page"
_SWITCHES = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


class Stage:
    """A gateway that is running, and its streams."""

    def __init__(self, app: Any, server: uvicorn.Server) -> None:
        self._app = app
        self._server = server
        self.loop: asyncio.AbstractEventLoop | None = None

    @property
    def url(self) -> str:
        host, port = self._server.servers[0].sockets[0].getsockname()[:2]
        return f"http://{host}:{port}/"

    @property
    def is_ready(self) -> bool:
        return self._server.started

    def streams(self) -> list[Any]:
        """List the streams that the gateway knows."""
        return list(self._app.state.gateway.hub._channels.values())

    def cut_connections(self) -> None:
        """End all connections that read a stream, as a network does."""
        assert self.loop is not None
        for stream in self.streams():
            for viewer in list(stream.viewers):
                self.loop.call_soon_threadsafe(viewer.leave)

    def forget_streams(self) -> None:
        """Drop all streams, as a restart does."""
        assert self.loop is not None
        forget = self._app.state.gateway.hub.forget
        for stream in self.streams():
            asyncio.run_coroutine_threadsafe(forget(stream), self.loop).result(5)


@contextmanager
def gateway(settings: Settings | None = None) -> Iterator[Stage]:
    """Run a gateway on a free port."""
    app = create_app(settings=settings or Settings())
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, log_level="warning", ws="none", timeout_graceful_shutdown=1)
    )
    stage = Stage(app, server)

    async def serve() -> None:
        stage.loop = asyncio.get_running_loop()
        await server.serve()

    def run() -> None:
        asyncio.run(serve())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 120
    while not stage.is_ready:
        assert thread.is_alive(), "the gateway did not start"
        assert time.monotonic() < deadline, "the gateway did not start in time"
        time.sleep(0.01)
    try:
        yield stage
    finally:
        server.should_exit = True
        thread.join(10)


def executable() -> str:
    """Find the browser; that there is none is no reason to leave the tests out."""
    named = os.environ.get("CHROMIUM")
    found = (
        named or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    )
    if found is None or not Path(found).exists():
        pytest.fail(
            "Chromium is missing: run `make programs`, or name one in the variable CHROMIUM", pytrace=False
        )
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser without a window."""
    path = executable()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.fail(
            "Playwright is missing: run `pip install playwright` (no browsers of its own)", pytrace=False
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_SWITCHES)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def serving(name: str, sdk: str = "", **variables: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run an example's application as its first line says, and yield its address and its process.

    The application may also import what is installed for the tests of an SDK.
    """
    path = [str(folder) for folder in (ROOT / f".venv-sdk-{sdk}").glob("lib/python*/site-packages")]
    assert path or not sdk, "run `make sdk-envs`"
    program = f"import sys; sys.path += {path}; import uvicorn; uvicorn.main()"
    command = [sys.executable, "-c", program, f"examples.{name}:app", "--port", "0"]
    env = os.environ | variables
    with subprocess.Popen(
        command, cwd=ROOT, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env
    ) as server:
        try:
            assert server.stderr is not None
            lines = iter(server.stderr.readline, "")
            address = next(line for line in lines if "running on" in line).partition("http://")[2].split()[0]
            yield f"http://{address}", server
        finally:
            server.kill()

"""A real Redis (or Valkey) on a free loopback port."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import redis

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MISSING = "redis-server is missing: run `make programs`, or install it (Debian: redis-server)"


class RedisServer:
    """A server that can be killed and started again on the same port."""

    def __init__(self, folder: Path, *options: str) -> None:
        program = shutil.which("redis-server") or shutil.which("valkey-server")
        assert program is not None, MISSING
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._command = [
            program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "",
            *options,
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 30
        with redis.Redis(port=self.port) as client:
            while True:
                with suppress(redis.RedisError):
                    if client.ping():
                        return
                assert time.monotonic() < end, "redis-server did not start"
                time.sleep(0.02)

    def kill(self) -> None:
        """Kill the server, as the kernel does when memory is short."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def running_redis(folder: Path, *options: str) -> Iterator[RedisServer]:
    """Run a server while the context lasts."""
    server = RedisServer(folder, *options)
    server.start()
    try:
        yield server
    finally:
        server.kill()

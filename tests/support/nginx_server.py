"""A real nginx in front of a server, on a free loopback port."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["running_nginx"]

MISSING = "nginx is missing: run `make programs`, or install it (Debian: nginx-light)"
_FRAME = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    server {{
        listen 127.0.0.1:{port};
{locations}
    }}
}}
"""


@contextmanager
def running_nginx(folder: Path, locations: str) -> Iterator[str]:
    """Run nginx with the given ``location`` blocks; yield its address."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    assert program is not None, MISSING
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    file = folder / "nginx.conf"
    file.write_text(_FRAME.format(folder=folder, port=port, locations=locations))
    command = [program, "-p", str(folder), "-c", str(file), "-e", str(folder / "error.log")]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        try:
            url, end = f"http://127.0.0.1:{port}", time.monotonic() + 20
            while True:
                with suppress(httpx.TransportError):
                    httpx.get(url)
                    break
                assert process.poll() is None, (folder / "error.log").read_text()
                assert time.monotonic() < end, "nginx did not start"
                time.sleep(0.02)
            yield url
        finally:
            process.terminate()
            process.communicate()

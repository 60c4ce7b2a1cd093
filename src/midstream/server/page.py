"""The page: files of the package, under a content security policy that allows no others."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.responses import FileResponse, Response

from .responses import NOSNIFF, problem

__all__ = ["file", "folder"]

# the page's files lie in one folder, the modules of the library in the folder lib in it
_NAME = re.compile(r"(?:lib/)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}(\.[a-z0-9]+)")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".ts": "text/plain; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    **NOSNIFF,
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


def folder() -> Path:
    """Return the folder of the page's files."""
    return Path(__file__).parent.parent / "render" / "web"


def file(name: str) -> Response:
    """Return a response with a file of the page."""
    match = _NAME.fullmatch(name)
    path = folder() / name
    if match is None or match[1] not in _TYPES or not path.is_file():
        return problem(404, "not_found", "no such file")
    return FileResponse(path, media_type=_TYPES[match[1]], headers=_HEADERS)

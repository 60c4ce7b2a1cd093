"""JSON Pointers (RFC 6901), parsed into their tokens; ``paths`` formats them."""

from __future__ import annotations

import re

from ..errors import ErrorCode, invalid

__all__ = ["parse_pointer"]

_BAD_ESCAPE = re.compile("~(?![01])").search


def parse_pointer(pointer: object) -> list[str]:
    """Return the tokens of a pointer; raise `JsonStreamError` if it is not one.

    >>> parse_pointer("/a~1b/0"), parse_pointer("")
    (['a/b', '0'], [])
    """
    if not isinstance(pointer, str) or (pointer and pointer[0] != "/") or _BAD_ESCAPE(pointer):
        raise invalid(ErrorCode.INVALID_PATH, "expected a JSON Pointer: empty, or '/' before each token")
    # unescape ~1 first, so that ~01 becomes ~1 (RFC 6901 section 4)
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]

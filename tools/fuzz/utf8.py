"""Bytes cut anywhere are the characters that they encode, and what encodes none is an error at its place.

The model decodes byte by byte; where Python can decode the bytes, the text gives the same updates.
"""

from __future__ import annotations

import contextlib

from builds import BUILDS
from model import exactly, join_partials, naive, pieces, run

from .choices import Choices
from .documents import cut, damaged, document, limits_for, options

__all__ = ["check"]

SEQUENCES = (
    b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80",
    b"\xff", b"\x80", b"\xe0\x80\x80", b"\xef\xbb\xbf", b"\xf0\x9f", b"\xe2", b"\xed\x9f\xbf",
    b"\xf8\x88",
)  # fmt: skip
KINDS = (bytes, bytearray, memoryview)


def check(data: bytes) -> None:
    choices = Choices(data)
    given = options(choices)
    text = bytes_of(choices)
    fragments = cut(choices, text)
    expected = exactly(join_partials(naive([text], **given)))
    decoded: str | None = None
    with contextlib.suppress(UnicodeDecodeError):
        decoded = text.decode()
    if decoded is not None:
        assert exactly(join_partials(naive([decoded], **given))) == expected
    for build in BUILDS.values():
        call_options = limits_for(build, given) | {"on_error": "event"}
        kinds: list[type] = [choices.pick(KINDS) for _ in fragments[:8]]
        kinds += [bytes] * (len(fragments) - len(kinds))
        given_bytes = [kind(fragment) for kind, fragment in zip(kinds, fragments, strict=True)]
        assert exactly(join_partials(run(build, given_bytes, **call_options))) == expected
        if decoded is not None:
            assert exactly(join_partials(run(build, [decoded], **call_options))) == expected
        # a switch from one to the other, inside a character or not
        at = choices.below(len(text) + 1)
        mixed = [*pieces(text[:at], [choices.below(at + 1)]), text[at:].decode("utf-8", "replace")]
        expected_mixed = exactly(join_partials(naive(mixed, **given)))
        assert exactly(join_partials(run(build, mixed, **call_options))) == expected_mixed


def bytes_of(choices: Choices) -> bytes:
    text = document(choices)
    if choices.one_in(3):
        text = damaged(choices, text)
    data = text.encode()
    for _ in range(choices.below(4)):
        at = choices.below(len(data) + 1)
        new = choices.raw(4) if choices.one_in(3) else choices.pick(SEQUENCES)
        data = data[:at] + new + data[at + choices.below(3) :]
    return data

"""UTF-8 in fragments, against the decoder of the standard library."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from midstream.extract.decoding import Utf8Decoder

if TYPE_CHECKING:
    from collections.abc import Iterable

CASES = {
    "ascii": b"abc",
    "every length": "aé€😀".encode(),
    "bytes that begin nothing": b"a\xff\xfeb",
    "an overlong form": b"\xc0\x80",
    "a surrogate": b"a\xed\xa0\x80b",
    "above the last code point": b"\xf4\x90\x80\x80",
    "a character that is cut off": b"a\xe2\x82",
    "a character that another cuts off": b"\xe2\x82\xc3\xbc",
}


def merged(parts: Iterable[str | bytes]) -> list[str | bytes]:
    """Join adjacent parts of the same type."""
    merged: list[str | bytes] = []
    for kind, same in groupby(parts, type):
        merged.append(kind().join(same))
    return merged


def decoded(fragments: list[bytes]) -> list[str | bytes]:
    """Return what the fragments consist of."""
    decoder = Utf8Decoder()
    return merged([part for fragment in fragments for part in decoder.add(fragment)] + decoder.finish())


def expected(data: bytes) -> list[str | bytes]:
    """Return the same as the standard library decodes it in one go."""
    return merged(
        c.encode("utf-8", "surrogateescape") if "\udc80" <= c <= "\udcff" else c
        for c in data.decode("utf-8", "surrogateescape")
    )


@pytest.mark.parametrize("data", CASES.values(), ids=list(CASES))
def test_table(data: bytes) -> None:
    assert decoded([data]) == expected(data)
    assert decoded([data[i : i + 1] for i in range(len(data))]) == expected(data)
    for cut in range(len(data) + 1):
        assert decoded([data[:cut], data[cut:]]) == expected(data)


@given(st.binary(max_size=12) | st.text(max_size=6).map(str.encode), st.lists(st.integers(0, 12)))
def test_any_bytes(data: bytes, cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), len(data)]
    assert decoded([data[i:j] for i, j in pairwise(ends)]) == expected(data)
    decoder = Utf8Decoder()
    for i in range(len(data)):
        decoder.add(data[i : i + 1])
        assert len(decoder.carry) <= 3

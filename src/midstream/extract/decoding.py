"""Bytes in, text out: UTF-8 cut anywhere, with bytes that are not UTF-8 kept apart."""

from __future__ import annotations

import re
from codecs import utf_8_decode

__all__ = ["Utf8Decoder"]

_invalid_bytes = re.compile(r"([\udc80-\udcff]+)").split


class Utf8Decoder:
    r"""Decode fragments, and keep at most three bytes of a character that is cut.

    >>> decoder = Utf8Decoder()
    >>> decoder.add(b"Z\xc3"), decoder.add(b"\xbcrich")
    (['Z'], ['ürich'])
    """

    __slots__ = ("carry",)

    def __init__(self) -> None:
        self.carry = b""

    def add(self, data: bytes) -> list[str | bytes]:
        r"""Return the text of a fragment, and between its pieces the bytes that are not UTF-8.

        >>> Utf8Decoder().add(b"a\xff\xfeb")
        ['a', b'\xff\xfe', 'b']
        """
        if self.carry:
            data = self.carry + data
        try:
            text, used = utf_8_decode(data, "strict", False)
            is_valid = True
        except UnicodeDecodeError:
            text, used = utf_8_decode(data, "surrogateescape", False)
            is_valid = False
        if used < len(data) and data[used] == 0xED and data[used + 1 :] >= b"\xa0":
            # the start of an encoded surrogate, which cannot become valid
            text, used = utf_8_decode(data, "surrogateescape", True)
            is_valid = False
        self.carry = data[used:]
        if is_valid:
            return [text] if text else []
        return _parts(text)

    def finish(self) -> list[str | bytes]:
        """Return the bytes of a character that was cut off."""
        carry, self.carry = self.carry, b""
        return [carry] if carry else []


def _parts(text: str) -> list[str | bytes]:
    """Split a text in which lone surrogates stand for invalid bytes."""
    return [
        part.encode("utf-8", "surrogateescape") if "\udc80" <= part[0] <= "\udcff" else part
        for part in _invalid_bytes(text)
        if part
    ]

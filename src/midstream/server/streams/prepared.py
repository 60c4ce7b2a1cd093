"""Recordings, derived once for all streams that replay them."""

from __future__ import annotations

import secrets
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ... import recordings
from ..store.base import End
from .derivation import Derivation, Variant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["PreparedDerivation", "blocks_of", "is_prepared", "recording_of"]

# stands for the id of a stream; a recording cannot contain it, because it is random
_ID = secrets.token_hex(16)
_ID_BYTES = _ID.encode()


recording_of = lru_cache(recordings.load)


@lru_cache
def blocks_of(name: str) -> tuple[bytes, ...]:
    """Return the raw events of a recording: the same objects for each stream."""
    return tuple(recording_of(name).blocks())


@lru_cache
def _entries_of(name: str, variant: Variant, max_bytes: int) -> tuple[list[bytes], ...]:
    """Return the entries of each raw event of a recording, and of its end, for the id `_ID`."""
    derivation = Derivation(_ID, {"name": name, "format": recording_of(name).format}, variant, max_bytes)
    list(derivation.begin())
    blocks = blocks_of(name)
    found = [list(derivation.add(number, raw)) for number, raw in enumerate(blocks, 1)]
    found.append(list(derivation.finish(len(blocks) + 1, End())))
    # nothing if the stream ends before its last event
    return () if derivation.is_over else tuple(found)


def is_prepared(meta: Mapping[str, Any], variant: Variant) -> bool:
    """Report whether a stream may be a recording, whose events are derived."""
    name = meta["name"]
    return not variant.is_raw and name in recordings.NAMES and recording_of(name).format == meta["format"]


class PreparedDerivation(Derivation):
    """Write the entries of a recording with the id of a stream.

    It knows the raw events by their identity. From the first other event on, or if the stream is observed or
    does not end as the recording does, it derives.
    """

    def __init__(self, id: str, meta: Mapping[str, Any], variant: Variant, max_bytes: int) -> None:
        # the rest of the state is there when it derives
        self.is_over = False
        self.first_argument = None
        self._arguments = id, meta, variant, max_bytes
        self._stream_id = id.encode()
        self._blocks = blocks_of(meta["name"])
        self._entries = _entries_of(meta["name"], variant, max_bytes)
        self._read = 0
        self._is_prepared = True

    def begin(self) -> Iterator[bytes]:
        """Yield the entry before all raw events."""
        if self._is_prepared:
            return Derivation(*self._arguments).begin()
        return super().begin()

    def add(self, number: int, raw: bytes) -> Iterator[bytes]:
        """Yield the entries that follow from a raw event."""
        if self._is_prepared:
            if number == self._read + 1 < len(self._entries) and raw is self._blocks[number - 1]:
                self._read = number
                return self._written(number)
            self._derive()
        return super().add(number, raw)

    def observe(self) -> None:
        """Collect what is said from now on, for `snapshot`."""
        self._derive()
        super().observe()

    def finish(self, number: int, end: End) -> Iterator[bytes]:
        """Yield the entries that follow from the end of the log."""
        if self._is_prepared:
            if not end.code and number == self._read + 1 == len(self._entries):
                return self._written(number)
            self._derive()
        return super().finish(number, end)

    def _written(self, number: int) -> Iterator[bytes]:
        id = self._stream_id
        return iter([entry.replace(_ID_BYTES, id) for entry in self._entries[number - 1]])

    def _derive(self) -> None:
        """Derive from now on; first what was written."""
        if not self._is_prepared:
            return
        self._is_prepared = False
        super().__init__(*self._arguments)
        for _ in super().begin():
            pass
        for number, raw in enumerate(self._blocks[: self._read], 1):
            for _ in super().add(number, raw):
                pass

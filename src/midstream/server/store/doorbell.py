"""Doorbells: datagrams by which a worker informs the others that a stream has changed (Linux).

A datagram may be lost: it is only a hint.
"""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["Doorbell"]

# how long the list of the other workers is used
_KNOWN_SECONDS = 1.0


class Doorbell:
    """The bell of one worker, and the way to ring those of the others."""

    def __init__(self, path: Path, others: Callable[[], list[str]]) -> None:
        self._path = path
        self._find_others = others
        self._others: tuple[float, list[bytes]] = (0, [])
        self._socket: socket.socket | None = None

    def open(self, worker: str, rung: Callable[[str], None]) -> None:
        """Listen as a worker; call ``rung`` with the id of each stream that has changed."""
        bell = self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        bell.bind(self._address_of(worker))
        asyncio.get_running_loop().add_reader(bell, _receive, bell, rung)

    def close(self) -> None:
        """Stop listening."""
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None

    def ring(self, id: str) -> None:
        """Wake the readers of a stream in the other workers."""
        if self._socket is None:
            return
        now = time.monotonic()
        if now - self._others[0] > _KNOWN_SECONDS:
            self._others = now, [self._address_of(worker) for worker in self._find_others()]
        for address in self._others[1]:
            with suppress(OSError):
                self._socket.sendto(id.encode(), address)

    def _address_of(self, worker: str) -> bytes:
        # an abstract address (Linux): no file that remains, and no limit to the length of the path
        return b"\0midstream-" + blake2b(f"{self._path}\0{worker}".encode()).hexdigest()[:64].encode()


def _receive(bell: socket.socket, rung: Callable[[str], None]) -> None:
    """Read all waiting datagrams."""
    with suppress(OSError):
        while True:
            rung(bell.recv(256).decode("ascii", "replace"))

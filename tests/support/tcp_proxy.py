"""A TCP proxy that cuts, freezes and half-closes connections."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Self

__all__ = ["Proxy"]


class Proxy:
    """Pass connections on to a port of this machine; use it as an asynchronous context manager."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._pairs: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self._is_open = asyncio.Event()
        self._is_open.set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._server is not None
        self._server.close()
        self._is_open.set()
        self.cut()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        pair = writer, far_writer
        self._pairs.add(pair)
        try:
            await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))
        finally:
            self._pairs.discard(pair)
            for one in pair:
                one.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # after a half-close, what still arrives cannot be written
        with suppress(OSError, RuntimeError):
            while data := await reader.read(65536):
                await self._is_open.wait()
                writer.write(data)
                await writer.drain()
            writer.write_eof()
            return
        writer.transport.abort()

    def cut(self) -> None:
        """Abort all connections."""
        for pair in list(self._pairs):
            for writer in pair:
                writer.transport.abort()

    def half_close(self) -> None:
        """End the direction from the client in all connections; the other one stays open."""
        for _, far in list(self._pairs):
            with suppress(OSError, RuntimeError):
                far.write_eof()

    async def freeze(self, seconds: float) -> None:
        """Pass nothing on for a time."""
        self._is_open.clear()
        await asyncio.sleep(seconds)
        self._is_open.set()

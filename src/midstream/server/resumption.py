"""Upstreams that can be resumed: OpenAI's background responses, and another midstream.

The worker that has lost its connection, or the one that takes over the stream of a dead worker, asks the
upstream for what follows the last event in the log.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import anyio

from .failures import Failure
from .streams.producer import Resumable, cut
from .upstream import Unreachable, chunks_of, is_event_stream, is_readable

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence

    import httpx

    from .settings import Settings
    from .streams.channel import Channel
    from .upstream import Headers, Upstream

__all__ = ["Resumption", "how_to_resume"]

_TERMINAL = {f"response.{how}" for how in ("completed", "failed", "incomplete", "cancelled")} | {"error"}
# attempts without any event in between
_ATTEMPTS = 4
_RETRY_SECONDS = 0.15
_CANCEL_SECONDS = 5.0
# the id of a response is in the first events, its last number in the last ones
_NEAR = 5


def how_to_resume(path: str, body: bytes, response: httpx.Response) -> dict[str, str] | None:
    """Return what a stream's meta says about resuming its upstream; None if it cannot be resumed."""
    if (stream := response.headers.get("midstream-stream")) is not None:
        return {"from": "midstream", "stream": stream}
    if path != "responses":
        return None
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return None
    is_kept = isinstance(asked, dict) and asked.get("background") is True and asked.get("store") is not False
    return {"from": "responses"} if is_kept else None


class Resumption(Resumable):
    """Yield the raw events of an upstream; when the connection breaks, continue after the last one."""

    def __init__(
        self,
        upstream: Upstream,
        settings: Settings,
        how: Mapping[str, str],
        headers: Headers,
        first: httpx.Response | None = None,
    ) -> None:
        self._upstream = upstream
        self._settings = settings
        self._how = how
        self._headers = headers
        self._first = first
        self._channel: Channel | None = None
        self._events = self._all()
        if first is not None:
            self._pending: AsyncGenerator[list[bytes]] | None = self._cut(first)
        else:
            self._pending = None

    def attach(self, channel: Channel) -> None:
        """Continue the log of a channel."""
        self._channel = channel

    async def asend(self, value: None) -> list[bytes]:
        """Return the next events."""
        return await self._events.asend(value)

    async def athrow(self, *error: Any) -> list[bytes]:
        """Raise an exception where the events are read."""
        return await self._events.athrow(*error)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._events.aclose()
        if self._pending is not None:
            await self._pending.aclose()
            self._pending = None
        if self._first is not None:
            with anyio.CancelScope(shield=True):
                await self._first.aclose()

    async def _all(self) -> AsyncGenerator[list[bytes]]:
        attempts = 0
        while True:
            failure = Failure("producer_lost", "the upstream ended before the end of the stream")
            try:
                source = self._pending or await self._again()
                self._pending = None
                if source is None:
                    return
                async with aclosing(source):
                    async for events in source:
                        attempts = 0
                        yield events
                # a midstream ends its connection properly only at the end of the stream
                if self._how["from"] == "midstream" or self._has_ended():
                    return
            except Failure as error:
                if error.code != "upstream_error":
                    raise
                failure = error
            if self._has_ended():
                return
            attempts += 1
            if attempts == _ATTEMPTS:
                raise failure
            await asyncio.sleep(_RETRY_SECONDS * 2 ** (attempts - 1))

    def _cut(self, response: httpx.Response) -> AsyncGenerator[list[bytes]]:
        """Yield complete events only: what was cut off comes again."""
        # a midstream that has ended properly has sent everything
        with_rest = self._how["from"] == "midstream"
        return cut(chunks_of(response, is_raw=False), self._settings, with_rest)

    @property
    def _log(self) -> Sequence[bytes]:
        assert self._channel is not None, "it is attached when the stream is opened"
        return self._channel.log.events

    def _has_ended(self) -> bool:
        """Report whether the log is complete."""
        is_terminal = any(event.get("type") in _TERMINAL for event in _parsed(self._log[-_NEAR:]))
        return is_terminal and self._how["from"] == "responses"

    async def _again(self) -> AsyncGenerator[list[bytes]] | None:
        """Ask for what follows the log; return None if nothing does."""
        if self._how["from"] == "midstream":
            return await self._from_midstream()
        if self._has_ended():
            return None
        id, number = _response_and_number(self._log)
        if id is None:
            raise Failure("producer_lost", "the upstream was lost before it had named its response")
        query = "stream=true" if number is None else f"stream=true&starting_after={number}"
        response = await self._ask("GET", f"responses/{quote(id, safe='')}", query)
        return _after(self._cut(response), number)

    async def _from_midstream(self) -> AsyncGenerator[list[bytes]] | None:
        path = f"streams/{quote(self._how['stream'], safe='')}"
        response = await self._ask("GET", path, f"after={len(self._log)}")
        if response.status_code == 204:
            await response.aclose()
            status = response.headers.get("midstream-status", "complete")
            if status != "complete":
                raise Failure("producer_lost", f"the upstream ended with {status}")
            return None
        return self._cut(response)

    async def _ask(self, method: str, path: str, query: str = "") -> httpx.Response:
        dropped = (b"content-type", b"accept", b"idempotency-key")
        headers = [(key, value) for key, value in self._headers if key.lower() not in dropped]
        try:
            url = self._upstream.url_of(path, query)
            response = await self._upstream.ask(method, url, headers, b"", is_read=True)
        except Unreachable:
            raise Failure("upstream_error", "the upstream does not respond") from None
        if (is_event_stream(response) and is_readable(response)) or response.status_code == 204:
            return response
        await response.aclose()
        is_busy = response.status_code in (429, 500, 502, 503, 504)
        code = "upstream_error" if is_busy else "producer_lost"
        raise Failure(code, f"the upstream does not continue the stream: {response.status_code}")

    async def cancel(self) -> None:
        """Cancel what the upstream does: closing the connection does not stop it."""
        with suppress(Failure, TimeoutError, Exception):
            async with asyncio.timeout(_CANCEL_SECONDS):
                if self._how["from"] == "midstream":
                    await self._ask("DELETE", f"streams/{quote(self._how['stream'], safe='')}")
                elif (id := _response_and_number(self._log)[0]) is not None:
                    await self._ask("POST", f"responses/{quote(id, safe='')}/cancel")


def _parsed(events: Sequence[bytes]) -> list[dict[str, Any]]:
    """Return the data of raw events that are JSON objects."""
    found = []
    for raw in events:
        data = b"".join(line[5:] for line in raw.splitlines() if line.startswith(b"data:"))
        with suppress(ValueError, RecursionError):
            if isinstance(event := json.loads(data), dict):
                found.append(event)
    return found


def _response_and_number(log: Sequence[bytes]) -> tuple[str | None, int | None]:
    """Return the id of the response in a log, and the number of its last event."""
    responses = [
        event["response"] for event in _parsed(log[:_NEAR]) if isinstance(event.get("response"), dict)
    ]
    id = next((response["id"] for response in responses if isinstance(response.get("id"), str)), None)
    numbers = [event["sequence_number"] for event in _parsed(log[-_NEAR:]) if "sequence_number" in event]
    return id, numbers[-1] if numbers and isinstance(numbers[-1], int) else None


async def _after(source: AsyncGenerator[list[bytes]], number: int | None) -> AsyncGenerator[list[bytes]]:
    """Yield the events after a number: an upstream may repeat the last ones."""
    async with aclosing(source):
        async for events in source:
            if number is not None:
                events = [event for event in events if not _is_known(event, number)]
                number = None if events else number
            if events:
                yield events


def _is_known(event: bytes, number: int) -> bool:
    found = _parsed([event])
    known = found[0].get("sequence_number") if found else None
    return isinstance(known, int) and known <= number

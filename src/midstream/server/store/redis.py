"""A store in Redis or Valkey, for the workers of several machines.

A stream is a hash (its state) and a Redis stream (its log, with one entry for each batch, numbered
``<epoch>-<number of its last event>``). Each batch is also published, so readers need no polling; they fill
gaps from the log. A short script checks and appends at once, so a worker that has been replaced cannot write.
A worker's lease is a key that expires unless a thread renews it, so that a busy event loop costs no lease.

At most four connections are open, whatever the number of streams: two for commands, one for the lease, and
one on which all batches arrive.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import threading
import time
from collections.abc import Coroutine
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from . import redis_keys
from .base import OPEN_SECONDS, Appended, Batch, End, Head, StoreError
from .redis_batches import after as rest_after
from .redis_batches import packed, unpacked
from .redis_scripts import APPEND, CANCEL, CLAIM, CREATE

if TYPE_CHECKING:
    from collections.abc import (
        AsyncGenerator,
        AsyncIterator,
        Awaitable,
        Collection,
        Mapping,
        Sequence,
    )

__all__ = ["RedisStore"]

_VERSION = b"1"
_PASSWORD = "MIDSTREAM_REDIS_PASSWORD"
_COMMANDS = 2
# how long a command may take
_SECONDS = 2.0
# after this silence a reader checks that it has missed nothing
_SILENCE_SECONDS = 0.5
# after this silence the writer of a stream checks that it has missed no signal
_SIGNAL_SECONDS = 5.0
# until a lost connection for messages is opened again, and a lease that was not renewed is tried again
_RETRY_SECONDS = 0.1
_BATCH = 64


class RedisStore:
    """Keep the logs in Redis; ``lease`` is the number of seconds after which a silent worker counts as dead.

    The password is the one in the URL or, if there is none, in the variable MIDSTREAM_REDIS_PASSWORD.
    """

    is_shared = True

    def __init__(self, url: str, ttl: float = 600, lease: float = 3) -> None:
        self._ttl = ttl
        self._lease = lease
        # A command is repeated at once, for a connection that was lost while it was idle. The pauses between
        # repetitions that the library makes by default are so long that leases expire in them.
        options: dict[str, Any] = {
            "socket_timeout": _SECONDS,
            "socket_connect_timeout": _SECONDS,
        }
        awaited_again = AsyncRetry(NoBackoff(), 1)
        # a renewal that takes as long as the lease is none
        seconds = min(_SECONDS, lease / 3)
        renewing = {**options, "socket_timeout": seconds, "socket_connect_timeout": seconds}
        password = os.environ.get(_PASSWORD)
        if password and not urlsplit(url).password:
            options["password"] = password
        pool = redis.asyncio.BlockingConnectionPool.from_url(
            url, max_connections=_COMMANDS, timeout=_SECONDS, retry=awaited_again, **options
        )
        self._client = redis.asyncio.Redis.from_pool(pool)
        # first come, first served: in the pool, two busy streams would keep all others waiting
        self._turns = asyncio.Semaphore(_COMMANDS)
        self._listener = redis.asyncio.Redis.from_url(url, retry=awaited_again, **options)
        self._lease_client = redis.Redis.from_url(
            url, max_connections=1, retry=Retry(NoBackoff(), 0), **renewing
        )
        self._create = self._client.register_script(CREATE)
        self._append = self._client.register_script(APPEND)
        self._claim = self._client.register_script(CLAIM)
        self._cancel = self._client.register_script(CANCEL)
        self._worker = ""
        # a worker that has just been started does not wait
        self._failed_at = -math.inf
        self._inboxes: dict[str, set[asyncio.Queue[bytes]]] = {}
        self._messages = self._listener.pubsub()
        # held by the one task that may connect, or send, on the connection for messages
        self._sending = asyncio.Lock()
        self._listening: asyncio.Task[None] | None = None
        self._stopping = threading.Event()
        self._renewing: threading.Thread | None = None

    async def start(self, worker: str) -> None:
        """Connect as a worker, and take its lease."""
        self._worker = worker
        try:
            await self._check_version()
            await self._answer(
                self._client.set(redis_keys.lease_of(worker), b"1", px=_milliseconds(self._lease))
            )
            # without any subscription there is no connection to read from
            await self._send(self._messages.subscribe(redis_keys.channel_of("")))
        except StoreError:
            await self.close()
            raise
        self._listening = asyncio.create_task(self._listen())
        self._renewing = threading.Thread(target=self._renew, name="midstream-lease", daemon=True)
        self._renewing.start()

    async def _check_version(self) -> None:
        key = redis_keys.VERSION_KEY
        await self._answer(self._client.set(key, _VERSION, nx=True))
        found = await self._answer(self._client.get(key))
        if found != _VERSION:
            shown = found.decode("ascii", "replace")
            raise StoreError(
                f"the Redis store has version {shown}; this midstream uses version {_VERSION.decode()}"
            )

    async def close(self) -> None:
        """Release the lease and disconnect."""
        self._stopping.set()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        if self._renewing is not None:
            await asyncio.to_thread(self._renewing.join)
        with suppress(StoreError):
            await self.release(self._worker)
        with suppress(RedisError, OSError):
            await self._messages.aclose()  # type: ignore[no-untyped-call]
        with suppress(RedisError, OSError):
            await self._listener.aclose()
        with suppress(RedisError, OSError):
            await self._client.aclose(close_connection_pool=True)
        self._lease_client.close()

    # logs

    async def create(self, id: str, meta: Mapping[str, Any], epoch: int = 1) -> None:
        """Create the empty log of a stream."""
        ttl = _milliseconds(self._ttl + OPEN_SECONDS)
        args: list[str | int] = [json.dumps(meta), self._worker, epoch, ttl]
        if await self._answer(self._create(keys=[redis_keys.state_of(id)], args=args)):
            await self._answer(self._client.hset(redis_keys.OPEN_STREAMS, id, self._worker))

    async def append(
        self, id: str, epoch: int, at: int, events: Sequence[bytes], end: End | None = None
    ) -> Appended:
        """Append events and an end."""
        written = "" if end is None else json.dumps(end)
        ttl = _milliseconds(self._ttl + (OPEN_SECONDS if end is None else 0))
        while True:
            payload = packed(Batch(at, events, end))
            answer = await self._answer(
                self._append(
                    keys=[redis_keys.state_of(id), redis_keys.log_of(id)],
                    args=[epoch, at, len(events), written, payload, ttl, redis_keys.channel_of(id)],
                )
            )
            if isinstance(answer, bytes):
                break
            # some of the events are in the log already
            events = events[answer - at :]
            at = answer
        if end is not None and answer == b"ok":
            await self._answer(self._client.hdel(redis_keys.OPEN_STREAMS, id))
        return Appended(answer.decode())

    async def read(self, id: str, after: int = 0) -> AsyncGenerator[Batch]:
        """Yield the events after a number, as they are appended."""
        async with self._subscribed(redis_keys.channel_of(id)) as inbox:
            following: int | None = after + 1
            is_known = False
            while following is not None:
                if not is_known:
                    async for batch in self._logged(id, following):
                        yield batch
                        following = None if batch.end is not None else batch.first + len(batch.events)
                    is_known = True
                elif (payload := await _next(inbox)) is None:
                    following, is_known = await self._checked(id, following)
                elif not payload:
                    # the subscription of another reader was confirmed
                    continue
                elif (batch := unpacked(payload)).first > following:
                    is_known = False
                elif (rest := rest_after(batch, following)) is not None:
                    yield rest
                    following = None if rest.end is not None else rest.first + len(rest.events)

    async def _logged(self, id: str, following: int) -> AsyncGenerator[Batch]:
        """Yield the batches of the log from a number on."""
        start = f"1-{following}"
        while True:
            entries = await self._answer(self._client.xrange(redis_keys.log_of(id), start, "+", count=_BATCH))
            for number, fields in entries:
                batch = rest_after(unpacked(fields[b"b"]), following)
                start = f"({number.decode()}"
                if batch is not None:
                    yield batch
                    following = batch.first + len(batch.events)
            if len(entries) < _BATCH:
                return

    async def _checked(self, id: str, following: int) -> tuple[int | None, bool]:
        """Return the next number to read, None if the stream is gone, and whether nothing was missed."""
        head = await self.head(id)
        if head is None:
            return None, True
        return following, head.next == following and head.end is None

    async def head(self, id: str) -> Head | None:
        """Return what is known of a stream."""
        names = ["meta", "epoch", "worker", "next", "end", "cancelled"]
        state = await self._answer(self._client.hmget(redis_keys.state_of(id), names))
        if state[0] is None:
            return None
        end = None if state[4] is None else End(*json.loads(state[4]))
        meta, epoch, worker, following = json.loads(state[0]), int(state[1]), state[2].decode(), int(state[3])
        return Head(meta, epoch, worker, following, end, state[5] is not None)

    async def claim(self, id: str, epoch: int, worker: str) -> bool:
        """Make a worker the writer of an open stream."""
        if not await self._answer(self._claim(keys=[redis_keys.state_of(id)], args=[epoch, worker])):
            return False
        await self._answer(self._client.hset(redis_keys.OPEN_STREAMS, id, worker))
        return True

    async def cancel(self, id: str) -> bool:
        """Signal the writer of a stream to stop."""
        return bool(
            await self._answer(self._cancel(keys=[redis_keys.state_of(id)], args=[redis_keys.signal_of(id)]))
        )

    async def cancelled(self, id: str) -> None:
        """Return when the writer of a stream is to stop."""
        async with self._subscribed(redis_keys.signal_of(id)) as inbox:
            while (head := await self.head(id)) is not None and not head.is_cancelled:
                await _next(inbox, _SIGNAL_SECONDS)

    async def open_streams(self) -> dict[str, str]:
        """Return the streams that have not ended, each with its worker."""
        found = await self._answer(self._client.hgetall(redis_keys.OPEN_STREAMS))
        return {id.decode(): worker.decode() for id, worker in found.items()}

    async def bind(self, key: str, value: str, seconds: float) -> str:
        """Return the value that a key is bound to; bind it for a time if there is none."""
        name = redis_keys.bound_of(key)
        known = await self._answer(
            self._client.set(name, value, nx=True, get=True, px=_milliseconds(seconds))
        )
        return value if known is None else str(known.decode())

    async def unbind(self, key: str) -> None:
        """Forget what a key is bound to."""
        await self._answer(self._client.delete(redis_keys.bound_of(key)))

    async def drop(self, id: str) -> None:
        """Remove a stream."""
        await self._answer(self._client.delete(redis_keys.state_of(id), redis_keys.log_of(id)))
        await self._answer(self._client.hdel(redis_keys.OPEN_STREAMS, id))

    async def expire(self) -> None:
        """Do nothing: Redis itself removes what is older than the time to live."""

    # leases

    async def living(self, workers: Collection[str]) -> set[str]:
        """Return those of the workers that hold a lease."""
        if not workers:
            return set()
        found = await self._answer(self._client.mget([redis_keys.lease_of(worker) for worker in workers]))
        return {worker for worker, lease in zip(workers, found, strict=True) if lease is not None}

    @property
    def is_trusted(self) -> bool:
        """Whether the store has not failed for two lease times: leases may be missing after that."""
        return time.monotonic() - self._failed_at > 2 * self._lease

    async def release(self, worker: str) -> None:
        """Drop the lease of a worker that is dead."""
        await self._answer(self._client.delete(redis_keys.lease_of(worker)))

    def _renew(self) -> None:
        """Renew the lease until the store is closed (in a thread of its own)."""
        pause = usual = self._lease / 3
        while not self._stopping.wait(pause):
            try:
                self._lease_client.set(redis_keys.lease_of(self._worker), b"1", px=_milliseconds(self._lease))
                pause = usual
            except (RedisError, OSError):
                self._failed_at = time.monotonic()
                # the lease may expire: it is to be back before others trust the store again
                pause = min(usual, _RETRY_SECONDS)

    async def _answer(self, command: Awaitable[Any]) -> Any:
        """Await a command when there is a connection for it."""
        try:
            if self._turns.locked():
                async with asyncio.timeout(_SECONDS):
                    await self._turns.acquire()
            else:
                await self._turns.acquire()
        except BaseException as error:
            _discard(command)
            if not isinstance(error, TimeoutError):
                raise
            self._failed_at = time.monotonic()
            raise StoreError("the Redis store failed: its connections are busy") from None
        try:
            return await self._checked_answer(command)
        finally:
            self._turns.release()

    async def _checked_answer(self, command: Awaitable[Any]) -> Any:
        """Await a command; raise `StoreError` if Redis cannot be reached or refuses it."""
        task = asyncio.current_task()
        assert task is not None
        before = task.cancelling()
        try:
            answer = await command
        except (RedisError, OSError, TimeoutError) as error:
            self._failed_at = time.monotonic()
            raise StoreError(f"the Redis store failed: {type(error).__name__}") from None
        if task.cancelling() > before:
            # the library sends commands with `asyncio.wait_for`, which loses cancellations in Python 3.11
            raise asyncio.CancelledError
        return answer

    # messages

    @asynccontextmanager
    async def _subscribed(self, channel: str) -> AsyncIterator[asyncio.Queue[bytes]]:
        """Yield an inbox that receives the messages of a channel."""
        inbox: asyncio.Queue[bytes] = asyncio.Queue()
        inboxes = self._inboxes.setdefault(channel, set())
        inboxes.add(inbox)
        try:
            await self._send(self._messages.subscribe(channel))
            # the confirmation, or a message of a reader that subscribed before
            await _next(inbox)
            yield inbox
        finally:
            inboxes.discard(inbox)
            if not inboxes and self._inboxes.get(channel) is inboxes:
                del self._inboxes[channel]
                with suppress(StoreError):
                    await self._send(self._messages.unsubscribe(channel))

    async def _send(self, command: Awaitable[Any]) -> None:
        """Send a command on the connection for messages, which it may have to open."""
        try:
            await self._sending.acquire()
        except BaseException:
            _discard(command)
            raise
        try:
            await self._checked_answer(command)
        except BaseException:
            # it may be in the middle of its handshake
            await self._hang_up()
            raise
        finally:
            self._sending.release()

    async def _hang_up(self) -> None:
        """Close the connection for messages; the next task that needs it opens it again."""
        messages: Any = self._messages
        if messages.connection is not None:
            await messages.connection.disconnect(nowait=True)

    async def _listen(self) -> None:
        """Put messages into the inboxes of their channels; a confirmation is an empty message."""
        while True:
            try:
                message = await self._message()
            except StoreError:
                # readers check the log after a silence; a new connection subscribes again by itself
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if message is not None and message["type"] in ("message", "subscribe"):
                data = message["data"] if message["type"] == "message" else b""
                for inbox in self._inboxes.get(message["channel"].decode(), ()):
                    inbox.put_nowait(data)

    async def _message(self) -> dict[str, Any] | None:
        """Return the next message.

        `PubSub.get_message` would open a lost connection while another task does, and read its handshake.
        """
        messages: Any = self._messages
        if self._sending.locked() or not messages.connection.is_connected:
            await self._send(messages.connect())
        try:
            response = await self._checked_answer(
                # messages may be rare: reading them has no time limit
                messages.connection.read_response(
                    timeout=math.inf, disconnect_on_error=False, push_request=True
                )
            )
        except StoreError:
            async with self._sending:
                await self._hang_up()
            raise
        message: dict[str, Any] | None = await messages.handle_message(response)
        return message


def _discard(command: Awaitable[Any]) -> None:
    """Close a command that is not sent, so that nobody misses its answer."""
    if isinstance(command, Coroutine):
        command.close()


async def _next(inbox: asyncio.Queue[bytes], seconds: float = _SILENCE_SECONDS) -> bytes | None:
    """Return the next message, which is empty if it is a signal; None after a time of silence."""
    try:
        async with asyncio.timeout(seconds):
            return await inbox.get()
    except TimeoutError:
        return None


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))

"""Adapters for the peers that build values from a text while it arrives.

An adapter is a generator: it reads fragments, and yields after each of them the value that its user would
see then. `prepare` converts fragments to the input of the peer, such as bytes; that is never timed.
A peer whose time grows with the square of the text is measured only up to its `reach`.
"""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import coroutine
from typing import TYPE_CHECKING, Any

from ours import named, use

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Sequence

    from ours import Adapter

FAR = 2_000_000


@dataclass(frozen=True)
class Peer:
    """A peer, and how it is run."""

    name: str
    packages: tuple[str, ...]
    kind: str
    make: Callable[[], Adapter]
    # the maximum of characters, in small fragments, for a reasonable time; the same for one string
    reach: int = FAR
    string_reach: int = FAR
    is_python: bool = False
    prepare: Callable[[str], Any] = str

    @cached_property
    def adapter(self) -> Adapter:
        """The adapter, made on first use, because some peers are slow to import."""
        return self.make()

    @cached_property
    def missing(self) -> str:
        """The packages that are not installed."""
        return ", ".join(package for package in self.packages if version_of(package) is None)

    def reaches(self, size: int, is_string: bool = False, part: float = 1) -> bool:
        """Report whether a text of this size is short enough, for a part of the time if given."""
        return size <= min(self.reach, self.string_reach if is_string else FAR) * part

    def run(self, fragments: Sequence[str]) -> Callable[[], object]:
        """Return a run over a text."""
        return drain(self.adapter, [self.prepare(fragment) for fragment in fragments])


def version_of(package: str) -> str | None:
    """Return the version that is installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def drain(adapter: Adapter, fragments: Sequence[Any]) -> Callable[[], object]:
    """Return a run that consumes everything that an adapter yields, and keeps nothing."""
    return lambda: deque(adapter(fragments), maxlen=0)


def jiter(mode: bool | str) -> Adapter:
    """Parse the text so far again, as the SDKs of OpenAI and Anthropic do."""
    from_json = import_module("jiter").from_json

    def values(fragments: Iterable[bytes]) -> Iterator[Any]:
        text = b""
        for fragment in fragments:
            text += fragment
            yield from_json(text, partial_mode=mode)

    return values


def pydantic_core() -> Adapter:
    """Parse the text so far again, with pydantic's parser."""
    from_json = import_module("pydantic_core").from_json

    def values(fragments: Iterable[bytes]) -> Iterator[Any]:
        text = b""
        for fragment in fragments:
            text += fragment
            yield from_json(text, allow_partial="trailing-strings")

    return values


def again(module: str, name: str, **options: Any) -> Adapter:
    """Parse the text so far again, with a function that takes a str."""
    parse = getattr(import_module(module), name)

    def values(fragments: Iterable[str]) -> Iterator[Any]:
        text = ""
        for fragment in fragments:
            text += fragment
            yield parse(text, **options)

    return values


def plain_twin(module: str, without: str) -> Any:
    """Import a package a second time, as if its native part were missing."""
    mine = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == module}
    hidden = sys.modules.get(without)
    sys.modules[without] = None  # type: ignore[assignment]  # so that its import fails
    try:
        return import_module(module)
    finally:
        del sys.modules[without]
        for name in list(sys.modules):
            if name.partition(".")[0] == module:
                del sys.modules[name]
        sys.modules |= mine | ({} if hidden is None else {without: hidden})


def streaming_json_parser(native: bool, copy: bool) -> Adapter:
    """Feed its parser, and read the live value, or a copy of it."""
    name = "streaming_json_parser"
    parser = (import_module(name) if native else plain_twin(name, f"{name}_native")).StreamingJsonParser

    def values(fragments: Iterable[str]) -> Iterator[Any]:
        feed = parser().feed
        for fragment in fragments:
            yield feed(fragment, copy).value

    return values


def jsonmend() -> Adapter:
    """Feed its mender, and read the live value."""
    mender = import_module("jsonmend").Mender

    def values(fragments: Iterable[str]) -> Iterator[Any]:
        feed = mender().feed
        for fragment in fragments:
            yield feed(fragment)

    return values


@coroutine
def next_fragment() -> Generator[None, str, str]:
    """Wait until a fragment is sent."""
    return (yield)


def jsonriver() -> Adapter:
    """Run the coroutine until it waits for the next fragment, without an event loop."""
    parse = import_module("jsonriver").parse

    async def source() -> AsyncIterator[str]:
        while True:
            yield await next_fragment()

    async def follow(shown: list[Any]) -> None:
        async for shown[0] in parse(source()):
            pass

    def values(fragments: Iterable[str]) -> Iterator[Any]:
        shown: list[Any] = [None]
        running = follow(shown)
        running.send(None)
        send = running.send
        for fragment in fragments:
            send(fragment)
            yield shown[0]
        running.close()

    return values


AGAIN, COPY, GROWS = "parsed again", "a copy", "live value"
SJP = ("streaming-json-parser", "streaming-json-parser-native")
JITER = "jiter, trailing strings"
SJP_NATIVE = "streaming-json-parser, native, live"
SJP_COPY = "streaming-json-parser, native, copy"
PEERS = [
    Peer(JITER, ("jiter",), AGAIN, partial(jiter, "trailing-strings"), 60_000, prepare=str.encode),
    Peer("jiter, True", ("jiter",), AGAIN, partial(jiter, True), 60_000, prepare=str.encode),
    Peer("pydantic-core", ("pydantic-core",), AGAIN, pydantic_core, 60_000, prepare=str.encode),
    Peer(SJP_NATIVE, SJP, GROWS, partial(streaming_json_parser, True, False)),
    Peer(SJP_COPY, SJP, COPY, partial(streaming_json_parser, True, True), 20_000),
    Peer(
        "streaming-json-parser, plain, live", SJP[:1], GROWS, partial(streaming_json_parser, False, False),
        string_reach=60_000, is_python=True,
    ),
    Peer("jsonmend, live", ("jsonmend",), GROWS, jsonmend, string_reach=60_000, is_python=True),
    Peer("jsonriver (Python), live", ("jsonriver",), GROWS, jsonriver, is_python=True),
    Peer(
        "partial-json-parser", ("partial-json-parser",), AGAIN,
        partial(again, "partial_json_parser", "loads"), 6_000, is_python=True,
    ),
    Peer(
        "langchain-core", ("langchain-core",), AGAIN,
        partial(again, "langchain_core.utils.json", "parse_partial_json"), 6_000, is_python=True,
    ),
    Peer(
        "json_repair, stream-stable", ("json-repair",), AGAIN,
        partial(again, "json_repair", "loads", stream_stable=True), 6_000, is_python=True,
    ),
]  # fmt: skip


def our_peer(core: str, name: str) -> Peer:
    """Return midstream itself, in one of its uses."""
    return Peer(named(core, name), (), name, partial(use, core, name))


def installed(peers: Iterable[Peer]) -> list[Peer]:
    """Return the peers that can be measured."""
    return [peer for peer in peers if not peer.missing]


def absent(peers: Iterable[Peer]) -> str:
    """Name the peers that cannot be measured, with the reason."""
    return "".join(
        f"\n\nNot measured: {peer.name} ({peer.missing} missing)." for peer in peers if peer.missing
    )

"""Adapters for the peers that emit events, and for those that need the complete text at once."""

from __future__ import annotations

import json
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from peers import Peer, version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ours import Adapter


def ijson(name: str) -> Adapter:
    """Push into one of its coroutines, in C; read its events from a list, with numbers as int and float."""
    make_list = import_module("ijson").sendable_list
    coroutine = getattr(import_module("ijson.backends.yajl2_c"), name)

    def events(fragments: Iterable[bytes]) -> Iterator[Any]:
        found = make_list()
        target = coroutine(found, use_float=True)
        send = target.send
        for fragment in fragments:
            send(fragment)
            yield found
            del found[:]
        target.close()

    return events


def ijp() -> Adapter:
    """Send to its parser, and read the events that it has then."""
    make = import_module("ijp").IncrementalJSONParser

    def events(fragments: Iterable[str]) -> Iterator[Any]:
        parser = make()
        for fragment in fragments:
            parser.send(fragment)
            yield list(parser)

    return events


def json_stream() -> Adapter:
    """Feed the peer one fragment at a time, and collect the visited values; it yields once, at the end."""
    visit = import_module("json_stream").visit

    def events(fragments: Iterable[bytes]) -> Iterator[Any]:
        found: list[tuple[Any, Any]] = []

        def source() -> Iterator[bytes]:
            for fragment in fragments:
                found.clear()
                yield fragment

        visit(source(), lambda item, path: found.append((path, item)))
        yield found

    return events


BASIC, PREFIX = "ijson (C), basic events", "ijson (C), with prefix"
IJP, PULLED = "ijp, with paths and partial strings", "json-stream (Rust), visits with path"
EVENT_PEERS = [
    Peer(
        BASIC, ("ijson",), "events", partial(ijson, "basic_parse_coro"),
        string_reach=120_000, prepare=str.encode,
    ),
    Peer(
        PREFIX, ("ijson",), "events", partial(ijson, "parse_coro"), string_reach=120_000, prepare=str.encode
    ),
    Peer(PULLED, ("json-stream",), "pull", json_stream, prepare=str.encode),
    Peer(IJP, ("ijp",), "events", ijp, string_reach=60_000, is_python=True),
]  # fmt: skip

LOADS = "json.loads"
# by name: package, module, function, options, and whether it accepts bytes
_ONE_SHOT: dict[str, tuple[str, str, str, dict[str, Any], bool]] = {
    "orjson": ("orjson", "orjson", "loads", {}, True),
    "jiter": ("jiter", "jiter", "from_json", {}, True),
    "pydantic-core": ("pydantic-core", "pydantic_core", "from_json", {}, True),
    "streaming-json-parser": (
        "streaming-json-parser", "streaming_json_parser", "decode_complete_json", {}, True
    ),
    "jsonmend": ("jsonmend", "jsonmend", "loads", {}, False),
}  # fmt: skip


def one_shot(text: str) -> dict[str, Callable[[], object]]:
    """Return the peers that read the complete text at once."""
    encoded = text.encode()
    found: dict[str, Callable[[], object]] = {LOADS: partial(json.loads, text)}
    for name, (package, module, function, options, takes_bytes) in _ONE_SHOT.items():
        if version_of(package) is not None:
            parse = getattr(import_module(module), function)
            found[name] = partial(parse, encoded if takes_bytes else text, **options)
    return found

"""What a hostile text can cost: shapes made to hurt, and every way through the library that may take them.

Run as a program (``make deep ONLY=bounds``) it uses the shapes at full size. Every row runs at a tenth of
its size and at its size, each in a process of its own. The processor time and the most memory that each
process had are printed, and judged by how they grow. The tests use the same shapes small
(`test_resource_bounds`).
"""

from __future__ import annotations

import argparse
import functools
import json
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import chain, count, cycle, islice, repeat
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests/support"))

from builds import BUILDS

Fragments = Iterable[Any]


class Shape(NamedTuple):
    """Fragments of a text, made as they are asked for, and the options to read them with.

    ``small`` is a size for tests. What updates remember of a text that ``is_flat`` does not grow with it.
    """

    fragments: Callable[[int], Fragments]
    small: int
    is_flat: bool = True
    on_error: str = "raise"
    after_root: str = "error"
    max_depth: int | None = 1000

    @property
    def options(self) -> dict[str, str]:
        """The options that are not as they are by default."""
        given = {"on_error": self.on_error, "after_root": self.after_root}
        return {name: option for name, option in given.items() if option not in ("raise", "error")}


def items(item: str, size: int, opener: str = "[") -> Fragments:
    return chain([opener], repeat(item, size))


def in_string(pieces: Fragments, quote: str | bytes = '"') -> Fragments:
    return chain([quote], pieces, [quote])


def with_empty(pieces: Fragments) -> Fragments:
    return chain.from_iterable((piece, "", b"") for piece in pieces)


# 40 characters alike before the first that differs
PREFIX = "colliding " * 4
DIGITS = "1234567890" * 430
# characters of two, three and four bytes
CUT = [bytes([byte]) for byte in "é€😀".encode()]

SHAPES = {
    # structure
    "opening brackets": Shape(lambda n: repeat("[", n), 3000, False, max_depth=None),
    "objects in objects": Shape(lambda n: repeat('{"a":', n), 3000, False, max_depth=None),
    "opening brackets, bounded": Shape(lambda n: repeat("[", n), 4000, False, "recover"),
    "deep again and again": Shape(lambda n: items("[" * 100 + "]" * 100 + ",", n // 100), 3200),
    "wide at the bottom": Shape(lambda n: items("1,", n, "[" * 100), 1500),
    "wide array": Shape(lambda n: items("0,", n), 2000),
    "tiny tokens, empty fragments": Shape(lambda n: with_empty(items("0,", n)), 1000),
    "empty fragments": Shape(lambda n: chain(['["a'], repeat("", n // 2), repeat(b"", n // 2)), 6000),
    "white space": Shape(lambda n: chain(repeat(" \n", n), ["1 "], repeat("\t", n)), 2000),
    "documents in a row": Shape(lambda n: repeat("{}\n", n), 1000, after_root="next"),
    # keys
    "keys alike but for the end": Shape(
        lambda n: chain(["{"], (f'"{PREFIX}{i}":0,' for i in range(n))), 1200
    ),
    "keys, one character each": Shape(lambda n: chain(["{"], (f'"{chr(i)}":0,' for i in spread(n))), 1200),
    "one key again and again": Shape(lambda n: items('"k":[],', n, "{"), 1000),
    "one long key": Shape(lambda n: chain(['{"'], repeat("k", n), ['":0']), 4000, False),
    "one long key, bytes": Shape(lambda n: chain([b'{"'], repeat(b"k", n), [b'":0']), 4000, False),
    # numbers
    "long numbers": Shape(lambda n: items(DIGITS + ",", n // 100), 800),
    "long numbers in pieces": Shape(
        lambda n: chain(["["], islice(cycle([*DIGITS.split("0")[:-1], ","]), n)), 2000
    ),
    "long numbers by digits": Shape(lambda n: chain(["["], islice(cycle(DIGITS[:-1] + ","), n)), 5000),
    "long floats by digits": Shape(
        lambda n: chain(["["], islice(cycle("0." + DIGITS[:4000] + "e-99,"), n)), 5000
    ),
    # strings
    "one string": Shape(lambda n: in_string(repeat("x", n)), 4000, False),
    "one string, bytes": Shape(lambda n: in_string(repeat(b"x", n), b'"'), 4000, False),
    "many strings": Shape(lambda n: items('"",', n), 1500),
    "escapes": Shape(lambda n: in_string(islice(cycle("\\n"), n)), 4000, False),
    "long escapes": Shape(lambda n: in_string(islice(cycle("\\u00e9"), n // 6 * 6)), 4000, False),
    "escapes in one piece": Shape(lambda n: in_string(["\\u00e9\\n" * n]), 2000, False),
    "high surrogates": Shape(lambda n: in_string(repeat("\\ud83d", n)), 2000, False),
    "surrogates, unescaped": Shape(lambda n: in_string(repeat("\ud83d", n)), 3000, False),
    "every width in turn": Shape(lambda n: in_string(islice(cycle("aéЖ😀"), n)), 3000, False),
    "wider and wider": Shape(lambda n: in_string(chain(*(repeat(c, n // 4) for c in "aéЖ😀"))), 4000, False),
    "characters cut": Shape(lambda n: in_string(islice(cycle(CUT), n // 9 * 9), b'"'), 3000, False),
    # damage
    "errors": Shape(lambda n: items(",", n), 1000, on_error="recover"),
    "errors below a long key": Shape(
        lambda n: chain(['{"', "k" * 20 * n, '":['], repeat(",", n)), 1000, False, "recover"
    ),
    "errors at the bottom": Shape(lambda n: items(",", n, "[" * n), 800, False, "recover", max_depth=None),
    "bad literals": Shape(lambda n: items("nul,", n), 800, on_error="recover"),
    "bad bytes": Shape(lambda n: chain([b"["], repeat(b'"\xff",', n)), 800, on_error="recover"),
    "missing brackets": Shape(lambda n: items("[{[{]", n), 800, False, "recover", max_depth=None),
}


def spread(size: int) -> Iterator[int]:
    """Yield character codes, none of them a surrogate or in need of an escape."""
    return islice((code for code in count(0xA1) if not 0xD800 <= code < 0xE000), size)


# The ways through the library: each takes all fragments, and gives what it has at the end.


def through_updates(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    accumulator = midstream.JsonFragmentAccumulator(**options)
    for fragment in fragments:
        accumulator.add_fragment(fragment)
    return accumulator


def through_value(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    accumulator = midstream.JsonValueAccumulator(**options)
    for fragment in fragments:
        accumulator.add_fragment(fragment)
    return accumulator.value


def through_snapshots(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    """Read the value after every fragment, and let it go."""
    accumulator = midstream.JsonValueAccumulator(**options)
    for fragment in fragments:
        accumulator.add_fragment(fragment)
        accumulator.value  # noqa: B018
    return accumulator


def through_states(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    state = midstream.create_parser_state(**options)
    for fragment in fragments:
        state = midstream.parse_chunk(state, fragment)
    if state.root is not None:
        state.root.resolved_value  # noqa: B018
    return state


def through_rebuilder(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    accumulator = midstream.JsonFragmentAccumulator(**options)
    rebuilder = midstream.JsonFragmentRebuilder(limits=options["limits"])
    for fragment in fragments:
        rebuilder.apply(accumulator.add_fragment(fragment))
    return rebuilder.value


def through_wire(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    accumulator = midstream.JsonFragmentAccumulator(**options)
    rebuilder = midstream.JsonFragmentRebuilder(limits=options["limits"])
    for fragment in fragments:
        rebuilder.apply(map(midstream.to_wire, accumulator.add_fragment(fragment)))
    return rebuilder.value


def through_call(midstream: Any, fragments: Fragments, limits: Any) -> Any:
    """Use the fragments as the arguments of a tool call: enrich, aggregate and read them."""
    middleware = midstream.JsonFragmentUpdateMiddleware(limits=limits)
    handler = midstream.ToolsAggregateMessageHandler(limits=limits)
    calls: list[Any] = []
    for fragment in fragments:
        (message,) = middleware.add_message(midstream.ToolCallUpdate(index=0, function_args=fragment))
        calls = handler.add_message(message)
    return handler, calls


def through_checkpoints(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    """Feed everything, save, and resume from there."""
    accumulator = through_updates(midstream, fragments, **options)
    saved = json.dumps(accumulator.checkpoint())
    return midstream.JsonFragmentAccumulator.restore(json.loads(saved))


def through_select(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    """Search for paths that lead into every container and that match nearly nothing."""
    accumulator = midstream.JsonSelectAccumulator(["[*].a[*].b", "*.*", "a.a.a"], **options)
    for fragment in fragments:
        accumulator.add_fragment(fragment)
    return accumulator


def through_patches(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    accumulator = midstream.JsonFragmentAccumulator(**options)
    writer = midstream.JsonPatchWriter()
    for fragment in fragments:
        writer.add_updates(accumulator.add_fragment(fragment))
    return writer


def through_extractor(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    """Find the document in an answer that begins with it; what is no JSON is prose."""
    extractor = midstream.JsonExtractor(pick="all", **options)
    for fragment in fragments:
        extractor.add_fragment(fragment)
    return extractor


def through_typed(midstream: Any, fragments: Fragments, **options: Any) -> Any:
    """Read whatever arrives as items of a list, most of which does not fit."""
    typed = import_module(f"{midstream.__name__}.typed")
    accumulator = typed.JsonTypedAccumulator(list[list[int] | dict[str, str] | str], **options)
    for fragment in fragments:
        accumulator.add_fragment(fragment)
    return accumulator


WAYS: dict[str, Callable[..., Any]] = {
    "updates": through_updates,
    "value": through_value,
    "snapshots": through_snapshots,
    "states": through_states,
    "rebuilder": through_rebuilder,
    "wire": through_wire,
    "tool call": through_call,
    "checkpoint": through_checkpoints,
    "select": through_select,
    "patches": through_patches,
    "extractor": through_extractor,
    "typed": through_typed,
}
# the plain twin differs from these in nothing but the accumulators, which have ways of their own
ONCE = ("select", "patches", "extractor", "typed")


def suits(way: str, shape: Shape, is_compiled: bool) -> bool:
    """Report whether a way accepts such fragments and promises anything about them."""
    if way == "snapshots":
        # what is open is looked at for every snapshot and, uncompiled, copied
        return is_compiled and shape.max_depth is not None
    if way in ONCE and not is_compiled:
        return False
    if way in ("states", "wire", *ONCE):
        # every chunk makes a new version of every open container; a path is as long as the way to its value
        return not shape.options and shape.max_depth is not None
    if way == "rebuilder":
        return shape.after_root != "next"
    if way == "tool call":
        is_plain = not shape.options and shape.max_depth is not None
        return is_plain and all(isinstance(fragment, str) for fragment in shape.fragments(100))
    return True


def prepare(midstream: Any, way: str, shape: Shape, fragments: Fragments) -> Callable[[], Any]:
    options = {**shape.options, "limits": midstream.Limits(max_depth=shape.max_depth)}
    return functools.partial(WAYS[way], midstream, fragments, **options)


# Event streams and snapshots are no fragments of a JSON text, and have their own.


def read_one_by_one(midstream: Any, pieces: Iterable[bytes]) -> Any:
    decoder = sys.modules[f"{midstream.__name__}.sse"].SseDecoder(max_event=1 << 40)
    for piece in pieces:
        decoder.add_bytes(piece)
    return decoder


STREAMS: dict[str, Callable[[int], Iterable[bytes]]] = {
    "one line": lambda n: chain([b"data: "], repeat(b"x", n), [b"\n\n"]),
    "lines without an end": lambda n: repeat(b"data\n", n),
    "empty lines": lambda n: repeat(b"\n", n),
    "carriage returns": lambda n: repeat(b"\r", n),
    "comments": lambda n: repeat(b":\n", n),
    "empty reads": lambda n: repeat(b"", n),
    "a long id, and events": lambda n: chain([b"id: ", b"x" * n, b"\n"], repeat(b"data: 1\n\n", n)),
    "characters cut": lambda n: chain([b"data: "], islice(cycle(CUT), n), [b"\n\n"]),
}


def steps_of(make: Callable[[int, int], str]) -> Callable[[int], list[str]]:
    """Return eight snapshots, the last of them as large as asked for."""
    return lambda n: [make(n, step) for step in range(1, 9)]


SNAPSHOTS: dict[str, Callable[[int], list[str]]] = {
    "a string": steps_of(lambda n, step: json.dumps(["x" * (n * step)])),
    "an array": steps_of(lambda n, step: '["x"' + ',"x"' * (n * step // 8) + "]"),
    "members, all held": steps_of(lambda n, step: json.dumps({f"{PREFIX}{i}": "x" * step for i in range(n)})),
    "objects in objects": steps_of(lambda n, step: '{"a":' * (n * step // 8) + "{}" + "}" * (n * step // 8)),
    "a string at the bottom": steps_of(lambda n, step: "[" * n + '"' + "x" * step + '"' + "]" * n),
    "escapes": steps_of(lambda n, step: '["' + "\\u0001" * (n * step // 8) + '"]'),
}


def chunk(midstream: Any, snapshots: list[str]) -> str:
    chunker = midstream.JsonStreamChunker()
    return "".join([*map(chunker.process, snapshots), chunker.flush()])


# The full-size run


class Row(NamedTuple):
    """A shape at full size on a way; whether memory may grow with it."""

    shape: str
    way: str
    size: int
    grows: bool


ROWS = [
    Row("opening brackets", "updates", 1_000_000, True),
    Row("opening brackets", "value", 1_000_000, True),
    Row("opening brackets", "rebuilder", 1_000_000, True),
    Row("opening brackets, bounded", "updates", 10_000_000, False),
    Row("opening brackets, bounded", "value", 10_000_000, False),
    Row("one string", "updates", 100_000_000, True),
    Row("one string", "value", 100_000_000, True),
    Row("one string, bytes", "value", 100_000_000, True),
    Row("one string", "snapshots", 10_000_000, True),
    Row("one string", "states", 2_000_000, True),
    Row("one string", "wire", 2_000_000, True),
    Row("one string", "tool call", 1_000_000, True),
    Row("empty fragments", "updates", 10_000_000, False),
    Row("empty fragments", "value", 10_000_000, False),
    Row("empty fragments", "states", 10_000_000, False),
    Row("keys alike but for the end", "updates", 1_000_000, False),
    Row("keys alike but for the end", "value", 1_000_000, True),
    Row("keys alike but for the end", "states", 300_000, True),
    Row("keys alike but for the end", "wire", 300_000, True),
    Row("one key again and again", "updates", 1_000_000, False),
    Row("one key again and again", "value", 1_000_000, False),
    Row("one long key", "updates", 20_000_000, True),
    Row("one long key", "value", 20_000_000, True),
    Row("one long key", "states", 1_000_000, True),
    Row("long numbers", "updates", 1_000_000, False),
    Row("long numbers by digits", "updates", 10_000_000, False),
    Row("long numbers by digits", "value", 10_000_000, True),
    Row("long floats by digits", "updates", 10_000_000, False),
    Row("escapes", "updates", 10_000_000, True),
    Row("long escapes", "value", 10_000_000, True),
    Row("escapes in one piece", "value", 5_000_000, True),
    Row("high surrogates", "updates", 3_000_000, True),
    Row("every width in turn", "value", 10_000_000, True),
    Row("every width in turn", "snapshots", 3_000_000, True),
    Row("characters cut", "value", 10_000_000, True),
    Row("white space", "updates", 10_000_000, False),
    Row("documents in a row", "updates", 1_000_000, False),
    Row("documents in a row", "value", 1_000_000, False),
    Row("deep again and again", "updates", 2_000_000, False),
    Row("wide at the bottom", "updates", 2_000_000, False),
    Row("wide at the bottom", "wire", 30_000, True),
    Row("wide array", "snapshots", 3_000_000, True),
    Row("errors", "updates", 1_000_000, False),
    Row("errors below a long key", "updates", 1_000_000, True),
    Row("errors at the bottom", "value", 300_000, True),
    Row("bad bytes", "value", 1_000_000, True),
    Row("one string", "select", 10_000_000, True),
    Row("wide array", "select", 3_000_000, False),
    Row("one string", "patches", 2_000_000, True),
    Row("keys alike but for the end", "patches", 300_000, True),
    Row("one string", "extractor", 2_000_000, True),
    Row("white space", "extractor", 2_000_000, True),
    Row("many strings", "typed", 300_000, True),
    Row("keys alike but for the end", "typed", 300_000, True),
]
# in ten times the size: the same exponent as in the tests
SLOWEST = 10**1.5
# kilobytes: what an interpreter's own memory may differ by
NOISE = 6_000


def measured(row: Row, build: str, size: int) -> tuple[float, int]:
    """Run a row in a process of its own; give its processor time, and its most memory in kilobytes."""
    command = [sys.executable, __file__, "--row", str(ROWS.index(row)), "--build", build, "--size", str(size)]
    seconds, kilobytes = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), int(kilobytes)


def run_row(row: Row, build: str, size: int) -> None:
    shape = SHAPES[row.shape]
    work = prepare(BUILDS[build], row.way, shape, shape.fragments(size))
    start = time.process_time()
    kept = work()
    seconds = time.process_time() - start
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    del kept


def judge(row: Row, build: str, size: int, bare: int) -> bool:
    (least, small), (most, large) = (measured(row, build, each) for each in (size // 10, size))
    growth = most / max(least, 0.001)
    # lists grow by steps, so ten times as much may be somewhat more
    may_have = bare + 13 * max(small - bare, NOISE) if row.grows else small + NOISE
    verdict = "" if growth <= SLOWEST and large <= may_have else " !"
    print(
        f"| {row.shape} | {row.way} | {size:,} | {least:.2f} | {most:.2f} | {growth:.1f} "
        f"| {(small - bare) / 1000:,.0f} | {(large - bare) / 1000:,.0f} |{verdict}",
        flush=True,
    )
    return not verdict


def bare_process() -> int:
    code = "import bounds, resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    command = [sys.executable, "-c", code]
    return int(subprocess.run(command, check=True, capture_output=True, cwd=sys.path[0]).stdout)


# What is kept of a text: bytes of memory for each of its characters

MEMBERS = {
    "`[],`": "[],",
    "`{},`": "{},",
    '`"",`': '"",',
    '`"a",`': '"a",',
    "`0,`": "0,",
    "`1000,`": "1000,",
    "`0.5,`": "0.5,",
    "`[0],`": "[0],",
    '`{"":0},`': '{"":0},',
    '`{"a":{}},`': '{"a":{}},',
}


def kept_updates(midstream: Any, text: str) -> Any:
    return midstream.JsonFragmentAccumulator(on_error="recover").add_fragment(text)


def kept_wire(midstream: Any, text: str) -> Any:
    return [*map(midstream.to_wire, kept_updates(midstream, text))]


def kept_value(midstream: Any, text: str) -> Any:
    accumulator = midstream.JsonValueAccumulator(on_error="recover")
    accumulator.add_fragment(text)
    return accumulator.value


def kept_nodes(midstream: Any, text: str) -> Any:
    return midstream.parse_chunk(midstream.create_parser_state(), text)


def kept_nodes_and_value(midstream: Any, text: str) -> Any:
    state = kept_nodes(midstream, text)
    return state, state.root.resolved_value


KEPT: dict[str, Callable[[Any, str], Any]] = {
    "updates": kept_updates,
    "wire": kept_wire,
    "value": kept_value,
    "nodes": kept_nodes,
    "nodes and value": kept_nodes_and_value,
}


def bytes_kept(keep: Callable[[Any, str], Any], midstream: Any, text: str) -> tuple[int, int]:
    """Return the memory that is kept of a text, and the most that there was on the way."""
    # as many updates as the compiled core has ready, so that it must make new ones
    others = kept_updates(midstream, "[" + "0," * 10_000)
    tracemalloc.start()
    try:
        kept = keep(midstream, text)
        sizes = tracemalloc.get_traced_memory()
        del kept, others
        return sizes
    finally:
        tracemalloc.stop()


def print_memory(build: str) -> None:
    texts = {name: "[" + member * 20_000 for name, member in MEMBERS.items()}
    texts["members with keys of their own"] = "{" + "".join(f'"{i}":0,' for i in range(20_000))
    texts["ASCII, and one character that is not"] = '["' + "x" * 200_000 + '😀"'
    texts["`,` (recovering)"] = "[" + "," * 20_000
    texts["`0,` 1,000 levels deep"] = "[" * 1000 + "0," * 2_000
    print("\nBytes of memory for each character of the text, kept; and at the most while it was read:\n")
    print("| text |", " | ".join(KEPT), "|\n| --- |", " | ".join(["---:"] * len(KEPT)), "|")
    for name, text in texts.items():
        cells = []
        for keep in KEPT.values():
            sizes = bytes_kept(keep, BUILDS[build], text)
            cells.append(" / ".join(f"{size / len(text):,.0f}" for size in sizes))
        print(f"| {name} |", " | ".join(cells), "|", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", choices=BUILDS, help="one build only")
    parser.add_argument("--row", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row is not None:
        run_row(ROWS[options.row], options.build, options.size)
        return 0
    bare = bare_process()
    good = True
    for build in [options.build] if options.build else sorted(BUILDS):
        print(f"\n{build}: seconds of processor time and megabytes, at a tenth of the size and at the size\n")
        print("| shape | way | size | s, tenth | s | times | MB, tenth | MB |")
        print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for row in ROWS:
            if suits(row.way, SHAPES[row.shape], build == "compiled"):
                # plain, at a tenth: ten times slower, and as true
                good &= judge(row, build, row.size if build == "compiled" else row.size // 10, bare)
        print_memory(build)
    print("\nall within their bounds" if good else "\n! marks what grows faster than it may")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

"""What a text may cost that was made to hurt: time and memory by their growth, and what objects keep alive.

The shapes are those of `bounds`, which takes them at full size. Time is that of the processor (`costs`),
memory what Python's allocators return, which the compiled core uses, too.
"""

from __future__ import annotations

import gc
import json
import sys
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from bounds import SHAPES, SNAPSHOTS, STREAMS, WAYS, chunk, prepare, read_one_by_one, suits
from builds import BUILDS, TWIN
from costs import assert_level, assert_linear, ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
RUNS = [
    (build, way, shape)
    for build in BUILDS
    for way in WAYS
    for shape in SHAPES
    if suits(way, SHAPES[shape], build == "compiled")
]

QUICK = ("updates", "value", "snapshots", "checkpoint")


# --- time


@pytest.mark.parametrize(("build", "way", "shape"), RUNS)
def test_time_is_linear(build: str, way: str, shape: str) -> None:
    made = SHAPES[shape]
    # as little as can be measured
    size = made.small if way in QUICK and build == "compiled" else made.small // 4
    assert_linear(lambda size: prepare(BUILDS[build], way, made, [*made.fragments(size)]), size, 4)


@each_build
@pytest.mark.parametrize("stream", STREAMS)
def test_time_of_an_event_stream_is_linear(midstream: Any, stream: str) -> None:
    def work(size: int) -> Callable[[], object]:
        pieces = [*STREAMS[stream](size)]
        return lambda: read_one_by_one(midstream, pieces)

    assert_linear(work, 1000)


@each_build
@pytest.mark.parametrize("shape", SNAPSHOTS)
def test_time_of_chunks_is_linear_in_the_snapshots(midstream: Any, shape: str) -> None:
    def work(size: int) -> Callable[[], object]:
        snapshots = SNAPSHOTS[shape](size)
        return lambda: chunk(midstream, snapshots)

    # from the beginning deeper than the standard library's parser goes, which is another one
    assert_linear(work, 1500)


@each_build
def test_time_of_a_string_is_linear_whatever_its_pieces(midstream: Any) -> None:
    """Pieces that get shorter and shorter wait side by side, then are joined."""

    def work(size: int) -> Callable[[], object]:
        pieces = ['"', *("x" * length for length in range(size, 0, -1)), "xx"]

        def run() -> object:
            state = midstream.create_parser_state()
            for piece in pieces:
                state = midstream.parse_chunk(state, piece)
            return state

        return run

    # 4 times the pieces are 16 times the text, and joined one by one 64 times the work
    assert ratio(lambda: work(4000), lambda: work(1000), 24) <= 24


@each_build
def test_time_to_leave_many_containers_is_linear(midstream: Any) -> None:
    """One update may leave thousands at once that paths alone had opened."""

    def work(size: int) -> Callable[[], object]:
        rebuilder = midstream.JsonFragmentRebuilder(limits=midstream.Limits(max_depth=None))
        rebuilder.apply({"path": "root[0]" + ".k" * size, "kind": "CompleteNull"})
        return lambda: rebuilder.apply({"path": "root[1]", "kind": "CompleteNull"})

    assert_linear(work, 4000)


# --- paths: nobody pays for one who does not ask


@each_build
def test_the_depth_costs_an_update_nothing(midstream: Any) -> None:
    def work(depth: int) -> Callable[[], object]:
        accumulator = midstream.JsonFragmentAccumulator()
        accumulator.add_fragment("[" * depth)
        return lambda: accumulator.add_fragment('0,"",{},' * 1000)

    assert_level(work, 10, 990, 2)


@each_build
def test_the_length_of_a_key_costs_the_updates_below_it_nothing(midstream: Any) -> None:
    def work(length: int) -> Callable[[], object]:
        accumulator = midstream.JsonFragmentAccumulator()
        accumulator.add_fragment('{"' + "k" * length + '":[')
        return lambda: accumulator.add_fragment('0,"",{},' * 1000)

    assert_level(work, 10, 1_000_000, 2)


@each_build
@pytest.mark.parametrize("character", ["a", ".", '\\"', "\\u0001", "é", "😀"])
def test_limits_bound_a_path(midstream: Any, character: str) -> None:
    """As long as a path can get: as many keys as levels, and six characters for each of a key."""
    limits = midstream.Limits(max_depth=7, max_string=5)
    member = '{"' + character * 5 + '":'
    accumulator = midstream.JsonFragmentAccumulator(limits=limits, on_error="event")
    updates = accumulator.add_fragment(member * 7 + "0" + "}" * 7)
    assert updates[-1].kind == "JsonComplete"
    longest = max(len(update.path) for update in updates)
    assert len("root") + 7 * 5 < longest <= len("root") + 7 * (5 * 6 + 4)
    for text, code in (('{"' + character * 6, "string_limit"), (member * 8, "depth_limit")):
        accumulator.reset()
        assert accumulator.add_fragment(text)[-1].error.code == code


@each_build
def test_time_of_paths_is_linear_in_what_they_say(midstream: Any) -> None:
    """Asking every update for its path is depth times members, and no worse."""

    def prepared(depth: int, members: int) -> Callable[[], object]:
        accumulator = midstream.JsonFragmentAccumulator()
        accumulator.add_fragment('{"key":' * depth + "[")
        updates = accumulator.add_fragment("0," * members)
        return lambda: [midstream.to_wire(update) for update in updates]

    assert_linear(lambda members: prepared(100, members), 40)
    assert_linear(lambda depth: prepared(depth, 40), 110)


SEGMENTS = [".a", "[0]", '["."]', '["\\u0001"]', "." + "a" * 50, '["' + '\\"' * 50 + '"]']


@each_build
@pytest.mark.parametrize("segment", SEGMENTS)
def test_time_to_read_a_path_is_linear(midstream: Any, segment: str) -> None:
    def work(size: int) -> Callable[[], object]:
        path = "root" + segment * size
        return lambda: midstream.parse_path(path)

    assert_linear(work, 500)


@each_build
@pytest.mark.parametrize("end", ["[", '["', '["a', "..", "[0", '["\\'])
def test_time_to_refuse_a_path_is_linear(midstream: Any, end: str) -> None:
    def work(size: int) -> Callable[[], object]:
        path = "root" + '["."]' * size + end

        def run() -> None:
            with pytest.raises(midstream.JsonStreamError):
                midstream.parse_path(path)

        return run

    assert_linear(work, 500)


# --- hashes: keys are texts, whose hashes nobody can foresee; numbers of calls are not


@each_build
@pytest.mark.parametrize("side", ["middleware", "handler"])
@pytest.mark.parametrize("number_of", ["index", "choice"])
def test_numbers_with_one_hash_cost_no_more_than_others(midstream: Any, number_of: str, side: str) -> None:
    def work(step: int) -> Callable[[], object]:
        updates = [
            midstream.ToolCallUpdate(function_name="f", function_args="{}", **{number_of: number * step})
            for number in range(1200)
        ]
        if side == "middleware":
            middleware = midstream.JsonFragmentUpdateMiddleware()
            return lambda: [middleware.add_message(update) for update in updates]
        handler = midstream.ToolsAggregateMessageHandler()
        return lambda: handler.add_message(midstream.ToolCallsUpdate(updates))

    # multiples of this prime have the hash 0
    prime = 2**61 - 1
    assert hash(prime) == hash(2 * prime) == 0
    assert ratio(lambda: work(prime), lambda: work(1), 2.5) <= 2.5


# the calls of many choices, messages, or both; and who ends them
MANY: dict[str, Callable[[Any, int], list[Any]]] = {
    "choices": lambda u, n: [u(f"c{k}", 0, "f", "{}", choice=k) for k in range(n)],
    "messages": lambda u, n: [u(f"c{k}", 0, "f", "{}", message_id=f"m{k}") for k in range(n)],
    "messages, one id": lambda u, n: [u("c", 0, "f", "{}", message_id=f"m{k}") for k in range(n)],
}


@each_build
@pytest.mark.parametrize("side", ["middleware", "handler"])
@pytest.mark.parametrize("are_ended", [False, True], ids=["open", "ended"])
@pytest.mark.parametrize("shape", MANY)
def test_time_is_linear_in_choices_and_messages(
    midstream: Any, shape: str, are_ended: bool, side: str
) -> None:
    def work(count: int) -> Callable[[], object]:
        updates = MANY[shape](midstream.ToolCallUpdate, count)
        ends = [midstream.ToolResult(update.tool_call_id, 1) for update in updates]
        if side == "middleware":
            middleware = midstream.JsonFragmentUpdateMiddleware()
            messages = [*updates, *ends] if are_ended else updates
            return lambda: [middleware.add_message(message) for message in messages] + middleware.finish()
        handler = midstream.ToolsAggregateMessageHandler()
        # taken without a look at all calls each time
        messages = [midstream.ToolCallsUpdate(updates), *(ends if are_ended else [])]
        return lambda: [handler._dispatch(message) for message in messages]

    assert_linear(work, 150)


# --- memory


@pytest.fixture
def no_keys_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain core remembers up to a number of keys, for all texts together: that is not this text's."""
    monkeypatch.setattr(f"{TWIN}.core.strings._interned", str)


def most_memory(work: Callable[[], Any]) -> int:
    """Measure what some work takes at its height, from a full collection on.

    CPython keeps some freed lists, tuples and dicts for new ones. Without the collection, which frees them,
    a small work would take most of its objects from there, unseen, and a large work only a few.
    """
    gc.collect()
    tracemalloc.start()
    try:
        kept = work()
        most = tracemalloc.get_traced_memory()[1]
        del kept
        return most
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("no_keys_remembered")
@each_build
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if SHAPES[shape].is_flat])
def test_memory_of_updates_does_not_grow_with_the_text(midstream: Any, shape: str) -> None:
    made = SHAPES[shape]

    def peak(size: int) -> int:
        return most_memory(prepare(midstream, "updates", made, [*made.fragments(size)]))

    # the first time, what is made once is made; a number of the largest size is there once more as its value
    peak(made.small)
    assert peak(made.small * 3) <= peak(made.small) + 10_000


@pytest.mark.usefixtures("no_keys_remembered")
@pytest.mark.parametrize(
    ("build", "way", "shape"),
    [(build, way, shape) for build, way, shape in RUNS if way in ("value", "states", "tool call")],
)
def test_memory_is_linear(build: str, way: str, shape: str) -> None:
    made, midstream = SHAPES[shape], BUILDS[build]

    def peak(size: int) -> int:
        return most_memory(prepare(midstream, way, made, [*made.fragments(size)]))

    large, small = made.small // 4, made.small // 16
    peak(small)
    # lists and dicts grow by steps: what is four times as much can be six times as large
    assert peak(large) <= 6 * peak(small) + 5000


def test_memory_of_a_copied_token_does_not_grow_with_its_pieces() -> None:
    """Every chunk of the pure parser copies what is known of an open key; compiled, nobody can look at it."""
    buffer_type = sys.modules[f"{TWIN}.core.text"].TextBuffer

    def size(pieces: int) -> int:
        buffer = buffer_type()
        for _ in range(pieces):
            buffer.append("k")
        return most_memory(buffer.clone)

    assert size(1024 * 1024 - 1) <= size(1024 * 2 - 1) + 500


@each_build
def test_none_is_counted_right(midstream: Any) -> None:
    """The compiled core fills an update without counting the Nones in it one by one."""
    text = '[{"a": [1, 2.5, true, null, "x", {"b": "y"}]}, ' * 50

    def work() -> None:
        for _ in range(20):
            midstream.JsonFragmentAccumulator().add_fragment(text[:-2])

    work()
    before = sys.getrefcount(None)
    work()
    # others in the process may have a few
    assert abs(sys.getrefcount(None) - before) < 500


@each_build
@pytest.mark.parametrize("open_text", ["[", '{"k":', '{"' + "k" * 50 + '":', "[0,0,", '[{"":'])
def test_a_checkpoint_grows_with_what_is_open_only(midstream: Any, open_text: str) -> None:
    def size(text: str) -> int:
        accumulator = midstream.JsonFragmentAccumulator()
        accumulator.add_fragment(text)
        return len(json.dumps(accumulator.checkpoint()))

    empty = size("")
    few, many = size(open_text * 50) - empty, size(open_text * 400) - empty
    assert many <= 8 * few + 100
    assert size(open_text * 50 + '{"done":[' + '"x",' * 5000 + "0]}") <= size(open_text * 50) + 20


# --- what is kept alive

MEMBERS = 2000
# what a document takes at the least, and what may be kept by something small: 8,192 updates of 56 bytes,
# which the compiled core has ready for the next ones, and little more
LARGE = MEMBERS * 1000
SMALL = 480_000


def member(number: int) -> str:
    return f'{{"number": {number}, "text": "{number}{"x" * 1000}"}},'


def document() -> Iterator[str]:
    """Return a large document in fragments, with something small in front."""
    yield '{"small": {"a": ["b"]}, "large": ['
    yield from map(member, range(MEMBERS))
    yield "0]}"


def kept_by(hold: Callable[[], Any]) -> int:
    """Measure what is alive because of one object, when all else that made it is gone."""
    tracemalloc.start()
    try:
        held = hold()
        gc.collect()
        kept, most = tracemalloc.get_traced_memory()
        assert most > LARGE, "the document was not there"
        del held
        return kept
    finally:
        tracemalloc.stop()


def complete() -> str:
    return "".join(document())


def all_updates(midstream: Any, fragments: Iterable[Any]) -> list[Any]:
    return [*midstream.updates(fragments)]


def updates_of_each_kind(midstream: Any) -> Any:
    of_one, of_many = all_updates(midstream, [complete()]), all_updates(midstream, document())
    half = {update.kind: update for update in of_one[: len(of_one) // 2]}
    return half, {update.kind: update for update in of_many[: len(of_many) // 2]}


def a_path(midstream: Any) -> Any:
    update = all_updates(midstream, [complete()])[MEMBERS]
    return update.path, update.segments, update.pointer, update.jsonpath, midstream.to_wire(update)


def an_error(midstream: Any) -> Any:
    """Without its traceback, which has the frames of all who called."""
    accumulator = midstream.JsonValueAccumulator()
    for fragment in document():
        accumulator.add_fragment(fragment)
    with pytest.raises(midstream.JsonStreamError) as caught:
        accumulator.add_fragment("damage")
    return caught.value.with_traceback(None)


def an_error_of_a_hook(midstream: Any) -> Any:
    def refuse(text: str) -> int:
        raise ValueError("refused")

    accumulator = midstream.JsonFragmentAccumulator(parse_int=refuse)
    with pytest.raises(midstream.JsonStreamError) as caught:
        accumulator.add_fragment('["' + "x" * LARGE * 2 + '",0]')
    error = caught.value
    assert error.__cause__ is not None
    error.__cause__.with_traceback(None)
    # the only thing large that it has, as promised
    assert len(error.updates.pop().value) == len(error.updates.pop().text_value) == LARGE * 2
    return error.with_traceback(None)


def an_error_update(midstream: Any) -> Any:
    accumulator = midstream.JsonFragmentAccumulator(on_error="recover")
    updates = [update for text in (*document(), "damage") for update in accumulator.add_fragment(text)]
    return updates[-1]


def a_part_of_a_snapshot(midstream: Any) -> Any:
    accumulator = midstream.JsonValueAccumulator()
    early = None
    for fragment in document():
        accumulator.add_fragment(fragment)
        early = early or accumulator.value
    return early, accumulator.value["small"], accumulator.value["large"][MEMBERS // 2]


def an_early_state(midstream: Any) -> Any:
    states = [midstream.create_parser_state()]
    for fragment in document():
        states.append(midstream.parse_chunk(states[-1], fragment))
    assert states[-1].root.resolved_value["small"] == {"a": ["b"]}
    early, late = states[1], states[-1]
    assert early.root.resolved_value["large"] == []
    return early, early.root, late.nodes[1], late.nodes[1].resolved_value, late.nodes[MEMBERS]


def a_tool_call(midstream: Any) -> Any:
    """Unread, read in part and read: none is more than the call was then."""
    handler = midstream.ToolsAggregateMessageHandler()
    calls: list[Any] = []
    for number, fragment in enumerate(document()):
        views = handler.add_message(midstream.ToolCallUpdate(index=0, function_args=fragment))
        if number < 3:
            calls += views
            assert number == 0 or views[0].args["small"] == {"a": ["b"]}
            assert number < 2 or views[0].raw_args
    return calls


def a_call_update(midstream: Any) -> Any:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    messages = [
        middleware.add_message(midstream.ToolCallUpdate(index=0, function_args=fragment))
        for fragment in document()
    ]
    return messages[0], messages[MEMBERS // 2]


def sse_of(midstream: Any) -> Any:
    return sys.modules[f"{midstream.__name__}.sse"]


def an_event(midstream: Any) -> Any:
    data = memoryview(b"data: small\n\n" + b"data: large" + b"x" * LARGE * 2 + b"\n\n")
    return sse_of(midstream).SseDecoder().add_bytes(data)[0]


def a_chunk(midstream: Any) -> Any:
    chunker = midstream.JsonStreamChunker()
    early, late = (chunker.process(snapshot) for snapshot in ('{"small": {"a": ["b"]}}', complete()))
    assert len(late) > LARGE
    return early


def a_checkpoint(midstream: Any) -> Any:
    accumulator = midstream.JsonFragmentAccumulator()
    assert all_updates(midstream, [complete()])
    for fragment in [*document()][:-1]:
        accumulator.add_fragment(fragment)
    return accumulator.checkpoint()


HELD = {
    "an update of each kind": updates_of_each_kind,
    "a path": a_path,
    "an error": an_error,
    "an error of a hook": an_error_of_a_hook,
    "an error update": an_error_update,
    "a part of a snapshot": a_part_of_a_snapshot,
    "an early state": an_early_state,
    "a tool call": a_tool_call,
    "an update of a call": a_call_update,
    "an event": an_event,
    "a chunk": a_chunk,
    "a checkpoint": a_checkpoint,
}


@each_build
@pytest.mark.parametrize("held", HELD)
def test_nothing_small_keeps_a_document_alive(midstream: Any, held: str) -> None:
    assert kept_by(lambda: HELD[held](midstream)) < SMALL


def an_accumulator(midstream: Any) -> Any:
    accumulator = midstream.JsonFragmentAccumulator()
    assert [update for text in document() for update in accumulator.add_fragment(text)]
    return accumulator


def a_stream_of_documents(midstream: Any) -> Any:
    accumulator = midstream.JsonValueAccumulator(after_root="next")
    for fragment in (*document(), "[]", "\n"):
        accumulator.add_fragment(fragment)
    assert accumulator.value == []
    return accumulator


def a_middleware(midstream: Any) -> Any:
    middleware = midstream.JsonFragmentUpdateMiddleware()
    messages = [midstream.ToolCallUpdate("call", 0, "f", fragment) for fragment in [*document()][:-1]]
    assert [middleware.add_message(message) for message in messages]
    middleware.add_message(midstream.ToolCallEnd("call"))
    return middleware


def a_handler(midstream: Any) -> Any:
    handler = midstream.ToolsAggregateMessageHandler()
    for fragment in document():
        handler.add_message(midstream.ToolCallUpdate(index=0, function_args=fragment))
    assert handler.complete()[0].is_complete
    return handler


def a_decoder(midstream: Any) -> Any:
    decoder = sse_of(midstream).SseDecoder()
    decoder.add_bytes(b"data: " + complete().encode())
    assert decoder.add_bytes(b"\n\n")
    return decoder


LIVE = {
    "an accumulator": an_accumulator,
    "a stream of documents": a_stream_of_documents,
    "a middleware": a_middleware,
    "a handler": a_handler,
    "a decoder": a_decoder,
}


@each_build
@pytest.mark.parametrize("live", LIVE)
def test_nothing_that_goes_on_keeps_what_is_done(midstream: Any, live: str) -> None:
    assert kept_by(lambda: LIVE[live](midstream)) < SMALL

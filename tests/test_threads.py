"""What threads may share, and what becomes of what they may not: each object serves one stream, one call at a
time; all results belong to everybody.
"""

from __future__ import annotations

import copy
import importlib
import json
import pickle
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

THREADS = 6
each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_class = pytest.mark.parametrize("name", ["JsonFragmentAccumulator", "JsonValueAccumulator"])


@pytest.fixture(autouse=True)
def restless() -> Iterator[None]:
    """Switch between threads as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[int], Any], threads: int = THREADS) -> list[Any]:
    """Do work in so many threads that start together; give what came of each, or raise what went wrong."""
    start = threading.Barrier(threads)

    def run(number: int) -> Any:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, range(threads)))


def document(number: int) -> Any:
    """Return a value with something of every kind, another one for every number."""
    items = [{"name": f"é{number}-{i}", "price": i + 0.5, "tags": [True, None, -i]} for i in range(6)]
    return {f"key {number}": items, "text": "mid\n\U0001f600" * 3, "nested": [[[[number]]]]}


def pieces(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def written(number: int, escaped: bool) -> str:
    return json.dumps(document(number), ensure_ascii=escaped)


# --- one each


def updates_of(midstream: ModuleType, number: int) -> list[str]:
    fragments = pieces(written(number, number % 2 == 0), 1 + number)
    return [repr(update) for update in midstream.updates(fragments)]


@each_build
def test_updates_in_many_threads(midstream: ModuleType) -> None:
    expected = [updates_of(midstream, number) for number in range(THREADS)]
    for _ in range(3):
        assert at_once(lambda number: updates_of(midstream, number)) == expected


@each_build
def test_values_and_the_way_back_in_many_threads(midstream: ModuleType) -> None:
    def there_and_back(number: int) -> list[Any]:
        chunker, rebuilder = midstream.JsonStreamChunker(), midstream.JsonFragmentRebuilder()
        updates = midstream.JsonFragmentAccumulator()
        text = ""
        for fragment in pieces(written(number, True), 3):
            rebuilder.apply([midstream.to_wire(update) for update in updates.add_fragment(fragment)])
            if rebuilder.value is not midstream.UNDEFINED:
                text += chunker.process(rebuilder.value)
        *_, value = midstream.values(pieces(written(number, False), 2))
        return [value, rebuilder.value, json.loads(text + chunker.flush())]

    assert at_once(there_and_back) == [[document(number)] * 3 for number in range(THREADS)]


@each_build
def test_tool_calls_and_events_in_many_threads(midstream: ModuleType) -> None:
    sse = importlib.import_module(f"{midstream.__name__}.sse")

    def receive(number: int) -> Any:
        decoder, handler = sse.SseDecoder(), midstream.ToolsAggregateMessageHandler()
        middleware = midstream.JsonFragmentUpdateMiddleware()
        fragments = pieces(written(number, True), 5)
        sent = b"".join(sse.encode(sse.SseEvent("message", fragment)) for fragment in fragments)
        events = [event for byte in sent for event in decoder.add_bytes(bytes([byte]))]
        parts = [midstream.ToolCallUpdate("call", 0, "show", event.data) for event in events]
        for message in middleware(parts):
            handler.add_message(message)
        return [(call.name, call.args, call.is_complete) for call in handler.complete()]

    assert at_once(receive) == [[("show", document(number), True)] for number in range(THREADS)]


# --- one for all: refused, or right


@each_build
@each_class
def test_a_call_while_another_thread_is_in_one_is_refused(midstream: ModuleType, name: str) -> None:
    entered, resume = threading.Event(), threading.Event()

    def hook(text: str) -> int:
        entered.set()
        assert resume.wait(60)
        return int(text)

    accumulator = getattr(midstream, name)(parse_int=hook)
    uses: list[Callable[[], object]] = [
        lambda: accumulator.add_fragment("2]"),
        accumulator.finish,
        accumulator.reset,
        accumulator.__init__,
        accumulator.checkpoint,
        lambda: pickle.dumps(accumulator),
        lambda: copy.copy(accumulator),
    ]
    looks = ["position", "is_complete", "error", "trailing"]
    if name == "JsonValueAccumulator":
        looks += ["value", "open_path", "documents"]
    uses += [partial(getattr, accumulator, look) for look in looks]
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(accumulator.add_fragment, "[1, ")
        try:
            assert entered.wait(60)
            for use in uses:
                with pytest.raises(RuntimeError, match=r"^the accumulator is busy with another call"):
                    use()
        finally:
            resume.set()
        call.result()
    accumulator.add_fragment("2]")
    accumulator.finish()
    assert accumulator.is_complete
    assert accumulator.position.index == 6


@each_build
def test_updates_given_by_many_threads_to_one_rebuilder(midstream: ModuleType) -> None:
    entered, resume = threading.Event(), threading.Event()
    first, *rest = midstream.updates(['{"a": 1}'])

    def slowly() -> Iterator[Any]:
        yield first
        entered.set()
        assert resume.wait(60)
        yield from rest

    rebuilder = midstream.JsonFragmentRebuilder()
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(rebuilder.apply, slowly())
        try:
            assert entered.wait(60)
            looks = ["value", "open_path", "is_complete", "error"]
            uses = [lambda: rebuilder.apply([first]), rebuilder.reset, rebuilder.__init__]
            for use in [*uses, *(partial(getattr, rebuilder, look) for look in looks)]:
                with pytest.raises(RuntimeError, match=r"^the rebuilder is busy with another call"):
                    use()
        finally:
            resume.set()
        assert call.result()
    assert (rebuilder.value, rebuilder.is_complete) == ({"a": 1}, True)


@each_build
def test_what_threads_add_to_one_string_is_there_once_if_it_was_not_refused(midstream: ModuleType) -> None:
    accumulator = midstream.JsonValueAccumulator()
    accumulator.add_fragment('["')

    def add(number: int) -> int:
        taken = 0
        for _ in range(400):
            try:
                accumulator.add_fragment(str(number) * 7)
                taken += 1
            except RuntimeError:
                pass  # a call of another thread was under way
        return taken

    taken = at_once(add)
    accumulator.add_fragment('"]')
    (text,) = accumulator.value
    assert accumulator.is_complete
    assert Counter(pieces(text, 7)) == Counter({str(i) * 7: count for i, count in enumerate(taken) if count})
    assert accumulator.position.index == 4 + 7 * sum(taken)


@each_build
def test_updates_that_threads_get_from_one_accumulator_are_all_of_the_sequence(midstream: ModuleType) -> None:
    """Every item is reported by exactly one of the calls."""
    accumulator = midstream.JsonFragmentAccumulator()
    accumulator.add_fragment("[0")

    def add(number: int) -> list[tuple[int, int]]:
        reported = []
        for _ in range(150):
            try:
                updates = accumulator.add_fragment(f", {number}")
            except RuntimeError:
                continue
            taken[number] += 1
            reported += [(*update.segments, update.value) for update in updates]
        return reported

    taken = Counter({0: 1})
    reported = sorted(item for items in at_once(add) for item in items)
    last, *_ = accumulator.add_fragment("]")
    reported.append((*last.segments, last.value))
    assert [index for index, _ in reported] == list(range(len(reported)))
    assert Counter(value for _, value in reported) == taken
    assert accumulator.is_complete


@each_build
def test_a_value_that_is_read_while_another_thread_feeds(midstream: ModuleType) -> None:
    """It is refused, or right; so is the fragment."""
    text = written(4, True)
    expected = [midstream.parse_partial(text[:cut]) for cut in range(len(text) + 1)]
    accumulator, done = midstream.JsonValueAccumulator(), threading.Event()

    def work(number: int) -> None:
        if number:
            while not done.is_set():
                try:
                    assert accumulator.value in expected
                    assert accumulator.position.index <= len(text)
                except RuntimeError:
                    pass  # a call of another thread was under way
            return
        try:
            for character in text:
                while True:
                    try:
                        accumulator.add_fragment(character)
                        break
                    except RuntimeError:
                        pass  # a look of another thread was under way
        finally:
            done.set()

    at_once(work, 3)
    assert accumulator.value == document(4)


# --- what is returned is everybody's


@each_build
def test_snapshots_that_other_threads_read_while_their_accumulator_continues(midstream: ModuleType) -> None:
    text = written(3, True)
    expected = [copy.deepcopy(value) for value in midstream.values(list(text))]
    accumulator, snapshots = midstream.JsonValueAccumulator(), SimpleQueue[Any]()
    start = threading.Barrier(THREADS)

    def read(number: int) -> list[Any]:
        start.wait()
        kept = []
        while (item := snapshots.get()) is not None:
            at, value = item
            for _ in range(3):
                assert value == expected[at]
            kept.append((at, value))
        return kept

    with ThreadPoolExecutor(THREADS) as pool:
        readers = [pool.submit(read, number) for number in range(THREADS - 1)]
        start.wait()
        at = 0
        for character in text:
            if accumulator.add_fragment(character):
                snapshots.put((at, accumulator.value))
                at += 1
        for _ in readers:
            snapshots.put(None)
        kept = [item for reader in readers for item in reader.result()]
    assert sorted(at for at, _ in kept) == list(range(len(expected)))
    assert all(value == expected[at] for at, value in kept)


@each_build
def test_updates_and_errors_that_many_threads_read(midstream: ModuleType) -> None:
    accumulator = midstream.JsonFragmentAccumulator(on_error="event")
    updates = accumulator.add_fragment(written(2, True)) + accumulator.add_fragment("!")

    def read(_: int) -> list[Any]:
        places = [(update.path, update.pointer, update.jsonpath) for update in updates]
        return [(repr(u), hash(u), u.error, midstream.to_wire(u)) for u in updates] + places

    expected = read(0)
    assert updates[-1].error.code == "trailing_text"
    assert at_once(read) == [expected] * THREADS


@each_build
def test_a_state_that_many_threads_continue_from(midstream: ModuleType) -> None:
    state = midstream.create_parser_state()
    for piece in ('{"items": [{"name": "A', "da", '", "n": 1}, {"na', "me"):
        state = midstream.parse_chunk(state, piece)
    before = json.dumps(midstream.dump_state(state))

    def resume(number: int) -> list[Any]:
        results = []
        for i in range(40):
            own = state
            for piece in pieces(f'": "{number}.{i}"}}], "done": tr', 5):
                own = midstream.parse_chunk(own, piece)
            own = midstream.finalize(midstream.parse_chunk(own, "ue}"))
            results.append(midstream.get_resolved_value(own))
        return results

    for number, results in enumerate(at_once(resume)):
        for i, value in enumerate(results):
            items = [{"name": "Ada", "n": 1}, {"name": f"{number}.{i}"}]
            assert value == {"items": items, "done": True}
    assert json.dumps(midstream.dump_state(state)) == before


def values_of(node: Any) -> list[Any]:
    return at_once(lambda _: node.resolved_value)


@each_build
def test_nodes_whose_values_many_threads_ask_for(midstream: ModuleType) -> None:
    for cut in range(10, 200, 19):
        text = written(1, True)
        state = midstream.parse_chunk(midstream.create_parser_state(), text[:cut])
        state = midstream.parse_chunk(state, text[cut : cut + 60])
        values = values_of(state.root)
        assert values == [midstream.parse_partial(text[: cut + 60])] * THREADS
        if getattr(sys, "_is_gil_enabled", lambda: True)():
            assert all(value is values[0] for value in values)


@each_build
def test_a_state_that_is_saved_while_others_continue_from_it(midstream: ModuleType) -> None:
    for _ in range(60):
        state = midstream.create_parser_state()
        for piece in ('{"k', "e", "y", "s"):
            state = midstream.parse_chunk(state, piece)

        def resume(number: int, state: Any = state) -> Any:
            own = midstream.load_state(midstream.dump_state(state)) if number % 2 else state
            return midstream.get_resolved_value(midstream.parse_chunk(own, '": 1}'))

        assert at_once(resume) == [{"keys": 1}] * THREADS

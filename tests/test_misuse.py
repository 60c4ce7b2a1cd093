"""What is not bad input but a slip in the program: one clear error, never a crash, nothing shared."""

import asyncio
import copy
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from decimal import Decimal
from types import ModuleType
from typing import Any

import pytest

from builds import BUILDS

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_class = pytest.mark.parametrize("name", ["JsonFragmentAccumulator", "JsonValueAccumulator"])


@each_build
@each_class
def test_a_hook_may_not_use_its_accumulator(midstream: ModuleType, name: str) -> None:
    seen: list[str] = []
    uses = ["add_fragment(' ')", "finish()", "reset()", "__init__()", "checkpoint()"]

    def hook(text: str) -> float:
        try:
            eval(f"accumulator.{uses[len(seen)]}", {"accumulator": accumulator})
        except RuntimeError as error:
            seen.append(str(error))
        return float(text)

    accumulator = getattr(midstream, name)(parse_float=hook)
    for _ in uses:
        accumulator.add_fragment("[1.5, 2]")
        assert accumulator.is_complete
        accumulator.reset()
    assert len(seen) == len(uses)
    for message in seen:
        assert message.startswith("the accumulator is busy with another call: use it in one thread")


@each_build
@each_class
def test_an_accumulator_that_was_not_set_up(midstream: ModuleType, name: str) -> None:
    forgetful = type("Forgetful", (getattr(midstream, name),), {"__init__": lambda self: None})
    uses = ["add_fragment('[')", "finish()", "reset()", "checkpoint()"]
    for use in [*uses, "position", "is_complete", "error", "trailing"]:
        with pytest.raises(RuntimeError, match="was not set up"):
            eval(f"accumulator.{use}", {"accumulator": forgetful()})


@each_build
def test_a_rebuilder_that_was_not_set_up(midstream: ModuleType) -> None:
    forgetful = type("Forgetful", (midstream.JsonFragmentRebuilder,), {"__init__": lambda self: None})
    for use in ("apply([])", "reset()", "value", "open_path", "is_complete", "error"):
        with pytest.raises(RuntimeError, match=r"^the rebuilder was not set up"):
            eval(f"rebuilder.{use}", {"rebuilder": forgetful()})


THREADS = """
import sys, threading
from midstream import JsonStreamError, JsonValueAccumulator
sys.setswitchinterval(1e-6)
accumulator = JsonValueAccumulator()
def work():
    for _ in range(4000):
        try:
            accumulator.add_fragment('["x" nope]')
        except (JsonStreamError, RuntimeError):
            try:
                accumulator.reset()
            except RuntimeError:
                pass
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_threads_that_share_an_accumulator_do_no_harm_to_the_process() -> None:
    assert subprocess.run([sys.executable, "-c", THREADS]).returncode == 0
    assert threading.active_count() >= 1


@each_build
@each_class
def test_whatever_a_hook_raises_nothing_is_lost(midstream: ModuleType, name: str) -> None:
    def hook(text: str) -> float:
        raise KeyError("no such price")

    accumulator = getattr(midstream, name)(parse_float=hook)
    with pytest.raises(midstream.JsonStreamError) as caught:
        accumulator.add_fragment("[1, 1.5, 2]")
    assert (caught.value.code, caught.value.index) == ("number_refused", 7)
    assert isinstance(caught.value.__cause__, KeyError)
    if name == "JsonFragmentAccumulator":
        assert [u.kind for u in caught.value.updates] == ["StartArray", "CompleteNumber"]
    else:
        assert accumulator.value == [1]
    assert accumulator.position.index == 7


@each_build
@each_class
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_goes_its_own_way(midstream: ModuleType, name: str, duplicate: Any) -> None:
    first = getattr(midstream, name)(parse_float=Decimal)
    first.add_fragment('{"a": [1.5, "b')
    second = duplicate(first)
    second.add_fragment('c"], "d": 2}')
    first.add_fragment('x"')
    assert second.is_complete
    assert not first.is_complete
    first.add_fragment("]}")
    if name == "JsonValueAccumulator":
        assert (first.value, second.value) == (
            {"a": [Decimal("1.5"), "bx"]},
            {"a": [Decimal("1.5"), "bc"], "d": 2},
        )


@each_build
@each_class
def test_options_that_are_none(midstream: ModuleType, name: str) -> None:
    make = getattr(midstream, name)
    for options, words in (
        ({"on_error": "rise"}, "on_error must be one of 'raise', 'event', 'recover', not 'rise'"),
        ({"after_root": "x"}, "after_root must be one of 'error', 'ignore', 'next', not 'x'"),
        ({"limits": midstream.Limits(max_depth=-1)}, "max_depth must be a non-negative int or None, not -1"),
    ):
        with pytest.raises(ValueError, match="^" + words):
            make(**options)
    for options, words in (
        ({"limits": {"max_depth": 3}}, "limits must be a Limits, not dict"),
        ({"parse_float": None}, "parse_int and parse_float must be callables that accept a str"),
    ):
        with pytest.raises(TypeError, match="^" + words):
            make(**options)
    for fragment in (None, 5, ["["]):
        with pytest.raises(TypeError, match=r"^a fragment is str or bytes, not "):
            make().add_fragment(fragment)


@each_build
def test_finishing_twice_is_harmless(midstream: ModuleType) -> None:
    accumulator = midstream.JsonFragmentAccumulator()
    accumulator.add_fragment("12")
    assert [str(u.kind) for u in accumulator.finish()] == ["CompleteNumber", "JsonComplete"]
    assert accumulator.finish() == accumulator.add_fragment("") == []


@each_build
def test_a_checkpoint_beyond_its_own_limit_is_refused(midstream: ModuleType) -> None:
    accumulator = midstream.JsonValueAccumulator(on_error="recover")
    accumulator.add_fragment("12")
    data = accumulator.checkpoint()
    data["options"]["limits"][3] = 1
    with pytest.raises(midstream.JsonStreamError):
        midstream.JsonValueAccumulator.restore(data)


@each_build
def test_places_that_a_node_does_not_have(midstream: ModuleType) -> None:
    for text in ('{"a": 1, "b": 2}', '{"a": 1, "b": ['):
        state = midstream.parse_chunk(midstream.create_parser_state(), text)
        assert list(state.root.keys) == ["a", "b"]
        for view in (state.root.keys, state.root.children, state.nodes):
            with pytest.raises(IndexError):
                view[9]
    with pytest.raises(TypeError, match=r"^state must be a ParserState, not NoneType"):
        midstream.parse_chunk(None, "x")
    with pytest.raises(TypeError, match=r"^state must be a ParserState, not int"):
        midstream.finalize(5)


class Manager:
    """As the helper ``stream`` of an SDK returns one."""

    def __enter__(self) -> list[Any]:
        return []

    def __exit__(self, *error: object) -> None:
        pass


class AsyncManager:
    async def __aenter__(self) -> list[Any]:
        return []

    async def __aexit__(self, *error: object) -> None:
        pass


async def _coroutine() -> list[Any]:
    return []


async def _agenerator() -> AsyncIterator[Any]:
    yield "{}"


STREAMS = (
    (_coroutine, "a coroutine, not a stream: write `await` before the call that returns it"),
    (_agenerator, "an asynchronous stream: use the function of the same name in midstream.aio"),
    (Manager, "a context manager, not a stream: pass what `with ... as stream` binds"),
    (AsyncManager, "a context manager, not a stream: pass what `async with ... as stream` binds"),
    (object, "'object' object is not iterable"),
)  # fmt: skip
AIO_STREAMS = (
    *(pair for pair in STREAMS if pair[0] not in (_agenerator, object)),
    (list, "not an asynchronous stream: use the function of the same name in midstream"),
    (object, "'object' object is not an async iterable"),
)


@each_build
@pytest.mark.parametrize(
    "name", ["tool_calls", "messages", "text_deltas", "values", "updates", "patches", "chunks"]
)
def test_what_is_no_stream_is_named(midstream: ModuleType, name: str) -> None:
    for make, words in STREAMS:
        with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
            list(getattr(midstream, name)(make()))

    async def read(make: Callable[[], Any]) -> None:
        async for _ in getattr(midstream.aio, name)(make()):
            pass

    for make, words in AIO_STREAMS:
        with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
            asyncio.run(read(make))


@each_build
def test_events_that_are_read_as_text_are_named(midstream: ModuleType) -> None:
    words = r"^a fragment is str or bytes, not dict: for a provider's events, pass text_deltas\(events\)$"
    with pytest.raises(TypeError, match=words):
        list(midstream.values([{"choices": []}]))


@each_build
def test_a_delta_without_text_and_a_response_name_what_to_pass(midstream: ModuleType) -> None:
    class Response:
        def __enter__(self) -> None: ...
        def iter_bytes(self) -> None: ...

    with pytest.raises(TypeError, match=r"not NoneType: for a provider's events, pass text_deltas"):
        list(midstream.values([None]))
    with pytest.raises(TypeError, match=r"^a response, not a stream: pass its iter_bytes\(\)$"):
        list(midstream.values(Response()))


@each_build
def test_a_text_that_is_not_one_document_names_the_options(midstream: ModuleType) -> None:
    for read in (midstream.values, midstream.updates):
        for text, option in (("Here: {}", "extract=True"), ("{}\n{}", 'after_root="next"')):
            with pytest.raises(midstream.JsonStreamError) as caught:
                list(read(text))
            assert option in caught.value.__notes__[0]
        with pytest.raises(midstream.JsonStreamError) as caught:
            list(read('{"a": ,}'))
        assert not hasattr(caught.value, "__notes__")


@each_build
def test_undefined_says_what_to_do(midstream: ModuleType) -> None:
    words = (
        r"^UNDEFINED has no attribute 'get': no value has arrived yet; check it first, as in `if call.args`"
    )
    with pytest.raises(AttributeError, match=words):
        midstream.UNDEFINED.get("city")
    for use in (lambda: midstream.UNDEFINED["city"], lambda: list(midstream.UNDEFINED)):
        with pytest.raises(TypeError, match=r"^UNDEFINED has no items: no value has arrived"):
            use()
    assert copy.deepcopy(midstream.UNDEFINED) is midstream.UNDEFINED
    assert pickle.loads(pickle.dumps(midstream.UNDEFINED)) is midstream.UNDEFINED


@each_build
def test_an_invalid_path_says_what_was_expected(midstream: ModuleType) -> None:
    for path, at, words in (
        ("a.b[", 4, "expected an index, a quoted key or '*' between '[' and ']'"),
        ("/items/0", 1, "a JSON Pointer is not supported: write items[0] instead of /items/0"),
        ("a..b", 2, "'..' is not supported: name each step, or use '*'"),
        ("a.", 2, "expected a name, or '[' with an index or a quoted key"),
        (".a", 1, "a path has no dot at its beginning: write items.title or $.items.title"),
    ):
        words = f"invalid path: {words} (line 1, column {at})"
        with pytest.raises(midstream.JsonStreamError, match=f"^{re.escape(words)}$"):
            list(midstream.select("{}", path))

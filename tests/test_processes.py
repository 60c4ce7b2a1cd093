"""A stream that continues elsewhere: as a copy, in another process, in a fork, in the other
build; and a package that is imported by several interpreters of one process.
"""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.pool import Pool
    from types import ModuleType

TESTS = Path(__file__).parent
each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_class = pytest.mark.parametrize("name", ["JsonFragmentAccumulator", "JsonValueAccumulator"])

# something of every kind, and every token long enough to be cut: "é" in its bytes, escapes, a pair of them
TEXT = '{"a é\\n": [12.5e1, true, "x\\ud83d\\ude00é"], "": {"b": null}, "a": -0, "n": ["", [[]]]}'
ENCODED = TEXT.encode()
CUTS = range(len(ENCODED) + 1)
BAD = b'{"a": [1, 2.5}'


def outcome(accumulator: Any, rest: bytes) -> list[str]:
    """Return what an accumulator reports for the rest of a text."""
    output = []
    for feed in (lambda: accumulator.add_fragment(rest), accumulator.finish):
        try:
            output.append(repr(feed()))
        except ValueError as error:
            output.append(f"{error} {error.__cause__}")
    output.append(repr((accumulator.position, accumulator.is_complete, accumulator.error)))
    if hasattr(accumulator, "value"):
        output.append(repr((accumulator.value, accumulator.open_path)))
    return output


def begun(midstream: ModuleType, name: str, text: bytes, cut: int) -> Any:
    """Return an accumulator that has read so much of a text."""
    accumulator = getattr(midstream, name)()
    accumulator.add_fragment(text[:cut])
    return accumulator


def streams(midstream: ModuleType, name: str) -> Iterator[tuple[Any, bytes]]:
    """Return accumulators at every cut, each with the rest of its text."""
    for cut in CUTS:
        yield begun(midstream, name, ENCODED, cut), ENCODED[cut:]
    for cut in range(len(BAD)):
        yield begun(midstream, name, BAD, cut), BAD[cut:]


@each_build
@each_class
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_made_at_any_cut_goes_on_as_the_original(
    midstream: ModuleType, name: str, duplicate: Callable[[Any], Any]
) -> None:
    for accumulator, rest in streams(midstream, name):
        other = duplicate(accumulator)
        assert outcome(other, rest) == outcome(accumulator, rest)


@each_build
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_of_the_others_go_their_own_way(
    midstream: ModuleType, duplicate: Callable[[Any], Any]
) -> None:
    chunker = midstream.JsonStreamChunker()
    chunker.process({"a": "b"})
    other = duplicate(chunker)
    assert other.process({"a": "bc", "d": 1}) + other.flush() == 'c","d":1}'
    assert chunker.process({"a": "bx"}) + chunker.flush() == 'x"}'
    handler = midstream.ToolsAggregateMessageHandler()
    handler.add_message(midstream.ToolCallUpdate("c", 0, "f", '["x'))
    copied = duplicate(handler)
    for reader, end, args in ((copied, 'y"]', ["xy"]), (handler, '"]', ["x"])):
        reader.add_message(midstream.ToolCallUpdate(index=0, function_args=end))
        (call,) = reader.complete()
        assert (call.args, call.is_complete) == (args, True)


@each_build
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_rebuilder_is_not_copied(midstream: ModuleType, duplicate: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"^a rebuilder cannot be copied or pickled"):
        duplicate(midstream.JsonFragmentRebuilder())


# --- another process, started afresh


def finish_all(begun: list[tuple[Any, bytes]]) -> tuple[int, list[list[str]]]:
    """The work of a worker: continue accumulators that came from another process."""
    return os.getpid(), [outcome(accumulator, rest) for accumulator, rest in begun]


def read_stream(build: str, number: int) -> Any:
    """What a worker does: read a stream of its own."""
    *_, value = BUILDS[build].values([f'{{"number": {number}, "text": "', *str(number) * 50, '"}'])
    return value


def finish_states(build: str, begun: list[tuple[Any, bytes]]) -> list[Any]:
    """The work of a worker: continue from states of the pure parser."""
    midstream = BUILDS[build]
    return [
        midstream.get_resolved_value(midstream.finalize(midstream.parse_chunk(state, rest)))
        for state, rest in begun
    ]


def finish_checkpoints(build: str, name: str, begun: list[tuple[str, bytes]]) -> list[list[str]]:
    """The work of a worker: continue from checkpoints."""
    restore = getattr(BUILDS[build], name).restore
    return [outcome(restore(json.loads(data)), rest) for data, rest in begun]


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Return workers that share nothing with this process."""
    with multiprocessing.get_context("spawn").Pool(2) as workers:
        yield workers
        workers.close()
        workers.join()


@each_build
@each_class
def test_sent_to_another_process_at_any_cut(midstream: ModuleType, name: str, pool: Pool) -> None:
    sent = list(streams(midstream, name))
    process, outcomes = pool.apply(finish_all, [sent])
    assert process != os.getpid()
    assert outcomes == [outcome(accumulator, rest) for accumulator, rest in sent]


@pytest.mark.parametrize("build", BUILDS)
def test_states_sent_to_another_process_at_any_cut(build: str, pool: Pool) -> None:
    midstream = BUILDS[build]
    start = midstream.create_parser_state()
    sent = [(midstream.parse_chunk(start, ENCODED[:cut]), ENCODED[cut:]) for cut in CUTS]
    assert pool.apply(finish_states, [build, sent]) == [json.loads(TEXT)] * len(sent)


@pytest.mark.parametrize("build", BUILDS)
def test_a_pool_that_reads_streams(build: str, pool: Pool) -> None:
    expected = [{"number": number, "text": str(number) * 50} for number in range(20)]
    assert pool.starmap(read_stream, [(build, number) for number in range(20)]) == expected


@each_class
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("other", BUILDS)
def test_a_checkpoint_restored_in_another_process_and_build(
    build: str, other: str, name: str, pool: Pool
) -> None:
    begun = list(streams(BUILDS[build], name))
    kept = [(json.dumps(accumulator.checkpoint()), rest) for accumulator, rest in begun]
    expected = [outcome(accumulator, rest) for accumulator, rest in begun]
    assert pool.apply(finish_checkpoints, [other, name, kept]) == expected


# --- forks, and interpreters: each in a process of its own, so that a crash is a status


def run(script: str, *arguments: str) -> str:
    """Run a script in a new interpreter that finds the tests, and give what it prints."""
    # a fork with threads about is what is tried here: newer Pythons warn of it
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script, *arguments]
    env = os.environ | {"PYTHONPATH": str(TESTS / "support")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=TESTS, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


FORK_AT_EVERY_CUT = """
import os, sys
from test_processes import BUILDS, outcome, streams

def in_child(work):
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, repr(work()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        output = pipe.read().decode()
    assert os.waitpid(child, 0)[1] == 0
    return output

for midstream in BUILDS.values():
    for name in ("JsonFragmentAccumulator", "JsonValueAccumulator"):
        forked, *undisturbed = ([*streams(midstream, name)][::4] for _ in range(3))
        for (accumulator, rest), (here, _), (there, _) in zip(forked, *undisturbed):
            held = getattr(accumulator, "value", None)
            before = repr(held)
            # the child takes another end than the parent
            assert in_child(lambda: outcome(accumulator, b"!")) == repr(outcome(there, b"!"))
            assert outcome(accumulator, rest) == outcome(here, rest)
            assert repr(held) == before
print("the same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_in_mid_stream() -> None:
    assert run(FORK_AT_EVERY_CUT) == "the same\n"


FORK_WITH_THREADS = """
import os, sys, threading
from test_processes import BUILDS, ENCODED, TEXT
import json

sys.setswitchinterval(1e-6)
stop = threading.Event()
shared = {build: module.JsonValueAccumulator() for build, module in BUILDS.items()}

def parse(module, own):
    while not stop.is_set():
        for byte in ENCODED:
            own.add_fragment(bytes([byte]))
        assert own.value == json.loads(TEXT)
        own.reset()

threads = [threading.Thread(target=parse, args=[module, shared[build]]) for build, module in BUILDS.items()]
for thread in threads:
    thread.start()
children = []
for _ in range(12):
    child = os.fork()
    if not child:
        # the other threads are gone: what they were at may be refused, what is new must work
        status = 1
        try:
            for build, module in BUILDS.items():
                *_, value = module.values(TEXT)
                assert value == json.loads(TEXT)
                try:
                    shared[build].reset()
                    shared[build].add_fragment(TEXT)
                    assert shared[build].value == value
                except RuntimeError as error:
                    assert str(error).startswith("the accumulator is busy with another call:")
            status = 0
        finally:
            os._exit(status)
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0] * len(children)
stop.set()
for thread in threads:
    thread.join()
print("all well")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_while_other_threads_are_in_the_parser() -> None:
    assert run(FORK_WITH_THREADS) == "all well\n"


INTERPRETERS = """
import sys

try:
    import _interpreters  # from 3.13 on
    def run(code):
        interpreter = _interpreters.create(sys.argv[2])
        failure = _interpreters.run_string(interpreter, code)
        _interpreters.destroy(interpreter)
        assert failure is None, failure
except ImportError:
    import _xxsubinterpreters
    def run(code):
        interpreter = _xxsubinterpreters.create(isolated=True)
        _xxsubinterpreters.run_string(interpreter, code)
        _xxsubinterpreters.destroy(interpreter)

CODE = '''
import sys
sys.path[:] = {path!r}
try:
    if {build!r} == "plain":
        import importlib.machinery, importlib.util
        # the package as if nothing of it were compiled
        class Plain(importlib.machinery.PathFinder):
            @classmethod
            def find_spec(cls, name, path=None, target=None):
                if name.split(".")[0] != "midstream":
                    return None
                loader = (importlib.machinery.SourceFileLoader, [".py"])
                for folder in path or sys.path:
                    spec = importlib.machinery.FileFinder(folder, loader).find_spec(name)
                    if spec is not None:
                        return spec
        sys.meta_path.insert(0, Plain)
    import midstream
except ImportError as error:
    print("ImportError:", error)
else:
    acc = midstream.JsonValueAccumulator()
    for character in {text!r}:
        acc.add_fragment(character)
    state = midstream.parse_chunk(midstream.create_parser_state(), {text!r})
    import json
    right = acc.value == json.loads({text!r}) == midstream.get_resolved_value(state)
    print(midstream.COMPILED, right, len(list(midstream.updates({text!r}))))
sys.stdout.flush()
'''
build, kind, origin, text, first = sys.argv[1:]
code = CODE.format(path=[origin, *sys.path], build=build, text=text)
if first == "main":
    exec(code)
for _ in range(3):
    run(code)
# and here, when they are gone
exec(code)
"""


@pytest.mark.parametrize("first", ["main", "other"])
@pytest.mark.parametrize("kind", ["legacy", "isolated"] if sys.version_info >= (3, 13) else ["isolated"])
@pytest.mark.parametrize("build", BUILDS)
def test_several_interpreters_in_one_process(build: str, kind: str, first: str) -> None:
    """Uncompiled, each has its own package; the compiled core is one interpreter's: others get an error."""
    source = str(Path(str(BUILDS["plain"].__file__)).parent.parent)
    count = len(list(BUILDS["plain"].updates(TEXT)))
    printed = run(INTERPRETERS, build, kind, source, TEXT, first).splitlines()
    assert len(printed) == (5 if first == "main" else 4)
    if build == "plain":
        assert set(printed) == {f"False True {count}"}
    else:
        assert f"True True {count}" in printed
        for line in printed:
            assert line == f"True True {count}" or line.startswith("ImportError: "), line
        if first == "main":
            assert printed[0] == printed[-1] == f"True True {count}"

"""Look for memory errors and leaks in the compiled core.

    tools/sanitize/sanitize.py asan      AddressSanitizer and UBSan: the tests of the core, then the workloads
    tools/sanitize/sanitize.py memcheck  valgrind: the workloads
    tools/sanitize/sanitize.py leaks     references and memory, round after round of each workload

Each works on a copy of its own under ``build/sanitized``, never in place; gcc and, for ``memcheck``, valgrind
must be there. The workloads are every product over the table of cases, the recorded streams, the fuzz corpus,
and what can go wrong on the way: bad text, hooks that raise, calls from inside calls, damaged checkpoints,
allocations that fail. First of all the copy is built with the bugs of ``PLANTED``, one of them active
at a time, and the tool must find each: else its silence would mean nothing. Status 0: it found them, and
nothing else. ``--only-planted`` and ``--not-planted`` do half of it.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
import tracemalloc
from array import array
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / folder) for folder in ("tools", "tests/support", "tests/core")]

from cases import ACCEPTED, REJECTED
from fuzz import CORPUS, HARNESSES, harness
from midstream import recordings
from midstream.calls import messages
from midstream.providers import adapter
from midstream.sse import SseDecoder
from model import characters, exactly
from provider_streams import FORMATS, streams
from test_table import forms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

midstream: Any = import_module("midstream")

COPIES = ROOT / "build" / "sanitized"
# perhaps with a wrapper before it, as ccache
COMPILER = shlex.split(os.environ.get("CC", "gcc"))

# Tests that don't come to the core, or only through what other tests show of it. All others run.
LEFT_OUT = {
    "asgi server server_faults": "the gateway, by HTTP",
    "resource_bounds": "time and memory, which are others here",
    "page example_pages web_cases": "a browser's or Node's work",
    "cli cli_docs cli_terminal demo terminal": "other processes and terminals",
    "docs reference diagrams examples excerpts words": "pages, and scripts in processes of their own",
    "benchmarks features dist exports locks release readme folders deep": "tools, builds and names",
    "stores": "files, other processes and Redis",
    "sdk_clients sdk_objects": "other environments",
}
# What others leave in a process that ran tests: pydantic on import, CPython when it stops tracing.
OTHERS_LEAKS = ["_pydantic_core", "traceback_new"]

# --- the workloads: each goes over all its inputs once


def suppressed() -> Any:
    """Ignore what the library raises by design."""
    return suppress(midstream.JsonStreamError, RuntimeError, TypeError, ValueError, KeyError)


LIMITS = midstream.Limits()


def table() -> Iterator[tuple[list[Any], Any]]:
    """Return every case of the table in one piece and per character, as str and as bytes, with its limits."""
    cases: list[Any] = [*ACCEPTED, *REJECTED]
    for case in cases:
        limits = midstream.Limits(**case.limits)
        for text in forms(case.text):
            yield [text], limits
            yield characters(text), limits
    # numbers on both sides of what machine words can hold
    for digits in ("1", "-9007199254740993", "1844674407370955161.6", "9" * 19):
        for scale in range(-24, 25):
            yield [f"[{digits}e{scale}]"], LIMITS


def policies() -> Iterator[dict[str, str]]:
    """Return all policies for errors and for text after the document."""
    for on_error in ("raise", "event", "recover"):
        for after_root in ("error", "ignore", "next"):
            yield {"on_error": on_error, "after_root": after_root}


def feed(accumulator: Any, fragments: Iterable[Any]) -> Iterator[Any]:
    """Return what an accumulator makes of each fragment and of the end."""
    for fragment in fragments:
        with suppressed():
            yield accumulator.add_fragment(fragment)
    with suppressed():
        yield accumulator.finish()


def take_updates() -> None:
    for fragments, limits in table():
        for options in policies():
            accumulator = midstream.JsonFragmentAccumulator(limits=limits, **options)
            for _ in feed(accumulator, fragments):
                pass
            accumulator.position, accumulator.is_complete, accumulator.trailing, accumulator.error  # noqa: B018


def read_updates() -> None:
    for fragments, limits in table():
        rebuilders = [midstream.JsonFragmentRebuilder(limits=limits) for _ in range(3)]
        for batch in feed(midstream.JsonFragmentAccumulator(on_error="event", limits=limits), fragments):
            wires = [midstream.to_wire(update) for update in batch]
            for update, wire in zip(batch, wires, strict=True):
                update.path, update.pointer, update.jsonpath, repr(update), hash(update)
                midstream.from_wire(wire)
            for rebuilder, form in zip(rebuilders, (batch, wires, batch[::-1]), strict=True):
                with suppressed():
                    rebuilder.apply(form)
                rebuilder.value, rebuilder.open_path  # noqa: B018


def read_values() -> None:
    for fragments, limits in table():
        for options in policies():
            accumulator = midstream.JsonValueAccumulator(limits=limits, **options)
            kept = []
            for number, _ in enumerate(feed(accumulator, fragments)):
                if number % 3:
                    kept.append(accumulator.value)
                accumulator.open_path, accumulator.documents  # noqa: B018
        for fragment in fragments[:1]:
            with suppressed():
                midstream.parse_partial(fragment, limits=limits)
        with suppressed():
            list(midstream.values(fragments, limits=limits))


def grow_trees() -> None:
    for fragments, limits in table():
        state = midstream.create_parser_state(limits=limits)
        for fragment in fragments:
            midstream.finalize(state)
            state = midstream.parse_chunk(state, fragment)
        state = midstream.finalize(midstream.load_state(midstream.dump_state(state)))
        midstream.get_resolved_value(state), list(state.nodes)


PATHS = ("$", "[*]", "*", "a[0].b", "[1][*]", '["a.b"].*')


def select_values() -> None:
    """Select at all kinds of paths, also the values that still grow."""
    for fragments, limits in table():
        for options in ({}, {"partial": True}, {"limit": 1}, {"after_root": "next"}):
            accumulator = midstream.JsonSelectAccumulator([*PATHS], limits=limits, **options)
            for matches in feed(accumulator, fragments):
                [(match.path, match.value, match.is_final) for match in matches]
        with suppressed():
            list(midstream.select(fragments, "$.*", to_end=True, limits=limits))


def write_patches() -> None:
    """Write the updates of every case as patches, and apply them."""
    for fragments, limits in table():
        for append in (False, True):
            writer, value = midstream.JsonPatchWriter(base="", append=append, limits=limits), None
            for batch in feed(midstream.JsonFragmentAccumulator(limits=limits), fragments):
                with suppressed():
                    value = midstream.apply_patch(value, writer.add_updates(batch))


def extract_documents() -> None:
    """Find every case in an answer."""
    for fragments, limits in table():
        answer = ["Here:\n```json\n", *fragments, "\n```\n", *fragments, "<think>", *fragments]
        extractor = midstream.JsonExtractor(pick="all", limits=limits)
        for _ in feed(extractor, answer):
            pass
        with suppressed():
            list(midstream.values(answer, extract=True, limits=limits))


def exchange_events() -> None:
    """Send the arguments of calls as events in both forms, and read them byte by byte."""
    for form in ("full", "compact"):
        for fragments, _ in table():
            writer, reader = midstream.EventWriter(form, stream_id="m"), midstream.EventReader()
            handler = midstream.ToolsAggregateMessageHandler()
            pieces = [piece for piece in fragments if isinstance(piece, str)]
            sent = [midstream.ToolCallUpdate("a", 0, "f", piece, message_id="m") for piece in pieces]
            sent.append(midstream.MessageEnd("stop", message_id="m"))
            for message in midstream.JsonFragmentUpdateMiddleware()(sent) if form == "full" else sent:
                with suppressed():
                    for arrived in reader.add_bytes(writer.add_message(message)):
                        handler.add_message(arrived)


WRONG: tuple[Any, ...] = (None, -1, 1 << 70, "\ud800", [9] * 5, {}, 8, "[{")


def go_on_from_checkpoints() -> None:
    """Save and load at every fragment; then load it with each part of it damaged."""
    saved: dict[str, Any] = {}
    for fragments, limits in table():
        for cls in (midstream.JsonFragmentAccumulator, midstream.JsonValueAccumulator):
            accumulator = cls(on_error="recover", limits=limits)
            for fragment in fragments[:30]:
                accumulator.add_fragment(fragment)
                accumulator = pickle.loads(pickle.dumps(accumulator))
            data = accumulator.checkpoint()
            saved[f"{data['type']} {data['grammar']['mode']} {data['grammar']['token'][1:2]}"] = data
    for data in saved.values():
        complete = pickle.dumps(data)
        for *way, last in places(data):
            for wrong in WRONG:
                damaged = part = pickle.loads(complete)
                for step in way:
                    part = part[step]
                part[last] = wrong
                with suppressed():
                    cls = getattr(midstream, data["type"])
                    for _ in feed(cls.restore(damaged), ['x"}]', '{"a": ["b'] * 2):
                        pass


def places(data: Any) -> Iterator[tuple[Any, ...]]:
    """Return the way to each part of some plain data."""
    if isinstance(data, (dict, list)):
        for step in [*data] if isinstance(data, dict) else range(len(data)):
            yield (step,)
            yield from ((step, *way) for way in places(data[step]))


def misuse() -> None:
    """Make the slips that a program can make."""

    class Text(str):
        __slots__ = ()

    class Hiding:
        def __getattribute__(self, name: str) -> Any:
            raise KeyError(name)

    class Meddling(int):
        def __ne__(self, other: object) -> bool:
            rebuilder.__init__()
            return True

    def raising(text: str) -> Any:
        raise KeyError(text)

    def reentrant(text: str) -> Any:
        for name in ("finish", "reset", "checkpoint", "__init__"):
            with suppressed():
                getattr(accumulator, name)()
        accumulator.error, accumulator.position, getattr(accumulator, "value", None)
        return [text]

    for cls in (midstream.JsonFragmentAccumulator, midstream.JsonValueAccumulator):
        for hook in (raising, reentrant, str):
            for options in policies():
                accumulator = cls(parse_int=hook, parse_float=hook, **options)
                pieces = [
                    '{"a": [1, 2.5, ',
                    '"x',
                    "y",
                    Text("z"),
                    bytearray(b'"'),
                    memoryview(b", 1e5"),
                    None,
                ]
                for _ in feed(accumulator, [*pieces, 5, b"]}", "é]", b"\xff", '"\ud800', "\U0001f600" * 9]):
                    pass
        for option, wrong in (("on_error", "rise"), ("limits", 5), ("parse_int", None)):
            with suppressed():
                cls(**{option: wrong})
    rebuilder = midstream.JsonFragmentRebuilder()
    for update in ({"path": "root[1]", "kind": "StartArray"}, {"path": 5}, {}, None, {"kind": "Error"}):
        with suppressed():
            rebuilder.apply([{"path": "root", "kind": "StartArray"}, update])
        for use in (rebuilder.apply, rebuilder.reset, rebuilder.__init__):
            with suppressed():
                rebuilder.apply(use() for _ in range(2))
    # an index as a pickled update can bring it, and something that does not say what it is
    meddling = import_module("midstream.accumulators.update")._load_update(
        "root", (Meddling(),), "StartArray", None, None
    )
    for updates in ([{"path": "root", "kind": "StartArray"}, meddling], Hiding()):
        with suppressed():
            rebuilder.reset()
            rebuilder.apply(updates)
    for name in ("JsonFragmentAccumulator", "JsonValueAccumulator", "JsonFragmentRebuilder"):
        cls = getattr(midstream, name)
        for use in ("value", "open_path", "is_complete", "error", "position", "trailing", "documents"):
            with suppressed():
                getattr(cls.__new__(cls), use, None)
        for use in ("add_fragment", "apply", "finish", "reset", "checkpoint"):
            with suppressed():
                getattr(cls.__new__(cls), use, str)(*(["["] if use in ("add_fragment", "apply") else []))


def receive_streams() -> None:
    """Send every recorded stream through adapter, middleware, wire and handler."""
    recorded: list[tuple[Any, list[Any]]] = [
        (load.format, load.events()) for load in map(recordings.load, recordings.NAMES)
    ]
    for name in recordings.NAMES:
        decoder = SseDecoder()
        for byte in recordings.load(name).body[:3000]:
            decoder.add_bytes(bytes([byte]))
    for format in FORMATS:
        module = streams(format)
        recorded += [(format, module.STREAM), *((format, events) for events, _ in module.FAULTS.values())]
    for format, events in recorded:
        for calls in midstream.tool_calls(events, format=format):
            [(call.args, call.raw_args, call.error) for call in calls]
        reader, handler = adapter(format), midstream.ToolsAggregateMessageHandler()
        read = [message for event in events for message in reader.add_event(event)] + reader.finish()
        for message in midstream.JsonFragmentUpdateMiddleware()(read):
            handler.add_message(json.loads(json.dumps(messages.to_event(message))))
    for path in sorted((ROOT / "tests" / "chunker" / "streams").glob("*.jsonl")):
        with suppressed():
            list(midstream.chunks(path.read_text("utf-8").splitlines()))


def try_corpus() -> None:
    for name in HARNESSES:
        for path in sorted((CORPUS / name).iterdir()):
            harness(name)(path.read_bytes())


# --- allocations that fail

DOCUMENTS = (
    '{"a": [1, -2.5e3, true, null, "x\\u00e9\\n"], "long key of some length": {"b": "\U0001f600é"}}',
    b'[12345678901234567890, "\xc3\xa9\\ud83d\\ude00", {"a": {"a": []}}, 1.5e300]',
    '{"a": [1, nope, "x], {"b": "c" "d"}, 01, "e\\q"] ] "f": tru} {"g": 1',
    b'["\xff\xfe", "\xc3", 1',
)


def fail_allocations() -> None:
    """Make each allocation of a run fail, alone and with all that follow: the outcome is MemoryError or the
    right one, and the machine works again after a reset."""
    memory: Any = import_module("_testcapi")

    def updates(fragments: list[Any]) -> Any:
        accumulator = midstream.JsonFragmentAccumulator(on_error="recover", after_root="next")
        yield accumulator
        yield [update for fragment in fragments for update in accumulator.add_fragment(fragment)]

    def value(fragments: list[Any]) -> Any:
        accumulator = midstream.JsonValueAccumulator(on_error="recover")
        yield accumulator
        yield [(accumulator.add_fragment(fragment), accumulator.value)[1] for fragment in fragments]

    def tree(fragments: list[Any]) -> Any:
        state = midstream.create_parser_state()
        yield None
        for fragment in fragments:
            state = midstream.parse_chunk(state, fragment)
        yield state

    def rebuilt(fragments: list[Any]) -> Any:
        rebuilder = midstream.JsonFragmentRebuilder()
        accumulator = midstream.JsonFragmentAccumulator(on_error="event")
        batches = [accumulator.add_fragment(fragment) for fragment in fragments]
        yield rebuilder
        yield [(rebuilder.apply(batch), rebuilder.value)[1] for batch in batches]

    def restored(fragments: list[Any]) -> Any:
        accumulator = midstream.JsonValueAccumulator(on_error="event")
        yield accumulator
        for fragment in fragments:
            accumulator.add_fragment(fragment)
            accumulator = midstream.JsonValueAccumulator.restore(accumulator.checkpoint())
        yield accumulator.value

    def selected(fragments: list[Any]) -> Any:
        accumulator = midstream.JsonSelectAccumulator(["a[*]", "*.b", "[*]"], partial=True)
        yield accumulator
        yield [(match.path, match.value) for f in fragments for match in accumulator.add_fragment(f)]

    def outcome(work: Callable[[list[Any]], Any], fragments: list[Any], first: int, last: int) -> Any:
        """Return what comes out when the allocations from first to before last fail; None: MemoryError."""
        run = work(fragments)
        machine = next(run)
        memory.set_nomemory(first, last)
        try:
            result = next(run)
        except MemoryError:
            result = None
        finally:
            memory.remove_mem_hooks()
        if isinstance(result, midstream.ParserState):
            result = midstream.dump_state(result)
        if result is None and machine is not None:
            getattr(machine, "value", None), machine.is_complete
            check_reset(machine)
        return result

    def check_reset(machine: Any) -> None:
        add, more = getattr(machine, "add_fragment", None), '{"a": ["b", 1.5]}'
        if add is None:
            add, more = machine.apply, midstream.JsonFragmentAccumulator().add_fragment(more)
        # whatever it makes of more now, it must not harm the process
        with suppress(Exception):
            add(more)
        machine.reset()
        add(more)
        assert machine.is_complete

    for work in (updates, value, tree, rebuilt, restored, selected):
        for text in DOCUMENTS:
            for fragments in ([text], [text[at : at + 9] for at in range(0, len(text), 9)]):
                expected = outcome(work, fragments, 1 << 30, 0)
                count = 1
                while outcome(work, fragments, count, 0) is None:
                    result = outcome(work, fragments, count, count + 1)
                    assert result is None or exactly(result) == exactly(expected), (work, text, count)
                    count += 1


WORKLOADS: dict[str, Callable[[], None]] = {
    work.__name__.replace("_", " "): work
    for work in (
        take_updates,
        read_updates,
        read_values,
        grow_trees,
        select_values,
        write_patches,
        extract_documents,
        exchange_events,
        go_on_from_checkpoints,
        misuse,
        receive_streams,
        try_corpus,
        fail_allocations,
    )
}

# --- what the tools must find

PLANTED = {
    "overread": "a word is read though fewer than eight bytes are left",
    "index": "an index one past the end of a table",
    "unset": "the last character of a slice is not copied",
    "leak": "a reference too many to a copy of a text",
    "none": "a reference too many to None",
}
_PLANTED_C = """
    #ifndef MIDSTREAM_PLANTED
    #define MIDSTREAM_PLANTED
    #include <stdlib.h>
    #include <string.h>
    static int midstream_planted(const char *bug) {
        const char *active = getenv("MIDSTREAM_PLANTED");
        return active != NULL && strcmp(active, bug) == 0;
    }
    #endif
"""
# file, what stands there, what takes its place
_EDITS = (
    ("core/chars", "from cpython.bytes", "from cpython.ref cimport Py_INCREF\nfrom cpython.bytes"),
    (
        "core/chars",
        "    const bint SCANS_WORDS",
        '    bint planted "midstream_planted" (const char *bug) noexcept\n    const bint SCANS_WORDS',
    ),
    (
        "core/chars",
        "        while i + 8 <= n:",
        '        while i + 8 <= n + (7 if planted("overread") else 0):',
    ),
    ("core/chars", "    return copy", '    if planted("leak"):\n        Py_INCREF(copy)\n    return copy'),
    (
        "core/chars",
        "    memcpy(PyUnicode_DATA(piece), chars + i, n - i)",
        '    memcpy(PyUnicode_DATA(piece), chars + i, n - i - (1 if planted("unset") else 0))\n'
        '    if planted("none"):\n        Py_INCREF(None)',
    ),
    (
        "core/numbers",
        "-22 <= scale && scale <= 22",
        '-22 <= scale && scale <= 22 + midstream_planted("index")',
    ),
)


def plant(sources: Path) -> None:
    """Put the bugs into a copy; each sleeps until MIDSTREAM_PLANTED names it."""
    for name in ("core/chars", "core/numbers"):
        path = sources / f"{name}.pxd"
        text = path.read_text("utf-8")
        begin = 'cdef extern from *:\n    """'
        for old, new in [(begin, begin + _PLANTED_C), *(edit[1:] for edit in _EDITS if edit[0] == name)]:
            if text.count(old) != 1:
                sys.exit(f"{path.name} has changed: there is no place to plant a bug in, {old!r}")
            text = text.replace(old, new)
        path.write_text(text, "utf-8")


# --- copies and tools


class Tool(NamedTuple):
    """How to build for a tool and to run it, and what it must say of which planted bug."""

    flags: str
    finds: dict[str, str]
    workloads: tuple[str, ...]
    run: Callable[[Path, list[str], dict[str, str]], list[str]]


def build(name: str, flags: str, planted: bool) -> Path:
    """Build a copy of the tree, and give its folder; of one with bugs, only what they are in is new."""
    folder = COPIES / name
    if planted:
        clean, folder = folder, COPIES / f"{name}-planted"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(clean, folder)
        plant(folder / "src" / "midstream")
    else:
        # all anew: a source can be older than what was built from the one before it
        shutil.rmtree(folder, ignore_errors=True)
        ignored = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
        shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
        for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy2(ROOT / file, folder / file)
    environment = os.environ | {"CFLAGS": flags, "MIDSTREAM_EXTENSION": "yes"}
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return folder


def run(command: list[str], folder: Path, environment: dict[str, str], errors: Any = None) -> int:
    """Run a command with the copy as the library; its errors go to a file, if one is given."""
    path = {"PYTHONPATH": str(folder / "src"), "MIDSTREAM_EXTENSION": "yes", "PYTHONHASHSEED": "0"}
    return subprocess.run(command, cwd=ROOT, env=os.environ | path | environment, stderr=errors).returncode


def fresh(folder: Path) -> Path:
    """Return an empty folder for reports."""
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    return reports


def core_tests() -> list[str]:
    left_out = {f"test_{name}" for names in LEFT_OUT for name in names.split()}
    return [str(path) for path in sorted((ROOT / "tests").rglob("test_*.py")) if path.stem not in left_out]


def run_asan(folder: Path, command: list[str], environment: dict[str, str]) -> list[str]:
    """Run the workloads, and the tests if no bug is planted; give what the sanitizers report."""
    reports = fresh(folder)
    libraries = [
        subprocess.run([*COMPILER, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    environment = environment | {
        "LD_PRELOAD": " ".join(libraries),
        # every object is a block of its own
        "PYTHONMALLOC": "malloc",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "LSAN_OPTIONS": f"print_suppressions=0:suppressions={folder / 'others'}",
    }
    (folder / "others").write_text("".join(f"leak:{name}\n" for name in OTHERS_LEAKS))
    found = []
    commands = [command]
    if _FAILING in command:
        # where an allocation fails, CPython itself loses objects
        command.remove(_FAILING)
        commands.append([*command[:3], _FAILING, "--lossy"])
    if "MIDSTREAM_PLANTED" not in environment:
        options = ["-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile"]
        commands.insert(0, [sys.executable, "-m", "pytest", *options, *core_tests()])
    for part in commands:
        leaks = "detect_leaks=0" if part[-1] == "--lossy" else "detect_leaks=1"
        environment["ASAN_OPTIONS"] = f"{leaks}:log_path={reports}/asan"
        # UBSan writes there, whatever its options are
        with (folder / "errors").open("w+", encoding="utf-8", errors="replace") as errors:
            status = run(part, folder, environment, errors)
            errors.seek(0)
            output = errors.read()
        if status or "runtime error:" in output:
            found.append(f"status {status}: {' '.join(part[:6])} …\n{output}")
    return found + [path.read_text("utf-8", "replace") for path in sorted(reports.iterdir())]


def build_library(source: Path, folder: Path) -> Path:
    """Build a library that is loaded before all others."""
    library = folder / f"{source.stem}.so"
    compiler = [*COMPILER, "-shared", "-fPIC", "-O1", f"-I{sysconfig.get_path('include')}"]
    subprocess.run([*compiler, "-o", str(library), str(source)], check=True)
    return library


def run_memcheck(folder: Path, command: list[str], environment: dict[str, str]) -> list[str]:
    """Run the workloads; give all errors, and the leaks of what the core had allocated."""
    log = fresh(folder) / "valgrind"
    zero = build_library(Path(__file__).with_name("valgrind_zero.c"), folder)
    valgrind = ["valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=definite", "--num-callers=40"]
    valgrind += ["--track-origins=yes", "--error-limit=no", "--fullpath-after=", f"--log-file={log}"]
    valgrind.append(f"--suppressions={Path(__file__).with_name('valgrind.supp')}")
    environment = environment | {"PYTHONMALLOC": "malloc", "LD_PRELOAD": str(zero)}
    status = run([*valgrind, *command], folder, environment)
    found = [f"status {status}"] if status else []
    for block in re.split(r"\n==\d+== \n", log.read_text("utf-8", "replace")):
        is_leak = " lost in loss record " in block
        if block.strip() and ("src/midstream/" in block or not is_leak):
            found.append(block)
    return found


def run_rounds(folder: Path, command: list[str], environment: dict[str, str]) -> list[str]:
    """Run the workloads round after round; give what grows."""
    log = fresh(folder) / "rounds"
    status = run([*command, "--rounds", str(log)], folder, environment)
    found = [f"status {status}"] if status else []
    return found + (log.read_text("utf-8").splitlines() if log.exists() else [])


_ORDINARY = "-g -fno-plt -fno-semantic-interposition"
_ALL = tuple(WORKLOADS)
_FAILING = "fail allocations"
TOOLS = {
    "asan": Tool(
        "-O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined",
        {"overread": "heap-buffer-overflow", "index": "out of bounds", "leak": "LeakSanitizer"},
        _ALL,
        run_asan,
    ),
    "memcheck": Tool(
        _ORDINARY,
        {"overread": "Invalid read of size 8", "unset": "uninitialised", "leak": "definitely lost"},
        # what takes minutes there is left to the sanitizers
        tuple(name for name in _ALL if name not in (_FAILING, "continue from checkpoints")),
        run_memcheck,
    ),
    "leaks": Tool(
        _ORDINARY,
        {"leak": "allocated blocks", "none": "references to None"},
        # where an allocation fails, CPython itself loses objects
        tuple(name for name in _ALL if name != _FAILING),
        run_rounds,
    ),
}


def try_tool(name: str, with_planted: bool, with_clean: bool) -> int:
    """Run a tool on the planted bugs, then on the real core; return the exit status."""
    tool = TOOLS[name]
    copy_name = "asan" if name == "asan" else "ordinary"
    status = 0
    clean = build(copy_name, tool.flags, planted=False)
    work = [sys.executable, str(Path(__file__)), "work"]
    if with_planted:
        folder = build(copy_name, tool.flags, planted=True)
        for bug, words in tool.finds.items():
            found = tool.run(folder, [*work, "read updates"], {"MIDSTREAM_PLANTED": bug})
            is_found = any(words in report for report in found)
            print(f"{name}: planted, {PLANTED[bug]}: {'found' if is_found else 'NOT FOUND'}", flush=True)
            status |= not is_found
    if with_clean:
        start = time.monotonic()
        found = tool.run(clean, [*work, *tool.workloads], {})
        print(*found, sep="\n")
        print(f"{name}: {len(found)} findings in {time.monotonic() - start:.0f} s")
        status |= bool(found)
    return status


# --- inside a tool


def do_work(names: list[str]) -> None:
    """Run workloads once."""
    for name in names:
        start = time.process_time()
        WORKLOADS[name]()
        print(f"  {name}: {time.process_time() - start:.1f} s", flush=True)


ROUNDS = 5


def do_rounds(names: list[str], log: Path) -> None:
    """Run workloads round after round, and note what grows in every one: a leak does, noise does not."""
    for name in names:
        start = time.process_time()
        grown = grown_in_every_round(WORKLOADS[name])
        print(f"  {name}: {time.process_time() - start:.1f} s", flush=True)
        with log.open("a", encoding="utf-8") as file:
            file.writelines(f"{name}: {what}\n" for what in grown)


def shared_objects() -> list[Any]:
    """Return objects that live as long as the process, and that the core returns all the time."""
    modules = [module for name, module in sys.modules.items() if name.startswith("midstream.")]
    found: list[Any] = [None, True, False, (), "", b"", int, float, *range(-5, 257), *map(chr, range(256))]
    found += [sys.intern(name) for name in ("true", "false", "null", "root")]
    for module in modules:
        found += vars(module).values()
    return [*{id(thing): thing for thing in found}.values()]


def grown_in_every_round(work: Callable[[], None]) -> list[str]:
    """Name what there is more of after each round than before it."""
    tracemalloc.start()
    work()
    shared = shared_objects()
    # nothing that is counted may be made while counting
    counts = [array("q", bytes(8 * (len(shared) + 3))) for _ in range(ROUNDS + 1)]
    for row in counts:
        work()
        gc.collect()
        # it keeps the names that were looked up, and fills at random
        sys._clear_type_cache()
        row[0] = sys.getallocatedblocks()
        row[1] = len(gc.get_objects())
        row[2] = tracemalloc.get_traced_memory()[0]
        for at, thing in enumerate(shared, start=3):
            row[at] = sys.getrefcount(thing)
    tracemalloc.stop()
    names = ["allocated blocks", "objects", "bytes", *(f"references to {thing!r:.60}" for thing in shared)]
    return [
        f"{what}: {[row[at] for row in counts]}"
        for at, what in enumerate(names)
        if all(counts[number][at] < counts[number + 1][at] for number in range(1, ROUNDS))
    ]


def inside(arguments: list[str]) -> int:
    """Do what a tool was started for, in the copy."""
    origin = Path(midstream.__file__)
    if not midstream.COMPILED or COPIES not in origin.parents:
        sys.exit(f"not a compiled copy: {origin}")
    unraisable: list[Any] = []
    sys.unraisablehook = unraisable.append
    names = [name for name in arguments if name in WORKLOADS]
    if _FAILING in names and find_spec("_testcapi") is None:
        print(f"  {_FAILING}: left out, this Python has no _testcapi")
        names.remove(_FAILING)
    if "--rounds" in arguments:
        do_rounds(names, Path(arguments[-1]))
    else:
        do_work(names)
    for error in unraisable:
        print("an error that nobody saw:", error)
    return bool(unraisable)


def main(arguments: list[str]) -> int:
    """Run what the command line asks for."""
    if arguments[:1] == ["work"]:
        return inside(arguments[1:])
    names = [name for name in arguments if not name.startswith("-")]
    if not names or not {*names} <= {*TOOLS}:
        print(__doc__)
        return 2
    planted, clean = "--not-planted" not in arguments, "--only-planted" not in arguments
    return max(try_tool(name, planted, clean) for name in names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

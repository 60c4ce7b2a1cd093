"""What `midstream` offers, and what importing it costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from builds import BUILDS

if TYPE_CHECKING:
    from types import ModuleType

NAMES = [
    "ANY",
    "COMPILED",
    "DocumentEnd",
    "DocumentStart",
    "ErrorCode",
    "EventReader",
    "EventWriter",
    "JsonArrayAstNode",
    "JsonAstNode",
    "JsonBooleanAstNode",
    "JsonExtractor",
    "JsonFragmentAccumulator",
    "JsonFragmentKind",
    "JsonFragmentRebuilder",
    "JsonFragmentUpdate",
    "JsonFragmentUpdateMiddleware",
    "JsonNullAstNode",
    "JsonNumberAstNode",
    "JsonObjectAstNode",
    "JsonPatchWriter",
    "JsonSelectAccumulator",
    "JsonStreamChunker",
    "JsonStreamError",
    "JsonStringAstNode",
    "JsonValueAccumulator",
    "Limits",
    "Match",
    "MessageEnd",
    "NoMatch",
    "Other",
    "ParserError",
    "ParserMode",
    "ParserState",
    "PlainTextStreamChunker",
    "Position",
    "ProviderError",
    "ReasoningDelta",
    "RefusalDelta",
    "Repair",
    "RepairCode",
    "ServerToolResult",
    "ServerToolUpdate",
    "StreamSnapshot",
    "TextDelta",
    "ToolCall",
    "ToolCallEnd",
    "ToolCallUpdate",
    "ToolCallsUpdate",
    "ToolResult",
    "ToolsAggregateMessageHandler",
    "TypedError",
    "TypedStreamError",
    "UNDEFINED",
    "Usage",
    "__version__",
    "aio",
    "apply_patch",
    "argument_deltas",
    "chunks",
    "create_parser_state",
    "dump_state",
    "finalize",
    "first",
    "from_event",
    "from_wire",
    "get_resolved_value",
    "load_state",
    "messages",
    "parse_chunk",
    "parse_partial",
    "parse_path",
    "patches",
    "select",
    "text_deltas",
    "to_event",
    "to_wire",
    "tool_calls",
    "updates",
    "values",
]

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))

IMPORT = """
import sys, time
before = set(sys.modules)
start = time.process_time()
import midstream
print(time.process_time() - start)
print(*sorted(set(sys.modules) - before))
"""


def import_in_a_new_process(package: str = "midstream") -> tuple[float, list[str]]:
    """Import a package as a user does; return the processor's seconds and the modules that were loaded."""
    command = [sys.executable, "-c", IMPORT.replace("midstream", package)]
    seconds, modules = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return float(seconds), modules.split()


@each_build
def test_the_public_names_are_these(midstream: ModuleType) -> None:
    assert sorted(NAMES) == NAMES
    assert sorted(midstream.__all__) == NAMES  # there the linter sorts constants and classes first


@each_build
@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(midstream: ModuleType, name: str) -> None:
    assert getattr(midstream, name) is not None


@each_build
def test_nothing_else_looks_public(midstream: ModuleType) -> None:
    """What is neither listed nor a module of the package begins with an underscore."""
    public = {
        name
        for name, value in vars(midstream).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert public == {name for name in NAMES if not inspect.ismodule(getattr(midstream, name))} - {
        "__version__"
    }


@each_build
def test_names_say_where_they_can_be_pickled_from(midstream: ModuleType) -> None:
    """A class or function lives in the package whose name it bears."""
    for name in NAMES:
        value = getattr(midstream, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            assert value.__module__.split(".")[0] == midstream.__name__
            assert value.__name__ == name


def test_both_builds_say_which_they_are() -> None:
    assert {name: build.COMPILED for name, build in BUILDS.items()} == {
        name: name == "compiled" for name in BUILDS
    }


def test_importing_loads_the_standard_library_only() -> None:
    _, modules = import_in_a_new_process()
    packages = {name.partition(".")[0] for name in modules}
    # What compiled modules share is a module of Cython's runtime, inside them: nothing is imported for it.
    packages = {name for name in packages if not name.startswith(("_cython_", "cython_runtime"))}
    assert packages - sys.stdlib_module_names == {"midstream"}
    assert "midstream.cli.demo" not in modules


def test_importing_is_quick() -> None:
    """It takes about twice as long as asyncio, on any machine and however busy that is."""
    runs = [[import_in_a_new_process(package)[0] for package in ("midstream", "asyncio")] for _ in range(5)]
    ours, theirs = (min(seconds) for seconds in zip(*runs, strict=True))
    assert ours < 3 * theirs


def test_the_package_is_typed() -> None:
    assert files("midstream").joinpath("py.typed").is_file()

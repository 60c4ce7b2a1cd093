"""Try an installed midstream, without any other package: ``python tools/smoke.py compiled``.

The argument says which core is expected: ``compiled``, ``pure``, or ``any``. `try_dist` runs this in fresh
environments, and cibuildwheel runs it with every wheel of a release.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from importlib.metadata import metadata
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MODULES = {*sys.modules}

import midstream
from midstream import recordings
from midstream.sse import SseDecoder

ARRIVED = ['{"city": "Zür', 'ich", "days": 1', '2, "notes": ["a', "b", '"]}']
VALUE = {"city": "Zürich", "days": 12, "notes": ["ab"]}


def package_is_the_installed_one(core: str) -> None:
    """The package is not that of the sources, has the expected core, and loads no other package."""
    here = Path(__file__).parents[1]
    assert here / "src" not in Path(midstream.__file__).parents, midstream.__file__
    assert midstream.__version__ == metadata("midstream")["Version"]
    assert core == "any" or (core == "compiled") == midstream.COMPILED, midstream.COMPILED
    loaded = {name.partition(".")[0] for name in {*sys.modules} - MODULES} - {"midstream"}
    # compiled modules share two modules that are no files
    shared = {name for name in loaded if name.startswith(("_cython_", "cython_"))}
    foreign = loaded - sys.stdlib_module_names - shared
    assert not foreign, sorted(foreign)


def texts_are_parsed() -> None:
    """Values, updates, selections, the tree, the chunker and checkpoints agree with json.loads."""
    text = "".join(ARRIVED)
    assert json.loads(text) == VALUE
    assert list(midstream.values(ARRIVED))[-1] == VALUE
    rebuilder = midstream.JsonFragmentRebuilder()
    for update in midstream.updates(ARRIVED):
        rebuilder.apply([json.loads(json.dumps(midstream.to_wire(update)))])
    assert rebuilder.value == VALUE
    state = midstream.create_parser_state()
    accumulator = midstream.JsonValueAccumulator()
    for fragment in ARRIVED:
        state = midstream.load_state(midstream.dump_state(midstream.parse_chunk(state, fragment)))
        accumulator = midstream.JsonValueAccumulator.restore(accumulator.checkpoint())
        accumulator.add_fragment(fragment.encode())
    assert midstream.get_resolved_value(state) == accumulator.value == VALUE
    assert json.loads("".join(midstream.chunks(midstream.values(ARRIVED)))) == VALUE
    (match,) = midstream.select(ARRIVED, "notes[*]")
    assert match.value == "ab"


def streams_are_read() -> None:
    """A recorded stream becomes tool calls, sync and async, and its parts are in the package."""
    for name in recordings.NAMES:
        recording = recordings.load(name)
        assert SseDecoder().add_bytes(recording.body)
    recording = recordings.load("trip")
    (*_, calls) = midstream.tool_calls(recording.events(), format=recording.format)
    assert len(calls) == 2, calls
    assert all(call.is_complete for call in calls), calls

    async def run() -> list[object]:
        async def arrive() -> AsyncIterator[str]:
            for fragment in ARRIVED:
                yield fragment

        return [value async for value in midstream.aio.values(arrive())]

    assert asyncio.run(run()) == list(midstream.values(ARRIVED))
    assert files("midstream").joinpath("py.typed").is_file()
    assert files("midstream.render.web").joinpath("index.html").is_file()


def command_explains_itself() -> None:
    """Without its extra, the command says in one line what it needs."""
    command = [sys.executable, "-I", "-m", "midstream.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        assert midstream.__version__ in done.stdout
    else:
        assert "midstream[cli]" in done.stderr, done.stderr


def main() -> None:
    """Run every check."""
    core = sys.argv[1] if len(sys.argv) > 1 else "any"
    package_is_the_installed_one(core)
    texts_are_parsed()
    streams_are_read()
    command_explains_itself()
    built = "compiled" if midstream.COMPILED else "pure"
    print(f"midstream {midstream.__version__}, {built}, works with {sys.version.split()[0]}")


if __name__ == "__main__":
    main()

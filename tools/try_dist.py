"""Build the sdist, build wheels from it in every way the switch allows, and try them.

    python tools/try_dist.py

Everything happens in a temporary folder, from a clean copy of the sources, so that no compiled file
can leak in. The wheels are installed in environments that hold nothing else: no Cython, no pip.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parent.parent
SWITCH = "MIDSTREAM_EXTENSION"
NOTICE = "midstream: not compiled"
# what a wheel holds besides extensions: the modules, recorded streams, and the page
SOURCES = {".py", ".pxd", ".typed", ".sse", ".css", ".html", ".js", ".json", ".svg", ".ts"}

# Run in a fresh environment: print whether the core is compiled, and what it finds in a document.
USE = """
import midstream
acc = midstream.JsonFragmentAccumulator()
kinds = [u.kind.value for u in acc.add_fragment('{"a": [1, "x') + acc.add_fragment('y"]}')]
assert kinds[-1] == "JsonComplete" and acc.is_complete, kinds
print(midstream.COMPILED)
"""

# Run in a fresh environment: print the loaded modules that are neither ours nor the standard library's.
FOREIGN = """
import sys
before = set(sys.modules)
import midstream
names = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(names - sys.stdlib_module_names - {"midstream"}))
"""

# A compiler that writes empty files, until it comes to the last module: then it fails.
FLAKY = """#!{python}
import sys
if any("fragments" in argument for argument in sys.argv):
    sys.exit("no more")
open(sys.argv[sys.argv.index("-o") + 1], "w").close()
"""


@dataclass(frozen=True)
class Build:
    """How a build ended: what it printed, and the wheel if there is one."""

    output: str
    wheel: Path | None

    @property
    def names(self) -> list[str]:
        """The files of the package that the wheel holds, wherever it keeps them until they are installed."""
        assert self.wheel is not None, self.output
        with zipfile.ZipFile(self.wheel) as archive:
            return [f"midstream/{rest}" for rest in map(inside, archive.namelist()) if rest]

    def suffixes(self) -> set[str]:
        """Return the kinds of files that the package holds."""
        return {Path(name).suffix for name in self.names}


def inside(name: str) -> str:
    """Name a file of a wheel as seen from the package; what is outside has no name."""
    return name.partition("midstream/")[2]


class Workshop:
    """A folder in which distributions are built and tried; each thing is built once."""

    def __init__(self, folder: Path, flags: str = "") -> None:
        self.folder = folder
        self.flags = flags

    @cached_property
    def sources(self) -> set[str]:
        """The files that are the project's, as they lie there now."""
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}

    @cached_property
    def sdist(self) -> Path:
        """The sdist, built from a clean copy of the sources."""
        copy = self.folder / "sources"
        for name in self.sources:
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        # with the switch unset setuptools translates everything to C, only to leave it out
        command: list[str | Path] = [
            "-m",
            "build",
            "--sdist",
            "--no-isolation",
            "--outdir",
            self.folder,
            copy,
        ]
        result = run(command, **{SWITCH: "no"})
        assert result.returncode == 0, result.stdout
        (archive,) = self.folder.glob("*.tar.gz")
        return archive

    def unpacked(self, name: str) -> Path:
        """Unpack the sdist to a new folder."""
        with tarfile.open(self.sdist) as archive:
            archive.extractall(self.folder / name, filter="data")
        (tree,) = (self.folder / name).iterdir()
        return tree

    @cached_property
    def compiled(self) -> Build:
        """The wheel that must be compiled."""
        return self._build(self.unpacked("compiled"), {SWITCH: "yes"})

    def build(self, name: str, **environment: str) -> Build:
        """Build a wheel in a new folder; what is translated to C already is not translated again."""
        tree = self.unpacked(name)
        if environment.get(SWITCH) != "no":
            (translated,) = self.compiled_tree.glob("build/src")
            shutil.copytree(translated, tree / "build" / "src")
        return self._build(tree, environment)

    @property
    def compiled_tree(self) -> Path:
        """Where the compiled wheel was built."""
        assert self.compiled.wheel is not None, self.compiled.output
        return self.compiled.wheel.parent.parent

    def _build(self, tree: Path, environment: dict[str, str]) -> Build:
        dist = tree / "dist"
        command: list[str | Path] = ["-m", "build", "--wheel", "--no-isolation", "--outdir", dist, tree]
        result = run(command, CFLAGS=self.flags, **environment)
        wheels = list(dist.glob("*.whl"))
        assert len(wheels) == (result.returncode == 0), result.stdout
        return Build(result.stdout, wheels[0] if wheels else None)

    def install(self, build: Build) -> Path:
        """Install a wheel in an environment of its own and give the interpreter."""
        assert build.wheel is not None, build.output
        folder = build.wheel.parent.parent / "environment"
        venv.create(folder, symlinks=True)
        python = folder / "bin" / "python"
        result = run(["-m", "pip", "--python", python, "install", "--no-index", "--no-deps", build.wheel])
        assert result.returncode == 0, result.stdout
        return python

    def no_compiler(self) -> dict[str, str]:
        """Return an environment in which no compiler can be found."""
        empty = self.folder / "empty"
        empty.mkdir(exist_ok=True)
        return {"PATH": str(empty), "CC": str(empty / "cc"), "CXX": str(empty / "c++")}

    def flaky_compiler(self) -> dict[str, str]:
        """Return an environment whose compiler fails at the last module."""
        path = self.folder / "flaky-cc"
        path.write_text(FLAKY.format(python=sys.executable))
        path.chmod(0o755)
        return {"CC": str(path), "CXX": str(path)}


def run(arguments: list[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run this Python with the switch unset and no settings of ours, unless given."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name != SWITCH and not name.startswith(("PYTHON", "COV_"))
    }
    return subprocess.run(
        [sys.executable, *arguments],
        env=inherited | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def ask(python: Path, program: str) -> str:
    """Run a program in an installed environment, apart from the sources."""
    result = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, cwd=python.parent)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def sdist_is_whole(workshop: Workshop) -> None:
    """The sdist holds all sources, tests and benchmarks, and nothing compiled."""
    with tarfile.open(workshop.sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert workshop.sources - {".gitignore", "MANIFEST.in"} <= held, sorted(workshop.sources - held)
    assert not [name for name in held - workshop.sources if name.endswith((".c", ".so", ".pyc"))]


def compiled_wheel_works(workshop: Workshop) -> None:
    """With "yes" the wheel holds the compiled modules beside their sources, and no C."""
    build = workshop.compiled
    assert build.suffixes() == {".so", *SOURCES}, build.suffixes()
    holds_all_sources(workshop, build)
    assert ask(workshop.install(build), USE) == "True"


def plain_wheel_works(workshop: Workshop) -> None:
    """With "no" the wheel is pure, and needs neither Cython nor anything else."""
    build = workshop.build("plain", **{SWITCH: "no"})
    assert build.wheel is not None, build.output
    assert build.wheel.name.endswith("-py3-none-any.whl")
    assert NOTICE not in build.output
    holds_all_sources(workshop, build)
    python = workshop.install(build)
    assert ask(python, USE) == "False"
    assert ask(python, FOREIGN) == "[]"


def holds_all_sources(workshop: Workshop, build: Build) -> None:
    """Check that no module, page or recording of the package is missing."""
    sources = {name.removeprefix("src/") for name in workshop.sources if name.startswith("src/")}
    assert sources <= set(build.names), sorted(sources - set(build.names))


def is_plain(workshop: Workshop, build: Build) -> None:
    """Check a build that had to leave the core plain."""
    assert NOTICE in build.output, build.output
    assert build.suffixes() == SOURCES, build.suffixes()
    assert ask(workshop.install(build), USE) == "False"


def no_compiler_is_fine(workshop: Workshop) -> None:
    """Without a compiler the install is plain, and says so."""
    build = workshop.build("no-compiler", **workshop.no_compiler())
    is_plain(workshop, build)


def no_half_compiled_mix(workshop: Workshop) -> None:
    """A compiler that fails half-way leaves nothing compiled."""
    build = workshop.build("flaky", **workshop.flaky_compiler())
    is_plain(workshop, build)


def demanded_but_impossible(workshop: Workshop) -> None:
    """With "yes" and no compiler the build fails."""
    build = workshop.build("demanded", **workshop.no_compiler(), **{SWITCH: "yes"})
    assert build.wheel is None
    assert NOTICE not in build.output, build.output


def invalid_switch(workshop: Workshop) -> None:
    """Another value of the switch fails, with one clear line."""
    build = workshop.build("invalid", **{SWITCH: "perhaps"})
    assert build.wheel is None
    assert len([line for line in build.output.splitlines() if SWITCH in line and "'perhaps'" in line]) == 1
    assert "Traceback" not in build.output, build.output


CHECKS: list[Callable[[Workshop], None]] = [
    sdist_is_whole,
    compiled_wheel_works,
    plain_wheel_works,
    no_compiler_is_fine,
    no_half_compiled_mix,
    demanded_but_impossible,
    invalid_switch,
]


def main() -> int:
    """Run every check and print how it went; put sdist and compiled wheel into dist/."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder))
        for check in CHECKS:
            try:
                check(workshop)
                print(f"ok      {check.__doc__}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"FAILED  {check.__doc__}\n{error}", flush=True)
        if not failed:
            assert workshop.compiled.wheel is not None
            (ROOT / "dist").mkdir(exist_ok=True)
            for path in (workshop.sdist, workshop.compiled.wheel):
                print(shutil.copy2(path, ROOT / "dist"))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

"""Build the sdist, build wheels from it in every way the switch allows, and try them.

    python tools/try_dist.py

Everything happens in a temporary folder, from a clean copy of the sources, so that no compiled file
can leak in, and without a network: the tools of the build are those that are pinned. Wheels and the sdist are
installed in environments that hold nothing else, and `smoke` tries them there. The npm package is packed,
installed and tried, too. If all is well, the distributions are copied to dist/.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from email import message_from_bytes
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from email.message import Message

ROOT = Path(__file__).parent.parent
SWITCH = "MIDSTREAM_EXTENSION"
NOTICE = "midstream: not compiled"
# what a wheel holds besides extensions: the modules, recorded streams, and the page
SOURCES = {".py", ".pxd", ".typed", ".sse", ".css", ".html", ".js", ".json", ".svg", ".ts"}

# the most that a wheel may weigh, in bytes; a compiled one has about 40 extensions
LARGEST = {"compiled": 3_000_000, "pure": 800_000}

# Run by Node in a folder where only the npm package is installed.
NODE_SMOKE = """
import { JsonValueAccumulator, JsonFragmentRebuilder, ToolsAggregateMessageHandler } from "midstream-json";
import { SseDecoder } from "midstream-json/sse";
import { readFileSync } from "node:fs";
const accumulator = new JsonValueAccumulator();
accumulator.addFragment('{"a": [1, "x');
accumulator.addFragment('y"]}');
const read = JSON.stringify(accumulator.value);
if (read !== '{"a":[1,"xy"]}' || !accumulator.isComplete) throw new Error(read);
for (const known of [JsonFragmentRebuilder, ToolsAggregateMessageHandler, SseDecoder]) new known();
const { version, repository } = JSON.parse(readFileSync("node_modules/midstream-json/package.json", "utf-8"));
console.log(version, repository.url);
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

    @property
    def metadata(self) -> Message:
        """The metadata, as a package index shows it."""
        assert self.wheel is not None, self.output
        with zipfile.ZipFile(self.wheel) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            return message_from_bytes(archive.read(name))

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
    def copy(self) -> Path:
        """A clean copy of the sources."""
        copy = self.folder / "sources"
        for name in self.sources:
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        return copy

    @cached_property
    def sdist(self) -> Path:
        """The sdist, built from a clean copy of the sources."""
        # with the switch unset setuptools translates everything to C, only to leave it out
        command: list[str | Path] = [
            "-m",
            "build",
            "--sdist",
            "--no-isolation",
            "--outdir",
            self.folder,
            self.copy,
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

    @cached_property
    def pure(self) -> Build:
        """The wheel without extensions, for every platform."""
        return self.build("plain", **{SWITCH: "no"})

    @cached_property
    def npm_package(self) -> Path:
        """The npm package, packed; the address of the repository comes from pyproject.toml."""
        folder = self.copy / "js"
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        package = json.loads((folder / "package.json").read_text("utf-8"))
        package["repository"] = {
            "type": "git",
            "url": f"git+{project['urls']['Repository']}.git",
            "directory": "js",
        }
        package["homepage"] = project["urls"]["Documentation"]
        package["bugs"] = project["urls"]["Issues"]
        (folder / "package.json").write_text(json.dumps(package, indent=2) + "\n", "utf-8")
        npm(["pack", "--pack-destination", self.folder], folder)
        (tarball,) = self.folder.glob("*.tgz")
        return tarball

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
        """Install a wheel in an environment of its own; return the interpreter."""
        assert build.wheel is not None, build.output
        python = environment(build.wheel.parent.parent / "environment")
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


def environment(folder: Path) -> Path:
    """Create an environment that holds nothing; return its interpreter."""
    venv.create(folder, symlinks=True)
    return folder / "bin" / "python"


def npm(arguments: list[str | Path], folder: Path) -> None:
    """Run npm in a folder, without a network."""
    command = ["npm", *arguments, "--offline", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def run(arguments: list[str | Path], **environment: str) -> subprocess.CompletedProcess[str]:
    """Run this Python with the switch unset, no settings of ours unless given, and no network for pip."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name != SWITCH and not name.startswith(("PYTHON", "COV_", "PIP_"))
    }
    inherited |= {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    return subprocess.run(
        [sys.executable, *arguments],
        env=inherited | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def smoke(python: Path, core: str) -> None:
    """Try what is installed in an environment."""
    command: list[str | Path] = [python, "-I", ROOT / "tools" / "smoke.py", core]
    result = subprocess.run(command, capture_output=True, text=True, cwd=python.parent)
    assert result.returncode == 0, result.stderr


def sdist_is_complete(workshop: Workshop) -> None:
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
    smoke(workshop.install(build), "compiled")
    is_small(build, "compiled")


def plain_wheel_works(workshop: Workshop) -> None:
    """With "no" the wheel is pure, and needs neither Cython nor anything else."""
    build = workshop.pure
    assert build.wheel is not None, build.output
    assert build.wheel.name.endswith("-py3-none-any.whl")
    assert NOTICE not in build.output
    holds_all_sources(workshop, build)
    smoke(workshop.install(build), "pure")
    is_small(build, "pure")


def metadata_is_complete(workshop: Workshop) -> None:
    """The wheel says what it is, where it comes from, and which extras it has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    metadata = workshop.pure.metadata
    for field, value in (
        ("Name", "midstream"), ("Version", version()), ("Summary", project["description"]),
        ("License-Expression", "MIT"), ("License-File", "LICENSE"), ("Requires-Python", ">=3.11"),
        ("Description-Content-Type", "text/markdown"),
    ):  # fmt: skip
        assert metadata[field] == value, (field, metadata[field])
    assert metadata["Author"], metadata
    assert {*metadata.get_all("Provides-Extra", [])} == {*project["optional-dependencies"]}
    assert {*metadata.get_all("Project-URL", [])} == {", ".join(item) for item in project["urls"].items()}
    needed = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert needed == [], needed
    extras = re.search(r'midstream\[(.*)]; extra == "all"', "\n".join(metadata.get_all("Requires-Dist", [])))
    assert extras is not None
    assert {*extras[1].split(","), "all"} == {*project["optional-dependencies"]}


def version() -> str:
    """Return the version of the sources."""
    known: dict[str, str] = {}
    exec((ROOT / "src" / "midstream" / "_version.py").read_text("utf-8"), known)
    return known["__version__"]


def sdist_installs_offline(workshop: Workshop) -> None:
    """The sdist is built and installed by pip, with the pinned tools and without a network."""
    python = environment(workshop.folder / "from-sdist")
    (packages,) = python.parent.parent.glob("lib/*/site-packages")
    tools = packages / "tools.pth"
    tools.write_text(sysconfig.get_path("purelib"))
    command: list[str | Path] = [
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-build-isolation",
    ]
    # a compiled build from the sdist is that of the compiled wheel
    result = run([*command, workshop.sdist], **{SWITCH: "no"})
    assert result.returncode == 0, result.stdout
    tools.unlink()
    smoke(python, "pure")


def npm_package_works(workshop: Workshop) -> None:
    """The npm package can be packed, installed and imported."""
    folder = workshop.folder / "npm"
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    (folder / "smoke.js").write_text(NODE_SMOKE)
    npm(["install", "--no-package-lock", "--legacy-peer-deps", workshop.npm_package], folder)
    done = subprocess.run(["node", "smoke.js"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == version(), done.stdout
    assert done.stdout.split()[1].startswith("git+https://"), done.stdout


def is_small(build: Build, kind: str) -> None:
    """Check the size of a wheel."""
    assert build.wheel is not None, build.output
    size = build.wheel.stat().st_size
    assert size <= LARGEST[kind], f"{build.wheel.name} has {size:,} bytes, more than {LARGEST[kind]:,}"


def holds_all_sources(workshop: Workshop, build: Build) -> None:
    """Check that no module, page or recording of the package is missing."""
    sources = {name.removeprefix("src/") for name in workshop.sources if name.startswith("src/")}
    assert sources <= set(build.names), sorted(sources - set(build.names))


def is_plain(workshop: Workshop, build: Build) -> None:
    """Check a build that had to leave the core plain."""
    assert NOTICE in build.output, build.output
    assert build.suffixes() == SOURCES, build.suffixes()
    smoke(workshop.install(build), "pure")


def no_compiler_is_fine(workshop: Workshop) -> None:
    """Without a compiler the install is plain, and says so."""
    build = workshop.build("no-compiler", **workshop.no_compiler())
    is_plain(workshop, build)


def no_partly_compiled_mix(workshop: Workshop) -> None:
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
    sdist_is_complete,
    compiled_wheel_works,
    plain_wheel_works,
    metadata_is_complete,
    sdist_installs_offline,
    npm_package_works,
    no_compiler_is_fine,
    no_partly_compiled_mix,
    demanded_but_impossible,
    invalid_switch,
]


def main() -> int:
    """Run every check and print how it went; copy the distributions to dist/."""
    failed = 0
    checks = [check for check in CHECKS if check is not npm_package_works or shutil.which("npm")]
    if len(checks) < len(CHECKS):
        print("not run: the npm package needs npm")
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder))
        for check in checks:
            try:
                check(workshop)
                print(f"ok      {check.__doc__}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"FAILED  {check.__doc__}\n{error}", flush=True)
        if not failed:
            (ROOT / "dist").mkdir(exist_ok=True)
            made = [workshop.sdist, workshop.compiled.wheel, workshop.pure.wheel]
            if npm_package_works in checks:
                made.append(workshop.npm_package)
            for path in made:
                assert path is not None
                copied = shutil.copy2(path, ROOT / "dist")
                print(f"{Path(copied).stat().st_size:9,} bytes  {copied}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

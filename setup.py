"""Compile the hot modules when that is possible and wanted.

MIDSTREAM_EXTENSION decides: "yes" (fail if it can't be done), "no", or unset (if possible).
All modules are compiled or none: a compiled class can't derive from a plain one.

The links of README.md are relative, for the host of the repository. In the metadata they are absolute, so
that they also work on the page of a package index. Their address is ``Repository`` in pyproject.toml.
"""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

if TYPE_CHECKING:
    from collections.abc import Iterator

HOT = [
    "core/text",
    "core/strings",
    "core/numbers",
    "core/visitor",
    "accumulators/reentrancy",
    "core/options",
    "core/machine",
    "core/structure",
    "core/recovery",
    "core/tokens",
    "core/repairs",
    "core/look_ahead",
    "core/lenient_escapes",
    "core/lenient_strings",
    "core/bare_tokens",
    "core/lenient_structure",
    "core/grammar",
    "accumulators/update",
    "accumulators/base",
    "accumulators/fragments",
    "accumulators/value_visitor",
    "accumulators/values",
    "streams/text",
    "accumulators/automaton",
    "accumulators/selection",
    "accumulators/select",
    "streams/select",
    "tree/rope",
    "tree/vector",
    "tree/nodes",
    "tree/containers",
    "tree/visitor",
    "tree/parser",
    "wire/frames",
    "wire/cursor",
    "wire/reader",
    "wire/rebuilder",
    "core/surrogates",
    "calls/state",
    "calls/registry",
    "calls/call",
    "calls/snapshot",
    "calls/handler",
    "calls/middleware",
    "events/updates",
    "events/numbers",
    "events/items",
    "events/reader",
    "events/writer",
    "sse",
    "providers/_reading",
    "providers/_adapter",
    "providers/openai_chat",
    "providers/anthropic",
    "streams/provider",
]
SWITCH = os.environ.get("MIDSTREAM_EXTENSION", "").strip().lower()
if SWITCH not in ("", "yes", "no"):
    sys.exit(f'MIDSTREAM_EXTENSION is "yes", "no" or unset, not {SWITCH!r}')


class BuildAllOrNothing(build_ext):
    """Build every extension, or leave the package plain and say so."""

    def finalize_options(self) -> None:
        with self.plain_if_it_fails():
            self.distribution.ext_modules = translated(self.distribution.ext_modules)
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        with self.plain_if_it_fails():
            super().run()

    @contextmanager
    def plain_if_it_fails(self) -> Iterator[None]:
        try:
            yield
        except (Exception, SystemExit) as error:
            if SWITCH == "yes":
                raise
            folders = [Path(self.build_lib, "midstream")] if self.build_lib else []
            if self.inplace or self.editable_mode:
                folders.append(Path("src/midstream"))
            for folder in folders:
                for name in HOT:
                    Path(folder, name.replace(".", "/") + sysconfig.get_config_var("EXT_SUFFIX")).unlink(
                        missing_ok=True
                    )
            self.extensions = self.distribution.ext_modules = []
            print(f"midstream: not compiled, the plain Python core will be used ({error})", file=sys.stderr)


class WheelOfWhatWasBuilt(bdist_wheel):
    """Build first: a wheel without extensions is one for every platform."""

    def finalize_options(self) -> None:
        if self.distribution.ext_modules:
            self.run_command("build_ext")
        super().finalize_options()


def translated(extensions: list[Extension]) -> list[Extension]:
    """Translate the modules to C; only now is Cython needed."""
    from Cython.Build import cythonize

    return cythonize(
        extensions,
        build_dir="build",
        compiler_directives={
            "language_level": 3,
            # an annotation `int` has no bounds; the sibling .pxd files declare what fits a C type
            "annotation_typing": False,
            "wraparound": False,
            "initializedcheck": False,
            "cdivision": True,
            "auto_pickle": False,
            # shared objects never change, except for the key cache (`strings.pxd`), and a guard admits one
            # call at a time to objects that change (`reentrancy`)
            "freethreading_compatible": True,
        },
    )


ROOT = Path(__file__).parent
PICTURE = re.compile(r"(!\[[^]]*\]\()(?![a-z]+:)([^)\s]+)")
LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)\s]+)")


def readme() -> str:
    """Return README.md with absolute links, as a package index shows it."""
    project = tomllib.loads(Path(ROOT, "pyproject.toml").read_text("utf-8"))["project"]
    address = project["urls"]["Repository"]
    # every second part is a block of code
    text = Path(ROOT, "README.md").read_text("utf-8")
    parts = re.split(r"^(```.*?^```)$", text, flags=re.MULTILINE | re.DOTALL)
    for index in range(0, len(parts), 2):
        text = PICTURE.sub(rf"\g<1>{address}/raw/HEAD/\g<2>", parts[index])
        parts[index] = LINK.sub(rf"\g<1>{address}/blob/HEAD/\g<2>", text)
    return "".join(parts)


# Python's own flags include debug symbols, which make up three quarters of the files. On Linux, calls of
# libpython that bypass the PLT save 5 % of the time of a small fragment. CFLAGS replaces all of these.
FLAGS: list[str] = []
if os.name == "posix" and "CFLAGS" not in os.environ:
    FLAGS += ["-g0"]
    if sys.platform == "linux":
        FLAGS += ["-fno-plt", "-fno-semantic-interposition"]

setup(
    ext_modules=[]
    if SWITCH == "no"
    else [
        Extension(
            f"midstream.{name.replace('/', '.')}", [f"src/midstream/{name}.py"], extra_compile_args=FLAGS
        )
        for name in HOT
    ],
    long_description=readme(),
    long_description_content_type="text/markdown",
    cmdclass={"build_ext": BuildAllOrNothing, "bdist_wheel": WheelOfWhatWasBuilt},
)
